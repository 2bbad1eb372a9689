import { createHmac } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Random } from '../torture/random.ts'
import { boundNamed } from './bounds.ts'

/*
 * An installation of Chatwoot with one account: conversations with their status, the calls that an agent bot may make,
 * and the events that it gets of all that happens, signed, with retries, in any order. Made from its documented
 * protocol.
 */

type Json = Record<string, unknown>

export interface Written {
  id: number
  conversation: number
  content: string
  type: 'incoming' | 'outgoing' | 'activity'
  isPrivate: boolean
  by: 'bot' | 'agent' | 'contact' | 'nobody'
  contentType: string
  items?: { title: string; value: string }[]
  files: number
}

interface Conversation {
  id: number
  status: string
  assignee: Json | null
  updatedAt: number
}

/** Failure of a call: `lost` after it took effect, `slow` without a response, else a status. */
export type Failure = 'lost' | 'slow' | number

export interface ChatwootDouble {
  url: string
  host: string
  messages: Written[]
  conversations: Map<number, Conversation>
  /** Every call: path and token. */
  calls: { path: string; token: unknown; body: Json }[]
  /** Failures of the next calls. */
  failures: (Failure | undefined)[]
  channel: string
  /** The address of the agent bot, and what signs its events. */
  hook: { url: string; secret: string; now: () => Date } | undefined
  /** Events that were not sent yet. */
  events: string[]
  say(conversation: number, content: string, more?: Json): Written
  agentSays(conversation: number, content: string): Written
  setStatus(conversation: number, status: string, assignee?: Json | null): void
  choose(message: Written, title: string): void
  /** Sends the events that wait: each twice, and neighbours swapped, where a source of randomness is given. */
  deliver(random?: Random): Promise<number[]>
  stop(): Promise<void>
}

/** One more than a bubble may send. */
const largeFileBytes = boundNamed('MAX_SENT_FILE_BYTES') + 1

export async function startChatwoot(): Promise<ChatwootDouble> {
  let lastId = 1_000
  let clock = 1_773_144_000
  const server = createServer((request, response) => void serve(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const contact = {
    id: 12,
    name: 'Ada',
    email: 'ada@example.com',
    phone_number: '+33123456789',
    custom_attributes: { plan: 'gold' },
  }

  const double: ChatwootDouble = {
    url: `http://127.0.0.1:${port}`,
    host: `127.0.0.1:${port}`,
    messages: [],
    conversations: new Map(),
    calls: [],
    failures: [],
    channel: 'Channel::WebWidget',
    hook: undefined,
    events: [],
    say(id, content, more = {}) {
      const conversation = conversationOf(id)
      // A message to a resolved conversation makes it pending again.
      if (conversation.status === 'resolved') setStatus(conversation, 'pending')
      const files = Array.isArray(more.attachments) ? more.attachments.length : 0
      return write(conversation, { content, type: 'incoming', by: 'contact', files }, more)
    },
    agentSays: (id, content) => write(conversationOf(id), { content, type: 'outgoing', by: 'agent' }),
    setStatus(id, status, assignee) {
      const conversation = conversationOf(id)
      if (assignee !== undefined) conversation.assignee = assignee
      setStatus(conversation, status)
    },
    choose(message, title) {
      const item = message.items?.find((each) => each.title === title)
      double.events.push(
        JSON.stringify({
          ...eventOf('message_updated', message),
          content_attributes: { items: message.items, submitted_values: [item] },
        }),
      )
    },
    async deliver(random) {
      const waiting = double.events.splice(0)
      const order = random ? waiting.flatMap((event) => [event, event]) : waiting
      for (let at = 0; random && at < order.length - 1; at += 1) {
        if (random.chance(0.5)) [order[at], order[at + 1]] = [order[at + 1] as string, order[at] as string]
      }
      const statuses: number[] = []
      for (const body of order) statuses.push(await post(body))
      return statuses
    },
    async stop() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }

  async function post(body: string): Promise<number> {
    if (!double.hook) return 0
    const { url, secret, now } = double.hook
    const time = Math.floor(now().getTime() / 1_000)
    const signature = createHmac('sha256', secret).update(`${time}.${body}`).digest('hex')
    const response = await fetch(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json',
        'x-chatwoot-timestamp': String(time),
        'x-chatwoot-signature': `sha256=${signature}`,
      },
      body,
    })
    await response.text()
    return response.status
  }

  function conversationOf(id: number): Conversation {
    const known = double.conversations.get(id)
    if (known) return known
    const made = { id, status: 'pending', assignee: null, updatedAt: clock }
    double.conversations.set(id, made)
    return made
  }

  function describe(conversation: Conversation): Json {
    const last = double.messages.findLast((each) => each.conversation === conversation.id && !each.isPrivate)
    return {
      id: conversation.id,
      status: conversation.status,
      channel: double.channel,
      can_reply: true,
      inbox_id: 3,
      messages: last ? [{ id: last.id, content: last.content }] : [],
      meta: {
        sender: contact,
        assignee: conversation.assignee,
        assignee_type: conversation.assignee ? 'User' : null,
        hmac_verified: false,
      },
      custom_attributes: {},
      labels: [],
      updated_at: conversation.updatedAt,
    }
  }

  function eventOf(event: string, message: Written): Json {
    const senders = {
      bot: { id: 5, name: 'Bot', type: 'agent_bot' },
      agent: { id: 7, name: 'Grace', type: 'user' },
      contact,
      nobody: null,
    }
    return {
      event,
      id: message.id,
      content: message.content,
      content_type: message.contentType,
      content_attributes: message.items ? { items: message.items } : {},
      created_at: new Date(clock * 1_000).toISOString(),
      message_type: message.type,
      private: message.isPrivate,
      source_id: null,
      sender: senders[message.by],
      inbox: { id: 3, name: 'Site' },
      account: { id: 1, name: 'Acme' },
      conversation: describe(double.conversations.get(message.conversation) as Conversation),
    }
  }

  function write(
    conversation: Conversation,
    message: Partial<Written> & Pick<Written, 'content' | 'type' | 'by'>,
    more: Json = {},
  ): Written {
    lastId += 1
    clock += 1
    const written = {
      id: lastId,
      conversation: conversation.id,
      isPrivate: false,
      contentType: 'text',
      files: 0,
      ...message,
    }
    double.messages.push(written)
    double.events.push(JSON.stringify({ ...eventOf('message_created', written), ...more }))
    return written
  }

  function setStatus(conversation: Conversation, status: string) {
    if (conversation.status === status) return
    clock += 1
    conversation.status = status
    conversation.updatedAt = clock
    write(conversation, { content: `Marked ${status}`, type: 'activity', by: 'nobody' })
    const event = { open: 'conversation_opened', resolved: 'conversation_resolved' }[status]
    if (event) double.events.push(JSON.stringify({ event, ...describe(conversation) }))
  }

  async function serve(request: IncomingMessage, response: ServerResponse) {
    const pieces: Buffer[] = []
    for await (const piece of request) pieces.push(piece as Buffer)
    const bytes = Buffer.concat(pieces)
    const url = request.url ?? ''
    if (url.startsWith('/files/')) {
      response.setHeader('content-type', 'image/png')
      const picture = Buffer.from('89504e470d0a1a0a0000', 'hex')
      return response.end(url.endsWith('/large') ? Buffer.alloc(largeFileBytes) : picture)
    }
    const type = request.headers['content-type'] ?? ''
    const isJson = type.startsWith('application/json')
    const body = isJson ? JSON.parse(bytes.toString()) : { attachments: bytes.toString('latin1') }
    double.calls.push({ path: url, token: request.headers.api_access_token, body })
    const failure = double.failures.shift()
    if (typeof failure === 'number') {
      response.statusCode = failure
      if (failure === 429) response.setHeader('retry-after', '1')
      return response.end(JSON.stringify({ error: 'Failed' }))
    }
    if (failure === 'slow') return
    const [, id, call] = /^\/api\/v1\/accounts\/1\/conversations\/(\d+)\/(\w+)$/.exec(url) ?? []
    const conversation = double.conversations.get(Number(id))
    response.setHeader('content-type', 'application/json')
    if (!conversation || request.headers.api_access_token !== 'agent-bot-token') {
      response.statusCode = conversation ? 401 : 404
      return response.end(JSON.stringify({ error: 'Not found' }))
    }
    let answer: Json = {}
    if (call === 'messages') {
      const written = write(conversation, {
        content: isJson ? body.content : '',
        type: 'outgoing',
        by: 'bot',
        isPrivate: body.private === true,
        contentType: body.content_type ?? 'text',
        ...(body.content_attributes?.items && { items: body.content_attributes.items }),
        // Chatwoot shows a part of another type as a plain file.
        files: isJson || !body.attachments.includes('Content-Type: image/png') ? 0 : 1,
      })
      answer = { id: written.id, content: written.content, created_at: clock }
    } else if (call === 'toggle_status') {
      setStatus(conversation, body.status)
      answer = { payload: { success: true, current_status: body.status, conversation_id: conversation.id } }
    } else if (call === 'assignments') {
      conversation.assignee = body.assignee_id === null ? null : { id: body.assignee_id }
    }
    if (failure === 'lost') return response.destroy()
    response.end(JSON.stringify(answer))
  }

  return double
}
