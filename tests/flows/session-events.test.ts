import { setTimeout as sleep } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { Session } from '../../server/chat/sessions/read-session.ts'
import { followSession } from '../../server/chat/sessions/session-events.ts'
import { sessionChanges } from '../../server/chat/sessions/write-turn.ts'
import { MAX_STREAMS_PER_ADDRESS } from '../../server/kit/limits.ts'
import { type App, startApp } from '../support/app.ts'
import { ask, bot, text } from '../support/chat.ts'
import { type Published, publish, reply, start, tryReply } from '../support/chats.ts'
import type { BodyOf } from '../support/client.ts'
import { until } from '../support/process.ts'
import { makeWorld, type Site } from '../support/world.ts'

/* Events of a session as browsers read them: each once, in order, also across a lost connection. */

let app: App
let other: App
let here: Site
let made: Published

beforeAll(async () => {
  app = await startApp()
  other = await startApp({ databaseUrl: app.databaseUrl })
  here = (await makeWorld(app)).here
  made = await publish(
    app,
    here,
    bot({ Start: [ask('Name'), text('Hello {{Name}}'), ask('Age')] }, { variables: ['Name', 'Age'] }),
  )
})

afterAll(async () => {
  await other.stop()
  await app.stop()
})

const update = (sessionId: string, body: BodyOf<'updateChat'>, at = app) =>
  at.client.ok('updateChat', { as: here.member, params: { botId: made.id, sessionId }, body })

const write = (sessionId: string, words: string, at = app) =>
  at.client.ok('sendMessage', {
    as: here.member,
    params: { botId: made.id, sessionId },
    body: { text: words },
  })

const type = (sessionId: string, isTyping = true, at = app) =>
  at.client.ok('updateTypingSign', {
    as: here.member,
    params: { botId: made.id, sessionId },
    body: { isTyping },
  })

/** Reads a stream until `stop`: the ids and types of its events. */
function read(sessionId: string, { after, at = app }: { after?: string; at?: App } = {}) {
  const abort = new AbortController()
  const events: string[] = []
  const signs: number[] = []
  let headers: Headers | undefined
  let isEnded = false
  const ended = (async () => {
    const response = await fetch(`${at.url}/api/v1/sessions/${sessionId}/events`, {
      headers: { Accept: 'text/event-stream', ...(after && { 'Last-Event-ID': after }) },
      signal: abort.signal,
    })
    headers = response.headers
    let rest = ''
    for await (const piece of response.body as unknown as AsyncIterable<Uint8Array>) {
      const parts = (rest + Buffer.from(piece).toString()).split('\n\n')
      rest = parts.pop() ?? ''
      for (const part of parts) {
        const [, id] = /^id: (.*)$/m.exec(part) ?? []
        const [, type] = /^event: (.*)$/m.exec(part) ?? []
        if (id) events.push(`${id} ${type}`)
        const [, seconds] = /"seconds":([\d.]+)/.exec(part) ?? []
        if (seconds) signs.push(Number(seconds))
      }
    }
  })()
    .catch(() => {})
    .finally(() => (isEnded = true))
  return {
    events,
    /** Seconds of the signs of typing. */
    signs,
    headers: () => headers,
    isEnded: () => isEnded,
    has: (count: number) => until('the events are there', () => events.length >= count),
    stop: () => {
      abort.abort()
      return ended
    },
  }
}

test('a stream has every turn, message and change of control once, and ends with the chat', async () => {
  const { sessionId } = await start(app, made)
  const stream = read(sessionId)
  await stream.has(1)
  expect(stream.headers()?.get('content-type')).toBe('text/event-stream; charset=utf-8')
  expect(stream.headers()?.get('cache-control')).toBe('no-store, no-transform')
  await update(sessionId, { handledBy: 'member' })
  await stream.has(2)
  await reply(app, sessionId, 'Hello', 1)
  await stream.has(3)
  await write(sessionId, 'Hi')
  await stream.has(4)
  await update(sessionId, { handledBy: 'bot' })
  await stream.has(6)
  await update(sessionId, { isOver: true })
  await until('the stream has ended', stream.isEnded)
  expect(stream.events).toEqual([
    '1.0 handled',
    '1.0 handled',
    '2.0 turn',
    '2.1 message',
    '3.1 turn',
    '3.1 handled',
    '3.1 over',
  ])
})

test('a stream continues after the last event of its reader, and one of another process finds later events', async () => {
  const { sessionId } = await start(app, made)
  await update(sessionId, { handledBy: 'member' })
  const first = read(sessionId)
  await first.has(1)
  await write(sessionId, 'One')
  await first.has(2)
  await first.stop()
  await write(sessionId, 'Two')
  await reply(app, sessionId, 'Three', 1)
  const second = read(sessionId, { after: '1.1', at: other })
  await second.has(3)
  await write(sessionId, 'Four')
  await second.has(4)
  await second.stop()
  expect(second.events).toEqual(['1.2 message', '2.2 turn', '2.2 handled', '2.3 message'])
})

test('a stream has no slot and no connection of the database, and is not counted as a request', async () => {
  const narrow = await startApp({
    databaseUrl: app.databaseUrl,
    config: { CONCURRENT_REQUESTS: 4, RATE_LIMIT: true, RATE_LIMIT_CONCURRENT: 2, RATE_LIMIT_ADDRESS: 1_000 },
    database: { poolSize: 2 },
  })
  try {
    const { sessionId } = await start(narrow, made)
    const streams = []
    for (let count = 0; count < 12; count++) {
      const stream = read(sessionId, { at: narrow })
      await stream.has(1)
      streams.push(stream)
    }
    expect((await tryReply(narrow, sessionId, 'Ada', 1)).status).toBe(200)
    await Promise.all(streams.map((stream) => stream.stop()))
  } finally {
    await narrow.stop()
  }
})

test('a stream beyond the maximum is a 503, and nothing of it stays in memory', async () => {
  const { sessionId } = await start(app, made)
  const streams = Array.from({ length: MAX_STREAMS_PER_ADDRESS }, () => read(sessionId))
  await Promise.all(streams.map((stream) => stream.has(1)))
  for (let count = 0; count < 3; count++) {
    const rejected = await fetch(`${app.url}/api/v1/sessions/${sessionId}/events`, {
      headers: { Accept: 'text/event-stream' },
    })
    expect(rejected.status).toBe(503)
    await rejected.text()
  }
  expect(sessionChanges.listenerCount(sessionId)).toBe(MAX_STREAMS_PER_ADDRESS)
  await Promise.all(streams.map((stream) => stream.stop()))
  await until('nobody follows', () => sessionChanges.listenerCount(sessionId) === 0)
})

test('followSession retains nothing of the session but the data of its events', async () => {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  const position = { revision: 1, ordinal: 0 }
  const begin = () => {
    const session = { botId: 'b', sessionId: 's', revision: 1, messageCount: null, handledBy: null }
    const events = followSession({} as never, session as unknown as Session, position, new Date())
    return { events: events[Symbol.asyncIterator](), session: new WeakRef(session) }
  }
  const { events, session } = begin()
  expect((await events.next()).value).toContain('event: handled')
  for (let round = 0; round < 50 && session.deref(); round++) {
    await sleep(10)
    collect()
  }
  expect(session.deref()).toBeUndefined()
  await events.return?.()
})

test('a stream of a chat whose bot is deleted ends', async () => {
  const own = await publish(app, here, bot({ Start: [ask()] }))
  const { sessionId } = await start(app, own)
  await app.client.ok('updateChat', {
    as: here.member,
    params: { botId: own.id, sessionId },
    body: { handledBy: 'member' },
  })
  const stream = read(sessionId)
  await stream.has(1)
  await app.client.ok('deleteBot', { as: here.member, params: { botId: own.id } })
  await until('the stream has ended', stream.isEnded)
  expect(stream.events.at(-1)).toBe('1.0 over')
})

test('streams of every process say that a member is typing, for six seconds at most, and a message ends it', async () => {
  const { sessionId } = await start(app, made)
  await update(sessionId, { handledBy: 'member' })
  const streams = [read(sessionId), read(sessionId, { at: other })]
  for (const stream of streams) await stream.has(1)
  await type(sessionId)
  for (const stream of streams) {
    await stream.has(2)
    expect(stream.events).toEqual(['1.0 handled', '1.0 typing'])
    expect(stream.signs[0]).toBeGreaterThan(3)
    expect(stream.signs[0]).toBeLessThanOrEqual(6)
  }
  await write(sessionId, 'Hi')
  for (const stream of streams) await stream.has(3)
  // A member who types on shows it anew.
  await type(sessionId)
  for (const stream of streams) await stream.has(4)
  await type(sessionId, false)
  for (const stream of streams) await stream.has(5)
  await update(sessionId, { handledBy: 'bot' })
  for (const stream of streams) {
    await stream.has(7)
    await stream.stop()
    expect(stream.events.slice(2)).toEqual([
      '1.1 message',
      '1.1 typing',
      '1.1 typing',
      '2.1 turn',
      '2.1 handled',
    ])
    expect(stream.signs.at(-1)).toBe(0)
  }
})

test('a typing signal that comes again and again is written once in two seconds, and expires by itself', async () => {
  const { sessionId } = await start(app, made)
  await update(sessionId, { handledBy: 'member' })
  const rowOf = async () => {
    const { rows } = await app.pool.query(
      'SELECT xmin, revision, typing_until, typing_until > now() AS is_typing FROM chat_sessions WHERE id = $1',
      [sessionId],
    )
    return rows[0]
  }
  const before = await rowOf()
  await type(sessionId)
  const first = await rowOf()
  expect(first).toMatchObject({ is_typing: true, revision: before.revision })
  for (let count = 0; count < 5; count++) await type(sessionId)
  expect(await rowOf()).toEqual(first)
  await app.pool.query('UPDATE chat_sessions SET typing_until = $2 WHERE id = $1', [
    sessionId,
    new Date(first.typing_until.getTime() - 3_000),
  ])
  const stream = read(sessionId)
  await stream.has(2)
  await type(sessionId)
  await stream.has(3)
  await app.pool.query('UPDATE chat_sessions SET typing_until = now() WHERE id = $1', [sessionId])
  await stream.has(4)
  await stream.stop()
  expect(stream.events).toEqual(['1.0 handled', '1.0 typing', '1.0 typing', '1.0 typing'])
  const { events } = await app.client.ok('listSessionEvents', {
    params: { sessionId },
    query: { after: '1.0' },
  })
  expect(events).toEqual([{ type: 'handled', id: '1.0', handledBy: 'member' }])
})
