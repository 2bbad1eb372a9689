import { nonEmptyText } from './dom.js'
import { isApart, loadScript, mayLoad, nonce } from './foreign.js'
import { host } from './host.js'

/*
 * Trackers and widgets that the bot has. In an embedded chat they become events for the page around, which has trackers
 * and decisions of its visitors itself. Alone, they run on hosts that serve chats alone.
 */

const names = {
  startPropsToInject: 'trackers and head code',
  googleAnalytics: 'Google Analytics',
  pixel: 'the Meta pixel',
  chatwoot: 'Chatwoot',
  zendesk: 'Zendesk',
}

const runs = {
  startPropsToInject: ({ googleAnalyticsId, pixelIds = [], gtmId, customHeadCode }) => {
    if (gtmId) startTagManager(gtmId)
    if (googleAnalyticsId) startAnalytics(googleAnalyticsId)
    for (const id of pixelIds) startPixel(id)
    if (pixelIds.length > 0) window.fbq('track', 'PageView')
    if (customHeadCode) addHeadCode(customHeadCode)
  },
  googleAnalytics: sendAnalyticsEvent,
  pixel: sendPixelEvent,
  chatwoot: runWidget,
  zendesk: runWidget,
}

export const isTracker = (action) => Object.hasOwn(runs, action.type)

/** One after the other, since each event comes after the page or event that it belongs to. */
let queue = Promise.resolve()

/** Passes a tracker or widget on, or runs it once the visitor has agreed. Nothing waits for it. */
export function track(action, chat) {
  const { type } = action
  if (host.isEmbedded) return host.tell('track', { type, [type]: action[type] })
  if (!isApart) {
    chat.log({ status: 'info', description: `Not run on this host: ${names[type]}` })
    return
  }
  queue = queue.then(async () => {
    if (!(await mayLoad())) return
    try {
      runs[type](action[type])
    } catch (error) {
      chat.log({ description: `Failed: ${names[type]}`, details: String(error) })
    }
  })
}

// Google

const GOOGLE_TAGS = 'https://www.googletagmanager.com'
const measurements = new Set()

/** The queue of Google takes arguments objects, and no arrays. */
function gtag() {
  window.dataLayer ??= []
  // biome-ignore lint/complexity/noArguments: the vendor's script reads nothing else
  window.dataLayer.push(arguments)
}

function startAnalytics(id) {
  if (measurements.has(id)) return
  if (measurements.size === 0) {
    window.gtag ??= gtag
    window.gtag('js', new Date())
    void loadScript(`${GOOGLE_TAGS}/gtag/js?id=${encodeURIComponent(id)}`)
  }
  measurements.add(id)
  window.gtag('config', id)
}

function sendAnalyticsEvent({ trackingId, action, category, label, value, sendTo }) {
  startAnalytics(trackingId)
  window.gtag('event', nonEmptyText(action) ?? 'event', {
    event_category: nonEmptyText(category),
    event_label: nonEmptyText(label),
    value,
    send_to: nonEmptyText(sendTo) ?? trackingId,
  })
}

function startTagManager(id) {
  window.dataLayer ??= []
  window.dataLayer.push({ 'gtm.start': Date.now(), event: 'gtm.js' })
  void loadScript(`${GOOGLE_TAGS}/gtm.js?id=${encodeURIComponent(id)}`)
}

// Meta

const pixels = new Set()

/** The vendor's own beginning: calls wait in a queue until its script has loaded. */
function preparePixels() {
  if (window.fbq) return
  const fbq = (...call) => (fbq.callMethod ? fbq.callMethod(...call) : fbq.queue.push(call))
  Object.assign(fbq, { push: fbq, loaded: true, version: '2.0', queue: [] })
  Object.assign(window, { fbq, _fbq: fbq })
  void loadScript('https://connect.facebook.net/en_US/fbevents.js')
}

function startPixel(id) {
  preparePixels()
  if (pixels.has(id)) return
  pixels.add(id)
  window.fbq('init', id)
}

function sendPixelEvent({ pixelId, isInitSkip, eventType, name, params = [] }) {
  if (isInitSkip) preparePixels()
  else startPixel(pixelId)
  const values = Object.fromEntries(params.flatMap(({ key, value }) => (key ? [[key, value]] : [])))
  if (eventType !== 'Custom') window.fbq('trackSingle', pixelId, eventType, values)
  else if (nonEmptyText(name)) window.fbq('trackSingleCustom', pixelId, name, values)
}

// Code

/** Scripts of a parsed text do not run; their copies do, in their order. */
function addHeadCode(code) {
  const template = document.createElement('template')
  template.innerHTML = code
  for (const script of template.content.querySelectorAll('script')) {
    const copy = document.createElement('script')
    for (const { name, value } of script.attributes) copy.setAttribute(name, value)
    copy.async = script.hasAttribute('async')
    copy.nonce = nonce
    copy.textContent = script.textContent
    script.replaceWith(copy)
  }
  document.head.append(template.content)
}

/** The service writes these scripts; the values of the bot are their arguments, never their text. */
function runWidget({ scriptToExecute: { content, args } }) {
  const script = document.createElement('script')
  script.nonce = nonce
  const names = args.map(({ id }) => id).join(', ')
  const values = args.map(({ value }) => JSON.stringify(value)).join(', ')
  script.textContent = `((${names}) => {\n${content}\n})(${values})`
  document.head.append(script)
  script.remove()
}
