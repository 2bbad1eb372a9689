import { sql } from 'drizzle-orm'
import type { components } from '../../../generated/openapi.ts'
import { topologyOf } from '../../db/citus/topology.ts'
import type { Transaction } from '../../db/client.ts'
import { newId } from '../../ids.ts'
import { enqueueEvents, insertEvent, isWanted, notifyAfterCommit } from '../../webhooks/outbox.ts'
import type { TurnOutcome } from '../engine/types.ts'
import type { ExtraWrite } from './write-turn.ts'

/*
 * Events of chats for the endpoints of their workspace. Their subject is the result, and they go the way of the events
 * of turns, so that a receiver gets both in one order.
 */

type Schemas = components['schemas']

export type ChatWebhookEvent =
  | { type: 'chat.handoffRequested'; data: Schemas['ChatHandoffEventData'] }
  | { type: 'chat.taken' | 'chat.returned'; data: Schemas['ChatEventData'] }
  | { type: 'chat.messageReceived'; data: Schemas['ChatMessageEventData'] }

/** Adds an event to the transaction that causes it. The caller has locked the session. */
export async function enqueueChatEvent(
  tx: Transaction,
  workspaceId: string,
  { type, data }: ChatWebhookEvent,
  now: Date,
): Promise<void> {
  const { botId, resultId } = data
  if (!topologyOf(tx).hasOutbox)
    return insertEvent(tx, { type, workspaceId, botId, subject: resultId, data }, now)
  const id = newId(now)
  const event = JSON.stringify({ subject: resultId, ordinal: 0, id, type, data, at: now.toISOString() })
  await tx.execute(
    enqueueEvents(
      sql`SELECT ${botId}::text AS bot_id, ${id}::text AS id, 1 AS size, ${event}::text AS event`,
      sql`${workspaceId}::text`,
    ),
  )
  notifyAfterCommit(tx)
}

/** Adds the event of a turn, if there is one and an endpoint wants it. */
export function turnEventWrites(
  { workspaceId, subscribedEvents }: { workspaceId: string; subscribedEvents: string | null },
  event: ChatWebhookEvent | undefined,
  now: Date,
): ExtraWrite[] {
  if (event === undefined || subscribedEvents === null || !isWanted(event.type, subscribedEvents)) return []
  return [(tx) => enqueueChatEvent(tx, workspaceId, event, now)]
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
export function toChatEvent(
  { sessionId, botId, resultId, publicationId, handledBy = null }: Chat,
  { isHandedOff, state }: Pick<TurnOutcome, 'isHandedOff' | 'state'>,
): ChatWebhookEvent | undefined {
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
