import { isEqual } from '../model/merge.ts'
import { type Edit, noPreferences, type Preferences } from './preferences.ts'

/*
 * Saves changes of the columns one request after the other, each to the newest state and under the condition that it
 * is unchanged. Only this property is written, so that all edits of the flow stay.
 */

export interface StoredPreferences {
  preferences: Preferences | null
  /** The entity tag of the whole bot. */
  tag: string
  version: string
}

export interface PreferencesRemote {
  read(): Promise<StoredPreferences>
  write(preferences: Preferences, read: StoredPreferences): Promise<void>
  /** True if another person wrote meanwhile. */
  isStale(error: unknown): boolean
}

/** Attempts before the page shows an error: others would have to save before each of them. */
const MAX_ATTEMPTS = 8

export const withEdits = (preferences: Preferences | null, edits: readonly Edit[]) =>
  edits.reduce((value, edit) => edit(value), preferences ?? noPreferences)

/** Returns a function that saves an edit. An edit that failed is tried again with the next one. */
export function createSaver(
  remote: PreferencesRemote,
  onChange: (state: { stored?: Preferences; waiting: Edit[]; error?: unknown }) => void,
): (edit: Edit) => void {
  let waiting: Edit[] = []
  let isRunning = false

  /** Saves all waiting edits; false if another write came first. */
  async function attempt(): Promise<boolean> {
    const read = await remote.read()
    const edits = waiting
    const stored = withEdits(read.preferences, edits)
    try {
      if (!isEqual(stored, read.preferences)) await remote.write(stored, read)
    } catch (error) {
      if (remote.isStale(error)) return false
      throw error
    }
    waiting = waiting.slice(edits.length)
    onChange({ stored, waiting })
    return true
  }

  async function run() {
    isRunning = true
    try {
      for (let failures = 0; waiting.length > 0; ) {
        if (await attempt()) failures = 0
        else if (++failures === MAX_ATTEMPTS)
          throw new Error(
            'Other people keep saving this bot. Change a column again to save all of your changes.',
          )
      }
    } catch (error) {
      onChange({ waiting, error })
    } finally {
      isRunning = false
    }
  }

  return (edit) => {
    waiting = [...waiting, edit]
    onChange({ waiting })
    if (!isRunning) void run()
  }
}
