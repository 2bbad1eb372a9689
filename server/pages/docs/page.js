/* global SwaggerUIBundle */

const narrow = matchMedia('(max-width: 900px)')
const contents = document.querySelector('nav details')

function fold() {
  contents.open = !narrow.matches
}
fold()
narrow.addEventListener('change', fold)
contents.addEventListener('click', ({ target }) => {
  if (target.closest('a')) fold()
})

/** Opens the operation that the address names, as links of the guides do. */
function openNamed() {
  const operation = document.getElementById(location.hash.slice(1))
  if (!operation?.classList.contains('opblock')) return
  if (!operation.classList.contains('is-open')) operation.querySelector('.opblock-summary-control').click()
  operation.scrollIntoView()
}

async function start() {
  const response = await fetch('openapi.json')
  const document_ = await response.json()
  // Requests go where the page came from, whatever the installation calls itself.
  document_.servers = [
    { url: new URL('.', location.href).href.replace(/\/$/, ''), description: 'This service' },
  ]
  const groups = document_['x-tagGroups'].flatMap(({ tags }) => tags)
  document_.tags.sort((a, b) => groups.indexOf(a.name) - groups.indexOf(b.name))
  document.getElementById('tags').append(...document_.tags.map(toItem))
  const named = location.hash
  SwaggerUIBundle({
    spec: document_,
    domNode: document.getElementById('reference'),
    deepLinking: true,
    docExpansion: 'list',
    defaultModelsExpandDepth: 0,
    displayRequestDuration: true,
    requestSnippetsEnabled: false,
    validatorUrl: null,
    onComplete() {
      addEventListener('hashchange', openNamed)
      // The reference was not there yet when the browser looked for the place.
      setTimeout(() => {
        if (named.startsWith('#/')) return
        if (named) document.getElementById(named.slice(1))?.scrollIntoView()
        openNamed()
      })
    },
  })
}

function toItem(tag) {
  const item = document.createElement('li')
  const link = document.createElement('a')
  link.href = `#operations-tag-${tag.name}`
  link.textContent = tag['x-displayName']
  item.append(link)
  return item
}

start().catch((error) => {
  document.getElementById('loading').textContent = `The reference could not be loaded: ${error.message}`
})
