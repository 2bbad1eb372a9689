import { Unavailable } from '../../db/unavailable.ts'
import { newId } from '../../ids.ts'
import { startFlow } from '../engine/engine.ts'
import type { BotAppearance, Effects, StartOptions, TurnOutcome, TurnRejection } from '../engine/types.ts'
import { toChatEvent, turnEventWrites } from './chat-events.ts'
import { newSessionId } from './codec.ts'
import { remembersUsers } from './origin-check.ts'
import type { findPublished } from './read-session.ts'
import { toTurnResponse, uploadWrites } from './run-turn.ts'
import { sheetRowWrites } from './sheet-rows.ts'
import { computeTimerChange, computeTurnExpiry, handoverWrites } from './timers.ts'
import { type Context, createEffects, withTurnMemory } from './turn-effects.ts'
import { measureTurn, type WrapWrite, writeTurn } from './write-turn.ts'

/* Starts a session of a published bot, and writes its first turn. */

type Published = NonNullable<Awaited<ReturnType<typeof findPublished>>>

export interface Started {
  sessionId: string
  resultId: string
  outcome: TurnOutcome & { bot: BotAppearance }
  body: ReturnType<typeof toTurnResponse>
}

/** `wrapWriteFor` stores the response to the start together with the session. */
export async function startSession(
  context: Context,
  published: Published,
  options: Omit<StartOptions, 'resultId' | 'rememberedVariables'>,
  { emit, wrapWriteFor }: { emit?: Effects['emit']; wrapWriteFor: (started: Started) => WrapWrite },
): Promise<(Started & { size: number }) | TurnRejection> {
  const { db, now } = context
  const { botId, workspaceId, publicationId, flow } = published
  const earlierId = remembersUsers(flow) ? published.earlierResultId : null
  const resultId = earlierId ?? newId(now)
  const sessionId = newSessionId(botId, now)
  const ids = { botId, workspaceId, publicationId, resultId, sessionId }
  const rememberedVariables = earlierId === null ? undefined : JSON.parse(published.earlierVariables ?? '[]')
  const outcome = await withTurnMemory(context, { workspaceId, flow, bytes: 0 }, (memory) =>
    startFlow(
      flow,
      { resultId, ...options, rememberedVariables },
      createEffects(context, { ...ids, memory }, undefined, emit),
    ),
  )
  if (outcome.rejection) return outcome
  const body = toTurnResponse(outcome, 1, false)
  const response = JSON.stringify(body)
  const started = { sessionId, resultId, outcome, body }
  const isSaved = await writeTurn(
    db,
    {
      session: { id: sessionId, botId, workspaceId, publicationId },
      subscribedEvents: published.subscribedEvents,
      revision: 0,
      resultId: options.isOnlyRegistering ? null : resultId,
      isNewResult: earlierId === null,
      expiresAt: computeTurnExpiry(outcome, now, now),
      outcome,
      timer: computeTimerChange(outcome),
      lastDigest: null,
      response,
    },
    now,
    wrapWriteFor(started),
    [
      ...uploadWrites(sessionId, outcome.uploads),
      ...sheetRowWrites({ botId, workspaceId, resultId }, outcome),
      ...handoverWrites({ id: sessionId, botId }, outcome, {}, now),
      ...turnEventWrites(published, toChatEvent({ sessionId, botId, resultId, publicationId }, outcome), now),
    ],
  )
  if (!isSaved) throw new Unavailable('The first turn of a chat was not written')
  return {
    ...started,
    size: measureTurn({ outcome, response, subscribedEvents: published.subscribedEvents }),
  }
}
