import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { eraseBatch } from '../../server/results/erase.ts'
import { fanOutAll } from '../../server/webhooks/outbox.ts'
import { type App, startApp } from '../support/app.ts'
import { ask, bot, text } from '../support/chat.ts'
import { type Published, publish, reply, start, stepStatement, transcriptOf } from '../support/chats.ts'
import type { BodyOf } from '../support/client.ts'
import { addEndpoints } from '../support/endpoints.ts'
import { makeWorld, type Site } from '../support/world.ts'

/* Events of chats for endpoints: each once, in the order of what happened, with the events of results. */

let app: App
let here: Site
let made: Published

beforeAll(async () => {
  app = await startApp()
  here = (await makeWorld(app)).here
  const handoff = {
    type: 'handoff',
    options: { timeoutSeconds: 60 },
    items: [{ id: 'u', path: 'unanswered', to: 'Late' }],
  }
  made = await publish(
    app,
    here,
    bot(
      { Start: [ask('Name'), handoff, text('Back'), ask('Age')], Late: [text('Late')] },
      { variables: ['Name', 'Age'] },
    ),
  )
  await addEndpoints(app, here.workspaceId, [{ id: 'hook', url: 'https://example.com/hook' }])
})

afterAll(() => app.stop())

const update = (sessionId: string, body: BodyOf<'updateChat'>) =>
  app.client.ok('updateChat', { as: here.member, params: { botId: made.id, sessionId }, body })

/** The events about a result, in the order of their delivery. */
async function eventsOf(resultId: string | undefined) {
  await fanOutAll(app.db)
  const { rows } = await app.pool.query(
    `SELECT d.type, e.data FROM webhook_deliveries d JOIN webhook_events e USING (bot_id, subject, id)
    WHERE d.subject = $1 ORDER BY d.seq`,
    [resultId],
  )
  return rows.map(({ type, data }): [string, Record<string, unknown>] => [type, JSON.parse(data)])
}

test('a chat that is handed over, taken and given back publishes events between those of its result', async () => {
  const { sessionId, resultId } = await start(app, made)
  await reply(app, sessionId, 'Ada', 1)
  await reply(app, sessionId, 'Hello?', 2)
  await update(sessionId, { handledBy: 'member' })
  await reply(app, sessionId, 'Are you there?', 3)
  await update(sessionId, { handledBy: 'bot' })
  await reply(app, sessionId, null, 5)
  await reply(app, sessionId, '36', 6)
  const events = await eventsOf(resultId)
  expect(events.map(([type]) => type)).toEqual([
    'result.started',
    'result.answered',
    'chat.handoffRequested',
    'chat.messageReceived',
    'chat.taken',
    'chat.messageReceived',
    'chat.returned',
    'result.answered',
    'result.completed',
  ])
  const chat = { sessionId, resultId, botId: made.id }
  expect(events[2]?.[1]).toEqual({ ...chat, handledBy: 'waiting', assigneeId: null, blockId: 'Start.1' })
  expect(events[3]?.[1]).toEqual({
    ...chat,
    handledBy: 'waiting',
    assigneeId: null,
    said: [{ text: 'Hello?' }],
  })
  expect(events[4]?.[1]).toEqual({ ...chat, handledBy: 'member', assigneeId: here.member.id })
  expect(events[6]?.[1]).toEqual({ ...chat, handledBy: 'bot', assigneeId: null })
})

test('a chat that is not taken in time is published as returned, and one that a member queues as requested', async () => {
  const late = await start(app, made)
  await reply(app, late.sessionId, 'Ada', 1)
  await app.fireTimers()
  expect((await eventsOf(late.resultId)).map(([type]) => type)).toEqual([
    'result.started',
    'result.answered',
    'chat.handoffRequested',
    'result.completed',
    'chat.returned',
  ])
  const put = await start(app, made)
  await update(put.sessionId, { handledBy: 'waiting' })
  expect(await eventsOf(put.resultId)).toEqual([
    ['chat.handoffRequested', expect.objectContaining({ blockId: null, handledBy: 'waiting' })],
  ])
})

test('a chat that a member fails to take, keeps, or writes to in vain publishes nothing', async () => {
  const { sessionId, resultId } = await start(app, made)
  await update(sessionId, { handledBy: 'member' })
  await app.client.call('updateChat', {
    as: here.admin,
    params: { botId: made.id, sessionId },
    body: { handledBy: 'member' },
  })
  await update(sessionId, { handledBy: 'member' })
  app.beforeStatement = async (statement) => {
    if (stepStatement.test(statement)) throw new Error('Lost')
  }
  const sent = { params: { sessionId }, body: { message: 'Hello' } }
  await expect(app.client.call('continueChat', sent)).rejects.toThrow('Lost')
  app.beforeStatement = undefined
  expect((await eventsOf(resultId)).map(([type]) => type)).toEqual(['chat.taken'])
})

test('texts of visitors are deleted with their result', async () => {
  const { sessionId, resultId = '' } = await start(app, made)
  await update(sessionId, { handledBy: 'member' })
  await reply(app, sessionId, 'My secret', 1)
  expect(JSON.stringify(await eventsOf(resultId))).toContain('My secret')
  expect(JSON.stringify(await transcriptOf(app, made.id, resultId, here.member))).toContain('My secret')
  await app.client.ok('deleteResults', {
    as: here.member,
    params: { botId: made.id },
    query: { resultIds: resultId },
  })
  while (await eraseBatch(app.db, new Date()));
  expect(JSON.stringify(await eventsOf(resultId))).not.toContain('My secret')
})
