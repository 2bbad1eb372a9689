/* Finds operations, schemas, events and guides by their names and texts. */

/** More would hide from a reader that other words are needed. */
const MAX_SHOWN = 40

export function addSearch(address, contents, fold) {
  const words = document.getElementById('words')
  const found = document.getElementById('found')
  const results = document.getElementById('results')
  let entries

  async function readEntries() {
    const response = await fetch(`${address}/docs/files/search.json`)
    if (!response.ok) throw new Error(`The search could not be read: ${response.status}`)
    return (await response.json()).map(([title, href, hint, text]) => ({
      title,
      href: `${address}${href}`,
      hint,
      name: `${title} ${hint} ${href}`.toLowerCase(),
      text: `${title} ${hint} ${href} ${text}`.toLowerCase(),
    }))
  }

  async function search() {
    const wanted = words.value.toLowerCase().split(/\s+/).filter(Boolean)
    if (wanted.length === 0) {
      results.hidden = true
      contents.hidden = false
      found.textContent = ''
      fold()
      return
    }
    try {
      entries ??= readEntries()
      const all = await entries
      // Typed on in the meantime: the later search shows.
      if (wanted.join(' ') !== words.value.toLowerCase().split(/\s+/).filter(Boolean).join(' ')) return
      const fits = (text) => wanted.every((word) => text.includes(word))
      const named = all.filter(({ name }) => fits(name))
      const inText = all.filter(({ name, text }) => !fits(name) && fits(text))
      show([...named, ...inText])
    } catch (error) {
      entries = undefined
      found.textContent = error.message
    }
  }

  function show(fitting) {
    results.replaceChildren(
      ...fitting.slice(0, MAX_SHOWN).map(({ title, href, hint }) => {
        const item = document.createElement('li')
        const link = document.createElement('a')
        const small = document.createElement('small')
        link.href = href
        small.textContent = hint
        link.append(title, ' ', small)
        item.append(link)
        return item
      }),
    )
    results.hidden = false
    contents.hidden = true
    found.textContent =
      fitting.length > MAX_SHOWN
        ? `${fitting.length} found, the first ${MAX_SHOWN} of them shown`
        : `${fitting.length} found`
  }

  words.addEventListener('input', search)
  words.addEventListener('keydown', (event) => {
    if (event.key !== 'Escape' || event.isComposing) return
    words.value = ''
    search()
  })
  document.getElementById('search').addEventListener('submit', async (event) => {
    event.preventDefault()
    await search()
    results.querySelector('a')?.click()
  })
  // On the same page nothing is loaded anew.
  results.addEventListener('click', ({ target }) => {
    if (!target.closest('a')) return
    words.value = ''
    search()
  })
  addEventListener('keydown', (event) => {
    if (event.key !== '/' || event.target.closest('input, select, textarea')) return
    event.preventDefault()
    words.focus()
  })
}
