import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { publicationThinning } from '../../server/bots/retention.ts'
import { MS_PER_DAY } from '../../server/durations.ts'
import { type App, startApp } from '../support/app.ts'
import { ask, bot, text } from '../support/chat.ts'
import { type Published, publish, reply, start, stepStatement, textsOf, tryReply } from '../support/chats.ts'
import { anyBody } from '../support/client.ts'
import { testWithTrigger } from '../support/locks.ts'
import { flow, makeWorld, type Site } from '../support/world.ts'

/*
 * Retention of publications. The clock of the database decides on the age; that of the process stands at a day long
 * ago, so that all that is published here is old.
 */

let app: App
let here: Site
beforeAll(async () => {
  app = await startApp()
})
beforeEach(async () => {
  app.beforeStatement = undefined
  app.clock.set('2020-01-10T12:00:00.000Z')
  await app.pool.query('TRUNCATE bots, bot_publications, published_bots, chat_sessions')
  here = (await makeWorld(app)).here
})
afterAll(() => app.stop())

/** Removes what does not have to be kept, in as many turns as it takes. */
async function thin(days: number | undefined, kept: number) {
  const next = publicationThinning({ PUBLICATIONS_RETENTION_DAYS: days, PUBLICATIONS_KEPT: kept })
  while (await next(app.db));
}

/** So many days that what was replaced before noon of a day is old, and what is after the next noon is not. */
const since = (day: string) => Math.floor((Date.now() - Date.parse(`${day}T12:00:00Z`)) / MS_PER_DAY)

/** Ids of publications are made of their times here. */
const idOf = (time: string) => time.replaceAll(/[:.]/g, '-')

/** Gives a bot publications of these times, of which one, the last of them, is what chats start with. */
async function addPublications(botId: string, times: string[], live = times.at(-1) ?? '') {
  await app.pool.query(
    `INSERT INTO bot_publications (bot_id, id, source_revision, version, groups, events, edges, variables, theme,
      settings, warnings, published_by, created_at)
    SELECT $1, id, 1, '6.1', '[]', $4, '[]', '[]', '{}', '{}', '[]', 'user', time::timestamptz
    FROM unnest($2::text[], $3::text[]) AS given(id, time)`,
    [botId, times.map(idOf), times, JSON.stringify(flow.events)],
  )
  await app.pool.query(
    `INSERT INTO published_bots (bot_id, id, publication_id, created_at, updated_at) VALUES ($1, $2, $2, now(), now())`,
    [botId, idOf(live)],
  )
}

/** Times of the publications that are left, oldest first, by the operation that lists them. */
async function listed(botId: string, as = here.member): Promise<string[]> {
  const times: string[] = []
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const query = cursor === undefined ? {} : { cursor }
    const page = await app.client.ok('listPublications', { as, params: { botId }, query })
    times.unshift(...page.publications.map(({ createdAt }) => createdAt).reverse())
    cursor = page.nextCursor
  }
  return times
}

const of = (botId: string, time: string) => ({
  as: here.member,
  params: { botId, publicationId: idOf(time) },
})

testWithTrigger('a bot whose publications cannot be deleted does not keep those of other bots', async () => {
  const ids = [here.draft.id, here.published.id].sort() as [string, string]
  await app.pool.query('DELETE FROM published_bots')
  await app.pool.query('DELETE FROM bot_publications')
  const times = ['2020-02-01T00:00:00.000Z', '2020-02-02T00:00:00.000Z', '2020-02-03T00:00:00.000Z']
  for (const id of ids) await addPublications(id, times)
  await app.pool.query(`
    CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION ''damaged''; END';
    CREATE TRIGGER fail BEFORE DELETE ON bot_publications FOR EACH ROW
    WHEN (OLD.bot_id = '${ids[0]}') EXECUTE FUNCTION fail()`)
  try {
    await expect(thin(7, 1)).rejects.toThrow()
    expect(await listed(ids[0])).toHaveLength(3)
    expect(await listed(ids[1])).toHaveLength(1)
  } finally {
    await app.pool.query('DROP FUNCTION fail CASCADE')
  }
})

describe('publications', () => {
  const times = [
    '2020-01-31T23:59:58.000Z',
    '2020-01-31T23:59:59.999Z',
    '2020-02-01T00:00:00.000Z',
    '2020-02-02T00:00:00.000Z',
    '2020-03-01T00:00:00.000Z',
    '2020-03-02T00:00:00.000Z',
    '2020-03-20T00:00:00.000Z',
    '2020-03-21T00:00:00.000Z',
  ]

  test('are all kept without a configured retention', async () => {
    await addPublications(here.draft.id, times)
    await thin(undefined, 1)
    expect(await listed(here.draft.id)).toEqual(times)
  })

  test('that were replaced long enough ago are deleted, except the last of each month', async () => {
    await addPublications(here.draft.id, times)
    await thin(since('2020-03-15'), 1)
    expect(await listed(here.draft.id)).toEqual([
      '2020-01-31T23:59:59.999Z',
      '2020-02-02T00:00:00.000Z',
      // Was what chats started with until the 20th.
      '2020-03-02T00:00:00.000Z',
      '2020-03-20T00:00:00.000Z',
      '2020-03-21T00:00:00.000Z',
    ])
    await thin(since('2020-03-25'), 1)
    const left = ['2020-01-31T23:59:59.999Z', '2020-02-02T00:00:00.000Z', '2020-03-21T00:00:00.000Z']
    expect(await listed(here.draft.id)).toEqual(left)
    await thin(since('2020-03-25'), 1)
    expect(await listed(here.draft.id)).toEqual(left)
  })

  test.each([
    [8, times],
    [7, times.slice(1)],
    [5, [...times.slice(1, 2), ...times.slice(3)]],
    [3, [...times.slice(1, 2), ...times.slice(3, 4), ...times.slice(5)]],
  ])('the newest %d publications are kept', async (kept, expected) => {
    await addPublications(here.draft.id, times)
    await thin(7, kept)
    expect(await listed(here.draft.id)).toEqual(expected)
  })

  test('that are deleted are a 404, and those of other bots are unaffected', async () => {
    const [gone = '', kept = ''] = times
    await addPublications(here.draft.id, times)
    await addPublications(here.legacy.id, [gone])
    await thin(7, 1)
    for (const operation of ['getPublication', 'restorePublication'] as const) {
      const answer = await app.client.call(operation, of(here.draft.id, gone))
      expect([answer.status, answer.body.code]).toEqual([404, 'NOT_FOUND'])
    }
    expect((await app.client.call('getPublication', of(here.draft.id, kept))).status).toBe(200)
    expect(await listed(here.legacy.id)).toEqual([gone])
  })

  test('that chats start with are kept, however old they are', async () => {
    const [live = ''] = times
    await addPublications(here.draft.id, times, live)
    await thin(7, 1)
    expect(await listed(here.draft.id)).toContain(live)
    await app.client.ok('unpublishBot', { as: here.member, params: { botId: here.draft.id } })
    await thin(7, 1)
    expect(await listed(here.draft.id)).not.toContain(live)
  })

  test('that were restored are kept for good', async () => {
    const [first = '', , third = ''] = times
    await addPublications(here.draft.id, times)
    await app.client.ok('restorePublication', of(here.draft.id, third))
    await thin(7, 1)
    const left = await listed(here.draft.id)
    expect([left.includes(first), left.includes(third)]).toEqual([false, true])
    await app.client.ok('restorePublication', of(here.draft.id, third))
  })

  test('publications of a bot whose look-up fails do not keep those of other bots', async () => {
    const times = ['2020-06-01', '2020-06-02', '2020-06-03'].map((day) => `${day}T00:00:00.000Z`)
    for (const id of [here.draft.id, here.legacy.id]) await addPublications(id, times)
    const next = publicationThinning({ PUBLICATIONS_RETENTION_DAYS: 7, PUBLICATIONS_KEPT: 1 })
    app.beforeStatement = async (text, values) => {
      if (!text.includes('HAVING count')) return
      const [first, last] = values
      const isWithin = typeof first === 'string' && first < here.draft.id && here.draft.id <= String(last)
      if (isWithin || values.flat().includes(here.draft.id))
        throw Object.assign(new Error('damaged'), { code: 'XX001' })
    }
    await expect(next(app.db)).rejects.toThrow()
    app.beforeStatement = undefined
    expect([(await listed(here.draft.id)).length, (await listed(here.legacy.id)).length]).toEqual([3, 1])
    expect(await next(app.db)).toBe(false)
  })

  test('publications of a bot with very many are deleted in batches', async () => {
    const many = Array.from({ length: 130 }, (_, n) => new Date(Date.UTC(2020, 5, 1, 0, n)).toISOString())
    await addPublications(here.draft.id, many)
    await addPublications(here.legacy.id, many)
    const next = publicationThinning({ PUBLICATIONS_RETENTION_DAYS: 7, PUBLICATIONS_KEPT: 2 })
    await app.pool.query('UPDATE bot_publications SET restored_at = now() WHERE bot_id = $1 AND id <= $2', [
      here.draft.id,
      idOf(many[59] ?? ''),
    ])
    await next(app.db)
    expect([(await listed(here.draft.id)).length, (await listed(here.legacy.id)).length]).toEqual([80, 80])
    while (await next(app.db));
    expect(await listed(here.draft.id)).toEqual([...many.slice(0, 60), ...many.slice(-2)])
    expect(await listed(here.legacy.id)).toEqual(many.slice(-2))
  })
})

const greeting = (word: string) =>
  bot(
    { Start: [text(word), ask('Name'), text(`${word} again`), ask('Age'), text(`${word} at last`)] },
    {
      variables: ['Name', 'Age'],
    },
  )

/** Publishes a bot so many times more, each time with another greeting; a minute apart. */
async function publishAgain({ id }: Published, words: string[]) {
  for (const word of words) {
    app.clock.advance(60_000)
    const { groups } = greeting(word)
    const body = anyBody({ bot: { version: '6.1', groups } })
    await app.client.ok('updateBot', { as: here.member, params: { botId: id }, body })
    await app.client.ok('publishBot', { as: here.member, params: { botId: id } })
  }
}

describe('chats under way', () => {
  /** The chat is with the first publication of the bot. */
  async function keepsUntilItsEnd(sessionId: string, made: Published) {
    await publishAgain(made, ['Two', 'Three', 'Four'])
    const [first = ''] = await listed(made.id)
    await thin(7, 1)
    expect(await listed(made.id)).toHaveLength(2)
    app.forgetFlows()
    expect(textsOf(await reply(app, sessionId, 'Ada'))).toEqual(['One again'])
    expect(textsOf(await reply(app, sessionId, '36'))).toEqual(['One at last'])
    await thin(7, 1)
    expect(await listed(made.id)).not.toContain(first)
  }

  test('a chat keeps the publication it started with until the chat is over', async () => {
    const made = await publish(app, here, greeting('One'))
    const { sessionId } = await start(app, made)
    await keepsUntilItsEnd(sessionId, made)
  })

  test('a chat keeps the publication of a bot that it was linked into', async () => {
    const linked = await publish(app, here, greeting('One'))
    const outer = await publish(
      app,
      here,
      bot({ Start: [text('Come'), { type: 'Bot link', options: { botId: linked.id } }] }),
    )
    const { sessionId } = await start(app, outer)
    await keepsUntilItsEnd(sessionId, linked)
  })

  test('fifty chats do not keep other publications from deletion', async () => {
    const made = await publish(app, here, greeting('0'))
    for (let n = 1; n <= 51; n++) {
      await start(app, made)
      await publishAgain(made, [String(n)])
    }
    const all = await listed(made.id)
    await publishAgain(made, ['52', '53'])
    await thin(7, 1)
    const left = await listed(made.id)
    expect(left).toHaveLength(52)
    expect(left.slice(0, 51)).toEqual(all.slice(0, 51))
  })
})

/** Does something once, right before a statement is sent. */
function justBefore(statement: RegExp, work: () => Promise<unknown>): { isDone: () => boolean } {
  let isDone = false
  app.beforeStatement = async (sent) => {
    if (isDone || !statement.test(sent)) return
    isDone = true
    await work()
  }
  return { isDone: () => isDone }
}

describe('deletion beside other writes', () => {
  const times = ['2020-02-01T00:00:00.000Z', '2020-02-02T00:00:00.000Z', '2020-02-03T00:00:00.000Z']
  const [first = '', second = ''] = times

  test('a publication that is restored during the deletion stays', async () => {
    await addPublications(here.draft.id, times)
    const restoring = justBefore(/DELETE FROM "bot_publications"/, () =>
      app.client.ok('restorePublication', of(here.draft.id, first)),
    )
    await thin(7, 1)
    expect(restoring.isDone()).toBe(true)
    expect(await listed(here.draft.id)).toEqual([first, times[2]])
  })

  test('a publication that is deleted before it is restored is a 404, and the draft stays', async () => {
    await addPublications(here.draft.id, times)
    const read = () => app.client.ok('getBot', { as: here.member, params: { botId: here.draft.id } })
    const draft = await read()
    const thinning = justBefore(/"restored_at" =/, () => thin(7, 1))
    const answer = await app.client.call('restorePublication', of(here.draft.id, second))
    expect([thinning.isDone(), answer.status]).toEqual([true, 404])
    expect(await read()).toEqual(draft)
  })

  test('a publication that goes live during the deletion stays', async () => {
    await addPublications(here.draft.id, times)
    const pointing = justBefore(/DELETE FROM "bot_publications"/, () =>
      app.pool.query('UPDATE published_bots SET publication_id = $2 WHERE bot_id = $1', [
        here.draft.id,
        idOf(first),
      ]),
    )
    await thin(7, 1)
    expect(pointing.isDone()).toBe(true)
    expect(await listed(here.draft.id)).toEqual([first, times[2]])
  })

  test('a chat that starts continues with the publication it read, even after a new one', async () => {
    app.clock.set(new Date().toISOString())
    const made = await publish(app, here, greeting('One'))
    const publishing = justBefore(stepStatement, async () => {
      await publishAgain(made, ['Two', 'Three'])
      await thin(7, 1)
    })
    const { sessionId } = await start(app, made)
    expect(publishing.isDone()).toBe(true)
    app.forgetFlows()
    expect((await tryReply(app, sessionId, 'Ada')).status).toBe(200)
    expect(await listed(made.id)).toHaveLength(3)
  })
})
