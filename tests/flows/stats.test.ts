import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { timeFilters } from '../../contract/shared.ts'
import { results } from '../../server/db/schema.ts'
import { newId } from '../../server/ids.ts'
import { JsonText } from '../../server/kit/json/json-text.ts'
import { fanOutAll } from '../../server/webhooks/outbox.ts'
import fc from '../kit/fast-check.ts'
import { type App, startApp } from '../support/app.ts'
import { ask, bot, text } from '../support/chat.ts'
import { publish, reply, start } from '../support/chats.ts'
import { runs } from '../support/runs.ts'
import { makeWorld, type Site } from '../support/world.ts'

let app: App
let site: Site
beforeAll(async () => {
  app = await startApp()
  site = (await makeWorld(app)).here
})
afterAll(() => app.stop())

interface Result {
  createdAt: Date
  hasStarted: boolean
  isCompleted: boolean
  isArchived: boolean
}

type Filter = (typeof timeFilters)[number]

/** The calendar day of a moment in a zone, as text that sorts by time. */
function dayOf(moment: Date, timeZone: string): string {
  return new Intl.DateTimeFormat('en-CA', { timeZone }).format(moment)
}

function shiftDay(day: string, by: number): string {
  const date = new Date(`${day}T00:00:00Z`)
  date.setUTCDate(date.getUTCDate() + by)
  return date.toISOString().slice(0, 10)
}

/** Returns true if a day counts: a second implementation in terms of calendar days alone. */
function counts(day: string, filter: Filter, today: string): boolean {
  const lastMonth = shiftDay(`${today.slice(0, 7)}-01`, -1).slice(0, 7)
  const rules: Record<Filter, boolean> = {
    today: day >= today,
    last7Days: day >= shiftDay(today, -6),
    last30Days: day >= shiftDay(today, -29),
    monthToDate: day >= `${today.slice(0, 7)}-01`,
    lastMonth: day.slice(0, 7) === lastMonth,
    yearToDate: day >= `${today.slice(0, 4)}-01-01`,
    allTime: true,
  }
  return rules[filter]
}

const zones = ['UTC', 'Europe/Paris', 'America/St_Johns', 'Pacific/Apia', 'Africa/Cairo', 'Asia/Kathmandu']

test('agree with a count by hand, and completed <= starts <= views', async () => {
  const day = 24 * 60 * 60 * 1000
  const moment = fc.date({
    min: new Date('2024-11-01T00:00:00Z'),
    max: new Date('2026-12-31T00:00:00Z'),
    noInvalidDate: true,
  })
  const result = fc.record({
    age: fc.oneof(
      fc.nat(2 * day),
      fc.nat(70 * day),
      fc.nat(500 * day),
      fc.nat(60).map((days) => days * day),
    ),
    hasStarted: fc.boolean(),
    isCompleted: fc.boolean(),
    isArchived: fc.integer({ min: 0, max: 9 }).map((number) => number === 0),
  })
  const property = fc.asyncProperty(
    moment,
    fc.array(result, { minLength: 20, maxLength: 60 }),
    fc.constantFrom(...zones),
    fc.integer({ min: 0, max: 6 }),
    async (at, made, timeZone, deleted) => {
      // The clock advances with every reading, which must not be into the next day.
      const now = new Date(Math.floor(at.getTime() / 60_000) * 60_000)
      const botId = newId(now)
      await app.pool.query(
        `INSERT INTO bots (id, workspace_id, name, version, revision, created_at, updated_at)
          VALUES ($1, $2, 'Bot', '6.1', 1, now(), now())`,
        [botId, site.workspaceId],
      )
      const rows = made.map(({ age, ...rest }) => {
        const createdAt = new Date(now.getTime() - age)
        return {
          botId,
          id: newId(createdAt),
          variables: new JsonText('[]'),
          createdAt,
          updatedAt: createdAt,
          ...rest,
        }
      })
      await app.db.insert(results).values(rows)
      const params = { botId }
      if (deleted > 0) {
        const resultIds = rows.splice(0, deleted).map(({ id }) => id)
        await app.client.ok('deleteResults', {
          as: site.member,
          params,
          query: { resultIds: resultIds.join(',') },
        })
      }
      for (const timeFilter of timeFilters) {
        app.clock.set(now.toISOString())
        const { stats } = await app.client.ok('getStats', {
          as: site.member,
          params,
          query: { timeFilter, timeZone },
        })
        const today = dayOf(now, timeZone)
        const counted = rows.filter(
          (row: Result) => !row.isArchived && counts(dayOf(row.createdAt, timeZone), timeFilter, today),
        )
        expect({ timeFilter, ...stats }).toEqual({
          timeFilter,
          totalViews: counted.length,
          totalStarts: counted.filter(({ hasStarted }) => hasStarted).length,
          totalCompleted: counted.filter(({ hasStarted, isCompleted }) => hasStarted && isCompleted).length,
        })
        app.clock.set(now.toISOString())
        const { results: listed } = await app.client.ok('listResults', {
          as: site.member,
          params,
          query: { timeFilter, timeZone, limit: 100 },
        })
        expect(listed.map(({ id }) => id).sort()).toEqual(
          counted
            .filter(({ hasStarted }) => hasStarted)
            .map(({ id }) => id)
            .sort(),
        )
      }
    },
  )
  await fc.assert(property, { numRuns: runs(3, 30) })
})

test('keep completed <= starts <= views at every moment while results change', async () => {
  const botId = site.draft.id
  let isDone = false
  const write = async () => {
    for (let round = 0; round < 60 && !isDone; round++) {
      await app.pool.query(
        `INSERT INTO results (bot_id, id, variables, is_completed, created_at, updated_at)
          SELECT $1, $2 || '-' || n, '[]', true, now() - interval '1 hour', now() FROM generate_series(1, 20) n`,
        [botId, `r${round}`],
      )
      await app.pool.query('UPDATE results SET has_started = NOT has_started WHERE bot_id = $1', [botId])
    }
    isDone = true
  }
  const read = async () => {
    while (!isDone) {
      const { stats } = await app.client.ok('getStats', { as: site.member, params: { botId } })
      const { totalViews, totalStarts, totalCompleted } = stats
      expect(totalCompleted).toBeLessThanOrEqual(totalStarts)
      expect(totalStarts).toBeLessThanOrEqual(totalViews)
    }
  }
  await Promise.all([write(), read(), read()]).finally(() => (isDone = true))
})

test('are zero for a bot that is not published, and for one without results', async () => {
  const statsOf = async (botId: string) =>
    (await app.client.ok('getStats', { as: site.guest, params: { botId } })).stats
  expect(await statsOf(site.legacy.id)).toEqual({ totalViews: 0, totalStarts: 0, totalCompleted: 0 })
  await app.client.ok('unpublishBot', { as: site.member, params: { botId: site.published.id } })
  expect(await statsOf(site.published.id)).toEqual({ totalViews: 4, totalStarts: 3, totalCompleted: 1 })
})

test('a chat that ends without an answer is a view, not completed, and publishes no completion', async () => {
  const { workspaceId, admin: as } = site
  await app.client.ok('createWebhookEndpoint', {
    as,
    params: { workspaceId },
    body: { url: 'https://receiver.example/' },
  })
  const made = await publish(app, site, bot({ Start: [text('Nothing to answer.')] }))
  const { resultId = '' } = await start(app, made)
  const params = { botId: made.id }
  const { result } = await app.client.ok('getResult', { as, params: { ...params, resultId } })
  expect([result.hasStarted, result.isCompleted]).toEqual([false, false])
  const { stats } = await app.client.ok('getStats', { as, params })
  expect(stats).toEqual({ totalViews: 1, totalStarts: 0, totalCompleted: 0 })
  const asking = await publish(app, site, bot({ Start: [ask('Name')] }, { variables: ['Name'] }))
  await reply(app, (await start(app, asking)).sessionId, 'Ada', 1)
  await fanOutAll(app.db)
  const told = async (botId: string) => {
    const text = `SELECT type FROM webhook_deliveries WHERE bot_id = $1 AND type LIKE 'result.%' ORDER BY type`
    return (await app.pool.query(text, [botId])).rows.map(({ type }) => type)
  }
  expect(await told(made.id)).toEqual([])
  expect(await told(asking.id)).toEqual(['result.answered', 'result.completed', 'result.started'])
})
