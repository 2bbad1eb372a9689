import { parseUrl } from './compat.js'

/* Small helpers for making elements. Text always becomes text nodes, never markup. */

/** An element with properties and children; text and elements can be mixed, and absent ones are omitted. */
export function element(tag, properties = {}, ...children) {
  const node = document.createElement(tag)
  for (const [name, value] of Object.entries(properties)) {
    if (value === undefined || value === null || value === false) continue
    if (name === 'class') node.className = value
    else if (name.startsWith('on')) node.addEventListener(name.slice(2), value)
    else node.setAttribute(name, value === true && !name.startsWith('aria-') ? '' : String(value))
  }
  node.append(...children.flat().filter((child) => child !== undefined && child !== null && child !== false))
  return node
}

const drawings = {
  arrow: 'M9 5l7 7-7 7',
  clip: 'M9 8v8a3 3 0 0 0 6 0V6a4.5 4.5 0 0 0-9 0v10.5a6 6 0 0 0 12 0V8',
  microphone: 'M12 3a3 3 0 0 1 3 3v5a3 3 0 0 1-6 0V6a3 3 0 0 1 3-3zM6 11a6 6 0 0 0 12 0M12 17v4',
  send: 'M12 19V5M5 12l7-7 7 7',
  stop: 'M7 7h10v10H7z',
}

/** A sign in the colour of the text around it. Not every machine has letters for such. */
export function icon(name) {
  const [svg, path] = ['svg', 'path'].map((tag) =>
    document.createElementNS('http://www.w3.org/2000/svg', tag),
  )
  for (const [attribute, value] of Object.entries({
    viewBox: '0 0 24 24',
    class: 'icon',
    'aria-hidden': 'true',
  })) {
    svg.setAttribute(attribute, value)
  }
  path.setAttribute('d', drawings[name])
  svg.append(path)
  return svg
}

let count = 0

/** An id that nothing else on the page has. */
export function newId(prefix) {
  count += 1
  return `${prefix}-${count}`
}

/** Text that only screen readers say; its direction is the page's, and does not affect its neighbours. */
export function hiddenText(text) {
  return element('span', { class: 'visually-hidden', dir: document.documentElement.dir }, text)
}

/** A picture, or the text that stands for it where it does not load; without a text it goes away. */
export function picture(src, alt) {
  const image = element('img', { src, alt })
  image.addEventListener('error', () => {
    image.replaceWith(...(alt === '' ? [] : [element('span', { class: 'broken-picture', dir: 'auto' }, alt)]))
  })
  return image
}

/** The address, if a page may load it or link to it; code in addresses is rejected. */
export function safeUrl(value, protocols = ['http:', 'https:']) {
  const url = typeof value === 'string' ? parseUrl(value) : undefined
  return url && protocols.includes(url.protocol) ? url.href : undefined
}

export function safePicture(value) {
  if (typeof value === 'string' && value.startsWith('data:image/')) return value
  return safeUrl(value)
}

export const linkProtocols = ['http:', 'https:', 'mailto:', 'tel:', 'sms:']

/** Sleeps, or rejects as soon as the signal aborts. */
export function sleep(milliseconds, signal) {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted()
    const stop = () => {
      clearTimeout(timer)
      reject(signal.reason)
    }
    const timer = setTimeout(() => {
      // One signal sees many of these, as long as a chat waits.
      signal?.removeEventListener('abort', stop)
      resolve()
    }, milliseconds)
    signal?.addEventListener('abort', stop, { once: true })
  })
}

/** True if a key belongs to an input method, such as Enter to choose Japanese characters. */
export function isComposing({ isComposing, keyCode }) {
  // Safari sends the last key after the composition, with this code.
  return isComposing || keyCode === 229
}

export function nonEmptyText(value) {
  return typeof value === 'string' && value.trim() !== '' ? value : undefined
}
