import { describe, expect, test } from '@jest/globals'
import { encode, JsonText } from '../server/kit/json/json-text.ts'
import { propertyTexts } from '../server/kit/json/property-texts.ts'
import { fromUtf8 } from '../server/kit/json/utf8.ts'
import fc from './kit/fast-check.ts'
import { json } from './support/arbitraries.ts'
import { runs } from './support/runs.ts'

/* Documents on their way: the bytes that were sent, what is stored of them, and what is sent back. */

const asText = (texts: Map<string, Buffer>) =>
  Object.fromEntries([...texts].map(([name, bytes]) => [name, bytes.toString()]))

/** Long enough for every way in which bytes become text. */
const anyText = fc
  .array(fc.constantFrom('plain', 'ü', '–', '漢', '😀', '\u0000', '\ufeff', '"', '\\'), {
    maxLength: 300,
    size: 'max',
  })
  .map((pieces) => pieces.join(''))

test('bytes become the text that they encode', () => {
  fc.assert(
    fc.property(anyText, (text) => {
      expect(fromUtf8(Buffer.from(text))).toBe(text)
    }),
    { numRuns: runs(200, 5_000) },
  )
})

test.each([
  ['short', 10],
  ['long', 40_000],
])('a %s document is sent as it came, and is a copy of it', (_, length) => {
  const text = JSON.stringify({ text: `${'ü'.repeat(length)} 😀` })
  const sent = Buffer.from(text)
  const document = new JsonText(sent)
  sent.fill(0)
  expect(document.text).toBe(text)
  expect(String(document.parameter)).toBe(text)
  expect(JSON.stringify([document])).toBe(JSON.stringify([text]))
  const out = encode({ document })
  expect((typeof out === 'string' ? Buffer.from(out) : Buffer.concat(out)).toString()).toBe(
    `{"document":${text}}`,
  )
})

describe('the properties of an object in a body', () => {
  test.each([undefined, 1, '\t'])('are as they were sent, without white space: %j', (space) => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), json), (bot) => {
        const bytes = Buffer.from(JSON.stringify({ before: [bot, '}"'], bot, after: 1 }, null, space))
        const wanted = Object.entries(bot).map(([name, value]) => [name, JSON.stringify(value)])
        expect(asText(propertyTexts(bytes, 'bot'))).toEqual(Object.fromEntries(wanted))
      }),
      { numRuns: runs(100, 2_000) },
    )
  })

  test.each([
    ['keys that look like numbers keep their order', '{"bot":{"a":{"2":0,"1":0}}}', { a: '{"2":0,"1":0}' }],
    ['numbers are written as they were', '{"bot":{"a":1.50,"b":[1e3]}}', { a: '1.50', b: '[1e3]' }],
    ['of a key that is there twice the last counts', '{"bot":{"a":1,"a":2}}', { a: '2' }],
    ['of an object that is there twice the last counts', '{"bot":{"a":1},"bot":{"b":2}}', { b: '2' }],
    ['a key may be written with escapes', '{"b\\u006ft":{"\\u0061\\"":"\\\\"}}', { 'a"': '"\\\\"' }],
    ['white space in texts stays', '{ "bot" : { "a" : [ " \\" ] " , 1 ] } }', { a: '[" \\" ] ",1]' }],
    ['what is no object has none', '{"bot":[{"a":1}]}', {}],
    ['an empty object has none', ' { "bot" : { } } ', {}],
  ])('%s', (_, text, wanted) => {
    expect(asText(propertyTexts(Buffer.from(text), 'bot'))).toEqual(wanted)
  })
})
