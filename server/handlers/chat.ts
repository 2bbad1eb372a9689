import { hash } from 'node:crypto'
import type { Issue } from '../../contract/errors.ts'
import type { ChatHandlers, ContinueChat, SaveClientLogs } from '../../generated/handlers.ts'
import type { components } from '../../generated/openapi.ts'
import { continueChat as continueFlow, startChat as startFlow } from '../chat/engine.ts'
import {
  answersOf,
  draftFlow,
  findLinked,
  findPublished,
  findSession,
  insertLogs,
  linkedDraft,
  loadPublication,
  previewFlow,
  saveStep,
  sessionOf,
  transcriptOf,
} from '../chat/store.ts'
import type { Effects, Flow, SessionState, StartOptions, StepOutcome } from '../chat/types.ts'
import type { Contexts } from '../context.ts'
import { newId } from '../ids.ts'
import { JsonText, stored } from '../json/json-text.ts'

type Context = Contexts['anyone']

export const chat: ChatHandlers<Contexts> = {
  async startChat({ params, body, header }, reply, context) {
    const { db, now, chat: tools, config } = context
    const published = await findPublished(db, tools, params.publicId, body.resultId)
    if (!published) return reply.fail('NOT_FOUND')
    const { botId, workspaceId, publicationId, flow } = published
    const origin = refusedOrigin(flow, header, config.PUBLIC_URL)
    if (origin) return reply.fail('FORBIDDEN', [origin])
    if (published.isClosed) return reply.fail('BAD_REQUEST', [closed(flow)])

    const earlierId = remembersUsers(flow) ? published.earlierResultId : null
    const resultId = earlierId ?? newId(now)
    const sessionId = newId(now)
    const outcome = await startFlow(
      flow,
      {
        resultId,
        ...startOptions(body),
        rememberedVariables: earlierId === null ? undefined : JSON.parse(published.earlierVariables ?? '[]'),
        userAgent: header('user-agent'),
      },
      effectsOf(context, { botId, workspaceId, resultId, isPreview: false }),
    )
    if (outcome.problem) return reply.fail('BAD_REQUEST', [refused(outcome.problem)])
    const step = toStep(outcome, 1, false)
    await saveStep(
      db,
      {
        session: { id: sessionId, botId, publicationId },
        revision: 0,
        resultId: body.isOnlyRegistering ? null : resultId,
        isNewResult: earlierId === null,
        outcome,
        lastMessage: null,
        lastAnswer: JSON.stringify(step),
      },
      now,
    )
    return reply.ok({
      sessionId,
      ...(body.isOnlyRegistering ? {} : { resultId }),
      bot: { id: botId, version: '6.1', ...outcome.bot, publishedAt: published.publishedAt.toISOString() },
      ...step,
    })
  },

  async continueChat({ params, body, header }, reply, context) {
    const { db, now, chat: tools, config } = context
    const session = await findSession(db, tools, params.sessionId, now)
    if (!session) return reply.fail('NOT_FOUND')
    const { botId, workspaceId, publicationId, flow } = session
    const origin = refusedOrigin(flow, header, config.PUBLIC_URL)
    if (origin) return reply.fail('FORBIDDEN', [origin])
    const message = digest(body)
    if (body.revision !== undefined && body.revision !== session.revision) {
      const isRepeated = body.revision === session.revision - 1 && message === session.lastMessage
      if (isRepeated && session.lastAnswer) return reply.ok(stored(new JsonText(session.lastAnswer)))
      return reply.fail('CONFLICT', [movedOn])
    }
    const state = readState(session.state)
    if (!state) return reply.fail('NOT_FOUND')
    // The client of a chat that waits for a webhook asks now and then whether it was called.
    if (session.lastAnswer && isNoMessage(body.message) && waitsForWebhook(session.lastAnswer)) {
      return reply.ok(stored(new JsonText(session.lastAnswer)))
    }

    const isPreview = publicationId === null
    const outcome = await continueFlow(
      flow,
      state,
      body.message,
      { textBubbleContentFormat: body.textBubbleContentFormat },
      effectsOf(context, {
        botId,
        workspaceId,
        resultId: state.resultId,
        isPreview,
        state,
      }),
    )
    if (outcome.problem) return reply.fail('BAD_REQUEST', [refused(outcome.problem)])
    const answer = JSON.stringify(toStep(outcome, session.revision + 1, isPreview))
    const isSaved = await saveStep(
      db,
      {
        session: { id: session.sessionId, botId, publicationId },
        revision: session.revision,
        resultId: state.resultId,
        isNewResult: session.resultId === null,
        outcome,
        lastMessage: message,
        lastAnswer: answer,
      },
      now,
    )
    return isSaved ? reply.ok(stored(new JsonText(answer))) : reply.fail('CONFLICT', [movedOn])
  },

  async startPreview({ body, header }, reply, context) {
    const { db, now, grant } = context
    const flow = await previewFlow(db, grant)
    if (!flow) return reply.fail('NOT_FOUND')
    const outcome = await startFlow(
      flow,
      {
        resultId: null,
        ...startOptions(body),
        startFrom: body.startFrom,
        isProgressBarEnabled: body.isProgressBarEnabled,
        userAgent: header('user-agent'),
      },
      effectsOf(context, {
        botId: grant.bot.id,
        workspaceId: grant.bot.workspaceId,
        resultId: null,
        isPreview: true,
      }),
    )
    if (outcome.problem) return reply.fail('BAD_REQUEST', [refused(outcome.problem)])
    const step = toStep(outcome, 1, true)
    const preview = { botId: grant.bot.id, publicationId: null }
    const write = {
      revision: 0,
      resultId: null,
      isNewResult: false,
      outcome,
      lastMessage: null,
      lastAnswer: JSON.stringify(step),
    }
    let sessionId = body.sessionId ?? newId(now)
    if (!(await saveStep(db, { ...write, session: { id: sessionId, ...preview } }, now))) {
      // The id belongs to another chat.
      sessionId = newId(now)
      await saveStep(db, { ...write, session: { id: sessionId, ...preview } }, now)
    }
    return reply.ok({ sessionId, bot: { id: grant.bot.id, version: '6.1', ...outcome.bot }, ...step })
  },

  async executeWebhook({ params, body }, reply, context) {
    const { db, now, chat: tools, grant } = context
    const sessionId = await sessionOf(db, grant, params.resultId)
    const session = sessionId && (await findSession(db, tools, sessionId, now))
    if (!session) return reply.fail('NOT_FOUND')
    const { botId, workspaceId, publicationId, flow } = session
    const state = readState(session.state)
    const isWaiting = session.lastAnswer !== null && waitsForWebhook(session.lastAnswer)
    if (!state || !isWaiting || state.waiting?.blockId !== params.blockId) {
      return reply.fail('BAD_REQUEST', [
        { path: ['path', 'blockId'], code: 'not_waiting', message: 'The chat does not wait at this block' },
      ])
    }
    const running = {
      botId,
      workspaceId,
      resultId: state.resultId,
      isPreview: false,
      state,
    }
    const outcome = await continueFlow(
      flow,
      state,
      JSON.stringify({ data: body }),
      {},
      effectsOf(context, running),
    )
    if (outcome.problem) return reply.fail('BAD_REQUEST', [refused(outcome.problem)])
    const isSaved = await saveStep(
      db,
      {
        session: { id: session.sessionId, botId, publicationId },
        revision: session.revision,
        resultId: state.resultId,
        isNewResult: session.resultId === null,
        outcome,
        // As if the client had asked, so that its next question gets this answer.
        lastMessage: digest({ textBubbleContentFormat: 'richText' }),
        lastAnswer: JSON.stringify(toStep(outcome, session.revision + 1, false)),
      },
      now,
    )
    return isSaved ? reply.ok({ message: 'success' }) : reply.fail('CONFLICT', [movedOn])
  },

  async saveClientLogs({ params, body, header }, reply, { db, now, chat: tools, config }) {
    const session = await findSession(db, tools, params.sessionId, now)
    const resultId = session?.resultId
    const origin = session && refusedOrigin(session.flow, header, config.PUBLIC_URL)
    if (!session || !resultId) {
      return reply.fail('BAD_REQUEST', [
        { path: ['path', 'sessionId'], code: 'unknown_session', message: 'There is no such chat session' },
      ])
    }
    if (origin) return reply.fail('BAD_REQUEST', [origin])
    await insertLogs(db, session.botId, resultId, body.clientLogs.map(toLog), now)
    return reply.ok({ message: 'success' })
  },
}

function startOptions(body: {
  message?: StartOptions['message']
  isOnlyRegistering: boolean
  prefilledVariables?: Record<string, unknown>
  textBubbleContentFormat: 'richText' | 'markdown'
}): Omit<StartOptions, 'resultId'> {
  return {
    message: body.message,
    isOnlyRegistering: body.isOnlyRegistering,
    prefilledVariables: body.prefilledVariables,
    textBubbleContentFormat: body.textBubbleContentFormat,
  }
}

/** The part of an answer that start and continue share. Internal logs are shown in previews only. */
function toStep(
  outcome: StepOutcome,
  revision: number,
  isPreview: boolean,
): components['schemas']['ContinuedChatBody'] {
  const logs = outcome.logs
    .filter((log) => isPreview || !log.isInternal)
    .map(({ isInternal: _, ...log }) => log)
  return {
    messages: outcome.messages as components['schemas']['MessageBubble'][],
    input: outcome.input,
    clientSideActions: outcome.clientSideActions as components['schemas']['ClientSideAction'][] | undefined,
    logs: logs.length > 0 ? logs : undefined,
    dynamicTheme: outcome.dynamicTheme,
    progress: outcome.progress,
    lastMessageNewFormat: outcome.lastMessageNewFormat,
    revision,
  }
}

const movedOn: Issue = {
  path: ['body', 'revision'],
  code: 'conflict',
  message: 'The chat has gone on since; this reply was not counted',
}

function refused({ code, message }: { code: string; message: string }): Issue {
  return { path: ['body'], code: code.toLowerCase(), message }
}

/** What a chat goes on from: nothing once it is over, or when another release wrote its state. */
function readState(stored: string | null): SessionState | undefined {
  const state = stored === null ? null : (JSON.parse(stored) as SessionState)
  return state?.format === 1 ? state : undefined
}

function isNoMessage(message: unknown): boolean {
  return message === undefined || message === null
}

function waitsForWebhook(lastAnswer: string): boolean {
  const { clientSideActions = [] } = JSON.parse(lastAnswer) as { clientSideActions?: { type: string }[] }
  return clientSideActions.some(({ type }) => type === 'listenForWebhook')
}

/** What makes two replies the same one. */
function digest({ message, textBubbleContentFormat }: ContinueChat['body']): string {
  return hash('sha256', JSON.stringify([message ?? null, textBubbleContentFormat]), 'base64url')
}

interface GeneralSettings {
  rememberUser?: { isEnabled?: unknown }
  isNewResultOnRefreshEnabled?: unknown
  systemMessages?: { botClosed?: unknown }
}

function generalOf(flow: Flow): GeneralSettings {
  return (flow.settings as { general?: GeneralSettings } | undefined)?.general ?? {}
}

function closed(flow: Flow): Issue {
  const { systemMessages } = generalOf(flow)
  const given = systemMessages?.botClosed
  const message = typeof given === 'string' && given !== '' ? given.slice(0, 2000) : 'This bot is closed'
  return { path: ['path', 'publicId'], code: 'bot_closed', message }
}

function remembersUsers(flow: Flow): boolean {
  const { rememberUser, isNewResultOnRefreshEnabled } = generalOf(flow)
  if (typeof rememberUser?.isEnabled === 'boolean') return rememberUser.isEnabled
  return isNewResultOnRefreshEnabled === false
}

/**
 * Only pages whose origin the bot allows may chat with it, and those of the service itself; no list allows all, no
 * origin is no page. That a request comes from its own origin only the browser can say, not the page.
 */
function refusedOrigin(
  flow: Flow,
  header: (name: 'origin' | 'sec-fetch-site') => string | undefined,
  ownUrl: string | undefined,
): Issue | undefined {
  const origin = header('origin')
  const settings = flow.settings as { security?: { allowedOrigins?: unknown } } | undefined
  const allowed = settings?.security?.allowedOrigins
  if (origin === undefined || !Array.isArray(allowed) || allowed.length === 0) return undefined
  const isOwn =
    (ownUrl !== undefined && new URL(ownUrl).origin === origin) || header('sec-fetch-site') === 'same-origin'
  if (isOwn || allowed.includes(origin)) return undefined
  return {
    path: ['header', 'origin'],
    code: 'origin_not_allowed',
    message: 'The bot does not allow this origin',
  }
}

interface Running {
  botId: string
  workspaceId: string
  resultId: string | null
  isPreview: boolean
  state?: SessionState
}

/** What a step may do to the world. */
function effectsOf({ db, chat: tools }: Context, running: Running): Effects {
  const { botId, workspaceId, isPreview } = running
  return {
    now: () => new Date(),
    random: Math.random,
    newId: () => newId(new Date()),
    evaluate: tools.evaluate,
    httpRequest: tools.httpRequest,
    sendEmail: tools.sendEmail,
    async findLinkedFlow(linkedId) {
      if (!isPreview) return findLinked(db, tools, linkedId, workspaceId)
      const flow = await linkedDraft(db, linkedId, workspaceId)
      return flow && { flow, publicationId: linkedId }
    },
    async loadFlow(reference) {
      const [linkedId = '', publicationId] = reference.split('/')
      if (publicationId === undefined) return (await draftFlow(db, linkedId)) ?? null
      return loadPublication(db, tools, linkedId, publicationId)
    },
    async earlierAnswers(resultId) {
      const frame = running.state?.frames.find((one) => one.resultId === resultId)
      return answersOf(db, frame?.botId ?? botId, resultId)
    },
    async earlierTranscript() {
      return running.resultId === null ? [] : transcriptOf(db, botId, running.resultId)
    },
  }
}

const DETAILS_LENGTH = 1_000

function toLog(log: SaveClientLogs['body']['clientLogs'][number]) {
  return {
    status: log.status ?? 'error',
    description: log.description,
    details: log.details === undefined ? undefined : [...log.details].slice(0, DETAILS_LENGTH).join(''),
    context: log.context,
  }
}
