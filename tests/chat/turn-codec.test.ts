import { expect, test } from '@jest/globals'
import { decodeTurn, decodeTurns, encodeTurn, hasRoom, withLength } from '../../server/chat/sessions/codec.ts'

const answer = {
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

test('a step is what it was, and smaller', () => {
  const text = JSON.stringify(answer)
  const packed = encodeTurn(said, text)
  expect(decodeTurn(packed)).toEqual({ said, answer })
  expect(packed.length).toBeLessThan(text.length / 2)
})

test('a long step is too', () => {
  const long = Array.from({ length: 2_000 }, (_, at) => ({ ...answer.messages[0], id: `${at * 7919}` }))
  const step = { ...answer, messages: long }
  expect(decodeTurn(encodeTurn([], JSON.stringify(step))).answer).toEqual(step)
})

test('unpackStep reads stored bytes, so the names that they were packed with must not change', () => {
  const stored = 'I+R/x5REgkGQSLswcC86vOfw/FQdhQ/zJ3bjCoEkEoMgGS0MTGprAQ=='
  expect(decodeTurn(Buffer.from(stored, 'base64'))).toEqual({ said, answer })
})

test('steps of a session are read, the newest first, whatever their length', () => {
  const steps = [1, 2, 300].map((many, at) => ({
    said,
    answer: {
      messages: Array.from({ length: many }, (_, n) => ({ ...answer.messages[0], id: `${n * 7919}` })),
      revision: at + 1,
    },
  }))
  const kept = steps.map((step) => withLength(encodeTurn(step.said, JSON.stringify(step.answer))))
  expect(kept[2]?.length).toBeGreaterThan(256)
  expect(decodeTurns(Buffer.concat(kept.reverse()))).toEqual([...steps].reverse())
  expect(decodeTurns(Buffer.alloc(0))).toEqual([])
})

test('a session has room for steps while it stays in one piece', () => {
  const packed = Buffer.alloc(118)
  expect([750, 751].map((stateSize) => hasRoom(packed, stateSize, 0))).toEqual([true, false])
  expect([500, 501].map((inlineTurnsSize) => hasRoom(packed, 500, inlineTurnsSize))).toEqual([true, false])
})
