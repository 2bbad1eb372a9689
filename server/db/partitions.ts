import pg from 'pg'

/*
 * On one server the tables that grow with every chat can be split into partitions by bot. No other file depends on
 * that: every statement names the bot of its rows, and PostgreSQL reads the one partition that has them.
 */

/** The tables that grow. Sessions are not among them: they go within days. */
export const growingTables = ['results', 'result_answers', 'result_transcripts', 'result_logs', 'chat_turns']

const PARTITION_COUNT = 32

/**
 * Minimum `max_locks_per_transaction` (64 by default): a turn locks the partitions of four tables with their indexes,
 * some 350 at once, and all connections share the total.
 */
export const enoughLocks = 512

const numbered = (name: string, place: number) => `${name}_${String(place).padStart(2, '0')}`

/**
 * Properties of tables that a new table would lack, as PostgreSQL describes them: the loss of row security or a
 * publication would go unnoticed until it is needed.
 */
export async function lostBySplitting(client: pg.Client, tables: string[]): Promise<string[]> {
  const { rows } = await client.query(
    `
    WITH own AS (SELECT * FROM pg_class WHERE oid = ANY($1::regclass[]) AND relkind = 'r')
    SELECT pg_describe_object('pg_trigger'::regclass, t.oid, 0) AS lost
      FROM pg_trigger t JOIN own ON own.oid = tgrelid WHERE NOT tgisinternal
    UNION ALL SELECT pg_describe_object('pg_policy'::regclass, p.oid, 0) FROM pg_policy p JOIN own ON own.oid = polrelid
    UNION ALL SELECT 'row security of ' || relname FROM own WHERE relrowsecurity OR relforcerowsecurity
    UNION ALL SELECT format('grants of column %s of %s', attname, relname)
      FROM pg_attribute JOIN own ON own.oid = attrelid WHERE attacl IS NOT NULL AND attnum > 0
    UNION ALL SELECT pg_describe_object('pg_publication_rel'::regclass, p.oid, 0)
      FROM pg_publication_rel p JOIN own ON own.oid = prrelid
    UNION ALL SELECT pg_describe_object('pg_rewrite'::regclass, r.oid, 0) FROM pg_rewrite r JOIN own ON own.oid = ev_class
    UNION ALL SELECT DISTINCT pg_describe_object('pg_class'::regclass, ev_class, 0)
      FROM pg_depend JOIN own ON own.oid = refobjid AND refclassid = 'pg_class'::regclass
      JOIN pg_rewrite r ON r.oid = objid AND classid = 'pg_rewrite'::regclass AND ev_class <> own.oid
    UNION ALL SELECT pg_describe_object('pg_constraint'::regclass, c.oid, 0)
      FROM pg_constraint c JOIN own ON own.oid IN (conrelid, confrelid) WHERE contype IN ('f', 'x')
    UNION ALL SELECT format('%s inherits from %s', inhrelid::regclass, inhparent::regclass)
      FROM pg_inherits JOIN own ON own.oid IN (inhrelid, inhparent)
    UNION ALL SELECT 'replica identity of ' || relname FROM own WHERE relreplident <> 'd'
    UNION ALL SELECT 'tablespace of ' || relname FROM own WHERE reltablespace <> 0
    UNION ALL SELECT 'security label of ' || relname FROM pg_seclabel JOIN own ON own.oid = objoid
    ORDER BY 1`,
    [tables],
  )
  return rows.map(({ lost }) => lost)
}

/** Splits a table, with all it holds and has, in the transaction of the caller; null where it is split already. */
export async function splitTable(client: pg.Client, table: string): Promise<{ rows: number } | null> {
  const query = async (text: string) => (await client.query(text)).rows
  const [is] = await query(`
    SELECT relkind AS kind, pg_get_userbyid(relowner) AS owner, coalesce(reloptions, '{}') AS options,
      quote_literal(obj_description(oid, 'pg_class')) AS comment
    FROM pg_class WHERE oid = '${table}'::regclass`)
  if (is.kind === 'p') return null
  // The new tables belong to the owner of the table, not to the caller.
  await query(`SET LOCAL ROLE ${pg.escapeIdentifier(is.owner)}`)
  await query(`LOCK TABLE ${table} IN ACCESS EXCLUSIVE MODE`)
  const [key] = await query(`
    SELECT quote_ident(conname) AS name, pg_get_constraintdef(oid) AS definition
    FROM pg_constraint WHERE conrelid = '${table}'::regclass AND contype = 'p'`)
  const indexes = await query(`
    SELECT pg_get_indexdef(indexrelid) AS statement
    FROM pg_index WHERE indrelid = '${table}'::regclass AND NOT indisprimary ORDER BY 1`)
  const grants = await query(`
    SELECT format('GRANT %s ON ${table} TO %s%s', privilege_type,
      CASE WHEN grantee = 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(grantee)) END,
      CASE WHEN is_grantable THEN ' WITH GRANT OPTION' END) AS statement
    FROM pg_class, aclexplode(relacl) WHERE oid = '${table}'::regclass AND grantee <> relowner`)

  const whole = `${table}_whole`
  await query(`ALTER TABLE ${table} RENAME TO ${whole}`)
  await query(
    `CREATE TABLE ${table} (LIKE ${whole} INCLUDING ALL EXCLUDING INDEXES) PARTITION BY HASH (bot_id)`,
  )
  const options = is.options.length > 0 ? `WITH (${is.options.join(', ')})` : ''
  for (let place = 0; place < PARTITION_COUNT; place++) {
    await query(`
      CREATE TABLE ${numbered(table, place)} PARTITION OF ${table}
      FOR VALUES WITH (MODULUS ${PARTITION_COUNT}, REMAINDER ${place}) ${options}`)
  }
  const { rowCount } = await client.query(`INSERT INTO ${table} SELECT * FROM ${whole}`)
  await query(`DROP TABLE ${whole}`)
  // Once the rows are there: a build of the index takes less time than its upkeep with each row.
  await query(`ALTER TABLE ${table} ADD CONSTRAINT ${key.name} ${key.definition}`)
  for (const { statement } of [...indexes, ...grants]) await query(statement)
  if (is.comment) await query(`COMMENT ON TABLE ${table} IS ${is.comment}`)
  return { rows: rowCount ?? 0 }
}

/**
 * Returns the statements that replace one of a migration on this database. On a table with partitions PostgreSQL can
 * neither build nor drop an index concurrently, nor take settings of storage. It does both on the partitions.
 */
export async function onPartitions(client: pg.Client, statement: string): Promise<string[]> {
  const [, unique, index, table = '', form] =
    /CREATE (UNIQUE )?INDEX CONCURRENTLY IF NOT EXISTS "(\w+)" ON "(\w+)" (.+)/s.exec(statement) ?? []
  if (index !== undefined) {
    const partitions = await partitionsOf(client, table)
    if (partitions.length === 0) return [statement]
    const create = `CREATE ${unique ?? ''}INDEX`
    return [
      ...partitions.map(
        (partition, place) =>
          `${create} CONCURRENTLY IF NOT EXISTS "${numbered(index, place)}" ON "${partition}" ${form}`,
      ),
      // Takes those for its parts, and builds nothing.
      `${create} IF NOT EXISTS "${index}" ON "${table}" ${form}`,
    ]
  }
  const [, dropped] = /DROP INDEX CONCURRENTLY IF EXISTS "(\w+)"/.exec(statement) ?? []
  if (dropped !== undefined) {
    const { rows } = await client.query(
      `SELECT FROM pg_class WHERE oid = to_regclass($1) AND relkind = 'I'`,
      [dropped],
    )
    return [rows.length > 0 ? `DROP INDEX "${dropped}"` : statement]
  }
  const [, changed = '', settings] = /ALTER TABLE "(\w+)" (SET \(.+)/s.exec(statement) ?? []
  if (settings === undefined) return [statement]
  const partitions = await partitionsOf(client, changed)
  if (partitions.length === 0) return [statement]
  return partitions.map((partition) => `ALTER TABLE "${partition}" ${settings}`)
}

async function partitionsOf(client: pg.Client, table: string): Promise<string[]> {
  const { rows } = await client.query(
    'SELECT inhrelid::regclass::text AS name FROM pg_inherits WHERE inhparent = to_regclass($1) ORDER BY 1',
    [table],
  )
  return rows.map(({ name }) => name)
}
