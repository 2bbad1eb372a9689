import type { AnyIssue, ErrorCode } from './errors.ts'
import type { z } from './zod.ts'

/** Definition of an operation: everything a caller must know, and the single source of all generated files. */
export interface Operation {
  method: 'get' | 'post' | 'put' | 'patch' | 'delete'
  /** Path with parameters in braces, such as `/v1/books/{bookId}`. */
  path: `/${string}`
  /** Paths at which people look for it, since other services have it there. A 404 there names the right one. */
  soughtAt?: readonly `/${string}`[]
  tag: string
  /** At most 60 characters, no full stop. */
  summary: string
  description: string
  access: Access
  /** Scope that a token needs; `any` for every token. A service may derive it where it is absent. */
  scope?: string
  params?: z.ZodObject
  query?: z.ZodObject
  body?: z.ZodType
  /** Describes the maximum size of a file body. The handler streams its bytes. */
  fileBody?: string
  /** The largest body accepted; `document` is for operations that carry a whole document. */
  bodySize?: 'small' | 'document'
  /** True if the body is data of another service: numbers beyond JavaScript's precision retain their source text. */
  keepsNumbers?: true
  /**
   * Filters of the query. A request without any of them means everything, so the router then rejects a `Content-Type`
   * header, and a body in any case: only a bare request means everything.
   */
  everythingWithout?: readonly string[]
  /** True if an operation without a token takes an idempotency key. The key must be long enough not to be guessed. */
  takesLongKey?: true
  /** True if it calls other services. It must not do so within a transaction, hence its handler uses `once`. */
  callsOut?: true
  /**
   * True if it waits for names, files or checks before it writes, or inserts the key itself. Its handler then opens the
   * transaction of the idempotency key, by `within`, and waits for nothing but the database in it.
   */
  preparesFirst?: true
  /** True if its handler sends requests to other operations, in the name of its caller. */
  dispatches?: true
  /** True if pages of other origins may call it. */
  isCrossOrigin?: boolean
  /**
   * True if it takes `If-Match` and `If-None-Match`. A read of one record sends its entity tag, or 304 if the caller
   * has that state; a write applies only to the state that the request names.
   */
  isConditional?: boolean
  /** Day of deprecation, day of removal (both in UTC), and the operation to call instead. */
  deprecated?: { since: string; sunset: string; successor?: string }
  success: Success
  /** The operation's own codes, beyond those that access and input imply. */
  errors?: readonly ErrorCode[]
  /**
   * Its own examples of errors, published under its operationId beside those of other operations. Every operation that
   * lists `CONFLICT` needs one, since conflicts have no shared example.
   */
  errorExamples?: Partial<Record<ErrorCode, ErrorExample>>
  /** Named examples of the request body. */
  requestExamples?: Record<string, Example>
}

export interface Success {
  status: 200 | 201
  description: string
  body: z.ZodType
  /** Template of the `Location` header, with paths into the response in braces: `/v1/books/{book.id}`. */
  location?: string
  /**
   * Path to the id of the created record, if the response has a secret. The secret is never stored, so a repeated
   * request gets the id alone.
   */
  secretOf?: string
  /** Path to the id of a record in the response. The response is stored only as long as that record. */
  resultOf?: string
  examples: Record<string, Example>
  /** Response to `Prefer: return=minimal`, with its own media type. */
  minimal?: { mediaType: string; body: z.ZodType; examples: Record<string, Example> }
  /** Media type of a response that is not JSON but a stream of text. */
  mediaType?: 'text/csv'
  /** Second media type of a stream. The handler chooses between both. */
  otherMedia?: {
    mediaType: 'application/x-ndjson' | 'text/event-stream'
    /** Component of one line or event of the stream. */
    item: string
    /** True if the stream ends with the whole response, so that clients have a method of its own for it. */
    isTurn?: true
    body: z.ZodType
    examples: Record<string, Example>
  }
  /** Its own headers, by name, with the components that describe them. */
  headers?: Record<string, string>
}

/** Response that is not JSON. The server sends one piece at a time, when the client has read the one before. */
export interface Stream {
  mediaType: string
  headers: Record<string, string>
  pieces: AsyncIterable<string>
}

export interface Example {
  summary: string
  value: unknown
}

export interface ErrorExample {
  summary: string
  issues: readonly AnyIssue[]
}

/**
 * Access that an operation requires. For a record, it names the minimum role, and `missing`, the code of the response
 * if there is no such record.
 */
export type Access =
  | { kind: 'anyone' }
  /** `isUnbound` excludes tokens that are bound to a record. */
  | { kind: 'user'; isUnbound?: true }
  | RecordAccess

export interface RecordAccess {
  /** The path parameter with its id is called after it: `bookId` for `book`. */
  kind: string
  /** Absent if callers who may see the record may do everything with it; others get `missing`. */
  role?: string
  /** Part of the request that has the id of the record. Absent for the path. */
  idIn?: 'path' | 'query' | 'body'
  missing: 'NOT_FOUND' | 'FORBIDDEN'
}

/**
 * Returns the minimum characters of an idempotency key of an operation, undefined if it takes none. Every POST and
 * PATCH with a token takes one.
 */
export function minimumKeyOf({ method, access, takesLongKey, dispatches }: Operation): 1 | 16 | undefined {
  if (takesLongKey) return 16
  // The operations that it calls have effects of their own.
  if (dispatches) return undefined
  return (method === 'post' || method === 'patch') && access.kind !== 'anyone' ? 1 : undefined
}

/** Every error code of an operation, by status: its own, and those of idempotency keys. */
export function errorsOf(operation: Operation): ErrorCode[] {
  const codes = new Set<ErrorCode>(ownErrorsOf(operation))
  if (minimumKeyOf(operation) !== undefined) codes.add('CONFLICT').add('IDEMPOTENCY_MISMATCH')
  return order.filter((code) => codes.has(code))
}

/**
 * Error codes of a request without an idempotency key: those that access and input imply, and the operation's own.
 * All operations have 400, since any request can have an unknown query parameter.
 */
export function ownErrorsOf(operation: Operation): ErrorCode[] {
  const codes = new Set<ErrorCode>(['BAD_REQUEST'])
  const { access } = operation
  if (access.kind !== 'anyone') codes.add('UNAUTHORIZED')
  const isForEveryToken = !('role' in access) && !('isUnbound' in access) && operation.scope === 'any'
  if (access.kind !== 'anyone' && !isForEveryToken) codes.add('FORBIDDEN')
  if ('missing' in access) codes.add(access.missing)
  if (operation.isConditional) codes.add('PRECONDITION_FAILED')
  if (operation.body || operation.fileBody) codes.add('PAYLOAD_TOO_LARGE').add('UNSUPPORTED_MEDIA_TYPE')
  for (const code of operation.errors ?? []) codes.add(code)
  codes.add('TOO_MANY_REQUESTS').add('INTERNAL_SERVER_ERROR').add('SERVICE_UNAVAILABLE')
  return order.filter((code) => codes.has(code))
}

const order: readonly ErrorCode[] = [
  'BAD_REQUEST',
  'UNAUTHORIZED',
  'FORBIDDEN',
  'NOT_FOUND',
  'CONFLICT',
  'PRECONDITION_FAILED',
  'PAYLOAD_TOO_LARGE',
  'UNSUPPORTED_MEDIA_TYPE',
  'IDEMPOTENCY_MISMATCH',
  'TOO_MANY_REQUESTS',
  'INTERNAL_SERVER_ERROR',
  'SERVICE_UNAVAILABLE',
]

declare const brand: unique symbol

/** One operation as its handler sees it; `generated/handlers.ts` has one such interface per operation. */
export interface Contract {
  access: string
  params: unknown
  query: unknown
  body: unknown
  responseBody: unknown
  /** Body of the minimal response; `never` if the operation has none. */
  minimal: unknown
  error: ErrorCode
}

/** One tag as a condition names it, without its quotes. */
export interface NamedTag {
  isWeak: boolean
  tag: string
}

/** Conditions of a request on the state of its record; `*` matches any state. */
export interface Conditions {
  ifMatch?: '*' | readonly NamedTag[]
  ifNoneMatch?: '*' | readonly NamedTag[]
}

/** Body of an operation that takes a file. Reading fails if the caller disconnects. */
export interface FileBody {
  bytes: AsyncIterable<Buffer>
  /** Value of `Content-Length` in bytes, undefined if absent. */
  length: number | undefined
}

/** Media type of every file body, regardless of the file. */
export const fileMediaType = 'application/octet-stream'

/** Result of a handler. Only `respond` can make one, so a handler can send only declared responses. */
interface Result<O extends Contract> {
  readonly [brand]: O
}

interface Respond<O extends Contract, Problem extends AnyIssue> {
  /** `etag` is the entity tag of the record after this request. */
  ok(body: O['responseBody'], etag?: string): Result<O>
  /** Replaces `ok` for requests with `Prefer: return=minimal`. */
  minimal(body: O['minimal'], etag: string): Result<O>
  /** Returns 304 or 412 for a conditional read without reading the record; undefined if it must be read. */
  notModified(conditions: Conditions, etag: string): Result<O> | undefined
  /** Returns 412, since the record does not match the conditions; `etag` is its current tag. */
  preconditionFailed(
    conditions: Conditions,
    etag: 'PRECONDITION_FAILED' extends O['error'] ? string : never,
  ): Result<O>
  /** Sends events as long as there are any, each as its text, to a caller who accepts them. */
  events(pieces: AsyncIterable<string>): Result<O>
  /** `retryAfterSeconds` is for limits of the handler itself. */
  fail(code: O['error'], issues?: Problem[], retryAfterSeconds?: number): Result<O>
}

interface Request<O extends Contract> {
  params: O['params']
  query: O['query']
  body: O['body']
  /**
   * Returns the raw JSON of the properties of one object in the body, by name, in UTF-8. Values that must come back
   * unchanged are stored as this text, since the parsed body has lost the order of keys.
   */
  texts(name: string): Map<string, Buffer>
  /** Returns the body as it was sent, which a signature covers. */
  bytes(): Buffer
  conditions: Conditions
  /** True if the request has `Prefer: return=minimal` and the operation supports it. */
  prefersMinimal: boolean
  /**
   * Turns the response into a stream and returns the function that emits its events. The handler's result is the last
   * event. Absent if the operation cannot stream or the caller does not accept streams.
   */
  openEvents?: () => (event: { type: string }) => void
  /** Returns a header of the request by its name in lower case. */
  header(
    name:
      | 'origin'
      | 'sec-fetch-site'
      | 'user-agent'
      | 'accept-language'
      | 'idempotency-key'
      | 'last-event-id'
      | `x-${string}`,
  ): string | undefined
}

/** `Context` is the type of the context that the server gives the handler; `Problem` is that of the service's issues. */
export type Handler<O extends Contract, Context, Problem extends AnyIssue = AnyIssue> = (
  request: Request<O>,
  respond: Respond<O, Problem>,
  context: Context,
) => Promise<Result<O>>
