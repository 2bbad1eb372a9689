import { describe, expect, test } from '@jest/globals'
import { propertyTexts } from '../../server/kit/json/property-texts.ts'
import { addRequestParts, takeRequestParts } from '../../server/kit/request-parts.ts'
import fc from '../kit/fast-check.ts'
import { runs } from '../support/runs.ts'

/* Parts of a request that a response repeats: what is taken out comes back byte for byte. */

const long = (text: string) => JSON.stringify(text.padEnd(2_000, text))
const request = (properties: Record<string, string>) => Buffer.from(`{"bot":${object(properties)}}`)
const object = (properties: Record<string, string>) =>
  `{${Object.entries(properties).map(([name, json]) => `"${name}":${json}`)}}`

/** Takes out and puts back; returns what was stored of the response. */
function store(sent: Buffer, answered: string, texts = propertyTexts(sent, 'bot')) {
  const response = Buffer.from(answered)
  const { rest, parts } = takeRequestParts(response, sent, texts)
  // A repeat is another buffer.
  expect(Buffer.concat(addRequestParts(rest, Buffer.from(sent), parts)).equals(response)).toBe(true)
  return { rest: rest.toString(), parts }
}

describe('takeRequestParts', () => {
  const name = 'n'.repeat(101)
  const [a, b, large] = [long('α'), long('b'), JSON.stringify('c'.repeat(10_000))]

  test('takes out long values in the order of the response', () => {
    const { rest, parts } = store(request({ a, b, c: '1' }), `{"bot":${object({ id: '7', b, c: '1', a })}}`)
    expect(rest).toBe('{"bot":{"id":7,"b":,"c":1,"a":}}')
    expect(parts).toHaveLength(2)
  })

  test.each<[string, Buffer, string]>([
    ['a short value', request({ a: '"short"' }), object({ a: '"short"' })],
    ['another value', request({ a }), object({ a: b })],
    ['a property with another name', request({ a }), object({ b: a })],
    ['a property with a long name', request({ [name]: a }), object({ [name]: a })],
    // Node puts small buffers into one, and large ones each into their own.
    ['a small value whose white space was removed', request({ b: `[ ${b} ]` }), object({ b: `[${b}]` })],
    [
      'a large value whose white space was removed',
      request({ a: `[ ${large} ]` }),
      object({ a: `[${large}]` }),
    ],
    ['a property that follows one of its name within another', request({ a }), object({ o: '{"a":1}', a })],
  ])('leaves %s in the response', (_what, sent, answered) => {
    expect(store(sent, answered)).toEqual({ rest: answered, parts: [] })
  })

  test('takes out once what is within another part', () => {
    const inner = `{"b":${b}}`
    const { rest } = store(request({ a: inner, b }), object({ a: inner, b }))
    expect(rest).toBe(object({ a: '', b }))
  })

  test.each([
    ['before', 0, 5_000],
    ['behind', 5_000, 0],
  ])('leaves a value in the response that is in the same memory %s the request', (_where, textAt, sentAt) => {
    const memory = Buffer.alloc(8_000)
    const text = memory.subarray(textAt, textAt + memory.write(b, textAt))
    const sent = memory.subarray(sentAt, sentAt + memory.write(`{"bot":{"b":[ ${b} ]}}`, sentAt))
    expect(store(sent, object({ b }), new Map([['b', text]])).parts).toEqual([])
  })

  test('searches for the largest eight values alone, since each search reads the whole response', () => {
    const sizes = [...Array<number>(1_000).fill(1_500), ...Array<number>(8).fill(3_000)]
    const values = Object.fromEntries(sizes.map((size, at) => [`p${at}`, JSON.stringify('x'.repeat(size))]))
    const { parts } = store(request(values), object(values))
    expect(parts.map(([, , length]) => length)).toEqual(Array(8).fill(3_002))
  })

  test('takes nothing out of a response without the texts of its request', () => {
    expect(store(request({ a }), object({ a }), new Map()).parts).toEqual([])
  })

  test('gives back any response to any request', () => {
    const json = fc.oneof(fc.constantFrom(a, b, `{"a":${a}}`, '1'), fc.json())
    const properties = fc.dictionary(fc.constantFrom('a', 'b', 'c'), json, { noNullPrototype: true })
    fc.assert(
      fc.property(properties, properties, (sent, answered) => {
        store(request(sent), object(answered))
      }),
      { numRuns: runs(200, 5_000) },
    )
  })
})
