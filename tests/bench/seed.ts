import { eq } from 'drizzle-orm'
import { createToken } from '../../server/access/authenticate.ts'
import { connect, type Database } from '../../server/db/client.ts'
import { cursorKey, migrateDatabase } from '../../server/db/migrate.ts'
import { writeCursor } from '../../server/db/page.ts'
import {
  apiTokens,
  botDrafts,
  botPublications,
  bots,
  publicIds,
  publishedBots,
  statsRollups,
  users,
  workspaceMembers,
  workspaces,
} from '../../server/db/schema.ts'
import { newId } from '../../server/ids.ts'
import { JsonText } from '../../server/json/json-text.ts'
import { rollUpBatch } from '../../server/results/stats-rollup.ts'
import { type FlowDocument, makeDocument } from './documents.ts'

/** What the operations are about. */
export interface Seed {
  token: string
  workspaceId: string
  /** Bots by the size of their documents, in KB. */
  bots: Record<3 | 5 | 27 | 1000, string>
  /** Bots by the number of their results. */
  crowded: string
  quiet: string
  /** Published; what chats run on. */
  publicId: string
  /** Where the page after half of the crowded bot's results begins, for the service and for the others. */
  deepCursor: { signed: string; plain: string }
}

export const CROWD = 1_000_000
const DEPTH = CROWD / 2

/** Migrates an empty database and fills it. */
export async function seed(url: string): Promise<Seed> {
  await migrateDatabase(url)
  const { db, pool } = connect({
    url,
    poolSize: 2,
    connectTimeout: 5_000,
    statementTimeout: 240_000,
    lockTimeout: 5_000,
    namedStatements: true,
    sessionSettings: true,
    onError: () => {},
  })
  try {
    const { token, userId, workspaceId } = await addWorkspace(db)
    const add = (name: string, document: FlowDocument) => addBot(db, workspaceId, name, document)
    const sizes = [3, 5, 27, 1000] as const
    const bySize = {} as Seed['bots']
    for (const size of sizes) bySize[size] = await add(`${size} KB`, makeDocument(size * 1000))
    const crowded = await add('Crowded', makeDocument(5000))
    const quiet = await add('Quiet', makeDocument(5000))
    for (let at = 0; at < 1000; at++) await add(`Bot ${at}`, makeDocument(at % 2 === 0 ? 3000 : 27_000))
    const publicId = await addPublished(db, workspaceId, userId)

    await addResults(pool, crowded, CROWD)
    await addResults(pool, quiet, 1000)
    // What the service does seconds after the first time somebody reads the statistics of a large bot.
    await db.insert(statsRollups).values({ botId: crowded, dueAt: new Date() })
    while (await rollUpBatch(db, new Date()));
    await pool.query('VACUUM (ANALYZE, FREEZE)')
    // Statistics are complete and nothing is dirty, so that no round pays for the seeding.
    await pool.query('CHECKPOINT').catch(() => {})
    const { rows } = await pool.query(
      'SELECT created_at, id FROM results WHERE bot_id = $1 AND has_started AND NOT is_archived ORDER BY created_at DESC NULLS LAST, id DESC NULLS LAST LIMIT 1 OFFSET $2',
      [crowded, DEPTH - 1],
    )
    const position = { createdAt: rows[0].created_at as Date, id: rows[0].id as string }
    const scope = ['results', crowded, 'allTime', 'UTC']
    return {
      token,
      workspaceId,
      bots: bySize,
      crowded,
      quiet,
      publicId,
      deepCursor: {
        signed: writeCursor(await cursorKey(db), scope, position),
        plain: `${position.createdAt.getTime()}.${position.id}`,
      },
    }
  } finally {
    await pool.end()
  }
}

const stamps = () => {
  const now = new Date()
  return { createdAt: now, updatedAt: now }
}

async function addWorkspace(db: Database) {
  const { token, hash, hint } = createToken()
  const [userId, workspaceId] = [newId(new Date()), newId(new Date())]
  await db.insert(users).values({ id: userId, email: 'bench@example.com', ...stamps() })
  await db.insert(workspaces).values({ id: workspaceId, name: 'Workspace', icon: '🏢', ...stamps() })
  await db.insert(workspaceMembers).values({ workspaceId, userId, role: 'ADMIN', createdAt: new Date() })
  await db.insert(apiTokens).values({
    id: newId(new Date()),
    tokenHash: hash,
    hint,
    ownerUserId: userId,
    name: 'Bench',
    createdAt: new Date(),
    // No first use of the day in the middle of a run.
    lastUsedOn: '9999-12-31',
  })
  return { token, userId, workspaceId }
}

const json = (value: unknown) => new JsonText(JSON.stringify(value))

function partsOf({ groups, events, edges, variables, theme, settings }: FlowDocument) {
  return {
    groups: json(groups),
    events: json(events),
    edges: json(edges),
    variables: json(variables),
    theme: json(theme),
    settings: json(settings),
  }
}

async function addBot(db: Database, workspaceId: string, name: string, document: FlowDocument) {
  const id = newId(new Date())
  await db.insert(bots).values({ id, workspaceId, name, version: '6.1', revision: 1, ...stamps() })
  await db.insert(botDrafts).values({ botId: id, ...partsOf(document) })
  return id
}

async function addPublished(db: Database, workspaceId: string, userId: string) {
  const document = makeDocument(5000)
  const botId = await addBot(db, workspaceId, 'Published', document)
  const [publicId, id] = ['published-bench', newId(new Date())]
  await db.update(bots).set({ publicId }).where(eq(bots.id, botId))
  await db.insert(publicIds).values({ publicId, botId })
  await db.insert(botPublications).values({
    botId,
    id,
    sourceRevision: 1,
    version: '6.1',
    ...partsOf(document),
    warnings: json([]),
    publishedBy: userId,
    createdAt: new Date(),
  })
  await db.insert(publishedBots).values({ botId, id, publicationId: id, ...stamps() })
  return publicId
}

/** Results over the last 400 days, each started and with three answers; two of three are completed. */
async function addResults(
  pool: { query(text: string, values: unknown[]): Promise<unknown> },
  botId: string,
  count: number,
) {
  const series = `
    SELECT n, to_char(n, 'FM00000000000000000000000000') AS id,
      date_trunc('milliseconds', now() - n * (interval '400 days' / $2::int)) AS at
    FROM generate_series(1, $2::int) AS n`
  await pool.query(
    `INSERT INTO results (bot_id, id, variables, has_started, is_completed, is_archived, created_at, updated_at)
    SELECT $1, id, json_build_array(
        json_build_object('id', 'variable-0', 'name', 'Answer 0', 'value', 'Value of result ' || n),
        json_build_object('id', 'variable-1', 'name', 'Answer 1', 'value', 'ada' || n || '@example.com')
      ), true, n % 3 > 0, false, at, at
    FROM (${series}) series ORDER BY n DESC`,
    [botId, count],
  )
  await pool.query(
    `INSERT INTO result_answers (bot_id, result_id, seq, block_id, content, created_at)
    SELECT $1, id, seq, 'input-' || seq, 'Answer ' || seq || ' of result ' || n || ', in a few words', at
    FROM (${series}) series, generate_series(0, 2) AS seq ORDER BY n DESC, seq`,
    [botId, count],
  )
}
