import { afterAll, beforeAll, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { type Step, saveStep } from '../server/chat/saving.ts'
import { sessionLookups } from '../server/chat/session-lookups.ts'
import type { SessionState, StepOutcome } from '../server/chat/types.ts'
import { type App, startApp } from './support/app.ts'
import { runs } from './support/runs.ts'

/*
 * A step is one statement on a server and a function of a node on a cluster: both write the same. On a cluster (CITUS=1)
 * there is only the latter.
 */

const NOW = new Date('2026-03-10T12:00:00.000Z')
const BOT = 'bot'
const LINKED = 'linked'

let apps: App[]
beforeAll(async () => {
  apps = [await startApp(), await startApp({ asOnCluster: true })]
  for (const { pool } of apps) {
    const query = (text: string) => pool.query(text)
    await query("INSERT INTO workspaces (id, name, created_at, updated_at) VALUES ('w', 'W', now(), now())")
    await query(
      `INSERT INTO webhook_endpoints (id, workspace_id, url, created_at, updated_at)
      VALUES ('endpoint', 'w', 'https://example.com/hook', now(), now())`,
    )
    await query(
      `INSERT INTO bots (id, workspace_id, name, version, revision, created_at, updated_at)
      VALUES ('${BOT}', 'w', 'Bot', '6.1', 1, now(), now()), ('${LINKED}', 'w', 'Bot', '6.1', 1, now(), now())`,
    )
  }
})
afterAll(() => Promise.all(apps.map((app) => app.stop())))

const tables = {
  chat_sessions: "- 'updated_at'",
  chat_steps: '',
  results: '',
  result_answers: '',
  // Ids are made anew for each.
  result_logs: "- 'id'",
  result_transcripts: '',
  bot_stats_daily: '',
  webhook_deliveries: "- 'id'",
}

async function rowsOf({ pool }: App) {
  const found: Record<string, unknown[]> = {}
  for (const [table, without] of Object.entries(tables)) {
    const { rows } = await pool.query(
      `SELECT to_jsonb(t) ${without} AS row FROM ${table} t ORDER BY (to_jsonb(t) ${without})::text`,
    )
    found[table] = rows.map(({ row }) => row)
  }
  return found
}

/** Two results of earlier days, and one of each today; the floor of the bot is above the time of the step, or it has none. */
async function prepare({ pool }: App, { hasFloor, steered }: { hasFloor: boolean; steered: string | null }) {
  for (const table of Object.keys(tables)) await pool.query(`DELETE FROM ${table}`)
  await pool.query(
    `INSERT INTO results (bot_id, id, variables, has_started, is_completed, waiting_block_id, waits_until, created_at, updated_at)
    VALUES ('${BOT}', 'old', '[]', true, false, 'block', '2026-03-12T12:00Z', '2026-03-01Z', '2026-03-01Z'),
      ('${BOT}', 'done', '[]', true, true, NULL, NULL, '2026-03-02Z', '2026-03-02Z'),
      ('${BOT}', 'today', '[]', true, false, 'b', '2026-03-12T13:00Z', '2026-03-10T11:00Z', '2026-03-10T11:00Z'),
      ('${LINKED}', 'other', '[]', false, false, NULL, NULL, '2026-03-01Z', '2026-03-01Z')`,
  )
  await pool.query(
    `INSERT INTO result_answers (bot_id, result_id, seq, block_id, content, created_at)
    SELECT '${BOT}', id, 0, 'block', 'earlier', '2026-03-01Z' FROM unnest(ARRAY['old', 'today']) AS id`,
  )
  await pool.query(
    `INSERT INTO result_transcripts SELECT '${BOT}', id, '0000000000.0', '[]' FROM unnest(ARRAY['old', 'done', 'today']) AS id`,
  )
  await pool.query('UPDATE bots SET results_floor_at = $1', [hasFloor ? '2026-03-10T12:00:01Z' : null])
  await pool.query(
    `INSERT INTO chat_sessions (id, bot_id, publication_id, result_id, state, revision, steered, expires_at, created_at, updated_at)
    VALUES ('chat', '${BOT}', 'p', 'today', '{}', 3, $1, '2026-03-12T13:00Z', '2026-03-10T11:00Z', '2026-03-10T11:00Z'),
      ('preview', '${BOT}', NULL, NULL, NULL, 3, NULL, '2026-03-12T13:00Z', '2026-03-10T11:00Z', '2026-03-10T11:00Z')`,
    [steered],
  )
}

const word = fc.string({ unit: 'grapheme', maxLength: 20 }).map((text) => text.replaceAll('\0', ''))
const answer = fc.record(
  { blockId: word, content: word, attachedFileUrls: fc.array(word, { maxLength: 2 }) },
  { requiredKeys: ['blockId', 'content'] },
)
const log = fc.record(
  {
    status: fc.constantFrom('error' as const, 'info' as const),
    description: word,
    context: word,
    details: word,
  },
  { requiredKeys: ['status', 'description'] },
)
const flags = { hasStarted: fc.boolean(), isCompleted: fc.boolean() }
const outcome = fc.record({
  ...flags,
  isOver: fc.boolean(),
  waits: fc.boolean(),
  answers: fc.array(answer, { maxLength: 3 }),
  logs: fc.array(log, { maxLength: 2 }),
  transcript: fc.array(
    fc.record({
      role: fc.constantFrom('bot' as const, 'user' as const),
      type: fc.constant('text' as const),
      text: word,
    }),
    { maxLength: 3 },
  ),
  linked: fc.array(
    fc.record({ ...flags, id: fc.constantFrom('other', 'new'), answers: fc.array(answer, { maxLength: 2 }) }),
    { maxLength: 1 },
  ),
})
/** What kind of step it is, and of which session. */
const ids = {
  chat: 'chat',
  preview: 'preview',
  'new chat': 'fresh',
  'new preview': 'fresh',
  'preview again': 'preview',
  'preview under the id of a chat': 'chat',
  'taken id': 'chat',
} as const
const kinds = Object.keys(ids) as (keyof typeof ids)[]

const step = fc.record({
  kind: fc.constantFrom(...kinds),
  resultId: fc.constantFrom('old', 'done', 'today', 'gone'),
  isNewResult: fc.boolean(),
  revision: fc.constantFrom(3, 3, 3, 2),
  steered: fc.constantFrom(null, '{"a":1}'),
  isEnded: fc.constantFrom(false, false, true),
  wasAnswered: fc.boolean(),
  isTold: fc.boolean(),
  lastAnswer: fc.string({ maxLength: 3_000 }),
  outcome,
})
type Made = typeof step extends fc.Arbitrary<infer Value> ? Value : never

function toStep(made: Made): Step {
  const isFirst = !['chat', 'preview'].includes(made.kind)
  const isPreview = made.kind.includes('preview')
  const id = ids[made.kind]
  const resultId = isPreview ? null : made.resultId
  const { isOver, waits, linked, ...rest } = made.outcome
  const state = {
    format: 1,
    frames: [{ botId: BOT, resultId }],
    ...(waits && { waiting: { blockId: 'block' } }),
  } as unknown as SessionState
  return {
    session: { id, botId: BOT, publicationId: isPreview ? null : 'p' },
    watchedWorkspaceId: made.isTold ? 'w' : undefined,
    ...(!isFirst && { read: { steered: made.steered, isEnded: made.isEnded, stepsSize: 0 } }),
    revision: isFirst ? 0 : made.revision,
    resultId,
    isNewResult: made.isNewResult,
    wasAnswered: made.wasAnswered,
    outcome: {
      messages: [],
      uploads: [],
      variables: [],
      ...rest,
      state: isOver ? null : state,
      linkedResults:
        resultId === null
          ? []
          : linked.map((result) => ({ variables: [], ...result, botId: LINKED, resultId: result.id })),
    } as unknown as StepOutcome,
    lastMessage: null,
    lastAnswer: JSON.stringify({ messages: [], said: made.lastAnswer }),
  }
}

test('both write the same', async () => {
  const seen = { written: 0, not: 0 }
  const property = fc.asyncProperty(
    step,
    fc.boolean(),
    fc.constantFrom(null, '{"a":1}'),
    async (made, hasFloor, steered) => {
      const outcomes = []
      for (const app of apps) {
        await prepare(app, { hasFloor, steered })
        const isWritten = await saveStep(app.db, toStep(made), NOW)
        outcomes.push({ isWritten, rows: await rowsOf(app) })
        seen[isWritten ? 'written' : 'not']++
      }
      expect(outcomes[1]).toEqual(outcomes[0])
    },
  )
  await fc.assert(property, { numRuns: runs(150, 2_000) })
  // Otherwise there was little to see.
  expect(seen.written).toBeGreaterThan(40)
  expect(seen.not).toBeGreaterThan(20)
})

/** What steps find of sessions, and who starts a chat finds of bots, whatever state these are in. */
async function lookUp(app: App) {
  await prepare(app, { hasFloor: false, steered: '{"a":1}' })
  const query = (text: string, values?: unknown[]) => app.pool.query(text, values)
  await query(
    "INSERT INTO workspaces (id, name, created_at, updated_at) VALUES ('unwatched', 'W', now(), now())",
  )
  await query(
    `INSERT INTO bots (id, workspace_id, name, version, revision, is_closed, deleted_at, results_floor_at, created_at, updated_at)
    VALUES ('closed', 'unwatched', 'B', '6.1', 1, true, NULL, NULL, 'epoch', 'epoch'),
      ('deleted', 'w', 'B', '6.1', 1, false, 'epoch', NULL, 'epoch', 'epoch'),
      ('emptied', 'w', 'B', '6.1', 1, false, NULL, '2026-03-09Z', 'epoch', 'epoch')`,
  )
  const botIds = [BOT, LINKED, 'closed', 'deleted', 'emptied']
  for (const bot of botIds) {
    await query("INSERT INTO public_ids (public_id, bot_id) VALUES ('of ' || $1::text, $1)", [bot])
    // All but one are live.
    await query(
      `INSERT INTO published_bots (bot_id, id, publication_id, created_at, updated_at)
      VALUES ($1, $1, $2, 'epoch', 'epoch')`,
      [bot, bot === LINKED ? null : 'p'],
    )
    await query(
      `INSERT INTO results (bot_id, id, variables, is_archived, created_at, updated_at)
      VALUES ($1, 'archived', '[]', true, '2026-03-10Z', '2026-03-10Z'),
        ($1, 'earlier', '[1]', false, '2026-03-08Z', '2026-03-08Z')`,
      [bot],
    )
    await query(
      `INSERT INTO chat_sessions (id, bot_id, publication_id, result_id, state, revision, claim, last_message,
        last_answer, steps, expires_at, created_at, updated_at)
      VALUES ('of ' || $1::text, $1, 'p', 'earlier', '{"a": 1}', 2, 'claim', 'digest', '{}', 'abc',
          '2026-03-12Z', '2026-03-10Z', '2026-03-10Z'),
        ('expired ' || $1::text, $1, 'p', 'earlier', '{}', 2, NULL, NULL, NULL, NULL,
          '2026-03-10T11:00Z', '2026-03-10Z', '2026-03-10Z')`,
      [bot],
    )
  }
  const lookups = sessionLookups(app.db)
  const sessions: (object | undefined)[] = []
  const starts: (object | undefined)[] = []
  for (const botId of [...botIds, 'none']) {
    for (const sessionId of ['chat', 'preview', `of ${botId}`, `expired ${botId}`])
      sessions.push(await lookups.resume({ botId, sessionId, now: NOW.toISOString() }))
    for (const publicId of [`of ${botId}`, 'of nobody'])
      for (const resultId of ['', 'archived', 'earlier', 'done'])
        starts.push(await lookups.start({ botId, publicId, resultId }))
  }
  // Their place among those that are asked at once is no one's.
  const plain = (found: object | undefined) => found && { ...found, place: undefined }
  return { sessions: sessions.map(plain), starts: starts.map(plain) }
}

test('both read the same', async () => {
  const [first, onNode] = [await lookUp(apps[0] as App), await lookUp(apps[1] as App)]
  expect(onNode).toEqual(first)
  // The chat and the preview of the first bot, and one of each that is not deleted.
  expect(first.sessions.filter((found) => found)).toHaveLength(6)
  // With each of the results or without it, of those that are live and not deleted.
  expect(first.starts.filter((found) => found)).toHaveLength(12)
})
