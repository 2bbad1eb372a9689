import type { ErrorCode, Issue } from './errors.ts'
import type { z } from './zod.ts'

/** Definition of an operation: everything a caller must know, and the single source of all generated files. */
export interface Operation {
  method: 'get' | 'post' | 'patch' | 'delete'
  /** Path with parameters in braces, such as `/v1/folders/{folderId}`. */
  path: `/${string}`
  tag: Tag
  /** At most 60 characters, no full stop. */
  summary: string
  description: string
  access: Access
  /**
   * Scope that a token needs, if it differs from the one that `scopeOf` derives from method and tag; `any` for every
   * token.
   */
  scope?: Scope | 'any'
  params?: z.ZodObject
  query?: z.ZodObject
  body?: z.ZodType
  /** Describes the maximum size of a file body. The handler streams its bytes. */
  fileBody?: string
  /** The largest body accepted; `document` is for operations that carry a whole bot. */
  bodySize?: 'small' | 'document'
  /** True if the body is data of another service: numbers beyond JavaScript's precision keep their source text. */
  keepsNumbers?: true
  /** Parts of a current document in `body.bot` that the handler gets as raw JSON alone. */
  documentParts?: Record<string, z.ZodType>
  /**
   * Filters of the query. A request without any of them means everything, so the router then rejects a `Content-Type`
   * header, and a body in any case: only a bare request means everything.
   */
  everythingWithout?: readonly string[]
  /** True if an operation without a token takes an idempotency key. The key must be long, so that nobody guesses it. */
  takesLongKey?: true
  /** True if its transaction also adds an entry to the audit log of the workspace. */
  isAudited?: true
  /** True if it calls other services. It must not do so within a transaction, hence its handler uses `once`. */
  callsOut?: true
  /**
   * True if it waits for names, files or checks before it writes. Its handler then opens the transaction of the
   * idempotency key itself, by `within`, and waits for nothing but the database in it.
   */
  preparesFirst?: true
  /** Offers a read to agents as a tool of `/mcp`, with its path and query parameters as arguments. */
  tool?: { name: string; description: string }
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

interface Success {
  status: 200 | 201
  description: string
  body: z.ZodType
  /** Template of the `Location` header, with paths into the response in braces: `/v1/folders/{folder.id}`. */
  location?: string
  /**
   * Path to the id of the created record, if the response has a secret. The secret is never stored, so a repeated
   * request gets the id alone.
   */
  secretOf?: string
  /** Path to the id of a result in the response. The response is stored only as long as that result. */
  resultOf?: string
  examples: Record<string, Example>
  /** Response to `Prefer: return=minimal`, with its own media type. */
  minimal?: { body: z.ZodType; examples: Record<string, Example> }
  /** Media type of a response that is not JSON but a stream of text. */
  mediaType?: 'text/csv'
  /** Second media type of a stream. The handler chooses between both. */
  otherMedia?: {
    mediaType: 'application/x-ndjson' | 'text/event-stream'
    /** Component of one line or event of the stream. */
    item: 'Result' | 'ChatEvent' | 'SessionEvent'
    body: z.ZodType
    examples: Record<string, Example>
  }
  /** Its own headers, by name, with the components that describe them. */
  headers?: Record<string, 'NextCursor' | 'ResultsRemaining' | 'FileName'>
}

/** Response that is not JSON. The server sends one piece at a time, when the client has read the one before. */
export interface Stream {
  mediaType: string
  headers: Record<string, string>
  pieces: AsyncIterable<string>
}

/** Media type of responses to `Prefer: return=minimal`, so that a media type has one schema per operation. */
export const minimalMediaType = 'application/vnd.bot-builder.minimal+json'

export interface Example {
  summary: string
  value: unknown
}

export interface ErrorExample {
  summary: string
  issues: readonly Issue[]
}

export const tags = {
  workspaces: { name: 'Workspaces', description: 'Where bots and folders live, and who may use them.' },
  members: { name: 'Members', description: 'The people of a workspace and their roles.' },
  credentials: {
    name: 'Credentials',
    description: 'Keys and accounts of outside services that the bots of a workspace use.',
  },
  folders: { name: 'Folders', description: 'Folders organise the bots of a workspace and can be nested.' },
  bots: {
    name: 'Bots',
    description:
      'Bots and the draft of their flow, theme and settings; duplicates and moves by export and import.',
  },
  publishing: {
    name: 'Publishing',
    description: 'Publishing copies the draft, so that chats run a state that no edit can change.',
  },
  results: { name: 'Results', description: 'What people answered when they talked to a bot.' },
  analytics: { name: 'Analytics', description: 'How often a bot was seen, started and completed.' },
  chat: {
    name: 'Chat',
    description:
      'What a chat client calls while somebody talks to a bot, turn by turn, and how members steer chats.',
  },
  webhooks: {
    name: 'Webhooks',
    description: 'Endpoints of a workspace that are told what happens, and what was delivered to them.',
  },
  'current-user': {
    name: 'Current user',
    description: 'The user that a token stands for, and the browsers in which they are signed in.',
  },
  tokens: { name: 'Tokens', description: "The caller's access tokens, which stand for the caller." },
} as const

type Tag = keyof typeof tags

export const roles = ['ADMIN', 'MEMBER', 'GUEST'] as const
export type Role = (typeof roles)[number]

/** Scopes that a token can be limited to. A token without a list has all. */
export const scopes = ['read', 'write', 'results', 'chat-admin'] as const
export type Scope = (typeof scopes)[number]

/**
 * Access that an operation requires. For a record, it names the minimum role in its workspace; `missing` is the
 * code of the response if there is no such record.
 */
export type Access =
  | { kind: 'anyone' }
  /** `isUnbound` excludes tokens that are bound to a workspace. */
  | { kind: 'user'; isUnbound?: true }
  | { kind: 'workspace'; role: Role; place: 'path' | 'query' | 'body'; missing: 'NOT_FOUND' | 'FORBIDDEN' }
  | { kind: 'folder'; role: Role; missing: 'NOT_FOUND' }
  | { kind: 'bot'; role: Role; missing: 'NOT_FOUND' | 'FORBIDDEN'; publicShare: boolean }

export type AccessKind = Access['kind']

type AccessOf<Kind extends AccessKind> = Extract<Access, { kind: Kind }>

export const anyone: AccessOf<'anyone'> = { kind: 'anyone' }
export const user: AccessOf<'user'> = { kind: 'user' }

export function workspace(
  role: Role,
  place: 'path' | 'query' | 'body' = 'path',
  missing: 'NOT_FOUND' | 'FORBIDDEN' = 'NOT_FOUND',
): AccessOf<'workspace'> {
  return { kind: 'workspace', role, place, missing }
}

export function folder(role: Role): AccessOf<'folder'> {
  return { kind: 'folder', role, missing: 'NOT_FOUND' }
}

export function bot(
  role: Role,
  {
    missing = 'NOT_FOUND',
    publicShare = false,
  }: { missing?: 'NOT_FOUND' | 'FORBIDDEN'; publicShare?: boolean } = {},
): AccessOf<'bot'> {
  return { kind: 'bot', role, missing, publicShare }
}

/** Access that an operation requires, with the scope of the token if it needs one. */
export type Need = AccessOf<'anyone'> | (Exclude<Access, { kind: 'anyone' }> & { scope: Scope | 'any' })

export function needOf(operation: Operation): Need {
  const { access } = operation
  return access.kind === 'anyone' ? access : { ...access, scope: scopeOf(operation) }
}

function scopeOf({ method, tag, scope }: Operation): Scope | 'any' {
  if (scope) return scope
  if (tag === 'results') return 'results'
  if (tag === 'chat') return 'chat-admin'
  return method === 'get' ? 'read' : 'write'
}

/** Keeps the literal types of the operations of one resource. */
export const define = <const Operations extends Record<string, Operation>>(operations: Operations) =>
  operations

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
  const isForEveryToken = access.kind === 'user' && !access.isUnbound && operation.scope === 'any'
  if (access.kind !== 'anyone' && !isForEveryToken) codes.add('FORBIDDEN')
  if ('role' in access) codes.add(access.missing)
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
interface Contract {
  access: AccessKind
  params: unknown
  query: unknown
  body: unknown
  reply: unknown
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

/** Body with a bot whose `Names` the handler must take from the raw JSON: their parsed values may be wrong. */
export type WithoutParts<Body extends { bot: object }, Names extends string> = Omit<Body, 'bot'> & {
  bot: Without<Body['bot'], Names>
}
/** Omits the names from each member of a union by itself. */
type Without<Value, Names extends string> = Value extends object ? Omit<Value, Names> : never

/** Result of a handler. Only `reply` can make one, so a handler cannot send what its operation does not declare. */
interface Result<O extends Contract> {
  readonly [brand]: O
}

interface Reply<O extends Contract> {
  /** `etag` is the entity tag of the record after this request. */
  ok(body: O['reply'], etag?: string): Result<O>
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
  fail(code: O['error'], issues?: Issue[]): Result<O>
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
      | 'last-event-id',
  ): string | undefined
}

/** `Contexts` has the type of the context that the server gives handlers, by kind of access. */
export type Handler<O extends Contract, Contexts extends Record<AccessKind, unknown>> = (
  request: Request<O>,
  reply: Reply<O>,
  context: Contexts[O['access']],
) => Promise<Result<O>>
