import type { Draft } from '../model/draft.ts'
import { newId } from '../model/draft.ts'
import { merge } from '../model/merge.ts'

/*
 * Changes that the service does not have yet, in the storage of this browser. Each tab stores its own, so that two of
 * them do not overwrite each other.
 */

export interface PendingChange {
  tag: string
  /** The changed parts as they were, and as they are. */
  base: Partial<Draft>
  mine: Partial<Draft>
}

export interface KeyValueStore {
  readonly length: number
  key(index: number): string | null
  getItem(key: string): string | null
  setItem(key: string, value: string): void
  removeItem(key: string): void
}

export interface PendingChanges {
  /** False where there was no room. */
  keep(change: PendingChange): boolean
  forget(): void
  /** Takes over changes of earlier tabs, and of this one before a reload. */
  takeLeft(): PendingChange[]
}

export function pendingChanges(store: KeyValueStore | undefined, botId: string): PendingChanges {
  const prefix = `draft/${botId}/`
  const own = prefix + newId()
  return {
    keep(change) {
      try {
        store?.setItem(own, JSON.stringify(change))
        return store !== undefined
      } catch {
        return false
      }
    },
    forget: () => store?.removeItem(own),
    takeLeft() {
      if (!store) return []
      const keys = Array.from({ length: store.length }, (_, index) => store.key(index) ?? '')
      return keys
        .filter((key) => key.startsWith(prefix) && key !== own)
        .flatMap((key) => {
          const text = store.getItem(key)
          store.removeItem(key)
          try {
            return text ? [JSON.parse(text) as PendingChange] : []
          } catch {
            return []
          }
        })
    },
  }
}

/** Applies a change to a draft that others may have changed since. */
export function applyPending(draft: Draft, { base, mine }: PendingChange) {
  const before = { ...draft, ...base }
  return { before, ...merge(before, { ...draft, ...mine }, draft) }
}
