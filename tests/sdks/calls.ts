import { readFile } from 'node:fs/promises'
import { operations } from '../../contract/index.ts'
import type { Outcome } from '../../contract/kit/outcomes.ts'
import type { Operation } from '../../contract/operation.ts'
import { readOutcomes } from '../../server/sandbox-mode/outcomes.ts'
import {
  endpoints,
  type JsonSchema,
  type PublishedOperation,
  parametersOf,
  resolve,
} from '../support/published.ts'
import type { Call, CallError } from './call.ts'

/*
 * The calls with which a generated client gets every error of the document from a sandbox: one per operation, with the
 * values of the examples, and the errors to ask for.
 */

/** Errors of which a generator can say nothing, with the reason. No operation or status means all. */
export interface Inexpressible {
  operation?: string
  status?: number
  reason: string
}

const table = readOutcomes()

const allCalls: Call[] = endpoints.map(({ path, method, operation }) => {
  const { operationId, tags } = operation
  const [narrowing] = (operations as Record<string, Operation>)[operationId]?.everythingWithout ?? []
  const parameters = parametersOf(operation).map((one) => ({
    name: one.name,
    in: one.in,
    isRequired: one.required,
    ...(one.required || one.name === narrowing ? { value: one.example } : {}),
  }))
  const valuesIn = (place: string) =>
    parameters.filter((one) => one.in === place && 'value' in one).map(({ name, value }) => [name, value])
  const { request, outcomes } = table.operations[operationId] as (typeof table.operations)[string]
  return {
    operationId,
    tag: tags[0] as string,
    method: method.toLowerCase(),
    path,
    pathParams: Object.fromEntries(valuesIn('path')),
    ...(parameters.some((one) => one.in === 'query') ? { query: Object.fromEntries(valuesIn('query')) } : {}),
    parameters,
    contentType: request.contentType,
    body: request.body,
    ...bodyNamesOf(operation),
    isBodyRequired: operation.requestBody?.required === true,
    errors: outcomes.flatMap(toErrors),
  }
})

function bodyNamesOf({ requestBody }: PublishedOperation): Pick<Call, 'bodyType' | 'bodyName'> {
  const { schema } = requestBody?.content['application/json'] ?? {}
  if (!schema) return { bodyName: 'body' }
  const name = String(schema.$ref).split('/').at(-1) as string
  const { properties, oneOf } = resolve(schema) as JsonSchema
  if (!properties && !oneOf) return { bodyName: 'requestBody' }
  return { bodyType: name, bodyName: `${name.charAt(0).toLowerCase()}${name.slice(1)}` }
}

function toErrors({ status, code, example, headers, response }: Outcome): CallError[] {
  if (code === undefined || example === undefined) return []
  const { body } = (typeof response === 'string' ? table.responses[response] : response) ?? {}
  return [{ status, code, example, prefer: headers.Prefer, body: body as CallError['body'] }]
}

export interface Calls {
  calls: Call[]
  /** Counts of errors. */
  expressible: number
  inexpressible: number
}

/** The calls for a story, without what the list in its folder says is not expressible. */
export async function callsFor(folder: URL): Promise<Calls> {
  const text = await readFile(new URL('inexpressible.json', folder), 'utf8').catch(() => '[]')
  const list: Inexpressible[] = JSON.parse(text)
  const means = (one: Inexpressible, { operationId }: Call, { status }: CallError) =>
    (one.operation ?? operationId) === operationId && (one.status ?? status) === status
  const isIn = (call: Call, error: CallError) => list.some((one) => means(one, call, error))
  for (const one of list) {
    const isNeeded = allCalls.some((call) => call.errors.some((error) => means(one, call, error)))
    if (!isNeeded) throw new Error(`No error of the document is meant by ${JSON.stringify(one)}`)
  }
  const calls = allCalls
    .map((call) => ({ ...call, errors: call.errors.filter((error) => !isIn(call, error)) }))
    .filter(({ errors }) => errors.length > 0)
  const count = (some: Call[]) => some.reduce((sum, { errors }) => sum + errors.length, 0)
  return { calls, expressible: count(calls), inexpressible: count(allCalls) - count(calls) }
}
