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

/** Goes to a place of the page; an operation is opened. */
function goTo(name) {
  const place = document.getElementById(name)
  const isClosed = place?.classList.contains('opblock') && !place.classList.contains('is-open')
  if (isClosed) place.querySelector('.opblock-summary-control').click()
  place?.scrollIntoView()
}

const named = () => location.hash.slice(1)
addEventListener('hashchange', () => goTo(named()))

/** The browser looked for the place before the reference was there, and Swagger UI rewrites the address. */
function goToOnceDrawn(name, reference) {
  const observer = new MutationObserver(() => {
    if (!reference.querySelector('.opblock') || !document.getElementById(name)) return
    observer.disconnect()
    goTo(name)
  })
  if (name !== '' && !name.startsWith('/')) observer.observe(reference, { childList: true, subtree: true })
}

async function start() {
  const response = await fetch('openapi.json')
  const published = await response.json()
  // Requests go where the page came from, whatever the installation calls itself.
  published.servers = [
    { url: new URL('.', location.href).href.replace(/\/$/, ''), description: 'This service' },
  ]
  const groups = published['x-tagGroups'].flatMap(({ tags }) => tags)
  published.tags.sort((a, b) => groups.indexOf(a.name) - groups.indexOf(b.name))
  document.getElementById('tags').append(...published.tags.map(toItem))
  const reference = document.getElementById('reference')
  goToOnceDrawn(named(), reference)
  SwaggerUIBundle({
    spec: published,
    domNode: reference,
    deepLinking: true,
    docExpansion: 'list',
    defaultModelsExpandDepth: 0,
    displayRequestDuration: true,
    validatorUrl: null,
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
