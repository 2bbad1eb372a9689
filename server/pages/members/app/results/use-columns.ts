import { useEffect, useRef, useState } from 'preact/hooks'
import { ApiError, client } from '../api.ts'
import type { BotHead } from '../bot/head.ts'
import { failureOf, useLoaded } from '../ui/hooks.ts'
import { type Edit, noPreferences, type Preferences } from './preferences.ts'
import { createSaver, type PreferencesRemote, type StoredPreferences, withEdits } from './saver.ts'

/* The columns that a person sees: of the bot, or of this browser where they may only read. */

type Update = Parameters<typeof client.bots.update>[1]

async function readStored(botId: string, signal?: AbortSignal): Promise<StoredPreferences> {
  const { body, response } = await client.bots.get(botId, {}, signal && { signal }).withResponse()
  const { version, resultsTablePreferences } = body.bot
  return { preferences: resultsTablePreferences, version, tag: response.headers.get('etag') ?? '' }
}

function remoteOf(botId: string): PreferencesRemote {
  return {
    read: () => readStored(botId),
    async write(resultsTablePreferences, { tag, version }) {
      const body = { bot: { version, resultsTablePreferences } } as Update
      await client.bots.update(botId, body, { ifMatch: tag, minimal: true })
    },
    isStale: (error) => error instanceof ApiError && (error.status === 412 || error.status === 409),
  }
}

const keyOf = (botId: string) => `results/${botId}`

/** The columns that a reader chose in this browser; undefined where they chose none. */
function readLocal(botId: string): Preferences | undefined {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(keyOf(botId)) ?? 'null')
    return stored === null || Array.isArray(stored) ? undefined : { ...noPreferences, ...(stored as object) }
  } catch {
    return undefined
  }
}

function writeLocal(botId: string, preferences: Preferences | undefined) {
  try {
    if (preferences) localStorage.setItem(keyOf(botId), JSON.stringify(preferences))
    else localStorage.removeItem(keyOf(botId))
  } catch {
    // Without room the choice lasts as long as the page.
  }
}

export interface Columns {
  /** Undefined until they are read. */
  preferences: Preferences | undefined
  /** True if all members see them. */
  isShared: boolean
  error: string | undefined
  edit: (edit: Edit) => void
}

/** `onSaved` is called after each write of the bot. */
export function useColumns({ id, canWrite }: BotHead, onSaved: () => void): Columns {
  const loaded = useLoaded((signal) => readStored(id, signal), [id])
  const [local, setLocal] = useState(() => readLocal(id))
  const [stored, setStored] = useState<Preferences>()
  const [waiting, setWaiting] = useState<Edit[]>([])
  const [error, setError] = useState<string>()
  const [isRejected, setRejected] = useState(false)
  const save = useRef<(edit: Edit) => void>(undefined)
  useEffect(() => {
    save.current = createSaver(remoteOf(id), (change) => {
      setWaiting(change.waiting)
      // A role allows it, and a token with fewer scopes does not.
      const isForbidden = change.error instanceof ApiError && change.error.status === 403
      setRejected(isForbidden)
      setError(
        change.error === undefined || isForbidden
          ? undefined
          : `The columns are not saved. ${failureOf(change.error)}`,
      )
      if (!change.stored) return
      setStored(change.stored)
      setLocal(undefined)
      writeLocal(id, undefined)
      onSaved()
    })
  }, [id, onSaved])
  const isLocal = !canWrite || isRejected
  const ofBot = stored ?? loaded.value?.preferences ?? null
  const shown = loaded.value && withEdits(local ?? ofBot, waiting)
  useEffect(() => {
    if (isRejected && shown) writeLocal(id, shown)
  }, [isRejected, shown, id])
  const edit = (change: Edit) => {
    if (!isLocal) return save.current?.(change)
    if (!shown) return
    const next = change(shown)
    writeLocal(id, next)
    setWaiting([])
    setLocal(next)
  }
  return { preferences: shown, isShared: !isLocal, error: error ?? loaded.error, edit }
}
