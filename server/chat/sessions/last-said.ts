import type { components } from '../../../generated/openapi.ts'
import { JsonText } from '../../kit/json/json-text.ts'
import type { Turn } from './codec/turn.ts'

/* The last message of a chat that people handle, for lists of chats. Its session has it. */

type LastSaid = NonNullable<components['schemas']['BotChatSummary']['lastMessage']>

/** Characters in the contract. */
const SAID_CHARACTERS = 200

/** Returns the last of these turns that a visitor wrote; null if none did. */
export function lastSaidOf(turns: readonly Turn[]): JsonText | null {
  const last = turns.findLast((turn) => turn.role === 'user')
  return last ? encodeSaid('user', last.text, last.attachedFileUrls) : null
}

export function encodeSaid(
  role: LastSaid['role'],
  text: string,
  fileUrls: readonly string[] | undefined,
): JsonText {
  // The answer to a file input is the addresses of the files.
  const isFiles = text.trim() === '' || text === fileUrls?.join(', ')
  const words = isFiles ? (fileUrls ?? []).map(fileName).join(', ') : text
  // Twice as many code units hold as many characters as are left.
  const cut = [...words.slice(0, 2 * SAID_CHARACTERS)].slice(0, SAID_CHARACTERS).join('')
  const said: LastSaid = { role, text: cut }
  return new JsonText(JSON.stringify(said))
}

function fileName(url: string): string {
  const last = url.slice(url.lastIndexOf('/') + 1)
  try {
    return decodeURIComponent(last)
  } catch {
    return last
  }
}
