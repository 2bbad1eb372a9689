import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { parse } from 'yaml'
import { operations } from '../../contract/index.ts'
import { fileProperties } from '../../server/command/folder.ts'
import { root } from '../../server/root.ts'
import { type App, startApp } from '../support/app.ts'
import { makeWorld, type Site } from '../support/world.ts'

/*
 * Every property that an update or a create takes comes back from the read: one that the contract adds fails here until
 * a row has a value for it, so that none is accepted and dropped. Those of a bot also come along with copies of it.
 */

interface Schema {
  properties: Record<string, { readOnly?: boolean }>
}

const { schemas } = (
  parse(readFileSync(new URL('openapi.yaml', root), 'utf8'), { maxAliasCount: -1 }) as {
    components: { schemas: Record<string, Schema> }
  }
).components

let app: App
let site: Site
let endpointId: string
beforeAll(async () => {
  app = await startApp()
  site = (await makeWorld(app)).here
  const { webhookEndpoint } = await app.client.ok('createWebhookEndpoint', {
    as: site.admin,
    params: { workspaceId: site.workspaceId },
    body: { url: 'https://93.184.216.34/hook' },
  })
  endpointId = webhookEndpoint.id
})
afterAll(() => app.stop())

type Values = Record<string, unknown>

interface Update {
  /** Component of the properties in the document. */
  component: string
  path: () => string
  /** The property of body and response around those that are written. */
  around?: string
  /** Name of the record in the response of the read. */
  record: string
  values: () => Values
}

const updates: Record<string, Update> = {
  updateWorkspace: {
    component: 'WorkspaceUpdate',
    path: () => `/v1/workspaces/${site.workspaceId}`,
    record: 'workspace',
    values: () => ({ name: 'Renamed', icon: '🚀', resultsRetentionDays: 90 }),
  },
  updateFolder: {
    component: 'FolderUpdate',
    path: () => `/v1/folders/${site.deepFolder}`,
    around: 'folder',
    record: 'folder',
    values: () => ({ name: 'Renamed', parentFolderId: site.folder }),
  },
  updateWebhookEndpoint: {
    component: 'WebhookEndpointUpdate',
    path: () => `/v1/workspaces/${site.workspaceId}/webhookEndpoints/${endpointId}`,
    record: 'webhookEndpoint',
    values: () => ({
      url: 'https://93.184.216.34/other',
      description: 'Changed',
      types: ['bot.published'],
      isEnabled: false,
    }),
  },
  updateBot: {
    component: 'BotUpdateV61',
    path: () => `/v1/bots/${site.draft.id}`,
    around: 'bot',
    record: 'bot',
    values: () => ({
      name: 'Renamed',
      icon: '🚀',
      selectedThemeTemplateId: 'template',
      groups: [
        {
          id: 'g',
          title: 'Renamed',
          graphCoordinates: { x: 1, y: 2 },
          blocks: [{ id: 'b', type: 'text input' }],
        },
      ],
      events: [{ id: 's', type: 'start', graphCoordinates: { x: 1, y: 2 }, outgoingEdgeId: 'e' }],
      edges: [{ id: 'e', from: { eventId: 's' }, to: { groupId: 'g' } }],
      variables: [{ id: 'v', name: 'Renamed' }],
      theme: { general: { font: 'Open Sans' } },
      settings: { general: { isBrandingEnabled: true } },
      folderId: site.subfolder,
      resultsTablePreferences: {
        columnsOrder: ['v'],
        columnsVisibility: { v: false },
        columnsWidth: { v: 20 },
      },
      publicId: 'renamed-bot',
      customDomain: 'chat.example.com',
      isClosed: true,
      messagingCredentialsId: 'credentials',
    }),
  },
}

/** They say what the write is about, or are documented as ignored. */
const notStored = ['version', 'updatedAt', '$schema', 'riskLevel']

const writableOf = (component: string) =>
  Object.entries(schemas[component]?.properties ?? {})
    .filter(([name, { readOnly }]) => !readOnly && !notStored.includes(name))
    .map(([name]) => name)

const written = Object.entries(updates).flatMap(([id, { component }]) =>
  writableOf(component).map((name) => [id, name] as const),
)

test.each(written)('%s writes %s, and the read returns it', async (id, name) => {
  const { path, around, record, values } = updates[id] as Update
  const given = values()
  if (!(name in given)) throw new Error(`Add a value of ${name} to the row of ${id}`)
  const version = id === 'updateBot' ? { version: '6.1' } : {}
  const properties = { ...version, [name]: given[name] }
  const body = around === undefined ? properties : { [around]: properties }
  const as = site.admin
  const before = await app.client.send('GET', path(), { as })
  expect(before.body[record][name]).not.toEqual(given[name])
  const update = await app.client.send('PATCH', path(), { as, body })
  expect([update.status, update.status === 200 ? '' : update.text]).toEqual([200, ''])
  const after = await app.client.send('GET', path(), { as })
  expect(after.body[record][name]).toEqual(given[name])
  // A change that the tag or the time does not show is overwritten by a caller who read the record before.
  expect(after.headers.etag).not.toBe(before.headers.etag)
  expect(after.body[record].updatedAt > before.body[record].updatedAt).toBe(true)
})

test('every update but those of roles, secrets and chats has a row', () => {
  const others = ['updateMember', 'updateCredentials', 'updateChat']
  const patches = Object.entries(operations).filter(([, { method }]) => method === 'patch')
  expect(
    patches
      .map(([id]) => id)
      .filter((id) => !others.includes(id))
      .sort(),
  ).toEqual(Object.keys(updates).sort())
})

interface Create {
  component: string
  path: () => string
  /** Other properties of the body, where the record is around those that are written. */
  beside?: () => Values
  /** Row above that has the values and how the record is wrapped. */
  as: keyof typeof updates
  required?: Values
  /** Values that no other record may have. */
  own?: Values
}

const creates: Record<string, Create> = {
  createWorkspace: {
    component: 'WorkspaceCreate',
    path: () => '/v1/workspaces',
    as: 'updateWorkspace',
    required: { name: 'A' },
  },
  createFolder: {
    component: 'FolderCreate',
    path: () => '/v1/folders',
    beside: () => ({ workspaceId: site.workspaceId }),
    as: 'updateFolder',
    required: { name: 'A' },
  },
  createWebhookEndpoint: {
    component: 'WebhookEndpointCreate',
    path: () => `/v1/workspaces/${site.workspaceId}/webhookEndpoints`,
    as: 'updateWebhookEndpoint',
    required: { url: 'https://93.184.216.34/hook' },
  },
  createBot: {
    component: 'BotCreate',
    path: () => '/v1/bots',
    beside: () => ({ workspaceId: site.workspaceId }),
    as: 'updateBot',
    own: { publicId: 'created-bot', customDomain: 'created.example.com' },
  },
}

test('every create has a row, or is listed here', () => {
  // They copy a bot, hold a secret or add a member: their cases show it.
  const others = [
    'addMember',
    'createInvitation',
    'createCredentials',
    'createToken',
    'importBot',
    'duplicateBot',
  ]
  const made = Object.entries(operations).filter(
    ([, { method, success }]) => method === 'post' && success.status === 201,
  )
  const missing = made.map(([id]) => id).filter((id) => !(id in creates) && !others.includes(id))
  expect(missing.map((id) => `add a row of ${id} to creates`)).toEqual([])
})

const created = Object.entries(creates).flatMap(([id, { component }]) =>
  writableOf(component).map((name) => [id, name] as const),
)

test.each(created)('%s writes %s, and the read returns it', async (id, name) => {
  const { path, beside, as: row, required, own } = creates[id] as Create
  const { around, record, values } = updates[row] as Update
  const given = { ...values(), ...own }
  if (!(name in given)) throw new Error(`Add a value of ${name} to the row of ${row}`)
  const properties = { ...required, [name]: given[name] }
  const body = around === undefined ? properties : { ...beside?.(), [around]: properties }
  const made = await app.client.send('POST', path(), { as: site.admin, body })
  expect([made.status, made.status === 201 ? '' : made.text]).toEqual([201, ''])
  const { id: madeId } = made.body[record]
  const read = await app.client.send('GET', `${path()}/${madeId}`, { as: site.admin })
  expect(read.body[record][name]).toEqual(given[name])
})

/** Names and references that are of one installation. */
const ofPlace = ['folderId', 'publicId', 'customDomain', 'messagingCredentialsId']
const copied = writableOf('BotUpdateV61').filter((name) => !ofPlace.includes(name))

test.each(copied)('a duplicate, an export and its import have %s', async (name) => {
  const as = site.admin
  const given = (updates.updateBot as Update).values()
  const made = await app.client.ok('createBot', { as, body: { workspaceId: site.workspaceId, bot: {} } })
  const params = { botId: made.bot.id }
  const change = { version: '6.1', [name]: given[name] }
  const path = `/v1/bots/${params.botId}`
  expect((await app.client.send('PATCH', path, { as, body: { bot: change } })).status).toBe(200)
  const duplicate = await app.client.call('duplicateBot', { as, params, body: { name: 'Renamed' } })
  const exported = await app.client.call('exportBot', { as, params })
  const body = { workspaceId: site.workspaceId, bot: exported.body.bot }
  const imported = await app.client.send('POST', '/v1/bots/import', { as, body })
  for (const { body } of [duplicate, exported, imported]) expect(body.bot[name]).toEqual(given[name])
})

test('a file of the command has every such property but how an editor shows results', () => {
  const inFiles = fileProperties.filter((name) => name !== 'version')
  expect([...inFiles, 'resultsTablePreferences'].sort()).toEqual([...copied].sort())
})
