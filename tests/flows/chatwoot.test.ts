import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals'
import { extendLeases, takeConversations } from '../../server/chatwoot/rows.ts'
import { type App, startApp } from '../support/app.ts'
import { ask, bot, type Part, text } from '../support/chat.ts'
import { logsOf, type Published, publish, transcriptOf } from '../support/chats.ts'
import { type ChatwootDouble, startChatwoot } from '../support/chatwoot.ts'
import type { BodyOf, Caller } from '../support/client.ts'
import { runs } from '../support/runs.ts'
import { makeWorld, type Site } from '../support/world.ts'
import { type Random, randomOf } from '../torture/random.ts'

/* Bots as agent bots of Chatwoot, against a double of its interface. */

const SECRET = 'secret-of-the-agent-bot'

let chatwoot: ChatwootDouble
let app: App
let here: Site

beforeAll(async () => {
  chatwoot = await startChatwoot()
  app = await startApp({ config: { OUTBOUND_ALLOWED_HOSTS: [chatwoot.host] } })
  ;({ here } = await makeWorld(app))
})

afterAll(async () => {
  await app.stop()
  await chatwoot.stop()
})

afterEach(async () => {
  chatwoot.failures = []
  chatwoot.events = []
  chatwoot.channel = 'Channel::WebWidget'
  await app.pool.query('DELETE FROM chatwoot_conversations')
  await app.pool.query('DELETE FROM chatwoot_events')
})

let conversations = 0

/** Publishes a flow and connects it. */
async function connect(groups: Record<string, Part[]>, more = {}, query = '') {
  const published = await publish(app, here, bot(groups, more))
  const { credentials } = await app.client.ok('createCredentials', {
    as: here.member,
    params: { workspaceId: here.workspaceId },
    body: {
      type: 'chatwoot',
      name: 'Support',
      data: { baseUrl: chatwoot.url, accountId: 1, accessToken: 'agent-bot-token', secret: SECRET },
    },
  })
  const url = `${app.url}/api/v1/bots/${published.id}/chatwoot/${credentials.id}${query}`
  chatwoot.hook = { url, secret: SECRET, now: app.clock.now }
  conversations += 1
  return { published, id: conversations, url }
}

/** Has everything done that there is to do, with the events that follow from it. */
async function settle(random?: Random) {
  do {
    await chatwoot.deliver(random)
    await makeDue()
    await app.bridge.runDue()
  } while (chatwoot.events.length > 0)
}

/** Written as a cluster takes it, which adds nothing to the time of a column. */
const makeDue = () => {
  const earlier = (column: string) =>
    `${column} = (${column} AT TIME ZONE 'UTC' - interval '1 minute') AT TIME ZONE 'UTC'`
  return app.pool.query(
    `UPDATE chatwoot_conversations SET due_at = now(), ${earlier('failing_since')}, ${earlier('pending_since')},
      resume_at = CASE WHEN resume_at > $1 THEN $1 ELSE resume_at END WHERE due_at IS NOT NULL`,
    [new Date()],
  )
}

const ofBot = (id: number) =>
  chatwoot.messages.filter(
    ({ by, conversation, isPrivate }) => by === 'bot' && conversation === id && !isPrivate,
  )

const textsOf = (id: number) => ofBot(id).map(({ content }) => content)

const notesOf = (id: number) =>
  chatwoot.messages.filter(({ conversation, isPrivate }) => isPrivate && conversation === id)

const statusOf = (id: number) => chatwoot.conversations.get(id)?.status

const resultsOf = async ({ id }: Published) =>
  (await app.pool.query('SELECT id, is_completed FROM results WHERE bot_id = $1 ORDER BY id', [id])).rows

/** Repeats what the visitor says, for as long as the visitor does not want people. */
const echoing = {
  start: [text('Hello'), { ...ask('Said'), to: 'again' }],
  again: [
    {
      type: 'Condition',
      items: [
        {
          id: 'wants-people',
          content: {
            comparisons: [
              { id: 'one', variableId: 'v-Said', comparisonOperator: 'Equal to', value: 'people' },
            ],
          },
          to: 'people',
        },
      ],
    },
    text('You said {{Said}}'),
    { ...ask('Said'), to: 'again' },
  ],
  people: [
    { type: 'handoff', options: { message: 'One moment' } },
    text('Welcome back'),
    { ...ask('Said'), to: 'again' },
  ],
} as Record<string, Part[]>

test('a conversation of 20 messages with a hand-over and a return has one reply for each message', async () => {
  for (let run = 0; run < runs(2, 40); run += 1) {
    const random = randomOf(run + 1)
    const { id } = await connect(echoing, { variables: ['Said'] })
    const expected = ['Hello']
    chatwoot.say(id, 'hi')
    await settle(random)
    for (let at = 1; at <= 9; at += 1) {
      chatwoot.say(id, `before ${at}`)
      expected.push(`You said before ${at}`)
      // Some come together, so that their events are mixed.
      if (random.chance(0.6)) await settle(random)
    }
    await settle(random)
    expect(textsOf(id)).toEqual(expected)
    chatwoot.say(id, 'people')
    expected.push('One moment')
    await settle(random)
    expect(statusOf(id)).toBe('open')
    expect(notesOf(id).map(({ content }) => content)).toEqual([expect.stringContaining('**Said**: people')])
    chatwoot.setStatus(id, 'open', { id: 7, name: 'Grace' })
    for (let at = 1; at <= 3; at += 1) {
      chatwoot.say(id, `to people ${at}`)
      chatwoot.agentSays(id, `agent ${at}`)
    }
    await settle(random)
    expect(textsOf(id)).toEqual(expected)
    chatwoot.setStatus(id, 'pending', null)
    chatwoot.say(id, 'and now?')
    expected.push('Welcome back')
    await settle(random)
    expect(textsOf(id)).toEqual(expected)
    for (let at = 1; at <= 5; at += 1) {
      chatwoot.say(id, `after ${at}`)
      expected.push(`You said after ${at}`)
      if (random.chance(0.6)) await settle(random)
    }
    await settle(random)
    expect(textsOf(id)).toEqual(expected)
    expect(statusOf(id)).toBe('pending')
  }
})

test('a failing Chatwoot and a killed process neither lose nor double a message', async () => {
  for (let run = 0; run < runs(2, 40); run += 1) {
    const random = randomOf(1_000 + run)
    const { id } = await connect(echoing, { variables: ['Said'] })
    chatwoot.say(id, 'hi')
    const expected = ['Hello']
    await unstable(random, id, expected.length)
    for (let at = 1; at <= 6; at += 1) {
      chatwoot.say(id, at === 4 ? 'people' : `message ${at}`)
      if (at === 4) expected.push('One moment')
      else if (at < 4) expected.push(`You said message ${at}`)
      await unstable(random, id, expected.length)
    }
    expect(textsOf(id)).toEqual(expected)
    expect(statusOf(id)).toBe('open')
    expect(notesOf(id)).toHaveLength(1)
    chatwoot.setStatus(id, 'pending')
    chatwoot.say(id, 'and now?')
    await unstable(random, id, expected.length + 1)
    expect(textsOf(id)).toEqual([...expected, 'Welcome back'])
  }
})

/** Lets requests and statements fail until everything is done. */
async function unstable(random: Random, id: number, count: number) {
  for (let round = 0; round < 12; round += 1) {
    const isLast = round > 8
    chatwoot.failures = isLast
      ? []
      : Array.from({ length: 2 }, () => random.one(['lost', 500, 429, 503, undefined] as const))
    await chatwoot.deliver(random)
    await makeDue()
    let left = isLast ? Number.POSITIVE_INFINITY : random.below(40)
    // From then on nothing of the process reaches the database, as after its death.
    app.beforeStatement = async () => {
      left -= 1
      if (left < 0) throw Object.assign(new Error('Connection terminated'), { code: '08006' })
    }
    await app.bridge.runDue().catch(() => {})
    app.beforeStatement = undefined
    chatwoot.failures = []
    await app.pool.query('UPDATE chatwoot_conversations SET leased_until = now() WHERE lease_id IS NOT NULL')
    const { rows } = await app.pool.query('SELECT 1 FROM chatwoot_conversations WHERE due_at IS NOT NULL')
    if (rows.length === 0 && chatwoot.events.length === 0 && ofBot(id).length >= count) return
  }
}

test('choices are rich content in the widget of Chatwoot, and numbers on other channels', async () => {
  const choice: Part = {
    type: 'choice input',
    options: { variableId: 'v-Choice' },
    items: [
      { id: 'red', content: 'Red' },
      { id: 'blue', content: 'Blue' },
    ],
  }
  const groups = { start: [text('Which **one**?'), choice, text('You chose {{Choice}}'), ask()] }
  const { id, published } = await connect(groups, { variables: ['Choice'] })
  chatwoot.say(id, 'hi')
  await settle()
  const [asked] = ofBot(id)
  expect(asked).toMatchObject({
    contentType: 'input_select',
    items: [
      { title: 'Red', value: 'red' },
      { title: 'Blue', value: 'blue' },
    ],
  })
  if (asked) chatwoot.choose(asked, 'Blue')
  await settle(randomOf(1))
  expect(textsOf(id).at(-1)).toBe('You chose Blue')
  chatwoot.channel = 'Channel::TwilioSms'
  const other = id + 1_000
  chatwoot.say(other, 'hi')
  await settle()
  expect(textsOf(other)).toEqual(['Which **one**?\n\n1. Red\n2. Blue'])
  chatwoot.say(other, ' 2 ')
  await settle()
  expect(textsOf(other).at(-1)).toBe('You chose Blue')
  const { results } = await app.client.ok('listResults', { as: here.member, params: { botId: published.id } })
  expect(results).toHaveLength(2)
})

test('files go both ways, and contacts fill variables', async () => {
  const groups = {
    start: [
      text('Hello {{Name}}, {{plan}}'),
      { type: 'image', content: { url: `${chatwoot.url}/files/picture.png` } },
      { type: 'file input', options: { variableId: 'v-File' } },
      text('Got {{File}}'),
      ask(),
    ] as Part[],
  }
  const { id } = await connect(groups, { variables: ['Name', 'plan', 'File'] })
  chatwoot.say(id, 'hi')
  await settle()
  expect(ofBot(id).map(({ content, files }) => [content, files])).toEqual([
    ['Hello Ada, gold', 0],
    ['', 1],
  ])
  const attachments = [{ id: 1, file_type: 'image', data_url: `${chatwoot.url}/files/mine.png` }]
  chatwoot.say(id, '', { attachments })
  await settle()
  expect(textsOf(id).at(-1)).toMatch(/^Got http.*\/files\/.*mine\.png$/)
})

const fileBot = {
  start: [{ type: 'file input', options: { variableId: 'v-File' } }, text('Got {{File}}'), ask()] as Part[],
}

const fileOf = (name: string) => ({ id: 1, file_type: 'image', data_url: `${chatwoot.url}/files/${name}` })

const uploadsOf = async ({ id }: Published) =>
  (await app.pool.query('SELECT name, remove_at, result_id FROM uploads WHERE bot_id = $1', [id])).rows

test('files of a first message answer a file input that comes first', async () => {
  const { id, published } = await connect(fileBot, { variables: ['File'] })
  chatwoot.say(id, '', { attachments: [fileOf('first.png')] })
  await settle()
  expect(textsOf(id)).toEqual([expect.stringMatching(/^Got http.*\/files\/.*first\.png$/)])
  const [result] = await resultsOf(published)
  expect(await uploadsOf(published)).toEqual([{ name: 'first.png', remove_at: null, result_id: result?.id }])
  // A bot that says something first takes the message as a greeting, as it does a text.
  const greeting = await connect(
    { start: [text('Hello'), ...(fileBot.start ?? [])] },
    { variables: ['File'] },
  )
  chatwoot.say(greeting.id, '', { attachments: [fileOf('early.png')] })
  await settle()
  expect(textsOf(greeting.id)).toEqual(['Hello'])
})

test('an event that is retried stores its files once', async () => {
  const { id, published } = await connect(fileBot, { variables: ['File'] })
  const attachments = [fileOf('one.png')]
  chatwoot.say(id, '', { attachments })
  await chatwoot.deliver()
  // The turn fails behind the files, again and again.
  await app.pool.query('ALTER TABLE results ADD CONSTRAINT broken CHECK (NOT has_started) NOT VALID')
  try {
    for (let at = 0; at < 3; at += 1) {
      await makeDue()
      await app.bridge.runDue()
    }
    expect(await uploadsOf(published)).toHaveLength(1)
  } finally {
    await app.pool.query('ALTER TABLE results DROP CONSTRAINT broken')
  }
  await settle()
  expect(textsOf(id)).toEqual([expect.stringMatching(/^Got http.*one\.png$/)])
  expect(await uploadsOf(published)).toHaveLength(1)
})

test('the end of a chat hands its conversation over, and a resolved conversation starts a new chat', async () => {
  const { id, published } = await connect(
    { start: [text('Name?'), ask('Name'), text('Thanks')] },
    { variables: ['Name'] },
  )
  chatwoot.say(id, 'hi')
  await settle()
  chatwoot.say(id, 'Grace')
  await settle()
  expect(textsOf(id)).toEqual(['Name?', 'Thanks'])
  expect(statusOf(id)).toBe('open')
  expect(notesOf(id).map(({ content }) => content)).toEqual([expect.stringContaining('Grace')])
  chatwoot.say(id, 'are you there?')
  await settle()
  expect(ofBot(id)).toHaveLength(2)
  chatwoot.setStatus(id, 'resolved')
  await settle(randomOf(7))
  chatwoot.say(id, 'me again')
  await settle(randomOf(8))
  expect(textsOf(id)).toEqual(['Name?', 'Thanks', 'Name?'])
  expect(statusOf(id)).toBe('pending')
  chatwoot.setStatus(id, 'resolved')
  await settle()
  const results = await resultsOf(published)
  expect(results.map(({ is_completed: isCompleted }) => isCompleted)).toEqual([true, false])
})

test('whenOver resolves or keeps a conversation, and whenReturned starts the bot anew', async () => {
  const groups = { start: [text('Name?'), ask('Name'), text('Thanks')] }
  const resolving = await connect(groups, { variables: ['Name'] }, '?whenOver=resolve')
  chatwoot.say(resolving.id, 'hi')
  await settle()
  chatwoot.say(resolving.id, 'Grace')
  await settle()
  expect(statusOf(resolving.id)).toBe('resolved')
  const restarting = await connect(echoing, { variables: ['Said'] }, '?whenOver=pending&whenReturned=restart')
  chatwoot.say(restarting.id, 'hi')
  await settle()
  chatwoot.say(restarting.id, 'people')
  await settle()
  chatwoot.setStatus(restarting.id, 'pending')
  chatwoot.say(restarting.id, 'and now?')
  await settle()
  expect(textsOf(restarting.id)).toEqual(['Hello', 'One moment', 'Hello'])
})

test('conversations of one bot keep apart', async () => {
  const { id } = await connect(echoing, { variables: ['Said'] })
  const ids = Array.from({ length: 6 }, (_, at) => id + 2_000 + at)
  for (const each of ids) chatwoot.say(each, 'hi')
  await settle(randomOf(3))
  for (const each of ids) chatwoot.say(each, `I am ${each}`)
  await settle(randomOf(4))
  for (const each of ids) expect(textsOf(each)).toEqual(['Hello', `You said I am ${each}`])
})

test('members of the service write to a conversation, and return it to the bot', async () => {
  const { id, published } = await connect(echoing, { variables: ['Said'] })
  chatwoot.say(id, 'hi')
  await settle()
  chatwoot.say(id, 'people')
  await settle()
  const asked = { as: here.member, params: { botId: published.id } }
  const { chats } = await app.client.ok('listChats', { ...asked, query: { handledBy: 'waiting' } })
  const params = { ...asked.params, sessionId: String(chats[0]?.sessionId) }
  await app.client.ok('updateChat', { as: here.member, params, body: { handledBy: 'member' } })
  await app.client.ok('sendMessage', { as: here.member, params, body: { text: 'I am Grace' } })
  await settle()
  expect(textsOf(id).at(-1)).toBe('I am Grace')
  await app.client.ok('updateChat', { as: here.member, params, body: { handledBy: 'bot' } })
  await settle()
  expect(textsOf(id).at(-1)).toBe('Welcome back')
  expect(statusOf(id)).toBe('pending')
})

/** Begins a chat whose visitor wants people, and which a member of the service takes. */
async function takenBy(member: Caller) {
  const { id, published } = await connect(echoing, { variables: ['Said'] })
  chatwoot.say(id, 'hi')
  await settle()
  chatwoot.say(id, 'people')
  await settle()
  const asked = { as: member, params: { botId: published.id } }
  const { chats } = await app.client.ok('listChats', { ...asked, query: { handledBy: 'waiting' } })
  const params = { ...asked.params, sessionId: String(chats[0]?.sessionId) }
  const update = (body: BodyOf<'updateChat'>) => app.client.ok('updateChat', { as: member, params, body })
  await update({ handledBy: 'member' })
  await settle()
  const handledBy = async () => (await app.client.ok('getChat', { as: member, params })).chat.handledBy
  const resultId = String(chats[0]?.resultId)
  return { id, published, params, resultId, update, handledBy }
}

test('events from before members gave a conversation back do not take it over again', async () => {
  const { id, published, resultId, update, handledBy } = await takenBy(here.member)
  chatwoot.setStatus(id, 'pending', null)
  chatwoot.setStatus(id, 'open', { id: 7, name: 'Grace' })
  chatwoot.agentSays(id, 'I am Grace')
  chatwoot.say(id, 'Thank you, Grace')
  const late = chatwoot.events.splice(0)
  await update({ handledBy: 'bot' })
  await settle()
  expect(textsOf(id).at(-1)).toBe('Welcome back')
  for (const event of late.reverse()) {
    chatwoot.events.push(event)
    await settle()
  }
  expect([await handledBy(), statusOf(id)]).toEqual(['bot', 'pending'])
  expect(textsOf(id).at(-1)).toBe('Welcome back')
  const transcript = await transcriptOf(app, published.id, resultId, here.member)
  expect(transcript.filter(({ text }) => text === 'Thank you, Grace')).toHaveLength(1)
  chatwoot.say(id, 'hello bot')
  await settle()
  expect(textsOf(id).at(-1)).toBe('You said hello bot')
  // An agent who opens it now does take it.
  chatwoot.setStatus(id, 'open', { id: 7, name: 'Grace' })
  await settle()
  expect(await handledBy()).toBe('member')
})

test('events from before an agent gave a conversation back do not take it over again', async () => {
  const { id, handledBy } = await takenBy(here.member)
  chatwoot.setStatus(id, 'pending', null)
  chatwoot.setStatus(id, 'open', { id: 7, name: 'Grace' })
  chatwoot.agentSays(id, 'I am Grace')
  chatwoot.say(id, 'Thank you, Grace')
  const late = chatwoot.events.splice(0)
  chatwoot.setStatus(id, 'pending', null)
  chatwoot.say(id, 'hello bot')
  await settle()
  expect(await handledBy()).toBe('bot')
  const said = textsOf(id)
  for (const event of late.reverse()) {
    chatwoot.events.push(event)
    await settle()
  }
  expect([await handledBy(), statusOf(id)]).toEqual(['bot', 'pending'])
  expect(textsOf(id)).toEqual(said)
})

test('a member gives a conversation back that is assigned to an agent, and the bot answers in it', async () => {
  const { id, update, handledBy } = await takenBy(here.member)
  chatwoot.setStatus(id, 'pending', null)
  chatwoot.setStatus(id, 'open', { id: 7, name: 'Grace' })
  await settle()
  await update({ handledBy: 'bot' })
  await settle()
  chatwoot.say(id, 'hello bot')
  await settle()
  expect(await handledBy()).toBe('bot')
  expect(textsOf(id).at(-1)).toBe('You said hello bot')
  expect(notesOf(id).at(-1)?.content).toBe('The bot has this conversation again.')
})

test('a Chatwoot that does not let the bot assign agents still gets the status', async () => {
  const { id, update, handledBy } = await takenBy(here.member)
  await update({ handledBy: 'bot' })
  const before = chatwoot.calls.length
  chatwoot.failures = [401]
  await settle()
  expect(chatwoot.calls[before]?.path).toContain('/assignments')
  expect([await handledBy(), statusOf(id)]).toEqual(['bot', 'pending'])
})

test('a message for people of an earlier chat does not take the next one from the bot', async () => {
  const { id, params } = await takenBy(here.member)
  chatwoot.say(id, 'Is anybody there?')
  const late = chatwoot.events.splice(0)
  chatwoot.setStatus(id, 'resolved')
  await settle()
  chatwoot.say(id, 'me again')
  await settle()
  expect(textsOf(id).at(-1)).toBe('Hello')
  chatwoot.events.push(...late)
  await settle()
  const asked = { as: here.member, params: { botId: params.botId }, query: { handledBy: 'bot' as const } }
  expect((await app.client.ok('listChats', asked)).chats).toHaveLength(1)
})

test('a message from before the end of a chat that people handle starts no other chat', async () => {
  const { id } = await connect({ start: [text('Hello'), ask(), text('Bye')] })
  chatwoot.say(id, 'hi')
  await settle()
  chatwoot.say(id, 'that is all')
  const [last] = chatwoot.events.splice(0)
  chatwoot.say(id, 'one thing more')
  const late = chatwoot.events.splice(0)
  chatwoot.events.push(String(last))
  await settle()
  expect(statusOf(id)).toBe('open')
  chatwoot.events.push(...late)
  await settle()
  expect([textsOf(id), statusOf(id)]).toEqual([['Hello', 'Bye'], 'open'])
})

test('a hand-over that is not taken continues by its timer, and the bot has the conversation again', async () => {
  const groups = {
    start: [text('Hello'), { ...ask('Said'), to: 'people' }],
    people: [
      {
        type: 'handoff',
        options: { message: 'One moment', timeoutSeconds: 60 },
        items: [{ id: 'late', path: 'unanswered', to: 'late' }],
      },
    ],
    late: [text('Nobody is here'), ask()],
  } as Record<string, Part[]>
  const { id } = await connect(groups, { variables: ['Said'] })
  chatwoot.say(id, 'hi')
  await settle()
  chatwoot.say(id, 'people')
  await settle()
  expect(statusOf(id)).toBe('open')
  await app.fireTimers()
  await settle()
  expect(textsOf(id)).toEqual(['Hello', 'One moment', 'Nobody is here'])
  expect(statusOf(id)).toBe('pending')
})

test('an agent who opens a conversation silences the bot', async () => {
  const { id } = await connect(echoing, { variables: ['Said'] })
  chatwoot.say(id, 'hi')
  await settle()
  chatwoot.setStatus(id, 'open', { id: 7, name: 'Grace' })
  chatwoot.say(id, 'hello Grace')
  await settle(randomOf(5))
  expect(textsOf(id)).toEqual(['Hello'])
  chatwoot.setStatus(id, 'pending', null)
  chatwoot.say(id, 'hello bot')
  await settle(randomOf(6))
  expect(textsOf(id)).toEqual(['Hello', 'You said hello bot'])
})

/** Has done what can be done before a wait of the bot ends. */
async function settleBeforeResume() {
  await chatwoot.deliver()
  await app.pool.query('UPDATE chatwoot_conversations SET due_at = now() WHERE due_at IS NOT NULL')
  await app.bridge.runDue()
}

const pause = (secondsToWaitFor: number): Part => ({
  type: 'Wait',
  options: { secondsToWaitFor: String(secondsToWaitFor), shouldPause: true },
})

test('an agent who opens a conversation while the bot waits for a time silences it', async () => {
  const { id } = await connect({ start: [text('Hello'), pause(3_600), text('Later'), ask()] })
  chatwoot.say(id, 'hi')
  await settleBeforeResume()
  await settleBeforeResume()
  chatwoot.say(id, 'anybody?')
  chatwoot.setStatus(id, 'open', { id: 7, name: 'Grace' })
  await settleBeforeResume()
  const { rows } = await app.pool.query('SELECT resume_at FROM chatwoot_conversations')
  expect(rows).toEqual([{ resume_at: null }])
  await settle()
  expect(textsOf(id)).toEqual(['Hello'])
  expect(statusOf(id)).toBe('open')
})

test('an agent who opens a conversation at the end of a wait wins over the bot', async () => {
  const { id } = await connect({ start: [text('Hello'), pause(3_600), text('Later'), ask()] })
  chatwoot.say(id, 'hi')
  await settleBeforeResume()
  await settleBeforeResume()
  chatwoot.say(id, 'anybody?')
  chatwoot.setStatus(id, 'open', { id: 7, name: 'Grace' })
  await settle()
  expect(textsOf(id)).toEqual(['Hello'])
})

test('a message while the bot waits for a time is no answer to its next input', async () => {
  const { id } = await connect(
    { start: [text('Hello'), pause(3_600), text('Name?'), ask('Name'), text('Thanks, {{Name}}'), ask()] },
    { variables: ['Name'] },
  )
  chatwoot.say(id, 'hi')
  await settleBeforeResume()
  chatwoot.say(id, 'anybody?')
  await settleBeforeResume()
  await settle()
  chatwoot.say(id, 'Grace')
  await settle()
  expect(textsOf(id)).toEqual(['Hello', 'Name?', 'Thanks, Grace'])
})

test('a bot that loops through a wait is slow, and ends after 200 turns without the visitor', async () => {
  const { id, published } = await connect({ start: [text('Hello'), { ...pause(0.001), to: 'start' }] })
  chatwoot.say(id, 'hi')
  await settleBeforeResume()
  await settleBeforeResume()
  expect(textsOf(id)).toEqual(['Hello'])
  for (let turns = 0; turns < 205; turns += 1) {
    await makeDue()
    await app.bridge.runDue()
  }
  chatwoot.events = []
  expect(textsOf(id)).toHaveLength(201)
  const results = await resultsOf(published)
  const logs = await logsOf(app, published.id, String(results[0]?.id), here.member)
  expect(logs).toMatchObject([{ description: expect.stringContaining('The chat was stopped: 200') }])
})

test('a message from before an agent opened the conversation does not give it back', async () => {
  const { id } = await connect(echoing, { variables: ['Said'] })
  chatwoot.say(id, 'hi')
  await settle()
  chatwoot.say(id, 'late')
  const late = chatwoot.events.splice(0)
  chatwoot.setStatus(id, 'open', { id: 7, name: 'Grace' })
  await settle()
  chatwoot.events.push(...late)
  await settle()
  expect(textsOf(id)).toEqual(['Hello'])
})

test('an event about an earlier chat does not take the next one from the bot', async () => {
  const { id } = await connect(echoing, { variables: ['Said'] })
  chatwoot.say(id, 'hi')
  await settle()
  chatwoot.setStatus(id, 'open')
  const late = chatwoot.events.splice(0)
  chatwoot.setStatus(id, 'resolved')
  await settle()
  chatwoot.say(id, 'me again')
  await settle()
  chatwoot.events.push(...late)
  await settle()
  chatwoot.say(id, 'are you there?')
  await settle()
  expect(textsOf(id).at(-1)).toBe('You said are you there?')
})

test('the note shows texts of the visitor unchanged', async () => {
  const { id } = await connect({ start: [text('Name?'), ask('Name')] }, { variables: ['Name'] })
  chatwoot.say(id, 'hi')
  await settle()
  chatwoot.say(id, '[a](https://example.com)\n# *b* @c')
  await settle()
  expect(notesOf(id).map(({ content }) => content.split('\n').at(-1))).toEqual([
    '- **Name**: \\[a\\]\\(https://example.com\\) \\# \\*b\\* \\@c',
  ])
})

test('a workspace gets its share of leases, and each is extended by its own id', async () => {
  const { id } = await connect(echoing, { variables: ['Said'] })
  for (let at = 0; at < 4; at += 1) chatwoot.say(id + 3_000 + at, 'hi')
  await chatwoot.deliver()
  await makeDue()
  const counts = new Map([[here.workspaceId, 1]])
  const [first, second, ...more] = await takeConversations(app.db, app.clock.now(), counts, 3, 16)
  if (!first || !second) throw new Error('Two are taken')
  expect(more).toEqual([])
  expect(first.leaseId).not.toBe(second.leaseId)
  await app.pool.query('UPDATE chatwoot_conversations SET leased_until = now() WHERE lease_id IS NOT NULL')
  await extendLeases(app.db, [first, { ...second, leaseId: first.leaseId }])
  const { rows } = await app.pool.query(
    'SELECT lease_id FROM chatwoot_conversations WHERE leased_until > clock_timestamp()',
  )
  expect(rows).toEqual([{ lease_id: first.leaseId }])
})

test('a message does not hasten the retry of a failing one', async () => {
  const { id } = await connect(echoing, { variables: ['Said'] })
  chatwoot.failures = [429]
  chatwoot.say(id, 'hi')
  await settleBeforeResume()
  await app.pool.query("UPDATE chatwoot_conversations SET due_at = now() + interval '1 hour'")
  chatwoot.say(id, 'anybody?')
  await chatwoot.deliver()
  const { rows } = await app.pool.query(
    "SELECT due_at > now() + interval '50 minutes' late FROM chatwoot_conversations",
  )
  expect(rows).toEqual([{ late: true }])
})

test('a conversation whose event fails eight times is left to the members', async () => {
  const { id } = await connect(echoing, { variables: ['Said'] })
  chatwoot.say(id, 'hi')
  await settle()
  chatwoot.say(id, 'again')
  await chatwoot.deliver()
  await app.pool.query(
    `UPDATE chatwoot_events SET event = '{"kind": "message", "status": "pending"}' WHERE event IS NOT NULL`,
  )
  for (let at = 1; at <= 8; at += 1) {
    expect(statusOf(id)).toBe('pending')
    await makeDue()
    await app.bridge.runDue()
  }
  expect(statusOf(id)).toBe('open')
  const { rows } = await app.pool.query('SELECT key FROM chatwoot_events WHERE event IS NOT NULL')
  expect(rows).toEqual([])
})

test('a message that Chatwoot rejects permanently is skipped, and the log of the result says so', async () => {
  const { id, published } = await connect({ start: [text('One'), text('Two'), ask()] })
  chatwoot.failures = [422, 422, 422, 422, 422]
  chatwoot.say(id, 'hi')
  for (let at = 0; at < 6; at += 1) await settle()
  expect(textsOf(id)).toEqual(['Two'])
  const results = await resultsOf(published)
  const logs = await logsOf(app, published.id, String(results[0]?.id), here.member)
  expect(logs).toMatchObject([{ status: 'error', description: 'Chatwoot rejects a message' }])
})

test('a conversation has at most 500 events that wait', async () => {
  const { id } = await connect(echoing, { variables: ['Said'] })
  chatwoot.say(id, 'hi')
  await chatwoot.deliver()
  await app.pool.query(
    `INSERT INTO chatwoot_events SELECT bot_id, credentials_id, conversation_id, 'message ' || n, n, event, created_at
    FROM chatwoot_events, generate_series(1, 499) n`,
  )
  chatwoot.say(id, 'one too many')
  expect(await chatwoot.deliver()).toEqual([429])
})

test('a bot that is not published leaves its conversation to the members', async () => {
  const { id, published } = await connect(echoing, { variables: ['Said'] })
  await app.client.ok('unpublishBot', { as: here.member, params: { botId: published.id } })
  chatwoot.say(id, 'hi')
  await settle()
  expect(statusOf(id)).toBe('open')
})

test('a file with more bytes than the table says is sent as its address', async () => {
  const url = `${chatwoot.url}/files/large`
  const { id } = await connect({ start: [{ type: 'image', content: { url } }, ask()] })
  chatwoot.say(id, 'hi')
  await settle()
  expect(ofBot(id)).toMatchObject([{ content: url, files: 0 }])
})
