import { createServer, type Server } from 'node:http'
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import { setUserEnabled } from '../../server/access/users.ts'
import { readLastMessage } from '../../server/chat/sessions/last-message.ts'
import { type App, startApp } from '../support/app.ts'
import { boundNamed } from '../support/bounds.ts'
import { ask, bot, text } from '../support/chat.ts'
import {
  type Published,
  publish,
  reply,
  reportOf,
  start,
  stepStatement,
  textsOf,
  transcriptOf,
  tryReply,
} from '../support/chats.ts'
import { anyBody, type BodyOf, type Caller } from '../support/client.ts'
import { makeWorld, type Site } from '../support/world.ts'

/* Members who talk to visitors: nothing of the bot leaves meanwhile, and nothing of either side is lost. */

let app: App
let here: Site
let made: Published
let calling: Published
let slow: Server
/** Runs while the bot waits for the other server. */
let duringCall: (() => Promise<unknown>) | undefined
let calls: string[] = []

beforeAll(async () => {
  slow = createServer(async (request, response) => {
    calls.push(request.url ?? '')
    await duringCall?.()
    response.end('{}')
  })
  await new Promise<void>((resolve) => slow.listen(0, '127.0.0.1', resolve))
  const { port } = slow.address() as { port: number }
  app = await startApp({ config: { OUTBOUND_ALLOWED_HOSTS: [`127.0.0.1:${port}`] } })
  here = (await makeWorld(app)).here
  const groups = {
    Start: [ask('Name'), text('Hello {{Name}}'), ask('Age'), text('Bye')],
    Later: [text('Later'), ask('Plan'), text('{{Name}} {{Plan}}')],
  }
  made = await publish(app, here, bot(groups, { variables: ['Name', 'Age', 'Plan'] }))
  const call = (path: string) => ({
    type: 'Webhook',
    options: { webhook: { url: `http://127.0.0.1:${port}${path}`, method: 'GET' } },
  })
  const blocks = [ask('Name'), call('/first'), call('/second'), text('Called'), ask('Age')]
  calling = await publish(app, here, bot({ Start: blocks }, { variables: ['Name', 'Age'] }))
})

afterEach(() => {
  app.beforeStatement = undefined
  duringCall = undefined
  calls = []
})

afterAll(async () => {
  await app.stop()
  slow.close()
})

const update = (
  sessionId: string,
  body: BodyOf<'updateChat'>,
  as: Caller = here.member,
  botId: string = made.id,
) => app.client.call('updateChat', { as, params: { botId, sessionId }, body })

const take = (sessionId: string, botId?: string) =>
  update(sessionId, { handledBy: 'member' }, here.member, botId)

const write = (sessionId: string, words: string, botId = made.id) =>
  app.client.call('sendMessage', { as: here.member, params: { botId, sessionId }, body: { text: words } })

const read = (sessionId: string) => app.client.ok('getSession', { params: { sessionId } })

/** Everything that was said in a session, each with its role. */
async function saidIn(sessionId: string): Promise<string[]> {
  const { turns } = await read(sessionId)
  return turns.map((turn) => {
    const words = turn.role === 'user' ? turn.text : textsOf({ messages: [turn.message], revision: 0 }).join()
    return `${turn.role}: ${words}`
  })
}

/** Answers of a result; undefined while it has none. */
async function answersOf(published: Published, resultId: string | undefined) {
  const { results } = await reportOf(app, published, here.member)
  return results.find(({ id }) => id === resultId)?.answers.map(({ content }) => content)
}

/** Does `work` after a turn has run, just before it is written. */
function beforeStepIsWritten(work: () => Promise<unknown>) {
  app.beforeStatement = async (statement) => {
    if (!stepStatement.test(statement)) return
    app.beforeStatement = undefined
    await work()
  }
}

test('a conversation with a member is in the session and the transcript in its order, without an answer', async () => {
  const { sessionId, resultId = '' } = await start(app, made)
  await take(sessionId)
  const step = await reply(app, sessionId, 'Is anybody there?', 1)
  expect(step).toEqual({
    messages: [],
    input: expect.objectContaining({ type: 'text input' }),
    handledBy: 'member',
    expectsEvents: true,
    revision: 2,
  })
  await write(sessionId, 'Yes')
  await write(sessionId, 'How can I help?')
  await reply(app, sessionId, 'By your name', 2)
  await write(sessionId, 'Ada')
  const said = [
    'user: Is anybody there?',
    'member: Yes',
    'member: How can I help?',
    'user: By your name',
    'member: Ada',
  ]
  expect(await saidIn(sessionId)).toEqual(said)
  const transcript = await transcriptOf(app, made.id, resultId, here.member)
  expect(transcript.map(({ role, text }) => `${role}: ${text}`)).toEqual(said)
  expect(await answersOf(made, resultId)).toBeUndefined()
})

test('a message that is sent again while a member handles the chat is recorded once', async () => {
  const { sessionId } = await start(app, made)
  await take(sessionId)
  const first = await reply(app, sessionId, 'Hello', 1)
  await write(sessionId, 'Hi')
  expect(await reply(app, sessionId, 'Hello', 1)).toEqual(first)
  expect((await tryReply(app, sessionId, 'Something else', 1)).status).toBe(409)
  // The same words again, after the first ones were answered.
  await reply(app, sessionId, 'Hello', 2)
  expect(await saidIn(sessionId)).toEqual(['user: Hello', 'member: Hi', 'user: Hello'])
})

test('a reply without a message gets the input for people, and changes nothing', async () => {
  const { sessionId } = await start(app, made)
  await take(sessionId)
  for (const message of [undefined, null, '', { type: 'command' as const, command: 'help' }]) {
    expect(await reply(app, sessionId, message, 1)).toMatchObject({
      messages: [],
      handledBy: 'member',
      revision: 1,
    })
  }
})

describe('taking a chat', () => {
  test('by two members at once succeeds for one, and the other gets a conflict', async () => {
    const { sessionId } = await start(app, made)
    const taken = await Promise.all([
      update(sessionId, { handledBy: 'member' }, here.member),
      update(sessionId, { handledBy: 'member' }, here.admin),
    ])
    expect(taken.map(({ status }) => status).sort()).toEqual([200, 409])
    const winner = taken.find(({ status }) => status === 200)?.body.chat.assigneeId
    expect([here.member.id, here.admin.id]).toContain(winner)
  })

  test('again by the same member, or from another one on purpose, succeeds', async () => {
    const { sessionId } = await start(app, made)
    await take(sessionId)
    expect((await take(sessionId)).status).toBe(200)
    const handed = await update(sessionId, { assigneeId: here.admin.id }, here.admin)
    expect(handed.body.chat).toMatchObject({ handledBy: 'member', assigneeId: here.admin.id })
    expect((await take(sessionId)).status).toBe(409)
    const released = await update(sessionId, { handledBy: 'waiting' })
    expect(released.body.chat).toMatchObject({ handledBy: 'waiting', assigneeId: null })
    expect((await write(sessionId, 'Hello')).status).toBe(409)
    expect((await take(sessionId)).status).toBe(200)
  })

  test('for a member who is disabled is rejected', async () => {
    const { sessionId } = await start(app, made)
    const { here: other } = await makeWorld(app)
    await app.pool.query(
      `INSERT INTO workspace_members (workspace_id, user_id, role, created_at) VALUES ($1, $2, 'MEMBER', now())`,
      [here.workspaceId, other.member.id],
    )
    await setUserEnabled(app.db, other.member.id, false, app.clock.now())
    const assigned = await update(sessionId, { handledBy: 'member', assigneeId: other.member.id })
    expect([assigned.status, assigned.body.issues?.[0].code]).toEqual([400, 'unknown_member'])
  })

  test('while a turn is being written drops the turn, and the message is for the member', async () => {
    const { sessionId, resultId = '' } = await start(app, made)
    beforeStepIsWritten(() => take(sessionId))
    const step = await reply(app, sessionId, 'Ada', 1)
    expect(step).toMatchObject({ messages: [], handledBy: 'member', revision: 2 })
    expect(await saidIn(sessionId)).toEqual(['user: Ada'])
    expect(await answersOf(made, resultId)).toBeUndefined()
    expect(await reply(app, sessionId, 'Ada', 1)).toEqual(step)
  })

  test('while the bot waits for another server prevents the call of the next one', async () => {
    const { sessionId, resultId } = await start(app, calling)
    duringCall = async () => {
      duringCall = undefined
      await take(sessionId, calling.id)
    }
    const step = await reply(app, sessionId, 'Ada', 1)
    expect(step).toMatchObject({ messages: [], handledBy: 'member', revision: 2 })
    expect(calls).toEqual(['/first'])
    expect(await saidIn(sessionId)).toEqual(['user: Ada'])
    expect(await answersOf(calling, resultId)).toBeUndefined()
  })

  test('before the bot calls another server for the first time prevents the call', async () => {
    const { sessionId } = await start(app, calling)
    app.beforeStatement = async (statement) => {
      if (!statement.includes('starts_with(lease_id') || !statement.includes('UPDATE')) return
      app.beforeStatement = undefined
      await take(sessionId, calling.id)
    }
    const step = await reply(app, sessionId, 'Ada', 1)
    expect(step).toMatchObject({ messages: [], handledBy: 'member', revision: 2 })
    expect(calls).toEqual([])
    expect(await saidIn(sessionId)).toEqual(['user: Ada'])
  })

  test('keeps values that were set in it, and the chat for 30 days', async () => {
    const { sessionId } = await start(app, made)
    const { body } = await update(sessionId, { handledBy: 'member', variables: { Name: 'Ada' } })
    const { createdAt, expiresAt } = body.chat
    expect(Date.parse(expiresAt) - Date.parse(createdAt)).toBe(30 * 86_400_000)
    await reply(app, sessionId, 'Hello', 1)
    const params = { botId: made.id, sessionId }
    const { chat } = await app.client.ok('getChat', { as: here.member, params })
    expect(chat.expiresAt).toBe(expiresAt)
    const back = await update(sessionId, { handledBy: 'bot', groupId: 'Later' })
    expect(Date.parse(back.body.chat.expiresAt) - Date.parse(createdAt)).toBeLessThan(50 * 3_600_000)
    expect(textsOf(await reply(app, sessionId, null, back.body.chat.revision))).toEqual(['Later'])
    const { revision } = await read(sessionId)
    expect(textsOf(await reply(app, sessionId, 'Pro', revision))).toEqual(['Ada Pro'])
  })
})

describe('giving a chat back', () => {
  test('continues where it was: the input is there again, and its answer counts', async () => {
    const { sessionId, resultId } = await start(app, made)
    const before = await read(sessionId)
    await take(sessionId)
    await reply(app, sessionId, 'Who are you?', 1)
    await write(sessionId, 'Nobody')
    await update(sessionId, { handledBy: 'bot' })
    const after = await read(sessionId)
    expect(after).toMatchObject({ input: before.input, revision: 3 })
    expect(after).not.toHaveProperty('handledBy')
    expect(textsOf(await reply(app, sessionId, 'Ada', 3))).toEqual(['Hello Ada'])
    expect(await answersOf(made, resultId)).toEqual(['Ada'])
    expect(await saidIn(sessionId)).toEqual([
      'user: Who are you?',
      'member: Nobody',
      'user: Ada',
      'bot: Hello Ada',
    ])
  })

  test('at a group of the started bot leaves linked bots', async () => {
    const inner = await publish(app, here, bot({ Inner: [ask('Name')] }, { variables: ['Name'] }))
    const link = { type: 'Bot link', options: { botId: inner.id, mergeResults: true } }
    const groups = { Outer: [link], Later: [text('{{Name}}'), ask('Age')] }
    const outer = await publish(app, here, bot(groups, { variables: ['Name', 'Age'] }))
    const { sessionId } = await start(app, outer)
    await update(sessionId, { handledBy: 'member', variables: { Name: 'Ada' } }, here.member, outer.id)
    await update(sessionId, { handledBy: 'bot', groupId: 'Later' }, here.member, outer.id)
    expect(textsOf(await reply(app, sessionId, null, 2))).toEqual(['Ada'])
  })

  test('while the visitor writes to the member does not use the message as an answer', async () => {
    const { sessionId, resultId } = await start(app, made)
    await take(sessionId)
    beforeStepIsWritten(() => update(sessionId, { handledBy: 'bot' }))
    expect((await tryReply(app, sessionId, 'Thank you', 1)).status).toBe(409)
    expect(await saidIn(sessionId)).toEqual([])
    expect(await answersOf(made, resultId)).toBeUndefined()
  })

  test('and taking it again, while the bot waits for another server, drops the turn for good', async () => {
    const { sessionId } = await start(app, calling)
    duringCall = async () => {
      duringCall = undefined
      await take(sessionId, calling.id)
      await update(sessionId, { handledBy: 'bot' }, here.member, calling.id)
    }
    expect((await tryReply(app, sessionId, 'Ada', 1)).status).toBe(409)
    expect(await read(sessionId)).toMatchObject({ turns: [], revision: 2 })
  })
})

test('a chat that is ended while a message comes to the member is over for both', async () => {
  const { sessionId } = await start(app, made)
  await take(sessionId)
  beforeStepIsWritten(() => update(sessionId, { isOver: true }))
  expect((await tryReply(app, sessionId, 'Hello', 1)).status).toBe(404)
  expect((await write(sessionId, 'Hello')).status).toBe(404)
  expect(await read(sessionId)).toMatchObject({ isOver: true, turns: [] })
})

test('a chat of a deleted bot can neither be taken nor written to', async () => {
  const own = await publish(app, here, bot({ Start: [ask()] }))
  const { sessionId } = await start(app, own)
  await take(sessionId, own.id)
  await app.client.ok('deleteBot', { as: here.member, params: { botId: own.id } })
  expect((await write(sessionId, 'Hello', own.id)).status).toBe(404)
  expect((await tryReply(app, sessionId, 'Hello', 1)).status).toBe(404)
})

test('the call of a webhook that a chat waits for is rejected while a member handles it', async () => {
  const own = await publish(app, here, bot({ Start: [{ id: 'hook', type: 'webhook' }, text('Paid'), ask()] }))
  const { sessionId, resultId = '' } = await start(app, own)
  await take(sessionId, own.id)
  const params = { botId: own.id, blockId: 'hook', resultId }
  const call = () => app.client.call('executeWebhook', { as: here.member, params, body: {} })
  expect((await call()).status).toBe(400)
  await update(sessionId, { handledBy: 'bot' }, here.member, own.id)
  expect(await read(sessionId)).toMatchObject({ clientSideActions: [{ type: 'listenForWebhook' }] })
  expect((await call()).status).toBe(200)
})

test('members and a visitor who write at once lose nothing, and see the same order', async () => {
  const { sessionId, resultId = '' } = await start(app, made)
  await take(sessionId)
  const members = Array.from({ length: 8 }, (_, place) => write(sessionId, `member ${place}`))
  for (let place = 0; place < 5; place++) await reply(app, sessionId, `visitor ${place}`, place + 1)
  expect((await Promise.all(members)).map(({ status }) => status)).toEqual(members.map(() => 200))
  const said = await saidIn(sessionId)
  expect(said.filter((one) => one.startsWith('user'))).toEqual(
    Array.from({ length: 5 }, (_, place) => `user: visitor ${place}`),
  )
  expect(new Set(said).size).toBe(13)
  const transcript = await transcriptOf(app, made.id, resultId, here.member)
  expect(transcript.map(({ role, text }) => `${role}: ${text}`)).toEqual(said)
})

test('files are sent in both directions, and stay with the result', async () => {
  const { sessionId, resultId = '' } = await start(app, made)
  const upload = (fileName: string) =>
    app.client.call('uploadFile', {
      params: { sessionId },
      query: { fileName },
      body: anyBody('bytes'),
      headers: { 'Content-Type': 'application/octet-stream' },
    })
  expect((await upload('plan.pdf')).status).toBe(400)
  await take(sessionId)
  const [plan, cat] = await Promise.all([upload('plan.pdf'), upload('cat.png')])
  const [planUrl, catUrl] = [plan.body.upload.url, cat.body.upload.url]
  const foreign = 'https://example.com/a.pdf'
  await reply(app, sessionId, { type: 'text', text: '', attachedFileUrls: [planUrl, foreign] }, 1)
  const params = { botId: made.id, sessionId }
  const body = { text: 'A cat', attachedFileUrls: [catUrl] }
  await app.client.ok('sendMessage', { as: here.member, params, body })
  // A blank text is no bubble.
  const blank = { text: ' ', attachedFileUrls: [catUrl] }
  const { messages } = await app.client.ok('sendMessage', { as: here.member, params, body: blank })
  expect(messages).toMatchObject([{ type: 'image' }])
  const { turns } = await read(sessionId)
  expect(turns).toMatchObject([
    { role: 'user', text: '', attachedFileUrls: [planUrl] },
    { role: 'member', message: { type: 'text' } },
    { role: 'member', message: { type: 'image', content: { url: catUrl } } },
    { role: 'member', message: { type: 'image', content: { url: catUrl } } },
  ])
  const { rows } = await app.pool.query('SELECT remove_at FROM uploads WHERE result_id = $1', [resultId])
  expect(rows).toEqual([{ remove_at: null }, { remove_at: null }])
})

test('the last message of a chat is listed while people handle it, and its author is for members alone', async () => {
  const { sessionId } = await start(app, made)
  await reply(app, sessionId, 'Ada', 1)
  const chat = { as: here.member, params: { botId: made.id, sessionId } }
  const last = async () => (await app.client.ok('getChat', chat)).chat.lastMessage
  expect(await last()).toBeNull()
  await take(sessionId)
  expect(await last()).toEqual({ role: 'user', text: 'Ada' })
  await reply(app, sessionId, `${'😀'.repeat(200)} and more`, 2)
  expect(await last()).toEqual({ role: 'user', text: '😀'.repeat(200) })
  await write(sessionId, 'Yes')
  expect(await last()).toEqual({ role: 'member', text: 'Yes' })
  const { turns } = await app.client.ok('getChat', chat)
  expect(turns.at(-1)).toMatchObject({ role: 'member', userId: here.member.id })
  const { events } = await app.client.ok('listSessionEvents', {
    params: { sessionId },
    query: { after: '0.0' },
  })
  expect(JSON.stringify([await read(sessionId), events])).not.toContain(here.member.id)
  await update(sessionId, { handledBy: 'bot' })
  expect(await last()).toBeNull()
})

test('the last message of a member names the same files by every path, without formatting', async () => {
  for (const textBubbleContentFormat of ['richText', 'markdown'] as const) {
    const { sessionId } = await start(app, made, { textBubbleContentFormat })
    await take(sessionId)
    const chat = { as: here.member, params: { botId: made.id, sessionId } }
    const urls = []
    for (const fileName of ['The plan.txt', 'photo.png']) {
      const { upload } = await app.client.ok('uploadFile', {
        params: { sessionId },
        query: { fileName },
        body: anyBody('bytes'),
        headers: { 'Content-Type': 'application/octet-stream' },
      })
      urls.push(upload.url)
    }
    const said: [BodyOf<'sendMessage'>, string][] = [
      [{ text: 'Hello **Ada**', textFormat: 'markdown' }, 'Hello Ada'],
      [{ text: 'See these', attachedFileUrls: urls }, 'See these'],
      [{ attachedFileUrls: urls }, 'The_plan.txt, photo.png'],
    ]
    for (const [body, words] of said) {
      await app.client.ok('sendMessage', { ...chat, body })
      const { chat: shown } = await app.client.ok('getChat', chat)
      expect(shown.lastMessage).toEqual({ role: 'member', text: words })
      const { rows } = await app.pool.query(
        'SELECT revision, message_count FROM chat_sessions WHERE id = $1',
        [sessionId],
      )
      const { revision, message_count: messageCount } = rows[0]
      const read = await readLastMessage(app.db, { ...chat.params, revision, messageCount })
      expect(JSON.parse(read?.text ?? '')).toEqual(shown.lastMessage)
    }
  }
})

test('readLastMessage reads as many turns as the table says', async () => {
  const { sessionId } = await start(app, made)
  await reply(app, sessionId, 'Ada', 1)
  const chat = { botId: made.id, sessionId, messageCount: null }
  const most = boundNamed('MAX_TURNS_READ')
  const found = await readLastMessage(app.db, { ...chat, revision: most + 1 })
  expect(found?.text).toBe('{"role":"user","text":"Ada"}')
  expect(await readLastMessage(app.db, { ...chat, revision: most + 2 })).toBeNull()
})

test('a chat has as many messages of members as the table says, and one more is a 429', async () => {
  const { sessionId } = await start(app, made)
  await take(sessionId)
  await app.pool.query('UPDATE chat_sessions SET message_count = 1999 WHERE id = $1', [sessionId])
  expect((await write(sessionId, 'The last one')).status).toBe(200)
  expect((await write(sessionId, 'One more')).status).toBe(429)
})

test('lists of chats that people handle begin with the one that has waited longest, and pages miss none', async () => {
  const site = (await makeWorld(app)).here
  const own = await publish(app, site, bot({ Start: [ask()] }))
  const as = site.member
  const inOrder: string[] = []
  const hand = async (handledBy: 'waiting' | 'member', since: string) => {
    const { sessionId } = await start(app, own)
    await update(sessionId, { handledBy }, as, own.id)
    await app.pool.query('UPDATE chat_sessions SET handled_since = $2 WHERE id = $1', [sessionId, since])
    inOrder.push(sessionId)
  }
  await hand('waiting', '2026-03-05T12:00:00.001Z')
  await hand('waiting', '2026-03-05T12:00:00.002Z')
  await hand('waiting', '2026-03-05T13:00:00Z')
  await hand('member', '2026-03-05T12:30:00Z')
  await hand('member', '2026-03-05T11:30:00.123Z')
  await hand('member', '2026-03-05T11:30:00.122Z')
  const idsOf = (chats: { sessionId: string }[]) => chats.map(({ sessionId }) => sessionId)
  const pagesOf = async (
    read: (
      query: Record<string, string | number>,
    ) => Promise<{ chats: { sessionId: string }[]; nextCursor: string | null }>,
  ) => {
    const all: string[] = []
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const page = await read({ limit: 1, ...(cursor && { cursor }) })
      all.push(...idsOf(page.chats))
      cursor = page.nextCursor
    }
    return all
  }
  const ofWorkspace = { as, params: { workspaceId: site.workspaceId } }
  const all = await app.client.ok('listWorkspaceChats', ofWorkspace)
  expect(idsOf(all.chats)).toEqual(inOrder)
  expect(await pagesOf((query) => app.client.ok('listWorkspaceChats', { ...ofWorkspace, query }))).toEqual(
    inOrder,
  )
  for (const [handledBy, expected] of [
    ['waiting', inOrder.slice(0, 3)],
    ['member', inOrder.slice(3)],
  ] as const) {
    const options = { as, params: { botId: own.id } }
    const read = (query: Record<string, string | number>) =>
      app.client.ok('listChats', { ...options, query: { ...query, handledBy } })
    expect(await pagesOf(read)).toEqual(expected)
  }
})

test('a chat that is passed between members does not grow', async () => {
  const { sessionId } = await start(app, made)
  await update(sessionId, { variables: { Name: 'Ada' } })
  for (let time = 0; time < 10; time++) {
    await update(sessionId, { handledBy: 'waiting' })
    await take(sessionId)
  }
  const { rows } = await app.pool.query('SELECT member_edits FROM chat_sessions WHERE id = $1', [sessionId])
  expect(rows[0]?.member_edits).toBe('[[1,"Name","Ada"],[21]]')
  await update(sessionId, { handledBy: 'bot' })
  expect(textsOf(await reply(app, sessionId, 'Grace', 2))).toEqual(['Hello Grace'])
})
