/*
 * Paths are looked up segment by segment, rather than tried one after the other as Express's own router does.
 * They are compared as they are: another case, a slash more or an escaped letter is another path.
 */

/** Node of the tree of paths: how a path may continue, or end. */
export interface Place<Route> {
  literals: Map<string, Place<Route>>
  parameter: Place<Route> | undefined
  route: Route | undefined
}

export function newPlace<Route>(): Place<Route> {
  return { literals: new Map(), parameter: undefined, route: undefined }
}

/** The segments of a request's target, or of a path of the contract; the first is empty. */
export function segmentsOf(target: string): string[] {
  // A target may be absolute: then the path begins after scheme and host.
  const start = target.startsWith('/') ? 0 : target.indexOf('/', target.indexOf('://') + 3)
  const end = target.indexOf('?')
  return target.slice(start, end < 0 ? undefined : end).split('/')
}

const parameterName = (segment: string) => /^\{(\w+)\}$/.exec(segment)?.[1]

/** The parameters of a path of the contract, and which segments they are. */
export function parametersOf(path: string): { name: string; at: number }[] {
  return segmentsOf(path).flatMap((segment, at) => {
    const name = parameterName(segment)
    return name === undefined ? [] : [{ name, at }]
  })
}

/** The place of a path of the contract, made if it is not there. */
export function placeOf<Route>(top: Place<Route>, path: string): Place<Route> {
  let place = top
  for (const segment of segmentsOf(path)) {
    if (parameterName(segment) === undefined) {
      const next = place.literals.get(segment) ?? newPlace()
      place.literals.set(segment, next)
      place = next
    } else {
      place.parameter ??= newPlace()
      place = place.parameter
    }
  }
  return place
}

/** A literal segment wins over a parameter at the same place, and a parameter is not empty. */
export function findRoute<Route>(place: Place<Route>, segments: string[], at = 0): Route | undefined {
  if (at === segments.length) return place.route
  const segment = segments[at] as string
  const literal = place.literals.get(segment)
  const found = literal && findRoute(literal, segments, at + 1)
  if (found || !place.parameter || segment === '') return found
  return findRoute(place.parameter, segments, at + 1)
}

/** The path that a proxy puts before those of the service, without a slash at the end. */
export function basePathOf(publicUrl: string): string {
  return new URL(publicUrl).pathname.replace(/\/$/, '')
}
