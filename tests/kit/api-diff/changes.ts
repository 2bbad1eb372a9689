/*
 * Rates changes of the document by their effect on clients, and names the release that such changes need. Redocly
 * rates by direction; the rules here are for changes that it rates too low for clients generated from the document.
 */

/** A change as `redocly diff --format=json` reports it. */
export interface Change {
  /** Place of the first occurrence, as a pointer into the document with its references followed. */
  path: string
  typeName: string
  kind: 'added' | 'removed' | 'modified'
  /** The keyword that changed, where something was modified; `key` is a new name. */
  property?: string
  impact: 'major' | 'minor' | 'patch'
  verdicts: { message: string }[]
  /** Pointers into the old and into the new document. */
  base?: { pointer: string }
  revision?: { pointer: string; value?: unknown }
}

export type Label = 'breaking' | 'additive' | 'text'

/** Keywords that no program acts on. */
const wording = new Set(['summary', 'description', 'title', 'example', 'examples', 'x-displayName'])

/** Keywords that name what generated code is called, or that change what the same request does. */
const binding = new Set(['tags', 'default', 'propertyName', 'format'])

/**
 * Breaking: a valid request is rejected or does something else, a response can be one that the released
 * document does not allow, or a name of generated code is removed. Text: only people notice. A new branch of
 * an open union is an addition: its values came as those of the opaque branch before. So is a minimum length of one
 * where the pattern that was released for the text rejects the empty one already.
 */
export function labelOf(change: Change, openUnions: ReadonlySet<string> = new Set(), pattern = ''): Label {
  const { path, typeName, kind, property = '', impact, revision } = change
  const union = /^#\/components\/schemas\/(\w+)\/oneOf\/\d+$/.exec(revision?.pointer ?? '')?.[1] ?? ''
  const isNewBranch = kind === 'added' && openUnions.has(union)
  const isExclusion = property === 'enum' && path.endsWith('/not')
  const isDemandedAlready =
    property === 'minLength' && revision?.value === 1 && !new RegExp(pattern, 'u').test('')
  if (isNewBranch || isExclusion || isDemandedAlready) return 'additive'
  if (impact === 'major' || binding.has(property)) return 'breaking'
  const isGone = kind === 'removed' || property === 'key'
  if (isGone && /^#\/components\/|\/mapping\//.test(path)) return 'breaking'
  const isText =
    wording.has(property) || typeName === 'Example' || path === '#/info' || path.startsWith('#/info/')
  return isText ? 'text' : 'additive'
}

type Version = [major: number, minor: number, patch: number]

/** Lists what a release with these changes still lacks. */
export function lacksOf(
  released: string,
  current: string,
  labels: ReadonlySet<Label>,
  changelog: string,
): string[] {
  if (labels.size === 0) return []
  const [major, minor, patch] = released.split('.').map(Number) as Version
  const needed: Version = labels.has('breaking')
    ? [major + 1, 0, 0]
    : labels.has('breaking') || labels.has('additive')
      ? [major, minor + 1, 0]
      : [major, minor, patch + 1]
  const lacks: string[] = []
  if (compareVersions(current, needed.join('.')) < 0) {
    lacks.push(`Raise the version of the contract from ${released} to ${needed.join('.')} or higher.`)
  }
  const entry = changelog.split(/^## /m).find((part) => part.split(/\s/, 1)[0] === current)
  if (entry === undefined || compareVersions(current, released) <= 0) {
    lacks.push('Add an entry for the new version to CHANGELOG.md.')
  } else if (labels.has('breaking') && !/^### Breaking$/m.test(entry)) {
    lacks.push(`Say what breaks under "### Breaking" in the entry ${current} of CHANGELOG.md.`)
  }
  return lacks
}

export function compareVersions(one: string, other: string): number {
  return one.localeCompare(other, 'en', { numeric: true })
}
