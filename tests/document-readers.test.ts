import { describe, expect, test } from '@jest/globals'
import { RE2JS } from 're2js'
import { webhooks } from '../contract/events.ts'
import {
  endpoints,
  type JsonSchema,
  type PublishedDocument,
  type PublishedParameter,
  parametersOf,
  published,
  readForm,
} from './support/published.ts'

/* The document has nothing that breaks a generator, a validator or an importer of requests. */

const forms: [name: string, document: PublishedDocument][] = [
  ['openapi', published],
  ['openapi-3.2', readForm('openapi-3.2').document],
  ['openapi-untagged', readForm('openapi-untagged').document],
  ['openapi-slim', readForm('openapi-slim').document],
  ['openapi-slim-3.0', readForm('openapi-slim-3.0').document],
]

/** Every object of a document that has this keyword, with the pointer to it. */
function having(document: object, keyword: string): [pointer: string, found: JsonSchema][] {
  const found: [string, JsonSchema][] = []
  const visit = (value: unknown, pointer: string) => {
    if (typeof value !== 'object' || value === null) return
    // An example is a value, not a schema.
    if (/\/(example|examples)$/.test(pointer)) return
    if (!Array.isArray(value) && Object.hasOwn(value, keyword)) found.push([pointer, value as JsonSchema])
    for (const [key, inner] of Object.entries(value)) visit(inner, `${pointer}/${key}`)
  }
  visit(document, '#')
  return found
}

describe.each(forms)('%s', (_name, document) => {
  test('has no pattern on a date-time, which some generators parse into a date first', () => {
    const dated = having(document, 'format').filter(([, { format }]) => format === 'date-time')
    expect(dated.length).toBeGreaterThan(10)
    expect(dated.filter(([, schema]) => 'pattern' in schema)).toEqual([])
  })

  test('has only patterns that RE2 compiles, without escapes that other languages reject', () => {
    const patterns = having(document, 'pattern').filter(([, { pattern }]) => typeof pattern === 'string')
    expect(patterns.length).toBeGreaterThan(100)
    for (const [pointer, { pattern }] of patterns) {
      expect(() => RE2JS.compile(String(pattern))).not.toThrow()
      expect(`${pointer} ${pattern}`).not.toMatch(/\\\/|\\x[89a-f]/i)
    }
  })

  test('allows anything in a free object by the value true', () => {
    const empty = having(document, 'additionalProperties').filter(
      ([, { additionalProperties }]) =>
        typeof additionalProperties === 'object' && Object.keys(additionalProperties).length === 0,
    )
    expect(empty).toEqual([])
  })

  test('has no default on an optional boolean of the query, which some clients would send as 0', () => {
    const flags = Object.values(document.paths)
      .flatMap((path) => Object.values(path))
      .flatMap((operation) => (operation.parameters ?? []) as PublishedParameter[])
      .filter(({ schema }) => schema?.type === 'boolean')
    expect(flags.filter(({ schema }) => 'default' in schema)).toEqual([])
  })
})

test('a header or cursor that changes the meaning of a request has no example that an importer would send', () => {
  const acting = ['Idempotency-Key', 'If-Match', 'If-None-Match', 'Prefer', 'cursor']
  const found = endpoints
    .flatMap(({ operation }) => parametersOf(operation))
    .filter(({ name }) => acting.includes(name))
  expect(new Set(found.map(({ name }) => name))).toEqual(new Set(acting))
  for (const parameter of found) {
    for (const keyword of ['example', 'examples', 'default']) {
      expect(parameter).not.toHaveProperty(keyword)
      expect(parameter.schema).not.toHaveProperty(keyword)
    }
  }
})

test('a sample of a request that an importer would send has no null', () => {
  const bodies = endpoints.flatMap(({ operation }) => {
    const { content = {} } = (operation.requestBody ?? {}) as {
      content?: Record<string, { examples?: Record<string, { value: unknown }> }>
    }
    const [first] = Object.values(Object.values(content)[0]?.examples ?? {})
    return first ? [[operation.operationId, JSON.stringify(first.value)] as const] : []
  })
  expect(bodies.length).toBeGreaterThan(15)
  expect(bodies.filter(([, text]) => /:null\b/.test(text))).toEqual([])
})

test('a pattern of a header has no quotation mark, which some generators escape twice', () => {
  const headers = endpoints
    .flatMap(({ operation }) => parametersOf(operation))
    .filter((one) => one.in === 'header')
  expect(headers.filter(({ schema }) => String(schema.pattern).includes('"'))).toEqual([])
})

test('operations and posted events have tags of their own, and each posted event an extension', () => {
  const posted = Object.values(published.webhooks as PublishedDocument['paths']).flatMap((path) =>
    Object.values(path),
  )
  expect(posted).toHaveLength(Object.keys(webhooks).length)
  for (const event of posted) {
    expect(event.tags).toEqual(['events'])
    expect(event).toHaveProperty('x-internal', false)
  }
  expect(endpoints.filter(({ operation }) => operation.tags.includes('events'))).toEqual([])
})

test('a property that a request may send back and that is ignored is read-only and never required', () => {
  const ignored = having(published, 'readOnly')
  expect(ignored.length).toBeGreaterThan(100)
  for (const [, schema] of ignored) {
    expect(schema).toMatchObject({ readOnly: true, description: expect.stringMatching(/ignored/) })
  }
  for (const [pointer] of ignored) {
    const [, name = '', property = ''] =
      /^#\/components\/schemas\/(\w+)\/properties\/(\w+)$/.exec(pointer) ?? []
    expect(property).not.toBe('')
    expect(published.components.schemas[name]?.required ?? []).not.toContain(property)
  }
})

test('every operation lists too large headers, and those with a body a slow one', () => {
  for (const { operation } of endpoints) {
    expect(operation.responses).toHaveProperty('431')
    expect('408' in operation.responses).toBe(operation.requestBody !== undefined)
  }
})

describe('a union that accepts unknown values', () => {
  const open = ['Block', 'LegacyBlock', 'FlowEvent']

  test('names the branch for them as its default mapping in OpenAPI 3.2', () => {
    const { document } = readForm('openapi-3.2')
    expect(document.openapi).toBe('3.2.0')
    for (const name of open) {
      const { discriminator } = document.components.schemas[name] as JsonSchema
      expect(discriminator).toMatchObject({
        defaultMapping: expect.stringMatching(/schemas\/Opaque(Legacy)?(Block|Event)$/),
      })
      expect(Object.keys(discriminator?.mapping ?? {}).filter((value) => value.startsWith('Opaque'))).toEqual(
        [],
      )
    }
  })

  test('has no discriminator in the untagged form, and is otherwise the same', () => {
    const { document } = readForm('openapi-untagged')
    for (const name of open) expect(document.components.schemas[name]).not.toHaveProperty('discriminator')
    const others = having(published, 'discriminator').filter(
      ([pointer]) => !open.includes(pointer.split('/').at(-1) ?? ''),
    )
    for (const [pointer] of others) {
      const name = pointer.split('/').at(-1) ?? ''
      expect(document.components.schemas[name]).toEqual(published.components.schemas[name])
    }
  })

  test('is a single event of an event stream in OpenAPI 3.2', () => {
    const { document } = readForm('openapi-3.2')
    const streams = Object.values(document.paths)
      .flatMap((path) => Object.values(path))
      .flatMap(({ operationId, responses }) =>
        Object.values(responses).map((response) => ({ operationId, response })),
      )
      .flatMap(({ operationId, response }) =>
        'content' in response && response.content?.['text/event-stream']
          ? [[operationId, response.content['text/event-stream']] as const]
          : [],
      )
    expect(streams.length).toBeGreaterThanOrEqual(3)
    for (const [operationId, content] of streams) {
      const item = operationId === 'listSessionEvents' ? 'SessionEvent' : 'ChatEvent'
      expect(content).toMatchObject({
        itemSchema: { properties: { data: { contentSchema: { $ref: `#/components/schemas/${item}` } } } },
      })
    }
  })
})
