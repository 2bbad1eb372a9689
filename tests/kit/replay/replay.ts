import http from 'node:http'
import https from 'node:https'
import { setTimeout as delay } from 'node:timers/promises'
import { type Attempt, attemptsOf, type Given } from './attempts.ts'
import {
  type ApiDocument,
  type DocumentedResponse,
  type Operation,
  readDocument,
  responseTo,
} from './document.ts'
import { type Checker, createChecker } from './schemas.ts'

/*
 * Replays a document against any server: provokes what the document says can go wrong, and compares each response with
 * it. A finding is where server and document differ. A documented response that did not come is no finding, but is
 * listed.
 */

export interface ReplayOptions extends Given {
  /** Address of the server, to which paths are appended. */
  server: string
  /** True for the operations to replay; absent takes all. */
  wants?: (operation: Operation) => boolean
}

export interface Finding {
  operation: string
  attempt: string
  kind: 'status' | 'media type' | 'body' | 'field' | 'header' | 'accepted' | 'allow' | 'missing'
  message: string
}

export interface Report {
  operations: number
  attempts: number
  findings: Finding[]
  /** Documented responses, as `operation status`, that came. */
  provoked: string[]
  /** Those that did not, by status. */
  unprovoked: Record<string, string[]>
  /** Attempts without a response, as servers that close the connection leave them. */
  unanswered: string[]
  /** True if each request with the token got a 401, so that nothing behind it was seen. */
  isTokenRefused: boolean
}

export interface Answer {
  status: number
  headers: Headers
  text: string
}

/** A limit of a server is waited for so many times, and so long at most. */
const MAX_WAITS = 3
const MAX_WAIT_MS = 10_000
const TIMEOUT_MS = 30_000

export async function replay(given: object, options: ReplayOptions): Promise<Report> {
  const document = readDocument(given)
  const checker = createChecker(document.root)
  const operations = document.operations.filter((operation) => options.wants?.(operation) ?? true)
  const provoked = new Set<string>()
  const report: Report = {
    operations: operations.length,
    attempts: 0,
    findings: [],
    provoked: [],
    unprovoked: {},
    unanswered: [],
    isTokenRefused: false,
  }
  const withToken: number[] = []
  for (const operation of operations) {
    const seen: { attempt: Attempt; answer: Answer }[] = []
    const look = async (attempt: Attempt) => {
      report.attempts++
      const answer = await ask(options.server, attempt, (limited) =>
        compare(document, attempt, limited, checker, report, provoked),
      )
      if (!answer) {
        report.unanswered.push(`${operation.id}: ${attempt.name}`)
        return undefined
      }
      seen.push({ attempt, answer })
      if (attempt.hasToken && attempt.method === operation.method) withToken.push(answer.status)
      compare(document, attempt, answer, checker, report, provoked)
      return answer
    }
    for (const attempt of attemptsOf(document, operation, options, checker)) {
      const answer = await look(attempt)
      const etag = answer?.headers.get('etag')
      if (attempt.name === 'read' && etag && operation.responses[304])
        await look({
          ...attempt,
          name: 'same state',
          headers: { ...attempt.headers, 'If-None-Match': etag },
          aims: [304],
        })
    }
    const own = seen.filter(({ attempt }) => attempt.method === operation.method)
    const wanted = own.some(
      ({ attempt }) => attempt.aims[0] !== 404 && operation.responses[attempt.aims[0] ?? 0],
    )
    if (wanted && own.length > 1 && own.every(({ answer }) => answer.status === 404)) {
      const message = 'each request got a 404, so the server seems not to have this operation'
      report.findings.push({ operation: operation.id, attempt: 'all', kind: 'missing', message })
    }
  }
  report.provoked = [...provoked].sort()
  report.isTokenRefused = withToken.length > 0 && withToken.every((status) => status === 401)
  for (const operation of operations) {
    for (const status of Object.keys(operation.responses)) {
      if (provoked.has(`${operation.id} ${status}`)) continue
      const others = report.unprovoked[status] ?? []
      report.unprovoked[status] = [...others, operation.id]
    }
  }
  return report
}

/** Sends a request; undefined if no response came. A 429 is reported, waited for, and the request is sent again. */
async function ask(
  server: string,
  { method, target, headers, body }: Attempt,
  isLimited: (answer: Answer) => void,
): Promise<Answer | undefined> {
  for (let waits = 0; ; waits++) {
    let answer: Answer
    try {
      answer = await sendRequest(new URL(server.replace(/\/$/, '') + target), method, headers, body)
    } catch (error) {
      const { code } = error as { code?: string }
      if (code === 'ECONNREFUSED' || code === 'ENOTFOUND')
        throw new Error(`${server} does not answer: ${code}`)
      return undefined
    }
    if (answer.status !== 429 || waits === MAX_WAITS) return answer
    isLimited(answer)
    const seconds = Number(answer.headers.get('retry-after') ?? 1)
    await delay(Math.min(seconds * 1_000 || 1_000, MAX_WAIT_MS))
  }
}

export function sendRequest(
  url: URL,
  method: string,
  headers: Record<string, string | string[]>,
  body: Attempt['body'],
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    // A connection for each request: what one breaks, no other one meets.
    const options = {
      method,
      // Node itself sends the body of GET and DELETE without a length, so that no server takes it.
      headers: { ...(body !== undefined && { 'Content-Length': Buffer.byteLength(body) }), ...headers },
      agent: false,
      signal: AbortSignal.timeout(TIMEOUT_MS),
    }
    const sent = (url.protocol === 'https:' ? https : http).request(url, options, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk) => chunks.push(chunk))
      response.on('error', reject)
      response.on('end', () => {
        sent.destroy()
        const received = new Headers()
        for (const [name, values] of Object.entries(response.headersDistinct))
          for (const value of values ?? []) received.append(name, value)
        resolve({
          status: response.statusCode ?? 0,
          headers: received,
          text: Buffer.concat(chunks).toString(),
        })
      })
    })
    // After the response this says that the rest of a large body was not taken.
    sent.on('error', reject)
    sent.end(body)
  })
}

function compare(
  { methods }: ApiDocument,
  attempt: Attempt,
  answer: Answer,
  checker: Checker,
  report: Report,
  provoked: Set<string>,
) {
  const { operation, name, method, isWrong } = attempt
  const { status } = answer
  const find = (kind: Finding['kind'], message: string) =>
    report.findings.push({ operation: operation.id, attempt: name, kind, message })

  if (method !== operation.method) {
    if (status < 400)
      find('accepted', `the server answers ${status} to ${method}, which the document does not have`)
    const allow = answer.headers.get('allow')?.split(/\s*,\s*/)
    const documented = methods[operation.path] ?? []
    if (status === 405 && allow && documented.some((one) => !allow.includes(one)))
      find('allow', `Allow is ${allow.join(', ')}, and the document has ${documented.join(', ')}`)
    const others = ['HEAD', 'OPTIONS', 'TRACE', ...documented]
    const more = allow?.filter((one) => one && !others.includes(one)) ?? []
    if (more.length > 0) find('allow', `Allow has ${more.join(', ')}, which the document does not have`)
    return
  }
  if (isWrong && status < 300) {
    find('accepted', `${status}, although the request should be refused with ${attempt.aims.join(' or ')}`)
    return
  }
  const key = compareResponse(operation, answer, checker, find)
  if (key !== undefined) provoked.add(`${operation.id} ${key}`)
}

/** Compares a response with the documented one, and returns the status that it is documented under. */
export function compareResponse(
  operation: Operation,
  answer: Answer,
  checker: Checker,
  find: (kind: Finding['kind'], message: string) => void,
): string | undefined {
  const { status } = answer
  const found = responseTo(operation, status)
  if (!found) {
    find(
      'status',
      `${status} is not documented; documented are ${Object.keys(operation.responses).join(', ')}`,
    )
    return undefined
  }
  compareContent(found.response, answer, checker, find)
  return found.key
}

function compareContent(
  { headers, content }: DocumentedResponse,
  answer: Answer,
  checker: Checker,
  find: (kind: Finding['kind'], message: string) => void,
) {
  const { status } = answer
  for (const [header, { required, schema }] of Object.entries(headers)) {
    const value = answer.headers.get(header)
    if (value === null) {
      if (required) find('header', `${status} lacks the header ${header}`)
      continue
    }
    const mistakes = schema ? mistakesOfText(value, schema, checker) : []
    if (mistakes.length > 0) find('header', `${status} has ${header}: ${value}, which ${mistakes.join(', ')}`)
  }
  const media = Object.entries(content)
  if (media.length === 0) {
    if (answer.text !== '') find('media type', `${status} has a body, and none is documented`)
    return
  }
  const type = (answer.headers.get('content-type') ?? '').split(';')[0]?.trim().toLowerCase() ?? ''
  const documented = media.find(([range]) => fitsRange(type, range))
  if (!documented) {
    find(
      'media type',
      `${status} is ${type || 'without a media type'}; documented is ${media.map(([range]) => range).join(', ')}`,
    )
    return
  }
  const { schema } = documented[1]
  if (!schema || !/[/+]json$/.test(type)) return
  let value: unknown
  try {
    value = JSON.parse(answer.text)
  } catch {
    find('body', `${status} has a body that is not JSON`)
    return
  }
  const mistakes = checker.mistakesOf(value, schema)
  if (mistakes.length > 0) find('body', `${status}: ${mistakes.join('; ')}`)
  const more = mistakes.length === 0 ? checker.undocumentedIn(value, schema) : []
  if (more.length > 0)
    find('field', `${status} has ${more.slice(0, 5).join(', ')}, which the document does not show`)
}

function fitsRange(type: string, range: string): boolean {
  const wanted = range.split(';')[0]?.trim().toLowerCase() ?? ''
  if (wanted === '*/*' || wanted === type) return true
  return wanted.endsWith('/*') && type.startsWith(wanted.slice(0, -1))
}

/** Headers are text, whatever type the document gives them. */
function mistakesOfText(
  text: string,
  schema: Parameters<Checker['mistakesOf']>[1],
  checker: Checker,
): string[] {
  const { type } = checker.resolve(schema)
  const isNumber = type === 'integer' || type === 'number'
  const value = isNumber && text.trim() !== '' ? Number(text) : type === 'boolean' ? text === 'true' : text
  return checker.mistakesOf(value, schema)
}
