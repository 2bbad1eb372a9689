import assert from 'node:assert/strict'
import { type ErrorCode, errors } from '../../contract/kit/errors.ts'
import { minimumKeyOf, type Operation, ownErrorsOf } from '../../contract/kit/operation.ts'
import {
  type DerivationSubject,
  type Derived,
  derivedErrors,
  isDerived,
  rejectWhileKeyRuns,
  rejectWithKey,
  withKey,
} from './derived-errors.ts'
import { expectRejection } from './rejection.ts'
import { readDocument } from './replay/document.ts'
import { type Answer, type CaseRequest, call, fitsPath, operationOf, type Subject } from './subject.ts'

/*
 * Replays every response that the document of a service promises: those of its cases, and those that follow from a
 * success by taking something away. The list comes from the document, so a code without a case is a gap.
 */

/** A request that succeeds or is rejected, with what can be checked after its response. `Place` is where it is sent. */
export type Case<Place extends unknown[] = []> = (...place: Place) => CaseOutcome | Promise<CaseOutcome>

interface CaseOutcome extends CaseRequest {
  after?: (answer: Answer) => unknown
}

/** Cases by outcome, one or several with names: `ok` for the success, and codes that do not follow from it. */
export type Cases<Place extends unknown[] = []> = Record<
  string,
  { ok: Written<Place> } & Partial<Record<ErrorCode, Written<Place>>>
>

type Written<Place extends unknown[]> = Case<Place> | Record<string, Case<Place>>

export interface Replay<Place extends unknown[] = []> extends Pick<Subject, 'operations'> {
  document: object
  cases: Cases<Place>
}

/** A service to replay. Each of its forms is one process, or one app, over the same tables. */
export interface ReplaySubject<Place extends unknown[] = []> extends DerivationSubject {
  /** Empties the service, and makes what every case begins with. */
  newPlace(): Promise<Place>
  /** Checks more of a success, such as how many statements it took. */
  watchSuccess?(id: string, get: () => Promise<Answer>): Promise<Answer>
}

export interface Outcome<Place extends unknown[] = []> {
  /** Key of the operation. */
  id: string
  /** Status and code of the document, and the name of the case. */
  name: string
  /** Throws unless the outcome comes as documented. */
  replay(subject: ReplaySubject<Place>): Promise<unknown>
}

/** Every outcome of every operation, and why it did not come; undefined where it came. */
export async function replayAll<Place extends unknown[]>(
  replay: Replay<Place>,
  subject: ReplaySubject<Place>,
): Promise<{ id: string; name: string; error?: string }[]> {
  const replayed: { id: string; name: string; error?: string }[] = []
  for (const { id, name, ...outcome } of outcomesOf(replay)) {
    const error = await outcome.replay(subject).then(
      () => undefined,
      (thrown: Error) => thrown.message,
    )
    replayed.push({ id, name, ...(error === undefined ? {} : { error }) })
  }
  return replayed
}

export function outcomesOf<Place extends unknown[]>(replay: Replay<Place>): Outcome<Place>[] {
  return readDocument(replay.document).operations.flatMap(({ id, responses }) =>
    Object.keys(responses).flatMap((status) => outcomesWith(replay, id, Number(status))),
  )
}

function outcomesWith<Place extends unknown[]>(
  { operations, cases }: Replay<Place>,
  id: string,
  status: number,
): Outcome<Place>[] {
  const operation = operationOf({ operations }, id)
  const written = (outcome: 'ok' | ErrorCode): [string, Case<Place>][] => {
    const given = cases[id]?.[outcome]
    return typeof given === 'function' ? [['', given]] : Object.entries(given ?? {})
  }
  const first = written('ok')[0]?.[1]
  if (!first) throw new Error(`${id} has no case of success`)
  const firstRequest = async (subject: ReplaySubject<Place>) => first(...(await newPlace(subject)))
  const code = codeOf(status)
  if (code === undefined) {
    if (status === 304)
      return [
        { id, name: '304', replay: async (subject) => sameState(subject, id, await firstRequest(subject)) },
      ]
    return written('ok').map(([name, one]) => ({
      id,
      name: `${status} ${name}`.trim(),
      replay: async (subject) =>
        succeed(subject, id, status, await one(...(await newPlace(subject))), one === first),
    }))
  }
  const outcomes: Outcome<Place>[] = []
  if (code === 'CONFLICT' && minimumKeyOf(operation) !== undefined) {
    outcomes.push({
      id,
      name: `${status} ${code} while the first request with the key is running`,
      replay: async (subject) => rejectWhileKeyRuns(subject, id, await firstRequest(subject)),
    })
    // Without a reason of its own, the outcome above covers it.
    if (!ownErrorsOf(operation).includes(code)) return outcomes
  }
  const isKeyed = minimumKeyOf(operation) !== undefined
  if (isKeyed && (code === 'BAD_REQUEST' || code === 'PRECONDITION_FAILED')) {
    outcomes.push({
      id,
      name: `${status} ${code} leaves the key to the right request`,
      replay: async (subject) => rejectWithKey(subject, id, await firstRequest(subject), code),
    })
  }
  const own = written(code)
  for (const [name, one] of own) {
    outcomes.push({
      id,
      name: `${status} ${code} ${name}`.trim(),
      async replay(subject) {
        const { after, ...request } = await one(...(await newPlace(subject)))
        const answer = await expectRejection(subject, id, request, code, request.at)
        await after?.(answer)
        if (!isKeyed || request.isRace) return
        // A key that the rejection had stored would answer something else from the second time on.
        const keyed = withKey(request)
        for (let again = 0; again < 2; again++) await expectRejection(subject, id, keyed, code, request.at)
      },
    })
  }
  if (own.length > 0) return outcomes
  outcomes.push({
    id,
    name: `${status} ${code}`,
    async replay(subject) {
      if (!isDerived(code)) throw new Error(`No case provokes ${code} of ${id}`)
      const kept = unspent.get(subject)
      const request = kept?.id === id ? kept.request : await firstRequest(subject)
      unspent.delete(subject)
      await derivedErrors[code](subject, id, request)
      if (harmless.includes(code)) unspent.set(subject, { id, request })
    },
  })
  return outcomes
}

/** Cases of codes that the operation does not document, or that follow from its success anyway. */
export function idleCasesOf({ operations, cases }: Replay<never[]>): string[] {
  return Object.entries(cases).flatMap(([id, { ok: _, ...written }]) => {
    const operation = operations[id]
    const own = operation ? ownErrorsOf(operation) : []
    const isIdle = (code: string) =>
      !own.includes(code as ErrorCode) || (isDerived(code) && code !== 'BAD_REQUEST')
    return Object.keys(written)
      .filter((code) => code in errors && isIdle(code))
      .map((code) => `${id} ${code}`)
  })
}

/** The prepared request of an operation, while nothing has been written since. */
const unspent = new WeakMap<object, { id: string; request: CaseRequest }>()

/** Rejections that leave everything as it is, so that the next one needs no other place. */
const harmless: readonly Derived[] = [
  'UNAUTHORIZED',
  'PRECONDITION_FAILED',
  'UNSUPPORTED_MEDIA_TYPE',
  'TOO_MANY_REQUESTS',
  'SERVICE_UNAVAILABLE',
  'REQUEST_HEADER_FIELDS_TOO_LARGE',
]

function newPlace<Place extends unknown[]>(subject: ReplaySubject<Place>): Promise<Place> {
  unspent.delete(subject)
  return subject.newPlace()
}

function codeOf(status: number): ErrorCode | undefined {
  return (Object.keys(errors) as ErrorCode[]).find((code) => errors[code].status === status)
}

async function succeed(
  subject: Omit<ReplaySubject, 'newPlace'>,
  id: string,
  status: number,
  { after, ...request }: CaseOutcome,
  isFirst: boolean,
) {
  const operation = operationOf(subject, id)
  const get = () => call(subject.send, operation, request)
  const read = recordReader(subject, operation, request)
  const before = await read?.()
  const answer = await (subject.watchSuccess?.(id, get) ?? get())
  assert.equal(answer.status, status, answer.text)
  if (read && before) {
    const now = await read()
    assert.equal(now.headers.etag, answer.headers.etag, `${id} sends another tag than reading its record`)
    // Some cases show that nothing changes; that of an update shows first that something does.
    if (now.text !== before.text || (isFirst && operation.method === 'patch'))
      assert.notEqual(now.headers.etag, before.headers.etag, `${id} leaves the tag of its record as it was`)
  }
  await after?.(answer)
  const { location } = answer.headers
  const isRead = Object.values(subject.operations).some(
    ({ method, path }) => method === 'get' && location !== undefined && fitsPath(path, location),
  )
  if (location && isRead) assert.equal((await subject.send('GET', location, { as: request.as })).status, 200)
}

/** Reads the record that a conditional write changes; undefined for every other operation. */
function recordReader(
  { operations, send }: Pick<Subject, 'operations' | 'send'>,
  { isConditional, method, path, access }: Operation,
  { as, params }: CaseRequest,
) {
  if (!isConditional || method === 'get' || method === 'delete') return undefined
  const reads = Object.values(operations).filter((one) => one.method === 'get' && one.isConditional)
  const read =
    reads.find((one) => one.path === path) ?? reads.find((one) => one.path.endsWith(`{${access.kind}Id}`))
  assert(read, `nothing reads the entity tag that ${path} compares`)
  return async () => {
    const answer = await call(send, read, { as, params })
    assert.equal(answer.status, 200, answer.text)
    return answer
  }
}

async function sameState(subject: Omit<ReplaySubject, 'newPlace'>, id: string, request: CaseRequest) {
  const operation = operationOf(subject, id)
  const { headers } = await call(subject.send, operation, request)
  assert(headers.etag, `${id} sends no entity tag`)
  const known = { ...request.headers, 'If-None-Match': headers.etag }
  assert.equal((await call(subject.send, operation, { ...request, headers: known })).status, 304)
}
