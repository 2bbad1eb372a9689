import type { Issue } from '../../contract/errors.ts'
import type { ChatHandlers } from '../../generated/handlers.ts'
import { readChatAppearance, startFlow } from '../chat/engine/engine.ts'
import { inputForPeople } from '../chat/engine/inputs/for-people.ts'
import type { StartOptions, TurnRejection } from '../chat/engine/types.ts'
import { insertClientLogs, MAX_CLIENT_LOGS, measureLogs } from '../chat/sessions/client-logs.ts'
import { botOfSession, decodeState, newSessionId } from '../chat/sessions/codec.ts'
import { receiveMessage } from '../chat/sessions/handling.ts'
import { checkOrigin, closedIssue } from '../chat/sessions/origin-check.ts'
import {
  findPublished,
  findSession,
  findSessionOfResult,
  findVisitorSession,
  readConversation,
  readPreviewFlow,
} from '../chat/sessions/read-session.ts'
import {
  addSecondsLeft,
  digestReply,
  findEarlierResponse,
  pickAwaitedParts,
  readResponseAfterEvent,
  readWaitingResponse,
  runTurn,
  toTurnResponse,
  webhookDigest,
} from '../chat/sessions/run-turn.ts'
import {
  eventsAfter,
  followSession,
  idOf,
  positionOf,
  readPosition,
} from '../chat/sessions/session-events.ts'
import { findState, simulate } from '../chat/sessions/simulate.ts'
import { type Started, startSession } from '../chat/sessions/start-session.ts'
import {
  computeTimerChange,
  computeTurnExpiry,
  handoverWrites,
  isInputStillOpen,
} from '../chat/sessions/timers.ts'
import { createEffects, withTurnMemory } from '../chat/sessions/turn-effects.ts'
import { type WrapWrite, writeTurn } from '../chat/sessions/write-turn.ts'
import type { Contexts } from '../context.ts'
import { isServedAt } from '../hosts/domains.ts'
import { notPublished } from '../issues/records.ts'
import { toJson } from '../kit/json/exact-numbers.ts'
import { asProperty, JsonText } from '../kit/json/json-text.ts'

export const chat: ChatHandlers<Contexts> = {
  async startChat({ params, body, header, openEvents }, respond, context) {
    const { db, chat: tools } = context
    const published = await findPublished(db, tools, params.publicId, body.resultId)
    if (!published || !(await isServedAt(db, context.visitedDomain, published.botId))) {
      return respond.fail('NOT_FOUND')
    }
    const { botId, workspaceId, flow } = published
    const originIssue = checkOrigin(flow, header, context.visitedUrl)
    if (originIssue) return respond.fail('FORBIDDEN', [originIssue])
    if (!(await context.slot.moveTo(workspaceId))) return respond.fail('SERVICE_UNAVAILABLE')

    const emit = body.isStreamEnabled ? openEvents?.() : undefined
    return context.once(botId, async (keep) => {
      if (published.isClosed) return respond.fail('BAD_REQUEST', [closedIssue(flow)])
      const quota = context.quota()
      const quotaIssue = quota.findIssue('text', botId)
      if (quotaIssue) return respond.fail('TOO_MANY_REQUESTS', [quotaIssue])
      const respondWith = ({ sessionId, resultId, outcome, body: turn }: Started) =>
        respond.ok({
          sessionId,
          ...(body.isOnlyRegistering ? {} : { resultId }),
          bot: {
            id: botId,
            version: '6.1',
            ...outcome.bot,
            publishedAt: published.publishedAt.toISOString(),
          },
          ...turn,
        })
      const started = await startSession(
        context,
        published,
        {
          ...startOptions(body),
          userAgent: header('user-agent'),
          acceptLanguage: header('accept-language'),
        },
        { emit, wrapWriteFor: (it) => (write) => keep(respondWith(it), write) },
      )
      if ('rejection' in started) return respond.fail('BAD_REQUEST', [rejectionIssue(started)])
      const { outcome, body: turn, size } = started
      // The response to a request with a key is stored for days.
      const isStored = header('idempotency-key') !== undefined
      const storedBytes = isStored ? Buffer.byteLength(JSON.stringify(turn) + JSON.stringify(outcome.bot)) : 0
      quota.add('text', botId, size + storedBytes)
      return respondWith(started)
    })
  },

  async getSession({ params, header }, respond, context) {
    const { db } = context
    const session = await findVisitorSession(context, params.sessionId)
    if (!session) return respond.fail('NOT_FOUND')
    const originIssue = checkOrigin(session.flow, header, context.visitedUrl)
    if (originIssue) return respond.fail('FORBIDDEN', [originIssue])
    const { sessionId, resultId, revision, botId, flow, handledBy } = session
    const state = decodeState(session)
    const effects = createEffects(context, { ...session, state })
    const { uploads } = effects
    const [{ turns, answer = {} }, appearance] = await Promise.all([
      readConversation(db, session),
      readChatAppearance(flow, state ?? null, effects),
    ])
    const isTimed = state?.timer?.kind === 'wait' && handledBy === null
    const awaited = isTimed
      ? await addSecondsLeft(db, session, pickAwaitedParts(answer))
      : pickAwaitedParts(answer)
    return respond.ok({
      sessionId,
      resultId: resultId ?? undefined,
      bot: { id: botId, version: '6.1', ...appearance },
      turns,
      isOver: state === undefined,
      ...(state && awaited),
      expectsEvents: state && (handledBy || state.timer) ? true : undefined,
      ...(state &&
        handledBy && {
          input: inputForPeople(uploads?.maximumSize),
          clientSideActions: undefined,
          handledBy,
        }),
      lastEventId: idOf(positionOf(session)),
      revision,
    })
  },

  async listSessionEvents({ params, query, header, openEvents }, respond, context) {
    const { db, now } = context
    const session = await findVisitorSession(context, params.sessionId)
    if (!session) return respond.fail('NOT_FOUND')
    const originIssue = checkOrigin(session.flow, header, context.visitedUrl)
    if (originIssue) return respond.fail('FORBIDDEN', [originIssue])
    const from = readPosition(header('last-event-id')) ?? readPosition(query.after) ?? positionOf(session)
    if (openEvents) return respond.events(followSession(db, session, from, now))
    return respond.ok({ events: await eventsAfter(db, session, session, from) })
  },

  async continueChat({ params, body, header, openEvents }, respond, context) {
    const { db, now, arrivedAt, chat: tools } = context
    const session = await findVisitorSession(context, params.sessionId)
    if (!session) return respond.fail('NOT_FOUND')
    const originIssue = checkOrigin(session.flow, header, context.visitedUrl)
    if (originIssue) return respond.fail('FORBIDDEN', [originIssue])
    if (!(await context.slot.moveTo(session.workspaceId))) return respond.fail('SERVICE_UNAVAILABLE')
    const emit = decodeState(session)?.isStreamEnabled ? openEvents?.() : undefined
    const digest = digestReply(body)
    const isWithoutMessage = (body.message ?? null) === null
    const earlier =
      (isWithoutMessage ? await readResponseAfterEvent(db, session, body.revision) : null) ??
      (await findEarlierResponse(db, session, digest, body.revision, arrivedAt))
    if (earlier !== null) return respond.ok(asProperty(new JsonText(earlier)))
    const { revision } = session
    const isForCurrentInput =
      body.revision === undefined || body.revision === revision || isInputStillOpen(session, body.revision)
    if (!isForCurrentInput) return respond.fail('CONFLICT', [newerRevisionIssue])
    // A client polls without a message while its chat waits for a webhook or a time.
    if (isWithoutMessage && decodeState(session) && session.handledBy === null) {
      const waitingResponse = await readWaitingResponse(db, session)
      if (waitingResponse !== undefined) return respond.ok(asProperty(new JsonText(waitingResponse)))
    }

    const quotaIssue = context.quota().findIssue('text', session.botId)
    if (quotaIssue) return respond.fail('TOO_MANY_REQUESTS', [quotaIssue])

    const options = { textBubbleContentFormat: body.textBubbleContentFormat }
    const turnInput = { message: body.message, options, digest, emit }
    // If the chat has changed hands meanwhile, the message goes to its present handler.
    for (let attemptedSession = session; ; ) {
      const ran =
        attemptedSession.handledBy === null
          ? await runTurn(context, attemptedSession, turnInput)
          : await receiveMessage(context, attemptedSession, turnInput)
      if (ran === 'over') return respond.fail('NOT_FOUND')
      if (ran === 'superseded') {
        const newerSession = await findSession(db, tools, params.sessionId, now)
        if (newerSession?.revision !== attemptedSession.revision) {
          const response =
            newerSession &&
            (await findEarlierResponse(db, newerSession, digest, attemptedSession.revision, arrivedAt))
          if (response) return respond.ok(asProperty(new JsonText(response)))
          if (!newerSession || !isInputStillOpen(newerSession, body.revision ?? revision))
            return respond.fail('CONFLICT', [newerRevisionIssue])
        }
        attemptedSession = newerSession
        continue
      }
      if (!('rejection' in ran)) return respond.ok(asProperty(new JsonText(ran.response)))
      if (ran.rejection.code !== 'NOT_WAITING') return respond.fail('BAD_REQUEST', [rejectionIssue(ran)])
      const waitingResponse = await readWaitingResponse(db, attemptedSession)
      return waitingResponse
        ? respond.ok(asProperty(new JsonText(waitingResponse)))
        : respond.fail('CONFLICT', [newerRevisionIssue])
    }
  },

  async startPreview({ body, header }, respond, context) {
    const { db, now, grant } = context
    const { simulation } = body
    const startsWith = {
      resultId: null,
      ...startOptions(body),
      startFrom: body.startFrom,
      isProgressBarEnabled: body.isProgressBarEnabled,
      userAgent: header('user-agent'),
      acceptLanguage: header('accept-language'),
    }
    if (simulation !== undefined) {
      const state = await findState(context, simulation.of)
      if (!state) return respond.fail('NOT_FOUND', [unknownState(simulation.of)])
      const { workspaceId } = grant.bot
      const simulated = await withTurnMemory(context, { workspaceId, flow: state.flow, bytes: 0 }, (memory) =>
        simulate(context, memory, state, startsWith, simulation),
      )
      if (simulated.rejection) {
        const path =
          simulated.index === undefined
            ? ['body']
            : ['body', 'simulation', 'replies', String(simulated.index)]
        return respond.fail('BAD_REQUEST', [{ ...rejectionIssue(simulated), path }])
      }
      const { first: firstOutcome, chat } = simulated
      return respond.ok({
        sessionId: newSessionId(grant.bot.id, now),
        bot: { id: grant.bot.id, version: '6.1', ...firstOutcome.bot },
        ...toTurnResponse(firstOutcome, 1, true),
        simulation: chat,
      })
    }
    return context.once(grant.bot.id, async (keep) => {
      const flow = await readPreviewFlow(db, grant)
      if (!flow) return respond.fail('NOT_FOUND')
      const ownId = newSessionId(grant.bot.id, now)
      const { id: botId, workspaceId } = grant.bot
      const ids = { botId, workspaceId, publicationId: null, resultId: null, sessionId: ownId }
      const outcome = await withTurnMemory(context, { workspaceId, flow, bytes: 0 }, (memory) =>
        startFlow(flow, startsWith, createEffects(context, { ...ids, memory })),
      )
      if (outcome.rejection) return respond.fail('BAD_REQUEST', [rejectionIssue(outcome)])
      const turn = toTurnResponse(outcome, 1, true)
      const preview = { botId, workspaceId, publicationId: null }
      const write = {
        subscribedEvents: null,
        revision: 0,
        resultId: null,
        isNewResult: false,
        expiresAt: computeTurnExpiry(outcome, now, now),
        outcome,
        timer: computeTimerChange(outcome),
        lastDigest: null,
        response: JSON.stringify(turn),
      }
      const trySave = async (sessionId: string) => {
        const response = respond.ok({
          sessionId,
          bot: { id: grant.bot.id, version: '6.1', ...outcome.bot },
          ...turn,
        })
        const session = { id: sessionId, ...preview }
        const handover = handoverWrites(session, outcome, {}, now)
        const store: WrapWrite = (written) => keep(response, written)
        const isSaved = await writeTurn(db, { ...write, session }, now, store, handover)
        return isSaved ? response : undefined
      }
      const givenId = body.sessionId ?? ownId
      // If the given id belongs to another chat or to none, the preview gets a new one.
      const isOfBot = botOfSession(givenId) === grant.bot.id
      return (isOfBot && (await trySave(givenId))) || (await trySave(ownId)) || respond.fail('NOT_FOUND')
    })
  },

  async executeWebhook({ params, body }, respond, context) {
    const { db, now, chat: tools, grant } = context
    return context.once(grant.bot.id, async (keep) => {
      const sessionId = await findSessionOfResult(db, grant, params.resultId)
      const session = sessionId && (await findSession(db, tools, sessionId, now))
      if (!session) return respond.fail('NOT_FOUND')
      const state = decodeState(session)
      const isWaiting = session.handledBy === null && (await readWaitingResponse(db, session)) !== undefined
      if (!isWaiting || state?.waiting?.blockId !== params.blockId) {
        return respond.fail('BAD_REQUEST', [
          { path: ['path', 'blockId'], code: 'not_waiting', message: 'The chat does not wait at this block' },
        ])
      }
      const response = respond.ok({ message: 'success' })
      const data = {
        message: { type: 'webhook' as const, body: toJson({ data: body }) },
        options: {},
        digest: webhookDigest,
      }
      const ran = await runTurn(context, session, data, (write) => keep(response, write))
      if (ran === 'over' || ran === 'superseded') return respond.fail('CONFLICT', [newerRevisionIssue])
      return 'rejection' in ran ? respond.fail('BAD_REQUEST', [rejectionIssue(ran)]) : response
    })
  },

  async saveClientLogs({ params, body, header }, respond, context) {
    const { db, now, visitedUrl } = context
    const session = await findVisitorSession(context, params.sessionId)
    const resultId = session?.resultId
    const originIssue = session && checkOrigin(session.flow, header, visitedUrl)
    if (!session || !resultId) {
      return respond.fail('BAD_REQUEST', [
        {
          path: ['path', 'sessionId'],
          code: 'unknown_session',
          message: 'There is no such chat session; start a new one',
        },
      ])
    }
    if (originIssue) return respond.fail('BAD_REQUEST', [originIssue])
    const { sessionId, botId } = session
    const bytes = measureLogs(body.clientLogs)
    const quota = context.quota()
    const quotaIssue = quota.findIssue('text', botId, bytes)
    if (quotaIssue) return respond.fail('TOO_MANY_REQUESTS', [quotaIssue])
    const hasRoom = await insertClientLogs(db, { sessionId, botId, resultId }, body.clientLogs, now)
    if (!hasRoom) return respond.fail('TOO_MANY_REQUESTS', [tooManyLogs])
    quota.add('text', botId, bytes)
    return respond.ok({ message: 'success' })
  },
}

function startOptions(body: {
  message?: StartOptions['message']
  isOnlyRegistering: boolean
  isStreamEnabled: boolean
  prefilledVariables?: Record<string, unknown>
  textBubbleContentFormat: 'richText' | 'markdown'
}): Omit<StartOptions, 'resultId'> {
  return {
    message: body.message,
    isOnlyRegistering: body.isOnlyRegistering,
    isStreamEnabled: body.isStreamEnabled,
    prefilledVariables: body.prefilledVariables,
    textBubbleContentFormat: body.textBubbleContentFormat,
  }
}

const tooManyLogs: Issue = {
  path: ['body', 'clientLogs'],
  code: 'quota_exceeded',
  message: `A session may have ${MAX_CLIENT_LOGS} entries in all, and would have more`,
}

const newerRevisionIssue: Issue = {
  path: ['body', 'revision'],
  code: 'conflict',
  message:
    'The session is at a newer revision, so this reply was ignored; get the session, and send its revision',
}

function unknownState(state: string): Issue {
  if (state === 'published') return { ...notPublished, path: ['body', 'simulation', 'of'] }
  return {
    path: ['body', 'simulation', 'of'],
    code: 'unknown_publication',
    message: 'The bot has no such publication; send `draft`, `published`, or the id of a publication',
  }
}

function rejectionIssue({ rejection: problem }: TurnRejection): Issue {
  return {
    path: ['body'],
    code: problem.code.toLowerCase() as Lowercase<typeof problem.code>,
    message: problem.message,
  }
}
