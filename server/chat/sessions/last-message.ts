import type { components } from '../../../generated/openapi.ts'
import type { Database } from '../../db/client.ts'
import { JsonText } from '../../kit/json/json-text.ts'
import { plainTextOf } from '../engine/rich-text.ts'
import type { Turn } from './codec/turn.ts'
import { messagesOf, type Session, stepsOf } from './read-session.ts'

/* The last message of a chat that people handle, for lists of chats. Its session has it. */

type LastMessage = NonNullable<components['schemas']['BotChatSummary']['lastMessage']>

/** Characters in the contract. */
const MAX_CHARACTERS = 200

/** Returns the last of these turns that a visitor wrote; null if none did. */
export function lastMessageIn(turns: readonly Turn[]): JsonText | null {
  const last = turns.findLast((turn) => turn.role === 'user')
  return last ? encodeLastMessage('user', last.text, last.attachedFileUrls) : null
}

/**
 * Returns the last message of the visitor or of a member in a chat. Turns of timers, and those that end the handling by a
 * member, have none.
 */
export async function readLastMessage(
  db: Database,
  chat: Pick<Session, 'botId' | 'sessionId' | 'revision' | 'messageCount'>,
): Promise<JsonText | null> {
  const ofMember =
    chat.messageCount === null ? undefined : (await messagesOf(db, chat, { after: chat.messageCount - 1 }))[0]
  // The last turn nearly always has it, and needs no other turn to be read.
  for (const from of [chat.revision, 1]) {
    const turns = (await stepsOf(db, chat, Math.max(from, (ofMember?.revision ?? 0) + 1))).flatMap(
      (step) => step.turns,
    )
    const ofVisitor = lastMessageIn(turns)
    if (ofVisitor) return ofVisitor
  }
  const [bubble] = ofMember?.turns.flatMap((turn) => (turn.role === 'member' ? [turn.message] : [])) ?? []
  if (!bubble) return null
  const { richText, markdown, url } = bubble.content as Record<string, unknown>
  const text = typeof markdown === 'string' ? markdown : plainTextOf(richText)
  return encodeLastMessage('member', text, typeof url === 'string' ? [url] : undefined)
}

export function encodeLastMessage(
  role: LastMessage['role'],
  text: string,
  fileUrls: readonly string[] | undefined,
): JsonText {
  // The answer to a file input is the addresses of the files.
  const isFiles = text.trim() === '' || text === fileUrls?.join(', ')
  const words = isFiles ? (fileUrls ?? []).map(fileName).join(', ') : text
  // Twice as many code units hold as many characters as are left.
  const cut = [...words.slice(0, 2 * MAX_CHARACTERS)].slice(0, MAX_CHARACTERS).join('')
  const message: LastMessage = { role, text: cut }
  return new JsonText(JSON.stringify(message))
}

function fileName(url: string): string {
  const last = url.slice(url.lastIndexOf('/') + 1)
  try {
    return decodeURIComponent(last)
  } catch {
    return last
  }
}
