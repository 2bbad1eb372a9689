import type { TestDatabase } from '../../support/server.ts'
import { createDatabase } from '../../support/server.ts'
import { type Answer, type Sent, send } from '../client.ts'
import { type Installation, type InstallationOptions, install } from '../installation.ts'
import type { Random } from '../random.ts'
import { promise } from '../run.ts'

/** One thing that goes wrong, and what must come of it. */
export interface Fault {
  id: string
  what: string
  /** Gives what was seen, with its numbers; throws where a promise was not kept. */
  run(setting: Setting): Promise<string>
}

export interface Setting {
  random: Random
  /** 1 for the numbers of the list; less where everybody waits for it. */
  scale: number
  /** True if promised times are checked: a busy machine breaks those. */
  isTimed: boolean
}

export const times = <T>(count: number, work: (index: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, index) => work(index)))

/** Returns a count scaled to the setting, and at least `least`. */
export const some = ({ scale }: Setting, count: number, least = 1) =>
  Math.max(least, Math.round(count * scale))

/** Holds a time against a limit, both in milliseconds. */
export function within({ isTimed }: Setting, took: number, limit: number, what: string) {
  promise(!isTimed || took <= limit, `${what} took ${Math.round(took)} ms, and may take ${limit}`)
}

export function tally(answers: Pick<Answer, 'status'>[]): string {
  const counts = new Map<string, number>()
  for (const { status } of answers) {
    const name = String(status ?? 'lost')
    counts.set(name, (counts.get(name) ?? 0) + 1)
  }
  return [...counts].map(([status, count]) => `${count} × ${status}`).join(', ')
}

export function onlyStatuses(answers: Answer[], allowed: (number | undefined)[]) {
  const other = answers.find(({ status }) => !allowed.includes(status))
  promise(!other, `Answered ${other?.status}: ${other?.text}`)
  const bare = answers.find(({ status, headers }) => status === 503 && !headers['retry-after'])
  promise(!bare, 'A 503 came without Retry-After')
}

export const slowest = (answers: Answer[]) => Math.max(...answers.map(({ start, end }) => end - start))

export const quantile = (answers: Answer[], share: number) =>
  answers.map(({ start, end }) => end - start).sort((a, b) => a - b)[Math.floor(answers.length * share)] ?? 0

/**
 * Variables of processes whose outcome matters and not their speed: on a busy machine nothing runs into a timeout.
 */
export const unhurried = {
  DATABASE_CONNECT_TIMEOUT: '60000',
  DATABASE_LOCK_TIMEOUT: '60000',
  DATABASE_STATEMENT_TIMEOUT: '60000',
}

/** An installation on a database of its own, for as long as `work` lasts. */
export async function installed<T>(
  options: Omit<InstallationOptions, 'databaseUrl'>,
  work: (installation: Installation, database: TestDatabase) => Promise<T>,
): Promise<T> {
  const base = await createDatabase('nothing')
  try {
    const installation = await install({ ...options, databaseUrl: base.url })
    try {
      return await work(installation, base)
    } finally {
      await installation.stop()
    }
  } finally {
    await base.drop()
  }
}

/** Sends a request to one process, as the first user. */
export function ask(
  { members, token }: Installation,
  place: number,
  method: string,
  path: string,
  body?: unknown,
  sent: Sent = {},
): Promise<Answer> {
  const member = members[place % members.length]
  return send(member?.url ?? '', method, path, { token, body, patience: 60_000, ...sent })
}

/** Creates a bot, and gives its id with what was answered. */
export async function newBot(installation: Installation, bot: object): Promise<Answer & { id: string }> {
  const { workspaceId } = installation
  const answer = await ask(installation, 0, 'POST', '/v1/bots', { workspaceId, bot })
  promise(answer.status === 201, `A creation was answered ${answer.status}: ${answer.text}`)
  return { ...answer, id: answer.body.bot.id }
}

export async function rows(installation: Installation, text: string, values: unknown[] = []) {
  return (await installation.database.query(text, values)).rows
}
