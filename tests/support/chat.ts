/** Small bots written as objects, and a client that talks to them. */
import { setImmediate } from 'node:timers/promises'
import { continueFlow, startFlow } from '../../server/chat/engine/engine.ts'
import type {
  Effects,
  Flow,
  LogEntry,
  Message,
  SessionState,
  StartOptions,
  TurnOptions,
  TurnOutcome,
  TurnResult,
} from '../../server/chat/engine/types.ts'
import type { OutboundRequest, OutboundResponse } from '../../server/outbound/client.ts'
import type { Mail } from '../../server/outbound/mail.ts'
import { openSandbox, type Sandbox } from '../../server/sandbox/index.ts'

type Json = Record<string, unknown>

/** A block, item or path. `to` stands for an edge: `group` or `group/block`. */
export type Part = Json & { to?: string; items?: Part[]; paths?: Part[] }

let sandbox: Sandbox | undefined

export const evaluate: Effects['evaluate'] = (request) => {
  sandbox ??= openSandbox({ threads: 1 })
  return sandbox.evaluate(request)
}

export async function closeSandbox(): Promise<void> {
  await sandbox?.close()
  sandbox = undefined
}

/** A bot whose start leads to its first group. Blocks without an id get `<group>.<index>`. */
export function bot(
  groups: Record<string, Part[]>,
  more: Json & { variables?: string[]; id?: string } = {},
): Flow {
  const edges: Json[] = []
  const link = (part: Part): Json => {
    const { to, ...rest } = part
    if (to === undefined) return rest
    const [groupId, blockId] = to.split('/')
    const id = `edge${edges.length}`
    edges.push({ id, from: {}, to: { groupId, blockId } })
    return { ...rest, outgoingEdgeId: id }
  }
  const linkAll = (part: Part): Json => {
    const items = part.items?.map((item) => ({
      ...link(item),
      ...(item.paths ? { paths: item.paths.map(link) } : {}),
    }))
    return { ...link(part), ...(items ? { items } : {}) }
  }
  const list = Object.entries(groups).map(([id, blocks]) => ({
    id,
    title: `Title ${id}`,
    graphCoordinates: { x: 0, y: 0 },
    blocks: blocks.map((block, index) => ({ id: `${id}.${index}`, ...linkAll(block) })),
  }))
  const events = (more.events as Part[] | undefined)?.map(link) ?? []
  const first = Object.keys(groups)[0]
  const start = { id: 'start', type: 'start', ...(first === undefined ? {} : { to: first }) }
  const { variables, ...rest } = more
  return {
    id: 'bot1',
    version: '6.1',
    groups: list,
    theme: {},
    settings: {},
    ...rest,
    events: [link(start), ...events],
    edges,
    variables: (variables ?? []).map((name) => ({ id: idOf(name), name })),
  }
}

/** Id of a variable of `bot`. */
export const idOf = (name: string) => `v-${name}`

export const text = (words: string): Part => ({
  type: 'text',
  content: { richText: [{ type: 'p', children: [{ text: words }] }] },
})

export const ask = (variable?: string, more: Part = {}): Part => ({
  type: 'text input',
  options: variable === undefined ? {} : { variableId: idOf(variable) },
  ...more,
})

export const set = (variable: string, expressionToEvaluate: string, more: Json = {}): Part => ({
  type: 'Set variable',
  options: { variableId: idOf(variable), expressionToEvaluate, ...more },
})

export interface Client {
  outcome: TurnOutcome
  requests: OutboundRequest[]
  mails: Mail[]
  answers: TurnOutcome['answers']
  transcript: TurnOutcome['transcript']
  say(message?: Message | null, options?: TurnOptions): Promise<TurnOutcome>
  /** The texts of the last turn. */
  texts(): string[]
  value(name: string): unknown
  logs(): string[]
  /** Logs of the last turn that say this. */
  logged(part: string): LogEntry | undefined
}

export interface World extends Partial<Omit<Effects, 'httpRequest' | 'sendEmail'>> {
  options?: Partial<StartOptions>
  reply?: OutboundResponse | ((request: OutboundRequest) => OutboundResponse)
  hasMail?: boolean
  mailError?: string
  linked?: Record<string, Flow>
}

/** Not recursive, since some tests nest deeply. */
function deepFreeze(value: object) {
  const pending = [value]
  for (let next = pending.pop(); next; next = pending.pop()) {
    Object.freeze(next)
    for (const inner of Object.values(next)) {
      if (typeof inner === 'object' && inner !== null) pending.push(inner)
    }
  }
}

/** Effects that reach nothing, at a time that stands still. */
export function quietEffects(): Effects {
  let ids = 0
  return {
    now: () => new Date('2024-05-01T09:30:00.000Z'),
    random: () => 0,
    newId: () => `id${++ids}`,
    checkout: { sessionId: 'session1', returnUrl: 'https://bots.example.com/chat/~payment' },
    evaluate,
    findLinkedFlow: async () => null,
    loadFlow: async () => null,
    uploads: null,
    earlierAnswers: async () => [],
    earlierTranscript: async () => [],
    findCredentials: async () => null,
    askModel: async () => ({ ok: false, message: 'Nobody is there' }),
    httpRequest: async () => ({ ok: false, reason: 'refused', message: 'The host is in a private network' }),
    sendEmail: null,
    sendEmailBy: async () => {},
  }
}

/** A chat in progress. Like the service it retains nothing but JSON between two turns. */
export async function chat(flow: Flow, world: World = {}): Promise<Client> {
  const { result, client } = await tryChat(flow, world)
  if (result.rejection !== undefined) throw new Error(result.rejection.message)
  return client
}

export async function tryChat(
  flow: Flow,
  world: World = {},
): Promise<{ result: TurnResult; client: Client }> {
  // One document serves all chats of a process, so none may write on it.
  deepFreeze(flow)
  const requests: OutboundRequest[] = []
  const mails: Mail[] = []
  let state: SessionState | null = null
  const quiet = quietEffects()
  const effects: Effects = {
    ...quiet,
    findLinkedFlow: async (id) => {
      const found = world.linked?.[id]
      return found === undefined ? null : { flow: found, flowId: `publication of ${id}` }
    },
    loadFlow: async (id) => world.linked?.[id.replace('publication of ', '')] ?? null,
    earlierAnswers: async () => client.answers,
    earlierTranscript: async () => client.transcript,
    ...world,
    httpRequest: async (request) => {
      requests.push(request)
      // The double works elsewhere, as a vendor does: not on the turn.
      await setImmediate()
      const reply = typeof world.reply === 'function' ? world.reply(request) : world.reply
      return reply ?? quiet.httpRequest(request)
    },
    sendEmail: world.hasMail
      ? async (mail) => {
          if (world.mailError !== undefined) throw new Error(world.mailError)
          mails.push(mail)
        }
      : null,
  }
  const take = (result: TurnResult): TurnResult => {
    if (result.rejection !== undefined) return result
    client.outcome = JSON.parse(JSON.stringify(result))
    state = client.outcome.state
    client.answers = [...client.answers, ...result.answers]
    client.transcript = [...client.transcript, ...result.transcript]
    return result
  }
  const client: Client = {
    outcome: {} as TurnOutcome,
    requests,
    mails,
    answers: [],
    transcript: [],
    async say(message = null, options = {}) {
      if (state === null) throw new Error('The chat is over')
      const result = take(await continueFlow(flow, structuredClone(state), message, options, effects))
      if (result.rejection !== undefined) throw new Error(result.rejection.message)
      return result
    },
    texts: () =>
      client.outcome.messages.map((bubble) => {
        if (bubble.type !== 'text') return `<${bubble.type}>`
        if (bubble.content.type === 'markdown') return bubble.content.markdown
        const paragraphs = bubble.content.richText as { children: { text: string }[] }[]
        return paragraphs.map((each) => each.children.map((leaf) => leaf.text).join('')).join('\n')
      }),
    value: (name) => client.outcome.variables.find((variable) => variable.name === name)?.value,
    logs: () => client.outcome.logs.map((entry) => entry.description),
    logged: (part) => client.outcome.logs.find((entry) => entry.description.includes(part)),
  }
  const result = take(await startFlow(flow, { resultId: 'result1', ...world.options }, effects))
  return { result, client }
}
