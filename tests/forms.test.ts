import { describe, expect, test } from '@jest/globals'
import {
  endpoints,
  type JsonSchema,
  parametersOf,
  published,
  readForm,
  resolve,
} from './support/published.ts'

/*
 * The forms of openapi.yaml for other tools promise the same as it does: the same operations, parameters and
 * answers, with less said of flows. What the service answers is held against them wherever it is held against the
 * whole document.
 */

describe.each(['openapi-slim', 'openapi-slim-3.0'] as const)('%s', (name) => {
  const { text, document, readable, mistakesOf } = readForm(name)

  test('has the operations of the whole document, with their words and statuses', () => {
    const described = (paths: typeof published.paths) =>
      Object.entries(paths).map(([path, methods]) => [
        path,
        Object.entries(methods).map(([method, operation]) => [
          method,
          operation.operationId,
          operation.summary,
          operation.description,
          operation.tags,
          operation.security,
          Object.keys(operation.responses),
        ]),
      ])
    expect(described(document.paths)).toEqual(described(published.paths))
    expect({ ...document.info, summary: '' }).toEqual({ ...published.info, summary: '' })
    expect(Object.keys(document)).toEqual(Object.keys(published).filter((key) => key in document))
  })

  test.each(endpoints)('$operation.operationId has the same parameters and valid examples', (endpoint) => {
    const { path, method, operation } = endpoint
    const other = readable.paths[path]?.[method.toLowerCase()] as typeof operation
    const parameters = (other.parameters ?? []).map((parameter) => resolve(parameter, readable))
    expect(parameters).toEqual(parametersOf(operation))
    const contents = [
      ...Object.values(other.requestBody?.content ?? {}),
      ...Object.values(other.responses).flatMap((response) =>
        Object.values(resolve(response, readable).content ?? {}),
      ),
    ]
    expect(contents.length).toBeGreaterThan(0)
    for (const { schema, examples = {} } of contents) {
      for (const { value } of Object.values(examples)) expect(mistakesOf(value, schema, 'closed')).toEqual([])
    }
  })

  test('rejects the same values as the whole document, outside of flows', () => {
    const body: JsonSchema = { $ref: '#/components/schemas/UpdateBotBody' }
    const rejected = [
      { bot: { version: '7' } },
      { bot: { version: '6.1', nam: 'Misspelt' } },
      { bot: { version: '6.1', name: null } },
      { bot: { version: '6.1', groups: ['no object'] } },
    ]
    for (const value of rejected) expect(mistakesOf(value, body)).not.toEqual([])
    const accepted = { bot: { version: '6.1', icon: null, groups: [{ anything: 'goes' }] } }
    expect(mistakesOf(accepted, body)).toEqual([])
  })

  test('has no unused component, and no dangling reference', () => {
    const references = new Set(
      [...text.matchAll(/"(#\/components\/[^"]+)"/g)].map(([, reference]) => reference),
    )
    const { securitySchemes: _, ...kinds } = document.components
    const components = Object.entries(kinds).flatMap(([kind, named]) =>
      Object.keys(named).map((component) => `#/components/${kind}/${component}`),
    )
    expect([...references].sort()).toEqual(components.sort())
  })

  test('validates no flow', () => {
    for (const part of ['Group', 'FlowEvent', 'Edge', 'Variable', 'Theme', 'Settings']) {
      const { description, ...schema } = document.components.schemas[part] as JsonSchema
      // The generator for Ruby makes a class that it cannot build of an object with more words.
      const words = name === 'openapi-slim' ? { additionalProperties: true, maxProperties: 5000 } : {}
      expect(schema).toEqual({ type: 'object', ...words })
    }
    expect(document.components.schemas).not.toHaveProperty('Block')
  })
})

test('the form for older tools has no later feature', () => {
  const { document } = readForm('openapi-slim-3.0')
  expect(document.openapi).toBe('3.0.3')
  const text = JSON.stringify(document.components.schemas)
  expect(text).not.toMatch(/"type":\[|"type":"null"|"const":|"\$defs":|"examples":/)
  expect(document).not.toHaveProperty('webhooks')
  expect(document.info).not.toHaveProperty('summary')
})
