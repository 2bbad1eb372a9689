import type { ErrorCode } from '../errors.ts'
import { minimumKeyOf, type Operation } from '../operation.ts'
import type { Operation as Call } from './client/runtime.ts'
import { responseName } from './errors.ts'
import { listOf } from './overlay.ts'
import { type JsonObject, nameOf } from './schemas.ts'

/* Operations as methods of a client, in any language. */

/** One method of a client. */
export interface Method {
  resource: string
  name: string
  /** The id of its operation. */
  id: string
  operation: Operation
  /** Properties that the runtime needs to call it. */
  call: Call
  /** Names of the parameters of the path. */
  ids: string[]
  /** The schema of the body, unless that is a file. */
  body?: { name: string; isRequired: boolean }
  isQueryOptional: boolean
  /** Schemas of its JSON response and of its minimal response. Absent if there is none. */
  responseBody?: string
  minimal?: string
  /** True if a write takes `If-Match`. */
  isConditional: boolean
}

/** Returns the first method of an operation, the one that samples use. */
export function callOf(id: string, operation: Operation, document: JsonObject): Method {
  return methodsOf(id, operation, document)[0] as Method
}

type Content = Record<string, { schema: { $ref?: string } }>

interface Published {
  requestBody?: { required?: boolean; content: Content }
  responses: Record<string, { content: Content }>
}

export function methodsOf(id: string, operation: Operation, document: JsonObject): Method[] {
  const { method, path, tag, access, success, everythingWithout } = operation
  const published = (document.paths as Record<string, Record<string, Published>>)[path]?.[method] as Published
  const { content = {} } = published.responses[success.status] ?? {}
  const [page = '', little] = Object.values(content).map(({ schema }) => nameOf(schema.$ref ?? ''))
  const isKeyed = minimumKeyOf(operation) !== undefined
  const isRaw = success.mediaType !== undefined
  const entries = operation.query?.shape.cursor && !isRaw ? listOf(page, document) : undefined
  const isFile = operation.fileBody !== undefined
  const [sent] = isFile ? [] : Object.values(published.requestBody?.content ?? {})
  const isDeletion = method === 'delete' && everythingWithout === undefined
  const timeout = isFile ? UPLOAD_TIMEOUT_MS : operation.callsOut ? CALL_TIMEOUT_MS : undefined
  const whole: Method = {
    ...nameMethod(tag, id),
    id,
    operation,
    call: {
      method: method.toUpperCase(),
      path,
      ...(sent ? { body: true } : {}),
      ...(isFile ? { body: true, file: true } : {}),
      ...(operation.query ? { query: true } : {}),
      ...(isKeyed ? { key: true } : {}),
      ...(access.kind === 'anyone' ? { open: true } : {}),
      ...(entries ? { entries } : {}),
      ...(isRaw ? { raw: true } : {}),
      ...(timeout === undefined ? {} : { timeout }),
      ...(isDeletion ? { repeatable: true } : {}),
    },
    ids: [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name),
    ...(sent
      ? {
          body: {
            name: nameOf(sent.schema.$ref ?? ''),
            isRequired: published.requestBody?.required === true,
          },
        }
      : {}),
    isQueryOptional: operation.query?.safeParse({}).success === true,
    ...(isRaw ? {} : { responseBody: page }),
    ...(success.minimal ? { minimal: little } : {}),
    isConditional: operation.isConditional === true && method !== 'get',
  }
  // A stream without an end is for browsers, which have a class for it.
  if (success.otherMedia?.isTurn) {
    const streamed: Method = {
      ...whole,
      name: `${whole.name}Streaming`,
      call: { ...whole.call, events: true },
      responseBody: success.otherMedia.item,
    }
    return [whole, streamed]
  }
  if (everythingWithout === undefined) return [whole]
  // Two methods, so that a forgotten argument never means everything.
  return [
    { ...whole, call: { ...whole.call, needs: everythingWithout }, isQueryOptional: false },
    { ...whole, name: `${whole.name}All`, call: { method: whole.call.method, path } },
  ]
}

/** Default timeout of operations that call other services, in milliseconds. */
const CALL_TIMEOUT_MS = 150_000
const UPLOAD_TIMEOUT_MS = 600_000

/**
 * Resource and verb of a method: `updateBook` becomes `books.update`, `getLoan` becomes `loans.get`. If the
 * noun is the tag, the tag is the resource: `sendMail` becomes `mail.send`.
 */
function nameMethod(tag: string, id: string): { resource: string; name: string } {
  const [, name = '', noun = ''] = /^([a-z]+)(.*)$/.exec(id) ?? []
  const plural = pluralOf(noun)
  const resource = plural.charAt(0).toLowerCase() + plural.slice(1)
  const tagged = tag.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase())
  return { resource: resource === `${tagged}s` ? tagged : resource, name }
}

function pluralOf(noun: string): string {
  if (noun.endsWith('s')) return noun
  if (noun.endsWith('y')) return `${noun.slice(0, -1)}ies`
  return noun.endsWith('lf') ? `${noun.slice(0, -1)}ves` : `${noun}s`
}

export function groupsOf(methods: Method[]): [string, Method[]][] {
  const groups = new Map<string, Method[]>()
  for (const method of methods) {
    const group = groups.get(method.resource) ?? []
    if (group.some(({ name }) => name === method.name))
      throw new Error(`The client would have two methods ${method.resource}.${method.name}`)
    groups.set(method.resource, [...group, method])
  }
  return [...groups]
}

export function classOf(code: ErrorCode): string {
  return `${responseName(code).replace(/Error$/, '')}Error`
}
