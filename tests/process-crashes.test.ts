import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, expect, test } from '@jest/globals'
import pg from 'pg'
import {
  addressOf,
  endProcesses,
  freePort,
  newDataFolder,
  postmasterOf,
  type Service,
  startService,
  until,
} from './support/process.ts'
import { createDatabase } from './support/server.ts'

/*
 * Something is killed while writers write. Each writer notes what was acknowledged; afterwards all of that
 * has to be there, and of everything else all or nothing.
 */

const cleanUps: (() => Promise<unknown>)[] = []

afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp()
  await endProcesses()
})

interface Answer {
  /** Undefined where the connection broke. */
  status: number | undefined
  // biome-ignore lint/suspicious/noExplicitAny: what it is differs from operation to operation
  body: any
}

type Caller = Pick<Service, 'url' | 'token'>

async function call({ url, token }: Caller, method: string, path: string, body?: object): Promise<Answer> {
  const headers = { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }) }
  try {
    const response = await fetch(url + path, { method, headers, body: body && JSON.stringify(body) })
    return { status: response.status, body: await response.json() }
  } catch {
    return { status: undefined, body: undefined }
  }
}

/** A bot that carries one number in every part, with enough around it to fill several pages of a table. */
function stamped(stamp: string) {
  const graphCoordinates = { x: 0, y: 0 }
  const group = { id: 'group', title: stamp, graphCoordinates, blocks: [], padding: 'x'.repeat(12_000) }
  return {
    version: '6.1',
    name: stamp,
    groups: [group],
    variables: [{ id: 'variable', name: stamp }],
    theme: { stamp },
    settings: { stamp },
  }
}

/** The stamps in the parts of a bot: one, unless it is a mixture. */
function stampsOf(bot: ReturnType<typeof stamped>): string[] {
  const { name, groups, variables, theme, settings } = bot
  return [...new Set([name, groups[0]?.title, variables[0]?.name, theme.stamp, settings.stamp])] as string[]
}

class Writer {
  readonly caller: Caller
  readonly workspaceId: string
  private readonly name: string
  private botId = ''
  private last = 0
  private isStopped = false
  private running: Promise<void> = Promise.resolve()
  /** The number of the last update that was acknowledged. */
  private acknowledged = 0
  acknowledgements = 0
  readonly created: { id: string; stamp: string }[] = []
  readonly published: string[] = []
  readonly refusals = new Set<number | undefined>()

  constructor(caller: Caller, workspaceId: string, name: string) {
    this.caller = caller
    this.workspaceId = workspaceId
    this.name = name
  }

  async start() {
    const bot = { ...stamped('0'), publicId: this.name }
    const created = await call(this.caller, 'POST', '/v1/bots', { workspaceId: this.workspaceId, bot })
    this.botId = created.body.bot.id
    this.running = this.write()
  }

  async stop() {
    this.isStopped = true
    await this.running
  }

  private async write() {
    while (!this.isStopped) {
      const number = ++this.last
      const bot = stamped(String(number))
      const updated = await this.send('PATCH', `/v1/bots/${this.botId}`, { bot, overwrite: true })
      if (updated) this.acknowledged = number

      const stamp = `${this.name}-${number}`
      const made = await this.send('POST', '/v1/bots', {
        workspaceId: this.workspaceId,
        bot: { ...stamped(stamp), publicId: stamp },
      })
      if (made) this.created.push({ id: made.bot.id, stamp })
      if (made && (await this.send('POST', `/v1/bots/${made.bot.id}/publish`))) {
        this.published.push(made.bot.id)
      }
    }
  }

  private async send(method: string, path: string, body?: object) {
    const answer = await call(this.caller, method, path, body)
    if (answer.status === 200 || answer.status === 201) {
      this.acknowledgements++
      return answer.body
    }
    this.refusals.add(answer.status)
    await sleep(20)
    return undefined
  }

  /** Everything acknowledged is there, and the last update is whole whether or not it was acknowledged. */
  async check() {
    const { body } = await call(this.caller, 'GET', `/v1/bots/${this.botId}`)
    const stamps = stampsOf(body.bot)
    expect(stamps).toHaveLength(1)
    expect(Number(stamps[0])).toBeGreaterThanOrEqual(this.acknowledged)
    expect(Number(stamps[0])).toBeLessThanOrEqual(this.last)
    for (const { id, stamp } of this.created) {
      const found = await call(this.caller, 'GET', `/v1/bots/${id}`)
      expect(stampsOf(found.body.bot)).toEqual([stamp])
    }
    for (const id of this.published) {
      expect((await call(this.caller, 'GET', `/v1/bots/${id}/publishedBot`)).status).toBe(200)
    }
  }
}

async function startWriters(caller: Caller, count: number): Promise<Writer[]> {
  const { body } = await call(caller, 'GET', '/v1/workspaces')
  const writers = Array.from(
    { length: count },
    (_, index) => new Writer(caller, body.workspaces[0].id, `writer-${index}`),
  )
  for (const writer of writers) {
    await writer.start()
    cleanUps.push(() => writer.stop())
  }
  return writers
}

/** Waits until every writer has been told a few more times that it wrote. */
async function untilAllWrite(writers: Writer[]) {
  const before = writers.map(({ acknowledgements }) => acknowledgements)
  await until('all write', () =>
    writers.every(({ acknowledgements }, index) => acknowledgements >= (before[index] ?? 0) + 4),
  )
}

async function finish(writers: Writer[], databaseUrl: string) {
  for (const writer of writers) await writer.stop()
  for (const writer of writers) await writer.check()

  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  const count = async (from: string) =>
    Number((await client.query(`SELECT count(*) FROM ${from}`)).rows[0].count)
  try {
    // Nothing is there by halves, acknowledged or not.
    expect(await count('bots')).toBeGreaterThanOrEqual(writers.flatMap(({ created }) => created).length)
    expect(
      await count('bots b FULL JOIN bot_drafts d ON d.bot_id = b.id WHERE b.id IS NULL OR d.bot_id IS NULL'),
    ).toBe(0)
    expect(
      await count('bots b FULL JOIN public_ids p USING (public_id) WHERE b.id IS DISTINCT FROM p.bot_id'),
    ).toBe(0)
    expect(
      await count(`published_bots p LEFT JOIN bot_publications c ON c.bot_id = p.bot_id AND c.id = p.publication_id
        WHERE c.id IS NULL`),
    ).toBe(0)
  } finally {
    await client.end()
  }
}

const answersOf = (writers: Writer[]) => [...new Set(writers.flatMap(({ refusals }) => [...refusals]))]

test('a service that is killed while it writes loses nothing that it acknowledged', async () => {
  const database = await createDatabase('nothing')
  cleanUps.push(database.drop)
  const variables = { DATABASE_URL: database.url, PORT: String(await freePort()) }
  let service = await startService(variables)
  const writers = await startWriters(service, 6)
  for (let kill = 0; kill < 4; kill++) {
    await untilAllWrite(writers)
    service.signal('SIGKILL')
    await service.ended
    service = await startService(variables)
  }
  await untilAllWrite(writers)
  await finish(writers, database.url)
  // Connections break, and while it starts again it says so.
  expect([undefined, 503]).toEqual(expect.arrayContaining(answersOf(writers)))
})

async function oneBackend(folder: string): Promise<number> {
  const client = new pg.Client({ connectionString: await addressOf(folder) })
  await client.connect()
  const { rows } = await client.query(
    `SELECT pid FROM pg_stat_activity WHERE application_name = 'bot-builder-service' LIMIT 1`,
  )
  await client.end()
  return rows[0].pid
}

test('a database that is killed or restarted while it writes loses nothing that was acknowledged', async () => {
  const DATA_DIR = await newDataFolder()
  const service = await startService({ DATA_DIR })
  const writers = await startWriters(service, 6)
  const faults = [
    async () => process.kill((await postmasterOf(DATA_DIR)) ?? 0, 'SIGKILL'),
    // One killed backend takes all others along, since it may have spoilt what they share.
    async () => process.kill(await oneBackend(DATA_DIR), 'SIGKILL'),
    // A fast and an immediate stop, as an administrator would ask for.
    async () => process.kill((await postmasterOf(DATA_DIR)) ?? 0, 'SIGINT'),
    async () => process.kill((await postmasterOf(DATA_DIR)) ?? 0, 'SIGQUIT'),
  ]
  for (const fault of faults) {
    await untilAllWrite(writers)
    await fault()
    await until('the loss is noticed', () => writers.some(({ refusals }) => refusals.size > 0))
    await untilAllWrite(writers)
    // The service never went away, so nothing but 503 may have been answered in between.
    expect(answersOf(writers)).toEqual([503])
    for (const writer of writers) writer.refusals.clear()
  }
  await finish(writers, await addressOf(DATA_DIR))
  service.signal('SIGTERM')
  expect((await service.ended).code).toBe(0)
})
