import { hash } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { type Column, getTableColumns, sql } from 'drizzle-orm'
import type { PgTable } from 'drizzle-orm/pg-core'
import { type OperationId, operations } from '../../contract/index.ts'
import { minimalMediaType, type Operation } from '../../contract/operation.ts'
import { bots, credentials, folders, webhookEndpoints, workspaces } from '../../server/db/schema.ts'
import { JsonText } from '../../server/kit/json/json-text.ts'
import { type App, startApp } from '../support/app.ts'
import { missingId } from '../support/cases.ts'
import { type Answer, anyBody, type Caller, targetOf } from '../support/client.ts'
import { makeWorld, type Site, type World } from '../support/world.ts'

/* Conditional requests as RFC 9110 has them (sections 8.8 and 13), over two processes of one installation. */

let here: App
let there: App
let world: World
let site: Site
beforeAll(async () => {
  here = await startApp()
  there = await startApp({ databaseUrl: here.databaseUrl })
})
afterAll(async () => {
  await there.stop()
  await here.stop()
})
beforeEach(async () => {
  world = await makeWorld(here)
  site = world.here
})

type Headers = Record<string, string>

interface Target {
  read: OperationId
  update: OperationId
  remove: OperationId
  params: (id?: string) => Record<string, string>
  change: (name: string) => object
  nameIn: (body: Answer['body']) => string
}

const targets: Record<string, () => Target> = {
  bot: () => ({
    read: 'getBot',
    update: 'updateBot',
    remove: 'deleteBot',
    params: (id = site.draft.id) => ({ botId: id }),
    change: (name) => ({ bot: { version: '6.1', name } }),
    nameIn: (body) => body.bot.name,
  }),
  folder: () => ({
    read: 'getFolder',
    update: 'updateFolder',
    remove: 'deleteFolder',
    params: (id = site.folder) => ({ folderId: id }),
    change: (name) => ({ folder: { name } }),
    nameIn: (body) => body.folder.name,
  }),
  workspace: () => ({
    read: 'getWorkspace',
    update: 'updateWorkspace',
    remove: 'deleteWorkspace',
    params: (id = site.workspaceId) => ({ workspaceId: id }),
    change: (name) => ({ name }),
    nameIn: (body) => body.workspace.name,
  }),
}

function call(
  app: App,
  id: OperationId,
  params: Record<string, string>,
  headers: Headers = {},
  body?: object,
) {
  return app.client.call(id, {
    as: site.admin,
    params,
    headers,
    ...(body ? { body: anyBody(body) } : {}),
  })
}

describe.each(Object.keys(targets))('%s', (kind) => {
  const target = () => (targets[kind] as () => Target)()
  const read = async (headers?: Headers, app = here) => call(app, target().read, target().params(), headers)
  const rename = (name: string, headers: Headers, app = here) =>
    call(app, target().update, target().params(), headers, target().change(name))
  const etag = async () => (await read()).headers.etag as string

  test('the tag is strong, without a comma, and the same for HEAD', async () => {
    const { headers } = await read()
    expect(headers.etag).toMatch(/^"[A-Za-z0-9_-]+"$/)
    expect(headers).toMatchObject({ 'cache-control': 'private, no-cache', vary: 'Authorization' })
    const head = await here.client.send('HEAD', targetOf(target().read, { params: target().params() }), {
      as: site.admin,
    })
    expect(head.headers.etag).toBe(headers.etag)
    const known = await here.client.send('HEAD', targetOf(target().read, { params: target().params() }), {
      as: site.admin,
      headers: { 'If-None-Match': headers.etag as string },
    })
    expect(known.status).toBe(304)
  })

  test('a read of the current state is 304, whatever form the tag has, and reads no document', async () => {
    const tag = await etag()
    for (const known of [tag, `W/${tag}`, `"other", ${tag}`, `"a,b" ,, W/${tag}`, '*', ' * ']) {
      here.statements.length = 0
      const answer = await read({ 'If-None-Match': known, 'Cache-Control': 'no-cache' })
      expect([known, answer.status, answer.text]).toEqual([known, 304, ''])
      expect(answer.headers).toMatchObject({
        etag: tag,
        'cache-control': 'private, no-cache',
        vary: 'Authorization',
      })
      expect(answer.headers).not.toHaveProperty('content-type')
      expect(answer.headers).not.toHaveProperty('content-length')
      expect(here.statements.filter((text) => /bot_drafts/.test(text))).toEqual([])
    }
    for (const other of ['"other"', tag.toUpperCase(), `"other,${tag.slice(1)}`]) {
      expect([other, (await read({ 'If-None-Match': other })).status]).toEqual([other, 200])
    }
  })

  test('a write with the current tag succeeds, and returns the tag of the new state', async () => {
    const before = await etag()
    const answer = await rename('First', { 'If-Match': `"other", ${before}` })
    expect(answer.status).toBe(200)
    if (kind !== 'workspace') expect(target().nameIn(answer.body)).toBe('First')
    expect(answer.headers.etag).toBe(await etag())
    expect(answer.headers.etag).not.toBe(before)
    expect((await rename('Second', { 'If-Match': answer.headers.etag as string })).status).toBe(200)
  })

  test('a write with another tag is 412 with the tag of the stored state', async () => {
    const before = await etag()
    expect((await rename('First', { 'If-Match': '*' })).status).toBe(200)
    const now = await etag()
    for (const expectation of [before, `W/${now}`, `W/${before}, "x"`]) {
      const answer = await rename('Second', { 'If-Match': expectation })
      expect([expectation, answer.status]).toEqual([expectation, 412])
      expect(answer.headers.etag).toBe(now)
      expect(answer.body.issues).toEqual([
        {
          path: ['header', 'if-match'],
          code: 'conflict',
          message: expect.stringContaining(now),
          current: { etag: now },
        },
      ])
    }
    expect((await rename('Third', { 'If-None-Match': now })).status).toBe(412)
    expect((await rename('Third', { 'If-None-Match': `W/${now}` })).status).toBe(412)
    expect((await rename('Third', { 'If-None-Match': '*' })).status).toBe(412)
    expect(target().nameIn((await read()).body)).toBe('First')
    expect((await rename('Third', { 'If-None-Match': before })).status).toBe(200)
  })

  test('a deletion with another tag is 412, and leaves everything', async () => {
    const before = await etag()
    await rename('First', {})
    const { remove, params } = target()
    const rejected = await call(here, remove, params(), { 'If-Match': before })
    expect([rejected.status, rejected.headers.etag]).toEqual([412, await etag()])
    expect((await read()).status).toBe(200)
    expect((await call(here, remove, params(), { 'If-Match': await etag() })).status).toBe(200)
    expect((await read()).status).toBe(404)
  })

  test('a missing record, a missing right or an invalid body takes precedence over 412', async () => {
    const { read: get, update, remove, params, change } = target()
    const stale = { 'If-Match': '"other"' }
    for (const [id, body] of [
      [get, undefined],
      [update, change('x')],
      [remove, undefined],
    ] as const) {
      expect((await call(here, id, params(missingId), stale, body)).status).toBe(404)
      expect((await call(here, id, params(missingId), { 'If-Match': '*' }, body)).status).toBe(404)
      const stranger = await here.client.call(id, {
        as: world.stranger,
        params: params(),
        headers: stale,
        ...(body ? { body: anyBody(body) } : {}),
      })
      expect(stranger.status).toBe(403)
    }
    expect((await call(here, update, params(), stale, { unknown: 1 })).status).toBe(400)
    const typed = { ...stale, 'Content-Type': 'text/plain' }
    expect((await call(here, update, params(), typed, {})).status).toBe(415)
  })

  test('exactly one of several writers with the same entity tag, in two processes, wins', async () => {
    for (let round = 0; round < 5; round++) {
      const tag = await etag()
      const writers = Array.from({ length: 6 }, (_, at) => `Writer ${round}-${at}`)
      const answers = await Promise.all(
        writers.map((name, at) => rename(name, { 'If-Match': tag }, at % 2 ? there : here)),
      )
      const statuses = answers.map(({ status }) => status)
      expect([...statuses].sort()).toEqual([200, 412, 412, 412, 412, 412])
      const winner = answers[statuses.indexOf(200)] as Answer
      const stored = await read({}, there)
      expect(target().nameIn(stored.body)).toBe(writers[statuses.indexOf(200)])
      expect(stored.headers.etag).toBe(winner.headers.etag)
    }
  })

  test('a tag stays valid for writing after a change of role', async () => {
    const as = kind === 'workspace' ? site.admin : site.guest
    const seen = await here.client.call(target().read, { as, params: target().params() })
    expect((await rename('First', { 'If-Match': seen.headers.etag as string })).status).toBe(200)
  })
})

describe('publishing', () => {
  const publish = (headers: Headers) => call(here, 'publishBot', { botId: site.draft.id }, headers)

  test('copies the state of the tag, or nothing', async () => {
    const params = { botId: site.draft.id }
    const before = (await call(here, 'getBot', params)).headers.etag as string
    await call(here, 'updateBot', params, {}, { bot: { version: '6.1', name: 'Renamed' } })
    const now = (await call(here, 'getBot', params)).headers.etag as string
    const rejected = await publish({ 'If-Match': before })
    expect([rejected.status, rejected.headers.etag]).toEqual([412, now])
    expect((await call(here, 'getPublishedBot', params)).status).toBe(404)
    // Not even the public id that it would have been given.
    expect((await call(here, 'getBot', params)).body.bot.publicId).toBeNull()
    const published = await publish({ 'If-Match': now })
    expect(published.status).toBe(200)
    expect((await publish({ 'If-Match': published.headers.etag as string })).status).toBe(200)
  })

  test('detects an update that comes between', async () => {
    await publish({})
    const params = { botId: site.draft.id }
    const tag = (await call(here, 'getBot', params)).headers.etag as string
    here.beforeStatement = async (text) => {
      if (!/for update/i.test(text)) return
      here.beforeStatement = undefined
      await call(there, 'updateBot', params, {}, { bot: { version: '6.1', name: 'Between' } })
    }
    const answer = await publish({ 'If-Match': tag })
    here.beforeStatement = undefined
    expect(answer.status).toBe(412)
  })
})

describe('an update of a bot', () => {
  const params = () => ({ botId: site.draft.id })
  const update = (bot: object, headers: Headers, more: object = {}) =>
    call(here, 'updateBot', params(), headers, { bot: { version: '6.1', ...bot }, ...more })

  test('with both preconditions checks the header before the body', async () => {
    const read = await call(here, 'getBot', params())
    const tag = read.headers.etag as string
    const { updatedAt } = read.body.bot
    const past = '2020-01-01T00:00:00.000Z'
    expect((await update({ updatedAt: past }, { 'If-Match': '"other"' })).status).toBe(412)
    expect((await update({ updatedAt: past }, { 'If-Match': tag })).status).toBe(409)
    expect((await update({ updatedAt }, { 'If-Match': '"other"' })).status).toBe(412)
    // `overwrite` waives the body's own.
    const overwrite = { overwrite: true }
    expect((await update({ updatedAt: past }, { 'If-Match': '"other"' }, overwrite)).status).toBe(412)
    expect((await update({ updatedAt: past }, { 'If-Match': tag }, overwrite)).status).toBe(200)
  })

  test.each(['name', 'public id'])(
    'to its %s that is overtaken between two statements is 412',
    async (what) => {
      const tag = (await call(here, 'getBot', params())).headers.etag as string
      here.beforeStatement = async (text) => {
        if (!/update "bots"|for update/i.test(text)) return
        here.beforeStatement = undefined
        await call(there, 'updateBot', params(), {}, { bot: { version: '6.1', name: 'Faster' } })
      }
      const change = what === 'name' ? { name: 'Slower' } : { publicId: `slower-${site.draft.id}` }
      const answer = await update(change, { 'If-Match': tag })
      here.beforeStatement = undefined
      expect(answer.status).toBe(412)
      expect((await call(here, 'getBot', params())).body.bot).toMatchObject({
        name: 'Faster',
        publicId: null,
      })
    },
  )
})

describe('the tag of a bot', () => {
  test('changes exactly when the bytes do', async () => {
    const params = { botId: site.draft.id }
    const seen = new Map<string, string>()
    const tags = new Map<string, string>()
    const look = async (as: Caller, app: App, query: { migrateToLatestVersion?: boolean }) => {
      const { status, text, headers } = await app.client.call('getBot', { as, params, query })
      if (status !== 200) return
      const tag = headers.etag as string
      const bytes = hash('sha256', text)
      // One tag never stands for two bodies; one body has one tag per form of asking.
      expect(seen.get(tag) ?? bytes).toBe(bytes)
      seen.set(tag, bytes)
      const form = `${JSON.stringify(query)} ${bytes}`
      expect(tags.get(form) ?? tag).toBe(tag)
      tags.set(form, tag)
    }
    const lookEverywhere = async () => {
      for (const app of [here, there]) {
        for (const as of [site.admin, site.member, site.guest, world.stranger]) {
          for (const query of [{}, { migrateToLatestVersion: true }]) await look(as, app, query)
        }
      }
      return tags.size
    }
    const bot = (change: object) => async () => {
      const answer = await call(here, 'updateBot', params, {}, { bot: { version: '6.1', ...change } })
      expect([change, answer.status]).toEqual([change, 200])
    }
    const changes: [name: string, change: () => Promise<unknown>, isVisible: boolean][] = [
      ['nothing', async () => {}, false],
      ['a new name', bot({ name: 'Another' }), true],
      ['the same name again', bot({ name: 'Another' }), true],
      ['a new theme', bot({ theme: { general: {} } }), true],
      [
        'a table with preferences',
        bot({ resultsTablePreferences: { columnsOrder: ['a'], columnsVisibility: {}, columnsWidth: {} } }),
        true,
      ],
      ['publishing, which gives it a public id', () => call(here, 'publishBot', params), true],
      ['publishing again', () => call(here, 'publishBot', params), false],
      ['unpublishing', () => call(here, 'unpublishBot', params), false],
      ['deleting its results', () => call(here, 'deleteResults', params), false],
      ['sharing it', bot({ settings: { publicShare: { isEnabled: true } } }), true],
      ['a move', bot({ folderId: site.subfolder }), true],
      ['the deletion of its folder', () => call(here, 'deleteFolder', { folderId: site.subfolder }), true],
      [
        'a new member',
        () =>
          here.client.call('addMember', {
            as: site.admin,
            params: { workspaceId: site.workspaceId },
            body: anyBody({ email: world.stranger.email, role: 'GUEST' }),
          }),
        // Sees what another guest has seen.
        false,
      ],
      ['a mark of the operator', () => mark(site.draft.id), true],
      ['a restart in which drafts are forgotten', async () => here.forgetFlows(), false],
    ]
    await lookEverywhere()
    for (const [name, change, isVisible] of changes) {
      const before = tags.size
      await change()
      expect([name, (await lookEverywhere()) > before]).toEqual([name, isVisible])
    }
  })

  const mark = (botId: string) => here.pool.query('UPDATE bots SET risk_level = 1 WHERE id = $1', [botId])
})

/** Records with a tag: their table, what reads and changes them, and values for columns that do not take just any. */
const stored: Record<string, () => Promise<StoredRecord>> = {
  bot: async () => ({
    table: bots,
    read: 'getBot',
    update: 'updateBot',
    params: { botId: site.published.id, publicationId: site.published.publicationId },
    body: { bot: { version: '6.1', name: 'Changed' } },
    values: {
      version: '6',
      folderId: site.folder,
      publicId: `other-${site.published.id}`,
      customDomain: 'a.example.org',
      resultsTablePreferences: preferences,
    },
  }),
  folder: async () => ({
    table: folders,
    read: 'getFolder',
    update: 'updateFolder',
    params: { folderId: site.subfolder },
    body: { folder: { name: 'Changed' } },
    values: { parentFolderId: null },
  }),
  workspace: async () => ({
    table: workspaces,
    read: 'getWorkspace',
    update: 'updateWorkspace',
    params: { workspaceId: site.workspaceId },
    body: { name: 'Changed' },
    values: { plan: 'PRO', createdBy: null },
  }),
  credentials: async () => {
    const created = await make('createCredentials', {
      type: 'openai',
      name: 'Key',
      data: { apiKey: 'secret' },
    })
    return {
      table: credentials,
      read: 'getCredentials',
      update: 'updateCredentials',
      params: { workspaceId: site.workspaceId, credentialsId: created.credentials.id },
      body: { type: 'openai', name: 'Changed' },
      values: { type: 'openai', data: Buffer.from('x') },
    }
  },
  endpoint: async () => {
    const created = await make('createWebhookEndpoint', { url: 'https://8.8.8.8/hook' })
    return {
      table: webhookEndpoints,
      read: 'getWebhookEndpoint',
      update: 'updateWebhookEndpoint',
      params: { workspaceId: site.workspaceId, endpointId: created.webhookEndpoint.id },
      body: { description: 'Changed' },
      values: { types: ['bot.created'], disabledReason: 'gone' },
    }
  },
}

const preferences = new JsonText('{"columnsOrder":[],"columnsVisibility":{},"columnsWidth":{}}')

interface StoredRecord {
  table: PgTable
  read: OperationId
  update: OperationId
  params: Record<string, string>
  body: object
  values: Record<string, unknown>
}

async function make(id: OperationId, body: object) {
  const { status, body: made } = await call(here, id, { workspaceId: site.workspaceId }, {}, body)
  expect([id, status]).toEqual([id, 201])
  return made
}

describe.each(Object.keys(stored))('a stored change of a %s that its read shows', (kind) => {
  const idOf = ({ read, params }: StoredRecord) => {
    const [name] = operations[read].path.match(/[a-zA-Z]+(?=\}$)/) ?? []
    return params[name as string]
  }

  test('changes the part of the tag that a write compares', async () => {
    const record = await (stored[kind] as (typeof stored)[string])()
    const read = () => call(here, record.read, record.params)
    const shownColumns: string[] = []
    for (const [name, column] of Object.entries(getTableColumns(record.table))) {
      if (['id', 'workspaceId', 'deletedAt'].includes(name)) continue
      const before = await read()
      await here.db
        .update(record.table)
        .set({ [name]: name in record.values ? record.values[name] : another(column) })
        .where(sql`id = ${idOf(record)}`)
      const after = await read()
      if (after.text === before.text) continue
      shownColumns.push(name)
      const stale = { 'If-Match': before.headers.etag as string }
      const rejected = await call(here, record.update, record.params, stale, record.body)
      expect([name, rejected.status, rejected.headers.etag]).toEqual([name, 412, after.headers.etag])
    }
    expect(shownColumns.length).toBeGreaterThan(2)
  })

  test('is covered by every conditional write', async () => {
    const record = await (stored[kind] as (typeof stored)[string])()
    const { path } = operations[record.read]
    const writes = Object.entries<Operation>(operations).filter(
      ([, { isConditional, method, path: own }]) =>
        isConditional &&
        method !== 'get' &&
        own.startsWith(path) &&
        [...own.matchAll(/\{(\w+)\}/g)].every(([, name = '']) => name in record.params),
    )
    const tag = (await call(here, record.read, record.params)).headers.etag as string
    expect((await call(here, record.update, record.params, {}, record.body)).status).toBe(200)
    const { etag } = (await call(here, record.read, record.params)).headers
    for (const [id, { body }] of writes) {
      const given = body ? record.body : undefined
      const answer = await call(here, id as OperationId, record.params, { 'If-Match': tag }, given)
      expect([id, answer.status, answer.headers.etag]).toEqual([id, 412, etag])
    }
    expect(writes.length).toBeGreaterThan(1)
    expect((await call(here, record.read, record.params)).headers.etag).toBe(etag)
  })
})

/** Another value for a column, as far as its type tells. */
function another(column: Column): unknown {
  if (column.dataType === 'date') return new Date('2001-02-03T04:05:06.789Z')
  if (column.dataType === 'boolean') return sql`NOT ${column}`
  if (column.dataType === 'number') return sql`coalesce(${column}, 0) + 1`
  if (column.dataType === 'string') return sql`coalesce(${column}, '') || 'x'`
  return new JsonText('{}')
}

test('every write without conditions rejects their headers with 400', async () => {
  const writes = Object.entries<Operation>(operations).filter(
    ([, { isConditional, method }]) => !isConditional && method !== 'get',
  )
  expect(writes.length).toBeGreaterThan(10)
  for (const [id, operation] of writes) {
    const params = Object.fromEntries(
      [...operation.path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => [
        name,
        { workspaceId: site.workspaceId, botId: site.draft.id }[name] ?? missingId,
      ]),
    )
    const target = { params, query: { workspaceId: site.workspaceId } }
    for (const header of ['If-Match', 'If-None-Match']) {
      const { path, query } = { path: targetOf(id as OperationId, target), query: '' }
      const answer = await here.client.send(operation.method.toUpperCase(), path + query, {
        as: site.admin,
        headers: { [header]: '"x"', ...(operation.body && { 'Content-Type': 'application/json' }) },
        ...(operation.body && { body: JSON.stringify({ workspaceId: site.workspaceId }) }),
      })
      if (answer.status === 404) continue
      expect([id, header, answer.status]).toEqual([id, header, 400])
      expect(answer.body.issues).toContainEqual(
        expect.objectContaining({ path: ['header', header.toLowerCase()], code: 'unexpected' }),
      )
    }
  }
})

describe('a first publish', () => {
  test('changes the tag of the bot, and its response has the tag for the next save', async () => {
    const params = { botId: site.draft.id }
    const before = await call(here, 'getBot', params)
    const published = await call(here, 'publishBot', params)
    const now = await call(here, 'getBot', params)
    expect(now.body.bot.publicId).not.toBeNull()
    expect(now.body.bot.updatedAt > before.body.bot.updatedAt).toBe(true)
    expect(published.headers.etag).toBe(now.headers.etag)
    const { version, publicId, updatedAt } = before.body.bot
    const save = (headers: Headers, bot: object) => call(here, 'updateBot', params, headers, { bot })
    expect((await save({ 'If-Match': before.headers.etag as string }, { version, publicId })).status).toBe(
      412,
    )
    expect((await save({}, { version, publicId, updatedAt })).status).toBe(409)
    const named = { version, name: 'Named' }
    expect((await save({ 'If-Match': published.headers.etag as string }, named)).status).toBe(200)
    expect((await call(here, 'getBot', params)).body.bot.publicId).toBe(now.body.bot.publicId)
  })

  test('publishing and unpublishing keep the public id of a bot', async () => {
    const params = { botId: site.published.id }
    const before = await call(here, 'getBot', params)
    const tags = [
      (await call(here, 'publishBot', params)).headers.etag,
      (await call(here, 'unpublishBot', params)).headers.etag,
      (await call(here, 'getBot', params)).headers.etag,
    ]
    expect(tags).toEqual([before.headers.etag, before.headers.etag, before.headers.etag])
  })
})

test('a restore with the tag of an earlier state is 412 and leaves the draft', async () => {
  const params = { botId: site.published.id, publicationId: site.published.publicationId }
  const before = (await call(here, 'getBot', params)).headers.etag as string
  await call(here, 'updateBot', params, {}, { bot: { version: '6.1', variables: [] } })
  const rejected = await call(here, 'restorePublication', params, { 'If-Match': before })
  expect(rejected.status).toBe(412)
  expect((await call(here, 'getBot', params)).body.bot.variables).toEqual([])
  const restored = await call(here, 'restorePublication', params, {
    'If-Match': rejected.headers.etag as string,
  })
  expect(restored.status).toBe(200)
  expect(restored.headers.etag).toBe((await call(here, 'getBot', params)).headers.etag)
})

describe('other reads of one record', () => {
  const tagged = Object.entries<Operation>(operations).filter(
    ([, { isConditional, method }]) => isConditional && method === 'get',
  )

  test('have tags as listed', () => {
    expect(tagged.map(([id]) => id).sort()).toEqual(
      [
        'exportBot',
        'getBot',
        'getCredentials',
        'getFolder',
        'getPublication',
        'getPublishedBot',
        'getResult',
        'getWebhookEndpoint',
        'getWorkspace',
      ].sort(),
    )
  })

  test('a publication changes only when it goes live or is replaced, and is not read for a 304', async () => {
    const params = { botId: site.published.id, publicationId: site.published.publicationId }
    const tag = (await call(here, 'getPublication', params)).headers.etag as string
    here.statements.length = 0
    expect((await call(here, 'getPublication', params, { 'If-None-Match': tag })).status).toBe(304)
    const published = { botId: site.published.id }
    const copy = (await call(here, 'getPublishedBot', published)).headers.etag as string
    expect((await call(here, 'getPublishedBot', published, { 'If-None-Match': copy })).status).toBe(304)
    expect((await call(here, 'publishBot', published)).status).toBe(200)
    const again = await call(here, 'getPublication', params, { 'If-None-Match': tag })
    expect([again.status, again.body.publication.isLive]).toEqual([200, false])
    expect((await call(here, 'getPublishedBot', published, { 'If-None-Match': copy })).status).toBe(200)
    expect((await call(here, 'getPublishedBot', published, { 'If-Match': copy })).status).toBe(412)
  })
})

describe('Prefer', () => {
  const full = (answer: Answer) => 'groups' in answer.body.bot
  const send = (prefer: string) =>
    call(
      here,
      'updateBot',
      { botId: site.draft.id },
      { Prefer: prefer },
      { bot: { version: '6.1', name: 'Renamed' } },
    )

  test.each([
    'return=minimal',
    'Return = "minimal"',
    'respond-async, wait=10;x="a,b", return=minimal; foo',
    'return=minimal, return=representation',
  ])('%s is honoured', async (prefer) => {
    const answer = await send(prefer)
    expect(answer.status).toBe(200)
    expect(answer.headers).toMatchObject({
      'preference-applied': 'return=minimal',
      'content-type': `${minimalMediaType}; charset=utf-8`,
    })
    const { bot } = (await call(here, 'getBot', { botId: site.draft.id })).body
    expect(answer.body).toEqual({ bot: { id: bot.id, version: bot.version, updatedAt: bot.updatedAt } })
  })

  test.each([
    'return=representation',
    'return',
    'return=Minimal',
    'wait="return=minimal"',
    '"',
    ',,',
    'x="open',
  ])('%s is ignored, and is no error', async (prefer) => {
    const answer = await send(prefer)
    expect([answer.status, full(answer)]).toEqual([200, true])
    expect(answer.headers).not.toHaveProperty('preference-applied')
  })

  test('return=minimal for a new bot returns its address and its tag', async () => {
    const body = { workspaceId: site.workspaceId, bot: { name: 'New' } }
    const answer = await call(here, 'createBot', {}, { Prefer: 'return=minimal' }, body)
    expect([answer.status, Object.keys(answer.body.bot)]).toEqual([201, ['id', 'version', 'updatedAt']])
    expect(answer.headers.location).toBe(`/v1/bots/${answer.body.bot.id}`)
    const read = await call(here, 'getBot', { botId: answer.body.bot.id })
    expect(read.headers.etag).toBe(answer.headers.etag)
  })

  test('a rejection is always complete', async () => {
    const headers = { Prefer: 'return=minimal', 'If-Match': '"other"' }
    const answer = await call(here, 'updateBot', { botId: site.draft.id }, headers, {
      bot: { version: '6.1' },
    })
    expect([answer.status, answer.headers['preference-applied']]).toEqual([412, undefined])
  })
})
