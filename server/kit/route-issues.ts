import type { Issue } from '../../contract/kit/errors.ts'
import type { Operation } from '../../contract/kit/operation.ts'
import { distanceUpTo } from './issues/nearest.ts'
import { segmentsOf } from './paths.ts'

/* Issues of requests that no operation takes: an unknown method, an unknown route, broken escapes. */

export const brokenEscape: Issue = {
  path: ['path'],
  code: 'invalid_encoding',
  message: 'The path is not percent-encoded UTF-8',
}

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

type Operations = Record<string, Operation>

/** Names the route of a contract that is nearest to a path that there is not. */
export function unknownRoute(target: string, operations: Operations): Issue {
  const segments = segmentsOf(target)
  const shown = segments.join('/').slice(0, MAX_SHOWN_CHARACTERS)
  const routes = routesOf(operations)
  const last = segments.at(-1)
  const nearest = routeNamed(last, routes) ?? nearestRoute(segments, routes) ?? routeWithEnd(last, routes)
  const hint = nearest === undefined ? listBelow(segments, routes) : `${nearest} is near`
  return { path: ['path'], code: 'unknown_route', message: `There is no ${shown}; ${hint}` }
}

const isPrefix = (segment: string) => ['', 'api', 'v1', 'v2'].includes(segment)
const withoutPrefix = (segments: readonly string[]) => {
  const at = segments.findIndex((segment) => !isPrefix(segment))
  return (at < 0 ? [] : segments.slice(at)).filter((segment) => segment !== '')
}

/** Routes of a contract. The segments of templates are numbers: each occurs in many. */
interface Routes {
  paths: string[]
  /** By operationId in lower case. */
  byName: Map<string, string>
  segments: string[]
  /** Shapes of targets, each with the path of the operation that is meant by it. */
  templates: { path: string; parts: number[]; missingCosts: number[] }[]
}

/** People leave segments out rather than make one up. */
const MISSING_SEGMENT_COST = 2.5
const EXTRA_SEGMENT_COST = 6
const MIN_STEM_LETTERS = 4

const known = new WeakMap<Operations, Routes>()

function routesOf(operations: Operations): Routes {
  const found = known.get(operations)
  if (found) return found
  const numbers = new Map<string, number>()
  const numberOf = (segment: string) => {
    const number = numbers.get(segment) ?? numbers.size
    numbers.set(segment, number)
    return number
  }
  const list = Object.values(operations)
  const paths = [...new Set(list.map(({ path }) => path))]
  const sought = list.flatMap(({ path, soughtAt = [] }) => soughtAt.map((shape) => ({ path, shape })))
  const shapes = [...paths.map((path) => ({ path, shape: path })), ...sought]
  const templates = shapes.map(({ path, shape }) => {
    const segments = withoutPrefix(segmentsOf(shape))
    // Without the literal before it, a parameter would take a segment that names something else.
    const missingCosts = segments.map((_segment, at) =>
      segments[at + 1]?.startsWith('{') ? EXTRA_SEGMENT_COST : MISSING_SEGMENT_COST,
    )
    return { path, parts: segments.map(numberOf), missingCosts }
  })
  const byName = new Map(
    Object.entries(operations).map(([operationId, { path }]) => [operationId.toLowerCase(), path]),
  )
  const routes = { paths, byName, segments: [...numbers.keys()], templates }
  known.set(operations, routes)
  return routes
}

function nearestRoute(given: readonly string[], { segments, templates }: Routes): string | undefined {
  const wanted = withoutPrefix(given)
  if (wanted.length === 0 || wanted.length > 10 || wanted.some(({ length }) => length > 100)) return undefined
  const changes = wanted.map((segment) => segments.map((part) => segmentDistance(segment, part)))
  const [best] = templates
    .filter(({ parts }) => parts.length - wanted.length <= MAX_PATH_DISTANCE / MISSING_SEGMENT_COST)
    .filter(({ parts }) => wanted.length - parts.length <= MAX_PATH_DISTANCE / EXTRA_SEGMENT_COST)
    .map(({ path, parts, missingCosts }) => ({ path, cost: distanceOf(changes, parts, missingCosts) }))
    .sort((one, other) => one.cost - other.cost)
  return best && best.cost < MAX_PATH_DISTANCE ? best.path : undefined
}

/** People end a path with the name of an operation. It counts only where it is no segment of a route. */
function routeNamed(last: string | undefined, { byName, segments }: Routes): string | undefined {
  return last === undefined || segments.includes(last)
    ? undefined
    : byName.get(last.replaceAll(/[-_]/g, '').toLowerCase())
}

/** People look for a list at the top, or below a record that does not have it, and for an operation at the top. */
function routeWithEnd(last: string | undefined, { paths, byName }: Routes): string | undefined {
  if (!last) return undefined
  const alike = paths.filter((path) => path.endsWith(`/${last}`))
  return alike.length === 1 ? alike[0] : byName.get(last.toLowerCase())
}

/** Names the segments that are known after the beginning of a path that is right. */
function listBelow(given: readonly string[], { paths }: Routes): string {
  let right: string[] = []
  const below = new Set<string>()
  for (const path of paths) {
    const parts = segmentsOf(path)
    const wrong = parts.findIndex((part, at) => part !== given[at] && !(part.startsWith('{') && given[at]))
    if (wrong < right.length || wrong < 0) continue
    if (wrong > right.length) below.clear()
    right = parts.slice(0, wrong)
    if (!parts[wrong]?.startsWith('{')) below.add(parts[wrong] as string)
  }
  const isRecord = right.some((part) => !isPrefix(part)) && below.size > 0
  return isRecord
    ? `${right.join('/')} is followed by ${[...below].sort().join(', ')}`
    : 'the routes are in /docs and /openapi.yaml'
}

/** Changes that make one path of the other, segment by segment. `changes[at][part]` makes a part of a given segment. */
function distanceOf(changes: readonly number[][], parts: readonly number[], missingCosts: readonly number[]) {
  let costs = [0]
  for (const cost of missingCosts) costs.push((costs.at(-1) ?? 0) + cost)
  for (const change of changes) {
    const row = [(costs[0] ?? 0) + EXTRA_SEGMENT_COST]
    for (const [at, part] of parts.entries()) {
      const missing = (row[at] ?? 0) + (missingCosts[at] ?? 0)
      const extra = (costs[at + 1] ?? 0) + EXTRA_SEGMENT_COST
      row.push(Math.min(missing, extra, (costs[at] ?? 0) + (change[part] ?? 0)))
    }
    costs = row
  }
  return costs.at(-1) ?? 0
}

/** A parameter takes any segment, yet a literal that fits counts for more. */
function segmentDistance(given: string, part: string): number {
  if (part.startsWith('{')) return 0.5
  const letters = distanceUpTo(MAX_PATH_DISTANCE, part, given)
  // Two of five letters make another word; a word that begins or ends as the other does is a near one.
  const cost = letters > part.length / 3 ? letters * 2 : letters
  let stem = 0
  while (stem < given.length && given[stem] === part[stem]) stem += 1
  const isNear = stem > MIN_STEM_LETTERS || (part.length >= MIN_STEM_LETTERS && given.endsWith(part))
  // The word that shares more letters is meant.
  return isNear ? Math.min(cost, 2 - stem / 100) : cost
}
