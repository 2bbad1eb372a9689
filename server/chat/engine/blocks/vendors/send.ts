/** Sends requests to outside services, and saves their responses. */
import type {
  Action,
  ActionResult,
  VendorRequest,
} from '../../../../../contract/bot-document/blocks/vendors/vendor.ts'
import { asObjects, filledText, parseJson } from '../../../../json/access.ts'
import type { OutboundResponse } from '../../../../outbound/client.ts'
import { withText } from '../../../../outbound/response-body.ts'
import { retryAfterOf } from '../../../../outbound/retry-after.ts'
import { withoutSecrets } from '../../../../outbound/secrets.ts'
import { encodeRequest } from '../../../../outbound/vendor-request.ts'
import {
  BYTES_PER_CHARACTER,
  computeRemainingMilliseconds,
  type Execution,
  log,
  noMemory,
  reserveMemory,
  spendOutboundCall,
  waitFor,
} from '../../execution.ts'
import { storeFile } from '../../files.ts'
import { setVariable } from '../../variables.ts'
import { failCall, type VendorCall } from './call.ts'

const DEFAULT_VENDOR_TIMEOUT_MS = 20_000

/** Maximum delay that a vendor may request. */
const MAX_RETRY_AFTER_MS = 60_000

/** Maximum size of a response of an outside service. */
export const MAX_VENDOR_RESPONSE_BYTES = 8_388_608

export interface VendorReply {
  status: number
  /** Its JSON, or its text where it is none. */
  body: unknown
  retryAfterMs: number
}

/** Sends one request; null if there is no response, which is in the log then. */
export async function sendRequest(
  run: Execution,
  made: VendorCall,
  request: VendorRequest,
): Promise<VendorReply | null> {
  const received = await sendForBytes(run, made, request)
  if (received === null) return null
  const response = withText(received)
  if (!response.ok) {
    reportFailure(run, made, response.message)
    return null
  }
  const json = parseJson(response.text)
  return {
    status: response.status,
    body: json === undefined ? response.text : json,
    retryAfterMs: retryAfterOf(response.headers, MAX_RETRY_AFTER_MS),
  }
}

/** The same for a response that is not text; null if nothing may be sent. */
export async function sendForBytes(
  run: Execution,
  made: VendorCall,
  request: VendorRequest,
): Promise<OutboundResponse | null> {
  const room = sizeOfBody(request)
  if (!(await spendOutboundCall(run, room))) return null
  const timeoutMs = made.action.timeoutMs ?? DEFAULT_VENDOR_TIMEOUT_MS
  const encoding = encodeRequest(made.call.base, request)
  // Parts of many megabytes are put together by a stream, a few at most in a turn; the rest is work on the turn.
  const encoded = await (request.parts === undefined ? encoding : waitFor(run, encoding))
  // Signs that are written as several, such as line breaks in JSON, are known only now.
  const more = typeof encoded.body === 'string' ? BYTES_PER_CHARACTER * encoded.body.length - room : 0
  if (more > 0 && !(await reserveMemory(run, more))) {
    log(run, 'error', `Not sent: ${noMemory}`)
    return null
  }
  const response = await waitFor(
    run,
    run.effects.httpRequest({
      ...encoded,
      milliseconds: Math.max(1, Math.min(timeoutMs, computeRemainingMilliseconds(run))),
      // The key is for the host of the credentials alone.
      redirects: 'none',
      maximumBytes: MAX_VENDOR_RESPONSE_BYTES,
    }),
  )
  if (made.last) {
    made.last.status = response.ok ? response.status : undefined
    made.last.reason = response.ok ? undefined : response.reason
    made.last.retryAfterMs = response.ok ? retryAfterOf(response.headers, MAX_RETRY_AFTER_MS) : 0
  }
  return response
}

/** Bytes that files and texts take in memory once more as a body, without making it. */
function sizeOfBody({ json, form = {}, parts = {} }: VendorRequest): number {
  let size = 0
  const values: unknown[] = [json, ...Object.values(form), ...Object.values(parts)]
  while (values.length > 0) {
    const value = values.pop()
    if (typeof value === 'string') size += BYTES_PER_CHARACTER * value.length
    else if (value instanceof Uint8Array) size += value.length
    else if (typeof value === 'object' && value !== null) {
      size += BYTES_PER_CHARACTER * Object.keys(value).join('').length
      values.push(...Object.values(value))
    } else size += BYTES_PER_CHARACTER
  }
  return size
}

/** Logs a failed request with the context of its action. */
export function reportFailure(run: Execution, made: VendorCall, message: string): void {
  const { row, action, block, call } = made
  const details = withoutSecrets(call.credentials, message)
  failCall(run, block, `${row.title}: the request failed`, details, action.context)
}

/** Logs a status over 399 with the response of the vendor. */
export function reportStatus(
  run: Execution,
  made: VendorCall,
  { status, body }: Pick<VendorReply, 'status' | 'body'>,
): void {
  const { row, action, block, call } = made
  const words = typeof body === 'string' ? body : (JSON.stringify(body) ?? '')
  const details = withoutSecrets(call.credentials, words)
  failCall(run, block, `${row.title} answered ${status}`, details, action.context)
}

/** The one request of an action whose row has it. */
export async function runRequest(run: Execution, made: VendorCall): Promise<void> {
  const { action, block, call } = made
  const request = action.request?.(call)
  if (request === undefined) return
  if ('description' in request) {
    log(run, request.status, request.description, { context: block.id, isInternal: true })
    return
  }
  if (action.file !== undefined) return saveFile(run, made, request, action.file)
  let response = await sendRequest(run, made, request)
  const second =
    response !== null && response.status >= 400 ? action.requestAgain?.(response.status, call) : undefined
  if (second !== undefined) response = await sendRequest(run, made, second)
  if (response === null) return
  if (response.status >= 400) return reportStatus(run, made, response)
  const saved = action.read?.(response.body, call)
  if (saved?.error !== undefined) {
    return reportFailure(run, made, saved.error)
  }
  if (saved !== undefined) saveParts(run, made, saved)
}

async function saveFile(
  run: Execution,
  made: VendorCall,
  request: VendorRequest,
  { into, name, mediaType }: NonNullable<Action['file']>,
): Promise<void> {
  const response = await sendForBytes(run, made, request)
  if (response === null) return
  if (!response.ok) return reportFailure(run, made, response.message)
  if (response.status >= 400) {
    const read = withText(response)
    return reportStatus(run, made, { status: response.status, body: read.ok ? read.text : '' })
  }
  await saveBytes(run, made, { name, mediaType, bytes: response.body }, into)
}

/** Stores a file, and saves its address in the variable of an option. */
export async function saveBytes(
  run: Execution,
  made: VendorCall,
  file: { name: string; mediaType: string; bytes: Uint8Array },
  into: string,
): Promise<void> {
  const stored = await storeFile(run, file)
  if ('address' in stored) setVariable(run, made.call.options[into], stored.address)
  else
    failCall(
      run,
      made.block,
      `${made.row.title}: the file was not stored`,
      stored.problem,
      made.action.context,
    )
}

/** Saves parts of a response where the block says. Lists are replaced. */
export function saveParts(
  run: Execution,
  { block, call }: VendorCall,
  { items, variables }: ActionResult,
): void {
  for (const [option, value] of Object.entries(variables ?? {})) {
    if (value !== undefined) setVariable(run, call.options[option], value)
  }
  for (const { item, variableId } of asObjects(block.options.responseMapping)) {
    const name = filledText(item)
    const value = name !== undefined && Object.hasOwn(items ?? {}, name) ? items?.[name] : undefined
    if (value !== undefined) setVariable(run, variableId, value)
  }
}
