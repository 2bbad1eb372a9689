import type { Issue } from '../../contract/kit/errors.ts'
import type { Operation } from '../../contract/kit/operation.ts'
import { distanceUpTo } from './issues/nearest.ts'
import { segmentsOf } from './paths.ts'

/* Issues of requests that no operation takes: an unknown method, an unknown route. */

/** `allow` is the header of that name: methods with commas between. */
export function unknownMethod(method: string, allow: string): Issue {
  return {
    path: ['method'],
    code: 'unknown_method',
    message: `${method} is not known here; this path takes ${allow}`,
  }
}

const MAX_PATH_DISTANCE = 6
const MAX_SHOWN_CHARACTERS = 200

/** Names the route of a contract that is nearest to a path that there is not. */
export function unknownRoute(target: string, operations: Record<string, Operation>): Issue {
  const segments = segmentsOf(target)
  const shown = segments.join('/').slice(0, MAX_SHOWN_CHARACTERS)
  const templates = Object.values(operations).map(({ path }) => path)
  const nearest = nearestRoute(segments, templates)
  const hint = nearest === undefined ? 'the routes are in /docs and /openapi.yaml' : `${nearest} is near`
  return { path: ['path'], code: 'unknown_route', message: `There is no ${shown}; ${hint}` }
}

const isPrefix = (segment: string) => ['', 'api', 'v1', 'v2'].includes(segment)
const withoutPrefix = (segments: readonly string[]) => {
  const at = segments.findIndex((segment) => !isPrefix(segment))
  return (at < 0 ? [] : segments.slice(at)).filter((segment) => segment !== '')
}

function nearestRoute(given: readonly string[], templates: readonly string[]): string | undefined {
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
