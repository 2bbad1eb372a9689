import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { asc, eq } from 'drizzle-orm'
import { botPublications } from '../../server/db/schema.ts'
import { type App, startApp } from '../support/app.ts'
import { makeWorld, type Person, type Site } from '../support/world.ts'

let app: App
let site: Site
let stranger: Person
beforeAll(async () => {
  app = await startApp()
})
afterAll(() => app.stop())
beforeEach(async () => {
  const world = await makeWorld(app)
  site = world.here
  stranger = world.stranger
})

const operations = (botId: string) => {
  const asMember = { as: site.member, params: { botId } }
  return {
    read: async () => (await app.client.ok('getBot', asMember)).bot,
    publish: () => app.client.ok('publishBot', asMember),
    unpublish: () => app.client.ok('unpublishBot', asMember),
    published: () => app.client.ok('getPublishedBot', asMember),
    update: (bot: object) =>
      app.client.ok('updateBot', { ...asMember, body: { bot: { version: '6.1', ...bot } } }),
  }
}

const flowOf = ({ groups, events, edges, variables, theme, settings }: Record<string, unknown>) => ({
  groups,
  events,
  edges,
  variables,
  theme,
  settings,
})

test('an edit after publishing leaves the publication unchanged until the next one', async () => {
  const { read, publish, published, update } = operations(site.draft.id)
  const before = await read()
  await publish()
  await update({
    groups: [],
    edges: [],
    variables: [{ id: 'v', name: 'New' }],
    theme: { chat: {} },
    settings: { general: {} },
  })
  const copy = await published()
  expect(flowOf(copy.publishedBot)).toEqual(flowOf(before))
  await publish()
  expect(flowOf((await published()).publishedBot)).toEqual(flowOf(await read()))
})

test('publishing again keeps the id and the first time, and updates the last one', async () => {
  const { publish, unpublish, published } = operations(site.draft.id)
  await publish()
  const first = (await published()).publishedBot
  expect(first).toMatchObject({ botId: site.draft.id, updatedAt: first.createdAt })
  await publish()
  const second = (await published()).publishedBot
  await unpublish()
  await publish()
  const third = (await published()).publishedBot
  for (const again of [second, third]) {
    expect(again).toMatchObject({ id: first.id, createdAt: first.createdAt })
  }
  expect(second.updatedAt > first.updatedAt).toBe(true)
  expect(third.updatedAt > second.updatedAt).toBe(true)
})

test('publishing and unpublishing leave the draft unchanged, so that no save conflicts', async () => {
  const { read, publish, unpublish, update } = operations(site.published.id)
  const before = await read()
  await publish()
  expect(await read()).toEqual(before)
  await unpublish()
  expect(await read()).toEqual(before)
  await publish()
  await update({ name: 'saved', updatedAt: before.updatedAt })
})

describe('the public id', () => {
  test.each([
    ['Ünïcode & Co., 2026!', /^unicode-co-2026-[a-z0-9]{10}$/],
    ['🤖', /^[a-z0-9]{10}$/],
    ['x'.repeat(255), /^x{60}-[a-z0-9]{10}$/],
  ])('for a bot named %j is derived from the name', async (name, form) => {
    const { read, publish, update } = operations(site.draft.id)
    await update({ name })
    await publish()
    expect((await read()).publicId).toMatch(form)
  })

  test('is assigned once and then kept', async () => {
    const { read, publish, unpublish, update } = operations(site.draft.id)
    expect((await read()).publicId).toBeNull()
    await publish()
    const { publicId } = await read()
    await unpublish()
    await update({ name: 'Another name' })
    await publish()
    expect((await read()).publicId).toBe(publicId)
  })

  test('that a bot has already is kept', async () => {
    const { read, publish } = operations(site.published.id)
    await publish()
    expect((await read()).publicId).toBe(site.published.publicId)
  })

  test('is assigned once by concurrent publishing', async () => {
    const { read, publish } = operations(site.draft.id)
    await Promise.all(Array.from({ length: 8 }, publish))
    const { publicId } = await read()
    const { rows } = await app.pool.query('SELECT public_id FROM public_ids WHERE bot_id = $1', [
      site.draft.id,
    ])
    expect(rows).toEqual([{ public_id: publicId }])
  })
})

test('unpublishing always succeeds, and leaves results and the public id', async () => {
  const { read, unpublish } = operations(site.published.id)
  const asMember = { as: site.member, params: { botId: site.published.id } }
  const results = await app.client.ok('listResults', asMember)
  const stats = await app.client.ok('getStats', asMember)
  for (let time = 0; time < 2; time++) {
    expect(await unpublish()).toEqual({ message: 'success' })
    expect((await app.client.call('getPublishedBot', asMember)).status).toBe(404)
  }
  expect(await app.client.ok('listResults', asMember)).toEqual(results)
  expect(await app.client.ok('getStats', asMember)).toEqual(stats)
  expect((await read()).publicId).toBe(site.published.publicId)
  expect(await operations(site.draft.id).unpublish()).toEqual({ message: 'success' })
})

describe('a legacy bot', () => {
  const converted = (botId: string) =>
    app.client.ok('getPublishedBot', {
      as: site.member,
      params: { botId },
      query: { migrateToLatestVersion: true },
    })

  test('is published in its own version', async () => {
    const { read, publish, published } = operations(site.legacy.id)
    await publish()
    const { publishedBot, version } = await published()
    expect(version).toBe('5')
    expect(publishedBot.version).toBe('5')
    expect(publishedBot.events).toBeNull()
    expect(flowOf(publishedBot)).toEqual(flowOf(await read()))
  })

  test('is shown converted when requested, under the version it was published in', async () => {
    const { publish, published } = operations(site.legacy.id)
    await publish()
    const { publishedBot, version } = await converted(site.legacy.id)
    expect(version).toBe('5')
    expect(publishedBot.version).toBe('6.1')
    expect(publishedBot.events).toMatchObject([{ type: 'start', outgoingEdgeId: 'edge-1' }])
    expect(publishedBot.groups.map(({ id }) => id)).toEqual(['group-1'])
    expect((await published()).publishedBot.version).toBe('5')
  })

  test('keeps its published copy when the draft is converted', async () => {
    const { publish, published, update } = operations(site.legacy.id)
    await publish()
    const before = await published()
    expect((await update({ name: 'now current' })).bot.version).toBe('6.1')
    expect(await published()).toEqual(before)
  })
})

test('a restored publication leaves the draft as public as it is', async () => {
  const { read, publish, update } = operations(site.draft.id)
  const shared = { publicShare: { isEnabled: true }, general: { isInputPrefillEnabled: true } }
  await update({ settings: shared })
  await publish()
  const list = { as: site.member, params: { botId: site.draft.id } }
  const [publication] = (await app.client.ok('listPublications', list)).publications
  const params = { botId: site.draft.id, publicationId: publication?.id ?? '' }
  const restore = async () => (await app.client.ok('restorePublication', { as: site.member, params })).bot
  const isReadByOthers = async () =>
    (await app.client.call('getBot', { as: stranger, params: { botId: site.draft.id } })).status === 200

  await update({ settings: {} })
  expect((await restore()).settings).toEqual({ general: shared.general })
  expect(await isReadByOthers()).toBe(false)
  await update({ settings: { publicShare: { isEnabled: true }, general: {} } })
  expect((await restore()).settings).toEqual(shared)
  expect(await isReadByOthers()).toBe(true)
  expect((await read()).settings).toEqual(shared)
})

test('a later publication comes first in the list, even after the clock was set back', async () => {
  const { publish } = operations(site.draft.id)
  await publish()
  await app.db
    .update(botPublications)
    .set({ createdAt: new Date(Date.now() + 20 * 365 * 86_400_000) })
    .where(eq(botPublications.botId, site.draft.id))
  await publish()
  const list = { as: site.member, params: { botId: site.draft.id } }
  const { publications } = await app.client.ok('listPublications', list)
  expect(publications.map(({ isLive }) => isLive)).toEqual([true, false])
})

test('a publication is a copy of one revision beside a concurrent write', async () => {
  const { publish, published, update } = operations(site.published.id)
  const stamped = (stamp: string) => ({
    groups: [{ id: 'group', title: stamp, graphCoordinates: { x: 0, y: 0 }, blocks: [] }],
    variables: [{ id: 'variable', name: stamp }],
    theme: { stamp },
    settings: { stamp },
  })
  let last = 0
  const answered = new Set<string>()
  const write = async () => {
    for (let number = 1; number <= 80; number++) await update(stamped(String(number)))
    last = 80
  }
  const copy = async () => {
    while (last === 0) {
      await publish()
      const { publishedBot } = await published()
      answered.add(stampsOf(publishedBot).join())
    }
  }
  await update(stamped('0'))
  await Promise.all([write(), copy(), copy(), copy()])
  await publish()

  const copies = await app.db
    .select()
    .from(botPublications)
    .where(eq(botPublications.botId, site.published.id))
    .orderBy(asc(botPublications.sourceRevision))
  for (const { sourceRevision, groups, variables, theme, settings } of copies.slice(1)) {
    const parts = { groups, variables, theme, settings }
    const parsed = Object.entries(parts).map(([name, { text }]) => [name, JSON.parse(text)])
    // The world's bot has revision 1, number 0 was stamped by its first update.
    expect(stampsOf(Object.fromEntries(parsed))).toEqual([String(sourceRevision - 2)])
  }
  expect(copies.at(-1)?.sourceRevision).toBe(82)
  expect([...answered].filter((stamp) => stamp.includes(','))).toEqual([])
  expect(answered.size).toBeGreaterThan(1)
})

// biome-ignore lint/suspicious/noExplicitAny: what every version has
function stampsOf({ groups, variables, theme, settings }: any): string[] {
  return [...new Set([groups[0].title, variables[0].name, theme.stamp, settings.stamp])] as string[]
}
