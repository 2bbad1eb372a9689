import { Readable } from 'node:stream'
import { describe, expect, test } from '@jest/globals'
import { soundExtension } from '../../server/chat/engine/blocks/vendors/transcription.ts'
import type { Effects } from '../../server/chat/engine/types.ts'
import type { OutboundRequest, OutboundResponse } from '../../server/outbound/client.ts'
import type { ModelRequest } from '../../server/outbound/model-types.ts'
import { boundNamed } from '../support/bounds.ts'
import { ask, bot, chat, idOf, type Part, text, type World } from '../support/chat.ts'

/* Blocks that read and make files: uploads come from the store, and files that are made go into it. */

const own = 'https://bots.test/files/bot1/abc/voice.weba'

/** A store with one upload of the chat, which keeps what is made. */
function store(mediaType: string, bytes = 3) {
  const stored: { name: string; mediaType: string; bytes: Uint8Array }[] = []
  const uploads: Effects['uploads'] = {
    maximumSize: 1,
    find: async (addresses) =>
      new Map(
        addresses
          .filter((one) => one === own)
          .map((one) => [one, { botId: 'bot1', id: 'abc', name: 'voice.weba', mediaType, size: bytes }]),
      ),
    read: async () => Readable.from([Buffer.alloc(bytes, 1)]),
    store: async (file) => {
      stored.push(file)
      return {
        upload: { botId: 'bot1', id: 'f1', name: file.name },
        address: `https://bots.test/${file.name}`,
      }
    },
  }
  return { uploads, stored }
}

const answer = (
  body: string | Uint8Array,
  status = 200,
  contentType = 'application/json',
): OutboundResponse => ({
  ok: true,
  status,
  contentType,
  headers: {},
  body: Buffer.from(body as string),
})

async function run(part: Part, given: World, said = 'Ada') {
  const client = await chat(
    bot({ g: [ask('Question'), part, text('and on')] }, { variables: ['Question', 'Saved'] }),
    { findCredentials: async () => ({ apiKey: 'sk-key-1' }), ...given },
  )
  await client.say(said)
  return client
}

const speech = (options: object = {}): Part => ({
  type: 'openai',
  options: {
    credentialsId: 'c',
    action: 'Create speech',
    input: 'Hi {{Question}}',
    voice: 'alloy',
    saveUrlInVariableId: idOf('Saved'),
    ...options,
  },
})

describe('speech', () => {
  test('is stored with the result, and its address saved', async () => {
    const { uploads, stored } = store('')
    const client = await run(speech({ instructions: 'Kindly' }), { uploads, reply: answer('ID3') })
    expect(JSON.parse(String(client.requests[0]?.body))).toEqual({
      model: 'tts-1',
      input: 'Hi Ada',
      voice: 'alloy',
    })
    expect(client.value('Saved')).toBe('https://bots.test/speech.mp3')
    expect(stored).toEqual([{ name: 'speech.mp3', mediaType: 'audio/mpeg', bytes: Buffer.from('ID3') }])
    expect(client.outcome.uploads).toEqual([{ botId: 'bot1', id: 'f1', name: 'speech.mp3' }])
  })

  test('is the same by the older block', async () => {
    const { uploads } = store('')
    const { action: _, ...options } = speech().options as Record<string, unknown>
    const client = await run(
      { type: 'OpenAI', options: { ...options, task: 'Create speech' } },
      { uploads, reply: answer('ID3') },
    )
    expect(client.value('Saved')).toBe('https://bots.test/speech.mp3')
  })

  test('sends the version in the address to hosts that need it', async () => {
    const { uploads } = store('')
    const client = await run(speech({ apiVersion: '2024-06-01' }), { uploads, reply: answer('ID3') })
    expect(client.requests[0]?.url).toBe('https://api.openai.com/v1/audio/speech?api-version=2024-06-01')
    expect(client.requests[0]?.headers).toMatchObject({ 'api-key': 'sk-key-1' })
  })

  test.each<[string, object, World, string]>([
    ['without a text', { input: '' }, {}, 'Create speech input is empty'],
    ['without a voice', { voice: '' }, {}, 'Create speech voice is empty'],
    ['without a variable', { saveUrlInVariableId: '' }, {}, 'Create speech save variable is empty'],
    ['that is rejected', {}, { reply: answer('{}', 400) }, 'OpenAI answered 400'],
    ['without a store', {}, { uploads: null }, 'OpenAI: the file was not stored'],
    [
      'at another host',
      { baseUrl: 'https://evil.test' },
      {},
      'openai: nothing was sent, since the address of the block is not that of its credentials',
    ],
  ])('%s is an error in the log', async (_, options, given, description) => {
    const client = await run(speech(options), { uploads: store('').uploads, reply: answer('ID3'), ...given })
    expect(client.logs()).toEqual([description])
    expect(client.texts()).toEqual(['and on'])
  })
})

const transcription: Part = {
  type: 'openai',
  options: {
    credentialsId: 'c',
    action: 'Create transcription',
    url: '{{Question}}',
    prompt: 'Names',
    transcriptionVariableId: idOf('Saved'),
  },
}

/** The parts of a multipart body as text. */
async function partsOf({ headers, body }: OutboundRequest) {
  const data = await new Response(body as Uint8Array<ArrayBuffer>, {
    headers: { 'content-type': headers['content-type'] ?? '' },
  }).formData()
  const file = data.get('file') as File
  return { name: file.name, size: file.size, model: data.get('model'), prompt: data.get('prompt') }
}

describe('transcription', () => {
  test('reads a recording of the visitor from the store, without a request', async () => {
    const { uploads } = store('application/octet-stream')
    const client = await run(transcription, { uploads, reply: answer('{"text": "Hello"}') }, own)
    expect(client.requests).toHaveLength(1)
    expect(await partsOf(client.requests[0] as OutboundRequest)).toEqual({
      name: 'audio.webm',
      size: 3,
      model: 'whisper-1',
      prompt: 'Names',
    })
    expect(client.value('Saved')).toBe('Hello')
  })

  test('fetches an audio file of another service', async () => {
    const reply = ({ method }: OutboundRequest) =>
      method === 'GET' ? answer(Buffer.of(1, 2), 200, 'audio/mpeg') : answer('{"text": "Hello"}')
    const client = await run(transcription, { uploads: store('').uploads, reply }, 'https://x.test/a')
    expect(client.requests[0]).toMatchObject({ method: 'GET', maximumBytes: boundNamed('MAX_SOUND_BYTES') })
    expect(await partsOf(client.requests[1] as OutboundRequest)).toMatchObject({ name: 'audio.mp3', size: 2 })
  })

  test('reads an audio file of as many bytes as the table says', async () => {
    const most = boundNamed('MAX_SOUND_BYTES')
    const logsWith = async (bytes: number) => {
      const { uploads } = store('', bytes)
      return (await run(transcription, { uploads, reply: answer('{"text": "Hello"}') }, own)).logs()
    }
    expect(await logsWith(most)).toEqual([])
    expect(await logsWith(most + 1)).toEqual(['OpenAI: the sound could not be read'])
  })

  test('a response without a text, and an invalid address, are errors in the log', async () => {
    const { uploads } = store('')
    expect((await run(transcription, { uploads, reply: answer('{}') }, own)).outcome.logs[0]).toMatchObject({
      description: 'OpenAI: the request failed',
      details: 'The answer has no text',
      context: 'While creating OpenAI transcription',
    })
    expect((await run(transcription, { uploads }, 'x')).logs()).toEqual([
      'OpenAI: the sound could not be read',
    ])
  })

  test.each([
    ['video/webm; codecs=opus', 'a', 'webm'],
    ['audio/x-m4a', 'a', 'm4a'],
    ['application/octet-stream', 'a.OGG', 'ogg'],
    ['', 'a.weba', 'webm'],
    ['', '', 'webm'],
  ])('a file of type %j and name %j ends in %s', (mediaType, name, extension) => {
    expect(soundExtension({ mediaType, name })).toBe(extension)
  })
})

describe('QR codes', () => {
  const code = (data: string): Part => ({
    type: 'qr-code',
    options: { action: 'Generate a QR Code', data, saveUrlInVariableId: idOf('Saved') },
  })

  test('are pictures in the store', async () => {
    const { uploads, stored } = store('')
    const client = await run(code('https://x.test/{{Question}}'), { uploads })
    expect(client.value('Saved')).toBe('https://bots.test/qr-code.png')
    expect(
      Buffer.from(stored[0]?.bytes ?? [])
        .subarray(1, 4)
        .toString(),
    ).toBe('PNG')
    expect(client.logs()).toEqual([])
  })

  test('a QR code encodes as many bytes as the table says', async () => {
    const { uploads } = store('')
    const most = boundNamed('MAX_CODE_BYTES')
    expect((await run(code('x'.repeat(most)), { uploads })).logs()).toEqual([])
    expect((await run(code('x'.repeat(most + 1)), { uploads })).logs()).toEqual([
      `QR code: the data have ${most + 1} bytes, a code holds ${most}`,
    ])
    expect((await run(code(''), { uploads })).logs()).toEqual(['QR code: there is no data to encode'])
  })
})

describe('pictures of visitors', () => {
  const model = (type: string): Part => ({
    type,
    options: {
      credentialsId: 'c',
      action: type === 'anthropic' ? 'Create Chat Message' : 'Create chat completion',
      model: type === 'anthropic' ? 'claude-1' : 'gpt-4o',
      messages: [{ role: 'user', content: 'Look:\n\n{{Question}}' }],
    },
  })
  async function sent(mediaType: string, bytes: number) {
    const asked: ModelRequest[] = []
    const askModel: Effects['askModel'] = async (request) => {
      asked.push(request)
      return { ok: true, text: 'A cat', toolCalls: [], usage: { prompt: 0, completion: 0, total: 0 } }
    }
    const client = await run(model('openai'), { ...store(mediaType, bytes), askModel }, own)
    return { content: asked[0]?.messages[0]?.content, requests: client.requests }
  }

  test('are sent to models themselves, without a request to their address', async () => {
    expect(await sent('image/png', 3)).toEqual({
      content: [{ text: 'Look:' }, { imageUrl: 'data:image/png;base64,AQEB' }],
      requests: [],
    })
    expect((await sent('application/octet-stream', 3)).content).toBe(`Look:\n\n${own}`)
  })

  test('pictures for a model have as many bytes as the table says', async () => {
    const most = (boundNamed('MAX_PICTURES_BYTES') * 3) / 4
    expect((await sent('image/png', most)).content).toHaveLength(2)
    expect((await sent('image/png', most + 1)).content).toBe(`Look:\n\n${own}`)
  })
})
