import type { Operation } from '../operation.ts'

/**
 * The text of `generated/assignability.ts`: types without use but to the compiler, which refuses them when the
 * wire types do not say the same as the contract. The emitter and the generator of the wire types read schemas
 * in their own ways; what one of them misreads would otherwise be found by a client.
 */
export function toAssignability(operations: Record<string, Operation>): string {
  return [
    '// Made by `make generate` from contract/. Do not edit.',
    "import type { events, groups, legacyGroupsByVersion } from '../contract/bot-document/index.ts'",
    "import type { operations as contract } from '../contract/index.ts'",
    "import type { z } from '../contract/zod.ts'",
    "import type { components, operations as wire } from './openapi.ts'",
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
 * To the compiler, whatever has an id and a type is an opaque block, so the known branches of these unions are
 * compared one by one.
 */
const openUnions = {
  Block: "z.output<typeof groups>[number]['blocks'][number]",
  LegacyBlock: "NonNullable<z.output<(typeof legacyGroupsByVersion)['5']>[number]['blocks']>[number]",
  FlowEvent: 'z.output<typeof events>[number]',
}

/** Written out each time: of one generic type with two arguments the compiler would only compare the arguments. */
function byType(union: string): string {
  return `{ [B in ${union} as string extends B['type'] ? never : B['type']]: B }`
}

/** Parameters come as text, so they are compared as parsed, where a default has filled what was absent. */
function contractParts(id: string, { params, query, body, success }: Operation): string[] {
  const schema = `(typeof contract)['${id}']`
  return [
    `  ${id}: {`,
    ...(params ? [`    params: z.output<${schema}['params']>`] : []),
    ...(query ? [`    query: Required<z.output<${schema}['query']>>`] : []),
    ...(body ? [`    body: z.input<${schema}['body']>`] : []),
    ...(success.mediaType ? [] : [`    reply: z.output<${schema}['success']['body']>`]),
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
    ...(success.mediaType ? [] : [`    reply: ${operation}['responses'][${success.status}]${json}`]),
    '  }',
  ]
}
