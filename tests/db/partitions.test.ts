import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import pg from 'pg'
import { backUp, restore } from '../../server/db/backup/index.ts'
import { migrateDatabase, partition } from '../../server/db/migrate.ts'
import { growingTables } from '../../server/db/partitions.ts'
import { removeSessions } from '../../server/jobs/expiry.ts'
import { purgeBatch } from '../../server/jobs/purge.ts'
import { expireResults } from '../../server/jobs/results-retention.ts'
import { rollUpBlocks } from '../../server/results/block-stats.ts'
import { rollUpBatch } from '../../server/results/stats-rollup.ts'
import { type App, startApp } from '../support/app.ts'
import { type Published, publish, reply, start } from '../support/chats.ts'
import { migrationsWith } from '../support/later-migrations.ts'
import { toLiteral } from '../support/literals.ts'
import { endProcesses, newDataFolder, run } from '../support/process.ts'
import { createDatabase, type TestDatabase } from '../support/server.ts'
import { questions, walksOf } from '../support/walks.ts'
import { makeWorld, type Site } from '../support/world.ts'

/*
 * The tables that grow, split into partitions on one server: nothing is lost, later migrations apply, and whatever is
 * asked about one bot reads one partition of each.
 */

// A cluster spreads them itself.
const describeHere = process.env.CITUS === '1' ? describe.skip : describe

const databases: TestDatabase[] = []
const clients: pg.Client[] = []
afterAll(async () => {
  for (const client of clients) await client.end()
  for (const database of databases) await database.drop()
  await endProcesses()
})

async function emptyDatabase() {
  const database = await createDatabase('nothing')
  databases.push(database)
  return database.url
}

async function connectTo(url: string) {
  const client = new pg.Client({ connectionString: url })
  clients.push(client)
  await client.connect()
  return client
}

const split = (url: string) => partition(url, () => {})

/** Rows of every kind of a few bots. */
async function fill(client: pg.Client) {
  const rows = `SELECT 'bot-' || n % 7 AS bot_id, 'id-' || n AS id, n FROM generate_series(1, 500) n`
  for (const statement of [
    `INSERT INTO results (bot_id, id, variables, created_at, updated_at)
    SELECT bot_id, id, '[{"id":  "v"}]', now(), now() FROM rows`,
    `INSERT INTO result_answers (bot_id, result_id, seq, block_id, content, attached_file_urls, created_at)
    SELECT bot_id, id, n % 3, 'block', 'Grüße', ARRAY['a', NULL], now() FROM rows`,
    `INSERT INTO result_transcripts (bot_id, result_id, id, entries) SELECT bot_id, id, '0', '[]' FROM rows`,
    `INSERT INTO result_logs (bot_id, result_id, id, status, description, created_at)
    SELECT bot_id, id, '0', 'error', 'x', now() FROM rows`,
    `INSERT INTO chat_turns (bot_id, session_id, revision, turn) SELECT bot_id, id, 1, '\\x00' FROM rows`,
  ]) {
    await client.query(statement.replace(/FROM rows$/, `FROM (${rows}) AS rows`))
  }
}

/** Returns a digest of all rows of each table. */
async function contentsOf(client: pg.Client) {
  const found: Record<string, unknown> = {}
  for (const table of growingTables) {
    const { rows } = await client.query(
      `SELECT count(*), md5(string_agg(t::text, '|' ORDER BY t::text)) FROM ${table} AS t`,
    )
    found[table] = rows[0]
  }
  return found
}

/** Columns, keys, indexes and settings of the tables, whether they are split or not. */
async function shapeOf(client: pg.Client) {
  const list = `unnest(ARRAY['${growingTables.join("', '")}']::regclass[]) AS whole`
  const columns = await client.query(`
    SELECT whole::text, attname, format_type(atttypid, atttypmod), attnotnull, attstorage,
      pg_get_expr(adbin, adrelid) AS default
    FROM ${list} JOIN pg_attribute ON attrelid = whole AND attnum > 0 AND NOT attisdropped
    LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum ORDER BY 1, 2`)
  const constraints = await client.query(`
    SELECT whole::text, conname, pg_get_constraintdef(oid) AS definition
    FROM ${list} JOIN pg_constraint ON conrelid = whole AND contype <> 'n' ORDER BY 1, 2`)
  const indexes = await client.query(`
    SELECT whole::text, indexrelid::regclass::text AS name, indisvalid,
      replace(pg_get_indexdef(indexrelid), ' ON ONLY ', ' ON ') AS definition
    FROM ${list} JOIN pg_index ON indrelid = whole ORDER BY 1, 2`)
  // Places of the rows of each table: the table itself, or each partition.
  const places = await client.query(`
    SELECT DISTINCT whole::text, reloptions,
      ARRAY(
        SELECT regexp_replace(pg_get_indexdef(indexrelid), '^.* USING ', '') FROM pg_index
        WHERE indrelid = leaf.relid AND indisvalid ORDER BY 1
      ) AS indexes
    FROM ${list}, pg_partition_tree(whole) AS leaf JOIN pg_class ON oid = leaf.relid WHERE isleaf ORDER BY 1`)
  const plain = await client.query(`
    SELECT whole::text, reloptions,
      ARRAY(
        SELECT regexp_replace(pg_get_indexdef(indexrelid), '^.* USING ', '') FROM pg_index
        WHERE indrelid = whole AND indisvalid ORDER BY 1
      ) AS indexes
    FROM ${list} JOIN pg_class ON oid = whole WHERE relkind = 'r' ORDER BY 1`)
  return {
    columns: columns.rows,
    constraints: constraints.rows,
    indexes: indexes.rows,
    places: plain.rowCount === 0 ? places.rows : plain.rows,
  }
}

async function partitionsOf(client: pg.Client) {
  const { rows } = await client.query(`
    SELECT inhparent::regclass::text AS name, count(*)::int FROM pg_inherits
    JOIN pg_class ON oid = inhparent WHERE relkind = 'p' GROUP BY 1`)
  return Object.fromEntries(rows.map(({ name, count }) => [name, count]))
}

const all = Object.fromEntries(growingTables.map((table) => [table, 32]))

describeHere('definitions beside the rows of a table', () => {
  test('are kept where possible, and else named before anything is changed', async () => {
    const url = await emptyDatabase()
    await migrateDatabase(url)
    const client = await connectTo(url)
    const role = `reporting_${process.pid}`
    await client.query(`
      CREATE ROLE ${role};
      COMMENT ON TABLE results IS 'it''s ours';
      GRANT SELECT ON results TO ${role} WITH GRANT OPTION;
      GRANT INSERT ON results TO ${role}`)
    const things: [string, string, RegExp][] = [
      [
        'GRANT SELECT (bot_id, id) ON results TO ROLE_NAME',
        'REVOKE SELECT (bot_id, id) ON results FROM ROLE_NAME',
        /grants of column bot_id of results/,
      ],
      [
        'CREATE FUNCTION noted() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NEW; END $$; CREATE TRIGGER noting AFTER INSERT ON result_logs FOR EACH ROW EXECUTE FUNCTION noted()',
        'DROP FUNCTION noted CASCADE',
        /trigger noting on table result_logs/,
      ],
      [
        'CREATE PUBLICATION pub FOR TABLE chat_turns',
        'DROP PUBLICATION pub',
        /publication of table chat_turns in publication pub/,
      ],
      [
        'ALTER TABLE results ENABLE ROW LEVEL SECURITY',
        'ALTER TABLE results DISABLE ROW LEVEL SECURITY',
        /row security of results/,
      ],
      [
        'CREATE POLICY mine ON results USING (true)',
        'DROP POLICY mine ON results',
        /policy mine on table results/,
      ],
      [
        'CREATE RULE nothing AS ON DELETE TO results DO INSTEAD NOTHING',
        'DROP RULE nothing ON results',
        /rule nothing on table results/,
      ],
      ['CREATE VIEW seen AS SELECT id FROM results', 'DROP VIEW seen', /view seen/],
      [
        'CREATE TABLE theirs (b text, r text, FOREIGN KEY (b, r) REFERENCES results)',
        'DROP TABLE theirs',
        /constraint theirs_b_r_fkey on table theirs/,
      ],
      [
        'ALTER TABLE results REPLICA IDENTITY FULL',
        'ALTER TABLE results REPLICA IDENTITY DEFAULT',
        /replica identity of results/,
      ],
    ]
    const before = await shapeOf(client)
    for (const [make, undo, name] of things) {
      await client.query(make.replaceAll('ROLE_NAME', role))
      await expect(split(url)).rejects.toThrow(name)
      await client.query(undo.replaceAll('ROLE_NAME', role))
    }
    expect(await shapeOf(client)).toEqual(before)
    expect(await partitionsOf(client)).toEqual({})
    // Revoking the last grant of a column leaves none behind.
    await split(url)
    const { rows } = await client.query(`SELECT obj_description('results'::regclass, 'pg_class') AS comment,
      has_table_privilege('${role}', 'results', 'SELECT WITH GRANT OPTION') AS may_grant,
      has_table_privilege('${role}', 'results', 'INSERT WITH GRANT OPTION') AS may_grant_other`)
    expect(rows).toEqual([{ comment: "it's ours", may_grant: true, may_grant_other: false }])
    await client.query(`DROP OWNED BY ${role}; DROP ROLE ${role}`)
  })
})

describeHere('growing tables', () => {
  test('keep their rows, keys, indexes, settings and grants, and are not split twice', async () => {
    const url = await emptyDatabase()
    await migrateDatabase(url)
    const client = await connectTo(url)
    await fill(client)
    const role = `reader_${new URL(url).pathname.slice(1)}`
    await client.query(`CREATE ROLE ${role}; GRANT SELECT, INSERT ON results TO ${role}`)
    const before = [await shapeOf(client), await contentsOf(client)]
    const lines: string[] = []
    expect(await partition(url, (line) => lines.push(line))).toEqual(growingTables)
    const { rows } = await client.query('SHOW max_locks_per_transaction')
    const locks = Number(rows[0].max_locks_per_transaction)
    expect(lines).toEqual([
      ...(locks < 512
        ? [expect.stringContaining(`Set max_locks_per_transaction of PostgreSQL to 512: it is ${locks},`)]
        : []),
      ...growingTables.map((table) => `${table}: 500 rows`),
    ])
    expect([await shapeOf(client), await contentsOf(client)]).toEqual(before)
    expect(await partitionsOf(client)).toEqual(all)
    const granted = `SELECT string_agg(privilege_type, ' ' ORDER BY 1) AS to FROM information_schema.role_table_grants
      WHERE grantee = '${role}' AND table_name = 'results'`
    expect((await client.query(granted)).rows).toEqual([{ to: 'INSERT SELECT' }])
    const again = await run('server/admin.ts', ['partition'], { DATABASE_URL: url })
    expect([again.code, again.stdout]).toEqual([0, '{"partitioned":[]}\n'])
    expect(again.stderr).toContain('chat_turns: has partitions already\n')
    expect([await shapeOf(client), await contentsOf(client)]).toEqual(before)
    await client.query(`DROP OWNED BY ${role}; DROP ROLE ${role}`)
  })

  const later = () =>
    migrationsWith({
      '0001_note': 'ALTER TABLE "results" ADD COLUMN "note" text;',
      '0002_results_by_update':
        'CREATE INDEX CONCURRENTLY IF NOT EXISTS "results_by_update" ON "results" USING btree ("updated_at");',
    })

  test('have the same schema as elsewhere after later migrations', async () => {
    const url = await emptyDatabase()
    await migrateDatabase(url)
    const client = await connectTo(url)
    await fill(client)
    expect(await split(url)).toEqual(growingTables)
    const folder = await later()
    await migrateDatabase(url, { folder })
    expect(await partitionsOf(client)).toEqual(all)
    const other = await emptyDatabase()
    await migrateDatabase(other, { folder })
    expect(await shapeOf(client)).toEqual(await shapeOf(await connectTo(other)))
    expect((await contentsOf(client)).results).toMatchObject({ count: '500' })
  })

  test('partitions with an index that was not built to its end get it again', async () => {
    const url = await emptyDatabase()
    await migrateDatabase(url)
    await split(url)
    const client = await connectTo(url)
    await client.query('CREATE INDEX results_by_update_05 ON results_05 (bot_id)')
    await client.query(
      `UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'results_by_update_05'::regclass`,
    )
    const folder = await later()
    await migrateDatabase(url, { folder })
    const other = await emptyDatabase()
    await migrateDatabase(other, { folder })
    expect(await shapeOf(client)).toEqual(await shapeOf(await connectTo(other)))
  })

  test('stay unchanged where one cannot be partitioned', async () => {
    const url = await emptyDatabase()
    await migrateDatabase(url)
    const client = await connectTo(url)
    await fill(client)
    await client.query('CREATE VIEW answers_by_block AS SELECT block_id FROM result_answers')
    const before = await contentsOf(client)
    await expect(split(url)).rejects.toThrow('view answers_by_block')
    expect(await partitionsOf(client)).toEqual({})
    expect(await contentsOf(client)).toEqual(before)
    await client.query('DROP VIEW answers_by_block')
    expect(await split(url)).toEqual(growingTables)
    expect(await contentsOf(client)).toEqual(before)
  })

  test('are left to a cluster where there is one', async () => {
    const url = await emptyDatabase()
    await migrateDatabase(url)
    const client = await connectTo(url)
    await client.query('CREATE TABLE pg_dist_partition ()')
    await expect(split(url)).rejects.toThrow('A Citus cluster spreads the tables itself')
    expect(await partitionsOf(client)).toEqual({})
  })

  test('are in a backup, which is restored as any other', async () => {
    const url = await emptyDatabase()
    await migrateDatabase(url)
    const client = await connectTo(url)
    await fill(client)
    await split(url)
    const file = `${await newDataFolder()}/backup.sql.gz`
    await backUp(url, file, () => {})
    const restored = await emptyDatabase()
    await restore(restored, file, () => {})
    expect(await contentsOf(await connectTo(restored))).toEqual(await contentsOf(client))
  })
})

interface Node {
  'Node Type': string
  'Relation Name'?: string
  'Actual Loops': number
  Plans?: Node[]
}

const nodesOf = (node: Node): Node[] => [node, ...(node.Plans ?? []).flatMap(nodesOf)]

describeHere('partitions of one bot', () => {
  let app: App
  let site: Site
  let made: Published
  /** Tables that were read, so that the test fails if none was looked at. */
  const touched = new Set<string>()

  beforeAll(async () => {
    const database = await createDatabase()
    databases.push(database)
    await split(database.url)
    app = await startApp({ databaseUrl: database.url })
    site = (await makeWorld(app)).here
    made = await publish(app, site, questions)
    const client = await connectTo(database.url)
    await fill(client)
    await client.query('VACUUM ANALYZE')
  })
  afterAll(() => app?.stop())

  /** The partitions that statements read while `work` is done, where they are several of one table, by statement. */
  async function readTwiceDuring(work: () => Promise<unknown>) {
    const problems: Record<string, string[]> = {}
    const inside = new WeakSet<object>()
    app.beforeStatement = async (text, values, send) => {
      const [, word] = /^\s*(begin|commit|rollback)/i.exec(text) ?? []
      if (word) return void (word === 'begin' ? inside.add(send) : inside.delete(send))
      if (!growingTables.some((table) => text.includes(`"${table}"`))) return
      for (const mode of ['force_custom_plan', 'force_generic_plan']) {
        await send(inside.has(send) ? 'SAVEPOINT explained' : 'BEGIN')
        // As on tables of some 100,000 rows, which partitions are for: smaller ones are read from end to end.
        for (const name of ['seqscan', 'hashjoin', 'mergejoin']) await send(`SET LOCAL enable_${name} = off`)
        await send(`SET LOCAL plan_cache_mode = ${mode}`)
        await send(`PREPARE explained AS ${text}`)
        const literals = values.length === 0 ? '' : `(${values.map(toLiteral).join(', ')})`
        const { rows } = await send(`EXPLAIN (ANALYZE, FORMAT JSON) EXECUTE explained${literals}`)
        await send(inside.has(send) ? 'ROLLBACK TO SAVEPOINT explained' : 'ROLLBACK')
        await send('DEALLOCATE explained')
        const [{ Plan: plan }] = JSON.parse(rows[0]['QUERY PLAN'])
        const read = nodesOf(plan).flatMap((node) =>
          /Scan/.test(node['Node Type']) && node['Actual Loops'] > 0 ? (node['Relation Name'] ?? []) : [],
        )
        for (const table of growingTables) {
          const partitions = [...new Set(read.filter((name) => new RegExp(`^${table}_\\d\\d$`).test(name)))]
          if (partitions.length > 0) touched.add(table)
          if (partitions.length > 1) problems[`${mode}: ${text}`] = partitions
        }
      }
    }
    try {
      await work()
    } finally {
      app.beforeStatement = undefined
    }
    return problems
  }

  const walks: Record<string, () => Promise<unknown>> = {
    ...walksOf(() => ({ app, made, as: site.member })),
    'chats that a member lists, changes and ends': async () => {
      const { sessionId } = await start(app, made)
      const as = site.member
      await app.client.ok('listChats', { as, params: { botId: made.id } })
      const params = { botId: made.id, sessionId }
      await app.client.ok('updateChat', { as, params, body: { variables: { Name: 'Eve' }, isOver: true } })
    },
    'counting by day': async () => {
      await app.pool.query(`INSERT INTO stats_rollups (bot_id, due_at) VALUES ($1, '2020-01-01')`, [made.id])
      app.clock.advance(26 * 60 * 60 * 1000)
      while (await rollUpBatch(app.db, app.clock.now()));
      while (await rollUpBlocks(app.db));
    },
    'deleting all results': async () => {
      await app.client.ok('deleteResults', { as: site.member, params: { botId: made.id } })
      while (await purgeBatch(app.db, app.clock.now()));
    },
  }

  test.each(Object.keys(walks))('%s', async (name) => {
    expect(await readTwiceDuring(walks[name] as () => Promise<unknown>)).toEqual({})
  })

  test('statements about many bots read the partitions that they need', async () => {
    const { sessionId } = await start(app, made)
    await reply(app, sessionId, 'Ada', 1)
    app.clock.advance(72 * 60 * 60 * 1000)
    while (await removeSessions(app.db, app.clock.now()));
    const steps = await app.pool.query('SELECT FROM chat_turns WHERE bot_id = $1', [made.id])
    expect(steps.rowCount).toBe(0)
    await app.pool.query(`UPDATE results SET created_at = now() - interval '40 days' WHERE bot_id = $1`, [
      made.id,
    ])
    await expireResults(app.db, 30, app.clock.now())
    while (await purgeBatch(app.db, app.clock.now()));
    const { rowCount } = await app.pool.query('SELECT FROM results WHERE bot_id = $1', [made.id])
    expect(rowCount).toBe(0)
    expect([...touched].sort()).toEqual([...growingTables].sort())
  })
})
