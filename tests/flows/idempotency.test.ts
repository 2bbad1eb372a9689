import { randomUUID } from 'node:crypto'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { forgetKeys } from '../../server/jobs/expiry.ts'
import { type App, startApp } from '../support/app.ts'
import type { Answer, Client } from '../support/client.ts'
import { testWithTrigger } from '../support/locks.ts'
import { makeWorld, type Site, type World } from '../support/world.ts'

/*
 * Requests with an idempotency key, sent again in every way: at once, to another process, with something else in
 * them, by somebody else, after a loss of the connection, later. What replay.test.ts provokes for every operation is
 * not repeated here.
 */

let app: App
/** Another process of the service, on the same database, as far as the database can tell. */
let other: App
let world: World
let site: Site

beforeAll(async () => {
  app = await startApp()
  other = await startApp({ databaseUrl: app.databaseUrl })
})

beforeEach(async () => {
  world = await makeWorld(app)
  site = world.here
})

afterAll(async () => {
  await other.stop()
  await app.stop()
})

interface Folder {
  name?: string
  key?: string
  as?: { token: string }
  client?: Client
}

function createFolder({ name = 'Once', key = '', as = site.admin, client = app.client }: Folder) {
  const body = { workspaceId: site.workspaceId, folder: { name } }
  return client.call('createFolder', { as, body, headers: key === '' ? {} : { 'Idempotency-Key': key } })
}

async function count(table: string, condition = 'true', values: unknown[] = []): Promise<number> {
  const { rows } = await app.pool.query(`SELECT count(*)::int FROM ${table} WHERE ${condition}`, values)
  return rows[0].count
}

const folders = (name = 'Once') =>
  count('folders', 'workspace_id = $1 AND name = $2', [site.workspaceId, name])

const isReplayed = ({ headers }: Answer) => headers['idempotent-replayed'] === 'true'

test('fifty concurrent repeats in two processes are done once; each gets the response or a 409', async () => {
  const key = randomUUID()
  const answers = await Promise.all(
    Array.from({ length: 50 }, (_, index) =>
      createFolder({ key, client: index % 2 === 0 ? app.client : other.client }),
    ),
  )
  expect(await folders()).toBe(1)
  const done = answers.filter(({ status }) => status === 201)
  expect(new Set(done.map(({ text, headers }) => `${headers.location} ${text}`)).size).toBe(1)
  expect(done.filter((answer) => !isReplayed(answer))).toHaveLength(1)
  for (const { status, body, headers } of answers.filter((answer) => !done.includes(answer))) {
    expect({ status, code: body.issues[0].code, wait: headers['retry-after'] }).toEqual({
      status: 409,
      code: 'in_progress',
      wait: '1',
    })
  }
  const late = await createFolder({ key, client: other.client })
  expect({ text: late.text, isReplayed: isReplayed(late) }).toEqual({ text: done[0]?.text, isReplayed: true })
})

test('a document of a megabyte comes back byte for byte', async () => {
  const theme = { text: 'é\u2028"'.repeat(200_000) }
  const bot = { version: '6.1' as const, name: 'Large', groups: [], edges: [], variables: [], theme }
  const request = {
    as: site.admin,
    body: { workspaceId: site.workspaceId, bot },
    headers: { 'Idempotency-Key': randomUUID() },
  }
  const first = await app.client.call('createBot', request)
  const second = await other.client.call('createBot', request)
  expect(first.status).toBe(201)
  expect(isReplayed(second)).toBe(true)
  expect(second.text === first.text).toBe(true)
  expect(second.headers.location).toBe(first.headers.location)
})

test('a minimal response is repeated as one, with its media type and its entity tag', async () => {
  const request = {
    as: site.admin,
    params: { botId: site.draft.id },
    body: { bot: { version: '6.1' as const, name: 'Brief' } },
    headers: { Prefer: 'return=minimal', 'Idempotency-Key': randomUUID() },
  }
  const first = await app.client.call('updateBot', request)
  const second = await other.client.call('updateBot', request)
  expect(isReplayed(second)).toBe(true)
  const names = ['content-type', 'etag', 'preference-applied', 'cache-control']
  const seen = ({ status, text, headers }: Answer) => [status, text, names.map((name) => headers[name])]
  expect(seen(second)).toEqual(seen(first))
})

test('a quoted key is the same as an unquoted one', async () => {
  const key = `a\\b-${randomUUID()}`
  const first = await createFolder({ key })
  const second = await createFolder({ key: `"${key.replaceAll('\\', '\\\\')}"` })
  expect(isReplayed(second)).toBe(true)
  expect(second.text).toBe(first.text)
})

test.each([
  ['nothing', ' '],
  ['a lone quote', '"'],
  ['a quote that does not end', '"abc'],
  ['a quote within', 'ab"c'],
  ['a wrong escape', '"a\\b"'],
  ['empty quotes', '""'],
  ['a space', 'a b'],
  ['two keys', 'a, b'],
  ['more than 255 characters', 'x'.repeat(256)],
  ['more than 255 characters in quotes', `"${'x'.repeat(256)}"`],
])('a key that is %s is rejected', async (_what, key) => {
  const { status, body } = await createFolder({ key })
  expect({ status, path: body.issues?.[0]?.path }).toEqual({
    status: 400,
    path: ['header', 'idempotency-key'],
  })
  expect(await folders()).toBe(0)
})

test('a key with another path, method or body is rejected, and nothing is written', async () => {
  const headers = { 'Idempotency-Key': randomUUID() }
  const params = { folderId: site.folder }
  const body = { folder: { name: 'Renamed' } }
  const first = await app.client.call('updateFolder', { as: site.admin, params, body, headers })
  expect(first.status).toBe(200)
  const others = [
    createFolder({ key: headers['Idempotency-Key'] }),
    app.client.call('updateFolder', {
      as: site.admin,
      params,
      body: { folder: { name: 'renamed' } },
      headers,
    }),
    app.client.call('updateFolder', {
      as: site.admin,
      params: { folderId: site.subfolder },
      body,
      headers,
    }),
  ]
  for (const { status } of await Promise.all(others)) expect(status).toBe(422)
  expect(await folders()).toBe(0)
  expect(await folders('Renamed')).toBe(1)
})

test('keys of two users, and of two bots, do not collide', async () => {
  const key = randomUUID()
  await createFolder({ key, as: site.admin })
  const second = await createFolder({ key, as: site.member })
  expect(second.status).toBe(201)
  expect(await folders()).toBe(2)
  for (const { id } of [site.draft, site.shared]) {
    const params = { botId: id }
    const { status } = await app.client.call('publishBot', {
      as: site.admin,
      params,
      headers: { 'Idempotency-Key': key },
    })
    expect(status).toBe(200)
  }
})

test('a rejected request can be corrected under its key', async () => {
  const key = randomUUID()
  const headers = { 'Idempotency-Key': key }
  const folder = { name: 'Once', parentFolderId: 'nowhere' }
  const body = { workspaceId: site.workspaceId, folder }
  expect((await app.client.call('createFolder', { as: site.admin, body, headers })).status).toBe(400)
  expect((await createFolder({ key })).status).toBe(201)
  expect(await folders()).toBe(1)
})

test('a repeat by a caller who lost the role gets 403 in place of the stored response', async () => {
  const key = randomUUID()
  expect((await createFolder({ key, as: site.member })).status).toBe(201)
  await app.client.ok('removeMember', {
    as: site.admin,
    params: { workspaceId: site.workspaceId, userId: site.member.id },
  })
  expect((await createFolder({ key, as: site.member })).status).toBe(403)
})

testWithTrigger('a draft that was undone with its transaction is not cached', async () => {
  const params = { botId: site.draft.id }
  await app.client.ok('getBot', { as: site.admin, params })
  await app.pool.query(`CREATE FUNCTION refuse() RETURNS trigger AS $$ BEGIN RAISE EXCEPTION 'no'; END $$ LANGUAGE plpgsql;
    CREATE TRIGGER refuse BEFORE UPDATE ON bot_idempotency_keys FOR EACH ROW EXECUTE FUNCTION refuse()`)
  // Every change is later than the one before by a millisecond at least, hence by just one now.
  await app.pool.query(
    "UPDATE bots SET updated_at = '2100-01-01', draft_updated_at = '2100-01-01' WHERE id = $1",
    [site.draft.id],
  )
  const before = (await app.client.ok('getBot', { as: site.admin, params })).bot
  const { status } = await app.client.call('updateBot', {
    as: site.admin,
    params,
    body: { bot: { version: '6.1', theme: { undone: true } } },
    headers: { 'Idempotency-Key': randomUUID() },
    wants500: true,
  })
  await app.pool.query('DROP FUNCTION refuse CASCADE')
  expect(status).toBe(500)
  expect((await other.client.ok('getBot', { as: site.admin, params })).bot).toEqual(before)
  // Another process writes at the very moment at which the other change would have been.
  const written = await other.client.ok('updateBot', {
    as: site.admin,
    params,
    body: { bot: { version: '6.1', theme: { undone: false } } },
  })
  expect((await app.client.ok('getBot', { as: site.admin, params })).bot).toEqual(written.bot)
})

test('the secret of a token is nowhere in the database', async () => {
  const request = {
    as: world.stranger,
    body: { name: 'Secret' },
    headers: { 'Idempotency-Key': randomUUID() },
  }
  const first = await app.client.call('createToken', request)
  expect(first.status).toBe(201)
  const second = await other.client.call('createToken', request)
  expect(second.body.issues).toMatchObject([
    { code: 'already_created', current: { id: first.body.apiToken.id } },
  ])
  const { rows } = await app.pool.query('SELECT k::text AS row, k.body FROM idempotency_keys k')
  const secret = first.body.apiToken.token as string
  const dump = rows.map(({ row, body }) => `${row} ${body ?? ''}`).join('\n')
  expect(dump).toContain(first.body.apiToken.id)
  expect(dump).not.toContain(secret)
  expect(dump).not.toContain(Buffer.from(secret).toString('hex'))
  expect(await count('api_tokens', 'owner_user_id = $1', [world.stranger.id])).toBe(2)
})

test('a key expires after seven days, and not an hour before', async () => {
  const [old, young] = [randomUUID(), randomUUID()]
  await createFolder({ key: old })
  await createFolder({ key: young })
  const day = 24 * 60 * 60 * 1000
  const now = Date.now()
  const setAge = (key: string, age: number) =>
    app.pool.query('UPDATE idempotency_keys SET created_at = $2 WHERE key = $1', [key, new Date(now - age)])
  await setAge(old, 7 * day + 2 * 60 * 60 * 1000)
  await setAge(young, 7 * day)
  expect(await forgetKeys(app.db, new Date(now))).toBe(false)
  expect(isReplayed(await createFolder({ key: young }))).toBe(true)
  expect(isReplayed(await createFolder({ key: old }))).toBe(false)
  expect(await folders()).toBe(3)
})

describe('createBot with a key', () => {
  const create = (key: string, name = 'Keyed', more: object = {}, client = app.client) =>
    client.call('createBot', {
      as: site.admin,
      body: { workspaceId: site.workspaceId, bot: { version: '6.1', name, ...more } },
      headers: { 'Idempotency-Key': key },
    })
  const bots = (name = 'Keyed') => count('bots', 'workspace_id = $1 AND name = $2', [site.workspaceId, name])

  // On a cluster it takes several.
  const testOneStatement = process.env.CITUS === '1' ? test.skip : test

  testOneStatement('inserts bot and key in one statement', async () => {
    const key = randomUUID()
    const { body } = await create(key)
    const { rows } = await app.pool.query(
      `SELECT k.xmin = b.xmin AND k.cmin = b.cmin AS is_one FROM bots b, idempotency_keys k
       WHERE b.id = $1 AND k.key = $2`,
      [body.bot.id, key],
    )
    expect(rows).toEqual([{ is_one: true }])
  })

  test('inserts bot and key, and returns the stored response to a repeat', async () => {
    const key = randomUUID()
    const first = await create(key)
    expect([first.status, isReplayed(first)]).toEqual([201, false])
    const repeat = await create(key, 'Keyed', {}, other.client)
    expect([repeat.status, isReplayed(repeat), repeat.text]).toEqual([201, true, first.text])
    expect(repeat.headers.etag).toBe(first.headers.etag)
    expect(await bots()).toBe(1)
  })

  test('creates one bot for each key of concurrent requests in two processes', async () => {
    const keys = Array.from({ length: 6 }, () => randomUUID())
    const answers = await Promise.all(
      Array.from({ length: 48 }, (_, at) =>
        create(keys[at % 6] as string, 'Keyed', {}, at % 2 === 0 ? app.client : other.client),
      ),
    )
    expect(new Set(answers.map(({ status }) => status))).toEqual(
      answers.some(({ status }) => status === 409) ? new Set([201, 409]) : new Set([201]),
    )
    expect(await bots()).toBe(6)
    for (const key of keys) expect(isReplayed(await create(key))).toBe(true)
    expect(await bots()).toBe(6)
  })

  test('rejects a key of another request, and creates no bot', async () => {
    const key = randomUUID()
    await createFolder({ key })
    const { status, body } = await create(key)
    expect([status, body.code]).toEqual([422, 'IDEMPOTENCY_MISMATCH'])
    expect(await bots()).toBe(0)
  })

  test.each([
    ['a public id', () => ({ publicId: `keyed-${randomUUID()}` })],
    ['a folder', () => ({ folderId: site.folder })],
    ['a large document', () => ({ theme: { padding: 'x'.repeat(200_000) } })],
  ])('creates one bot with %s, and returns its response to a repeat', async (_what, more) => {
    const key = randomUUID()
    const given = more()
    const first = await create(key, 'Keyed', given)
    const repeat = await create(key, 'Keyed', given)
    expect([first.status, isReplayed(repeat), repeat.text]).toEqual([201, true, first.text])
    expect(await bots()).toBe(1)
  })

  test('returns 403 for a workspace that is deleted, and stores no key', async () => {
    const key = randomUUID()
    await app.client.ok('deleteWorkspace', { as: site.admin, params: { workspaceId: site.workspaceId } })
    expect((await create(key)).status).toBe(403)
    expect(await count('idempotency_keys', 'key = $1', [key])).toBe(0)
  })
})

describe('a response with the document of its request', () => {
  const groups = Array.from({ length: 300 }, (_, at) => ({
    id: `g${at}`,
    title: 'é\u2028"',
    graphCoordinates: { x: at, y: 0 },
    blocks: [],
  }))
  const bot = { version: '6.1' as const, name: 'Twice', groups, edges: [], variables: [] }
  const workspaceId = () => site.workspaceId
  const params = () => ({ botId: site.draft.id })

  test.each([
    ['createBot', 201, () => ({ body: { workspaceId: workspaceId(), bot } })],
    ['importBot', 201, () => ({ body: { workspaceId: workspaceId(), bot } })],
    ['updateBot', 200, () => ({ params: params(), body: { bot } })],
  ] as const)(
    'of %s is stored without it, and repeated byte for byte after a change',
    async (name, status, sent) => {
      const key = randomUUID()
      const request = { as: site.admin, ...sent(), headers: { 'Idempotency-Key': key } }
      const first = await app.client.call(name, request)
      expect(first.status).toBe(status)
      const change = { bot: { version: '6.1' as const, groups: [] } }
      await app.client.ok('updateBot', { as: site.admin, params: { botId: first.body.bot.id }, body: change })
      const repeat = await other.client.call(name, request)
      expect([isReplayed(repeat), repeat.text === first.text]).toEqual([true, true])
      expect(repeat.body.bot.groups).toEqual(groups)
      const { rows } = await app.pool.query(
        `SELECT length(body) AS bytes FROM idempotency_keys WHERE key = $1
       UNION ALL SELECT length(body) FROM bot_idempotency_keys WHERE key = $1`,
        [key],
      )
      expect(rows).toEqual([{ bytes: expect.any(Number) }])
      expect(rows[0].bytes).toBeLessThan(1_500)
    },
  )

  test('is repeated in full where the request had white space and a byte order mark', async () => {
    const text = `\ufeff${JSON.stringify({ workspaceId: site.workspaceId, bot }, null, 2)}`
    const send = () =>
      fetch(`${app.url}/v1/bots`, {
        method: 'POST',
        headers: {
          Authorization: `Bearer ${site.admin.token}`,
          'Content-Type': 'application/json',
          'Idempotency-Key': key,
        },
        body: text,
      })
    const key = randomUUID()
    const [first, repeat] = [await send(), await send()]
    expect([first.status, repeat.headers.get('Idempotent-Replayed')]).toEqual([201, 'true'])
    expect((await repeat.text()) === (await first.text())).toBe(true)
  })
})

describe('a database behind a network that fails', () => {
  test('a commit whose outcome is unknown is 503, and the repeat has the outcome', async () => {
    const proxy = await cuttingProxy(app.databaseUrl)
    const far = await startApp({ databaseUrl: proxy.url })
    try {
      for (const moment of ['before', 'after'] as const) {
        const name = `Cut ${moment}`
        const key = randomUUID()
        await createFolder({ name: 'Warm', key: randomUUID(), client: far.client })
        proxy.cutAt(moment)
        const lost = await createFolder({ name, key, client: far.client })
        expect({ moment, status: lost.status }).toEqual({ moment, status: 503 })
        const requestId = lost.headers['x-request-id']
        const line = far.logs.find((one) => one.requestId === requestId && one.msg === 'request failed')
        expect(line).toMatchObject({ outcome: 'unknown', operationId: 'createFolder' })
        const repeat = await createFolder({ name, key, client: other.client })
        expect({ moment, status: repeat.status, isReplayed: isReplayed(repeat) }).toEqual({
          moment,
          status: 201,
          isReplayed: moment === 'after',
        })
        expect(await folders(name)).toBe(1)
      }
    } finally {
      await far.stop()
      await proxy.stop()
    }
  })
})

describe('a cluster that loses a node', () => {
  /** Has the database say this of the next workspace, at once or when it is to be committed. */
  async function createWhile(code: string, message: string, when: string) {
    await app.pool.query(`CREATE FUNCTION lose() RETURNS trigger AS
      $$ BEGIN RAISE EXCEPTION USING ERRCODE = '${code}', MESSAGE = '${message}'; END $$ LANGUAGE plpgsql;
      CREATE CONSTRAINT TRIGGER lose AFTER INSERT ON audit_log ${when} FOR EACH ROW EXECUTE FUNCTION lose()`)
    try {
      const { status, headers } = await app.client.call('createWorkspace', {
        as: site.admin,
        body: { name: 'Lost' },
        wants500: true,
      })
      const requestId = headers['x-request-id']
      const line = app.logs.find((one) => one.requestId === requestId && one.msg === 'request failed')
      return { status, outcome: line?.outcome }
    } finally {
      await app.pool.query('DROP FUNCTION lose CASCADE')
    }
  }

  const atOnce = 'NOT DEFERRABLE'
  const atCommit = 'DEFERRABLE INITIALLY DEFERRED'

  test.each([
    ['XX000', 'failure on connection marked as essential: 10.0.0.2:5432', atOnce, 503, undefined],
    ['XX000', 'server closed the connection unexpectedly', atOnce, 503, undefined],
    ['XX000', 'cache lookup failed for type 25', atOnce, 500, undefined],
    [
      'XX000',
      'could not commit transaction for shard 102008 on at least one active node',
      atCommit,
      503,
      'unknown',
    ],
    ['23514', 'a check that waits until then', atCommit, 500, undefined],
  ])('%s, %s: %s', async (code, message, when, status, outcome) => {
    expect(await createWhile(code, message, when)).toEqual({ status, outcome })
    expect(await count('workspaces', "name = 'Lost'")).toBe(0)
  })
})

/**
 * A proxy in front of the database that cuts the connection on which the next COMMIT comes: before it is passed on, or
 * once the database has answered it, without passing that on.
 */
async function cuttingProxy(databaseUrl: string) {
  const target = new URL(databaseUrl)
  let moment: 'before' | 'after' | undefined
  const sockets = new Set<Socket>()
  const server = createServer((near) => {
    const far = connect(Number(target.port), target.hostname)
    let isLast = false
    const end = () => {
      near.destroy()
      far.destroy()
    }
    for (const socket of [near, far]) {
      sockets.add(socket)
      socket.on('error', end)
      socket.on('close', end)
    }
    near.on('data', (bytes) => {
      if (moment !== undefined && bytes.includes('commit\0')) {
        const cut = moment
        moment = undefined
        if (cut === 'before') return end()
        isLast = true
      }
      far.write(bytes)
    })
    far.on('data', (bytes) => (isLast ? end() : near.write(bytes)))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = new URL(databaseUrl)
  url.hostname = '127.0.0.1'
  url.port = String((server.address() as AddressInfo).port)
  return {
    url: url.toString(),
    cutAt(next: 'before' | 'after') {
      moment = next
    },
    async stop() {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

describe('start chat', () => {
  const start = (key: string, client = app.client, body: object = {}) =>
    client.call('startChat', {
      params: { publicId: site.published.publicId },
      body,
      headers: { 'Idempotency-Key': key },
    })
  const sessions = () => count('chat_sessions', 'bot_id = $1', [site.published.id])

  test('with a key starts one chat, whichever process gets the repeat', async () => {
    const before = await sessions()
    const key = randomUUID()
    const answers = await Promise.all([start(key), start(key, other.client), start(key)])
    const done = answers.filter(({ status }) => status === 200)
    expect(new Set(done.map(({ text }) => text)).size).toBe(1)
    for (const { status } of answers) expect([200, 409]).toContain(status)
    const late = await start(key, other.client)
    expect({ text: late.text, isReplayed: isReplayed(late) }).toEqual({
      text: done[0]?.text,
      isReplayed: true,
    })
    expect(await sessions()).toBe(before + 1)
    const changed = await start(key, app.client, { isOnlyRegistering: true })
    expect(changed.status).toBe(422)
  })

  test('rejects a short key', async () => {
    const { status, body } = await start('x'.repeat(15))
    expect({ status, path: body.issues[0].path }).toEqual({
      status: 400,
      path: ['header', 'idempotency-key'],
    })
  })

  test('startChat takes over a request of a dead process at its first repeat once the lease is over', async () => {
    const key = randomUUID()
    const first = await start(key)
    // As it was when the process had claimed the request and not yet written anything.
    const setLease = (seconds: number) =>
      app.pool.query(
        `UPDATE bot_idempotency_keys SET status = NULL, headers = NULL, body = NULL, lease_id = 'dead',
          leased_until = now() + $2 * interval '1 second' WHERE key = $1`,
        [key, seconds],
      )
    await app.pool.query('DELETE FROM chat_sessions WHERE id = $1', [first.body.sessionId])
    const before = await sessions()
    await setLease(5)
    expect((await start(key)).status).toBe(409)
    await setLease(-1)
    const repeats = await Promise.all([start(key), start(key)])
    expect(repeats.filter(({ status }) => status === 200).length).toBeGreaterThanOrEqual(1)
    expect(repeats.filter((repeat) => repeat.status === 200 && !isReplayed(repeat))).toHaveLength(1)
    expect(await sessions()).toBe(before + 1)
    expect(isReplayed(await start(key))).toBe(true)
  })
})
