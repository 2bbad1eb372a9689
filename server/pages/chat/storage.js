/*
 * Stores texts for this tab (`session`) or this browser (`local`). If the browser denies storage, has none or has no
 * room, they live as long as the page.
 */

const memory = { session: new Map(), local: new Map() }

/** Runs `use` with a storage; undefined where that fails. */
function attempt(kind, use) {
  try {
    return use(kind === 'local' ? localStorage : sessionStorage)
  } catch {
    return undefined
  }
}

export function readKept(kind, key) {
  return memory[kind].get(key) ?? attempt(kind, (storage) => storage.getItem(key)) ?? undefined
}

export function keep(kind, key, value) {
  forget(kind, key)
  const isStored = attempt(kind, (storage) => {
    storage.setItem(key, value)
    return true
  })
  if (!isStored) memory[kind].set(key, value)
}

export function forget(kind, key) {
  memory[kind].delete(key)
  attempt(kind, (storage) => storage.removeItem(key))
}
