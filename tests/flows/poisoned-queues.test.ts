import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, afterEach, beforeAll, beforeEach, expect } from '@jest/globals'
import { forgetConversations, forgetHours } from '../../server/jobs/expiry.ts'
import { removeFiles } from '../../server/jobs/uploads.ts'
import { createLog } from '../../server/log.ts'
import { streamingClient } from '../../server/outbound/client.ts'
import { rollUpBlocks } from '../../server/results/block-stats.ts'
import { eraseBatch } from '../../server/results/erase.ts'
import { rollUpBatch } from '../../server/results/stats-rollup.ts'
import type { FileStore } from '../../server/uploads/store.ts'
import { startDeliveries } from '../../server/webhooks/deliver.ts'
import { fanOut } from '../../server/webhooks/outbox.ts'
import { type App, startApp } from '../support/app.ts'
import { addEndpoints } from '../support/endpoints.ts'
import { testWithTrigger as test } from '../support/locks.ts'
import { until } from '../support/process.ts'
import { makeWorld, type Site } from '../support/world.ts'

/*
 * One item of a queue that fails each time keeps none of a thousand others: they are done in a bounded number of
 * batches. Sessions, keys, tokens and deliveries that expire are in expiry.test.ts, purges in purge.test.ts, retention
 * of results and of publications in (publication-)retention.test.ts, deleted folders in large-deletions.test.ts, keys
 * of credentials in credentials.test.ts.
 */

const QUEUE_LENGTH = 1_000

let app: App
let site: Site
beforeAll(async () => {
  app = await startApp({ database: { lockTimeout: 30_000, statementTimeout: 30_000 } })
})
afterAll(() => app.stop())
beforeEach(async () => {
  site = (await makeWorld(app)).here
})
afterEach(() => app.pool.query('DROP FUNCTION IF EXISTS fail CASCADE'))

/** Makes the rows of a table that match a condition reject a change. */
async function poison(table: string, change: string, condition: string) {
  await app.pool.query(`
    CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION ''damaged''; END';
    CREATE TRIGGER fail BEFORE ${change} ON ${table} FOR EACH ROW WHEN (${condition}) EXECUTE FUNCTION fail()`)
}

async function count(from: string): Promise<number> {
  return (await app.pool.query(`SELECT count(*)::int FROM ${from}`)).rows[0].count
}

/** Batches until a job has nothing to do; one that throws is tried again, so many times. */
async function batchesOf(batch: () => Promise<boolean>, failures = 3): Promise<number> {
  for (let batches = 1, failed = 0; ; batches++) {
    expect(batches).toBeLessThan(3_000)
    if (!(await batch().catch(() => ++failed < failures))) return batches
  }
}

test('eraseBatch erases all results of a bot but one that fails each time', async () => {
  const botId = site.published.id
  await app.pool.query(
    `INSERT INTO result_erasures (bot_id, result_id, due_at)
    SELECT $1, 'gone-' || n, now() - interval '1 hour' + n * interval '1 millisecond' FROM generate_series(1, ${QUEUE_LENGTH}) n`,
    [botId],
  )
  await poison('result_erasures', 'UPDATE', `OLD.result_id = 'gone-500' AND NEW.passes > OLD.passes`)
  app.statements.length = 0
  // Five batches alone.
  expect(await batchesOf(() => eraseBatch(app.db, app.clock.now()), 1)).toBeLessThanOrEqual(2 * 6)
  // Halves find the one: not a transaction for each.
  expect(app.statements.filter((text) => /^begin/i.test(text)).length).toBeLessThanOrEqual(6 + 2 * 8)
  expect(await count(`result_erasures WHERE result_id LIKE 'gone-%' AND passes = 0`)).toBeLessThanOrEqual(
    1 + 600,
  )
  await batchesOf(() => eraseBatch(app.db, app.clock.now()), 2)
  expect(await count(`result_erasures WHERE result_id LIKE 'gone-%' AND passes = 0`)).toBe(1)
  // Each failure stops the job for some seconds.
  expect(
    await count(`result_erasures WHERE result_id = 'gone-500' AND due_at > now() + interval '10 minutes'`),
  ).toBe(1)
})

test('removeFiles removes all files but one that the store cannot remove', async () => {
  const removed = new Set<string>()
  const store = {
    async remove(id: string) {
      if (id === 'file-500') throw new Error('cannot be removed')
      removed.add(id)
    },
  } as unknown as FileStore
  await app.pool.query(
    `INSERT INTO uploads (bot_id, id, session_id, name, media_type, size, is_private, is_complete, remove_at, created_at)
    SELECT $1, 'file-' || n, 'session', 'a.txt', 'text/plain', 1, false, true,
      $2::timestamptz - interval '1 hour' + n * interval '1 millisecond', $2
    FROM generate_series(1, ${QUEUE_LENGTH}) n`,
    [site.published.id, app.clock.now()],
  )
  // Five batches alone; the one with the failing file throws, and the next one continues.
  expect(await batchesOf(() => removeFiles(app.db, store, app.clock.now()), 2)).toBeLessThanOrEqual(2 * 6)
  expect(removed.size).toBe(QUEUE_LENGTH - 1)
  expect(await count(`uploads WHERE id LIKE 'file-%'`)).toBe(1)
})

test('forgetHours forgets all hours but one that fails each time', async () => {
  await app.pool.query(
    `INSERT INTO bot_stats_hourly (bot_id, hour)
    SELECT $1, '2020-01-01'::timestamptz + n * interval '1 hour' FROM generate_series(1, ${QUEUE_LENGTH}) n`,
    [site.published.id],
  )
  await poison('bot_stats_hourly', 'DELETE', `OLD.hour = '2020-01-01'::timestamptz + interval '500 hours'`)
  expect(await batchesOf(() => forgetHours(app.db, app.clock.now()), 1)).toBeLessThanOrEqual(30)
  expect(await count(`bot_stats_hourly WHERE hour < '2021-01-01'`)).toBe(1)
})

test('forgetConversations deletes conversations beside an event that fails each time', async () => {
  await app.pool.query(
    `INSERT INTO chatwoot_conversations (bot_id, credentials_id, conversation_id, workspace_id, session_id, status,
      channel, when_over, when_returned, started_at, sent_revision, sent_ordinal, sent_parts, last_message_id,
      handed_after, handed_at, is_note_due, changes, failures, updated_at)
    SELECT $1, 'c', n, $2, NULL, 'open', 'Channel::Api', 'open', 'resume', 0, 0, 0, 0, 0, 0, 0, false, 1, 0, '2020-01-01'
    FROM generate_series(1, ${QUEUE_LENGTH}) n`,
    [site.published.id, site.workspaceId],
  )
  await app.pool.query(
    `INSERT INTO chatwoot_events SELECT $1, 'c', n, 'm', 1, NULL, '2020-01-01' FROM generate_series(1, ${QUEUE_LENGTH}) n`,
    [site.published.id],
  )
  await poison('chatwoot_events', 'DELETE', `OLD.conversation_id = 500`)
  expect(await batchesOf(() => forgetConversations(app.db, app.clock.now()), 1)).toBeLessThanOrEqual(30)
  expect(await count('chatwoot_events')).toBe(1)
  expect(await count('chatwoot_conversations')).toBe(0)
})

test('rollUpBatch examines all bots beside one that fails each time', async () => {
  await app.pool.query(
    `INSERT INTO stats_rollups (bot_id, due_at) SELECT 'roll-' || n, $1::timestamptz - n * interval '1 second'
    FROM generate_series(1, ${QUEUE_LENGTH}) n`,
    [app.clock.now()],
  )
  await poison('stats_rollups', 'DELETE', `OLD.bot_id = 'roll-500'`)
  expect(await batchesOf(() => rollUpBatch(app.db, app.clock.now()))).toBeLessThanOrEqual(QUEUE_LENGTH + 3)
  expect(await count(`stats_rollups WHERE bot_id LIKE 'roll-%'`)).toBe(1)
})

test('rollUpBlocks counts the days of all bots beside one whose day fails each time', async () => {
  await app.pool.query(
    `INSERT INTO bot_stats_daily (bot_id, day, computed_epoch) SELECT 'blocks-' || n, '2020-01-01', 0
    FROM generate_series(1, ${QUEUE_LENGTH}) n`,
  )
  await poison('bot_stats_daily', 'UPDATE', `OLD.bot_id = 'blocks-500' AND NEW.blocks_epoch = NEW.epoch`)
  // Eleven alone.
  expect(await batchesOf(() => rollUpBlocks(app.db), 2)).toBeLessThanOrEqual(2 * 11)
  expect(await count(`bot_stats_daily WHERE bot_id LIKE 'blocks-%' AND blocks_epoch IS NULL`)).toBe(1)
})

async function replaceEndpoints(number: number, url = 'https://receiver.example/') {
  await app.pool.query(
    'DELETE FROM webhook_endpoints; DELETE FROM webhook_deliveries; DELETE FROM webhook_events; DELETE FROM webhook_outbox',
  )
  const ids = Array.from({ length: number }, (_, at) => `endpoint-${at + 1}`)
  await addEndpoints(
    app,
    site.workspaceId,
    ids.map((id) => ({ id, url })),
  )
}

test('fanOut fans out all rows of all bots but one that fails each time', async () => {
  await replaceEndpoints(1)
  const data = `{"id":"x"}`
  const events = `json_build_object('events', json_build_array(json_build_object('subject', r.id, 'ordinal', 0, 'id', 'event-' || b.n || '-' || m,
    'type', 'result.answered', 'at', now(), 'data', '${data}'::json)))`
  await app.pool.query(
    `INSERT INTO bots (id, workspace_id, name, version, revision, created_at, updated_at)
    SELECT 'shared-' || n, $1, 'Bot', '6.1', 1, now(), now() FROM generate_series(1, 10) n`,
    [site.workspaceId],
  )
  await app.pool.query(`
    INSERT INTO results (bot_id, id, variables, created_at, updated_at)
    SELECT 'shared-' || n, 'result-' || n, '[]', now(), now() FROM generate_series(1, 10) n;
    INSERT INTO webhook_outbox (bot_id, written_at, id, endpoint_ids, size, events)
    SELECT 'shared-' || b.n, now() + m * interval '1 millisecond', 'row-' || b.n || '-' || m, '{endpoint-1}', 1, ${events}
    FROM generate_series(1, 10) AS b(n) CROSS JOIN generate_series(1, 100) AS m
    JOIN LATERAL (SELECT 'result-' || b.n AS id) r ON true`)
  await poison('webhook_outbox', 'DELETE', `OLD.id = 'row-5-50'`)
  let after = ''
  const share = async () => {
    const shared = await fanOut(app.db, after, 64)
    after = shared.after
    return shared.isMoreLeft
  }
  // Sixteen alone.
  expect(await batchesOf(share)).toBeLessThanOrEqual(60)
  expect(await count('webhook_outbox')).toBe(1)
  expect(await count(`webhook_deliveries WHERE id LIKE 'event-%'`)).toBe(QUEUE_LENGTH - 1)
})

for (const [what, change, condition] of [
  ['taken', 'UPDATE', `OLD.id = 'delivery-5-50'`],
  ['written as delivered', 'UPDATE', `OLD.id = 'delivery-5-50' AND NEW.is_delivered`],
] as const)
  test(`startDeliveries posts all deliveries beside one that cannot be ${what}`, async () => {
    const posted: string[] = []
    const receiver: Server = createServer(async (request, response) => {
      for await (const _ of request);
      posted.push(String(request.headers['webhook-id']))
      response.writeHead(200).end()
    })
    await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve))
    const host = `127.0.0.1:${(receiver.address() as AddressInfo).port}`
    await replaceEndpoints(10, `http://${host}/`)
    await app.pool.query(`
      WITH added AS (
        INSERT INTO webhook_deliveries (bot_id, endpoint_id, subject, seq, id, type, size, created_at, next_attempt_at)
        SELECT 'bot', 'endpoint-' || n, 'subject-' || m, 0, 'delivery-' || n || '-' || m, 'bot.updated', 2, now(), 'epoch'
        FROM generate_series(1, 10) n, generate_series(1, 100) m RETURNING *
      )
      INSERT INTO webhook_events (bot_id, subject, id, data) SELECT bot_id, subject, id, '{}' FROM added`)
    await poison('webhook_deliveries', change, condition)
    const post = streamingClient({ allowedHosts: [host] })
    const log = createLog('silent', { write() {} })
    app.statements.length = 0
    const sender = startDeliveries({ db: app.db, log, keyring: app.keyring, post }, 20)
    try {
      await until('all others are delivered', async () => {
        return (await count('webhook_deliveries WHERE is_delivered')) === QUEUE_LENGTH - 1
      })
    } finally {
      await sender.stop()
      receiver.closeAllConnections()
      receiver.close()
    }
    // An event whose delivery cannot be recorded is not posted again and again.
    expect(posted.length).toBeLessThanOrEqual(QUEUE_LENGTH)
    const takes = app.statements.filter((text) => text.includes('"passedOver"')).length
    expect(takes).toBeLessThan(400)
  })
