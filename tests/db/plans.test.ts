import { hash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import pg from 'pg'
import { type BotGrant, decideAccess } from '../../server/access/index.ts'
import { batchedStatements } from '../../server/chat/sessions/batched-statements.ts'
import { insertClientLogs } from '../../server/chat/sessions/client-logs.ts'
import { cursorKey } from '../../server/db/migrate.ts'
import { writeCursor } from '../../server/db/page.ts'
import { countBlocks, rollUpBlocks } from '../../server/results/block-stats.ts'
import { countResults } from '../../server/results/stats.ts'
import { rollUpBatch } from '../../server/results/stats-rollup.ts'
import { leaseStatements } from '../../server/webhooks/leases.ts'
import { fanOut } from '../../server/webhooks/outbox.ts'
import { type App, startApp } from '../support/app.ts'
import { ask, bot } from '../support/chat.ts'
import { publish } from '../support/chats.ts'
import { anyBody } from '../support/client.ts'
import { toLiteral } from '../support/literals.ts'
import { createDatabase, isPooled } from '../support/server.ts'
import { makeWorld, type World } from '../support/world.ts'

/*
 * Plans of PostgreSQL for the lists, the statistics and a bot, on tables so large that a sequential scan would be an
 * alternative. They are checked with the values of the request and with a generic plan, which PostgreSQL uses after a
 * statement has run a few times.
 */

const RESULTS = 50_000
const OTHERS = 20_000

interface Sent {
  text: string
  values: unknown[]
}

let app: App
let world: World
let client: pg.PoolClient
let deepCursor: string

// The plans of a cluster name the node: tests/db/citus.test.ts reads those.
const isCluster = process.env.CITUS === '1'
const describeHere = isCluster ? describe.skip : describe
const testHere = isCluster ? test.skip : test

beforeAll(async () => {
  app = await startOnDefaults()
  world = await makeWorld(app)
  client = await app.pool.connect()
  await fill()
  deepCursor = await makeDeepCursor()
})

afterAll(async () => {
  client?.release()
  await app?.stop()
})

/** Starts the app on a database that has the defaults of PostgreSQL; behind a pooler the role has to carry others. */
async function startOnDefaults(): Promise<App> {
  const { url, drop } = await createDatabase()
  const owner = new pg.Client({ connectionString: url })
  await owner.connect()
  const name = new URL(url).pathname.slice(1)
  await owner.query(`ALTER DATABASE ${name} SET random_page_cost = ${isPooled() ? 1.1 : 4}`)
  await owner.end()
  const started = await startApp({ databaseUrl: url })
  const { stop } = started
  return Object.assign(started, { stop: () => stop().then(drop) })
}

/** Results of one bot with three answers each, and bots, tokens and members beside those of the world. */
async function fill() {
  const { draft, workspaceId, admin, folder } = world.here
  const rows = `SELECT n, to_char(n, 'FM00000000000000000000000000') AS id, now() - n * interval '10 minutes' AS at`
  const results = `(${rows} FROM generate_series(1, ${RESULTS}) n)`
  const others = `(${rows} FROM generate_series(1, ${OTHERS}) n)`
  await client.query(
    `INSERT INTO results (bot_id, id, variables, has_started, is_completed, is_archived, created_at, updated_at)
    SELECT $1, id, '[]', n % 5 > 0, n % 3 = 0, false, at, at FROM ${results} AS result`,
    [draft.id],
  )
  // As many again of other bots, or all rows of the table would be the bot's.
  await client.query(
    `INSERT INTO results (bot_id, id, variables, has_started, is_completed, is_archived, created_at, updated_at)
    SELECT 'bot-' || n % 100, id, '[]', true, false, false, at, at FROM ${results} AS result`,
  )
  await client.query(
    `INSERT INTO result_answers (bot_id, result_id, seq, block_id, content, created_at)
    SELECT $1, id, seq, 'block', 'Answer', at FROM ${results} AS result, generate_series(0, 2) AS seq`,
    [draft.id],
  )
  await client.query(
    `INSERT INTO users (id, email, created_at, updated_at) SELECT 'user-' || n, 'user' || n, at, at
    FROM ${others} AS other`,
  )
  await client.query(
    `INSERT INTO api_tokens (id, token_hash, owner_user_id, name, hint, created_at)
    SELECT 'token-' || n, sha256(id::bytea), 'user-' || n, 'Token', 'hint', at FROM ${others} AS other`,
  )
  await client.query(
    `INSERT INTO workspaces (id, name, created_at, updated_at) SELECT 'workspace-' || n, 'W', at, at
    FROM ${others} AS other`,
  )
  await client.query(
    `INSERT INTO folders (id, workspace_id, name, created_at, updated_at) SELECT 'folder-' || n, 'workspace-' || n, 'F', at, at
    FROM ${others} AS other`,
  )
  await client.query(
    `INSERT INTO workspace_members (workspace_id, user_id, role, created_at)
    SELECT 'workspace-' || n, $1, 'GUEST', at FROM ${others} AS other`,
    [admin.id],
  )
  await client.query(
    `INSERT INTO webhook_endpoints (id, workspace_id, url, secrets, secrets_key_id, created_at, updated_at)
    SELECT 'endpoint-' || n, 'workspace-' || n, 'https://example.com', '', 'none', at, at FROM ${others} AS other`,
  )
  await client.query(
    `INSERT INTO bots (id, workspace_id, folder_id, name, version, revision, created_at, updated_at)
    SELECT 'bot-' || n, CASE WHEN n % 2 = 0 THEN $1 ELSE 'workspace-' || n END,
      CASE WHEN n % 20 = 0 THEN $2 END, 'Bot', '6.1', 1, at, at
    FROM ${others} AS other`,
    [workspaceId, folder],
  )
  await client.query(
    `INSERT INTO bot_drafts (bot_id, groups, events, edges, variables, theme, settings)
    SELECT 'bot-' || n, '[]', '[]', '[]', '[]', '{}', '{}' FROM ${others} AS other`,
  )
  await client.query(
    `INSERT INTO published_bots (bot_id, id, created_at, updated_at) SELECT 'bot-' || n, id, at, at
    FROM ${others} AS other`,
  )
  await client.query(
    `INSERT INTO stats_rollups (bot_id, due_at) SELECT 'bot-' || n, '9999-12-31' FROM ${others} AS other`,
  )
  await client.query(
    `INSERT INTO bot_stats_daily (bot_id, day, computed_epoch, blocks_epoch)
    SELECT 'bot-' || n, at::date - day, 0, 0 FROM ${others} AS other, generate_series(0, 1) AS day`,
  )
  await client.query(
    `INSERT INTO bot_stats_hourly (bot_id, hour, computed_epoch)
    SELECT 'bot-' || n, date_trunc('hour', at, 'UTC') + hour * interval '1 hour', 0
    FROM ${others} AS other, generate_series(0, 1) AS hour`,
  )
  // Most of the bot's own chats are over; those of other bots wait.
  await client.query(
    `INSERT INTO chat_sessions (id, bot_id, publication_id, result_id, state, revision, handled_by, ended_at, expires_at, created_at, updated_at)
    SELECT 'own-' || n, $1, 'publication', id, CASE WHEN n % 10 = 0 THEN '{}'::json END, 1,
      CASE WHEN n % 100 = 0 THEN 'waiting' END, CASE WHEN n % 10 > 0 THEN at END, '9999-12-31', at, at
    FROM ${results} AS result`,
    [draft.id],
  )
  await client.query(
    `INSERT INTO chat_sessions (id, bot_id, publication_id, result_id, state, revision, expires_at, created_at, updated_at)
    SELECT 'other-' || n, 'bot-' || n % 100, 'publication', id, '{}', 1, '9999-12-31', at, at FROM ${results} AS result`,
  )
  await client.query(
    `INSERT INTO chat_timers (bot_id, session_id, id, workspace_id, due_at, is_paused, failures)
    SELECT bot_id, id, id, 'workspace', '9999-12-31', false, 0 FROM chat_sessions`,
  )
  await client.query('VACUUM ANALYZE')
}

/** Returns the statements that the service sends to the database during the work. */
async function sentDuring(work: () => Promise<unknown>, { pool } = app): Promise<Sent[]> {
  const sent: Sent[] = []
  const query = pool.query
  pool.query = ((statement: Sent, values: unknown[] | undefined, ...rest: unknown[]) => {
    sent.push({ text: statement.text, values: values ?? statement.values })
    return Reflect.apply(query, pool, [statement, values, ...rest])
  }) as typeof query
  try {
    await work()
  } finally {
    pool.query = query
  }
  return sent
}

interface Node {
  'Node Type': string
  'Relation Name'?: string
  'Total Cost': number
  'Actual Rows': number
  'Actual Loops': number
  'Rows Removed by Filter'?: number
  'Rows Removed by Index Recheck'?: number
  'Shared Hit Blocks': number
  'Shared Read Blocks': number
  Plans?: Node[]
}

type Mode = 'force_custom_plan' | 'force_generic_plan'

async function planOf({ text, values }: Sent, mode: Mode, on = client): Promise<Node> {
  await on.query(`SET plan_cache_mode = ${mode}`)
  await on.query(`PREPARE statement AS ${text}`)
  try {
    const given = values.length > 0 ? `(${values.map(toLiteral).join(', ')})` : ''
    const { rows } = await on.query(`EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) EXECUTE statement ${given}`)
    return JSON.parse(rows[0]['QUERY PLAN'])[0].Plan
  } finally {
    await on.query('DEALLOCATE statement')
  }
}

/** Returns the parameters of one turn in a statement that writes several. */
function usualAnswer(at: Date, sessionId: string) {
  const now = at.toISOString()
  const made = { sessionId, resultId: 'made', now, expiresAt: now, variables: '[]' }
  const flags = { hasStarted: true, isCompleted: false, isEnded: false }
  return { ...made, ...flags, revision: 1, lateBefore: now, blockId: 'block', content: 'Hi' }
}

/** Runs what needs tables of another size, or that were looked at at another time, on a database of its own. */
async function onItsOwn(work: (own: App, connection: pg.PoolClient) => Promise<void>) {
  const own = await startOnDefaults()
  const connection = await own.pool.connect()
  try {
    await work(own, connection)
  } finally {
    connection.release()
    await own.stop()
  }
}

function nodesOf(node: Node): Node[] {
  return [node, ...(node.Plans ?? []).flatMap(nodesOf)]
}

/** Rows of a table that a plan looked at, whether or not they counted. */
function readOf(plan: Node, table: string): number {
  return nodesOf(plan)
    .filter((node) => node['Relation Name'] === table)
    .map((node) => {
      const removed = (node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Index Recheck'] ?? 0)
      const loops = node['Actual Loops']
      const read = (node['Actual Rows'] + removed) * loops
      // With several loops EXPLAIN gives the mean, to the hundredth: 1,043 rows in 348 loops are 3.00 each, which is
      // 1,044.
      return loops === 1 ? read : Math.max(Math.ceil(read - loops * 0.005), 0)
    })
    .reduce((sum, rows) => sum + rows, 0)
}

const accessToBots = {
  kind: 'bot',
  role: 'GUEST',
  missing: 'NOT_FOUND',
  publicShare: false,
  scope: 'read',
} as const

type Request = () => Promise<unknown>

interface Asked {
  send: Request
  /** The table of which it returns rows; none where it counts them. */
  returns?: string
  /** Number of rows that are counted, for a statement that returns one row. */
  count?: number
  /** Columns that are sorted; absent if none is. */
  sorts?: string[]
}

const requests: Record<string, Asked> = {
  'a bot': {
    send: () => app.client.ok('getBot', { as: world.here.admin, params: { botId: world.here.draft.id } }),
    returns: 'bot_drafts',
  },
  'bots for several callers at once': {
    send: () => {
      const { admin } = world.here
      return Promise.all(
        ['bot-1', 'bot-2', 'bot-3'].map((id) =>
          decideAccess(app.db, accessToBots, hash('sha256', admin.token, 'hex'), id, app.clock.now()),
        ),
      )
    },
    returns: 'bots',
  },
  // From the second time on by another statement.
  'the first page of results': { send: () => listResults({}, 2), returns: 'results', count: 50 },
  'pages of results for several callers at once': {
    send: async () => {
      await listResults({})
      await Promise.all([listResults({}), listResults({ cursor: deepCursor }), listResults({})])
    },
    returns: 'results',
    count: 3 * 50,
  },
  'a page of results far down': {
    send: () => listResults({ cursor: deepCursor }),
    returns: 'results',
    count: 50,
  },
  'the results of some days': {
    send: () => listResults({ timeFilter: 'lastMonth' }),
    returns: 'results',
    count: 50,
  },
  // The index has no id, so those of one moment are sorted.
  'the chats of a bot that wait': {
    send: () => listChats(),
    returns: 'chat_sessions',
    sorts: ['Incremental Sort '],
  },
  'the chats of a workspace that people handle': {
    send: () => listWorkspaceChats(),
    returns: 'chat_sessions',
    // A page sorts all of them, since they are of several bots.
    sorts: ['Sort '],
    count: 500,
  },
  'the bots of a workspace': { send: () => listBots({}), returns: 'bots' },
  'the bots at its top level': { send: () => listBots({ folderId: 'root' }), returns: 'bots' },
  'the bots of a folder': { send: () => listBots({ folderId: world.here.folder }), returns: 'bots' },
  'statistics of some days': { send: () => getStats({ timeFilter: 'last7Days' }) },
  'statistics of all time': { send: () => getStats({}) },
  'statistics of a bot with few results': {
    // From the second time on by another statement.
    send: async () => {
      await getStats({}, world.here.published.id)
      await getStats({}, world.here.published.id)
    },
  },
}

async function listResults(query: Record<string, string>, times = 1) {
  const { admin, draft } = world.here
  for (let time = 0; time < times; time++) {
    await app.client.ok('listResults', { as: admin, params: { botId: draft.id }, query })
  }
}

function listChats() {
  const { admin, draft } = world.here
  return app.client.ok('listChats', { as: admin, params: { botId: draft.id } })
}

function listWorkspaceChats() {
  const { admin, workspaceId } = world.here
  return app.client.ok('listWorkspaceChats', { as: admin, params: { workspaceId } })
}

function listBots(query: Record<string, string>) {
  const { admin, workspaceId } = world.here
  return app.client.ok('listBots', { as: admin, query: { workspaceId, ...query } })
}

function getStats(query: Record<string, string>, botId = world.here.draft.id) {
  return app.client.ok('getStats', { as: world.here.admin, params: { botId }, query })
}

/** The position after three quarters of the results that are listed. */
async function makeDeepCursor(): Promise<string> {
  const { draft } = world.here
  const { rows } = await client.query(
    `SELECT created_at, id FROM results WHERE bot_id = $1 AND has_started
    ORDER BY created_at DESC, id DESC LIMIT 1 OFFSET $2`,
    [draft.id, (RESULTS * 3) / 5],
  )
  const scope = ['results', draft.id, 'allTime', 'UTC']
  return writeCursor(await cursorKey(app.db), scope, { createdAt: rows[0].created_at, id: rows[0].id })
}

describeHere.each(Object.keys(requests))('%s', (name) => {
  const { send, returns, count, sorts = [] } = requests[name] as Asked

  test.each<Mode>(['force_custom_plan', 'force_generic_plan'])(
    'is found by index alone (%s)',
    async (mode) => {
      const sent = await sentDuring(send)
      const plans: { text: string; plan: Node }[] = []
      for (const statement of sent) plans.push({ text: statement.text, plan: await planOf(statement, mode) })

      for (const { text, plan } of plans) {
        const kinds = nodesOf(plan).map((node) => `${node['Node Type']} ${node['Relation Name'] ?? ''}`)
        expect({ text, kinds: kinds.filter((kind) => /Seq Scan|Sort/.test(kind)) }).toEqual({
          text,
          kinds: /ORDER BY (?:"chat_sessions"|CASE WHEN "chat_sessions")/.test(text) ? sorts : [],
        })
      }
      if (returns === undefined) return
      const last = plans.at(-1)?.plan as Node
      const returned = last['Actual Rows']
      expect(returned).toBeGreaterThan(0)
      expect(readOf(last, returns)).toBeLessThanOrEqual(3 * (count ?? returned))
    },
  )
})

testHere.each<Mode>(['force_custom_plan', 'force_generic_plan'])(
  'a session is found by its key, also if the table was empty at its last ANALYZE (%s)',
  async (mode) => {
    const found = async (connection: pg.PoolClient, sent: Sent | undefined) => {
      const plan = await planOf(sent as Sent, mode, connection)
      const kinds = nodesOf(plan).map((node) => `${node['Node Type']} ${node['Relation Name'] ?? ''}`)
      expect(kinds).not.toContain('Seq Scan chat_sessions')
      return readOf(plan, 'chat_sessions')
    }
    await onItsOwn(async (own, connection) => {
      await connection.query('ALTER TABLE chat_sessions SET (autovacuum_enabled = false)')
      await connection.query('VACUUM ANALYZE chat_sessions')
      await connection.query(
        "INSERT INTO workspaces (id, name, created_at, updated_at) VALUES ('workspace', 'W', now(), now())",
      )
      await connection.query(
        `INSERT INTO bots (id, workspace_id, name, version, revision, created_at, updated_at)
        VALUES ('bot-7', 'workspace', 'Bot', '6.1', 1, now(), now())`,
      )
      const sessionId = `bot-7-${'0'.repeat(26)}`
      const asked = () => own.client.call('getSession', { params: { sessionId } })
      const [sent] = await sentDuring(asked, own)
      const logs = [{ description: 'One' }]
      const session = { botId: 'bot-7', sessionId, resultId: '7' }
      const now = own.clock.now()
      const written = [
        ...(await sentDuring(() => insertClientLogs(own.db, session, logs, now), own)),
        ...(await sentDuring(
          () => batchedStatements(own.db).answer([usualAnswer(now, sessionId)], { botId: 'bot-7' }),
          own,
        )),
      ]
      await connection.query(
        `INSERT INTO chat_sessions (id, bot_id, publication_id, result_id, state, revision, expires_at, created_at, updated_at)
        SELECT 'bot-' || n % 10 || '-' || to_char(n - 7, 'FM00000000000000000000000000'), 'bot-' || n % 10,
          'publication', n, '{}', 1, '9999-12-31', now(), now() FROM generate_series(0, $1) AS n`,
        [OTHERS],
      )
      await connection.query(
        `INSERT INTO results (bot_id, id, variables, has_started, is_completed, is_archived, created_at, updated_at)
        VALUES ('bot-7', '7', '[]', true, false, false, now(), now())`,
      )
      expect(await found(connection, sent)).toBe(1)
      const read = []
      for (const statement of written) read.push(await found(connection, statement))
      // Read once and written once. The answer is not written.
      expect(read).toEqual([2, 2])
    })
  },
)

testHere.each<Mode>(['force_custom_plan', 'force_generic_plan'])(
  'stored hours are found by their key, whatever the last ANALYZE of the table found (%s)',
  async (mode) => {
    await onItsOwn(async (own, connection) => {
      const grant = { bot: { id: 'bot-7', resultsFloorAt: null } } as BotGrant
      const now = new Date('2026-03-10T22:30:00Z')
      const add = (bots: number[]) =>
        connection.query(
          `INSERT INTO bot_stats_hourly (bot_id, hour, views, computed_epoch)
          SELECT 'bot-' || n, '2026-03-10Z'::timestamptz + hour * interval '1 hour', 1, 0
          FROM unnest($1::integer[]) AS n, generate_series(0, 20) AS hour`,
          [bots],
        )
      const find = async () => {
        // Twice, since the first read says by which statement the next one asks.
        for (const _ of [1, 2]) {
          const sent = await sentDuring(() => countResults(own.db, grant, { from: null, to: null }, now), own)
          const plan = await planOf(sent[0] as Sent, mode, connection)
          const kinds = nodesOf(plan).map((node) => `${node['Node Type']} ${node['Relation Name'] ?? ''}`)
          expect(kinds).not.toContain('Seq Scan bot_stats_hourly')
          expect(readOf(plan, 'bot_stats_hourly')).toBe(2 * 21)
        }
      }
      await connection.query('ALTER TABLE bot_stats_hourly SET (autovacuum_enabled = false)')
      await connection.query('VACUUM ANALYZE bot_stats_hourly')
      const others = Array.from({ length: 1000 }, (_, n) => n + 10)
      await add([7, ...others])
      await find()
      // As if it had the hours of this bot alone.
      await connection.query("DELETE FROM bot_stats_hourly WHERE bot_id <> 'bot-7'")
      await connection.query('VACUUM ANALYZE bot_stats_hourly')
      await add(others)
      await find()
    })
  },
)

// So few that the planner would read them all for the hundred rows that it expects of what is given to the statement.
testHere.each<Mode>(['force_custom_plan', 'force_generic_plan'])(
  'the turns of a chat read neither other bots nor other results, however few there are (%s)',
  async (mode) => {
    await onItsOwn(async (own, connection) => {
      const { here } = await makeWorld(own)
      await connection.query(
        `INSERT INTO bots (id, workspace_id, name, version, revision, created_at, updated_at)
        SELECT 'bot-' || n, $1, 'Bot', '6.1', 1, now(), now() FROM generate_series(1, 1000) AS n`,
        [here.workspaceId],
      )
      await connection.query(
        `INSERT INTO results (bot_id, id, variables, has_started, is_completed, is_archived, created_at, updated_at)
        SELECT 'bot-' || n % 1000, n, '[]', true, false, false, now(), now() FROM generate_series(1, 1000) AS n`,
      )
      await connection.query(
        `INSERT INTO chat_timers (bot_id, session_id, id, workspace_id, due_at, is_paused, failures)
        SELECT 'bot-' || n % 1000, n, n, 'workspace', '9999-12-31', false, 0 FROM generate_series(1, 1000) AS n`,
      )
      await connection.query('VACUUM ANALYZE')
      const questions = bot(
        { Start: [ask('One'), ask('Two'), ask('Three')] },
        { variables: ['One', 'Two', 'Three'] },
      )
      const { id: botId, publicId } = await publish(own, here, questions)
      const steps = async (work: () => Promise<unknown>) =>
        (await sentDuring(work, own)).filter(({ text }) => /(INSERT INTO|UPDATE) "chat_sessions"/.test(text))
      const begin = (body: object) =>
        own.client.ok('startChat', { params: { publicId }, body: anyBody(body) })
      const answer = (sessionId: string) =>
        own.client.call('continueChat', { params: { sessionId }, body: { message: 'Hi' } })
      let sessionId = ''
      const usual = await steps(async () => {
        sessionId = (await begin({})).sessionId
        await answer(sessionId)
      })
      const others = await steps(async () => {
        const begun = await begin({ message: { type: 'text', text: 'Hi' } })
        await connection.query(`UPDATE results SET created_at = '2024-05-06' WHERE bot_id = $1`, [botId])
        await answer(begun.sessionId)
      })
      const one = usualAnswer(own.clock.now(), 'made')
      const together = await steps(async () => {
        const { start, answer, answerWithEvents, unanswered, unansweredWithEvents } = batchedStatements(
          own.db,
        )
        const { workspaceId } = here
        const told = { botId, workspaceId, idPrefix: '0', turns: '[{}]' }
        await start([one], { botId })
        await answer([one], { botId })
        await answerWithEvents([one], told)
        await unanswered([one], { botId, workspaceId, countedBefore: one.now })
        await unansweredWithEvents([one], { ...told, countedBefore: one.now })
      })
      expect(together).toHaveLength(5)
      const has = (sent: Sent[], part: string) => sent.filter(({ text }) => text.includes(part)).length
      expect([usual.length, has(usual, 'late AS')]).toEqual([2, 0])
      expect(has(others, 'late AS')).toBe(2)
      for (const step of [...usual, ...others, ...together]) {
        await connection.query('DELETE FROM chat_turns')
        await connection.query('DELETE FROM results WHERE bot_id = $1', [botId])
        await connection.query('DELETE FROM chat_sessions')
        const plan = await planOf(step, mode, connection)
        const kinds = nodesOf(plan).map((node) => `${node['Node Type']} ${node['Relation Name'] ?? ''}`)
        expect(kinds.filter((kind) => /Seq Scan (bots|results|chat_timers)/.test(kind))).toEqual([])
      }
    })
  },
)

testHere.each<Mode>(['force_custom_plan', 'force_generic_plan'])(
  'an answer that is not accepted reads one row of its result, however many were rejected before (%s)',
  async (mode) => {
    await onItsOwn(async (own, connection) => {
      const { here } = await makeWorld(own)
      const { id: botId, publicId } = await publish(own, here, bot({ Start: [{ type: 'email input' }] }))
      const { sessionId, resultId } = await own.client.ok('startChat', { params: { publicId } })
      const reject = () =>
        own.client.ok('continueChat', { params: { sessionId }, body: { message: 'no address' } })
      const [step] = (await sentDuring(reject, own)).filter(({ text }) => text.includes('result_transcripts'))
      await connection.query(
        `INSERT INTO result_transcripts (bot_id, result_id, id, entries)
        SELECT $1, $2, to_char(n, 'FM0000000000') || '.0', '[]' FROM generate_series(10, 5000) AS n`,
        [botId, resultId],
      )
      await connection.query('VACUUM ANALYZE')
      // As before this turn.
      await connection.query('UPDATE chat_sessions SET revision = revision - 1 WHERE bot_id = $1', [botId])
      await connection.query('DELETE FROM chat_turns')
      const plan = await planOf(step as Sent, mode, connection)
      const written = await connection.query(
        "SELECT FROM result_transcripts WHERE bot_id = $1 AND id = '0000005001.0'",
        [botId],
      )
      expect(written.rowCount).toBe(1)
      expect(readOf(plan, 'result_transcripts')).toBeLessThanOrEqual(2)
    })
  },
)

describeHere.each<Mode>(['force_custom_plan', 'force_generic_plan'])('many waiting events (%s)', (mode) => {
  test.each(['empty', 'without any that waited', 'full'])(
    'are read few at a time by senders, where their table was %s at its last ANALYZE',
    async (when) => {
      await onItsOwn(async (own, connection) => {
        const { here } = await makeWorld(own)
        await connection.query('ALTER TABLE webhook_deliveries SET (autovacuum_enabled = false)')
        await connection.query(
          `INSERT INTO webhook_endpoints (id, workspace_id, url, secrets, secrets_key_id, created_at, updated_at)
            VALUES ('endpoint', $1, 'https://example.com', '', 'none', now(), now())`,
          [here.workspaceId],
        )
        // Deliveries of 64 subjects, each with many.
        const insert = (from: number, to: number, nextAttemptAt: string) =>
          connection.query(
            `WITH added AS (
                INSERT INTO webhook_deliveries (bot_id, endpoint_id, subject, seq, id, type, size, created_at, next_attempt_at)
                SELECT 'bot-' || n % 64 % 3, 'endpoint', n % 64, n / 64, to_char(n, 'FM00000'), 'result.answered', 2,
                  now(), ${nextAttemptAt} FROM generate_series($1::int, $2) AS n RETURNING *
              )
              INSERT INTO webhook_events (bot_id, subject, id, data) SELECT bot_id, subject, id, '{}' FROM added`,
            [from, to],
          )
        const look = () => connection.query('VACUUM ANALYZE')
        if (when === 'empty') await look()
        await insert(0, 63, 'NULL')
        if (when === 'without any that waited') await look()
        await insert(64, 10_000, "'epoch'")
        if (when === 'full') await look()

        const { open, take, read, settle, putOff } = leaseStatements(own.db)
        const readBy = async (send: () => Promise<unknown>, ...values: unknown[]) => {
          const [sent] = await sentDuring(send, own)
          const plan = await planOf({ ...(sent as Sent), values }, mode, connection)
          const read = readOf(plan, 'webhook_deliveries')
          return { rows: plan['Actual Rows'], read, events: readOf(plan, 'webhook_events') }
        }
        expect(await readBy(() => open({}))).toEqual({ rows: 1, read: 1, events: 0 })
        const wanted = [{ id: 'endpoint', owner: 'owner', isOpen: true, free: 32, room: 1_000 }]
        const taken = await readBy(() => take({ wanted: '[]' }), JSON.stringify(wanted))
        expect(taken.rows).toBe(32)
        // A hundred are looked at, with what is in front of each, and read again to be locked or put behind that.
        expect(taken.read).toBeLessThanOrEqual(3 * 100)
        const places = Array.from({ length: 32 }, (_, n) => {
          const id = String(n).padStart(5, '0')
          const flags = { isAgain: true, isFirst: true }
          return {
            botId: `bot-${n % 3}`,
            endpointId: 'endpoint',
            subject: `${n}`,
            seq: 0,
            id,
            nth: n,
            ...flags,
          }
        })
        const bodies = await readBy(() => read({ places: '[]' }), JSON.stringify(places))
        expect(bodies.rows).toBe(32)
        // Each with those behind it of which one may be under way, and its event.
        expect(bodies.read).toBeLessThanOrEqual(32 * 160)
        expect(bodies.events).toBe(32)
        expect((await readBy(() => settle({ outcomes: '[]' }), JSON.stringify(places))).read).toBe(32)
        expect((await readBy(() => putOff({ places: '[]' }), JSON.stringify(places))).read).toBe(32)
      })
    },
  )
})

testHere.each<Mode>(['force_custom_plan', 'force_generic_plan'])(
  'a turn that adds an event reads none of the outbox, as planned when it was empty (%s)',
  async (mode) => {
    await onItsOwn(async (own, connection) => {
      await connection.query('ALTER TABLE webhook_outbox SET (autovacuum_enabled = false)')
      await connection.query(
        `INSERT INTO webhook_outbox (bot_id, written_at, id, endpoint_ids, size, events)
        SELECT 'bot', now(), n, '{}', 0, '[]' FROM generate_series(1, 2000) AS n`,
      )
      await connection.query('DELETE FROM webhook_outbox')
      await connection.query('VACUUM ANALYZE webhook_outbox')
      const { answerWithEvents } = batchedStatements(own.db)
      const told = { botId: 'bot', workspaceId: 'workspace', idPrefix: '0', turns: '[{}]' }
      const [sent] = await sentDuring(
        () => answerWithEvents([usualAnswer(own.clock.now(), 'chat')], told),
        own,
      )
      const plan = await planOf(sent as Sent, mode, connection)
      const read = nodesOf(plan).filter((node) => node['Relation Name'] === 'webhook_outbox')
      expect(read.map((node) => node['Node Type'])).toEqual(['ModifyTable', 'Index Only Scan'])
    })
  },
)

describeHere.each<Mode>(['force_custom_plan', 'force_generic_plan'])('many outbox rows (%s)', (mode) => {
  test.each(['empty', 'full'])(
    'are read few at a time by the fan-out, where the tables were %s at their last ANALYZE',
    async (when) => {
      await onItsOwn(async (own, connection) => {
        const { here } = await makeWorld(own)
        await connection.query('ALTER TABLE webhook_outbox SET (autovacuum_enabled = false)')
        await connection.query('ALTER TABLE webhook_deliveries SET (autovacuum_enabled = false)')
        if (when === 'empty') await connection.query('VACUUM ANALYZE')
        await connection.query(
          `INSERT INTO webhook_endpoints (id, workspace_id, url, secrets, secrets_key_id, created_at, updated_at)
            SELECT 'endpoint-' || n, $1, 'https://example.com', '', 'none', now(), now() FROM generate_series(1, 1000) AS n`,
          [here.workspaceId],
        )
        await connection.query(
          `INSERT INTO bots (id, workspace_id, name, version, revision, created_at, updated_at)
            SELECT 'bot-' || n, $1, 'Bot', '6.1', 1, now(), now() FROM generate_series(0, 39) AS n`,
          [here.workspaceId],
        )
        await connection.query(
          `INSERT INTO results (bot_id, id, variables, has_started, is_completed, is_archived, created_at, updated_at)
            SELECT 'bot-' || n, 'subject', '[]', true, false, false, now(), now() FROM generate_series(0, 39) AS n`,
        )
        // Each of 40 bots has many events of the same result, delivered and waiting.
        await connection.query(
          `INSERT INTO webhook_outbox (bot_id, written_at, id, endpoint_ids, size, events)
            SELECT 'bot-' || n % 40, now() + n * interval '1 second', n, '{endpoint-1}', 1, json_build_object(
              'events', json_build_array(json_build_object('subject', 'subject', 'ordinal', 0, 'id', n,
                'type', 'result.answered', 'data', '{}'::json, 'at', now())))
            FROM generate_series(1, 10000) AS n`,
        )
        await connection.query(
          `WITH added AS (
              INSERT INTO webhook_deliveries (bot_id, endpoint_id, subject, seq, id, type, size, created_at)
              SELECT 'bot-' || n % 40, 'endpoint-1', 'subject', n / 40, n, 'result.answered', 2, now()
              FROM generate_series(1, 10000) AS n RETURNING *
            )
            INSERT INTO webhook_events (bot_id, subject, id, data) SELECT bot_id, subject, id, '{}' FROM added`,
        )
        if (when === 'full') await connection.query('VACUUM ANALYZE')

        const [sent] = await sentDuring(() => fanOut(own.db, '', 64), own)
        const plan = await planOf(sent as Sent, mode, connection)
        // 32 bots, the first row of each, and of each as many as are shared out in all, which are removed.
        expect(readOf(plan, 'webhook_outbox')).toBeLessThanOrEqual(3 * 32 + 32 * 64 + 2 * 64)
        expect(readOf(plan, 'webhook_deliveries')).toBeLessThanOrEqual(2 * 64)
        expect(readOf(plan, 'webhook_endpoints')).toBeLessThanOrEqual(64)
        const { rows } = await connection.query('SELECT count(*)::int AS n FROM webhook_deliveries')
        expect(rows).toEqual([{ n: 10_000 + 2 * 64 }])
      })
    },
  )
})

// PostgreSQL plans a statement anew for every page as long as that looks cheaper, which takes a third of what the page
// does.
testHere('a page of results is as cheap by the plan for any value', async () => {
  const sent = (await sentDuring(() => listResults({ cursor: deepCursor }, 2))).at(-1) as Sent
  const plan = await planOf(sent, 'force_custom_plan')
  expect((await planOf(sent, 'force_generic_plan'))['Total Cost']).toBe(plan['Total Cost'])
})

testHere('an answer is found by its bot and its result', async () => {
  for (const { text, values } of await sentDuring(() => listResults({}, 2))) {
    if (!text.includes('"result_answers"')) continue
    const plan = await planOf({ text, values }, 'force_generic_plan')
    // One result more tells whether there is another page.
    expect(readOf(plan, 'result_answers')).toBe(3 * 51)
  }
  expect.assertions(2)
})

describeHere('filtered results', () => {
  // Values of every third result, of all, and of none. Each of two windows looks one result ahead.
  const searches: Record<string, { query: Record<string, string>; examines: number }> = {
    'many of them': { query: { status: 'completed', limit: '20' }, examines: 3 * 21 + 2 },
    'by an answer that all have': { query: { answerContains: 'ANSW', limit: '20' }, examines: 21 + 2 },
    'by an answer that none has': { query: { answerContains: 'nobody' }, examines: 800 },
    'by a variable that none has': { query: { variable: 'Email:nobody' }, examines: 800 },
    'of some days, by an answer that none has': {
      query: { answerContains: 'nobody', createdBefore: new Date(Date.now() - 1e10).toISOString() },
      examines: 800,
    },
  }

  test.each(
    Object.keys(searches).flatMap((name) =>
      (['force_custom_plan', 'force_generic_plan'] as const).map((mode) => [name, mode] as const),
    ),
  )('%s (%s)', async (name, mode) => {
    const { query, examines } = searches[name] as { query: Record<string, string>; examines: number }
    const sent = await sentDuring(() => listResults(query))
    const plan = await planOf(sent.at(-1) as Sent, mode)
    const kinds = nodesOf(plan).map((node) => `${node['Node Type']} ${node['Relation Name'] ?? ''}`)
    expect(kinds.filter((kind) => /Seq Scan|Sort/.test(kind))).toEqual([])
    expect(readOf(plan, 'results')).toBeLessThanOrEqual(examines)
    expect(readOf(plan, 'results')).toBeGreaterThan(0)
    // Three of each, twice of what is found, and twice of what is examined where answers are looked into: once for
    // their length.
    const looksInto = query.answerContains ? examines : 0
    expect(readOf(plan, 'result_answers')).toBeLessThanOrEqual(2 * 3 * (looksInto + 21))
  })
})

// No count of rows includes those that an index skips.
testHere.each<Mode>(['force_custom_plan', 'force_generic_plan'])(
  'a page far down reads no more of the database than the first (%s)',
  async (mode) => {
    const blocksOf = async (query: Record<string, string>) => {
      const sent = await sentDuring(() => listResults(query))
      const plan = await planOf(sent.at(-1) as Sent, mode)
      return plan['Shared Hit Blocks'] + plan['Shared Read Blocks']
    }
    const first = await blocksOf({})
    expect(await blocksOf({ cursor: deepCursor })).toBeLessThanOrEqual(first * 1.2)
  },
)

describeHere('statistics of a bot that is counted by day', () => {
  const countAll = () => {
    const grant = { bot: { id: world.here.draft.id, resultsFloorAt: null } } as BotGrant
    return countBlocks(app.db, grant, { from: null, to: null }, null, new Date())
  }

  beforeAll(async () => {
    await getStats({})
    // Late in the day, so that many of its hours are over, by the clock of the database too.
    const late = new Date(`${new Date(Date.now() - 24 * 3600 * 1000).toISOString().slice(0, 10)}T22:30:00Z`)
    app.clock.set(late.toISOString())
    // No other bot is due, and none is so late that a fast clock must have set it.
    await client.query(
      `UPDATE stats_rollups SET due_at = $2::timestamptz + CASE bot_id WHEN $1 THEN '0'::interval ELSE '30 minutes' END`,
      [world.here.draft.id, late],
    )
    while (await rollUpBatch(app.db, late));
    while (await rollUpBlocks(app.db));
    await client.query('VACUUM ANALYZE')
  })

  test.each<Mode>(['force_custom_plan', 'force_generic_plan'])(
    'read its days and hours and the results of the last ones, and nothing else (%s)',
    async (mode) => {
      const { rows } = await client.query(
        `SELECT days, hours,
          (SELECT count(*)::int FROM results r WHERE r.bot_id = $1 AND r.created_at >= last + interval '1 hour') AS left
        FROM (SELECT count(*)::int AS days FROM bot_stats_daily WHERE bot_id = $1 AND computed_epoch = epoch) AS daily,
          (SELECT count(*)::int AS hours, max(hour) AS last FROM bot_stats_hourly
            WHERE bot_id = $1 AND computed_epoch = epoch) AS hourly`,
        [world.here.draft.id],
      )
      const [{ days, hours, left }] = rows
      expect(days).toBeGreaterThan(300)
      expect(hours).toBe(21)
      const sent = await sentDuring(() => getStats({}))
      const plan = await planOf(sent.at(-1) as Sent, mode)
      const kinds = nodesOf(plan).map((node) => node['Node Type'])
      expect(kinds.filter((kind) => /Seq Scan|Sort/.test(kind))).toEqual([])
      // Once for what they hold, once for what lies between them, and the first one once more.
      expect(readOf(plan, 'bot_stats_daily')).toBeLessThanOrEqual(2 * days + 1)
      expect(readOf(plan, 'bot_stats_hourly')).toBeLessThanOrEqual(2 * hours)
      expect(readOf(plan, 'results')).toBeLessThanOrEqual(left + 2)
    },
  )

  test.each<Mode>(['force_custom_plan', 'force_generic_plan'])(
    'by blocks read stored days, and the results of today (%s)',
    async (mode) => {
      const { rows } = await client.query(
        `SELECT (SELECT count(*)::int FROM bot_block_stats_daily WHERE bot_id = $1) AS kept,
          (SELECT count(*)::int FROM results WHERE bot_id = $1 AND created_at >= max(day) + 1) AS left
        FROM bot_stats_daily WHERE bot_id = $1 AND blocks_epoch = epoch`,
        [world.here.draft.id],
      )
      const [{ kept, left }] = rows
      expect(kept).toBeGreaterThan(300)
      const sent = await sentDuring(countAll)
      const plan = await planOf(sent[0] as Sent, mode)
      const kinds = nodesOf(plan).map((node) => `${node['Node Type']} ${node['Relation Name'] ?? ''}`)
      expect(kinds.filter((kind) => /Seq Scan/.test(kind))).toEqual([])
      expect(readOf(plan, 'bot_block_stats_daily')).toBeLessThanOrEqual(kept)
      expect(readOf(plan, 'results')).toBeLessThanOrEqual(left + 2)
      expect(readOf(plan, 'result_answers')).toBeLessThanOrEqual(3 * (left + 2))
    },
  )
})
