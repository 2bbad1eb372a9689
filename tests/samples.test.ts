import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { exampleIds } from '../contract/shared.ts'
import { type App, startApp } from './support/app.ts'
import { bot, idOf } from './support/chat.ts'
import { publish, start } from './support/chats.ts'
import { endpoints } from './support/published.ts'
import { hasCurl, runShell } from './support/shell.ts'
import { makeWorld } from './support/world.ts'

/*
 * The samples of the document are sent as they stand, with records that exist in place of those of the examples: the
 * shell runs curl, and fetch runs here.
 */

type Sample = { lang: string; source: string }

/** In an order in which nothing is deleted before its request. What waits for something else is in tests/cases. */
const story = [
  'publishBot startChat getSession continueChat saveClientLogs listResults getResult getTranscript listResultLogs',
  'listWorkspaces createWorkspace getWorkspace updateWorkspace listMembers createFolder listFolders getFolder',
  'updateFolder createBot listBots getBot updateBot checkBot exportBot importBot getPublishedBot',
  'listPublications getPublication restorePublication startPreview',
  'exportResults getStats createToken listTokens',
  'deleteResults unpublishBot deleteBot deleteFolder',
]
  .join(' ')
  .split(' ')

function samplesOf(operationId: string): Sample[] {
  const { operation } = endpoints.find((endpoint) => endpoint.operation.operationId === operationId) ?? {}
  return (operation as { 'x-codeSamples'?: Sample[] } | undefined)?.['x-codeSamples'] ?? []
}

const inShell = promisify(execFile)

const runners: Record<string, (source: string, url: string, token: string) => Promise<string>> = {
  Shell: (source, URL, TOKEN) => runShell(source, { env: { URL, TOKEN } }),
  JavaScript: (source, url, token) =>
    new Function('url', 'token', `return (async () => {\n${source}\nreturn response.text()\n})()`)(
      url,
      token,
    ),
}

let app: App
beforeAll(async () => {
  app = await startApp()
})
afterAll(() => app.stop())

test('the sample of a deletion that could mean everything names its records', () => {
  for (const { source } of samplesOf('deleteResults')) expect(source).toContain('resultIds=')
})

test('the samples of an upload send the file in the working directory', async () => {
  const { here } = await makeWorld(app)
  const fileInput = { type: 'file input', options: { variableId: idOf('File') } }
  const published = await publish(app, here, bot({ Start: [fileInput] }, { variables: ['File'] }))
  const folder = mkdtempSync(join(tmpdir(), 'sample-'))
  writeFileSync(join(folder, 'plan.pdf'), '%PDF-1.7')
  const programs = { Shell: ['sh', '-c'], JavaScript: [process.execPath, '--input-type=module', '-e'] }
  const globals = 'const { URL: url } = process.env\n'
  for (const { lang, source } of samplesOf('uploadFile')) {
    if (lang === 'Shell' && !hasCurl) continue
    const { sessionId } = await start(app, published)
    const [program = '', ...given] = programs[lang as keyof typeof programs]
    const own = source.replace(exampleIds.session, sessionId)
    const script = lang === 'Shell' ? own : `${globals}${own}\nconsole.log(await response.text())`
    const env = { ...process.env, URL: app.url }
    const { stdout } = await inShell(program, [...given, script], { cwd: folder, env })
    expect(JSON.parse(stdout)).toMatchObject({ upload: { name: 'plan.pdf', size: 8 } })
  }
  rmSync(folder, { recursive: true })
})

test('every operation has a sample for each of these', () => {
  for (const { operation } of endpoints) {
    const languages = samplesOf(operation.operationId).map(({ lang }) => lang)
    expect([operation.operationId, languages]).toEqual([operation.operationId, Object.keys(runners)])
  }
})

describe.each(hasCurl ? ['Shell', 'JavaScript'] : ['JavaScript'])('%s', (language) => {
  let token = ''
  let stored: [example: string, actual: string][] = []
  beforeAll(async () => {
    const { here } = await makeWorld(app)
    token = here.admin.token
    stored = [
      [exampleIds.workspace, here.workspaceId],
      [exampleIds.parentFolder, here.folder],
      [exampleIds.folder, here.deepFolder],
      [exampleIds.bot, here.published.id],
      [exampleIds.result, here.results[0]],
      [exampleIds.publication, here.published.publicationId],
      ['2026-03-04T10:15:30.120Z', here.published.updatedAt],
      ['lead-generation-8k2m4p6', here.published.publicId],
      ['group-welcome', 'group-1'],
    ]
  })

  test.each(story)('%s', async (operationId) => {
    const sample = samplesOf(operationId).find(({ lang }) => lang === language)
    const source = stored.reduce(
      (text, [example, actual]) => text.replaceAll(example, actual),
      String(sample?.source),
    )
    const answer = (await runners[language]?.(source, app.url, token)) ?? ''
    if (operationId === 'startChat') stored.push([exampleIds.session, JSON.parse(answer).sessionId])
  })
})
