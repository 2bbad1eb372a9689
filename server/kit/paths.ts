/*
 * Paths are looked up segment by segment, rather than tried one after the other as Express's own router does.
 * They are compared as they are: another case, a slash more or an escaped letter is another path.
 */

/** Node of the tree of routes: continuations of a path, and the route that ends here. */
export interface RouteNode<Route> {
  literals: Map<string, RouteNode<Route>>
  parameter: RouteNode<Route> | undefined
  route: Route | undefined
}

export function createRouteNode<Route>(): RouteNode<Route> {
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

/** Returns the node of a path of the contract, and creates it if it is missing. */
export function addRoute<Route>(top: RouteNode<Route>, path: string): RouteNode<Route> {
  let node = top
  for (const segment of segmentsOf(path)) {
    if (parameterName(segment) === undefined) {
      const next = node.literals.get(segment) ?? createRouteNode()
      node.literals.set(segment, next)
      node = next
    } else {
      node.parameter ??= createRouteNode()
      node = node.parameter
    }
  }
  return node
}

/** A literal segment wins over a parameter at the same position, and a parameter is not empty. */
export function findRoute<Route>(node: RouteNode<Route>, segments: string[], at = 0): Route | undefined {
  if (at === segments.length) return node.route
  const segment = segments[at] as string
  const literal = node.literals.get(segment)
  const found = literal && findRoute(literal, segments, at + 1)
  if (found || !node.parameter || segment === '') return found
  return findRoute(node.parameter, segments, at + 1)
}

/** The path that a proxy puts before those of the service, without a slash at the end. */
export function basePathOf(publicUrl: string): string {
  return new URL(publicUrl).pathname.replace(/\/$/, '')
}
