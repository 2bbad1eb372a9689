import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import { LRUCache } from 'lru-cache'
import { decodeTurns, encodeTurn, newSessionId } from '../../server/chat/sessions/codec.ts'
import { findPublished } from '../../server/chat/sessions/read-session.ts'
import { createEffects } from '../../server/chat/sessions/turn-effects.ts'
import { writeTurn } from '../../server/chat/sessions/write-turn.ts'
import { isDistributed } from '../../server/db/citus/topology.ts'
import { newId } from '../../server/ids.ts'
import { removeSessions } from '../../server/jobs/expiry.ts'
import { purgeBatch } from '../../server/jobs/purge.ts'
import { type App, startApp } from '../support/app.ts'
import { ask, bot, idOf, text } from '../support/chat.ts'
import {
  logsOf,
  publish,
  reply,
  reportOf,
  type Started,
  type Step,
  start,
  storable,
  textsOf,
  transcriptOf,
  tryReply,
} from '../support/chats.ts'
import { type Answer, anyBody } from '../support/client.ts'
import { testWithTrigger } from '../support/locks.ts'
import { firstStep } from '../support/steps.ts'
import { makeWorld, type Site, type World } from '../support/world.ts'

/* Chats through the operations of the service: what people say, and what is found of it afterwards. */

let app: App
let world: World
let here: Site

beforeAll(async () => {
  app = await startApp()
  world = await makeWorld(app)
  here = world.here
})

afterEach(() => {
  app.beforeStatement = undefined
})

afterAll(() => app.stop())

const twoQuestions = bot(
  { Start: [text('Name?'), ask('Name'), text('Age?'), ask('Age'), text('Bye {{Name}}, {{Age}}.')] },
  { variables: ['Name', 'Age'] },
)

const remembering = (rememberUser: object | undefined, more: object = {}) => ({
  ...twoQuestions,
  settings: { general: { ...(rememberUser ? { rememberUser } : {}), ...more } },
})

const report = (made: { id: string; publicId: string }) => reportOf(app, made, here.member)

async function update(botId: string, changes: object) {
  await app.client.ok('updateBot', {
    as: here.member,
    params: { botId },
    body: anyBody({ bot: { version: '6.1', ...changes } }),
  })
}

const republish = (botId: string) => app.client.ok('publishBot', { as: here.member, params: { botId } })

describe('a chat', () => {
  test('that waits for a webhook gets its numbers with all digits', async () => {
    const responseVariableMapping = [
      { id: 'm1', variableId: idOf('Id'), bodyPath: 'data.id' },
      { id: 'm2', variableId: idOf('Rows'), bodyPath: 'data.rows' },
    ]
    const listener = { id: 'hook', type: 'webhook', options: { responseVariableMapping } }
    const flow = bot({ Start: [listener, text('{{Id}} {{Rows}}'), ask()] }, { variables: ['Id', 'Rows'] })
    const made = await publish(app, here, flow)
    const { sessionId, resultId } = await start(app, made)
    await app.client.ok('executeWebhook', {
      as: here.member,
      params: { botId: made.id, blockId: 'hook', resultId: String(resultId) },
      body: anyBody(
        '{"id":12345678901234567890,"rows":[{"id":-98765432109876543210,"price":9.90}],"big":1e999}',
      ),
    })
    const step = await app.client.ok('continueChat', { params: { sessionId }, body: { revision: 1 } })
    expect(textsOf(step)).toEqual([
      '12345678901234567890 ["{\\"id\\":-98765432109876543210,\\"price\\":9.90}"]',
    ])
  })

  test('from start to end counts as a view, then a start, then a completion', async () => {
    const made = await publish(app, here, twoQuestions)
    const started = await start(app, made)
    expect(textsOf(started)).toEqual(['Name?'])
    expect(started).toMatchObject({
      revision: 1,
      bot: { id: made.id, version: '6.1' },
      input: { type: 'text input' },
    })
    expect((await report(made)).stats).toEqual({ totalViews: 1, totalStarts: 0, totalCompleted: 0 })
    expect((await report(made)).results).toEqual([])

    const second = await reply(app, started.sessionId, 'Ada', 1)
    expect(textsOf(second)).toEqual(['Age?'])
    expect((await report(made)).stats).toEqual({ totalViews: 1, totalStarts: 1, totalCompleted: 0 })

    const last = await reply(app, started.sessionId, '36', 2)
    expect(textsOf(last)).toEqual(['Bye Ada, 36.'])
    expect(last.input).toBeUndefined()
    const { results, stats, csv } = await report(made)
    expect(stats).toEqual({ totalViews: 1, totalStarts: 1, totalCompleted: 1 })
    expect(results).toMatchObject([
      {
        id: started.resultId,
        hasStarted: true,
        isCompleted: true,
        lastChatSessionId: started.sessionId,
        answers: [{ content: 'Ada' }, { content: '36' }],
        variables: [
          { name: 'Name', value: 'Ada' },
          { name: 'Age', value: '36' },
        ],
      },
    ])
    expect(csv.split('\r\n').slice(0, 2)).toEqual([
      'Result,Submitted at,Completed,Name,Age',
      `${started.resultId},${results[0]?.createdAt},true,Ada,36`,
    ])
    expect(await transcriptOf(app, made.id, started.resultId ?? '', here.member)).toEqual([
      { role: 'bot', type: 'text', text: 'Name?' },
      { role: 'user', type: 'text', text: 'Ada' },
      { role: 'bot', type: 'text', text: 'Age?' },
      { role: 'user', type: 'text', text: '36' },
      { role: 'bot', type: 'text', text: 'Bye Ada, 36.' },
    ])
    // A chat that has ended stays ended.
    expect((await tryReply(app, started.sessionId, 'more', 3)).status).toBe(404)
  })

  test('that is only registered starts with the first reply', async () => {
    const made = await publish(app, here, twoQuestions)
    const started = await start(app, made, { isOnlyRegistering: true })
    expect(started).toMatchObject({ messages: [] })
    expect(started.resultId).toBeUndefined()
    expect((await report(made)).stats.totalViews).toBe(0)
    const first = await reply(app, started.sessionId, null, 1)
    expect(textsOf(first)).toEqual(['Name?'])
    await reply(app, started.sessionId, 'Ada', 2)
    const { results, stats } = await report(made)
    expect(stats).toEqual({ totalViews: 1, totalStarts: 1, totalCompleted: 0 })
    expect(results[0]?.answers).toMatchObject([{ content: 'Ada' }])
    const { chats } = await app.client.ok('listChats', { as: here.member, params: { botId: made.id } })
    expect(chats).toMatchObject([{ sessionId: started.sessionId, resultId: results[0]?.id }])
  })

  test('stores the log entries of its client', async () => {
    const made = await publish(app, here, twoQuestions)
    const { sessionId, resultId = '' } = await start(app, made)
    await app.client.ok('saveClientLogs', {
      params: { sessionId },
      body: { clientLogs: [{ description: 'First' }, { description: 'Second', status: 'info' }] },
    })
    const logs = await logsOf(app, made.id, resultId, here.member)
    expect(logs.map(({ description, status }) => [description, status])).toEqual([
      ['Second', 'info'],
      ['First', 'error'],
    ])
  })

  test('a preview of a draft stores no result and follows the draft', async () => {
    const made = await publish(app, here, twoQuestions)
    const preview = await app.client.ok('startPreview', { as: here.member, params: { botId: made.id } })
    expect(preview).not.toHaveProperty('resultId')
    const { groups } = storable(bot({ Start: [text('Name?'), ask('Name'), text('Changed, {{Name}}.')] }))
    await update(made.id, { groups })
    expect(textsOf(await reply(app, preview.sessionId, 'Ada', 1))).toEqual(['Changed, Ada.'])
    expect((await report(made)).stats.totalViews).toBe(0)
    for (const [caller, status] of [
      [here.guest, 403],
      [world.stranger, 403],
      [world.unknown, 401],
    ] as const) {
      const answer = await app.client.call('startPreview', { as: caller, params: { botId: made.id } })
      expect(answer.status).toBe(status)
    }
  })
})

describe('the write of a turn', () => {
  test('marks its day for a new count only if that may have been counted', async () => {
    const made = await publish(app, here, twoQuestions)
    const days = async () => {
      const { rows } = await app.pool.query('SELECT day::text FROM bot_stats_daily WHERE bot_id = $1', [
        made.id,
      ])
      return rows.map(({ day }) => day as string)
    }
    const { sessionId } = await start(app, made)
    await reply(app, sessionId, 'Ada', 1)
    expect(await days()).toEqual([])
    await app.pool.query(`UPDATE results SET created_at = '2024-05-06T07:08:09Z' WHERE bot_id = $1`, [
      made.id,
    ])
    await reply(app, sessionId, '36', 2)
    expect(await days()).toEqual(['2024-05-06'])
    const { results } = await report(made)
    expect(results).toEqual([expect.objectContaining({ isCompleted: true })])
    expect(results[0]?.answers.map(({ content }) => content)).toEqual(['Ada', '36'])
  })

  test('is one statement, without parts that the turn does not need', async () => {
    if (isDistributed(app.db)) return
    const made = await publish(app, here, twoQuestions)
    const written = async (work: () => Promise<Step>) => {
      app.statements.length = 0
      const step = await work()
      const writes = app.statements.filter((text) => /insert into/i.test(text))
      return { step, writes, isUsual: !writes.join().includes('"bot_stats_daily"') }
    }
    const begun = await written(() => start(app, made))
    expect(begun).toMatchObject({ writes: [expect.any(String)], isUsual: true })
    const { sessionId } = begun.step as Started
    const first = await written(() => reply(app, sessionId, 'Ada', 1))
    expect(first).toMatchObject({ writes: [expect.stringContaining('"result_answers"')], isUsual: true })
  })

  test('is stored in the session while it has room, else in a row of its own, and shown and repeated all the same', async () => {
    const names = Array.from({ length: 20 }, (_, at) => `Name ${at}`)
    const made = await publish(
      app,
      here,
      bot({ Start: names.map((name) => ask(name)) }, { variables: names }),
    )
    const { sessionId } = await start(app, made)
    const turns = async () => {
      const { body } = await app.client.call('getSession', { params: { sessionId } })
      return body.turns as { role: string; text?: string }[]
    }
    const said: string[] = []
    for (const [at, name] of names.slice(1).entries()) {
      const message = `This is ${name.toLowerCase()}`
      const answer = await reply(app, sessionId, message, at + 1)
      expect(await reply(app, sessionId, message, at + 1)).toEqual(answer)
      said.push(message)
      expect((await turns()).flatMap(({ role, text }) => (role === 'user' ? text : []))).toEqual(said)
    }
    const { rows } = await app.pool.query(
      `SELECT inline_turns, (SELECT array_agg(revision ORDER BY revision) FROM chat_turns WHERE bot_id = s.bot_id AND session_id = s.id) AS apart
      FROM chat_sessions s WHERE bot_id = $1 AND id = $2`,
      [made.id, sessionId],
    )
    const [{ inline_turns: encoded, apart }] = rows
    const kept = decodeTurns(encoded).map(({ response: answer }) => answer.revision)
    expect(kept.length).toBeGreaterThan(2)
    expect(apart.length).toBeGreaterThan(2)
    expect([...kept, ...apart].sort((one, other) => one - other)).toEqual(names.map((_, at) => at + 1))
  })

  test('goes to a result that another process created meanwhile', async () => {
    const made = await publish(app, here, twoQuestions)
    const now = new Date()
    const resultId = newId(now)
    const first = () => {
      const session = { id: newSessionId(made.id, now), botId: made.id }
      const state = { frames: [{ botId: made.id, resultId }] }
      return writeTurn(app.db, firstStep(session, { id: resultId, isNew: true }, { state }), now)
    }
    expect(await Promise.all([first(), first()])).toEqual([true, true])
    const { rows } = await app.pool.query(
      'SELECT count(*)::integer AS sessions FROM chat_sessions WHERE bot_id = $1 AND result_id = $2',
      [made.id, resultId],
    )
    expect(rows).toEqual([{ sessions: 2 }])
  })
})

describe('a reply that is sent twice', () => {
  test('with its revision gets the same response and counts once', async () => {
    const made = await publish(app, here, twoQuestions)
    const { sessionId } = await start(app, made)
    const first = await tryReply(app, sessionId, 'Ada', 1)
    expect((await tryReply(app, sessionId, 'Ada', 1)).text).toBe(first.text)
    // Something else on the old revision was never said.
    const other = await tryReply(app, sessionId, 'Bob', 1)
    expect([other.status, other.body.code]).toEqual([409, 'CONFLICT'])
    const last = await tryReply(app, sessionId, '36', 2)
    // Also the last one, after which the chat is over.
    expect((await tryReply(app, sessionId, '36', 2)).text).toBe(last.text)
    const { results, stats } = await report(made)
    expect(results.map(({ answers }) => answers.map(({ content }) => content))).toEqual([['Ada', '36']])
    expect(stats).toEqual({ totalViews: 1, totalStarts: 1, totalCompleted: 1 })
  })

  test.each([
    ['the same with its revision', ['Ada', 'Ada', 'Ada', 'Ada'], 1],
    ['different ones with their revision', ['Ada', 'Bob', 'Cid', 'Dan'], 1],
    ['different ones without revision', ['Ada', 'Bob', 'Cid', 'Dan'], undefined],
  ])('concurrently counts once: %s', async (_, messages, revision) => {
    const made = await publish(app, here, twoQuestions)
    for (let round = 0; round < 10; round++) {
      const { sessionId, resultId = '' } = await start(app, made)
      const answers = await Promise.all(
        messages.map((message) => tryReply(app, sessionId, message, revision)),
      )
      const accepted = answers.filter(({ status }) => status === 200)
      const { result } = await app.client.ok('getResult', {
        as: here.member,
        params: { botId: made.id, resultId },
      })
      expect(accepted.length).toBeGreaterThan(0)
      // Without revision two of them can end the chat before a third one comes.
      const rejections = revision === undefined ? [404, 409] : [409]
      for (const { status } of answers) expect([200, ...rejections]).toContain(status)
      if (revision === undefined) {
        // Without it a later one may be the answer to the next question; none is lost and none counts twice.
        expect(result.answers).toHaveLength(accepted.length)
      } else {
        expect(new Set(accepted.map((answer) => answer.text)).size).toBe(1)
        expect(result.answers).toHaveLength(1)
      }
      expect(new Set(result.answers.map(({ content }) => content)).size).toBe(
        result.answers.length === 2 ? 2 : 1,
      )
      const said = (await transcriptOf(app, made.id, resultId, here.member)).filter(
        ({ role }) => role === 'user',
      )
      expect(said.map((entry) => entry.text)).toEqual(result.answers.map(({ content }) => content))
    }
  })
})

describe('a reply without revision that is sent twice', () => {
  const readsSession = /FROM "chat_sessions" s WHERE|read_chat_session\(/

  /** Sends a reply that is here for a while when it is sent once more, and reads the session once that is answered. */
  async function overtaken(sessionId: string, pause: number) {
    let first: Answer | undefined
    app.beforeStatement = async (text) => {
      if (!readsSession.test(text)) return
      app.beforeStatement = undefined
      await sleep(pause)
      first = await tryReply(app, sessionId, 'Ada')
    }
    const second = await tryReply(app, sessionId, 'Ada')
    return { first, second }
  }

  test('counts once if it arrived before the first one was counted', async () => {
    const made = await publish(app, here, twoQuestions)
    // It must have been here for longer than it takes to ask the database.
    for (let pause = 50; ; pause *= 2) {
      const { sessionId, resultId = '' } = await start(app, made)
      const { first, second } = await overtaken(sessionId, pause)
      expect(first).toMatchObject({ status: 200, body: { revision: 2 } })
      if (second.text !== first?.text) continue
      const { result } = await app.client.ok('getResult', {
        as: here.member,
        params: { botId: made.id, resultId },
      })
      expect(result.answers.map(({ content }) => content)).toEqual(['Ada'])
      return
    }
  })

  test('counts twice if the first one had its response before', async () => {
    const made = await publish(app, here, twoQuestions)
    const { sessionId, resultId = '' } = await start(app, made)
    await reply(app, sessionId, 'Ada')
    // However long it then takes to read the session.
    app.beforeStatement = async (text) => {
      if (readsSession.test(text)) await sleep(200)
    }
    expect(await reply(app, sessionId, 'Ada')).toMatchObject({ revision: 3 })
    app.beforeStatement = undefined
    const { result } = await app.client.ok('getResult', {
      as: here.member,
      params: { botId: made.id, resultId },
    })
    expect(result.answers.map(({ content }) => content)).toEqual(['Ada', 'Ada'])
  })
})

describe('a returning visitor', () => {
  test('continues the result where the bot remembers visitors', async () => {
    const made = await publish(app, here, remembering({ isEnabled: true }))
    const first = await start(app, made)
    await reply(app, first.sessionId, 'Ada', 1)
    const second = await start(app, made, { resultId: first.resultId })
    expect(second.resultId).toBe(first.resultId)
    expect(second.sessionId).not.toBe(first.sessionId)
    await reply(app, second.sessionId, 'Ada again', 1)
    // The first session can still be answered: both write to one result.
    await reply(app, first.sessionId, '36', 2)
    const { results, stats } = await report(made)
    expect(stats).toEqual({ totalViews: 1, totalStarts: 1, totalCompleted: 1 })
    expect(results).toHaveLength(1)
    expect(results[0]?.answers.map(({ content }) => content)).toEqual(['Ada', 'Ada again', '36'])
  })

  test('may chat in several windows at once', async () => {
    const made = await publish(app, here, remembering({ isEnabled: true }))
    const { resultId = '' } = await start(app, made)
    const windows = await Promise.all(Array.from({ length: 8 }, () => start(app, made, { resultId })))
    expect(new Set(windows.map((each) => each.resultId))).toEqual(new Set([resultId]))
    for (const [index, name] of ['Ada', 'Bob'].entries()) {
      await Promise.all(
        windows.map(({ sessionId }, number) => reply(app, sessionId, `${name} ${number}`, index + 1)),
      )
    }
    const said = windows.flatMap((_, number) => [`Ada ${number}`, `Bob ${number}`]).sort()
    const { results } = await report(made)
    expect(results.map(({ answers }) => answers.map(({ content }) => content).sort())).toEqual([said])
    const transcript = await transcriptOf(app, made.id, resultId, here.member)
    expect(transcript.flatMap((entry) => (entry.role === 'user' ? [entry.text] : [])).sort()).toEqual(said)
  })

  test.each([
    ['remembers no visitors', { isEnabled: false }, {}],
    ['says nothing about it', undefined, {}],
    ['says no in both ways', { isEnabled: false }, { isNewResultOnRefreshEnabled: false }],
  ])('gets a new result where the bot %s', async (_, rememberUser, more) => {
    const made = await publish(app, here, remembering(rememberUser, more))
    const first = await start(app, made)
    const second = await start(app, made, { resultId: first.resultId })
    expect(second.resultId).not.toBe(first.resultId)
  })

  test('is remembered by the older setting', async () => {
    const made = await publish(app, here, remembering(undefined, { isNewResultOnRefreshEnabled: false }))
    const first = await start(app, made)
    expect((await start(app, made, { resultId: first.resultId })).resultId).toBe(first.resultId)
  })

  test('cannot take over a result of another bot, nor one that was deleted', async () => {
    const made = await publish(app, here, remembering({ isEnabled: true }))
    const other = await publish(app, here, remembering({ isEnabled: true }))
    const { resultId = '', sessionId } = await start(app, made)
    await reply(app, sessionId, 'Ada', 1)
    expect((await start(app, other, { resultId })).resultId).not.toBe(resultId)
    await app.client.ok('deleteResults', { as: here.member, params: { botId: made.id } })
    expect((await start(app, made, { resultId })).resultId).not.toBe(resultId)
    expect((await report(made)).stats).toEqual({ totalViews: 1, totalStarts: 0, totalCompleted: 0 })
  })
})

describe('a closed bot', () => {
  test('rejects new chats in its own words, and lets those under way finish', async () => {
    const settings = { general: { systemMessages: { botClosed: 'Back on Monday' } } }
    const made = await publish(app, here, { ...twoQuestions, settings })
    const { sessionId } = await start(app, made)
    await update(made.id, { isClosed: true })
    const rejected = await app.client.call('startChat', { params: { publicId: made.publicId } })
    expect(rejected.status).toBe(400)
    expect(rejected.body.issues).toMatchObject([{ code: 'bot_closed', message: 'Back on Monday' }])
    await reply(app, sessionId, 'Ada', 1)
    await update(made.id, { isClosed: false })
    await start(app, made)
    expect((await report(made)).stats).toMatchObject({ totalViews: 2, totalStarts: 1 })
  })
})

describe('origins', () => {
  const allowed = 'https://shop.example'
  const withOrigins = (allowedOrigins: string[]) => ({
    ...twoQuestions,
    settings: { security: { allowedOrigins } },
  })
  const call = (publicId: string, origin?: string) =>
    app.client.call('startChat', {
      params: { publicId },
      headers: origin === undefined ? {} : { Origin: origin },
    })

  test('an origin of the list may chat, and others are rejected before anything runs', async () => {
    const made = await publish(app, here, withOrigins([allowed]))
    const yes = await call(made.publicId, allowed)
    expect([yes.status, yes.headers['access-control-allow-origin'], yes.headers.vary]).toEqual([
      200,
      allowed,
      'Origin',
    ])
    // Similar is not equal.
    for (const origin of ['https://shop.example.evil', 'http://shop.example', `${allowed}:444`, 'null']) {
      const no = await call(made.publicId, origin)
      expect([origin, no.status, no.headers['access-control-allow-origin'], no.headers.vary]).toEqual([
        origin,
        403,
        undefined,
        'Origin',
      ])
    }
    // No origin is no page.
    expect((await call(made.publicId)).status).toBe(200)
    expect((await report(made)).stats.totalViews).toBe(2)
  })

  test('are checked on every turn', async () => {
    const made = await publish(app, here, withOrigins([allowed]))
    const { sessionId } = await start(app, made)
    const answer = await app.client.call('continueChat', {
      params: { sessionId },
      body: { message: 'Ada', revision: 1 },
      headers: { Origin: 'https://evil.example' },
    })
    expect(answer.status).toBe(403)
    expect(answer.headers['access-control-allow-origin']).toBeUndefined()
    expect((await report(made)).stats.totalStarts).toBe(0)
    await reply(app, sessionId, 'Ada', 1)
  })

  test('are all allowed without a list', async () => {
    for (const flow of [twoQuestions, withOrigins([])]) {
      const made = await publish(app, here, flow)
      const answer = await call(made.publicId, 'https://anywhere.example')
      expect([answer.status, answer.headers['access-control-allow-origin']]).toEqual([
        200,
        'https://anywhere.example',
      ])
    }
  })

  test('include the page of the service itself, by the header of the browser', async () => {
    const made = await publish(app, here, withOrigins([allowed]))
    const ask = (site: string) =>
      app.client.call('startChat', {
        params: { publicId: made.publicId },
        headers: { Origin: app.url, 'Sec-Fetch-Site': site },
      })
    expect((await ask('same-origin')).status).toBe(200)
    expect((await ask('same-site')).status).toBe(403)
    expect((await ask('cross-site')).status).toBe(403)
  })

  test('may send a preflight, without credentials', async () => {
    const answer = await app.client.send('OPTIONS', '/api/v1/bots/any/startChat', {
      headers: { Origin: allowed, 'Access-Control-Request-Method': 'POST' },
    })
    expect(answer.status).toBe(204)
    expect(answer.headers).toMatchObject({
      'access-control-allow-origin': allowed,
      'access-control-allow-methods': 'OPTIONS, POST',
      'access-control-allow-headers': 'Content-Type, Idempotency-Key, X-Request-Id',
      vary: 'Origin',
    })
    expect(answer.headers['access-control-allow-credentials']).toBeUndefined()
    expect(answer.headers['access-control-expose-headers']).toContain('Idempotent-Replayed')
    const back = await app.client.send('OPTIONS', '/v1/workspaces', { headers: { Origin: allowed } })
    expect(back.headers['access-control-allow-origin']).toBeUndefined()
  })
})

describe('saveClientLogs', () => {
  const save = (sessionId: string, description: string, headers: Record<string, string> = {}) =>
    app.client.call('saveClientLogs', {
      params: { sessionId },
      body: { clientLogs: [{ description }] },
      headers,
    })

  /** A chat with one log of its client. */
  async function startLogged(flow = twoQuestions) {
    const made = await publish(app, here, flow)
    const { sessionId, resultId = '' } = await start(app, made)
    expect((await save(sessionId, 'first')).status).toBe(200)
    const kept = async () =>
      (await logsOf(app, made.id, resultId, here.member)).map(({ description }) => description)
    return { made, sessionId, kept }
  }

  test.each<[string, (chat: { made: { id: string }; sessionId: string }) => Promise<unknown>]>([
    [
      'the chat has expired',
      ({ made, sessionId }) =>
        app.pool.query('UPDATE chat_sessions SET expires_at = $3 WHERE bot_id = $1 AND id = $2', [
          made.id,
          sessionId,
          app.clock.now(),
        ]),
    ],
    [
      'it has no result',
      ({ made, sessionId }) =>
        app.pool.query('UPDATE chat_sessions SET result_id = NULL WHERE bot_id = $1 AND id = $2', [
          made.id,
          sessionId,
        ]),
    ],
    [
      'its bot is deleted',
      ({ made }) => app.client.ok('deleteBot', { as: here.member, params: { botId: made.id } }),
    ],
  ])('rejects a chat that was known once %s', async (_, change) => {
    const chat = await startLogged()
    await change(chat)
    const answer = await save(chat.sessionId, 'late')
    expect([answer.status, answer.body.issues]).toEqual([
      400,
      [expect.objectContaining({ path: ['path', 'sessionId'], code: 'unknown_session' })],
    ])
    const { rows } = await app.pool.query(
      "SELECT FROM result_logs WHERE bot_id = $1 AND description = 'late'",
      [chat.made.id],
    )
    expect(rows).toHaveLength(0)
  })

  test('accepts origins that the bot allows, also once the chat is cached', async () => {
    const allowed = 'https://shop.example'
    const flow = { ...twoQuestions, settings: { security: { allowedOrigins: [allowed] } } }
    const { sessionId, kept } = await startLogged(flow)
    const rejected = await save(sessionId, 'evil', { Origin: 'https://evil.example' })
    expect([rejected.status, rejected.body.issues]).toEqual([
      400,
      [expect.objectContaining({ code: 'origin_not_allowed' })],
    ])
    expect((await save(sessionId, 'good', { Origin: allowed })).status).toBe(200)
    expect(await kept()).toEqual(['good', 'first'])
  })

  test('accepts origins that the publication of the chat allows, whatever other chats use', async () => {
    const origins = ['https://shop.example', 'https://other.example']
    const settingsOf = (origin?: string) => ({ security: { allowedOrigins: [origin] } })
    const chat = await startLogged({ ...twoQuestions, settings: settingsOf(origins[0]) })
    await update(chat.made.id, { settings: settingsOf(origins[1]) })
    await republish(chat.made.id)
    await start(app, chat.made)
    const answers = []
    // At first as from the origin that the publication allows which was chatted with last.
    for (const Origin of origins.toReversed()) answers.push(await save(chat.sessionId, Origin, { Origin }))
    expect(answers.map(({ status }) => status)).toEqual([400, 200])
    expect(await chat.kept()).toEqual([origins[0], 'first'])
  })
})

describe('writes of members during chats', () => {
  test('a new publication is used by chats that start later', async () => {
    const made = await publish(app, here, twoQuestions)
    const before = await start(app, made)
    const { groups, edges, events } = storable(bot({ Start: [text('New?'), ask('Name'), text('New end.')] }))
    await update(made.id, { groups, edges, events })
    await republish(made.id)
    const after = await start(app, made)
    expect(textsOf(after)).toEqual(['New?'])
    expect(textsOf(await reply(app, before.sessionId, 'Ada', 1))).toEqual(['Age?'])
    expect(textsOf(await reply(app, after.sessionId, 'Bob', 1))).toEqual(['New end.'])
    await app.client.ok('unpublishBot', { as: here.member, params: { botId: made.id } })
    expect((await app.client.call('startChat', { params: { publicId: made.publicId } })).status).toBe(404)
    expect(textsOf(await reply(app, before.sessionId, '36', 2))).toEqual(['Bye Ada, 36.'])
    expect((await report(made)).stats).toEqual({ totalViews: 2, totalStarts: 2, totalCompleted: 2 })
  })

  test.each(['all', 'one'])('deleted results (%s) do not come back', async (which) => {
    const made = await publish(app, here, twoQuestions)
    const { sessionId, resultId = '' } = await start(app, made)
    await reply(app, sessionId, 'Ada', 1)
    const query = which === 'one' ? { query: { resultIds: resultId } } : {}
    await app.client.ok('deleteResults', { as: here.member, params: { botId: made.id }, ...query })
    expect((await tryReply(app, sessionId, '36', 2)).status).toBe(404)
    const nothing = { totalViews: 0, totalStarts: 0, totalCompleted: 0 }
    expect(await report(made)).toMatchObject({ results: [], stats: nothing })
    while (await purgeBatch(app.db, app.clock.now()));
    expect(await report(made)).toMatchObject({ results: [], stats: nothing })
    const left = await app.pool.query('SELECT content FROM result_answers WHERE bot_id = $1', [made.id])
    expect(left.rows).toEqual([])
  })

  test('a deleted bot ends its chats', async () => {
    const made = await publish(app, here, twoQuestions)
    const { sessionId } = await start(app, made)
    await app.client.ok('deleteBot', { as: here.member, params: { botId: made.id } })
    expect((await tryReply(app, sessionId, 'Ada', 1)).status).toBe(404)
    expect((await app.client.call('startChat', { params: { publicId: made.publicId } })).status).toBe(404)
    const answer = await app.client.call('saveClientLogs', {
      params: { sessionId },
      body: { clientLogs: [{ description: 'One' }] },
    })
    expect(answer.status).toBe(400)
  })

  test('deletions beside replies in any order are no error', async () => {
    for (let round = 0; round < 10; round++) {
      const made = await publish(app, here, twoQuestions)
      const chats = await Promise.all([1, 2, 3].map(() => start(app, made)))
      const replies = chats.map(({ sessionId }) => tryReply(app, sessionId, 'Ada', 1))
      const deleted =
        round % 2 === 0
          ? app.client.ok('deleteResults', { as: here.member, params: { botId: made.id } })
          : app.client.ok('deleteBot', { as: here.member, params: { botId: made.id } })
      for (const { status } of await Promise.all(replies)) expect([200, 404]).toContain(status)
      await deleted
      if (round % 2 === 0) expect((await report(made)).results).toEqual([])
    }
  })
})

describe('sessions', () => {
  const hour = 60 * 60 * 1000

  test('stay unchanged but for their end, which is all that the write-ahead log has of a turn', async () => {
    const names = ['One', 'Two', 'Three']
    const made = await publish(
      app,
      here,
      bot({ Start: names.map((name) => ask(name)) }, { variables: names }),
    )
    const { sessionId } = await start(app, made)
    const stateAfter = async (said: string, revision: number) => {
      await reply(app, sessionId, said, revision)
      const { rows } = await app.pool.query(
        'SELECT state::text FROM chat_sessions WHERE bot_id = $1 AND id = $2',
        [made.id, sessionId],
      )
      return rows[0].state as string
    }
    const answer = 'the first answer '.repeat(20)
    const first = await stateAfter(answer, 1)
    const second = await stateAfter('the second', 2)
    expect(second).toHaveLength(first.length)
    const kept = first.slice(0, first.indexOf(answer))
    expect(kept).toBe('{"format":1,"frames":[{"values":[["v-One","')
    expect(second.startsWith(`${kept}${answer}`)).toBe(true)
  })

  test('expire, and are removed', async () => {
    const own = await startApp()
    try {
      const { here: site } = await makeWorld(own)
      const made = await publish(own, site, twoQuestions)
      const idle = await start(own, made)
      const used = await start(own, made)
      own.clock.advance(47 * hour)
      await reply(own, used.sessionId, 'Ada', 1)
      // In whole hours.
      own.clock.advance(2 * hour)
      expect((await tryReply(own, idle.sessionId, 'Ada', 1)).status).toBe(404)
      while (await removeSessions(own.db, own.clock.now()));
      const { rows } = await own.pool.query('SELECT id FROM chat_sessions WHERE bot_id = $1', [made.id])
      expect(rows).toEqual([{ id: used.sessionId }])
      await reply(own, used.sessionId, '36', 2)
      // The result of the one that expired is still there.
      expect((await reportOf(own, made, site.member)).stats).toEqual({
        totalViews: 2,
        totalStarts: 1,
        totalCompleted: 1,
      })
    } finally {
      await own.stop()
    }
  })

  test('that are over can be read for an hour by any clock, also when a member ended them', async () => {
    const own = await startApp()
    try {
      const { here: site } = await makeWorld(own)
      const made = await publish(own, site, twoQuestions)
      const [over, ended, open] = [await start(own, made), await start(own, made), await start(own, made)]
      await reply(own, over.sessionId, 'Ada', 1)
      await reply(own, over.sessionId, '36', 2)
      const params = { botId: made.id, sessionId: ended.sessionId }
      await own.client.ok('updateChat', { as: site.member, params, body: { isOver: true } })
      const seen = async () => {
        while (await removeSessions(own.db, own.clock.now()));
        const asked = [over, ended, open].map(({ sessionId }) =>
          own.client.call('getSession', { params: { sessionId } }),
        )
        return (await Promise.all(asked)).map(({ status, body }) => [status, body.isOver])
      }
      // That of the process which asks may be an hour ahead.
      own.clock.advance(2 * hour - 60_000)
      expect(await seen()).toEqual([
        [200, true],
        [200, true],
        [200, false],
      ])
      own.clock.advance(60_000)
      expect(await seen()).toEqual([
        [404, undefined],
        [404, undefined],
        [200, false],
      ])
    } finally {
      await own.stop()
    }
  })

  test('are removed by several processes at once, each once', async () => {
    const made = await publish(app, here, twoQuestions)
    for (let count = 0; count < 20; count++) await start(app, made)
    const later = new Date(app.clock.now().getTime() + 72 * hour)
    const purge = async () => {
      while (await removeSessions(app.db, later));
    }
    await Promise.all([purge(), purge(), purge()])
    const { rows } = await app.pool.query('SELECT id FROM chat_sessions WHERE bot_id = $1', [made.id])
    expect(rows).toEqual([])
  })
})

describe('linked bots', () => {
  const linking = (botId: string, mergeResults: boolean) =>
    bot(
      {
        Start: [
          text('Name?'),
          ask('Name'),
          { type: 'Bot link', options: { botId, mergeResults } },
          text('Back: {{Colour}}.'),
          ask('End'),
          text('Over.'),
        ],
      },
      { variables: ['Name', 'Colour', 'End'] },
    )
  const linked = bot(
    { Inner: [text('Which colour, {{Name}}?'), ask('Colour'), text('Fine.')] },
    { variables: ['Name', 'Colour'] },
  )

  async function chatThrough(mergeResults: boolean) {
    const inner = await publish(app, here, linked)
    const outer = await publish(app, here, linking(inner.id, mergeResults))
    const { sessionId } = await start(app, outer)
    const texts = [textsOf(await reply(app, sessionId, 'Ada', 1))]
    // Neither of them publishing anew matters to a chat that is under way.
    const { groups } = storable(bot({ Other: [text('Changed.')] }))
    await update(inner.id, { groups })
    await republish(inner.id)
    texts.push(textsOf(await reply(app, sessionId, 'Blue', 2)))
    texts.push(textsOf(await reply(app, sessionId, 'done', 3)))
    return { texts, inner: await report(inner), outer: await report(outer) }
  }

  test('with merged results have one result', async () => {
    const { texts, inner, outer } = await chatThrough(true)
    expect(texts).toEqual([['Which colour, Ada?'], ['Fine.', 'Back: Blue.'], ['Over.']])
    expect(outer.results).toHaveLength(1)
    expect(outer.results[0]?.answers.map(({ content }) => content)).toEqual(['Ada', 'Blue', 'done'])
    expect(outer.results[0]?.variables.map(({ name, value }) => [name, value])).toEqual(
      expect.arrayContaining([['Colour', 'Blue']]),
    )
    expect(outer.stats).toEqual({ totalViews: 1, totalStarts: 1, totalCompleted: 1 })
    expect(inner.stats.totalViews).toBe(0)
  })

  test('without merged results have a result of their own', async () => {
    const { texts, inner, outer } = await chatThrough(false)
    expect(texts).toEqual([['Which colour, Ada?'], ['Fine.', 'Back: .'], ['Over.']])
    expect(outer.results[0]?.answers.map(({ content }) => content)).toEqual(['Ada', 'done'])
    expect(inner.results).toHaveLength(1)
    expect(inner.results[0]).toMatchObject({
      hasStarted: true,
      isCompleted: true,
      answers: [{ content: 'Blue' }],
    })
    for (const { stats } of [inner, outer])
      expect(stats).toEqual({ totalViews: 1, totalStarts: 1, totalCompleted: 1 })
  })

  test('that are not published, deleted, or of another workspace are skipped', async () => {
    const foreign = await publish(app, world.there, linked)
    const unpublished = await publish(app, here, linked)
    await app.client.ok('unpublishBot', { as: here.member, params: { botId: unpublished.id } })
    const deleted = await publish(app, here, linked)
    await app.client.ok('deleteBot', { as: here.member, params: { botId: deleted.id } })
    for (const { id } of [foreign, unpublished, deleted]) {
      const outer = await publish(app, here, linking(id, true))
      const { sessionId, resultId = '' } = await start(app, outer)
      expect(textsOf(await reply(app, sessionId, 'Ada', 1))).toEqual(['Back: .'])
      const logs = await logsOf(app, outer.id, resultId, here.member)
      expect(logs[0]?.description).toMatch(/not published/)
    }
  })

  test('that are deleted during the chat do not end it', async () => {
    const inner = await publish(app, here, linked)
    const outer = await publish(app, here, linking(inner.id, false))
    const { sessionId } = await start(app, outer)
    await reply(app, sessionId, 'Ada', 1)
    await app.client.ok('deleteBot', { as: here.member, params: { botId: inner.id } })
    expect((await tryReply(app, sessionId, 'Blue', 2)).status).toBe(200)
    expect((await report(outer)).results[0]?.answers.map(({ content }) => content)).toContain('Ada')
  })
})

test('many concurrent chats: results, stats, transcripts and CSV agree', async () => {
  const made = await publish(app, here, twoQuestions)
  // Number of turns of each visitor.
  const people = Array.from({ length: 60 }, (_, number) => ({ name: `Person ${number}`, steps: number % 3 }))
  await Promise.all(
    people.map(async ({ name, steps }) => {
      const { sessionId } = await start(app, made)
      if (steps > 0) await reply(app, sessionId, name, 1)
      if (steps > 1) await reply(app, sessionId, '7', 2)
    }),
  )
  const { results, stats, csv } = await report(made)
  expect(stats).toEqual({ totalViews: 60, totalStarts: 40, totalCompleted: 20 })
  expect(results.map(({ answers }) => answers[0]?.content).sort()).toEqual(
    people.flatMap(({ name, steps }) => (steps > 0 ? [name] : [])).sort(),
  )
  expect(results.filter(({ isCompleted }) => isCompleted)).toHaveLength(20)
  const lines = csv.trimEnd().split('\r\n').slice(1)
  expect(lines.map((line) => line.split(',')[0])).toEqual(results.map(({ id }) => id))
  for (const [index, result] of results.entries()) {
    const contents = result.answers.map(({ content }) => content)
    expect(lines[index]?.split(',').slice(3)).toEqual([contents[0], contents[1] ?? ''])
    const said = (await transcriptOf(app, made.id, result.id, here.member)).filter(
      ({ role }) => role === 'user',
    )
    expect(said.map((entry) => entry.text)).toEqual(contents)
  }
})

test('a list variable collects every reply', async () => {
  const list = { id: idOf('All'), name: 'All', value: [] }
  const flow = bot({ Start: [ask('All'), ask('All'), text('{{All}}')] })
  const made = await publish(app, here, { ...flow, variables: [list] })
  const { sessionId } = await start(app, made)
  await reply(app, sessionId, 'a', 1)
  await reply(app, sessionId, 'b', 2)
  const { results } = await report(made)
  expect(results[0]?.variables).toMatchObject([{ name: 'All', value: ['a', 'b'] }])
})

test('a flow is cached with the size of its whole document', async () => {
  const theme = { more: 'x'.repeat(100_000) }
  const settings = { metadata: { customHeadCode: 'y'.repeat(10_000) } }
  const made = await publish(app, here, { ...twoQuestions, theme, settings })
  const tools = { flows: new LRUCache({ maxSize: 1_000_000 }) }
  expect(await findPublished(app.db, tools as never, made.publicId, undefined)).toBeDefined()
  expect(tools.flows.calculatedSize).toBeGreaterThan(110_000)
})

test('a chat that is read again has labels, and results the values', async () => {
  const picture = 'https://example.com/p.png'
  const flow = bot(
    {
      Start: [
        { type: 'choice input', items: [{ id: 'a', content: 'Ada', value: 'A1' }] },
        { type: 'picture choice input', items: [{ id: 'p', pictureSrc: picture }] },
        ask('Last'),
      ],
    },
    { variables: ['Last'] },
  )
  const made = await publish(app, world.here, flow)
  const { sessionId, resultId } = await start(app, made)
  const choose = (text: string, replyId: string) =>
    app.client.ok('continueChat', {
      params: { sessionId },
      body: { message: { type: 'text', text, metadata: { replyId } } },
    })
  await choose('Ada', 'a')
  await choose(picture, 'p')
  const { turns } = await app.client.ok('getSession', { params: { sessionId } })
  expect(turns.filter(({ role }) => role === 'user')).toEqual([
    { role: 'user', text: 'Ada' },
    { role: 'user', text: '' },
  ])
  const { result } = await app.client.ok('getResult', {
    as: world.here.member,
    params: { botId: made.id, resultId: String(resultId) },
  })
  expect(result.answers.map(({ content }) => content)).toEqual(['A1', picture])
})

test('getSession returns the end of a long chat', async () => {
  const made = await publish(
    app,
    here,
    bot({ Start: [ask('Name', { to: 'Start' })] }, { variables: ['Name'] }),
  )
  const { sessionId } = await start(app, made)
  const steps = 60
  for (let revision = 2; revision <= steps; revision += 1) {
    const said = [{ role: 'user' as const, text: `${revision} ${'x'.repeat(200_000)}` }]
    await app.pool.query(
      'INSERT INTO chat_turns (bot_id, session_id, revision, turn) VALUES ($1, $2, $3, $4)',
      [made.id, sessionId, revision, encodeTurn(said, JSON.stringify({ messages: [], revision }))],
    )
  }
  await app.pool.query('UPDATE chat_sessions SET revision = $2 WHERE id = $1', [sessionId, steps])
  const { turns, revision } = await app.client.ok('getSession', { params: { sessionId } })
  expect(revision).toBe(steps)
  expect(JSON.stringify(turns).length).toBeLessThan(5_000_000)
  const numbers = turns.map((turn) => ('text' in turn ? Number.parseInt(turn.text, 10) : 0))
  expect(numbers).toEqual(Array.from({ length: turns.length }, (_, at) => steps - turns.length + 1 + at))
  expect(turns.length).toBeGreaterThan(10)
})

test('blocks get no more of a long chat than they can use', async () => {
  const made = await publish(app, here, twoQuestions)
  const { sessionId, resultId = '' } = await start(app, made)
  await app.pool.query(
    `INSERT INTO result_answers (bot_id, result_id, seq, block_id, content, created_at, transcript)
    SELECT $1, $2, seq, 'block', seq || repeat(' x', 100000), now(), '["bot", null]' FROM generate_series(0, 59) AS seq`,
    [made.id, resultId],
  )
  const running = { botId: made.id, workspaceId: here.workspaceId, publicationId: '', resultId, sessionId }
  const effects = createEffects(
    { db: app.db, chat: {}, config: {}, publicUrl: () => app.url } as never,
    running,
  )
  const numbers = (texts: string[]) => texts.map((each) => Number.parseInt(each, 10))
  const answers = await effects.earlierAnswers(resultId)
  expect(numbers(answers.map(({ content }) => content))).toEqual(
    Array.from({ length: 20 }, (_, at) => 40 + at),
  )
  const said = (await effects.earlierTranscript()).flatMap(({ role, text = '' }) =>
    role === 'user' ? [text] : [],
  )
  expect(numbers(said)).toEqual(Array.from({ length: 20 }, (_, at) => at))
  expect(await transcriptOf(app, made.id, resultId, here.member)).toHaveLength(121)
})

testWithTrigger('a turn whose write violates a unique key each time is 503 after some attempts', async () => {
  const made = await publish(app, here, twoQuestions)
  const { sessionId } = await start(app, made)
  // A rollback does not reset a sequence.
  await app.pool.query(`CREATE SEQUENCE attempts;
    CREATE FUNCTION collide() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN PERFORM nextval('attempts'); RAISE unique_violation; END $$;
    CREATE TRIGGER collide BEFORE INSERT OR UPDATE ON chat_sessions FOR EACH ROW EXECUTE FUNCTION collide()`)
  try {
    const { id, publicId } = made
    const answers = [
      await app.client.call('startChat', { params: { publicId } }),
      await app.client.call('continueChat', { params: { sessionId }, body: { message: 'Ada', revision: 1 } }),
    ]
    expect(answers.map(({ status }) => status)).toEqual([503, 503])
    const { rows } = await app.pool.query('SELECT last_value::int AS attempts FROM attempts')
    expect(rows[0].attempts).toBeLessThanOrEqual(2 * 25)
    expect((await app.pool.query('SELECT FROM results WHERE bot_id = $1', [id])).rowCount).toBe(1)
  } finally {
    await app.pool.query('DROP FUNCTION collide CASCADE; DROP SEQUENCE attempts')
  }
  expect(textsOf(await reply(app, sessionId, 'Ada', 1))).toEqual(['Age?'])
})
