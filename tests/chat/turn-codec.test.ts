import { expect, test } from '@jest/globals'
import {
  decodeTurn,
  decodeTurns,
  encodeTurn,
  fitsInline,
  prependLength,
} from '../../server/chat/sessions/codec.ts'

const response = {
  messages: [
    {
      id: 'a',
      type: 'text' as const,
      content: {
        type: 'richText' as const,
        richText: [{ type: 'p', children: [{ text: 'Grüße, \u{1f44b}' }] }],
      },
    },
  ],
  input: { id: 'b', type: 'text input' as const, options: { variableId: 'c' } },
  revision: 4,
}
const said = [{ role: 'user' as const, text: 'Ada' }]

test('decodeTurn returns the encoded turn, which is smaller', () => {
  const text = JSON.stringify(response)
  const encoded = encodeTurn(said, text)
  expect(decodeTurn(encoded)).toEqual({ said, response })
  expect(encoded.length).toBeLessThan(text.length / 2)
})

test('decodeTurn returns a long turn', () => {
  const long = Array.from({ length: 2_000 }, (_, at) => ({ ...response.messages[0], id: `${at * 7919}` }))
  const turn = { ...response, messages: long }
  expect(decodeTurn(encodeTurn([], JSON.stringify(turn))).response).toEqual(turn)
})

test('decodeTurn reads stored bytes, so the dictionary must not change', () => {
  const stored = 'IxQCjimJRARCIu1Cwb3o8J7D81N1FD7Mn9iNKwySSAyEZLRQMKmtBQA='
  expect(decodeTurn(Buffer.from(stored, 'base64'))).toEqual({ said, response })
})

test('decodeTurns returns the turns of a session, the newest first, whatever their length', () => {
  const turns = [1, 2, 300].map((many, at) => ({
    said,
    response: {
      messages: Array.from({ length: many }, (_, n) => ({ ...response.messages[0], id: `${n * 7919}` })),
      revision: at + 1,
    },
  }))
  const encoded = turns.map((turn) => prependLength(encodeTurn(turn.said, JSON.stringify(turn.response))))
  expect(encoded[2]?.length).toBeGreaterThan(256)
  expect(decodeTurns(Buffer.concat(encoded.reverse()))).toEqual([...turns].reverse())
  expect(decodeTurns(Buffer.alloc(0))).toEqual([])
})

test('fitsInline accepts turns while the session stays in one piece', () => {
  const encoded = Buffer.alloc(118)
  expect([750, 751].map((stateSize) => fitsInline(encoded, stateSize, 0))).toEqual([true, false])
  expect([500, 501].map((inlineTurnsBytes) => fitsInline(encoded, 500, inlineTurnsBytes))).toEqual([
    true,
    false,
  ])
})
