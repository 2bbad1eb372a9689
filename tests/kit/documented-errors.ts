import { connect } from 'node:net'
import { type ErrorCode, errors } from '../../contract/kit/errors.ts'
import { fileMediaType, minimumKeyOf, type Operation } from '../../contract/kit/operation.ts'
import { MAX_BODY_BYTES } from '../../server/kit/request.ts'
import { readDocument } from './replay/document.ts'
import { type Answer, compareResponse } from './replay/replay.ts'
import { createChecker } from './replay/schemas.ts'

/*
 * Replays every response that the document of a service promises. Most errors follow from a request that succeeds, by
 * taking something away; the others have cases. The list comes from the document, so a code without a case is a gap.
 */

/** A request that leads to one outcome. */
export interface CaseRequest {
  token?: string
  params?: Record<string, string>
  query?: string
  body?: unknown
  headers?: Record<string, string>
}

export type Case = () => CaseRequest | Promise<CaseRequest>

/** Cases by outcome: `ok` for the success, and every code that does not follow from it. */
export type Cases<Ids extends string> = Record<Ids, { ok: Case } & Partial<Record<ErrorCode, Case>>>

/** A service under test. Each address is one process, or one app, over the same tables. */
export interface Subject<Ids extends string> {
  operations: Record<Ids, Operation>
  document: object
  cases: Cases<Ids>
  url: string
  /** The service with limits of one request an hour. */
  strictUrl: string
  /** The service that gives up on a request within 100 ms. */
  hastyUrl: string
  /** The service without its database. */
  strandedUrl: string
  /** Runs while a table that each operation needs is away. */
  whileBroken<Value>(run: () => Promise<Value>): Promise<Value>
  /** Runs while another process holds the rows of keys. Absent for a service without keys. */
  whileKeysAreHeld?<Value>(run: () => Promise<Value>): Promise<Value>
  /** Everything that is stored, as text: a rejection must not change it. */
  stored(): Promise<string>
}

export interface ReplayedOutcome {
  operation: string
  /** Status of the document, and the code of its error. */
  outcome: string
  /** Differences from the document; empty where the outcome came as documented. */
  differences: string[]
}

export async function replayDocumented<Ids extends string>(
  subject: Subject<Ids>,
): Promise<ReplayedOutcome[]> {
  const document = readDocument(subject.document)
  const checker = createChecker(document.root)
  const replayed: ReplayedOutcome[] = []
  for (const documented of document.operations) {
    const id = documented.id as Ids
    for (const status of Object.keys(documented.responses)) {
      const code = codeOf(Number(status))
      let before = ''
      const mark = async () => {
        before = await subject.stored()
      }
      const answer = await provoke(subject, id, Number(status), code, mark).catch((error: Error) => error)
      const differences: string[] = []
      const find = (_kind: string, message: string) => void differences.push(message)
      if (answer instanceof Error) differences.push(answer.message)
      else if (answer.status !== Number(status)) differences.push(`${answer.status} came: ${answer.text}`)
      else {
        compareResponse(documented, answer, checker, find)
        if (code && !answer.text.includes(`"code":"${code}"`)) find('body', `the body lacks ${code}`)
        if (code && (await subject.stored()) !== before) find('body', 'the rejection wrote something')
      }
      replayed.push({ operation: id, outcome: code ? `${status} ${code}` : status, differences })
    }
  }
  return replayed
}

function codeOf(status: number): ErrorCode | undefined {
  return (Object.keys(errors) as ErrorCode[]).find((code) => errors[code].status === status)
}

/** Gets one outcome. `mark` is called right before the request that gets it, after all that it needs was made. */
async function provoke<Ids extends string>(
  subject: Subject<Ids>,
  id: Ids,
  status: number,
  code: ErrorCode | undefined,
  mark: () => Promise<void>,
): Promise<Answer> {
  const operation = subject.operations[id]
  const { url, cases } = subject
  const refused = async (to: string, request: CaseRequest, body?: string) => {
    await mark()
    return send(to, operation, request, body)
  }
  const written = code && cases[id][code]
  if (written) return refused(url, await written())
  const request = await cases[id].ok()
  const withHeaders = (headers: Record<string, string>) => ({
    ...request,
    headers: { ...request.headers, ...headers },
  })
  const keyed = withHeaders({ 'Idempotency-Key': crypto.randomUUID() })
  if (status === 304) {
    const first = await send(url, operation, request)
    return send(url, operation, withHeaders({ 'If-None-Match': first.headers.get('etag') ?? '' }))
  }
  switch (code) {
    case undefined:
      return send(url, operation, request)
    case 'UNAUTHORIZED':
      return refused(url, { ...request, token: undefined })
    case 'BAD_REQUEST':
      return refused(url, { ...request, query: 'nonsense=1' })
    case 'PRECONDITION_FAILED':
      return refused(url, withHeaders({ 'If-Match': '"other"' }))
    case 'UNSUPPORTED_MEDIA_TYPE':
      return refused(url, { body: {}, ...withHeaders({ 'Content-Type': 'text/plain' }) })
    case 'PAYLOAD_TOO_LARGE': {
      const size = MAX_BODY_BYTES[operation.bodySize ?? 'small'] + 1
      return refused(url, request, JSON.stringify(request.body ?? {}).padEnd(size))
    }
    case 'IDEMPOTENCY_MISMATCH':
      await send(url, operation, keyed)
      return refused(url, keyed, `${JSON.stringify(request.body ?? {})} `)
    case 'CONFLICT':
      if (!minimumKeyOf(operation) || !subject.whileKeysAreHeld) break
      await mark()
      return subject.whileKeysAreHeld(() => send(url, operation, keyed))
    case 'TOO_MANY_REQUESTS':
      await send(subject.strictUrl, operation, request)
      return refused(subject.strictUrl, request)
    case 'REQUEST_TIMEOUT':
      await mark()
      return sendHalf(subject.hastyUrl, operation, request)
    case 'REQUEST_HEADER_FIELDS_TOO_LARGE':
      return refused(url, withHeaders({ 'X-Long': 'x'.repeat(17_000) }))
    case 'SERVICE_UNAVAILABLE':
      return refused(subject.strandedUrl, request)
    case 'INTERNAL_SERVER_ERROR':
      await mark()
      return subject.whileBroken(() => send(url, operation, request))
  }
  throw new Error(`no case provokes ${code}`)
}

function pathOf({ path }: Operation, { params = {}, query }: CaseRequest): string {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ''))
  return query ? `${filled}?${query}` : filled
}

async function send(
  url: string,
  operation: Operation,
  request: CaseRequest,
  body = request.body === undefined ? undefined : JSON.stringify(request.body),
): Promise<Answer> {
  const type = operation.fileBody ? fileMediaType : 'application/json'
  const response = await fetch(url + pathOf(operation, request), {
    method: operation.method.toUpperCase(),
    headers: {
      ...(body === undefined ? {} : { 'Content-Type': type }),
      ...(request.token === undefined ? {} : { Authorization: `Bearer ${request.token}` }),
      Connection: 'close',
      ...request.headers,
    },
    ...(body === undefined ? {} : { body }),
  })
  return { status: response.status, headers: response.headers, text: await response.text() }
}

/** Sends the head of a request, and waits for what comes without a body. */
function sendHalf(url: string, operation: Operation, request: CaseRequest): Promise<Answer> {
  const { hostname, port, host } = new URL(url)
  const head = [
    `${operation.method.toUpperCase()} ${pathOf(operation, request)} HTTP/1.1`,
    `Host: ${host}`,
    'Content-Type: application/json',
    'Content-Length: 100',
    `Authorization: Bearer ${request.token}`,
  ]
  return new Promise((resolve, reject) => {
    let received = ''
    const socket = connect(Number(port), hostname, () => socket.write(`${head.join('\r\n')}\r\n\r\n`))
    socket.setEncoding('utf8')
    socket.on('data', (chunk) => (received += chunk))
    socket.on('error', reject)
    socket.on('close', () => {
      const [top = '', text = ''] = received.split('\r\n\r\n')
      const [first = '', ...lines] = top.split('\r\n')
      const pairs = lines.map((line) => line.split(/: (.*)/s).slice(0, 2) as [string, string])
      resolve({ status: Number(first.split(' ')[1]), headers: new Headers(pairs), text })
    })
  })
}
