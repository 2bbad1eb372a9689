import type { Issue } from '../../contract/errors.ts'
import type { Contexts } from '../context.ts'
import { asArray, asObject, asString, type JsonObject } from '../json/access.ts'
import type { Dispatch, InnerResponse } from '../kit/dispatch.ts'
import type { HttpResponse } from '../kit/response.ts'

/*
 * Requests of Typebot's viewer and web component, as requests to the operations that they mean. Flows, messages, inputs
 * and actions are the same on both sides: only paths and the names of some fields differ.
 */

interface Request {
  params: { publicId?: string; sessionId?: string }
  body: JsonObject
  header(name: string): string | undefined
  dispatch: Dispatch
}

interface Reply {
  fail(code: 'BAD_REQUEST', issues: Issue[]): HttpResponse
}

type TextResponse = HttpResponse & { body: string }

type Context = Pick<Contexts['anyone'], 'slot'>

export const viewerHandlers = {
  async startViewerChat(
    { params, body, ...request }: Request,
    _: Reply,
    context: Context,
  ): Promise<HttpResponse> {
    const target = `/api/v1/bots/${encodeURIComponent(params.publicId as string)}/startChat`
    const response = await post(request, context, target, toStart(body))
    return response.status === 200
      ? { ...response, body: JSON.stringify(toViewer(JSON.parse(response.body))) }
      : response
  },

  saveViewerLogs: (
    { params, body, ...request }: Request,
    _: Reply,
    context: Context,
  ): Promise<HttpResponse> =>
    post(request, context, `/api/v2/sessions/${params.sessionId}/clientLogs`, {
      clientLogs: asArray(body.clientLogs).map(toLog),
    }),

  prepareViewerUpload: refuseUpload,
  prepareOlderViewerUpload: refuseUpload,
}

/** Sends a request on, with the headers that describe its page and its visitor. */
async function post(
  { header, dispatch }: Pick<Request, 'header' | 'dispatch'>,
  { slot }: Context,
  target: string,
  body: unknown,
): Promise<TextResponse> {
  const headers: Record<string, string> = {}
  for (const name of ['origin', 'sec-fetch-site', 'user-agent', 'accept-language']) {
    const value = header(name)
    if (value !== undefined) headers[name] = value
  }
  // The operation needs a slot of its own.
  return toResponse(await slot.releaseDuring(() => dispatch({ method: 'POST', target, headers, body })))
}

function toResponse({ status, headers, text }: InnerResponse): TextResponse {
  const wait = headers['retry-after']
  return {
    status,
    headers: wait === undefined ? {} : { 'Retry-After': wait },
    body: text,
    mediaType: 'application/json',
  }
}

const resultIdForm = /^[A-Za-z0-9_-]{1,64}$/

/**
 * The body of a start. Viewers always request a stream, which is another one here, and send nulls, ids of other
 * services and fields of their versions: all that this service does not know is dropped.
 */
export function toStart(body: JsonObject): JsonObject {
  const { message, resultId, isOnlyRegistering, prefilledVariables, textBubbleContentFormat } = body
  const isResultId = typeof resultId === 'string' && resultIdForm.test(resultId)
  const known = {
    message,
    isOnlyRegistering,
    prefilledVariables,
    textBubbleContentFormat,
    resultId: isResultId ? resultId : null,
  }
  return Object.fromEntries(
    Object.entries(known).filter(([, value]) => value !== null && value !== undefined),
  )
}

/** The first step of a chat, with the bot under the name that viewers read. */
export function toViewer({ bot, ...step }: JsonObject): JsonObject {
  return { ...step, typebot: bot }
}

/** An entry of the log. Details may be any value. */
export function toLog(entry: unknown): JsonObject {
  const { description, status, details, context } = asObject(entry)
  const detailsText =
    typeof details === 'object' && details !== null ? JSON.stringify(details) : asString(details)
  const log = {
    description: asString(description) ?? 'Without a description',
    status: asString(status),
    details: detailsText,
    context: asString(context),
  }
  return Object.fromEntries(
    Object.entries(log).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, value.slice(0, MAX_LOG_CHARACTERS)]],
    ),
  )
}

/** The maximum of the operation. */
const MAX_LOG_CHARACTERS = 1_000

async function refuseUpload(_: Request, respond: Reply): Promise<HttpResponse> {
  const message = "This viewer cannot send files here: use the page of the chat or the service's own embed.js"
  return respond.fail('BAD_REQUEST', [{ path: ['path'], code: 'files_not_kept', message }])
}
