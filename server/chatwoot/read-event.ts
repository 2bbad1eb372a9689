import { hash } from 'node:crypto'
import { asObject, asObjects, asString, cutText, type JsonObject, storableText } from '../json/access.ts'

/*
 * Events of Chatwoot as the bridge stores them. Versions differ, so everything that is missing counts as unknown.
 */

const MAX_TEXT_CHARACTERS = 20_000
const MAX_ATTACHMENTS = 10
const MAX_ATTRIBUTES = 50
const MAX_ATTRIBUTE_CHARACTERS = 1_000

export interface StoredEvent {
  /**
   * `message`: of the visitor. `choice`: the visitor has chosen an item. `agent`: a member has written. `opened`, `resolved`:
   * the conversation has got this status.
   */
  kind: 'message' | 'choice' | 'agent' | 'opened' | 'resolved'
  /** Id of the message; that of the last one for other events. */
  messageId: number
  text: string
  /** Id of the chosen item. */
  replyId?: string
  attachments: string[]
  status: 'pending' | 'open' | 'resolved'
  /** True if a member of Chatwoot is assigned. */
  hasAssignee: boolean
  /** When the conversation last changed, in seconds by the clock of Chatwoot; 0 where it is unknown. */
  updatedAt: number
  /** Values for variables of the bot, by their names. */
  variables: Record<string, string>
}

/** A message that the bot has written, as Chatwoot sends it back. */
interface Echo {
  kind: 'echo'
  messageId: number
  text: string
}

export interface ReadEvent {
  conversationId: number
  channel: string
  event: (StoredEvent & { key: string; ordinal: number }) | Echo
}

const messageTypes = ['incoming', 'outgoing', 'activity', 'template']

/** Returns an event that concerns the bridge; undefined for any other. */
export function readEvent(body: JsonObject, bytes: Buffer): ReadEvent | undefined {
  const isMessage = body.event === 'message_created' || body.event === 'message_updated'
  const isStatus = body.event === 'conversation_opened' || body.event === 'conversation_resolved'
  if (!isMessage && !isStatus) return undefined
  const conversation = isMessage ? asObject(body.conversation) : body
  const conversationId = idOf(conversation.id)
  if (conversationId === undefined) return undefined
  const meta = asObject(conversation.meta)
  const lastMessageId = idOf(asObjects(conversation.messages).at(-1)?.id)
  const status =
    asString(conversation.status) ?? (body.event === 'conversation_resolved' ? 'resolved' : 'open')
  const known = {
    attachments: [] as string[],
    text: '',
    status: status === 'pending' || status === 'resolved' ? status : 'open',
    hasAssignee: meta.assignee_type !== 'AgentBot' && typeof asObject(meta.assignee).id === 'number',
    updatedAt: typeof conversation.updated_at === 'number' ? conversation.updated_at : 0,
    variables: {},
  } satisfies Partial<StoredEvent>
  const read = (event: ReadEvent['event']): ReadEvent => ({
    conversationId,
    channel: cutText(storableText(asString(conversation.channel) ?? ''), 100),
    event,
  })
  if (isStatus) {
    const kind = body.event === 'conversation_opened' ? 'opened' : 'resolved'
    const messageId = lastMessageId ?? 0
    // Without the id of a delivery in older versions, but a retry has the same bytes.
    const key = `${kind} ${hash('sha256', bytes, 'base64url')}`
    return read({ ...known, kind, messageId, key, ordinal: 2 * messageId + 1 })
  }
  const messageId = idOf(body.id)
  if (messageId === undefined) return undefined
  const type = typeof body.message_type === 'number' ? messageTypes[body.message_type] : body.message_type
  const text = cutText(storableText(asString(body.content) ?? ''), MAX_TEXT_CHARACTERS)
  if (body.event === 'message_updated') {
    const [chosen] = asObjects(asObject(body.content_attributes).submitted_values)
    if (type !== 'outgoing' || !chosen) return undefined
    const title = cutText(
      storableText(asString(chosen.title) ?? asString(chosen.value) ?? ''),
      MAX_TEXT_CHARACTERS,
    )
    const replyId = cutText(storableText(asString(chosen.value) ?? ''), 255)
    // It comes as an answer to an earlier message: the latest message precedes it.
    const ordinal = 2 * Math.max(messageId, lastMessageId ?? 0) + 1
    const choice = { ...known, text: title, replyId, messageId: lastMessageId ?? messageId }
    return read({ ...choice, kind: 'choice', key: `choice ${messageId}`, ordinal })
  }
  if (type === 'outgoing') {
    const { type: sender } = asObject(body.sender)
    if (sender !== 'user') return read({ kind: 'echo', messageId, text })
    if (body.private === true) return undefined
    const key = `message ${messageId}`
    return read({ ...known, text, kind: 'agent', messageId, key, ordinal: 2 * messageId })
  }
  if (type !== 'incoming' || body.private === true) return undefined
  const attachments = asObjects(body.attachments)
    .flatMap(({ data_url: url }) =>
      typeof url === 'string' && /^https?:/.test(url) ? [cutText(url, 2_048)] : [],
    )
    .slice(0, MAX_ATTACHMENTS)
  return read({
    ...known,
    kind: 'message',
    text,
    attachments,
    messageId,
    variables: variablesOf(asObject(body.sender), conversation),
    key: `message ${messageId}`,
    ordinal: 2 * messageId,
  })
}

function variablesOf(sender: JsonObject, conversation: JsonObject): Record<string, string> {
  const attributes = [
    ['Name', sender.name],
    ['Email', sender.email],
    ['Phone', sender.phone_number],
    ...Object.entries(asObject(sender.custom_attributes)),
    ...Object.entries(asObject(conversation.custom_attributes)),
  ].slice(0, MAX_ATTRIBUTES) as [string, unknown][]
  const short = (value: string) => cutText(storableText(value), MAX_ATTRIBUTE_CHARACTERS)
  return Object.fromEntries(
    attributes.flatMap(([name, value]) =>
      ['string', 'number', 'boolean'].includes(typeof value) ? [[short(name), short(String(value))]] : [],
    ),
  )
}

function idOf(value: unknown): number | undefined {
  // Twice as much is an ordinal, which has to be exact.
  return Number.isSafeInteger(value) && (value as number) > 0 && (value as number) < 2 ** 51
    ? (value as number)
    : undefined
}

/** The same for a message and for the copy that Chatwoot sends back. */
export const digestOfText = (text: string) =>
  hash('sha256', cutText(storableText(text), MAX_TEXT_CHARACTERS).trim(), 'base64url')
