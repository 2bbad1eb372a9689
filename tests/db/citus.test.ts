import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { getTableName, is } from 'drizzle-orm'
import { PgTable } from 'drizzle-orm/pg-core'
import pg from 'pg'
import * as schema from '../../server/db/schema.ts'
import { removeSessions } from '../../server/jobs/expiry.ts'
import { createLog } from '../../server/log.ts'
import { MAX_DIRECTLY_COUNTED_RESULTS } from '../../server/results/stats.ts'
import { rollUpBatch } from '../../server/results/stats-rollup.ts'
import { root } from '../../server/root.ts'
import { startDeliveries } from '../../server/webhooks/deliver.ts'
import { type App, nodeFunctions, type Sent, startApp } from '../support/app.ts'
import { type Published, publish, reply, start } from '../support/chats.ts'
import { anyBody } from '../support/client.ts'
import { addEndpoints } from '../support/endpoints.ts'
import { toLiteral } from '../support/literals.ts'
import { until } from '../support/process.ts'
import { createDatabase } from '../support/server.ts'
import { questions, walksOf } from '../support/walks.ts'
import { makeWorld, type Site } from '../support/world.ts'

/*
 * Holds statements to the demands of a Citus cluster, without one. Those of chats, documents, results and statistics
 * are planned here, and each has to name the bot for every table of bots. On a cluster (CITUS=1) the plan of the
 * cluster itself is checked: each statement goes to one node.
 */

const isCluster = process.env.CITUS === '1'

const script = readFileSync(new URL('migrations/distribute.sql', root), 'utf8')
const [catalogueTables, botTables] = [...script.matchAll(/IN ARRAY ARRAY\[([^\]]*)\]/g)].map(([, list]) =>
  [...String(list).matchAll(/'(\w+)'/g)].map(([, name]) => String(name)),
) as [string[], string[]]
botTables.push('bots')
/** Stay on the coordinator, where no statement can read or write them together with tables of bots. */
const coordinatorTables = [
  'audit_log',
  'idempotency_keys',
  'idempotency_responses',
  'installation_keys',
  'sheet_accounts',
  'webhook_deliveries',
  'webhook_events',
  'webhook_outbox',
]

test('the catalogue names the location of the rows of every table', () => {
  const tables = (Object.values(schema) as unknown[]).filter((value): value is PgTable => is(value, PgTable))
  expect([...catalogueTables, ...botTables, ...coordinatorTables].sort()).toEqual(
    tables.map(getTableName).sort(),
  )
})

test('functions that run on nodes join no table of bots with a catalogue table', () => {
  const bodies = [...script.matchAll(/CREATE OR REPLACE FUNCTION (\w+)\(.*?AS \$\$(.*?)\$\$/gs)]
  const delegated = [...(/WHERE proname IN \(([^)]*)\)/.exec(script)?.[1] ?? '').matchAll(/\w+/g)].map(String)
  expect(delegated.length).toBeGreaterThan(0)
  const names = (tables: string[]) => new RegExp(`\\b(FROM|JOIN|INTO|UPDATE) (${tables.join('|')})\\b`)
  const mixed = bodies
    .filter(([, name]) => delegated.includes(String(name)))
    .flatMap(([, name, body]) =>
      String(body)
        .split(';')
        .map((statement) => `${name}: ${statement.trim()}`),
    )
    .filter((statement) => names(catalogueTables).test(statement) && names(botTables).test(statement))
  expect(mixed).toEqual([])
})

/**
 * The part of Citus that the script calls. It rejects a table of which another one that it refers to is not there
 * yet, and makes tables that refer to one on every node local ones of the cluster, which is not what they are to be.
 */
const standIn = `
  CREATE TABLE pg_dist_partition (logicalrelid regclass PRIMARY KEY, partmethod "char", repmodel "char", nth serial);
  CREATE FUNCTION create_reference_table(name text) RETURNS void LANGUAGE plpgsql AS $$ BEGIN
    IF EXISTS (
      SELECT FROM pg_constraint WHERE conrelid = name::regclass AND contype = 'f' AND confrelid <> conrelid
        AND confrelid NOT IN (SELECT logicalrelid FROM pg_dist_partition WHERE repmodel = 't')
    ) THEN
      RAISE EXCEPTION 'foreign keys from reference tables to local tables: %', name;
    END IF;
    DELETE FROM pg_dist_partition WHERE logicalrelid = name::regclass;
    INSERT INTO pg_dist_partition VALUES (name::regclass, 'n', 't');
    INSERT INTO pg_dist_partition
      SELECT DISTINCT conrelid, 'n'::"char", 's'::"char" FROM pg_constraint WHERE confrelid = name::regclass AND contype = 'f'
      ON CONFLICT DO NOTHING;
  END $$;
  CREATE FUNCTION create_distributed_table(name text, by text, colocate_with text) RETURNS void LANGUAGE sql AS $$
    DELETE FROM pg_dist_partition WHERE logicalrelid = name::regclass;
    INSERT INTO pg_dist_partition VALUES (name::regclass, 'h', 's') $$`

// A cluster has the real thing: `make torture ONLY=F29` does it to twenty databases.
const testAlone = isCluster ? test.skip : test

testAlone(
  'tables are distributed in the order of the script, whatever plan the database has for a query',
  async () => {
    const spreading = script.split('--> statement-breakpoint').filter((one) => /create_\w+_table/.test(one))
    for (const settings of [
      '',
      'SET enable_hashjoin = off',
      'SET enable_nestloop = off; SET enable_mergejoin = off',
    ]) {
      const { url, drop } = await createDatabase()
      const client = new pg.Client({ connectionString: url })
      await client.connect()
      try {
        await client.query(`${standIn}; ${settings}`)
        for (const statement of spreading) await client.query(statement)
        // A second time it passes over what is there.
        for (const statement of spreading) await client.query(statement)
        const { rows } = await client.query(
          "SELECT logicalrelid::text AS name FROM pg_dist_partition WHERE repmodel = 't' OR partmethod = 'h' ORDER BY nth",
        )
        expect(rows.map(({ name }) => name)).toEqual([
          ...catalogueTables,
          'bots',
          ...botTables.filter((name) => name !== 'bots'),
        ])
      } finally {
        await client.end()
        await drop()
      }
    }
  },
)

test('no statement of the script has a side effect in rows whose order depends on a plan', () => {
  const statements = script.split('--> statement-breakpoint')
  expect(statements.filter((one) => /create_\w+_table\(\w+[^)]*\)[^;]*\bFROM\s+unnest/.test(one))).toEqual([])
})

// Reading plans

interface Node {
  'Node Type': string
  'Relation Name'?: string
  'Subplan Name'?: string
  Operation?: string
  'Index Cond'?: string
  'Recheck Cond'?: string
  Filter?: string
  Plans?: Node[]
}

interface Place {
  node: Node
  /** From the outermost to the one above. */
  above: Node[]
}

function placesIn(node: Node, above: Node[] = []): Place[] {
  return [{ node, above }, ...(node.Plans ?? []).flatMap((inner) => placesIn(inner, [...above, node]))]
}

/** Returns the steps that a cluster would reject, or run on several nodes or in several rounds. */
function problemsOf(plan: Node): string[] {
  const places = placesIn(plan)
  const tables = new Set(places.flatMap(({ node }) => node['Relation Name'] ?? []))
  const isOfBots = (name = '') => botTables.includes(name)
  const problems: string[] = []
  const local = coordinatorTables.filter((name) => tables.has(name))
  if (local.length > 0 && [...tables].some(isOfBots)) problems.push(`${local} together with tables of bots`)
  for (const { node, above } of places) {
    const name = node['Relation Name']
    if (/Update|Delete/.test(node.Operation ?? '') && coordinatorTables.includes(String(name))) {
      const joined = catalogueTables.filter((other) => tables.has(other))
      if (joined.length > 0) problems.push(`${name} changed by ${joined}`)
    } else if (node['Node Type'] === 'ModifyTable' && node.Operation === 'Insert' && isOfBots(name)) {
      const [source] = node.Plans ?? []
      if (above.length > 0) problems.push(`insert into ${name} within another statement`)
      if (!/^(Result|Values Scan)$/.test(source?.['Node Type'] ?? ''))
        problems.push(`insert into ${name} of what is read`)
    } else if (/Scan$/.test(node['Node Type']) && isOfBots(name)) {
      const conditions = [node['Index Cond'], node['Recheck Cond'], node.Filter].join(' ')
      const key = name === 'bots' ? 'id' : 'bot_id'
      if (!new RegExp(`\\b${key} = \\$\\d`).test(conditions)) problems.push(`${name} without its bot`)
    } else if (node['Node Type'] === 'LockRows') {
      const locked = placesIn(node).flatMap(({ node: { 'Relation Name': scanned } }) => scanned ?? [])
      if (locked.some((scanned) => catalogueTables.includes(scanned))) problems.push(`a lock on ${locked}`)
    }
  }
  return problems
}

// The statements

let app: App
let site: Site
let client: pg.Client

beforeAll(async () => {
  app = await startApp({ asOnCluster: true })
  site = (await makeWorld(app)).here
  client = new pg.Client({ connectionString: app.databaseUrl })
  await client.connect()
})
afterAll(async () => {
  await client.end()
  await app.stop()
})

/** Plans a statement with these values, in a transaction: a pooler gives each its own connection. */
async function explain(text: string, values: string[]) {
  // On tables this small everything would be read.
  await client.query('BEGIN; SET LOCAL enable_seqscan = off')
  if (!isCluster) await client.query('SET LOCAL plan_cache_mode = force_generic_plan')
  await client.query(`PREPARE statement AS ${text}`)
  const given = values.length === 0 ? '' : `(${values.join(', ')})`
  const { rows } = await client.query(`EXPLAIN (FORMAT JSON) EXECUTE statement${given}`)
  await client.query('DEALLOCATE statement; COMMIT')
  return rows
}

async function planOf(text: string): Promise<Node> {
  const parameters = Math.max(0, ...[...text.matchAll(/\$(\d+)/g)].map(([, place]) => Number(place)))
  const rows = await explain(text, Array(parameters).fill('NULL'))
  return rows[0]['QUERY PLAN'][0]?.Plan ?? JSON.parse(rows[0]['QUERY PLAN'])[0].Plan
}

/** Returns the number of tasks of a statement as a cluster received it, for each part that goes to a node. */
async function tasksOf({ text, values }: Sent): Promise<unknown[]> {
  const rows = await explain(text, values.map(toLiteral))
  return [...JSON.stringify(rows).matchAll(/Task Count[\\":\s]+(\d+)/g)].map(([, count]) => Number(count))
}

const isPlanned = (text: string) =>
  !/^\s*(begin|commit|rollback|savepoint|release|set|select 1)\b/i.test(text)

/** Returns the problems of the statements that `work` sends, by statement. */
async function problemsDuring(work: () => Promise<unknown>): Promise<Record<string, string[]>> {
  app.statements.length = 0
  const sent = app.sent ?? []
  sent.length = 0
  await work()
  const problems: Record<string, string[]> = {}
  if (isCluster) {
    let routed = 0
    for (const one of sent.filter(({ text }) => isPlanned(text))) {
      const tasks = await tasksOf(one)
      if (tasks.length > 1 || tasks.some((count) => count !== 1)) problems[one.text] = tasks.map(String)
      routed += tasks.length
    }
    expect(routed).toBeGreaterThan(0)
    return problems
  }
  const texts = new Set(app.statements.filter(isPlanned))
  expect(texts.size).toBeGreaterThan(0)
  for (const text of texts) {
    const found = problemsOf(await planOf(text))
    if (found.length > 0) problems[text] = found
  }
  return problems
}

test.each(nodeFunctions.map((text) => [/FUNCTION (\w+)/.exec(text)?.[1], text]))(
  'every statement of the function %s means the rows of one bot',
  (_, text) => {
    const statements = String(text)
      .split(';')
      .filter((statement) =>
        [...statement.matchAll(/\b(?:FROM|UPDATE|INTO) (\w+)/g)].some(([, table]) =>
          botTables.includes(String(table)),
        ),
      )
    expect(statements.length).toBeGreaterThan(0)
    const saysItsBot = /\b(?:bot_id|b\.id) = p_bot_id|VALUES \((?:p_session_id, )?p_bot_id/
    expect(statements.filter((statement) => !saysItsBot.test(statement))).toEqual([])
  },
)

test.each(nodeFunctions.map((text) => [/FUNCTION (\w+)/.exec(text)?.[1], text]))(
  '%s has no volatile function in a statement that writes, which a cluster rejects',
  (_name, text) => {
    const writing = String(text)
      .split(';')
      .filter((statement) => /\b(INSERT INTO|UPDATE|DELETE FROM)\b/.test(statement))
    expect(writing.filter((statement) => /clock_timestamp|random|nextval|timeofday/.test(statement))).toEqual(
      [],
    )
  },
)

test.each(nodeFunctions.map((text) => [/FUNCTION (\w+)/.exec(text)?.[1], text]))(
  '%s inserts nothing that a subquery decides, which a cluster rejects',
  (_name, text) => {
    const inserting = String(text)
      .split(';')
      .filter((statement) => /\bINSERT INTO\b/.test(statement))
    expect(inserting.filter((statement) => /\(\s*SELECT\b/.test(statement))).toEqual([])
  },
)

test('the functions of a cluster neither count nor read hours', async () => {
  const params = { botId: site.draft.id }
  await app.pool.query(
    `INSERT INTO results (bot_id, id, variables, has_started, is_completed, is_archived, created_at, updated_at)
    SELECT $1, 'hourly-' || n, '[]', true, true, false, at, at
    FROM (SELECT n, '2026-03-10T12:00Z'::timestamptz - n * interval '2 seconds' AS at FROM generate_series(1, $2::int) n) AS made`,
    [site.draft.id, MAX_DIRECTLY_COUNTED_RESULTS + 1],
  )
  app.statements.length = 0
  const counted = []
  for (const _ of [1, 2]) counted.push(await app.client.ok('getStats', { as: site.member, params }))
  while (await rollUpBatch(app.db, new Date('2026-03-10T22:30:00Z')));
  counted.push(await app.client.ok('getStats', { as: site.member, params }))
  await app.client.ok('deleteResults', { as: site.member, params, query: { resultIds: 'hourly-20000' } })
  expect(counted.map(({ stats }) => stats.totalViews)).toEqual([
    MAX_DIRECTLY_COUNTED_RESULTS + 1,
    MAX_DIRECTLY_COUNTED_RESULTS + 1,
    MAX_DIRECTLY_COUNTED_RESULTS + 1,
  ])
  expect(app.statements.filter((text) => text.includes('bot_stats_hourly'))).toEqual([])
  expect(app.statements.some((text) => text.includes('"bot_stats_daily"'))).toBe(true)
  await app.pool.query('DELETE FROM results WHERE bot_id = $1', [site.draft.id])
})

test('sessions that expire are removed without a function in what is returned, which a cluster rejects', async () => {
  await app.pool.query(
    `INSERT INTO chat_sessions (id, bot_id, publication_id, result_id, state, revision, expires_at, created_at, updated_at)
    VALUES ('expired', $1, 'publication', 'result', '{}', 1, '2026-01-02', '2026-01-01', '2026-01-01')`,
    [site.draft.id],
  )
  app.statements.length = 0
  while (await removeSessions(app.db, app.clock.now()));
  const returning = app.statements.flatMap((text) => text.split('RETURNING').slice(1))
  expect(returning).toHaveLength(1)
  expect(returning.filter((list) => list.includes('('))).toEqual([])
  const { rows } = await app.pool.query("SELECT FROM chat_sessions WHERE id = 'expired'")
  expect(rows).toEqual([])
})

describe('every statement means the rows of one bot', () => {
  let made: Published
  let as: Site['member']
  beforeAll(async () => {
    as = site.member
    made = await publish(app, site, {
      ...questions,
      settings: { general: { rememberUser: { isEnabled: true } } },
    })
  })
  const params = () => ({ botId: made.id })

  const walks: Record<string, () => Promise<unknown>> = {
    ...walksOf(() => ({ app, made, as })),
    'a chat that a member lists, changes and ends': async () => {
      const { sessionId } = await start(app, made)
      await app.client.ok('listChats', { as, params: params() })
      const chat = { as, params: { ...params(), sessionId } }
      await app.client.ok('updateChat', { ...chat, body: { variables: { Name: 'Eve' } } })
      await app.client.ok('updateChat', { ...chat, body: { isOver: true } })
    },
    'bots that several ask for at once': () =>
      Promise.all(
        [made.id, site.draft.id, site.published.id].map((botId) =>
          app.client.ok('getBot', { as, params: { botId } }),
        ),
      ),
    'an update': async () => {
      const update = (bot: object) =>
        app.client.ok('updateBot', {
          as,
          params: params(),
          body: anyBody({ bot: { version: '6.1', ...bot } }),
        })
      await update({ name: 'Renamed' })
      await update({ groups: [] })
    },
    'a publication that is listed, read and made the draft again': async () => {
      const { publications } = await app.client.ok('listPublications', { as, params: params() })
      const one = { as, params: { ...params(), publicationId: String(publications[0]?.id) } }
      await app.client.ok('getPublication', one)
      await app.client.ok('restorePublication', one)
    },
    events: async () => {
      await addEndpoints(app, site.workspaceId, [{ id: 'endpoint', url: 'https://example.com/hook' }])
      const status = () => app.pool.query('SELECT is_delivered AS done FROM webhook_deliveries ORDER BY seq')
      const answers = [503, 200, 200]
      const sender = startDeliveries(
        {
          db: app.db,
          log: createLog('silent', { write: () => {} }),
          keyring: app.keyring,
          post: async () => {
            const status = answers.shift() ?? 200
            return { ok: true, status, contentType: '', headers: {}, body: nothing(), end: () => {} }
          },
        },
        50,
      )
      const { sessionId } = await start(app, made)
      await reply(app, sessionId, 'Ada', 1)
      await until('the first has failed', async () => answers.length === 2)
      const params = { workspaceId: site.workspaceId, endpointId: 'endpoint' }
      const list = await app.client.ok('listWebhookDeliveries', { as: site.admin, params })
      const deliveryId = String(list.webhookDeliveries.at(-1)?.id)
      await app.client.ok('redeliverWebhookDelivery', { as: site.admin, params: { ...params, deliveryId } })
      await until('all are told', async () => (await status()).rows.every(({ done }) => done))
      await sender.stop()
      await app.pool.query('DELETE FROM webhook_endpoints')
    },
  }

  test.each(Object.keys(walks))('%s sends only statements about the rows of one bot', async (name) => {
    expect(await problemsDuring(walks[name] as () => Promise<unknown>)).toEqual({})
  })
})

/** A body of no bytes. */
async function* nothing(): AsyncGenerator<Buffer> {}

const describeHere = isCluster ? describe.skip : describe

describeHere('rejected statements', () => {
  test.each([
    ['SELECT FROM results WHERE id = $1', ['results without its bot']],
    [
      'SELECT FROM results r WHERE r.bot_id = $1 AND EXISTS (SELECT FROM result_answers a WHERE a.result_id = r.id)',
      ['result_answers without its bot'],
    ],
    [
      'SELECT (SELECT count(*) FROM result_answers a WHERE a.bot_id = r.bot_id) FROM results r WHERE r.bot_id = $1',
      ['result_answers without its bot'],
    ],
    [
      'SELECT FROM bots b JOIN public_ids p ON p.bot_id = b.id WHERE p.public_id = $1',
      ['bots without its bot'],
    ],
    ['SELECT FROM purges ORDER BY requested_at LIMIT 1 FOR UPDATE SKIP LOCKED', ['purges without its bot']],
    ['SELECT FROM results WHERE bot_id = ANY($1::text[])', ['results without its bot']],
    ['SELECT FROM workspaces WHERE id = $1 FOR UPDATE', ['a lock on workspaces']],
    [
      `WITH session AS (UPDATE chat_sessions SET revision = 1 WHERE bot_id = $1 RETURNING bot_id, id)
      INSERT INTO chat_turns (bot_id, session_id, revision, turn) SELECT bot_id, id, 1, '' FROM session`,
      ['insert into chat_turns of what is read'],
    ],
    [
      `WITH later AS (INSERT INTO chat_turns (bot_id, session_id, revision, turn) VALUES ($1, $2, 1, '') RETURNING 1)
      SELECT FROM later`,
      ['insert into chat_turns within another statement'],
    ],
    [
      `UPDATE webhook_deliveries d SET attempts = 0 FROM webhook_endpoints e
      WHERE d.endpoint_id = e.id AND e.workspace_id = $1`,
      ['webhook_deliveries changed by webhook_endpoints'],
    ],
    [
      `WITH gone AS (DELETE FROM published_bots WHERE bot_id = $1 RETURNING bot_id)
      INSERT INTO audit_log (workspace_id, id, created_at, operation, record_id, outcome)
      SELECT 'w', 'i', 'epoch', 'o', bot_id, 'success' FROM gone`,
      ['audit_log together with tables of bots'],
    ],
  ])('%s', async (text, expected) => {
    expect(problemsOf(await planOf(text))).toEqual(expected)
  })

  test.each([
    'SELECT FROM results r JOIN result_answers a ON a.bot_id = r.bot_id AND a.result_id = r.id WHERE r.bot_id = $1',
    `INSERT INTO chat_turns (bot_id, session_id, revision, turn) VALUES ($1, $2, 1, ''), ($1, $2, 2, '')`,
    'SELECT FROM purges WHERE bot_id = $1 FOR UPDATE SKIP LOCKED',
    'SELECT FROM workspaces WHERE id = $1',
  ])('but not %s', async (text) => {
    expect(problemsOf(await planOf(text))).toEqual([])
  })
})
