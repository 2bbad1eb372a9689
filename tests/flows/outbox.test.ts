import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { sql } from 'drizzle-orm'
import { sqlState } from '../../server/db/errors.ts'
import { purgeBatch } from '../../server/jobs/purge.ts'
import { enqueueEvents, fanOut, fanOutAll } from '../../server/webhooks/outbox.ts'
import { type App, connectTo, startApp } from '../support/app.ts'
import { ask, bot } from '../support/chat.ts'
import { publish, reply, start } from '../support/chats.ts'
import { addEndpoints } from '../support/endpoints.ts'
import { waitingForLocks } from '../support/locks.ts'
import { until } from '../support/process.ts'
import { makeWorld, type Site } from '../support/world.ts'

/* Holds the rows that turns add to the outbox, and their fan-out to endpoints. On a cluster turns add none. */

const describeHere = process.env.CITUS === '1' ? describe.skip : describe

describeHere('the outbox of turns', () => {
  let app: App
  let site: Site
  beforeAll(async () => {
    app = await startApp()
    site = (await makeWorld(app)).here
  })
  afterAll(() => app.stop())

  beforeEach(async () => {
    await addEndpoint('endpoint')
  })
  afterEach(() =>
    app.pool.query(
      'DELETE FROM webhook_endpoints; DELETE FROM webhook_deliveries; DELETE FROM webhook_events; DELETE FROM webhook_outbox',
    ),
  )

  async function addEndpoint(id: string, types: string[] | null = null) {
    await addEndpoints(app, site.workspaceId, [{ id, url: 'https://example.com/hook', types }])
  }

  /** Events of deleted results are not fanned out. */
  async function addResults(botId: string, ids: string[]) {
    await app.pool.query(
      `INSERT INTO bots (id, workspace_id, name, version, revision, created_at, updated_at)
      VALUES ($1, $2, 'Bot', '6.1', 1, now(), now()) ON CONFLICT DO NOTHING`,
      [botId, site.workspaceId],
    )
    await app.pool.query(
      `INSERT INTO results (bot_id, id, variables, has_started, is_completed, is_archived, created_at, updated_at)
      SELECT $1, id, '[]', true, false, false, now(), now() FROM unnest($2::text[]) AS id ON CONFLICT DO NOTHING`,
      [botId, ids],
    )
  }

  /** As a turn does: events of one bot, each as `subject/id`, in this order. */
  async function leave(botId: string, events: string[], type = 'result.answered', db = app.db) {
    await addResults(botId, [...new Set(events.map((event) => String(event.split('/')[0])))])
    const happened = events.map((event, ordinal) => {
      const [subject, id] = event.split('/')
      const text = JSON.stringify({ subject, ordinal, id, type, at: new Date(), data: {} })
      return sql`(${botId}, ${id}, 1, ${text})`
    })
    await db.execute(
      enqueueEvents(
        sql`SELECT * FROM (VALUES ${sql.join(happened, sql`, `)}) AS v(bot_id, id, size, event)`,
        sql`${site.workspaceId}`,
      ),
    )
  }

  async function deliveries(columns = 'bot_id, subject, id') {
    const { rows } = await app.pool.query({
      text: `SELECT ${columns} FROM webhook_deliveries ORDER BY bot_id, endpoint_id, subject, seq`,
      rowMode: 'array',
    })
    return rows.map((row) => row.join(' '))
  }

  async function left(): Promise<number> {
    const { rows } = await app.pool.query('SELECT count(*)::integer AS n FROM webhook_outbox')
    return rows[0].n
  }

  test('several processes fan out remaining rows in order, each event once', async () => {
    const processes = [1, 2, 3].map(() => connectTo(app.databaseUrl, { poolSize: 4 }))
    const bots = ['a', 'b', 'c', 'd']
    const steps = 120
    let isOver = false
    let rejected = 0
    // Ids say nothing about the order.
    const eventsOf = (botId: string, step: number) =>
      ['one/a', 'one/b', 'two/c'].map((event) => `${event}-${botId}-${steps - step}`)
    const leaving = bots.map(async (botId) => {
      for (let step = 0; step < steps; step++) await leave(botId, eventsOf(botId, step))
    })
    const shares = processes.map(async ({ db }) => {
      let next = ''
      while (!isOver || (await left()) > 0) {
        try {
          next = (await fanOut(db, next, 64)).after
        } catch (error) {
          // A process fails this way if it read before another one had committed.
          expect(['22012', '23505']).toContain(sqlState(error))
          rejected++
        }
      }
    })
    await Promise.all(leaving).finally(() => {
      isOver = true
    })
    await Promise.all(shares)
    await Promise.all(processes.map(({ pool }) => pool.end()))
    const expected = bots.flatMap((botId) =>
      ['one', 'two'].flatMap((subject) =>
        Array.from({ length: steps }, (_, step) => eventsOf(botId, step))
          .flat()
          .filter((event) => event.startsWith(subject))
          .map((event) => `${botId} ${event.replace('/', ' ')}`),
      ),
    )
    expect(await deliveries()).toEqual(expected)
    expect(rejected).toBeLessThan(steps)
  })

  test('fan-out aborts when another process has already fanned out the bot', async () => {
    await leave('a', ['one/2'])
    const holder = await app.pool.connect()
    try {
      await holder.query('BEGIN')
      // As another process that shares it out, which is about to commit.
      await holder.query('DELETE FROM webhook_outbox')
      // By a clock that is behind, so that it comes first.
      await leave('a', ['two/1'])
      await app.pool.query(`UPDATE webhook_outbox SET written_at = '2020-01-01' WHERE id = '1'`)
      const rejected = expect(fanOut(app.db, '', 64)).rejects.toThrow()
      await until('it waits', async () => (await waitingForLocks(app.pool)) === 1)
      await holder.query('COMMIT')
      await rejected
      expect(await deliveries()).toEqual([])
    } finally {
      holder.release()
    }
    await fanOutAll(app.db)
    expect(await deliveries()).toEqual(['a two 1'])
  })

  test('fan-out ends with an error that is not about its rows, and skips none of them', async () => {
    await leave('a', ['one/first'])
    await app.pool.query('ALTER TABLE webhook_deliveries RENAME TO hidden')
    try {
      const failed = await fanOutAll(app.db).then(() => undefined, sqlState)
      expect(failed).toBe('42P01')
    } finally {
      await app.pool.query('ALTER TABLE hidden RENAME TO webhook_deliveries')
    }
    await fanOutAll(app.db)
    const { rows } = await app.pool.query('SELECT count(*)::int FROM webhook_deliveries')
    expect(rows).toEqual([{ count: 1 }])
  })

  test('events of a clock that was set back come after existing ones', async () => {
    await leave('a', ['one/first'])
    await app.pool.query(`UPDATE webhook_outbox SET written_at = now() + interval '1 hour'`)
    await leave('a', ['one/second'])
    await leave('a', ['one/again'])
    await fanOutAll(app.db)
    expect(await deliveries('id')).toEqual(['first', 'second', 'again'])
  })

  test('fan-out skips rows that another process has locked, without waiting', async () => {
    await leave('a', ['one/1'])
    await leave('b', ['one/2'])
    const holder = await app.pool.connect()
    try {
      await holder.query('BEGIN')
      await holder.query(`SELECT FROM webhook_outbox WHERE bot_id = 'a' FOR UPDATE`)
      await fanOut(app.db, '', 64)
      expect(await deliveries()).toEqual(['b one 2'])
    } finally {
      await holder.query('ROLLBACK')
      holder.release()
    }
  })

  test('fan-out lets no bot with few events wait behind one with many', async () => {
    for (let at = 0; at < 300; at++) await leave('a', [`one/${at}`])
    await leave('b', ['one/of-b'])
    const { isMoreLeft } = await fanOut(app.db, '', 64)
    expect(isMoreLeft).toBe(true)
    const shared = await deliveries()
    expect(shared).toContain('b one of-b')
    expect(shared.length).toBeLessThanOrEqual(65)
  })

  test('fan-out counts events, not rows', async () => {
    const much = Array.from({ length: 20 }, (_, at) => `one/${at}`)
    for (let step = 0; step < 10; step++) await leave('a', much)
    await fanOut(app.db, '', 64)
    expect(await deliveries()).toHaveLength(4 * 20)
  })

  test('fan-out takes no more rows at once than its bytes allow, and says that more are left', async () => {
    await addResults('a', ['one'])
    // Sixteen rows of a megabyte that cannot be compressed.
    await app.pool.query(
      `INSERT INTO webhook_outbox (bot_id, written_at, id, endpoint_ids, size, events)
      SELECT 'a', now() + n * interval '1 second', n, '{endpoint}', 1, json_build_object('events', json_build_array(json_build_object('subject', 'one',
        'ordinal', 0, 'id', n, 'type', 'result.answered', 'at', now(), 'data', json_build_object('text', (
          SELECT string_agg(encode(sha256((n * 100000 + m)::text::bytea), 'hex'), '') FROM generate_series(1, 16384) m)))))
      FROM generate_series(1, 16) n`,
    )
    const passes: [number, boolean][] = []
    do {
      const { isMoreLeft } = await fanOut(app.db, '', 64)
      passes.push([await left(), isMoreLeft])
    } while (passes.at(-1)?.[1])
    expect(passes.length).toBeGreaterThanOrEqual(4)
    expect(passes.at(-1)).toEqual([0, false])
    expect(await deliveries('seq')).toEqual(Array.from({ length: 16 }, (_, seq) => String(seq)))
  })

  test('every one of many bots gets its turn, while the first always have more events', async () => {
    const bots = Array.from({ length: 100 }, (_, at) => `bot-${String(at).padStart(3, '0')}`)
    let next = ''
    for (let turn = 0; turn < 8; turn++) {
      for (const botId of bots) await leave(botId, [`one/${botId}-${turn}`])
      next = (await fanOut(app.db, next, 64)).after
    }
    // 32, 32, 32 and 4, twice.
    const told = await deliveries('bot_id')
    expect(bots.filter((botId) => told.filter((one) => one === botId).length < 2)).toEqual([])
  })

  test('fan-out lets no bot wait behind those that always enqueue many events at once', async () => {
    const much = Array.from({ length: 20 }, (_, at) => `one/${at}`)
    let next = ''
    await leave('z', ['one/of-z'])
    for (let turn = 0; turn < 4; turn++) {
      for (const botId of ['a', 'b', 'c', 'd', 'e', 'f']) await leave(botId, much)
      next = (await fanOut(app.db, next, 64)).after
    }
    expect(await deliveries()).toContain('z one of-z')
  })

  test('fan-out says that more are left when bots come after its last one, or before its first', async () => {
    for (const botId of Array.from({ length: 40 }, (_, at) => `bot-${10 + at}`)) await leave(botId, ['one/1'])
    expect(await fanOut(app.db, '', 64)).toEqual({ after: 'bot-41', isMoreLeft: true })
    expect(await fanOut(app.db, 'bot-45', 64)).toEqual({
      after: '',
      isMoreLeft: true,
    })
    expect(await fanOut(app.db, '', 64)).toEqual({ after: '', isMoreLeft: false })
    expect(await left()).toBe(0)
  })

  test('fan-out delivers subscribed events to the endpoints that were enabled when they happened', async () => {
    await addEndpoint('off')
    await addEndpoint('picky', ['result.completed'])
    await addEndpoint('soon-off')
    await app.pool.query(`UPDATE webhook_endpoints SET is_enabled = false WHERE id = 'off'`)
    await leave('a', ['one/1'])
    await app.pool.query(`UPDATE webhook_endpoints SET is_enabled = id <> 'soon-off'`)
    await addEndpoint('late')
    await fanOutAll(app.db)
    expect(await deliveries('endpoint_id, id')).toEqual(['endpoint 1', 'soon-off 1'])
  })

  test('no outbox row is added if no endpoint is enabled', async () => {
    await app.pool.query('UPDATE webhook_endpoints SET is_enabled = false')
    await leave('a', ['one/1'])
    expect(await left()).toBe(0)
  })

  test('a turn enqueues no event that no endpoint subscribes to, and is one statement all the same', async () => {
    const flow = bot({ Start: [ask('One'), ask('Two')] }, { variables: ['One', 'Two'] })
    const made = await publish(app, site, flow)
    await app.pool.query('DELETE FROM webhook_endpoints; DELETE FROM webhook_deliveries')
    await addEndpoint('endpoint', ['result.completed', 'bot.updated'])
    await addEndpoint('of bots', ['bot.updated'])
    const [first, second] = [await start(app, made), await start(app, made)]
    const written = async (sessionId: string) => {
      app.statements.length = 0
      await reply(app, sessionId, 'Yes')
      const steps = app.statements.filter((text) => /INTO "result_answers"/.test(text))
      return {
        steps: steps.length,
        withEvents: steps.filter((text) => text.includes('webhook_outbox')).length,
      }
    }
    expect(await written(first.sessionId)).toEqual({ steps: 1, withEvents: 0 })
    expect(await written(first.sessionId)).toEqual({ steps: 1, withEvents: 1 })
    expect(await left()).toBe(1)
    await written(second.sessionId)
    await app.pool.query('UPDATE results SET is_completed = true WHERE id = $1', [second.resultId])
    expect(await written(second.sessionId)).toEqual({ steps: 1, withEvents: 1 })
    expect(await left()).toBe(1)
    await fanOutAll(app.db)
    expect(await deliveries('endpoint_id, subject, type')).toEqual([
      `endpoint ${first.resultId} result.completed`,
    ])
  })

  test('outbox rows are deleted with their workspace, but not with their bot', async () => {
    const { here } = await makeWorld(app)
    await app.client.ok('createWebhookEndpoint', {
      as: here.admin,
      params: { workspaceId: here.workspaceId },
      body: { url: 'https://example.com/hook' },
    })
    const made = await publish(app, here, bot({ Start: [ask('One')] }, { variables: ['One'] }))
    const { sessionId } = await start(app, made)
    await reply(app, sessionId, '1')
    await app.client.ok('deleteBot', { as: here.member, params: { botId: made.id } })
    while (await purgeBatch(app.db, app.clock.now()));
    expect(await left()).toBe(1)
    await app.client.ok('deleteWorkspace', { as: here.admin, params: { workspaceId: here.workspaceId } })
    while (await purgeBatch(app.db, app.clock.now()));
    expect(await left()).toBe(0)
  })
})
