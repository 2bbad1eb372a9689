import { parseArgs } from 'node:util'
import pg from 'pg'
import { pino } from 'pino'
import { type Config, readConfig } from '../config.ts'
import { backUp, restore } from '../db/backup/index.ts'
import { connect } from '../db/client.ts'
import { databaseOptions, locateDatabase } from '../db/configured.ts'
import { hasData } from '../db/embedded/data-folder.ts'
import { databaseError } from '../db/errors.ts'
import { migrateDatabase, requireMigrations } from '../db/migrate.ts'
import { CommandError, commands } from './commands.ts'

/* Runs one command of `server/admin.ts`, with everything it needs of its process as parameters. */

export interface Terminal {
  variables: NodeJS.ProcessEnv
  /** Writes to standard output. */
  write: (text: string) => Promise<void>
  /** Writes a line to standard error. */
  say: (line: string) => void
}

/** Runs a command and returns its exit code. */
export async function runCommand(words: string[], terminal: Terminal): Promise<number> {
  try {
    await print(run(words, terminal), terminal)
    return 0
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EPIPE') return 0
    const cause = databaseError(error) ?? error
    const { message, code } = cause as NodeJS.ErrnoException
    const state = cause instanceof pg.DatabaseError ? ` (${code})` : ''
    // The error of a name with several addresses covers all of them and has no message.
    terminal.say(`${(message || code || String(error)).replaceAll('\n', ' ')}${state}`)
    return 1
  }
}

type Say = Terminal['say']

interface FileCommand {
  help: string
  flags: string[]
  run: (url: string, file: string, flags: Set<string>, say: Say, signal: AbortSignal) => Promise<object>
}

/** They report progress on standard error. */
const fileCommands: Record<string, FileCommand> = {
  backup: {
    help: 'Writes all rows of the database into a new file, beside the running service: FILE',
    flags: [],
    run: (url, file, _flags, say, signal) => backUp(url, file, say, { signal }),
  },
  restore: {
    help: 'Reads a backup into an empty database; --live keeps its webhooks, timers of chats and conversations of Chatwoot: FILE [--live]',
    flags: ['live'],
    run: (url, file, flags, say, signal) => restore(url, file, say, { isLive: flags.has('live'), signal }),
  },
}

const all: Record<string, { help: string }> = { ...commands, ...fileCommands }

function helpOn(names: string[]): string {
  const width = Math.max(...names.map((name) => name.length))
  const lines = names.map((name) => `  ${name.padEnd(width)}  ${all[name]?.help}`)
  return [
    'Usage: npm run --silent admin -- COMMAND [OPTIONS]',
    '',
    ...lines,
    '',
    'DATABASE_URL or DATA_DIR names the database, as for the service, which may be running. Output is JSON, a line for each object.',
    '',
  ].join('\n')
}

/** The entry of a list under the first words, and the words behind them. */
function find<Value>(list: Record<string, Value>, words: string[]) {
  for (const count of [2, 1]) {
    const name = words.slice(0, count).join(' ')
    const found = Object.hasOwn(list, name) ? list[name] : undefined
    if (found !== undefined) return { name, found, rest: words.slice(count) }
  }
  return undefined
}

/** Wraps the parser of Node, whose errors have several lines and do not list the options that exist. */
function parse(name: string, args: string[], texts: string[], flags: string[] = [], takesFile = false) {
  try {
    return parseArgs({
      args,
      allowPositionals: takesFile,
      options: Object.fromEntries([
        ...texts.map((option) => [option, { type: 'string' as const }]),
        ...flags.map((option) => [option, { type: 'boolean' as const }]),
      ]),
    })
  } catch (error) {
    const [line] = (error as Error).message.split(/\.?\n|\. /)
    throw new CommandError(`${line}. See ${name} --help`)
  }
}

let release = async () => {}

/** Ends the work that is under way, so that the process can end. */
export const letGo = () => release()

async function* run(words: string[], { variables, say }: Terminal): AsyncGenerator<object | string> {
  const before = words.findIndex((word) => word.startsWith('-'))
  const commandName = (before < 0 ? words : words.slice(0, before)).join(' ')
  if (words.some((word) => word === '--help' || word === '-h') || commandName === 'help') {
    const names = Object.keys(all).filter(
      (name) => `${commandName} `.startsWith(`${name} `) || name.startsWith(`${commandName} `),
    )
    return yield helpOn(names.length > 0 ? names : Object.keys(all))
  }
  const withFile = find(fileCommands, words)
  if (withFile) return yield await runWithFile(withFile, variables, say)
  const known = find(commands, words)
  if (!known) throw new CommandError(`Expected one of: ${Object.keys(all).join(', ')}. See --help`)
  const { name, found: command, rest } = known
  const { values } = parse(name, rest, command.options)
  const config = configuration(variables)
  await requireData(config)
  const database = await open(config)
  const silent = pino({ level: 'silent' })
  // The limit of statements is meant for requests.
  const options = { ...databaseOptions(config, database.url, silent), poolSize: 2, statementTimeout: 0 }
  const { db, pool } = connect(options)
  try {
    if (config.MIGRATE || command === commands.migrate) await migrateDatabase(database.url)
    else await requireMigrations(db)
    const result = command.run(db, values as Record<string, string>, { config, say })
    if (Symbol.asyncIterator in result) yield* result
    else yield* [await result].flat()
  } finally {
    await pool.end()
    await database.stop()
  }
}

async function open(config: Config) {
  const locating = locateDatabase(config, () => {})
  release = async () => (await locating).stop()
  return locating
}

/** A command makes no database of its own: a mistyped folder would get one, and the right one stay as it was. */
async function requireData({ DATABASE_URL, DATA_DIR }: Config) {
  if (DATABASE_URL || (await hasData(DATA_DIR))) return
  throw new CommandError(
    `There is no database in ${DATA_DIR}: set DATA_DIR to the folder of the service, or start the service to make one`,
  )
}

function configuration(variables: NodeJS.ProcessEnv): Config {
  const read = readConfig(variables)
  if ('problems' in read) throw new CommandError(`Configuration: ${read.problems.join('; ')}`)
  return read.config
}

async function runWithFile(
  { name, found, rest }: { name: string; found: FileCommand; rest: string[] },
  variables: NodeJS.ProcessEnv,
  say: Say,
) {
  const { values, positionals } = parse(name, rest, [], found.flags, true)
  const [file, ...others] = positionals
  if (!file || others.length > 0)
    throw new CommandError(`Expected one name of a file: ${name} FILE. See --help`)
  const config = configuration(variables)
  if (name === 'backup') await requireData(config)
  const database = await open(config)
  const calling = new AbortController()
  const work = found.run(database.url, file, new Set(Object.keys(values)), say, calling.signal)
  release = async () => {
    calling.abort()
    await work.catch(() => {})
    await database.stop()
  }
  try {
    return { file, ...(await work) }
  } finally {
    await database.stop()
  }
}

/** Maximum characters of one write. */
const BATCH_CHARACTERS = 65_536

async function print(lines: AsyncIterable<object | string>, terminal: Terminal) {
  let text = ''
  const write = async () => {
    const batch = text
    text = ''
    await terminal.write(batch)
  }
  for await (const line of lines) {
    text += typeof line === 'string' ? line : `${JSON.stringify(line)}\n`
    if (text.length > BATCH_CHARACTERS) await write()
  }
  await write()
}
