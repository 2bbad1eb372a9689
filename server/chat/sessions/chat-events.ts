import { sql } from 'drizzle-orm'
import type { components } from '../../../generated/openapi.ts'
import { isDistributed } from '../../db/citus/distribution.ts'
import { type Database, transact } from '../../db/client.ts'
import { newId } from '../../ids.ts'
import { insertEvents, isWanted, leaveEvents, wakeAfter } from '../../webhooks/outbox.ts'
import type { TurnOutcome } from '../engine/types.ts'
import type { StoreTurn } from './write-turn.ts'

/*
 * Events of chats for the endpoints of their workspace. Their subject is the result, and they go the way of the events of
 * turns, so that a receiver gets both in one order.
 */

type Schemas = components['schemas']

export type ChatEvent =
  | { type: 'chat.handoffRequested'; data: Schemas['ChatHandoffEventData'] }
  | { type: 'chat.taken' | 'chat.returned'; data: Schemas['ChatEventData'] }
  | { type: 'chat.messageReceived'; data: Schemas['ChatMessageEventData'] }

/** Adds an event to the transaction that causes it. The caller has locked the session. */
export async function leaveChatEvent(
  tx: Database,
  workspaceId: string,
  { type, data }: ChatEvent,
  now: Date,
): Promise<void> {
  const id = newId(now)
  const { botId, resultId } = data
  const at = now.toISOString()
  if (isDistributed(tx)) {
    await insertEvents(
      tx,
      workspaceId,
      sql`
        SELECT ${botId}::text AS bot_id, ${resultId}::text AS subject, 0 AS place, ${id}::text AS id,
          ${type}::text AS type, ${JSON.stringify(data)}::json AS data, ${at}::timestamptz AS at`,
    )
  } else {
    const event = JSON.stringify({ subject: resultId, place: 0, id, type, data, at })
    await tx.execute(
      leaveEvents(
        sql`SELECT ${botId}::text AS bot_id, ${id}::text AS id, 1 AS size, ${event}::text AS event`,
        sql`${workspaceId}::text`,
      ),
    )
  }
  wakeAfter(tx)
}

/** Adds an event to the transaction of a turn, if an endpoint wants it. */
export function keepingChatEvent(
  db: Database,
  { workspaceId, wantedEvents }: { workspaceId: string; wantedEvents: string | null },
  event: ChatEvent | undefined,
  keep: StoreTurn | undefined,
  now: Date,
): StoreTurn | undefined {
  if (event === undefined || wantedEvents === null || !isWanted(event.type, wantedEvents)) return keep
  const together: StoreTurn = keep ?? ((write) => write(db))
  return (write) =>
    together((within) =>
      transact(within, async (tx) => {
        if (!(await write(tx))) return false
        await leaveChatEvent(tx, workspaceId, event, now)
        return true
      }),
    )
}

interface Chat {
  sessionId: string
  botId: string
  resultId: string | null
  publicationId: string | null
  /** The handler before the turn. */
  handledBy?: 'waiting' | 'member' | null
}

/** The event of a turn that hands a chat to members, or ends the wait for one; undefined for any other. */
export function chatEventOf(
  { sessionId, botId, resultId, publicationId, handledBy = null }: Chat,
  { isHandedOff, state }: Pick<TurnOutcome, 'isHandedOff' | 'state'>,
): ChatEvent | undefined {
  if (resultId === null || publicationId === null) return undefined
  const ids = { sessionId, botId, resultId }
  if (isHandedOff) {
    const blockId = state?.waiting?.blockId ?? null
    return {
      type: 'chat.handoffRequested',
      data: { ...ids, handledBy: 'waiting', assigneeId: null, blockId },
    }
  }
  if (handledBy === null) return undefined
  return { type: 'chat.returned', data: { ...ids, handledBy: 'bot', assigneeId: null } }
}
