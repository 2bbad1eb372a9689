import { randomBytes, randomUUID } from 'node:crypto'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import { backUp } from '../../server/db/backup/index.ts'
import { openCredentials } from '../../server/workspaces/credentials.ts'
import { KeyProblem, openKeyring } from '../../server/workspaces/keyring.ts'
import { rotateKeys } from '../../server/workspaces/rotation.ts'
import { type App, startApp } from '../support/app.ts'
import { bot } from '../support/chat.ts'
import { logsOf, publish, start } from '../support/chats.ts'
import { endProcesses, newDataFolder, run } from '../support/process.ts'
import { clear } from '../support/rows.ts'
import { makeWorld, type World } from '../support/world.ts'

/* Credentials from the request to the disk: nothing of them can be read anywhere, and no key is lost for good. */

const secret = 'sk-never-shown-again'
const body = { type: 'openai' as const, name: 'Company account', data: { apiKey: secret } }

let app: App
let world: World
beforeAll(async () => {
  app = await startApp()
})
afterAll(() => app.stop())
afterEach(async () => {
  await endProcesses()
  for (const one of started.splice(0)) await one.stop()
})

/** Further services on the same database. */
const started: App[] = []

/** A world with nothing else in the database. */
async function newWorld() {
  await clear(app.pool)
  world = await makeWorld(app)
}

const site = () => world.here
const create = (of: App = app, options: object = {}) =>
  of.client.call('createCredentials', {
    as: site().member,
    params: { workspaceId: site().workspaceId },
    body,
    ...options,
  })

async function made(): Promise<string> {
  return (await create()).body.credentials.id
}

const opened = (id: string, keyring = openKeyring(config())) =>
  openCredentials(app.db, keyring, site().workspaceId, id)

/** The configuration with these keys, or those of the app. */
function config(...keys: Buffer[]) {
  const ENCRYPTION_KEY = keys.length > 0 ? keys : [Buffer.alloc(32, 'key')]
  return { ENCRYPTION_KEY } as Parameters<typeof openKeyring>[0]
}

/** The same service with other keys. */
async function startWith(given: { ENCRYPTION_KEY?: Buffer[]; DATABASE_URL?: string; DATA_DIR?: string }) {
  const other = await startApp({
    databaseUrl: app.databaseUrl,
    config: { ENCRYPTION_KEY: undefined, ...given },
  })
  started.push(other)
  return other
}

async function everyRow(): Promise<string> {
  const { rows } = await app.pool.query("SELECT tablename FROM pg_tables WHERE schemaname = 'public'")
  let text = ''
  for (const { tablename } of rows) {
    const { rows: found } = await app.pool.query(`SELECT t::text AS row FROM "${tablename}" t`)
    text += found.map(({ row }) => row).join('\n')
  }
  return text
}

describe('a secret of credentials', () => {
  test('is in no table, no log, no backup and no repeated response', async () => {
    await newWorld()
    const headers = { 'Idempotency-Key': randomUUID() }
    const first = await create(app, { headers })
    const again = await create(app, { headers })
    expect([first.status, again.status, again.headers['idempotent-replayed']]).toEqual([201, 201, 'true'])
    expect(again.text).toBe(first.text)
    const { id } = first.body.credentials
    const params = { workspaceId: site().workspaceId, credentialsId: id }
    const changed = { type: 'openai' as const, data: { apiKey: `${secret}-2` } }
    await app.client.ok('updateCredentials', { as: site().member, params, body: changed })
    expect(await opened(id)).toEqual({ type: 'openai', data: changed.data })

    const rows = await everyRow()
    expect(rows).toContain('Company account')
    const folder = await newDataFolder()
    await backUp(app.databaseUrl, join(folder, 'backup.sql.gz'), () => {})
    const backup = gunzipSync(await readFile(join(folder, 'backup.sql.gz'))).toString('latin1')
    expect(backup).toContain('Company account')
    for (const place of [rows, backup, JSON.stringify(app.logs)]) {
      for (const form of [
        secret,
        Buffer.from(secret).toString('hex'),
        Buffer.from(secret).toString('base64'),
      ]) {
        expect(place).not.toContain(form.replace(/=+$/, ''))
      }
    }
  })

  test('is encrypted differently every time, and for its own row alone', async () => {
    await newWorld()
    const [one, two] = [await made(), await made()]
    const { rows } = await app.pool.query('SELECT data FROM credentials')
    expect(rows[0].data.equals(rows[1].data)).toBe(false)
    await app.pool.query(
      'UPDATE credentials SET data = (SELECT data FROM credentials WHERE id = $1) WHERE id = $2',
      [one, two],
    )
    await expect(opened(two)).rejects.toThrow('was changed in the database')
    await app.pool.query('UPDATE credentials SET workspace_id = $1', [world.there.workspaceId])
    expect(await opened(one)).toBeUndefined()
    await expect(
      openCredentials(app.db, openKeyring(config()), world.there.workspaceId, one),
    ).rejects.toThrow(KeyProblem)
  })

  test('is deleted with its workspace', async () => {
    await newWorld()
    await made()
    const params = { workspaceId: site().workspaceId }
    await app.client.ok('deleteWorkspace', { as: site().admin, params })
    expect((await app.pool.query('SELECT id FROM credentials')).rows).toEqual([])
  })
})

describe('the key', () => {
  const [old, fresh] = [randomBytes(32), randomBytes(32)]

  test('is required with an external database before the first credentials', async () => {
    await newWorld()
    const keyless = await startWith({ DATABASE_URL: app.databaseUrl })
    const answer = await create(keyless, { headers: { 'Idempotency-Key': 'set-the-key-first' } })
    expect(answer.body).toMatchObject({
      code: 'SERVICE_UNAVAILABLE',
      issues: [
        {
          path: ['body', 'data'],
          code: 'no_encryption_key',
          message: expect.stringContaining('ENCRYPTION_KEY'),
        },
      ],
    })
    expect(answer.status).toBe(503)
    expect(answer.text).not.toContain(secret)
    // Once there is one, the same request goes through.
    expect((await create(app, { headers: { 'Idempotency-Key': 'set-the-key-first' } })).status).toBe(201)
  })

  test('can change: nothing is lost, everything else works, and the old one works again', async () => {
    await newWorld()
    const id = await made()
    const changed = await startWith({ ENCRYPTION_KEY: [fresh] })
    const at = { as: site().member, params: { workspaceId: site().workspaceId, credentialsId: id } }
    expect((await changed.client.call('getCredentials', at)).status).toBe(200)
    const renamed = { type: 'openai' as const, name: 'Renamed' }
    expect((await changed.client.call('updateCredentials', { ...at, body: renamed })).status).toBe(200)
    await expect(opened(id, openKeyring(config(fresh)))).rejects.toThrow(
      /key [0-9a-f]{16}, which is not among/,
    )
    expect(await opened(id)).toEqual({ type: 'openai', data: body.data })
    const replaced = { type: 'openai' as const, data: { apiKey: 'sk-new' } }
    expect((await changed.client.call('updateCredentials', { ...at, body: replaced })).status).toBe(200)
    expect(await opened(id, openKeyring(config(fresh)))).toEqual({ type: 'openai', data: replaced.data })
  })

  test('is generated in the data folder, once, for its owner alone, and not in place of a lost one', async () => {
    await newWorld()
    const DATA_DIR = await newDataFolder()
    const file = join(DATA_DIR, 'encryption-key')
    const embedded = await startWith({ DATA_DIR })
    const answers = await Promise.all(Array.from({ length: 5 }, () => create(embedded)))
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 201, 201])
    const key = await readFile(file, 'utf8')
    expect(key).toMatch(/^[A-Za-z0-9+/]{43}=\n$/)
    const keyring = openKeyring({ DATA_DIR } as Parameters<typeof openKeyring>[0])
    for (const { body: given } of answers) expect(await opened(given.credentials.id, keyring)).toBeDefined()

    await rm(file)
    const rejected = await create(embedded)
    expect([rejected.status, rejected.body.issues[0].code]).toEqual([503, 'no_encryption_key'])
    expect(JSON.stringify(embedded.logs)).toContain('is gone')
    await writeFile(file, key)
    expect((await create(embedded)).status).toBe(201)
  })

  test('is rotated by a command beside new credentials, and the old one is not needed any more', async () => {
    await newWorld()
    const before = await startWith({ ENCRYPTION_KEY: [old] })
    const ids: string[] = []
    for (let count = 0; count < 3; count++) ids.push((await create(before)).body.credentials.id)
    const lone = await made()
    const rotate = (...keys: Buffer[]) =>
      run('server/admin.ts', ['credentials', 'rotate'], {
        DATABASE_URL: app.databaseUrl,
        ENCRYPTION_KEY: keys.map((key) => key.toString('base64')).join(', '),
      })
    const [{ code, stderr }, during] = await Promise.all([rotate(fresh, old), made()])
    expect({ code, stderr }).toMatchObject({ code: 1, stderr: expect.stringMatching(/^3 .* [12] were not/m) })
    for (const id of ids)
      expect(await opened(id, openKeyring(config(fresh)))).toMatchObject({ data: body.data })
    const rest = await rotate(fresh, old, Buffer.alloc(32, 'key'))
    expect(JSON.parse(rest.stdout)).toEqual({ key: expect.stringMatching(/^[0-9a-f]{16}$/), encrypted: 2 })
    for (const id of [lone, during]) {
      expect(await opened(id, openKeyring(config(fresh)))).toMatchObject({ data: body.data })
    }
    expect(JSON.parse((await rotate(fresh)).stdout)).toMatchObject({ encrypted: 0 })
  })

  test('in a file is preceded by a new one, and unused ones are deleted', async () => {
    const DATA_DIR = await newDataFolder()
    const keyring = openKeyring({ DATA_DIR } as Parameters<typeof openKeyring>[0])
    const [first] = (await keyring.make?.()) ?? []
    expect(await keyring.make?.()).toEqual([first])
    const [second, behind] = (await keyring.add?.()) ?? []
    expect(behind).toEqual(first)
    const third = (await keyring.add?.()) ?? []
    expect(third.slice(1)).toEqual([second, first])
    await keyring.dropUnused?.(new Set([second?.id ?? '']))
    expect(await keyring.read()).toEqual(third.slice(0, 2))
    await writeFile(join(DATA_DIR, 'encryption-key'), 'no key\n')
    await expect(keyring.read()).rejects.toThrow('is damaged')
  })

  test('in a file survives five concurrent rotations, of which one at a time runs', async () => {
    await newWorld()
    const DATA_DIR = await newDataFolder()
    const keyring = openKeyring({ DATA_DIR } as Parameters<typeof openKeyring>[0])
    const own = await startWith({ DATA_DIR, DATABASE_URL: undefined })
    const ids: string[] = []
    for (let count = 0; count < 30; count++) ids.push((await create(own)).body.credentials.id)
    for (let round = 0; round < 3; round++) {
      const outcomes = await Promise.all(Array.from({ length: 5 }, () => rotateKeys(app.db, keyring)))
      expect(outcomes).toContainEqual({ key: expect.any(String), encrypted: 30, unreadable: [] })
      for (const id of ids) expect(await opened(id, keyring)).toMatchObject({ data: body.data })
    }
  })

  test('in a file rotates all rows but a damaged and a failing one, which are named', async () => {
    await newWorld()
    const DATA_DIR = await newDataFolder()
    const keyring = openKeyring({ DATA_DIR } as Parameters<typeof openKeyring>[0])
    const own = await startWith({ DATA_DIR, DATABASE_URL: undefined })
    const ids: string[] = []
    for (let count = 0; count < 6; count++) ids.push((await create(own)).body.credentials.id)
    ids.sort()
    await app.pool.query(
      `UPDATE credentials SET data = set_byte(data, 20, get_byte(data, 20) # 1) WHERE id = $1`,
      [ids[0]],
    )
    await app.pool.query(`UPDATE credentials SET key_id = 'lost' WHERE id = $1`, [ids[1]])
    const { encrypted, unreadable } = (await rotateKeys(app.db, keyring)) as Exclude<
      Awaited<ReturnType<typeof rotateKeys>>,
      string
    >
    expect({ encrypted, names: unreadable.map(({ id }) => id) }).toEqual({
      encrypted: 4,
      names: ids.slice(0, 2),
    })
    for (const id of ids.slice(2)) expect(await opened(id, keyring)).toMatchObject({ data: body.data })
  })

  test('that is damaged is named in the log alone, not to callers who create credentials', async () => {
    await newWorld()
    const DATA_DIR = await newDataFolder()
    await writeFile(join(DATA_DIR, 'encryption-key'), 'no key\n')
    const own = await startWith({ DATA_DIR, DATABASE_URL: undefined })
    const answer = await create(own)
    expect(answer.status).toBe(503)
    expect(answer.body.issues).toMatchObject([{ code: 'no_encryption_key' }])
    expect(answer.text).not.toContain(DATA_DIR)
    expect(JSON.stringify(own.logs)).toContain('is damaged')
  })
})

test('a workspace can have 200 credentials, and a change that changes nothing leaves no trace', async () => {
  await newWorld()
  const { id } = (await create()).body.credentials
  const params = { workspaceId: site().workspaceId, credentialsId: id }
  const read = () => app.client.ok('getCredentials', { as: site().member, params })
  const audited = async () =>
    (await app.pool.query(`SELECT FROM audit_log WHERE record_id = $1`, [id])).rowCount
  const before = [await read(), await audited()]
  for (const change of [{ type: 'openai' as const }, { type: 'openai' as const, name: body.name }])
    await app.client.ok('updateCredentials', { as: site().member, params, body: change })
  expect([await read(), await audited()]).toEqual(before)

  await app.pool.query(
    `INSERT INTO credentials SELECT id || '-' || n, workspace_id, type, name, data, key_id, created_at, updated_at
    FROM credentials, generate_series(1, 198) n WHERE workspace_id = $1`,
    [site().workspaceId],
  )
  expect((await create()).status).toBe(201)
  const rejected = await create()
  expect([rejected.status, rejected.body.issues[0].code]).toEqual([403, 'quota_exceeded'])
})

test('the log of a result has no statements where credentials cannot be read', async () => {
  await newWorld()
  const id = await made()
  const options = { action: 'Create chat completion', messages: [], credentialsId: id }
  const mail = { recipients: ['ada@example.com'], credentialsId: id }
  const flow = bot({
    Start: [
      { type: 'openai', options },
      { type: 'Email', options: mail },
    ],
  })
  const published = await publish(app, site(), flow)
  await app.pool.query('ALTER TABLE credentials RENAME TO hidden')
  const { resultId = '' } = await start(app, published).finally(() =>
    app.pool.query('ALTER TABLE hidden RENAME TO credentials'),
  )
  const logs = await logsOf(app, published.id, resultId, site().member)
  const said = logs.filter(({ status }) => status === 'error')
  expect(said).toHaveLength(2)
  for (const log of said) {
    const text = JSON.stringify(log)
    expect(text).toContain('The credentials cannot be read now: the log of the service says why')
    expect(text).not.toMatch(/Failed query|select|params|hidden|relation/)
  }
  const line = app.logs.find(({ msg }) => msg === 'credentials cannot be read')
  expect(JSON.stringify(line)).not.toMatch(/Failed query|params/)
})
