import { spawnSync } from 'node:child_process'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parse, stringify } from 'yaml'

/*
 * Each exception of the linters stands for a finding: one that no longer suppresses anything is an error, so that a rule
 * does not stay off after its reason is gone.
 */

const here = new URL('.', import.meta.url)
const forms = ['openapi.yaml', 'generated/openapi-slim.yaml', 'generated/openapi-slim-3.0.yaml']

/** It is off for the time that it takes, not for what it finds. */
const slow = 'oas3-valid-media-example'

interface Rules {
  extends: [ruleset: string, mode: string][]
  rules: Record<string, string>
  overrides: { files: string[]; rules: Record<string, string> }[]
}

interface Finding {
  code: string
  path: string[]
  source: string
}

const {
  extends: rulesets,
  rules,
  overrides,
}: Rules = parse(readFileSync(new URL('spectral.yaml', here), 'utf8'))
const exceptions = [
  ...Object.keys(rules).map((rule) => ({ rule, file: '*#' })),
  ...overrides.flatMap(({ files, rules: off }) =>
    files.flatMap((file) => Object.keys(off).map((rule) => ({ rule, file }))),
  ),
].filter(({ rule }) => rule !== slow)

const found = findingsOf([...new Set(exceptions.map(({ rule }) => rule))])
// A rule that is off for several places needs one finding in each of them.
const idle = exceptions.filter(({ rule, file }) => {
  const [name = '', pointer = ''] = file.split('#')
  const parts = pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('%7B', '{').replaceAll('%7D', '}'))
  return !found.some(
    ({ code, path, source }) =>
      code === rule && isNamed(source, name) && parts.every((part, at) => path[at] === part),
  )
})
for (const { rule, file } of idle) console.log(`tests/lint/spectral.yaml: ${rule} finds nothing in ${file}`)

const ignored = parse(readFileSync(new URL('.redocly.lint-ignore.yaml', here), 'utf8'))
const entries = Object.values(ignored as Record<string, Record<string, string[]>>).flatMap((byRule) =>
  Object.values(byRule).flat(),
)
const { totals } = JSON.parse(
  run('redocly', ['lint', '../../openapi.yaml', '--config=redocly.yaml', '--format=json']),
)
if (totals.ignored !== entries.length) {
  console.log(
    `.redocly.lint-ignore.yaml has ${entries.length} entries, and ${totals.ignored} findings are ignored`,
  )
}
process.exitCode = idle.length > 0 || totals.ignored !== entries.length ? 1 : 0
if (process.exitCode === 0)
  console.log(`Each of ${exceptions.length + entries.length} exceptions has its finding`)

/** Returns the findings of the rules if they are on everywhere. */
function findingsOf(names: string[]): Finding[] {
  const path = new URL('.exceptions.yaml', here)
  const on = Object.fromEntries(names.map((name) => [name, true]))
  writeFileSync(path, stringify({ extends: rulesets.map(([ruleset]) => [ruleset, 'off']), rules: on }))
  try {
    return JSON.parse(
      run('spectral', [
        'lint',
        ...forms.map((form) => `../../${form}`),
        '--ruleset=.exceptions.yaml',
        '--format=json',
        '--quiet',
      ]),
    )
  } finally {
    rmSync(path)
  }
}

function isNamed(source: string, name: string): boolean {
  const [before = '', after] = name.split('*')
  const file = source.slice(source.lastIndexOf('/') + 1)
  return after === undefined ? file === name : file.startsWith(before) && file.endsWith(after)
}

/** Findings make the exit code 1, so only output that is missing says that it failed. */
function run(tool: string, args: string[]): string {
  const { stdout, stderr } = spawnSync(fileURLToPath(new URL(`node_modules/.bin/${tool}`, here)), args, {
    cwd: here,
    env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' },
    encoding: 'utf8',
    maxBuffer: 2 ** 30,
  })
  if (stdout === '') throw new Error(`${tool}: ${stderr}`)
  return stdout
}
