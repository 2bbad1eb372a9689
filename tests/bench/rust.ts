import { execFileSync } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import type { Processes, Sent, Target } from './processes.ts'
import { callOn, type Seed } from './seed.ts'
import * as statements from './servers/statements.ts'

/*
 * The floors in Rust, where cargo is installed: built, and given the statements that they need. Those of chats are
 * what the service sends, recorded, with marks where a chat differs from another.
 */

const source = fileURLToPath(new URL('servers/rust/', import.meta.url))

interface Given {
  url: string
  /** For what they are given. */
  folder: string
  /** Starts a service whose statements are recorded. */
  record: () => Promise<Target>
  seed: Seed
}

/** `rust A` without memory and `rust B` with it; none of them, and why, where they cannot be. */
export async function startRust(
  processes: Processes,
  { url, folder, record, seed }: Given,
): Promise<{ targets: Target[]; missing?: string }> {
  const missing = build()
  if (missing) return { targets: [], missing }
  const recorded = await record()
  const given = {
    statements: Object.fromEntries(Object.entries(statements).map(([name, { text }]) => [name, text])),
    ...(await recordChat(recorded, seed, url)),
  }
  await recorded.stop()
  const file = join(folder, 'given.json')
  await writeFile(file, JSON.stringify(given))
  const start = (name: string, variables: Record<string, string>) =>
    processes.program(name, program, { DATABASE_URL: url, GIVEN: file, ...variables })
  return { targets: [await start('rust A', {}), await start('rust B', { MEMORY: 'yes' })] }
}

const program = join(source, 'target', 'release', 'bench-floor')

/** Why it cannot be built; undefined where it was. */
function build(): string | undefined {
  try {
    execFileSync('cargo', ['--version'], { stdio: 'ignore' })
  } catch {
    return 'Without the floors in Rust, since cargo is not installed.'
  }
  try {
    execFileSync('cargo', ['build', '--release', '--quiet'], {
      cwd: source,
      stdio: ['ignore', 'inherit', 'inherit'],
    })
  } catch {
    return 'Without the floors in Rust, since they could not be built.'
  }
  return undefined
}

/** A revision that nothing else looks like. */
const REVISION = 791_919

interface Recorded {
  statements: Sent[]
  answer: string
  /** Prefix of the id of a new session. */
  prefix: string
}

/** An array as PostgreSQL reads it. Its elements came from another process as JSON. */
function arrayLiteral(elements: unknown[]): string {
  const literals = elements.map((element) => {
    if (element === null) return 'NULL'
    const text =
      typeof element === 'object' ? `\\x${Buffer.from(element as never).toString('hex')}` : String(element)
    return `"${text.replaceAll(/["\\]/g, '\\$&')}"`
  })
  return `{${literals}}`
}

async function recordChat(
  service: Target,
  { publicId }: Seed,
  url: string,
): Promise<{ start: Recorded; next: Recorded; logs: Recorded }> {
  const api = callOn(service)
  const start = () => api('POST', `/api/v1/bots/${publicId}/startChat`, {})
  // From here on the server reads from its cache.
  await start()
  await service.statements()

  const first = await start()
  const started = await service.statements()
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  // Without room for more turns in the session, as with most of those that are measured.
  await client.query(
    `UPDATE chat_sessions SET revision = $2, inline_turns = decode(repeat('00', 1900), 'hex') WHERE result_id = $1`,
    [first.resultId, REVISION],
  )
  await client.end()
  const session = `/api/v1/sessions/${first.sessionId}`
  await service.statements()
  const second = await api('POST', `${session}/continueChat`, { message: 'A good one, thank you' })
  const continued = await service.statements()
  const third = await api('POST', `${session.replace('v1', 'v2')}/clientLogs`, {
    clientLogs: [{ description: 'Could not load the script', details: 'net::ERR_BLOCKED_BY_CLIENT' }],
  })
  const logged = await service.statements()

  const mark = (text: string) =>
    text
      .replaceAll(first.sessionId, '{session}')
      .replaceAll(first.resultId, '{result}')
      .replaceAll(String(REVISION), '{revision}')
      .replaceAll(String(REVISION + 1), '{next}')
      .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, (time) => {
        const distance = Date.parse(time) - Date.now()
        if (distance > 47 * 60 * 60 * 1000) return '{until}'
        return Math.abs(distance) < 60_000 ? '{now}' : time
      })
  const markValue = (value: unknown) =>
    value === null || value === undefined
      ? null
      : mark(Array.isArray(value) ? arrayLiteral(value) : String(value))
  /** The statements of this chat, among those that the service sends by itself. */
  const ofChat = (sent: Sent[]) =>
    sent.flatMap(({ text, values }) => {
      const marked = values.map(markValue)
      const isOwn = marked.some((value) => value?.includes('{session}') || value === publicId)
      return isOwn ? [{ text, values: marked }] : []
    })
  const withNewIds = ({ text, values }: { text: string; values: (string | null)[] }) => ({
    text,
    values: values.map((value) => value?.replaceAll(/"id":"[0-9a-z]{26}"/g, '"id":"{new}"') ?? null),
  })
  const prefix = first.sessionId.slice(0, -26)
  return {
    start: { statements: ofChat(started), answer: mark(JSON.stringify(first)), prefix },
    next: { statements: ofChat(continued), answer: mark(JSON.stringify(second)), prefix },
    logs: { statements: ofChat(logged).map(withNewIds), answer: JSON.stringify(third), prefix },
  }
}
