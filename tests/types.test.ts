import { fileURLToPath } from 'node:url'
import { beforeAll, describe, expect, test } from '@jest/globals'
import ts from 'typescript'
import { root } from '../server/root.ts'

/*
 * Errors that the compiler finds, so that nobody has to find them in a review. Each snippet is compiled as a file of
 * this folder; it must give exactly the one error, and the correct ones none.
 */

const imports = `
import { ask, choose, defineBot, goTo, when } from '../generated/client/builder.js'
import type { AnalyticsHandlers, FoldersHandlers } from '../generated/handlers.ts'
import type { BotGrant, WorkspaceGrant } from '../server/access/index.ts'
import type { Contexts } from '../server/context.ts'
import type { Database } from '../server/db/client.ts'
import { withDraft } from '../server/documents/drafts.ts'
import { folders } from '../server/handlers/folders.ts'
import { folderIn } from '../server/workspaces/folders.ts'
import { folders as folderCases } from './cases/folders.ts'
import type { Cases } from './support/cases.ts'
declare const db: Database
declare const botGrant: BotGrant
declare const workspaceGrant: WorkspaceGrant
`

const stats = (body: string) => `
export const handlers: Pick<AnalyticsHandlers<Contexts>, 'getStats'> = {
  async getStats({ query }, reply, { grant }) {
    ${body}
  },
}`

const numbers = 'totalViews: 3, totalStarts: 2, totalCompleted: 1'

/** Snippets by what is wrong with them, with the error that must name it. */
const refused: Record<string, [snippet: string, error: RegExp]> = {
  'an edge of a built flow that leads nowhere': [
    "export const bot = defineBot({ name: 'Bot', groups: { one: [goTo('two')], other: [] } })",
    /"two"/,
  ],
  'a button of a built flow that leads nowhere': [
    "export const bot = defineBot({ name: 'Bot', groups: { one: [choose({ Yes: 'one', No: 'two' })] } })",
    /"two"/,
  ],
  'a variable of a built flow that it does not list': [
    "export const bot = defineBot({ name: 'Bot', variables: ['Age'], groups: { one: [ask('text input', 'Name')] } })",
    /"Name"/,
  ],
  'a missing handler': [
    'const { getFolder: _, ...rest } = folders; export const handlers: FoldersHandlers<Contexts> = rest',
    /'getFolder' is missing/,
  ],
  'a property of an answer with a wrong type': [
    stats("return reply.ok({ stats: { totalViews: '3', totalStarts: 2, totalCompleted: 1 } })"),
    /'string' is not assignable to type 'number'/,
  ],
  'a property of an answer that is missing': [
    stats('return reply.ok({ stats: { totalViews: 3, totalStarts: 2 } })'),
    /'totalCompleted' is missing/,
  ],
  'a property of an answer that the contract does not have': [
    stats(`return reply.ok({ stats: { ${numbers}, costs: 4 } })`),
    /'costs' does not exist/,
  ],
  'a code that the operation does not declare': [
    stats("return reply.fail('CONFLICT')"),
    /'"CONFLICT"' is not assignable/,
  ],
  'a code that is in no contract': [
    stats("return reply.fail('STATS_NOT_READY')"),
    /'"STATS_NOT_READY"' is not assignable/,
  ],
  'an answer that was not made by reply': [
    stats(`return { stats: { ${numbers} } }`),
    /not assignable to type 'Promise<Result<GetStats>>'|not assignable to type 'Result<GetStats>'/,
  ],
  'a parameter that the operation does not take': [
    stats(`query.zone; return reply.ok({ stats: { ${numbers} } })`),
    /'zone' does not exist/,
  ],
  'a grant of another kind': [
    stats(`grant.workspace; return reply.ok({ stats: { ${numbers} } })`),
    /'workspace' does not exist on type 'BotGrant'/,
  ],
  'an id where a query asks for a grant': [
    "await folderIn(db, 'workspace-1', 'folder-1')",
    /'string' is not assignable/,
  ],
  'the grant of a bot where a query asks for that of a workspace': [
    "await folderIn(db, botGrant, 'folder-1')",
    /'BotGrant' is not assignable to parameter of type 'WorkspaceGrant'/,
  ],
  'a grant that access did not make': [
    'const { caller, role, bot } = botGrant; await withDraft(db, { caller, role, bot })',
    /not assignable to parameter of type 'BotGrant'/,
  ],
  'an operation without cases': [
    "const { getFolder: _, ...rest } = folderCases; export const cases: Cases<'folders'> = rest",
    /'getFolder' is missing/,
  ],
  'a code without a case': [
    `const { NOT_FOUND: _, ...getFolder } = folderCases.getFolder
    export const cases: Cases<'folders'> = { ...folderCases, getFolder }`,
    /'NOT_FOUND' is missing/,
  ],
  'a case for a code that the operation does not declare': [
    `export const cases: Cases<'folders'>['getFolder'] = { ...folderCases.getFolder, CONFLICT: () => ({}) }`,
    /'CONFLICT' does not exist/,
  ],
}

const accepted: Record<string, string> = {
  'a handler that keeps the contract': stats(`
    if (query.timeFilter === 'today') return reply.fail('BAD_REQUEST', [])
    return reply.ok({ stats: { ${numbers} } })`),
  'a query with its grant': "await folderIn(db, workspaceGrant, 'folder-1')",
  'all cases': "export const cases: Cases<'folders'> = folderCases",
}

const here = fileURLToPath(new URL('.', import.meta.url))
const snippets = {
  ...Object.fromEntries(Object.entries(refused).map(([name, [text]]) => [name, text])),
  ...accepted,
}
const files = new Map(
  Object.entries(snippets).map(([, text], at) => [`${here}snippet-${at}.ts`, imports + text]),
)
const fileOf = (name: string) => `${here}snippet-${Object.keys(snippets).indexOf(name)}.ts`

let program: ts.Program

beforeAll(() => {
  const { config } = ts.readConfigFile(fileURLToPath(new URL('tsconfig.json', root)), ts.sys.readFile)
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, fileURLToPath(root))
  const host = ts.createCompilerHost(options)
  const { getSourceFile, fileExists } = host
  host.fileExists = (path) => files.has(path) || fileExists(path)
  host.getSourceFile = (path, ...rest) => {
    const text = files.get(path)
    return text === undefined ? getSourceFile(path, ...rest) : ts.createSourceFile(path, text, rest[0])
  }
  program = ts.createProgram([...files.keys()], options, host)
})

function errorsIn(name: string): string[] {
  const diagnostics = program.getSemanticDiagnostics(program.getSourceFile(fileOf(name)))
  return diagnostics.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'))
}

describe('the compiler refuses', () => {
  test.each(Object.entries(refused))('%s', (name, [, error]) => {
    expect(errorsIn(name)).toEqual([expect.stringMatching(error)])
  })
})

describe('the compiler accepts', () => {
  test.each(Object.keys(accepted))('%s', (name) => {
    expect(errorsIn(name)).toEqual([])
  })
})
