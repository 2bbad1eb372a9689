import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals'
import type pg from 'pg'
import { rollUpBatch } from '../../server/results/stats-rollup.ts'
import { type App, startApp } from '../support/app.ts'
import { ask, bot } from '../support/chat.ts'
import { publish, reply, start, tryReply } from '../support/chats.ts'
import { waitingForLocks } from '../support/locks.ts'
import { until } from '../support/process.ts'
import { makeWorld, type World } from '../support/world.ts'

/*
 * Statements that lock and change at once (`server/LOCKS.md`), each blocked by a transaction that changes what its lock
 * guards. What it waited for it sees; all else it sees as of its beginning.
 */

let app: App
let world: World
beforeAll(async () => {
  app = await startApp()
})
afterAll(() => app.stop())
beforeEach(async () => {
  world = await makeWorld(app)
})

/** Runs `work` so that it waits for a transaction with these statements, which is committed then. */
async function behind<T>(
  statements: [text: string, ...values: unknown[]][],
  work: () => Promise<T>,
): Promise<T> {
  const holder: pg.PoolClient = await app.pool.connect()
  try {
    await holder.query('BEGIN')
    for (const [text, ...values] of statements) await holder.query(text, values)
    const done = work()
    done.catch(() => {})
    await until('it waits', async () => (await waitingForLocks(app.pool)) > 0)
    await holder.query('COMMIT')
    return await done
  } catch (error) {
    await holder.query('ROLLBACK')
    throw error
  } finally {
    holder.release()
  }
}

const flow = bot({ Start: [ask('One'), ask('Two'), ask('Three')] }, { variables: ['One', 'Two', 'Three'] })

const rowsOf = async (table: string, botId: string, resultId: string) =>
  (await app.pool.query(`SELECT FROM ${table} WHERE bot_id = $1 AND result_id = $2`, [botId, resultId]))
    .rowCount

test('a publication is later than one that was committed while it waited for the bot', async () => {
  const { member: as, published } = world.here
  const params = { botId: published.id }
  const later = [published.id, new Date(app.clock.now().getTime() + 60_000)]
  const answer = await behind(
    [
      ['SELECT FROM bots WHERE id = $1 FOR UPDATE', published.id],
      [
        `INSERT INTO bot_publications (bot_id, id, source_revision, version, groups, edges, variables, theme, settings,
          warnings, published_by, created_at)
        SELECT bot_id, 'later', source_revision, version, groups, edges, variables, theme, settings, warnings, published_by, $2
        FROM bot_publications WHERE bot_id = $1 LIMIT 1`,
        ...later,
      ],
      [`UPDATE published_bots SET publication_id = 'later', updated_at = $2 WHERE bot_id = $1`, ...later],
    ],
    () => app.client.call('publishBot', { as, params }),
  )
  expect(answer.status).toBe(200)
  const { publications } = await app.client.ok('listPublications', { as, params })
  expect(publications[0]?.isLive).toBe(true)
  expect(publications[1]?.id).toBe('later')
})

test('no bot is made in a workspace that was deleted while it waited', async () => {
  const { member: as, workspaceId } = world.here
  const deletion = 'UPDATE workspaces SET deleted_at = now() WHERE id = $1'
  const answer = await behind(
    [
      ['SELECT FROM workspaces WHERE id = $1 FOR UPDATE', workspaceId],
      [deletion, workspaceId],
    ],
    () => app.client.call('createBot', { as, body: { workspaceId, bot: { name: 'Late' } } }),
  )
  expect(answer.status).toBe(403)
  const { rows } = await app.pool.query(`SELECT FROM bots WHERE workspace_id = $1 AND name = 'Late'`, [
    workspaceId,
  ])
  expect(rows).toEqual([])
})

test('no token is made for a user who was disabled while it waited', async () => {
  const { id, ...as } = world.here.member
  const answer = await behind(
    [
      ['SELECT FROM users WHERE id = $1 FOR UPDATE', id],
      ['UPDATE users SET disabled_at = now() WHERE id = $1', id],
    ],
    () => app.client.call('createToken', { as, body: { name: 'Late' } }),
  )
  expect(answer.status).not.toBe(201)
  const { rows } = await app.pool.query(`SELECT FROM api_tokens WHERE owner_user_id = $1 AND name = 'Late'`, [
    id,
  ])
  expect(rows).toEqual([])
})

test('a chat that starts while all results are deleted has its result above the floor', async () => {
  const made = await publish(app, world.here, flow)
  const floor = new Date(app.clock.now().getTime() + 60_000)
  const { resultId = '' } = await behind(
    [
      ['SELECT FROM bots WHERE id = $1 FOR UPDATE', made.id],
      ['UPDATE bots SET results_floor_at = $2 WHERE id = $1', made.id, floor],
    ],
    () => start(app, made),
  )
  const { rows } = await app.pool.query('SELECT created_at FROM results WHERE bot_id = $1 AND id = $2', [
    made.id,
    resultId,
  ])
  expect(rows[0].created_at.getTime()).toBeGreaterThan(floor.getTime())
})

// One answer is written by the statement of usual turns, the end of a chat with logs by that of all others.
test.each([
  ['usual', flow],
  [
    'any other',
    bot(
      {
        Start: [
          ask('One'),
          { type: 'webhook', options: { webhook: { url: 'http://closed.invalid/' } } },
          ask('Two'),
        ],
      },
      { variables: ['One', 'Two'] },
    ),
  ],
])('an answer of a %s turn to a result that was deleted while it waited is not stored', async (_, flow) => {
  const made = await publish(app, world.here, flow)
  const { sessionId, resultId = '' } = await start(app, made)
  const isThis = 'bot_id = $1 AND id = $2'
  await behind([[`DELETE FROM results WHERE ${isThis}`, made.id, resultId]], () =>
    tryReply(app, sessionId, 'secret'),
  )
  for (const table of ['result_answers', 'result_logs', 'result_transcripts'])
    expect([table, await rowsOf(table, made.id, resultId)]).toEqual([table, 0])
  const { rows } = await app.pool.query(`SELECT FROM results WHERE ${isThis}`, [made.id, resultId])
  expect(rows).toEqual([])
})

test('the result of a linked bot that was deleted while a turn waited is not made again', async () => {
  const inner = await publish(app, world.here, flow)
  const link = { type: 'Bot link', options: { botId: inner.id, mergeResults: false } }
  const outer = await publish(app, world.here, bot({ Start: [link] }))
  const { sessionId } = await start(app, outer)
  await reply(app, sessionId, 'first', 1)
  const { rows: found } = await app.pool.query('SELECT id FROM results WHERE bot_id = $1', [inner.id])
  await behind([['DELETE FROM results WHERE bot_id = $1', inner.id]], () =>
    reply(app, sessionId, 'second', 2),
  )
  const { rows } = await app.pool.query('SELECT FROM results WHERE bot_id = $1', [inner.id])
  expect([found.length, rows.length]).toEqual([1, 0])
})

test('two chats of one result that answer at once store both answers, and publish its start once', async () => {
  const made = await publish(app, world.here, flow)
  const { sessionId, resultId = '' } = await start(app, made)
  await app.client.ok('createWebhookEndpoint', {
    as: world.here.admin,
    params: { workspaceId: world.here.workspaceId },
    body: { url: 'https://receiver.example/' },
  })
  const answer = `INSERT INTO result_answers (bot_id, result_id, seq, block_id, content, created_at)
    VALUES ($1, $2, 0, 'Start.0', 'other', now())`
  await behind(
    [
      ['UPDATE results SET has_started = true WHERE bot_id = $1 AND id = $2', made.id, resultId],
      [answer, made.id, resultId],
    ],
    () => reply(app, sessionId, 'mine', 1),
  )
  const { rows } = await app.pool.query(
    'SELECT content FROM result_answers WHERE bot_id = $1 AND result_id = $2 ORDER BY seq',
    [made.id, resultId],
  )
  expect(rows.map(({ content }) => content)).toEqual(['other', 'mine'])
  const { rows: left } = await app.pool.query('SELECT events::text FROM webhook_outbox WHERE bot_id = $1', [
    made.id,
  ])
  expect(left.map(({ events }) => events).join()).not.toMatch(/result\.started".*result\.started"/)
})

test('logs of a client to a result that was deleted while they waited are not stored', async () => {
  const made = await publish(app, world.here, flow)
  for (const isRead of [false, true]) {
    const { sessionId, resultId = '' } = await start(app, made)
    // A process that has run the flow writes them without a look at the session.
    if (isRead) app.forgetFlows()
    await behind([['DELETE FROM results WHERE bot_id = $1 AND id = $2', made.id, resultId]], () =>
      app.client.call('saveClientLogs', {
        params: { sessionId },
        body: { clientLogs: [{ description: 'secret' }] },
      }),
    )
    expect(await rowsOf('result_logs', made.id, resultId)).toBe(0)
  }
})

test('no day is stored of a bot that was deleted while its results were to be counted', async () => {
  const { id } = world.here.published
  await app.pool.query(
    `INSERT INTO stats_rollups (bot_id, due_at, has_many_answers) VALUES ($1, 'epoch', true)`,
    [id],
  )
  const now = new Date(app.clock.now().getTime() + 72 * 60 * 60 * 1000)
  await behind(
    [
      ['SELECT FROM bots WHERE id = $1 FOR UPDATE', id],
      ['UPDATE bots SET deleted_at = now() WHERE id = $1', id],
    ],
    () => rollUpBatch(app.db, now),
  )
  const { rows } = await app.pool.query('SELECT FROM bot_stats_daily WHERE bot_id = $1', [id])
  expect(rows).toEqual([])
})
