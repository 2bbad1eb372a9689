/* The page around a chat: the service that the script came from, the words of the page, and elements to show. */

// Code that stands in the page itself has no address.
export const service = new URL('./', document.currentScript?.src || location.href)

// `bundle.ts` puts them here.
const languages = EMBED_TEXTS
const language = (document.documentElement.lang || navigator.language).toLowerCase().split('-')[0]
export const texts = languages[language] ?? languages.en

export function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag)
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith('on')) element.addEventListener(name.slice(2), value)
    else if (value !== undefined && value !== false) element.setAttribute(name, value === true ? '' : value)
  }
  element.append(...children.filter(Boolean))
  return element
}

const drawings = {
  chat: 'M12 3C6.5 3 2 6.8 2 11.5c0 2.5 1.3 4.7 3.3 6.3L4.6 22l4.6-2.4c.9.2 1.8.3 2.8.3 5.5 0 10-3.8 10-8.4S17.5 3 12 3z',
  close:
    'M18.7 6.7l-1.4-1.4L12 10.6 6.7 5.3 5.3 6.7l5.3 5.3-5.3 5.3 1.4 1.4 5.3-5.3 5.3 5.3 1.4-1.4-5.3-5.3z',
}

/** One of the drawings, or a value of the page: the address of a picture, an SVG drawing, or a sign such as 💬. */
export function icon(name, given) {
  if (!given) {
    const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg')
    const path = document.createElementNS('http://www.w3.org/2000/svg', 'path')
    svg.setAttribute('viewBox', '0 0 24 24')
    svg.setAttribute('fill', 'currentColor')
    svg.setAttribute('part', 'button-icon')
    path.setAttribute('d', drawings[name])
    svg.append(path)
    return svg
  }
  const isSvg = given.trim().startsWith('<svg')
  const src = isSvg ? `data:image/svg+xml,${encodeURIComponent(withNamespace(given))}` : given
  if (isSvg || /^(https?:|data:|\.{0,2}\/)/.test(given)) {
    return make('img', { src, alt: '', class: 'icon', part: 'button-icon' })
  }
  return make('span', { class: 'sign', part: 'button-icon' }, given)
}

/** Drawings that stand in HTML need no namespace, pictures do. */
function withNamespace(svg) {
  const [tag] = /<svg[^>]*/.exec(svg)
  const namespace = (name, address) => (tag.includes(`${name}=`) ? '' : ` ${name}="${address}"`)
  const own = namespace('xmlns', 'http://www.w3.org/2000/svg')
  const links = namespace('xmlns:xlink', 'http://www.w3.org/1999/xlink')
  return svg.replace('<svg', () => `<svg${own}${links}`)
}

/** Custom properties: a value that is no CSS has no effect. */
export function dress(target, properties) {
  for (const [name, value] of Object.entries(properties)) {
    if (value !== undefined) target.style.setProperty(`--${name}`, String(value))
  }
}
