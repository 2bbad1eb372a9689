import { keep, readKept } from './storage.js'

/* The way from the page that visitors come back to from a payment to the chat that waits for them. */

const CHANNEL = 'payments'
const ADDRESS = 'payment-chat'

/** Runs `check` when the visitor comes back from a payment. In the frame of another site only a message arrives. */
export function listen(id, check, signal) {
  const hear = (told) => {
    if (told?.payment === id) check()
  }
  const read = ({ data, origin }) => {
    if (origin === location.origin && data?.type === CHANNEL) hear(data)
  }
  addEventListener('message', read, { signal })
  if (typeof BroadcastChannel === 'undefined') return
  const channel = new BroadcastChannel(CHANNEL)
  channel.addEventListener('message', ({ data }) => hear(data))
  signal.addEventListener('abort', () => channel.close(), { once: true })
}

/** Notifies the chat that its visitor has come back from a payment. */
export function announce(payment) {
  if (typeof BroadcastChannel !== 'undefined') new BroadcastChannel(CHANNEL).postMessage({ payment })
  opener?.postMessage({ type: CHANNEL, payment }, location.origin)
}

/** Stores the page with the chat, for a visitor whose browser has closed it meanwhile. */
export function rememberPage(address) {
  keep('local', ADDRESS, address)
}

export function storedPage() {
  return readKept('local', ADDRESS)
}
