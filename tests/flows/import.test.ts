import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { type App, startApp } from '../support/app.ts'
import { anyBody } from '../support/client.ts'
import { makeWorld, type Site, type World } from '../support/world.ts'

let app: App
let world: World
let site: Site
beforeAll(async () => {
  app = await startApp()
})
afterAll(() => app.stop())
beforeEach(async () => {
  world = await makeWorld(app)
  site = world.here
})

type Json = Record<string, unknown>

const at = { x: 0, y: 0 }

const group = (id: string, ...blocks: Json[]) => ({ id, title: id, graphCoordinates: at, blocks })

const start = { id: 's', type: 'start', graphCoordinates: at, outgoingEdgeId: 'e' }

const text = (id: string) => ({
  id,
  type: 'text',
  content: { richText: [{ type: 'p', children: [{ text: id }] }] },
})

const edge = (id: string, from: Json, groupId: string) => ({ id, from, to: { groupId } })

const send = (bot: object) =>
  app.client.call('importBot', { as: site.member, body: anyBody({ workspaceId: site.workspaceId, bot }) })

async function imported(bot: object) {
  const { status, body } = await send(bot)
  expect([status, body.issues]).toEqual([201, undefined])
  return body
}

const places = (warnings: { path: string[]; code: string }[]) =>
  warnings.map(({ path, code }) => `${path.join('/')} ${code}`)

test('a document that names its edges once gets outgoingEdgeId where exactly one edge starts', async () => {
  const input = { id: 'q', type: 'text input', options: {} }
  const choice = {
    id: 'c',
    type: 'choice input',
    items: [
      { id: 'i1', content: 'A' },
      { id: 'i2', content: 'B' },
    ],
  }
  const { bot, warnings } = await imported({
    version: '6.1',
    events: [{ ...start, outgoingEdgeId: undefined }],
    groups: [group('g', text('a'), input), group('h', choice), group('k', input, text('z'))],
    edges: [
      edge('e', { eventId: 's' }, 'g'),
      edge('e0', { blockId: 'q' }, 'h'),
      edge('e1', { blockId: 'c', itemId: 'i1' }, 'g'),
      edge('e2', { blockId: 'c', itemId: 'i2' }, 'g'),
      edge('e3', { blockId: 'c', itemId: 'i2' }, 'k'),
      edge('e4', { blockId: 'a' }, 'k'),
    ],
    variables: [],
  })
  expect(bot.events[0].outgoingEdgeId).toBe('e')
  expect(bot.groups[0].blocks).toMatchObject([{ id: 'a' }, { id: 'q', outgoingEdgeId: 'e0' }])
  expect(bot.groups[0].blocks[0]).not.toHaveProperty('outgoingEdgeId')
  expect(bot.groups[1].blocks[0].items[0]).toMatchObject({ id: 'i1', outgoingEdgeId: 'e1' })
  expect(bot.groups[1].blocks[0].items[1]).not.toHaveProperty('outgoingEdgeId')
  expect(places(warnings)).toEqual([
    'events/0/outgoingEdgeId added',
    'groups/0/blocks/1/outgoingEdgeId added',
    'groups/1/blocks/0/items/0/outgoingEdgeId added',
  ])
})

test('a legacy document that names its edges once begins with the edge of its start block', async () => {
  const { bot, warnings } = await imported({
    version: '5',
    groups: [
      group('g0', { id: 's', type: 'start', label: 'Start' }),
      group('g', { id: 'q', type: 'text input' }),
      group('h', text('a')),
    ],
    edges: [edge('e', { blockId: 's' }, 'g'), edge('e0', { blockId: 'q' }, 'h')],
    variables: [],
  })
  expect(bot.events[0].outgoingEdgeId).toBe('e')
  expect(bot.groups[0].blocks[0].outgoingEdgeId).toBe('e0')
  expect(places(warnings)).toEqual([
    'events/0/outgoingEdgeId added',
    'groups/0/blocks/0/outgoingEdgeId added',
  ])
})

test('a document without a version keeps its events', async () => {
  const document = {
    events: [start],
    groups: [group('g', text('a'))],
    edges: [edge('e', { eventId: 's' }, 'g')],
  }
  const { bot, warnings } = await imported(document)
  expect([bot.version, bot.events, warnings]).toEqual(['6', [start], []])
})

test('public sharing is left out with a warning, and other settings stay', async () => {
  const document = { version: '6.1', events: [start], groups: [], edges: [] }
  const settings = { publicShare: { isEnabled: true }, security: { allowedOrigins: ['https://a.example'] } }
  const { bot, warnings } = await imported({ ...document, settings })
  expect(bot.settings).toEqual({ security: settings.security })
  expect(places(warnings)).toContain('settings/publicShare dropped')
  const asStranger = { as: world.stranger, params: { botId: bot.id } }
  expect((await app.client.call('getBot', asStranger)).status).toBe(403)
  expect(
    (await imported({ ...document, settings: { publicShare: { isEnabled: false } } })).bot.settings,
  ).toEqual({
    publicShare: { isEnabled: false },
  })
})

/** A version 5 whose first group has the start block alone, and is removed by the conversion. */
const legacy = (parts: Json = {}) => ({
  version: '5',
  groups: [
    group('g0', { id: 's', type: 'start', label: 'Start', outgoingEdgeId: 'e' }),
    group(
      'g',
      { id: 'l', type: 'Bot link', options: { botId: 'nowhere' } },
      { id: 'n', type: 'NocoDB' },
      { id: 'x', type: 'Strange' },
    ),
  ],
  edges: [{ id: 'bad', from: {} }, edge('e', { blockId: 's' }, 'g')],
  variables: [],
  ...parts,
})

test('warnings of an import name paths in the document of the response', async () => {
  const { bot, warnings } = await imported(legacy())
  expect(bot.groups).toHaveLength(1)
  expect(places(warnings)).toEqual([
    'edges dropped',
    'groups/0/blocks/0/options/botId unknown_bot',
    'groups/0/blocks/1/type skipped_block',
    'groups/0/blocks/2/type skipped_block',
  ])
  expect(warnings[0].message).toContain('"bad"')
})

test('issues of a rejected import name paths in the sent document', async () => {
  const groups = legacy().groups as Json[]
  const far = { ...groups[0], graphCoordinates: { x: 99_999_999, y: 0 } }
  const { title: _, ...untitled } = group('k', text('a'))
  const mixed = group('m', { id: 's2', type: 'start', label: 'Start' }, { id: '', type: 'text' })
  const { status, body } = await send(legacy({ groups: [far, groups[1], untitled, mixed] }))
  expect(status).toBe(400)
  expect(body.issues.map(({ path }: { path: string[] }) => path.join('/'))).toEqual([
    'body/bot/groups/2/title',
    'body/bot/groups/3/blocks/1/id',
    'body/bot/groups/0/graphCoordinates/x',
  ])
})

test('an import keeps the bytes of unchanged parts', async () => {
  const preferences = '{"columnsOrder":[],"columnsVisibility":{},"columnsWidth":{"z":1.50,"10":2}}'
  const kept = '{"id":"g","title":"G","graphCoordinates":{"x":1.50,"y":0},"blocks":[],"odd":{"z":1,"10":2.0}}'
  const bare = '{"id":"h","title":"H","graphCoordinates":{"x":2.50,"y":0}}'
  const text = `{"workspaceId":"${site.workspaceId}","bot":{"version":"6.1","events":[${JSON.stringify({ ...start, outgoingEdgeId: undefined })}],
    "groups":[${kept}, ${bare}],"resultsTablePreferences":${preferences}}}`
  const answer = await app.client.send('POST', '/v1/bots/import', {
    as: site.member,
    headers: { 'Content-Type': 'application/json' },
    body: text,
  })
  expect(answer.status).toBe(201)
  expect(answer.text).toContain(kept)
  expect(answer.text).toContain(`${bare.slice(0, -1)},"blocks":[]}`)
  expect(answer.text).toContain(preferences)
})

describe('a legacy bot with the maximum of edges, whose start becomes another one,', () => {
  const edges = Array.from({ length: 20_000 }, (_, at) => edge(`e${at}`, { blockId: 'a' }, 'g'))
  const groups = [group('g', { id: 's', type: 'start', label: 'Start' }, text('a'))]
  const flow = { groups, edges, variables: [] }

  test('is imported', async () => {
    const { bot } = await imported({ version: '5', ...flow })
    expect([bot.version, bot.edges.length]).toEqual(['6.1', 20_001])
  })

  test('can be saved as it was read once it is in a current version', async () => {
    const { workspaceId, member } = world.here
    const as = member
    const { bot } = await app.client.ok('createBot', { as, body: { workspaceId, bot: {} } })
    const params = { botId: bot.id }
    const update = (change: object) =>
      app.client.ok('updateBot', { as, params, body: { bot: change } as never })
    await update({ version: '5', ...flow })
    const { bot: current } = await update({ version: '6.1', name: 'Current' })
    expect(current.edges).toHaveLength(20_001)
    await update({ version: '6.1', edges: current.edges })
  })
})
