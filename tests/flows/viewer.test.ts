import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { VIEWER_HEADER } from '../../contract/viewer.ts'
import { sentences } from '../../server/chat/engine/sentences.ts'
import { toLog, toStart, toViewer } from '../../server/viewer/index.ts'
import { type App, startApp } from '../support/app.ts'
import { bot } from '../support/chat.ts'
import { publish } from '../support/chats.ts'
import { makeWorld, type World } from '../support/world.ts'

/* The paths and fields that Typebot's viewer and web component use. */

let app: App
let world: World

beforeAll(async () => {
  app = await startApp({ config: { TYPEBOT_VIEWER: true } })
  world = await makeWorld(app)
})
afterAll(() => app.stop())

const Origin = 'https://shop.example'

async function post(path: string, body: unknown, headers: Record<string, string> = {}) {
  const response = await fetch(`${app.url}${path}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Origin, [VIEWER_HEADER]: Origin, ...headers },
    body: JSON.stringify(body),
  })
  return { status: response.status, headers: response.headers, body: JSON.parse(await response.text()) }
}

/** The body that the web component sends. */
const opening = { isStreamEnabled: true, prefilledVariables: {}, isOnlyRegistering: false }
const startPath = () => `/api/v1/typebots/${world.here.published.publicId}/startChat`

describe('startViewerChat', () => {
  test('returns the first turn as startChat does, with the bot under another name', async () => {
    const started = await post(startPath(), opening)
    const { body: own } = await post(`/api/v1/bots/${world.here.published.publicId}/startChat`, {})
    expect([started.status, own.bot.id]).toEqual([200, world.here.published.id])
    const { sessionId, resultId, typebot, ...step } = started.body
    expect({ bot: typebot, ...step }).toEqual({ ...own, sessionId: undefined, resultId: undefined })
    expect(sessionId).not.toBe(own.sessionId)
    expect(resultId).toMatch(/^\w+$/)
    expect(started.headers.get('access-control-allow-origin')).toBe(Origin)
  })

  test('starts a session that the viewer continues at the path of the service', async () => {
    const { body } = await post(startPath(), opening)
    const message = { type: 'text', text: 'ada@example.com' }
    const next = await post(`/api/v1/sessions/${body.sessionId}/continueChat`, { message })
    expect([next.status, next.body.input]).toEqual([200, undefined])
  })

  test('rejects an unknown bot and a foreign origin as startChat does', async () => {
    const unknown = await post('/api/v1/typebots/nothing-here/startChat', opening)
    expect([unknown.status, unknown.body.code]).toEqual([404, 'NOT_FOUND'])
    const { id, publicId } = world.there.published
    const { admin } = world.there
    const settings = { security: { allowedOrigins: ['https://other.example'] } }
    await app.client.ok('updateBot', {
      as: admin,
      params: { botId: id },
      body: { bot: { version: '6.1', settings } },
    })
    await app.client.ok('publishBot', { as: admin, params: { botId: id } })
    const path = `/api/v1/typebots/${publicId}/startChat`
    const rejected = await post(path, opening)
    expect([rejected.status, rejected.headers.get('access-control-allow-origin')]).toEqual([403, null])
    // The header of the viewer is no proof.
    expect((await post(path, opening, { [VIEWER_HEADER]: 'https://other.example' })).status).toBe(403)
    expect((await post(path, opening, { Origin: 'https://other.example' })).status).toBe(200)
  })

  test('starts a chat in the language of the visitor', async () => {
    const owner = { workspaceId: world.here.workspaceId, member: world.here.admin }
    const { publicId } = await publish(app, owner, bot({ question: [{ type: 'email input' }] }))
    const German = { 'Accept-Language': 'de-CH, de;q=0.9' }
    const { body } = await post(`/api/v1/typebots/${publicId}/startChat`, opening, German)
    const message = { type: 'text', text: 'no address' }
    const { body: next } = await post(`/api/v1/sessions/${body.sessionId}/continueChat`, { message })
    expect(JSON.stringify(next.messages)).toContain(sentences.de?.invalidEmail)
  })

  test('rejects a body of another form with issues, and never with a 500', async () => {
    for (const body of [[], 'x', null, 1]) expect((await post(startPath(), body)).status).toBe(400)
    const wrong = await post(startPath(), { prefilledVariables: 'x' })
    expect([wrong.status, wrong.body.issues[0].path]).toEqual([400, ['body', 'prefilledVariables']])
  })

  test('counts for the network of the visitor', async () => {
    const limited = await startApp({
      databaseUrl: app.databaseUrl,
      config: { TYPEBOT_VIEWER: true, RATE_LIMIT: true, RATE_LIMIT_ADDRESS: 3, RATE_LIMIT_SECONDS: 60 },
    })
    try {
      const send = () =>
        fetch(`${limited.url}${startPath()}`, {
          method: 'POST',
          headers: { 'Content-Type': 'application/json' },
          body: '{}',
        })
      expect((await send()).status).toBe(200)
      const rejected = await send()
      expect([rejected.status, Number(rejected.headers.get('retry-after'))]).toEqual([
        429,
        expect.any(Number),
      ])
    } finally {
      await limited.stop()
    }
  })
})

test('saveViewerLogs stores entries at the path of older viewers, with details of any form', async () => {
  const { body } = await post(startPath(), opening)
  const clientLogs = [{ description: 'Failed', details: { at: 1 }, odd: true }, { status: 'info' }, 'x']
  const saved = await post(`/api/v1/sessions/${body.sessionId}/clientLogs`, { clientLogs })
  expect(saved.status).toBe(200)
  const { logs } = await app.client.ok('listResultLogs', {
    as: world.here.admin,
    params: { botId: world.here.published.id, resultId: body.resultId },
  })
  expect(logs.map(({ description, details }) => [description, details]).sort()).toEqual([
    ['Failed', '{"at":1}'],
    ['Without a description', null],
    ['Without a description', null],
  ])
  for (const wrong of [{}, { clientLogs: 'x' }])
    expect((await post(`/api/v1/sessions/${body.sessionId}/clientLogs`, wrong)).status).toBe(400)
})

test.each(['/api/v2/generate-upload-url', '/api/v3/generate-upload-url'])(
  '%s says that files need the service page, to pages of all origins',
  async (path) => {
    const rejected = await post(path, { sessionId: 'x', fileName: 'a.png' })
    expect([rejected.status, rejected.headers.get('access-control-allow-origin')]).toEqual([400, Origin])
    expect(rejected.body.issues[0].message).toContain('embed.js')
  },
)

test('browsers may send the header of the viewer with every request of a chat', async () => {
  for (const path of [startPath(), '/api/v1/sessions/x/continueChat', '/api/v2/sessions/x/clientLogs']) {
    const response = await fetch(`${app.url}${path}`, {
      method: 'OPTIONS',
      headers: {
        Origin,
        'Access-Control-Request-Method': 'POST',
        'Access-Control-Request-Headers': VIEWER_HEADER,
      },
    })
    expect([path, response.status]).toEqual([path, 204])
    expect(response.headers.get('access-control-allow-headers')).toContain(VIEWER_HEADER)
  }
})

test('the address of a bot in the viewer leads to its chat page, with its query, and to no other site', async () => {
  const { publicId } = world.here.published
  const get = async (path: string) => {
    const { status, headers } = await fetch(`${app.url}${path}`, { redirect: 'manual' })
    return [status, headers.get('location')]
  }
  expect(await get(`/${publicId}?Name=Ada`)).toEqual([302, `/chat/${publicId}?Name=Ada`])
  expect(await get('/nothing-here')).toEqual([404, null])
  expect((await get('/%2F%2Felsewhere.example'))[0]).toBe(404)
  expect((await get('/docs'))[0]).toBe(200)
})

test('without TYPEBOT_VIEWER there is none of these paths', async () => {
  const plain = await startApp({ databaseUrl: app.databaseUrl })
  try {
    for (const path of [startPath(), '/api/v1/sessions/x/clientLogs', '/api/v3/generate-upload-url']) {
      const response = await fetch(`${plain.url}${path}`, { method: 'POST' })
      expect([path, response.status]).toEqual([path, 404])
    }
    const address = await fetch(`${plain.url}/${world.here.published.publicId}`, { redirect: 'manual' })
    expect(address.status).toBe(404)
  } finally {
    await plain.stop()
  }
})

test('the address of a bot in the viewer is read-only, and other paths stay unknown to every method', async () => {
  for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS']) {
    const response = await fetch(`${app.url}/nothing-here`, { method })
    expect([method, response.status, response.headers.get('allow')]).toEqual([method, 404, null])
  }
})

test('toStart leaves out properties that this service does not know', () => {
  const body = {
    message: 'Hi',
    resultId: 'clx0abc',
    isStreamEnabled: true,
    isOnlyRegistering: false,
    prefilledVariables: { Name: 'Ada' },
    textBubbleContentFormat: null,
    stripeRedirectStatus: 'failed',
  }
  expect(toStart(body)).toEqual({
    message: 'Hi',
    resultId: 'clx0abc',
    isOnlyRegistering: false,
    prefilledVariables: { Name: 'Ada' },
  })
  for (const resultId of [null, 7, '', 'a/b', 'x'.repeat(65)]) expect(toStart({ resultId })).toEqual({})
})

test('toViewer renames the bot alone', () => {
  expect(toViewer({ sessionId: 's', bot: { id: 'b' }, messages: [] })).toEqual({
    sessionId: 's',
    messages: [],
    typebot: { id: 'b' },
  })
})

test('toLog truncates long texts', () => {
  const long = 'x'.repeat(10_001)
  expect(toLog({ description: long, details: long }).details).toHaveLength(1_000)
})
