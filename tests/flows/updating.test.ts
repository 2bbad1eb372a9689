import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { type App, startApp } from '../support/app.ts'
import { anyBody } from '../support/client.ts'
import { flow, legacyFlow, makeWorld, type Site, type World } from '../support/world.ts'

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

type Change = Record<string, unknown>

function patch(botId: string, bot: Change, more: { overwrite?: boolean } = {}) {
  return app.client.call('updateBot', {
    as: site.member,
    params: { botId },
    body: anyBody({ bot: { version: '6.1', ...bot }, ...more }),
  })
}

async function accepted(botId: string, bot: Change, more: { overwrite?: boolean } = {}) {
  const answer = await patch(botId, bot, more)
  expect(answer.text).toContain('"bot":')
  expect(answer.status).toBe(200)
  return answer.body.bot
}

async function read(botId: string, migrateToLatestVersion = false) {
  const query = { migrateToLatestVersion }
  return (await app.client.call('getBot', { as: site.member, params: { botId }, query })).body.bot
}

const shifted = (time: string, milliseconds: number) =>
  new Date(Date.parse(time) + milliseconds).toISOString()

test('the address of a schema, which editors need, is accepted and not stored', async () => {
  const $schema = `${app.url}/schemas/bot-6.1.json`
  expect(await accepted(site.draft.id, { $schema, name: 'edited' })).not.toHaveProperty('$schema')
  const workspaceId = site.workspaceId
  const bot = { $schema, version: '6.1' as const, name: 'edited', groups: [] }
  const created = await app.client.ok('createBot', { as: site.member, body: { workspaceId, bot } })
  const imported = await app.client.ok('importBot', { as: site.member, body: { workspaceId, bot } })
  expect([created.bot, imported.bot].map((one) => '$schema' in one)).toEqual([false, false])
  expect(imported.warnings.filter(({ path }) => path.includes('$schema'))).toEqual([])
})

describe('the precondition', () => {
  test.each([-1, 1, -5_000])('is a conflict that names the stored time if it is %i ms off', async (by) => {
    const before = await read(site.draft.id)
    const answer = await patch(site.draft.id, { name: 'late', updatedAt: shifted(before.updatedAt, by) })
    expect(answer.status).toBe(409)
    expect(answer.body).toEqual({
      code: 'CONFLICT',
      message: 'Conflicting update',
      issues: [
        {
          path: ['body', 'bot', 'updatedAt'],
          code: 'conflict',
          message: expect.stringContaining(before.updatedAt),
          current: { updatedAt: before.updatedAt },
        },
      ],
    })
    expect(await read(site.draft.id)).toEqual(before)
  })

  test('is accepted once if it is the stored time', async () => {
    const { updatedAt } = await read(site.draft.id)
    await accepted(site.draft.id, { name: 'first', updatedAt })
    expect((await patch(site.draft.id, { name: 'second', updatedAt })).status).toBe(409)
  })

  test('is compared as an instant, in any notation', async () => {
    const { updatedAt } = await read(site.draft.id)
    const inParis = shifted(updatedAt, 3_600_000).replace('Z', '+01:00')
    await accepted(site.draft.id, { name: 'first', updatedAt: inParis })
  })

  test('is skipped with overwrite', async () => {
    const { updatedAt } = await read(site.draft.id)
    await accepted(site.draft.id, { name: 'first' })
    await accepted(site.draft.id, { name: 'second', updatedAt }, { overwrite: true })
    expect((await patch(site.draft.id, { name: 'third', updatedAt }, { overwrite: false })).status).toBe(409)
    expect((await read(site.draft.id)).name).toBe('second')
  })

  test('applies together with a public id', async () => {
    const { updatedAt } = await read(site.draft.id)
    const change = { publicId: `new-${site.draft.id}`, updatedAt: shifted(updatedAt, 1) }
    expect((await patch(site.draft.id, change)).status).toBe(409)
    expect((await read(site.draft.id)).publicId).toBeNull()
    await accepted(site.published.id, { publicId: change.publicId })
  })
})

test('updatedAt only ever increases, also while the clock stands or is set back', async () => {
  const { updatedAt } = await read(site.draft.id)
  const seen = [updatedAt]
  for (const moment of [updatedAt, updatedAt, shifted(updatedAt, -60_000), updatedAt]) {
    app.clock.set(moment)
    seen.push((await accepted(site.draft.id, { name: moment })).updatedAt)
  }
  expect(seen).toEqual([0, 1, 2, 3, 4].map((by) => shifted(updatedAt, by)))
  app.clock.set(shifted(updatedAt, 60_000))
})

describe('properties', () => {
  const values: Change = {
    name: 'Another name',
    icon: '🦊',
    selectedThemeTemplateId: 'template',
    groups: [],
    events: [{ id: 'other', type: 'start', graphCoordinates: { x: 1, y: 1 } }],
    edges: [],
    variables: [{ id: 'v', name: 'V' }],
    theme: { general: {} },
    settings: { general: {} },
    resultsTablePreferences: { columnsOrder: ['a'], columnsVisibility: { a: true }, columnsWidth: { a: 1 } },
    customDomain: 'bots.example.com/one',
    isClosed: true,
    messagingCredentialsId: 'credentials',
  }

  test.each(Object.keys(values))(
    '%s of an update replaces the whole property, and the others stay',
    async (name) => {
      const before = await read(site.draft.id)
      const answered = await accepted(site.draft.id, { [name]: values[name] })
      expect(answered).toEqual({ ...before, [name]: values[name], updatedAt: expect.any(String) })
      expect(answered.updatedAt).not.toBe(before.updatedAt)
      expect(await read(site.draft.id)).toEqual(answered)
      await accepted(site.draft.id, { [name]: before[name] })
    },
  )

  test.each([
    'icon',
    'selectedThemeTemplateId',
    'folderId',
    'publicId',
    'customDomain',
    'resultsTablePreferences',
    'messagingCredentialsId',
  ])('%s is cleared by null', async (name) => {
    const id = site.published.id
    const given: Change = { ...values, folderId: site.folder, customDomain: 'clear.example.com' }
    if (name !== 'publicId') await accepted(id, { [name]: given[name] })
    const before = await read(id)
    expect(before[name]).not.toBeNull()
    await accepted(id, { [name]: null })
    expect(await read(id)).toEqual({ ...before, [name]: null, updatedAt: expect.any(String) })
  })

  test('an empty update counts as one', async () => {
    const before = await read(site.draft.id)
    const after = await accepted(site.draft.id, {})
    expect(after).toEqual({ ...before, updatedAt: expect.any(String) })
    expect(after.updatedAt > before.updatedAt).toBe(true)
  })

  test('a domain in any spelling is stored in one, so that no other bot gets it', async () => {
    const spellings = ['例子.中国/start', 'xn--fsqu00a.XN--fiqs8s/start/', '例子.中国//start//']
    for (const customDomain of spellings) {
      const after = await accepted(site.draft.id, { customDomain })
      expect(after.customDomain).toBe('xn--fsqu00a.xn--fiqs8s/start')
      const taken = await patch(site.published.id, { customDomain })
      expect([taken.status, taken.body.issues[0].path]).toEqual([400, ['body', 'bot', 'customDomain']])
    }
    for (const customDomain of ['例子', 'bots.example.123', '-a.example', 'a..example', 'a b.example']) {
      expect([customDomain, (await patch(site.draft.id, { customDomain })).status]).toEqual([
        customDomain,
        400,
      ])
    }
  })

  test('a given-up public id or domain is free for the next bot', async () => {
    const names = { publicId: `old-${site.draft.id}`, customDomain: 'free.example.com' }
    await accepted(site.draft.id, names)
    expect((await patch(site.published.id, { publicId: names.publicId })).status).toBe(400)
    const taken = await patch(site.published.id, { customDomain: 'FREE.example.com' })
    expect(taken.body.issues).toMatchObject([{ path: ['body', 'bot', 'customDomain'] }])
    await accepted(site.draft.id, { publicId: `new-${site.draft.id}`, customDomain: null })
    await accepted(site.published.id, names)
    expect((await patch(site.shared.id, { publicId: `new-${site.draft.id}` })).status).toBe(400)
  })
})

describe('versions', () => {
  const roundness = { chat: { roundness: 'large' } }

  test('an update in a current version converts the stored legacy bot, then applies the change', async () => {
    const shown = await read(site.legacy.id, true)
    const after = await accepted(site.legacy.id, { name: 'current', variables: [{ id: 'v', name: 'V' }] })
    expect(after).toEqual({
      ...shown,
      name: 'current',
      variables: [{ id: 'v', name: 'V' }],
      updatedAt: expect.any(String),
    })
    expect(after.version).toBe('6.1')
    expect(await read(site.legacy.id)).toEqual(after)
  })

  test('an update in 6 converts a legacy bot to 6, without the defaults that 6.1 writes', async () => {
    const after = await accepted(site.legacy.id, { version: '6' })
    expect(after).toMatchObject({ version: '6', theme: {}, events: [{ type: 'start' }] })
  })

  test('an update in 6.1 writes the defaults whose look would change into a legacy bot', async () => {
    const after = await accepted(site.legacy.id, { version: '6.1' })
    expect(after.version).toBe('6.1')
    expect(Object.keys(after.theme)).not.toHaveLength(0)
  })

  test('an update from 6.1 to 6 converts nothing', async () => {
    await accepted(site.draft.id, { theme: roundness })
    const before = await read(site.draft.id)
    const after = await accepted(site.draft.id, { version: '6' })
    expect(after).toEqual({ ...before, version: '6', updatedAt: expect.any(String) })
  })

  test('an update from 6 to 6.1 keeps the look, unless a theme is sent', async () => {
    await accepted(site.draft.id, { version: '6', theme: {} })
    const shown = await read(site.draft.id, true)
    expect(shown.theme.chat.guestBubbles.backgroundColor).toBe('#FF8E21')
    const renamed = await accepted(site.draft.id, { name: 'Renamed' })
    expect(renamed).toMatchObject({ version: '6.1', name: 'Renamed', theme: shown.theme })
    await accepted(site.draft.id, { version: '6', theme: {} })
    expect((await accepted(site.draft.id, { theme: { general: {} } })).theme).toEqual({ general: {} })
  })

  test('an update from 3 to 4 or 5 converts step by step, so that the bot can be saved as it is read', async () => {
    const { groups, edges, variables } = legacyFlow
    const [first] = groups as Change[]
    const request = { id: 'request', type: 'Webhook', webhookId: 'w1', options: {} }
    for (const version of ['4', '5']) {
      await accepted(site.legacy.id, {
        version: '3',
        groups: [first, { id: 'r', title: 'R', graphCoordinates: { x: 0, y: 0 }, blocks: [request] }],
        edges,
        variables,
      })
      const after = await accepted(site.legacy.id, { version, name: 'hopped' })
      expect(after.groups[1].blocks).toEqual([
        { id: 'request', type: 'Webhook', options: { webhook: { method: 'POST', id: 'w1' } } },
      ])
      const saved = await accepted(site.legacy.id, {
        version,
        groups: after.groups,
        edges: after.edges,
        variables: after.variables,
      })
      expect(saved.groups).toEqual(after.groups)
    }
  })

  test.each(['3', '4', '5'])(
    'an update to %s needs groups, edges and variables for a current bot',
    async (version) => {
      const before = await read(site.draft.id)
      const { groups, edges, variables } = legacyFlow
      const cases: [Change, string[]][] = [
        [{ name: 'x' }, ['groups', 'edges', 'variables']],
        [{ groups, edges }, ['variables']],
        [{ groups, variables }, ['edges']],
        [{ edges, variables }, ['groups']],
      ]
      for (const [change, missing] of cases) {
        const answer = await patch(site.draft.id, { version, ...change })
        expect(answer.status).toBe(400)
        expect(answer.body.issues.map(({ path }: { path: string[] }) => path)).toEqual(
          missing.map((name) => ['body', 'bot', name]),
        )
      }
      expect(await read(site.draft.id)).toEqual(before)
      const after = await accepted(site.draft.id, { version, groups, edges, variables })
      expect(after).toMatchObject({ version, events: null, groups, edges, variables })
      expect(after.theme).toEqual(before.theme)
    },
  )

  test('an update converts a legacy bot between legacy versions', async () => {
    const before = await read(site.legacy.id)
    const after = await accepted(site.legacy.id, { version: '4', events: [] })
    expect(after).toEqual({ ...before, version: '4', updatedAt: expect.any(String) })
  })

  test.each([undefined, '2', '7', 6, null])(
    '%j is no version, and the issue lists those that exist',
    async (version) => {
      const answer = await patch(site.draft.id, { version })
      expect(answer.status).toBe(400)
      const [issue] = answer.body.issues
      expect(issue.path).toEqual(['body', 'bot', 'version'])
      for (const known of ['3', '4', '5', '6', '6.1']) expect(issue.message).toContain(known)
    },
  )
})

describe('documents', () => {
  /** JSON that no parser and printer would leave unchanged. */
  const awkward =
    '{"10":1.0,"2":-0,"b":1e2,"a":0.10,"01":"\\u00e9 é \\ud83e\\udd8a 🦊 \\/ /","":[1.50,{"9":{},"1":[]}]}'
  const parts: Record<string, string> = {
    theme: awkward,
    settings: awkward,
    groups: `[{"9":1,"id":"g","1":${awkward},"title":"t","graphCoordinates":{"y":1.0,"x":0.50},"blocks":[{"x-vendor":${awkward},"type":"text","id":"b"}]}]`,
    edges: `[{"to":{"groupId":"nowhere"},"7":${awkward},"from":{"blockId":"none"},"id":"e"}]`,
    variables: `[{"3":${awkward},"name":"n","id":"v"}]`,
    events: `[{"type":"start","5":${awkward},"id":"s","graphCoordinates":{"y":0.0,"x":1e1}}]`,
  }

  test.each(Object.entries(parts))('%s come back as the stored text', async (name, text) => {
    const spaced = text.replaceAll('{', '{ ').replaceAll(',', ' ,\n')
    const answer = await app.client.call('updateBot', {
      as: site.member,
      params: { botId: site.draft.id },
      body: anyBody(`{"bot":{"version":"6.1","${name}":${spaced}}}`),
    })
    expect(answer.text).toContain(`"${name}":${text}`)
    const asMember = { as: site.member, params: { botId: site.draft.id } }
    expect((await app.client.call('getBot', asMember)).text).toContain(`"${name}":${text}`)
    await app.client.ok('publishBot', asMember)
    expect((await app.client.call('getPublishedBot', asMember)).text).toContain(`"${name}":${text}`)

    const created = await app.client.call('createBot', {
      as: site.member,
      body: anyBody(`{"bot":{"${name}":${text}},"workspaceId":"${site.workspaceId}"}`),
    })
    expect(created.status).toBe(201)
    expect(created.text).toContain(`"${name}":${text}`)
  })

  test('the address of a block is set without a change to any other text', async () => {
    const coordinates = '"graphCoordinates":{"x":0.50,"y":1.0}'
    const other = `{"9":1,"id":"h",${coordinates},"title":"h","blocks":[],"1":${awkward}}`
    const text = `{"id":"b","type":"text","x-vendor":${awkward}}`
    const groups = `[{"id":"g","title":"g",${coordinates},"blocks":[{"id":"z","type":"Zapier","x-vendor":${awkward}},${text}]},${other}]`
    const options = { as: site.member, params: { botId: site.draft.id } }
    await app.client.ok('updateBot', {
      ...options,
      body: anyBody(`{"bot":{"version":"6.1","groups":${groups}}}`),
    })
    await app.client.ok('subscribeWebhookBlock', {
      as: site.member,
      params: { botId: site.draft.id, blockId: 'z' },
      body: { url: 'https://hook.example.com/leads' },
    })
    const stored = (await app.client.call('getBot', options)).text
    for (const kept of [other, text, coordinates, `"type":"Zapier","x-vendor":${awkward}`])
      expect(stored).toContain(kept)
  })

  test('blocks of unknown types and edges to nowhere are kept', async () => {
    const groups = [
      { ...flow.groups[0], blocks: [{ id: 'odd', type: 'acme/crm', anything: [{ deep: null }] }] },
    ]
    const edges = [
      { id: 'dangling', from: { blockId: 'nobody' }, to: { groupId: 'nowhere', blockId: 'none' } },
    ]
    const after = await accepted(site.draft.id, { groups, edges })
    expect(after).toMatchObject({ groups, edges })
    expect(await read(site.draft.id)).toEqual(after)
  })

  test.each(['3', '4', '5', '6', '6.1'])('a malformed edge is rejected in version %s', async (version) => {
    const edges = [{ id: 'edge', from: {}, to: { groupId: 'group-1' } }]
    const answer = await patch(site.draft.id, { version, groups: [], variables: [], edges })
    expect(answer.status).toBe(400)
    expect(answer.body.issues[0].path.slice(0, 5)).toEqual(['body', 'bot', 'edges', '0', 'from'])
  })
})

describe('a bot that was read', () => {
  test.each(['draft', 'legacy', 'published'] as const)('can be edited and sent back: %s', async (kind) => {
    const before = await read(site[kind].id)
    const after = await accepted(site[kind].id, { ...before, name: 'edited' })
    expect(after).toEqual({ ...before, name: 'edited', updatedAt: expect.any(String) })
  })

  test('has properties that only the service sets', async () => {
    const before = await read(site.draft.id)
    const lies = {
      id: site.published.id,
      createdAt: '2000-01-01T00:00:00.000Z',
      workspaceId: world.there.workspaceId,
      isArchived: true,
      riskLevel: 1,
    }
    expect(await accepted(site.draft.id, lies)).toEqual({ ...before, updatedAt: expect.any(String) })
    expect(await read(site.draft.id)).toMatchObject({ isArchived: false, riskLevel: null })
  })

  test('can be posted as a copy', async () => {
    const original = await read(site.draft.id)
    const body = anyBody({ workspaceId: site.workspaceId, bot: { ...original, isClosed: true } })
    const created = await app.client.call('createBot', { as: site.member, body })
    expect(created.status).toBe(201)
    const copy = created.body.bot
    expect(copy).toEqual({
      ...original,
      id: expect.any(String),
      createdAt: copy.updatedAt,
      updatedAt: expect.any(String),
    })
    expect(copy.id).not.toBe(original.id)
    expect(created.headers.location).toBe(`/v1/bots/${copy.id}`)
    expect(await read(copy.id)).toEqual(copy)
  })
})

test.each([
  ['of another workspace', () => world.there.folder],
  ['that does not exist', () => 'nowhere'],
])('a folder %s is rejected', async (_, folderId) => {
  const before = await read(site.draft.id)
  const issues = [expect.objectContaining({ path: ['body', 'bot', 'folderId'] })]
  const updated = await patch(site.draft.id, { folderId: folderId(), publicId: `x-${site.draft.id}` })
  expect(updated).toMatchObject({ status: 400, body: { issues } })
  const body = { workspaceId: site.workspaceId, bot: { folderId: folderId() } }
  expect(await app.client.call('createBot', { as: site.member, body })).toMatchObject({
    status: 400,
    body: { issues },
  })
  expect(await read(site.draft.id)).toEqual(before)
  // The public id that came with it was not taken either.
  await accepted(site.published.id, { publicId: `x-${site.draft.id}` })
})
