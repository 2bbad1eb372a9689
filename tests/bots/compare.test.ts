import { describe, expect, test } from '@jest/globals'
import { compareFlows } from '../../server/bots/compare.ts'
import { encode } from '../../server/kit/json/json-text.ts'
import fc from '../kit/fast-check.ts'

const block = (id: string, text = id) => ({ id, type: 'text', content: { plain: text } })
const group = (id: string, blocks: unknown[], title = id) => ({
  id,
  title,
  graphCoordinates: { x: 0, y: 0 },
  blocks,
})
const flow = (groups: unknown[], rest: object = {}) =>
  ({
    version: '6.1',
    groups,
    events: [],
    edges: [],
    variables: [],
    theme: {},
    settings: {},
    ...rest,
  }) as never

const changes = (from: never, to: never) =>
  JSON.parse([encode(compareFlows(from, to).changes)].flat().join(''))

describe('compareFlows', () => {
  test('finds nothing between lists that are stored in another order', () => {
    const edges = [{ id: 'e1' }, { id: 'e2' }]
    const one = flow([group('a', [block('1')]), group('b', [])], { edges })
    const other = flow([group('b', []), group('a', [block('1')])], { edges: edges.toReversed() })
    expect(changes(one, other)).toEqual([])
  })

  test('names a block that went to another group once, and no other block as moved', () => {
    const one = flow([
      group(
        'a',
        ['1', '2', '3'].map((id) => block(id)),
      ),
      group('b', []),
    ])
    const other = flow([
      group(
        'a',
        ['2', '3'].map((id) => block(id)),
      ),
      group('b', [block('1')]),
    ])
    expect(changes(one, other)).toMatchObject([
      {
        kind: 'block',
        change: 'moved',
        id: '1',
        groupId: 'b',
        before: { groupId: 'a', index: 0 },
        after: { groupId: 'b', index: 0 },
      },
    ])
  })

  test('names the one block of a group that changed its position', () => {
    const ids = ['1', '2', '3', '4', '5']
    const one = flow([
      group(
        'a',
        ids.map((id) => block(id)),
      ),
    ])
    const other = flow([
      group(
        'a',
        ['5', '1', '2', '3', '4'].map((id) => block(id)),
      ),
    ])
    expect(changes(one, other)).toMatchObject([{ kind: 'block', change: 'moved', id: '5' }])
  })

  test('gives values of a changed property with its path', () => {
    const one = flow([group('a', [block('1', 'Hi')])])
    const other = flow([group('a', [block('1', 'Hello')])])
    expect(changes(one, other)).toEqual([
      {
        kind: 'block',
        change: 'changed',
        id: '1',
        groupId: 'a',
        blockId: null,
        path: ['content', 'plain'],
        message: 'Block 1 (text) in group "a": content.plain changed',
        before: 'Hi',
        after: 'Hello',
      },
    ])
  })

  test('names a new group once, with its blocks in the value', () => {
    const added = group('b', [block('1'), block('2')])
    expect(changes(flow([]), flow([added]))).toMatchObject([
      { kind: 'group', change: 'added', id: 'b', after: added },
    ])
    expect(changes(flow([added]), flow([]))).toMatchObject([
      { kind: 'group', change: 'removed', id: 'b', before: added },
    ])
  })

  test('names a block that moved into a new group as moved', () => {
    const one = flow([group('a', [block('1')])])
    const other = flow([group('b', [block('1')])])
    expect(changes(one, other)).toMatchObject([
      { kind: 'group', change: 'added', id: 'b' },
      { kind: 'block', change: 'moved', id: '1' },
      { kind: 'group', change: 'removed', id: 'a' },
    ])
  })

  test('reports renamed groups and variables as renamed, and others of the canvas as moved', () => {
    const one = flow([group('a', [], 'Old')], { variables: [{ id: 'v', name: 'Mail' }] })
    const other = flow([{ ...group('a', [], 'New'), graphCoordinates: { x: 5, y: 0 } }], {
      variables: [{ id: 'v', name: 'E-mail' }],
    })
    expect(changes(one, other)).toMatchObject([
      { kind: 'group', change: 'renamed', before: 'Old', after: 'New', message: 'Group "Old" is now "New"' },
      { kind: 'group', change: 'moved', path: ['graphCoordinates'] },
      { kind: 'variable', change: 'renamed', before: 'Mail', after: 'E-mail' },
    ])
  })

  test('distinguishes parts with one id by their order', () => {
    const one = flow([group('a', [block('1', 'x'), block('1', 'y')])])
    const other = flow([group('a', [block('1', 'x'), block('1', 'z')])])
    expect(changes(one, other)).toMatchObject([{ change: 'changed', before: 'y', after: 'z' }])
  })

  test('compares properties named like those of every object as any other', () => {
    const parse = (text: string) => flow([], { theme: JSON.parse(text) })
    expect(changes(parse('{}'), parse('{"__proto__":{"a":1},"toString":2}'))).toMatchObject([
      { path: ['__proto__'], after: { a: 1 } },
      { path: ['toString'], after: 2 },
    ])
  })

  test('compares 20,000 edges of one id, and deep values, in one pass', () => {
    const edges = (to: string) => Array.from({ length: 20_000 }, () => ({ id: 'e', to: { groupId: to } }))
    expect(changes(flow([], { edges: edges('a') }), flow([], { edges: edges('b') }))).toHaveLength(1_000)
    const deep = (end: unknown) =>
      Array.from({ length: 90 }).reduce<object>((inner) => ({ inner }), {
        end,
        list: new Array(100_000).fill(0),
      })
    expect(changes(flow([], { theme: deep(1) }), flow([], { theme: deep(2) }))).toMatchObject([
      { before: 1, after: 2 },
    ])
  })

  test('stops at 1,000 changes, and before 8 MB of values', () => {
    const many = flow(Array.from({ length: 1_001 }, (_, nth) => group(`g${nth}`, [])))
    expect(compareFlows(flow([]), many)).toMatchObject({ isComplete: false, changes: { length: 1_000 } })
    const large = flow(Array.from({ length: 9 }, (_, nth) => group(`g${nth}`, [], 'x'.repeat(1_000_000))))
    expect(compareFlows(flow([]), large)).toMatchObject({ isComplete: false, changes: { length: 7 } })
  })

  test('finds nothing exactly where the flows are equal', () => {
    const blocks = fc.uniqueArray(fc.constantFrom('1', '2', '3', '4', '5'))
    const flows = fc.tuple(blocks, blocks, fc.object()).map(([one, other, theme]) =>
      flow(
        [
          group(
            'a',
            one.map((id) => block(id)),
          ),
          group(
            'b',
            other.filter((id) => !one.includes(id)).map((id) => block(id)),
          ),
        ],
        { theme: JSON.parse(JSON.stringify(theme)) },
      ),
    )
    fc.assert(
      fc.property(flows, flows, (one, other) => {
        expect(changes(one, one)).toEqual([])
        const isEqual = JSON.stringify(one) === JSON.stringify(other)
        const found = changes(one, other)
        if (!isEqual && found.length === 0) expect(one).toEqual(other)
        if (isEqual) expect(found).toEqual([])
      }),
    )
  })
})
