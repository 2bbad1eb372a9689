import type { TurnMemory } from '../chat/engine/memory-budget.ts'
import type { Services } from '../context.ts'
import { asObject, asString, type JsonObject, parseJson } from '../json/access.ts'
import { withText } from '../outbound/response-body.ts'
import { trimSlashes } from '../outbound/trim-slashes.ts'
import { encodeRequest } from '../outbound/vendor-request.ts'
import { tryCredentials } from '../workspaces/credentials.ts'
import type { Outgoing } from './messages.ts'
import type { Conversation } from './rows.ts'

/* Requests to Chatwoot, in the name of its agent bot. */

const REQUEST_TIMEOUT_MS = 15_000
export const MAX_SENT_FILE_BYTES = 20 * 1024 * 1024
const MAX_RETRY_AFTER_MS = 60_000
/** A file is in memory as chunks, whole, and in the body of the request. */
const FILE_COPIES = 4

/**
 * `unknown`: it may or may not have had an effect. `limited`: it comes too soon. `rejected`: it will never succeed.
 */
export type Outcome =
  | {
      ok: true
      id: number | undefined
      /** When the message was written, in seconds by the clock of Chatwoot. */
      createdAt: number | undefined
    }
  | {
      ok: false
      kind: 'unknown' | 'limited' | 'rejected' | 'forbidden' | 'gone'
      message: string
      retryAfterMs: number
    }

type Tools = Pick<Services, 'db' | 'keyring' | 'log' | 'chat'>

export async function setStatus(
  tools: Tools,
  row: Conversation,
  status: 'open' | 'pending' | 'resolved',
): Promise<Outcome> {
  return post(tools, row, 'toggle_status', { json: { status } })
}

/** Takes a conversation from the agent whom it is assigned to. */
export async function unassign(tools: Tools, row: Conversation): Promise<Outcome> {
  return post(tools, row, 'assignments', { json: { assignee_id: null } })
}

/** Writes a message, or a file without a text. */
export async function createMessage(
  tools: Tools,
  row: Conversation,
  { content, items }: Outgoing,
  file: ReadFile | undefined,
  isPrivate: boolean,
): Promise<Outcome> {
  const message = { content, message_type: 'outgoing', private: isPrivate }
  if (items) {
    const select = { content_type: 'input_select', content_attributes: { items } }
    return post(tools, row, 'messages', { json: { ...message, ...select } })
  }
  if (file === undefined) return post(tools, row, 'messages', { json: { ...message, content_type: 'text' } })
  return post(tools, row, 'messages', { parts: { message_type: 'outgoing', 'attachments[]': file } })
}

interface ReadFile {
  name: string
  bytes: Uint8Array
  mediaType: string
}

/** Reads a file that a bubble shows, or that a visitor has sent; undefined if it cannot be read, or has no room. */
export async function readFile(
  { chat }: Pick<Tools, 'chat'>,
  url: string,
  maximumBytes: number,
  memory: TurnMemory,
): Promise<ReadFile | undefined> {
  const read = { url, method: 'GET', headers: {}, milliseconds: REQUEST_TIMEOUT_MS, maximumBytes }
  const reserveMemory = (bytes: number) => memory.take(bytes * FILE_COPIES, REQUEST_TIMEOUT_MS)
  const reply = await chat.httpRequest({ ...read, reserveMemory })
  if (!reply.ok || reply.status !== 200 || reply.body.length === 0) return undefined
  let name = ''
  try {
    name = decodeURIComponent(new URL(url).pathname.split('/').at(-1) ?? '')
  } catch {}
  const mediaType = reply.contentType.split(';')[0]?.trim() || 'application/octet-stream'
  return {
    name: name.replace(/[^\p{L}\p{N}._ -]/gu, '_').slice(-100) || 'file',
    bytes: reply.body,
    mediaType,
  }
}

async function post(
  tools: Tools,
  { workspaceId, credentialsId, conversationId }: Conversation,
  path: string,
  body: { json: JsonObject } | { parts: Record<string, string | ReadFile> },
): Promise<Outcome> {
  const found = await tryCredentials(tools, workspaceId, credentialsId)
  if (found === 'unreadable' || found?.type !== 'chatwoot') {
    return { ok: false, kind: 'forbidden', message: 'The credentials cannot be read', retryAfterMs: 0 }
  }
  const { baseUrl, accountId, accessToken } = asObject(found.data)
  const base = trimSlashes(asString(baseUrl) ?? '')
  const encoded = await encodeRequest(base, {
    path: `/api/v1/accounts/${accountId}/conversations/${conversationId}/${path}`,
    headers: { api_access_token: asString(accessToken) ?? '', accept: 'application/json' },
    ...body,
  })
  const reply = withText(
    await tools.chat.httpRequest({ ...encoded, milliseconds: REQUEST_TIMEOUT_MS, redirects: 'none' }),
  )
  const failed = (
    kind: Exclude<Outcome, { ok: true }>['kind'],
    message: string,
    retryAfterMs = 0,
  ): Outcome => ({
    ok: false,
    kind,
    message,
    retryAfterMs,
  })
  if (!reply.ok) return failed(reply.reason === 'refused' ? 'forbidden' : 'unknown', reply.message)
  const { status, text, headers } = reply
  if (status < 300) {
    const { id, created_at: createdAt } = asObject(parseJson(text))
    const wholeOf = (value: unknown) => (Number.isSafeInteger(value) ? (value as number) : undefined)
    return { ok: true, id: wholeOf(id), createdAt: wholeOf(createdAt) }
  }
  const seconds = Number(headers['retry-after'] ?? 0)
  const wait = seconds > 0 ? Math.min(seconds * 1_000, MAX_RETRY_AFTER_MS) : 0
  const words = `Chatwoot responded with status ${status}`
  // It rejects too many messages of a minute as invalid.
  if (status === 429 || (status === 422 && /too many/i.test(text))) return failed('limited', words, wait)
  if (status === 401 || status === 403) return failed('forbidden', words)
  if (status === 404) return failed('gone', words)
  return failed(status >= 500 || status === 408 ? 'unknown' : 'rejected', words, wait)
}
