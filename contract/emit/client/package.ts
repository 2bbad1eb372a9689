import { readFileSync } from 'node:fs'
import { astToString } from 'openapi-typescript'
import ts from 'typescript'
import { type ErrorCode, errors } from '../../errors.ts'
import type { Operation } from '../../operation.ts'
import { interfaceChanges } from '../changelog.ts'
import { classOf, groupsOf, type Method, methodsOf } from '../methods.ts'
import type { JsonObject } from '../schemas.ts'
import {
  converse,
  edit,
  eventNames,
  parametersOf,
  queryOf,
  schemasOf,
  signaturesOf,
  verify,
} from './signatures.ts'

/*
 * Files of the npm package of the client: runtime.ts of this folder in both module formats, and the operations of the
 * contract. The package is published as written, without a build.
 */

const made = '// Made by `make generate` from contract/. Do not edit.\n'

/** Text of every file of the package by name. `types` are the wire types. */
export function toClient(
  document: JsonObject,
  operations: Record<string, Operation>,
  types: ts.Node[],
): Record<string, string> {
  const { version } = document.info as { version: string }
  const { schemas } = document.components as { schemas: Record<string, JsonObject> }
  const methods = Object.entries(operations).flatMap(([id, operation]) => methodsOf(id, operation, document))
  const resources = groupsOf(methods)
  const queries = methods.flatMap((method) => queryOf(method) ?? [])
  const wire = types.filter(
    (node) => ts.isInterfaceDeclaration(node) && ['components', 'operations'].includes(node.name.text),
  )
  const modules = ['api', 'responses', 'runtime', 'helpers', 'builder'].map(
    (name) => [name, beside(`${name}.ts`)] as const,
  )
  return {
    'package.json': `${JSON.stringify(manifest(version), null, 2)}\n`,
    'README.md': beside('README.md')
      .replaceAll('{{version}}', version)
      .replace('{{methods}}', () => table(methods)),
    LICENSE: beside('../../../LICENSE'),
    'CHANGELOG.md': interfaceChanges(),
    'types.d.cts': [
      made + astToString(wire),
      ...Object.keys(schemas).map((name) => `export type ${name} = components["schemas"]["${name}"]`),
      // Allows an undefined cursor even with `exactOptionalPropertyTypes`.
      'type OrUndefined<Query> = { [Name in keyof Query]: {} extends Pick<Query, Name> ? Query[Name] | undefined : Query[Name] }',
      ...queries.map(({ name, type }) => `export type ${name} = OrUndefined<${type}>`),
      '',
    ].join('\n'),
    ...Object.assign({}, ...modules.map(([name, source]) => inBothForms(name, source, declared(source)))),
    ...inBothForms('index', codeOf(resources, version), declarationsOf(resources, Object.keys(schemas))),
  }
}

function beside(name: string): string {
  return readFileSync(new URL(name, import.meta.url), 'utf8')
}

const codes = Object.keys(errors) as ErrorCode[]

function codeOf(resources: [string, Method[]][], version: string): string {
  return [
    "import { ApiError } from './api.js'",
    "import { conversation, editor, verify } from './helpers.js'",
    "import { connect } from './runtime.js'",
    '',
    "export { ApiError, ConnectionError, TimeoutError } from './api.js'",
    '',
    // Names are explicit, since bundlers shorten those of classes.
    ...codes.map(
      (code) => `export class ${classOf(code)} extends ApiError {\n  name = '${classOf(code)}'\n}`,
    ),
    '',
    'export const webhooks = { verify }',
    '',
    'const errors = new Map([',
    ...codes.map((code) => `  ['${code}', ${classOf(code)}],`),
    '])',
    '',
    'export function createClient(options) {',
    `  const on = connect(options, errors, '${version}')`,
    ...resources.flatMap(([resource, methods]) => [
      `  const ${localOf(resource)} = {`,
      ...methods.map(({ name, call }) => `    ${name}: on(${JSON.stringify(call)}),`),
      '  }',
    ]),
    '  bots.edit = editor(bots)',
    '  chat.converse = conversation(chat)',
    '  webhooks_.verify = verify',
    `  return { ${resources.map(([resource]) => (localOf(resource) === resource ? resource : `${resource}: ${localOf(resource)}`)).join(', ')} }`,
    '}',
    '',
  ].join('\n')
}

/** Local name of a resource. The exported name is that of the object that needs no client. */
function localOf(resource: string): string {
  return resource === 'webhooks' ? 'webhooks_' : resource
}

const runtimeTypes = [
  'Attempt',
  'ClientOptions',
  'DeliveryHeaders',
  'Events',
  'Issue',
  'KeyOptions',
  'MatchOptions',
  'Pages',
  'Reply',
  'RequestOptions',
]

function methodsName(resource: string): string {
  return `${capitalised(resource)}Methods`
}

function declarationsOf(resources: [string, Method[]][], schemas: string[]): string {
  const methods = resources.flatMap(([, group]) => group)
  const used = methods.flatMap((method) => [...schemasOf(method), queryOf(method)?.name ?? []].flat())
  const imported = [...new Set([...used, ...edit.schemas, ...converse.schemas, ...eventNames])].sort()
  const own = [
    ...resources.map(([resource]) => methodsName(resource)),
    ...codes.map(classOf),
    ...runtimeTypes,
  ]
  const taken = schemas.filter((name) => own.includes(name))
  if (taken.length > 0) throw new Error(`Names of the client and of schemas: ${taken.join(', ')}`)
  return [
    "import { ApiError } from './api.js'",
    `import type { ${runtimeTypes.filter((name) => !['Attempt', 'DeliveryHeaders', 'Issue'].includes(name)).join(', ')} } from './api.js'`,
    `import type { ${imported.join(', ')} } from './types.cjs'`,
    '',
    "export { ApiError, ConnectionError, TimeoutError } from './api.js'",
    `export type { ${runtimeTypes.filter((name) => name !== 'DeliveryHeaders').join(', ')} } from './api.js'`,
    "import type { DeliveryHeaders } from './helpers.js'",
    "export type { DeliveryHeaders } from './helpers.js'",
    "export type * from './types.cjs'",
    '',
    ...codes.flatMap((code) => [
      `/** ${errors[code].when} */`,
      `export declare class ${classOf(code)} extends ApiError {`,
      `  readonly status: ${errors[code].status}`,
      `  readonly code: '${code}'`,
      '}',
      '',
    ]),
    edit.types,
    converse.types,
    `export type WebhookEvent = ${eventNames.join(' | ')}`,
    '',
    verify.signature('export declare const webhooks: {\n', '}\n'),
    ...resources.flatMap(([resource, group]) => [
      `export interface ${methodsName(resource)} {`,
      ...group.flatMap(signaturesOf),
      ...(resource === 'bots' ? [edit.signatures] : []),
      ...(resource === 'chat' ? [converse.signatures] : []),
      ...(resource === 'webhooks' ? [verify.signature('', '')] : []),
      '}',
      '',
    ]),
    'export interface Client {',
    ...resources.map(([resource]) => `  readonly ${resource}: ${methodsName(resource)}`),
    '}',
    '',
    '/** Creates a client of the service at `baseUrl`. It has no state between calls. */',
    'export declare function createClient(options: ClientOptions): Client',
    '',
  ].join('\n')
}

function table(methods: Method[]): string {
  return [
    '| Method | Request |',
    '| --- | --- |',
    ...methods.map((method) => {
      const { resource, name, call } = method
      const names = parametersOf(method).map((parameter) => parameter.split(':')[0]?.replace('?', ''))
      return `| \`${resource}.${name}(${names.join(', ')})\` | \`${call.method} ${call.path}\` |`
    }),
  ].join('\n')
}

function manifest(version: string): JsonObject {
  return {
    name: 'bot-builder-client',
    version,
    description: 'Client of the bot builder service, made from its contract.',
    keywords: ['bot', 'chatbot', 'chat', 'api', 'client', 'sdk', 'openapi'],
    license: 'MIT',
    type: 'module',
    sideEffects: false,
    engines: { node: '>=20' },
    // For tools that do not read `exports`.
    main: './index.cjs',
    types: './index.d.cts',
    exports: {
      '.': {
        import: { types: './index.d.ts', default: './index.js' },
        require: { types: './index.d.cts', default: './index.cjs' },
      },
      './builder': {
        import: { types: './builder.d.ts', default: './builder.js' },
        require: { types: './builder.d.cts', default: './builder.cjs' },
      },
      './package.json': './package.json',
    },
    files: ['*.js', '*.cjs', '*.d.ts', '*.d.cts', 'CHANGELOG.md'],
    // Only `webhooks.verify` loads it.
    dependencies: { standardwebhooks: standardWebhooksVersion() },
  }
}

/** Version that the tests of the service use. */
function standardWebhooksVersion(): string {
  return JSON.parse(beside('../../../package.json')).devDependencies.standardwebhooks
}

/** Matches an import of a neighbouring module, in sources and in compiled files. */
const neighbour = /['"]\.\/(\w+)\.[jt]s['"]/g

/** Files of a module: as ECMAScript and as CommonJS, each with its own declarations. */
function inBothForms(name: string, source: string, declarations: string): Record<string, string> {
  const module = (text: string) => made + text.replaceAll(neighbour, "'./$1.js'")
  const common = (text: string) => made + text.replaceAll(neighbour, "'./$1.cjs'")
  return {
    [`${name}.js`]: module(compiled(source, ts.ModuleKind.ES2022)),
    [`${name}.d.ts`]: module(declarations),
    [`${name}.cjs`]: common(compiled(source, ts.ModuleKind.CommonJS)),
    [`${name}.d.cts`]: common(declarations),
  }
}

function compiled(source: string, module: ts.ModuleKind): string {
  const compilerOptions = { target: ts.ScriptTarget.ES2022, module }
  return ts.transpileModule(source, { fileName: 'source.ts', compilerOptions }).outputText
}

function declared(source: string): string {
  return ts.transpileDeclaration(source, { fileName: 'source.ts', compilerOptions: {} }).outputText
}

function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}
