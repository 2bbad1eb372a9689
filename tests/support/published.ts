import { hash } from 'node:crypto'
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Ajv2020, Options, ValidateFunction } from 'ajv/dist/2020.js'
import { root } from '../../server/root.ts'

/*
 * The published document, read from disk, and the check that an answer is one of those it promises. It
 * knows nothing of the contract the document was made from, so that an error of the emitter is seen too.
 */

export interface JsonSchema {
  $ref?: string
  type?: string | string[]
  properties?: Record<string, JsonSchema>
  additionalProperties?: JsonSchema | boolean
  items?: JsonSchema
  oneOf?: JsonSchema[]
  anyOf?: JsonSchema[]
  discriminator?: { propertyName: string; mapping: Record<string, string> }
  enum?: unknown[]
  [keyword: string]: unknown
}

interface PublishedHeader {
  required?: boolean
  schema: JsonSchema
  [key: string]: unknown
}

export interface PublishedContent {
  schema: JsonSchema
  examples?: Record<string, { summary: string; value: unknown }>
}

export interface PublishedResponse {
  description: string
  headers?: Record<string, PublishedHeader | { $ref: string }>
  /** Absent where there is no body. */
  content?: Record<string, PublishedContent>
}

export interface PublishedParameter {
  name: string
  in: 'path' | 'query' | 'header'
  required: boolean
  description: string
  schema: JsonSchema
  example?: unknown
}

export interface PublishedOperation {
  operationId: string
  summary: string
  description: string
  tags: string[]
  'x-required-scope'?: string
  security: Record<string, string[]>[]
  parameters?: (PublishedParameter | { $ref: string })[]
  requestBody?: { required: boolean; content: Record<string, PublishedContent> }
  responses: Record<string, PublishedResponse | { $ref: string }>
}

export interface PublishedDocument {
  openapi: string
  info: Record<string, unknown>
  tags: { name: string; description: string }[]
  paths: Record<string, Record<string, PublishedOperation>>
  components: {
    schemas: Record<string, JsonSchema>
    responses: Record<string, PublishedResponse>
    headers: Record<string, PublishedHeader>
    [kind: string]: Record<string, unknown>
  }
  [key: string]: unknown
}

const require = createRequire(import.meta.url)

export const publishedText = readFileSync(new URL('openapi.yaml', root), 'utf8')
export const published = parsed(publishedText)

/** Parsed once for all test files: so much YAML takes a second, and every file reads three documents. */
function parsed(text: string): PublishedDocument {
  return JSON.parse(
    madeOnce([text], () => {
      // Loaded only here: every test file would load its 72 modules.
      const { parse } = require('yaml') as typeof import('yaml')
      return JSON.stringify(parse(text))
    }),
  )
}

/** A text that takes long to make, kept for all test files and all runs under what it is made from. */
function madeOnce(from: string[], make: () => string): string {
  const folder = new URL('node_modules/.cache/documents/', root)
  const name = hash('sha256', JSON.stringify(from))
  const cached = new URL(name, folder)
  try {
    return readFileSync(cached, 'utf8')
  } catch {
    const made = make()
    mkdirSync(folder, { recursive: true })
    const written = new URL(`${name}-${process.pid}`, folder)
    writeFileSync(written, made)
    renameSync(written, cached)
    return made
  }
}

export interface Endpoint {
  method: string
  path: string
  operation: PublishedOperation
}

/** Every operation of the document with its method, in capitals, and its path. */
export const endpoints: Endpoint[] = Object.entries(published.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
)

/** Returns the target of a local reference, or the value itself. */
export function resolve<T extends object>(value: T | { $ref: string }, document = published): T {
  if (!('$ref' in value) || typeof value.$ref !== 'string') return value as T
  const target = value.$ref
    .slice('#/'.length)
    .split('/')
    .reduce<unknown>((inner, key) => (inner as Record<string, unknown>)[key], document)
  if (target === undefined) throw new Error(`The document has no ${value.$ref}`)
  return target as T
}

export function parametersOf({ parameters = [] }: PublishedOperation): PublishedParameter[] {
  return parameters.map((parameter) => resolve(parameter))
}

/** The code of an error response of the document. */
export function codeOfResponse(response: PublishedResponse | { $ref: string }): string {
  const schema = resolve(resolve(response).content?.['application/json']?.schema ?? {})
  return String(schema.properties?.code?.enum?.[0])
}

// Validation

/** Objects of an answer may have no property that the document does not show; flow documents say that they may. */
function close(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(close)
  if (typeof value !== 'object' || value === null) return value
  const copy = Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, close(inner)]))
  if (copy.type === 'object' && copy.properties && copy.additionalProperties === undefined) {
    copy.additionalProperties = false
  }
  return copy
}

/** Loaded only where something is not compiled yet, since that takes a while too. */
const load = () => require('ajv/dist/2020.js') as typeof import('ajv/dist/2020.js')

const options: Options = {
  strict: true,
  allowUnionTypes: true,
  strictTypes: false,
  strictRequired: false,
  // Checkers are cached for all tests: compiling must be quick, the code need not be short.
  inlineRefs: false,
  code: { source: true, optimize: false },
}
const vocabulary = ['example', 'discriminator', 'x-extensible-enum']
const versions = ['ajv', 'ajv-formats'].map((name) => require(`${name}/package.json`).version as string)

function createAjv(schemas: unknown): Ajv2020 {
  const ajv = new (load().Ajv2020)(options)
  require('ajv-formats')(ajv)
  ajv.addVocabulary(vocabulary)
  // The schemas are verified once, where the document is read.
  ajv.addSchema({ $id: 'document', $defs: toDefinitions(schemas) }, undefined, undefined, false)
  return ajv
}

/** The validator knows the components by the name that JSON Schema has for them. */
function toDefinitions(schema: unknown) {
  return JSON.parse(
    JSON.stringify(schema).replaceAll('"$ref":"#/components/schemas/', '"$ref":"document#/$defs/'),
  )
}

type Openness = 'open' | 'closed'

/**
 * The check of values under the schemas of one document, which was read from `text`. Checks are kept as programs: to
 * compile those of a bot takes a second for each of three documents, and most test files need them.
 */
function checkerOf({ components: { schemas } }: PublishedDocument, text: string) {
  const made = [hash('sha256', text), JSON.stringify([options, vocabulary, versions])]
  const ajvs: Partial<Record<Openness, Ajv2020>> = {}
  const validators = new Map<string, (value: unknown) => string[]>()
  /** By the schema itself, since its text takes longer to write than most values to check. */
  const known = { open: new WeakMap<JsonSchema, string>(), closed: new WeakMap<JsonSchema, string>() }

  return (value: unknown, schema: JsonSchema, openness: Openness = 'open'): string[] => {
    const key = known[openness].get(schema) ?? `${openness} ${JSON.stringify(schema)}`
    known[openness].set(schema, key)
    let validate = validators.get(key)
    if (!validate) {
      const program = madeOnce([...made, key], () => {
        const shaped = (value: unknown) => (openness === 'open' ? value : close(value))
        ajvs[openness] ??= createAjv(shaped(schemas))
        const check = ajvs[openness].compile(toDefinitions(shaped(schema)))
        return require('ajv/dist/standalone').default(ajvs[openness], check)
      })
      const exported = { exports: {} as ValidateFunction }
      new Function('require', 'module', 'exports', program)(require, exported, exported.exports)
      const check = exported.exports
      validate = (checked) =>
        check(checked)
          ? []
          : (check.errors ?? []).map(
              (error) => `${error.instancePath || '(top)'} ${error.message} ${JSON.stringify(error.params)}`,
            )
      validators.set(key, validate)
    }
    return validate(value)
  }
}

/** Returns the errors in the components of a document, read as schemas. */
export function mistakesInSchemas({ components: { schemas } }: PublishedDocument): unknown[] {
  const ajv = new (load().Ajv2020)()
  ajv.validateSchema({ $defs: schemas })
  return ajv.errors ?? []
}

/** Returns the errors of a value under a schema of the document; an empty list if there are none. */
export const mistakesOf = checkerOf(published, publishedText)

/** The document in another form, with what it says of null in the words of JSON Schema. */
type FormName = 'openapi-slim' | 'openapi-slim-3.0' | 'openapi-untagged' | 'openapi-3.2'

export function readForm(name: FormName) {
  const text = readFileSync(new URL(`generated/${name}.yaml`, root), 'utf8')
  const document = parsed(text)
  const readable = document.openapi.startsWith('3.0')
    ? (JSON.parse(
        madeOnce([text, 'with null'], () => JSON.stringify(withNull(document))),
      ) as PublishedDocument)
    : document
  return { name, text, document, readable, mistakesOf: checkerOf(readable, text) }
}

/** `nullable` of OpenAPI 3.0, which stands beside a type. */
function withNull(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withNull)
  if (typeof value !== 'object' || value === null) return value
  const { nullable, ...rest } = value as JsonSchema
  const copy = Object.fromEntries(Object.entries(rest).map(([key, inner]) => [key, withNull(inner)]))
  return nullable === true ? { ...copy, type: [copy.type, 'null'] } : copy
}

let forms: ReturnType<typeof readForm>[] | undefined

export interface Answer {
  method: string
  /** Path and query as they were sent. */
  target: string
  status: number
  /** Names in lower case. */
  headers: Record<string, string>
  text: string
}

const parameterCount = (path: string) => path.split('{').length

const paths = Object.keys(published.paths)
  .sort((a, b) => parameterCount(a) - parameterCount(b))
  .map((path) => ({ path, wanted: path.split('/') }))

/** The endpoint that a path belongs to; literal segments win over parameters. */
export function pathOf(target: string): string | undefined {
  const segments = target.split('?')[0]?.split('/') ?? []
  const fits = (wanted: string[]) =>
    wanted.length === segments.length &&
    wanted.every((part, at) => (part.startsWith('{') ? segments[at] !== '' : part === segments[at]))
  return paths.find(({ wanted }) => fits(wanted))?.path
}

/** Paths that are served beside the document. */
const pages =
  /^\/(livez|readyz|metrics|sandbox|docs|openapi(-[a-z0-9.-]+)?\.(yaml|json)|arazzo\.yaml|schemas)(\/|\?|$)/

/** Errors that every request may meet before its operation is known, whatever the document says. */
const beforeOperation: Record<number, string> = {
  400: 'BadRequestErrorBody',
  404: 'NotFoundErrorBody',
  503: 'ServiceUnavailableErrorBody',
}

/** Throws unless the answer is one that the document promises for this request. */
export function checkAnswer(answer: Answer): void {
  const mistakes = [...mistakesOfHeaders(answer), ...mistakesOfAnswer(answer)]
  if (mistakes.length === 0) return
  const shown = answer.text.length > 2_000 ? `${answer.text.slice(0, 2_000)}...` : answer.text
  throw new Error(
    [
      `${answer.method} ${answer.target} answered ${answer.status}, which is not as documented:`,
      ...mistakes.slice(0, 20),
      shown,
    ].join('\n'),
  )
}

function mistakesOfAnswer(answer: Answer): string[] {
  const path = pathOf(answer.target)
  const method = answer.method === 'HEAD' ? 'GET' : answer.method
  if (path === undefined) {
    if (pages.test(answer.target)) return []
    const schema = beforeOperation[answer.status]
    return schema ? mistakesOfBody(answer, { $ref: `#/components/schemas/${schema}` }) : ['no such path']
  }
  const allowed = allowOf(path)
  if (method === 'OPTIONS') {
    return [...expected(answer.status === 204, 'status 204'), ...expectAllow(answer, allowed)]
  }
  const operation = published.paths[path]?.[method.toLowerCase()]
  if (!operation) {
    // The parser rejects these before a path is known.
    if (answer.status === 400)
      return mistakesOfBody(answer, { $ref: '#/components/schemas/BadRequestErrorBody' })
    return [
      ...expected(answer.status === 405, 'status 405'),
      ...expectAllow(answer, allowed),
      ...notAllowed(answer),
    ]
  }
  const documented = operation.responses[answer.status]
  if (!documented) return [`the status is not one of ${Object.keys(operation.responses).join(', ')}`]
  const response = resolve(documented)
  const type = answer.headers['content-type']
  const contents = Object.entries(response.content ?? {})
  const [media, content] = contents.find(([name]) => type === `${name}; charset=utf-8`) ?? []
  const mistakes = expected(
    contents.length === 0 ? type === undefined && answer.text === '' : media !== undefined,
    `content-type ${contents.map(([name]) => `${name}; charset=utf-8`).join(' or ')}, not ${type}`,
  )
  for (const [name, reference] of Object.entries(response.headers ?? {})) {
    const { required, schema } = resolve(reference)
    const given = answer.headers[name.toLowerCase()]
    if (given === undefined) mistakes.push(...expected(!required, `header ${name}`))
    else
      mistakes.push(
        ...mistakesOf(schema.type === 'integer' ? Number(given) : given, schema).map((m) => `${name}: ${m}`),
      )
  }
  if (content && media !== undefined && /[/+]json$/.test(media)) {
    mistakes.push(...mistakesOfBody(answer, content.schema), ...mistakesInForms(answer, path, method, media))
  }
  return mistakes
}

/** The other forms of the document promise the same, each in its own words. */
function mistakesInForms(
  { method: sent, text, status }: Answer,
  path: string,
  method: string,
  media: string,
): string[] {
  if (sent === 'HEAD') return []
  forms ??= [readForm('openapi-slim'), readForm('openapi-slim-3.0')]
  return forms.flatMap(({ name, readable, mistakesOf }) => {
    const response = readable.paths[path]?.[method.toLowerCase()]?.responses[status]
    if (!response) return [`${name} has no such status`]
    const { content } = resolve(response, readable)
    const schema = content?.[media]?.schema ?? {}
    return mistakesOf(JSON.parse(text), schema, 'closed').map((mistake) => `${name}: ${mistake}`)
  })
}

function mistakesOfBody({ method, text, headers }: Answer, schema: JsonSchema): string[] {
  if (method === 'HEAD') return expected(text === '', 'no body')
  const length = Buffer.byteLength(text)
  const mistakes = expected(
    headers['content-length'] === undefined || headers['content-length'] === String(length),
    `content-length ${length}`,
  )
  try {
    return [...mistakes, ...mistakesOf(JSON.parse(text), schema, 'closed')]
  } catch (error) {
    return [...mistakes, `a JSON body: ${(error as Error).message}`]
  }
}

function notAllowed({ method, text }: Answer): string[] {
  const start =
    '{"code":"METHOD_NOT_ALLOWED","message":"Method not allowed","issues":[{"path":["method"],"code":"unknown_method",'
  return method === 'HEAD' ? [] : expected(text.startsWith(start), `a body that begins with ${start}`)
}

/** The exact value of Allow on a path of the document. */
function allowOf(path: string): string {
  const methods = Object.keys(published.paths[path] ?? {}).map((method) => method.toUpperCase())
  return [...methods, 'OPTIONS', ...(methods.includes('GET') ? ['HEAD'] : [])].sort().join(', ')
}

function expectAllow({ headers }: Answer, allow: string): string[] {
  return expected(headers.allow === allow, `Allow: ${allow}, not ${headers.allow}`)
}

function mistakesOfHeaders({ method, target, status, headers, text }: Answer): string[] {
  const isTagged = /^(GET|HEAD)$/.test(method) && headers.etag !== undefined && status < 400
  const isPage = isTagged && pathOf(target) === undefined
  const caching = isPage ? 'public, max-age=600' : isTagged ? 'private, no-cache' : 'no-store'
  return [
    ...expected(headers['cache-control'] === caching, `cache-control: ${caching}`),
    ...expected(!isTagged || isPage || /\bAuthorization\b/.test(headers.vary ?? ''), 'vary: Authorization'),
    ...expected(/^[\w-]{1,64}$/.test(headers['x-request-id'] ?? ''), 'a request id'),
    ...expected(headers['x-content-type-options'] === 'nosniff', 'x-content-type-options: nosniff'),
    ...expected(headers['x-powered-by'] === undefined, 'no x-powered-by'),
    ...expected(text === '' || headers['content-type'] !== undefined, 'a content-type'),
  ]
}

function expected(holds: boolean, what: string): string[] {
  return holds ? [] : [`expected ${what}`]
}
