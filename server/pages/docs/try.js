/* Requests that readers try: what the form says, as a request of this page or as a line for a shell. */

/** Kept for the tab alone. */
export function restoreToken(field) {
  field.value = sessionStorage.getItem('token') ?? ''
  field.addEventListener('input', () => sessionStorage.setItem('token', field.value.trim()))
}

/** Method, address, headers and body as the form has them; what was left empty is not sent. */
function read(form, address) {
  let path = form.dataset.path
  const query = new URLSearchParams()
  const headers = new Headers()
  for (const field of form.querySelectorAll('[data-in]')) {
    const value = field.value.trim()
    if (field.dataset.in === 'path') path = path.replace(`{${field.name}}`, encodeURIComponent(value))
    else if (value === '') continue
    else if (field.dataset.in === 'query') query.append(field.name, value)
    else headers.set(field.name, value)
  }
  const token = sessionStorage.getItem('token')
  if ('token' in form.dataset && token) headers.set('Authorization', `Bearer ${token}`)
  const body = form.elements.body?.value
  if (body !== undefined) headers.set('Content-Type', 'application/json')
  const url = `${address}${path}${query.size > 0 ? `?${query}` : ''}`
  return { url, method: form.dataset.method, headers, body }
}

export function toCurl(form, address) {
  const { url, method, headers, body } = read(form, address)
  const quoted = (text) => `'${text.replaceAll("'", "'\\''")}'`
  const given = [...headers]
    // The token stays out of what is pasted elsewhere.
    .map(([name, value]) =>
      name === 'authorization' ? '-H "Authorization: Bearer $TOKEN"' : `-H ${quoted(`${name}: ${value}`)}`,
    )
  return [
    `curl${method === 'GET' ? '' : ` -X ${method}`} ${quoted(url)}`,
    ...given,
    ...(body ? [`-d ${quoted(body)}`] : []),
  ].join(' \\\n  ')
}

/** Sends the request and shows what came of it. */
export async function tryIt(form, address) {
  const { url, ...request } = read(form, address)
  const shown = document.createDocumentFragment()
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

/** More than anybody reads would hold up the page. */
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
