/*
 * Says that the page could not be loaded, until the page runs: one file of many may not arrive. If this file is the
 * missing one, the style sheet shows the text after a while, and the link leads to the page without it.
 */

// The page around it takes a frame that sends nothing for one that is not allowed there.
if (parent !== window) parent.postMessage({ type: 'loading' }, '*')

addEventListener(
  'error',
  ({ target }) => {
    if (target === window || target.localName === 'script')
      document.getElementById('loading')?.classList.add('failed')
  },
  true,
)

addEventListener('click', (event) => {
  if (!event.target.closest?.('#loading a')) return
  event.preventDefault()
  location.reload()
})
