import { hash } from 'node:crypto'
import type { ContinueChat } from '../../../generated/handlers.ts'
import type { components } from '../../../generated/openapi.ts'
import { type Database, transact } from '../../db/client.ts'
import { keepUploads, type Upload } from '../../uploads/uploads.ts'
import { MAX_WAIT_SECONDS } from '../engine/blocks/client-actions.ts'
import { continueFlow } from '../engine/engine.ts'
import type { TurnMemory } from '../engine/memory-budget.ts'
import type {
  Effects,
  Message,
  StreamEvent,
  TurnOptions,
  TurnOutcome,
  TurnRejection,
} from '../engine/types.ts'
import { wakeBridge } from './bridged.ts'
import { toChatEvent, turnEventWrites } from './chat-events.ts'
import { decodeState } from './codec.ts'
import { mergeEdits } from './member-edits.ts'
import { readLastResponse, readTurnAge, type Session } from './read-session.ts'
import { sheetRowWrites } from './sheet-rows.ts'
import { computeTimerChange, computeTurnExpiry, handoverWrites, readSecondsLeft } from './timers.ts'
import { type Context, createEffects, withTurnMemory } from './turn-effects.ts'
import { TurnLease } from './turn-lease.ts'
import { type ExtraWrite, measureTurn, type WrapWrite, writeTurn } from './write-turn.ts'

/* Runs one turn of an existing session once, even if several requests send the same reply, and writes it. */

export interface TurnRequest {
  message: Message | null | undefined
  options: TurnOptions
  /** The reply as the session stores it, see `digestReply`. */
  digest: string
  /** Receives output while the turn is still running. */
  emit?: Effects['emit']
}

/** `over`: the chat has ended. `superseded`: another reply was counted, or members handle the chat. */
export type TurnEnd = { response: string } | TurnRejection | 'over' | 'superseded'

/** Runs the turn that follows the revision of the session, and writes it. */
export async function runTurn(
  context: Context,
  session: Session,
  request: TurnRequest,
  wrapWrite?: WrapWrite,
): Promise<TurnEnd> {
  const { workspaceId, flow } = session
  // The state is in memory twice: as the text that was read, and decoded.
  const bytes = 2 * (session.state?.length ?? 0)
  return withTurnMemory(context, { workspaceId, flow, bytes }, (memory) =>
    runTurnWithin(context, session, memory, request, wrapWrite),
  )
}

async function runTurnWithin(
  context: Context,
  session: Session,
  memory: TurnMemory,
  request: TurnRequest,
  wrapWrite?: WrapWrite,
): Promise<TurnEnd> {
  const { sessionId, botId, workspaceId, publicationId } = session
  const lease = new TurnLease(context.db, session)
  let isWritten = false
  try {
    while (!lease.isHeldElsewhere || (await context.slot.releaseDuring(() => lease.wait()))) {
      // An execution changes its state, so each attempt decodes its own.
      const state = decodeState(session)
      if (!state) return 'over'
      const hasEarlierAnswer = (state.frames[0]?.answerCount ?? 0) > 0
      const { timer: timerBefore, isBridged } = state
      const emit =
        request.emit && ((event: StreamEvent) => void (lease.isHeldElsewhere || request.emit?.(event)))
      const { resultId } = state
      const ids = { sessionId, botId, workspaceId, publicationId, resultId }
      const effects = createEffects(context, { state, memory, ...ids }, lease, emit)
      const outcome = await continueFlow(session.flow, state, request.message, request.options, effects)
      if (lease.isHeldElsewhere) continue
      if (outcome.rejection) return outcome
      for (let base: Session | undefined = session; base !== undefined; ) {
        const response = JSON.stringify(toTurnResponse(outcome, session.revision + 1, publicationId === null))
        isWritten = await writeTurn(
          context.db,
          {
            session: { id: sessionId, botId, workspaceId, publicationId },
            subscribedEvents: session.subscribedEvents,
            base,
            expiresAt: computeTurnExpiry(outcome, session.createdAt, context.now),
            revision: session.revision,
            resultId,
            isNewResult: session.resultId === null,
            hasEarlierAnswer,
            outcome,
            timer: computeTimerChange(outcome, timerBefore),
            lastDigest: request.digest,
            response,
          },
          context.now,
          wrapWrite,
          [
            ...uploadWrites(sessionId, outcome.uploads),
            ...sheetRowWrites({ botId, workspaceId, resultId }, outcome),
            ...(isBridged ? [(tx: Database) => wakeBridge(tx, session)] : []),
            ...handoverWrites(
              { id: sessionId, botId },
              outcome,
              { session, isReturned: session.handledBy !== null },
              context.now,
            ),
            ...turnEventWrites(
              session,
              toChatEvent({ handledBy: session.handledBy, ...ids }, outcome),
              context.now,
            ),
          ],
        )
        if (isWritten) {
          const { subscribedEvents } = session
          const size = measureTurn({ outcome, response, base: session, subscribedEvents })
          context.quota().add('text', botId, size)
          return { response }
        }
        base = await mergeEdits(context.db, base, outcome, effects)
      }
      return 'superseded'
    }
    return 'superseded'
  } finally {
    await lease.end(isWritten)
  }
}

/** Retains the files of a turn. */
export function uploadWrites(sessionId: string, uploads: Upload[]): ExtraWrite[] {
  return uploads.length === 0 ? [] : [(tx) => keepUploads(tx, sessionId, uploads)]
}

/**
 * Returns the earlier response to a reply that was sent again or at the same time. A revision names the turn that a
 * reply is for. Without one, a reply equal to the last one is new, unless its request arrived before the last turn
 * was written.
 */
export async function findEarlierResponse(
  db: Database,
  session: Session,
  digest: string,
  revision: number | undefined,
  arrivedAt: number,
): Promise<string | null> {
  if (session.lastDigest === null || !digest.startsWith(session.lastDigest)) return null
  const isMeant =
    revision === undefined
      ? await hasArrivedBefore(db, session, arrivedAt)
      : revision === session.revision - 1
  return isMeant ? readLastResponse(db, session) : null
}

/**
 * True if a request arrived before the last turn of the session was written. Clocks differ, so none is compared with
 * another: the database measures the age of the turn, the process that of the request. The age of the request is
 * measured first, so that in doubt a reply is new: taken for a repeat it would be lost.
 */
async function hasArrivedBefore(db: Database, session: Session, arrivedAt: number): Promise<boolean> {
  if (session.turnAge >= performance.now() - arrivedAt) return false
  // Uses an open connection, so that little time passes between the two measurements.
  return transact(db, async (tx) => {
    const hereFor = performance.now() - arrivedAt
    const age = await readTurnAge(tx, session)
    // The age is negative if the clock of the database was set back, or after a failover.
    return age !== undefined && age >= 0 && age < hereFor
  })
}

/** Returns a digest that is equal for equal replies. */
export function digestReply({ message, textBubbleContentFormat }: ContinueChat['body']): string {
  return hash('sha256', JSON.stringify([message ?? null, textBubbleContentFormat]), 'base64url')
}

/** The digests that the session stores after a call of a webhook, and after its timer has fired. */
export const webhookDigest = hash('sha256', 'webhook', 'base64url')
export const timerDigest = hash('sha256', 'timer', 'base64url')

/**
 * Returns the parts of a response that a returning client has to show and to do. Actions it has done already, such as
 * a redirect, are left out.
 */
export function pickAwaitedParts(response: Partial<components['schemas']['ContinuedChatBody']>) {
  const { input, clientSideActions, dynamicTheme, progress } = response
  const awaited = clientSideActions?.filter((action) => action.expectsDedicatedReply === true)
  return { input, clientSideActions: awaited?.length ? awaited : undefined, dynamicTheme, progress }
}

/**
 * Returns the last response, as JSON, if a webhook or a timer caused it and the client waits for it, in any format.
 * Without a revision, only a response that cannot be continued counts: a client that continues from it looks the same.
 */
export async function readResponseAfterEvent(
  db: Database,
  session: Session,
  revision: number | undefined,
): Promise<string | null> {
  const { lastDigest } = session
  if (lastDigest === null) return null
  if (![webhookDigest, timerDigest].some((digest) => digest.startsWith(lastDigest))) return null
  if (revision !== undefined && revision !== session.revision - 1) return null
  const response = await readLastResponse(db, session)
  if (revision !== undefined || response === null) return response
  const { input } = JSON.parse(response) as Partial<components['schemas']['ContinuedChatBody']>
  const canGoOn = input ? input.type === 'file input' : decodeState(session) !== undefined
  return canGoOn ? null : response
}

/** Returns the last response, as JSON, if it waits for a webhook or for a time. */
export async function readWaitingResponse(db: Database, session: Session): Promise<string | undefined> {
  const response = (await readLastResponse(db, session)) ?? '{}'
  if (decodeState(session)?.timer?.kind === 'wait') {
    return JSON.stringify(await addSecondsLeft(db, session, JSON.parse(response)))
  }
  const { clientSideActions = [] } = JSON.parse(response) as { clientSideActions?: { type: string }[] }
  return clientSideActions.some(({ type }) => type === 'listenForWebhook') ? response : undefined
}

/** The parts of a response that waits for a time, with the seconds that are left. */
export async function addSecondsLeft<
  Parts extends Pick<components['schemas']['ContinuedChatBody'], 'clientSideActions'>,
>(db: Database, session: Session, parts: Parts): Promise<Parts> {
  const left = (await readSecondsLeft(db, session)) ?? 0
  const secondsToWaitFor = Math.min(Math.ceil(left), MAX_WAIT_SECONDS)
  const clientSideActions = parts.clientSideActions
    ?.filter((action) => action.expectsDedicatedReply === true)
    .map((action) => (action.type === 'wait' ? { ...action, wait: { secondsToWaitFor } } : action))
  return { ...parts, clientSideActions }
}

/**
 * The part of a response that starting and continuing a chat share. Only previews contain internal logs and variables.
 */
export function toTurnResponse(
  outcome: TurnOutcome,
  revision: number,
  isPreview: boolean,
): components['schemas']['ContinuedChatBody'] {
  const logs = outcome.logs
    .filter((log) => isPreview || !log.isInternal)
    .map(({ isInternal: _, ...log }) => log)
  return {
    messages: outcome.messages,
    input: outcome.input,
    clientSideActions: outcome.clientSideActions,
    logs: logs.length > 0 ? logs : undefined,
    variables: isPreview && outcome.variables.length > 0 ? outcome.variables : undefined,
    dynamicTheme: outcome.dynamicTheme,
    progress: outcome.progress,
    lastMessageNewFormat: outcome.lastMessageNewFormat,
    handledBy: outcome.handledBy,
    expectsEvents: outcome.handledBy || outcome.timer ? true : undefined,
    revision,
  }
}
