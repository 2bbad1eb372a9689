import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from '@jest/globals'
import { blockCatalogue } from '../../contract/bot-document/index.ts'
import { convert } from '../../server/documents/conversion/index.ts'
import { hasNews } from '../../server/pages/members/app/model/chat-news.ts'
import {
  type Block,
  changedParts,
  type Draft,
  draftOf,
  findBlock,
} from '../../server/pages/members/app/model/draft.ts'
import {
  addBlock,
  addGroup,
  connect,
  disconnect,
  duplicateBlock,
  duplicateGroup,
  moveBlock,
  removeBlock,
  removeGroup,
  renameVariable,
  replaceBlock,
  setBlock,
} from '../../server/pages/members/app/model/edits.ts'
import { addEvent, removeEvent } from '../../server/pages/members/app/model/event-edits.ts'
import { arrange, needsArrangement } from '../../server/pages/members/app/model/layout.ts'
import { keyOf, merge } from '../../server/pages/members/app/model/merge.ts'
import { addableTypes, newBlock } from '../../server/pages/members/app/model/new-blocks.ts'
import { fromMarked, toMarked } from '../../server/pages/members/app/model/rich-text.ts'
import { kindOf, summaryOf } from '../../server/pages/members/app/model/words.ts'
import { root } from '../../server/root.ts'
import fc from '../kit/fast-check.ts'
import { runs } from '../support/runs.ts'

/* The model of the pages in which members build bots, without a browser. */

const folder = new URL('../shared/corpus/', root)
const files = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.json')) : []
const describeAll = files.length > 0 ? describe : () => {}
if (files.length === 0) test.skip('no documents are beside the project', () => {})

const line = (text: string) => ({ type: 'p', children: [{ text }] })

describeAll('real documents', () => {
  test.each(files)('%s comes back equal but for one changed text, and can be drawn', async (name) => {
    const stored = JSON.parse(readFileSync(new URL(name, folder), 'utf8'))
    const document = stored.version.startsWith('6') ? stored : convert(stored)
    const before = JSON.stringify(document)
    const draft = draftOf(document)
    const found = draft.groups.flatMap(({ blocks }) => blocks).find(({ content }) => content?.richText)
    if (found) {
      const given = found.content?.richText
      const lines = toMarked(given).split('\n')
      const richText = fromMarked([`Changed ${lines[0]}`, ...lines.slice(1)].join('\n'), given)
      const changed = setBlock(draft, { ...found, content: { ...found.content, richText } })
      const saved = JSON.parse(JSON.stringify({ ...document, ...changedParts(draft, changed) }))
      const expected = JSON.parse(before)
      const target = findBlock(draftOf(expected), found.id)?.block.content as { richText: object[] }
      target.richText = richText
      expect(JSON.stringify(saved)).toBe(JSON.stringify(expected))
      expect(richText.slice(1)).toEqual((given as object[]).slice(1))
      expect(toMarked(richText)).toContain('Changed ')
    }
    expect(JSON.stringify(document)).toBe(before)
    for (const block of draft.groups.flatMap(({ blocks }) => blocks)) {
      expect(summaryOf(block, draft.variables)).not.toBe('')
      const { richText } = block.content ?? {}
      // Opened and left alone, no text changes.
      if (richText) expect(fromMarked(toMarked(richText), richText)).toEqual(richText)
    }
    expect(needsArrangement(draft)).toBe(false)
    const arranged = {
      ...draft,
      groups: draft.groups.map((group) => ({ ...group, graphCoordinates: { x: 0, y: 0 } })),
    }
    if (draft.groups.length > 1) expect(needsArrangement(arranged)).toBe(true)
    const positions = await arrange(arranged)
    const placed = arranged.groups.map((group) => ({ ...group, graphCoordinates: positions.get(group.id) }))
    expect(needsArrangement({ ...draft, groups: placed } as Draft)).toBe(false)
  })
})

const marks = ['bold', 'italic', 'underline'] as const

const leaves = fc.record(
  {
    text: fc.stringMatching(/^[a-z*_[\]()\\{} ]{1,12}$/),
    ...Object.fromEntries(marks.map((mark) => [mark, fc.constant(true)])),
  },
  { requiredKeys: ['text'] },
)

describe('texts of bubbles', () => {
  test.each([
    [
      '**bold** and _italic_ and __underline__',
      [
        { text: 'bold', bold: true },
        { text: ' and ' },
        { text: 'italic', italic: true },
        { text: ' and ' },
        { text: 'underline', underline: true },
      ],
    ],
    [
      'Hi {{first_name_x}} snake_case_word 2 * 3 ** 4',
      [{ text: 'Hi {{first_name_x}} snake_case_word 2 * 3 ** 4' }],
    ],
    [
      'See [the **docs**](https://example.com/a_b(c)).',
      [
        { text: 'See ' },
        {
          type: 'a',
          url: 'https://example.com/a_b(c)',
          children: [{ text: 'the ' }, { text: 'docs', bold: true }],
        },
        { text: '.' },
      ],
    ],
    ['not \\**bold\\**', [{ text: 'not **bold**' }]],
    ['', [{ text: '' }]],
  ])('%j is read', (marked, children) => {
    expect(fromMarked(marked, undefined)).toEqual([{ type: 'p', children }])
  })

  test('lists are read and written', () => {
    const marked = 'Plans:\n- **Basic**\n- Pro\n1. First\n2. Second'
    expect(toMarked(fromMarked(marked, undefined))).toBe(marked)
    expect(fromMarked(marked, undefined).map(({ type }) => type)).toEqual(['p', 'ul', 'ol'])
  })

  test('an edit of one line keeps nodes of other lines that marks cannot express', () => {
    const odd = {
      type: 'p',
      align: 'center',
      children: [
        { text: 'A', code: true },
        { type: 'x', children: [{ text: 'B' }] },
      ],
    }
    const changed = fromMarked('Changed\nAB\nnew', [line('Hello'), odd])
    expect(changed).toEqual([line('Changed'), odd, line('new')])
  })

  test('the plain words of any text survive marks and back', () => {
    const wordsIn = (nodes: unknown): string =>
      Array.isArray(nodes)
        ? nodes.map(wordsIn).join('')
        : ((nodes as { text?: string }).text ?? wordsIn((nodes as { children?: unknown }).children ?? []))
    fc.assert(
      fc.property(fc.array(leaves, { maxLength: 4 }), (children) => {
        const nodes = [{ type: 'p', children }]
        expect(fromMarked(toMarked(nodes), nodes)).toEqual(nodes)
        const single = [{ type: 'p', children: children.slice(0, 1).map(({ text }) => ({ text })) }]
        expect(wordsIn(fromMarked(toMarked(single), undefined))).toBe(wordsIn(single))
      }),
      { numRuns: runs(300, 5_000) },
    )
  })
})

describe('the types of blocks', () => {
  const current = blockCatalogue.filter(({ versions }) => versions.includes('6.1'))
  const pageFamily = (family: string) => (family === 'vendor' ? 'integration' : family)

  test.each(
    current.filter(({ family }) => family !== 'start').map(({ type, family }) => [type, family] as const),
  )('%s has a name in words.ts, in its own family', (type, family) => {
    const kind = kindOf(type)
    expect(kind.family).toBe(pageFamily(family))
    // A type that has no name is shown as it is written.
    expect(kind.label === type && !/^[A-Z]/.test(type) ? `name ${type}` : '').toBe('')
  })

  test('are offered in new-blocks.ts, each in its family, but those that the editor does not add', () => {
    const offered = Object.entries(addableTypes).flatMap(([family, types]) =>
      types.map((type) => [type, family]),
    )
    for (const [type, family] of offered)
      expect([type, kindOf(type as string).family]).toEqual([type, family])
    // The start block of legacy versions, and the block of OpenAI that `openai` replaces.
    const others = ['start', 'OpenAI']
    const missing = current
      .filter(({ type }) => !offered.some(([name]) => name === type))
      .map(({ type }) => type)
    expect(missing.sort()).toEqual(others.sort())
  })
})

/** Start leads to A, whose last block leads to B. */
const flow: Draft = {
  version: '6.1',
  events: [{ id: 'start', type: 'start', outgoingEdgeId: 'e0', graphCoordinates: { x: 0, y: 0 } }],
  groups: [
    {
      id: 'A',
      title: 'A',
      graphCoordinates: { x: 0, y: 0 },
      blocks: [
        { id: 'a1', type: 'text', content: { richText: [line('Hi {{Name}}')] } },
        {
          id: 'a2',
          type: 'choice input',
          items: [
            { id: 'i1', content: 'Yes', outgoingEdgeId: 'e2' },
            { id: 'i2', content: 'No' },
          ],
          outgoingEdgeId: 'e1',
        },
      ],
    },
    {
      id: 'B',
      title: 'B',
      graphCoordinates: { x: 400, y: 0 },
      blocks: [{ id: 'b1', type: 'text input', options: { variableId: 'v1' } }],
    },
  ],
  edges: [
    { id: 'e0', from: { eventId: 'start' }, to: { groupId: 'A' } },
    { id: 'e1', from: { blockId: 'a2' }, to: { groupId: 'B' } },
    { id: 'e2', from: { blockId: 'a2', itemId: 'i1' }, to: { groupId: 'B', blockId: 'b1' } },
  ],
  variables: [{ id: 'v1', name: 'Name' }],
  theme: {},
  settings: {},
}

/** Edges and the ids that name them agree, and nothing leads into the void. */
function expectSound(draft: Draft) {
  const named = [
    ...draft.events.map((event) => event.outgoingEdgeId),
    ...draft.groups.flatMap(({ blocks }) =>
      blocks.flatMap((block) => [
        block.outgoingEdgeId,
        ...(block.items ?? []).map((item) => item.outgoingEdgeId),
      ]),
    ),
  ].filter((id) => id !== undefined)
  expect(named.toSorted()).toEqual(draft.edges.map(({ id }) => id).toSorted())
  for (const { from, to } of draft.edges) {
    if (from.blockId) expect(findBlock(draft, from.blockId)).toBeDefined()
    const group = draft.groups.find(({ id }) => id === to.groupId)
    expect(group).toBeDefined()
    if (to.blockId) expect(group?.blocks.map(({ id }) => id)).toContain(to.blockId)
  }
}

describe('edits', () => {
  test('a block added at the end is reached, and takes over the edge of the group', () => {
    const draft = addBlock(flow, 'A', 2, newBlock('text'))
    const last = draft.groups[0]?.blocks.at(-1)
    expect(last?.outgoingEdgeId).toBe('e1')
    expect(draft.edges[1]?.from).toEqual({ blockId: last?.id })
    expectSound(draft)
  })

  test('a removed item, block or group removes its edges', () => {
    const block = findBlock(flow, 'a2')?.block as Block
    const without = replaceBlock(flow, { ...block, items: block.items?.slice(1) })
    expect(without.edges.map(({ id }) => id)).toEqual(['e0', 'e1'])
    expectSound(without)
    expectSound(removeBlock(flow, 'a2'))
    expectSound(removeGroup(flow, 'B'))
  })

  test('a copy has new ids and no edges', () => {
    const copy = duplicateGroup(flow, 'A')
    const ids = (draft: Draft | undefined) =>
      draft?.groups.flatMap(({ id, blocks }) => [
        id,
        ...blocks.flatMap((each) => [each.id, ...(each.items ?? []).map((item) => item.id)]),
      ]) ?? []
    expect(new Set(ids(copy?.draft)).size).toBe(ids(copy?.draft).length)
    expect(copy?.draft.edges).toEqual(flow.edges)
    expectSound(copy?.draft as Draft)
  })

  test('a renamed variable is renamed in texts, and other parts stay the same objects', () => {
    const draft = renameVariable(flow, 'v1', 'First name')
    expect(toMarked(findBlock(draft, 'a1')?.block.content?.richText)).toBe('Hi {{First name}}')
    expect(draft.groups[1]).toBe(flow.groups[1])
  })

  test('any edits in a row leave a sound flow', () => {
    const edit = fc.tuple(fc.nat(8), fc.nat(50), fc.nat(50))
    fc.assert(
      fc.property(fc.array(edit, { maxLength: 12 }), (edits) => {
        expectSound(edits.reduce((draft, each) => randomEdit(draft, ...each), flow))
      }),
      { numRuns: runs(200, 5_000) },
    )
  })
})

function randomEdit(draft: Draft, kind: number, one: number, other: number): Draft {
  const group = draft.groups[one % Math.max(draft.groups.length, 1)]
  const target = draft.groups[other % Math.max(draft.groups.length, 1)]
  if (!group || !target) return addGroup(draft, { x: 0, y: 0 }).draft
  const block = group.blocks[other % Math.max(group.blocks.length, 1)]
  if (kind === 0) return addGroup(draft, { x: one, y: other }).draft
  if (kind === 1)
    return addBlock(draft, group.id, other % (group.blocks.length + 1), newBlock('choice input'))
  if (kind === 2) return removeGroup(draft, group.id)
  if (kind === 3) return duplicateGroup(draft, group.id)?.draft ?? draft
  if (!block) return draft
  if (kind === 4) return removeBlock(draft, block.id)
  if (kind === 5) return moveBlock(draft, block.id, target.id, one % (target.blocks.length + 1))
  if (kind === 6) return duplicateBlock(draft, block.id)?.draft ?? draft
  const item = block.items?.[one % block.items.length]
  const source = item ? { blockId: block.id, itemId: item.id } : { blockId: block.id }
  const last = target.blocks.at(-1)
  if (kind === 7) return connect(draft, source, { groupId: target.id, ...(last ? { blockId: last.id } : {}) })
  return disconnect(draft, draft.edges[one % Math.max(draft.edges.length, 1)]?.id ?? '')
}

describe('events', () => {
  test('an event is added below the others, and goes with its edge; the start stays', () => {
    const { draft, event } = addEvent(flow, 'command')
    const connected = connect(draft, { eventId: event.id }, { groupId: 'A' })
    expect(connected.events.map(({ type }) => type)).toEqual([
      ...flow.events.map(({ type }) => type),
      'command',
    ])
    expect(removeEvent(connected, event.id)).toEqual(flow)
    const start = flow.events.find(({ type }) => type === 'start')
    expect(removeEvent(flow, start?.id ?? '')).toBe(flow)
  })
})

describe('merges', () => {
  const setText = (draft: Draft, id: string, text: string) => {
    const block = findBlock(draft, id)?.block as Block
    return setBlock(draft, { ...block, content: { richText: [line(text)] } })
  }

  test('changes of different parts are both applied, whoever made them', () => {
    const mine = setText(flow, 'a1', 'Mine')
    const theirs = addBlock({ ...flow, theme: { customCss: 'b' } }, 'B', 1, newBlock('text'))
    for (const [one, other] of [
      [mine, theirs],
      [theirs, mine],
    ] as const) {
      const { value, conflicts } = merge(flow, one, other)
      expect(conflicts).toEqual([])
      expect(findBlock(value, 'a1')).toMatchObject({ block: findBlock(mine, 'a1')?.block })
      expect(value.theme).toEqual({ customCss: 'b' })
      expect(value.groups[1]?.blocks).toHaveLength(2)
    }
  })

  test('the same text changed twice is a conflict, and the choice decides', () => {
    const [mine, theirs] = [setText(flow, 'a1', 'Mine'), setText(flow, 'a1', 'Theirs')]
    const { conflicts } = merge(flow, mine, theirs)
    expect(conflicts.map(({ path }) => path)).toEqual([
      ['groups', 'A', 'blocks', 'a1', 'content', 'richText'],
    ])
    const choices = new Map(conflicts.map(({ path }) => [keyOf(path), 'theirs' as const]))
    expect(merge(flow, mine, theirs, choices)).toMatchObject({ value: theirs })
  })

  test('a block that one side deleted and the other changed is a conflict', () => {
    const { conflicts } = merge(flow, setText(flow, 'a1', 'Mine'), removeBlock(flow, 'a1'))
    expect(conflicts).toMatchObject([{ path: ['groups', 'A', 'blocks', 'a1'], theirs: undefined }])
  })

  test('a change that only one side made is never a conflict and never lost', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(8), fc.nat(50), fc.nat(50)), { maxLength: 6 }), (edits) => {
        const changed = edits.reduce((draft, each) => randomEdit(draft, ...each), flow)
        expect(merge(flow, changed, flow)).toEqual({ value: changed, conflicts: [] })
        expect(merge(flow, flow, changed)).toEqual({ value: changed, conflicts: [] })
      }),
      { numRuns: runs(100, 2_000) },
    )
  })
})

describe('the sound of the inbox', () => {
  const chat = {
    sessionId: 'session',
    handledBy: 'member' as const,
    assigneeId: 'me' as string | null,
    revision: 3,
    lastMessage: { role: 'user' as const, text: 'Hello' },
  }
  const waits = { ...chat, handledBy: 'waiting' as const, assigneeId: null }
  const plays = (before: Parameters<typeof hasNews>[1], after: Parameters<typeof hasNews>[1]) =>
    hasNews(new Map(before.map((each) => [each.sessionId, each])), after, 'me')

  test('is played for a chat that starts to wait, and for a message in a chat of this member', () => {
    expect(plays([], [waits])).toBe(true)
    expect(plays([{ ...chat, handledBy: 'bot', assigneeId: null }], [waits])).toBe(true)
    expect(plays([chat], [{ ...chat, revision: 4 }])).toBe(true)
  })

  test('is not played for changes of this member or others, nor again for a chat that waits', () => {
    expect(plays([waits], [{ ...waits, revision: 4 }])).toBe(false)
    expect(plays([waits], [chat])).toBe(false)
    expect(plays([chat], [chat])).toBe(false)
    const others = { ...chat, assigneeId: 'somebody' }
    expect(plays([others], [{ ...others, revision: 4 }])).toBe(false)
    expect(plays([chat], [{ ...chat, lastMessage: { role: 'member', text: 'Hi' } }])).toBe(false)
  })
})
