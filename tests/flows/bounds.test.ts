import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { sql } from 'drizzle-orm'
import type { BotGrant } from '../../server/access/index.ts'
import { transact } from '../../server/db/client.ts'
import { withinPage } from '../../server/db/page.ts'
import { removeRows } from '../../server/db/row-batches.ts'
import { bots, resultLogs } from '../../server/db/schema.ts'
import { cacheDraft, getCachedDraft } from '../../server/documents/drafts.ts'
import { readFlows } from '../../server/results/columns.ts'
import { safeName } from '../../server/uploads/kinds.ts'
import { type App, startApp } from '../support/app.ts'
import { boundNamed } from '../support/bounds.ts'
import type { Caller } from '../support/client.ts'
import { addEndpoints } from '../support/endpoints.ts'
import { makeWorld, type World } from '../support/world.ts'

/*
 * As much as server/BOUNDS.md allows is taken, and one more is not, with the defaults of the service. Bounds that take
 * long to reach are driven by the tests that the table names.
 */

let app: App
let world: World
const started: App[] = []

beforeAll(async () => {
  app = await startApp()
  world = await makeWorld(app)
})
afterAll(async () => {
  for (const one of started) await one.stop()
  await app.stop()
})

/** With limits whose window lasts longer than a test. */
async function limited(): Promise<App> {
  const config = { RATE_LIMIT: true, RATE_LIMIT_SECONDS: 3_600 }
  const one = await startApp({ databaseUrl: app.databaseUrl, config })
  started.push(one)
  return one
}

/** The statuses of so many requests and one more, in their order, each once for those in a row. */
async function statusesOf(count: number, send: (nth: number) => Promise<{ status: number }>) {
  const statuses: number[] = []
  for (let nth = 0; nth <= count; nth++) statuses.push((await send(nth)).status)
  return statuses.flatMap((status, at) => (status === statuses[at - 1] ? [] : [[status, at]]))
}

const list = (by: App, as?: Caller) => by.client.call('listWorkspaces', { as })

test('a token sends as many requests as the table says, and one more is a 429', async () => {
  const by = await limited()
  const most = boundNamed('RATE_LIMIT_TOKEN')
  expect(await statusesOf(most, () => list(by, world.here.admin))).toEqual([
    [200, 0],
    [429, most],
  ])
})

test('the tokens of a user send as many requests as the table says, and one more is a 429', async () => {
  const by = await limited()
  const each = boundNamed('RATE_LIMIT_TOKEN')
  const tokens: Caller[] = []
  for (let nth = 0; nth <= boundNamed('TOKENS_PER_USER'); nth++) {
    const body = { name: `Token ${nth}` }
    const { apiToken } = await app.client.ok('createToken', { as: world.stranger, body })
    tokens.push({ token: apiToken.token })
  }
  const most = boundNamed('TOKENS_PER_USER') * each
  expect(await statusesOf(most, (nth) => list(by, tokens[Math.floor(nth / each)]))).toEqual([
    [200, 0],
    [429, most],
  ])
})

test('an address sends as many requests as the table says, and one more is a 429', async () => {
  const by = await limited()
  const most = boundNamed('RATE_LIMIT_ADDRESS')
  expect(await statusesOf(most, () => list(by))).toEqual([
    [401, 0],
    [429, most],
  ])
})

test('an address loads as many pages as the table says, and one more is a 429', async () => {
  const by = await limited()
  const most = boundNamed('MAX_PAGES_PER_ADDRESS')
  expect(await statusesOf(most, () => fetch(`${by.url}/chat/files/star.svg`))).toEqual([
    [200, 0],
    [429, most],
  ])
})

test('a body without a document has as many bytes as the table says, and one more is a 413', async () => {
  const most = boundNamed('MAX_BODY_BYTES')
  const send = (bytes: number) =>
    fetch(`${app.url}/v1/workspaces`, {
      method: 'POST',
      headers: {
        Authorization: `Bearer ${world.stranger.token}`,
        'Content-Type': 'application/json',
      },
      body: '{"name":"Large"}'.padEnd(bytes),
    })
  expect([(await send(most)).status, (await send(most + 1)).status]).toEqual([201, 413])
})

test('a name of a file has as many bytes as the table says, and is cut beyond', () => {
  const most = boundNamed('MAX_NAME_BYTES')
  // Only a few letters, since letters have a bound of their own.
  const letters = Math.floor((most - 4) / 3)
  const name = `${'名'.repeat(letters)}${'a'.repeat(most - 4 - 3 * letters)}.pdf`
  expect(safeName(name)).toBe(name)
  expect(Buffer.byteLength(name)).toBe(most)
  const cut = safeName(`a${name}`)
  expect([Buffer.byteLength(cut) <= most, cut.endsWith('.pdf')]).toEqual([true, true])
})

test('a page ends once its entries have as many bytes as the table says', async () => {
  const most = boundNamed('MAX_PAGE_BYTES')
  const idsOf = async (...sizes: number[]) => {
    const values = sql.join(
      sizes.map((size, at) => sql`(${at}::integer, ${size}::integer)`),
      sql`, `,
    )
    const rows = sql`SELECT * FROM (VALUES ${values}) AS v(id, size)`
    const bytes = sql`${bots}.size`
    const { rows: found } = await app.db.execute(
      sql`SELECT id, is_beyond FROM ${withinPage(rows, bots, bytes, [sql`${bots}.id`])} ORDER BY id`,
    )
    return found.map(({ id, is_beyond }) => [id, is_beyond])
  }
  const page = [
    [0, false],
    [1, false],
  ]
  expect(await idsOf(most - 2, 1, 5, 7)).toEqual([...page, [2, false], [3, true]])
  expect(await idsOf(most - 1, 1, 5, 7)).toEqual([...page, [2, true]])
  expect(await idsOf(most, 1)).toEqual([
    [0, false],
    [1, true],
  ])
})

test('a search examines as many bytes as the table says, and no result more', async () => {
  const { draft, member } = world.here
  const most = boundNamed('MAX_EXAMINED_BYTES')
  const add = (id: string, ageHours: number, answers: number[]) =>
    app.pool.query(
      `WITH made AS (
        INSERT INTO results (bot_id, id, variables, has_started, is_completed, created_at, updated_at)
        SELECT $1, $2, '[]', true, true, at, at FROM (SELECT now() - $3::integer * interval '1 hour' AS at) AS made)
      INSERT INTO result_answers (bot_id, result_id, seq, block_id, content, created_at)
      SELECT $1, $2, seq, 'b', repeat('x', size), now() FROM unnest($4::integer[]) WITH ORDINALITY AS a(size, seq)`,
      [draft.id, id, ageHours, answers],
    )
  await add('newest', 1, Array(32).fill(most / 32))
  await add('older', 2, [1])
  await app.pool.query("UPDATE result_answers SET content = 'y' WHERE result_id = 'older'")
  const found = async () => {
    const asked = { as: member, params: { botId: draft.id }, query: { answerContains: 'y' } }
    return (await app.client.ok('listResults', asked)).results.map(({ id }) => id)
  }
  expect(await found()).toEqual([])
  await app.pool.query(
    "UPDATE result_answers SET content = substr(content, 2) WHERE result_id = 'newest' AND seq = 1",
  )
  expect(await found()).toEqual(['older'])
})

test('a response of as many bytes as the table says is stored beside its key, and a larger one apart', async () => {
  const as = world.stranger
  const create = async (icon: string) => {
    const headers = { 'Idempotency-Key': randomUUID() }
    const { text } = await app.client.call('createWorkspace', { as, body: { name: 'Large', icon }, headers })
    const { rows } = await app.pool.query(
      'SELECT body IS NULL AS is_apart FROM idempotency_keys WHERE key = $1',
      [headers['Idempotency-Key']],
    )
    return { bytes: Buffer.byteLength(text), isApart: rows[0]?.is_apart }
  }
  const most = boundNamed('MAX_ROW_BODY_BYTES')
  const picture = 'data:image/png,'
  const { bytes } = await create(picture)
  const largest = `${picture}${'x'.repeat(most - bytes)}`
  expect(await create(largest)).toEqual({ bytes: most, isApart: false })
  expect(await create(`${largest}x`)).toEqual({ bytes: most + 1, isApart: true })
})

test('a batch of the purge ends once its rows have as many bytes as the table says', async () => {
  const botId = 'purged'
  const most = boundNamed('MAX_BATCH_BYTES')
  const removed = async (bytes: number) => {
    await app.pool.query(
      `INSERT INTO result_logs (bot_id, result_id, id, status, description, created_at)
      SELECT $1, 'result', n::text, 'info', '', now() FROM generate_series(1, 4) n`,
      [botId],
    )
    await transact(app.db, (tx) =>
      removeRows(tx, resultLogs, { botId, rows: 100 }, sql`true`, sql.raw(String(bytes))),
    )
    return 4 - ((await app.pool.query('DELETE FROM result_logs WHERE bot_id = $1', [botId])).rowCount ?? 0)
  }
  expect([await removed(most / 2), await removed(most / 2 - 1)]).toEqual([2, 3])
})

test('columns of an export come from as many earlier publications as the table says, and none before', async () => {
  const { admin: as, published } = world.here
  const params = { botId: published.id }
  const most = boundNamed('MAX_EARLIER_PUBLICATIONS')
  const earlier = async () => {
    const { rows } = await app.pool.query('SELECT workspace_id FROM bots WHERE id = $1', [published.id])
    const grant = { bot: { id: published.id, workspaceId: rows[0].workspace_id } } as BotGrant
    return (await readFlows(app.db, grant)).earlier.length
  }
  const before = await earlier()
  for (let nth = before; nth <= most; nth++) {
    expect(await earlier()).toBe(nth)
    await app.client.ok('publishBot', { as, params })
  }
  expect(await earlier()).toBe(most)
})

test('drafts are cached until they have as many characters as the table says', () => {
  const most = boundNamed('MAX_CACHED_DRAFT_CHARACTERS')
  const remember = (id: string, characters: number) => {
    const row = { id, draftUpdatedAt: new Date(0) } as never
    // A draft counts as one character more than its parts.
    cacheDraft(app.db, row, { groups: { length: characters - 1 } } as never)
    return row
  }
  const [first, second] = [remember('first', most / 2), remember('second', most / 2)]
  expect([first, second].map((row) => getCachedDraft(app.db, row) !== undefined)).toEqual([true, true])
  remember('third', 2)
  expect([first, second].map((row) => getCachedDraft(app.db, row) !== undefined)).toEqual([false, true])
})

test('a workspace has as many endpoints as the table says, and one more is rejected', async () => {
  const { admin: as, workspaceId } = world.there
  const others = Array.from({ length: boundNamed('MAX_ENDPOINTS') - 1 }, (_, at) => `bound-${at}`)
  await addEndpoints(
    app,
    workspaceId,
    others.map((id) => ({ id, url: 'https://example.com' })),
  )
  const create = () =>
    app.client.call('createWebhookEndpoint', {
      as,
      params: { workspaceId },
      body: { url: 'https://8.8.8.8/' },
    })
  const statuses = [(await create()).status, (await create()).status]
  expect(statuses).toEqual([201, 403])
})
