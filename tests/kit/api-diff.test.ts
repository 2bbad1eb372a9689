import { describe, expect, test } from '@jest/globals'
import { type Change, type Label, labelOf, lacksOf } from './api-diff/changes.ts'

/* Labels of changes of the document that Redocly rates otherwise, and the release that they need. */

const change = (given: Partial<Change>): Change => ({
  path: '#/paths/~1v1~1folders/get',
  typeName: 'Schema',
  kind: 'modified',
  impact: 'patch',
  verdicts: [],
  ...given,
})

const labelled: [what: string, label: Label, given: Partial<Change>][] = [
  ['what Redocly calls major', 'breaking', { impact: 'major', kind: 'removed' }],
  ['a component that is gone', 'breaking', { path: '#/components/schemas/Folder', kind: 'removed' }],
  ['a component that is new', 'additive', { path: '#/components/schemas/Folder', kind: 'added' }],
  ['an operation under another tag', 'breaking', { typeName: 'Operation', property: 'tags' }],
  ['another default', 'breaking', { property: 'default' }],
  ['another format', 'breaking', { property: 'format' }],
  ['another tag of a union', 'breaking', { typeName: 'Discriminator', property: 'propertyName' }],
  [
    'another value of the tag',
    'breaking',
    { path: '#/paths/x/discriminator/mapping/text2', property: 'key' },
  ],
  ['a new operation', 'additive', { typeName: 'PathItem', kind: 'added', impact: 'minor' }],
  ['a wider bound of a request', 'additive', { property: 'maxLength' }],
  ['a mark of deprecation', 'additive', { typeName: 'Operation', property: 'deprecated' }],
  ['another description', 'text', { property: 'description' }],
  ['another example', 'text', { property: 'example' }],
  ['a new example', 'text', { typeName: 'Example', kind: 'added', impact: 'minor' }],
  ['another contact', 'text', { path: '#/info/contact', typeName: 'Contact', property: 'email' }],
]

const newBranch = change({
  kind: 'added',
  impact: 'major',
  revision: { pointer: '#/components/schemas/Block/oneOf/59' },
})

describe('a change of the document', () => {
  test.each(labelled)('%s is %s', (_what, label, given) => {
    expect(labelOf(change(given))).toBe(label)
  })

  test('a new branch of a union breaks, unless the union was open', () => {
    expect(labelOf(newBranch)).toBe('breaking')
    expect(labelOf(newBranch, new Set(['FlowEvent']))).toBe('breaking')
    expect(labelOf(newBranch, new Set(['Block']))).toBe('additive')
    const exclusion = { impact: 'major', path: '#/paths/x/properties/type/not', property: 'enum' } as const
    expect(labelOf(change(exclusion))).toBe('additive')
  })

  test.each<[label: Label, pattern: string | undefined, minimum: number]>([
    ['additive', '^[a-z]{1,64}$', 1],
    ['breaking', '^[a-z]{1,64}$', 2],
    ['breaking', '^[a-z]{0,64}$', 1],
    ['breaking', undefined, 1],
  ])('a minimum length is %s where %s was released: %d', (label, pattern, minimum) => {
    const given = {
      property: 'minLength',
      impact: 'major',
      revision: { pointer: '#/x', value: minimum },
    } as const
    expect(labelOf(change(given), new Set(), pattern)).toBe(label)
  })
})

const changelog =
  '# Changes\n\n## 2.0.0\n\n### Breaking\n\nMuch.\n\n## 1.10.0\n\nMore.\n\n## 1.9.1 - 2027-01-01\n\nText.\n'
const raise = (version: string) => `Raise the version of the contract from 1.9.0 to ${version} or higher.`
const announce = 'Add an entry for the new version to CHANGELOG.md.'

const releases: [what: string, current: string, labels: Label[], lacks: unknown[]][] = [
  ['nothing changed', '1.9.0', [], []],
  ['text changed, nothing said', '1.9.0', ['text'], [raise('1.9.1'), announce]],
  ['text changed, said', '1.9.1', ['text'], []],
  ['an addition as a patch', '1.9.1', ['text', 'additive'], [raise('1.10.0')]],
  ['an addition, said', '1.10.0', ['additive'], []],
  ['an addition without an entry', '1.11.0', ['additive'], [announce]],
  ['a break as an addition', '1.10.0', ['breaking'], [raise('2.0.0'), expect.stringMatching(/### Breaking/)]],
  ['a break, announced', '2.0.0', ['breaking', 'additive', 'text'], []],
  ['a break without an entry', '3.0.0', ['breaking'], [announce]],
]

describe('a release after 1.9.0', () => {
  test.each(releases)('%s', (_what, current, labels, lacks) => {
    expect(lacksOf('1.9.0', current, new Set(labels), changelog)).toEqual(lacks)
  })
})
