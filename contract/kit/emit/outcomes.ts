import { errors } from '../errors.ts'
import { fileMediaType, type Operation } from '../operation.ts'
import type { Outcome, OutcomeRequest, OutcomeResponse, OutcomeTable } from '../outcomes.ts'
import { sampleRequestOf } from './samples.ts'
import { type JsonObject, nameOf } from './schemas.ts'

/* Renders the table of outcomes from the document: each example of each response of each operation is one. */

interface Named {
  [name: string]: JsonObject
}

export function toOutcomes(document: JsonObject, operations: Record<string, Operation>): OutcomeTable {
  const components = document.components as Record<string, Named>
  const resolve = (value: JsonObject): JsonObject => {
    if (typeof value.$ref !== 'string') return value
    const [kind = '', name = ''] = value.$ref.split('/').slice(-2)
    return components[kind]?.[name] as JsonObject
  }
  const table: OutcomeTable = { operations: {}, responses: {} }
  const paths = document.paths as Record<string, Named>
  for (const published of Object.values(paths).flatMap((methods) => Object.values(methods))) {
    const operationId = String(published.operationId)
    const operation = operations[operationId] as Operation
    const parameters = ((published.parameters ?? []) as JsonObject[]).map(resolve)
    const outcomes = Object.entries(published.responses as Named).flatMap(([status, given]) => {
      const response = resolve(given)
      const headers = Object.entries((response.headers ?? {}) as Named).map(
        ([name, header]) => [name, resolve(header)] as const,
      )
      const isOf = (example: string) => !(example in operations) || example === operationId
      const exampleResponses = responsesIn(response, headers, operation).filter(({ example = '' }) =>
        isOf(example),
      )
      const mediaTypes = new Set(exampleResponses.map(({ response }) => response.mediaType))
      return exampleResponses.map(({ example, response }): Outcome => {
        const shared =
          typeof given.$ref === 'string' ? [nameOf(given.$ref), example].filter(Boolean).join('.') : undefined
        if (shared) table.responses[shared] = response
        return {
          status: Number(status),
          ...codeOf(Number(status)),
          ...(example === undefined ? {} : { example }),
          headers: {
            Prefer: `code=${status}${example === undefined ? '' : `, example=${example}`}`,
            ...(mediaTypes.size > 1 ? { Accept: response.mediaType as string } : {}),
          },
          response: shared ?? response,
        }
      })
    })
    table.operations[operationId] = { request: requestOf(operation, parameters), outcomes }
  }
  return table
}

function codeOf(status: number): { code?: string } {
  const found = Object.entries(errors).find(([, error]) => error.status === status)
  return found ? { code: found[0] } : {}
}

function requestOf(operation: Operation, parameters: JsonObject[]): OutcomeRequest {
  const { method, target, isOpen, body } = sampleRequestOf(operation, parameters)
  const request = { method, target, isTokenNeeded: !isOpen }
  if (operation.fileBody) return { ...request, contentType: fileMediaType, body: 'Beagles, aged 3' }
  return body === undefined ? request : { ...request, contentType: 'application/json', body }
}

interface Made {
  example?: string
  response: OutcomeResponse
}

function responsesIn(
  { content = {} }: JsonObject,
  headers: (readonly [string, JsonObject])[],
  operation: Operation,
): Made[] {
  const media = Object.entries(content as Record<string, { examples?: Named }>)
  if (media.length === 0)
    return [{ response: { headers: headersFor(headers, undefined, undefined, operation) } }]
  return media.flatMap(([mediaType, { examples = {} }]) =>
    Object.entries(examples).map(([example, { value }]) => ({
      example,
      response: { headers: headersFor(headers, mediaType, value, operation), mediaType, body: value },
    })),
  )
}

/** Headers that depend on the request, or would send a client round in circles. */
const left = /^(X-Request-Id|Access-Control-.+|Idempotent-Replayed|Next-Cursor)$/

function headersFor(
  headers: (readonly [string, JsonObject])[],
  mediaType: string | undefined,
  body: unknown,
  { success }: Operation,
): Record<string, string> {
  const isMinimal = mediaType !== undefined && mediaType === success.minimal?.mediaType
  const isRunning = JSON.stringify(body ?? '').includes('"in_progress"')
  return Object.fromEntries(
    headers
      .filter(([name]) => !left.test(name))
      .filter(([name]) => name !== 'Preference-Applied' || isMinimal)
      .filter(([name, { required }]) => name !== 'Retry-After' || required === true || isRunning)
      .map(([name, { example }]) => [
        name,
        name === 'Location' && success.location ? fillIn(success.location, body) : String(example),
      ]),
  )
}

function fillIn(location: string, body: unknown): string {
  return location.replaceAll(/\{([\w.]+)\}/g, (_, path: string) =>
    String(path.split('.').reduce<unknown>((inner, key) => (inner as JsonObject)[key], body)),
  )
}
