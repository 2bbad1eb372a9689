import { generateKeyPair, randomUUID } from 'node:crypto'
import { Readable } from 'node:stream'
import type { StartPreview } from '../../../generated/handlers.ts'
import type { components } from '../../../generated/openapi.ts'
import type { Config } from '../../config.ts'
import { asObject, type JsonObject } from '../../json/access.ts'
import type { OutboundResponse } from '../../outbound/client.ts'
import { fail } from '../../outbound/failure.ts'
import type { FoundUpload } from '../../uploads/uploads.ts'
import type { Answer, Effects, TranscriptEntry } from '../engine/types.ts'
import { uploadLimits } from '../engine/upload-policy.ts'

/* Effects of a simulated chat: all data comes from the caller, and nothing is sent. */

export type Simulation = NonNullable<StartPreview['body']['simulation']>
type SimulatedRequest = components['schemas']['SimulatedRequest']
type Response = Simulation['responses'][number]

const MAX_SHOWN_CHARACTERS = 10_000

interface Surroundings {
  bot: { id: string; workspaceId: string }
  config: Config
  publicUrl: () => string
  /** Effects of a chat that is not simulated. These alone send and store nothing. */
  live: Pick<Effects, 'findLinkedFlow' | 'loadFlow' | 'yieldToOthers' | 'evaluate' | 'findCredentials'>
  startsAt: Date
  earlierAnswers: (resultId: string) => Answer[]
  earlierTranscript: () => TranscriptEntry[]
}

export function createSimulatedEffects(given: Simulation, around: Surroundings) {
  const random = randomNumbers(given.seed)
  const responseTo = chooseInOrder(given.responses)
  const paths = new Map<string, ('a' | 'b')[]>()
  for (const { blockId, path } of given.branches) paths.set(blockId, [...(paths.get(blockId) ?? []), path])
  const requests: SimulatedRequest[] = []
  const blockIds = new Set<string>()
  const edgeIds = new Set<string>()
  let reported = 0
  let now = around.startsAt
  let step = 0
  let current = ''
  let waited = 0
  // Tokens and titles that blocks cache are those of this simulation alone.
  const standIn = `simulated-${randomUUID()}`

  const wait = async <Value>(work: Promise<Value>): Promise<Value> => {
    const startedAt = performance.now()
    try {
      return await work
    } finally {
      waited += performance.now() - startedAt
    }
  }
  const send = (kind: SimulatedRequest['kind'], method: string, url: string, body: unknown) => {
    const response = responseTo(current, url)
    const text = body === undefined || body === '' ? undefined : textOf(body)
    requests.push({
      blockId: current,
      step,
      kind,
      method,
      url: url.slice(0, MAX_SHOWN_CHARACTERS),
      ...(text !== undefined && { body: text.slice(0, MAX_SHOWN_CHARACTERS) }),
      isAnswered: response !== undefined || kind === 'email',
    })
    return response
  }
  const sendEmail: NonNullable<Effects['sendEmail']> = async ({ to, cc, bcc, subject, text, html }) => {
    const response = send(
      'email',
      'POST',
      `mailto:${[...to, ...cc, ...bcc].join(',')}`,
      `${subject}\n\n${text ?? html ?? ''}`,
    )
    if (response?.failure) throw new Error(failureOf(response.failure))
  }

  const effects: Effects = {
    now: () => now,
    random,
    newId: () => Array.from({ length: 26 }, () => Math.floor(random() * 32).toString(32)).join(''),
    checkout: { sessionId: 'simulated', returnUrl: `${around.publicUrl()}/chat/~payment` },
    pathOf: (blockId) => {
      const left = paths.get(blockId)
      return left && left.length > 1 ? left.shift() : left?.[0]
    },
    visit(visited) {
      const isOwn = visited.botId === around.bot.id
      if ('edgeId' in visited) isOwn && edgeIds.add(visited.edgeId)
      else {
        current = visited.blockId
        if (isOwn) blockIds.add(visited.blockId)
      }
    },
    yieldToOthers:
      around.live.yieldToOthers && (() => wait(around.live.yieldToOthers?.() ?? Promise.resolve())),
    evaluate: (request) =>
      wait(around.live.evaluate({ ...request, now, seed: Math.floor(random() * 2 ** 31) })),
    async httpRequest({ method, url, body }) {
      return replyOf(send('request', method, url, body))
    },
    async findCredentials(id, type) {
      const data = await wait(around.live.findCredentials(id, type))
      return data && (await standInOf(data, standIn))
    },
    async askModel({ baseUrl, messages }) {
      const response = send('model', 'POST', baseUrl, messages)
      if (response === undefined || response.failure !== undefined)
        return { ok: false, message: failureOf(response?.failure) }
      const text = textOf(response.body ?? '')
      if (response.status >= 400) return { ok: false, status: response.status, message: text }
      return { ok: true, text, toolCalls: [], usage: { prompt: 0, completion: 0, total: 0 } }
    },
    sendEmailBy: (_account, mail, milliseconds) => sendEmail(mail, milliseconds),
    sendEmail,
    uploads: {
      maximumSize: uploadLimits(around.config).file,
      find: async (addresses) => new Map(addresses.map((address) => [address, uploadAt(address)])),
      read: async () => Readable.from([]),
      async store({ name }, { botId }) {
        const upload = { botId, id: 'simulated', name }
        const address = `${around.publicUrl()}/files/${botId}/simulated/${encodeURIComponent(name)}`
        return { upload, address }
      },
    },
    findLinkedFlow: (botId) => wait(around.live.findLinkedFlow(botId)),
    loadFlow: (flowId) => wait(around.live.loadFlow(flowId)),
    earlierAnswers: async (resultId) => around.earlierAnswers(resultId),
    earlierTranscript: async () => around.earlierTranscript(),
    showsSessionVariables: true,
  }

  return {
    effects,
    /** Milliseconds in which the thread was free for others. */
    waitedMilliseconds: () => waited,
    beginStep(index: number, waitingBlockId: string | undefined, at: string | undefined) {
      step = index
      current = waitingBlockId ?? ''
      if (at !== undefined) now = new Date(at)
    },
    /** Requests since the last call. */
    takeNewRequests() {
      const added = requests.slice(reported)
      reported = requests.length
      return added
    },
    report: () => ({
      lastBlockId: current || null,
      requests,
      blockIds: [...blockIds],
      edgeIds: [...edgeIds],
    }),
  }
}

/** Numbers from 0 up to 1 that follow from the seed (mulberry32). */
function randomNumbers(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** Each response that fits is given once, in order, and the last one to all that follow. */
function chooseInOrder(responses: readonly Response[]) {
  const given = new Set<Response>()
  return (blockId: string, url: string): Response | undefined => {
    const fitting = responses.filter(
      (response) =>
        (response.blockId === undefined || response.blockId === blockId) &&
        (response.url === undefined || url.startsWith(response.url)),
    )
    const chosen = fitting.find((response) => !given.has(response)) ?? fitting.at(-1)
    if (chosen) given.add(chosen)
    return chosen
  }
}

function replyOf(response: Response | undefined): OutboundResponse {
  if (response === undefined || response.failure !== undefined)
    return fail(response?.failure ?? 'network', failureOf(response?.failure))
  const { status, body } = response
  const contentType = typeof body === 'string' ? 'text/plain; charset=utf-8' : 'application/json'
  const bytes = Buffer.from(body === undefined ? '' : textOf(body))
  return { ok: true, status, contentType, headers: { 'content-type': contentType }, body: bytes }
}

function failureOf(failure: Response['failure']): string {
  return failure === undefined
    ? 'The simulation has no response for this'
    : `The simulation gives no response: ${failure}`
}

function textOf(body: unknown): string {
  if (typeof body === 'string') return body
  return body instanceof Uint8Array ? `${body.length} bytes` : JSON.stringify(body)
}

function uploadAt(address: string): FoundUpload {
  const name = address.slice(address.lastIndexOf('/') + 1)
  return { botId: '', id: 'simulated', name, mediaType: 'application/octet-stream', size: 0 }
}

let privateKey: Promise<string> | undefined

/** Data of the same shape without secrets: addresses stay, and a made-up private key takes the place of a real one. */
async function standInOf(data: JsonObject, standIn: string): Promise<JsonObject> {
  const copy = async (value: unknown): Promise<unknown> => {
    if (Array.isArray(value)) return Promise.all(value.map(copy))
    if (typeof value === 'object' && value !== null) return standInOf(asObject(value), standIn)
    if (typeof value !== 'string' || /^https?:/.test(value)) return value
    if (!value.includes('PRIVATE KEY')) return standIn
    privateKey ??= createPrivateKey()
    return privateKey
  }
  const entries = Object.entries(data).map(async ([name, value]) => [name, await copy(value)] as const)
  return Object.fromEntries(await Promise.all(entries))
}

function createPrivateKey(): Promise<string> {
  return new Promise((resolve, reject) => {
    generateKeyPair('rsa', { modulusLength: 2048 }, (error, _publicKey, key) => {
      if (error) reject(error)
      else resolve(key.export({ type: 'pkcs8', format: 'pem' }).toString())
    })
  })
}
