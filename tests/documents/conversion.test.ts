import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from '@jest/globals'
import {
  edge as edgeSchema,
  edges,
  events,
  groups,
  settings,
  theme,
  variables,
} from '../../contract/bot-document/index.ts'
import {
  convert,
  type FlowDocument,
  linkedBots,
  repairImported,
} from '../../server/documents/conversion/index.ts'
import fc from '../kit/fast-check.ts'
import { documentOf, documentVersions } from '../support/documents.ts'
import { runs } from '../support/runs.ts'

type Json = Record<string, unknown>

const at = { x: 10, y: 20 }

/** A bot of version 4 with a start group and one group after it; parts can be replaced. */
function legacy(parts: Partial<FlowDocument> = {}): FlowDocument {
  return {
    version: '4',
    groups: [startGroup(), group('g1', text('b1'))],
    events: null,
    edges: [edge('e1', { blockId: 's' }, { groupId: 'g1' })],
    variables: [{ id: 'v1', name: 'Name' }],
    theme: {},
    settings: {},
    ...parts,
  }
}

function startGroup(...following: Json[]): Json {
  return { ...group('g0', start('s', 'e1'), ...following), title: 'Start' }
}

function group(id: string, ...blocks: Json[]): Json {
  return { id, title: id.toUpperCase(), graphCoordinates: at, blocks }
}

function start(id: string, outgoingEdgeId?: string): Json {
  return { id, type: 'start', label: 'Start', ...(outgoingEdgeId === undefined ? {} : { outgoingEdgeId }) }
}

function text(id: string, outgoingEdgeId?: string): Json {
  return { id, type: 'text', content: {}, ...(outgoingEdgeId === undefined ? {} : { outgoingEdgeId }) }
}

function edge(id: string, from: Json, to: Json): Json {
  return { id, from, to }
}

/** The first block of a group after the conversion, with options that a test replaces. */
function convertedBlock(version: string | null, block: Json): unknown {
  const converted = convert(legacy({ version, groups: [startGroup(), group('g1', block)] }), '6')
  return (converted.groups as Json[]).flatMap((member) => member.blocks as Json[])[0]
}

const currentParts = Object.entries({ groups, events, edges, variables, theme, settings })

/** Returns the issues that the contract has with a document of a current version. */
function rejectionsOf(document: FlowDocument): string[] {
  return currentParts.flatMap(([part, schema]) => {
    const issues = schema.safeParse(document[part]).error?.issues ?? []
    return issues.map(({ path, message }) => `${[part, ...path].join('.')}: ${message}`)
  })
}

describe('convert', () => {
  test('converts through all versions to the latest, or to 6', () => {
    for (const version of ['3', '4', '5', '6', '6.1', null, undefined]) {
      expect(convert(legacy({ version })).version).toBe('6.1')
    }
    for (const version of ['3', '4', '5', '6', null, undefined]) {
      expect(convert(legacy({ version }), '6').version).toBe('6')
    }
  })

  test('never converts back, and leaves unknown versions alone', () => {
    for (const version of ['6.1', '7', 'constructor', '']) {
      const document = legacy({ version })
      expect(convert(document, '6')).toBe(document)
      expect(convert(document)).toBe(document)
    }
  })

  test('keeps unchanged parts as the same objects', () => {
    const document = legacy({ groups: [startGroup(), group('g1', text('b1')), group('g2')] })
    const converted = convert(document)
    expect(converted.variables).toBe(document.variables)
    expect(converted.settings).toBe(document.settings)
    expect((converted.groups as Json[])[0]).toBe((document.groups as Json[])[1])

    const current = { ...document, version: '6', events: [{ id: 'x', type: 'start', graphCoordinates: at }] }
    const latest = convert(current)
    for (const part of ['groups', 'events', 'edges', 'variables', 'settings']) {
      expect(latest[part]).toBe(current[part as keyof typeof current])
    }
  })

  test('writes no theme default for the target 6', () => {
    const document = legacy()
    expect(convert(document, '6').theme).toBe(document.theme)
  })
})

describe('3 to 4', () => {
  const webhook = { id: 'r1', url: 'https://example.com', method: 'GET' }

  test.each(['Webhook', 'Zapier', 'Make.com', 'Pabbly'])('%s keeps the request that stands in it', (type) => {
    const block = { id: 'b1', type, options: { timeout: 5, webhook } }
    expect(convertedBlock('3', block)).toBe(block)
    expect(convertedBlock('3', { ...block, webhookId: 'r2' })).toEqual(block)
  })

  test('a kept request without an id gets the one of the block', () => {
    const block = { id: 'b1', type: 'Webhook', webhookId: 'r2', options: { webhook: { method: 'PUT' } } }
    expect(convertedBlock('3', block)).toEqual({
      id: 'b1',
      type: 'Webhook',
      options: { webhook: { method: 'PUT', id: 'r2' } },
    })
  })

  test('a request that was stored elsewhere becomes an empty one with its id', () => {
    const block = { id: 'b1', type: 'Webhook', webhookId: 'r2', options: { timeout: 5 } }
    const options = { timeout: 5, webhook: { method: 'POST', id: 'r2' } }
    expect(convertedBlock('3', block)).toEqual({ id: 'b1', type: 'Webhook', options })
    const bare = { id: 'b1', type: 'Webhook' }
    expect(convertedBlock('3', bare)).toEqual({ ...bare, options: { webhook: { method: 'POST', id: '' } } })
  })

  test('only version 3 and only blocks with a request are touched', () => {
    const block = { id: 'b1', type: 'Webhook', webhookId: 'r2' }
    expect(convertedBlock('4', block)).toBe(block)
    const listener = { id: 'b1', type: 'webhook', webhookId: 'r2' }
    expect(convertedBlock('3', listener)).toBe(listener)
  })

  test('missing lists are added', () => {
    const document = legacy({
      version: null,
      groups: [{ ...group('g1'), blocks: null }],
      edges: null,
    })
    expect(convert(document, '6')).toMatchObject({ version: '6', groups: [group('g1')], edges: [] })
    expect(convert(legacy({ groups: null }), '6').groups).toEqual([])
    const block = { id: 'b1', type: 'Zapier' }
    expect(convertedBlock(null, block)).toEqual(convertedBlock('3', block))
  })
})

describe('4 to 6', () => {
  test('the start block becomes the start event, and its edge comes first', () => {
    const other = edge('e0', { blockId: 'b1' }, { groupId: 'g1' })
    const own = { ...edge('e1', { blockId: 's', groupId: 'g0' }, { groupId: 'g1', blockId: 'b1' }), note: 1 }
    expect(convert(legacy({ edges: [other, own] }), '6')).toEqual({
      version: '6',
      groups: [{ ...group('g1', text('b1')) }],
      events: [{ id: 'g0', type: 'start', graphCoordinates: at, outgoingEdgeId: 'e1' }],
      edges: [{ ...own, from: { eventId: 'g0' } }, other],
      variables: [{ id: 'v1', name: 'Name' }],
      theme: {},
      settings: {},
    })
  })

  test('without a start block the start event leads nowhere', () => {
    const document = legacy({ groups: [group('g1', text('b1'))], edges: [] })
    const converted = convert(document, '6')
    expect(converted.events).toEqual([{ id: 'start', type: 'start', graphCoordinates: { x: 0, y: 0 } }])
    expect(converted.groups).toBe(document.groups)
    expect(converted.edges).toBe(document.edges)
  })

  test('a dangling edge of the start block stays dangling', () => {
    const edges = [edge('e2', { blockId: 'b1' }, { groupId: 'g1' })]
    const converted = convert(legacy({ edges }), '6')
    expect(converted.events).toMatchObject([{ outgoingEdgeId: 'e1' }])
    expect(converted.edges).toBe(edges)
  })

  test('a start block without an edge gives an event without one', () => {
    const converted = convert(legacy({ groups: [group('g0', start('s'))] }), '6')
    expect(converted.events).toEqual([{ id: 'g0', type: 'start', graphCoordinates: at }])
  })

  test('a start group with further blocks stays and is where the bot begins', () => {
    const further = [text('b0'), text('b2', 'e2')]
    const edges = [edge('e2', { blockId: 'b2' }, { groupId: 'g1' })]
    const groups = [group('g0', start('s'), ...further), group('g1', text('b1'))]
    const converted = convert(legacy({ groups, edges }), '6')
    expect(converted.groups).toEqual([group('g0', ...further), group('g1', text('b1'))])
    expect(converted.events).toMatchObject([{ id: 'g0', outgoingEdgeId: 'g0-start' }])
    expect(converted.edges).toEqual([edge('g0-start', { eventId: 'g0' }, { groupId: 'g0' }), edges[0]])
  })

  test('further blocks come before the edge of the start block, which stays in the list', () => {
    const converted = convert(legacy({ groups: [startGroup(text('b0')), group('g1', text('b1'))] }), '6')
    expect(converted.edges).toEqual([
      edge('g0-start', { eventId: 'g0' }, { groupId: 'g0' }),
      edge('e1', { blockId: 's' }, { groupId: 'g1' }),
    ])
  })

  test('the edge of the start block is used when it leads to the further blocks', () => {
    const to = { groupId: 'g0', blockId: 'b0' }
    const edges = [edge('e1', { blockId: 's' }, to)]
    const converted = convert(legacy({ groups: [startGroup(text('b0'))], edges }), '6')
    expect(converted.edges).toEqual([edge('e1', { eventId: 'g0' }, to)])

    const toFirst = [edge('e1', { blockId: 's' }, { groupId: 'g0' })]
    const first = convert(legacy({ groups: [startGroup(text('b0'))], edges: toFirst }), '6')
    expect(first.events).toMatchObject([{ outgoingEdgeId: 'e1' }])
    const second = convert(legacy({ groups: [startGroup(text('a'), text('b0'))], edges }), '6')
    expect(second.events).toMatchObject([{ outgoingEdgeId: 'g0-start' }])
  })

  test('blocks before the start block are not run from the start', () => {
    const groups = [group('g0', text('b0'), start('s', 'e1'), text('b2'))]
    const converted = convert(legacy({ groups }), '6')
    expect(converted.groups).toEqual([group('g0', text('b0'), text('b2'))])
    expect((converted.edges as Json[])[0]).toMatchObject({ to: { groupId: 'g0', blockId: 'b2' } })

    const last = convert(legacy({ groups: [group('g0', text('b0'), start('s', 'e1'))] }), '6')
    expect(last.events).toMatchObject([{ outgoingEdgeId: 'e1' }])
    expect(last.groups).toEqual([group('g0', text('b0'))])
  })

  test('a new edge id is unused, and never too long', () => {
    const edges = [edge('g0-start', { blockId: 'b1' }, { groupId: 'g1' })]
    const converted = convert(legacy({ groups: [startGroup(text('b0'))], edges }), '6')
    expect(converted.events).toMatchObject([{ outgoingEdgeId: 'g0-start-2' }])

    const id = '🚀'.repeat(255)
    const long = convert(legacy({ groups: [{ ...startGroup(text('b0')), id }] }), '6')
    const outgoingEdgeId = `${'🚀'.repeat(249)}-start`
    expect(long.events).toMatchObject([{ id, outgoingEdgeId }])
  })

  test('the first of several start blocks counts, and all are removed', () => {
    const groups = [
      group('g0', start('s', 'e1'), start('s2', 'e2')),
      group('g1', text('b1'), start('s3'), text('b2')),
      group('g2', start('s4')),
    ]
    const converted = convert(legacy({ groups }), '6')
    expect(converted.events).toHaveLength(1)
    expect(converted.events).toMatchObject([{ id: 'g0', outgoingEdgeId: 'e1' }])
    expect(converted.groups).toEqual([group('g1', text('b1'), text('b2'))])
  })

  test('empty groups stay', () => {
    const groups = [startGroup(), group('g1')]
    expect(convert(legacy({ groups }), '6').groups).toEqual([group('g1')])
  })

  test.each<[string, Partial<FlowDocument>]>([
    ['an edge', { edges: [edge('e2', { blockId: 'b1' }, { groupId: 'g0' })] }],
    [
      'a jump',
      { groups: [startGroup(), group('g1', { id: 'j', type: 'Jump', options: { groupId: 'g0' } })] },
    ],
    [
      'a link',
      {
        groups: [
          startGroup(),
          group('g1', { id: 'j', type: 'Bot link', options: { botId: 'current', groupId: 'g0' } }),
        ],
      },
    ],
  ])('a start group that %s names stays, empty', (_, parts) => {
    expect((convert(legacy(parts), '6').groups as Json[])[0]).toEqual({ ...startGroup(), blocks: [] })
  })

  test('a link to another bot names no group of this one', () => {
    const link = { id: 'j', type: 'Bot link', options: { botId: 'other', groupId: 'g0' } }
    expect(convert(legacy({ groups: [startGroup(), group('g1', link)] }), '6').groups).toHaveLength(1)
  })

  test('unknown keys stay everywhere', () => {
    const blocks = [
      { id: 'c', type: 'choice input', groupId: 'g1', items: [{ id: 'i', blockId: 'c', type: 0 }] },
      { id: 'f', type: 'file input', options: { sizeLimit: 10 } },
      { id: 'w', type: 'Webhook', webhookId: 'r', options: { isAdvancedConfig: true, webhook: { id: 'r' } } },
      { id: 'x', type: 'of a vendor', anything: { goes: [null] } },
    ]
    const groups = [startGroup(), { ...group('g1', ...blocks), colour: 'red' }]
    const converted = convert(legacy({ groups, custom: { key: true } }), '6')
    expect(converted.groups).toEqual([groups[1]])
    expect(converted.custom).toEqual({ key: true })
  })

  test('old defaults of blocks and settings are not written', () => {
    const link = { id: 'l', type: 'Bot link', options: { botId: 'other' } }
    expect(convertedBlock('4', link)).toBe(link)
    expect(convert(legacy(), '6').settings).toEqual({})
  })

  describe('Sheets', () => {
    const referenceCell = { id: 'c1', column: 'Email', value: '{{Email}}' }
    const comparison = { column: 'Email', comparisonOperator: 'Equal to', value: '{{Email}}' }
    const sheets = (options: Json) => ({ id: 'b1', type: 'Google Sheets', options })

    test.each(['Get data from sheet', 'Update a row'])('%s by a cell gets the filter', (action) => {
      expect(convertedBlock('5', sheets({ action, referenceCell }))).toEqual(
        sheets({ action, referenceCell, filter: { comparisons: [{ id: 'c1-filter', ...comparison }] } }),
      )
    })

    test('an incomplete cell gives an incomplete comparison', () => {
      const options = { action: 'Update a row', referenceCell: { id: 'c1' } }
      expect(convertedBlock('5', sheets(options))).toStrictEqual(
        sheets({
          ...options,
          filter: { comparisons: [{ id: 'c1-filter', comparisonOperator: 'Equal to' }] },
        }),
      )
    })

    test.each<[string, Json]>([
      ['a filter', { action: 'Update a row', referenceCell, filter: {} }],
      ['no cell', { action: 'Update a row' }],
      ['another action', { action: 'Insert a row', referenceCell }],
      ['no action', { referenceCell }],
    ])('with %s the options stay', (_, options) => {
      const block = sheets(options)
      expect(convertedBlock('5', block)).toBe(block)
    })
  })
})

describe('6 to 6.1', () => {
  const themeOf = (theme: unknown, version = '6') => convert(legacy({ version, theme })).theme as Json
  const chatOf = (chat: Json) => themeOf({ chat }).chat as Json

  const everyDefault = {
    general: {
      background: { type: 'Color', content: '#FFFFFF' },
      progressBar: { color: '#e0edff', backgroundColor: '#f1f1f1' },
    },
    chat: {
      hostBubbles: { backgroundColor: '#F7F8FF', border: { thickness: 0 } },
      guestBubbles: { backgroundColor: '#FF8E21', border: { thickness: 0 } },
      buttons: { backgroundColor: '#0042DA', border: { thickness: 0 } },
      inputs: { shadow: 'md', border: { thickness: 0 } },
    },
  }

  test.each(['3', '4', '5', '6'])(
    'an empty theme of version %s gets every default that differs',
    (version) => {
      expect(themeOf({}, version)).toEqual(everyDefault)
      expect(themeOf(null, version)).toEqual(everyDefault)
      expect(themeOf({ chat: { buttons: { backgroundColor: null } } }, version)).toEqual(everyDefault)
    },
  )

  test('the theme of version 6.1 stays', () => {
    expect(themeOf({}, '6.1')).toEqual({})
  })

  test('present values stay, next to those that are added', () => {
    const theme = {
      general: { font: 'Open Sans', progressBar: { isEnabled: true, color: '#000' } },
      chat: {
        hostAvatar: { isEnabled: false },
        hostBubbles: { color: '#111' },
        guestBubbles: { backgroundColor: 'transparent', border: { thickness: 2, roundeness: 'none' } },
        inputs: { shadow: 'none', border: { opacity: 0.5 } },
      },
      customCss: 'a {}',
      vendor: [1],
    }
    expect(themeOf(theme)).toEqual({
      general: {
        font: 'Open Sans',
        background: { type: 'Color', content: '#FFFFFF' },
        progressBar: { isEnabled: true, color: '#000', backgroundColor: '#f1f1f1' },
      },
      chat: {
        hostAvatar: { isEnabled: false },
        hostBubbles: { color: '#111', backgroundColor: '#F7F8FF', border: { thickness: 0 } },
        guestBubbles: { backgroundColor: 'transparent', border: { thickness: 2, roundeness: 'none' } },
        buttons: { backgroundColor: '#0042DA', border: { thickness: 0 } },
        inputs: { shadow: 'none', border: { opacity: 0.5, thickness: 0 } },
      },
      customCss: 'a {}',
      vendor: [1],
    })
  })

  test('a theme that says everything is the same object afterwards', () => {
    const theme = structuredClone(everyDefault)
    expect(themeOf(theme)).toBe(theme)
  })

  test('a given background stays, and a missing colour is white', () => {
    const backgroundOf = (background: unknown) =>
      (themeOf({ general: { background } }).general as Json).background
    for (const background of [
      { type: 'None' },
      { type: 'Image' },
      { type: 'Image', content: 'https://example.com/sky.png' },
      { type: 'Color', content: '#123456' },
    ]) {
      expect(backgroundOf(background)).toBe(background)
    }
    expect(backgroundOf({ type: 'Color' })).toEqual({ type: 'Color', content: '#FFFFFF' })
    expect(backgroundOf({})).toEqual({ content: '#FFFFFF' })
    expect(backgroundOf(null)).toEqual({ type: 'Color', content: '#FFFFFF' })
  })

  test('a part without a border keeps its roundness', () => {
    expect(chatOf({ roundness: 'large', buttons: { border: {} }, inputs: { border: null } })).toMatchObject({
      roundness: 'large',
      container: { border: { roundeness: 'large' } },
      hostBubbles: { border: { roundeness: 'large', thickness: 0 } },
      guestBubbles: { border: { roundeness: 'large', thickness: 0 } },
      inputs: { border: { roundeness: 'large', thickness: 0 } },
    })
    expect(chatOf({ roundness: 'large', buttons: { border: {} } }).buttons).toEqual({
      backgroundColor: '#0042DA',
      border: { thickness: 0 },
    })
  })

  test('an unknown roundness says nothing about borders', () => {
    expect(chatOf({ roundness: 'huge' })).toEqual({ ...everyDefault.chat, roundness: 'huge' })
  })

  test('inputs with a border of no colour keep it invisible', () => {
    expect(chatOf({ inputs: { border: { thickness: 2 } } }).inputs).toEqual({
      shadow: 'md',
      border: { thickness: 2, color: 'transparent' },
    })
    expect(chatOf({ inputs: { border: { thickness: 2, color: '#111' } } }).inputs).toMatchObject({
      border: { color: '#111' },
    })
  })

  test('a theme of an odd shape stays where it is odd', () => {
    expect(themeOf('dark')).toBe('dark')
    expect(themeOf({ chat: [], general: { background: 7 } })).toMatchObject({
      chat: [],
      general: { background: 7 },
    })
  })
})

describe('repairImported', () => {
  const good = edge('e1', { blockId: 's', itemId: 'i' }, { groupId: 'g1', blockId: 'b1' })

  test('adds missing parts', () => {
    expect(repairImported({ groups: [{ id: 'g1' }] })).toEqual({
      document: {
        version: '3',
        groups: [{ id: 'g1', blocks: [] }],
        events: null,
        edges: [],
        variables: [],
        theme: {},
        settings: {},
      },
      warnings: [],
    })
  })

  test('drops malformed edges and reports each with its reason', () => {
    const edges = [
      good,
      null,
      { ...good, id: '' },
      { ...good, id: 'i'.repeat(256) },
      { id: 'e2', to: good.to },
      { ...good, from: { blockId: 7 } },
      { ...good, from: { itemId: 'i' } },
      { ...good, to: {} },
      { ...good, to: { groupId: 'g1', blockId: 1 } },
    ]
    const { document, warnings } = repairImported(legacy({ edges }))
    expect(document.edges).toEqual([good])
    // The document that is stored has no place for them.
    expect(new Set(warnings.map(({ path }) => path.join('.')))).toEqual(new Set(['edges']))
    expect(new Set(warnings.map(({ code }) => code))).toEqual(new Set(['dropped']))
    expect(warnings.map(({ message }) => message)).toEqual([
      'The edge at place 1 of those sent was dropped: it is not an object.',
      'The edge at place 2 of those sent was dropped: it has no id.',
      'The edge at place 3 of those sent was dropped: it has no id.',
      'The edge "e2" at place 4 of those sent was dropped: it does not say where it starts.',
      'The edge "e1" at place 5 of those sent was dropped: what it starts at is not named by an id.',
      'The edge "e1" at place 6 of those sent was dropped: it does not start at a block or an event.',
      'The edge "e1" at place 7 of those sent was dropped: it does not say which group it leads to.',
      'The edge "e1" at place 8 of those sent was dropped: the block it leads to is not named by an id.',
    ])
  })

  test('a legacy bot has no events, a current one has a start event', () => {
    const { document, warnings } = repairImported(legacy({ events: [{ id: 'x' }] }))
    expect(document.events).toBeNull()
    expect(warnings).toMatchObject([{ path: ['events'], code: 'dropped' }])

    for (const events of [undefined, null, []]) {
      const repaired = repairImported(legacy({ version: '6.1', events }))
      expect(repaired.document.events).toEqual([
        { id: 'start', type: 'start', graphCoordinates: { x: 0, y: 0 } },
      ])
      expect(repaired.warnings).toMatchObject([{ path: ['events'], code: 'added' }])
    }
  })

  test('a document without a version counts as 6 where it has events, else as 3', () => {
    const { version: _, ...unversioned } = legacy()
    expect(repairImported(unversioned).document.version).toBe('3')
    const { document, warnings } = repairImported({ ...unversioned, version: null, events: [{ id: 'x' }] })
    expect([document.version, document.events, warnings]).toEqual(['6', [{ id: 'x' }], []])
    expect(convert({ ...unversioned, events: [{ id: 'x' }] }, '6')).toMatchObject({ events: [{ id: 'x' }] })
  })

  test('repairImported returns valid parts as the same objects', () => {
    const before = legacy()
    const { document, warnings } = repairImported(before)
    expect(document).toEqual(before)
    expect(warnings).toEqual([])
    for (const part of ['groups', 'edges', 'variables', 'theme', 'settings']) {
      expect(document[part]).toBe(before[part])
    }
  })
})

describe('links with the name of a product', () => {
  const link = (type: string, options: unknown) => ({ id: 'b', type, outgoingEdgeId: 'e', options })
  const imported = (block: unknown) => {
    const groups = [{ id: 'g', title: 'G', blocks: [{ id: 'a', type: 'text' }, block] }]
    const { document, warnings } = repairImported({ version: '6.1', groups, events: [{ id: 's' }] })
    expect(warnings).toEqual([])
    return (document.groups as { blocks: unknown[] }[])[0]?.blocks[1]
  }

  test.each([
    ['Acme link', { mergeResults: true, acmeId: 'bot2', groupId: 'g2' }],
    ['ACME link', { mergeResults: true, acmeId: 'bot2', groupId: 'g2' }],
    ['AcmeBot link', { mergeResults: true, acmeBotId: 'bot2', groupId: 'g2' }],
  ])('%s %j', (type, options) => {
    const after = imported(link(type, options))
    const expected = link('Bot link', { mergeResults: true, botId: 'bot2', groupId: 'g2' })
    expect(JSON.stringify(after)).toBe(JSON.stringify(expected))
  })

  test.each([
    ['Bot link', { botId: 'bot2' }],
    ['Acme link', { otherId: 'bot2' }],
    ['Acme link', { acmeId: 'bot1', botId: 'bot2' }],
    ['Acme link', undefined],
    ['Acmelink', { acmeId: 'bot2' }],
    [' link', { Id: 'bot2', botId: 1 }],
  ])('%s %j stays', (type, options) => {
    const block = link(type, options)
    expect(imported(block)).toBe(block)
  })

  test('name the bots that they link', () => {
    const blocks = [
      { id: 'a', type: 'text' },
      link('Acme link', { acmeId: 'bot2' }),
      link('Bot link', { botId: 'bot2' }),
      link('Bot link', { botId: 'current' }),
      link('Bot link', { botId: '' }),
      link('Bot link', {}),
      link('Bot link', { botId: 'bot3' }),
    ]
    const { document } = repairImported({
      version: '4',
      groups: [
        { id: 'g', blocks: [] },
        { id: 'h', blocks },
      ],
    })
    expect([...linkedBots(document)]).toEqual([
      ['bot2', ['groups', '1', 'blocks', '1', 'options', 'botId']],
      ['bot3', ['groups', '1', 'blocks', '6', 'options', 'botId']],
    ])
    expect(linkedBots({ groups: 'odd' }).size).toBe(0)
  })
})

describe('properties', () => {
  /** Few ids, so that groups, blocks and edges meet, are missing, and are there twice. */
  const id = fc.constantFrom('a', 'b', 'c', 'd')
  const odd = fc.oneof(fc.jsonValue({ maxDepth: 2 }), fc.constant(undefined))
  const mostly = (likely: fc.Arbitrary<unknown>) =>
    fc.oneof({ weight: 8, arbitrary: likely }, { weight: 1, arbitrary: odd })

  const blockOf = (type: string) =>
    fc.record(
      { id: mostly(id), type: fc.constant(type), outgoingEdgeId: mostly(id) },
      { requiredKeys: ['type'] },
    )
  const optionsOf = (shape: Record<string, fc.Arbitrary<unknown>>) =>
    mostly(fc.record(shape, { requiredKeys: [] }))
  const webhook = fc
    .tuple(blockOf('Webhook'), mostly(id), optionsOf({ webhook: mostly(fc.record({ id })) }))
    .map(([base, webhookId, options]) => ({ ...base, webhookId, options }))
  const sheets = fc
    .tuple(
      blockOf('Google Sheets'),
      optionsOf({
        action: mostly(fc.constantFrom('Get data from sheet', 'Update a row')),
        referenceCell: mostly(fc.record({ id, column: id, value: id }, { requiredKeys: [] })),
        filter: odd,
      }),
    )
    .map(([base, options]) => ({ ...base, options }))
  const jump = fc
    .tuple(blockOf('Jump'), optionsOf({ groupId: mostly(id) }))
    .map(([base, options]) => ({ ...base, options }))
  const anyBlock = fc.oneof(blockOf('start'), blockOf('start'), blockOf('text'), webhook, sheets, jump)
  const anyGroup = fc.record(
    {
      id: mostly(id),
      title: id,
      graphCoordinates: mostly(fc.constant(at)),
      blocks: mostly(fc.array(mostly(anyBlock))),
    },
    { requiredKeys: [] },
  )
  const anyEdge = fc.record(
    {
      id: mostly(id),
      from: mostly(fc.record({ blockId: id })),
      to: mostly(fc.record({ groupId: mostly(id), blockId: mostly(id) }, { requiredKeys: ['groupId'] })),
    },
    { requiredKeys: [] },
  )
  const oddDocument = fc.record(
    {
      version: fc.constantFrom(...documentVersions, null, 'other') as fc.Arbitrary<string | null>,
      groups: mostly(fc.array(mostly(anyGroup))),
      events: odd,
      edges: mostly(fc.array(mostly(anyEdge))),
      variables: odd,
      theme: odd,
      settings: odd,
      other: odd,
    },
    { requiredKeys: [] },
  )

  test('an import drops the edges that the contract rejects, and no others', () => {
    fc.assert(
      fc.property(fc.array(anyEdge), (candidates) => {
        const { document } = repairImported({ version: '6', edges: candidates })
        expect(document.edges).toEqual(
          candidates.filter((candidate) => edgeSchema.safeParse(candidate).success),
        )
      }),
      { numRuns: runs(100, 2_000) },
    )
  })

  test('any JSON is converted and repaired without a throw, idempotently, and nothing is changed in place', () => {
    fc.assert(
      fc.property(oddDocument, fc.constantFrom('6' as const, '6.1' as const), (document, target) => {
        const before = structuredClone(document)
        const converted = convert(document, target)
        expect(convert(document, target)).toEqual(converted)
        expect(convert(converted, target)).toBe(converted)
        expect(convert(convert(document, '6'))).toEqual(convert(document))

        const { document: repaired } = repairImported(document)
        expect(repairImported(repaired)).toEqual({ document: repaired, warnings: [] })
        expect(() => convert(repaired, target)).not.toThrow()
        expect(document).toEqual(before)
      }),
      { numRuns: runs(100, 2_000) },
    )
  })

  /** Sound legacy flows with start blocks in odd places: every id is there once, references may dangle. */
  const legacyFlow = fc
    .array(fc.array(fc.constantFrom('start', 'text', 'text input'), { maxLength: 4 }), { maxLength: 4 })
    .chain((shapes) => {
      const groupIds = [...shapes.map((_, index) => `g${index}`), 'nowhere']
      const edgeIds = ['e0', 'e1', 'e2', 'nothing']
      const blockIds = shapes.flatMap((types, index) => types.map((_, place) => `g${index}b${place}`))
      return fc.record({
        version: fc.constantFrom('3', '4', '5'),
        groups: fc.tuple(
          ...shapes.map((types, index) =>
            fc
              .array(fc.option(fc.constantFrom(...edgeIds), { nil: undefined }), {
                minLength: types.length,
                maxLength: types.length,
              })
              .map((outgoing) =>
                group(
                  `g${index}`,
                  ...types.map((type, place) => ({
                    id: `g${index}b${place}`,
                    type,
                    outgoingEdgeId: outgoing[place],
                    groupId: `g${index}`,
                  })),
                ),
              ),
          ),
        ),
        edges: fc.tuple(
          ...['e0', 'e1', 'e2'].map((edgeId) =>
            fc
              .tuple(
                fc.constantFrom(...groupIds),
                fc.option(fc.constantFrom(...blockIds, 'nowhere'), { nil: undefined }),
              )
              .map(([groupId, blockId]) => edge(edgeId, { blockId: 'b' }, { groupId, blockId })),
          ),
        ),
      })
    })

  const groupsOf = (document: FlowDocument) => document.groups as Json[]
  const isNoStart = (block: Json) => block.type !== 'start'

  /** Returns the target of an edge: the named block, or the first one. Start blocks are skipped. */
  function targetOf(document: FlowDocument, edgeId: unknown): Json | undefined {
    const followed = (document.edges as Json[]).find((member) => member.id === edgeId)
    const to = followed?.to as Json | undefined
    const target = groupsOf(document).find((member) => member.id === to?.groupId)
    const blocks = ((target?.blocks ?? []) as Json[]).filter(isNoStart)
    return blocks.find((block) => block.id === to?.blockId) ?? blocks[0]
  }

  /** The first block that a legacy bot runs: the one after the start block, else where its edge leads. */
  function firstOfLegacy(document: FlowDocument): Json | undefined {
    const blocks = groupsOf(document)
      .map((member) => (member.blocks ?? []) as Json[])
      .find((members) => !members.every(isNoStart))
    if (blocks === undefined) return undefined
    const place = blocks.findIndex((block) => block.type === 'start')
    return blocks.slice(place).find(isNoStart) ?? targetOf(document, blocks[place]?.outgoingEdgeId)
  }

  const blocksOf = (document: FlowDocument) =>
    groupsOf(document).flatMap((member) => (member.blocks ?? []) as Json[])

  /** Checks the properties that every conversion of a legacy document has. */
  function expectSameFlow(document: FlowDocument, converted: FlowDocument): void {
    const [event, ...others] = converted.events as Json[]
    expect(others).toEqual([])
    const groupIds = groupsOf(document).map(({ id }) => id)
    // No reference can tell groups with the same id apart, so the first one would be entered.
    if (new Set(groupIds).size === groupIds.length) {
      expect(targetOf(converted, event?.outgoingEdgeId)?.id).toBe(firstOfLegacy(document)?.id)
    }

    const edgesBefore = document.edges as Json[]
    const textOf = ({ from, ...rest }: Json) => JSON.stringify(rest)
    const edgesAfter = new Set((converted.edges as Json[]).map(textOf))
    expect(edgesBefore.filter((before) => !edgesAfter.has(textOf(before)))).toEqual([])

    const kept = new Set(groupsOf(converted).map(({ id }) => id))
    const pointedAt = new Set(edgesBefore.map(({ to }) => (to as Json).groupId))
    for (const { id, blocks } of groupsOf(document)) {
      if (kept.has(id)) continue
      expect((blocks as Json[]).some(isNoStart)).toBe(false)
      expect(pointedAt.has(id)).toBe(false)
    }
  }

  test('a legacy bot starts at the same block, and loses no block, edge or key', () => {
    fc.assert(
      fc.property(legacyFlow, (document) => {
        const converted = convert(document)
        expectSameFlow(document, converted)
        expect(blocksOf(converted)).toEqual(blocksOf(document).filter(isNoStart))
      }),
      { numRuns: runs(100, 2_000) },
    )
  })

  /** Returns the places in which `after` differs from `before`, except for those that the conversion moves. */
  function lost(before: unknown, after: unknown, path = ''): string[] {
    if (typeof before !== 'object' || before === null) return Object.is(before, after) ? [] : [path]
    if (typeof after !== 'object' || after === null) return [path]
    if (Array.isArray(before) && before.length !== (after as unknown[]).length) return [`${path}.length`]
    return Object.entries(before).flatMap(([key, member]) =>
      key === 'webhookId' ? [] : lost(member, (after as Json)[key], `${path}.${key}`),
    )
  }

  /** Returns the appearance of the parts whose defaults depend on the version. */
  function lookOf(theme: unknown, version: '6' | '6.1'): unknown {
    const isOld = version === '6'
    const { general = {}, chat = {} } = theme as Record<string, Json>
    const progressBar = {
      color: isOld ? '#e0edff' : '#ff5924',
      backgroundColor: isOld ? '#f1f1f1' : '#8d8d8d',
    }
    const background = { type: 'Color', ...(general.background as Json | undefined) }
    const part = (name: string, defaults: Json, borderColor?: string, thickness = isOld ? 0 : 1) => {
      const given = (chat[name] ?? {}) as Json
      const border: Json = {
        thickness,
        color: borderColor,
        roundeness: 'medium',
        ...((given.border as Json | undefined) ?? (chat.roundness ? { roundeness: chat.roundness } : {})),
      }
      const isDrawn = border.thickness !== 0 && border.color !== undefined && border.color !== 'transparent'
      return { ...defaults, ...given, border: isDrawn ? border : { roundeness: border.roundeness } }
    }
    return {
      progressBar: { ...progressBar, ...(general.progressBar as Json | undefined) },
      background:
        background.type === 'Color' ? { content: isOld ? '#FFFFFF' : '#F8F8F8', ...background } : background,
      container: part('container', {}, 'unknown', 0),
      hostBubbles: part('hostBubbles', { backgroundColor: isOld ? '#F7F8FF' : '#ffffff' }, '#dfdfdf'),
      guestBubbles: part('guestBubbles', { backgroundColor: isOld ? '#FF8E21' : '#c2410c' }, '#ffb8a0'),
      buttons: part('buttons', { backgroundColor: isOld ? '#0042DA' : '#c2410c' }, '#f98868'),
      inputs: part('inputs', { shadow: isOld ? 'md' : 'none' }, isOld ? undefined : '#cecece'),
    }
  }

  test.each(documentVersions)('every document of version %s', (version) => {
    fc.assert(
      fc.property(documentOf(version), (flow) => {
        const document: FlowDocument = { ...flow, other: { key: [1] } }
        const before = JSON.stringify(document)
        const converted = convert(document)
        expect(JSON.stringify(document)).toBe(before)
        expect(JSON.stringify(convert(document))).toBe(JSON.stringify(converted))
        expect(convert(converted)).toBe(converted)
        expect(rejectionsOf(converted)).toEqual([])

        expect(converted.other).toBe(document.other)
        expect(converted.variables).toBe(document.variables)
        expect(converted.settings).toBe(document.settings)
        expect(lost(document.theme, converted.theme)).toEqual([])
        expect(lookOf(converted.theme, '6.1')).toEqual(
          lookOf(document.theme, version === '6.1' ? '6.1' : '6'),
        )
        if (version === '6' || version === '6.1') {
          for (const part of ['groups', 'events', 'edges']) expect(converted[part]).toBe(document[part])
        } else {
          expectSameFlow(document, converted)
          expect(lost(blocksOf(document).filter(isNoStart), blocksOf(converted))).toEqual([])
        }
      }),
      { numRuns: runs(100, 2_000) },
    )
  })
})

/** Documents as the product that this one takes over from shipped them; not part of this project. */
const corpus = new URL('../../../shared/corpus/', import.meta.url)
const describeCorpus = existsSync(corpus) ? describe : describe.skip

describeCorpus('real documents', () => {
  const documents = existsSync(corpus)
    ? readdirSync(corpus)
        .filter((name) => name.endsWith('.json'))
        .map((name) => JSON.parse(readFileSync(new URL(name, corpus), 'utf8')) as FlowDocument)
    : []
  const ofVersion = (version: string) => documents.filter((document) => document.version === version)

  test.each([
    // A legacy bot has a start group with a start block, which both go. Version 6 keeps all it has.
    { version: '3', bots: 2, groups: [7, 5], blocks: [10, 8], edges: 5 },
    { version: '4', bots: 3, groups: [9, 6], blocks: [12, 9], edges: 6 },
    { version: '6', bots: 12, groups: [134, 134], blocks: [315, 315], edges: 162 },
  ])('version $version', ({ version, bots, groups, blocks, edges }) => {
    const before = ofVersion(version)
    const after = before.map((document) => convert(document))
    const groupsOf = (list: FlowDocument[]) => list.flatMap((document) => document.groups as Json[])
    const blocksOf = (list: FlowDocument[]) => groupsOf(list).flatMap((member) => member.blocks as Json[])
    const edgesOf = (list: FlowDocument[]) => list.flatMap((document) => document.edges as Json[])

    expect(before).toHaveLength(bots)
    expect([before, after].map((list) => groupsOf(list).length)).toEqual(groups)
    expect([before, after].map((list) => blocksOf(list).length)).toEqual(blocks)
    expect([before, after].map((list) => edgesOf(list).length)).toEqual([edges, edges])
    expect(blocksOf(after)).toEqual(blocksOf(before).filter(({ type }) => type !== 'start'))
    for (const { events } of after) expect(events).toMatchObject([{ type: 'start' }])
    expect(after.flatMap(rejectionsOf)).toEqual([])
    expect(before.flatMap((document) => repairImported(document).warnings)).toEqual([])
  })
})
