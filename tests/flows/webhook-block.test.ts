import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { type App, startApp } from '../support/app.ts'
import { bot, idOf, text } from '../support/chat.ts'
import { type Published, publish, start, textsOf } from '../support/chats.ts'
import { makeWorld, type Site } from '../support/world.ts'

/* A chat that waits at a webhook block: the member who calls it, and the visitor who waits. */

let app: App
let here: Site
let made: Published

beforeAll(async () => {
  app = await startApp()
  here = (await makeWorld(app)).here
  const responseVariableMapping = [{ id: 'm', variableId: idOf('Status'), bodyPath: 'data.status' }]
  const listener = { id: 'hook', type: 'webhook', options: { responseVariableMapping } }
  const email = { type: 'email input', options: { variableId: idOf('Mail') } }
  const flow = bot(
    {
      Start: [
        text('Wait'),
        listener,
        text('It is {{Status}}'),
        email,
        { ...listener, id: 'last' },
        text('End'),
      ],
    },
    { variables: ['Status', 'Mail'] },
  )
  made = await publish(app, here, flow)
})

afterAll(() => app.stop())

const callWebhook = (resultId: string | undefined, body: Record<string, unknown>, blockId = 'hook') => {
  const params = { botId: made.id, blockId, resultId: resultId ?? '' }
  return app.client.call('executeWebhook', { as: here.member, params, body })
}

const send = (sessionId: string, body: object) =>
  app.client.call('continueChat', { params: { sessionId }, body })

test.each([
  '{"data":{"status":"ok"}}',
  'hello',
  { type: 'text' as const, text: '{"data":{"status":"ok"}}' },
  { type: 'audio' as const, url: 'https://x.test/a.mp3' },
])(
  'continue chat at a webhook block returns the waiting turn again, whatever the message (%j)',
  async (message) => {
    const { sessionId, resultId } = await start(app, made)
    for (const revision of [1, undefined]) {
      const { status, body } = await send(sessionId, { message, revision })
      expect(status).toBe(200)
      expect(body).toMatchObject({ revision: 1, clientSideActions: [{ type: 'listenForWebhook' }] })
    }
    expect((await callWebhook(resultId, { status: 'paid' })).status).toBe(200)
    const { body } = await send(sessionId, { revision: 1 })
    expect(textsOf(body as never)).toEqual(['It is paid'])
  },
)

test('a message with the kind of a webhook call is invalid input', async () => {
  const { sessionId } = await start(app, made)
  const message = { type: 'webhook', body: '{"data":{"status":"ok"}}' }
  expect((await send(sessionId, { message, revision: 1 })).status).toBe(400)
})

test('execute webhook returns the next turn in the text format of the client, at any input', async () => {
  const { sessionId, resultId } = await start(app, made, { textBubbleContentFormat: 'markdown' })
  await callWebhook(resultId, { status: 'paid' })
  for (const textBubbleContentFormat of ['markdown', 'richText', undefined]) {
    for (const revision of [1, undefined]) {
      const { status, body } = await send(sessionId, { textBubbleContentFormat, revision })
      expect(status).toBe(200)
      const content = { type: 'markdown', markdown: 'It is paid' }
      expect(body).toMatchObject({ messages: [{ content }], input: { type: 'email input' }, revision: 2 })
    }
  }
  await send(sessionId, { message: 'ada@example.com', revision: 2 })
  await callWebhook(resultId, { status: 'sent' }, 'last')
  const { body } = await send(sessionId, {})
  expect(body).toMatchObject({ messages: [{ content: { type: 'richText' } }], revision: 4 })
  expect(body).not.toHaveProperty('input')
})

test('execute webhook of a chat that waits for an answer is invalid input', async () => {
  const { resultId } = await start(app, made)
  await callWebhook(resultId, { status: 'paid' })
  expect(await callWebhook(resultId, { status: 'again' })).toMatchObject({
    status: 400,
    body: { issues: [{ code: 'not_waiting' }] },
  })
})

test('a preview at a webhook block accepts a text as the call', async () => {
  const params = { botId: made.id }
  const { sessionId } = await app.client.ok('startPreview', { as: here.member, params })
  const waiting = await send(sessionId, { revision: 1 })
  expect(waiting.body).toMatchObject({ clientSideActions: [{ type: 'listenForWebhook' }] })
  const { body } = await send(sessionId, { message: '{"data":{"status":"tried"}}', revision: 1 })
  expect(textsOf(body as never)).toEqual(['It is tried'])
})
