import { fileMediaType, type Operation } from '../../contract/kit/operation.ts'
import { readDocument } from './replay/document.ts'
import { compareResponse, sendRequest } from './replay/replay.ts'
import { createChecker } from './replay/schemas.ts'

/* A service under test, as the replay of its errors, its rejections and hostile input see it. */

/** Somebody with a token. */
export interface Caller {
  token: string
}

/** A request. Its parts need not fit the contract. */
export interface CaseRequest extends SendOptions {
  params?: Record<string, string>
  /** Absent and undefined are the same. */
  query?: Record<string, string | number | boolean | undefined>
  /** Path of the expected issue, with dots. */
  at?: string
  /** Somebody else writes while the request runs, so what is written is not compared. */
  isRace?: boolean
}

export interface SendOptions {
  as?: Caller
  /** Several values are several headers of one name. */
  headers?: Record<string, string | string[]>
  /** Sent as JSON, unless it is text or bytes, which are sent as they are. */
  body?: unknown
}

export interface Answer {
  status: number
  /** Names in lower case. */
  headers: Record<string, string>
  text: string
  /** The parsed body; undefined where the response is not JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: what it is differs from operation to operation
  body: any
}

/** Sends a request, and throws where the response is not as documented. `target` is path and query as they go out. */
export type Send = (method: string, target: string, options?: SendOptions) => Promise<Answer>

export interface Subject {
  operations: Record<string, Operation>
  send: Send
  /** Everything that is stored, as text: a rejection must not change it. */
  stored(): Promise<string>
}

export function operationOf({ operations }: Pick<Subject, 'operations'>, id: string): Operation {
  const operation = operations[id]
  if (!operation) throw new Error(`The contract has no operation ${id}`)
  return operation
}

/** The path of an operation with its parameters and query filled in. */
export function targetOf(
  { path }: Pick<Operation, 'path'>,
  { params = {}, query = {} }: Pick<CaseRequest, 'params' | 'query'> = {},
): string {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = params[name]
    if (value === undefined) throw new Error(`${path} needs the parameter ${name}`)
    return encodeURIComponent(value)
  })
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) search.set(name, String(value))
  }
  return search.size > 0 ? `${filled}?${search}` : filled
}

export const methodOf = ({ method }: Operation) => method.toUpperCase()

export function call(send: Send, operation: Operation, request: CaseRequest): Promise<Answer> {
  const { as, headers, body } = request
  return send(methodOf(operation), targetOf(operation, request), { as, headers, body })
}

/** Paths of the issues of an error, with dots. */
export function pathsOf({ body }: Answer): string[] {
  return (body?.issues ?? []).map(({ path }: { path: string[] }) => path.join('.'))
}

/** True for a path of a request that a path of the contract has room for. */
export function fitsPath(template: string, target: string): boolean {
  const wanted = template.split('/')
  const given = target.split('?', 1)[0]?.split('/') ?? []
  return (
    wanted.length === given.length &&
    wanted.every((part, at) => (part.startsWith('{') ? given[at] !== '' : part === given[at]))
  )
}

/** Sends requests to a server, and holds every response to an operation against the document. */
export function createSend(url: string, document: object): Send {
  const { operations, root } = readDocument(document)
  const checker = createChecker(root)
  const byLiterals = operations.toSorted((a, b) => a.path.split('{').length - b.path.split('{').length)
  return async (method, target, { as, headers = {}, body } = {}) => {
    const found = byLiterals.find((one) => one.method === method && fitsPath(one.path, target))
    const isFile = found?.body?.content[fileMediaType] !== undefined
    const isSent = typeof body === 'string' || body instanceof Uint8Array
    const {
      status,
      headers: received,
      text,
    } = await sendRequest(
      new URL(`${url}${target}`),
      method,
      {
        ...(body === undefined ? {} : { 'Content-Type': isFile ? fileMediaType : 'application/json' }),
        ...(as && { Authorization: `Bearer ${as.token}` }),
        ...headers,
      },
      body === undefined ? undefined : isSent ? body : JSON.stringify(body),
    )
    const differences: string[] = []
    if (found)
      compareResponse(found, { status, headers: received, text }, checker, (_kind, message) =>
        differences.push(message),
      )
    if (differences.length > 0)
      throw new Error(
        `${method} ${target} is not as documented: ${differences.join('; ')}\n${text.slice(0, 2_000)}`,
      )
    const isJson = text !== '' && /[/+]json\b/.test(received.get('content-type') ?? '')
    return {
      status,
      headers: Object.fromEntries(received),
      text,
      body: isJson ? JSON.parse(text) : undefined,
    }
  }
}
