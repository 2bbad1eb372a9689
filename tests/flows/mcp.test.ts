import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { type App, startApp } from '../support/app.ts'
import type { Caller } from '../support/client.ts'
import { makeWorld, type Site, type World } from '../support/world.ts'

/* Tools of `/mcp`, called with the client of the official SDK, which knows nothing but the address. */

let app: App
let world: World
let here: Site
const clients: Client[] = []

beforeAll(async () => {
  app = await startApp()
  world = await makeWorld(app)
  here = world.here
})

afterAll(async () => {
  await Promise.all(clients.map((client) => client.close()))
  await app.stop()
})

async function connect({ token }: Caller, url = app.url): Promise<Client> {
  const client = new Client({ name: 'test', version: '1.0.0' })
  const headers = { Authorization: `Bearer ${token}` }
  await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit: { headers } }))
  clients.push(client)
  return client
}

// biome-ignore lint/suspicious/noExplicitAny: the value differs from tool to tool
type Value = any

async function attempt(
  client: Client,
  name: string,
  input: object,
): Promise<{ isError: boolean; value: Value }> {
  const result = await client.callTool({ name, arguments: { ...input } })
  const [content] = result.content as { text: string }[]
  return { isError: result.isError === true, value: JSON.parse(content?.text ?? '') }
}

async function use(client: Client, name: string, input: object): Promise<Value> {
  const { isError, value } = await attempt(client, name, input)
  if (isError) throw new Error(`${name}: ${JSON.stringify(value)}`)
  return value
}

async function rejectionOf(client: Client, name: string, input: object): Promise<Value> {
  const { isError, value } = await attempt(client, name, input)
  expect(isError).toBe(true)
  return value
}

const textBlock = (id: string, plainText: string) => ({ id, type: 'text', content: { plainText } })

/** Builds: greet, ask for a name, offer tea or coffee, answer by the choice. */
async function buildDrinksBot(client: Client, name: string) {
  const { workspaces } = await use(client, 'find_bots', {})
  const created = await use(client, 'create_bot', { workspaceId: workspaces[0].workspaceId, name })
  const [start] = created.events
  const changed = await use(client, 'change_flow', {
    botId: created.botId,
    etag: created.etag,
    changes: [
      { op: 'set_variable', variable: { id: 'name', name: 'Name' } },
      {
        op: 'add_group',
        id: 'welcome',
        title: 'Welcome',
        blocks: [
          textBlock('hello', 'Hello! Your name?'),
          { id: 'askName', type: 'text input', options: { variableId: 'name' } },
          {
            id: 'askDrink',
            type: 'choice input',
            items: [
              { id: 'tea', content: 'Tea' },
              { id: 'coffee', content: 'Coffee' },
            ],
          },
        ],
      },
      { op: 'add_group', id: 'teaGroup', title: 'Tea', blocks: [textBlock('teaText', 'Tea for {{Name}}')] },
      {
        op: 'add_group',
        id: 'coffeeGroup',
        title: 'Coffee',
        blocks: [textBlock('coffeeText', 'Coffee, {{Name}}?')],
      },
      { op: 'connect', from: { eventId: start.id }, to: { groupId: 'welcome' } },
      { op: 'connect', from: { blockId: 'askDrink', itemId: 'tea' }, to: { groupId: 'teaGroup' } },
      { op: 'connect', from: { blockId: 'askDrink', itemId: 'coffee' }, to: { groupId: 'coffeeGroup' } },
    ],
  })
  return { botId: created.botId as string, etag: changed.etag as string }
}

describe('a client that knows only /mcp', () => {
  test('builds a bot, previews its chats and publishes it, beside an edit of another member', async () => {
    const client = await connect(here.member)
    const { botId, etag } = await buildDrinksBot(client, 'Drinks')
    expect((await use(client, 'check_bot', { botId })).findings).toEqual([])

    const first = await use(client, 'preview_chat', { botId })
    expect(first).toMatchObject({ says: ['Hello! Your name?'], input: { type: 'text input' }, isOver: false })
    const { sessionId } = first
    const second = await use(client, 'preview_chat', { botId, sessionId, message: 'Ada' })
    expect(second.input).toMatchObject({ type: 'choice input', choices: ['Tea', 'Coffee'] })
    const third = await use(client, 'preview_chat', { botId, sessionId, message: 'Coffee' })
    expect(third).toMatchObject({ says: ['Coffee, Ada?'], isOver: true })

    // Somebody else renames a group meanwhile.
    const { bot } = await app.client.ok('getBot', { as: here.admin, params: { botId } })
    const groups = structuredClone(bot.groups) as { id: string; title: string }[]
    Object.assign(groups[0] as object, { title: 'Reception' })
    await app.client.ok('updateBot', {
      as: here.admin,
      params: { botId },
      body: { bot: { version: '6.1', groups } } as never,
    })
    const change = {
      op: 'update_block',
      blockId: 'teaText',
      set: { content: { plainText: 'Green tea, {{Name}}' } },
    }
    const stale = await rejectionOf(client, 'change_flow', { botId, etag, changes: [change] })
    expect(stale).toMatchObject({ code: 'PRECONDITION_FAILED', next: expect.stringContaining('read_flow') })
    expect(await rejectionOf(client, 'publish_bot', { botId, etag })).toMatchObject({
      code: 'PRECONDITION_FAILED',
    })

    const read = await use(client, 'read_flow', { botId })
    expect(read.groups[0]).toMatchObject({ id: 'welcome', title: 'Reception' })
    const changed = await use(client, 'change_flow', { botId, etag: read.etag, changes: [change] })
    const dry = await use(client, 'publish_bot', { botId, etag: changed.etag, dryRun: true })
    expect(dry).toEqual({ dryRun: true, wouldChange: expect.any(String), errors: [] })
    expect(await use(client, 'publish_bot', { botId, etag: changed.etag })).toMatchObject({ errorsFound: 0 })

    const { publishedBot } = await app.client.ok('getPublishedBot', { as: here.member, params: { botId } })
    expect(publishedBot.groups).toMatchObject([{ title: 'Reception' }, { title: 'Tea' }, { title: 'Coffee' }])
    expect(JSON.stringify(publishedBot.groups)).toContain('Green tea')
    const { entries } = await app.client.ok('listAuditLog', {
      as: here.admin,
      params: { workspaceId: here.workspaceId },
    })
    expect(entries.slice(0, 2)).toMatchObject([{ operation: 'publishBot' }, { operation: 'createBot' }])
  })
})

describe('reads', () => {
  test('list the tools, guides and schemas', async () => {
    const client = await connect(here.guest)
    const { tools } = await client.listTools()
    expect(tools).toHaveLength(15)
    const destructive = tools
      .filter(({ annotations }) => annotations?.destructiveHint)
      .map(({ name }) => name)
    expect(destructive).toEqual(['change_flow', 'publish_bot', 'restore_publication', 'delete_bot'])
    for (const { name, inputSchema } of tools) {
      const takesDryRun = Object.hasOwn(inputSchema.properties ?? {}, 'dryRun')
      expect([name, takesDryRun]).toEqual([name, destructive.includes(name)])
    }
    const { resources } = await client.listResources()
    const uris = resources.map(({ uri }) => uri)
    expect(uris).toEqual(expect.arrayContaining(['bots://guides/flows', 'bots://schemas/bot-6.1.json']))
    const { contents } = await client.readResource({ uri: 'bots://guides/flows' })
    expect(contents).toMatchObject([{ mimeType: 'text/markdown', text: expect.stringMatching(/^# /) }])
    await expect(client.readResource({ uri: 'bots://guides/../../package.json' })).rejects.toThrow(
      'no such resource',
    )
  })

  test('find bots by a part of the name, and outline a flow in a legacy version', async () => {
    const client = await connect(here.guest)
    const { name } = (await app.client.ok('getBot', { as: here.guest, params: { botId: here.legacy.id } }))
      .bot
    const { workspaces } = await use(client, 'find_bots', { name: name.slice(1).toUpperCase() })
    expect(workspaces[0].bots.map(({ id }: { id: string }) => id)).toContain(here.legacy.id)
    expect(await use(client, 'find_bots', { name: 'no such name' })).toMatchObject({
      workspaces: [{ bots: [] }],
    })
    const outline = await use(client, 'read_flow', { botId: here.legacy.id })
    expect(outline).toMatchObject({
      events: [{ type: 'start', to: { groupId: 'group-1' } }],
      groups: [
        { id: 'group-1', blocks: [{ id: 'block-hello', type: 'text', text: 'Hi' }, { type: 'email input' }] },
      ],
    })
    const group = await use(client, 'read_flow', { botId: here.legacy.id, groupId: 'group-1' })
    expect(group.group.blocks[1].options).toEqual({ variableId: 'variable-email' })
  })

  test('describe every type of block with a schema that has all its definitions', async () => {
    const client = await connect(here.guest)
    const families = await use(client, 'describe_block', {})
    expect(families.input).toHaveProperty('email input')
    const types = Object.values<Record<string, string>>(families).flatMap((family) => Object.keys(family))
    for (const type of [...types.slice(0, 12), 'Condition', 'Webhook', 'openai']) {
      const { schema } = await use(client, 'describe_block', { type })
      const references = [...JSON.stringify(schema).matchAll(/#\/definitions\/(\w+)/g)].map(
        ([, name]) => name,
      )
      expect([type, references.filter((name) => !((name as string) in schema.definitions))]).toEqual([
        type,
        [],
      ])
    }
    expect(await rejectionOf(client, 'describe_block', { type: 'constructor' })).toMatchObject({
      issues: [{ path: ['type'] }],
    })
  })

  test('return results with long texts truncated, and statistics', async () => {
    const client = await connect(here.member)
    const botId = here.published.id
    const { results, nextCursor } = await use(client, 'list_results', { botId, limit: 1 })
    expect(results).toHaveLength(1)
    const next = await use(client, 'list_results', { botId, limit: 1, cursor: nextCursor })
    expect(next.results[0].id).not.toBe(results[0].id)
    expect(await use(client, 'get_stats', { botId, timeFilter: 'allTime' })).toHaveProperty(
      'stats.totalStarts',
    )
    const rejected = await rejectionOf(client, 'list_results', { botId, limit: 1000 })
    expect(rejected).toMatchObject({ code: 'BAD_REQUEST', issues: [{ path: ['limit'] }] })
  })
})

describe('writes', () => {
  test('report their effect in a dry run, and do nothing', async () => {
    const client = await connect(here.member)
    const { botId, etag } = await buildDrinksBot(client, 'Dry')
    const { publication } = await publishTwice(client, botId, etag)
    const read = await use(client, 'read_flow', { botId })
    const remove = { op: 'remove_group', groupId: 'teaGroup' }
    const input = { botId, etag: read.etag, dryRun: true }
    const change = await use(client, 'change_flow', { ...input, changes: [remove] })
    expect(change.wouldChange.join('\n')).toContain('Group "Tea" was removed')
    const restore = await use(client, 'restore_publication', { ...input, publicationId: publication })
    expect(restore.wouldChange.join('\n')).toContain('"Late" was removed')
    expect(await use(client, 'delete_bot', input)).toMatchObject({ wouldDelete: { name: 'Dry', groups: 4 } })
    expect((await use(client, 'read_flow', { botId })).etag).toBe(read.etag)

    const stale = { botId, etag, dryRun: true }
    for (const [name, more] of Object.entries({
      change_flow: { changes: [remove] },
      publish_bot: {},
      restore_publication: { publicationId: publication },
      delete_bot: {},
    })) {
      const dry = await rejectionOf(client, name, { ...stale, ...more })
      const real = await rejectionOf(client, name, { ...stale, ...more, dryRun: false })
      expect([name, dry.code, real.code]).toEqual([name, 'PRECONDITION_FAILED', 'PRECONDITION_FAILED'])
    }
    await use(client, 'restore_publication', { botId, etag: read.etag, publicationId: publication })
    const restored = await use(client, 'read_flow', { botId })
    expect(restored.groups).toHaveLength(3)
    await use(client, 'delete_bot', { botId, etag: restored.etag })
    expect(await rejectionOf(client, 'read_flow', { botId })).toMatchObject({ code: 'NOT_FOUND' })
  })

  test('are rejected as a whole where one change is invalid, with its index', async () => {
    const client = await connect(here.member)
    const { botId, etag } = await buildDrinksBot(client, 'Whole')
    const good = { op: 'update_group', groupId: 'welcome', title: 'New' }
    for (const [bad, message] of [
      [{ op: 'remove_block', blockId: 'nothing' }, 'no block nothing'],
      [
        { op: 'connect', from: { blockId: 'askDrink', itemId: 'no' }, to: { groupId: 'teaGroup' } },
        'no item no',
      ],
      [{ op: 'connect', from: { blockId: 'hello' }, to: { groupId: 'nowhere' } }, 'no group nowhere'],
      [{ op: 'add_group', id: 'welcome', title: 'Twice' }, 'already'],
      [{ op: 'add_block', groupId: 'welcome', block: { id: 'hello', type: 'text' } }, 'already'],
      [{ op: 'set_bot', set: { workspaceId: 'x' } }, 'not workspaceId'],
    ] as const) {
      const rejected = await rejectionOf(client, 'change_flow', { botId, etag, changes: [good, bad] })
      expect(rejected.issues).toMatchObject([
        { path: ['changes', '1'], message: expect.stringContaining(message) },
      ])
    }
    // The contract of the operation rejects what the editor of the flow accepts.
    const wrong = { op: 'update_block', blockId: 'askName', set: { options: { variableId: 7 } } }
    for (const dryRun of [true, false]) {
      const rejected = await rejectionOf(client, 'change_flow', {
        botId,
        etag,
        changes: [good, wrong],
        dryRun,
      })
      expect(rejected.issues[0].path.join('.')).toBe('bot.groups.0.blocks.1.options.variableId')
    }
    expect((await use(client, 'read_flow', { botId })).groups[0].title).toBe('Welcome')
  })

  test('need the role and the scope of the operations', async () => {
    const guest = await connect(here.guest)
    const { etag } = await use(guest, 'read_flow', { botId: here.draft.id })
    const changes = [{ op: 'set_bot', set: { name: 'Mine' } }]
    const rejected = await rejectionOf(guest, 'change_flow', { botId: here.draft.id, etag, changes })
    expect(rejected).toMatchObject({ code: 'FORBIDDEN', issues: [{ code: 'role_too_low' }] })
    const stranger = await connect(world.stranger)
    expect(await rejectionOf(stranger, 'read_flow', { botId: here.draft.id })).toMatchObject({
      code: 'FORBIDDEN',
      issues: [{ code: 'no_role' }],
    })
    const { apiToken } = await app.client.ok('createToken', {
      as: here.member,
      body: { name: 'Reader', scopes: ['read'] },
    })
    const reader = await connect(apiToken)
    expect(await rejectionOf(reader, 'publish_bot', { botId: here.draft.id, etag })).toMatchObject({
      issues: [{ code: 'missing_scope' }],
    })
    expect(await rejectionOf(reader, 'list_results', { botId: here.published.id })).toMatchObject({
      issues: [{ code: 'missing_scope' }],
    })
  })
})

/** Publishes, adds a group and publishes again; `publication` is the first. */
async function publishTwice(client: Client, botId: string, etag: string) {
  await use(client, 'publish_bot', { botId, etag })
  const { publications } = await use(client, 'list_publications', { botId })
  const read = await use(client, 'read_flow', { botId })
  const changes = [{ op: 'add_group', title: 'Late' }]
  const changed = await use(client, 'change_flow', { botId, etag: read.etag, changes })
  await use(client, 'publish_bot', { botId, etag: changed.etag })
  return { publication: publications[0].id as string }
}

describe('the endpoint', () => {
  const accept = { Accept: 'application/json, text/event-stream' }
  const message = (method: string, params: object = {}) => ({ jsonrpc: '2.0', id: 1, method, params })
  /** Not by the client of the tests, which holds answers against a document that does not list this path. */
  async function send(body: unknown, { as = here.member, method = 'POST', headers = {} }: Sending = {}) {
    const response = await fetch(`${app.url}/mcp`, {
      method,
      headers: {
        ...accept,
        'Content-Type': 'application/json',
        ...(as && { Authorization: `Bearer ${as.token}` }),
        ...headers,
      },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    const text = await response.text()
    return {
      status: response.status,
      headers: response.headers,
      body: text === '' ? undefined : JSON.parse(text),
    }
  }
  interface Sending {
    as?: Caller | null
    method?: string
    headers?: Record<string, string>
  }

  test('sends 401 to a missing, wrong, expired or revoked token before it reads a body', async () => {
    for (const as of [null, world.unknown, world.expired, world.revoked, { token: 'botb_pat_short' }]) {
      const { status, headers } = await send('{', { as })
      expect([status, headers.get('www-authenticate')]).toEqual([401, expect.stringContaining('Bearer')])
    }
  })

  test('sends 405 to a request for a stream or the end of a session', async () => {
    for (const method of ['GET', 'DELETE']) {
      const { status, headers } = await send(undefined, { method })
      expect([status, headers.get('allow')]).toEqual([405, 'OPTIONS, POST'])
    }
  })

  test('rejects a malformed message, and continues', async () => {
    expect((await send('{')).status).toBe(400)
    expect((await send([message('ping')])).status).toBe(400)
    expect((await send({ method: 'ping' })).status).toBe(400)
    expect((await send(message('ping'), { headers: { Accept: 'text/html' } })).status).toBe(406)
    expect((await send(message('ping'), { headers: { 'Content-Type': 'text/plain' } })).status).toBe(415)
    expect((await send(message('ping'), { headers: { Origin: 'https://evil.example' } })).status).toBe(403)
    const deep = `{"jsonrpc":"2.0","id":1,"method":"ping","params":${'['.repeat(5000)}${']'.repeat(5000)}}`
    expect((await send(deep)).status).toBe(400)
    expect((await send('{"jsonrpc":"2.0","id":1,"method":"ping","params":{"__proto__":{}}}')).status).toBe(
      400,
    )
    expect((await send(message('x'.repeat(300_000)))).status).toBe(413)
    expect((await send(message('no/such/method'))).body.error.code).toBe(-32601)
    const unknown = message('tools/call', { name: 'constructor', arguments: {} })
    expect((await send(unknown)).body.error.code).toBe(-32602)
    expect((await send({ jsonrpc: '2.0', method: 'notifications/initialized' })).status).toBe(202)
    expect((await send(message('ping'))).body).toEqual({ jsonrpc: '2.0', id: 1, result: {} })
  })

  test('rejects an argument that is longer than the head of a request can be, and continues', async () => {
    const client = await connect(here.member)
    const botId = here.published.id
    const rejected = await rejectionOf(client, 'list_results', { botId, variable: `x:${'y'.repeat(20_000)}` })
    expect(rejected).toMatchObject({ code: 'REQUEST_HEADER_FIELDS_TOO_LARGE' })
    expect(await use(client, 'list_results', { botId })).toMatchObject({ results: expect.any(Array) })
  })

  test('rejects wrong arguments of every tool with an error that an agent reads', async () => {
    const client = await connect(here.member)
    const { tools } = await client.listTools()
    for (const { name } of tools) {
      for (const input of [
        { botId: { a: 1 } },
        { botId: '../../livez', etag: 'x' },
        { workspaceId: ['a'], more: 1 },
      ]) {
        const { isError, value } = await attempt(client, name, input)
        expect([name, isError, typeof value.code]).toEqual([name, true, 'string'])
      }
    }
  })

  test('returns no result of more bytes than the table says', async () => {
    const client = await connect(here.member)
    const { botId, etag } = await buildDrinksBot(client, 'Large')
    const text = 'ä'.repeat(49_000)
    const set = (plainText: string) => [
      { op: 'update_block', blockId: 'teaText', set: { content: { plainText } } },
    ]
    const fits = await use(client, 'change_flow', { botId, etag, changes: set(text) })
    expect(await use(client, 'read_flow', { botId, groupId: 'teaGroup' })).toHaveProperty('group')
    await use(client, 'change_flow', { botId, etag: fits.etag, changes: set(`${text}${'ä'.repeat(1_000)}`) })
    const rejected = await rejectionOf(client, 'read_flow', { botId, groupId: 'teaGroup' })
    expect(rejected.issues[0].message).toMatch(/has 100\d{3} bytes, and 100000 are given/)
    expect((await use(client, 'read_flow', { botId })).groups).toHaveLength(3)
  })

  test('counts each call for the token, and says so beyond the limit', async () => {
    const limited = await startApp({
      databaseUrl: app.databaseUrl,
      config: { RATE_LIMIT: true, RATE_LIMIT_TOKEN: 12 },
    })
    try {
      const client = await connect(here.admin, limited.url)
      const calls = await Promise.allSettled(
        Array.from({ length: 8 }, () => attempt(client, 'read_flow', { botId: here.draft.id })),
      )
      const codes = calls.map((call) => (call.status === 'fulfilled' ? call.value.value.code : 'refused'))
      expect(
        codes.filter((code) => code === 'TOO_MANY_REQUESTS' || code === 'refused').length,
      ).toBeGreaterThan(0)
      expect(codes.filter((code) => code === undefined).length).toBeGreaterThan(0)
    } finally {
      await limited.stop()
    }
  })
})
