import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { bots, results, users, workspaceMembers, workspaces } from '../../server/db/schema.ts'
import { newId } from '../../server/ids.ts'
import { JsonText } from '../../server/kit/json/json-text.ts'
import { type App, startApp } from '../support/app.ts'
import { ask, bot } from '../support/chat.ts'
import { logsOf, publish, reply, start } from '../support/chats.ts'
import type { Answer } from '../support/client.ts'
import { makeWorld, type Site } from '../support/world.ts'

let app: App
let site: Site
let botId: string
beforeAll(async () => {
  app = await startApp()
})
afterAll(() => app.stop())
beforeEach(async () => {
  app.clock.set('2026-03-10T12:00:00.000Z')
  site = (await makeWorld(app)).here
  botId = site.draft.id
})

type Row = Partial<typeof results.$inferInsert>

/** Adds answered results at the given times, and gives their ids. */
async function addResults(times: string[], more: Row = {}): Promise<string[]> {
  const rows = times.map((time) => {
    const createdAt = new Date(time)
    const variables = new JsonText('[]')
    const row = { botId, id: newId(createdAt), variables, hasStarted: true, createdAt, updatedAt: createdAt }
    return { ...row, ...more }
  })
  if (rows.length > 0) await app.db.insert(results).values(rows)
  return rows.map(({ id }) => id)
}

type Query = Record<string, string | number>

function listResults(query: Query, id = botId): Promise<Answer> {
  return app.client.call('listResults', { as: site.member, params: { botId: id }, query })
}

function listBots(query: Query): Promise<Answer> {
  return app.client.call('listBots', { as: site.member, query: { workspaceId: site.workspaceId, ...query } })
}

/** Follows the cursors to the end, and gives the ids in the order they came. */
async function collect(
  list: (query: Query) => Promise<Answer>,
  query: Query,
  between: () => Promise<unknown> = async () => {},
): Promise<string[]> {
  const ids: string[] = []
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const { status, body } = await list(cursor === undefined ? query : { ...query, cursor })
    expect(status).toBe(200)
    const page = (body.results ?? body.bots) as { id: string }[]
    if (body.nextCursor !== null) expect(page).toHaveLength(Number(query.limit))
    ids.push(...page.map(({ id }) => id))
    cursor = body.nextCursor
    await between()
  }
  return ids
}

const minutes = (count: number) =>
  Array.from({ length: count }, (_, at) => `2026-03-09T10:${String(at).padStart(2, '0')}:00.000Z`)

describe('pages of results', () => {
  test.each([1, 2, 3, 7, 100])('pages of %i results join without gap or repeat', async (limit) => {
    const ids = await addResults(minutes(14))
    expect(await collect(listResults, { limit })).toEqual(ids.reverse())
  })

  test('join while results arrive', async () => {
    const ids = await addResults(minutes(12))
    let arrived = 0
    // One that is newer than all, and one at the very moment of the last one on the page.
    const between = () => addResults([`2026-03-09T11:00:00.${100 + arrived++}Z`])
    expect(await collect(listResults, { limit: 3 }, between)).toEqual(ids.reverse())
    expect(arrived).toBeGreaterThan(3)
  })

  test('join while results of listed pages are deleted', async () => {
    const ids = (await addResults(minutes(12))).reverse()
    const gone = [...ids]
    const between = async () => {
      const resultIds = gone.splice(0, 3).join(',')
      if (resultIds)
        await app.client.ok('deleteResults', { as: site.member, params: { botId }, query: { resultIds } })
    }
    expect(await collect(listResults, { limit: 3 }, between)).toEqual(ids)
  })

  test('order results of the same millisecond by their ids', async () => {
    const ids = await addResults(Array<string>(11).fill('2026-03-09T10:00:00.000Z'))
    expect(await collect(listResults, { limit: 2 })).toEqual(ids.sort().reverse())
  })

  test('leave out results that did not start, are archived, or belong to another bot', async () => {
    const [id] = await addResults(['2026-03-09T10:00:00.000Z'])
    await addResults(['2026-03-09T10:00:00.000Z'], { hasStarted: false })
    await addResults(['2026-03-09T10:00:00.000Z'], { isArchived: true })
    await addResults(['2026-03-09T10:00:00.000Z'], { botId: site.legacy.id })
    expect(await collect(listResults, { limit: 1 })).toEqual([id])
  })

  test('apply the time filter to all of them', async () => {
    await addResults(minutes(5))
    const ids = await addResults(minutes(7).map((time) => time.replace('03-09', '03-10')))
    const query = { limit: 3, timeFilter: 'today', timeZone: 'Europe/Paris' }
    expect(await collect(listResults, query)).toEqual(ids.reverse())
  })
})

describe('pages of bots', () => {
  async function createBot(bot: { name: string; folderId?: string }): Promise<string> {
    const body = { workspaceId: site.workspaceId, bot }
    return (await app.client.ok('createBot', { as: site.member, body })).bot.id
  }

  test('join without gap or repeat while bots are created and deleted', async () => {
    const all = await collect(listBots, { limit: 100 })
    const seen = [...all]
    const between = async () => {
      await createBot({ name: 'newer' })
      await app.client.ok('deleteBot', { as: site.member, params: { botId: seen.shift() ?? '' } })
    }
    expect(await collect(listBots, { limit: 1 }, between)).toEqual(all)
  })

  test('order bots of the same millisecond by their ids', async () => {
    const createdAt = new Date('2026-03-10T12:30:00.000Z')
    const row = {
      workspaceId: site.workspaceId,
      folderId: site.subfolder,
      name: 'Tie',
      version: '6.1' as const,
    }
    const rows = Array.from({ length: 7 }, () => ({
      ...row,
      id: newId(createdAt),
      revision: 1,
      createdAt,
      updatedAt: createdAt,
    }))
    await app.db.insert(bots).values(rows)
    const ids = await collect(listBots, { limit: 2, folderId: site.subfolder })
    expect(ids).toEqual(
      rows
        .map(({ id }) => id)
        .sort()
        .reverse(),
    )
  })

  test('pages of a folder contain the bots directly in it', async () => {
    const [one, two] = [
      await createBot({ name: 'one', folderId: site.folder }),
      await createBot({ name: 'two', folderId: site.folder }),
    ]
    await createBot({ name: 'deeper', folderId: site.subfolder })
    expect(await collect(listBots, { limit: 2, folderId: site.folder })).toEqual([two, one, site.draft.id])
    expect(await collect(listBots, { limit: 2, folderId: 'root' })).toEqual([
      site.shared.id,
      site.published.id,
      site.legacy.id,
    ])
    expect(await collect(listBots, { limit: 2, folderId: site.deepFolder })).toEqual([])
    expect((await listBots({ folderId: 'nowhere' })).status).toBe(404)
  })
})

describe('pages that are bounded in bytes', () => {
  const MAX_BYTES = 8_000_000
  /** Three bytes a character. */
  const icon = `data:image/svg+xml,${'\u2713'.repeat(60_000)}`

  /** Follows the cursors to the end, and gives the ids of each page. */
  async function pagesOf(
    list: (query: Query) => Promise<Answer>,
    name: string,
    id = 'id',
  ): Promise<string[][]> {
    const pages: string[][] = []
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const { status, body, text } = await list(cursor === undefined ? {} : { cursor })
      expect(status).toBe(200)
      expect(Buffer.byteLength(text)).toBeLessThan(MAX_BYTES + 1_000_000)
      pages.push(body[name].map((entry: Record<string, string>) => entry[id]))
      cursor = body.nextCursor
    }
    return pages
  }

  test('listBots ends a page at 8 MB of icons and goes on with a cursor', async () => {
    const rows = Array.from({ length: 96 }, (_, at) => {
      const createdAt = new Date(Date.parse('2026-03-09T10:00:00.000Z') + at)
      const version = '6.1' as const
      const row = { workspaceId: site.workspaceId, name: 'Icon', version, icon, revision: 1 }
      return { ...row, id: newId(createdAt), createdAt, updatedAt: createdAt }
    })
    await app.db.insert(bots).values(rows)
    const pages = await pagesOf((query) => listBots({ ...query, limit: 100 }), 'bots')
    expect(pages.map(({ length }) => length)).toEqual([49, 45, 6])
    expect(new Set(pages.flat()).size).toBe(100)
  })

  test('listResults ends a page at 8 MB where variables became long since the last page', async () => {
    await addResults(minutes(60))
    expect((await listResults({ limit: 100 })).body.results).toHaveLength(60)
    await app.pool.query(
      `UPDATE results SET variables = json_build_array(json_build_object(
        'id', 'v', 'name', 'V', 'value', repeat('x', 400000))) WHERE bot_id = $1`,
      [botId],
    )
    const pages = await pagesOf((query) => listResults({ ...query, limit: 100 }), 'results')
    expect(pages.slice(0, 3).map(({ length }) => length)).toEqual([20, 20, 20])
    expect(new Set(pages.flat()).size).toBe(60)
  })

  test('a search ends its page once it has examined 24 MB of answers, and continues with a cursor', async () => {
    const [found] = await addResults(['2026-03-09T09:00:00.000Z'])
    const long = await addResults(minutes(20))
    const answers = `INSERT INTO result_answers (bot_id, result_id, seq, block_id, content, created_at)
      SELECT $1, result_id, seq, 'b', $3 || repeat('x', $4), now() FROM unnest($2::text[]) AS r(result_id), generate_series(1, 8) AS s(seq)`
    await app.pool.query(answers, [botId, long, '', 250_000])
    await app.pool.query(answers, [botId, [found], 'needle', 0])
    const first = await listResults({ answerContains: 'needle' })
    expect([first.status, first.body.results, typeof first.body.nextCursor]).toEqual([200, [], 'string'])
    const pages = await pagesOf((query) => listResults({ ...query, answerContains: 'needle' }), 'results')
    expect(pages).toEqual([[], [found]])
  })

  test('a result stores answers until it has 8,000,000 bytes, then an error in its log and no more', async () => {
    const blocks = [ask('A'), ask('B'), ask('C'), ask('D')]
    const made = await publish(app, site, bot({ Start: blocks }, { variables: ['A', 'B', 'C', 'D'] }))
    const { sessionId, resultId = '' } = await start(app, made)
    await reply(app, sessionId, 'first')
    await app.pool.query('UPDATE results SET answers_size = $1 WHERE id = $2', [MAX_BYTES - 2, resultId])
    await reply(app, sessionId, 'bb')
    await reply(app, sessionId, 'c')
    const { result } = await app.client.ok('getResult', {
      as: site.member,
      params: { botId: made.id, resultId },
    })
    expect(result.answers.map(({ content }) => content)).toEqual(['first', 'bb'])
    const logs = await logsOf(app, made.id, resultId, site.member)
    expect(logs.map(({ status, description }) => [status, description])).toEqual([
      ['error', 'The answers are too long: no more are stored with this result'],
    ])
  })

  test('listWorkspaces ends early at 8 MB and goes on from own workspaces to those of others', async () => {
    const createdAt = new Date('2026-03-09T10:00:00.000Z')
    const rows = Array.from({ length: 99 }, (_, at) => ({
      id: newId(createdAt),
      name: `Workspace ${at}`,
      icon,
      createdBy: at % 2 ? site.member.id : site.admin.id,
      createdAt,
      updatedAt: createdAt,
    }))
    await app.db.insert(workspaces).values(rows)
    await app.db.insert(workspaceMembers).values(
      rows.map(({ id }) => ({
        workspaceId: id,
        userId: site.member.id,
        role: 'MEMBER' as const,
        createdAt,
      })),
    )
    const listWorkspaces = (query: Query) => app.client.call('listWorkspaces', { as: site.member, query })
    const pages = await pagesOf(listWorkspaces, 'workspaces')
    expect(pages.length).toBe(3)
    const newestFirst = (wanted: number) =>
      rows
        .filter((_, at) => at % 2 === wanted)
        .map(({ id }) => id)
        .sort()
        .reverse()
    const others = [site.workspaceId, ...newestFirst(0)]
    expect(pages.flat()).toEqual([...newestFirst(1), ...others])
    const rejected = await listWorkspaces({ cursor: 'AZx0mC1jZ3JhbnQ' })
    expect([rejected.status, rejected.body.issues[0].path]).toEqual([400, ['query', 'cursor']])
  })

  test('listMembers ends early at 8 MB and goes on with a cursor', async () => {
    const createdAt = new Date('2026-03-11T10:00:00.000Z')
    const people = Array.from({ length: 4_500 }, (_, at) => ({
      id: newId(createdAt),
      email: `${at}.${newId(createdAt)}@example.com`,
      image: `https://example.com/${'a'.repeat(2_000)}`,
      createdAt,
      updatedAt: createdAt,
    }))
    for (let at = 0; at < people.length; at += 500) {
      const some = people.slice(at, at + 500)
      await app.db.insert(users).values(some)
      await app.db.insert(workspaceMembers).values(
        some.map(({ id }) => ({
          workspaceId: site.workspaceId,
          userId: id,
          role: 'GUEST' as const,
          createdAt,
        })),
      )
    }
    const params = { workspaceId: site.workspaceId }
    const pages = await pagesOf(
      (query) => app.client.call('listMembers', { as: site.guest, params, query }),
      'members',
      'userId',
    )
    expect(pages.length).toBe(2)
    expect(pages.flat()).toEqual([
      site.admin.id,
      site.member.id,
      site.guest.id,
      ...people.map(({ id }) => id).sort(),
    ])
  })
})

describe('the limit', () => {
  test.each([0, 101, -1, 1.5, '', '1e1', ' 5', 'ten'])('is rejected if it is %j', async (limit) => {
    for (const answer of [await listResults({ limit }), await listBots({ limit })]) {
      expect(answer.status).toBe(400)
      expect(answer.body.issues).toMatchObject([{ path: ['query', 'limit'] }])
    }
  })

  test('is 50 when absent, and at most 100', async () => {
    await addResults(Array<string>(101).fill('2026-03-09T10:00:00.000Z'))
    expect((await listResults({})).body.results).toHaveLength(50)
    expect((await listResults({ limit: 100 })).body.results).toHaveLength(100)
    expect((await listResults({ limit: 1 })).body.results).toHaveLength(1)
  })
})

describe('the cursor', () => {
  async function cursorOf(list: (query: Query) => Promise<Answer>, query: Query): Promise<string> {
    const { nextCursor } = (await list({ limit: 1, ...query })).body
    expect(typeof nextCursor).toBe('string')
    return nextCursor
  }

  function rejected({ status, body }: Answer) {
    expect(status).toBe(400)
    expect(body.issues).toMatchObject([{ path: ['query', 'cursor'] }])
  }

  test('is null on the last page, also when that is full or the only one', async () => {
    expect((await listResults({})).body).toEqual({ results: [], nextCursor: null })
    await addResults(minutes(2))
    expect((await listResults({ limit: 2 })).body.nextCursor).toBeNull()
    const cursor = await cursorOf(listResults, {})
    expect((await listResults({ limit: 1, cursor })).body.nextCursor).toBeNull()
  })

  test('works with another limit', async () => {
    const ids = await addResults(minutes(5))
    const cursor = await cursorOf(listResults, {})
    const { results } = (await listResults({ limit: 4, cursor })).body
    expect(results.map(({ id }: { id: string }) => id)).toEqual(ids.reverse().slice(1))
  })

  test('is rejected with a single changed character', async () => {
    await addResults(minutes(2))
    const cursor = await cursorOf(listResults, {})
    for (let at = 0; at < cursor.length; at++) {
      const other = cursor[at] === 'A' ? 'B' : 'A'
      rejected(await listResults({ cursor: cursor.slice(0, at) + other + cursor.slice(at + 1) }))
    }
    // The last character has bits that carry nothing; they may not be changed either.
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
    for (const last of alphabet.replace(cursor.at(-1) ?? '', '')) {
      rejected(await listResults({ cursor: cursor.slice(0, -1) + last }))
    }
    for (const other of [cursor.slice(0, -1), `${cursor}A`, 'A', '', `${cursor}=`, 'x'.repeat(513)]) {
      rejected(await listResults({ cursor: other }))
    }
  })

  test('is rejected with another bot, filter, zone or list', async () => {
    await addResults(minutes(2))
    await addResults(minutes(2), { botId: site.legacy.id })
    const cursor = await cursorOf(listResults, {})
    rejected(await listResults({ cursor }, site.legacy.id))
    rejected(await listResults({ cursor, timeFilter: 'last7Days' }))
    rejected(await listResults({ cursor, timeZone: 'Europe/Paris' }))
    rejected(await listBots({ cursor }))
    rejected(await listResults({ cursor: await cursorOf(listBots, {}) }))
    rejected(await listBots({ cursor: await cursorOf(listBots, {}), folderId: 'root' }))
    rejected(
      await listBots({ cursor: await cursorOf(listBots, { folderId: 'root' }), folderId: site.folder }),
    )
  })
})

describe('time filters', () => {
  /** Name of the filter, zone, the moment it is asked at, and the range that it has to mean. */
  const ranges: [filter: string, zone: string, now: string, from: string, to: string | null][] = [
    ['today', 'UTC', '2026-03-31T23:59:59.900Z', '2026-03-31T00:00:00.000Z', null],
    ['today', 'Asia/Kathmandu', '2026-03-31T18:14:59.900Z', '2026-03-30T18:15:00.000Z', null],
    ['today', 'Asia/Kathmandu', '2026-03-31T18:15:00.000Z', '2026-03-31T18:15:00.000Z', null],
    ['today', 'Pacific/Kiritimati', '2026-03-31T10:00:00.000Z', '2026-03-31T10:00:00.000Z', null],
    // The day the clocks go forward in Paris and back in New York: 23 and 25 hours.
    ['today', 'Europe/Paris', '2026-03-29T21:59:59.000Z', '2026-03-28T23:00:00.000Z', null],
    ['today', 'America/New_York', '2026-11-02T04:59:59.000Z', '2026-11-01T04:00:00.000Z', null],
    // In Cairo this day begins at one o'clock.
    ['today', 'Africa/Cairo', '2026-04-24T12:00:00.000Z', '2026-04-23T22:00:00.000Z', null],
    ['last7Days', 'UTC', '2026-03-03T12:00:00.000Z', '2026-02-25T00:00:00.000Z', null],
    ['last7Days', 'Europe/Paris', '2026-03-30T12:00:00.000Z', '2026-03-23T23:00:00.000Z', null],
    ['last30Days', 'Europe/Paris', '2026-11-01T12:00:00.000Z', '2026-10-02T22:00:00.000Z', null],
    ['monthToDate', 'America/New_York', '2026-11-20T12:00:00.000Z', '2026-11-01T04:00:00.000Z', null],
    ['monthToDate', 'Pacific/Honolulu', '2026-03-01T09:00:00.000Z', '2026-02-01T10:00:00.000Z', null],
    ['lastMonth', 'UTC', '2026-03-31T12:00:00.000Z', '2026-02-01T00:00:00.000Z', '2026-03-01T00:00:00.000Z'],
    // From the 30th of April, which has no 31st, to all of March, which has one.
    ['lastMonth', 'UTC', '2026-04-30T12:00:00.000Z', '2026-03-01T00:00:00.000Z', '2026-04-01T00:00:00.000Z'],
    [
      'lastMonth',
      'Europe/Paris',
      '2026-04-01T08:00:00.000Z',
      '2026-02-28T23:00:00.000Z',
      '2026-03-31T22:00:00.000Z',
    ],
    ['lastMonth', 'UTC', '2026-01-05T12:00:00.000Z', '2025-12-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z'],
    ['yearToDate', 'Asia/Tokyo', '2025-12-31T15:00:00.000Z', '2025-12-31T15:00:00.000Z', null],
    ['yearToDate', 'UTC', '2026-12-31T23:59:59.900Z', '2026-01-01T00:00:00.000Z', null],
    ['allTime', 'UTC', '2026-03-31T12:00:00.000Z', '1970-01-01T00:00:00.000Z', null],
  ]

  test.each(ranges)('%s in %s at %s starts at %s', async (timeFilter, timeZone, now, from, to) => {
    const justBefore = (time: string) => new Date(Date.parse(time) - 1).toISOString()
    const inside = await addResults(to ? [from, justBefore(to)] : [from])
    if (timeFilter !== 'allTime') await addResults([justBefore(from), ...(to ? [to] : [])])
    app.clock.set(now)
    const { body } = await listResults({ timeFilter, timeZone })
    expect(body.results.map(({ id }: { id: string }) => id)).toEqual(inside.reverse())
    app.clock.set(now)
    const { stats } = await app.client.ok('getStats', {
      as: site.member,
      params: { botId },
      query: { timeFilter, timeZone },
    })
    expect(stats).toEqual({ totalViews: inside.length, totalStarts: inside.length, totalCompleted: 0 })
  })
})
