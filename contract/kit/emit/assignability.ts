import type { Operation } from '../operation.ts'

/**
 * Text of types that fail to compile if the wire types differ from the contract. The
 * emitter and the generator of the wire types read schemas in different ways, and only clients would notice.
 */
export function toAssignability(
  operations: Record<string, Operation>,
  { head, contract, kit, wire }: { head: string; contract: string; kit: string; wire: string },
  { imports, unions: openUnions }: OpenUnions = { imports: '', unions: {} },
): string {
  const hasUnions = Object.keys(openUnions).length > 0
  return [
    head,
    ...(imports ? [imports] : []),
    `import type { operations as contract } from '${contract}'`,
    `import type { z } from '${kit}/zod.ts'`,
    `import type { ${hasUnions ? 'components, ' : ''}operations as wire } from '${wire}'`,
    '',
    '/** An error here names the operation, the part and the property that the contract and the document tell apart. */',
    'type Fits<Wide, Narrow extends Wide> = Narrow',
    'export type ContractFitsWire = Fits<Wire, Contract>',
    'export type WireFitsContract = Fits<Contract, Wire>',
    '',
    'interface Contract {',
    ...Object.entries(openUnions).map(([name, union]) => `  ${name}: ${byType(union)}`),
    ...Object.entries(operations).flatMap(([id, operation]) => contractParts(id, operation)),
    '}',
    '',
    'interface Wire {',
    ...Object.keys(openUnions).map((name) => `  ${name}: ${byType(`components['schemas']['${name}']`)}`),
    ...Object.entries(operations).flatMap(([id, operation]) => wireParts(id, operation)),
    '}',
    '',
  ].join('\n')
}

/**
 * Unions whose known branches are compared one by one, since the compiler accepts anything with an id and a type as an
 * opaque block.
 */
export interface OpenUnions {
  /** Imports of the types of the unions. */
  imports: string
  /** Type of each union by the name of its component. */
  unions: Record<string, string>
}

/** Written out each time, since the compiler compares only the arguments of a shared generic type. */
function byType(union: string): string {
  return `{ [B in ${union} as string extends B['type'] ? never : B['type']]: B }`
}

/** Parameters arrive as text, so their parsed types are compared, with defaults filled in. */
function contractParts(id: string, { params, query, body, success }: Operation): string[] {
  const schema = `(typeof contract)['${id}']`
  return [
    `  ${id}: {`,
    ...(params ? [`    params: z.output<${schema}['params']>`] : []),
    ...(query ? [`    query: Required<z.output<${schema}['query']>>`] : []),
    ...(body ? [`    body: z.input<${schema}['body']>`] : []),
    ...(success.mediaType ? [] : [`    responseBody: z.output<${schema}['success']['body']>`]),
    '  }',
  ]
}

function wireParts(id: string, { params, query, body, success }: Operation): string[] {
  const operation = `wire['${id}']`
  const json = "['content']['application/json']"
  return [
    `  ${id}: {`,
    ...(params ? [`    params: ${operation}['parameters']['path']`] : []),
    ...(query ? [`    query: Required<NonNullable<${operation}['parameters']['query']>>`] : []),
    ...(body ? [`    body: NonNullable<${operation}['requestBody']>${json}`] : []),
    ...(success.mediaType ? [] : [`    responseBody: ${operation}['responses'][${success.status}]${json}`]),
    '  }',
  ]
}
