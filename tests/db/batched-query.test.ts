import { hash } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { sql } from 'drizzle-orm'
import pg from 'pg'
import type { Access, Need } from '../../contract/operation.ts'
import { type BotGrant, decideAccess, type WorkspaceGrant } from '../../server/access/index.ts'
import { insertBot, newBot, newDraft } from '../../server/bots/create.ts'
import { isDistributed } from '../../server/db/citus/topology.ts'
import { prepareSql } from '../../server/db/client.ts'
import { firstPosition } from '../../server/db/page.ts'
import { encode } from '../../server/kit/json/json-text.ts'
import { readFilter } from '../../server/results/filter.ts'
import type { ResultPage } from '../../server/results/packed-page.ts'
import { resultPage } from '../../server/results/page.ts'
import { type App, startApp } from '../support/app.ts'
import type { Caller } from '../support/client.ts'
import { waitingForLocks } from '../support/locks.ts'
import { until } from '../support/process.ts'
import { makeWorld, type Site, type World } from '../support/world.ts'

/* Requests of one moment share a query: each must get the same response as alone. */

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
  ({ kind, role: 'MEMBER', missing: 'NOT_FOUND', idIn: 'path', scope: 'read' }) as Exclude<
    Need,
    { kind: 'anyone' }
  >

function ask(kind: Kind, { token }: Caller, id: string) {
  return decideAccess(app.db, accessTo(kind), hash('sha256', token, 'hex'), id, new Date('2026-03-10'))
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
  test('are those that each query gets alone, also beside queries of other callers', async () => {
    const questions = questionsAbout(kind)
    const alone = []
    for (const [caller, id] of questions) alone.push(await ask(kind, caller, id))
    app.statements.length = 0
    const together = await Promise.all(questions.map(([caller, id]) => ask(kind, caller, id)))

    expect(together.map(withoutPlace)).toEqual(alone.map(withoutPlace))
    const granted = together.flatMap((one, at) => ('grant' in one ? [[one.grant, questions[at]?.[1]]] : []))
    expect(granted.length).toBeGreaterThan(1)
    for (const [grant, id] of granted) expect(grant).toMatchObject({ [kind]: { id } })
    // Half of them at a time, and those without a record once more. A cluster gets a query for each.
    const once = isDistributed(app.db) ? questions.length : Math.ceil(Math.log2(questions.length))
    expect(app.statements.length).toBeLessThanOrEqual(2 * once)
  })

  test('end with the statement that reads them, and the next ones do not', async () => {
    const { admin } = world.here
    await app.pool.query('ALTER TABLE api_tokens RENAME TO gone')
    const outcomes = await Promise.allSettled([ask(kind, admin, 'one'), ask(kind, admin, 'two')])
    await app.pool.query('ALTER TABLE gone RENAME TO api_tokens')
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    expect(await ask(kind, admin, 'one')).toMatchObject({ rejection: { code: 'NOT_FOUND' } })
  })
})

/** The grant, whose record is the row that was found: its place says where it was in the statement. */
function withoutPlace(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value, (key, inner) => (key === 'place' ? undefined : inner)))
}

test('concurrent requests each get their own record', async () => {
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

test('concurrent turns each find their own session', async () => {
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

describe('pages of results', () => {
  /** Adds a number of results of a bot, each with an answer of a length. */
  async function addResults(botId: string, count: number, length: number) {
    await app.pool.query(
      `INSERT INTO results (bot_id, id, variables, has_started, created_at, updated_at)
      SELECT $1, 'added-' || n, '[]', true, at, at
      FROM generate_series(1, $2::int) n, LATERAL (SELECT timestamptz '2026-03-01' + n * interval '1 minute' AS at) AS moment`,
      [botId, count],
    )
    await app.pool.query(
      `INSERT INTO result_answers (bot_id, result_id, seq, block_id, content, created_at)
      SELECT $1, 'added-' || n, 0, 'block', n || repeat('x', $3), now() FROM generate_series(1, $2::int) n`,
      [botId, count, length],
    )
  }

  const list = ({ member, draft }: Site, query: Record<string, string | undefined> = {}) =>
    app.client.ok('listResults', { as: member, params: { botId: draft.id }, query })

  const shown = ({ results, end }: ResultPage) => [
    JSON.parse(String(encode(results))),
    end?.id,
    end?.createdAt,
  ]

  const packings = () => app.statements.filter((text) => text.includes('string_agg')).length

  test('that are read concurrently are those that each query gets alone', async () => {
    const [here, there] = [world.here.draft.id, world.there.draft.id]
    await addResults(here, 20, 10)
    await addResults(there, 21, 10)
    const read = readFilter({ timeFilter: 'allTime', timeZone: 'UTC' }, app.clock.now())
    if (!('filter' in read)) throw new Error('A filter of nothing was refused')
    const page = (id: string, limit: number, position = firstPosition) =>
      resultPage(app.db, { bot: { id, resultsFloorAt: null } } as BotGrant, read.filter, position, limit)
    const { end } = await page(here, 7)
    if (!end) throw new Error('There is no second page')
    const questions = [here, there].flatMap((id) => [
      () => page(id, 1),
      () => page(id, 7),
      () => page(id, 7, end),
      () => page(id, 100),
    ])
    const alone: ResultPage[] = []
    for (const question of questions) alone.push(await question())
    expect(alone.map(({ results }) => results.length)).toEqual([1, 7, 7, 20, 1, 7, 7, 21])
    app.statements.length = 0
    const together = await Promise.all(questions.map((question) => question()))
    expect(together.map(shown)).toEqual(alone.map(shown))
    // A cluster gets a query for each.
    expect(packings()).toBe(isDistributed(app.db) ? 8 : 1)
  })

  test('that are large are read one by one', async () => {
    await addResults(world.here.draft.id, 3, 30_000)
    app.statements.length = 0
    const [first] = [await list(world.here), await list(world.here)]
    expect(packings()).toBe(0)
    expect(first.results.map(({ answers }) => answers[0]?.content?.length)).toContain(30_001)
  })

  test('that the database cannot encode are read one by one', async () => {
    await addResults(world.here.draft.id, 3, 10)
    const first = await list(world.here)
    const { query } = app.pool
    let rejected = 0
    app.pool.query = ((...given: [{ text?: string }]) => {
      if (!given[0].text?.includes('string_agg')) return Reflect.apply(query, app.pool, given)
      rejected++
      return Promise.reject(new pg.DatabaseError('canceling statement due to statement timeout', 0, 'error'))
    }) as typeof query
    try {
      expect(await list(world.here)).toEqual(first)
      expect(await list(world.here)).toEqual(first)
      expect(rejected).toBe(2)
    } finally {
      app.pool.query = query
    }
  })
})

describe('bots that are created concurrently', () => {
  const make = (site: Site, bot: object) =>
    app.client.call('createBot', { as: site.member, body: { workspaceId: site.workspaceId, bot } })

  test('are each stored as if alone', async () => {
    const { here, there } = world
    const given = Array.from({ length: 12 }, (_, at) => ({
      site: at % 4 === 3 ? there : here,
      bot: { name: `Bot ${at}`, icon: `${at}`, theme: { at }, variables: [{ id: 'v', name: `${at}` }] },
    }))
    const answers = await Promise.all(given.map(({ site, bot }) => make(site, bot)))
    expect(answers.map(({ status }) => status)).toEqual(given.map(() => 201))
    for (const [at, { body }] of answers.entries()) {
      const { site, bot } = given[at] as (typeof given)[number]
      expect(body.bot).toMatchObject({ ...bot, workspaceId: site.workspaceId })
      const shown = await app.client.ok('getBot', { as: site.member, params: { botId: body.bot.id } })
      expect(shown.bot).toEqual(body.bot)
      const { rows } = await app.pool.query(
        'SELECT workspace_id, operation, user_id FROM audit_log WHERE record_id = $1',
        [body.bot.id],
      )
      expect(rows).toEqual([
        { workspace_id: site.workspaceId, operation: 'createBot', user_id: site.member.id },
      ])
    }
  })

  test('are stored in one batch, also where one of them cannot be', async () => {
    const { member, workspaceId } = world.here
    const caller = { userId: member.id, tokenId: 'token' }
    const grant = { workspace: { id: workspaceId }, caller } as WorkspaceGrant
    const insertAll = (folders: (string | null)[]) => {
      app.statements.length = 0
      return Promise.all(
        folders.map((folderId) => {
          const row = newBot({ version: '6.1', folderId }, grant, new Map(), app.clock.now())
          const draft = newDraft(new Map(), app.clock.now())
          return insertBot(app.db, row, draft, { by: caller, operation: 'createBot' })
        }),
      )
    }
    const insertions = () => app.statements.filter((text) => /INSERT INTO "bots"/i.test(text)).length
    const isAlone = isDistributed(app.db)
    expect(await insertAll([null, null, null, null, null])).toEqual(Array(5).fill(undefined))
    // The first at once, and what comes meanwhile.
    expect(insertions()).toBe(isAlone ? 5 : 2)
    const rejected = { issue: expect.objectContaining({ code: 'unknown_folder' }) }
    const outcomes = await insertAll([null, null, 'gone', null, null])
    expect(outcomes).toEqual([undefined, undefined, rejected, undefined, undefined])
    expect(insertions()).toBe(isAlone ? 5 : 6)
  })

  test('are not stored once their workspace is deleted', async () => {
    const { admin, workspaceId } = world.here
    const connection = await app.pool.connect()
    try {
      await connection.query('BEGIN')
      await connection.query('SELECT FROM workspaces WHERE id = $1 FOR UPDATE', [workspaceId])
      await connection.query('UPDATE workspaces SET deleted_at = now() WHERE id = $1', [workspaceId])
      const making = Promise.all([1, 2, 3].map(() => make({ ...world.here, member: admin }, {})))
      await until('the first waits', async () => (await waitingForLocks(app.pool)) > 0)
      await connection.query('COMMIT')
      expect((await making).map(({ status }) => status)).toEqual([403, 403, 403])
    } finally {
      connection.release()
    }
  }, 60_000)
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
  // @ts-expect-error: a shape declares the types of rows.
  const text: string | undefined = rows[0]?.text
  expect(text).toBe('xyxa')
  expect(app.statements[0]).toContain('$1::text || $2::text || $1::text || $3::text')
})
