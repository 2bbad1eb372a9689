import { execFile } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { root } from '../server/root.ts'
import { story } from './sdks/sdks.ts'
import { type App, startApp } from './support/app.ts'
import { makeWorld, type World } from './support/world.ts'

/*
 * The client of generated/client as people get it: packed, installed in an empty folder, and used as its README says
 * and as the story of tests/sdks does, in both module forms.
 */

const project = fileURLToPath(root)
const installed = 'node_modules/bot-builder-client'
let folder: string
let app: App
let world: World

beforeAll(async () => {
  app = await startApp()
  world = await makeWorld(app)
  folder = mkdtempSync(join(tmpdir(), 'client-'))
  // Packed from what is installed here, so that the test needs no network.
  const needed = ['standardwebhooks', '@stablelib/base64', 'fast-sha256']
  const packages = needed.map((name) => join(project, 'node_modules', name))
  await npm('pack', join(project, 'generated/client'), ...packages)
  const archives = readdirSync(folder).filter((name) => name.endsWith('.tgz'))
  await npm('install', '--offline', ...archives.map((name) => join(folder, name)))
})
afterAll(async () => {
  rmSync(folder, { recursive: true })
  await app.stop()
})

/** Runs a program and returns its standard output; if it fails, throws all of its output. */
async function run(command: string, ...args: string[]): Promise<string> {
  // Whoever runs the tests by npm has settings of that run in the environment.
  const own = Object.entries(process.env).filter(([name]) => !/^(npm_|NODE_OPTIONS$)/i.test(name))
  const env = { ...Object.fromEntries(own), ...given() }
  try {
    return (await promisify(execFile)(command, args, { cwd: folder, env })).stdout
  } catch (error) {
    const { stdout, stderr } = error as { stdout: string; stderr: string }
    throw new Error(`${[command, ...args].join(' ')}\n${stdout}${stderr}`)
  }
}

const npm = (...args: string[]) => run('npm', '--silent', ...args)
const tsx = new URL('node_modules/tsx/dist/esm/index.mjs', root).href

function given() {
  return {
    BASE_URL: app.url,
    TOKEN: world.here.admin.token,
    GUEST_TOKEN: world.here.guest.token,
    ANSWERED_BOT_ID: world.here.published.id,
    RESULT_IDS: world.here.results.join(),
    CURRENT_DOCUMENT: join(project, 'tests/sdks/documents/current.json'),
    LEGACY_DOCUMENT: join(project, 'tests/sdks/documents/legacy.json'),
  }
}

test('the client package contains its needed files, and nothing else', () => {
  const modules = ['api', 'builder', 'helpers', 'index', 'responses', 'runtime'].flatMap((name) =>
    ['.cjs', '.d.cts', '.d.ts', '.js'].map((ending) => name + ending),
  )
  const files = [...modules, 'CHANGELOG.md', 'LICENSE', 'README.md', 'package.json', 'types.d.cts']
  expect(readdirSync(join(folder, installed)).sort()).toEqual(files.sort())
})

const readme = () => readFileSync(join(folder, installed, 'README.md'), 'utf8')
const blocks = (language: string) =>
  [...readme().matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)].flatMap(([, kind, code]) =>
    kind === language ? [code as string] : [],
  )
const required = (code: string) =>
  code.replaceAll(/^import (\{.*?\}) from ('.*?')$/gm, 'const $1 = require($2)')

test.each(['mjs', 'cjs'])('the samples of its README work in a file .%s', async (form) => {
  const code = blocks('js')
    .join('')
    .replaceAll('http://localhost:3000', app.url)
    .replaceAll('order-4711', `order-${form}`)
  const text = form === 'mjs' ? code : `(async () => {\n${required(code)}\n})()`
  writeFileSync(join(folder, `readme.${form}`), text)
  const lines = (await run('node', `readme.${form}`)).split('\n')
  const [session] = lines.splice(5, 1)
  expect(session).toMatch(/^[0-9a-z]{26}-[0-9a-z]{26} 0$/)
  expect(lines).toEqual([
    '6.1',
    'Quote 2026',
    'Quote',
    '0 null',
    'body.name',
    '0',
    expect.stringMatching(/^\uFEFF?Result,Submitted at/),
    '',
    '',
  ])
})

test('its README shows CommonJS a way to start', () => {
  const [first = ''] = blocks('js').join('').split('\n')
  expect(blocks('cjs')).toEqual([`${required(first)}\n`])
})

test('its errors have their names in a minified bundle', async () => {
  const source = `import * as sdk from 'bot-builder-client'
    for (const [name, Kind] of Object.entries(sdk).filter(([name]) => name.endsWith('Error')))
      console.log(name, new Kind(new Response(), { code: '', message: '', issues: [] }).name, Kind.name !== name)`
  writeFileSync(join(folder, 'names.mjs'), source)
  const words = ['--bundle', '--minify', '--platform=node', '--format=esm', '--outfile=minified.mjs']
  await run(join(project, 'node_modules/.bin/esbuild'), 'names.mjs', ...words, '--log-level=error')
  const lines = (await run('node', 'minified.mjs')).trimEnd().split('\n')
  expect(lines.length).toBeGreaterThan(15)
  expect(lines.filter((line) => !/^(\w+) \1 true$/.test(line))).toEqual([])
})

test('the client package runs the conformance story, by import and by require', async () => {
  const sdks = join(folder, 'sdks')
  mkdirSync(sdks)
  for (const name of ['client', 'support.ts']) {
    cpSync(join(project, 'tests/sdks', name), join(sdks, name), {
      recursive: true,
      filter: (path) => !/[\\/](node_modules|generated)$/.test(path),
    })
  }
  writeFileSync(join(sdks, 'client/readme.mts'), blocks('ts').join(''))
  writeFileSync(join(sdks, 'package.json'), '{"type": "module"}')
  const types = join(project, 'node_modules/@types')
  await run(
    process.execPath,
    join(project, 'node_modules/typescript/bin/tsc'),
    ...['--project', 'sdks/client', '--typeRoots', types],
  )
  for (const file of ['esm.mts', 'cjs.cts']) {
    const told = await run(process.execPath, '--import', tsx, `sdks/client/${file}`)
    expect(told.trimEnd().split('\n')).toEqual(story)
  }
})
