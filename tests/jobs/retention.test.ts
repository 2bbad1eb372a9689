import { afterAll, beforeAll, beforeEach, describe, expect, jest, test } from '@jest/globals'
import { MS_PER_HOUR } from '../../server/durations.ts'
import { readTime } from '../../server/jobs/index.ts'
import { purgeBatch } from '../../server/jobs/purge.ts'
import { expireResults } from '../../server/jobs/results-retention.ts'
import { fanOutAll } from '../../server/webhooks/outbox.ts'
import { type App, startApp } from '../support/app.ts'
import { anyBody } from '../support/client.ts'
import { testWithTrigger } from '../support/locks.ts'
import { makeWorld, type Site, type World } from '../support/world.ts'

/*
 * Retention of results. The clock of the database decides on their age, while that of the process stands at some day:
 * a deletion by that clock would delete others.
 */

let app: App
let world: World
let here: Site
beforeAll(async () => {
  app = await startApp({ config: { RESULTS_RETENTION_DAYS: 365 } })
})
beforeEach(async () => {
  await app.pool.query('TRUNCATE results, result_answers, result_logs, purges')
  await app.pool.query('UPDATE workspaces SET results_retention_days = NULL')
  world = await makeWorld(app)
  here = world.here
})
afterAll(() => app.stop())

/** Adds results that are so many days old, with an answer and a log each; their ids are their ages. */
async function addResults(botId: string, ages: number[]) {
  for (const table of ['results', 'result_answers', 'result_logs']) {
    await app.pool.query(`DELETE FROM ${table} WHERE bot_id = $1`, [botId])
  }
  for (const age of ages) {
    const values = [botId, String(age)]
    const time = `date_trunc('day', now() AT TIME ZONE 'UTC') AT TIME ZONE 'UTC' + interval '1 hour'
      - ${age} * interval '24 hours'`
    await app.pool.query(
      `INSERT INTO results (bot_id, id, variables, has_started, created_at, updated_at)
      VALUES ($1, $2, '[]', true, ${time}, ${time})`,
      values,
    )
    await app.pool.query(
      `INSERT INTO result_answers (bot_id, result_id, seq, block_id, content, created_at)
      VALUES ($1, $2, 0, 'block-email', 'a', ${time})`,
      values,
    )
    await app.pool.query(
      `INSERT INTO result_logs (bot_id, result_id, id, status, description, created_at)
      VALUES ($1, $2, 'log', 'error', 'x', ${time})`,
      values,
    )
  }
}

const expire = (days?: number) => expireResults(app.db, days, app.clock.now())

async function purge() {
  while (await purgeBatch(app.db, app.clock.now()));
}

const seen = async (botId: string) => {
  const { results } = await app.client.ok('listResults', { as: here.member, params: { botId } })
  return results.map(({ id }) => Number(id))
}

const keep = (days: unknown, as = here.admin) =>
  app.client.call('updateWorkspace', {
    as,
    params: { workspaceId: here.workspaceId },
    body: anyBody({ resultsRetentionDays: days }),
  })

/** The ids of what is left, from whichever table. */
const stored = async (table: string, column: string, botId: string) => {
  const { rows } = await app.pool.query(
    `SELECT ${column}::int AS id FROM ${table} WHERE bot_id = $1 ORDER BY 1`,
    [botId],
  )
  return rows.map(({ id }) => id)
}

test('readTime ignores a clock that is ahead of the database', async () => {
  const real = Date.now()
  const clock = jest.spyOn(Date, 'now')
  try {
    for (const [aheadHours, hours] of [
      [26, 0],
      [-26, -26],
    ] as const) {
      clock.mockImplementation(() => real + aheadHours * MS_PER_HOUR)
      const time = await readTime(app.db)
      expect(Math.abs(time.getTime() - real - hours * MS_PER_HOUR)).toBeLessThan(MS_PER_HOUR)
    }
  } finally {
    clock.mockRestore()
  }
})

describe('results', () => {
  test('are kept for ever without a configured retention', async () => {
    await addResults(here.draft.id, [0, 9_000])
    await expire()
    expect(await seen(here.draft.id)).toEqual([0, 9_000])
    expect((await app.pool.query('SELECT FROM purges')).rowCount).toBe(0)
  })

  test('results older than the retention in whole days are deleted, with all that belongs to them', async () => {
    const { id } = here.draft
    await addResults(id, [0, 29, 30, 31, 400])
    await expire(30)
    expect(await seen(id)).toEqual([0, 29, 30])
    const totals = await app.client.ok('getStats', { as: here.member, params: { botId: id } })
    expect(totals.stats.totalStarts).toBe(3)
    await purge()
    for (const [table, column] of [
      ['results', 'id'],
      ['result_answers', 'result_id'],
      ['result_logs', 'result_id'],
    ] as const) {
      expect([table, await stored(table, column, id)]).toEqual([table, [0, 29, 30]])
    }
  })

  test('beyond the retention are in the audit log, and published as deleted', async () => {
    const { id: botId } = here.draft
    const { workspaceId, admin: as } = here
    await app.client.ok('createWebhookEndpoint', {
      as,
      params: { workspaceId },
      body: { url: 'https://receiver.example/', types: ['results.deleted'] },
    })
    await addResults(botId, [0, 29, 31, 400])
    await expire(30)
    const { entries } = await app.client.ok('listAuditLog', { as, params: { workspaceId } })
    const [entry, ...others] = entries.filter(({ recordId }) => recordId === botId)
    const createdBefore = String(entry?.details?.createdBefore)
    const { rows } = await app.pool.query('SELECT results_floor_at FROM bots WHERE id = $1', [botId])
    expect(Date.parse(createdBefore)).toBe(rows[0].results_floor_at.getTime() + 1)
    expect(entry).toMatchObject({ operation: 'deleteResults', userId: null, tokenId: null })
    expect([others, entry?.details]).toEqual([[], { count: 2, createdBefore }])
    await fanOutAll(app.db)
    const events = await app.pool.query(
      `SELECT e.data FROM webhook_deliveries JOIN webhook_events e USING (bot_id, subject, id)
      WHERE type = 'results.deleted' AND bot_id = $1`,
      [botId],
    )
    expect(events.rows.map(({ data }) => JSON.parse(data))).toEqual([
      { botId, resultIds: null, createdBefore },
    ])
  })

  testWithTrigger('in a bot that cannot be changed do not keep those of other bots', async () => {
    const ids = [here.draft.id, here.published.id, world.there.draft.id].sort() as [string, string, string]
    for (const id of ids) await addResults(id, [0, 400])
    await app.pool.query(`
      CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION ''damaged''; END';
      CREATE TRIGGER fail BEFORE UPDATE ON bots FOR EACH ROW
      WHEN (OLD.id = '${ids[0]}') EXECUTE FUNCTION fail()`)
    try {
      await expect(expire(30)).rejects.toThrow()
      const { rows } = await app.pool.query('SELECT bot_id FROM purges WHERE bot_id = ANY($1) ORDER BY 1', [
        ids,
      ])
      expect(rows.map(({ bot_id }) => bot_id)).toEqual(ids.slice(1))
    } finally {
      await app.pool.query('DROP FUNCTION fail CASCADE')
    }
  })

  test('in bots whose look-up fails do not keep those of other bots', async () => {
    const { id } = here.draft
    await addResults(id, [0, 40])
    await keep(30)
    // No date is so far back.
    const { workspaceId } = world.there
    await app.pool.query('UPDATE workspaces SET results_retention_days = 2147483647 WHERE id = $1', [
      workspaceId,
    ])
    await expect(expire()).rejects.toThrow()
    expect(await seen(id)).toEqual([0])
  })

  test('in a deleted workspace are left to its purge', async () => {
    await addResults(here.draft.id, [0, 40])
    const params = { workspaceId: here.workspaceId }
    await app.client.ok('deleteWorkspace', { as: here.admin, params })
    await expire(30)
    const { rows } = await app.pool.query(
      `SELECT operation FROM audit_log WHERE workspace_id = $1 AND operation = 'deleteResults'`,
      [here.workspaceId],
    )
    expect(rows).toEqual([])
  })

  test('are deleted by the retention of the workspace where that is shorter, never later', async () => {
    const { id } = here.draft
    const { id: other } = world.there.draft
    await addResults(id, [0, 8, 20, 40])
    await addResults(other, [0, 8, 20, 40])
    // As it was said before the installation said less.
    await app.pool.query('UPDATE workspaces SET results_retention_days = 300')
    expect((await keep(7)).status).toBe(200)
    await expire(30)
    expect(await seen(id)).toEqual([0])
    expect(await stored('results', 'id', other)).toEqual([0, 8, 20, 40])
    await purge()
    expect(await stored('results', 'id', other)).toEqual([0, 8, 20])
  })

  test('that were deleted stay so after a longer retention', async () => {
    const { id } = here.draft
    await addResults(id, [0, 8])
    await keep(7)
    await expire()
    await keep(null)
    await expire()
    expect(await seen(id)).toEqual([0])
  })

  test('are examined once a day: a second pass changes nothing, nor does one at a bot without old ones', async () => {
    await addResults(here.draft.id, [0, 40])
    await addResults(here.published.id, [0])
    await expire(30)
    await purge()
    app.statements.length = 0
    await expire(30)
    expect(app.statements.filter((text) => /update|insert|begin/i.test(text))).toEqual([])
    const { rows } = await app.pool.query('SELECT results_floor_at FROM bots WHERE id = $1', [
      here.published.id,
    ])
    expect(rows).toEqual([{ results_floor_at: null }])
  })

  test('are found however many bots have none', async () => {
    await app.pool.query(
      `INSERT INTO bots (id, workspace_id, name, version, revision, created_at, updated_at)
      SELECT CASE WHEN n < 1000 THEN 'a-' || lpad(n::text, 5, '0') ELSE 'b-last' END, $1, 'Empty', '6.1', 1, now(), now()
      FROM generate_series(1, 1000) n`,
      [here.workspaceId],
    )
    await addResults(here.draft.id, [0, 40])
    expect(here.draft.id < 'a-').toBe(true)
    await addResults('b-last', [40])
    await expire(30)
    await purge()
    expect(await stored('results', 'id', 'b-last')).toEqual([])
    expect(await stored('results', 'id', here.draft.id)).toEqual([0])
  })
})

describe('the retention of a workspace', () => {
  test.each([0, 36_501, 1.5, '30', true])('is not %p days', async (days) => {
    const { status, body } = await keep(days)
    expect([status, body.issues?.[0]?.path]).toEqual([400, ['body', 'resultsRetentionDays']])
  })

  test('is set by its admins, at creation or later, and readable by all', async () => {
    const { workspace } = await app.client.ok('createWorkspace', {
      as: here.admin,
      body: { name: 'Brief', resultsRetentionDays: 5 },
    })
    const read = async (as = here.admin, workspaceId = workspace.id) =>
      (await app.client.ok('getWorkspace', { as, params: { workspaceId } })).workspace.resultsRetentionDays
    expect(await read()).toBe(5)
    expect((await keep(365)).status).toBe(200)
    expect(await read(here.guest, here.workspaceId)).toBe(365)
    expect((await keep(30, here.member)).status).toBe(403)
    expect((await keep(null)).status).toBe(200)
    expect(await read(here.guest, here.workspaceId)).toBeNull()
  })

  test('is at most that of the installation', async () => {
    const issue = {
      path: ['body', 'resultsRetentionDays'],
      code: 'too_big',
      message: 'Too big: this installation keeps results for 365 days',
    }
    const rejected = await keep(366)
    expect([rejected.status, rejected.body.issues]).toEqual([400, [issue]])
    const body = { name: 'Long', resultsRetentionDays: 366 }
    const made = await app.client.call('createWorkspace', { as: here.admin, body })
    expect([made.status, made.body.issues]).toEqual([400, [issue]])
  })
})
