import { hash } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { sql } from 'drizzle-orm'
import type { Access, Need } from '../contract/operation.ts'
import { authorize } from '../server/access/index.ts'
import { addLikelyLogs } from '../server/chat/client-logs.ts'
import { prepareSql } from '../server/db/client.ts'
import { isDistributed } from '../server/db/distribution.ts'
import { type App, startApp } from './support/app.ts'
import type { Caller } from './support/client.ts'
import { makeWorld, type World } from './support/world.ts'

/* What requests of one moment ask is asked together: everybody must get the own answer, as if alone. */

let app: App
let world: World
beforeAll(async () => {
  app = await startApp()
})
afterAll(() => app.stop())
beforeEach(async () => {
  world = await makeWorld(app)
})

type Kind = Exclude<Access['kind'], 'anyone' | 'user'>

const accessTo = (kind: Kind) =>
  ({ kind, role: 'MEMBER', missing: 'NOT_FOUND', place: 'path', scope: 'read' }) as Exclude<
    Need,
    { kind: 'anyone' }
  >

function ask(kind: Kind, { token }: Caller, id: string) {
  return authorize(app.db, accessTo(kind), hash('sha256', token, 'buffer'), id, new Date('2026-03-10'))
}

/** Everybody asks for everything of one kind, on both sites. */
function questionsAbout(kind: Kind): [Caller, string][] {
  const { here, there, stranger, expired, revoked, unknown } = world
  const sites = [here, there]
  const ids = {
    workspace: sites.map((site) => site.workspaceId),
    folder: sites.flatMap((site) => [site.folder, site.deepFolder]),
    bot: sites.flatMap((site) => [site.draft.id, site.legacy.id, site.shared.id, site.archived.id]),
  }[kind]
  const people = sites.flatMap((site) => [site.admin, site.member, site.guest])
  return [...people, stranger, expired, revoked, unknown].flatMap((caller) =>
    [...ids, 'missing', ''].map((id): [Caller, string] => [caller, id]),
  )
}

describe.each<Kind>(['workspace', 'folder', 'bot'])('grants of a %s', (kind) => {
  test('are those that each question gets alone, whoever asks at the same time', async () => {
    const questions = questionsAbout(kind)
    const alone = []
    for (const [caller, id] of questions) alone.push(await ask(kind, caller, id))
    app.statements.length = 0
    const together = await Promise.all(questions.map(([caller, id]) => ask(kind, caller, id)))

    expect(together.map(withoutPlace)).toEqual(alone.map(withoutPlace))
    const granted = together.flatMap((one, at) => ('grant' in one ? [[one.grant, questions[at]?.[1]]] : []))
    expect(granted.length).toBeGreaterThan(1)
    for (const [grant, id] of granted) expect(grant).toMatchObject({ [kind]: { id } })
    // Half of them at a time, and those without a record once more for who asks. A cluster is asked for each.
    const once = isDistributed(app.db) ? questions.length : Math.ceil(Math.log2(questions.length))
    expect(app.statements.length).toBeLessThanOrEqual(2 * once)
  })

  test('end with the statement that looks for them, and the next ones do not', async () => {
    const { admin } = world.here
    await app.pool.query('ALTER TABLE api_tokens RENAME TO gone')
    const outcomes = await Promise.allSettled([ask(kind, admin, 'one'), ask(kind, admin, 'two')])
    await app.pool.query('ALTER TABLE gone RENAME TO api_tokens')
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    expect(await ask(kind, admin, 'one')).toMatchObject({ refusal: { code: 'NOT_FOUND' } })
  })
})

/** The grant, whose record is the row that was found: its place says where it was in the statement. */
function withoutPlace(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value, (key, inner) => (key === 'place' ? undefined : inner)))
}

test('requests of one moment each get their own record', async () => {
  const { here, there, stranger, unknown } = world
  const requests = [here, there].flatMap((site) => [
    { as: site.member, id: site.draft.id, status: 200 },
    { as: site.admin, id: site.published.id, status: 200 },
    { as: stranger, id: site.draft.id, status: 403 },
    { as: unknown, id: site.draft.id, status: 401 },
    { as: site.member, id: site.archived.id, status: 404 },
  ])
  const sent = Array.from({ length: 6 }, () => requests).flat()
  const answers = await Promise.all(
    sent.map(({ as, id }) => app.client.call('getBot', { as, params: { botId: id } })),
  )
  expect(answers.map(({ status, body }) => [status, body.bot?.id])).toEqual(
    sent.map(({ status, id }) => [status, status === 200 ? id : undefined]),
  )
})

test('chats that go on at one moment each find their own session', async () => {
  const { here, there } = world
  const sessions = [here.session, there.session, here.expiredSession, 'missing', there.session, here.session]
  const answers = await Promise.all(
    sessions.map((sessionId, at) =>
      app.client.call('saveClientLogs', {
        params: { sessionId },
        body: { clientLogs: [{ description: `Log ${at}` }] },
      }),
    ),
  )
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 400, 400, 200, 200])
  for (const [site, own] of [
    [here, ['Log 0', 'Log 5']],
    [there, ['Log 1', 'Log 4']],
  ] as const) {
    const { rows } = await app.pool.query(
      `SELECT l.description FROM result_logs l JOIN chat_sessions s ON s.bot_id = l.bot_id AND s.result_id = l.result_id
      WHERE s.id = $1 AND l.description LIKE 'Log %' ORDER BY l.description`,
      [site.session],
    )
    expect(rows.map(({ description }) => description)).toEqual(own)
  }
})

const testAlone = process.env.CITUS === '1' ? test.skip : test

// A cluster writes them one by one.
testAlone('what clients noticed at one moment does not wait for a chat that is in use', async () => {
  const { here, there } = world
  const { rows } = await app.pool.query(
    'SELECT id, bot_id, publication_id FROM chat_sessions WHERE id = ANY($1) ORDER BY id = $2 DESC',
    [[here.session, there.session], here.session],
  )
  const connection = await app.pool.connect()
  try {
    await connection.query('BEGIN')
    await connection.query('UPDATE chat_sessions SET client_logs = 7 WHERE id = $1', [here.session])
    const added = rows.map(({ id, bot_id, publication_id }) =>
      addLikelyLogs(
        app.db,
        { sessionId: id, botId: bot_id, publicationId: publication_id },
        [{ description: 'At once' }],
        app.clock.now(),
      ),
    )
    expect(await Promise.all(added)).toEqual([false, true])
  } finally {
    await connection.query('ROLLBACK')
    connection.release()
  }
})

test('a value that a statement uses twice is sent once', async () => {
  const [a, b] = [sql.placeholder('a'), sql.placeholder('b')]
  // The text is the same as the name of a placeholder, and is none.
  const query = prepareSql(
    app.db,
    '',
    sql`SELECT ${a}::text || ${b}::text || ${a}::text || ${'a'}::text AS text`,
  )
  app.statements.length = 0
  const { rows } = await query({ a: 'x', b: 'y' })
  // @ts-expect-error: what rows are is said by a shape, or nobody knows.
  const text: string | undefined = rows[0]?.text
  expect(text).toBe('xyxa')
  expect(app.statements[0]).toContain('$1::text || $2::text || $1::text || $3::text')
})
