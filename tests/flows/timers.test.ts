import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import { type App, startApp } from '../support/app.ts'
import { boundNamed } from '../support/bounds.ts'
import { ask, bot, type Part, text } from '../support/chat.ts'
import {
  logsOf,
  type Published,
  publish,
  reply,
  type Step,
  start,
  stepStatement,
  textsOf,
  transcriptOf,
  tryReply,
} from '../support/chats.ts'
import type { BodyOf } from '../support/client.ts'
import { until } from '../support/process.ts'
import { makeWorld, type Site } from '../support/world.ts'

/* Timers of chats: the bot continues by itself, once, whatever happens at the same time. */

/** A cluster joins no turns. */
const testAlone = process.env.CITUS === '1' ? test.skip : test

let app: App
let here: Site
let waiting: Published
let idle: Published
let handing: Published
let closed: Published

const event = (options: object): Part => ({ id: 'idle', type: 'idle', to: 'Remind', options })
const waitUntil = (options: object): Part => ({ type: 'wait until', options })

beforeAll(async () => {
  app = await startApp()
  here = (await makeWorld(app)).here
  const groups = {
    Start: [
      text('Hello'),
      waitUntil({ secondsToWaitFor: '3600' }),
      text('An hour later'),
      ask('Name'),
      text('Bye'),
    ],
  }
  waiting = await publish(app, here, bot(groups, { variables: ['Name'] }))
  idle = await publish(
    app,
    here,
    bot(
      {
        Start: [ask('Name'), text('Hello {{Name}}'), ask('Age'), text('Bye')],
        Remind: [text('Still there?')],
      },
      { variables: ['Name', 'Age'], events: [event({ seconds: 60, times: 2, isEnding: true })] },
    ),
  )
  const ways = (more: object) => ({
    type: 'handoff',
    items: [
      { id: 'unanswered', path: 'unanswered', to: 'Late' },
      { id: 'closed', path: 'closed', to: 'Closed' },
    ],
    options: { message: 'One moment, {{Name}}', timeoutSeconds: 300, ...more },
  })
  const handGroups = (more: object) => ({
    Start: [ask('Name'), ways(more), text('Back again'), ask('Age')],
    Late: [text('Nobody came')],
    Closed: [text('We are closed')],
  })
  handing = await publish(app, here, bot(handGroups({}), { variables: ['Name', 'Age'] }))
  // The clock of the app shows a Tuesday.
  const officeHours = { timeZone: 'Europe/Paris', times: [{ day: 'monday', from: '09:00', to: '17:00' }] }
  closed = await publish(app, here, bot(handGroups({ officeHours }), { variables: ['Name', 'Age'] }))
})

afterEach(async () => {
  app.beforeStatement = undefined
  await app.pool.query('DELETE FROM chat_timers')
})

afterAll(() => app.stop())

const update = (made: Published, sessionId: string, body: BodyOf<'updateChat'>, as = here.member) =>
  app.client.call('updateChat', { as, params: { botId: made.id, sessionId }, body })

const read = (sessionId: string) => app.client.ok('getSession', { params: { sessionId } })

const eventsOf = async (sessionId: string, after: string) =>
  (await app.client.ok('listSessionEvents', { params: { sessionId }, query: { after } })).events

async function saidIn(sessionId: string): Promise<string[]> {
  const { turns } = await read(sessionId)
  return turns.map((turn) =>
    turn.role === 'user' ? turn.text : textsOf({ messages: [turn.message], revision: 0 }).join(),
  )
}

async function lastMessageOf({ id: botId }: Published, sessionId: string) {
  const params = { botId, sessionId }
  return (await app.client.ok('getChat', { as: here.member, params })).chat.lastMessage
}

async function timersOf(sessionId: string) {
  const { rows } = await app.pool.query(
    `SELECT is_paused, ceil(date_part('epoch', due_at - now()) / 60)::int AS minutes, failures FROM chat_timers WHERE session_id = $1`,
    [sessionId],
  )
  return rows
}

async function countTimers(): Promise<number> {
  const { rows } = await app.pool.query('SELECT count(*)::int AS count FROM chat_timers')
  return rows[0].count
}

/** Starts chats at the same time, and returns their sessions. */
async function startMany(made: Published, count: number): Promise<string[]> {
  const steps = await Promise.all(Array.from({ length: count }, () => start(app, made)))
  return steps.map(({ sessionId }) => sessionId)
}

/** Does `work` once, after a turn has run, just before it is written. */
function beforeStepIsWritten(work: () => Promise<unknown>) {
  app.beforeStatement = async (statement) => {
    if (!stepStatement.test(statement)) return
    app.beforeStatement = undefined
    await work()
  }
}

const secondsOf = ({ clientSideActions }: Pick<Step, 'clientSideActions'>) =>
  clientSideActions?.map((action) => action.type === 'wait' && action.wait.secondsToWaitFor)

describe('a wait until a time', () => {
  test('sets a timer, and tells the client to wait and to follow the events', async () => {
    const step = await start(app, waiting)
    expect(textsOf(step)).toEqual(['Hello'])
    expect(step).toMatchObject({ expectsEvents: true, clientSideActions: [{ expectsDedicatedReply: true }] })
    expect(secondsOf(step)).toEqual([3600])
    expect(await timersOf(step.sessionId)).toEqual([{ is_paused: false, minutes: 60, failures: 0 }])
  })

  test('returns the remaining seconds to an early client, and does not continue', async () => {
    const { sessionId } = await start(app, waiting)
    await app.pool.query(`UPDATE chat_timers SET due_at = now() + interval '100 seconds'`)
    for (const message of [null, 'Faster!']) {
      const again = await reply(app, sessionId, message, 1)
      expect(again).toMatchObject({ revision: 1, expectsEvents: true })
      expect(secondsOf(again)?.[0]).toBeLessThanOrEqual(100)
    }
    expect(secondsOf(await read(sessionId))?.[0]).toBeLessThanOrEqual(100)
    expect((await tryReply(app, sessionId, { type: 'command', command: 'x' }, 1)).status).toBe(400)
  })

  test('runs the flow once when its timer fires, in the transcript, the events and the session', async () => {
    const { sessionId, resultId = '' } = await start(app, waiting)
    await app.fireTimers()
    await app.fireTimers()
    expect(await saidIn(sessionId)).toEqual(['Hello', 'An hour later'])
    const [turn, ...rest] = await eventsOf(sessionId, '1.0')
    expect(turn).toMatchObject({
      type: 'turn',
      said: [],
      step: { revision: 2, input: { type: 'text input' } },
    })
    expect(rest).toMatchObject([{ type: 'handled', handledBy: 'bot' }])
    const transcript = await transcriptOf(app, waiting.id, resultId, here.member)
    expect(transcript.map((entry) => entry.text)).toEqual(['Hello', 'An hour later'])
    expect(await timersOf(sessionId)).toEqual([])
    // The client that has waited meanwhile.
    const step = await reply(app, sessionId, null, 1)
    expect(textsOf(step)).toEqual(['An hour later'])
    expect(step.expectsEvents).toBeUndefined()
    expect(textsOf(await reply(app, sessionId, 'Ada', 2))).toEqual(['Bye'])
  })

  test('extends a chat to 48 hours after its timer, and to 30 days at most', async () => {
    const later = await publish(
      app,
      here,
      bot({ Start: [waitUntil({ secondsToWaitFor: '864000' }), text('Later')] }),
    )
    const last = await publish(
      app,
      here,
      bot({ Start: [waitUntil({ secondsToWaitFor: '9999999' }), text('Later')] }),
    )
    const hoursOf = async (made: Published) => {
      const { sessionId } = await start(app, made)
      const { chat } = await app.client.ok('getChat', {
        as: here.member,
        params: { botId: made.id, sessionId },
      })
      return Math.round((Date.parse(chat.expiresAt) - Date.parse(chat.createdAt)) / 3_600_000)
    }
    expect(await hoursOf(waiting)).toBe(1 + 48 + 1)
    expect(await hoursOf(later)).toBe(240 + 48 + 1)
    expect(await hoursOf(last)).toBe(30 * 24)
  })

  test('works in a preview too', async () => {
    const { sessionId } = await app.client.ok('startPreview', {
      as: here.member,
      params: { botId: waiting.id },
    })
    await app.fireTimers()
    expect(await saidIn(sessionId)).toEqual(['Hello', 'An hour later'])
  })

  test('a bot that wakes itself again and again is stopped', async () => {
    const again: Part = { type: 'Jump', options: { groupId: 'Start' } }
    const made = await publish(app, here, bot({ Start: [waitUntil({ secondsToWaitFor: '1' }), again] }))
    const { sessionId, resultId = '' } = await start(app, made)
    await app.pool.query(
      `UPDATE chat_sessions SET state = (state::jsonb || '{"turnsWithoutVisitor": 199}')::json WHERE id = $1`,
      [sessionId],
    )
    await app.fireTimers()
    expect((await read(sessionId)).isOver).toBe(false)
    await app.fireTimers()
    expect((await read(sessionId)).isOver).toBe(true)
    expect((await logsOf(app, made.id, resultId, here.member)).map(({ description }) => description)).toEqual(
      ['The chat was stopped: 200 timers came without a message of the visitor'],
    )
  })
})

describe('a visitor who does not answer', () => {
  test('is reminded as often as configured, with the same input, and then the chat ends', async () => {
    const { sessionId, resultId = '' } = await start(app, idle)
    expect(await timersOf(sessionId)).toEqual([{ is_paused: false, minutes: 1, failures: 0 }])
    for (const revision of [2, 3]) {
      await app.fireTimers()
      const session = await read(sessionId)
      expect(session).toMatchObject({ revision, expectsEvents: true, input: { id: 'Start.0' } })
    }
    await app.fireTimers()
    expect(await saidIn(sessionId)).toEqual(['Still there?', 'Still there?'])
    expect((await read(sessionId)).isOver).toBe(true)
    const { result } = await app.client.ok('getResult', {
      as: here.member,
      params: { botId: idle.id, resultId },
    })
    expect(result.isCompleted).toBe(false)
    expect(await timersOf(sessionId)).toEqual([])
  })

  test('has the full time again for the next input after an answer', async () => {
    const { sessionId } = await start(app, idle)
    await app.fireTimers()
    await reply(app, sessionId, 'Ada', 2)
    expect(await timersOf(sessionId)).toEqual([{ is_paused: false, minutes: 1, failures: 0 }])
    await app.fireTimers()
    await app.fireTimers()
    expect((await read(sessionId)).isOver).toBe(false)
    expect(textsOf(await reply(app, sessionId, '36', 4))).toEqual(['Bye'])
    expect(await timersOf(sessionId)).toEqual([])
  })

  test('has an answer counted that was on its way when the reminder came', async () => {
    const { sessionId } = await start(app, idle)
    await app.fireTimers()
    expect(textsOf(await reply(app, sessionId, 'Ada', 1))).toEqual(['Hello Ada'])
    // A repeat of it is no answer to the next question.
    expect((await tryReply(app, sessionId, 'Ada', 1)).status).toBe(409)
    const other = await start(app, idle)
    beforeStepIsWritten(() => app.fireTimers())
    expect(textsOf(await reply(app, other.sessionId, 'Eve', 1))).toEqual(['Hello Eve'])
    expect(await saidIn(other.sessionId)).toEqual(['Still there?', 'Eve', 'Hello Eve'])
  })

  test('gets no reminder after a faster answer', async () => {
    const { sessionId } = await start(app, idle)
    beforeStepIsWritten(() => reply(app, sessionId, 'Ada', 1))
    await app.fireTimers()
    // The timer of the next question was due then, too.
    expect((await saidIn(sessionId)).slice(0, 2)).toEqual(['Ada', 'Hello Ada'])
    expect((await read(sessionId)).input).toMatchObject({ id: 'Start.2' })
  })

  test('gets no reminder while a member handles the chat, and one later', async () => {
    const { sessionId } = await start(app, idle)
    await update(idle, sessionId, { handledBy: 'member' })
    expect(await timersOf(sessionId)).toMatchObject([{ is_paused: true }])
    await app.fireTimers()
    expect(await saidIn(sessionId)).toEqual([])
    await app.pool.query('UPDATE chat_timers SET due_at = now()')
    await update(idle, sessionId, { handledBy: 'bot' })
    expect(await timersOf(sessionId)).toEqual([{ is_paused: false, minutes: 1, failures: 0 }])
    await app.fireTimers()
    expect(await saidIn(sessionId)).toEqual(['Still there?'])
  })
})

describe('a timer that is leased', () => {
  test('stays with a chat that a member takes before its turn starts, and fires once the bot handles it again', async () => {
    const { sessionId } = await start(app, waiting)
    app.beforeStatement = async (statement) => {
      if (!statement.includes('chat_sessions')) return
      app.beforeStatement = undefined
      await update(waiting, sessionId, { handledBy: 'member' })
    }
    await app.fireTimers()
    expect(await timersOf(sessionId)).toMatchObject([{ is_paused: true }])
    expect(await saidIn(sessionId)).toEqual(['Hello'])
    await update(waiting, sessionId, { handledBy: 'bot' })
    await app.fireTimers()
    expect(await saidIn(sessionId)).toEqual(['Hello', 'An hour later'])
  })
})

describe('a hand-over', () => {
  const handOver = async (made = handing) => {
    const { sessionId, resultId = '' } = await start(app, made)
    const step = await reply(app, sessionId, 'Ada', 1)
    return { sessionId, resultId, step }
  }

  test('puts the chat into the inbox of waiting chats', async () => {
    const { sessionId, step } = await handOver()
    expect(textsOf(step)).toEqual(['One moment, Ada'])
    expect(step).toMatchObject({ handledBy: 'waiting', expectsEvents: true, input: { id: 'people' } })
    const { chats } = await app.client.ok('listChats', {
      as: here.member,
      params: { botId: handing.id },
      query: { handledBy: 'waiting' },
    })
    expect(chats.map((chat) => chat.sessionId)).toContain(sessionId)
    expect(await timersOf(sessionId)).toEqual([{ is_paused: false, minutes: 5, failures: 0 }])
    // Messages of the visitor are for people, and leave the timer alone.
    await reply(app, sessionId, 'Hello?', 2)
    expect(await timersOf(sessionId)).toHaveLength(1)
  })

  test('continues behind the block once a member gives the chat back', async () => {
    const { sessionId } = await handOver()
    await update(handing, sessionId, { handledBy: 'member' })
    expect(await timersOf(sessionId)).toEqual([])
    await update(handing, sessionId, { handledBy: 'bot' })
    const step = await reply(app, sessionId, null, 3)
    expect(textsOf(step)).toEqual(['Back again'])
    expect(step.input).toMatchObject({ id: 'Start.3' })
  })

  test('leaves by its way out when no member comes in time', async () => {
    const { sessionId } = await handOver()
    await app.fireTimers()
    expect(await saidIn(sessionId)).toEqual(['Ada', 'One moment, Ada', 'Nobody came'])
    const { chat } = await app.client.ok('getChat', {
      as: here.member,
      params: { botId: handing.id, sessionId },
    })
    expect(chat).toMatchObject({ handledBy: 'bot', isOver: true })
  })

  test('leaves by its way out also after a process that ran the turn has died', async () => {
    const { sessionId } = await handOver()
    await app.pool.query(
      // A cluster takes no function of the clock beside a column.
      `UPDATE chat_sessions SET lease_id = revision::text || '/dead', leased_until = $2 WHERE id = $1`,
      [sessionId, new Date(Date.now() - 1_000)],
    )
    await app.fireTimers()
    expect(await saidIn(sessionId)).toEqual(['Ada', 'One moment, Ada', 'Nobody came'])
  })

  test('leaves by its way out outside of office hours, and goes on in previews', async () => {
    const { step } = await handOver(closed)
    expect(textsOf(step)).toEqual(['We are closed'])
    const { sessionId } = await app.client.ok('startPreview', {
      as: here.member,
      params: { botId: closed.id },
    })
    expect(textsOf(await reply(app, sessionId, 'Ada', 1))).toEqual(['Back again'])
  })

  test('stays with a member who takes the chat while its timer fires', async () => {
    const { sessionId } = await handOver()
    beforeStepIsWritten(() => update(handing, sessionId, { handledBy: 'member' }))
    await app.fireTimers()
    const { chat } = await app.client.ok('getChat', {
      as: here.member,
      params: { botId: handing.id, sessionId },
    })
    expect(chat).toMatchObject({ handledBy: 'member', revision: 2 })
    expect(await saidIn(sessionId)).toEqual(['Ada', 'One moment, Ada'])
  })

  test('keeps a message that the visitor sends while the timer fires', async () => {
    const { sessionId } = await handOver()
    beforeStepIsWritten(() => reply(app, sessionId, 'Hello?', 2))
    await app.fireTimers()
    expect(await saidIn(sessionId)).toEqual(['Ada', 'One moment, Ada', 'Hello?', 'Nobody came'])
  })

  test('keeps a variable that a member sets while the timer fires', async () => {
    const { sessionId, resultId } = await handOver()
    beforeStepIsWritten(() => update(handing, sessionId, { variables: { Age: '36' } }))
    await app.fireTimers()
    expect(await saidIn(sessionId)).toEqual(['Ada', 'One moment, Ada', 'Nobody came'])
    const { result } = await app.client.ok('getResult', {
      as: here.member,
      params: { botId: handing.id, resultId },
    })
    expect(result.variables).toContainEqual(expect.objectContaining({ name: 'Age', value: '36' }))
  })
})

describe('the last message of a chat', () => {
  test('is that of the visitor, also where the bot has sent others by its timer since', async () => {
    const { sessionId } = await start(app, idle)
    await reply(app, sessionId, 'Ada', 1)
    await app.fireTimers()
    expect(await saidIn(sessionId)).toEqual(['Ada', 'Hello Ada', 'Still there?'])
    await update(idle, sessionId, { handledBy: 'member' })
    expect(await lastMessageOf(idle, sessionId)).toEqual({ role: 'user', text: 'Ada' })
  })

  test('is that of the visitor where the turn of a timer hands the chat over', async () => {
    const groups = {
      Start: [
        ask('Name'),
        waitUntil({ secondsToWaitFor: '3600' }),
        { type: 'handoff', options: { message: 'One moment' } },
      ],
    }
    const late = await publish(app, here, bot(groups, { variables: ['Name'] }))
    const { sessionId } = await start(app, late)
    await reply(app, sessionId, 'Ada', 1)
    await app.fireTimers()
    expect(await lastMessageOf(late, sessionId)).toEqual({ role: 'user', text: 'Ada' })
  })

  test('is that of a member who gave the chat back if it is the latest', async () => {
    const { sessionId } = await start(app, idle)
    await reply(app, sessionId, 'Ada', 1)
    await update(idle, sessionId, { handledBy: 'member' })
    const params = { botId: idle.id, sessionId }
    await app.client.ok('sendMessage', { as: here.member, params, body: { text: 'Hello' } })
    await update(idle, sessionId, { handledBy: 'bot' })
    await app.fireTimers()
    await update(idle, sessionId, { handledBy: 'waiting' })
    expect(await lastMessageOf(idle, sessionId)).toEqual({ role: 'member', text: 'Hello' })
  })
})

describe('timers', () => {
  test('are listed with their chat, which has none without them', async () => {
    const { sessionId } = await start(app, idle)
    const as = here.member
    const listed = async () => {
      const { chats } = await app.client.ok('listChats', { as, params: { botId: idle.id } })
      const { chat } = await app.client.ok('getChat', { as, params: { botId: idle.id, sessionId } })
      expect(chats.find((each) => each.sessionId === sessionId)?.timer ?? null).toEqual(chat.timer)
      return chat.timer
    }
    const { rows } = await app.pool.query('SELECT due_at FROM chat_timers WHERE session_id = $1', [sessionId])
    const timer = { kind: 'idle', dueAt: rows[0].due_at.toISOString(), isPaused: false }
    expect(await listed()).toEqual(timer)
    await update(idle, sessionId, { handledBy: 'member' })
    expect(await listed()).toEqual({ ...timer, isPaused: true })
    await update(idle, sessionId, { isOver: true })
    expect(await listed()).toBeNull()
  })

  test('are deleted with a chat that a member ends, with a deleted result and with a deleted bot', async () => {
    const ended = await start(app, waiting)
    await update(waiting, ended.sessionId, { isOver: true })
    expect(await timersOf(ended.sessionId)).toEqual([])
    const deleted = await start(app, waiting)
    await app.client.ok('deleteResults', {
      as: here.member,
      params: { botId: waiting.id },
      query: { resultIds: deleted.resultId },
    })
    await app.fireTimers()
    expect(await timersOf(deleted.sessionId)).toEqual([])
    const made = await publish(
      app,
      here,
      bot({ Start: [waitUntil({ secondsToWaitFor: '60' }), text('Later')] }),
    )
    const { sessionId } = await start(app, made)
    beforeStepIsWritten(() => app.client.ok('deleteBot', { as: here.member, params: { botId: made.id } }))
    await app.fireTimers()
    await app.fireTimers()
    expect(await timersOf(sessionId)).toEqual([])
  })

  test('a timer whose turn fails is delayed, and does not delay others of its batch', async () => {
    const [bad, ...good] = await startMany(waiting, 40)
    // The database rejects one row, whichever statement writes it.
    await app.pool.query(
      `ALTER TABLE chat_sessions ADD CONSTRAINT broken CHECK (id <> '${bad}' OR revision = 1) NOT VALID`,
    )
    try {
      await app.fireTimers()
      for (const sessionId of good) expect(await saidIn(sessionId)).toEqual(['Hello', 'An hour later'])
      expect(await timersOf(bad as string)).toEqual([{ is_paused: false, minutes: 1, failures: 1 }])
    } finally {
      await app.pool.query('ALTER TABLE chat_sessions DROP CONSTRAINT broken')
    }
    await app.pool.query('UPDATE chat_timers SET failures = 7')
    await app.fireTimers()
    expect(await saidIn(bad as string)).toEqual(['Hello', 'An hour later'])
  })

  test('a row whose lease is extended while its turn is written is left, and has no effect', async () => {
    const { sessionId } = await start(app, waiting)
    const heartbeat = await app.pool.connect()
    let isOver: Promise<unknown> | undefined
    beforeStepIsWritten(async () => {
      await heartbeat.query('BEGIN')
      await heartbeat.query('UPDATE chat_timers SET leased_until = leased_until WHERE session_id = $1', [
        sessionId,
      ])
      isOver = new Promise((resolve) => setTimeout(resolve, 300)).then(() => heartbeat.query('COMMIT'))
    })
    await app.fireTimers()
    await isOver
    heartbeat.release()
    expect((await read(sessionId)).revision).toBe(2)
    expect(await timersOf(sessionId)).toEqual([{ is_paused: false, minutes: 0, failures: 0 }])
    await app.pool.query("UPDATE chat_timers SET leased_until = now() - interval '1 second'")
    await app.fireTimers()
    expect((await read(sessionId)).revision).toBe(2)
    expect(await timersOf(sessionId)).toEqual([])
  })

  testAlone.each(['wait', 'idle'])(
    'timers that are due at once are fired in few statements: %s',
    async (kind) => {
      const made = kind === 'wait' ? waiting : idle
      const sessionIds = await startMany(made, 64)
      app.statements.length = 0
      await app.fireTimers()
      // A batch has eight at least, as long as as many wait. They are leased, read and written.
      expect(app.statements.length).toBeLessThan(64 * (2 / 8) + 4)
      for (const sessionId of sessionIds) expect((await read(sessionId)).revision).toBe(2)
      const hasNone = async (sessionId: string) => (await timersOf(sessionId)).length === 0
      if (kind === 'wait') {
        // The heartbeat of a lease in the same instant leaves a row until the lease ends. It has no effect.
        await until('all rows of timers are deleted', async () => {
          await app.fireTimers()
          return (await Promise.all(sessionIds.map(hasNone))).every(Boolean)
        })
        for (const sessionId of sessionIds) expect((await read(sessionId)).revision).toBe(2)
        return
      }
      const left = [{ is_paused: false, minutes: 1, failures: 0 }]
      for (const sessionId of sessionIds) expect(await timersOf(sessionId)).toEqual(left)
    },
  )

  test('turns of timers that two processes run at the same time are written once', async () => {
    const sessionIds = await startMany(waiting, 40)
    const other = await startApp({ databaseUrl: app.databaseUrl })
    let isFirst = true
    app.beforeStatement = async (statement) => {
      if (!stepStatement.test(statement) || !isFirst) return
      isFirst = false
      // As if this process had been away for longer than its leases last.
      await other.pool.query('UPDATE chat_timers SET leased_until = now()')
      await other.timers.runDue()
    }
    try {
      await app.fireTimers()
    } finally {
      await other.stop()
    }
    expect(isFirst).toBe(false)
    for (const sessionId of sessionIds) expect(await saidIn(sessionId)).toEqual(['Hello', 'An hour later'])
    expect(await countTimers()).toBe(0)
  })

  test('a workspace whose timers wait for a server leaves room for those of another', async () => {
    const most = (boundNamed('MAX_TIMERS_BEGUN') * 3) / 4
    const waitingFor = new Set<ServerResponse>()
    let isSlow = true
    const server = createServer((_, response) => {
      if (isSlow) waitingFor.add(response)
      else response.end('{}')
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const host = `127.0.0.1:${(server.address() as AddressInfo).port}`
    const process = await startApp({
      databaseUrl: app.databaseUrl,
      config: { OUTBOUND_ALLOWED_HOSTS: [host] },
    })
    try {
      const there = (await makeWorld(app)).here
      const call: Part = { type: 'Webhook', options: { webhook: { url: `http://${host}/`, method: 'GET' } } }
      const wait = waitUntil({ secondsToWaitFor: '3600' })
      const calling = await publish(app, here, bot({ Start: [wait, call, text('Later')] }))
      await startMany(calling, most + 20)
      await app.pool.query('UPDATE chat_timers SET due_at = now()')
      process.timers.start()
      await until('as many wait as the table says', () => waitingFor.size >= most)
      const slowToo = await publish(app, (await makeWorld(app)).here, bot({ Start: [wait, call] }))
      await startMany(slowToo, boundNamed('MAX_TIMERS_BEGUN') / 4 + 20)
      await app.pool.query('UPDATE chat_timers SET due_at = now() WHERE bot_id = $1', [slowToo.id])
      await until('some of a second one wait', () => waitingFor.size > most)
      const { sessionId } = await start(app, await publish(app, there, bot({ Start: [wait, text('Later')] })))
      await app.pool.query('UPDATE chat_timers SET due_at = now() WHERE session_id = $1', [sessionId])
      await until('the timer of the other has fired', async () => (await read(sessionId)).revision === 2)
      expect(waitingFor.size).toBe(most + boundNamed('MAX_TIMERS_AT_ONCE') / 4)
      isSlow = false
      for (const response of waitingFor) response.end('{}')
      await until('all have fired', async () => (await countTimers()) === 0)
    } finally {
      isSlow = false
      server.closeAllConnections()
      await process.stop()
      server.close()
    }
  })

  test('a workspace with many timers leaves slots for those of another', async () => {
    const there = (await makeWorld(app)).here
    const flow = bot({ Start: [waitUntil({ secondsToWaitFor: '3600' }), text('Later')] })
    const [many, one] = [await publish(app, here, flow), await publish(app, there, flow)]
    const crowd = await startMany(many, 250)
    const [sessionId] = await startMany(one, 1)
    const fired: unknown[] = []
    app.beforeStatement = async (statement, values) => {
      if (!stepStatement.test(statement)) return
      fired.push(...values.flat().filter((value) => value === sessionId || crowd.includes(value as string)))
    }
    await app.pool.query(`UPDATE chat_timers SET due_at = now() - interval '1 second'
      * CASE WHEN session_id = '${sessionId}' THEN 1 ELSE 2 END`)
    app.timers.start()
    await until('all have fired', async () => (await countTimers()) === 0)
    expect(fired).toHaveLength(251)
    expect(fired.indexOf(sessionId)).toBeGreaterThanOrEqual(0)
    expect(fired.indexOf(sessionId)).toBeLessThan(200)
  })

  test('a timer that is leased to a process that died fires after its lease, and once', async () => {
    const { sessionId } = await start(app, waiting)
    await app.pool.query(
      `UPDATE chat_timers SET lease_id = 'another', leased_until = now() + interval '15 seconds' WHERE session_id = $1`,
      [sessionId],
    )
    await app.fireTimers()
    expect(await saidIn(sessionId)).toEqual(['Hello'])
    // It has written its turn, and not removed the row.
    const { rows } = await app.pool.query('SELECT * FROM chat_timers WHERE session_id = $1', [sessionId])
    await app.pool.query('UPDATE chat_timers SET leased_until = now()')
    await app.fireTimers()
    const { id, bot_id, workspace_id } = rows[0]
    await app.pool.query(
      `INSERT INTO chat_timers (bot_id, session_id, id, workspace_id, due_at, is_paused, failures)
      VALUES ($1, $2, $3, $4, now(), false, 0)`,
      [bot_id, sessionId, id, workspace_id],
    )
    await app.fireTimers()
    expect(await saidIn(sessionId)).toEqual(['Hello', 'An hour later'])
    expect(await timersOf(sessionId)).toEqual([])
  })
})
