import { randomBytes } from 'node:crypto'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { eq } from 'drizzle-orm'
import { webhookEndpoints } from '../../server/db/schema.ts'
import { openSecrets } from '../../server/webhooks/secrets.ts'
import { KeyProblem, openKeyring } from '../../server/workspaces/keyring.ts'
import { rotateKeys } from '../../server/workspaces/rotation.ts'
import { type App, startApp } from '../support/app.ts'
import { clear } from '../support/rows.ts'
import { makeWorld, type World } from '../support/world.ts'

/* Secrets of webhook endpoints in the database: as ciphertext, under the keys of credentials. */

const first = Buffer.alloc(32, 'key')

let app: App
let world: World
const started: App[] = []

beforeAll(async () => {
  app = await startApp({ config: { OUTBOUND_ALLOWED_HOSTS: ['localhost:9'] } })
})
beforeEach(async () => {
  await clear(app.pool)
  world = await makeWorld(app)
})
afterEach(async () => {
  for (const one of started.splice(0)) await one.stop()
})
afterAll(() => app.stop())

const ring = (...ENCRYPTION_KEY: Buffer[]) =>
  openKeyring({ ENCRYPTION_KEY } as Parameters<typeof openKeyring>[0])

const create = (of: App = app) =>
  of.client.call('createWebhookEndpoint', {
    as: world.here.admin,
    params: { workspaceId: world.here.workspaceId },
    body: { url: 'http://localhost:9/hook' },
  })

const rotate = (endpointId: string, of: App = app) =>
  of.client.call('rotateWebhookSecret', {
    as: world.here.admin,
    params: { workspaceId: world.here.workspaceId, endpointId },
  })

async function rowOf(id: string) {
  const [row] = await app.db.select().from(webhookEndpoints).where(eq(webhookEndpoints.id, id))
  if (!row) throw new Error('There is no such endpoint')
  return row
}

const secretsOf = async (id: string, keyring = ring(first)) =>
  openSecrets(await rowOf(id), await keyring.read())

async function everything(): Promise<string> {
  const { rows } = await app.pool.query("SELECT tablename FROM pg_tables WHERE schemaname = 'public'")
  const texts = await Promise.all(
    rows.map(async ({ tablename }) =>
      JSON.stringify((await app.pool.query(`SELECT t::text AS row FROM "${tablename}" t`)).rows),
    ),
  )
  return texts.join('\n')
}

test('the database has neither a secret nor a seed of one', async () => {
  const { secret, id } = (await create()).body.webhookEndpoint
  const { secret: rotated } = (await rotate(id)).body
  const text = await everything()
  expect(text).toContain(id)
  for (const each of [secret, rotated]) {
    const base64 = each.replace('whsec_', '')
    expect(text).not.toContain(base64)
    expect(text).not.toContain(Buffer.from(base64, 'base64').toString('hex'))
  }
  expect(await secretsOf(id)).toEqual([rotated, secret])
})

test('rotation of keys encrypts secrets anew, and names one that was copied from another endpoint', async () => {
  const [one, other] = [(await create()).body.webhookEndpoint, (await create()).body.webhookEndpoint]
  await app.pool.query(
    'UPDATE webhook_endpoints SET secrets = (SELECT secrets FROM webhook_endpoints WHERE id = $1) WHERE id = $2',
    [one.id, other.id],
  )
  const second = randomBytes(32)
  const outcome = await rotateKeys(app.db, ring(second, first))
  expect(outcome).toMatchObject({ encrypted: 1, unreadable: [{ id: other.id }] })
  expect(await secretsOf(one.id, ring(second))).toEqual([one.secret])
  await expect(secretsOf(one.id, ring(first))).rejects.toThrow(KeyProblem)
  await expect(secretsOf(other.id, ring(first))).rejects.toThrow('was changed in the database')
})

test('without a key no endpoint is created and none rotated, and with another one a rotation still works', async () => {
  const { id, secret } = (await create()).body.webhookEndpoint
  const startWith = async (ENCRYPTION_KEY: Buffer[] | undefined) => {
    const DATABASE_URL = 'postgres://elsewhere/bots'
    const OUTBOUND_ALLOWED_HOSTS = ['localhost:9']
    const one = await startApp({
      databaseUrl: app.databaseUrl,
      config: { ENCRYPTION_KEY, DATABASE_URL, OUTBOUND_ALLOWED_HOSTS },
    })
    started.push(one)
    return one
  }
  const none = await startWith(undefined)
  for (const rejected of [await create(none), await rotate(id, none)]) {
    expect(rejected.status).toBe(503)
    expect(rejected.body.issues).toMatchObject([{ code: 'no_encryption_key' }])
  }
  expect(await secretsOf(id)).toEqual([secret])
  const key = randomBytes(32)
  const rotated = (await rotate(id, await startWith([key]))).body.secret
  expect(await secretsOf(id, ring(key))).toEqual([rotated])
})
