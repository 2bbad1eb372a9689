/*
 * The page that the chat is in. `/embed.js` frames it with `#embed`, says what the other page knows and is told what
 * happens; only the page that frames the chat is listened to. Alone, or in a frame of somebody's own, the chat has
 * its address.
 */

const isEmbedded = parent !== window && location.hash === '#embed'

/** `tell` sends an event to the other page, `isEmbedded` says whether there is one. */
export const host = isEmbedded ? await meet() : alone()

function alone() {
  const prefilledVariables = variablesOf([...new URLSearchParams(location.search)])
  return { isEmbedded: false, address: location.href, prefilledVariables, tell() {} }
}

function meet() {
  return new Promise((resolve) => {
    addEventListener('message', function listen({ source, origin, data }) {
      if (source !== parent || data?.type !== 'start') return
      removeEventListener('message', listen)
      // Pages from a disk have no origin that a message could be addressed to.
      const target = origin === 'null' ? '*' : origin
      // `place` tells chats of one bot on one page apart, `memory` is what that page keeps for this one.
      const { address, resultId, place, memory, isAnew } = data
      const prefilledVariables = variablesOf(Object.entries(data.prefilledVariables ?? {}))
      const tell = (type, detail) => parent.postMessage({ type, detail }, target)
      resolve({ isEmbedded, address, prefilledVariables, resultId, place, memory, isAnew, tell })
    })
    parent.postMessage({ type: 'ready' }, '*')
  })
}

/** Without what no variable can be: for any of it the service would refuse the chat, and anybody can write an address. */
function variablesOf(given) {
  const hasNull = (part) => typeof part === 'string' && part.includes('\0')
  const isOne = (entry) => entry[0] !== '__proto__' && entry[0].length <= 255 && !entry.some(hasNull)
  return Object.fromEntries(given.filter(isOne))
}
