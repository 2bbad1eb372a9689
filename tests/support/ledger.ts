import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { type Caller, call, until } from './process.ts'

/*
 * Writers that note what was acknowledged while something is broken under them. Afterwards all of that has to be
 * there, and of everything else all or nothing.
 */

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

export class Writer {
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
  /** When a request was rejected last, in milliseconds of `performance.now()`. */
  lastRefusal = 0

  constructor(
    private readonly caller: Caller,
    private readonly workspaceId: string,
    private readonly name: string,
  ) {}

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
    this.lastRefusal = performance.now()
    await sleep(20)
    return undefined
  }

  /** Everything acknowledged is there, and the last update is whole whether or not it was acknowledged. */
  async check() {
    const { body } = await call(this.caller, 'GET', `/v1/bots/${this.botId}`)
    const stamps = stampsOf(body.bot)
    assert.equal(stamps.length, 1, `A bot is a mixture: ${stamps}`)
    assert.ok(Number(stamps[0]) >= this.acknowledged, 'An acknowledged update is lost')
    assert.ok(Number(stamps[0]) <= this.last)
    for (const { id, stamp } of this.created) {
      const found = await call(this.caller, 'GET', `/v1/bots/${id}`)
      assert.deepEqual(stampsOf(found.body.bot), [stamp])
    }
    for (const id of this.published) {
      assert.equal((await call(this.caller, 'GET', `/v1/bots/${id}/publishedBot`)).status, 200)
    }
  }
}

/** Starts so many writers, whose bots are named after `name`. */
export async function startWriters(caller: Caller, count: number, name = 'writer'): Promise<Writer[]> {
  const { body } = await call(caller, 'GET', '/v1/workspaces')
  const writers = Array.from(
    { length: count },
    (_, index) => new Writer(caller, body.workspaces[0].id, `${name}-${index}`),
  )
  for (const writer of writers) await writer.start()
  return writers
}

/** Waits until every writer has a few more acknowledged writes. */
export async function untilAllWrite(writers: Writer[]) {
  const before = writers.map(({ acknowledgements }) => acknowledgements)
  await until('all write', () =>
    writers.every(({ acknowledgements }, index) => acknowledgements >= (before[index] ?? 0) + 4),
  )
}

/** Stops the writers and holds what they noted against the service and against the database. */
export async function finish(writers: Writer[], databaseUrl: string) {
  for (const writer of writers) await writer.stop()
  for (const writer of writers) await writer.check()

  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  const count = async (from: string) =>
    Number((await client.query(`SELECT count(*) FROM ${from}`)).rows[0].count)
  try {
    // Nothing is there by halves, acknowledged or not.
    assert.ok((await count('bots')) >= writers.flatMap(({ created }) => created).length)
    const halves = [
      'bots b FULL JOIN bot_drafts d ON d.bot_id = b.id WHERE b.id IS NULL OR d.bot_id IS NULL',
      'bots b FULL JOIN public_ids p USING (public_id) WHERE b.id IS DISTINCT FROM p.bot_id',
      `published_bots p LEFT JOIN bot_publications c ON c.bot_id = p.bot_id AND c.id = p.publication_id
        WHERE c.id IS NULL`,
    ]
    for (const half of halves) assert.equal(await count(half), 0, half)
  } finally {
    await client.end()
  }
}

/** Every status but success that writers got. */
export const refusalsOf = (writers: Writer[]) => [
  ...new Set(writers.flatMap(({ refusals }) => [...refusals])),
]
