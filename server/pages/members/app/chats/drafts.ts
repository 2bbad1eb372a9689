import { useEffect, useState } from 'preact/hooks'
import { ApiError, client } from '../api.ts'
import { failureOf } from '../ui/hooks.ts'

/*
 * Replies that were begun, by their sessions: a look at another chat, or one that changes hands meanwhile, loses none.
 */

export interface Draft {
  text: string
  files: DraftFile[]
  /** True while it is sent, or its files are uploaded. */
  isBusy: boolean
  /** Words of the reason for which it was not sent. */
  error?: string | undefined
}

interface DraftFile {
  file: File
  /** Its address once it is uploaded. */
  url?: string | undefined
}

const empty: Draft = { text: '', files: [], isBusy: false }
const drafts = new Map<string, Draft>()
const listeners = new Set<() => void>()

const draftOf = (sessionId: string) => drafts.get(sessionId) ?? empty

export const isBlank = ({ text, files }: Draft) => text.trim() === '' && files.length === 0

export function changeDraft(sessionId: string, change: Partial<Draft>) {
  const next = { ...draftOf(sessionId), ...change }
  const isOver = next.text === '' && next.files.length === 0 && !next.isBusy && next.error === undefined
  if (isOver) drafts.delete(sessionId)
  else drafts.set(sessionId, next)
  for (const listener of listeners) listener()
}

export function useDraft(sessionId: string): Draft {
  const [, update] = useState({})
  useEffect(() => {
    const listener = () => update({})
    listeners.add(listener)
    return () => {
      listeners.delete(listener)
    }
  }, [])
  return draftOf(sessionId)
}

/** Sends a draft, and leaves later words in it; all of it if it was not sent. True once it is sent. */
export async function sendDraft(botId: string, sessionId: string): Promise<boolean> {
  const { text } = draftOf(sessionId)
  return work(sessionId, async () => {
    await uploadFiles(sessionId)
    const { files } = draftOf(sessionId)
    const attachedFileUrls = files.flatMap(({ url }) => url ?? [])
    try {
      await client.messages.send(botId, sessionId, {
        ...(text.trim() !== '' && { text, textFormat: 'markdown' as const }),
        ...(attachedFileUrls.length > 0 && { attachedFileUrls }),
      })
    } catch (error) {
      const isOfFile =
        error instanceof ApiError && error.issues.some(({ path }) => path[1] === 'attachedFileUrls')
      // The service removes files that are not sent for long: the next attempt uploads them again.
      if (isOfFile) changeDraft(sessionId, { files: files.map(({ file }) => ({ file })) })
      throw error instanceof ApiError && error.status === 409 ? new Error(notHandled) : error
    }
    const later = draftOf(sessionId)
    changeDraft(sessionId, {
      text: later.text.startsWith(text) ? later.text.slice(text.length) : later.text,
      files: later.files.filter(({ file }) => !files.some((sent) => sent.file === file)),
    })
  })
}

const notHandled = 'This was not sent: no member handles the chat. Take it, then send this again.'

/** Adds files to a draft, and uploads them. Those that are not taken stay, and the next attempt to send uploads them. */
export function addFiles(sessionId: string, chosen: Iterable<File>) {
  const { files } = draftOf(sessionId)
  changeDraft(sessionId, { files: [...files, ...Array.from(chosen, (file) => ({ file }))] })
  void work(sessionId, () => uploadFiles(sessionId))
}

async function uploadFiles(sessionId: string) {
  for (;;) {
    const next = draftOf(sessionId).files.find(({ url }) => url === undefined)
    if (!next) return
    const { upload } = await client.files.upload(sessionId, next.file, { fileName: next.file.name })
    const uploaded = { ...next, url: upload.url }
    const files = draftOf(sessionId).files.map((each) => (each.file === next.file ? uploaded : each))
    changeDraft(sessionId, { files })
  }
}

/** Does one piece of work on a draft at a time. True if it has succeeded. */
async function work(sessionId: string, run: () => Promise<void>): Promise<boolean> {
  if (draftOf(sessionId).isBusy) return false
  changeDraft(sessionId, { isBusy: true, error: undefined })
  try {
    await run()
    changeDraft(sessionId, { isBusy: false })
    return true
  } catch (error) {
    changeDraft(sessionId, { isBusy: false, error: failureOf(error) })
    return false
  }
}
