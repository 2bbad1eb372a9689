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

export function rememberedResult() {
  const { session, local } = storages()
  return session?.getItem(storageKey) ?? local?.getItem(storageKey) ?? undefined
}

export function forgetResult() {
  for (const storage of Object.values(storages())) storage.removeItem(storageKey)
}

export function rememberResult(general = {}, resultId) {
  forgetResult()
  const { rememberUser, isNewResultOnRefreshEnabled } = general
  const isOn = rememberUser?.isEnabled ?? isNewResultOnRefreshEnabled === false
  if (isOn !== true || !resultId) return
  const { session, local } = storages()
  const storage = rememberUser?.storage === 'local' ? local : session
  storage?.setItem(storageKey, resultId)
}

/** Values that came with the address are not left in it, unless the bot says so. */
export function hideParameters(general) {
  if (general?.isHideQueryParamsEnabled === false || location.search === '') return
  history.replaceState(null, '', location.pathname + location.hash)
}
