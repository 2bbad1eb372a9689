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

/** Where the service is, as the reader reached it, whatever the installation calls itself. */
const address = new URL('.', location.href).href.replace(/\/$/, '')
for (const code of document.querySelectorAll('.guide pre code')) {
  code.textContent = code.textContent.replaceAll('http://localhost:3000', address)
}

/* Places */

/** Goes to a place of the page; what is folded there unfolds. */
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
  // Links to operations once had another form: #/bots/getBot.
  goTo(name.replace(/^\/(\w+)\/(\w+)$/, 'operations-$1-$2'))
}
addEventListener('hashchange', goToAddress)
if (location.hash) goToAddress()

// A link to what was closed again changes no address.
document.addEventListener('click', ({ target }) => {
  const link = target.closest?.('a[href^="#"]')
  if (link && link.hash !== '' && link.hash === location.hash) goToAddress()
})

/** The address names the operation that was opened last, so that it can be sent to somebody. */
document.getElementById('reference').addEventListener('click', ({ target }) => {
  const operation = target.closest('summary')?.parentElement
  if (operation?.id && !operation.open) history.replaceState(null, '', `#${operation.id}`)
})

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

/** What buttons say before they say that they copied. */
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
  text.before(copyButton(() => text.textContent))
}

/* Trying */

restoreToken(document.getElementById('token'), document.getElementById('token-about'))

for (const form of document.querySelectorAll('form.try')) {
  let sent = 0
  form.addEventListener('submit', async (event) => {
    event.preventDefault()
    if (!isMeant(form)) return
    const answer = form.querySelector('.answer')
    sent += 1
    const number = sent
    const shown = await tryIt(form, address)
    // An earlier answer that comes late does not replace the newer one.
    if (number !== sent) return
    answer.replaceChildren(shown)
    for (const text of answer.querySelectorAll('pre')) text.before(copyButton(() => text.textContent))
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

const words = document.getElementById('words')
const found = document.getElementById('found')
const links = [...contents.querySelectorAll('li a')]
const texts = new Map()

/** What is said at the place that a link leads to, read when somebody searches for the first time. */
function textOf(link) {
  if (!texts.has(link)) {
    const place = document.getElementById(link.hash.slice(1))
    texts.set(link, `${link.title} ${link.textContent} ${place?.textContent ?? ''}`.toLowerCase())
  }
  return texts.get(link)
}

function search() {
  const wanted = words.value.toLowerCase().split(/\s+/).filter(Boolean)
  const fits = (link) => wanted.every((word) => textOf(link).includes(word))
  const isNamed = (link) =>
    wanted.every((word) => `${link.title} ${link.textContent}`.toLowerCase().includes(word))
  const fitting = links.filter(fits)
  // Those that have the words in their names come alone where there are any: almost all say `bot` somewhere.
  const named = fitting.filter(isNamed)
  const shown = new Set(named.length > 0 ? named : fitting)
  for (const link of links) link.parentElement.hidden = !shown.has(link)
  for (const list of contents.querySelectorAll('ul')) {
    const isEmpty = !list.querySelector('li:not([hidden])')
    list.hidden = isEmpty
    if (list.previousElementSibling?.localName !== 'summary') list.previousElementSibling.hidden = isEmpty
  }
  found.textContent = wanted.length > 0 ? `${shown.size} found` : ''
  if (wanted.length > 0) contents.open = true
  else fold()
  return [...shown]
}

words.addEventListener('input', search)
words.addEventListener('keydown', (event) => {
  if (event.key !== 'Escape' || event.isComposing) return
  words.value = ''
  search()
})
document.getElementById('search').addEventListener('submit', (event) => {
  event.preventDefault()
  search()[0]?.click()
})
addEventListener('keydown', (event) => {
  if (event.key !== '/' || event.target.closest('input, select, textarea')) return
  event.preventDefault()
  words.focus()
})
