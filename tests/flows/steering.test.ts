import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import { type App, startApp } from '../support/app.ts'
import { ask, bot, idOf, set, text } from '../support/chat.ts'
import {
  type Published,
  publish,
  reply,
  reportOf,
  start,
  stepStatement,
  textsOf,
  tryReply,
} from '../support/chats.ts'
import { makeWorld, type Site, type World } from '../support/world.ts'

/* Members who update chats while visitors reply: nothing of either is lost. */

let app: App
let world: World
let here: Site
let made: Published

beforeAll(async () => {
  app = await startApp()
  world = await makeWorld(app)
  here = world.here
  const blocks = [
    ask('Name'),
    set('Step', '1'),
    text('{{Name}} {{Plan}} {{Step}}'),
    ask('Age'),
    text('{{Name}} {{Plan}} {{Step}} {{Age}}'),
  ]
  made = await publish(app, here, bot({ Start: blocks }, { variables: ['Name', 'Plan', 'Step', 'Age'] }))
})

afterEach(() => {
  app.beforeStatement = undefined
})

afterAll(() => app.stop())

const steer = (sessionId: string, body: { variables?: Record<string, unknown>; isOver?: boolean }) =>
  app.client.call('updateChat', { as: here.member, params: { botId: made.id, sessionId }, body })

/** Does `work` after a turn has run, just before it is written. */
function beforeStepIsWritten(work: () => Promise<unknown>) {
  app.beforeStatement = async (statement) => {
    if (!stepStatement.test(statement)) return
    app.beforeStatement = undefined
    await work()
  }
}

async function resultOf(resultId: string | undefined) {
  const { results } = await reportOf(app, made, here.member)
  const result = results.find(({ id }) => id === resultId)
  const values = result?.variables.map(({ name, value }) => [name, value]) ?? []
  return { values: Object.fromEntries(values), answers: result?.answers.map(({ content }) => content) }
}

describe('variables', () => {
  test('set between two turns are in the next one, and in the result at once', async () => {
    const { sessionId, resultId } = await start(app, made)
    expect(textsOf(await reply(app, sessionId, 'Ada', 1))).toEqual(['Ada  1'])
    expect((await steer(sessionId, { variables: { Plan: 'Pro', Name: null } })).status).toBe(200)
    expect((await resultOf(resultId)).values).toEqual({ Plan: 'Pro', Step: '1' })
    expect(textsOf(await reply(app, sessionId, '36', 2))).toEqual([' Pro 1 36'])
    expect((await resultOf(resultId)).values).toEqual({ Plan: 'Pro', Step: '1', Age: '36' })
  })

  test('have any value that a chat can set', async () => {
    const { sessionId, resultId } = await start(app, made)
    await reply(app, sessionId, 'Ada')
    await steer(sessionId, { variables: { Plan: ['a', null, 'b'], Step: 7, Age: { years: 36 } } })
    const { values } = await resultOf(resultId)
    expect(values).toEqual({ Name: 'Ada', Plan: ['a', null, 'b'], Step: '7', Age: '{"years":36}' })
  })

  test('set while a turn runs are kept, as are the writes of the turn', async () => {
    const { sessionId, resultId } = await start(app, made)
    await steer(sessionId, { variables: { Plan: 'Free', Step: 'before' } })
    beforeStepIsWritten(async () => {
      await steer(sessionId, { variables: { Plan: 'Pro' } })
      await steer(sessionId, { variables: { Name: 'Bob' } })
    })
    const step = await reply(app, sessionId, 'Ada', 1)
    expect(textsOf(step)).toEqual(['Ada Free 1'])
    // The earlier value of Step was part of the state that the turn began with, hence it does not come back.
    expect(await resultOf(resultId)).toEqual({
      values: { Name: 'Bob', Plan: 'Pro', Step: '1' },
      answers: ['Ada'],
    })
    expect(textsOf(await reply(app, sessionId, '36', step.revision))).toEqual(['Bob Pro 1 36'])
    expect((await resultOf(resultId)).values).toEqual({ Name: 'Bob', Plan: 'Pro', Step: '1', Age: '36' })
  })

  test('set while the last turn runs are in the result', async () => {
    const { sessionId, resultId } = await start(app, made)
    await reply(app, sessionId, 'Ada', 1)
    beforeStepIsWritten(() => steer(sessionId, { variables: { Plan: 'Pro', Name: null } }))
    expect((await reply(app, sessionId, '36', 2)).input).toBeUndefined()
    expect((await resultOf(resultId)).values).toEqual({ Plan: 'Pro', Step: '1', Age: '36' })
  })

  test('in linked bots change too', async () => {
    const variables = ['Plan']
    const inner = await publish(app, here, bot({ Inner: [ask(), text('{{Plan}}')] }, { variables }))
    const link = { type: 'Bot link', options: { botId: inner.id } }
    const outer = await publish(app, here, bot({ Outer: [link, ask(), text('{{Plan}}')] }, { variables }))
    const { sessionId } = await start(app, outer)
    const params = { botId: outer.id, sessionId }
    await app.client.ok('updateChat', { as: here.member, params, body: { variables: { Plan: 'Pro' } } })
    expect(textsOf(await reply(app, sessionId, 'go on'))).toEqual(['Pro'])
    expect(textsOf(await reply(app, sessionId, 'go on'))).toEqual(['Pro'])
  })
})

describe('ending', () => {
  test('while a turn runs lets it count, and makes it the last', async () => {
    const { sessionId, resultId } = await start(app, made)
    beforeStepIsWritten(() => steer(sessionId, { isOver: true, variables: { Plan: 'Pro' } }))
    const step = await reply(app, sessionId, 'Ada', 1)
    expect(textsOf(step)).toEqual(['Ada  1'])
    expect(step.input).toBeUndefined()
    expect(await resultOf(resultId)).toEqual({
      values: { Name: 'Ada', Plan: 'Pro', Step: '1' },
      answers: ['Ada'],
    })
    expect((await tryReply(app, sessionId, '36', step.revision)).status).toBe(404)
    // Sent again, it gets the answer that it got.
    expect((await tryReply(app, sessionId, 'Ada', 1)).body).toEqual(step)
    expect((await steer(sessionId, { isOver: true })).status).toBe(404)
  })

  test('looks to the visitor like a chat that ended by itself', async () => {
    const own = await start(app, made)
    await reply(app, own.sessionId, 'Ada', 1)
    await reply(app, own.sessionId, '36', 2)
    const steered = await start(app, made)
    await reply(app, steered.sessionId, 'Ada', 1)
    await steer(steered.sessionId, { isOver: true })
    for (const revision of [undefined, 1]) {
      const answers = await Promise.all([
        tryReply(app, own.sessionId, 'more', revision),
        tryReply(app, steered.sessionId, 'more', revision),
      ])
      expect(answers[1]?.status).toBe(answers[0]?.status)
      expect(answers[1]?.text).toBe(answers[0]?.text)
    }
  })

  test.each([true, false])(
    'a chat that waits in a linked bot closes its result (merged: %s)',
    async (mergeResults) => {
      const inner = await publish(app, here, bot({ Inner: [ask('Name')] }, { variables: ['Name'] }))
      const link = { type: 'Bot link', options: { botId: inner.id, mergeResults } }
      const outer = await publish(app, here, bot({ Outer: [link, text('Back')] }))
      const { sessionId, resultId } = await start(app, outer)
      const params = { botId: outer.id, sessionId }
      await app.client.ok('updateChat', { as: here.member, params, body: { isOver: true } })
      const { rows } = await app.pool.query(
        'SELECT waits_until > now() AS waits FROM results WHERE bot_id = $1 AND (id = $2 OR $3)',
        mergeResults ? [outer.id, resultId, false] : [inner.id, null, true],
      )
      expect(rows).toEqual([{ waits: false }])
    },
  )

  test('removes the chat from the list', async () => {
    const { sessionId } = await start(app, made)
    const list = async () => {
      const { chats } = await app.client.ok('listChats', { as: here.member, params: { botId: made.id } })
      return chats.map((chat) => chat.sessionId)
    }
    expect(await list()).toContain(sessionId)
    await steer(sessionId, { isOver: true })
    expect(await list()).not.toContain(sessionId)
  })
})

test('concurrent updates of many members and a visitor all take effect', async () => {
  const { sessionId, resultId } = await start(app, made)
  const answers = await Promise.all([
    tryReply(app, sessionId, 'Ada', 1),
    steer(sessionId, { variables: { Plan: 'Pro' } }),
    steer(sessionId, { variables: { Age: '40' } }),
  ])
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
  expect(await resultOf(resultId)).toMatchObject({
    values: { Name: 'Ada', Plan: 'Pro', Age: '40', Step: '1' },
    answers: ['Ada'],
  })
  const { rows } = await app.pool.query('SELECT state FROM chat_sessions WHERE id = $1', [sessionId])
  const values = Object.fromEntries(JSON.parse(rows[0].state).frames[0].values)
  expect(values).toEqual({
    [idOf('Name')]: 'Ada',
    [idOf('Plan')]: 'Pro',
    [idOf('Age')]: '40',
    [idOf('Step')]: '1',
  })
})
