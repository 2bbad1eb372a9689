import { afterAll, describe, expect, test } from '@jest/globals'
import type { OutboundRequest, OutboundResponse } from '../../server/outbound/client.ts'
import { ask, bot, chat, closeSandbox, idOf, type Part, text, type World } from '../support/chat.ts'

/* The action Ask Model against a double that streams as the vendor does. */

afterAll(closeSandbox)

const answer = (body: string, status = 200): OutboundResponse => ({
  ok: true,
  status,
  contentType: 'text/event-stream',
  headers: {},
  body: Buffer.from(body),
})

/** A response of the vendor: its text in two pieces, or calls of functions. */
function response(id: string, words: string, calls: object[] = [], tokens = 10): OutboundResponse {
  const events = [
    { type: 'response.created', response: { id } },
    { type: 'response.output_text.delta', delta: words.slice(0, 2) },
    { type: 'response.output_text.delta', delta: words.slice(2) },
    { type: 'response.completed', response: { id, output: calls, usage: { total_tokens: tokens } } },
  ]
  return answer(events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join(''))
}

const functionCall = (name: string, given: object) => ({
  type: 'function_call',
  call_id: `call-${name}`,
  name,
  arguments: JSON.stringify(given),
})

const variables = ['Question', 'Said', 'Id']

const block = (options: object = {}): Part => ({
  type: 'openai',
  options: {
    credentialsId: 'c',
    action: 'Ask Model',
    model: 'gpt-5',
    message: '{{Question}}?',
    responseIdVariableId: idOf('Id'),
    responseMapping: [{ item: 'Message', variableId: idOf('Said') }],
    ...options,
  },
})

async function run(part: Part, reply: World['reply']) {
  const client = await chat(
    bot({ g: [ask('Question'), part, ask('Question'), part, text('and on')] }, { variables }),
    {
      findCredentials: async () => ({ apiKey: 'sk-key-1' }),
      reply,
    },
  )
  await client.say('Who')
  return client
}

const bodyOf = (request: OutboundRequest | undefined) => JSON.parse(String(request?.body))

describe('Ask Model', () => {
  test('saves text and id, and continues the conversation in the next turn', async () => {
    const client = await run(
      block({ temperature: '0,5', instructions: 'Be brief' }),
      response('r1', 'Nobody'),
    )
    expect([client.value('Said'), client.value('Id'), client.logs()]).toEqual(['Nobody', 'r1', []])
    expect(bodyOf(client.requests[0])).toEqual({
      model: 'gpt-5',
      input: 'Who?',
      stream: true,
      store: true,
      instructions: 'Be brief',
      temperature: 0.5,
    })
    await client.say('Why')
    expect(bodyOf(client.requests[1])).toMatchObject({ input: 'Why?', previous_response_id: 'r1' })
  })

  test('searches files and the web, and runs code, within the bounds of the vendor', async () => {
    const options = {
      fileSearchVectorStoreIds: ['vs_1'],
      fileSearchMaxNumResults: '60',
      fileSearchScoreThreshold: '0.5',
      webSearchEnabled: true,
      codeInterpreterEnabled: true,
    }
    const client = await run(block(options), response('r1', 'Nobody'))
    expect(bodyOf(client.requests[0]).tools).toEqual([
      {
        type: 'file_search',
        vector_store_ids: ['vs_1'],
        ranking_options: { ranker: 'auto', score_threshold: 0.5 },
      },
      { type: 'web_search' },
      { type: 'code_interpreter', container: { type: 'auto' } },
    ])
  })

  test('runs functions of the bot, and logs unknown ones', async () => {
    const parameters = { type: 'object', properties: { city: { type: 'string' } } }
    const functions = [
      { name: 'getWeather', description: 'Weather', parameters, code: 'return city + " is {{Question}}"' },
    ]
    const replies = [
      response('r1', '', [functionCall('getWeather', { city: 'Lyon' }), functionCall('fly', {})]),
      response('r2', 'Sunny'),
    ]
    const client = await run(block({ functions }), () => replies.shift() as OutboundResponse)
    expect(bodyOf(client.requests[0]).tools).toEqual([
      { type: 'function', name: 'getWeather', description: 'Weather', parameters, strict: false },
    ])
    expect(bodyOf(client.requests[1])).toMatchObject({
      previous_response_id: 'r1',
      input: [
        { type: 'function_call_output', call_id: 'call-getWeather', output: 'Lyon is Who' },
        {
          type: 'function_call_output',
          call_id: 'call-fly',
          output: '{"error":"There is no such function"}',
        },
      ],
    })
    expect(client.value('Said')).toBe('Sunny')
  })

  test('ends after ten rounds', async () => {
    const client = await run(block(), response('r1', '', [functionCall('fly', {})]))
    expect(client.requests).toHaveLength(10)
    expect(client.logs()).toEqual(['OpenAI: the model answered nothing'])
  })

  test('adds up the tokens of all rounds', async () => {
    const client = await run(block(), response('r1', '', [functionCall('fly', {})], 150_000))
    expect(client.requests).toHaveLength(2)
    expect(client.logs()[0]).toContain('may take')
  })

  test('starts a new response where the vendor has forgotten the earlier one', async () => {
    const rejection = { error: { code: 'previous_response_not_found', message: 'Not found' } }
    const client = await run(block(), ({ body }) =>
      JSON.parse(String(body)).previous_response_id
        ? answer(JSON.stringify(rejection), 400)
        : response('r2', 'Again'),
    )
    await client.say('Why')
    expect(client.requests.map((request) => bodyOf(request).previous_response_id)).toEqual([
      undefined,
      'r2',
      undefined,
    ])
    expect([client.value('Said'), client.logs()]).toEqual(['Again', []])
  })

  test.each<[string, object, OutboundResponse, string]>([
    ['without a model', { model: '' }, answer(''), 'Model is empty'],
    ['without a message', { message: '' }, answer(''), 'Message is empty'],
    [
      'of a server without responses',
      {},
      answer('no', 404),
      'OpenAI: https://api.openai.com/v1/responses does not exist',
    ],
    ['that is rejected', {}, answer('{"error": {"message": "temperature"}}', 400), 'OpenAI answered 400'],
    [
      'with an error in the stream',
      {},
      answer('data: {"type": "error", "message": "overloaded"}'),
      'OpenAI: the request failed',
    ],
    ['with something else', {}, answer('hello'), 'OpenAI: the request failed'],
  ])('%s is an error in the log', async (_, options, reply, description) => {
    const client = await run(block(options), reply)
    expect(client.logs()).toEqual([description])
  })

  test('reads the response of a server that does not stream', async () => {
    const whole = { id: 'r1', output: [{ content: [{ type: 'output_text', text: 'Whole' }] }] }
    expect((await run(block(), answer(JSON.stringify(whole)))).value('Said')).toBe('Whole')
  })
})
