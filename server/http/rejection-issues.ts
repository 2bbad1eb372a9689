import type { Issue } from '../../contract/errors.ts'
import type { Operation } from '../../contract/operation.ts'
import { formHint, unknownRecord } from '../issues/records.ts'

/* Issues that follow from the route of a request alone: an unknown record, and a missing role. */

/** The record that an operation found missing is the one that its path names last. */
export function missingRecord(operation: Operation, params: Record<string, unknown>): Issue {
  const name = lastParameterOf(operation)
  if (name !== undefined) return unknownRecord('path', name, params[name])
  const place = operation.access.kind === 'workspace' && operation.access.idIn === 'query' ? 'query' : 'body'
  return unknownRecord(place, 'workspaceId', undefined)
}

function lastParameterOf({ path }: Operation): string | undefined {
  return [...path.matchAll(/\{(\w+)\}/g)].at(-1)?.[1]
}

/** One text for a missing and for a foreign record, so that they cannot be distinguished. */
export function missingRole({ access }: Operation, params: Record<string, unknown>): Issue {
  if (!('role' in access)) return { path: [], code: 'no_role', message: 'You may not do this' }
  const place = access.kind === 'workspace' ? access.idIn : 'path'
  const noun = access.kind === 'workspace' ? 'workspace' : `${access.kind} in a workspace`
  const name = `${access.kind}Id`
  const hint = place === 'path' ? formHint(name, params[name]) : undefined
  const advice = hint ?? 'ask an admin of it to add you'
  return {
    path: [place, name],
    code: 'no_role',
    message: `There is no such ${noun} where you have the role ${access.role} or a higher one; ${advice}`,
  }
}
