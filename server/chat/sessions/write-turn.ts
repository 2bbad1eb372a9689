import { EventEmitter } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import type { EventType } from '../../../contract/events.ts'
import { topologyOf } from '../../db/citus/topology.ts'
import { afterCommit, type Database, rootOf, type Transaction, transact } from '../../db/client.ts'
import { sqlState } from '../../db/errors.ts'
import { isUnavailable, Unavailable } from '../../db/unavailable.ts'
import { MS_PER_DAY, MS_PER_HOUR } from '../../durations.ts'
import { newId, newIds } from '../../ids.ts'
import { computeCountedBefore } from '../../results/stats-epochs.ts'
import { isWanted, notifyAfterCommit } from '../../webhooks/outbox.ts'
import { resultBotOf } from '../engine/frames.ts'
import type { Answer, SessionState, TimerToSet, TurnOutcome } from '../engine/types.ts'
import { toLogRows } from './client-logs.ts'
import { encodeState, encodeTranscript, encodeTurn, fitsInline, padState, prependLength } from './codec.ts'
import type { Session } from './read-session.ts'
import { saveTimer } from './timer-rows.ts'
import {
  type AnswerRow,
  eventPrefix,
  type ResultRow,
  type TurnEventRow,
  type TurnRows,
  turnStatements,
} from './turn-statements.ts'
import { writeTurnBatched } from './write-turn-batched.ts'
import { writeTurnOnCitus } from './write-turn-citus.ts'

/*
 * Writes one turn of a chat, by one statement, or on a cluster by one function. A turn is written completely or not
 * at all, and only if the session still has the revision, and the changes by members, that the turn has read.
 */

/** Time for which a chat can be continued after its last turn. */
const OPEN_SESSION_HOURS = 48
/** Time for which it can be read once it is over: an hour more than the contract promises, since clocks differ. */
const ENDED_SESSION_HOURS = 2

/**
 * Returns the time at which a session expires. While the chat goes on it is a whole hour, which most turns leave
 * unchanged: the index entry is then not written anew.
 */
export function computeUsualExpiry(hasEnded: boolean, now: Date): Date {
  if (hasEnded) return new Date(now.getTime() + ENDED_SESSION_HOURS * MS_PER_HOUR)
  return new Date(Math.ceil(now.getTime() / MS_PER_HOUR + OPEN_SESSION_HOURS) * MS_PER_HOUR)
}

/** Time for which a chat may be handled by people, from its start. */
const MAX_SESSION_DAYS = 30

/** Returns the time at which a session expires that people handle. */
export function computeLatestExpiry(createdAt: Date): Date {
  return new Date(createdAt.getTime() + MAX_SESSION_DAYS * MS_PER_DAY)
}

/** Enough to distinguish replies, and no more, since PostgreSQL logs them anew with every turn. */
const STORED_DIGEST_CHARACTERS = 22

export interface TurnToWrite {
  session: { id: string; botId: string; workspaceId: string; publicationId: string | null }
  /** Types of events that endpoints of the workspace subscribe to; see `isWanted`. */
  subscribedEvents: string | null
  /** The session as it was read; absent for the first turn of a session. */
  base?: Pick<Session, 'memberEdits' | 'isEnded' | 'inlineTurnsBytes'>
  /** When the session expires, unless it follows from the time of the turn. */
  expiresAt?: Date
  /** The revision that the turn follows; 0 for the first turn of a session. */
  revision: number
  /** The result of the turn; null for a preview and for a session that is only registered. */
  resultId: string | null
  /** True if the turn creates the result. */
  isNewResult: boolean
  /** True if an earlier turn of the session took an answer; absent for the first turn. */
  hasEarlierAnswer?: boolean
  outcome: TurnOutcome
  /** The timer that the turn sets; null if it removes that of the session. */
  timer?: TimerToSet | null | undefined
  lastDigest: string | null
  response: string
}

/** Approximate bytes of a row with its keys and indexes. */
const ROW_BYTES = 500

/**
 * Returns the approximate bytes that a turn adds, for quotas: its response and answers, the growth of the state, and
 * its events with a row for each subscribed endpoint. A cluster only knows here if there are endpoints, not how many.
 */
export function measureTurn({
  outcome,
  response,
  base: read,
  subscribedEvents,
}: Pick<TurnToWrite, 'outcome' | 'response' | 'subscribedEvents'> & {
  base?: Pick<Session, 'state'>
}): number {
  const { state, variables, linkedResults, logs, sheetRows } = outcome
  const before = Buffer.byteLength(read?.state ?? '')
  const after = (state && stateTexts.get(state)) ?? JSON.stringify(state ?? variables)
  const grownBytes = Math.max(0, Buffer.byteLength(after) - before)
  const answers = [outcome, ...linkedResults].flatMap((result) => result.answers)
  const answerBytes = answers.reduce((sum, { content }) => sum + Buffer.byteLength(content), 0)
  const logBytes = logs.length === 0 ? 0 : Buffer.byteLength(JSON.stringify(logs))
  const sheetRowBytes = sheetRows.length === 0 ? 0 : Buffer.byteLength(JSON.stringify(sheetRows))
  const wanted = subscribedEvents?.split(',') ?? []
  const bytesOf = (type: EventType, bytes: number) => {
    const endpoints = wanted.filter((one) => one === '*' || one === type).length
    return endpoints === 0 ? 0 : bytes + endpoints * ROW_BYTES
  }
  const eventBytes =
    (answers.length > 0 ? bytesOf('result.answered', answerBytes) : 0) +
    (outcome.isCompleted ? bytesOf('result.completed', 0) : 0)
  return (
    ROW_BYTES + Buffer.byteLength(response) + grownBytes + answerBytes + logBytes + sheetRowBytes + eventBytes
  )
}

/** Runs the write of a turn, together with whatever else belongs to it. */
export type WrapWrite = (write: (db: Database) => Promise<boolean>) => Promise<boolean>

/** Statements in the transaction of a turn. Most turns have none, and need no transaction. */
export type ExtraWrite = (tx: Transaction) => Promise<unknown>

/**
 * Time for which the write of a turn that has called out is retried: a client that repeats the request would call out
 * again.
 */
const WRITE_RETRY_TIMEOUT_MS = 60_000
const WRITE_RETRY_DELAY_MS = 200

/**
 * Writes a turn: the session, its result with answers, transcript and logs, and results of linked bots. Returns false
 * if the session has moved on since it was read.
 */
export async function writeTurn(
  db: Database,
  turn: TurnToWrite,
  now: Date,
  wrapWrite: WrapWrite = (write) => write(db),
  extraWrites: readonly ExtraWrite[] = [],
): Promise<boolean> {
  const writeWithExtras = (within: Database, isRetry: boolean) =>
    extraWrites.length === 0
      ? tryWriteTurn(within, turn, now, isRetry)
      : transact(within, async (tx) => {
          if (!(await tryWriteTurn(tx, turn, now, isRetry))) return false
          for (const each of extraWrites) await each(tx)
          return true
        })
  const last = performance.now() + (turn.outcome.hasCalledOut ? WRITE_RETRY_TIMEOUT_MS : 0)
  for (let attempt = 1; ; attempt++) {
    try {
      return await wrapWrite((within) => writeWithExtras(within, attempt > 1))
    } catch (error) {
      const code = sqlState(error)
      // Another session of the same remembered result has taken the same number and is committed now; or this turn
      // and a deletion of several results were in a deadlock.
      const isWriteConflict = code === '23505' || code === '40P01'
      if (isWriteConflict && attempt < 20) continue
      if (isWriteConflict) throw new Unavailable('A turn of a chat could not be written', { cause: error })
      if (!isUnavailable(error) || performance.now() > last) throw error
      await sleep(WRITE_RETRY_DELAY_MS)
    }
  }
}

/**
 * `isRetry`: an earlier attempt failed, so the turn is written by itself and not in a batch.
 */
async function tryWriteTurn(db: Database, turn: TurnToWrite, now: Date, isRetry: boolean): Promise<boolean> {
  const { session, outcome } = turn
  const hasEnded = outcome.state === null
  const state = encodeTurnState(turn)
  const encodedTurn = encodeTurn(outcome.said, turn.response)
  const isInline =
    turn.resultId !== null &&
    fitsInline(encodedTurn, state === null ? 0 : Buffer.byteLength(state), turn.base?.inlineTurnsBytes ?? 0)
  const values = {
    sessionId: session.id,
    botId: session.botId,
    publicationId: session.publicationId,
    resultId: turn.resultId,
    revision: turn.revision,
    state,
    lastDigest: turn.lastDigest?.slice(0, STORED_DIGEST_CHARACTERS) ?? null,
    inlineTurn: isInline ? prependLength(encodedTurn) : null,
    separateTurn: isInline ? null : encodedTurn,
    now: now.toISOString(),
    endedAt: hasEnded ? now.toISOString() : null,
    expiresAt: (turn.expiresAt ?? computeUsualExpiry(hasEnded, now)).toISOString(),
    ...(turn.base && { memberEdits: turn.base.memberEdits, isEnded: turn.base.isEnded }),
  }
  const waiting = findWaitingResult(outcome.state)
  const waitingOf = (botId: string, resultId: string) => {
    const isHere = waiting?.resultId === resultId
    return {
      waiting_block_id: isHere ? waiting.blockId : null,
      waiting_block_bot_id: isHere && waiting.blockBotId !== botId ? waiting.blockBotId : null,
    }
  }
  // Linked bots have results of their own, made when they first appear.
  const linked = outcome.linkedResults.map((result) => ({
    bot_id: result.botId,
    id: result.resultId,
    variables: result.variables,
    has_started: result.hasStarted,
    is_completed: result.isCompleted,
    ...waitingOf(result.botId, result.resultId),
    is_new: result.isNew,
  }))
  const toResultRow = (resultId: string) => ({
    bot_id: session.botId,
    id: resultId,
    variables: outcome.variables,
    has_started: outcome.hasStarted,
    is_completed: outcome.isCompleted,
    ...waitingOf(session.botId, resultId),
    is_new: turn.isNewResult,
  })
  const newResults: ResultRow[] =
    turn.resultId !== null && turn.isNewResult ? [toResultRow(turn.resultId)] : []
  const answers = turn.resultId === null ? [] : toAnswerRows(session.botId, turn.resultId, outcome.answers)
  // Stores the transcript with a row that is written anyway; nearly every turn has one.
  const transcriptRow = answers[0] ?? newResults[0]
  if (transcriptRow) transcriptRow.transcript = encodeTranscript(outcome.transcript, answers[0]?.content)
  const rows = {
    resultUpserts: turn.resultId === null ? [] : [...newResults, ...linked],
    resultUpdates: turn.resultId === null || turn.isNewResult ? [] : [toResultRow(turn.resultId)],
    answers: [
      ...answers,
      ...outcome.linkedResults.flatMap((result) =>
        toAnswerRows(result.botId, result.resultId, result.answers),
      ),
    ],
    logs: toLogRows(outcome.logs, now),
    transcript: transcriptRow ? [] : outcome.transcript,
  }
  const { subscribedEvents, hasEarlierAnswer = false, timer } = turn
  const { workspaceId } = session
  const batchOptions = {
    workspaceId,
    subscription: subscribedEvents ? { subscribedEvents, hasEarlierAnswer } : undefined,
    timer,
  }
  if (!isRetry && (await writeTurnBatched(db, values, rows, batchOptions, now))) {
    announceChange(db, session.id)
    return true
  }
  const events =
    subscribedEvents && turn.resultId !== null ? toTurnEvents(turn, rows, now, subscribedEvents) : []
  const webhooks = events.length > 0 ? { workspaceId, events } : undefined
  const write = async (within: Database) => {
    const isWritten = topologyOf(within).runsTurnsOnNodes
      ? await writeTurnOnCitus(within, values, rows, webhooks, now)
      : await writeTurnAlone(within, values, rows, webhooks, now)
    if (isWritten && timer !== undefined) await saveTimer(within, session, timer)
    return isWritten
  }
  const isInTransaction = rootOf(db) !== db
  const isWritten = await (timer === undefined || isInTransaction ? write(db) : transact(db, write))
  if (isWritten && webhooks) notifyAfterCommit(db)
  if (isWritten) announceChange(db, session.id)
  return isWritten
}

/** Writes a turn of any kind by a statement of its own. Not on a cluster. */
async function writeTurnAlone(
  db: Database,
  values: { resultId: string | null; revision: number } & Record<string, unknown>,
  rows: TurnRows,
  webhooks: { workspaceId: string; events: TurnEventRow[] } | undefined,
  now: Date,
): Promise<boolean> {
  const run = turnStatements(db)
  const isFirst = values.revision === 0
  if (values.resultId === null) {
    return (await (isFirst ? run.firstWithoutResult : run.nextWithoutResult)(values)) === 1
  }
  const { next, nextWithEvents, first, firstWithEvents } = run
  const write = webhooks ? (isFirst ? firstWithEvents : nextWithEvents) : isFirst ? first : next
  const written = await write({
    ...values,
    ...(webhooks && {
      ...webhooks,
      events: JSON.stringify(webhooks.events.map((event) => toEventParameter(event, now))),
    }),
    lateBefore: computeCountedBefore(now),
    resultUpserts: JSON.stringify(rows.resultUpserts),
    resultUpdates: JSON.stringify(rows.resultUpdates),
    answers: JSON.stringify(rows.answers),
    logs: JSON.stringify(rows.logs),
    fullLogId: newId(now),
    transcript: JSON.stringify(rows.transcript.length === 0 ? [] : [{ entries: rows.transcript }]),
  })
  return written === 1
}

/** Texts of states that were written: quotas count the same ones. */
const stateTexts = new WeakMap<SessionState, string>()

function encodeTurnState({ session, resultId, outcome: { state } }: TurnToWrite): string | null {
  if (state === null) return null
  const text = padState(JSON.stringify(encodeState(state, { botId: session.botId, resultId })))
  stateTexts.set(state, text)
  return text
}

/** Changes of sessions that this process wrote, by their ids. Followers find those of other processes by asking. */
export const sessionChanges = new EventEmitter<Record<string, []>>().setMaxListeners(0)

/** Wakes the followers of a session in this process, once the change is committed. */
export function announceChange(db: Database, sessionId: string) {
  afterCommit(db, () => sessionChanges.emit(sessionId))
}

/**
 * The block that a chat waits at and the result that its answer will go to; undefined for a chat that does not wait.
 */
export function findWaitingResult(state: SessionState | null) {
  const frame = state?.frames.at(-1)
  const blockId = state?.waiting?.blockId
  if (!state || !frame?.resultId || blockId === undefined) return undefined
  const botId = resultBotOf(state.frames) ?? frame.botId
  return { botId, resultId: frame.resultId, blockId, blockBotId: frame.botId }
}

/** Returns the subscribed events that a turn may publish. A result begins or is completed only once. */
function toTurnEvents(
  { session, hasEarlierAnswer }: TurnToWrite,
  { resultUpserts: upserted, resultUpdates: updated, answers }: TurnRows,
  now: Date,
  subscribedEvents: string,
): TurnEventRow[] {
  const begins = hasEarlierAnswer ? upserted : [...upserted, ...updated]
  const events = [...upserted, ...updated].flatMap((row) => {
    const { bot_id, id, has_started, is_completed } = row
    const given = answers
      .filter((answer) => answer.bot_id === bot_id && answer.result_id === id)
      .map(({ block_id, content, files }) => ({ blockId: block_id, content, attachedFileUrls: files }))
    const event = (ordinal: number, type: TurnEventRow['type'], more = {}) => ({
      bot_id,
      subject: id,
      ordinal,
      type,
      data: { id, botId: bot_id, lastChatSessionId: session.id, ...more },
    })
    return [
      ...(has_started && begins.includes(row) ? [event(0, 'result.started')] : []),
      ...(given.length > 0 ? [event(1, 'result.answered', { answers: given })] : []),
      ...(is_completed ? [event(2, 'result.completed')] : []),
    ]
  })
  const wantedRows = events.filter(({ type }) => isWanted(type, subscribedEvents))
  const ids = newIds(wantedRows.length, now)
  return wantedRows.map((event, at) => ({ ...event, id: ids[at] as string }))
}

/** An event as the statements read it. */
function toEventParameter(event: TurnEventRow, now: Date) {
  const { bot_id, subject, id, type } = event
  return { bot_id, subject, id, type, known: eventPrefix(event, now) }
}

function toAnswerRows(botId: string, resultId: string, answers: readonly Answer[]): AnswerRow[] {
  return answers.map((answer, ordinal) => ({
    bot_id: botId,
    result_id: resultId,
    ordinal,
    block_id: answer.blockId,
    block_bot_id: answer.botId === undefined || answer.botId === botId ? null : answer.botId,
    content: answer.content,
    size: [answer.content, ...(answer.attachedFileUrls ?? [])].reduce(
      (sum, text) => sum + Buffer.byteLength(text),
      0,
    ),
    files: answer.attachedFileUrls,
  }))
}
