import { existsSync, readdirSync, readFileSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { modelVendors } from '../../contract/credentials.ts'
import type { Flow, StreamEvent } from '../../server/chat/engine/types.ts'
import { convert, type FlowDocument } from '../../server/documents/conversion/index.ts'
import { modelClient } from '../../server/outbound/language-models.ts'
import type { ModelRequest } from '../../server/outbound/model-types.ts'
import { boundNamed } from '../support/bounds.ts'
import {
  ask,
  bot,
  type Client,
  chat,
  closeSandbox,
  idOf,
  type Part,
  set,
  text,
  type World,
} from '../support/chat.ts'
import { eventStream, type ModelServer, type Saying, startModelServer } from '../support/model-server.ts'

/* Blocks that ask a language model, against a server that speaks as their vendors do. */

let models: ModelServer

beforeAll(async () => {
  models = await startModelServer()
})
beforeEach(() => {
  models.asked.length = 0
  models.says('Hello')
})
afterAll(async () => {
  await models.stop()
  await closeSandbox()
})

const key = 'sk-test-key'

/** A world in which every account is on the server of the test. */
function world(more: World = {}, allowedHosts = [models.host]): World {
  const askModel = modelClient({ allowedHosts })
  return {
    findCredentials: async (id, type) => (id === type ? { apiKey: key, baseUrl: models.url } : null),
    askModel: (request) => askModel({ ...request, milliseconds: Math.min(request.milliseconds, 5_000) }),
    ...more,
  }
}

const actionOf = (type: string) => (type === 'anthropic' ? 'Create Chat Message' : 'Create chat completion')
const variables = ['Answer', 'Question', 'Said', 'Total', 'City', 'Age', 'Mood', 'Bots', 'Users']
const mapped = [{ item: 'Message content', variableId: idOf('Answer') }]

function block(type: string, options: Part = {}): Part {
  return {
    type,
    options: {
      credentialsId: type === 'OpenAI' ? 'openai' : type,
      [type === 'OpenAI' ? 'task' : 'action']: actionOf(type),
      model: 'model-1',
      messages: [{ id: 'm', role: 'user', content: 'Hi {{Question}}' }],
      ...(type === 'OpenAI'
        ? { responseMapping: [{ id: 'r', valueToExtract: 'Message content', variableId: idOf('Answer') }] }
        : { responseMapping: mapped }),
      ...options,
    },
  }
}

/** Chats with a bot that runs the block between a question and the end. */
async function run(part: Part, given: World = world(), before: Part[] = []): Promise<Client> {
  const parts = [...before, ask('Question'), part, text('{{Answer}}'), text('and on')]
  const client = await chat(bot({ g: parts }, { variables }), given)
  await client.say('Ada')
  return client
}

describe('requests to models', () => {
  test.each(['OpenAI', ...modelVendors])(
    '%s gets the plain request of its protocol, and its answer is read',
    async (type) => {
      const client = await run(block(type))
      expect(client.texts()).toEqual(['Hello', 'and on'])
      expect(client.logs()).toEqual([])
      const messages = [{ role: 'user', content: 'Hi Ada' }]
      const [asked] = models.asked
      if (type === 'anthropic') {
        expect(asked).toMatchObject({ path: '/v1/messages', headers: { authorization: `Bearer ${key}` } })
        expect(asked?.body).toEqual({ model: 'model-1', max_tokens: 4096, messages })
      } else {
        expect(asked).toMatchObject({
          path: '/v1/chat/completions',
          headers: { authorization: `Bearer ${key}` },
        })
        expect(asked?.body).toEqual({ model: 'model-1', messages })
      }
      expect(models.asked).toHaveLength(1)
    },
  )

  const messages = [
    { role: 'system', content: 'Be {{Mood}}' },
    { role: 'user', content: '' },
    { content: 'of nobody' },
    { role: 'Dialogue', dialogueVariableId: idOf('Said') },
    { role: 'user', content: '{{Question}}?' },
  ]
  const said = [set('Mood', 'kind'), set('Said', 'return ["one", "two", "", "four"]', { isCode: true })]

  test('have messages of all kinds, with placeholders, and settings', async () => {
    await run(
      block('openai', { messages, temperature: '0.5', maxTokens: 10, apiVersion: '2024-06-01' }),
      world(),
      said,
    )
    const [asked] = models.asked
    expect(asked?.path).toBe('/v1/chat/completions?api-version=2024-06-01')
    expect(asked?.headers['api-key']).toBe(key)
    expect(asked?.body).toEqual({
      model: 'model-1',
      temperature: 0.5,
      messages: [
        { role: 'system', content: 'Be kind' },
        { role: 'user', content: 'one' },
        { role: 'assistant', content: 'two' },
        { role: 'assistant', content: 'four' },
        { role: 'user', content: 'Ada?' },
      ],
    })
  })

  test('have the system message and the maximum of tokens of anthropic', async () => {
    const messages = [{ role: 'Dialogue', dialogueVariableId: idOf('Said'), startsBy: 'assistant' }]
    const options = { messages, systemMessage: 'Be {{Mood}}', temperature: 1, maxTokens: '2000' }
    await run(block('anthropic', options), world(), said)
    expect(models.asked[0]?.body).toEqual({
      model: 'model-1',
      max_tokens: 2000,
      temperature: 1,
      system: 'Be kind',
      messages: [
        { role: 'assistant', content: 'one' },
        { role: 'user', content: 'two' },
        { role: 'user', content: 'four' },
      ],
    })
  })

  test('have the sequence of the classic block, and its answer is appended to a list', async () => {
    const content = { assistantMessagesVariableId: idOf('Bots'), userMessagesVariableId: idOf('Users') }
    const messages = [{ id: 's', role: 'Messages sequence ✨', content }]
    const lists = [
      set('Users', 'return ["u1", "u2"]', { isCode: true }),
      set('Bots', 'return ["b1"]', { isCode: true }),
    ]
    const responseMapping = [{ id: 'r', valueToExtract: 'Message content', variableId: idOf('Bots') }]
    const options = { messages, responseMapping, advancedSettings: { temperature: 0.1 } }
    const client = await run(block('OpenAI', options), world(), lists)
    expect(models.asked[0]?.body).toEqual({
      model: 'model-1',
      temperature: 0.1,
      messages: [
        { role: 'user', content: 'u1' },
        { role: 'assistant', content: 'b1' },
        { role: 'user', content: 'u2' },
      ],
    })
    expect(client.value('Bots')).toEqual(['b1', 'Hello'])
  })

  test('have pictures, for models that accept images', async () => {
    const messages = [
      { role: 'user', content: 'Look\n\nhttps://x.test/cat.png\n\nand\n\nhttps://x.test/page' },
    ]
    const reply = ({ url }: { url: string }) => ({
      ok: true as const,
      headers: {},
      status: 200,
      contentType: url.endsWith('png') ? 'image/png' : 'text/html',
      body: new Uint8Array(),
    })
    const given = world({ reply })
    await run(block('openai', { messages, model: 'gpt-4o' }), given)
    expect(models.asked[0]?.body.messages).toEqual([
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Look' },
          { type: 'image_url', image_url: { url: 'https://x.test/cat.png' } },
          { type: 'text', text: 'and\n\nhttps://x.test/page' },
        ],
      },
    ])
    await run(block('anthropic', { messages, model: 'claude-1' }), given)
    expect(models.asked[1]?.body.messages).toMatchObject([
      { content: [{}, { type: 'image', source: { type: 'url', url: 'https://x.test/cat.png' } }, {}] },
    ])
    await run(block('openai', { messages, model: 'gpt-3.5' }), given)
    expect(models.asked[2]?.body.messages).toEqual(messages)
  })

  test('save tokens where that is requested', async () => {
    const responseMapping = [...mapped, { item: 'Total tokens', variableId: idOf('Total') }]
    expect((await run(block('openai', { responseMapping }))).value('Total')).toBe('12')
    expect((await run(block('anthropic', { responseMapping }))).value('Total')).toBe('12')
  })
})

describe('functions', () => {
  const tools = [
    {
      type: 'function',
      name: 'weather',
      description: 'The weather of a city',
      parameters: [
        { type: 'string', name: 'city', description: 'Name of the city' },
        { type: 'enum', name: 'unit', values: ['C', 'F'], required: false },
        { type: 'enum', name: 'nothing' },
      ],
      code: 'setVariable("City", city); return { city, unit, who: {{Question}} }',
    },
    { type: 'function', name: 'fails', code: 'throw new Error("no such place")' },
    { type: 'function', name: 'without code' },
  ]

  test.each(['openai', 'anthropic'])(
    'run in the sandbox for %s, and their results are sent back',
    async (type) => {
      models.says(
        { text: 'Let me see', calls: { weather: { city: 'Lyon', evil: 1 } } },
        { calls: { fails: {}, unknown: {} } },
        'It rains',
      )
      const client = await run(block(type, { tools }))
      expect(client.texts()).toEqual(['It rains', 'and on'])
      expect(client.value('City')).toBe('Lyon')
      const [first, second, third] = models.asked.map(({ body }) => body)
      const schema = {
        type: 'object',
        properties: {
          city: { type: 'string', description: 'Name of the city' },
          unit: { type: 'string', enum: ['C', 'F'] },
        },
        required: ['city'],
      }
      expect(JSON.stringify(first?.tools)).toContain(JSON.stringify(schema))
      expect(first?.tools).toHaveLength(2)
      expect(JSON.stringify(second?.messages)).toContain(
        JSON.stringify(JSON.stringify({ city: 'Lyon', unit: null, who: 'Ada' })).slice(1, -1),
      )
      expect(JSON.stringify(third?.messages)).toContain('no such place')
      expect(JSON.stringify(third?.messages)).toContain('There is no such function')
    },
  )

  test('run for 100 calls of one answer, and numbers in their arguments are never rounded', async () => {
    const calls = Array.from({ length: 2_000 }, (_, index) => ({
      id: `call_${index}`,
      type: 'function',
      function: { name: 'look', arguments: '{"id":12345678901234567890}' },
    }))
    const first = {
      choices: [{ message: { content: null, tool_calls: calls }, finish_reason: 'tool_calls' }],
    }
    const tools = [
      {
        type: 'function',
        name: 'look',
        parameters: [{ name: 'id', type: 'number' }],
        code: 'return "R" + id',
      },
    ]
    models.says({ status: 200, body: JSON.stringify(first) }, 'Done')
    const client = await run(block('openai', { tools }))
    expect(client.logged('only 100 calls')).toMatchObject({ status: 'error' })
    const said = JSON.stringify(models.asked[1]?.body.messages)
    expect(said.match(/"R12345678901234567890"/g)).toHaveLength(100)

    const content = '[{"type":"tool_use","id":"t","name":"look","input":{"id":12345678901234567890}}]'
    models.says({ status: 200, body: `{"content":${content},"stop_reason":"tool_use"}` }, 'Done')
    await run(block('anthropic', { tools }))
    expect(JSON.stringify(models.asked[3]?.body.messages)).toContain('R12345678901234567890')
  })

  test('end after six requests to a model that calls again and again, and the log says so', async () => {
    models.says({ text: 'still', calls: { weather: { city: 'Lyon' } } })
    const client = await run(block('openai', { tools }))
    expect(models.asked).toHaveLength(6)
    expect(client.texts()).toEqual(['still', 'and on'])
    expect(client.logged('still calls functions')).toMatchObject({ status: 'error' })
  })
})

describe('values out of a text', () => {
  const variablesToExtract = [
    { type: 'string', variableId: idOf('City'), description: 'Where' },
    { type: 'number', variableId: idOf('Age'), isRequired: false },
    { type: 'enum', variableId: idOf('Mood'), values: [] },
    { type: 'string', variableId: 'unknown' },
  ]
  const options = { action: 'Generate variables', prompt: 'I am {{Question}}', variablesToExtract }

  test.each<[string, Saying]>([
    ['openai', '{"City":"Lyon","Age":41,"Other":"x"}'],
    ['mistral', '```json\n{"City":"Lyon","Age":41}\n```'],
    ['anthropic', { calls: { values: { City: 'Lyon', Age: 41 } } }],
  ])('from %s are saved in variables', async (type, saying) => {
    models.says(saying)
    const client = await run(block(type, options))
    expect([client.value('City'), client.value('Age'), client.value('Other')]).toEqual([
      'Lyon',
      '41',
      undefined,
    ])
    expect(JSON.stringify(models.asked[0]?.body)).toContain('"required":["City"]')
    expect(JSON.stringify(models.asked[0]?.body.messages)).toContain('I am Ada')
  })

  test('are unchanged when the model returns something else', async () => {
    models.says('I do not know')
    const client = await run(block('openai', options), world(), [set('City', 'Paris')])
    expect(client.value('City')).toBe('Paris')
    expect(client.logged('did not answer with values')).toMatchObject({ status: 'error', context: 'g.2' })
  })
})

describe('errors of models are logged, and the chat goes on', () => {
  const goesOn = async (part: Part, said: string, given: World = world()) => {
    const client = await run(part, given)
    expect(client.texts().at(-1)).toBe('and on')
    expect(client.logged(said)).toMatchObject({ status: 'error', isInternal: true, context: 'g.1' })
    expect(JSON.stringify(client.outcome)).not.toContain(key)
    return client
  }

  test('a missing setting is logged', async () => {
    await goesOn(block('openai', { action: undefined }), 'openai is not configured')
    await goesOn(block('openai', { action: 'Fly' }), 'does not run "Fly"')
    await goesOn(block('openai', { credentialsId: undefined }), 'Could not find credentials for block openai')
    await goesOn(block('openai', { credentialsId: 'anthropic' }), 'Could not find credentials')
    await goesOn(block('openai', { model: ' ' }), 'No model provided')
    await goesOn(block('openai', { messages: undefined }), 'No messages provided')
    const findCredentials = () => Promise.reject(new Error('The key is gone'))
    await goesOn(block('openai'), 'cannot be read', world({ findCredentials }))
    expect(models.asked).toEqual([])
  })

  test('a key is sent to its vendor, or to the address of its credentials, never to one of a block', async () => {
    const findCredentials = async () => ({ apiKey: key })
    await goesOn(
      block('openai', { baseUrl: models.url }),
      'not that of its credentials',
      world({ findCredentials }),
    )
    expect(models.asked).toEqual([])
    const asked: ModelRequest[] = []
    const askModel: World['askModel'] = async (request) => {
      asked.push(request)
      return { ok: true, text: 'Hello', toolCalls: [], usage: { prompt: 0, completion: 0, total: 0 } }
    }
    await run(block('openai', { baseUrl: 'https://api.openai.com/v2' }), world({ findCredentials, askModel }))
    await run(block('mistral'), world({ findCredentials, askModel }))
    expect(asked.map(({ baseUrl }) => baseUrl)).toEqual([
      'https://api.openai.com/v2',
      'https://api.mistral.ai/v1',
    ])
  })

  test.each(['OpenAI', ...modelVendors])(
    '%s with a private address that is not allowed is logged',
    async (type) => {
      const client = await goesOn(block(type), 'gave no answer', world({}, []))
      expect(client.logged('gave no answer')?.details).toMatch(/private network|ports 80 and 443/)
      expect(models.asked).toEqual([])
    },
  )

  test('rejections of the vendor are logged, with its words but without the key', async () => {
    models.says({ status: 401, body: JSON.stringify({ error: { message: `Bad key ${key}` } }) })
    for (const type of ['openai', 'anthropic']) {
      const client = await goesOn(block(type), 'gave no answer (status 401)')
      expect(client.logged('gave no answer')?.details).toContain('Bad key …')
    }
    expect(models.asked).toHaveLength(2)
  })

  test('a request that may succeed later is sent again', async () => {
    const busy = { status: 503, body: '{}', headers: { 'retry-after-ms': '1' } }
    models.says(busy, busy, 'Hello')
    expect((await run(block('openai'))).texts()).toEqual(['Hello', 'and on'])
    models.says(busy)
    await goesOn(block('anthropic'), 'gave no answer (status 503)')
    expect(models.asked).toHaveLength(6)
  })

  test.each(['270', '86400', new Date(Date.now() + 300_000).toUTCString()])(
    'a Retry-After beyond the deadline is not waited for: %s',
    async (value) => {
      const begun = performance.now()
      models.says({ status: 429, body: '{}', headers: { 'retry-after': value } })
      for (const type of ['openai', 'anthropic']) {
        const client = await goesOn(block(type), 'gave no answer')
        expect(client.logged('gave no answer')?.details).toMatch(/answered 429 and asks .* again in \d+ s/)
      }
      expect(models.asked).toHaveLength(2)
      expect(performance.now() - begun).toBeLessThan(10_000)
    },
  )

  test('a redirect is not followed, since the key is for one host', async () => {
    models.says({ status: 307, body: '', headers: { location: `${models.url}/elsewhere` } })
    for (const type of ['openai', 'anthropic']) {
      const client = await goesOn(block(type), 'gave no answer')
      expect(client.logged('gave no answer')?.details).toContain('redirect (307)')
    }
    expect(models.asked).toHaveLength(2)
  })

  const whole = (choice: object) => ({ status: 200, body: JSON.stringify({ choices: [choice] }) })

  test('a response of parts is their text, joined', async () => {
    const content = [
      { type: 'text', text: 'from ' },
      { type: 'text', text: 'parts' },
    ]
    models.says(whole({ message: { content }, finish_reason: 'stop' }))
    const client = await run(block('openai'))
    expect(client.texts()).toEqual(['from parts', 'and on'])
    expect(client.outcome.logs).toEqual([])
  })

  test('an answer that is truncated, filtered or empty is logged', async () => {
    models.says(whole({ message: { content: 'The half of an' }, finish_reason: 'length' }))
    const cut = await goesOn(block('openai'), 'reached the most tokens')
    expect(cut.texts()).toEqual(['The half of an', 'and on'])
    models.says(whole({ message: { content: 'No' }, finish_reason: 'content_filter' }))
    await goesOn(block('openai'), 'content filter')
    models.says(whole({ message: { content: null }, finish_reason: 'stop' }))
    await goesOn(block('openai'), 'answered nothing')
    models.says({
      status: 200,
      body: JSON.stringify({ content: [{ type: 'text', text: 'Half' }], stop_reason: 'max_tokens' }),
    })
    await goesOn(block('anthropic'), 'reached the most tokens')
  })

  test('more requests or tokens than a turn may take are logged', async () => {
    const limits = { outboundCalls: 2 }
    const parts = [block('openai'), block('openai'), block('openai'), text('and on')]
    const few = await chat(bot({ g: parts }, { variables }), world({ options: { limits } }))
    expect(few.texts()).toEqual(['and on'])
    expect(few.logged('may call out 2 times')).toBeDefined()
    expect(models.asked).toHaveLength(2)
    const little = await chat(
      bot({ g: parts }, { variables }),
      world({ options: { limits: { tokens: 20 } } }),
    )
    expect(little.logged('may take 20 tokens')).toMatchObject({ status: 'error' })
    expect(models.asked).toHaveLength(4)
  })
})

test('a response of a model has as many bytes as the table says, and a larger one is rejected', async () => {
  const most = boundNamed('MAX_ANSWER_BYTES')
  const answerOf = async (bytes: number) => {
    const choices = [{ message: { content: 'Hello' }, finish_reason: 'stop' }]
    models.says({ status: 200, body: JSON.stringify({ choices }).padEnd(bytes) })
    return (await run(block('openai'))).value('Answer')
  }
  expect([await answerOf(most), await answerOf(most + 1)]).toEqual(['Hello', undefined])
})

/** Hostile models, called with and without a stream. */
describe('hostile responses', () => {
  const megabyte = 'x'.repeat(1_048_576)
  const json = { 'content-type': 'application/json' }
  const endlessly = (chunk: string, head: object) => (response: ServerResponse) => {
    response.writeHead(200, { ...head })
    const write = () => {
      while (!response.destroyed && response.write(chunk)) {
        // Until the reader is full.
      }
    }
    response.on('drain', write)
    write()
  }
  const said = (body: string) => (response: ServerResponse, isStream: boolean) => {
    response.writeHead(200, isStream ? eventStream : json)
    response.end(body)
  }
  const chunk = (content: string) =>
    `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content } }] })}\n\n`
  const hostile: Record<string, Saying> = {
    'an endless answer': endlessly(megabyte, json),
    'endless events': endlessly(chunk('word '), eventStream),
    'an endless line': endlessly(megabyte, eventStream),
    '50 MB': (response) => {
      response.writeHead(200, json)
      response.end(`{"choices":[{"message":{"content":"${megabyte.repeat(50)}"}}]}`)
    },
    'no JSON': said('<html>'),
    'events that are none': said('data: {"choices":[{"delta":\n\ndata: }}}}\n\n'),
    'events without a meaning': said('data: [1,2]\n\ndata: null\n\ndata: "x"\n\n'),
    'an odd shape': said('{"choices":"many","content":7,"usage":{"total_tokens":"1e999"}}'),
    'choices that are null': said('{"choices":[null],"content":null}'),
    nothing: said(''),
    silence: () => {},
    'silence behind a head': (response, isStream) => {
      response.writeHead(200, isStream ? eventStream : json)
      response.write(isStream ? chunk('He') : '{"choices":')
    },
    'a line that breaks': (response, isStream) => {
      response.writeHead(200, isStream ? eventStream : json)
      response.write(isStream ? chunk('He') : '{"choices":')
      setTimeout(() => response.destroy(), 50)
    },
    'a way to the inside': (response) => {
      response.writeHead(302, { location: 'http://127.0.0.1:1/v1' })
      response.end()
    },
    'a way round in circles': (response) => {
      response.writeHead(307, { location: '/v1/chat/completions' })
      response.end()
    },
  }

  const short = () => {
    const askModel = modelClient({ allowedHosts: [models.host] })
    return world({ askModel: (request) => askModel({ ...request, milliseconds: 1_500 }) })
  }

  describe.each(['openai', 'anthropic'])('%s', (type) => {
    test.each(Object.keys(hostile))('%s', async (name) => {
      for (const isStream of [false, true]) {
        models.says(hostile[name] as Saying)
        let told = 0
        const emit = (event: StreamEvent) => {
          if (event.type === 'delta') told += event.text.length
        }
        const client = await run(block(type), isStream ? { ...short(), emit } : short())
        expect(client.texts().at(-1)).toBe('and on')
        expect(client.value('Answer')).toBeUndefined()
        expect(client.logged('gave no answer')).toMatchObject({
          status: 'error',
          details: expect.any(String),
        })
        expect(told).toBeLessThanOrEqual(262_144)
      }
    })
  })
})

describe('streams of models', () => {
  async function streamed(part: Part, next: Part[] = [text('{{Answer}}')]) {
    const events: StreamEvent[] = []
    const given = world({ emit: (event) => void events.push(event) })
    const client = await chat(bot({ g: [text('Wait'), part, ...next] }, { variables }), given)
    const deltas = events.flatMap((event) => (event.type === 'delta' ? [event] : []))
    return { client, events, deltas, said: deltas.map((delta) => delta.text).join('') }
  }

  test.each(['OpenAI', ...modelVendors])(
    '%s streams its text into the bubble that shows it',
    async (type) => {
      models.says('Hello 🎉🎉 it is 20 °C in Lyon')
      const { client, events, deltas, said } = await streamed(block(type))
      expect(models.asked[0]?.body.stream).toBe(true)
      expect(said).toBe('Hello 🎉🎉 it is 20 °C in Lyon')
      expect(deltas.length).toBeGreaterThan(5)
      expect(new Set(deltas.map(({ id }) => id))).toEqual(new Set(['g.2']))
      expect(events[0]).toMatchObject({ type: 'look' })
      expect(events[1]).toMatchObject({ type: 'message', message: { id: 'g.0' } })
      expect(events.at(-1)).toMatchObject({ type: 'message', message: { id: 'g.2' } })
      expect(client.texts()).toEqual(['Wait', said])
    },
  )

  test.each(['plainText', 'html'])(
    'a bubble whose text is written as %s streams its model text',
    async (key) => {
      models.says('Hello it is 20 degrees in Lyon')
      const bubble: Part = { type: 'text', content: { [key]: '{{Answer}}' } }
      const { deltas, said } = await streamed(block('openai'), [bubble])
      expect(said).toBe('Hello it is 20 degrees in Lyon')
      expect(new Set(deltas.map(({ id }) => id))).toEqual(new Set(['g.2']))
    },
  )

  test('nothing is streamed where the next block shows something else, nor without a reader', async () => {
    for (const next of [[text('You said {{Answer}}')], [ask('Question')], []]) {
      expect((await streamed(block('openai'), next)).deltas).toEqual([])
    }
    await run(block('openai'))
    expect(models.asked.map(({ body }) => body.stream)).toEqual([undefined, undefined, undefined, undefined])
  })

  test.each(['openai', 'anthropic'])('%s streams with functions and tokens', async (type) => {
    models.says({ text: 'One moment. ', calls: { now: { zone: 'UTC' } } }, 'It is noon')
    const tools = [
      {
        name: 'now',
        parameters: [{ type: 'string', name: 'zone' }],
        code: 'setVariable("City", zone); return 12',
      },
    ]
    const responseMapping = [...mapped, { item: 'Total tokens', variableId: idOf('Total') }]
    const { client, said } = await streamed(block(type, { tools, responseMapping }))
    expect(said).toBe('One moment. It is noon')
    expect(client.texts()).toEqual(['Wait', 'It is noon'])
    expect([client.value('City'), client.value('Total')]).toEqual(['UTC', '24'])
    if (type === 'openai') expect(models.asked[0]?.body.stream_options).toEqual({ include_usage: true })
  })
})

// Real documents

const folder = new URL('../../../shared/corpus/', import.meta.url)
const files = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.json')) : []
const read = (file: string) => JSON.parse(readFileSync(new URL(file, folder), 'utf8')) as FlowDocument
const asks = /"type":\s*"(openai|OpenAI|anthropic|mistral)"/
const asking = files.filter((file) => asks.test(JSON.stringify(read(file))))

const describeCorpus = asking.length > 0 ? describe : describe.skip
describeCorpus('the corpus', () => {
  test.each(asking.length > 0 ? asking : ['none'])('%s gets its responses', async (file) => {
    const flow = structuredClone(convert(read(file))) as unknown as Flow
    for (const { blocks } of flow.groups as { blocks: { type: string; options?: object }[] }[]) {
      for (const one of blocks) {
        if (asks.test(`"type":"${one.type}"`)) Object.assign(one.options ?? {}, { credentialsId: one.type })
      }
    }
    models.says('A sponge lasts longer')
    const replies: Record<string, string> = { 'number input': '5', 'phone number input': '+33612345678' }
    const said: string[] = []
    // Along the first of all choices, and along the last.
    for (const place of [0, -1]) {
      const client = await chat(flow, world())
      for (let step = 0; step < 40 && client.outcome.state !== null; step += 1) {
        const { input } = client.outcome
        const items = (input?.items ?? []) as { content?: string }[]
        await client.say(items.at(place)?.content ?? replies[input?.type ?? ''] ?? 'ada@example.com')
        said.push(...client.texts())
        expect(client.outcome.logs.filter(({ description }) => !description.startsWith('E-mail'))).toEqual([])
      }
      expect(client.outcome.state).toBeNull()
    }
    expect(models.asked.length).toBeGreaterThan(0)
    expect(said.join(' ')).toContain('A sponge lasts longer')
  })
})
