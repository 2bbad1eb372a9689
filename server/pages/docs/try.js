import { headerProblem, keptToken } from '../../chat/files/token.js'

/* Requests that readers try: the fields of the form, as a request of this page or as a line for a shell. */

/** Stored for the tab alone. `about` explains why a token cannot be sent. */
export function restoreToken(field, about) {
  const text = about.textContent
  const check = () => {
    const problem = headerProblem(field.value.trim())
    about.textContent = problem === undefined ? text : `The token ${problem}`
    field.setAttribute('aria-invalid', String(problem !== undefined))
  }
  field.value = keptToken.get() ?? ''
  field.addEventListener('input', () => {
    keptToken.set(field.value.trim())
    check()
  })
  check()
}

/** Method, address, headers and body of the form; empty fields are not sent. */
function read(form, address) {
  let path = form.dataset.path
  const query = new URLSearchParams()
  const headers = new Headers()
  const addHeader = (name, value, called) => {
    const problem = headerProblem(value)
    if (problem !== undefined) throw new Error(`${called} ${problem}`)
    headers.set(name, value)
  }
  for (const field of form.querySelectorAll('[data-in]')) {
    const value = field.value.trim()
    if (field.dataset.in === 'path') path = path.replace(`{${field.name}}`, encodeURIComponent(value))
    else if (value === '') continue
    else if (field.dataset.in === 'query') query.append(field.name, value)
    else addHeader(field.name, value, field.name)
  }
  const token = keptToken.get()
  if ('token' in form.dataset && token) addHeader('Authorization', `Bearer ${token}`, 'The token')
  const file = form.elements.file
  if (file && file.files.length === 0) throw new Error('Choose a file to send.')
  const body = form.elements.body?.value ?? file?.files[0]
  if (body !== undefined) headers.set('Content-Type', file ? 'application/octet-stream' : 'application/json')
  const text = String(query)
  const url = `${address}${path}${text === '' ? '' : `?${text}`}`
  return { url, method: form.dataset.method, headers, body }
}

/** Confirms a request that affects everything because a field is empty. */
export function isMeant(form) {
  const { everythingWithout } = form.dataset
  if (everythingWithout === undefined) return true
  const names = everythingWithout.split(',')
  const isNamed = names.some((name) => form.elements[name]?.value.trim())
  return isNamed || confirm(`Without ${names.join(' or ')} this deletes everything. Continue?`)
}

export function toCurl(form, address) {
  const { url, method, headers, body } = read(form, address)
  const quoteShell = (text) => `'${text.replaceAll("'", "'\\''")}'`
  const given = [...headers]
    // The token stays out of the copied line.
    .map(([name, value]) =>
      name === 'authorization'
        ? '-H "Authorization: Bearer $TOKEN"'
        : `-H ${quoteShell(`${name}: ${value}`)}`,
    )
  return [
    `curl${method === 'GET' ? '' : ` -X ${method}`} ${quoteShell(url)}`,
    ...given,
    ...(body instanceof File
      ? [`--data-binary ${quoteShell(`@${body.name}`)}`]
      : body
        ? [`-d ${quoteShell(body)}`]
        : []),
  ].join(' \\\n  ')
}

/** Sends the request and shows its response. */
export async function tryIt(form, address) {
  const shown = document.createDocumentFragment()
  let url
  let request
  try {
    ;({ url, ...request } = read(form, address))
  } catch (error) {
    shown.append(line(error.message, 'status'))
    return shown
  }
  try {
    const response = await fetch(url, { ...request, credentials: 'omit', cache: 'no-store' })
    const text = await response.text()
    shown.append(
      line(`${response.status} ${response.statusText}`, 'status'),
      line(`Request id: ${response.headers.get('x-request-id')}`),
      block([...response.headers].map(([name, value]) => `${name}: ${value}`).join('\n')),
      block(pretty(text)),
    )
  } catch (error) {
    shown.append(line(`There was no answer: ${error.message}`, 'status'))
  }
  return shown
}

/** A longer text would block the page, and is not readable. */
const longest = 200_000

function pretty(text) {
  let readable = text
  try {
    readable = JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    // Not JSON, or nothing: shown as it is.
  }
  return readable.length > longest
    ? `${readable.slice(0, longest)}\n... and ${readable.length - longest} more characters`
    : readable
}

function line(text, className = '') {
  const paragraph = document.createElement('p')
  paragraph.className = className
  paragraph.textContent = text
  return paragraph
}

function block(text) {
  const element = document.createElement('pre')
  element.tabIndex = 0
  element.textContent = text
  return element
}
