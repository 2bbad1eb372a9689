import { minimumKeyOf } from '../../operation.ts'
import type { Method } from '../methods.ts'

/* TypeScript declarations of the methods of the client. */

/** Parameters in TypeScript, without the options. */
export function parametersOf({ id, ids, call, body, isQueryOptional }: Method): string[] {
  return [
    ...ids.map((name) => `${name}: string`),
    ...(call.file ? ['file: Blob'] : []),
    ...(body ? [`body${body.isRequired ? '' : '?'}: ${body.name}`] : []),
    ...(call.query ? [`query${isQueryOptional ? '?' : ''}: ${queryName(id)}`] : []),
  ]
}

const queryName = (id: string) => `${id.charAt(0).toUpperCase()}${id.slice(1)}Query`

/** The type of the query with its name. */
export function queryOf({ id, call }: Method): { name: string; type: string } | undefined {
  if (!call.query) return undefined
  const type = `NonNullable<operations["${id}"]["parameters"]["query"]>`
  return { name: queryName(id), type: call.needs ? atLeastOne(type, call.needs) : type }
}

/** Type of a query with at least one of these parameters. */
const atLeastOne = (type: string, names: readonly string[]) =>
  `${type} & (${names.map((name) => `Required<Pick<${type}, "${name}">>`).join(' | ')})`

/** Names of the schemas that a method refers to. */
export function schemasOf({ body, responseBody, minimal }: Method): string[] {
  return [body?.name, responseBody, minimal].filter((name) => name !== undefined)
}

export function returnTypeOf({ call, responseBody }: Method): string {
  if (call.events) return `Events<${responseBody}>`
  if (call.entries) return `Pages<${responseBody}, ${responseBody}["${call.entries}"][number]>`
  return `Reply<${responseBody ?? 'Response'}>`
}

export function signaturesOf(method: Method): string[] {
  const { name, operation, minimal, isConditional } = method
  const { method: verb, path, summary, description, deprecated } = operation
  const parameters = parametersOf(method)
  const options = [
    'RequestOptions',
    ...(minimumKeyOf(operation) === undefined ? [] : ['KeyOptions']),
    ...(isConditional ? ['MatchOptions'] : []),
  ].join(' & ')
  return [
    '  /**',
    `   * ${summary}: \`${verb.toUpperCase()} ${path}\``,
    '   *',
    `   * ${description}`,
    ...(deprecated ? [`   * @deprecated since ${deprecated.since}, removed on ${deprecated.sunset}`] : []),
    '   */',
    // The usual overload comes first, since editors show that one.
    `  ${name}(${[...parameters, `options?: ${options}${minimal ? ' & { minimal?: false }' : ''}`].join(', ')}): ${returnTypeOf(method)}`,
    ...(minimal
      ? [
          '  /** With `minimal`, the response is short. */',
          `  ${name}(${[...parameters, `options: ${options} & { minimal: true }`].join(', ')}): Reply<${minimal}>`,
        ]
      : []),
  ]
}
