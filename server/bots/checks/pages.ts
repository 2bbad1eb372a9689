import { isRecord } from '../../documents/conversion/document.ts'
import { type Findings, issue, type Path } from './flow.ts'
import type { CheckedService } from './service.ts'

/** Blocks whose action loads code of a vendor into the page. */
export const loadsCode: ReadonlySet<unknown> = new Set(['Google Analytics', 'Pixel', 'Chatwoot', 'zendesk'])

export const wordsOfMissingHost =
  'The chat page skips this: trackers, widgets and head code run only on a host that serves chats alone (CHAT_URL), or on a domain of the bot. Pages that embed the chat get them as events.'

/** Blocks that the chat page skips on the host of the service. */
export function* withoutChatHost(block: unknown, path: Path, { hasChatHost }: CheckedService): Findings {
  if (hasChatHost !== false || !isRecord(block) || !loadsCode.has(block.type)) return
  yield issue([...path, 'type'], 'needs_chat_host', wordsOfMissingHost)
}
