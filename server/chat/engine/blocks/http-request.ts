/** HTTP request blocks: build the request, and map the response to variables. */

import {
  asObject,
  asObjects,
  asString,
  filledText,
  type JsonObject,
  parseJson,
} from '../../../json/access.ts'
import { isLosslessNumber, plainNumbers } from '../../../kit/json/exact-numbers.ts'
import type { OutboundResponse } from '../../../outbound/client.ts'
import { withText } from '../../../outbound/response-body.ts'
import { evaluate } from '../evaluate.ts'
import {
  type BlockOutcome,
  checkBudget,
  computeRemainingMilliseconds,
  type Execution,
  followBlockEdge,
  isPreview,
  log,
  sendAwaitedAction,
  spendOutboundCall,
  waitFor,
} from '../execution.ts'
import { type Block, toValue } from '../flow-index.ts'
import { collectAnswers } from '../result-parts.ts'
import type { Position, VariableValue } from '../types.ts'
import {
  compile,
  fill,
  fillAddress,
  onlyPlaceholder,
  setVariable,
  textOfValue,
  valueByName,
  type WriteValue,
} from '../variables.ts'

const defaultSeconds = 10
const MAX_TIMEOUT_SECONDS = 120
/** Part of the media type of forms. */
const FORM = 'x-www-form-urlencoded'

/** The `statusCode` of a request without a response, so that flows can branch on it. */
const failureStatus = { refused: 400, time: 408, size: 500, network: 500 } as const

interface PreparedRequest {
  url: string
  method: string
  headers: Record<string, string>
  body?: string
}

/**
 * True if the request is to go through a proxy. It is then not sent at all: its author may have a reason for the
 * proxy.
 */
export function namesProxy(block: unknown): boolean {
  return filledText(asObject(asObject(block).options).proxyCredentialsId) !== undefined
}

export async function runHttpRequest(
  run: Execution,
  block: Block,
  position: Position,
): Promise<BlockOutcome> {
  if (namesProxy(block)) {
    const description = 'HTTP request: not sent, the service sends no requests through a proxy'
    log(run, 'error', description, { context: block.id, isInternal: true })
    return followBlockEdge(run, block)
  }
  const request = await prepareRequest(run, block)
  if (request === null) {
    log(run, 'info', `${block.type}: skipped, no valid URL is configured`, {
      context: block.id,
      isInternal: true,
    })
    return followBlockEdge(run, block)
  }
  if (block.options.isExecutedOnClient === true) {
    return sendAwaitedAction(run, { type: 'httpRequestToExecute', httpRequestToExecute: request }, position)
  }
  if (!(await spendOutboundCall(run, 2 * (request.body?.length ?? 0)))) return followBlockEdge(run, block)
  const wanted = typeof block.options.timeout === 'number' ? block.options.timeout : defaultSeconds
  const seconds = Math.min(Math.max(wanted, 1), MAX_TIMEOUT_SECONDS)
  const milliseconds = Math.max(1, Math.min(seconds * 1_000, computeRemainingMilliseconds(run)))
  await takeReply(run, block, await waitFor(run, run.effects.httpRequest({ ...request, milliseconds })))
  return followBlockEdge(run, block)
}

/**
 * Accepts the response that the client reports after sending the request itself, or the body of a call to a webhook
 * listener.
 */
export async function acceptClientReply(
  run: Execution,
  block: Block,
  response: string | null,
): Promise<BlockOutcome> {
  if (response === null) return followBlockEdge(run, block)
  const parsed = parseJson(response)
  const answer = asObject(parsed)
  const isAnswer = 'data' in answer
  const statusCode = isAnswer && answer.statusCode !== undefined ? answer.statusCode : 200
  const data = isAnswer ? answer.data : parsed === undefined ? response : parsed
  await mapResponse(run, block, { statusCode, data })
  return followBlockEdge(run, block)
}

async function prepareRequest(run: Execution, block: Block): Promise<PreparedRequest | null> {
  const webhook = asObject(block.options.webhook)
  const base = await fillAddress(run, asString(webhook.url) ?? '')
  if (base === '' || !URL.canParse(base)) return null
  const url = new URL(base)
  // The query that the author wrote stays unchanged: it may be signed.
  for (const { key, value } of await pairs(run, webhook.queryParams)) {
    url.search = `${url.search}${url.search === '' ? '' : '&'}${new URLSearchParams([[key, value]])}`
  }
  const headers: Record<string, string> = {}
  for (const { key, value } of await pairs(run, webhook.headers)) {
    const name = key.toLowerCase()
    const added = value
      .split(/[\r\n]+/)
      .map((line) => line.trim())
      .join(' ')
    const separator = name === 'cookie' ? '; ' : ', '
    headers[name] = headers[name] === undefined ? added : `${headers[name]}${separator}${added}`
  }
  if (headers.authorization !== undefined) headers.authorization = encodeBasic(headers.authorization)
  const method = filledText(webhook.method)?.toUpperCase() ?? 'POST'
  const request: PreparedRequest = { url: url.href, method, headers }
  if (method === 'GET' || method === 'HEAD') return request
  const mediaType = headers['content-type']?.toLowerCase() ?? ''
  const body = await prepareBody(run, block, asString(webhook.body) ?? '', mediaType)
  const json = parseJson(body)
  if (mediaType.includes(FORM) && typeof json === 'object' && json !== null) {
    const form = new URLSearchParams()
    for (const [key, value] of Object.entries(json)) form.append(key, textOfValue(toValue(value)))
    return { ...request, body: form.toString() }
  }
  headers['content-type'] ??= json === undefined ? 'text/plain; charset=utf-8' : 'application/json'
  return { ...request, body }
}

/** Names and values that people paste, without the white space around them. An empty value is none. */
async function pairs(run: Execution, given: unknown): Promise<{ key: string; value: string }[]> {
  const filled: { key: string; value: string }[] = []
  for (const pair of asObjects(given)) {
    const key = (await fill(run, asString(pair.key) ?? '')).trim()
    const value = (await fill(run, asString(pair.value) ?? '')).trim()
    if (key !== '' && value !== '') filled.push({ key, value })
  }
  return filled
}

/** `Basic user:password` as authors write it; encoded credentials have no colon. */
function encodeBasic(authorization: string): string {
  const [scheme = ''] = /^basic\s+/i.exec(authorization) ?? []
  const credentials = authorization.slice(scheme.length)
  if (scheme === '' || !credentials.includes(':')) return authorization
  return `Basic ${Buffer.from(credentials).toString('base64')}`
}

async function prepareBody(
  run: Execution,
  block: Block,
  template: string,
  mediaType: string,
): Promise<string> {
  if (block.options.isCustomBody !== true || template.trim() === '') {
    const all = Object.fromEntries(await collectAnswers(run))
    return JSON.stringify({ submittedAt: run.effects.now().toISOString(), ...all })
  }
  const name = onlyPlaceholder(template.trim())
  if (name !== null) return textOfValue(valueByName(run, name))
  // A body that begins with a placeholder is text.
  if (/^\s*(\[|\{(?!\{))/.test(template) || /\bjson\b/.test(mediaType)) {
    return fill(run, template, jsonWriter())
  }
  return fill(run, template, mediaType.includes(FORM) ? formValue : textOfValue)
}

/** A value as it stands behind the `=` of a form. */
const formValue: WriteValue = (value) => new URLSearchParams([['', textOfValue(value)]]).toString().slice(1)

/** Inside the quotes of a JSON text values are escaped; outside of them they become JSON if they are not. */
function jsonWriter(): WriteValue {
  let isInString = false
  return (value: VariableValue, before: string) => {
    for (const [quote] of before.matchAll(/\\.|"/gs)) if (quote === '"') isInString = !isInString
    if (isInString) return JSON.stringify(textOfValue(value)).slice(1, -1)
    if (typeof value !== 'string') return JSON.stringify(value)
    return parseJson(value) === undefined ? JSON.stringify(value) : value
  }
}

async function takeReply(run: Execution, block: Block, received: OutboundResponse): Promise<void> {
  const context = block.id
  const response = withText(received)
  if (!response.ok) {
    log(run, 'error', 'HTTP request failed', { details: response.message, context, isInternal: true })
    await mapResponse(run, block, {
      statusCode: failureStatus[response.reason],
      data: { message: response.message },
    })
    return
  }
  const body = response.text
  const json = parseJson(body)
  const data = json === undefined ? body : json
  const isError = response.status >= 400
  log(run, isError ? 'error' : 'success', `HTTP request answered ${response.status}`, {
    ...(isError ? { details: body } : {}),
    context,
    isInternal: true,
  })
  await mapResponse(run, block, { statusCode: response.status, data })
}

async function mapResponse(
  run: Execution,
  block: Block,
  response: { statusCode: unknown; data: unknown },
): Promise<void> {
  for (const { variableId, bodyPath } of asObjects(block.options.responseVariableMapping)) {
    const path = asString(bodyPath)?.trim() ?? ''
    if (typeof variableId !== 'string' || path === '') continue
    if (!(await checkBudget(run))) return
    const value = await readPath(run, block, response, path)
    if (value !== undefined) setVariable(run, variableId, value)
  }
}

/**
 * Follows plain paths here, with each placeholder as a part of one step. Anything else runs as code with `data` and
 * `statusCode`. That code sends no requests, so the response reaches no other server.
 */
async function readPath(run: Execution, block: Block, response: JsonObject, path: string): Promise<unknown> {
  const steps = await plainSteps(run, path)
  if (steps !== null) {
    let value: unknown = response
    for (const step of steps) {
      const isInside = typeof value === 'object' && value !== null && !isLosslessNumber(value)
      value = isInside && Object.hasOwn(value as JsonObject, step) ? (value as JsonObject)[step] : undefined
    }
    return value ?? null
  }
  const { statusCode, data } = response
  const compiled = compile(run, path)
  const args = [
    { name: 'statusCode', value: typeof statusCode === 'number' ? statusCode : null },
    { name: 'data', value: plainNumbers(data) as JsonObject },
    ...compiled.args,
  ]
  const evaluation = await evaluate(run, { form: 'expression', code: compiled.code, args, mayFetch: false })
  if (evaluation.ok) return evaluation.value
  log(run, 'error', 'A value could not be read from the response', {
    details: `${path}: ${evaluation.message}`,
    context: block.id,
    isInternal: true,
  })
  return undefined
}

/** The keys of a path such as `data.items[{{n}}]["full name"]`, or `null` if it is more than that. */
async function plainSteps(run: Execution, path: string): Promise<string[] | null> {
  const templates: string[] = []
  const step =
    /\.?((?:[\p{L}_$]|\{\{[^{}=][^{}]*\}\})(?:[\p{L}\p{N}_$-]|\{\{[^{}=][^{}]*\}\})*)|\[(\d+|\{\{[^{}=][^{}]*\}\})\]|\["([^"\\]*)"\]|\['([^'\\]*)'\]/uy
  while (step.lastIndex < path.length) {
    const found = step.exec(path)
    if (found === null) return null
    templates.push(found[1] ?? found[2] ?? found[3] ?? found[4] ?? '')
  }
  if (templates[0] !== 'data' && templates[0] !== 'statusCode') return null
  const steps: string[] = []
  for (const template of templates) steps.push(await fill(run, template))
  // `length` is no key of its own for texts; it is left to the code.
  return steps.includes('length') ? null : steps
}

/** Makes the client wait for a call of the webhook address of the flow. */
export function runWebhookListener(run: Execution, _block: Block, position: Position): BlockOutcome {
  if (isPreview(run)) log(run, 'info', 'Waiting for the webhook to be called')
  return sendAwaitedAction(run, { type: 'listenForWebhook' }, position)
}
