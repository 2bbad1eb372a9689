import type { Operation } from '../operation.ts'
import type { JsonObject } from './schemas.ts'

/**
 * Links from a created record to every operation on it. The template of the `Location` header maps properties of the
 * response to path parameters.
 */
export function linksOf(operation: Operation, operations: Record<string, Operation>): JsonObject {
  const { location } = operation.success
  if (location === undefined) return {}
  const links: JsonObject = {}
  for (const [operationId, { path, summary }] of Object.entries(operations)) {
    const parameters = parametersAt(path, location)
    if (parameters === undefined) continue
    links[operationId] = { operationId, description: `${summary}, by the ids in this response.`, parameters }
  }
  return links
}

/** With `/v1/books/{bookId}` and `/v1/books/{book.id}`, `bookId` is `book.id` of the response. */
function parametersAt(path: string, location: string): Record<string, string> | undefined {
  const steps = path.split('/')
  const segments = location.split('/')
  if (steps.length !== segments.length) return undefined
  const parameters: Record<string, string> = {}
  for (const [index, step] of steps.entries()) {
    const segment = segments[index] as string
    const name = /^\{(\w+)\}$/.exec(step)?.[1]
    const property = /^\{([\w.]+)\}$/.exec(segment)?.[1]
    if (name && property) parameters[name] = `$response.body#/${property.replaceAll('.', '/')}`
    else if (step !== segment) return undefined
  }
  return parameters
}
