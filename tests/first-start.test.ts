import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { adviceOn } from '../server/db/embedded/data-folder.ts'
import { root } from '../server/root.ts'

/* The steps before the service runs, with an npm and a Node that fail. */

const at = (path: string) => fileURLToPath(new URL(path, root))

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'first start '))
})
afterEach(() => rmSync(folder, { recursive: true }))

/** Runs `server/setup.mjs install` with a script in place of npm. */
function install(script: string) {
  mkdirSync(join(folder, 'node_modules'))
  writeFileSync(join(folder, 'node_modules/.package-lock.json'), '{}')
  writeFileSync(join(folder, 'npm'), `#!/bin/sh\n${script}\n`, { mode: 0o755 })
  const env = { ...process.env, PATH: `${folder}:${process.env.PATH}` }
  const { status, stderr } = spawnSync(process.execPath, [at('server/setup.mjs'), 'install'], {
    cwd: folder,
    env,
    encoding: 'utf8',
  })
  return { status, lines: stderr.split('\n') }
}

test('setup fails and deletes the installation when npm succeeds on a full disk', () => {
  const { status, lines } = install(
    "echo 'npm warn deprecated x' >&2; echo 'npm warn tar TAR_ENTRY_ERROR ENOSPC: no space left on device, write' >&2",
  )
  expect(status).toBe(1)
  expect(lines[0]).toMatch(/^The disk is full: free 1 GB where /)
  expect(lines[1]).toMatch(/TAR_ENTRY_ERROR/)
  expect(existsSync(join(folder, 'node_modules/.package-lock.json'))).toBe(false)
})

test('setup stops npm as soon as the disk is full', () => {
  const began = performance.now()
  const { status, lines } = install(
    "trap '' TERM; echo 'npm warn tar TAR_ENTRY_ERROR ENOSPC: no space left on device, write' >&2; exec sleep 60",
  )
  expect({ status, first: lines[0] }).toEqual({
    status: 1,
    first: expect.stringMatching(/^The disk is full: /),
  })
  expect(performance.now() - began).toBeLessThan(50_000)
})

test('setup stops npm when no request to the registry succeeds, and says how to reach one', () => {
  const { status, lines } = install(
    `trap '' TERM; for at in $(seq 60); do echo "npm http fetch GET https://registry/p$at attempt 1 failed with EAI_AGAIN" >&2; done; exec sleep 60`,
  )
  expect(status).toBe(1)
  expect(lines[0]).toMatch(/^The registry of npm cannot be reached: check the network, or set the proxy/)
  expect(lines.slice(1)).toEqual([expect.stringMatching(/ attempt 1 failed with EAI_AGAIN$/), ''])
})

test('setup lets npm retry when a request succeeded, and names no package in a cause', () => {
  const { status, lines } = install(
    'echo \'npm http fetch GET 200 https://registry/network-cert 9ms\' >&2; for at in $(seq 60); do echo "npm http fetch GET https://registry/p$at attempt 1 failed with EAI_AGAIN" >&2; done',
  )
  expect({ status, lines }).toEqual({ status: 0, lines: [''] })
  rmSync(join(folder, 'node_modules'), { recursive: true })
  expect(
    install(
      "echo 'npm http fetch GET 200 https://registry/network-cert 9ms' >&2; echo 'npm error odd' >&2; exit 1",
    ).lines,
  ).toEqual(['It failed (npm), for this reason:', 'npm error odd', ''])
})

test('setup names the cause that stopped npm, not one that a retry has fixed', () => {
  const { lines } = install(
    "echo 'npm http fetch GET https://registry/p attempt 1 failed with ECONNRESET' >&2; echo 'npm error code EINTEGRITY' >&2; exit 1",
  )
  expect(lines[0]).toMatch(/^A package came damaged: /)
  expect(lines.slice(1, 3)).toEqual([
    expect.stringMatching(/failed with ECONNRESET$/),
    'npm error code EINTEGRITY',
  ])
})

test.each([
  ['could not extend file "base/1/2691": wrote only 4096 of 8192 bytes', 'the disk is full: make room on it'],
  ['ENOSPC: no space left on device, mkdir', 'the disk is full: make room on it, set DATA_DIR'],
  ['EROFS: read-only file system, open', 'it is read-only: set DATA_DIR'],
  ['EACCES: permission denied, open', 'this account may not write there: set DATA_DIR'],
  ['ENOTDIR: not a directory, mkdir', '/data, or what it is in, is a file: set DATA_DIR'],
])('the advice on a data folder that fails with "%s" is the way out', (said, advice) => {
  expect(adviceOn(said, '/data')?.startsWith(advice)).toBe(true)
  expect(adviceOn(said, '/data')).toContain('or DATABASE_URL to a server of your own')
})

test('setup says nothing when npm installs with warnings', () => {
  const { status, lines } = install("echo 'npm warn deprecated x' >&2")
  expect({ status, lines }).toEqual({ status: 0, lines: [''] })
})

test('a Node that is too old is rejected in one sentence before the service is loaded', () => {
  const load = (version: string) => {
    const pretend = `Object.defineProperty(process.versions, 'node', { value: '${version}' })`
    const script = `${pretend}; require('${at('server/supported.cjs')}')`
    return spawnSync(process.execPath, ['-e', script], { encoding: 'utf8' })
  }
  for (const version of ['18.20.8', '20.14.9']) {
    const { status, stderr } = load(version)
    expect(status).toBe(1)
    expect(stderr).toBe(
      `Node 20.15 or newer is needed, this is ${version}: install a newer one from https://nodejs.org\n`,
    )
  }
  expect(load('20.15.0').status).toBe(0)
  expect(load('22.0.0').status).toBe(0)
})

test('make starts nothing with a Node that is too old to run our scripts', () => {
  writeFileSync(join(folder, 'node'), '#!/bin/sh\necho v18.20.8\n', { mode: 0o755 })
  const env = { ...process.env, PATH: `${folder}:${process.env.PATH}` }
  const { status, stderr } = spawnSync('make', ['supported'], { cwd: at('.'), env, encoding: 'utf8' })
  expect(status).toBe(2)
  expect(stderr).toContain('Node 20.15 or newer is needed, this is v18.20.8: install')
})

test('no file is read at the path of a URL, in which the spaces of a folder are written as %20', () => {
  const sources = ['contract', 'server', 'tests'].flatMap((room) =>
    readdirSync(at(room), { recursive: true, encoding: 'utf8' })
      .filter((file) => /\.(?:ts|mjs|cjs)$/.test(file) && !/node_modules|\.venv/.test(file))
      .map((file) => join(room, file)),
  )
  const wrong = sources.filter((file) =>
    /new URL\([^()]*(?:root|here|import\.meta\.url)\)\.pathname(?!\.endsWith)/.test(
      readFileSync(at(file), 'utf8'),
    ),
  )
  expect(wrong).toEqual([])
})
