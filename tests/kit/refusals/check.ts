import assert from 'node:assert/strict'
import type { Operation, RecordAccess } from '../../../contract/kit/operation.ts'
import {
  type Answer,
  type Caller,
  type CaseRequest,
  call,
  operationOf,
  pathsOf,
  type Subject,
} from '../subject.ts'

/* The form of a check: rejections that follow from the contract, so that a new operation needs none of its own. */

/** A request that succeeds, and the callers around it, in a place in which nothing else was done. */
export interface Prepared {
  request: CaseRequest
  /** Callers who may not send it, with the code of the response and of its issue. */
  outsiders: { as: Caller; code: 'FORBIDDEN' | 'NOT_FOUND'; issue: string }[]
  /** Callers who may. */
  insiders: Caller[]
  /** Tokens that authenticate no caller, with the code of the issue. */
  wrongTokens: { token: string; issue: string }[]
}

export interface RefusalSubject extends Subject {
  prepare(id: string): Promise<Prepared>
  /** An id that no record has. */
  missingId: string
  /** Scopes of tokens; absent for a service without. */
  scopes?: {
    all: readonly string[]
    /** The scope that an operation needs; undefined if every token will do. */
    of(id: string): string | undefined
    /** Another token of a user, with these scopes alone. */
    limit(as: Caller, scopes: readonly string[]): Promise<Caller>
  }
}

export interface Check {
  /** Words that follow the name of the operation. */
  title: string
  /** True for the operations that it is for. */
  applies(operation: Operation, subject: Pick<Subject, 'operations'>): boolean
  /** Part of the contract that decides it. Operations that are alike there are treated alike; absent where none are. */
  varies?: 'access' | 'input'
  /** Throws unless the service rejects what it has to. */
  run(subject: RefusalSubject, id: string): Promise<unknown>
}

export const needsToken = ({ access }: Operation) => access.kind !== 'anyone'
export const hasRecord = ({ access }: Operation) => 'missing' in access

/** Parts of an operation that decide how its input is read. */
export function inputOf({ method, access, params, query, body, fileBody, everythingWithout }: Operation) {
  return [method, access.kind, everythingWithout, ...[params, query, body, fileBody].map(Boolean)]
}

export async function expectUnchanged(subject: Subject, work: () => Promise<unknown>) {
  const before = await subject.stored()
  await work()
  assert.equal(await subject.stored(), before, 'a rejection wrote something')
}

/** Sends an operation whose request is spoilt. */
export function send(subject: Subject, id: string, request: CaseRequest): Promise<Answer> {
  return call(subject.send, operationOf(subject, id), request)
}

/** Asserts status and paths of issues. `given` says which of several requests it was. */
export function expectIssues(answer: Answer, given: unknown, status: number, paths: readonly string[]) {
  assert.deepEqual(
    { given, status: answer.status, paths: pathsOf(answer) },
    { given, status, paths },
    answer.text,
  )
}

export function expectStatus(answer: Answer, given: unknown, status: number) {
  assert.deepEqual({ given, status: answer.status }, { given, status }, answer.text)
}

export function breakParams({ params }: CaseRequest): Record<string, string> {
  return Object.fromEntries(Object.keys(params ?? {}).map((name) => [name, '~'.repeat(300)]))
}

/** The request with the record that access is decided on replaced by one that is not there. */
export function withoutRecord(subject: RefusalSubject, id: string, request: CaseRequest): CaseRequest {
  const access = operationOf(subject, id).access as RecordAccess
  const record = { [`${access.kind}Id`]: subject.missingId }
  if (access.idIn === 'query') return { ...request, query: { ...request.query, ...record } }
  if (access.idIn === 'body') return { ...request, body: { ...Object(request.body), ...record } }
  return { ...request, params: { ...request.params, ...record } }
}
