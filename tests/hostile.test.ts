import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { OperationId } from '../contract/index.ts'
import { cases } from './cases/index.ts'
import { type App, startApp } from './support/app.ts'
import type { Case, CaseRequest } from './support/cases.ts'
import fc from './support/fast-check.ts'
import { awkwardValue, type Change, change, fitting, spoil } from './support/hostile.ts'
import { type Endpoint, endpoints, parametersOf } from './support/published.ts'
import { clear } from './support/rows.ts'
import { runs } from './support/runs.ts'
import { makeWorld, type Person, type World } from './support/world.ts'

/*
 * Input that nearly fits, thrown at every operation: HOSTILE_RUNS times each (20, and 300 in `make test-long`). Whatever
 * it is, the answer is one that the document promises, and is no fault.
 */

const numRuns = Number(process.env.HOSTILE_RUNS ?? runs(20, 300))

let app: App

beforeAll(async () => {
  app = await startApp()
})
afterAll(async () => app.stop())

interface Attack {
  /** Index of the member of the world who sends it. */
  caller: number
  /** Start from the body of the `ok` case, or from one made by the schema. */
  isFamiliar: boolean
  body: unknown
  bodyChanges: Change[]
  query: Record<string, unknown>
  queryChanges: Change[]
  params: Record<string, unknown>
  headers: Record<string, string>
}

const callers = (world: World): (Person | undefined)[] => [
  world.here.member,
  world.here.admin,
  world.here.member,
  world.here.admin,
  world.here.guest,
  world.there.admin,
  world.stranger,
  undefined,
]

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

function attacksOn({ operation }: Endpoint): fc.Arbitrary<Attack> {
  const schema = operation.requestBody?.content['application/json']?.schema
  const parameters = (place: 'path' | 'query') =>
    Object.fromEntries(
      parametersOf(operation)
        .filter((parameter) => parameter.in === place)
        .map(({ name, schema }) => [name, fitting(schema)]),
    )
  const spoiltParams = Object.fromEntries(
    Object.keys(parameters('path')).map((name) => [
      name,
      fc.oneof(
        { weight: 8, arbitrary: fc.constant(undefined) },
        { weight: 2, arbitrary: parameters('path')[name] as fc.Arbitrary<unknown> },
        { weight: 1, arbitrary: awkwardValue },
      ),
    ]),
  )
  return fc.record({
    caller: fc.nat(100),
    isFamiliar: fc.boolean(),
    body: schema ? fitting(schema) : fc.oneof({ weight: 8, arbitrary: fc.constant(undefined) }, awkwardValue),
    bodyChanges: fc.array(change, { maxLength: 3 }),
    query: fc.oneof(
      fc.constant({}),
      fc.record(parameters('query'), { requiredKeys: [], noNullPrototype: true }),
    ),
    queryChanges: fc.oneof(
      { weight: 3, arbitrary: fc.constant<Change[]>([]) },
      { weight: 1, arbitrary: fc.array(change, { maxLength: 2 }) },
    ),
    params: fc.record(spoiltParams, { noNullPrototype: true }),
    headers,
  })
}

describe.each(endpoints)('$operation.operationId', (endpoint) => {
  const id = endpoint.operation.operationId as OperationId

  test('bears what nearly fits', async () => {
    await clear(app.pool)
    let world = await makeWorld(app)
    let request = await familiar(id, world)
    await fc.assert(
      fc.asyncProperty(attacksOn(endpoint), async (attack) => {
        const answer = await app.client.call(id, spoiltRequest(attack, request, world))
        expect(answer.status).not.toBe(503)
        // A successful attack may have deleted records that the next one needs.
        if (answer.status < 300 && endpoint.method !== 'GET') {
          world = await makeWorld(app)
          request = await familiar(id, world)
        }
      }),
      { numRuns, endOnFailure: true },
    )
  }, 3_600_000)
})

test('nothing of it has stayed in the process', async () => {
  expect({}).not.toHaveProperty('polluted')
  expect((await app.client.send('GET', '/readyz')).status).toBe(200)
})

async function familiar(id: OperationId, world: World): Promise<CaseRequest> {
  const ok = cases[id]?.ok as Case | Record<string, Case>
  const first = typeof ok === 'function' ? ok : Object.values(ok)[0]
  return (await first?.(world, app)) ?? {}
}

function spoiltRequest(attack: Attack, request: CaseRequest, world: World): CaseRequest {
  const { here, there } = world
  const ids = [here, there].flatMap((site) => [
    site.workspaceId,
    site.folder,
    site.deepFolder,
    site.draft.id,
    site.legacy.id,
    site.published.id,
    site.published.publicationId,
    site.results[0],
    site.session,
    site.member.id,
    'root',
  ])
  const given = attack.isFamiliar ? request.body : attack.body
  const body = spoil(given, given === undefined ? [] : attack.bodyChanges, ids)
  const query = spoil({ ...request.query, ...attack.query }, attack.queryChanges, ids)
  const params = Object.entries(attack.params).map(([name, value]) => {
    const spoilt = spoil(value, [], ids)
    const text = typeof spoilt === 'string' && spoilt !== '' && spoilt !== '\ud800' ? spoilt : undefined
    return [name, text?.slice(0, 2_000) ?? String(request.params?.[name])]
  })
  const who = callers(world)
  return {
    as: attack.caller % 3 === 0 ? who[attack.caller % who.length] : request.as,
    params: Object.fromEntries(params),
    query: flat(query),
    headers: { ...request.headers, ...attack.headers },
    // JSON knows the key that objects of this language do not.
    body: body === undefined ? undefined : (JSON.stringify(body).replaceAll('__key__', '__proto__') as never),
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
