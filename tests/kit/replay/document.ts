/*
 * An OpenAPI document of any service, 3.0 or 3.1, as operations with their references resolved. Schemas keep theirs,
 * since they may be recursive.
 */

export interface JsonSchema {
  $ref?: string
  type?: string | string[]
  properties?: Record<string, JsonSchema>
  required?: string[]
  additionalProperties?: JsonSchema | boolean
  items?: JsonSchema
  allOf?: JsonSchema[]
  anyOf?: JsonSchema[]
  oneOf?: JsonSchema[]
  enum?: unknown[]
  [keyword: string]: unknown
}

export interface Parameter {
  name: string
  in: 'path' | 'query' | 'header' | 'cookie'
  required?: boolean
  schema?: JsonSchema
  example?: unknown
  examples?: Record<string, { value?: unknown }>
}

export interface Media {
  schema?: JsonSchema
  example?: unknown
  examples?: Record<string, { value?: unknown }>
}

export interface DocumentedResponse {
  headers: Record<string, { required?: boolean; schema?: JsonSchema }>
  content: Record<string, Media>
}

export interface Operation {
  id: string
  /** In capitals. */
  method: string
  path: string
  parameters: Parameter[]
  body?: { required: boolean; content: Record<string, Media> }
  /** By status, `4XX` or `default`. */
  responses: Record<string, DocumentedResponse>
  /** Names of the schemes that a request may authenticate with; empty if it needs none. */
  schemes: string[]
}

export interface SecurityScheme {
  type: string
  scheme?: string
  in?: string
  name?: string
}

export interface ApiDocument {
  operations: Operation[]
  /** Methods of each path, in capitals. */
  methods: Record<string, string[]>
  schemes: Record<string, SecurityScheme>
  /** The document as it was, with `nullable` of 3.0 in the words of JSON Schema. */
  root: object
}

type Json = Record<string, unknown>

const methodNames = ['get', 'put', 'post', 'delete', 'patch', 'head', 'options', 'trace']

export function readDocument(given: object): ApiDocument {
  const version = String((given as Json).openapi)
  if (!/^3\.[012]/.test(version))
    throw new Error(`The document is OpenAPI ${version}; it has to be 3.0, 3.1 or 3.2`)
  const root = (version.startsWith('3.0') ? withNull(given) : given) as Json
  const resolve = <T>(value: unknown): T => resolveIn(root, value) as T
  const components = (root.components ?? {}) as Record<string, Record<string, unknown>>
  const methods: Record<string, string[]> = {}
  const operations = Object.entries((root.paths ?? {}) as Record<string, Json>).flatMap(
    ([path, unresolved]) => {
      const item = resolve<Json>(unresolved)
      const own = methodNames.filter((name) => item[name])
      methods[path] = own.map((name) => name.toUpperCase())
      return own.map((name): Operation => {
        const operation = item[name] as Json
        const security = (operation.security ?? root.security ?? []) as Json[]
        return {
          id: String(operation.operationId ?? `${name} ${path}`),
          method: name.toUpperCase(),
          path,
          parameters: parametersOf([item.parameters, operation.parameters], resolve),
          body: bodyOf(operation.requestBody, resolve),
          responses: responsesOf(operation.responses as Json, resolve),
          schemes: security.some((one) => Object.keys(one).length === 0)
            ? []
            : security.map((one) => Object.keys(one)[0] as string),
        }
      })
    },
  )
  const schemes = Object.entries(components.securitySchemes ?? {})
  return {
    operations,
    methods,
    schemes: Object.fromEntries(schemes.map(([name, scheme]) => [name, resolve<SecurityScheme>(scheme)])),
    root,
  }
}

type Resolve = <T>(value: unknown) => T

export function resolveIn(root: Json, value: unknown): unknown {
  const reference = (value as { $ref?: unknown } | undefined)?.$ref
  if (typeof reference !== 'string') return value
  if (!reference.startsWith('#/'))
    throw new Error(`The document refers to ${reference}: bundle it into one file`)
  const names = reference
    .slice(2)
    .split('/')
    .map((name) => decodeURIComponent(name).replaceAll('~1', '/').replaceAll('~0', '~'))
  const target = names.reduce<unknown>((inner, name) => (inner as Json | undefined)?.[name], root)
  if (target === undefined) throw new Error(`The document has no ${reference}`)
  return resolveIn(root, target)
}

/** Those of the operation win over those of the path. */
function parametersOf(lists: unknown[], resolve: Resolve): Parameter[] {
  const all = new Map<string, Parameter>()
  for (const given of lists.flatMap((list) => (list ?? []) as unknown[])) {
    const parameter = resolve<Parameter>(given)
    all.set(`${parameter.in} ${parameter.name}`, parameter)
  }
  return [...all.values()]
}

function bodyOf(given: unknown, resolve: Resolve): Operation['body'] {
  if (!given) return undefined
  const { required = false, content = {} } = resolve<{ required?: boolean; content?: Record<string, Media> }>(
    given,
  )
  return { required, content }
}

function responsesOf(given: Json = {}, resolve: Resolve): Operation['responses'] {
  return Object.fromEntries(
    Object.entries(given).map(([status, unresolved]) => {
      const { headers = {}, content = {} } = resolve<{ headers?: Json; content?: Record<string, Media> }>(
        unresolved,
      )
      const resolved = Object.entries(headers).map(([name, header]) => [name, resolve<Json>(header)])
      return [
        status.toUpperCase() === 'DEFAULT' ? 'default' : status,
        { headers: Object.fromEntries(resolved), content },
      ]
    }),
  )
}

/** The documented response to a status, with the key that it is documented under. */
export function responseTo(
  operation: Operation,
  status: number,
): { key: string; response: DocumentedResponse } | undefined {
  const keys = [String(status), `${Math.floor(status / 100)}XX`, `${Math.floor(status / 100)}xx`, 'default']
  const key = keys.find((name) => operation.responses[name])
  return key === undefined ? undefined : { key, response: operation.responses[key] as DocumentedResponse }
}

function withNull(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withNull)
  if (typeof value !== 'object' || value === null) return value
  const { nullable, ...rest } = value as Json
  const copy = Object.fromEntries(Object.entries(rest).map(([key, inner]) => [key, withNull(inner)]))
  if (nullable !== true) return copy
  if (copy.type === undefined) return { anyOf: [copy, { type: 'null' }] }
  const isListed = Array.isArray(copy.enum) && !copy.enum.includes(null)
  return {
    ...copy,
    type: [copy.type, 'null'],
    ...(isListed ? { enum: [...(copy.enum as unknown[]), null] } : {}),
  }
}
