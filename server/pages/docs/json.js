/* JSON in colours, each object and list of which folds. */

/** Longer texts stay plain: folding them is of no use, and thousands of elements would block the page. */
const MAX_CHARACTERS = 60_000

/** Shows the text of an element so, where it is JSON with something to fold. */
export function showJson(element) {
  const text = element.textContent
  if (text.length > MAX_CHARACTERS || !/^\s*[[{]/.test(text)) return
  let value
  try {
    value = JSON.parse(text)
  } catch {
    // A sample or an export that only begins as JSON does.
    return
  }
  const code = document.createElement('code')
  code.className = 'json'
  code.append(part('', value, ''))
  element.replaceChildren(code)
}

function part(before, value, after) {
  const isList = Array.isArray(value)
  if (value === null || typeof value !== 'object') return line(before, leaf(value), after)
  const entries = isList ? value.map((entry) => ['', entry]) : Object.entries(value)
  const [open, close] = isList ? '[]' : '{}'
  if (entries.length === 0) return line(before, `${open}${close}`, after)
  const details = document.createElement('details')
  details.open = true
  const summary = document.createElement('summary')
  summary.append(...nameParts(before), open)
  summary.dataset.folded = ` ${entries.length} ${close}${after}`
  const inner = document.createElement('div')
  entries.forEach(([name, entry], at) => {
    inner.append(part(isList ? '' : JSON.stringify(name), entry, at < entries.length - 1 ? ',' : ''))
  })
  details.append(summary, inner, line('', close, after))
  return details
}

function line(before, value, after) {
  const element = document.createElement('div')
  element.append(...nameParts(before), value, after)
  return element
}

function nameParts(name) {
  return name === '' ? [] : [span('key', name), ': ']
}

function leaf(value) {
  return span(value === null ? 'null' : typeof value, JSON.stringify(value))
}

function span(className, text) {
  const element = document.createElement('span')
  element.className = className
  element.textContent = text
  return element
}
