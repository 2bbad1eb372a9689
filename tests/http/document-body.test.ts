import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from '@jest/globals'
import { boundedArray } from '../../contract/bot-document/bounded-array.ts'
import { currentVersions, edges, groups, variables } from '../../contract/bot-document/index.ts'
import { quickNumber, quickText } from '../../contract/bot-document/quick.ts'
import { taggedUnion } from '../../contract/bot-document/union.ts'
import { operations } from '../../contract/index.ts'
import { z } from '../../contract/kit/zod.ts'
import type { Operation } from '../../contract/operation.ts'
import { scanBody } from '../../server/http/document-body.ts'
import { scanOf } from '../../server/json/schema-scan.ts'
import { propertyTexts } from '../../server/kit/json/property-texts.ts'
import { parseJson } from '../../server/kit/json-body.ts'
import fc from '../kit/fast-check.ts'
import { change, spoil } from '../kit/hostile-values.ts'
import { type Json, valuesOf } from '../support/arbitraries.ts'
import { runs } from '../support/runs.ts'
import { flow, legacyFlow } from '../support/world.ts'

/* Bodies whose documents are not parsed: what is taken so would have been taken parsed, and comes to the same. */

const { createBot, updateBot }: Record<string, Operation> = operations
const workspaceId = 'some-workspace'
const tagged = z.looseObject({ type: z.enum(['a']) })

interface Read {
  value: unknown
  texts: Record<string, string>
}

function read(operation: Operation | undefined, bytes: Buffer): Read | undefined {
  const unparsed = scanBody(operation as Operation, bytes)
  return unparsed && toRead(unparsed.value, unparsed.texts)
}

/** The same, parsed. */
function readParsed(operation: Operation | undefined, bytes: Buffer): Read | undefined {
  const parsed = parseJson(bytes)
  const checked = 'value' in parsed ? operation?.body?.safeParse(parsed.value) : undefined
  return checked?.success ? toRead(checked.data, propertyTexts(bytes, 'bot')) : undefined
}

function toRead(value: unknown, texts: Map<string, Buffer>): Read {
  const { bot, ...rest } = value as { bot: Json }
  const { groups: _, edges: __, variables: ___, ...others } = bot
  return {
    value: { ...rest, bot: others },
    texts: Object.fromEntries([...texts].map(([name, text]) => [name, text.toString()])),
  }
}

const bytesOf = (bot: unknown) => Buffer.from(JSON.stringify({ workspaceId, bot }))

const parts = { groups: valuesOf(groups), edges: valuesOf(edges), variables: valuesOf(variables) }
const bots = fc.record(
  { version: fc.constantFrom(...currentVersions), name: fc.string(), settings: fc.constant({}), ...parts },
  { requiredKeys: ['version'], noNullPrototype: true },
)

test('documents of editors are read without a parser', () => {
  const bot = { version: '6.1', name: 'Bot – 漢 😀', ...flow }
  expect(read(createBot, bytesOf(bot))?.value).toMatchObject({ workspaceId, bot: { name: 'Bot – 漢 😀' } })
  const update = Buffer.from(JSON.stringify({ bot, overwrite: true }))
  expect(read(updateBot, update)?.texts.groups).toBe(JSON.stringify(flow.groups))
})

const corpus = new URL('../../../shared/corpus/', import.meta.url)
const corpusFiles = existsSync(corpus) ? readdirSync(corpus).filter((file) => /^v6.*\.json$/.test(file)) : []
const ofCorpus = corpusFiles.length > 0 ? test : test.skip
ofCorpus('nor are real documents', () => {
  for (const file of corpusFiles) {
    const document = JSON.parse(readFileSync(new URL(file, corpus), 'utf8')) as Json
    const { version, ...rest } = document
    const bytes = bytesOf({
      version,
      ...Object.fromEntries(Object.entries(rest).filter(([key]) => key in flow)),
    })
    expect([file, read(createBot, bytes)?.texts]).toEqual([file, readParsed(createBot, bytes)?.texts])
  }
})

/** Bytes that mean something, and some that mean nothing. */
const anyByte = fc.constantFrom(...Buffer.from('{}[]":,\\/ntu-+.eE0189 \n\0x_'), 0x80, 0xc3, 0xf0, 0xff)
const cut = fc.record({ at: fc.nat(), remove: fc.nat(3), insert: fc.array(anyByte, { maxLength: 3 }) })

function tear(bytes: Buffer, cuts: { at: number; remove: number; insert: number[] }[]): Buffer {
  return cuts.reduce((torn, { at, remove, insert }) => {
    const start = at % (torn.length + 1)
    return Buffer.concat([torn.subarray(0, start), Buffer.from(insert), torn.subarray(start + remove)])
  }, bytes)
}

test('documents that are read without a parser are valid for the parser', () => {
  let taken = 0
  let spoilt = 0
  fc.assert(
    fc.property(
      bots,
      fc.array(change, { maxLength: 2 }),
      fc.array(cut, { maxLength: 2 }),
      (bot, changes, cuts) => {
        const bytes = tear(bytesOf(spoil(bot, changes, ['id'])), cuts)
        const unparsed = read(createBot, bytes)
        if (!unparsed) return
        taken++
        if (changes.length + cuts.length > 0) spoilt++
        expect(unparsed).toEqual(readParsed(createBot, bytes))
      },
    ),
    { numRuns: runs(3_000, 30_000) },
  )
  // It is no comparison of nothing.
  expect([taken > 200, spoilt > 50]).toEqual([true, true])
})

const deep = (levels: number) => JSON.parse(`${'['.repeat(levels)}${']'.repeat(levels)}`) as unknown
const nested = (levels: number): object => (levels === 0 ? {} : { inner: nested(levels - 1) })
const placed = (graphCoordinates: object) => ({
  version: '6.1',
  groups: [{ ...flow.groups[0], graphCoordinates }],
})
const withBlock = (block: object) => ({
  version: '6.1',
  groups: [{ ...flow.groups[0], blocks: [{ id: 'b', type: 'text', ...block }] }],
})
const asText = (bot: object) => JSON.stringify({ workspaceId, bot })
const spread = (keys: number) =>
  Object.fromEntries(Array.from({ length: keys }, (_, at) => [`key ${at}`, at]))

describe('parsed and accepted', () => {
  test.each([
    ['white space between tokens', JSON.stringify({ workspaceId, bot: { version: '6', ...flow } }, null, 1)],
    ['an escape by number', asText(withBlock({ label: 'x' })).replace('"x"', '"\\u0078"')],
    ['a power of ten', asText(withBlock({ label: 1 })).replace('"label":1', '"label":1e3')],
    ['a block of an unknown type', asText(withBlock({ type: 'mood input' }))],
    ['a key as long as a rejected one', asText(withBlock({ __label__: 1 }))],
  ])('%s is parsed and accepted', (_, text) => {
    const bytes = Buffer.from(text)
    expect(readParsed(createBot, bytes)).toBeDefined()
    expect(read(createBot, bytes)).toBeUndefined()
  })

  test('a body without a document is parsed and accepted', () => {
    const bytes = Buffer.from(asText({ version: '6.1', name: 'Renamed', settings: {} }))
    expect(readParsed(createBot, bytes)).toBeDefined()
    expect(read(createBot, bytes)).toBeUndefined()
  })

  test('a flow in a legacy version is parsed and accepted', () => {
    const bytes = Buffer.from(JSON.stringify({ bot: { version: '5', ...legacyFlow } }))
    expect(readParsed(updateBot, bytes)).toBeDefined()
    expect(read(updateBot, bytes)).toBeUndefined()
  })
})

describe('parsed and rejected', () => {
  test.each([
    [
      'an integer that is not exact',
      asText(withBlock({ label: 1 })).replace('"label":1', `"label":${2 ** 53}`),
    ],
    ['a number that begins with 0', asText(withBlock({ label: 1 })).replace('"label":1', '"label":01')],
    ['a number without digits', asText(withBlock({ label: 1 })).replace('"label":1', '"label":-')],
    ['a fraction without digits', asText(withBlock({ label: 1 })).replace('"label":1', '"label":1.')],
    ['a prototype', asText(withBlock({ label: 1 })).replace('"label"', '"__proto__"')],
    ['an escape that there is not', asText(withBlock({ label: 'x' })).replace('"x"', '"\\x"')],
    ['a line feed in a text', asText(withBlock({ label: 'x' })).replace('"x"', '"\n"')],
    ['a comma too much', asText(withBlock({ label: [1] })).replace('[1]', '[1,]')],
    ['a word that there is not', asText(withBlock({ label: 1 })).replace('"label":1', '"label":nul')],
    ['a part of nothing', asText({ version: '6.1', groups: {} })],
    [
      'an edge from nowhere',
      asText({ version: '6.1', edges: [{ id: 'e', from: {}, to: { groupId: 'g' } }] }),
    ],
    ['a variable without a name', asText({ version: '6.1', variables: [{ id: 'v' }] })],
    ['a group without what it needs', asText({ version: '6.1', groups: [{ id: 'g' }] })],
    ['a group with an empty id', asText({ version: '6.1', groups: [{ ...flow.groups[0], id: '' }] })],
    ['a group too far away', asText(placed({ x: 1e14, y: 0 }))],
    [
      'a second type, which counts',
      asText(withBlock({ label: 1 })).replace('"label":1', '"type":"email input","options":1'),
    ],
    ['a group too far to the left', asText(placed({ x: -1e14, y: 0 }))],
    ['less than nothing', asText(withBlock({ type: 'rating input', options: { length: -1 } }))],
    [
      'a list that is too long',
      asText({ version: '6.1', variables: Array(5_001).fill({ id: 'v', name: 'n' }) }),
    ],
    ['a list that ends as an object', asText(withBlock({ label: [1] })).replace('[1]', '[1}')],
    ['a key without a colon', asText(withBlock({ label: 1 })).replace('"label":1', '"label";1')],
    ['a key without an end', asText(withBlock({ label: 1 })).replace('"label":1', '"label\\:1')],
    ['a key with the hash of another', asText({ version: '6.1', variables: [{ jE: 'v', name: 'n' }] })],
    ['a document that only a rule rejects', asText(withBlock({ type: 'Condition', items: [], options: {} }))],
    [
      'two ways in the wrong order',
      asText(
        withBlock({
          type: 'AB test',
          items: [
            { id: 'b', path: 'b' },
            { id: 'a', path: 'a' },
          ],
        }),
      ),
    ],
    ['more levels of objects than are allowed', asText(withBlock({ label: nested(59) }))],
    ['more levels than are allowed', asText(withBlock({ label: deep(59) }))],
    ['more keys than are allowed', asText(withBlock({ label: spread(5_001) }))],
    ['a body that goes on', `${asText(withBlock({}))}}`],
    ['a body that ends', asText(withBlock({})).slice(0, -1)],
  ])('%s is parsed and rejected', (_, text) => {
    const bytes = Buffer.from(text)
    expect(readParsed(createBot, bytes)).toBeUndefined()
    expect(read(createBot, bytes)).toBeUndefined()
  })

  test('bytes that are not UTF-8 are rejected', () => {
    const bytes = Buffer.from(asText(withBlock({ label: 'ÿ' })), 'latin1')
    expect(read(createBot, bytes)).toBeUndefined()
  })

  test('a body with bytes for too many values is rejected', () => {
    const values = (count: number) => Buffer.from(asText(withBlock({ label: Array(count).fill(0) })))
    expect(read(createBot, values(299_000))).toBeDefined()
    expect(read(createBot, values(300_001))).toBeUndefined()
  })
})

test('the maximum of levels and keys is accepted unparsed', () => {
  for (const label of [deep(58), nested(57), spread(5_000)]) {
    const bytes = bytesOf(withBlock({ label }))
    expect(read(createBot, bytes)).toEqual(readParsed(createBot, bytes))
    expect(read(createBot, bytes)).toBeDefined()
  }
})

test('the scan decides on two characters by the text and not by its bytes', () => {
  const scan = scanOf(quickText(10, 2))
  const ends = ['"a"', '"é"', '"😀"', '"ab"'].map((text) => scan(Buffer.from(text), 0, 1))
  expect(ends).toEqual([-1, -1, -1, 4])
})

const never = () => false
test.each([
  ['text', quickText(9).refine(never), '"a"'],
  ['number', quickNumber(0, 9).refine(never), '1'],
  ['value of an enumeration', z.enum(['a']).refine(never), '"a"'],
  ['optional value', quickText(9).optional().refine(never), '"a"'],
  ['list', boundedArray(z.unknown(), { maximum: 9 }).refine(never), '[1]'],
  ['object', z.looseObject({}).refine(never), '{}'],
  ['object with a tag', taggedUnion('type', [tagged], tagged).refine(never), '{"type":"a"}'],
  ['unknown value', z.unknown().refine(never), '1'],
  ['number of an enumeration', z.enum({ one: 1 }), '"1"'],
])('the scan rejects a %s that a rule rejects', (_, schema, text) => {
  expect(scanOf(schema)(Buffer.from(text), 0, 1)).toBe(-1)
})

test('the last of two equal keys wins', () => {
  const [one, other] = [JSON.stringify(flow.groups), JSON.stringify(withBlock({}).groups)]
  const bot = `{"version":"6.1","groups":${one},"groups":${other}}`
  const bytes = Buffer.from(`{"bot":{"edges":[]},"workspaceId":"${workspaceId}","bot":${bot}}`)
  expect(read(createBot, bytes)?.texts).toEqual({ version: '"6.1"', groups: other })
  expect(read(createBot, bytes)).toEqual(readParsed(createBot, bytes))
})
