import { type Operation, ownErrorsOf } from '../operation.ts'

/** Modules that the signatures import, as paths from the file that they are written to. */
export interface HandlerModules<O extends Operation> {
  /** Head of the file. */
  head: string
  /** Has the operations. */
  contract: string
  /** Has `Handler` with the issues of the service and its contexts, and `AccessKind`. */
  handler: string
  kit: string
  wire: string
  /** Type of the body as the handler gets it, where that is not the parsed one, and the imports that it needs. */
  bodyOf?: { imports: string; type: (operation: O, parsed: string) => string }
}

/** Text of the signatures of handlers: an interface per operation, `Handlers` for all. */
export function toHandlers<O extends Operation>(
  resources: Record<string, Record<string, O>>,
  { head, contract, handler, kit, wire, bodyOf }: HandlerModules<O>,
): string {
  const all = Object.values(resources).flatMap((operations) => Object.values<Operation>(operations))
  const used = [
    ...(all.some(({ fileBody }) => fileBody) ? ['FileBody'] : []),
    ...(all.some(({ success }) => success.mediaType) ? ['Stream'] : []),
  ]
  const lines = [
    head,
    `import type { operations as contract } from '${contract}'`,
    ...(used.length > 0 ? [`import type { ${used.join(', ')} } from '${kit}/operation.ts'`] : []),
    `import type { z } from '${kit}/zod.ts'`,
    `import type { AccessKind, Handler } from '${handler}'`,
    ...(bodyOf ? [bodyOf.imports] : []),
    `import type { operations as wire } from '${wire}'`,
    '',
  ]
  for (const operations of Object.values(resources)) {
    for (const [id, operation] of Object.entries(operations))
      lines.push(...operationInterface(id, operation, bodyOf?.type))
  }
  for (const [resource, operations] of Object.entries(resources)) {
    lines.push(
      `export interface ${capitalise(resource)}Handlers<Contexts extends Record<AccessKind, unknown>> {`,
      ...Object.entries(operations).flatMap(([id, operation]) => [
        `  /** ${operation.method.toUpperCase()} ${operation.path} */`,
        `  ${id}: Handler<${capitalise(id)}, Contexts>`,
      ]),
      '}',
      '',
    )
  }
  lines.push(
    'export type Handlers<Contexts extends Record<AccessKind, unknown>> = ' +
      Object.keys(resources)
        .map((resource) => `${capitalise(resource)}Handlers<Contexts>`)
        .join(' & '),
    '',
    '/** Every operation with the codes it can return, for the cases that replay them. */',
    'export interface OperationErrors {',
    ...Object.values(resources).flatMap((operations) =>
      Object.entries(operations).map(([id, operation]) => `  ${id}: ${errorUnion(operation)}`),
    ),
    '}',
    '',
  )
  return lines.join('\n')
}

function operationInterface<O extends Operation>(
  id: string,
  operation: O,
  bodyOf: (operation: O, parsed: string) => string = (_, parsed) => parsed,
): string[] {
  const parsedType = (part: 'params' | 'query' | 'body') =>
    operation[part] ? `z.output<(typeof contract)['${id}']['${part}']>` : 'undefined'
  const media = operation.success.mediaType ?? 'application/json'
  return [
    `/** ${operation.summary}: ${operation.method.toUpperCase()} ${operation.path} */`,
    `export interface ${capitalise(id)} {`,
    `  access: '${operation.access.kind}'`,
    `  params: ${parsedType('params')}`,
    `  query: ${parsedType('query')}`,
    `  body: ${operation.fileBody ? 'FileBody' : bodyOf(operation, parsedType('body'))}`,
    media === 'application/json'
      ? `  responseBody: wire['${id}']['responses'][${operation.success.status}]['content']['${media}']`
      : '  responseBody: Stream',
    operation.success.minimal
      ? `  minimal: wire['${id}']['responses'][${operation.success.status}]['content']['${operation.success.minimal.mediaType}']`
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

function capitalise(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}
