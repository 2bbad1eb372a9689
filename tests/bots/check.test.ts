import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from '@jest/globals'
import { blockCatalogue } from '../../contract/bot-document/index.ts'
import { convert, type FlowDocument } from '../../server/documents/conversion/index.ts'
import fc from '../kit/fast-check.ts'
import { checkFlow } from '../support/check-flow.ts'
import { cpuGrowth, measureCpu } from '../support/cpu.ts'
import { documentOf, documentVersions } from '../support/documents.ts'
import { runs } from '../support/runs.ts'

type Json = Record<string, unknown>

const at = { x: 0, y: 0 }

/** A sound bot: a start event, one group that is reached, one variable. Parts can be replaced. */
function current(parts: Partial<FlowDocument> = {}): FlowDocument {
  return {
    version: '6.1',
    groups: [group('g1', text('b1'))],
    events: [{ id: 's', type: 'start', graphCoordinates: at, outgoingEdgeId: 'e1' }],
    edges: [fromStart],
    variables: [{ id: 'v1', name: 'Name' }],
    theme: {},
    settings: {},
    ...parts,
  }
}

/** The same bot in version 4. */
function legacy(parts: Partial<FlowDocument> = {}): FlowDocument {
  return current({
    version: '4',
    groups: [group('g0', startBlock), group('g1', text('b1'))],
    events: null,
    edges: [edge('e1', { blockId: 's' }, { groupId: 'g1' })],
    ...parts,
  })
}

const fromStart = edge('e1', { eventId: 's' }, { groupId: 'g1' })
const startBlock = { id: 's', type: 'start', label: 'Start', outgoingEdgeId: 'e1' }

function group(id: string, ...blocks: Json[]): Json {
  return { id, title: `Group ${id}`, graphCoordinates: at, blocks }
}

function text(id: string, outgoingEdgeId?: string): Json {
  const content = { richText: [{ type: 'p', children: [{ text: `Here is ${id}.` }] }] }
  return { id, type: 'text', content, outgoingEdgeId }
}

function edge(id: string, from: Json, to: Json): Json {
  return { id, from, to }
}

/** Issues of the short blocks here that do not matter; tests/bots/check-findings.test.ts tests them. */
const lacks = new Set(['empty_bubble', 'empty_item', 'missing_setting', 'endless_loop', 'unknown_name'])

function connectionsOf(document: FlowDocument) {
  return checkFlow(document).filter(({ code }) => !lacks.has(code))
}

/** The issues as lines of path and code. */
function issuesOf(document: FlowDocument): string[] {
  return connectionsOf(document).map(({ path, code }) => `${path.join('.')} ${code}`)
}

test('the check finds no issue in a sound flow', () => {
  expect(checkFlow(current())).toEqual([])
  expect(checkFlow(legacy())).toEqual([])
  expect(checkFlow(legacy({ version: null }))).toEqual([])
})

test('an issue has a place, a code and a sentence', () => {
  const groups = [group('g1', text('b1', 'e9'))]
  expect(checkFlow(current({ groups }))).toEqual([
    {
      path: ['groups', '0', 'blocks', '0', 'outgoingEdgeId'],
      code: 'missing_edge',
      message: 'The block leaves by the edge "e9", which does not exist.',
      severity: 'warning',
    },
  ])
})

describe('duplicate ids', () => {
  test('duplicate ids of groups, blocks, edges, events and variables are found', () => {
    const document = current({
      groups: [group('g1', text('b1'), text('b1')), group('g1', text('b1'))],
      edges: [fromStart, fromStart],
      variables: [
        { id: 'v1', name: 'A' },
        { id: 'v1', name: 'B' },
      ],
    })
    const events = [...(document.events as Json[]), { id: 's', type: 'command', graphCoordinates: at }]
    expect(issuesOf({ ...document, events }).filter((line) => line.endsWith('duplicate_id'))).toEqual([
      'groups.1.id duplicate_id',
      'groups.0.blocks.1.id duplicate_id',
      'groups.1.blocks.0.id duplicate_id',
      'events.1.id duplicate_id',
      'edges.1.id duplicate_id',
      'variables.1.id duplicate_id',
    ])
  })

  test('duplicate ids of items in one block and of paths in one item are found', () => {
    const paths = [{ id: 'p' }, { id: 'p' }]
    const cards = { id: 'b1', type: 'cards', items: [{ id: 'i', paths }, { id: 'i' }] }
    const choice = { id: 'b2', type: 'choice input', items: [{ id: 'i' }] }
    expect(issuesOf(current({ groups: [group('g1', cards, choice)] }))).toEqual([
      'groups.0.blocks.0.items.1.id duplicate_id',
      'groups.0.blocks.0.items.0.paths.1.id duplicate_id',
    ])
  })

  test('the same id for two kinds is no finding', () => {
    const edges = [edge('x', { eventId: 'x' }, { groupId: 'x' })]
    const events = [{ id: 'x', type: 'start', graphCoordinates: at, outgoingEdgeId: 'x' }]
    const groups = [group('x', text('x'))]
    expect(issuesOf(current({ groups, edges, events, variables: [{ id: 'x', name: 'X' }] }))).toEqual([])
  })
})

describe('the start', () => {
  test('the check finds a missing start', () => {
    expect(issuesOf(current({ events: [], edges: [] }))).toEqual(['events missing_start'])
    expect(issuesOf(current({ events: [{ id: 'c', type: 'command' }], edges: [] }))).toEqual([
      'events missing_start',
    ])
    expect(issuesOf(legacy({ groups: [group('g1')], edges: [] }))).toEqual(['groups missing_start'])
  })

  test('the check finds a start that leads nowhere', () => {
    const events = [{ id: 's', type: 'start', graphCoordinates: at }]
    expect(issuesOf(current({ events, edges: [] }))).toEqual(['events.0.outgoingEdgeId start_without_edge'])
    const groups = [group('g0', { ...startBlock, outgoingEdgeId: undefined })]
    expect(issuesOf(legacy({ groups, edges: [] }))).toEqual([
      'groups.0.blocks.0.outgoingEdgeId start_without_edge',
    ])
  })

  test('a start block continues with the blocks after it', () => {
    const groups = [group('g0', { ...startBlock, outgoingEdgeId: undefined }, text('b1'))]
    expect(issuesOf(legacy({ groups, edges: [] }))).toEqual([])
  })
})

describe('dangling references', () => {
  test('outgoing edges of events, blocks, items and paths must exist', () => {
    const items = [{ id: 'i', outgoingEdgeId: 'e7', paths: [{ id: 'p', outgoingEdgeId: 'e6' }] }]
    const document = current({
      events: [{ id: 's', type: 'start', graphCoordinates: at, outgoingEdgeId: 'e9' }],
      groups: [group('g1', { id: 'b1', type: 'cards', outgoingEdgeId: 'e8', items })],
      edges: [],
    })
    expect(issuesOf(document)).toEqual([
      'events.0.outgoingEdgeId missing_edge',
      'groups.0.blocks.0.outgoingEdgeId missing_edge',
      'groups.0.blocks.0.items.0.outgoingEdgeId missing_edge',
      'groups.0.blocks.0.items.0.paths.0.outgoingEdgeId missing_edge',
    ])
  })

  test('sources of edges must exist', () => {
    const paths = [{ id: 'p', outgoingEdgeId: 'e6' }]
    const cards = { id: 'b1', type: 'cards', outgoingEdgeId: 'e7', items: [{ id: 'i', paths }] }
    const to = { groupId: 'g1' }
    const edges = [
      fromStart,
      edge('e2', { eventId: 'x' }, to),
      edge('e3', { blockId: 'x', itemId: 'i' }, to),
      edge('e4', { blockId: 'b1', itemId: 'x', pathId: 'p' }, to),
      edge('e5', { blockId: 'b1', itemId: 'i', pathId: 'x' }, to),
      edge('e6', { blockId: 'b1', itemId: 'i', pathId: 'p' }, to),
      edge('e7', { blockId: 'b1' }, to),
    ]
    const found = (count: number) =>
      issuesOf(
        current({ groups: [group('g1', cards)], edges: [...edges.slice(0, count), ...edges.slice(5)] }),
      )
    expect(found(2)).toEqual(['edges.1.from.eventId missing_source'])
    for (const [index, place] of ['eventId', 'blockId', 'itemId', 'pathId'].entries()) {
      const parts = {
        groups: [group('g1', cards)],
        edges: [fromStart, ...edges.slice(index + 1, index + 2), ...edges.slice(5)],
      }
      expect(issuesOf(current(parts))).toEqual([`edges.1.from.${place} missing_source`])
    }
  })

  test('edges that deleted blocks leave behind are one finding with their number', () => {
    const left = (count: number) =>
      current({
        edges: [
          fromStart,
          ...Array.from({ length: count }, (_, at) => edge(`l${at}`, { blockId: 'x' }, { groupId: 'g1' })),
        ],
      })
    const messages = (count: number) => checkFlow(left(count)).map(({ message }) => message)
    const [one] = messages(1)
    expect(messages(2)).toEqual([`${one} So does 1 other edge.`])
    expect(messages(400)).toEqual([`${one} So do 399 other edges.`])
  })

  test('targets of edges must exist', () => {
    const edges = [
      fromStart,
      edge('e2', { blockId: 'b2' }, { groupId: 'x', blockId: 'b1' }),
      edge('e3', { blockId: 'b3' }, { groupId: 'g1', blockId: 'x' }),
      edge('e4', { blockId: 'b4' }, { groupId: 'g1', blockId: 'b1' }),
    ]
    const groups = [group('g1', text('b1'), text('b2', 'e2'), text('b3', 'e3'), text('b4', 'e4'))]
    expect(issuesOf(current({ groups, edges }))).toEqual([
      'edges.1.to.groupId missing_target',
      'edges.2.to.blockId missing_target',
    ])
  })

  test('targets of jumps and links must exist', () => {
    const jump = (options: Json, type = 'Jump') => ({ id: JSON.stringify(options), type, options })
    const blocks = [
      jump({ groupId: 'x', blockId: 'b1' }),
      jump({ groupId: 'g1', blockId: 'x' }),
      jump({ groupId: 'g1' }),
      jump({ groupId: '', blockId: 'x' }),
      jump({ groupId: '{{Next}}' }),
      jump({ botId: 'current', groupId: 'x' }, 'Bot link'),
      jump({ botId: 'another', groupId: 'y' }, 'Bot link'),
    ]
    expect(issuesOf(current({ groups: [group('g1', ...blocks)] }))).toEqual([
      'groups.0.blocks.0.options.groupId missing_target',
      'groups.0.blocks.1.options.blockId missing_target',
      'groups.0.blocks.5.options.groupId missing_target',
    ])
  })
})

describe('edges that their source does not leave by', () => {
  const to = { groupId: 'g1' }

  test('checkFlow finds edges that their event, block, item or path does not leave by', () => {
    const cards = { id: 'b1', type: 'cards', items: [{ id: 'i', paths: [{ id: 'p' }] }] }
    const edges = [
      fromStart,
      edge('e2', { eventId: 's' }, to),
      edge('e3', { blockId: 'b1' }, to),
      edge('e4', { blockId: 'b1', itemId: 'i' }, to),
      edge('e5', { blockId: 'b1', itemId: 'i', pathId: 'p' }, to),
    ]
    const found = connectionsOf(current({ groups: [group('g1', cards)], edges }))
    expect(found.map(({ path, code, message }) => [path.join('.'), code, message])).toEqual([
      [
        'edges.1.from',
        'unused_edge',
        'The event "s" does not leave by this edge: its outgoingEdgeId does not name it.',
      ],
      [
        'edges.2.from',
        'unused_edge',
        'The block "b1" does not leave by this edge: its outgoingEdgeId does not name it.',
      ],
      [
        'edges.3.from',
        'unused_edge',
        'The item "i" does not leave by this edge: its outgoingEdgeId does not name it.',
      ],
      [
        'edges.4.from',
        'unused_edge',
        'The path "p" does not leave by this edge: its outgoingEdgeId does not name it.',
      ],
    ])
  })

  test('an edge must name as its source the block or item that refers to it', () => {
    const item = { id: 'i', outgoingEdgeId: 'e2' }
    const choice = { id: 'b1', type: 'choice input', outgoingEdgeId: 'e3', items: [item] }
    const from = (e2: Json, e3: Json) =>
      issuesOf(
        current({
          groups: [group('g1', choice)],
          edges: [fromStart, edge('e2', e2, to), edge('e3', e3, to)],
        }),
      )
    expect(from({ blockId: 'b1', itemId: 'i' }, { blockId: 'b1' })).toEqual([])
    expect(from({ blockId: 'b1' }, { blockId: 'b1', itemId: 'i' })).toEqual([
      'edges.1.from unused_edge',
      'edges.2.from unused_edge',
    ])
  })

  test('an edge that the start block of a legacy bot does not leave by is found', () => {
    const groups = [group('g0', { ...startBlock, outgoingEdgeId: undefined }, text('b0')), group('g1')]
    expect(issuesOf(legacy({ groups }))).toContain('edges.0.from unused_edge')
  })
})

test('the check finds blocks that chats skip: misspelt ones and those of outside services', () => {
  const blocks = [
    'Text',
    'choice',
    'text input',
    'start',
    'payment input',
    'openai',
    'Webhook',
    'webhook',
  ].map((type, index) => ({ id: `b${index}`, type }))
  const found = connectionsOf(current({ groups: [group('g1', ...blocks)] }))
  expect(found.map(({ path, code, message }) => [path.join('.'), code, message])).toEqual(
    [0, 1].map((index) => [
      `groups.0.blocks.${index}.type`,
      'skipped_block',
      `Chats skip this block: the service does not run blocks of the type "${blocks[index]?.type}".${index === 0 ? ' Probably "text" is meant.' : ''}`,
    ]),
  )
})

test.each(blockCatalogue.filter(({ family }) => family !== 'vendor'))(
  '$component of versions $versions is not skipped',
  ({ type }) => {
    const found = issuesOf(current({ groups: [group('g1', { id: 'b1', type })] }))
    expect(found).toEqual([])
  },
)

test('the check finds undeclared variables, wherever a block or an event names one', () => {
  const blocks = [
    { id: 'b1', type: 'text input', options: { variableId: 'v1', audioClip: { saveVariableId: 'x' } } },
    {
      id: 'b2',
      type: 'Webhook',
      options: { variableId: '', responseVariableMapping: [{ variableId: 'x' }, { variableId: 'y' }] },
    },
    {
      id: 'b3',
      type: 'Condition',
      items: [{ id: 'i', content: { comparisons: [{ id: 'c', variableId: 'x' }, { variableId: 'v1' }] } }],
    },
    {
      id: 'b4',
      type: 'Webhook',
      options: { threadVariableId: 'x', invariableId: 'x', variableId: null },
    },
  ]
  const [event] = current().events as Json[]
  const events = [
    event,
    { id: 'r', type: 'reply', graphCoordinates: at, options: { contentVariableId: 'x' } },
  ]
  expect(issuesOf(current({ groups: [group('g1', ...blocks)], events }))).toEqual([
    'events.1.options.contentVariableId unknown_variable',
    'groups.0.blocks.0.options.audioClip.saveVariableId unknown_variable',
    'groups.0.blocks.1.options.responseVariableMapping.0.variableId unknown_variable',
    'groups.0.blocks.1.options.responseVariableMapping.1.variableId unknown_variable',
    'groups.0.blocks.2.items.0.content.comparisons.0.variableId unknown_variable',
    'groups.0.blocks.3.options.threadVariableId unknown_variable',
  ])
})

describe('groups that no chat reaches', () => {
  const unreached = (document: FlowDocument) =>
    issuesOf(document).filter((line) => line.endsWith('unreachable_group'))
  const to = (groupId: string) => edge(`to ${groupId}`, { blockId: 'b1' }, { groupId })

  test('are named by their title', () => {
    const groups = [group('g1', text('b1')), group('g2', text('b2'))]
    expect(checkFlow(current({ groups }))).toEqual([
      {
        path: ['groups', '1'],
        code: 'unreachable_group',
        message: 'No path leads from the start to the group "Group g2".',
        severity: 'warning',
      },
    ])
  })

  test('are found through blocks, items, paths, jumps, links and loops', () => {
    const cards = {
      id: 'b1',
      type: 'cards',
      items: [{ id: 'i', outgoingEdgeId: 'to g2', paths: [{ id: 'p', outgoingEdgeId: 'to g3' }] }],
    }
    const groups = [
      group('g1', cards, text('b2', 'to g4')),
      group('g2', { id: 'b3', type: 'Jump', options: { groupId: 'g5' } }),
      group('g3', { id: 'b4', type: 'Bot link', options: { botId: 'current', groupId: 'g6' } }),
      group('g4', text('b5', 'to g1')),
      group('g5'),
      group('g6'),
      group('g7'),
    ]
    const edges = [
      fromStart,
      edge('to g1', { blockId: 'b5' }, { groupId: 'g1' }),
      edge('to g2', { blockId: 'b1', itemId: 'i' }, { groupId: 'g2' }),
      edge('to g3', { blockId: 'b1', itemId: 'i', pathId: 'p' }, { groupId: 'g3' }),
      edge('to g4', { blockId: 'b2' }, { groupId: 'g4' }),
    ]
    expect(unreached(current({ groups, edges }))).toEqual(['groups.6 unreachable_group'])
  })

  test('groups are reachable from other events too', () => {
    const [event] = current().events as Json[]
    const events = [event, { id: 'c', type: 'command', graphCoordinates: at, outgoingEdgeId: 'to g2' }]
    const groups = [group('g1', text('b1')), group('g2')]
    expect(unreached(current({ groups, events, edges: [fromStart, to('g2')] }))).toEqual([])
  })

  test('a bubble leaves its group only at the end, an input at any position', () => {
    const edges = [fromStart, to('g2')]
    const reachedBy = (...blocks: Json[]) =>
      unreached(current({ groups: [group('g1', ...blocks), group('g2')], edges })).length === 0
    expect(reachedBy(text('b1', 'to g2'), text('b2'))).toBe(false)
    expect(reachedBy(text('b2'), text('b1', 'to g2'))).toBe(true)
    expect(reachedBy({ id: 'b1', type: 'text input', outgoingEdgeId: 'to g2' }, text('b2'))).toBe(true)
  })

  test('a broken connection explains one of the unreachable groups', () => {
    const groups = [group('g1', text('b1')), group('g2')]
    const edges = [fromStart, to('g2')]
    expect(issuesOf(current({ groups, edges }))).toEqual(['edges.1.from unused_edge'])
    expect(unreached(current({ groups: [...groups, group('g3')], edges }))).toEqual([
      'groups.1 unreachable_group',
      'groups.2 unreachable_group',
    ])
  })

  test('checkFlow names the first of several unreachable groups that lead to each other', () => {
    const edges = ['2', '3', '4', '5'].map((to) =>
      edge(`e${to}`, { blockId: `b${to}` }, { groupId: `g${to}` }),
    )
    const groups = [
      group('g1', text('b1')),
      group('g3', text('b4', 'e4')),
      group('g4', text('b5')),
      group('g2', text('b3', 'e3')),
      group('g5', { id: 'b6', type: 'Jump', options: { groupId: 'g6' } }),
      group('g6', { id: 'b7', type: 'Jump', options: { groupId: 'g5' } }),
    ]
    const used = edges.filter(({ id }) => id === 'e3' || id === 'e4')
    expect(unreached(current({ groups, edges: [fromStart, ...used] }))).toEqual([
      'groups.3 unreachable_group',
      'groups.4 unreachable_group',
    ])
  })

  test('a jump to a computed group makes every group reachable', () => {
    const jump = { id: 'b1', type: 'Jump', options: { groupId: '{{Next}}' } }
    expect(unreached(current({ groups: [group('g1', jump), group('g2')] }))).toEqual([])
  })

  test('legacy bots begin at the group of the start block', () => {
    const groups = [group('g0', startBlock), group('g1', text('b1')), group('g2')]
    expect(unreached(legacy({ groups }))).toEqual(['groups.2 unreachable_group'])
  })
})

test('a legacy bot keeps its issues when it is converted', () => {
  const groups = [
    group('g0', startBlock),
    group('g1', text('b1', 'e9'), { id: 'b2', type: 'text input', options: { variableId: 'x' } }),
    group('g2'),
  ]
  const edges = [
    edge('e1', { blockId: 's' }, { groupId: 'g1' }),
    edge('e2', { blockId: 'x' }, { groupId: 'y' }),
  ]
  const document = legacy({ groups, edges })
  const messages = (of: FlowDocument) => checkFlow(of).map(({ message }) => message)
  expect(messages(document)).toHaveLength(4)
  expect(messages(convert(document))).toEqual(messages(document))
})

test('long ids are truncated in messages', () => {
  const [issue] = checkFlow(current({ groups: [group('g1', text('b1', '🚀'.repeat(255)))] }))
  expect(issue?.message).toBe(`The block leaves by the edge "${'🚀'.repeat(80)}…", which does not exist.`)
})

test('odd shapes are skipped by the check', () => {
  for (const odd of [null, undefined, 7, 'text', {}, [], [null], [7], [[]], [{}], [{ id: 7 }]]) {
    for (const version of ['3', '6', 'x', null]) {
      const items = [{ id: 'i', paths: odd }, odd]
      const groups = [
        group('g1', { id: 'b', type: odd, items, options: odd }),
        { id: 'g2', blocks: odd },
        odd,
      ] as Json[]
      expect(() => checkFlow({ version, groups, events: odd, edges: odd, variables: odd })).not.toThrow()
      const edges = [{ id: 'e', from: odd, to: odd }]
      expect(() => checkFlow({ version, groups: odd, events: [odd], edges, variables: [odd] })).not.toThrow()
    }
  }
})

test.each(documentVersions)('every issue of a document of version %s names a place in it', (version) => {
  fc.assert(
    fc.property(documentOf(version), (flow) => {
      for (const { path, message } of checkFlow({ ...flow })) {
        const parent = path.slice(0, -1).reduce<unknown>((value, key) => (value as Json)[key], flow)
        expect(typeof parent).toBe('object')
        expect(message).toMatch(/^[A-Z].*\.$/s)
      }
    }),
    { numRuns: runs(60, 600) },
  )
})

test('the check reads a document of any depth', () => {
  let nested: unknown = { variableId: 'x' }
  for (let depth = 0; depth < 100_000; depth++) nested = [nested]
  const [issue] = connectionsOf(
    current({ groups: [group('g1', { id: 'b1', type: 'text', content: nested })] }),
  )
  expect(issue?.path).toHaveLength(100)
})

test('the check of the largest flows takes a moment', async () => {
  const count = 5_000
  const groups = Array.from({ length: count }, (_, index) =>
    group(`g${index}`, text(`t${index}`), {
      id: `b${index}`,
      type: 'text input',
      outgoingEdgeId: `e${index}`,
    }),
  )
  const edges = Array.from({ length: count }, (_, index) =>
    edge(`e${index}`, { blockId: `b${index}` }, { groupId: `g${(index + 1) % count}` }),
  )
  const events = [{ id: 's', type: 'start', graphCoordinates: at, outgoingEdgeId: `e${count - 1}` }]
  const { result, milliseconds } = await measureCpu(() => checkFlow(current({ groups, edges, events })))
  expect(result).toEqual([])
  expect(milliseconds).toBeLessThan(40_000)
})

describe('the check takes about four times as long for four times as much', () => {
  const checking = (document: FlowDocument) => () => checkFlow(document)

  test('edges into the middle of groups whose conditions lead back are checked in linear time', async () => {
    const loops = (count: number): FlowDocument => {
      const places = Array.from({ length: 10 }, (_, index) => `g${index}`).flatMap((groupId) =>
        Array.from({ length: count }, (_, index) => ({ groupId, blockId: `${groupId} b${index}` })),
      )
      const groups = Array.from({ length: 10 }, (_, index) => {
        const blocks = places.filter(({ groupId }) => groupId === `g${index}`)
        const items = [{ id: 'i', outgoingEdgeId: `to ${blocks.at(-1)?.blockId}` }]
        return group(`g${index}`, ...blocks.map(({ blockId: id }) => ({ id, type: 'Condition', items })))
      })
      const edges = places.map((to) => edge(`to ${to.blockId}`, { blockId: to.blockId, itemId: 'i' }, to))
      return current({ groups, edges: [fromStart, ...edges] })
    }
    const large = loops(240)
    expect(await cpuGrowth(checking(loops(60)), checking(large))).toBeLessThan(9)
    expect(checkFlow(large).filter(({ code }) => code === 'endless_loop')).toHaveLength(10)
  })

  test('long names in braces are compared with the names of variables in linear time', async () => {
    const names = (count: number): FlowDocument => {
      const variables = Array.from({ length: 100 * count }, (_, index) => ({
        id: `v${index}`,
        name: `N${index}`,
      }))
      const blocks = Array.from({ length: count }, (_, index) => {
        const children = [{ text: `{{${String.fromCharCode(65 + index).repeat(50_000)}}}` }]
        return { id: `b${index}`, type: 'text', content: { richText: [{ type: 'p', children }] } }
      })
      return current({ groups: [group('g1', ...blocks)], variables })
    }
    expect(await cpuGrowth(checking(names(5)), checking(names(20)))).toBeLessThan(9)
  })
})

/** Documents as the product that this one takes over from shipped them; not part of this project. */
const corpus = new URL('../../../shared/corpus/', import.meta.url)
const testCorpus = existsSync(corpus) ? test : test.skip

testCorpus(
  'real documents: what they lack, edges of deleted blocks, deleted variables, blocks of OpenAI; the same when converted',
  () => {
    const documents = readdirSync(corpus)
      .filter((name) => name.endsWith('.json'))
      .map((name) => JSON.parse(readFileSync(new URL(name, corpus), 'utf8')) as FlowDocument)
    const codes = documents.flatMap((document) => checkFlow(document)).map(({ code }) => code)
    expect(codes.sort()).toEqual([
      // A comparison without an operator, a jump without a group, a request without an address.
      'empty_item',
      'missing_setting',
      'missing_setting',
      'missing_source',
      'missing_source',
      ...Array.from({ length: 2 }, () => 'unknown_variable'),
    ])
    for (const document of documents) {
      expect(checkFlow(convert(document)).length).toBe(checkFlow(document).length)
    }
  },
)
