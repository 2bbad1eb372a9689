import { minimalMediaType, type Operation, ownErrorsOf } from '../operation.ts'

/**
 * Text of `generated/handlers.ts`: one interface per operation and `Handlers` for all. Requests have parsed types,
 * responses wire types.
 */
export function toHandlers(resources: Record<string, Record<string, Operation>>): string {
  const lines = [
    '// Made by `make generate` from contract/. Do not edit.',
    "import type { operations as contract } from '../contract/index.ts'",
    "import type { AccessKind, FileBody, Handler, Stream, WithoutParts } from '../contract/operation.ts'",
    "import type { z } from '../contract/zod.ts'",
    "import type { operations as wire } from './openapi.ts'",
    '',
  ]
  for (const operations of Object.values(resources)) {
    for (const [id, operation] of Object.entries(operations)) lines.push(...operationInterface(id, operation))
  }
  for (const [resource, operations] of Object.entries(resources)) {
    lines.push(
      `export interface ${capitalised(resource)}Handlers<Contexts extends Record<AccessKind, unknown>> {`,
      ...Object.entries(operations).flatMap(([id, operation]) => [
        `  /** ${operation.method.toUpperCase()} ${operation.path} */`,
        `  ${id}: Handler<${capitalised(id)}, Contexts>`,
      ]),
      '}',
      '',
    )
  }
  lines.push(
    'export type Handlers<Contexts extends Record<AccessKind, unknown>> = ' +
      Object.keys(resources)
        .map((resource) => `${capitalised(resource)}Handlers<Contexts>`)
        .join(' & '),
    '',
    '/** Every operation with the codes it can answer, for the cases that replay them. */',
    'export interface OperationErrors {',
    ...Object.values(resources).flatMap((operations) =>
      Object.entries(operations).map(([id, operation]) => `  ${id}: ${errorUnion(operation)}`),
    ),
    '}',
    '',
  )
  return lines.join('\n')
}

function operationInterface(id: string, operation: Operation): string[] {
  const parsed = (part: 'params' | 'query' | 'body') =>
    operation[part] ? `z.output<(typeof contract)['${id}']['${part}']>` : 'undefined'
  const parts = Object.keys(operation.documentParts ?? {}).map((name) => `'${name}'`)
  const body = parts.length === 0 ? parsed('body') : `WithoutParts<${parsed('body')}, ${parts.join(' | ')}>`
  const media = operation.success.mediaType ?? 'application/json'
  return [
    `/** ${operation.summary}: ${operation.method.toUpperCase()} ${operation.path} */`,
    `export interface ${capitalised(id)} {`,
    `  access: '${operation.access.kind}'`,
    `  params: ${parsed('params')}`,
    `  query: ${parsed('query')}`,
    `  body: ${operation.fileBody ? 'FileBody' : body}`,
    media === 'application/json'
      ? `  reply: wire['${id}']['responses'][${operation.success.status}]['content']['${media}']`
      : '  reply: Stream',
    operation.success.minimal
      ? `  minimal: wire['${id}']['responses'][${operation.success.status}]['content']['${minimalMediaType}']`
      : '  minimal: never',
    `  error: ${errorUnion(operation)}`,
    '}',
    '',
  ]
}

function errorUnion(operation: Operation): string {
  return ownErrorsOf(operation)
    .map((code) => `'${code}'`)
    .join(' | ')
}

function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}
