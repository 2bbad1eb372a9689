import type { Issue } from '../../contract/errors.ts'
import { operations } from '../../contract/index.ts'
import type { Operation } from '../../contract/operation.ts'
import { distanceUpTo } from '../issues/nearest.ts'
import { unknownRecord } from '../issues/records.ts'
import { segmentsOf } from './paths.ts'

/* Issues that follow from the route of a request alone: an unknown route, method or record, and a missing role. */

/** The record that an operation found missing is the one that its path names last. */
export function missingRecord(operation: Operation, params: Record<string, unknown>): Issue {
  const name = lastParameterOf(operation)
  if (name !== undefined) return unknownRecord('path', name, params[name])
  const place = operation.access.kind === 'workspace' && operation.access.place === 'query' ? 'query' : 'body'
  return unknownRecord(place, 'workspaceId', undefined)
}

function lastParameterOf({ path }: Operation): string | undefined {
  return [...path.matchAll(/\{(\w+)\}/g)].at(-1)?.[1]
}

/** One text for a missing and for a foreign record, so that they cannot be distinguished. */
export function missingRole({ access }: Operation): Issue {
  if (!('role' in access)) return { path: [], code: 'no_role', message: 'You may not do this' }
  const place = access.kind === 'workspace' ? access.place : 'path'
  const noun = access.kind === 'workspace' ? 'workspace' : `${access.kind} in a workspace`
  return {
    path: [place, `${access.kind}Id`],
    code: 'no_role',
    message: `There is no such ${noun} where you have the role ${access.role} or a higher one; ask an admin of it to add you`,
  }
}

/** `allow` is the header of that name: methods with commas between. */
export function unknownMethod(method: string, allow: string): Issue {
  return {
    path: ['method'],
    code: 'unknown_method',
    message: `${method} is not known here; this path takes ${allow}`,
  }
}

const templates = Object.values(operations as Record<string, Operation>).map(({ path }) => path)
const MAX_PATH_DISTANCE = 6
const MAX_SHOWN_CHARACTERS = 200

/** Names the route of the contract that is nearest to a path that there is not. */
export function unknownRoute(target: string): Issue {
  const segments = segmentsOf(target)
  const shown = segments.join('/').slice(0, MAX_SHOWN_CHARACTERS)
  const nearest = nearestRoute(segments)
  const hint = nearest === undefined ? 'the routes are in /docs and /openapi.yaml' : `${nearest} is near`
  return { path: ['path'], code: 'unknown_route', message: `There is no ${shown}; ${hint}` }
}

const isPrefix = (segment: string) => ['', 'api', 'v1', 'v2'].includes(segment)
const withoutPrefix = (segments: readonly string[]) => {
  const at = segments.findIndex((segment) => !isPrefix(segment))
  return (at < 0 ? [] : segments.slice(at)).filter((segment) => segment !== '')
}

function nearestRoute(given: readonly string[]): string | undefined {
  const wanted = withoutPrefix(given)
  if (wanted.length === 0 || wanted.length > 10 || wanted.some(({ length }) => length > 100)) return undefined
  const ranked = templates
    .map((path) => ({ path, cost: distanceOf(wanted, withoutPrefix(segmentsOf(path))) }))
    .sort((one, other) => one.cost - other.cost)
  const [best] = ranked
  return best && best.cost <= MAX_PATH_DISTANCE ? best.path : undefined
}

/** A parameter takes any segment; a segment too many or too few costs as much as three wrong letters. */
function distanceOf(given: readonly string[], template: readonly string[]): number {
  const missing = Math.abs(given.length - template.length)
  const common = template.slice(0, given.length)
  const letters = common.map((part, at) =>
    part.startsWith('{') ? 0 : distanceUpTo(MAX_PATH_DISTANCE, part, given[at] as string),
  )
  // A literal that fits counts for more than a parameter that takes everything.
  const parameters = common.filter((part) => part.startsWith('{')).length
  return letters.reduce((sum, one) => sum + one, 0) + missing * 3 + parameters * 0.5
}
