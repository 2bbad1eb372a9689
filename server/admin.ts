import { parseArgs } from 'node:util'
import pg from 'pg'
import { pino } from 'pino'
import { commands, Refusal } from './admin/commands.ts'
import { type Config, readConfig } from './config.ts'
import { backUp, restore } from './db/backup/index.ts'
import { connect } from './db/client.ts'
import { databaseOptions, locateDatabase } from './db/configured.ts'
import { hasData } from './db/embedded/data-folder.ts'
import { databaseError } from './db/errors.ts'
import { migrateDatabase, requireMigrations } from './db/migrate.ts'

/*
 * Commands for tasks that have no operation or must work before the first token exists. Prints one JSON object on
 * standard output, a list one per line. A failure prints one line on standard error and exits with code 1. Works beside
 * a running service.
 */

interface FileCommand {
  help: string
  flags: string[]
  run: (url: string, file: string, flags: Set<string>, signal: AbortSignal) => Promise<object>
}

/** They say on standard error how far they are. */
const fileCommands: Record<string, FileCommand> = {
  backup: {
    help: 'Writes all rows of the database into a new file, beside the running service: FILE',
    flags: [],
    run: (url, file, _flags, signal) => backUp(url, file, say, { signal }),
  },
  restore: {
    help: 'Reads a backup into an empty database; --live keeps its webhooks enabled: FILE [--live]',
    flags: ['live'],
    run: (url, file, flags, signal) => restore(url, file, say, { isLive: flags.has('live'), signal }),
  },
}

const all: Record<string, { help: string }> = { ...commands, ...fileCommands }

function say(line: string) {
  process.stderr.write(`${line}\n`)
}

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

/** As Node parses them; it says in several lines what is wrong, and not what there is. */
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
    const [line] = (error as Error).message.split(/\n|\. /)
    throw new Refusal(`${line}. See ${name} --help`)
  }
}

/** Ends the work that is under way, so that the process can end. */
let letGo = async () => {}

async function* run(words: string[]): AsyncGenerator<object | string> {
  const before = words.findIndex((word) => word.startsWith('-'))
  const asked = (before < 0 ? words : words.slice(0, before)).join(' ')
  if (words.some((word) => word === '--help' || word === '-h') || asked === 'help') {
    const names = Object.keys(all).filter(
      (name) => `${asked} `.startsWith(`${name} `) || name.startsWith(`${asked} `),
    )
    return yield helpOn(names.length > 0 ? names : Object.keys(all))
  }
  const withFile = find(fileCommands, words)
  if (withFile) return yield await runWithFile(withFile)
  const known = find(commands, words)
  if (!known) throw new Refusal(`Expected one of: ${Object.keys(all).join(', ')}. See --help`)
  const { name, found: command, rest } = known
  const { values } = parse(name, rest, command.options)
  const config = configuration()
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
  letGo = async () => (await locating).stop()
  return locating
}

/** A command makes no database of its own: a mistyped folder would get one, and the right one stay as it was. */
async function requireData({ DATABASE_URL, DATA_DIR }: Config) {
  if (DATABASE_URL || (await hasData(DATA_DIR))) return
  throw new Refusal(
    `There is no database in ${DATA_DIR}: set DATA_DIR to the folder of the service, or start the service to make one`,
  )
}

function configuration(): Config {
  const read = readConfig(process.env)
  if ('problems' in read) throw new Refusal(`Configuration: ${read.problems.join('; ')}`)
  return read.config
}

async function runWithFile({ name, found, rest }: { name: string; found: FileCommand; rest: string[] }) {
  const { values, positionals } = parse(name, rest, [], found.flags, true)
  const [file, ...others] = positionals
  if (!file || others.length > 0) throw new Refusal(`Expected one name of a file: ${name} FILE. See --help`)
  const config = configuration()
  if (name === 'backup') await requireData(config)
  const database = await open(config)
  const calling = new AbortController()
  const work = found.run(database.url, file, new Set(Object.keys(values)), calling.signal)
  letGo = async () => {
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

/** Maximum time for running work to release the database, in milliseconds. */
const LET_GO_TIMEOUT_MS = 5_000

for (const [signal, number] of Object.entries({ SIGHUP: 1, SIGINT: 2, SIGQUIT: 3, SIGTERM: 15 })) {
  process.once(signal, () => {
    say('Interrupted')
    setTimeout(() => process.exit(128 + number), LET_GO_TIMEOUT_MS)
    void letGo().finally(() => process.exit(128 + number))
  })
}

/** Number of characters written at once. */
const BATCH_CHARACTERS = 65_536

async function print(lines: AsyncIterable<object | string>) {
  let text = ''
  const write = async () => {
    const error = await new Promise<Error | null | undefined>((resolve) =>
      process.stdout.write(text, resolve),
    )
    text = ''
    if (error) throw error
  }
  for await (const line of lines) {
    text += typeof line === 'string' ? line : `${JSON.stringify(line)}\n`
    if (text.length > BATCH_CHARACTERS) await write()
  }
  await write()
}

// Those who read may end before the list does. The error comes to the writer as well.
process.stdout.on('error', () => {})
process.stderr.on('error', () => {})
try {
  await print(run(process.argv.slice(2)))
} catch (error) {
  if ((error as NodeJS.ErrnoException).code !== 'EPIPE') {
    const cause = databaseError(error) ?? error
    const { message, code } = cause as NodeJS.ErrnoException
    const state = cause instanceof pg.DatabaseError ? ` (${code})` : ''
    // The error of a name with several addresses covers all of them and has no message.
    say(`${(message || code || String(error)).replaceAll('\n', ' ')}${state}`)
    process.exitCode = 1
  }
}
