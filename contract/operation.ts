import type { Issue } from './errors.ts'
import type { ErrorCode } from './kit/errors.ts'
import type * as kit from './kit/operation.ts'
import type { z } from './kit/zod.ts'

/** Definition of an operation of this service. */
export interface Operation extends kit.Operation {
  tag: Tag
  access: Access
  /** Scope that a token needs, if it differs from the one that `scopeOf` derives from method and tag. */
  scope?: Scope | 'any'
  /** Parts of a current document in `body.bot` that the handler gets as raw JSON alone. */
  documentParts?: Record<string, z.ZodType>
  /** True if its transaction also adds an entry to the audit log of the workspace. */
  isAudited?: true
  /** Offers a read to agents as a tool of `/mcp`, with its path and query parameters as arguments. */
  tool?: { name: string; description: string }
  errorExamples?: Partial<Record<ErrorCode, ErrorExample>>
}

export interface ErrorExample {
  summary: string
  issues: readonly Issue[]
}

export const tags = {
  workspaces: {
    name: 'Workspaces',
    description: 'Workspaces contain bots and folders, and their members may use them.',
  },
  members: { name: 'Members', description: 'The users of a workspace and their roles.' },
  credentials: {
    name: 'Credentials',
    description: 'Keys and accounts of outside services that the bots of a workspace use.',
  },
  folders: { name: 'Folders', description: 'Folders organise the bots of a workspace and can be nested.' },
  bots: {
    name: 'Bots',
    description:
      'Bots and the drafts of their flow, theme and settings; duplicates and moves by export and import.',
  },
  publishing: {
    name: 'Publishing',
    description: 'Publishing copies the draft, so that chats run a state that no edit can change.',
  },
  results: { name: 'Results', description: 'Answers of visitors to the questions of a bot.' },
  analytics: { name: 'Analytics', description: 'Numbers of views, starts and completions of a bot.' },
  chat: {
    name: 'Chat',
    description: 'Operations of chat clients, turn by turn, and of members who steer chats.',
  },
  webhooks: {
    name: 'Webhooks',
    description: 'Endpoints that receive the events of a workspace, and the deliveries to them.',
  },
  'current-user': {
    name: 'Current user',
    description: 'The user of a token, and the browsers in which they are signed in.',
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
  | { kind: 'workspace'; role: Role; idIn: 'path' | 'query' | 'body'; missing: 'NOT_FOUND' | 'FORBIDDEN' }
  | { kind: 'folder'; role: Role; missing: 'NOT_FOUND' }
  | { kind: 'bot'; role: Role; missing: 'NOT_FOUND' | 'FORBIDDEN'; publicShare: boolean }

export type AccessKind = Access['kind']

type AccessOf<Kind extends AccessKind> = Extract<Access, { kind: Kind }>

export const anyone: AccessOf<'anyone'> = { kind: 'anyone' }
export const user: AccessOf<'user'> = { kind: 'user' }

export function workspace(
  role: Role,
  idIn: 'path' | 'query' | 'body' = 'path',
  missing: 'NOT_FOUND' | 'FORBIDDEN' = 'NOT_FOUND',
): AccessOf<'workspace'> {
  return { kind: 'workspace', role, idIn, missing }
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

/** Media type of responses to `Prefer: return=minimal`, so that a media type has one schema per operation. */
export const minimalMediaType = 'application/vnd.bot-builder.minimal+json'

/** Preserves the literal types of the operations of one resource. */
export const define = <const Operations extends Record<string, Operation>>(operations: Operations) =>
  operations

/** Body with a bot whose `Names` the handler must take from the raw JSON: their parsed values may be wrong. */
export type WithoutParts<Body extends { bot: object }, Names extends string> = Omit<Body, 'bot'> & {
  bot: Without<Body['bot'], Names>
}
/** Omits the names from each member of a union by itself. */
type Without<Value, Names extends string> = Value extends object ? Omit<Value, Names> : never

/** `Contexts` has the type of the context that the server gives handlers, by kind of access. */
export type Handler<
  O extends kit.Contract & { access: AccessKind },
  Contexts extends Record<AccessKind, unknown>,
> = kit.Handler<O, Contexts[O['access']], Issue>
