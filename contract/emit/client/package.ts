import { readFileSync } from 'node:fs'
import { astToString } from 'openapi-typescript'
import ts from 'typescript'
import { type ErrorCode, errors } from '../../errors.ts'
import { minimumKeyOf, type Operation } from '../../operation.ts'
import { responseName } from '../errors.ts'
import { listOf } from '../overlay.ts'
import { type JsonObject, nameOf } from '../schemas.ts'
import type { Operation as Call } from './runtime.ts'

/*
 * A client to install, as the files of an npm package: runtime.ts beside this file in both module forms, and what the
 * contract says of every operation. What is written is what is published; there is nothing to build.
 */

const made = '// Made by `make generate` from contract/. Do not edit.\n'

/** Every file of the package by its name, with its text. `types` are the wire types. */
export function toClient(
  document: JsonObject,
  operations: Record<string, Operation>,
  types: ts.Node[],
): Record<string, string> {
  const { version } = document.info as { version: string }
  const { schemas } = document.components as { schemas: Record<string, JsonObject> }
  const methods = Object.entries(operations).flatMap(([id, operation]) => methodsOf(id, operation, document))
  const resources = groupsOf(methods)
  const queries = methods.flatMap(({ query }) => (query ? [query] : []))
  const wire = types.filter(
    (node) => ts.isInterfaceDeclaration(node) && ['components', 'operations'].includes(node.name.text),
  )
  const runtime = beside('runtime.ts')
  return {
    'package.json': `${JSON.stringify(manifest(version), null, 2)}\n`,
    'README.md': beside('README.md')
      .replaceAll('{{version}}', version)
      .replace('{{methods}}', () => table(methods)),
    LICENSE: beside('../../../LICENSE'),
    'types.d.cts': [
      made + astToString(wire),
      ...Object.keys(schemas).map((name) => `export type ${name} = components["schemas"]["${name}"]`),
      ...queries.map(({ name, type }) => `export type ${name} = ${type}`),
      '',
    ].join('\n'),
    ...inBothForms('runtime', runtime, declared(runtime)),
    ...inBothForms('index', codeOf(resources), declarationsOf(resources, Object.keys(schemas))),
  }
}

function beside(name: string): string {
  return readFileSync(new URL(name, import.meta.url), 'utf8')
}

/** One method of the client. */
interface Method {
  resource: string
  name: string
  operation: Operation
  /** What the runtime has to know. */
  call: Call
  /** Parameters in TypeScript, without the options. */
  parameters: string[]
  query?: { name: string; type: string }
  /** Names of the schemas that it refers to. */
  schemas: string[]
  options: string
  /** Type of what it answers, and of what it answers to those who want little. */
  answer: string
  minimal?: string
}

type Content = Record<string, { schema: { $ref?: string } }>

interface Published {
  operationId: string
  parameters?: { $ref?: string; name?: string; in?: string; required?: boolean }[]
  requestBody?: { required?: boolean; content: Content }
  responses: Record<string, { content: Content }>
}

function methodsOf(id: string, operation: Operation, document: JsonObject): Method[] {
  const { method, path, tag, access, success, everythingWithout } = operation
  const published = (document.paths as Record<string, Record<string, Published>>)[path]?.[method] as Published
  const schemaIn = (content?: Content) => nameOf(Object.values(content ?? {})[0]?.schema.$ref ?? '')
  const { content = {} } = published.responses[success.status] ?? {}
  const [page = '', little] = Object.values(content).map(({ schema }) => nameOf(schema.$ref ?? ''))
  const isKeyed = minimumKeyOf(operation) !== undefined
  const isRaw = success.mediaType !== undefined
  const entries = operation.query?.shape.cursor && !isRaw ? listOf(page, document) : undefined
  const isFile = operation.fileBody !== undefined
  const body = !isFile && published.requestBody && schemaIn(published.requestBody.content)
  const query = operation.query && {
    name: `${capitalised(id)}Query`,
    type: `NonNullable<operations["${id}"]["parameters"]["query"]>`,
  }
  const isQueryOptional = operation.query?.safeParse({}).success
  const ids = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => `${name}: string`)
  const bodies = isFile
    ? ['file: Blob']
    : body
      ? [`body${published.requestBody?.required ? '' : '?'}: ${body}`]
      : []
  const whole: Method = {
    resource: tag,
    name: nameWithin(tag, id),
    operation,
    call: {
      method: method.toUpperCase(),
      path,
      ...(body ? { body: true } : {}),
      ...(isFile ? { body: true, file: true } : {}),
      ...(query ? { query: true } : {}),
      ...(isKeyed ? { key: true } : {}),
      ...(access.kind === 'anyone' ? { open: true } : {}),
      ...(entries ? { entries } : {}),
      ...(isRaw ? { raw: true } : {}),
    },
    parameters: [...ids, ...bodies, ...(query ? [`query${isQueryOptional ? '?' : ''}: ${query.name}`] : [])],
    query,
    schemas: [...(body ? [body] : []), ...(isRaw ? [] : [page]), ...(little ? [little] : [])],
    options: [
      'RequestOptions',
      ...(isKeyed ? ['KeyOptions'] : []),
      ...(operation.isConditional && method !== 'get' ? ['MatchOptions'] : []),
    ].join(' & '),
    answer: entries ? `Pages<${page}, ${page}["${entries}"][number]>` : `Reply<${isRaw ? 'Response' : page}>`,
    ...(success.minimal ? { minimal: `Reply<${little}>` } : {}),
  }
  if (everythingWithout === undefined) return [whole]
  // Two methods, so that no forgotten argument means everything.
  const { query: _, ...all } = whole
  return [
    {
      ...whole,
      call: { ...whole.call, needs: everythingWithout },
      parameters: [...ids, `query: ${query?.name}`],
      query: query && { ...query, type: atLeastOne(query.type, everythingWithout) },
    },
    {
      ...all,
      name: `${whole.name}All`,
      call: { method: whole.call.method, path },
      parameters: ids,
    },
  ]
}

/** A query with one of these parameters or more. */
const atLeastOne = (type: string, names: readonly string[]) =>
  `${type} & (${names.map((name) => `Required<Pick<${type}, "${name}">>`).join(' | ')})`

/** `updateBot` of the bots is `update`, and `listResultLogs` of the results `listLogs`. */
function nameWithin(tag: string, id: string): string {
  const noun = capitalised(tag).replace(/s$/, '')
  return id.replace(new RegExp(`(?<=[a-z])${noun}s?(?=[A-Z]|$)`), '')
}

function groupsOf(methods: Method[]): [string, Method[]][] {
  const groups = new Map<string, Method[]>()
  for (const method of methods) {
    const group = groups.get(method.resource) ?? []
    if (group.some(({ name }) => name === method.name))
      throw new Error(`The client would have two methods ${method.resource}.${method.name}`)
    groups.set(method.resource, [...group, method])
  }
  return [...groups]
}

function classOf(code: ErrorCode): string {
  return `${responseName(code).replace(/Error$/, '')}Error`
}

const codes = Object.keys(errors) as ErrorCode[]

function codeOf(resources: [string, Method[]][]): string {
  return [
    "import { ApiError, connect, editor } from './runtime.js'",
    '',
    "export { ApiError, ConnectionError, TimeoutError } from './runtime.js'",
    '',
    ...codes.map((code) => `export class ${classOf(code)} extends ApiError {}`),
    '',
    'const errors = new Map([',
    ...codes.map((code) => `  ['${code}', ${classOf(code)}],`),
    '])',
    '',
    'export function createClient(options) {',
    '  const on = connect(options, errors)',
    ...resources.flatMap(([resource, methods]) => [
      `  const ${resource} = {`,
      ...methods.map(({ name, call }) => `    ${name}: on(${JSON.stringify(call)}),`),
      '  }',
    ]),
    '  bots.edit = editor(bots)',
    `  return { ${resources.map(([resource]) => resource).join(', ')} }`,
    '}',
    '',
  ].join('\n')
}

const runtimeTypes = [
  'ClientOptions',
  'Issue',
  'KeyOptions',
  'MatchOptions',
  'Pages',
  'Reply',
  'RequestOptions',
]

function declarationsOf(resources: [string, Method[]][], schemas: string[]): string {
  const methods = resources.flatMap(([, group]) => group)
  const used = methods.flatMap((method) => [...method.schemas, ...(method.query ? [method.query.name] : [])])
  const imported = [...new Set([...used, ...edit.schemas])].sort()
  const own = [
    ...resources.map(([resource]) => capitalised(resource)),
    ...codes.map(classOf),
    ...runtimeTypes,
  ]
  const taken = schemas.filter((name) => own.includes(name))
  if (taken.length > 0) throw new Error(`Names of the client and of schemas: ${taken.join(', ')}`)
  return [
    "import { ApiError } from './runtime.js'",
    `import type { ${runtimeTypes.filter((name) => name !== 'Issue').join(', ')} } from './runtime.js'`,
    `import type { ${imported.join(', ')} } from './types.cjs'`,
    '',
    "export { ApiError, ConnectionError, TimeoutError } from './runtime.js'",
    `export type { ${runtimeTypes.join(', ')} } from './runtime.js'`,
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
    ...resources.flatMap(([resource, group]) => [
      `export interface ${capitalised(resource)} {`,
      ...group.flatMap(signaturesOf),
      ...(resource === 'bots' ? [edit.signatures] : []),
      '}',
      '',
    ]),
    'export interface Client {',
    ...resources.map(([resource]) => `  readonly ${resource}: ${capitalised(resource)}`),
    '}',
    '',
    '/** A client of the service at `baseUrl`. It keeps nothing between calls. */',
    'export declare function createClient(options: ClientOptions): Client',
    '',
  ].join('\n')
}

function signaturesOf({ name, operation, parameters, options, answer, minimal }: Method): string[] {
  const { method, path, summary, description, deprecated } = operation
  return [
    '  /**',
    `   * ${summary}: \`${method.toUpperCase()} ${path}\``,
    '   *',
    `   * ${description}`,
    ...(deprecated ? [`   * @deprecated since ${deprecated.since}, gone on ${deprecated.sunset}`] : []),
    '   */',
    ...(minimal
      ? [
          `  ${name}(${[...parameters, `options: ${options} & { minimal: true }`].join(', ')}): ${minimal}`,
          '  /** With `minimal`, the answer is short. */',
        ]
      : []),
    `  ${name}(${[...parameters, `options?: ${options}`].join(', ')}): ${answer}`,
  ]
}

/** What is made of two operations, for which there is no table. */
const edit = {
  schemas: ['Bot', 'BotBody', 'BotUpdate', 'BotV61'],
  types: `type WithoutPrecondition<Update> = Update extends unknown ? Omit<Update, 'version' | 'updatedAt'> : never

/** Properties of a bot to write. Those that are absent stay as they are. */
export type BotChange = WithoutPrecondition<BotUpdate>

export interface EditOptions extends RequestOptions {
  /** How often the bot is read and written before the conflict is given to the caller. Default: 10. */
  attempts?: number
}
`,
  signatures: `  /**
   * Reads a bot, makes a change on it, and writes it unless somebody was faster: then it is read again and the change
   * is made on what is there now. So \`change\` may be called several times. It returns the properties to write.
   */
  edit(botId: string, change: (bot: BotV61) => BotChange | Promise<BotChange>, options: EditOptions & { migrateToLatestVersion: true }): Promise<BotBody>
  /** With \`migrateToLatestVersion\`, the bot is converted to version 6.1. */
  edit(botId: string, change: (bot: Bot) => BotChange | Promise<BotChange>, options?: EditOptions): Promise<BotBody>`,
}

function table(methods: Method[]): string {
  return [
    '| Method | Request |',
    '| --- | --- |',
    ...methods.map(({ resource, name, parameters, call }) => {
      const names = parameters.map((parameter) => parameter.split(':')[0]?.replace('?', ''))
      return `| \`${resource}.${name}(${names.join(', ')})\` | \`${call.method} ${call.path}\` |`
    }),
  ].join('\n')
}

function manifest(version: string): JsonObject {
  return {
    name: 'bot-builder-client',
    version,
    description: 'Client of the bot builder service, made from its contract.',
    license: 'MIT',
    type: 'module',
    sideEffects: false,
    engines: { node: '>=20' },
    // Of tools that do not read `exports`.
    main: './index.cjs',
    types: './index.d.cts',
    exports: {
      '.': {
        import: { types: './index.d.ts', default: './index.js' },
        require: { types: './index.d.cts', default: './index.cjs' },
      },
      './package.json': './package.json',
    },
    files: ['*.js', '*.cjs', '*.d.ts', '*.d.cts'],
  }
}

/** The files of a module: as ECMAScript and as CommonJS, each with declarations of its own. */
function inBothForms(name: string, source: string, declarations: string): Record<string, string> {
  const common = (text: string) => made + text.replaceAll("'./runtime.js'", "'./runtime.cjs'")
  return {
    [`${name}.js`]: made + compiled(source, ts.ModuleKind.ES2022),
    [`${name}.d.ts`]: made + declarations,
    [`${name}.cjs`]: common(
      compiled(source, ts.ModuleKind.CommonJS).replaceAll('"./runtime.js"', "'./runtime.js'"),
    ),
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
