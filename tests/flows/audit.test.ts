import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { type OperationId, operations } from '../../contract/index.ts'
import type { Operation } from '../../contract/operation.ts'
import { successCases } from '../cases/index.ts'
import { type App, startApp } from '../support/app.ts'
import type { CaseRequest } from '../support/cases.ts'
import { anyBody } from '../support/client.ts'
import { clear, digestOf } from '../support/rows.ts'
import { makeWorld, type World } from '../support/world.ts'

/*
 * Holds the promises of the audit log for every operation that the contract calls audited: one entry for each change,
 * none without a change, and no change without an entry. Rejections and repeats with a key write nothing at all,
 * hence no entry: tests/replay.test.ts finds that by the digest of all tables.
 */

let app: App
beforeAll(async () => {
  app = await startApp()
})
afterAll(() => app.stop())
beforeEach(() => clear(app.pool))
afterEach(() => app.pool.query('DROP TRIGGER IF EXISTS refuse ON audit_log'))

const ids = Object.keys(operations) as OperationId[]
const contractOf = (id: OperationId): Operation => operations[id]
const audited = ids.filter((id) => contractOf(id).isAudited)
const writes = ids.filter((id) => contractOf(id).method !== 'get' && !contractOf(id).isAudited)

const everyCase = (list: OperationId[]) =>
  list.flatMap((id) => successCases(id).map(([name, one]) => [id, name, one] as const))

interface Entry {
  workspace_id: string
  user_id: string | null
  token_id: string | null
  operation: string
  record_id: string
  outcome: string
  details: string | null
}

async function entries(): Promise<Entry[]> {
  return (await app.pool.query('SELECT * FROM audit_log ORDER BY created_at, id')).rows
}

async function send(id: OperationId, request: CaseRequest) {
  const answer = await app.client.call(id, request)
  expect([answer.status, answer.body]).toEqual([contractOf(id).success.status, answer.body])
  return answer
}

/** In how many workspaces the token that a request makes or revokes works. */
async function reachOf(
  id: OperationId,
  name: string,
  request: CaseRequest,
  made?: { id: string },
): Promise<number> {
  // A request that changes nothing has no entry.
  if (name === 'one that is not published' || name === 'of another bot, which are left alone') return 0
  if (id === 'updateCredentials' && name === 'what was read, sent back') return 0
  if (id !== 'createToken' && id !== 'revokeToken') return 1
  const { rows } = await app.pool.query(
    `SELECT count(*)::int AS count FROM api_tokens t JOIN workspace_members m ON m.user_id = t.owner_user_id
    WHERE t.id = $1 AND (t.workspace_id IS NULL OR t.workspace_id = m.workspace_id)`,
    [made?.id ?? request.params?.tokenId],
  )
  return rows[0].count
}

test.each(everyCase(audited))('%s %s adds exactly one entry', async (id, name, one) => {
  const world = await makeWorld(app)
  const request = await one(world, app)
  const before = await entries()
  const answer = await send(id, request)
  const known = new Set(before.map((entry) => JSON.stringify(entry)))
  const added = (await entries()).filter((entry) => !known.has(JSON.stringify(entry)))
  expect(added).toHaveLength(await reachOf(id, name, request, answer.body.apiToken))
  const { rows } = await app.pool.query(
    'SELECT id, owner_user_id FROM api_tokens WHERE token_hash = sha256($1::bytea)',
    [request.as?.token],
  )
  for (const entry of added) {
    expect(entry).toMatchObject({
      operation: id,
      user_id: rows[0].owner_user_id,
      token_id: rows[0].id,
      outcome: 'success',
    })
  }
})

/** Saved all the time by editors, sent by visitors and other services, or ending by itself. */
const notAudited: OperationId[] = [
  'testCredentials',
  'createFolder',
  'updateFolder',
  'updateBot',
  'subscribeWebhookBlock',
  'unsubscribeWebhookBlock',
  'startChat',
  'continueChat',
  'startPreview',
  'executeWebhook',
  'saveClientLogs',
  'updateChat',
  'sendMessage',
  'updateTypingSign',
  'receiveChatwootEvent',
  'testWebhookEndpoint',
  'redeliverWebhookDelivery',
  'uploadFile',
  'revokeBrowserSession',
  'startDeviceLogin',
  'continueDeviceLogin',
]

test('every write is audited, or listed as not audited', () => {
  expect([...writes].sort()).toEqual([...notAudited].sort())
})

test.each(everyCase(writes))('%s %s adds no entry', async (_id, _name, one) => {
  const world = await makeWorld(app)
  const request = await one(world, app)
  const before = await entries()
  await app.client.call(_id, request)
  const settings = (await entries()).slice(before.length).map(({ operation }) => operation)
  // A change of security settings, and a token for a program that a user allowed, have one all the same.
  const others = ['updateBot', 'allow device login']
  expect(settings.filter((operation) => !others.includes(operation))).toEqual([])
})

test.each(audited)('%s does nothing when its entry cannot be written', async (id) => {
  const world = await makeWorld(app)
  const [first] = successCases(id)
  let request = (await first?.[1](world, app)) as CaseRequest
  // Tokens of those who are in no workspace have no entry.
  if (id === 'createToken') request = { as: world.here.admin, body: { name: 'Token' } }
  if (id === 'revokeToken') {
    const { apiToken } = await app.client.ok('createToken', { as: world.here.admin, body: { name: 'Token' } })
    request = { as: world.here.admin, params: { tokenId: apiToken.id } }
  }
  await app.pool.query(`
    CREATE OR REPLACE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'no entry'; END $$;
    CREATE TRIGGER refuse BEFORE INSERT ON audit_log FOR EACH ROW EXECUTE FUNCTION refuse()`)
  const before = await digestOf(app)
  expect((await app.client.call(id, { ...request, wants500: true })).status).toBe(500)
  expect(await digestOf(app)).toEqual(before)
})

describe('details of entries', () => {
  let world: World
  beforeEach(async () => {
    world = await makeWorld(app)
  })

  const newest = async () => (await entries()).at(-1)

  test('an entry of deleteResults has the number of deleted results', async () => {
    const { member: as, published, results } = world.here
    const params = { botId: published.id }
    const query = { resultIds: [results[0], world.there.results[0], 'unknown'].join(',') }
    await app.client.ok('deleteResults', { as, params, query })
    const entry = await newest()
    expect({ id: entry?.record_id, ...JSON.parse(entry?.details ?? '') }).toEqual({
      id: published.id,
      count: 1,
    })
    const before = (await entries()).length
    await app.client.ok('deleteResults', { as, params, query })
    expect((await entries()).length).toBe(before)
    await app.client.ok('deleteResults', { as, params })
    // Results without answers count too.
    expect(JSON.parse((await newest())?.details ?? '')).toEqual({ count: 3 })
    await app.client.ok('deleteResults', { as, params })
    expect(JSON.parse((await newest())?.details ?? '')).toEqual({ count: 0 })
  })

  test('an entry of deleteResults says so if there were more results than are counted', async () => {
    const { member: as, draft } = world.here
    await app.pool.query(
      `INSERT INTO results (bot_id, id, variables, created_at, updated_at)
      SELECT $1, 'result-' || n, '[]', now(), now() FROM generate_series(1, 10001) AS n`,
      [draft.id],
    )
    await app.client.ok('deleteResults', { as, params: { botId: draft.id } })
    expect(JSON.parse((await newest())?.details ?? '')).toEqual({ count: 10_000, isMore: true })
  })

  test('an entry of updateBot names the changed security settings, even if the process had not cached the bot', async () => {
    const { member: as, draft } = world.here
    const update = async (settings: object) => {
      const before = (await entries()).length
      const bot = { version: '6.1' as const, settings }
      await app.client.ok('updateBot', { as, params: { botId: draft.id }, body: anyBody({ bot }) })
      return (await entries()).slice(before).map(({ operation, details }) => [operation, details])
    }
    const security = { allowedOrigins: ['https://example.com'] }
    for (const forget of [() => {}, () => app.forgetFlows()]) {
      forget()
      expect(await update({ security })).toEqual([['updateBot', '{"settings":["security"]}']])
      forget()
      expect(await update({ security, general: { isBrandingEnabled: false } })).toEqual([])
      forget()
      expect(await update({ security, publicShare: { isEnabled: true } })).toEqual([
        ['updateBot', '{"settings":["publicShare"]}'],
      ])
      forget()
      expect(await update({})).toEqual([['updateBot', '{"settings":["security","publicShare"]}']])
    }
  })

  test('an entry of a new, imported or restored bot names its allowed readers and origins', async () => {
    const { admin: as, workspaceId, published } = world.here
    const settings = {
      security: { allowedOrigins: ['https://example.com'] },
      publicShare: { isEnabled: true },
    }
    const told = async () => {
      const entry = await newest()
      return [entry?.operation, JSON.parse(entry?.details ?? 'null')?.settings]
    }
    const both = ['security', 'publicShare']
    await app.client.ok('createBot', { as, body: anyBody({ workspaceId, bot: { name: 'New', settings } }) })
    expect(await told()).toEqual(['createBot', both])
    const params = { botId: published.id }
    const exported = await app.client.ok('exportBot', { as, params })
    const bot = { ...exported.bot, settings }
    await app.client.ok('importBot', { as, body: anyBody({ workspaceId, bot }) })
    // Neither an import nor restoring a publication shares a bot.
    expect(await told()).toEqual(['importBot', ['security']])
    await app.client.ok('updateBot', { as, params, body: anyBody({ bot: { version: '6.1', settings } }) })
    await app.client.ok('publishBot', { as, params })
    const { publications } = await app.client.ok('listPublications', { as, params })
    await app.client.ok('updateBot', { as, params, body: anyBody({ bot: { version: '6.1', settings: {} } }) })
    const publicationId = String(publications[0]?.id)
    await app.client.ok('restorePublication', { as, params: { ...params, publicationId } })
    expect(await told()).toEqual(['restorePublication', ['security']])
  })

  test('createToken and revokeToken add an entry to each workspace in which the token works, and to no other', async () => {
    const { here, there } = world
    const { workspace } = await app.client.ok('createWorkspace', { as: here.admin, body: { name: 'Own' } })
    const where = async (body: { name: string; workspaceId?: string }) => {
      const { apiToken } = await app.client.ok('createToken', { as: here.admin, body })
      await app.client.ok('revokeToken', { as: here.admin, params: { tokenId: apiToken.id } })
      return (await entries())
        .filter((entry) => entry.record_id === apiToken.id)
        .map((entry) => [entry.workspace_id, entry.operation])
        .sort()
    }
    const both = (id: string) => [
      [id, 'createToken'],
      [id, 'revokeToken'],
    ]
    const all = [...both(here.workspaceId), ...both(workspace.id)].sort()
    expect(await where({ name: 'Everywhere' })).toEqual(all)
    expect(await where({ name: 'Bound', workspaceId: workspace.id })).toEqual(both(workspace.id))
    expect((await entries()).filter((entry) => entry.workspace_id === there.workspaceId)).toEqual([])
  })

  test('a token of a user whom another user added to a workspace adds no entry there, unless it is bound to it', async () => {
    const { here, stranger } = world
    const { workspace } = await app.client.ok('createWorkspace', { as: stranger, body: { name: 'Trap' } })
    const params = { workspaceId: workspace.id }
    const { email, id: userId } = here.admin
    const member = { as: stranger, params, body: { email, role: 'MEMBER' } } as const
    await app.client.ok('addMember', member)
    const make = async (body: { name: string; workspaceId?: string }) =>
      (await app.client.ok('createToken', { as: here.admin, body })).apiToken.id
    const unbound = await make({ name: 'Of mine' })
    const bound = await make({ name: 'Bound', workspaceId: workspace.id })
    await app.client.ok('revokeToken', { as: here.admin, params: { tokenId: unbound } })
    const { entries: noted } = await app.client.ok('listAuditLog', { as: stranger, params })
    const ofTokens = noted.filter(({ operation }) => operation.endsWith('Token'))
    expect(ofTokens).toMatchObject([{ operation: 'createToken', recordId: bound, userId }])
  })

  test('an entry of updateCredentials names the changed fields and contains no secret', async () => {
    const { member: as, workspaceId } = world.here
    const type = 'openai' as const
    const { credentials } = await app.client.ok('createCredentials', {
      as,
      params: { workspaceId },
      body: { type, name: 'Account', data: { apiKey: 'sk-first-secret' } },
    })
    const params = { workspaceId, credentialsId: credentials.id }
    const update = (body: { name?: string; data?: { apiKey: string } }) =>
      app.client.ok('updateCredentials', { as, params, body: { type, ...body } })
    await update({ name: 'Other' })
    await update({ data: { apiKey: 'sk-second-secret' } })
    await update({ name: 'Both', data: { apiKey: 'sk-third-secret' } })
    await app.client.ok('deleteCredentials', { as, params })
    const about = (await entries()).filter((entry) => entry.record_id === credentials.id)
    expect(about.map(({ operation, details }) => [operation, JSON.parse(details ?? '')])).toEqual([
      ['createCredentials', { type }],
      ['updateCredentials', { type, changed: ['name'] }],
      ['updateCredentials', { type, changed: ['data'] }],
      ['updateCredentials', { type, changed: ['name', 'data'] }],
      ['deleteCredentials', { type }],
    ])
    expect(JSON.stringify(about)).not.toContain('secret')
  })

  test('an entry of deleteWorkspace names its caller, even after the workspace is purged', async () => {
    const { admin: as, workspaceId } = world.here
    await app.client.ok('deleteWorkspace', { as, params: { workspaceId } })
    expect(await newest()).toMatchObject({
      workspace_id: workspaceId,
      operation: 'deleteWorkspace',
      user_id: as.id,
    })
  })
})
