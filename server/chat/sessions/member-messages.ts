import { and, eq, sql } from 'drizzle-orm'
import type { Issue } from '../../../contract/errors.ts'
import type { SendMessage } from '../../../generated/handlers.ts'
import type { Contexts } from '../../context.ts'
import { type Database, transact } from '../../db/client.ts'
import { chatMessages, chatSessions, resultAnswers, resultTranscripts } from '../../db/schema.ts'
import { expression, selectRows } from '../../db/typed-select.ts'
import { newId } from '../../ids.ts'
import { JsonText } from '../../kit/json/json-text.ts'
import { keepUploads, uploadsAmong } from '../../uploads/uploads.ts'
import { messageOfMember } from '../engine/people.ts'
import type { Bubble } from '../engine/types.ts'
import { wakeBridge } from './bridged.ts'
import { lastMessageOf } from './last-message.ts'
import { lockChat, lockResult } from './lock-chat.ts'
import { announceChange } from './write-turn.ts'

/* Messages of members to visitors. */

const MAX_MESSAGES = 2_000

type Sent =
  | { bubbles: Bubble[]; resultId: string }
  | { code: 'BAD_REQUEST' | 'CONFLICT' | 'TOO_MANY_REQUESTS'; issue: Issue }

/** Writes to the visitor of a chat that a member handles; undefined if no such chat goes on. */
export function writeToVisitor(
  { db, grant, now, publicUrl, countMessage }: Contexts['bot'],
  sessionId: string,
  { text, textFormat, attachedFileUrls = [] }: SendMessage['body'],
): Promise<Sent | undefined> {
  const botId = grant.bot.id
  return transact(db, async (tx): Promise<Sent | undefined> => {
    const chat = await lockChat(tx, botId, sessionId, now)
    if (!chat) return undefined
    if (chat.handledBy !== 'member') return { code: 'CONFLICT', issue: notTaken }
    const ordinal = (chat.messageCount ?? 0) + 1
    if (ordinal > MAX_MESSAGES) return { code: 'TOO_MANY_REQUESTS', issue: tooMany }
    const uploads = await uploadsAmong(tx, publicUrl(), sessionId, attachedFileUrls, now)
    const unknown = attachedFileUrls.findIndex((url) => !uploads.has(url))
    if (unknown >= 0) return { code: 'BAD_REQUEST', issue: noFile(unknown) }
    const isBlank = (text ?? '').trim() === ''
    if (isBlank && uploads.size === 0) return { code: 'BAD_REQUEST', issue: empty }
    // Also prevents other sessions of the result from numbering an entry of its transcript meanwhile.
    if (!(await lockResult(tx, chat, 'no key update'))) return undefined
    const files = [...uploads].map(([url, { name }]) => ({ url, name }))
    const content = { isMarkdown: textFormat === 'markdown', files, ...(!isBlank && { text }) }
    const format = chat.state.textFormat ?? 'richText'
    const { bubbles, transcript } = messageOfMember(content, format, () => newId(now))
    const { revision, resultId } = chat
    const stored = { bubbles: JSON.stringify(bubbles), transcript: JSON.stringify(transcript) }
    const bytes = Buffer.byteLength(stored.bubbles) + Buffer.byteLength(stored.transcript)
    const isFull = countMessage(grant.bot.workspaceId, bytes)
    if (isFull) return { code: 'TOO_MANY_REQUESTS', issue: isFull }
    const { userId } = grant.caller
    await tx.insert(chatMessages).values({
      botId,
      sessionId,
      ordinal,
      revision,
      userId,
      bubbles: new JsonText(stored.bubbles),
      createdAt: now,
    })
    await tx
      .update(chatSessions)
      .set({
        messageCount: ordinal,
        typingUntil: null,
        lastMessage: lastMessageOf(bubbles),
      })
      .where(and(eq(chatSessions.botId, botId), eq(chatSessions.id, sessionId)))
    await addToTranscript(tx, botId, resultId, stored.transcript)
    await keepUploads(tx, sessionId, [...uploads.values()])
    if (chat.state.isBridged) await wakeBridge(tx, { botId, sessionId })
    announceChange(tx, sessionId)
    return { bubbles, resultId }
  })
}

/** Adds entries, as JSON, to the transcript of a locked result; see `readTranscript` for the order of ids. */
export async function addToTranscript(tx: Database, botId: string, resultId: string, entries: string) {
  const isOf = sql`bot_id = ${botId} AND result_id = ${resultId}`
  const [next] = await selectRows(
    tx,
    {
      id: expression(
        sql`lpad(coalesce(split_part(max(id), '.', 1)::bigint + 1, 0)::text, 10, '0') || '.' || coalesce((
          SELECT max(seq) + 1 FROM ${resultAnswers} WHERE ${isOf}
        ), 0)`,
        'text',
      ),
    },
    (list) => sql`SELECT ${list} FROM ${resultTranscripts} WHERE ${isOf}`,
  )
  if (!next) throw new Error('An aggregate has no row')
  await tx.insert(resultTranscripts).values({ botId, resultId, id: next.id, entries: new JsonText(entries) })
}

const notTaken: Issue = {
  path: ['path', 'sessionId'],
  code: 'conflict',
  message: 'No member handles the chat; take it first',
}

const tooMany: Issue = {
  path: ['path', 'sessionId'],
  code: 'quota_exceeded',
  message: `A chat has at most ${MAX_MESSAGES} messages of members`,
}

const empty: Issue = {
  path: ['body', 'text'],
  code: 'required',
  message: 'Send a text that is not blank, or files',
}

const noFile = (place: number): Issue => ({
  path: ['body', 'attachedFileUrls', String(place)],
  code: 'unknown_record',
  message: 'No file with this address was uploaded for the chat',
})
