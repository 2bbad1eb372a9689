import type { BotSummary, Folder } from '../../../../../generated/client/index.js'
import { client } from '../api.ts'

/* Reads and changes of the list. */

export interface Level {
  folders: Folder[]
  bots: BotSummary[]
  /** The folders above, from the top level on. */
  path: Folder[]
}

const PAGE_BOTS = 100

/** Reads all pages of a list; the service ends a page early rather than a list. */
async function all<Entry>(list: AsyncIterable<Entry>): Promise<Entry[]> {
  const entries: Entry[] = []
  for await (const entry of list) entries.push(entry)
  return entries
}

export async function readLevel(
  workspaceId: string,
  folderId: string | undefined,
  signal: AbortSignal,
): Promise<Level> {
  const options = { signal }
  const [folders, bots, path] = await Promise.all([
    all(client.folders.list({ workspaceId, parentFolderId: folderId ?? 'root' }, options)),
    all(client.bots.list({ workspaceId, folderId: folderId ?? 'root', limit: PAGE_BOTS }, options)),
    pathOf(folderId, signal),
  ])
  return { folders, bots, path }
}

async function pathOf(folderId: string | undefined, signal: AbortSignal): Promise<Folder[]> {
  const path: Folder[] = []
  for (let id: string | null | undefined = folderId; id; id = path[0]?.parentFolderId) {
    path.unshift((await client.folders.get(id, {}, { signal })).folder)
  }
  return path
}

export const readFolders = (workspaceId: string, parentFolderId: string | undefined, signal: AbortSignal) =>
  all(client.folders.list({ workspaceId, parentFolderId: parentFolderId ?? 'root' }, { signal }))

export const readAllBots = (workspaceId: string, signal: AbortSignal) =>
  all(client.bots.list({ workspaceId, limit: PAGE_BOTS }, { signal }))

/** A bot is changed in the version that it is stored in. */
export async function changeBot(botId: string, change: { name?: string; folderId?: string | null }) {
  const { bot } = await client.bots.get(botId)
  await client.bots.update(botId, { bot: { version: bot.version, ...change } }, { minimal: true })
}

export interface Imported {
  name: string
  botId: string
  warnings: string[]
  errorsFound: number
}

/** Reads a file and imports it. Throws an error in words where it is no bot. */
export async function importFile(
  file: { name: string; text: () => Promise<string> },
  workspaceId: string,
  folderId: string | undefined,
): Promise<Imported> {
  const document = parseDocument(file.name, await file.text())
  const body = { workspaceId, folderId: folderId ?? null, bot: document as never }
  const { bot, warnings, errorsFound } = await client.bots.import(body)
  return { name: bot.name, botId: bot.id, errorsFound, warnings: warnings.map(({ message }) => message) }
}

function parseDocument(name: string, text: string): object {
  let parsed: unknown
  try {
    parsed = JSON.parse(text)
  } catch (error) {
    throw new Error(`${name} is not JSON: ${(error as Error).message}`)
  }
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) {
    throw new Error(`${name} is JSON, but not a bot: a bot is an object with groups`)
  }
  // An export comes inside of `bot` if the whole response was saved.
  const inner = (parsed as { bot?: unknown }).bot
  const isWrapped = typeof inner === 'object' && inner !== null && !('groups' in parsed)
  return isWrapped ? inner : parsed
}

export function stateOf(bot: BotSummary): 'draft' | 'published' | 'changed' {
  if (bot.publishedAt === null) return 'draft'
  return bot.updatedAt > bot.publishedAt ? 'changed' : 'published'
}
