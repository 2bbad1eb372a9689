import type { components } from '../../../generated/openapi.ts'
import type { Database } from '../../db/client.ts'
import { asObjects } from '../../json/access.ts'
import { JsonText } from '../../kit/json/json-text.ts'
import { plainTextOf } from '../engine/bubbles.ts'
import { markdownNodes } from '../engine/markdown.ts'
import type { Bubble } from '../engine/types.ts'
import type { ChatEntry } from './codec.ts'
import { readMemberMessages, readStoredTurns, type Session } from './read-session.ts'

/* The last message of a chat that people handle, for lists of chats. Its session has it. */

type LastMessage = NonNullable<components['schemas']['BotChatSummary']['lastMessage']>

/** Characters in the contract. */
const MAX_CHARACTERS = 200
/** More than a bot runs in a row without its visitor. */
export const MAX_TURNS_READ = 256

/** Returns the last of these turns that a visitor wrote; null if none did. */
export function lastMessageIn(turns: readonly ChatEntry[]): JsonText | null {
  const last = turns.findLast((turn) => turn.role === 'user')
  if (!last) return null
  const { text, attachedFileUrls = [] } = last
  // The answer to a file input is the addresses of the files.
  const isFiles = text.trim() === '' || text === attachedFileUrls.join(', ')
  return encode('user', isFiles ? attachedFileUrls.map(fileName).join(', ') : text)
}

/**
 * Returns the last message of the visitor or of a member in a chat. Turns of timers, and those that end the handling by
 * a member, have none.
 */
export async function readLastMessage(
  db: Database,
  chat: Pick<Session, 'botId' | 'sessionId' | 'revision' | 'messageCount'>,
): Promise<JsonText | null> {
  const ofMember =
    chat.messageCount === null
      ? undefined
      : (await readMemberMessages(db, chat, { after: chat.messageCount - 1 }))[0]
  const first = Math.max(chat.revision - MAX_TURNS_READ, ofMember?.revision ?? 0) + 1
  // The last turn nearly always has it, and needs no other turn to be read.
  for (let end = chat.revision, count = 1; end >= first; end -= count, count *= 4) {
    const stored = await readStoredTurns(db, { ...chat, revision: end }, Math.max(end - count + 1, first))
    const ofVisitor = lastMessageIn(stored.flatMap(({ entries }) => entries))
    if (ofVisitor) return ofVisitor
  }
  return lastMessageOf(
    ofMember?.turns.flatMap((turn) => (turn.role === 'member' ? [turn.message] : [])) ?? [],
  )
}

/** Returns a message of a member by the bubbles that show it; null if there are none. */
export function lastMessageOf(bubbles: readonly Bubble[]): JsonText | null {
  const parts = bubbles.map(({ content }) => {
    const { richText, markdown, url } = content as Record<string, unknown>
    if (typeof url === 'string') return { words: fileName(url), isFile: true }
    const nodes = typeof markdown === 'string' ? markdownNodes(markdown) : richText
    const [leaf, ...others] = asObjects(asObjects(nodes)[0]?.children).filter(({ text }) => text !== '')
    // Files of other kinds than media are shown as a link alone.
    return { words: plainTextOf(nodes), isFile: leaf?.type === 'a' && others.length === 0 }
  })
  const [first, ...more] = parts.filter(({ words }) => words.trim() !== '')
  if (!first) return null
  return encode('member', first.isFile ? [first, ...more].map(({ words }) => words).join(', ') : first.words)
}

function encode(role: LastMessage['role'], words: string): JsonText {
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
