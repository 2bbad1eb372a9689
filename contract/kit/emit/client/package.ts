import { readFileSync } from 'node:fs'
import { astToString } from 'openapi-typescript'
import ts from 'typescript'
import type { ErrorCode, ErrorDefinition } from '../../errors.ts'
import type { Operation } from '../../operation.ts'
import { classOf, groupsOf, type Method, methodsOf } from '../methods.ts'
import type { JsonObject } from '../schemas.ts'
import { parametersOf, queryOf, schemasOf, signaturesOf } from './signatures.ts'

/*
 * Files of an npm package of a client: the modules of this folder in both module formats, and the operations of a
 * contract. The package is published as written, without a build.
 */

/** The package, and its parts that no operation says. */
export interface ClientPackage {
  /** First line of every module. */
  head: string
  name: string
  description: string
  keywords: readonly string[]
  license: string
  /** `{{version}}` and `{{methods}}` are filled in. */
  readme: string
  /** Further files, by name. */
  files?: Record<string, string>
  /** Further modules in TypeScript, by name. Those of `entries` can be imported by themselves. */
  modules?: Record<string, string>
  entries?: readonly string[]
  dependencies?: Record<string, string>
  errors: Record<ErrorCode, ErrorDefinition>
  additions?: Additions
}

/** Methods and names that combine operations. */
export interface Additions {
  /** Imports and exports of the code. */
  code: readonly string[]
  /** Statements that add methods to resources. */
  attached: readonly string[]
  /** Names of resources that `code` exports as well. */
  taken: readonly string[]
  /** Imports, exports and types of the declarations. */
  declarations: readonly string[]
  /** Names of types of the service that these need. */
  schemas: readonly string[]
  /** Names of types that they export. */
  names: readonly string[]
  /** Signatures by resource. */
  signatures: Record<string, string>
}

const noAdditions: Additions = {
  code: [],
  attached: [],
  taken: [],
  declarations: [],
  schemas: [],
  names: [],
  signatures: {},
}

/** Text of every file of the package by name. `types` are the wire types. */
export function toClient(
  document: JsonObject,
  operations: Record<string, Operation>,
  types: ts.Node[],
  made: ClientPackage,
): Record<string, string> {
  const { version } = document.info as { version: string }
  const { schemas } = document.components as { schemas: Record<string, JsonObject> }
  const methods = Object.entries(operations).flatMap(([id, operation]) => methodsOf(id, operation, document))
  const resources = groupsOf(methods)
  const queries = methods.flatMap((method) => queryOf(method) ?? [])
  const wire = types.filter(
    (node) => ts.isInterfaceDeclaration(node) && ['components', 'operations'].includes(node.name.text),
  )
  const modules = [
    ...['api', 'responses', 'runtime'].map((name) => [name, beside(`${name}.ts`)] as const),
    ...Object.entries(made.modules ?? {}),
  ]
  return {
    'package.json': `${JSON.stringify(manifest(version, made), null, 2)}\n`,
    'README.md': made.readme.replaceAll('{{version}}', version).replace('{{methods}}', () => table(methods)),
    ...made.files,
    'types.d.cts': [
      `${made.head}\n${astToString(wire)}`,
      ...Object.keys(schemas).map((name) => `export type ${name} = components["schemas"]["${name}"]`),
      // Allows an undefined cursor even with `exactOptionalPropertyTypes`.
      'type OrUndefined<Query> = { [Name in keyof Query]: {} extends Pick<Query, Name> ? Query[Name] | undefined : Query[Name] }',
      ...queries.map(({ name, type }) => `export type ${name} = OrUndefined<${type}>`),
      '',
    ].join('\n'),
    ...Object.assign(
      {},
      ...modules.map(([name, source]) => inBothForms(made.head, name, source, emitDeclarations(source))),
    ),
    ...inBothForms(
      made.head,
      'index',
      codeOf(resources, version, made),
      declarationsOf(resources, Object.keys(schemas), made),
    ),
  }
}

function beside(name: string): string {
  return readFileSync(new URL(name, import.meta.url), 'utf8')
}

function codeOf(
  resources: [string, Method[]][],
  version: string,
  { name, errors, additions = noAdditions }: ClientPackage,
): string {
  const codes = codesOf(errors)
  const localOf = (resource: string) => (additions.taken.includes(resource) ? `${resource}_` : resource)
  return [
    "import { ApiError } from './api.js'",
    "import { connect } from './runtime.js'",
    ...additions.code,
    '',
    "export { ApiError, ConnectionError, TimeoutError } from './api.js'",
    '',
    // Names are explicit, since bundlers shorten those of classes.
    ...codes.map(
      (code) => `export class ${classOf(code)} extends ApiError {\n  name = '${classOf(code)}'\n}`,
    ),
    '',
    'const errors = new Map([',
    ...codes.map((code) => `  ['${code}', ${classOf(code)}],`),
    '])',
    '',
    'export function createClient(options) {',
    `  const on = connect(options, errors, '${name}/${version}')`,
    ...resources.flatMap(([resource, methods]) => [
      `  const ${localOf(resource)} = {`,
      ...methods.map(({ name, call }) => `    ${name}: on(${JSON.stringify(call)}),`),
      '  }',
    ]),
    ...additions.attached.map((statement) => `  ${statement}`),
    `  return { ${resources.map(([resource]) => (localOf(resource) === resource ? resource : `${resource}: ${localOf(resource)}`)).join(', ')} }`,
    '}',
    '',
  ].join('\n')
}

function codesOf(errors: ClientPackage['errors']): ErrorCode[] {
  return Object.keys(errors) as ErrorCode[]
}

const runtimeTypes = [
  'Attempt',
  'ClientOptions',
  'Events',
  'Issue',
  'KeyOptions',
  'MatchOptions',
  'Pages',
  'Reply',
  'RequestOptions',
]

function methodsName(resource: string): string {
  return `${capitalise(resource)}Methods`
}

function declarationsOf(
  resources: [string, Method[]][],
  schemas: string[],
  { errors, additions = noAdditions }: ClientPackage,
): string {
  const codes = codesOf(errors)
  const methods = resources.flatMap(([, group]) => group)
  const used = methods.flatMap((method) => [...schemasOf(method), queryOf(method)?.name ?? []].flat())
  const imported = [...new Set([...used, ...additions.schemas])].sort()
  const own = [
    ...resources.map(([resource]) => methodsName(resource)),
    ...codes.map(classOf),
    ...runtimeTypes,
    ...additions.names,
  ]
  const taken = schemas.filter((name) => own.includes(name))
  if (taken.length > 0) throw new Error(`Names of the client and of schemas: ${taken.join(', ')}`)
  return [
    "import { ApiError } from './api.js'",
    `import type { ${runtimeTypes.filter((name) => name !== 'Attempt' && name !== 'Issue').join(', ')} } from './api.js'`,
    ...(imported.length > 0 ? [`import type { ${imported.join(', ')} } from './types.cjs'`] : []),
    '',
    "export { ApiError, ConnectionError, TimeoutError } from './api.js'",
    `export type { ${runtimeTypes.join(', ')} } from './api.js'`,
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
    ...additions.declarations,
    ...resources.flatMap(([resource, group]) => [
      `export interface ${methodsName(resource)} {`,
      ...group.flatMap(signaturesOf),
      ...(additions.signatures[resource] ? [additions.signatures[resource]] : []),
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

function manifest(
  version: string,
  { name, description, keywords, license, files = {}, entries = [], dependencies }: ClientPackage,
): JsonObject {
  return {
    name,
    version,
    description,
    keywords,
    license,
    type: 'module',
    sideEffects: false,
    engines: { node: '>=20' },
    // For tools that do not read `exports`.
    main: './index.cjs',
    types: './index.d.cts',
    exports: {
      '.': exportsOf('index'),
      ...Object.fromEntries(entries.map((entry) => [`./${entry}`, exportsOf(entry)])),
      './package.json': './package.json',
    },
    files: [
      ...['*.js', '*.cjs', '*.d.ts', '*.d.cts'],
      ...Object.keys(files).filter((file) => !/^(LICENSE|README)/.test(file)),
    ],
    ...(dependencies ? { dependencies } : {}),
  }
}

function exportsOf(module: string) {
  return {
    import: { types: `./${module}.d.ts`, default: `./${module}.js` },
    require: { types: `./${module}.d.cts`, default: `./${module}.cjs` },
  }
}

/** Matches an import of another module of the package, in sources and in compiled files. */
const neighbour = /['"]\.\.?\/(?:[\w.-]+\/)*(\w+)\.[jt]s['"]/g

/** Files of a module: as ECMAScript and as CommonJS, each with its own declarations. */
function inBothForms(
  head: string,
  name: string,
  source: string,
  declarations: string,
): Record<string, string> {
  const headText = `${head}\n`
  const module = (text: string) => headText + text.replaceAll(neighbour, "'./$1.js'")
  const common = (text: string) => headText + text.replaceAll(neighbour, "'./$1.cjs'")
  return {
    [`${name}.js`]: module(compileSource(source, ts.ModuleKind.ES2022)),
    [`${name}.d.ts`]: module(declarations),
    [`${name}.cjs`]: common(compileSource(source, ts.ModuleKind.CommonJS)),
    [`${name}.d.cts`]: common(declarations),
  }
}

function compileSource(source: string, module: ts.ModuleKind): string {
  const compilerOptions = { target: ts.ScriptTarget.ES2022, module }
  return ts.transpileModule(source, { fileName: 'source.ts', compilerOptions }).outputText
}

function emitDeclarations(source: string): string {
  return ts.transpileDeclaration(source, { fileName: 'source.ts', compilerOptions: {} }).outputText
}

function capitalise(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}
