import { spawn } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { stripVTControlCharacters } from 'node:util'
import { startApp } from '../support/app.ts'
import { startTestServer } from '../support/server.ts'
import { makeWorld } from '../support/world.ts'
import { type Calls, callsFor } from './calls.ts'
import { type Sdk, sdks, story } from './sdks.ts'

/*
 * Makes a client of `openapi.yaml` with every generator, compiles it, and lets it live the same story against one
 * service. Stories with a walk get every error of the document from a sandbox too. Arguments are folders, to try only
 * these: `go rust`.
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
// The outcomes on demand need no world.
const sandbox = await startApp({ config: { SANDBOX: true } })
const folder = await mkdtemp(join(tmpdir(), 'sdks-'))
const given = {
  BASE_URL: app.url,
  TOKEN: world.here.admin.token,
  GUEST_TOKEN: world.here.guest.token,
  ANSWERED_BOT_ID: world.here.published.id,
  RESULT_IDS: world.here.results.join(),
  CURRENT_DOCUMENT: fileURLToPath(new URL('documents/current.json', here)),
  LEGACY_DOCUMENT: fileURLToPath(new URL('documents/legacy.json', here)),
  CALLS: join(folder, 'calls.json'),
}

const rows = [['Language', 'Generator', 'Version', 'Files', 'Lines', 'Seconds', 'Story', 'Errors']]
for (const sdk of sdks) {
  if (only.length > 0 && !only.includes(sdk.folder)) continue
  const { outcome, files, lines, seconds, errors } = await tryOut(sdk)
  const version = await versionOf(sdk)
  rows.push([sdk.language, sdk.generator, version, files, lines, seconds, outcome, errors].map(String))
}
await rm(folder, { recursive: true })
await sandbox.stop()
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
  const nothing = { files: '-', lines: '-', seconds: '-', errors: '-' }
  for (const [command, missing] of sdk.needs) {
    if ((await run(command, sdk)).code === 0) continue
    console.log(`${sdk.folder}: skipped, it needs ${missing}`)
    return { ...nothing, outcome: 'skipped' }
  }
  const calls = await callsFor(folderOf(sdk))
  await writeFile(given.CALLS, JSON.stringify(calls.calls))
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
  const outcome = isTold ? steps : failed(sdk, steps, output)
  return {
    ...(await sizeOf(sdk)),
    seconds,
    outcome,
    errors: sdk.walk ? await walk(sdk, sdk.walk, calls) : '-',
  }
}

/** Lets the client get every error that its generator can express. */
async function walk(sdk: Sdk, command: string, calls: Calls): Promise<string> {
  console.log(`${sdk.folder}: walk`)
  const { code, output } = await run(command, sdk, { BASE_URL: sandbox.url })
  const entered = Number(/^entered (\d+) outcomes$/m.exec(output)?.[1] ?? 0)
  const told = `${entered} outcomes entered, ${calls.inexpressible} not expressible`
  return code === 0 && entered === calls.expressible ? told : failed(sdk, told, output)
}

function failed(sdk: Sdk, outcome: string, output: string): string {
  console.log(`${sdk.folder}: ${outcome}\n${output.slice(0, 10_000)}`)
  for (const line of app.logs.splice(0)) if (Number(line.level) >= 50) console.log(JSON.stringify(line))
  process.exitCode = 1
  return `FAILED, ${outcome}`
}

function run(command: string, sdk: Sdk, more = {}): Promise<{ code: number; output: string }> {
  const child = spawn(command, {
    shell: true,
    cwd: folderOf(sdk),
    env: { ...process.env, ...given, ...more },
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
