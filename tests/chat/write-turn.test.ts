import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { sql } from 'drizzle-orm'
import type { SessionState, TurnOutcome } from '../../server/chat/engine/types.ts'
import { sessionQueries } from '../../server/chat/sessions/session-queries.ts'
import { type TurnToWrite, writeTurn } from '../../server/chat/sessions/write-turn.ts'
import { MAX_BATCHED_WRITE_BYTES } from '../../server/chat/sessions/write-turn-batched.ts'
import { isDistributed } from '../../server/db/citus/topology.ts'
import { Unavailable } from '../../server/db/unavailable.ts'
import { expandOutboxRow, fanOutAll } from '../../server/webhooks/outbox.ts'
import fc from '../kit/fast-check.ts'
import { type App, startApp } from '../support/app.ts'
import { until } from '../support/process.ts'
import { runs } from '../support/runs.ts'

/*
 * A turn is one statement on a server, or a part of one with other turns, and a function of a node on a cluster: all
 * write the same. On a cluster (CITUS=1) there is only the latter.
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
      `INSERT INTO webhook_endpoints (id, workspace_id, url, secrets, secrets_key_id, created_at, updated_at)
      VALUES ('endpoint', 'w', 'https://example.com/hook', '', 'none', now(), now())`,
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
  chat_turns: '',
  results: '',
  result_answers: '',
  // Ids are made anew for each.
  result_logs: "- 'id'",
  result_transcripts: '',
  bot_stats_daily: '',
  // A time after the turn is counted from the real one.
  chat_timers: `- 'due_at' || jsonb_build_object('at', CASE WHEN due_at < now() THEN due_at END)`,
  // Only the order of sequence numbers counts.
  webhook_deliveries: `- 'id' - 'seq' || jsonb_build_object(
    'nth', rank() OVER (PARTITION BY t.bot_id, t.endpoint_id, t.subject ORDER BY t.seq))`,
  webhook_events: "- 'id'",
}

async function rowsOf({ db, pool }: App) {
  await fanOutAll(db)
  const found: Record<string, unknown[]> = {}
  for (const [table, without] of Object.entries(tables)) {
    const { rows } = await pool.query(
      `SELECT to_jsonb(t) ${without} AS row FROM ${table} t ORDER BY (to_jsonb(t) ${without})::text`,
    )
    found[table] = rows.map(({ row }) => row)
  }
  return found
}

/**
 * Two results of earlier days, and one of each today; the floor of the bot is above the time of the turn, or it has
 * none.
 */
async function prepare(
  { pool }: App,
  { hasFloor, memberEdits }: { hasFloor: boolean; memberEdits: string | null },
) {
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
    `INSERT INTO chat_sessions (id, bot_id, publication_id, result_id, state, revision, member_edits, expires_at, created_at, updated_at)
    VALUES ('chat', '${BOT}', 'p', 'today', '{}', 3, $1, '2026-03-12T13:00Z', '2026-03-10T11:00Z', '2026-03-10T11:00Z'),
      ('preview', '${BOT}', NULL, NULL, NULL, 3, NULL, '2026-03-12T13:00Z', '2026-03-10T11:00Z', '2026-03-10T11:00Z')`,
    [memberEdits],
  )
  await pool.query(
    `INSERT INTO chat_timers (bot_id, session_id, id, workspace_id, due_at, is_paused, failures)
    SELECT bot_id, id, 'earlier', 'w', 'epoch', false, 2 FROM chat_sessions`,
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
/** Session of each kind of turn. */
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

const wanted = fc.option(
  fc.constantFrom('*', 'bot.updated', 'bot.updated,result.started', 'result.answered,result.completed'),
)

const timer = fc.constantFrom<TurnToWrite['timer'][]>(
  undefined,
  undefined,
  null,
  { id: 'after', kind: 'idle', afterMs: 60_000.5 },
  { id: 'at', kind: 'wait', at: '2026-03-11T00:00:00.000Z' },
)

const step = fc.record({
  timer,
  kind: fc.constantFrom(...kinds),
  resultId: fc.constantFrom('old', 'done', 'today', 'gone'),
  isNewResult: fc.boolean(),
  revision: fc.constantFrom(3, 3, 3, 2),
  memberEdits: fc.constantFrom(null, '{"a":1}'),
  isEnded: fc.constantFrom(false, false, true),
  hasEarlierAnswer: fc.boolean(),
  subscribedEvents: wanted,
  response: fc.string({ maxLength: 3_000 }),
  outcome,
})
type Made = typeof step extends fc.Arbitrary<infer Value> ? Value : never

function toStep(made: Made): TurnToWrite {
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
    session: { id, botId: BOT, workspaceId: 'w', publicationId: isPreview ? null : 'p' },
    subscribedEvents: made.subscribedEvents,
    ...(!isFirst && { base: { memberEdits: made.memberEdits, isEnded: made.isEnded, inlineTurnsBytes: 0 } }),
    revision: isFirst ? 0 : made.revision,
    resultId,
    isNewResult: made.isNewResult,
    hasEarlierAnswer: made.hasEarlierAnswer,
    timer: made.timer,
    outcome: {
      messages: [],
      said: [],
      uploads: [],
      variables: [],
      ...rest,
      state: isOver ? null : state,
      linkedResults:
        resultId === null
          ? []
          : linked.map((result) => ({ variables: [], ...result, botId: LINKED, resultId: result.id })),
    } as unknown as TurnOutcome,
    lastDigest: null,
    response: JSON.stringify({ messages: [], said: made.response }),
  }
}

test('both ways to write a turn store the same rows', async () => {
  const seen = { written: 0, not: 0 }
  const property = fc.asyncProperty(
    step,
    fc.boolean(),
    fc.constantFrom(null, '{"a":1}'),
    async (made, hasFloor, memberEdits) => {
      const outcomes = []
      for (const app of apps) {
        await prepare(app, { hasFloor, memberEdits })
        const isWritten = await writeTurn(app.db, toStep(made), NOW).catch((error) => {
          // The id is taken, and no retry frees it.
          if (made.kind !== 'taken id' || !(error instanceof Unavailable)) throw error
          return false
        })
        outcomes.push({ isWritten, rows: await rowsOf(app) })
        seen[isWritten ? 'written' : 'not']++
      }
      expect(outcomes[1]).toEqual(outcomes[0])
    },
  )
  await fc.assert(property, { numRuns: runs(80, 2_000) })
  // Otherwise there was little to see.
  expect(seen.written).toBeGreaterThan(40)
  expect(seen.not).toBeGreaterThan(20)
})

const CHAT_NUMBERS = [0, 1, 2, 3, 4, 5]

/** Chats that continue and a result for each; those with an odd number are of an earlier day. */
async function prepareMany(app: App, hasFloor: boolean) {
  await prepare(app, { hasFloor, memberEdits: null })
  await app.pool.query(
    `INSERT INTO results (bot_id, id, variables, has_started, is_completed, created_at, updated_at)
    SELECT '${BOT}', 'result ' || n, '[]', n > 2, n > 3, CASE WHEN n % 2 = 1 THEN '2026-03-01Z'::timestamptz
      ELSE '2026-03-10T11:00Z' END, '2026-03-01Z' FROM unnest($1::integer[]) AS n`,
    [CHAT_NUMBERS],
  )
  await app.pool.query(
    `INSERT INTO chat_sessions (id, bot_id, publication_id, result_id, state, revision, member_edits, expires_at, created_at, updated_at)
    SELECT 'chat ' || n, '${BOT}', 'p', 'result ' || n, '{}', 3, CASE WHEN n > 3 THEN '{"a":1}'::json END,
      '2026-03-12T13:00Z', '2026-03-10T11:00Z', '2026-03-10T11:00Z' FROM unnest($1::integer[]) AS n`,
    [CHAT_NUMBERS],
  )
  await app.pool.query(
    `INSERT INTO chat_timers (bot_id, session_id, id, workspace_id, due_at, is_paused, failures)
    SELECT bot_id, id, 'earlier', 'w', 'epoch', false, 2 FROM chat_sessions ON CONFLICT DO NOTHING`,
  )
}

/** Mostly a start, one answer or a turn without one, which is what is written together. */
const usual = fc.record({
  isStart: fc.boolean(),
  isAnswered: fc.boolean(),
  isUsual: fc.constantFrom(true, true, true, false),
  subscribedEvents: wanted,
  hasRoom: fc.boolean(),
  made: step,
  answer,
})

function toUsual(
  {
    isStart,
    isAnswered,
    isUsual,
    subscribedEvents,
    hasRoom,
    made,
    answer,
  }: typeof usual extends fc.Arbitrary<infer Value> ? Value : never,
  n: number,
): TurnToWrite {
  const transcript = isAnswered || isStart ? [] : made.outcome.transcript
  const answers = isAnswered && !isStart ? [answer] : []
  const rest = isUsual ? { logs: [], answers, transcript } : {}
  const kind = isStart ? 'new chat' : 'chat'
  const one = toStep({ ...made, kind, subscribedEvents, outcome: { ...made.outcome, ...rest, linked: [] } })
  const id = isStart ? `fresh ${n}` : `chat ${n}`
  const resultId = isStart ? `new ${n}` : `result ${n}`
  const { base: read } = one
  return {
    ...one,
    session: { ...one.session, id },
    resultId,
    isNewResult: isStart,
    outcome: { ...one.outcome, hasStarted: !isUsual || one.outcome.hasStarted },
    ...(read && { base: { ...read, inlineTurnsBytes: hasRoom ? 0 : 1_900 } }),
  }
}

/** Statements that write turns of several chats. */
const together = ({ statements }: App) =>
  statements.filter((text) => /(INSERT INTO|UPDATE) "chat_sessions"/.test(text) && text.includes('unnest('))

// A cluster joins no turns, and its coordinator does not see the node on which a statement waits.
const testAlone = process.env.CITUS === '1' ? test.skip : test

/** A batch raises the epoch of a day once, for all of its turns. */
const raisedOnce = ({ bot_stats_daily: days = [], ...rows }: Awaited<ReturnType<typeof rowsOf>>) => ({
  ...rows,
  days: days.map((day) => ({ ...(day as object), epoch: undefined })),
})

testAlone('concurrent turns write the same as turns one after the other', async () => {
  const seen = { written: 0, not: 0 }
  const [first, second] = apps as [App, App]
  first.statements.length = 0
  const property = fc.asyncProperty(
    fc.array(usual, { minLength: 2, maxLength: CHAT_NUMBERS.length }),
    fc.boolean(),
    async (all, hasFloor) => {
      const steps = all.map(toUsual)
      await prepareMany(first, hasFloor)
      const atOnce = await Promise.all(steps.map((step) => writeTurn(first.db, step, NOW)))
      const { rows: miscounted } = await first.db.execute(
        sql`SELECT * FROM webhook_outbox t WHERE size <> (SELECT count(*) FROM ${expandOutboxRow})`,
      )
      expect(miscounted).toEqual([])
      await prepareMany(second, hasFloor)
      const inTurn = []
      for (const step of steps) inTurn.push(await writeTurn(second.db, step, NOW))
      const together = raisedOnce(await rowsOf(first))
      expect({ atOnce, rows: together }).toEqual({ atOnce: inTurn, rows: raisedOnce(await rowsOf(second)) })
      for (const isWritten of atOnce) seen[isWritten ? 'written' : 'not']++
    },
  )
  await fc.assert(property, { numRuns: runs(150, 2_000) })
  expect(seen.written).toBeGreaterThan(100)
  expect(seen.not).toBeGreaterThan(20)
  if (!isDistributed(first.db)) expect(together(first).length).toBeGreaterThan(40)
})

const answering = (n: number, resultId = `result ${n}`): TurnToWrite => ({
  session: { id: `chat ${n}`, botId: BOT, workspaceId: 'w', publicationId: 'p' },
  subscribedEvents: 'result.answered',
  base: { memberEdits: null, isEnded: false, inlineTurnsBytes: 0 },
  revision: 3,
  resultId,
  isNewResult: false,
  hasEarlierAnswer: true,
  outcome: {
    messages: [],
    uploads: [],
    variables: [],
    hasStarted: true,
    isCompleted: false,
    answers: [{ blockId: 'block', content: `answer ${n}` }],
    logs: [],
    transcript: [],
    said: [],
    linkedResults: [],
    state: null,
  } as unknown as TurnOutcome,
  lastDigest: null,
  response: '{}',
})

async function answersOf({ pool }: App) {
  const { rows } = await pool.query(
    `SELECT result_id, seq, content FROM result_answers WHERE content LIKE 'answer %' ORDER BY result_id, seq`,
  )
  return rows.map(({ result_id, seq, content }) => `${result_id}: ${seq} ${content}`)
}

test('turns of one batch count once each, whatever they have in common', async () => {
  const [app] = apps as [App]
  await prepareMany(app, false)
  const steps = [
    // Two chats of one result, and one chat twice.
    answering(0),
    answering(2, 'result 0'),
    answering(1),
    answering(3),
    answering(3),
  ]
  const written = await Promise.all(steps.map((step) => writeTurn(app.db, step, NOW)))
  expect(written.slice(0, 3)).toEqual([true, true, true])
  expect(written.slice(3).sort()).toEqual([false, true])
  const kept = (await answersOf(app)).map((line) => line.replace(/answer [02]/, 'either'))
  expect(kept).toEqual([
    'result 0: 0 either',
    'result 0: 1 either',
    'result 1: 0 answer 1',
    'result 3: 0 answer 3',
  ])
})

test('a turn that cannot be written does not prevent the others of its batch', async () => {
  const [app] = apps as [App]
  await prepareMany(app, false)
  const start = (id: string, n: number): TurnToWrite => {
    const { base: _, outcome, ...step } = answering(n, `new ${n}`)
    return {
      ...step,
      session: { ...step.session, id },
      revision: 0,
      isNewResult: true,
      outcome: { ...outcome, hasStarted: false, answers: [] },
    }
  }
  const steps = [start('fresh', 0), start('chat 1', 1), start('fresher', 2)]
  const outcomes = await Promise.allSettled(steps.map((step) => writeTurn(app.db, step, NOW)))
  const isWritten = outcomes.map((outcome) => outcome.status === 'fulfilled' && outcome.value)
  expect(isWritten).toEqual([true, false, true])
  const { rows } = await app.pool.query("SELECT id FROM results WHERE id LIKE 'new %' ORDER BY id")
  expect(rows.map(({ id }) => id)).toEqual(['new 0', 'new 2'])
})

testAlone('a large turn is written alone, and the others in a batch', async () => {
  const [app] = apps as [App]
  await prepareMany(app, false)
  app.statements.length = 0
  const large = answering(1)
  large.outcome.answers[0] = {
    blockId: 'block',
    content: `answer ${'x'.repeat(MAX_BATCHED_WRITE_BYTES)}`,
  } as TurnOutcome['answers'][number]
  const turns = [answering(0), large, answering(2)]
  expect(await Promise.all(turns.map((turn) => writeTurn(app.db, turn, NOW)))).toEqual([true, true, true])
  const writes = app.statements.filter((text) => /UPDATE "chat_sessions"/.test(text))
  expect(writes.map((text) => text.includes('unnest(')).sort()).toEqual([false, true])
  expect((await answersOf(app)).map((line) => line.length > MAX_BATCHED_WRITE_BYTES)).toEqual([
    false,
    true,
    false,
  ])
})

testAlone.each(['session', 'result'])(
  'a %s that another transaction changes meanwhile loses no answer',
  async (which) => {
    const [app] = apps as [App]
    await prepareMany(app, false)
    const connection = await app.pool.connect()
    const [change, id] =
      which === 'session'
        ? ['UPDATE chat_sessions SET member_edits = \'{"b":2}\' WHERE id = $1', 'chat 1']
        : ["UPDATE results SET variables = '[1]' WHERE id = $1", 'result 1']
    try {
      await connection.query('BEGIN')
      await connection.query(change, [id])
      const written = Promise.all([0, 1, 2].map((n) => writeTurn(app.db, answering(n), NOW)))
      const waiting = () =>
        app.pool.query(
          "SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()",
        )
      await until('a step waits', async () => (await waiting()).rowCount !== 0)
      await connection.query('COMMIT')
      // A turn does not count once a member has edited the chat.
      expect(await written).toEqual([true, which === 'result', true])
    } finally {
      connection.release()
    }
    const answers = [0, 1, 2].filter((n) => which === 'result' || n !== 1)
    expect(await answersOf(app)).toEqual(answers.map((n) => `result ${n}: 0 answer ${n}`))
  },
)

testAlone('a turn that waits for a lock does not delay others for long', async () => {
  const [app] = apps as [App]
  await prepareMany(app, false)
  await app.pool.query(
    `INSERT INTO results (bot_id, id, variables, created_at, updated_at) VALUES ('${LINKED}', 'linked', '[]', $1, $1)`,
    [NOW],
  )
  await app.pool.query(
    `INSERT INTO chat_sessions (id, bot_id, publication_id, result_id, state, revision, expires_at, created_at, updated_at)
    VALUES ('linked', '${LINKED}', 'p', 'linked', '{}', 3, '2026-03-12T13:00Z', $1, $1)`,
    [NOW],
  )
  const save = (step: TurnToWrite) => writeTurn(app.db, step, NOW)
  const ofOtherBot = answering(0, 'linked')
  ofOtherBot.session = { ...ofOtherBot.session, id: 'linked', botId: LINKED }
  const connection = await app.pool.connect()
  try {
    await connection.query('BEGIN')
    await connection.query('SELECT FROM results WHERE id = $1 FOR UPDATE', ['result 0'])
    const waiting = save(answering(0))
    // First a turn of another bot at the same moment, then later turns of the same bot.
    expect(await save(ofOtherBot)).toBe(true)
    const late = [1, 2].map((n) => save(answering(n)))
    expect(await Promise.all(late)).toEqual([true, true])
    await connection.query('COMMIT')
    expect(await waiting).toBe(true)
  } finally {
    connection.release()
  }
})

/** Returns the rows that turns find of sessions, and starts of chats find of bots, in any state of these. */
async function lookUp(app: App) {
  await prepare(app, { hasFloor: false, memberEdits: '{"a":1}' })
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
      `INSERT INTO chat_sessions (id, bot_id, publication_id, result_id, state, revision, lease_id, last_digest,
        inline_turns, expires_at, created_at, updated_at)
      VALUES ('of ' || $1::text, $1, 'p', 'earlier', '{"a": 1}', 2, 'claim', 'digest', 'abc',
          '2026-03-12Z', '2026-03-10Z', '2026-03-10Z'),
        ('expired ' || $1::text, $1, 'p', 'earlier', '{}', 2, NULL, NULL, NULL,
          '2026-03-10T11:00Z', '2026-03-10Z', '2026-03-10Z')`,
      [bot],
    )
  }
  const lookups = sessionQueries(app.db)
  const sessions: (object | undefined)[] = []
  const starts: (object | undefined)[] = []
  for (const botId of [...botIds, 'none']) {
    for (const sessionId of ['chat', 'preview', `of ${botId}`, `expired ${botId}`])
      sessions.push(await lookups.readSession({ botId, sessionId, now: NOW.toISOString() }))
    for (const publicId of [`of ${botId}`, 'of nobody'])
      for (const resultId of ['', 'archived', 'earlier', 'done'])
        starts.push(await lookups.start({ botId, publicId, resultId }))
  }
  // Their place among those that are asked at once is no one's, and a node leaves the age of a step to who has to know
  // it.
  const plain = (found: object | undefined) => found && { ...found, ordinal: undefined, turnAge: undefined }
  return { sessions: sessions.map(plain), starts: starts.map(plain) }
}

test('both ways to read a turn return the same', async () => {
  const [first, onNode] = [await lookUp(apps[0] as App), await lookUp(apps[1] as App)]
  expect(onNode).toEqual(first)
  // The chat and the preview of the first bot, and one of each bot that is not deleted and has its result still.
  expect(first.sessions.filter((found) => found)).toHaveLength(5)
  // With each of the results or without it, of those that are live and not deleted.
  expect(first.starts.filter((found) => found)).toHaveLength(12)
})
