import type { BotChatSummary, ChatDetailBody, ChatTurn } from '../../../../../generated/client/index.js'
import { client } from '../api.ts'
import { toMarked } from '../model/rich-text.ts'

/* Chats as the inbox shows them. */

/** The chats of a bot, or those of a workspace that people handle. */
export type Source = { botId: string; botName: string; workspaceId: string } | { workspaceId: string }

export interface ListedChat extends BotChatSummary {
  botId: string
  botName: string
}

/** Chats of one kind that the list begins with, and that it shows more of at a time. Few want those of the bot. */
const STEPS = { waiting: 300, member: 300, bot: 20 }

/** Maximum number of chats of one kind after so many steps. */
export const maxChats = (handledBy: ListedChat['handledBy'], steps: number) => STEPS[handledBy] * steps

/** Returns the chats that wait, the longest first, then those of members, then some that the bot handles. */
export async function readChats(source: Source, steps: number, signal: AbortSignal): Promise<ListedChat[]> {
  const options = { signal }
  if (!('botId' in source)) {
    // Apart, so that many chats with members leave room for those that have waited long.
    const read = (handledBy: 'waiting' | 'member') =>
      firstOf(
        client.workspaceChats.list(source.workspaceId, { handledBy, limit: 100 }, options),
        maxChats(handledBy, steps),
      )
    return inOrder((await Promise.all([read('waiting'), read('member')])).flat())
  }
  const { botId, botName } = source
  const read = async (handledBy: ListedChat['handledBy']) => {
    const max = maxChats(handledBy, steps)
    const chats = await firstOf(
      client.chat.list(botId, { handledBy, limit: Math.min(max, 100) }, options),
      max,
    )
    return chats.map((chat) => ({ ...chat, botId, botName }))
  }
  const lists = await Promise.all([read('waiting'), read('member'), read('bot')])
  return inOrder(lists.flat())
}

async function firstOf<Entry>(pages: AsyncIterable<Entry>, max: number): Promise<Entry[]> {
  const entries: Entry[] = []
  for await (const entry of pages) {
    entries.push(entry)
    if (entries.length === max) break
  }
  return entries
}

const ranks = { waiting: 0, member: 1, bot: 2 }

function inOrder(chats: ListedChat[]): ListedChat[] {
  const since = (chat: ListedChat) => chat.handledSince ?? chat.createdAt
  return chats.sort(
    (one, other) =>
      ranks[one.handledBy] - ranks[other.handledBy] ||
      (one.handledBy === 'waiting'
        ? since(one).localeCompare(since(other))
        : other.updatedAt.localeCompare(one.updatedAt)),
  )
}

export const readChat = (botId: string, sessionId: string, signal: AbortSignal): Promise<ChatDetailBody> =>
  client.chat.get(botId, sessionId, { signal })

/** A turn as words, and the address of a file where it is one. */
export function contentOf(turn: ChatTurn): { words: string; url?: string }[] {
  if (turn.role === 'user') {
    const files = (turn.attachedFileUrls ?? []).map(linkOf)
    return [...(turn.text ? [{ words: turn.text }] : []), ...files]
  }
  const { type, content } = turn.message as { type: string; content: Record<string, unknown> }
  if (type === 'text')
    return [{ words: content.type === 'markdown' ? String(content.markdown) : toMarked(content.richText) }]
  const url = typeof content.url === 'string' ? content.url : ''
  return [/^https?:/.test(url) ? { words: `${type}: ${fileName(url)}`, url } : { words: type }]
}

/** A visitor may send any text as an address. */
const linkOf = (url: string) => (/^https?:/.test(url) ? { words: fileName(url), url } : { words: url })

function fileName(url: string): string {
  const last = url.slice(url.lastIndexOf('/') + 1)
  try {
    return decodeURIComponent(last) || url
  } catch {
    return last
  }
}
