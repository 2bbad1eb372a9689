/* Who is remembered from an earlier chat. */

const storageKey = `chat-result ${location.pathname}`

/** Storage can be denied to the page; then nobody is remembered. */
function storages() {
  try {
    return { session: sessionStorage, local: localStorage }
  } catch {
    return {}
  }
}

/** The chat and the result that this person had here, as far as they are remembered. */
export function rememberedChat() {
  const { session, local } = storages()
  const kept = session?.getItem(storageKey) ?? local?.getItem(storageKey) ?? '{}'
  try {
    return JSON.parse(kept)
  } catch {
    // Earlier releases kept the id of the result alone.
    return { resultId: kept }
  }
}

export function forgetChat() {
  for (const storage of Object.values(storages())) storage.removeItem(storageKey)
}

export function rememberChat(general = {}, { sessionId, resultId }) {
  forgetChat()
  const { rememberUser, isNewResultOnRefreshEnabled } = general
  const isOn = rememberUser?.isEnabled ?? isNewResultOnRefreshEnabled === false
  if (isOn !== true || !resultId) return
  const { session, local } = storages()
  const storage = rememberUser?.storage === 'local' ? local : session
  storage?.setItem(storageKey, JSON.stringify({ sessionId, resultId }))
}

/** Values that came with the address are not left in it, unless the bot says so. */
export function hideParameters(general) {
  if (general?.isHideQueryParamsEnabled === false || location.search === '') return
  history.replaceState(null, '', location.pathname + location.hash)
}
