import { element, hiddenText, linkProtocols, newId, picture, safePicture, safeUrl } from './dom.js'
import { mayMove } from './motion.js'
import { texts } from './texts.js'

/* Bubbles of the bot and of the visitor. */

/** Deeper trees are cut off: no editor makes them. */
const MAX_DEPTH = 32

/** The element for a bubble of the bot, or nothing where there is nothing to show. */
export function hostBubble({ type, content }, { isEarlier = false } = {}) {
  const shape = contentOf(type, content)
  if (!shape) return undefined
  // Nothing plays by itself that was shown before.
  if (isEarlier) shape.removeAttribute('autoplay')
  if (isEarlier && shape.localName === 'iframe') shape.setAttribute('allow', quietFrame)
  return element(
    'div',
    { class: `host-bubble ${type}-bubble`, id: newId('bubble'), dir: 'auto' },
    hiddenText(`${texts.bot} `),
    shape,
  )
}

export function guestBubble(text) {
  return element(
    'div',
    { class: 'guest-bubble', dir: 'auto' },
    hiddenText(`${texts.you} `),
    element('span', { class: 'guest-text' }, text),
  )
}

function contentOf(type, content) {
  if (type === 'text') return textOf(content)
  if (type === 'image') return imageOf(content)
  if (type === 'video') return videoOf(content)
  if (type === 'audio') return audioOf(content)
  if (type === 'embed') return embedOf(content)
  return undefined
}

function embedOf(content) {
  const frame = frameOf(safeUrl(content.url), texts.embeddedPage, content.height)
  if (frame && content.waitForEvent?.isEnabled === true) listenTo(frame, content.waitForEvent.name)
  return frame
}

/** Events that bubbles wait for, by their frame: promises of the texts to reply with. */
const awaitedEvents = new WeakMap()

/** Begins with the frame: its page may send events before the response says that the chat waits. */
function listenTo(frame, name) {
  const event = new Promise((resolve) => {
    addEventListener('message', function listen({ source, data }) {
      if (source === null || source !== frame.contentWindow || data?.name !== name) return
      removeEventListener('message', listen)
      const given = data.data ?? null
      resolve(given === null || typeof given === 'string' ? given : (JSON.stringify(given) ?? null))
    })
  })
  awaitedEvents.set(frame, event)
}

/** The text that the page in a bubble replies with, or null for an event without data. */
export function eventOf(bubble, signal) {
  return new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
    awaitedEvents.get(bubble.querySelector('iframe'))?.then(resolve)
  })
}

function textOf(content) {
  const nodes = Array.isArray(content.richText) ? content.richText : []
  return element(
    'div',
    { class: 'rich-text' },
    nodes.map((node) => nodeOf(node, 0)),
  )
}

const tags = { p: 'p', ul: 'ul', ol: 'ol', li: 'li', lic: 'span' }

function nodeOf(node, depth) {
  if (typeof node !== 'object' || node === null || depth > MAX_DEPTH) return ''
  if (typeof node.text === 'string') return leafOf(node)
  const children = (Array.isArray(node.children) ? node.children : []).map((child) =>
    nodeOf(child, depth + 1),
  )
  if (node.type !== 'a')
    return element(Object.hasOwn(tags, node.type) ? tags[node.type] : 'span', {}, children)
  const href = safeUrl(node.url, linkProtocols)
  if (!href) return element('span', {}, children)
  return element('a', { href, target: '_blank', rel: 'noopener noreferrer' }, children)
}

function leafOf({ text, bold, italic, underline }) {
  let piece = document.createTextNode(text)
  if (bold === true) piece = element('strong', {}, piece)
  if (italic === true) piece = element('em', {}, piece)
  if (underline === true) piece = element('u', {}, piece)
  return piece
}

function imageOf({ url, clickLink }) {
  const src = safePicture(url)
  if (!src) return undefined
  const alt = typeof clickLink?.alt === 'string' ? clickLink.alt : ''
  const href = safeUrl(clickLink?.url, linkProtocols)
  if (!href) return picture(src, alt || texts.picture)
  const image = picture(src, alt || texts.pictureWithLink)
  return element('a', { href, target: '_blank', rel: 'noopener noreferrer' }, image)
}

const players = {
  youtube: (id) => `https://www.youtube.com/embed/${id}`,
  vimeo: (id) => `https://player.vimeo.com/video/${id}`,
  tiktok: (id) => `https://www.tiktok.com/embed/v2/${id}`,
  gumlet: (id) => `https://play.gumlet.io/embed/${id}`,
}

function videoOf(content) {
  const { type, id, url, aspectRatio, maxWidth, height, queryParamsStr } = content
  const player = Object.hasOwn(players, type) ? players[type] : undefined
  if (player && typeof id === 'string') {
    const query = typeof queryParamsStr === 'string' ? queryParamsStr : ''
    const frame = frameOf(player(encodeURIComponent(id)) + query, texts.video, height)
    frame.style.setProperty('aspect-ratio', String(aspectRatio ?? '16/9'))
    frame.style.setProperty('max-width', String(maxWidth ?? '100%'))
    if (height === undefined) frame.style.setProperty('height', 'auto')
    return frame
  }
  const src = safeUrl(url)
  if (!src) return undefined
  const video = element('video', {
    src,
    controls: content.areControlsDisplayed !== false,
    autoplay: content.isAutoplayEnabled !== false && mayMove(),
    playsinline: true,
  })
  video.muted = content.isAutoplayEnabled !== false
  return video
}

function audioOf({ url, isAutoplayEnabled }) {
  const src = safeUrl(url)
  return src && element('audio', { src, controls: true, autoplay: isAutoplayEnabled !== false && mayMove() })
}

const quietFrame = 'encrypted-media; fullscreen; picture-in-picture'

/** A page of another site. It may run its own code, but has no access to this page. */
function frameOf(src, title, height) {
  if (!src) return undefined
  const frame = element('iframe', {
    src,
    title,
    sandbox: 'allow-scripts allow-same-origin allow-forms allow-popups allow-popups-to-escape-sandbox',
    allow: `autoplay; ${quietFrame}`,
    referrerpolicy: 'strict-origin-when-cross-origin',
  })
  frame.style.setProperty('height', `${typeof height === 'number' ? height : 400}px`)
  return frame
}
