import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { ask, bot, text } from '../support/chat.ts'
import { storable } from '../support/chats.ts'
import { createDatabase } from '../support/server.ts'
import { addStranger, type Stranger } from './access-history.ts'
import { readEvents } from './event-reader.ts'
import { type Installation, install, type Member } from './installation.ts'
import { echoOf, type PeopleHistory, type Said, violationsOf } from './people-history.ts'
import type { Random } from './random.ts'
import { Caller, count, promise, type Run, Violation } from './run.ts'

/*
 * Chats that three members take and give back at random, while their visitors write and processes are killed: while a
 * member handles a chat nothing of the bot leaves, and no message is lost, doubled or out of order for anybody.
 */

const MESSAGES = 6
const ACTIONS = 5
const MAX_CALL_MS = 1_500

interface Bot {
  id: string
  publicId: string
}

/** A bot that asks another server twice before it answers. */
function flowOf(port: number) {
  const call = (path: string) => ({
    type: 'Webhook',
    options: { webhook: { url: `http://127.0.0.1:${port}/${path}?word={{Word}}`, method: 'GET' } },
  })
  const groups = {
    Loop: [
      ask('Word'),
      call('first'),
      call('second'),
      text(echoOf('{{Word}}')),
      { type: 'Jump', options: { groupId: 'Loop' } },
    ],
    Offers: [text('Our offers'), { type: 'Jump', options: { groupId: 'Loop' } }],
  }
  return storable(bot(groups, { variables: ['Word'] }))
}

/** Has `total` chats, `width` at once; gives what was seen in words. */
export async function talkUnderKills(
  { total, width }: { total: number; width: number },
  random: Random,
): Promise<string> {
  const histories = new Map<string, PeopleHistory>()
  const server = createServer(async (request, response) => {
    const word = new URL(request.url ?? '', 'http://localhost').searchParams.get('word') ?? ''
    histories.get(word.slice(0, word.indexOf('.')))?.calls.push({ at: performance.now(), text: word })
    await sleep(random.chance(0.3) ? random.below(MAX_CALL_MS) : 0)
    response.end('{}')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const database = await createDatabase()
  const installation = await install({
    databaseUrl: database.url,
    variables: { OUTBOUND_ALLOWED_HOSTS: `127.0.0.1:${port}`, SHUTDOWN_TIMEOUT: '5' },
  })
  const run: Run = { installation, answers: 0, counts: {}, isOver: false }
  let killing: Promise<void> | undefined
  try {
    const made = await makeBot(installation, flowOf(port))
    const members = await Promise.all([1, 2, 3].map(() => addMember(installation)))
    killing = killAgain(run, random.part(0))
    let next = 0
    const lane = async () => {
      while (next < total && !run.isOver) {
        const number = next++
        await talk(run, made, members, histories, `w${number}`, random.part(number + 1))
      }
    }
    await Promise.all(Array.from({ length: width }, lane))
    const { takes = 0, returns = 0, messages = 0, calls = 0, kills = 0, stopped = 0 } = run.counts
    return `${total} chats with ${messages} messages, taken ${takes} times and given back ${returns} times by three members, ${calls} requests of the bot, ${kills} kills: nothing lost, doubled, out of order or sent by the bot while a member handled the chat; ${stopped} chats left out, since the machine was too busy for them`
  } finally {
    run.isOver = true
    await killing
    await installation.stop()
    await database.drop()
    server.closeAllConnections()
    server.close()
  }
}

async function makeBot({ members, token, workspaceId }: Installation, flow: object): Promise<Bot> {
  const run = { installation: { members, token } as Installation, answers: 0, counts: {}, isOver: false }
  const caller = new Caller(run, { one: (list: readonly unknown[]) => list[0] } as Random)
  const { id: _, ...document } = flow as { id: string }
  const made = await caller.settle('POST', '/v1/bots', {
    body: { workspaceId, bot: { ...document, name: 'People' } },
  })
  promise(made.status === 201 || made.status === 200, `The bot was answered ${made.status}: ${made.text}`)
  const { id } = made.body.bot
  const published = await caller.settle('POST', `/v1/bots/${id}/publish`, { body: {} })
  promise(published.status === 200, `Publishing was answered ${published.status}: ${published.text}`)
  const read = await caller.settle('GET', `/v1/bots/${id}`)
  return { id, publicId: read.body.bot.publicId }
}

async function addMember(installation: Installation): Promise<Stranger> {
  const user = await addStranger(installation)
  await installation.database.query(
    `INSERT INTO workspace_members (workspace_id, user_id, role, created_at) VALUES ($1, $2, 'MEMBER', now())`,
    [installation.workspaceId, user.id],
  )
  return user
}

/** Kills a process at random, and starts it again. */
async function killAgain(run: Run, random: Random) {
  while (!run.isOver) {
    await sleep(1_000 + random.below(4_000))
    if (run.isOver) return
    const member = random.one(run.installation.members) as Member
    await member.kill()
    count(run, 'kills')
    await member.start()
  }
}

/** One chat: its visitor, three members, and a stream of its events. */
async function talk(
  run: Run,
  { id: botId, publicId }: Bot,
  members: Stranger[],
  histories: Map<string, PeopleHistory>,
  name: string,
  random: Random,
) {
  const caller = new Caller(run, random)
  const started = await caller.once('POST', `/api/v1/bots/${publicId}/startChat`, { body: {} })
  promise(started.status === 200, `A chat was not started: ${started.status} ${started.text}`)
  const { sessionId, resultId, revision } = started.body
  const history: PeopleHistory = { messages: [], hands: [], calls: [], final: [], streamed: [], stored: [] }
  histories.set(name, history)
  const events = readEvents(() => (random.one(run.installation.members) as Member).url, sessionId, saidOf)
  const chatPath = `/v1/bots/${botId}/chats/${sessionId}`
  try {
    const acting = members.map((member, index) =>
      actAsMember(run, member, chatPath, history, name, index, random.part(index)),
    )
    await Promise.all([visit(run, { sessionId, revision }, history, name, random.part(9)), ...acting])
    const chat = await caller.settle('GET', chatPath, { token: run.installation.token })
    history.final = chat.body.turns.map(saidOf)
    const session = await caller.settle('GET', `/api/v1/sessions/${sessionId}`)
    await events.until(session.body.lastEventId)
    history.streamed = events.said
    const stored = await caller.settle('GET', `/v1/bots/${botId}/results/${resultId}/transcript`)
    history.stored = stored.body.transcript.map(({ role, text }: Said) => ({ role, text }))
  } catch (error) {
    const { text } = await caller.settle('GET', `/v1/bots/${botId}/results/${resultId}/logs`)
    // A process that gets no processor for a second ends the chat by its bound for work: this says nothing about people.
    if (text.includes('ms of work')) return count(run, 'stopped')
    throw new Violation(`${error}; the log of the chat: ${text}`, { cause: error })
  } finally {
    events.stop()
  }
  const violations = violationsOf(history)
  if (violations.length > 0) throw new Violation(`${violations.join('\n')}\n${JSON.stringify(history)}`)
  histories.delete(name)
  count(run, 'calls', history.calls.length)
}

/** Says all words, each until it is in the chat. */
async function visit(
  run: Run,
  chat: { sessionId: string; revision: number },
  history: PeopleHistory,
  name: string,
  random: Random,
) {
  const caller = new Caller(run, random)
  const path = `/api/v1/sessions/${chat.sessionId}`
  let { revision } = chat
  /** Looks where the chat is, and continues with the bot where no member handles it. */
  const look = async (): Promise<Said[]> => {
    for (;;) {
      const { body } = await caller.settle('GET', path)
      revision = body.revision
      if (body.input) return body.turns.map(saidOf)
      const { status } = await caller.settle('POST', `${path}/continueChat`, {
        body: { message: null, revision },
      })
      promise(status === 200 || status === 409, `A chat did not go on: ${status}`)
    }
  }
  for (let number = 0; number < MESSAGES && !run.isOver; number++) {
    const words = `${name}.${number}`
    let first: number | undefined
    for (;;) {
      const answer = await caller.settle('POST', `${path}/continueChat`, {
        body: { message: words, revision },
      })
      first ??= answer.start
      const { status, body, end } = answer
      if (status === 200) {
        revision = body.revision
        const isEchoed = body.messages.some((message: object) =>
          JSON.stringify(message).includes(`${echoOf(words)}"`),
        )
        history.messages.push({
          role: 'user',
          text: words,
          start: first,
          end,
          isEchoed,
          isForPeople: body.handledBy !== undefined,
        })
        break
      }
      promise(status === 409, `A message was answered ${status}: ${answer.text}`)
      if (!(await look()).some(({ role, text }) => role === 'user' && text === words)) continue
      history.messages.push({ role: 'user', text: words, start: first, end: performance.now() })
      break
    }
    count(run, 'messages')
    await look()
    await sleep(random.below(400))
  }
}

/** Takes the chat, writes, and gives it back, as chance has it. */
async function actAsMember(
  run: Run,
  { token, id }: Stranger,
  path: string,
  history: PeopleHistory,
  name: string,
  place: number,
  random: Random,
) {
  const caller = new Caller(run, random)
  for (let number = 0; number < ACTIONS && !run.isOver; number++) {
    await sleep(random.below(1_500))
    if (random.chance(0.5)) {
      const body = { handledBy: 'member', ...(random.chance(0.2) && { assigneeId: id }) }
      const { status, start, end, text } = await caller.once('PATCH', path, { token, body })
      promise(status === 200 || status === 409, `A chat was not taken: ${status} ${text}`)
      history.hands.push({ kind: 'take', start, end, isDone: status === 200 })
      if (status === 200) count(run, 'takes')
    }
    for (let sent = 0; random.chance(0.5) && sent < 3; sent++) {
      const words = `${name}.${place}.${number}.${sent}`
      const answer = await caller.once('POST', `${path}/messages`, { token, body: { text: words } })
      promise(
        answer.status === 200 || answer.status === 409,
        `A message was answered ${answer.status}: ${answer.text}`,
      )
      if (answer.status !== 200) continue
      history.messages.push({ role: 'member', text: words, start: answer.start, end: answer.end })
      count(run, 'messages')
    }
    if (random.chance(0.4)) {
      // Noted before it is sent: it may happen at any time from now on.
      const hand = {
        kind: 'return' as const,
        start: performance.now(),
        end: Number.POSITIVE_INFINITY,
        isDone: false,
      }
      history.hands.push(hand)
      const body = { handledBy: 'bot', ...(random.chance(0.3) && { groupId: 'Offers' }) }
      const { status, text } = await caller.once('PATCH', path, { token, body })
      promise(status === 200 || status === 409, `A chat was not given back: ${status} ${text}`)
      Object.assign(hand, { end: performance.now(), isDone: status === 200 })
      if (status === 200) count(run, 'returns')
    }
  }
}

/** A turn of a session or of an event as words. */
function saidOf(turn: {
  role: Said['role']
  text?: string
  message?: { content: { richText?: unknown } }
}): Said {
  return { role: turn.role, text: turn.text ?? wordsOf(turn.message?.content.richText) }
}

function wordsOf(nodes: unknown): string {
  if (Array.isArray(nodes)) return nodes.map(wordsOf).join('')
  const { text, children } = (nodes ?? {}) as { text?: string; children?: unknown }
  return text ?? wordsOf(children ?? [])
}
