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

/** Where the service is, as the reader reached it, whatever the installation calls itself. */
const address = new URL('.', location.href).href.replace(/\/$/, '')
for (const code of document.querySelectorAll('.guide pre code')) {
  code.textContent = code.textContent.replaceAll('http://localhost:3000', address)
}

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

/** Swagger UI goes to the operation in its own kind of address, but scrolls it beneath the header of the page. */
function scrollBelowHeader() {
  const scrollToElement = () => (element) => element.scrollIntoView()
  return { statePlugins: { layout: { wrapActions: { scrollToElement } } } }
}

function parametersOf({ paths, components }) {
  const operations = Object.values(paths).flatMap((path) => Object.values(path))
  return [
    ...operations.flatMap(({ parameters = [] }) => parameters),
    ...Object.values(components.parameters ?? {}),
  ]
}

/** Swagger UI would send the example of a header such as If-Match with every request that is tried. */
function leaveEmpty(parameter) {
  if (parameter.in !== 'header' || parameter.required) return
  delete parameter.example
  delete parameter.examples
  delete parameter.schema?.example
  delete parameter.schema?.examples
}

async function start() {
  const response = await fetch('openapi.json')
  const published = await response.json()
  published.servers = [{ url: address, description: 'This service' }]
  published.info.title = 'Reference'
  for (const parameter of parametersOf(published)) leaveEmpty(parameter)
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
    plugins: [scrollBelowHeader],
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
