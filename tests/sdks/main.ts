import { spawn } from 'node:child_process'
import { readdir, readFile, rm } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { stripVTControlCharacters } from 'node:util'
import { startApp } from '../support/app.ts'
import { startTestServer } from '../support/server.ts'
import { makeWorld } from '../support/world.ts'
import { type Sdk, sdks, story } from './sdks.ts'

/*
 * Makes a client of `openapi.yaml` with every generator, compiles it, and lets it live the same story against one
 * service. Arguments are folders, to try only these: `go rust`.
 */

const here = new URL('./', import.meta.url)
const only = process.argv.slice(2)
const unknown = only.filter((name) => !sdks.some(({ folder }) => folder === name))
if (unknown.length > 0) {
  throw new Error(
    `No such folder: ${unknown.join(', ')}. There are ${sdks.map(({ folder }) => folder).join(', ')}.`,
  )
}

const databaseServer = await startTestServer()
const app = await startApp()
const world = await makeWorld(app)
const given = {
  BASE_URL: app.url,
  TOKEN: world.here.admin.token,
  GUEST_TOKEN: world.here.guest.token,
  ANSWERED_BOT_ID: world.here.published.id,
  RESULT_IDS: world.here.results.join(),
  CURRENT_DOCUMENT: fileURLToPath(new URL('documents/current.json', here)),
  LEGACY_DOCUMENT: fileURLToPath(new URL('documents/legacy.json', here)),
}

const rows = [['Language', 'Generator', 'Version', 'Files', 'Lines', 'Seconds', 'Story']]
for (const sdk of sdks) {
  if (only.length > 0 && !only.includes(sdk.folder)) continue
  const { outcome, files, lines, seconds } = await tryOut(sdk)
  rows.push([sdk.language, sdk.generator, await versionOf(sdk), files, lines, seconds, outcome].map(String))
}
await app.stop()
await databaseServer.stop()

const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? []
for (const row of rows)
  console.log(
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  )

async function tryOut(sdk: Sdk) {
  const nothing = { files: '-', lines: '-', seconds: '-' }
  for (const [command, missing] of sdk.needs) {
    if ((await run(command, sdk)).code === 0) continue
    console.log(`${sdk.folder}: skipped, it needs ${missing}`)
    return { ...nothing, outcome: 'skipped' }
  }
  const start = performance.now()
  await rm(folderOf(sdk, 'generated/'), { recursive: true, force: true })
  for (const name of ['prepare', 'generate', 'compile'] as const) {
    const command = sdk[name]
    if (!command) continue
    console.log(`${sdk.folder}: ${name}`)
    const { code, output } = await run(command, sdk)
    if (code !== 0) return { ...nothing, outcome: failed(sdk, `cannot ${name}`, output) }
  }
  console.log(`${sdk.folder}: run`)
  const { code, output } = await run(sdk.run, sdk)
  const seconds = Math.round((performance.now() - start) / 1_000)
  const expected = sdk.steps ?? story
  const told = expected.filter((step) => output.split('\n').includes(step))
  const isTold = code === 0 && told.length === expected.length
  const steps = `${told.length} of ${expected.length}`
  return { ...(await sizeOf(sdk)), seconds, outcome: isTold ? steps : failed(sdk, steps, output) }
}

function failed(sdk: Sdk, outcome: string, output: string): string {
  console.log(`${sdk.folder}: ${outcome}\n${output.slice(0, 10_000)}`)
  for (const line of app.logs.splice(0)) if (Number(line.level) >= 50) console.log(JSON.stringify(line))
  process.exitCode = 1
  return `FAILED, ${outcome}`
}

function run(command: string, sdk: Sdk): Promise<{ code: number; output: string }> {
  const child = spawn(command, {
    shell: true,
    cwd: folderOf(sdk),
    env: { ...process.env, ...given },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
  }
  return new Promise((resolve) =>
    child.on('close', (code) => resolve({ code: code ?? 1, output: stripVTControlCharacters(output) })),
  )
}

async function sizeOf(sdk: Sdk) {
  const entries = await readdir(folderOf(sdk, 'generated/'), { recursive: true, withFileTypes: true })
  const sources = entries.filter((entry) => entry.isFile() && /\.(ts|py|go|java|rs|rb|php)$/.test(entry.name))
  const texts = await Promise.all(
    sources.map(({ parentPath, name }) => readFile(`${parentPath}/${name}`, 'utf8')),
  )
  return { files: sources.length, lines: texts.reduce((sum, text) => sum + text.split('\n').length - 1, 0) }
}

/** The first version that the pin names behind the generator. */
async function versionOf({ folder, pinned: [file, name] }: Sdk): Promise<string> {
  const text = await readFile(new URL(`${folder}/${file}`, here), 'utf8')
  const [version = 'unknown'] = /\d+\.\d+\.\d+/.exec(text.slice(text.indexOf(name) + name.length)) ?? []
  return version
}

function folderOf({ folder }: Sdk, inside = ''): URL {
  return new URL(`${folder}/${inside}`, here)
}
