import { randomUUID } from 'node:crypto'
import {
  type ApiDocument,
  type JsonSchema,
  type Media,
  type Operation,
  type Parameter,
  responseTo,
  type SecurityScheme,
} from './document.ts'
import type { Checker } from './schemas.ts'

/* The requests that provoke, for each operation, what its document says can go wrong, and the reads that succeed. */

export interface Given {
  token?: string
  /** The security scheme that the token is for, where an operation takes one of several; absent takes the first. */
  scheme?: string
  /** Values of parameters of paths and queries, and of properties of bodies, by name: ids of test records. */
  values: Record<string, string>
  /** Bytes of a body that is too large. */
  largeBytes: number
}

export interface Attempt {
  operation: Operation
  /** Words for the report, such as `no token`. */
  name: string
  method: string
  /** Path and query. */
  target: string
  headers: Record<string, string>
  body?: string | Uint8Array
  /** True if it has the token that was given. */
  hasToken: boolean
  /** Success is drift, since the request is wrong. */
  isWrong: boolean
  /** Statuses that are natural for it, the first of which it is meant for. */
  aims: number[]
}

interface Parts {
  path?: Record<string, string>
  query?: Record<string, string | undefined>
  headers?: Record<string, string | undefined>
  body?: string | Uint8Array
  method?: string
  credentials?: 'none' | 'wrong'
}

const JSON_TYPE = /^application\/([\w.+-]+\+)?json\b/

export function attemptsOf(
  document: ApiDocument,
  operation: Operation,
  given: Given,
  checker: Checker,
): Attempt[] {
  const build = builderOf(document, operation, given, checker)
  const needsToken = operation.schemes.length > 0
  const pathParameters = operation.parameters.filter((parameter) => parameter.in === 'path')
  const attempts: (Attempt | undefined)[] = []
  const add = (name: string, aims: number[], parts: Parts, isWrong = true) =>
    attempts.push(build(name, aims, parts, isWrong))

  if (needsToken) {
    add('no token', [401, 403], { credentials: 'none' })
    add('wrong token', [401, 403], { credentials: 'wrong' })
  }
  if (pathParameters.length > 0) {
    const unknown = Object.fromEntries(pathParameters.map((one) => [one.name, unknownFor(one, checker)]))
    // Some parameters take any text, as paths of files do: then no status says that there is no such record.
    const isRejected = [404, 403, 410].some((status) => responseTo(operation, status))
    add('unknown record', [404, 403], { path: unknown }, isRejected)
  }
  for (const [name, query] of wrongQueries(operation, checker)) add(name, [400, 422], { query })
  // A service may ignore it, so that a success is none of drift.
  if (operation.method === 'GET' && operation.responses[400])
    add('unknown query', [400], { query: { 'no-such-parameter': '1' } }, false)
  for (const [name, aims, parts] of wrongBodies(operation, given, checker)) add(name, aims, parts)
  if (operation.responses[406]) add('unacceptable media type', [406], { headers: { Accept: 'image/x-none' } })
  if (operation.responses[431]) add('large headers', [431], { headers: { 'X-Large': 'x'.repeat(20_000) } })
  if (operation.responses[412]) add('other state', [412], { headers: { 'If-Match': '"no-such-state"' } })
  // Once for a path.
  const isFirst = document.methods[operation.path]?.[0] === operation.method
  const other = ['PUT', 'PATCH', 'POST', 'DELETE'].find(
    (name) => isFirst && !document.methods[operation.path]?.includes(name),
  )
  if (other) add(`method ${other}`, [405], { method: other, headers: { 'Content-Type': undefined } })
  const isKnown = pathParameters.every(({ name }) => given.values[name] !== undefined)
  if (operation.method === 'GET' && isKnown && (!needsToken || given.token)) add('read', [200], {}, false)
  return attempts.flatMap((attempt) => attempt ?? [])
}

function builderOf(document: ApiDocument, operation: Operation, given: Given, checker: Checker) {
  // A deletion that is accepted by mistake must not meet a record that exists.
  const values = operation.method === 'DELETE' ? {} : given.values
  const valueFor = (parameter: Parameter) =>
    values[parameter.name] ?? String(exampleOf(parameter, checker) ?? 'unknown')
  const body = bodyOf(operation, values, checker)

  return (name: string, aims: number[], parts: Parts, isWrong: boolean): Attempt => {
    const path = operation.path.replaceAll(/\{([^}]+)\}/g, (_, key: string) => {
      const parameter = operation.parameters.find((one) => one.in === 'path' && one.name === key)
      const value = parts.path?.[key] ?? (parameter ? valueFor(parameter) : 'unknown')
      return encodeURIComponent(value)
    })
    const query: Record<string, string | undefined> = {}
    const headers: Record<string, string | undefined> = { Accept: '*/*' }
    for (const parameter of operation.parameters) {
      if (!parameter.required) continue
      if (parameter.in === 'query') query[parameter.name] = valueFor(parameter)
      if (parameter.in === 'header') headers[parameter.name] = valueFor(parameter)
    }
    const named = operation.schemes.find((name) => name === given.scheme)
    const scheme = document.schemes[named ?? operation.schemes[0] ?? '']
    if (scheme && parts.credentials !== 'none') {
      authenticate(
        scheme,
        parts.credentials === 'wrong' ? 'wrong-token' : (given.token ?? ''),
        headers,
        query,
      )
    }
    if (body) headers['Content-Type'] = body.mediaType
    Object.assign(query, parts.query)
    Object.assign(headers, parts.headers)
    const search = new URLSearchParams(defined(query))
    const method = parts.method ?? operation.method
    const sent = parts.method ? undefined : 'body' in parts ? parts.body : body?.text
    return {
      operation,
      name,
      method,
      target: search.size > 0 ? `${path}?${search}` : path,
      headers: defined(headers),
      body: method === 'GET' || method === 'HEAD' ? undefined : sent,
      hasToken: scheme !== undefined && parts.credentials === undefined && given.token !== undefined,
      isWrong,
      aims,
    }
  }
}

function defined(record: Record<string, string | undefined>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(record).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  )
}

function authenticate(
  { type, scheme = '', in: place, name = '' }: SecurityScheme,
  token: string,
  headers: Record<string, string | undefined>,
  query: Record<string, string | undefined>,
) {
  if (type === 'apiKey' && place === 'query') query[name] = token
  else if (type === 'apiKey' && place === 'cookie') headers.Cookie = `${name}=${token}`
  else if (type === 'apiKey') headers[name] = token
  else if (scheme.toLowerCase() === 'basic')
    headers.Authorization = `Basic ${Buffer.from(token).toString('base64')}`
  else headers.Authorization = `Bearer ${token}`
}

function exampleOf({ example, examples = {}, schema }: Parameter | Media, checker: Checker): unknown {
  if (example !== undefined) return example
  const [first] = Object.values(examples)
  return first?.value !== undefined ? first.value : schema && checker.sampleOf(schema)
}

/** A value of the form of a parameter that no record has. */
function unknownFor(parameter: Parameter, checker: Checker): string {
  const schema = checker.resolve(parameter.schema ?? {})
  if (schema.format === 'uuid') return randomUUID()
  if (schema.type === 'integer' || schema.type === 'number') return String(schema.maximum ?? 2_147_483_000)
  const example = exampleOf(parameter, checker)
  const varied = String(example ?? '').replaceAll(/[a-z]|\d/g, (character) =>
    /\d/.test(character) ? '7' : 'q',
  )
  return (
    [varied, `${example}-unknown`, 'unknown'].find((text) => text && fits(text, schema, checker)) ?? 'unknown'
  )
}

const fits = (value: unknown, schema: JsonSchema, checker: Checker) =>
  checker.mistakesOf(value, schema).length === 0

/** Queries without what is required, and with values that the schema rejects. */
function wrongQueries(
  operation: Operation,
  checker: Checker,
): [string, Record<string, string | undefined>][] {
  return operation.parameters
    .filter((parameter) => parameter.in === 'query')
    .flatMap((parameter) => {
      const { name, required, schema = {} } = parameter
      const { type, enum: values, pattern, maxLength, format } = checker.resolve(schema)
      const isText = type === 'string' && (values ?? pattern ?? maxLength ?? format) !== undefined
      const candidates =
        type === 'integer' || type === 'number' || type === 'boolean'
          ? ['not-a-value!']
          : isText
            ? ['not a value!'.padEnd(Math.min(Number(maxLength ?? 0) + 1, 2_000), '!')]
            : []
      const wrong = candidates.find((text) => !fits(text, schema, checker))
      return [
        ...(required
          ? [[`without query ${name}`, { [name]: undefined }] as [string, Record<string, undefined>]]
          : []),
        ...(wrong === undefined
          ? []
          : [[`wrong query ${name}`, { [name]: wrong }] as [string, Record<string, string>]]),
      ]
    })
}

interface SampleBody {
  mediaType: string
  text: string
  /** The value, of a body in JSON. */
  value?: unknown
  schema?: JsonSchema
}

function bodyOf(
  { body }: Operation,
  values: Record<string, string>,
  checker: Checker,
): SampleBody | undefined {
  const [mediaType, media] = Object.entries(body?.content ?? {}).find(([type]) => JSON_TYPE.test(type)) ??
    Object.entries(body?.content ?? {})[0] ?? [undefined, undefined]
  if (!mediaType || !media) return undefined
  const example = exampleOf(media, checker)
  if (!JSON_TYPE.test(mediaType)) return { mediaType, text: typeof example === 'string' ? example : 'text' }
  const value =
    typeof example === 'object' && example !== null && !Array.isArray(example)
      ? Object.fromEntries(
          Object.entries(example).map(([name, inner]) => [
            name,
            typeof inner === 'string' ? (values[name] ?? inner) : inner,
          ]),
        )
      : example
  return { mediaType, text: JSON.stringify(value ?? {}), value, schema: media.schema }
}

/** Bodies that the schema rejects, and those that are too large, of another type, or none at all. */
function wrongBodies(operation: Operation, given: Given, checker: Checker): [string, number[], Parts][] {
  const sample = bodyOf(operation, operation.method === 'DELETE' ? {} : given.values, checker)
  if (!sample) return []
  const bad = [400, 422]
  const attempts: [string, number[], Parts][] = []
  if (operation.body?.required)
    attempts.push(['no body', bad, { body: undefined, headers: { 'Content-Type': undefined } }])
  attempts.push([
    'other media type',
    [415, ...bad],
    { headers: { 'Content-Type': 'application/x-none' }, body: 'x' },
  ])
  if (operation.responses[413]) {
    attempts.push(['large body', [413], { body: new Uint8Array(given.largeBytes).fill(0x20) }])
  }
  if (sample.schema === undefined) return attempts
  attempts.push(['body that is not JSON', bad, { body: '{"half": ' }])
  for (const [name, value] of wrongValues(sample.value, sample.schema, checker))
    attempts.push([name, bad, { body: JSON.stringify(value) }])
  return attempts
}

function wrongValues(value: unknown, given: JsonSchema, checker: Checker): [string, unknown][] {
  const schema = checker.resolve(given)
  const candidates: [string, unknown][] = [['body of another type', Array.isArray(value) ? {} : []]]
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    for (const required of schema.required ?? []) {
      const { [required]: _, ...rest } = value as Record<string, unknown>
      candidates.push([`body without ${required}`, rest])
    }
    for (const [name, property] of Object.entries(schema.properties ?? {})) {
      // A service may ignore what it sets itself.
      if (checker.resolve(property).readOnly === true) continue
      candidates.push([`body with a wrong ${name}`, { ...value, [name]: { wrong: ['type'] } }])
    }
    candidates.push(['body with an unknown property', { ...value, 'no-such-property': 1 }])
  }
  return candidates.filter(([, candidate]) => !fits(candidate, given, checker))
}
