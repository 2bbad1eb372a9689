import type { OperationId, resources } from '../../contract/index.ts'
import type { Role } from '../../contract/operation.ts'
import type { OperationErrors } from '../../generated/handlers.ts'
import type { Derived } from '../kit/derived-errors.ts'
import type { App } from './app.ts'
import type { Answer, BodyOf, Caller, CallOptions } from './client.ts'
import type { World } from './world.ts'

/*
 * Types for tests/cases. Every operation has at least one case for its success and for every code that it declares; a
 * missing one does not compile.
 */

/** Codes that the kit provokes for every operation by itself, starting from its first `ok` case. */
type DerivedCode = Exclude<Derived, 'BAD_REQUEST'>

/** The request of a case. */
export interface CaseRequest<Id extends OperationId = OperationId> extends CallOptions<Id> {
  /** Path of the expected issue, with dots. */
  at?: string
  /** Somebody else writes while the request runs, so what is written is not compared. */
  isRace?: boolean
  /** Checks the state afterwards. After a rejection the test checks anyway that nothing was written. */
  after?: (answer: Answer) => unknown
}

/** Prepares what the request needs beyond the world, and says what to send. */
export type Case<Id extends OperationId = OperationId> = (
  world: World,
  app: App,
) => CaseRequest<Id> | Promise<CaseRequest<Id>>

/** Before an operation is generated only its success is known; the compiler then requires that much. */
type Outcome<Id extends OperationId> =
  | 'ok'
  | (Id extends keyof OperationErrors ? Exclude<OperationErrors[Id], DerivedCode> : never)

/**
 * Right that a caller needs: the least role in the workspace, any valid token, or nothing. Repeats the statement of
 * the contract as a second source, so that tests find a contract that says something else.
 */
export type Needs = Role | 'GUEST or shared' | 'ADMIN or oneself' | 'token' | 'nothing'

/** The cases of one resource: one per outcome, or several with names. The first `ok` case is set in `here`. */
export type Cases<Resource extends keyof typeof resources> = {
  [Id in keyof (typeof resources)[Resource] & OperationId]: { needs: Needs } & {
    [O in Outcome<Id>]: Case<Id> | Record<string, Case<Id>>
  }
}

/** Another token of the same user with fewer permissions. */
export async function limited(
  { client }: Pick<App, 'client'>,
  as: Caller,
  limits: Pick<BodyOf<'createToken'>, 'scopes' | 'workspaceId'>,
): Promise<Caller> {
  const { apiToken } = await client.ok('createToken', { as, body: { name: 'Limited', ...limits } })
  // The day of its first use is not to be noted in the middle of a test.
  await client.call('listTokens', { as: apiToken })
  return apiToken
}

/** An id that no record has. */
export const missingId = '01jr5x0000000000000000none'
