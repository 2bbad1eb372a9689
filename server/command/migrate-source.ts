import { setTimeout as sleep } from 'node:timers/promises'
import { fail } from './io.ts'

/* Reads a workspace of the reference product by its documented routes. */

interface SourceFolder {
  id: string
  name: string
  parentFolderId: string | null
}

export interface SourceBot {
  id: string
  name: string
  folderId: string | null
  publicId: string | null
  isClosed: boolean
  version: string
  [property: string]: unknown
}

export interface Source {
  url: string
  listFolders(): Promise<SourceFolder[]>
  listBots(): Promise<{ id: string; name: string; isPublished: boolean }[]>
  /** Undefined where the bot was deleted meanwhile. */
  getBot(id: string): Promise<SourceBot | undefined>
  getPublishedBot(id: string): Promise<Record<string, unknown> | undefined>
}

const REQUEST_TIMEOUT_MS = 30_000
const MAX_ATTEMPTS = 4
const MAX_DELAY_MS = 10_000
const MAX_FOLDERS = 10_000
/** Largest response of the source that is read. */
export const MAX_SOURCE_BYTES = 50_000_000

export function openSource(url: string, token: string, workspaceId: string, firstDelayMs = 500): Source {
  const get = async (path: string): Promise<Record<string, unknown> | undefined> => {
    let reason = ''
    for (let attempt = 1, delay = firstDelayMs; attempt <= MAX_ATTEMPTS; attempt++, delay *= 2) {
      if (attempt > 1) await sleep(Math.min(delay, MAX_DELAY_MS))
      let response: Response
      try {
        response = await fetch(`${url}${path}`, {
          headers: { authorization: `Bearer ${token}`, accept: 'application/json' },
          redirect: 'error',
          signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
        })
      } catch (error) {
        const { cause, message } = error as Error & { cause?: { message?: string } }
        reason = cause?.message ?? message
        continue
      }
      if (response.status === 404) return undefined
      if (response.status === 401)
        fail(`${url} refuses the token; give one of an account that may read the workspace`)
      if (response.status === 429 || response.status >= 500) {
        reason = `status ${response.status}`
        continue
      }
      if (!response.ok) fail(`${url}${path} answered ${response.status}`)
      return readBody(await bodyOf(response, path), path)
    }
    return fail(`${url}${path} does not answer: ${reason}; the same command goes on where it was`)
  }
  const inWorkspace = new URLSearchParams({ workspaceId })
  return {
    url,
    async listFolders() {
      const folders: SourceFolder[] = []
      const parents: (string | null)[] = [null]
      const seen = new Set<string>()
      for (let parent = parents.shift(); parent !== undefined; parent = parents.shift()) {
        const query = new URLSearchParams(inWorkspace)
        if (parent !== null) query.set('parentFolderId', parent)
        for (const { id, name } of listIn(await get(`/v1/folders?${query}`), 'folders')) {
          if (typeof id !== 'string' || seen.has(id)) continue
          seen.add(id)
          if (seen.size > MAX_FOLDERS) fail(`The workspace has more than ${MAX_FOLDERS} folders`)
          folders.push({ id, name: String(name), parentFolderId: parent })
          parents.push(id)
        }
      }
      return folders
    },
    async listBots() {
      const body = await get(`/v1/bots?${inWorkspace}`)
      if (!body) fail(`${url} has no workspace ${workspaceId}, or the token may not read it`)
      return listIn(body, 'bots').map(({ id, name, publishedBotId }) => ({
        id: String(id),
        name: String(name),
        isPublished: typeof publishedBotId === 'string',
      }))
    },
    async getBot(id) {
      return (await get(`/v1/bots/${encodeURIComponent(id)}`))?.bot as SourceBot | undefined
    },
    async getPublishedBot(id) {
      const published = (await get(`/v1/bots/${encodeURIComponent(id)}/publishedBot`))?.publishedBot
      return (published ?? undefined) as Record<string, unknown> | undefined
    },
  }
}

async function bodyOf(response: Response, path: string): Promise<string> {
  const pieces: Uint8Array[] = []
  let bytes = 0
  for await (const piece of response.body ?? []) {
    bytes += piece.length
    if (bytes > MAX_SOURCE_BYTES) fail(`The response of ${path} has more than ${MAX_SOURCE_BYTES} bytes`)
    pieces.push(piece)
  }
  return Buffer.concat(pieces).toString()
}

function readBody(text: string, path: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === 'object' && value !== null) return value as Record<string, unknown>
  } catch {
    // Said below.
  }
  return fail(
    `The response of ${path} is not JSON; give the address below which /v1 is, such as https://app.example.com/api`,
  )
}

function listIn(body: Record<string, unknown> | undefined, name: string): Record<string, unknown>[] {
  const list = body?.[name]
  return Array.isArray(list) ? list.filter((entry) => typeof entry === 'object' && entry !== null) : []
}
