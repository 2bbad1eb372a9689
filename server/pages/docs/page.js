import { keep, readKept } from '../../chat/files/storage.js'
import { showJson } from './json.js'
import { addUnfolding } from './schemas.js'
import { addSearch } from './search.js'
import { isMeant, restoreToken, toCurl, tryIt } from './try.js'

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

/** The address of the service as the reader reached it, whatever the installation calls itself. */
const address = new URL(document.body.dataset.root, location.href).href.replace(/\/$/, '')
for (const code of document.querySelectorAll('.guide pre code')) {
  code.textContent = code.textContent.replaceAll('http://localhost:3000', address)
}

/* Places */

/** Scrolls to an element of the page, and unfolds it. */
function goTo(name) {
  const place = document.getElementById(name)
  for (let outer = place; outer; outer = outer.parentElement) {
    if (outer.localName === 'details') outer.open = true
  }
  place?.scrollIntoView()
}

function goToAddress() {
  let name = location.hash.slice(1)
  try {
    name = decodeURIComponent(name)
  } catch {
    // It was cut off or mistyped: it names no place, and the rest of the page works all the same.
  }
  const page = document.getElementById(name) ? undefined : pageOf(name)
  if (page !== undefined) location.replace(`${address}/docs/${page}`)
  else goTo(name)
}

/** All was one page once, with `#operations-bots-getBot` and `#/bots/getBot` for an operation of it. */
function pageOf(name) {
  const [, tag, operation] = /^(?:operations-|\/)([a-z-]+)(?:-|\/)(\w+)$/.exec(name) ?? []
  if (tag === 'tag') return operation
  if (tag !== undefined) return `${tag}#${operation}`
  const [, kind] = /^(schema|response|header)-/.exec(name) ?? []
  return { schema: `schemas#${name}`, response: `errors#${name}`, header: `errors#${name}` }[kind]
}
addEventListener('hashchange', goToAddress)
if (location.hash) goToAddress()

// A link to an element that was closed again changes no address.
document.addEventListener('click', ({ target }) => {
  const link = target.closest?.('a')
  if (link && link.hash !== '' && link.href === location.href) goToAddress()
})

/** The address names the operation that was opened last, so that it can be shared. */
document.querySelector('main').addEventListener('click', ({ target }) => {
  const operation = target.closest('summary')?.parentElement
  if (operation?.id && !operation.open) history.replaceState(null, '', `#${operation.id}`)
})

// Folded content is many times as long as the part that a reader opens, so it is prepared when it opens.
const ready = new Set()
document.addEventListener(
  'toggle',
  ({ target }) => {
    if (!target.open || ready.has(target) || !target.matches('.operation, .entry')) return
    ready.add(target)
    addUnfolding(target, address)
    for (const text of target.querySelectorAll('pre')) showJson(text)
  },
  true,
)

/* Copying */

/** A button that copies; `read` gives the text when it is pressed. */
function copyButton(read) {
  const button = document.createElement('button')
  button.type = 'button'
  button.className = 'copy'
  button.textContent = 'Copy'
  button.addEventListener('click', () => copy(button, read()))
  return button
}

/** Labels of buttons before they say Copied. */
const labels = new Map()

async function copy(button, text) {
  if (!labels.has(button)) labels.set(button, button.textContent)
  try {
    await navigator.clipboard.writeText(text)
    button.textContent = 'Copied'
  } catch {
    button.textContent = 'Not allowed'
  }
  setTimeout(() => {
    button.textContent = labels.get(button)
  }, 2000)
}

for (const text of document.querySelectorAll('main pre')) {
  text.tabIndex = 0
  // As it came: it may be shown as lines that fold.
  const given = text.textContent
  text.before(copyButton(() => given))
}

/* Languages of samples */

const samples = [...document.querySelectorAll('.samples')]
const languages = [...(samples[0]?.querySelectorAll('figure') ?? [])].map(({ dataset }) => dataset.language)

function showLanguage(language) {
  for (const sample of samples) {
    sample.querySelector('select').value = language
    for (const figure of sample.querySelectorAll('figure'))
      figure.hidden = figure.dataset.language !== language
  }
}

for (const sample of samples) {
  const choice = document.createElement('select')
  choice.setAttribute('aria-label', 'Language of the samples')
  choice.append(...languages.map((language) => new Option(language)))
  choice.addEventListener('change', () => {
    keep('local', 'language', choice.value)
    showLanguage(choice.value)
  })
  sample.querySelector('h3').append(' ', choice)
}
const [usual] = languages
if (usual !== undefined)
  showLanguage(languages.find((language) => language === readKept('local', 'language')) ?? usual)

/* Trying */

const token = document.getElementById('token')
if (token) restoreToken(token, document.getElementById('token-about'))

for (const form of document.querySelectorAll('form.try')) {
  let sent = 0
  form.addEventListener('submit', async (event) => {
    event.preventDefault()
    if (!isMeant(form)) return
    const answer = form.querySelector('.answer')
    sent += 1
    const number = sent
    const shown = await tryIt(form, address)
    // A late response to an earlier request does not replace the newer one.
    if (number !== sent) return
    answer.replaceChildren(shown)
    for (const text of answer.querySelectorAll('pre')) {
      const given = text.textContent
      text.before(copyButton(() => given))
      showJson(text)
    }
  })
  const asCurl = form.querySelector('.as-curl')
  asCurl.addEventListener('click', () => {
    if (!isMeant(form)) return
    try {
      void copy(asCurl, toCurl(form, address))
    } catch (error) {
      form.querySelector('.answer').replaceChildren(error.message)
    }
  })
  const example = form.querySelector('.example')
  example?.addEventListener('change', () => {
    form.elements.body.value = example.value
  })
}

/* Searching */

addSearch(address, contents, fold)
document.querySelector('nav [aria-current]')?.scrollIntoView({ block: 'nearest' })
