import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import pg from 'pg'
import { MS_PER_HOUR } from '../../server/durations.ts'
import { type App, startApp } from '../support/app.ts'
import type { Answer } from '../support/client.ts'
import { interleave } from '../support/interleave.ts'
import { makeWorld, type Site } from '../support/world.ts'

/*
 * To delete all results covers every result that exists when the deletion commits, and none that comes later,
 * whatever the clocks of two processes say.
 */

/** Deletes results, and says what there is. */
let app: App
/** Another process, in which people chat. */
let chats: App
let observer: pg.Client
beforeAll(async () => {
  const patience = { connectTimeout: 30_000, lockTimeout: 30_000, statementTimeout: 30_000 }
  app = await startApp({ database: patience })
  chats = await startApp({ database: patience, databaseUrl: app.databaseUrl })
  observer = new pg.Client({ connectionString: app.databaseUrl })
  await observer.connect()
})
afterAll(async () => {
  await observer?.end()
  await chats?.stop()
  await app?.stop()
})

const startChat = ({ published }: Site) =>
  chats.client.call('startChat', { params: { publicId: published.publicId } })

const deleteAll = ({ member, published }: Site) =>
  app.client.call('deleteResults', { as: member, params: { botId: published.id } })

async function isThere({ member, published }: Site, resultId: string): Promise<boolean> {
  const params = { botId: published.id, resultId }
  const { status } = await app.client.call('getResult', { as: member, params })
  expect([200, 404]).toContain(status)
  return status === 200
}

const viewsOf = async ({ member, published }: Site) => {
  const { stats } = await app.client.ok('getStats', { as: member, params: { botId: published.id } })
  return stats.totalViews
}

const resultOf = (answer: Answer): string => {
  expect(answer.status).toBe(200)
  return answer.body.resultId
}

test.each([
  ['all results', undefined],
  ['results before a time', 25],
])('deleting %s by a clock that is ahead leaves the times of later ones as they are', async (_, hours) => {
  const { here } = await makeWorld(app)
  const real = Date.now()
  app.clock.set(new Date(real + 26 * MS_PER_HOUR).toISOString())
  const query =
    hours === undefined ? {} : { createdBefore: new Date(real + hours * MS_PER_HOUR).toISOString() }
  const params = { botId: here.published.id }
  await app.client.ok('deleteResults', { as: here.member, params, query })
  for (const { clock } of [app, chats]) clock.set(new Date(real).toISOString())
  const resultId = resultOf(await startChat(here))
  const { result } = await app.client.ok('getResult', { as: here.member, params: { ...params, resultId } })
  expect(Date.parse(result.createdAt) - real).toBeLessThan(MS_PER_HOUR)
})

describe.each([-10, 10])('chats in a process whose clock is %i minutes ahead', (minutes) => {
  async function newSite(): Promise<Site> {
    const { here } = await makeWorld(app)
    chats.clock.set(app.clock.now().toISOString())
    chats.clock.advance(minutes * 60_000)
    return here
  }

  test('deleting all results hides the earlier ones, and shows the later ones', async () => {
    const site = await newSite()
    const before = resultOf(await startChat(site))
    expect(await isThere(site, before)).toBe(true)
    expect((await deleteAll(site)).status).toBe(200)
    expect(await isThere(site, before)).toBe(false)
    expect(await viewsOf(site)).toBe(0)

    const later = [resultOf(await startChat(site)), resultOf(await startChat(site))]
    for (const id of later) expect(await isThere(site, id)).toBe(true)
    expect(await viewsOf(site)).toBe(2)
    expect((await deleteAll(site)).status).toBe(200)
    for (const id of later) expect(await isThere(site, id)).toBe(false)
  })

  test('a chat that starts before any statement of the deletion is deleted, or comes after it', async () => {
    for (let place = 0; ; place++) {
      const site = await newSite()
      const answers = await interleave(
        app,
        observer,
        place,
        () => deleteAll(site),
        () => startChat(site),
      )
      if (!answers) {
        expect(place).toBeGreaterThan(2)
        return
      }
      expect(answers.first.status).toBe(200)
      expect([place, await isThere(site, resultOf(answers.other))]).toEqual([place, answers.hasWaited])
      expect(await viewsOf(site)).toBe(answers.hasWaited ? 1 : 0)
    }
  })

  test('a chat that starts while a deletion comes before any of its statements is visible', async () => {
    for (let place = 0; ; place++) {
      const site = await newSite()
      const answers = await interleave(
        chats,
        observer,
        place,
        () => startChat(site),
        () => deleteAll(site),
      )
      if (!answers) {
        expect(place).toBeGreaterThan(1)
        return
      }
      expect(answers.other.status).toBe(200)
      expect([place, await isThere(site, resultOf(answers.first))]).toEqual([place, !answers.hasWaited])
    }
  })
})
