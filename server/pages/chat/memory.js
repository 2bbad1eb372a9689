import { host } from './host.js'
import { forget, keep, readKept } from './storage.js'

/*
 * The chat that a visitor had here. For embedded chats the page around stores it as well, since browsers may deny
 * storage to frames; its copy wins.
 */

const kinds = ['session', 'local']

const storageKey = ['chat-result', location.pathname, host.place].filter(Boolean).join(' ')

const heldKey = ['chat-held', location.pathname].join(' ')

/** The session and the result of the visitor, as far as they are remembered. */
export function storedChat() {
  const held = [heldKey, storageKey].map((key) => readKept('session', key))
  for (const candidate of [host.memory, ...held, readKept('local', storageKey)]) {
    const { sessionId, resultId } = parseStored(candidate) ?? {}
    if (typeof resultId === 'string') return { sessionId, resultId }
  }
  return {}
}

function parseStored(kept) {
  try {
    return JSON.parse(kept)
  } catch {
    return undefined
  }
}

export function forgetChat() {
  host.memory = undefined
  forget('session', heldKey)
  for (const kind of kinds) forget(kind, storageKey)
  host.tell('remember', {})
}

/** Stores a chat for this tab while its visitor is sent elsewhere, regardless of the setting of the bot. */
export function holdChat({ sessionId, resultId }) {
  if (resultId) keep('session', heldKey, JSON.stringify({ sessionId, resultId }))
}

export function releaseChat() {
  forget('session', heldKey)
}

export function rememberChat(general = {}, { sessionId, resultId }) {
  const { rememberUser, isNewResultOnRefreshEnabled } = general
  const isOn = rememberUser?.isEnabled ?? isNewResultOnRefreshEnabled === false
  if (isOn !== true || !resultId) return forgetChat()
  forget('session', heldKey)
  const kind = rememberUser?.storage === 'local' ? 'local' : 'session'
  const value = JSON.stringify({ sessionId, resultId })
  for (const other of kinds) if (other !== kind) forget(other, storageKey)
  keep(kind, storageKey, value)
  host.memory = value
  host.tell('remember', { kind, value })
}

/** Values that came with the address are not left in it, unless the bot says so. */
export function hideParameters(general) {
  if (general?.isHideQueryParamsEnabled === false || location.search === '') return
  history.replaceState(null, '', location.pathname + location.hash)
}
