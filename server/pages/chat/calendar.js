import { hostBubble } from './bubbles.js'
import { element, safeUrl } from './dom.js'
import { addHost } from './view.js'

/*
 * A calendar in a frame, which reports bookings. Only messages of that frame and its origin count. No script of the
 * vendor runs in the page.
 */

const FIRST_HEIGHT = 500
const MAX_HEIGHT = 2_000

const bookings = ['bookingSuccessfulV2', 'bookingSuccessful']

/** Resolves with the date that was booked, or with null where the calendar cannot be shown. */
export function showCalendar({ url }, chat) {
  const bubble = hostBubble({ type: 'embed', content: { url, height: FIRST_HEIGHT } })
  const frame = bubble?.querySelector('iframe')
  if (!frame) return Promise.resolve(null)
  const { origin } = new URL(safeUrl(url))
  addHost(bubble, chat.avatars)
  return new Promise((resolve, reject) => {
    const end = (settle, value) => {
      removeEventListener('message', listen)
      chat.signal.removeEventListener('abort', stop)
      settle(value)
    }
    const stop = () => end(reject, chat.signal.reason)
    function listen(event) {
      if (event.source !== frame.contentWindow || event.origin !== origin) return
      const { originator, type, data } = event.data ?? {}
      if (originator !== 'CAL') return
      if (type === '__iframeReady') {
        frame.contentWindow.postMessage({ originator, method: 'parentKnowsIframeReady' }, origin)
      } else if (type === '__dimensionChanged') {
        const height = Number(data?.iframeHeight)
        if (height > 0) frame.style.setProperty('height', `${Math.min(height, MAX_HEIGHT)}px`)
      } else if (bookings.includes(type)) {
        end(resolve, String(data?.startTime ?? data?.date ?? ''))
      } else if (type === 'linkFailed') {
        chat.log({ description: 'Cal.com: the event could not be shown', details: String(data?.msg ?? '') })
        const href = safeUrl(url).split('/embed?')[0]
        frame.replaceWith(element('a', { href, target: '_blank', rel: 'noopener noreferrer' }, href))
        end(resolve, null)
      }
    }
    addEventListener('message', listen)
    chat.signal.addEventListener('abort', stop, { once: true })
  })
}
