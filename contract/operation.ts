import type { ErrorCode, Issue } from './errors.ts'
import type { z } from './zod.ts'

/** What an operation is: everything a caller must know, and the single source of all that is derived. */
export interface Operation {
  method: 'get' | 'post' | 'patch' | 'delete'
  /** Path with parameters in braces, such as `/v1/folders/{folderId}`. */
  path: `/${string}`
  tag: Tag
  /** At most 60 characters, no full stop. */
  summary: string
  description: string
  access: Access
  /** What a token must be able to do, where `scopeOf` would take something else from method and tag. */
  scope?: Scope
  params?: z.ZodObject
  query?: z.ZodObject
  body?: z.ZodType
  /** The body is a file instead, as bytes that the handler takes as they come; says how large it may be. */
  fileBody?: string
  /** The largest body accepted; `document` is for operations that carry a whole bot. */
  bodySize?: 'small' | 'document'
  /** The body is data of another service: numbers that JavaScript cannot hold keep their source text. */
  keepsNumbers?: true
  /** Parts of the document in the `bot` of the body, as current versions have them: its handler has them as texts alone. */
  documentParts?: Record<string, z.ZodType>
  /**
   * The filters of the query without which the operation means everything. Any body is refused then, and any
   * Content-Type header too while all are absent: only a bare request means everything.
   */
  everythingWithout?: readonly string[]
  /** Takes an idempotency key although it needs no token. The key has to be long, since anybody could guess a short one. */
  takesLongKey?: true
  /** What it does is recorded in the audit log of the workspace, in the transaction that does it. */
  isAudited?: true
  /** Calls other services while it runs: not to be done within one transaction, hence its handler uses `once`. */
  callsOut?: true
  /**
   * Waits for more than the database before it writes (names, files, checks): its handler opens the transaction of a key
   * itself, by `within`, in which nothing but the database is waited for.
   */
  preparesFirst?: true
  /** Whether pages of other origins may call it. */
  isCrossOrigin?: boolean
  /**
   * Whether it takes `If-Match` and `If-None-Match`: a read of one record answers its entity tag and 304 where the
   * caller has it; a write is made only to the state that was named.
   */
  isConditional?: boolean
  /** Since when it is going, when it is gone (days in UTC), and the operation to call instead. */
  deprecated?: { since: string; sunset: string; successor?: string }
  success: Success
  /** The operation's own codes, beyond those that access and input imply. */
  errors?: readonly ErrorCode[]
  /**
   * Examples of errors that are its own, shown with those of other operations under its operationId. A conflict has no
   * other, so every operation that lists the code has one.
   */
  errorExamples?: Partial<Record<ErrorCode, ErrorExample>>
  /** Named examples of the request body. */
  requestExamples?: Record<string, Example>
}

interface Success {
  status: 200 | 201
  description: string
  body: z.ZodType
  /** Where the created record is, with paths into the answer in braces: `/v1/folders/{folder.id}`. */
  location?: string
  /**
   * Where the answer holds a secret, the path in it to the id of what was made. The secret is never stored: who
   * repeats the request is told the id alone.
   */
  secretOf?: string
  /** Where the response has the id of a result that it tells about: it is not kept longer than that. */
  resultOf?: string
  examples: Record<string, Example>
  /** What is answered to `Prefer: return=minimal`, under a media type of its own. */
  minimal?: { body: z.ZodType; examples: Record<string, Example> }
  /** The media type where it is not JSON; the body is then a stream of text. */
  mediaType?: 'text/csv'
  /** Another media type of such a stream, of which the handler chooses one. */
  otherMedia?: {
    mediaType: 'application/x-ndjson' | 'text/event-stream'
    /** Name of the component that one line or event of the stream has. */
    item: 'Result' | 'ChatEvent'
    body: z.ZodType
    examples: Record<string, Example>
  }
  /** Headers of its own, with the components of the document that describe them. */
  headers?: Record<string, 'NextCursor' | 'ResultsRemaining' | 'FileName'>
}

/** What a handler replies where the answer is no JSON: it is sent piece by piece, each when the last one was taken. */
export interface Stream {
  mediaType: string
  headers: Record<string, string>
  pieces: AsyncIterable<string>
}

/** Of answers to `Prefer: return=minimal`, so that a media type has one schema per operation. */
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
      'What a chat client calls while somebody talks to a bot, step by step, and how members steer chats.',
  },
  webhooks: {
    name: 'Webhooks',
    description: 'Endpoints of a workspace that are told what happens, and what was delivered to them.',
  },
  tokens: { name: 'Tokens', description: "The caller's access tokens, which stand for the caller." },
} as const

type Tag = keyof typeof tags

export const roles = ['ADMIN', 'MEMBER', 'GUEST'] as const
export type Role = (typeof roles)[number]

/** What a token can be limited to. A token without a list has them all. */
export const scopes = ['read', 'write', 'results', 'chat-admin'] as const
export type Scope = (typeof scopes)[number]

/**
 * Who may call an operation. For a record, the least role needed in its workspace; `missing` is what a
 * caller is told when there is no such record.
 */
export type Access =
  | { kind: 'anyone' }
  /** `isUnbound` is for what no token may do that is bound to a workspace. */
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

/** What an operation asks of its caller: the access, and the scope of the token where it needs one. */
export type Need = AccessOf<'anyone'> | (Exclude<Access, { kind: 'anyone' }> & { scope: Scope })

export function needOf(operation: Operation): Need {
  const { access } = operation
  return access.kind === 'anyone' ? access : { ...access, scope: scopeOf(operation) }
}

function scopeOf({ method, tag, scope }: Operation): Scope {
  if (scope) return scope
  if (tag === 'results') return 'results'
  if (tag === 'chat') return 'chat-admin'
  return method === 'get' ? 'read' : 'write'
}

/** Keeps the literal types of the operations of one resource. */
export const define = <const Operations extends Record<string, Operation>>(operations: Operations) =>
  operations

/**
 * The fewest characters of an idempotency key that may be sent with an operation; undefined where none is taken.
 * Every POST and PATCH with a token takes one.
 */
export function minimumKeyOf({ method, access, takesLongKey }: Operation): 1 | 16 | undefined {
  if (takesLongKey) return 16
  return (method === 'post' || method === 'patch') && access.kind !== 'anyone' ? 1 : undefined
}

/** Every code an operation can answer, in the order of their statuses: its own, and what a key can lead to. */
export function errorsOf(operation: Operation): ErrorCode[] {
  const codes = new Set<ErrorCode>(ownErrorsOf(operation))
  if (minimumKeyOf(operation) !== undefined) codes.add('CONFLICT').add('IDEMPOTENCY_MISMATCH')
  return order.filter((code) => codes.has(code))
}

/**
 * The codes that a request without an idempotency key can be answered with: what access and input imply, and the
 * operation's own. Any operation can meet an unknown query parameter, hence 400 on all.
 */
export function ownErrorsOf(operation: Operation): ErrorCode[] {
  const codes = new Set<ErrorCode>(['BAD_REQUEST'])
  const { access } = operation
  if (access.kind !== 'anyone') codes.add('UNAUTHORIZED').add('FORBIDDEN')
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
  /** What a caller gets who wants little; never where they get the reply all the same. */
  minimal: unknown
  error: ErrorCode
}

/** One tag as a condition names it, without its quotes. */
export interface NamedTag {
  isWeak: boolean
  tag: string
}

/** What a request says of the state that it is about; `*` is any. */
export interface Conditions {
  ifMatch?: '*' | readonly NamedTag[]
  ifNoneMatch?: '*' | readonly NamedTag[]
}

/** The body of an operation that takes a file. Reading it fails when the caller goes away. */
export interface FileBody {
  bytes: AsyncIterable<Buffer>
  /** In bytes, where the caller said so. */
  length: number | undefined
}

/** The media type of such a body, whatever the file is. */
export const fileMediaType = 'application/octet-stream'

/** A body whose bot has some properties as texts alone: what is in their place may not be what was sent. */
export type WithoutParts<Body extends { bot: object }, Names extends string> = Omit<Body, 'bot'> & {
  bot: Without<Body['bot'], Names>
}
/** Of each member of a union by itself. */
type Without<Value, Names extends string> = Value extends object ? Omit<Value, Names> : never

/** What a handler returns. Only `reply` can make one, so a handler cannot answer what its operation does not declare. */
interface Result<O extends Contract> {
  readonly [brand]: O
}

interface Reply<O extends Contract> {
  /** `etag` is the entity tag of the record as this answer, or a read after it, shows it. */
  ok(body: O['reply'], etag?: string): Result<O>
  /** In place of `ok`, for callers who prefer little. */
  minimal(body: O['minimal'], etag: string): Result<O>
  /** What a conditional read is answered without the record being read: 304 or 412. Undefined where it is to be read. */
  unread(conditions: Conditions, etag: string): Result<O> | undefined
  /** The record is in another state than the conditions want; `etag` is its tag. */
  stale(conditions: Conditions, etag: 'PRECONDITION_FAILED' extends O['error'] ? string : never): Result<O>
  fail(code: O['error'], issues?: Issue[]): Result<O>
}

interface Request<O extends Contract> {
  params: O['params']
  query: O['query']
  body: O['body']
  /**
   * JSON of the properties of one object in the body, by name, in UTF-8, as they were sent. What is to be given
   * back unchanged is stored as this text: the parsed body has lost the order of keys.
   */
  texts(name: string): Map<string, Buffer>
  conditions: Conditions
  /** Whether the caller sent `Prefer: return=minimal` to an operation that knows it. */
  prefersMinimal: boolean
  /**
   * Makes the answer a stream of events, and gives what tells them; the reply of the handler is its last one. Absent
   * where the operation has no such answer, or the caller does not accept it.
   */
  openEvents?: () => (event: { type: string }) => void
  /** A header of the request, by its name in lower case. */
  header(
    name: 'origin' | 'sec-fetch-site' | 'user-agent' | 'accept-language' | 'idempotency-key',
  ): string | undefined
}

/** `Contexts` says what the server hands to a handler for each kind of access. */
export type Handler<O extends Contract, Contexts extends Record<AccessKind, unknown>> = (
  request: Request<O>,
  reply: Reply<O>,
  context: Contexts[O['access']],
) => Promise<Result<O>>
