import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { createMemoryBudget } from '../../server/chat/engine/memory-budget.ts'
import {
  MAX_SIMULATED_BYTES,
  MAX_SIMULATED_WORK_MS,
  MAX_SIMULATION_MS,
  simulate,
} from '../../server/chat/sessions/simulate.ts'
import { type App, startApp } from '../support/app.ts'
import { ask, bot, idOf, set, text } from '../support/chat.ts'
import { type Published, publish } from '../support/chats.ts'
import { anyBody } from '../support/client.ts'
import { makeWorld, type Site } from '../support/world.ts'

/* Simulated chats: what the caller gives comes back from the engine of live chats, and nothing else happens. */

let app: App
let here: Site

beforeAll(async () => {
  app = await startApp()
  here = (await makeWorld(app)).here
})

afterAll(() => app.stop())

// biome-ignore lint/suspicious/noExplicitAny: turns of any bot
type Body = any

async function simulated(made: Pick<Published, 'id'>, simulation: object, more: object = {}): Promise<Body> {
  const body = anyBody({ textBubbleContentFormat: 'markdown', ...more, simulation })
  return app.client.ok('startPreview', { as: here.member, params: { botId: made.id }, body })
}

const saysOf = ({ messages }: Body) => messages.map(({ content }: Body) => content.markdown)

const request = (url: string, more: object = {}) => ({
  id: 'request',
  type: 'Webhook',
  options: {
    isCustomBody: true,
    webhook: { url, method: 'POST', body: '{"plan": "{{Plan}}"}' },
    responseVariableMapping: [
      { id: 'm1', variableId: idOf('Price'), bodyPath: 'data.price' },
      { id: 'm2', variableId: idOf('Status'), bodyPath: 'statusCode' },
    ],
  },
  ...more,
})

test('a simulation uses given responses in order, and reports requests without one', async () => {
  const loop = { ...request('https://prices.example/v1?x=1'), to: 'Ask' }
  const made = await publish(
    app,
    here,
    bot(
      { Ask: [text('{{Price}} {{Status}}'), ask('Plan'), loop] },
      { variables: ['Plan', 'Price', 'Status'] },
    ),
  )
  const replies = ['basic', 'pro', 'max', 'none'].map((message) => ({ message }))
  const responses = [
    { blockId: 'request', body: { price: 12 } },
    { url: 'https://prices.example/v1', status: 429, body: 'slow down' },
    { url: 'https://elsewhere.example', body: { price: 99 } },
    { blockId: 'request', failure: 'time' },
  ]
  const { simulation } = await simulated(made, { replies, responses })
  expect(simulation.steps.map(saysOf)).toEqual([['12 200'], [' 429'], [' 408'], [' 408']])
  expect(simulation.requests).toHaveLength(4)
  expect(simulation.requests[1]).toEqual({
    blockId: 'request',
    step: 2,
    kind: 'request',
    method: 'POST',
    url: 'https://prices.example/v1?x=1',
    body: '{"plan": "pro"}',
    isAnswered: true,
  })
  const without = (await simulated(made, { replies: replies.slice(0, 1) })).simulation
  expect(without.requests).toMatchObject([{ isAnswered: false }])
  expect(without.variables).toContainEqual(expect.objectContaining({ name: 'Status', value: '500' }))
})

test('a simulation sends no mail, calls no model, and reveals no credentials', async () => {
  const { credentials } = await app.client.ok('createCredentials', {
    as: here.admin,
    params: { workspaceId: here.workspaceId },
    body: anyBody({ name: 'Key', type: 'openai', data: { apiKey: 'sk-very-secret' } }),
  })
  const model = {
    id: 'model',
    type: 'openai',
    options: {
      action: 'Create chat completion',
      credentialsId: credentials.id,
      model: 'gpt-x',
      messages: [{ role: 'user', content: 'Say hello to {{Plan}}' }],
      responseMapping: [{ item: 'Message content', variableId: idOf('Said') }],
    },
  }
  const mail = {
    type: 'Email',
    options: { recipients: ['{{Plan}}'], subject: 'S', body: '{{Said}}', isCustomBody: true },
  }
  const made = await publish(
    app,
    here,
    bot({ Ask: [ask('Plan'), model, mail, text('{{Said}}')] }, { variables: ['Plan', 'Said'] }),
  )
  const given = {
    replies: [{ message: 'ada@example.com' }],
    responses: [{ blockId: 'model', body: 'Hello Ada' }],
  }
  const body = await simulated(made, given)
  expect(saysOf(body.simulation.steps[0])).toEqual(['Hello Ada'])
  expect(body.simulation.requests).toMatchObject([
    { kind: 'model', blockId: 'model', isAnswered: true, body: expect.stringContaining('Say hello to ada') },
    { kind: 'email', url: 'mailto:ada@example.com', body: 'S\n\nHello Ada' },
  ])
  expect(JSON.stringify(body)).not.toContain('sk-very-secret')
})

test('a simulation is deterministic: clock, random numbers, ids and code come from the request', async () => {
  const test = (nth: number) => ({
    id: `test${nth}`,
    type: 'AB test',
    options: { aPercent: 50 },
    items: [
      { id: `a${nth}`, path: 'a', to: `A${nth}` },
      { id: `b${nth}`, path: 'b', to: `B${nth}` },
    ],
  })
  const flow = bot(
    {
      Start: [
        set('Now', '', { type: 'Now', timeZone: 'UTC' }),
        set('Id', '', { type: 'Random ID' }),
        set('Code', 'return Math.random() + " " + new Date().toISOString()'),
        test(1),
      ],
      A1: [text('a1'), ask('X', { to: 'Again' })],
      B1: [text('b1'), ask('X', { to: 'Again' })],
      Again: [set('Code', 'return new Date().toISOString()'), test(2)],
      A2: [text('a2 {{Code}}')],
      B2: [text('b2 {{Code}}')],
    },
    { variables: ['Now', 'Id', 'Code', 'X'] },
  )
  const made = await publish(app, here, flow)
  const startsAt = '2026-03-05T12:30:00Z'
  const replies = [{ message: 'x', at: '2026-03-05T13:00:00+01:00' }]
  const given = { startsAt, replies, branches: [{ blockId: 'test2', path: 'b' }] }
  const first = await simulated(made, given)
  const { sessionId: _, ...same } = first
  const { sessionId: __, ...again } = await simulated(made, given)
  expect(again).toEqual(same)
  expect(saysOf(first.simulation.steps[0])).toEqual(['b2 2026-03-05T12:00:00.000Z'])
  const variableOf = ({ simulation }: Body, name: string) =>
    simulation.variables.find((variable: Body) => variable.name === name)?.value
  expect(variableOf(first, 'Now')).toContain('2026')
  const seeds = await Promise.all([1, 2, 3, 4, 5, 6].map((seed) => simulated(made, { ...given, seed })))
  expect(new Set(seeds.map((body) => variableOf(body, 'Id'))).size).toBe(6)
  expect(new Set(seeds.map((body) => saysOf(body)[0]))).toEqual(new Set(['a1', 'b1']))
  const { blockIds, edgeIds } = first.simulation
  const { edges } = flow as Body
  expect(blockIds).toEqual(expect.arrayContaining(['Start.0', 'test1', 'test2', 'B2.0']))
  expect(blockIds).not.toContain('A2.0')
  expect(edgeIds).toHaveLength(4)
  expect(edges.map(({ id }: Body) => id)).toEqual(expect.arrayContaining(edgeIds))
})

test('a simulation runs a draft or a publication, and stores nothing', async () => {
  const made = await publish(
    app,
    here,
    bot({ Ask: [text('Old'), ask('X'), text('{{X}}')] }, { variables: ['X'] }),
  )
  const draft = bot({ Ask: [text('New'), ask('X')] }, { variables: ['X'] })
  const { groups } = draft as Body
  await app.client.ok('updateBot', {
    as: here.member,
    params: { botId: made.id },
    body: anyBody({ bot: { version: '6.1', groups } }),
  })
  const counts = async () =>
    (
      await app.pool.query(
        'SELECT (SELECT count(*) FROM chat_sessions) AS s, (SELECT count(*) FROM results) AS r, (SELECT count(*) FROM webhook_outbox) AS o',
      )
    ).rows
  const before = await counts()
  const replies = [{ message: 'x' }, { message: 'too much' }]
  const now = await simulated(made, { of: 'published', replies })
  expect([saysOf(now), saysOf(now.simulation.steps[0])]).toEqual([['Old'], ['x']])
  expect(now.simulation.steps).toHaveLength(1)
  const byId = await simulated(made, { of: now.simulation.publicationId, replies })
  expect(byId.simulation).toEqual(now.simulation)
  const { simulation, ...first } = await simulated(made, { replies })
  expect([saysOf(first), simulation.publicationId, simulation.isOver]).toEqual([['New'], null, true])
  expect(simulation.transcript).toEqual([
    { role: 'bot', type: 'text', text: 'New' },
    { role: 'user', type: 'text', text: 'x' },
  ])
  expect(await counts()).toEqual(before)
  const { status } = await app.client.call('continueChat', {
    params: { sessionId: first.sessionId },
    body: { message: 'x' },
  })
  expect(status).toBe(404)
})

test('a simulation accepts the call of a webhook as a text, and files by their addresses', async () => {
  const responseVariableMapping = [{ id: 'm', variableId: idOf('Status'), bodyPath: 'data.status' }]
  const listener = { id: 'hook', type: 'webhook', options: { responseVariableMapping } }
  const file = { type: 'file input', options: { variableId: idOf('File') } }
  const flow = bot(
    { Start: [listener, text('{{Status}}'), file, text('{{File}}')] },
    { variables: ['Status', 'File'] },
  )
  const made = await publish(app, here, flow)
  const replies = [{ message: '{"data":{"status":"paid"}}' }, { message: 'https://files.example/a%zz.pdf' }]
  const { simulation } = await simulated(made, { replies })
  expect(simulation.steps.map(saysOf)).toEqual([['paid'], ['https://files.example/a%zz.pdf']])
  const none = await app.client.call('startPreview', {
    as: here.member,
    params: { botId: made.id },
    body: { simulation: { replies: [{ message: null }] } },
  })
  expect([none.status, none.body.issues]).toMatchObject([
    400,
    [{ path: ['body', 'simulation', 'replies', '0'] }],
  ])
})

test('a simulation ends the wait of a block by a reply without a message, and rejects a text meanwhile', async () => {
  const wait = { type: 'wait until', options: { secondsToWaitFor: '90' } }
  const made = await publish(
    app,
    here,
    bot({ Start: [wait, text('Later'), ask('X'), wait, text('Even later')] }, { variables: ['X'] }),
  )
  const replies = [{}, { message: 'x' }, { message: null }]
  const { simulation } = await simulated(made, { replies })
  expect(simulation.steps.map(saysOf)).toEqual([['Later'], [], ['Even later']])
  expect(simulation.isOver).toBe(true)
  const { status, body } = await app.client.call('startPreview', {
    as: here.member,
    params: { botId: made.id },
    body: { simulation: { replies: [{ message: 'x' }] } },
  })
  expect([status, body.issues]).toMatchObject([400, [{ path: ['body', 'simulation', 'replies', '0'] }]])
})

/** Simulates 200 replies, with a clock that advances by so much in each turn. */
async function replied(flow: object, elapsedMs: number, waitedMs = 0): Promise<Body> {
  const actual = performance.now.bind(performance)
  const context: Body = {
    grant: { bot: { id: 'bot1', workspaceId: 'w' } },
    config: { UPLOAD_MAX_SIZE: 1, UPLOAD_MAX_SIZE_PER_CHAT: 1 },
    now: new Date(),
    publicUrl: () => 'https://x.example',
    slot: { releaseDuring: (work: () => Promise<unknown>) => work() },
    chat: {
      evaluate: async () => {
        await undefined
        offset += waitedMs
        return { ok: true, value: 1, assignments: [], milliseconds: 1, lines: [] }
      },
    },
  }
  let offset = 0
  const replies = Array.from({ length: 200 }, () => ({
    get message() {
      offset += elapsedMs
      return 'x'
    },
  }))
  performance.now = () => actual() + offset
  try {
    const given = { of: 'draft', replies, responses: [], branches: [], seed: 0 }
    const { chat }: Body = await simulate(
      context,
      createMemoryBudget().open('w'),
      { flow: flow as never, publicationId: null },
      { resultId: null },
      given,
    )
    return chat
  } finally {
    performance.now = actual
  }
}

test('a simulation shows session variables, and marks them', async () => {
  const flow: Body = bot({ Ask: [ask('Plan'), ask('Place')] }, { variables: ['Plan', 'Place'] })
  flow.variables[0].isSessionVariable = true
  const made = await publish(app, here, flow)
  const replies = [{ message: 'Basic' }, { message: 'Riga' }]
  const { simulation } = await simulated(made, { replies })
  expect(simulation.variables).toEqual([
    { id: idOf('Plan'), name: 'Plan', value: 'Basic', isSessionVariable: true },
    { id: idOf('Place'), name: 'Place', value: 'Riga' },
  ])
})

test('a simulation stops after the work of the table', async () => {
  const flow = bot({ Ask: [ask('X', { to: 'Ask' })] }, { variables: ['X'] })
  const { steps, isIncomplete, isOver } = await replied(flow, MAX_SIMULATED_WORK_MS / 8)
  expect([isIncomplete, isOver]).toEqual([true, false])
  expect(steps).toHaveLength(8)
  expect((await replied(flow, 0)).isIncomplete).toBe(false)
})

test('a simulation stops after the time of the table', async () => {
  const flow = bot({ Ask: [ask('X'), { ...set('X', 'x()'), to: 'Ask' }] }, { variables: ['X'] })
  const { steps, isIncomplete } = await replied(flow, 0, MAX_SIMULATION_MS / 10)
  expect(isIncomplete).toBe(true)
  expect(steps.length).toBeLessThanOrEqual(11)
  expect(steps.length).toBeGreaterThanOrEqual(10)
})

test('a simulation stops after the bytes of the table', async () => {
  const words = 'é'.repeat(100_000)
  const flow = bot({ Ask: [text(words), ask('X', { to: 'Ask' })] }, { variables: ['X'] })
  const { steps, isIncomplete } = await replied(flow, 0)
  expect(isIncomplete).toBe(true)
  const bytes = Buffer.byteLength(JSON.stringify(steps))
  expect(bytes).toBeGreaterThan(MAX_SIMULATED_BYTES / 3)
  expect(bytes).toBeLessThan(MAX_SIMULATED_BYTES)
})
