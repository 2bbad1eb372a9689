import { randomUUID } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server, request as send } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { MAX_SOURCE_BYTES } from '../../server/command/migrate-source.ts'
import { type App, startApp } from '../support/app.ts'
import { runBots } from '../support/command.ts'
import { runs } from '../support/runs.ts'
import { flow, makeWorld, type Site } from '../support/world.ts'

/* `bots migrate`, from a double of the documented routes of the reference product, through a proxy that breaks. */

// biome-ignore lint/suspicious/noExplicitAny: bots and reports
type Json = any

let app: App
let here: Site
let top: string

beforeAll(async () => {
  app = await startApp()
  top = mkdtempSync(join(tmpdir(), 'bots-migrate-'))
})

beforeEach(async () => {
  here = (await makeWorld(app)).here
})

afterAll(async () => {
  rmSync(top, { recursive: true })
  await app.stop()
})

const listen = async (server: Server) => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const close = (server: Server) =>
  new Promise((resolve) => {
    server.closeAllConnections()
    server.close(resolve)
  })

interface Double {
  url: string
  server: Server
  bots: Json[]
  folders: Json[]
  /** Requests that are answered before it breaks. */
  left: number
}

/** The other builder: lists without pages, folders by their parent, a token that is known. */
async function openDouble(count: number): Promise<Double> {
  const folders: Json[] = [
    { id: 'f1', name: 'Sales', parentFolderId: null },
    { id: 'f2', name: 'Europe', parentFolderId: 'f1' },
  ]
  const bots: Json[] = Array.from({ length: count }, (_, nth) => ({
    ...structuredClone(flow),
    version: '6',
    id: `source${nth}`,
    name: `Bot ${nth}`,
    icon: null,
    folderId: [null, 'f1', 'f2'][nth % 3],
    publicId: nth % 5 === 0 ? `moved-${nth}` : null,
    isClosed: nth % 7 === 0,
    workspaceId: 'w',
    publishedBotId: nth % 2 === 0 ? `p${nth}` : null,
  }))
  // The last bot links the first one, and the first one the last.
  for (const [from, to] of [
    [0, count - 1],
    [count - 1, 0],
  ] as const) {
    bots[from].groups[0].blocks.unshift({ id: 'link', type: 'Bot link', options: { botId: `source${to}` } })
  }
  const double: Double = { url: '', bots, folders, left: Number.POSITIVE_INFINITY, server: createServer() }
  double.server.on('request', (incoming, response) => {
    const { pathname, searchParams } = new URL(incoming.url ?? '', 'http://double')
    if (double.left-- <= 0) return incoming.socket.destroy()
    const answer = (status: number, body: object) => {
      response.writeHead(status, { 'content-type': 'application/json' })
      response.end(JSON.stringify(body))
    }
    if (incoming.headers.authorization !== 'Bearer other-token') return answer(401, { code: 'UNAUTHORIZED' })
    const [, api, version, kind] = pathname.split('/')
    if (api !== 'api' || version !== 'v1') return answer(404, {})
    const botId = pathname.split('/')[4]
    if (kind === 'folders') {
      const parent = searchParams.get('parentFolderId')
      return answer(200, { folders: folders.filter(({ parentFolderId }) => parentFolderId === parent) })
    }
    if (botId === undefined) {
      if (searchParams.get('workspaceId') !== 'w') return answer(404, { code: 'NOT_FOUND' })
      return answer(200, {
        bots: bots.map(({ id, name, publishedBotId }) => ({
          id,
          name,
          ...(publishedBotId && { publishedBotId }),
        })),
      })
    }
    const bot = bots.find((one) => one.id === botId)
    if (!bot) return answer(404, { code: 'NOT_FOUND' })
    if (pathname.endsWith('/publishedBot'))
      return answer(200, { publishedBot: bot.publishedBotId ? bot : null })
    return answer(200, { bot, currentUserMode: 'write' })
  })
  double.url = `${await listen(double.server)}/api`
  return double
}

/** In front of the service: from the `fatal`-th import on it does what it is told, and says nothing to anybody. */
async function openProxy(fatal: number) {
  let imports = 0
  let isBroken = false
  const server = createServer((incoming, response) => {
    if (isBroken) return void incoming.socket.destroy()
    if (incoming.url?.includes('/import') && ++imports === fatal) isBroken = true
    const isLost = isBroken
    const { method, url, headers } = incoming
    const forwarded = send(app.url + url, { method, headers }, (answer) => {
      if (isLost) {
        answer.resume()
        answer.on('end', () => incoming.socket.destroy())
        return
      }
      response.writeHead(answer.statusCode ?? 500, answer.headers)
      answer.pipe(response)
    })
    incoming.pipe(forwarded)
  })
  return { url: await listen(server), server }
}

const listBots = async () => {
  const all: Json[] = []
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const page: Json = await app.client.ok('listBots', {
      as: here.admin,
      query: { workspaceId: here.workspaceId, limit: 100, ...(cursor && { cursor }) },
    })
    all.push(...page.bots)
    cursor = page.nextCursor
  }
  return all
}

const newFolder = () => mkdtempSync(join(top, 'folder-'))

const migrate = (double: Double, folder: string, url = app.url, more: string[] = []) =>
  runBots(
    { url },
    top,
    ['migrate', double.url, '--from', 'w', '--workspace', here.workspaceId, '--json', ...more],
    {
      as: here.admin,
      folder,
      env: { BOTS_SOURCE_TOKEN: 'other-token' },
    },
  )

test('migrate continues after two interruptions: nothing twice, nothing lost, and a correct report', async () => {
  const count = runs(9, 200)
  const double = await openDouble(count)
  const before = new Set((await listBots()).map(({ id }) => id))
  const folder = newFolder()

  // The source breaks in the middle; then a response of the service is lost, though the bot was made.
  double.left = Math.floor(count / 3) + 5
  const first = await migrate(double, folder)
  expect([first.code, first.err]).toEqual([
    1,
    expect.stringContaining('the same command goes on where it was'),
  ])
  double.left = Number.POSITIVE_INFINITY
  const proxy = await openProxy(Math.floor(count / 3))
  const second = await migrate(double, folder, proxy.url)
  expect([second.code, second.err]).toEqual([
    1,
    expect.stringContaining('belongs to a migration with target'),
  ])
  // One service has one address, so the folder gets that of the proxy.
  const path = join(folder, 'bots-migration.json')
  const swap = (from: string, to: string) => writeFileSync(path, readFileSync(path, 'utf8').replace(from, to))
  swap(app.url, proxy.url)
  const third = await migrate(double, folder, proxy.url)
  expect([third.code, third.err]).toEqual([1, expect.stringContaining('does not answer')])
  await close(proxy.server)
  swap(proxy.url, app.url)
  // Changes at the source meanwhile do not make the request under way another one.
  for (const bot of double.bots) bot.name = `${bot.name}!`
  const last = await migrate(double, folder, app.url, ['--publish'])

  const made = (await listBots()).filter(({ id }) => !before.has(id))
  expect(made).toHaveLength(count)
  expect(new Set(made.map(({ name }) => name.replace('!', ''))).size).toBe(count)
  const { value: report } = last
  expect(last.code).toBe(0)
  expect(report).toMatchObject({ found: count, folders: 2, failed: [] })
  expect(report.migrated + report.alreadyThere).toBe(count)
  expect(report.alreadyThere).toBeGreaterThan(0)
  expect(new Set(report.bots.map(({ botId }: Json) => botId))).toEqual(new Set(made.map(({ id }) => id)))
  const live = new Set(made.flatMap(({ id, publishedBotId }) => (publishedBotId ? [id] : [])))
  const idOf = (sourceId: string) => report.bots.find((bot: Json) => bot.sourceId === sourceId).botId
  for (const { id, folderId, publicId, isClosed, publishedBotId } of double.bots) {
    const { bot }: Json = await app.client.ok('getBot', { as: here.admin, params: { botId: idOf(id) } })
    expect([id, bot.folderId === null, bot.isClosed, live.has(bot.id)]).toEqual([
      id,
      folderId === null,
      isClosed,
      publishedBotId !== null,
    ])
    if (publicId !== null) expect(bot.publicId).toBe(publicId)
    const link = bot.groups[0].blocks.find((block: Json) => block.type === 'Bot link')
    if (link) expect(link.options.botId).toBe(idOf(id === 'source0' ? `source${count - 1}` : 'source0'))
  }
  // Again: nothing to do, and nothing done.
  const again = await migrate(double, folder)
  expect(again.value).toMatchObject({ found: count, migrated: 0, alreadyThere: count, failed: [] })
  expect(await listBots()).toHaveLength(before.size + count)
  await close(double.server)
}, 900_000)

test('migrate with --publish publishes the rest of an earlier run, once, and no deleted bot', async () => {
  const double = await openDouble(5)
  const folder = newFolder()
  const { bots } = (await migrate(double, folder)).value
  const idOf = (sourceId: string) => bots.find((bot: Json) => bot.sourceId === sourceId).botId
  const params = { botId: idOf('source0') }
  await app.client.ok('deleteBot', { as: here.admin, params: { botId: idOf('source2') } })
  const isLive = async () =>
    (await listBots()).flatMap(({ id, publishedBotId }) => (publishedBotId ? [id] : [])).sort()
  const before = (await isLive()).length
  expect((await migrate(double, folder, app.url, ['--publish'])).code).toBe(1)
  expect(await isLive()).toEqual(expect.arrayContaining([idOf('source0'), idOf('source4')]))
  expect(await isLive()).toHaveLength(before + 2)
  await app.client.ok('unpublishBot', { as: here.admin, params })
  await migrate(double, folder, app.url, ['--publish'])
  expect(await isLive()).not.toContain(params.botId)
  await close(double.server)
})

test('migrate with --publish warns of a bot that cannot be published, and publishes the others', async () => {
  const double = await openDouble(5)
  const folder = newFolder()
  let rejected: string | undefined
  const proxy = createServer((incoming, response) => {
    const { method, url = '', headers } = incoming
    if (url.endsWith('/publish')) rejected ??= url
    if (url === rejected) {
      incoming.resume()
      response.writeHead(409, { 'content-type': 'application/json' })
      return void response.end(JSON.stringify({ code: 'CONFLICT', message: 'Not now', issues: [] }))
    }
    const forwarded = send(app.url + url, { method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 500, answer.headers)
      answer.pipe(response)
    })
    incoming.pipe(forwarded)
  })
  const url = await listen(proxy)
  for (let run = 0; run < 2; run++) {
    const { value } = await migrate(double, folder, url, ['--publish'])
    const warned = value.bots.flatMap(({ botId, warnings }: Json) =>
      warnings.filter((warning: string) => warning.endsWith(': Not now')).map(() => botId),
    )
    expect([value.bots.length, warned]).toEqual([5, [rejected?.split('/').at(-2)]])
    const live = (await listBots()).filter(
      ({ id, publishedBotId }) => publishedBotId && value.bots.some(({ botId }: Json) => botId === id),
    )
    expect(live).toHaveLength(2)
  }
  await close(proxy)
  await close(double.server)
})

test('migrate reports bots that cannot be imported, and imports the others', async () => {
  const double = await openDouble(3)
  double.bots[1].groups = 'none'
  const folder = newFolder()
  const ran = await migrate(double, folder)
  expect([ran.code, ran.value.migrated]).toEqual([1, 2])
  expect(ran.value.failed).toMatchObject([
    { sourceId: 'source1', name: 'Bot 1', reason: expect.stringContaining('groups') },
  ])
  double.bots[1].groups = structuredClone(flow.groups)
  expect((await migrate(double, folder)).value).toMatchObject({ migrated: 1, alreadyThere: 2, failed: [] })
  await close(double.server)
})

test('migrate continues without an earlier request that the service rejects meanwhile', async () => {
  const double = await openDouble(3)
  const folder = newFolder()
  const { workspaceId } = here
  const body = { workspaceId, bot: { ...double.bots[0], groups: 'none' } }
  const pending = { kind: 'bot', sourceId: 'source0', key: randomUUID(), body }
  const ends = { source: double.url, sourceWorkspaceId: 'w', target: app.url, workspaceId }
  const state = { ...ends, folders: {}, bots: {}, failed: {}, pending }
  writeFileSync(join(folder, 'bots-migration.json'), JSON.stringify(state))
  const ran = await migrate(double, folder)
  expect([ran.code, ran.err]).toEqual([0, ''])
  expect(ran.value).toMatchObject({ migrated: 3, failed: [] })
  await close(double.server)
})

test('migrate reports a folder that it cannot create, and creates it once it can', async () => {
  const double = await openDouble(3)
  const [folder] = double.folders
  folder.name = 'x'.repeat(10_000)
  const state = newFolder()
  const ran = await migrate(double, state)
  expect([ran.code, ran.value?.migrated, ran.value?.folders]).toEqual([1, 3, 1])
  expect(ran.value.failed).toMatchObject([
    { sourceId: 'f1', reason: expect.stringContaining('The folder was not made: body.folder.name') },
  ])
  folder.name = 'Sales'
  expect((await migrate(double, state)).value).toMatchObject({ migrated: 0, folders: 2, failed: [] })
  await close(double.server)
})

test('migrate rejects a wrong token, workspace and address, and a response that is too large', async () => {
  const double = await openDouble(2)
  const run = (url: string, from: string, token: string) =>
    runBots(app, top, ['migrate', url, '--from', from, '--workspace', here.workspaceId], {
      as: here.admin,
      folder: newFolder(),
      env: { BOTS_SOURCE_TOKEN: token },
    })
  expect((await run(double.url, 'w', 'wrong')).err).toContain('refuses the token')
  expect((await run(double.url, 'x', 'other-token')).err).toContain('has no workspace x')
  const large = createServer((_request, response) => {
    response.write('[')
    const piece = Buffer.alloc(1_000_000, ' ')
    for (let sent = 1; sent <= MAX_SOURCE_BYTES; sent += piece.length) response.write(piece)
    response.end(']')
  })
  const url = await listen(large)
  expect((await run(url, 'w', 'other-token')).err).toContain(`more than ${MAX_SOURCE_BYTES} bytes`)
  await close(large)
  await close(double.server)
})
