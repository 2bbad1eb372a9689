import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { isDeepStrictEqual } from 'node:util'
import { parse } from 'yaml'
import { type Change, type Label, labelOf } from './changes.ts'

/* The changes from one document to another by their effect on clients. Redocly finds them. */

/** Compares two documents on disk. `redocly` is the path of its command, which the kit does not install. */
export function compareDocuments(redocly: string, base: string, revision: string): Map<Label, string[]> {
  const [before, after] = [documentAt(base), documentAt(revision)]
  const config = fileURLToPath(new URL('redocly.yaml', import.meta.url))
  const report = JSON.parse(
    execFileSync(redocly, ['diff', base, revision, `--config=${config}`, '--format=json', '--fail-on=none'], {
      env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' },
      encoding: 'utf8',
      maxBuffer: 2 ** 30,
      stdio: 'pipe',
    }),
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
  return found
}

export interface Document {
  info: { version: string }
  components: { schemas: Record<string, { discriminator?: { mapping: Record<string, string> } }> }
}

export function documentAt(path: string): Document {
  return parse(readFileSync(path, 'utf8'))
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
