import { request as sendRequest } from 'node:http'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { issueCodes } from '../../contract/errors.ts'
import { operations } from '../../contract/index.ts'
import { protocols } from '../../contract/tools/protocol.ts'
import { viewerOperations } from '../../contract/viewer.ts'
import { visitorOperations } from '../../server/hosts/gate.ts'
import { botHost } from '../../server/hosts/visited.ts'
import { type App, startApp } from '../support/app.ts'
import { ask, bot, text } from '../support/chat.ts'
import { publish } from '../support/chats.ts'
import { waitingForLocks } from '../support/locks.ts'
import { until } from '../support/process.ts'
import { signIn } from '../support/sign-in.ts'
import { makeWorld, type World } from '../support/world.ts'

/* Hosts that serve chats alone: nothing of members is found there. */

const MAIN = 'bots.example.com'
const CHATS = 'chats.example.com'

let app: App
let world: World
beforeAll(async () => {
  app = await startApp({
    config: {
      PUBLIC_URL: `https://${MAIN}`,
      CHAT_URL: `https://${CHATS}`,
      OWN_HOSTS: ['intern.example.net'],
      TRUST_PROXY: ['10.1.1.1'],
      SITE_NAME: 'Paper & Co',
    },
  })
  world = await makeWorld(app)
})
afterAll(() => app.stop())

interface Sent {
  method?: string
  host?: string
  headers?: Record<string, string>
  body?: unknown
}

/** Sends a request with a Host of its own, which `fetch` does not let callers choose. */
function send(path: string, { method = 'GET', host = CHATS, headers = {}, body }: Sent = {}) {
  const bytes = body === undefined ? undefined : JSON.stringify(body)
  const type = bytes === undefined ? {} : { 'Content-Type': 'application/json' }
  return new Promise<{ status: number; headers: Record<string, string>; text: string }>((resolve, reject) => {
    const request = sendRequest(
      `${app.url}${path}`,
      { method, headers: { Host: host, ...type, ...headers } },
      (response) => {
        const pieces: Buffer[] = []
        response.on('data', (piece) => pieces.push(piece))
        response.once('error', reject)
        response.once('end', () =>
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers as Record<string, string>,
            text: Buffer.concat(pieces).toString(),
          }),
        )
      },
    )
    request.once('error', reject)
    request.end(bytes)
  })
}

const all = { ...operations, ...protocols, ...viewerOperations }
const ofVisitors = visitorOperations(all)

test('visitors share no path with members, since a path decides on a host of chats', () => {
  const paths = new Set(Object.values(ofVisitors).map(({ path }) => path.replaceAll(/\{\w+\}/g, '{}')))
  const others = Object.entries(all).filter(([id]) => !Object.hasOwn(ofVisitors, id))
  expect(paths.size).toBeGreaterThan(5)
  expect(others.filter(([, { path }]) => paths.has(path.replaceAll(/\{\w+\}/g, '{}')))).toEqual([])
})

describe('on the host of CHAT_URL', () => {
  test('no operation of members is found, even with a token of all scopes', async () => {
    const headers = { Authorization: `Bearer ${world.here.admin.token}` }
    for (const [id, { method, path }] of Object.entries(all)) {
      if (Object.hasOwn(ofVisitors, id)) continue
      const filled = path.replaceAll('{botId}', world.here.published.id).replaceAll(/\{\w+\}/g, 'x1')
      const answer = await send(filled, { method: method.toUpperCase(), headers })
      expect([id, answer.status, JSON.parse(answer.text).code]).toEqual([id, 404, 'NOT_FOUND'])
    }
  })

  test.each([
    '/',
    '/bots',
    '/bots/files/app.js',
    '/move',
    '/members',
    '/credentials',
    '/account',
    '/results',
    '/sign-in',
    '/sign-in/openid',
    '/device',
    '/credentials/google',
    '/credentials/google/callback',
    '/session/token',
    '/invitations/abc',
    '/docs',
    '/openapi.yaml',
    '/metrics',
    '/hooks/stripe/abc',
    '/chat/~draft',
    '/chat/%7Edraft',
    '/sandbox',
    '//bots',
    '/chat/../bots',
    '/chat/%2e%2e/bots',
  ])('the page %s is not found by a signed-in member, and sets no cookie', async (path) => {
    const { headers } = await signIn(app, world.here.admin)
    for (const method of ['GET', 'POST']) {
      const answer = await send(path, { method, headers: { ...headers, Origin: `https://${CHATS}` } })
      expect([method, answer.status === 404 || answer.status === 405]).toEqual([method, true])
      expect(answer.headers['set-cookie']).toBeUndefined()
      expect(answer.text).not.toMatch(/<form|"token"/)
    }
  })

  test('a browser gets a 404 page', async () => {
    const answer = await send('/bots', { headers: { Accept: 'text/html' } })
    expect(answer.headers['content-type']).toContain('text/html')
    expect(answer.text).not.toContain('<a ')
  })

  test.each([CHATS, CHATS.toUpperCase(), `${CHATS}.`, `${CHATS}:8443`])(
    'a chat runs from its page to its response: %s',
    async (host) => {
      const made = await publish(app, world.here, bot({ Start: [text('Hi'), ask(), text('Bye')] }))
      const page = await send(`/chat/${made.publicId}`, { host })
      expect(page.status).toBe(200)
      const path = `/api/v1/bots/${made.publicId}/startChat`
      const started = await send(path, { host, method: 'POST', body: {} })
      const { sessionId } = JSON.parse(started.text)
      const next = await send(`/api/v1/sessions/${sessionId}/continueChat`, {
        host,
        method: 'POST',
        body: { message: { type: 'text', text: 'Yes' } },
      })
      expect(JSON.parse(next.text).messages[0].content.richText[0].children[0].text).toBe('Bye')
      expect((await send('/bots', { host })).status).toBe(404)
    },
  )

  test('the script for other sites, its files and the probes are found', async () => {
    for (const path of ['/embed.js', '/chat/files/page.js', '/livez', '/readyz'])
      expect([path, (await send(path)).status]).toEqual([path, 200])
  })

  test('a slash behind the address of a chat leads to the chat on the same host', async () => {
    const answer = await send('/chat/hello/?Plan=Pro')
    expect([answer.status, answer.headers.location]).toEqual([308, `https://${CHATS}/chat/hello?Plan=Pro`])
  })

  test('browsers get Strict-Transport-Security', async () => {
    expect((await send('/livez')).headers['strict-transport-security']).toMatch(/^max-age=\d+$/)
  })
})

test('the page allows code of others on the host of chats alone, and has a nonce there', async () => {
  const settings = { metadata: { customHeadCode: '<script>1</script>' } }
  const made = await publish(app, world.here, bot({ Start: [text('Hi'), ask()] }, { settings }))
  const path = `/chat/${made.publicId}`
  const [own, apart] = [await send(path, { host: MAIN }), await send(path)]
  expect(own.headers['content-security-policy']).toContain("script-src 'self';")
  expect(own.text).not.toMatch(/nonce|id="foreign"/)
  const [, nonce] =
    /'nonce-([\w-]+)' 'strict-dynamic'/.exec(apart.headers['content-security-policy'] ?? '') ?? []
  const scripts = [...apart.text.matchAll(/<script(?! type="application\/json")[^>]*>/g)].map(([tag]) => tag)
  expect(scripts).toHaveLength(2)
  expect(scripts.every((tag) => tag.includes(`nonce="${nonce}"`))).toBe(true)
})

test.each([true, false, undefined])(
  'the page shows the name of the installation with branding %s',
  async (isOn) => {
    const settings = { general: { isBrandingEnabled: isOn } }
    const made = await publish(app, world.here, bot({ Start: [text('Hi'), ask()] }, { settings }))
    const page = await send(`/chat/${made.publicId}`)
    expect(page.text.includes('>Paper &amp; Co</footer>')).toBe(isOn === true)
  },
)

describe('at a domain of its own', () => {
  async function botAt(customDomain: string, site: 'here' | 'there' = 'here') {
    const { workspaceId, member } = world[site]
    const settings = {
      metadata: { customHeadCode: '<script>1</script>' },
      security: { allowedOrigins: ['https://shop.example'] },
    }
    const made = await publish(
      app,
      { workspaceId, member },
      bot({ Start: [text('Hi'), ask()] }, { settings }),
    )
    await app.client.ok('updateBot', {
      as: member,
      params: { botId: made.id },
      body: { bot: { version: '6.1', customDomain } },
    })
    return made
  }

  test('a bot has its page and its chat, whatever the spelling of the host', async () => {
    const made = await botAt('Chat.Shop.example')
    for (const host of ['chat.shop.example', 'CHAT.shop.example.', 'chat.shop.example:8443']) {
      const page = await send('/', { host })
      expect([page.status, page.text]).toEqual([200, expect.stringContaining(`data-bot="${made.publicId}"`)])
      expect(page.headers['content-security-policy']).toContain("'strict-dynamic'")
      expect(page.headers['strict-transport-security']).toBeUndefined()
    }
    const startFrom = (Origin: string) =>
      send(`/api/v1/bots/${made.publicId}/startChat`, {
        host: 'chat.shop.example',
        method: 'POST',
        headers: { Origin },
        body: {},
      })
    expect((await startFrom('http://foreign.example')).status).toBe(403)
    expect((await startFrom('http://chat.shop.example')).status).toBe(200)
  })

  test('paths of one host are bots of their own, and slashes at the end do not count', async () => {
    const [top, help] = [await botAt('paths.example'), await botAt('paths.example/help/Desk')]
    const at = async (path: string) =>
      /data-bot="([\w-]+)"/.exec((await send(path, { host: 'paths.example' })).text)?.[1]
    expect([await at('/'), await at('/help/desk'), await at('/help/Desk/?x=1')]).toEqual([
      top.publicId,
      help.publicId,
      help.publicId,
    ])
    expect((await send('/help', { host: 'paths.example' })).status).toBe(404)
  })

  test.each([
    '/bots',
    '/sign-in',
    '/device',
    '/docs',
    '/openapi.yaml',
    '/v1/workspaces',
    '/v1/deviceLogins',
    '/session/token',
    '/hosts/known',
  ])('%s is not found', async (path) => {
    await botAt(`apart-${path.replaceAll(/\W/g, '')}.example`)
    const host = `apart-${path.replaceAll(/\W/g, '')}.example`
    const headers = { Authorization: `Bearer ${world.here.admin.token}` }
    expect((await send(path, { host, headers })).status).toBe(404)
  })

  test('the bots of others are not found, and its own are at their public ids', async () => {
    const [own, other] = [await botAt('own.example'), await botAt('other.example', 'there')]
    expect((await send(`/chat/${own.publicId}`, { host: 'own.example' })).status).toBe(200)
    expect((await send(`/chat/${other.publicId}`, { host: 'own.example' })).status).toBe(404)
    expect((await send(`/chat/${other.publicId}`)).status).toBe(200)
  })

  test('chats of others are neither started nor read nor continued there', async () => {
    const [own, other] = [await botAt('till.example'), await botAt('else.example', 'there')]
    const start = (publicId: string, host: string) =>
      send(`/api/v1/bots/${publicId}/startChat`, { host, method: 'POST', body: {} })
    expect((await start(other.publicId, 'till.example')).status).toBe(404)
    const started = await start(other.publicId, 'else.example')
    const { sessionId } = JSON.parse(started.text)
    const path = `/api/v1/sessions/${sessionId}`
    const requests: [string, string, unknown, number][] = [
      ['GET', path, undefined, 404],
      ['GET', `${path}/events`, undefined, 404],
      [
        'POST',
        `/api/v2/sessions/${sessionId}/clientLogs`,
        { clientLogs: [{ status: 'info', description: 'x' }] },
        400,
      ],
      ['POST', `${path}/continueChat`, { message: 'Yes' }, 404],
    ]
    for (const [method, path, body, status] of requests)
      expect([path, (await send(path, { host: 'till.example', method, body })).status]).toEqual([
        path,
        status,
      ])
    const upload = await send(`${path}/uploads?fileName=a.txt`, {
      host: 'till.example',
      method: 'POST',
      headers: { 'Content-Type': 'application/octet-stream' },
      body: 'x',
    })
    expect(upload.status).toBe(404)
    const { status } = await send(path, { host: 'else.example' })
    expect([status, (await start(own.publicId, 'till.example')).status]).toEqual([200, 200])
  })

  test('a host belongs to the workspace that has a domain on it, with all of its paths', async () => {
    const made = await botAt('shared.example')
    await botAt('shared.example/help')
    const { id } = await publish(app, world.there, bot({ Start: [text('Mine')] }))
    const claim = (customDomain: string) =>
      app.client.call('updateBot', {
        as: world.there.admin,
        params: { botId: id },
        body: { bot: { version: '6.1', customDomain } },
      })
    for (const domain of ['shared.example', 'shared.example/x', 'SHARED.example/help/deep']) {
      const { status, body } = await claim(domain)
      expect([domain, status, body.issues]).toMatchObject([domain, 400, [{ code: 'taken' }]])
    }
    expect((await send('/', { host: 'shared.example' })).text).toContain(`data-bot="${made.publicId}"`)
  })

  test.each([
    [MAIN, 'is a host of the service'],
    [`${MAIN}/help`, 'is a host of the service'],
    [CHATS.toUpperCase(), 'is a host of the service'],
    ['intern.example.net', 'is a host of the service'],
    [`shop.${MAIN}`, `shares cookies with ${MAIN}`],
    [`a.b.${CHATS}/x`, `shares cookies with ${CHATS}`],
    ['example.net', 'shares cookies with intern.example.net'],
  ])('%s cannot be named, since it %s', async (customDomain, reason) => {
    const { workspaceId, member, draft } = world.here
    const updated = await app.client.call('updateBot', {
      as: member,
      params: { botId: draft.id },
      body: { bot: { version: '6.1', customDomain } },
    })
    const created = await app.client.call('createBot', {
      as: member,
      body: { workspaceId, bot: { name: 'Own', customDomain } } as never,
    })
    for (const { status, body } of [updated, created]) {
      expect(status).toBe(400)
      expect(body.issues).toMatchObject([
        {
          code: 'reserved_host',
          path: ['body', 'bot', 'customDomain'],
          message: expect.stringContaining(reason),
        },
      ])
    }
  })

  test('two workspaces that set one host at once get it for one of them', async () => {
    const [one, other] = [world.here, world.there]
    const made = await Promise.all(
      [one, other].map((site) => publish(app, site, bot({ Start: [text('Hi')] }))),
    )
    let asked = 0
    app.beforeStatement = async (statement) => {
      if (statement.includes('pg_advisory_xact_lock')) asked += 1
      // On a cluster a change of names, which every node has, keeps the others waiting before they ask.
      if (statement.includes('INSERT INTO "custom_domains"'))
        await until(
          'the other has asked, or waits',
          async () => asked === 2 || (await waitingForLocks(app.pool)) > 0,
        )
    }
    const statuses = await Promise.all(
      [one, other].map(
        async (site, index) =>
          (
            await app.client.call('updateBot', {
              as: site.admin,
              params: { botId: made[index]?.id ?? '' },
              body: { bot: { version: '6.1', customDomain: `raced.example/${index}` } },
            })
          ).status,
      ),
    )
    app.beforeStatement = undefined
    expect(statuses.sort()).toEqual([200, 400])
  })

  test('a host with a bot of another workspace is taken, however many deleted ones it has', async () => {
    const { here } = await makeWorld(app)
    await app.pool.query(
      `WITH made AS (
        INSERT INTO bots (id, workspace_id, name, version, revision, created_at, updated_at)
        SELECT 'crowd-' || n, $1, 'Bot', '6.1', 1, now(), now() FROM generate_series(1, 1000) n RETURNING id
      ) INSERT INTO custom_domains (domain, bot_id) SELECT 'crowd.example/' || id, id FROM made`,
      [here.workspaceId],
    )
    const params = { workspaceId: here.workspaceId }
    await app.client.ok('deleteWorkspace', { as: here.admin, params })
    await botAt('crowd.example', 'there')
    const made = await publish(app, world.here, bot({ Start: [text('Hi')] }))
    const rejected = await app.client.call('updateBot', {
      as: world.here.member,
      params: { botId: made.id },
      body: { bot: { version: '6.1', customDomain: 'crowd.example/mine' } },
    })
    expect(rejected.body).toMatchObject({ issues: [{ code: 'taken' }] })
  })

  test('an unpublished bot has the page that says so', async () => {
    const made = await botAt('closed.example')
    await app.client.ok('unpublishBot', { as: world.here.member, params: { botId: made.id } })
    expect((await send('/', { host: 'closed.example' })).status).toBe(404)
  })

  test('a deleted bot frees its domain at once, for another workspace', async () => {
    const made = await botAt('moved.example')
    await app.client.ok('deleteBot', { as: world.here.admin, params: { botId: made.id } })
    expect((await send('/', { host: 'moved.example' })).text).not.toContain('data-bot')
    const next = await botAt('moved.example', 'there')
    expect((await send('/', { host: 'moved.example' })).text).toContain(`data-bot="${next.publicId}"`)
  })

  test('a deleted workspace frees its domains at once', async () => {
    const { workspace } = await app.client.ok('createWorkspace', {
      as: world.here.admin,
      body: { name: 'Short' },
    })
    const owner = { workspaceId: workspace.id, member: world.here.admin }
    const made = await publish(app, owner, bot({ Start: [text('Hi')] }))
    await app.client.ok('updateBot', {
      as: world.here.admin,
      params: { botId: made.id },
      body: { bot: { version: '6.1', customDomain: 'short.example' } },
    })
    expect((await send('/', { host: 'short.example' })).status).toBe(200)
    await app.client.ok('deleteWorkspace', { as: world.here.admin, params: { workspaceId: workspace.id } })
    expect((await send('/', { host: 'short.example' })).status).toBe(404)
    const known = () => send('/hosts/known?domain=short.example', { host: MAIN })
    expect((await known()).status).toBe(404)
    const next = await botAt('short.example', 'there')
    expect((await send('/', { host: 'short.example' })).text).toContain(`data-bot="${next.publicId}"`)
    expect((await known()).status).toBe(200)
  })

  test.each([MAIN, 'deep.internal', 'service.default.svc.cluster.local'])(
    'the host %s stays that of the service, whatever bot names it',
    async (host) => {
      // As from before the configuration named the host.
      for (const [nth, domain] of [`${host}/help`, host].entries()) {
        const made = await botAt(`named${nth}.example`)
        await app.pool.query('UPDATE custom_domains SET domain = $1 WHERE bot_id = $2', [domain, made.id])
      }
      const page = await send('/', { host, headers: { Accept: 'text/html' } })
      expect([page.status, page.text]).toEqual([200, expect.not.stringContaining('data-bot')])
      expect((await send('/openapi.json', { host })).status).toBe(200)
    },
  )

  test('no host belongs to a bot where the service does not know its own', async () => {
    await botAt('members.example')
    const unnamed = await startApp({ databaseUrl: app.databaseUrl, config: { TRUST_PROXY: ['loopback'] } })
    try {
      const headers = { 'X-Forwarded-Host': 'members.example' }
      expect((await fetch(`${unnamed.url}/openapi.json`, { headers })).status).toBe(200)
    } finally {
      await unnamed.stop()
    }
  })

  test('a chat host is optional', async () => {
    const made = await botAt('checked.example')
    const { findings } = await app.client.ok('checkBot', {
      as: world.here.member,
      params: { botId: made.id },
    })
    expect(findings.map(({ code }) => code)).not.toContain('needs_chat_host')
  })

  test('the return address of payments takes no more than a port from the header', () => {
    const trusting = botHost({ host: 'pay.example:8443', protocol: 'https' } as never, 'pay.example')
    expect(trusting.url).toBe('https://pay.example:8443')
    const odd = botHost({ host: 'pay.example:80@other.example', protocol: 'http' } as never, 'pay.example')
    expect(odd.url).toBe('http://pay.example')
  })
})

describe('the certificate check of a proxy', () => {
  const ask = (query: string) => send(`/hosts/known${query}`, { host: '127.0.0.1' })

  test.each([MAIN, CHATS, CHATS.toUpperCase()])('confirms that %s is known', async (name) => {
    expect((await ask(`?domain=${name}`)).status).toBe(200)
  })

  test('rejects unknown hosts, in every spelling', async () => {
    for (const name of ['nobody.example', encodeURIComponent('bücher.example')]) {
      const answer = await ask(`?domain=${name}`)
      expect(answer.status).toBe(404)
      expect(Object.keys(issueCodes)).toContain(JSON.parse(answer.text).issues[0].code)
    }
  })

  test.each([
    '',
    '?domain=',
    '?domain=a.example&domain=b.example',
    '?domain=a%2Fb',
    `?domain=${'a'.repeat(300)}.example`,
  ])('gets a 400 for %s', async (query) => {
    const answer = await ask(query)
    expect(answer.status).toBe(400)
    expect(Object.keys(issueCodes)).toContain(JSON.parse(answer.text).issues[0].code)
  })

  test('needs no look-up for hosts of the service, and one for a strange host in a second', async () => {
    const count = () => app.statements.filter((text) => text.includes('split_part')).length
    app.statements.length = 0
    await send('/openapi.json', { host: MAIN })
    await send('/openapi.json', { host: '127.0.0.1:3000' })
    expect(count()).toBe(0)
    for (let times = 0; times < 3; times += 1) await send('/openapi.json', { host: 'strange.example' })
    expect(count()).toBe(1)
  })
})

describe('a forwarded host', () => {
  test('is read from the trusted proxy alone', async () => {
    const headers = { 'X-Forwarded-Host': CHATS }
    expect((await send('/openapi.json', { host: MAIN, headers })).status).toBe(200)
    const trusting = await startApp({
      databaseUrl: app.databaseUrl,
      config: { PUBLIC_URL: `https://${MAIN}`, CHAT_URL: `https://${CHATS}`, TRUST_PROXY: ['loopback'] },
    })
    try {
      const get = (host?: string) =>
        fetch(`${trusting.url}/openapi.json`, {
          headers: host === undefined ? {} : { 'X-Forwarded-Host': host },
        })
      expect((await get(CHATS)).status).toBe(404)
      expect((await get(MAIN)).status).toBe(200)
      expect((await get()).status).toBe(200)
    } finally {
      await trusting.stop()
    }
  })
})

describe('trackers, widgets and head code', () => {
  const parts = [
    { type: 'Google Analytics', options: { trackingId: 'G-1', action: 'seen' } },
    { type: 'Pixel', options: { pixelId: '1', eventType: 'Lead' } },
    { type: 'Chatwoot', options: { websiteToken: 'T' } },
    { type: 'zendesk', options: { action: 'Open Web Widget', webWidgetKey: 'K' } },
  ]
  const settings = { metadata: { tagManagerId: 'GTM-1', customHeadCode: '<script></script>' } }
  const flow = bot({ Start: [text('Hi'), ...parts, ask()] }, { settings })
  const places = [
    ...parts.map((_, index) => `groups.0.blocks.${index + 1}.type`),
    'settings.metadata.tagManagerId',
    'settings.metadata.customHeadCode',
  ]
  const needing = (findings: readonly { code: string; path: string[] }[]) =>
    findings.filter(({ code }) => code === 'needs_chat_host').map(({ path }) => path.join('.'))

  async function findingsOf(service: App) {
    const made = await publish(service, world.here, flow)
    const as = world.here.member
    const { findings } = await service.client.ok('checkBot', { as, params: { botId: made.id } })
    const published = await service.client.ok('publishBot', { as, params: { botId: made.id } })
    const { bot } = await service.client.ok('exportBot', { as, params: { botId: made.id } })
    const body = { workspaceId: world.here.workspaceId, bot }
    const imported = await service.client.ok('importBot', { as, body: body as never })
    return [findings, published.firstErrors, imported.warnings].map(needing)
  }

  test('are no finding with an address for chats', async () => {
    expect(await findingsOf(app)).toEqual([[], [], []])
  })

  test('are a finding of check, publish and import without one', async () => {
    const without = await startApp({ databaseUrl: app.databaseUrl })
    try {
      expect(await findingsOf(without)).toEqual([places, places, places])
    } finally {
      await without.stop()
    }
  })
})
