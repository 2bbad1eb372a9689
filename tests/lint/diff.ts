import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { isDeepStrictEqual } from 'node:util'
import { parse } from 'yaml'
import { type Change, compareVersions, type Label, labelOf, lacksOf } from './changes.ts'

/*
 * Labels every change of openapi.yaml since the last release breaking, additive or text, and fails unless the
 * version and CHANGELOG.md say so. Two paths compare any two documents instead.
 */

const root = new URL('../../', import.meta.url)
const folder = new URL('contract/released/', root)
const released = (existsSync(folder) ? readdirSync(folder) : [])
  .sort(compareVersions)
  .map((name) => fileURLToPath(new URL(name, folder)))

const current = fileURLToPath(new URL('openapi.yaml', root))
if (released.length === 0 && process.argv.length < 4) {
  console.log('No version has been released yet, so every change is allowed.')
  process.exit()
}
const [base = lastRelease(), revision = current] = process.argv.slice(2).map((path) => resolve(path))
const [before, after] = [documentAt(base), documentAt(revision)]

const report = JSON.parse(
  execFileSync(
    fileURLToPath(new URL('node_modules/.bin/redocly', import.meta.url)),
    ['diff', base, revision, '--config=redocly.yaml', '--format=json', '--fail-on=none'],
    {
      cwd: new URL('.', import.meta.url),
      env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' },
      encoding: 'utf8',
      maxBuffer: 2 ** 30,
      stdio: 'pipe',
    },
  ),
)

const renamed = renamedReferences(before, after)
const found = new Map<Label, string[]>([
  ['breaking', renamed.map((place) => `modified ${place} $ref`)],
  ['additive', []],
  ['text', []],
])
const openUnions = openUnionsOf(before)
for (const change of report.changes as Change[]) {
  if (change.path === '#/info' && change.property === 'version') continue
  const place = (change.revision ?? change.base)?.pointer
  const reason = change.verdicts.map(({ message }) => ` (${message})`).join('')
  const label = labelOf(change, openUnions, patternAt(before, change.base?.pointer))
  found.get(label)?.push(`${change.kind} ${place}${reason}`)
}
const isUnnoticed = [...found.values()].every(({ length }) => length === 0)
if (isUnnoticed && !isDeepStrictEqual(withoutVersion(before), withoutVersion(after))) {
  found.get('text')?.push('modified # (order or extensions)')
}

for (const [label, lines] of found) for (const line of lines) console.log(label.padEnd(9), line)
const counts = [...found].map(([label, { length }]) => `${length} ${label}`)
console.log(`${before.info.version} to ${after.info.version}: ${counts.join(', ')}`)

const labels = new Set([...found].flatMap(([label, { length }]) => (length > 0 ? [label] : [])))
const changelog = readFileSync(new URL('CHANGELOG.md', root), 'utf8')
for (const lack of lacksOf(before.info.version, after.info.version, labels, changelog)) {
  console.log(lack)
  process.exitCode = 1
}

interface Document {
  info: { version: string }
  components: { schemas: Record<string, { discriminator?: { mapping: Record<string, string> } }> }
}

function documentAt(path: string): Document {
  return parse(readFileSync(path, 'utf8'))
}

/** The last one; the one before while the last is already the document, so that copying it hides nothing. */
function lastRelease(): string {
  const [last = '', previous = last] = released.toReversed()
  const isOut = readFileSync(last).equals(readFileSync(current))
  return isOut ? previous : last
}

function withoutVersion({ info, ...document }: Document) {
  return { ...document, info: { ...info, version: '' } }
}

/** Unions that have a branch for what they do not know; the mapping calls it by the name of its component. */
function openUnionsOf({ components }: Document): Set<string> {
  const isOpen = ({ discriminator }: Document['components']['schemas'][string]) =>
    Object.entries(discriminator?.mapping ?? {}).some(([value, reference]) => reference.endsWith(`/${value}`))
  return new Set(Object.entries(components.schemas).flatMap(([name, union]) => (isOpen(union) ? [name] : [])))
}

/** The pattern of the schema that a pointer leads to, if it has one. */
function patternAt(document: Document, pointer = '#'): string | undefined {
  const keys = pointer.split('/').slice(1)
  const schema = keys.reduce<unknown>(
    (inner, key) =>
      (inner as Record<string, unknown> | undefined)?.[key.replaceAll('~1', '/').replaceAll('~0', '~')],
    document,
  )
  return isRecord(schema) && typeof schema.pattern === 'string' ? schema.pattern : undefined
}

/**
 * Returns places in which both refer to a component, but to different ones: generated code has another name there.
 */
function renamedReferences(one: unknown, other: unknown, place = '#'): string[] {
  if (!isRecord(one) || !isRecord(other)) return []
  if (one.$ref !== other.$ref) return one.$ref && other.$ref ? [place] : []
  return Object.keys(one).flatMap((key) => renamedReferences(one[key], other[key], `${place}/${key}`))
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
