/*
 * The page around the chat. `/embed.js` frames the chat with `#embed`, passes data of the other page, and receives
 * its events. Messages are accepted only from the page that frames the chat. Alone, or in any other frame, the chat
 * has its own address.
 */

const isEmbedded = parent !== window && location.hash === '#embed'

/** `tell` sends an event to the other page, if `isEmbedded`. */
export const host = isEmbedded ? await meet() : standaloneHost()

function standaloneHost() {
  leaveReturn()
  const prefilledVariables = variablesOf([...new URLSearchParams(location.search)])
  return { isEmbedded: false, address: location.href, prefilledVariables, tell() {} }
}

/**
 * Drops the parameters that the vendor of a payment adds to the address on the way back, including the secret of the
 * payment.
 */
function leaveReturn() {
  const address = new URL(location.href)
  const names = ['payment_intent', 'payment_intent_client_secret', 'redirect_status']
  if (!names.some((name) => address.searchParams.has(name))) return
  for (const name of names) address.searchParams.delete(name)
  history.replaceState(null, '', address)
}

function meet() {
  return new Promise((resolve) => {
    addEventListener('message', function listen({ source, origin, data }) {
      if (source !== parent || data?.type !== 'start') return
      removeEventListener('message', listen)
      // Pages from a disk have no origin that a message could be addressed to.
      const target = origin === 'null' ? '*' : origin
      // `place` distinguishes chats of one bot on one page, `memory` is the text that page stores for this one.
      const { address, resultId, place, memory, isAnew } = data
      // The draft of a bot: the page around it, which has a token, started the chat.
      const draft = origin === location.origin ? data.draft : undefined
      const prefilledVariables = variablesOf(Object.entries(data.prefilledVariables ?? {}))
      const tell = (type, detail) => parent.postMessage({ type, detail }, target)
      resolve({ isEmbedded, address, prefilledVariables, resultId, place, memory, isAnew, draft, tell })
    })
    parent.postMessage({ type: 'ready' }, '*')
  })
}

/**
 * Drops names and values that no variable can have: the service would reject the chat for any of them, and anybody
 * can write an address.
 */
function variablesOf(given) {
  const hasNull = (part) => typeof part === 'string' && part.includes('\0')
  const isOne = (entry) => entry[0] !== '__proto__' && entry[0].length <= 255 && !entry.some(hasNull)
  return Object.fromEntries(given.filter(isOne))
}
