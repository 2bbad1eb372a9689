import assert from 'node:assert/strict'
import fc from './fast-check.ts'
import { awkwardValue, type Change, change, createFitting, spoil } from './hostile-values.ts'
import { type JsonSchema, type Operation, readDocument, resolveIn } from './replay/document.ts'
import { type Caller, type CaseRequest, call, operationOf, type Subject } from './subject.ts'

/*
 * Input that nearly fits, thrown at every operation. Whatever it is, the response is one that the document promises, and
 * is no fault.
 */

/** A request that succeeds, and what attacks are made of. */
export interface Target {
  request: CaseRequest
  /** Callers who take turns with that of the request; undefined sends no token. */
  callers: readonly (Caller | undefined)[]
  /** Ids of records, for the places that take one. */
  ids: readonly string[]
}

export interface HostileSubject extends Pick<Subject, 'operations' | 'send'> {
  document: object
  /** Makes a target. It is made anew after an attack that wrote something. */
  prepare(id: string): Promise<Target>
}

interface Attack {
  caller: number
  /** Start from the body of the request that succeeds, or from one made by the schema. */
  isFamiliar: boolean
  body: unknown
  bodyChanges: Change[]
  query: Record<string, unknown>
  queryChanges: Change[]
  params: Record<string, unknown>
  headers: Record<string, string>
}

const headers: fc.Arbitrary<Record<string, string>> = fc.oneof(
  { weight: 6, arbitrary: fc.constant<Record<string, string>>({}) },
  {
    weight: 1,
    arbitrary: fc.constantFrom<Record<string, string>>(
      { Origin: 'null' },
      { Origin: 'https://page.example' },
      { Accept: 'application/xml' },
      { 'Content-Type': 'application/json; charset=utf-7' },
      { 'Content-Type': 'multipart/form-data' },
      { 'Content-Encoding': 'gzip' },
      { 'X-Request-Id': '../../x' },
      { 'If-Match': '*', 'If-None-Match': '*', Range: 'bytes=0-1' },
      { 'X-Forwarded-Host': 'evil.example', 'X-Forwarded-For': '127.0.0.1' },
      { 'User-Agent': `${'('.repeat(3_000)}` },
    ),
  },
)

/** Returns a function that attacks an operation so many times, and throws for the smallest attack that is not borne. */
export function createAttacks(subject: HostileSubject) {
  const { operations, root } = readDocument(subject.document)
  const fitting = createFitting((schema) => resolveIn(root as Record<string, unknown>, schema) as JsonSchema)

  return async (id: string, numRuns: number) => {
    const documented = operations.find((operation) => operation.id === id)
    assert(documented, `The document has no operation ${id}`)
    const operation = operationOf(subject, id)
    let target = await subject.prepare(id)
    await fc.assert(
      fc.asyncProperty(attacksOn(documented, fitting), async (attack) => {
        const { status, text } = await call(subject.send, operation, attackedRequest(attack, target))
        assert(status < 500, `${status}: ${text}`)
        // A successful attack may have deleted records that the next one needs.
        if (status < 300 && operation.method !== 'get') target = await subject.prepare(id)
      }),
      { numRuns, endOnFailure: true },
    )
    // Nothing of it has stayed in the process.
    assert(!('polluted' in Object.prototype))
  }
}

function attacksOn(
  { parameters, body }: Operation,
  fitting: ReturnType<typeof createFitting>,
): fc.Arbitrary<Attack> {
  const schema = body?.content['application/json']?.schema
  const parametersIn = (place: 'path' | 'query') =>
    parameters
      .filter((parameter) => parameter.in === place)
      .map(({ name, schema: one = {} }): [string, fc.Arbitrary<unknown>] => [name, fitting(one)])
  const spoiltParams = Object.fromEntries(
    parametersIn('path').map(([name, values]) => [
      name,
      fc.oneof(
        { weight: 8, arbitrary: fc.constant(undefined) },
        { weight: 2, arbitrary: values },
        { weight: 1, arbitrary: awkwardValue },
      ),
    ]),
  )
  const query = Object.fromEntries(parametersIn('query'))
  return fc.record({
    caller: fc.nat(100),
    isFamiliar: fc.boolean(),
    body: schema ? fitting(schema) : fc.oneof({ weight: 8, arbitrary: fc.constant(undefined) }, awkwardValue),
    bodyChanges: fc.array(change, { maxLength: 3 }),
    query: fc.oneof(fc.constant({}), fc.record(query, { requiredKeys: [], noNullPrototype: true })),
    queryChanges: fc.oneof(
      { weight: 3, arbitrary: fc.constant<Change[]>([]) },
      { weight: 1, arbitrary: fc.array(change, { maxLength: 2 }) },
    ),
    params: fc.record(spoiltParams, { noNullPrototype: true }),
    headers,
  })
}

function attackedRequest(attack: Attack, { request, callers, ids }: Target): CaseRequest {
  const given = attack.isFamiliar ? request.body : attack.body
  const body = spoil(given, given === undefined ? [] : attack.bodyChanges, ids)
  const query = spoil({ ...request.query, ...attack.query }, attack.queryChanges, ids)
  const params = Object.entries(attack.params).map(([name, value]) => {
    const spoilt = spoil(value, [], ids)
    const text = typeof spoilt === 'string' && spoilt !== '' && spoilt !== '\ud800' ? spoilt : undefined
    return [name, text?.slice(0, 2_000) ?? String(request.params?.[name])]
  })
  return {
    as: attack.caller % 3 === 0 ? callers[attack.caller % callers.length] : request.as,
    params: Object.fromEntries(params),
    query: flat(query),
    headers: { ...request.headers, ...attack.headers },
    // JSON knows the key that objects of this language do not.
    body: body === undefined ? undefined : JSON.stringify(body).replaceAll('__key__', '__proto__'),
  }
}

/** Returns the values that a query string can express. */
function flat(query: unknown): Record<string, string> {
  if (typeof query !== 'object' || query === null) return {}
  const entries = Object.entries(query).map(([name, value]) => {
    const text = typeof value === 'string' ? value : JSON.stringify(value)
    return [name, (text ?? '').slice(0, 1_000).replaceAll(/\p{Surrogate}/gu, '')]
  })
  return Object.fromEntries(entries.slice(0, 20))
}
