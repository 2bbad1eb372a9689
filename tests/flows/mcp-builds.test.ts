import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { Ajv, type ValidateFunction } from 'ajv'
import { type App, startApp } from '../support/app.ts'
import { makeWorld, type Site } from '../support/world.ts'

/*
 * Five bots that are described in prose, built by the tools of `/mcp` alone, each beside a person who edits the same
 * bot.
 */

// biome-ignore lint/suspicious/noExplicitAny: the value differs from tool to tool
type Value = any

interface Build {
  /** The wish of a person, word for word. */
  prose: string
  name: string
  variables: string[]
  groups: { id: string; blocks: Value[] }[]
  /** The first group follows the start. */
  edges: { from: { blockId: string; itemId?: string }; to: string }[]
  /** Chats of visitors: replies and all that the bot says. */
  chats: { replies: string[]; says: string[] }[]
}

const say = (id: string, plainText: string) => ({ id, type: 'text', content: { plainText } })
const ask = (id: string, type: string, variableId: string, options = {}) => ({
  id,
  type,
  options: { variableId, ...options },
})
const buttons = (id: string, ...labels: string[]) => ({
  id,
  type: 'choice input',
  items: labels.map((content) => ({ id: `${id}-${content.toLowerCase()}`, content })),
})
const compute = (id: string, variableId: string, expressionToEvaluate: string) => ({
  id,
  type: 'Set variable',
  options: { variableId, expressionToEvaluate },
})
const whether = (id: string, variableId: string, comparisonOperator: string, value: string) => ({
  id,
  type: 'Condition',
  items: [
    {
      id: `${id}-yes`,
      content: {
        logicalOperator: 'AND',
        comparisons: [{ id: `${id}-1`, variableId, comparisonOperator, value }],
      },
    },
  ],
})

const builds: Build[] = [
  {
    prose:
      'Ask which size of pizza people want, small or large, and how many, one to ten. A small one costs 8 and a large one 12. Then say the total.',
    name: 'Pizza',
    variables: ['price', 'count', 'total'],
    groups: [
      { id: 'order', blocks: [say('hello', 'Which size?'), buttons('size', 'Small', 'Large')] },
      { id: 'small', blocks: [compute('cheap', 'price', '8')] },
      { id: 'large', blocks: [compute('dear', 'price', '12')] },
      {
        id: 'amount',
        blocks: [
          say('how', 'How many?'),
          ask('number', 'number input', 'count', { min: 1, max: 10 }),
          compute('sum', 'total', '{{price}} * {{count}}'),
          say('total-text', 'That makes {{total}}.'),
        ],
      },
    ],
    edges: [
      { from: { blockId: 'size', itemId: 'size-small' }, to: 'small' },
      { from: { blockId: 'size', itemId: 'size-large' }, to: 'large' },
      { from: { blockId: 'cheap' }, to: 'amount' },
      { from: { blockId: 'dear' }, to: 'amount' },
    ],
    chats: [
      { replies: ['Small', '3'], says: ['Which size?', 'How many?', 'That makes 24.'] },
      { replies: ['Large', '10'], says: ['Which size?', 'How many?', 'That makes 120.'] },
    ],
  },
  {
    prose: 'Ask for the age. Who is under 18 is told to come back later; others leave their e-mail address.',
    name: 'Age',
    variables: ['age', 'email'],
    groups: [
      {
        id: 'gate',
        blocks: [
          say('question', 'How old are you?'),
          ask('years', 'number input', 'age', { min: 0 }),
          whether('young', 'age', 'Less than', '18'),
          say('address', 'Your e-mail address?'),
          ask('mail', 'email input', 'email'),
          say('thanks', 'We write to {{email}}.'),
        ],
      },
      { id: 'later', blocks: [say('sorry', 'Come back when you are 18.')] },
    ],
    edges: [{ from: { blockId: 'young', itemId: 'young-yes' }, to: 'later' }],
    chats: [
      { replies: ['17'], says: ['How old are you?', 'Come back when you are 18.'] },
      {
        replies: ['18', 'ada@example.com'],
        says: ['How old are you?', 'Your e-mail address?', 'We write to ada@example.com.'],
      },
    ],
  },
  {
    prose:
      'A quiz of two questions with buttons: capital of France, capital of Latvia. Say how many were right.',
    name: 'Quiz',
    variables: ['score'],
    groups: [
      {
        id: 'france',
        blocks: [
          compute('zero', 'score', '0'),
          say('one', 'Capital of France?'),
          buttons('first', 'Paris', 'Lyon'),
        ],
      },
      { id: 'right1', blocks: [compute('plus1', 'score', '{{score}} + 1')] },
      { id: 'latvia', blocks: [say('two', 'Capital of Latvia?'), buttons('second', 'Tallinn', 'Riga')] },
      { id: 'right2', blocks: [compute('plus2', 'score', '{{score}} + 1')] },
      { id: 'end', blocks: [say('result', '{{score}} of 2')] },
    ],
    edges: [
      { from: { blockId: 'first', itemId: 'first-paris' }, to: 'right1' },
      { from: { blockId: 'first' }, to: 'latvia' },
      { from: { blockId: 'plus1' }, to: 'latvia' },
      { from: { blockId: 'second', itemId: 'second-riga' }, to: 'right2' },
      { from: { blockId: 'second' }, to: 'end' },
      { from: { blockId: 'plus2' }, to: 'end' },
    ],
    chats: [
      { replies: ['Paris', 'Riga'], says: ['Capital of France?', 'Capital of Latvia?', '2 of 2'] },
      { replies: ['Lyon', 'Riga'], says: ['Capital of France?', 'Capital of Latvia?', '1 of 2'] },
      { replies: ['Lyon', 'Tallinn'], says: ['Capital of France?', 'Capital of Latvia?', '0 of 2'] },
    ],
  },
  {
    prose:
      'Let people rate us from 1 to 5. Ask those who give 2 or less what went wrong, and thank the others.',
    name: 'Rating',
    variables: ['stars', 'reason'],
    groups: [
      {
        id: 'rate',
        blocks: [
          say('how-was', 'How was it?'),
          ask('rating', 'rating input', 'stars', { length: 5 }),
          whether('bad', 'stars', 'Less than', '3'),
          say('good', 'Thank you!'),
        ],
      },
      {
        id: 'complaint',
        blocks: [
          say('why', 'What went wrong?'),
          ask('words', 'text input', 'reason'),
          say('bye', 'We look at it.'),
        ],
      },
    ],
    edges: [{ from: { blockId: 'bad', itemId: 'bad-yes' }, to: 'complaint' }],
    chats: [
      { replies: ['5'], says: ['How was it?', 'Thank you!'] },
      { replies: ['2', 'Cold soup'], says: ['How was it?', 'What went wrong?', 'We look at it.'] },
    ],
  },
  {
    prose:
      'Take bookings: name and phone number. If the number is none, say "Please enter a real number" and ask again. Repeat both at the end.',
    name: 'Booking',
    variables: ['name', 'phone'],
    groups: [
      {
        id: 'book',
        blocks: [
          say('who', 'Your name?'),
          ask('name-input', 'text input', 'name'),
          say('which', 'Your phone number?'),
          ask('phone-input', 'phone number input', 'phone', {
            retryMessageContent: 'Please enter a real number',
          }),
          say('summary', '{{name}}, we call {{phone}}.'),
        ],
      },
    ],
    edges: [],
    chats: [
      {
        replies: ['Ada', 'none', '+33612345678'],
        says: [
          'Your name?',
          'Your phone number?',
          'Please enter a real number',
          'Ada, we call +33612345678.',
        ],
      },
    ],
  },
]

let app: App
let here: Site
let client: Client

beforeAll(async () => {
  app = await startApp()
  here = (await makeWorld(app)).here
  client = new Client({ name: 'test', version: '1.0.0' })
  const headers = { Authorization: `Bearer ${here.member.token}` }
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`${app.url}/mcp`), { requestInit: { headers } }),
  )
})

afterAll(async () => {
  await client.close()
  await app.stop()
})

async function use(name: string, input: object): Promise<{ isError: boolean; value: Value }> {
  const result = await client.callTool({ name, arguments: { ...input } })
  const [content] = result.content as { text: string }[]
  return { isError: result.isError === true, value: JSON.parse(content?.text ?? '') }
}

async function useWell(name: string, input: object): Promise<Value> {
  const { isError, value } = await use(name, input)
  if (isError) throw new Error(`${name}: ${JSON.stringify(value)}`)
  return value
}

const validators = new Map<string, ValidateFunction>()

/** Blocks as their tool describes them: an agent knows nothing else of them. */
async function expectDescribed(block: Value) {
  const known = validators.get(block.type)
  const validate =
    known ??
    new Ajv({ strict: false, validateFormats: false }).compile(
      (await useWell('describe_block', { type: block.type })).schema,
    )
  validators.set(block.type, validate)
  const isValid = validate(block)
  expect([block.id, isValid, validate.errors]).toEqual([block.id, true, null])
}

/** Makes changes of the draft as it is now; where a person was faster, reads again and makes them on top. */
async function change(botId: string, changes: object[], person: () => Promise<void>): Promise<number> {
  let { etag } = await useWell('read_flow', { botId })
  await person()
  for (let attempts = 1; ; attempts++) {
    const { isError, value } = await use('change_flow', { botId, etag, changes })
    if (!isError) return attempts
    expect([value.code, attempts]).toEqual(['PRECONDITION_FAILED', 1])
    etag = (await useWell('read_flow', { botId })).etag
  }
}

/** A person who adds something to the bot in the editor. */
async function editAs(botId: string, property: 'settings' | 'theme') {
  const { bot } = await app.client.ok('getBot', { as: here.admin, params: { botId } })
  const edits = {
    settings: { metadata: { title: 'Of a person' } },
    theme: { general: { font: { type: 'Google', family: 'Lora' } } },
  }
  const body = { bot: { version: '6.1', [property]: edits[property], updatedAt: bot.updatedAt } } as never
  await app.client.ok('updateBot', { as: here.admin, params: { botId }, body })
}

async function chat(publicId: string, replies: string[]): Promise<string[]> {
  const format = { textBubbleContentFormat: 'markdown' } as const
  let turn: Value = await app.client.ok('startChat', { params: { publicId }, body: format })
  const { sessionId } = turn
  const said = [...turn.messages]
  for (const message of replies) {
    const body = { ...format, message, revision: turn.revision }
    turn = await app.client.ok('continueChat', { params: { sessionId }, body })
    said.push(...turn.messages)
  }
  expect(turn.input).toBeUndefined()
  return said.map(({ content }) => content.markdown.trim())
}

test.each(builds)('an agent builds by tools alone: $prose', async (build) => {
  const { workspaces } = await useWell('find_bots', {})
  const { botId, events } = await useWell('create_bot', {
    workspaceId: workspaces[0].workspaceId,
    name: build.name,
  })
  for (const block of build.groups.flatMap(({ blocks }) => blocks)) await expectDescribed(block)
  const parts = [
    ...build.variables.map((name) => ({ op: 'set_variable', variable: { id: name, name } })),
    ...build.groups.map(({ id, blocks }) => ({ op: 'add_group', id, title: id, blocks })),
  ]
  expect(await change(botId, parts, () => editAs(botId, 'settings'))).toBe(2)
  const edges = [
    { from: { eventId: events[0].id }, to: { groupId: build.groups[0]?.id } },
    ...build.edges.map(({ from, to }) => ({ from, to: { groupId: to } })),
  ].map((edge) => ({ op: 'connect', ...edge }))
  expect(await change(botId, edges, () => editAs(botId, 'theme'))).toBe(2)

  expect((await useWell('check_bot', { botId })).findings).toEqual([])
  for (const { replies, says } of build.chats) {
    let turn = await useWell('preview_chat', { botId })
    const said = [...turn.says]
    for (const message of replies) {
      turn = await useWell('preview_chat', { botId, sessionId: turn.sessionId, message })
      said.push(...turn.says)
    }
    expect([said.map((text: string) => text.trim()), turn.isOver]).toEqual([says, true])
  }
  const { etag } = await useWell('read_flow', { botId })
  expect(await useWell('publish_bot', { botId, etag })).toMatchObject({ errorsFound: 0 })

  const { bot } = await app.client.ok('getBot', { as: here.member, params: { botId } })
  for (const { replies, says } of build.chats) expect(await chat(String(bot.publicId), replies)).toEqual(says)
  // The edits of the person are still there.
  expect(bot).toMatchObject({
    settings: { metadata: { title: 'Of a person' } },
    theme: { general: { font: { family: 'Lora' } } },
  })
})
