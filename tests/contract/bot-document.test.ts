import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from '@jest/globals'
import {
  blockCatalogue,
  currentVersions,
  type DocumentVersion,
  edges,
  events,
  groups,
  legacyEvents,
  legacyGroupsByVersion,
  renderCatalogueTable,
  settings,
  theme,
  variables,
} from '../../contract/bot-document/index.ts'
import { MAX_ISSUES } from '../../contract/kit/errors.ts'
import { z } from '../../contract/kit/zod.ts'
import { toIssues } from '../../server/kit/issues/validation.ts'
import fc from '../kit/fast-check.ts'
import type { Json } from '../support/arbitraries.ts'
import { blockOf, documentOf, documentVersions, opaqueBlock, typesOf } from '../support/documents.ts'
import { runs } from '../support/runs.ts'
import { mistakesIn, plant, sampleOf } from '../support/samples.ts'

const corpus = new URL('../../../shared/corpus/', import.meta.url)
const corpusFiles = existsSync(corpus) ? readdirSync(corpus).filter((file) => file.endsWith('.json')) : []

const at = { x: 0, y: 0 }
const isCurrent = (version: DocumentVersion) => (currentVersions as readonly string[]).includes(version)

function groupsOf(version: DocumentVersion): z.ZodType {
  return isCurrent(version) ? groups : legacyGroupsByVersion[version as '3' | '4' | '5']
}

function partsOf(version: DocumentVersion): Record<string, z.ZodType> {
  return {
    groups: groupsOf(version),
    events: isCurrent(version) ? events : legacyEvents,
    edges,
    variables,
    theme,
    settings,
  }
}

/** The issues of a block inside a document, as short lines. */
function issuesOf(version: DocumentVersion, ...blocks: unknown[]): string[] {
  return linesOf(groupsOf(version), [{ id: 'g1', title: 'One', graphCoordinates: at, blocks }])
}

function linesOf(schema: z.ZodType, value: unknown): string[] {
  const issues = schema.safeParse(value).error?.issues ?? []
  return issues.map(({ path, message }) => `${path.join('.')}: ${message}`)
}

function rejectionsOf(document: Record<string, unknown>, version: DocumentVersion): string[] {
  return Object.entries(partsOf(version)).flatMap(([part, schema]) =>
    linesOf(schema, document[part]).map((line) => `${part}.${line}`),
  )
}

describe('real documents', () => {
  const run = corpusFiles.length > 0 ? test : test.skip
  run('all fit, and none is changed', () => {
    for (const file of corpusFiles) {
      const document = JSON.parse(readFileSync(new URL(file, corpus), 'utf8')) as Json & {
        version: DocumentVersion
      }
      const given = { ...document, events: document.events ?? null }
      expect([file, ...rejectionsOf(given, document.version)]).toEqual([file])
      expect(JSON.stringify(groupsOf(document.version).parse(document.groups))).toBe(
        JSON.stringify(document.groups),
      )
    }
  })
})

describe('generated documents', () => {
  test.each(documentVersions)(
    'generated documents of version %s are valid and come back unchanged',
    (version) => {
      fc.assert(
        fc.property(documentOf(version), (document) => {
          for (const [part, schema] of Object.entries(partsOf(version))) {
            const given = document[part as keyof typeof document]
            expect(linesOf(schema, given)).toEqual([])
            expect(schema.parse(given)).toEqual(given)
          }
        }),
        { numRuns: runs(30, 1_000) },
      )
    },
  )

  test.each(documentVersions)('generated documents of version %s have a block of every type', (version) => {
    for (const type of typesOf(version)) {
      fc.assert(
        fc.property(blockOf(type, version), (block) => {
          expect(issuesOf(version, block)).toEqual([])
        }),
        { numRuns: runs(5, 20) },
      )
    }
  })
})

const shapes = blockCatalogue.flatMap((entry) => entry.versions.map((version) => ({ ...entry, version })))

describe.each(shapes)('a block of type $type in version $version', ({ type, schema, version }) => {
  const full = sampleOf(schema, 'full') as Json
  const minimal = sampleOf(schema, 'minimal') as Json

  test('is valid with all its properties and with the required ones only', () => {
    expect(issuesOf(version, full, minimal)).toEqual([])
    expect(full.type).toBe(type)
  })

  test('gives one issue for one invalid value, at its place', () => {
    for (const { path, value } of mistakesIn(schema)) {
      // A whole block that is no object has no type to look at, and its own type makes it another block.
      if (path.length === 0 || (path.length === 1 && path[0] === 'type')) continue
      const issues = groupsOf(version).safeParse([
        { id: 'g1', title: 'One', graphCoordinates: at, blocks: [minimal, plant(full, path, value)] },
      ]).error?.issues
      expect({ path, value, issues: issues?.map((issue) => issue.path) }).toEqual({
        path,
        value,
        issues: [[0, 'blocks', 1, ...path]],
      })
      expect(issues?.[0]?.code).not.toBe('invalid_union')
    }
  })

  test('gives one issue for each required property that is missing', () => {
    for (const key of Object.keys(minimal)) {
      const { [key]: _, ...rest } = minimal
      expect(issuesOf(version, rest)).toEqual([expect.stringContaining(`0.blocks.0.${key}: `)])
    }
  })

  test('keeps unknown keys', () => {
    const block = { '7': [null], ...full, constructor: { deep: [1] } }
    expect(groupsOf(version).parse([{ id: 'g', title: '', graphCoordinates: at, blocks: [block] }])).toEqual([
      { id: 'g', title: '', graphCoordinates: at, blocks: [block] },
    ])
  })
})

describe.each(documentVersions)('blocks of version %s', (version) => {
  test('blocks of an unknown type are kept unchanged', () => {
    fc.assert(
      fc.property(opaqueBlock, (block) => {
        expect(issuesOf(version, block)).toEqual([])
      }),
    )
    expect(issuesOf(version, { id: 'b1', type: 'mood input', items: 'anything', options: null })).toEqual([])
  })

  test('need an id and a type even if their type is unknown', () => {
    expect(issuesOf(version, { type: 'mood input' })).toEqual([
      '0.blocks.0.id: Invalid input: expected string, received undefined',
    ])
    expect(issuesOf(version, { id: '', type: 'mood input' })).toEqual([
      '0.blocks.0.id: Too short: at least 1 character',
    ])
    expect(issuesOf(version, { id: 'b1' })).toEqual([
      '0.blocks.0.type: Invalid input: expected string, received undefined',
    ])
    expect(issuesOf(version, { id: 'b1', type: '' })).toEqual([
      '0.blocks.0.type: Too short: at least 1 character',
    ])
    expect(issuesOf(version, { id: 'b1', type: 7 })).toEqual([
      '0.blocks.0.type: Invalid input: expected string, received number',
    ])
    expect(issuesOf(version, null)).toEqual(['0.blocks.0: Invalid input: expected object, received null'])
    expect(issuesOf(version, [])).toEqual(['0.blocks.0: Invalid input: expected object, received array'])
  })
})

describe('a type that only some versions have', () => {
  const currentOnly = typesOf('6').filter((type) => !typesOf('5').includes(type))

  test('is a listener or a vendor block', () => {
    const vendors = blockCatalogue.filter(({ family }) => family === 'vendor').map(({ type }) => type)
    expect(vendors).toHaveLength(19)
    expect(currentOnly.toSorted()).toEqual(['webhook', ...vendors].toSorted())
    expect(typesOf('6.1')).toEqual(typesOf('6'))
  })

  test.each(['3', '4', '5'] as const)('is rejected in version %s with one issue that says so', (version) => {
    for (const type of currentOnly) {
      expect(issuesOf(version, { id: 'b1', type, options: 'not looked at' })).toEqual([
        `0.blocks.0.type: Blocks of type "${type}" need version 6 or 6.1`,
      ])
    }
  })

  test('may lack the list of blocks before version 5', () => {
    const bare = [{ id: 'g1', title: 'One', graphCoordinates: at }]
    expect(linesOf(groupsOf('3'), bare)).toEqual([])
    expect(linesOf(groupsOf('4'), bare)).toEqual([])
    expect(linesOf(groupsOf('5'), bare)).toEqual([
      '0.blocks: The list of blocks is required from version 5 on',
    ])
    expect(linesOf(groupsOf('6'), bare)).toEqual([
      '0.blocks: Invalid input: expected array, received undefined',
    ])
  })

  test.each(['Webhook', 'Zapier', 'Make.com', 'Pabbly'])(
    'has the request of %s with an id in 4 and 5',
    (type) => {
      const outside = { id: 'b1', type, webhookId: 'r1' }
      const inside = { id: 'b1', type, options: { webhook: { url: 'https://api.example.com' } } }
      const withoutId = ['0.blocks.0.options.webhook.id: The request needs an id in versions 4 and 5']
      expect(documentVersions.map((version) => issuesOf(version, outside))).toEqual([[], [], [], [], []])
      expect(documentVersions.map((version) => issuesOf(version, inside))).toEqual([
        [],
        withoutId,
        withoutId,
        [],
        [],
      ])
    },
  )

  test('checks keys of older versions in those alone', () => {
    const blocks: Json[] = [
      { id: 'b1', type: 'file input', options: { sizeLimit: 'big' } },
      { id: 'b2', type: 'choice input', items: [{ id: 'i1', blockId: 1 }] },
      { id: 'b3', type: 'Google Sheets', options: { referenceCell: { column: 'A' } } },
    ]
    expect(issuesOf('6', ...blocks)).toEqual([])
    expect(issuesOf('5', ...blocks)).toEqual([
      '0.blocks.0.options.sizeLimit: Invalid input: expected number, received string',
      '0.blocks.1.items.0.blockId: Invalid input: expected string, received number',
      '0.blocks.2.options.referenceCell.id: Invalid input: expected string, received undefined',
    ])
  })
})

describe('rules between properties', () => {
  const block = (type: string, rest: Json) => issuesOf('6.1', { id: 'b1', type, ...rest })

  test('an AB test has exactly the paths a and b', () => {
    const [a, b] = [
      { id: 'i1', path: 'a' },
      { id: 'i2', path: 'b' },
    ]
    expect(block('AB test', { items: [a, b] })).toEqual([])
    expect(block('AB test', { items: [b, a] })).toHaveLength(2)
    expect(block('AB test', { items: [a, a] })).toEqual([
      '0.blocks.0.items.1.path: The second item must have the path "b"',
    ])
    expect(block('AB test', { items: [a] })).toEqual([
      '0.blocks.0.items: Too small: expected array to have >=2 items',
    ])
    expect(block('AB test', { items: [a, b, b] })).toEqual([
      '0.blocks.0.items: Too big: expected array to have <=2 items',
    ])
  })

  test('a condition has no options', () => {
    expect(block('Condition', { items: [], options: {} })).toEqual([
      '0.blocks.0.options: A block of type "Condition" has no options',
    ])
  })

  test('an unknown value of an enumeration gets an issue with the values', () => {
    expect(block('Set variable', { options: { type: 'Nonsense' } })).toEqual([
      expect.stringMatching(
        /^0\.blocks\.0\.options\.type: Invalid option: expected one of "Custom"\|"Empty"\|/,
      ),
    ])
    expect(block('Google Sheets', { options: { action: 'Delete' } })).toEqual([
      '0.blocks.0.options.action: Invalid option: expected one of "Get data from sheet"|"Insert a row"|"Update a row"',
    ])
    expect(block('OpenAI', { options: { task: 'Create song' } })).toEqual([
      '0.blocks.0.options.task: Invalid option: expected one of "Create chat completion"|"Create speech"|"Create image"',
    ])
  })

  test('an unknown vendor action is kept, an invalid one rejected', () => {
    const responseMapping = [{ item: 'Anything' }]
    expect(block('openai', { options: { action: 'Create video', responseMapping, seconds: 5 } })).toEqual([])
    expect(block('openai', { options: { responseMapping } })).toEqual([])
    expect(block('openai', { options: { action: 'constructor', responseMapping } })).toEqual([])
    expect(block('openai', { options: { action: 1 } })).toEqual([
      '0.blocks.0.options.action: Invalid input: expected string, received number',
    ])
    expect(block('openai', { options: { action: 'Ask Assistant', responseMapping } })).toEqual([
      '0.blocks.0.options.responseMapping.0.item: Invalid option: expected one of "Message"|"Thread ID"',
    ])
  })

  test('the classic OpenAI block needs more for pictures', () => {
    const task = 'Create image'
    const valid = { task, advancedOptions: {}, responseMapping: [{ id: 'm1', valueToExtract: 'Image URL' }] }
    expect(block('OpenAI', { options: valid })).toEqual([])
    expect(block('OpenAI', { options: { ...valid, advancedOptions: undefined } })).toEqual([
      '0.blocks.0.options.advancedOptions: Required with task "Create image"',
    ])
    expect(block('OpenAI', { options: { ...valid, task: 'Create chat completion' } })).toEqual([
      expect.stringContaining(
        '0.blocks.0.options.responseMapping.0.valueToExtract: Invalid option: expected one of',
      ),
    ])
    expect(block('OpenAI', { options: { messages: [{ id: 'm1', role: 'user', content: {} }] } })).toEqual([
      '0.blocks.0.options.messages.0.content: Expected a text with the role "user"',
    ])
  })

  test('numbers may be placeholders', () => {
    expect(block('rating input', { options: { startsAt: '{{First}}' } })).toEqual([])
    expect(block('rating input', { options: { startsAt: true } })).toEqual([
      '0.blocks.0.options.startsAt: Expected a number, or a text such as "{{Age}}"',
    ])
  })
})

describe('edges', () => {
  const to = { groupId: 'g1' }

  test('leave a block or an event', () => {
    expect(linesOf(edges, [{ id: 'e1', from: { blockId: 'b1', itemId: 'i1', groupId: 'g0' }, to }])).toEqual(
      [],
    )
    expect(linesOf(edges, [{ id: 'e1', from: { eventId: 'v1' }, to }])).toEqual([])
    expect(linesOf(edges, [{ id: 'e1', from: {}, to }])).toEqual(['0.from: Expected a blockId or an eventId'])
    expect(linesOf(edges, [{ id: 'e1', from: { blockId: 1 }, to }])).toEqual([
      '0.from.blockId: Invalid input: expected string, received number',
    ])
  })

  test('without a required property have an issue that names it', () => {
    expect(linesOf(edges, [{ from: 'b1', to: {} }])).toEqual([
      '0.id: Invalid input: expected string, received undefined',
      '0.from: Invalid input: expected object, received string',
      '0.to.groupId: Invalid input: expected string, received undefined',
    ])
  })
})

describe('events', () => {
  const start = { id: 'v1', type: 'start', graphCoordinates: at }
  const timer = { id: 'v3', type: 'timer', every: 5 }

  test('start with the start event, which occurs once', () => {
    expect(linesOf(events, [start, { ...start, id: 'v2', type: 'command' }, timer])).toEqual([])
    expect(linesOf(events, [])).toEqual([': Too small: expected array to have >=1 items'])
    expect(linesOf(events, [timer, start])).toEqual([
      '0.type: The first event must be of type "start"',
      '1.type: Only the first event may be of type "start"',
    ])
    expect(linesOf(events, [start, start])).toEqual(['1.type: Only the first event may be of type "start"'])
  })

  test('are null or empty in older versions', () => {
    expect(linesOf(legacyEvents, null)).toEqual([])
    expect(linesOf(legacyEvents, [])).toEqual([])
    expect(linesOf(legacyEvents, [start])).toEqual([': Too big: expected array to have <=0 items'])
    expect(linesOf(legacyEvents, 'none')).toEqual([': Invalid input: expected array, received string'])
  })
})

describe('variables, theme and settings', () => {
  test.each(Object.entries({ variables, edges, theme, settings }))(
    '%s give one issue for one invalid value',
    (_, schema) => {
      const full = sampleOf(schema, 'full')
      expect(linesOf(schema, full)).toEqual([])
      for (const { path, value } of mistakesIn(schema)) {
        const issues = schema.safeParse(plant(full, path, value)).error?.issues
        expect({ value, issues: issues?.map((issue) => issue.path) }).toEqual({ value, issues: [path] })
      }
    },
  )

  test('values are texts, lists of texts, or null', () => {
    const valued = (value: unknown) => linesOf(variables, [{ id: 'v1', name: 'Name', value }])
    for (const value of [null, 'Ada', '', [], ['Ada', null]]) expect(valued(value)).toEqual([])
    expect(valued(7)).toEqual(['0.value: Expected a text, a list of texts, or null'])
    expect(valued(['Ada', 7])).toEqual(['0.value.1: Invalid input: expected string, received number'])
  })

  test('a font is a name or has its source', () => {
    const fonts = (font: unknown) => linesOf(theme, { general: { font } })
    for (const font of [
      'Inter',
      { type: 'Google' },
      { type: 'Custom', css: 'https://x.example/f.css', weight: 4 },
    ]) {
      expect(fonts(font)).toEqual([])
    }
    expect(fonts(5)).toEqual(['general.font: Expected a font family name or a font object'])
    expect(fonts({ type: 'Bing' })).toEqual([
      'general.font.type: Invalid option: expected one of "Google"|"Custom"',
    ])
  })

  test('bounds are those of the API', () => {
    const outside = {
      typingEmulation: { delayBetweenBubbles: 5.1 },
      messaging: { sessionExpiryTimeout: 0, startCondition: { logicalOperator: 'XOR' } },
    }
    expect(linesOf(settings, outside)).toEqual([
      'typingEmulation.delayBetweenBubbles: Too big: expected number to be <=5',
      'messaging.startCondition.logicalOperator: Invalid option: expected one of "OR"|"AND"',
      'messaging.startCondition.comparisons: Invalid input: expected array, received undefined',
      'messaging.sessionExpiryTimeout: Too small: expected number to be >=0.01',
    ])
  })

  test('too many invalid groups are rejected by their number, before any is read', () => {
    expect(
      linesOf(
        variables,
        Array.from({ length: 5_001 }, () => ({ id: 'v', name: 'n' })),
      ),
    ).toEqual([': Too big: expected array to have <=5000 items'])
  })
})

describe('the published side', () => {
  const found = new Map<string, Set<string>>()
  const complaints: string[] = []
  for (const schema of documentVersions.flatMap((version) => Object.values(partsOf(version)))) visit(schema)

  test('every object is a component with a name of its own', () => {
    const names = [...found.keys()]
    expect(names.filter((name) => !/^[A-Z][A-Za-z0-9]*$/.test(name))).toEqual([])
    expect(new Set(names.map((name) => name.toLowerCase())).size).toBe(names.length)
    expect(names.filter((name) => name in globalThis)).toEqual([])
    // The versions 3, 4 and 5 share components; whatever shares a name has the same properties.
    expect([...found].filter(([, shapes]) => shapes.size > 1)).toEqual([])
  })

  test('every property is described, bounded and shown', () => {
    expect(complaints).toEqual([])
  })

  function visit(schema: z.core.$ZodType, isEntry = false) {
    if (schema instanceof z.ZodOptional) return visit(schema._zod.def.innerType, isEntry)
    const inner = schema instanceof z.ZodNullable ? schema._zod.def.innerType : schema
    const told = { ...(inner as z.ZodType).meta(), ...(schema as z.ZodType).meta() }
    const { id, description, example, maxLength } = told as Record<string, unknown>
    if (schema instanceof z.ZodObject) {
      const keys = Object.keys(schema.shape).join()
      const known = found.get(String(id))
      if (known?.has(keys)) return
      found.set(String(id), new Set([...(known ?? []), keys]))
      if (!description) complaints.push(`${id} has no description`)
      for (const [key, property] of Object.entries(schema.shape as Record<string, z.core.$ZodType>)) {
        const before = complaints.length
        visit(property)
        complaints.push(...complaints.splice(before).map((line) => `${id}.${key} ${line}`))
      }
      return
    }
    const isPlain = inner instanceof z.ZodEnum || inner instanceof z.ZodBoolean
    const isList = inner instanceof z.ZodArray
    const isTagged = inner instanceof z.ZodUnion && id !== undefined
    if (!isEntry && !description) complaints.push('has no description')
    if (!isEntry && !isPlain && !isList && !isTagged && example === undefined)
      complaints.push('has no example')
    if (inner instanceof z.ZodString && maxLength === undefined) complaints.push('has no greatest length')
    if (inner instanceof z.ZodNumber && (inner.minValue === null || inner.maxValue === null))
      complaints.push('has no bounds')
    if (isList) {
      const checks = (inner._zod.def.checks ?? []).map(({ _zod }) => _zod.def.check)
      if (!checks.includes('max_length')) complaints.push('has no greatest length')
      visit(inner.element, true)
    }
    if (inner instanceof z.ZodUnion) for (const option of inner.options) visit(option, true)
  }
})

describe('the catalogue', () => {
  test('the number of blocks is right in each version', () => {
    expect(documentVersions.map((version) => typesOf(version).length)).toEqual([40, 40, 40, 60, 60])
  })

  test('the README has the current catalogue', () => {
    const readme = readFileSync(new URL('../../contract/bot-document/README.md', import.meta.url), 'utf8')
    const [, table] = readme.split(/<!-- catalogue:(?:begin|end) -->/)
    expect(table?.trim()).toBe(renderCatalogueTable())
  })
})

describe('a document with thousands of issues', () => {
  const group = (place: number) => ({
    id: `g${place}`,
    title: 'One',
    graphCoordinates: at,
    blocks: Array(1_000).fill(1),
  })
  const wide = { ...group(0), blocks: [] }
  const numbers = Object.fromEntries(Array.from({ length: 4_000 }, (_, key) => [`k${key}`, 1]))

  test.each<[string, z.ZodType, unknown]>([
    ['blocks', groups, Array.from({ length: 50 }, (_, place) => group(place))],
    ['groups', groups, Array(900).fill({ ...wide, id: 7, title: 7, blocks: 7 })],
    ['edges', edges, Array(4_000).fill(null)],
  ])('ends the search in its %s soon after the issues that an error body shows', (_, schema, value) => {
    const { error } = schema.safeParse(value)
    expect(error?.issues.length).toBeLessThan(5 * MAX_ISSUES)
    expect(toIssues(error as z.ZodError, ['body'], schema, value)).toHaveLength(MAX_ISSUES)
  })

  test('shows the first of its unknown properties', () => {
    const schema = z.strictObject({})
    const { error } = schema.safeParse(numbers)
    const issues = toIssues(error as z.ZodError, ['body'], schema, numbers)
    expect(issues.map(({ path }) => path[1])).toEqual(Object.keys(numbers).slice(0, MAX_ISSUES))
  })
})
