import type { Issue } from '../../contract/errors.ts'
import type { ChatHandlers } from '../../generated/handlers.ts'
import { appearanceOfChat, startChat as startFlow } from '../chat/engine/engine.ts'
import { inputForPeople } from '../chat/engine/inputs/for-people.ts'
import type { StartOptions, TurnRejection } from '../chat/engine/types.ts'
import { insertClientLogs, MAXIMUM_CLIENT_LOGS, sizeOfLogs } from '../chat/sessions/client-logs.ts'
import { botOfSession, decodeState, newSessionId } from '../chat/sessions/codec.ts'
import { receiveMessage } from '../chat/sessions/handling.ts'
import { checkOrigin, closedIssue } from '../chat/sessions/origin-check.ts'
import {
  findPublished,
  findSession,
  findVisited,
  previewFlow,
  sessionOf,
  turnsOf,
} from '../chat/sessions/read-session.ts'
import {
  digestOf,
  earlierResponse,
  respondAfterEvent,
  respondBeforeEvent,
  runTurn,
  toTurnResponse,
  waitsFor,
  webhookDigest,
  withSecondsLeft,
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
import { expiryAfter, handoverOfTurn, isStillAsked, timerChange } from '../chat/sessions/timers.ts'
import { effectsOf, withTurnMemory } from '../chat/sessions/turn-effects.ts'
import { type StoreTurn, writeTurn } from '../chat/sessions/write-turn.ts'
import type { Contexts } from '../context.ts'
import { isServedAt } from '../hosts/domains.ts'
import { notPublished } from '../issues/records.ts'
import { toJson } from '../kit/json/exact-numbers.ts'
import { asProperty, JsonText } from '../kit/json/json-text.ts'

export const chat: ChatHandlers<Contexts> = {
  async startChat({ params, body, header, openEvents }, reply, context) {
    const { db, chat: tools } = context
    const published = await findPublished(db, tools, params.publicId, body.resultId)
    if (!published || !(await isServedAt(db, context.visitedDomain, published.botId))) {
      return reply.fail('NOT_FOUND')
    }
    const { botId, workspaceId, flow } = published
    const origin = checkOrigin(flow, header, context.visitedUrl)
    if (origin) return reply.fail('FORBIDDEN', [origin])
    if (!(await context.slot.moveTo(workspaceId))) return reply.fail('SERVICE_UNAVAILABLE')

    const emit = body.isStreamEnabled ? openEvents?.() : undefined
    return context.once(botId, async (keep) => {
      if (published.isClosed) return reply.fail('BAD_REQUEST', [closedIssue(flow)])
      const quota = context.quota()
      const isFull = quota.refusal('text', botId)
      if (isFull) return reply.fail('TOO_MANY_REQUESTS', [isFull])
      const answerOf = ({ sessionId, resultId, outcome, body: turn }: Started) =>
        reply.ok({
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
        { emit, keepAs: (it) => (write) => keep(answerOf(it), write) },
      )
      if ('problem' in started) return reply.fail('BAD_REQUEST', [rejectionIssue(started)])
      const { outcome, body: turn, size } = started
      // The response to a request with a key is stored for days.
      const isKept = header('idempotency-key') !== undefined
      const keptBytes = isKept ? Buffer.byteLength(JSON.stringify(turn) + JSON.stringify(outcome.bot)) : 0
      quota.add('text', botId, size + keptBytes)
      return answerOf(started)
    })
  },

  async getSession({ params, header }, reply, context) {
    const { db } = context
    const session = await findVisited(context, params.sessionId)
    if (!session) return reply.fail('NOT_FOUND')
    const origin = checkOrigin(session.flow, header, context.visitedUrl)
    if (origin) return reply.fail('FORBIDDEN', [origin])
    const { sessionId, resultId, revision, botId, flow, handledBy } = session
    const state = decodeState(session)
    const effects = effectsOf(context, { ...session, state })
    const { uploads } = effects
    const [{ turns, answer = {} }, look] = await Promise.all([
      turnsOf(db, session),
      appearanceOfChat(flow, state ?? null, effects),
    ])
    const isTimed = state?.timer?.kind === 'wait' && handledBy === null
    const awaited = isTimed ? await withSecondsLeft(db, session, waitsFor(answer)) : waitsFor(answer)
    return reply.ok({
      sessionId,
      resultId: resultId ?? undefined,
      bot: { id: botId, version: '6.1', ...look },
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

  async listSessionEvents({ params, query, header, openEvents }, reply, context) {
    const { db, now } = context
    const session = await findVisited(context, params.sessionId)
    if (!session) return reply.fail('NOT_FOUND')
    const origin = checkOrigin(session.flow, header, context.visitedUrl)
    if (origin) return reply.fail('FORBIDDEN', [origin])
    const from = readPosition(header('last-event-id')) ?? readPosition(query.after) ?? positionOf(session)
    if (openEvents) return reply.events(followSession(db, session, from, now))
    return reply.ok({ events: await eventsAfter(db, session, session, from) })
  },

  async continueChat({ params, body, header, openEvents }, reply, context) {
    const { db, now, arrivedAt, chat: tools } = context
    const first = await findVisited(context, params.sessionId)
    if (!first) return reply.fail('NOT_FOUND')
    const origin = checkOrigin(first.flow, header, context.visitedUrl)
    if (origin) return reply.fail('FORBIDDEN', [origin])
    if (!(await context.slot.moveTo(first.workspaceId))) return reply.fail('SERVICE_UNAVAILABLE')
    const emit = decodeState(first)?.isStreamEnabled ? openEvents?.() : undefined
    const digest = digestOf(body)
    const isWithoutMessage = (body.message ?? null) === null
    const earlier =
      (isWithoutMessage ? await respondAfterEvent(db, first, body.revision) : null) ??
      (await earlierResponse(db, first, digest, body.revision, arrivedAt))
    if (earlier !== null) return reply.ok(asProperty(new JsonText(earlier)))
    const { revision } = first
    const isOfInput =
      body.revision === undefined || body.revision === revision || isStillAsked(first, body.revision)
    if (!isOfInput) return reply.fail('CONFLICT', [movedOn])
    // A client polls without a message while its chat waits for a webhook or a time.
    if (isWithoutMessage && decodeState(first) && first.handledBy === null) {
      const waiting = await respondBeforeEvent(db, first)
      if (waiting !== undefined) return reply.ok(asProperty(new JsonText(waiting)))
    }

    const isFull = context.quota().refusal('text', first.botId)
    if (isFull) return reply.fail('TOO_MANY_REQUESTS', [isFull])

    const options = { textBubbleContentFormat: body.textBubbleContentFormat }
    const given = { message: body.message, options, digest, emit }
    // Whenever the chat has changed hands meanwhile, the message goes to those who handle it now.
    for (let session = first; ; ) {
      const ran =
        session.handledBy === null
          ? await runTurn(context, session, given)
          : await receiveMessage(context, session, given)
      if (ran === 'over') return reply.fail('NOT_FOUND')
      if (ran === 'moved') {
        const moved = await findSession(db, tools, params.sessionId, now)
        if (moved?.revision !== session.revision) {
          const answer = moved && (await earlierResponse(db, moved, digest, session.revision, arrivedAt))
          if (answer) return reply.ok(asProperty(new JsonText(answer)))
          if (!moved || !isStillAsked(moved, body.revision ?? revision))
            return reply.fail('CONFLICT', [movedOn])
        }
        session = moved
        continue
      }
      if (!('problem' in ran)) return reply.ok(asProperty(new JsonText(ran.response)))
      if (ran.problem.code !== 'NOT_WAITING') return reply.fail('BAD_REQUEST', [rejectionIssue(ran)])
      const waiting = await respondBeforeEvent(db, session)
      return waiting ? reply.ok(asProperty(new JsonText(waiting))) : reply.fail('CONFLICT', [movedOn])
    }
  },

  async startPreview({ body, header }, reply, context) {
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
      if (!state) return reply.fail('NOT_FOUND', [unknownState(simulation.of)])
      const { workspaceId } = grant.bot
      const simulated = await withTurnMemory(context, { workspaceId, flow: state.flow, bytes: 0 }, (memory) =>
        simulate(context, memory, state, startsWith, simulation),
      )
      if (simulated.problem) {
        const path =
          simulated.index === undefined
            ? ['body']
            : ['body', 'simulation', 'replies', String(simulated.index)]
        return reply.fail('BAD_REQUEST', [{ ...rejectionIssue(simulated), path }])
      }
      const { first, chat } = simulated
      return reply.ok({
        sessionId: newSessionId(grant.bot.id, now),
        bot: { id: grant.bot.id, version: '6.1', ...first.bot },
        ...toTurnResponse(first, 1, true),
        simulation: chat,
      })
    }
    return context.once(grant.bot.id, async (keep) => {
      const flow = await previewFlow(db, grant)
      if (!flow) return reply.fail('NOT_FOUND')
      const ownId = newSessionId(grant.bot.id, now)
      const { id: botId, workspaceId } = grant.bot
      const running = { botId, workspaceId, publicationId: null, resultId: null, sessionId: ownId }
      const outcome = await withTurnMemory(context, { workspaceId, flow, bytes: 0 }, (memory) =>
        startFlow(flow, startsWith, effectsOf(context, { ...running, memory })),
      )
      if (outcome.problem) return reply.fail('BAD_REQUEST', [rejectionIssue(outcome)])
      const turn = toTurnResponse(outcome, 1, true)
      const preview = { botId, workspaceId, publicationId: null }
      const write = {
        subscribedEvents: null,
        revision: 0,
        resultId: null,
        isNewResult: false,
        expiresAt: expiryAfter(outcome, now, now),
        outcome,
        timer: timerChange(outcome),
        lastDigest: null,
        response: JSON.stringify(turn),
      }
      const save = async (sessionId: string) => {
        const answer = reply.ok({
          sessionId,
          bot: { id: grant.bot.id, version: '6.1', ...outcome.bot },
          ...turn,
        })
        const session = { id: sessionId, ...preview }
        const handover = handoverOfTurn(session, outcome, {}, now)
        const store: StoreTurn = (written) => keep(answer, written)
        const isSaved = await writeTurn(db, { ...write, session }, now, store, handover)
        return isSaved ? answer : undefined
      }
      const givenId = body.sessionId ?? ownId
      // If the given id belongs to another chat or to none, the preview gets a new one.
      const isOfBot = botOfSession(givenId) === grant.bot.id
      return (isOfBot && (await save(givenId))) || (await save(ownId)) || reply.fail('NOT_FOUND')
    })
  },

  async executeWebhook({ params, body }, reply, context) {
    const { db, now, chat: tools, grant } = context
    return context.once(grant.bot.id, async (keep) => {
      const sessionId = await sessionOf(db, grant, params.resultId)
      const session = sessionId && (await findSession(db, tools, sessionId, now))
      if (!session) return reply.fail('NOT_FOUND')
      const state = decodeState(session)
      const isWaiting = session.handledBy === null && (await respondBeforeEvent(db, session)) !== undefined
      if (!isWaiting || state?.waiting?.blockId !== params.blockId) {
        return reply.fail('BAD_REQUEST', [
          { path: ['path', 'blockId'], code: 'not_waiting', message: 'The chat does not wait at this block' },
        ])
      }
      const answer = reply.ok({ message: 'success' })
      const data = {
        message: { type: 'webhook' as const, body: toJson({ data: body }) },
        options: {},
        digest: webhookDigest,
      }
      const ran = await runTurn(context, session, data, (write) => keep(answer, write))
      if (ran === 'over' || ran === 'moved') return reply.fail('CONFLICT', [movedOn])
      return 'problem' in ran ? reply.fail('BAD_REQUEST', [rejectionIssue(ran)]) : answer
    })
  },

  async saveClientLogs({ params, body, header }, reply, context) {
    const { db, now, visitedUrl } = context
    const session = await findVisited(context, params.sessionId)
    const resultId = session?.resultId
    const origin = session && checkOrigin(session.flow, header, visitedUrl)
    if (!session || !resultId) {
      return reply.fail('BAD_REQUEST', [
        {
          path: ['path', 'sessionId'],
          code: 'unknown_session',
          message: 'There is no such chat session; start a new one',
        },
      ])
    }
    if (origin) return reply.fail('BAD_REQUEST', [origin])
    const { sessionId, botId } = session
    const bytes = sizeOfLogs(body.clientLogs)
    const quota = context.quota()
    const isFull = quota.refusal('text', botId, bytes)
    if (isFull) return reply.fail('TOO_MANY_REQUESTS', [isFull])
    const hasRoom = await insertClientLogs(db, { sessionId, botId, resultId }, body.clientLogs, now)
    if (!hasRoom) return reply.fail('TOO_MANY_REQUESTS', [tooManyLogs])
    quota.add('text', botId, bytes)
    return reply.ok({ message: 'success' })
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
  message: `A session may have ${MAXIMUM_CLIENT_LOGS} entries in all, and would have more`,
}

const movedOn: Issue = {
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

function rejectionIssue({ problem }: TurnRejection): Issue {
  return {
    path: ['body'],
    code: problem.code.toLowerCase() as Lowercase<typeof problem.code>,
    message: problem.message,
  }
}
