import { hash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fail } from './io.ts'

/*
 * A folder of bots: one file per bot, with the properties of the draft that belong to no installation, in one order
 * and one form. `.bots.json` beside them says which workspace they are of, and the state in which each was seen last.
 */

/** Properties of a bot in its file, in this order. Names that are unique in an installation are not among them. */
export const fileProperties = [
  'name',
  'icon',
  'version',
  'isClosed',
  'selectedThemeTemplateId',
  'events',
  'groups',
  'edges',
  'variables',
  'theme',
  'settings',
] as const

export type BotFile = { id?: string } & Partial<Record<(typeof fileProperties)[number], unknown>>

export interface LocalBot {
  file: string
  bot: BotFile
  text: string
}

export interface FolderState {
  service: string
  workspaceId: string
  /** `digest` is that of the file's text when bot and file were equal last. */
  bots: Record<string, { file: string; digest: string }>
  /** By the target of promotions, the bots there, with the state that the last promotion left. */
  promotions?: Record<string, Record<string, { botId: string; digest: string }>>
}

const STATE_FILE = '.bots.json'
const SUFFIX = '.bot.json'

export function readState(folder: string): FolderState | undefined {
  const path = join(folder, STATE_FILE)
  if (!existsSync(path)) return undefined
  const state = parse(path, readFileSync(path, 'utf8')) as FolderState
  if (typeof state?.service !== 'string' || typeof state.workspaceId !== 'string')
    return fail(`${path} names no service and workspace; run bots pull in an empty folder`)
  const bots = typeof state.bots === 'object' && state.bots !== null ? state.bots : {}
  for (const { file } of Object.values(bots))
    if (!isBotFile(String(file))) fail(`${path} names a file outside: ${file}`)
  return { ...state, bots }
}

export function requireState(folder: string): FolderState {
  return readState(folder) ?? fail(`${folder} is no folder of bots; run bots pull first`)
}

export function writeState(folder: string, state: FolderState) {
  const bots = Object.fromEntries(Object.entries(state.bots).sort(([one], [other]) => (one < other ? -1 : 1)))
  writeWhole(join(folder, STATE_FILE), `${JSON.stringify({ ...state, bots }, null, 2)}\n`)
}

/** The text of a bot's file. */
export function formatBot(bot: BotFile): string {
  const ordered = Object.fromEntries(
    ['id', ...fileProperties].flatMap((name) => {
      const value = bot[name as keyof BotFile]
      return value === undefined ? [] : [[name, value]]
    }),
  )
  return `${JSON.stringify(ordered, null, 2)}\n`
}

/** A file's text in the one form, or as it is where it cannot be read. */
export function normalText(text: string): string {
  try {
    return formatBot(JSON.parse(text))
  } catch {
    return text
  }
}

export const digestOf = (text: string) => hash('sha256', text, 'hex').slice(0, 16)

/** Writes a file as a whole, or not at all. */
export function writeWhole(path: string, text: string) {
  const temporary = `${path}.${process.pid}.tmp`
  writeFileSync(temporary, text)
  renameSync(temporary, path)
}

export function writeBot(folder: string, file: string, text: string) {
  mkdirSync(folder, { recursive: true })
  writeWhole(join(folder, file), text)
}

const isBotFile = (file: string) => file.endsWith(SUFFIX) && !/[/\\]/.test(file) && !file.startsWith('.')

export function readText(folder: string, file: string): string | undefined {
  const path = join(folder, file)
  return existsSync(path) ? readFileSync(path, 'utf8') : undefined
}

/** All bots of a folder, or those in some files. Every file that cannot be read is named. */
export function readBots(folder: string, files?: readonly string[]): LocalBot[] {
  const all = existsSync(folder) ? readdirSync(folder).filter(isBotFile).sort() : []
  const unknown = (files ?? []).filter((file) => !all.includes(file))
  if (unknown.length > 0) fail(`${folder} has no file ${unknown.join(', ')}; names end with ${SUFFIX}`)
  const problems: string[] = []
  const bots = (files ?? all).flatMap((file): LocalBot[] => {
    const text = readFileSync(join(folder, file), 'utf8')
    try {
      return [{ file, bot: checkBot(file, parse(file, text)), text }]
    } catch (error) {
      problems.push((error as Error).message)
      return []
    }
  })
  const byId = new Map<string, string>()
  for (const { file, bot } of bots) {
    if (bot.id === undefined) continue
    const other = byId.get(bot.id)
    if (other) problems.push(`${other} and ${file} have the same id ${bot.id}; remove it from the copy`)
    byId.set(bot.id, file)
  }
  if (problems.length > 0) fail(problems.join('\n'))
  return bots
}

function checkBot(file: string, value: unknown): BotFile {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) fail(`${file}: expected an object`)
  // Exports of other tools have it; the preferences of a table belong to an installation.
  const { resultsTablePreferences: _, ...rest } = value as Record<string, unknown>
  const bot = rest as unknown as BotFile
  if (bot.id !== undefined && (typeof bot.id !== 'string' || !/^[\w-]{1,64}$/.test(bot.id)))
    fail(`${file}: id is not one of a bot`)
  if (typeof bot.version !== 'string') fail(`${file}: version is missing, such as "6.1"`)
  const known: readonly string[] = ['$schema', 'id', ...fileProperties]
  const unknown = Object.keys(bot).find((name) => !known.includes(name))
  if (unknown !== undefined)
    fail(`${file}: a bot has no property ${unknown}; it takes ${fileProperties.join(', ')}`)
  return bot
}

function parse(file: string, text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    const { message } = error as Error
    const [, at] = /position (\d+)/.exec(message) ?? []
    const line = at === undefined ? '' : `:${text.slice(0, Number(at)).split('\n').length}`
    return fail(`${file}${line}: not valid JSON: ${message}`)
  }
}

/** A free name for a new file that identifies the bot. */
export function fileNameFor(name: string, taken: ReadonlySet<string>): string {
  const slug =
    name
      .normalize('NFKD')
      .toLowerCase()
      .replaceAll(/[^a-z0-9]+/g, '-')
      .replaceAll(/^-|-$/g, '')
      .slice(0, 60) || 'bot'
  for (let nth = 1; ; nth++) {
    const file = `${slug}${nth === 1 ? '' : `-${nth}`}${SUFFIX}`
    if (!taken.has(file)) return file
  }
}
