import { expect, test } from '@jest/globals'
import type { SessionState } from '../../server/chat/engine/types.ts'
import { decodeState, encodeState, padState } from '../../server/chat/sessions/codec.ts'
import fc from '../kit/fast-check.ts'
import { runs } from '../support/runs.ts'

/* Encoding of the states of sessions. */

const id = fc.constantFrom('own', 'other', '')
const row = fc.record({ botId: id, resultId: fc.option(id) })
const value = fc.oneof(fc.string(), fc.constant(null), fc.array(fc.string(), { maxLength: 2 }))
const position = fc.record({ groupId: id, blockId: id }, { requiredKeys: ['groupId'] })
const frame = fc.record({
  botId: id,
  flowId: fc.option(id),
  values: fc.array(fc.tuple(id, value), { maxLength: 2 }),
  returns: fc.array(
    fc.record({ kind: fc.constantFrom('again', 'after'), isAutomatic: fc.boolean(), position }),
    { maxLength: 2 },
  ),
  resultId: fc.option(id),
  answerCount: fc.nat(2),
  isMerged: fc.boolean(),
  linkPosition: fc.option(position),
  merged: fc.array(fc.record({ id, name: id, value }), { maxLength: 2 }),
})
const state = fc.record(
  {
    format: fc.constant(1),
    resultId: fc.option(id),
    userId: id,
    device: fc.constantFrom('desktop', 'mobile'),
    isProgressBarEnabled: fc.boolean(),
    isStreamEnabled: fc.constant(true),
    frames: fc.array(frame, { minLength: 1, maxLength: 3 }),
    waiting: fc.option(position),
    startFrom: fc.constant({ type: 'group', groupId: 'g' }),
    preview: fc.constant({ answers: [], transcript: [] }),
  },
  {
    requiredKeys: ['format', 'resultId', 'userId', 'device', 'isProgressBarEnabled', 'frames', 'waiting'],
  },
) as fc.Arbitrary<SessionState>

test('decodeState returns any encoded state', () => {
  const property = fc.property(state, row, (made, beside) => {
    const kept = JSON.stringify(encodeState(made, beside))
    expect(decodeState({ ...beside, state: kept })).toEqual(made)
  })
  fc.assert(property, { numRuns: runs(500, 10_000) })
})

test('the encoding of a state omits default values', () => {
  const usual = {
    format: 1,
    resultId: 'result',
    userId: 'result',
    device: 'desktop',
    isProgressBarEnabled: false,
    frames: [
      {
        botId: 'bot',
        flowId: null,
        values: [],
        returns: [],
        resultId: 'result',
        answerCount: 0,
        isMerged: false,
        linkPosition: null,
        merged: [],
      },
    ],
    waiting: { groupId: 'group', blockId: 'block' },
  } satisfies SessionState
  const { format, waiting } = usual
  expect(encodeState(usual, { botId: 'bot', resultId: 'result' })).toEqual({ format, frames: [{}], waiting })
})

const own = { botId: 'bot', resultId: 'result' }

test('a chat that is over, or of another format, has no state', () => {
  expect(decodeState({ ...own, state: null })).toBeUndefined()
  expect(decodeState({ ...own, state: '{"format":2}' })).toBeUndefined()
})

test('each reader of a state gets its own lists', () => {
  const state = '{"format":1,"frames":[{},{"botId":"other"}],"waiting":null}'
  const read = decodeState({ ...own, state })
  read?.frames[0]?.values.push(['one', 'value'])
  expect(read?.frames[1]?.values).toEqual([])
  expect(decodeState({ ...own, state })?.frames[0]?.values).toEqual([])
})

test('most turns leave the encoding as long as it was, and short ones stay short', () => {
  const lengths = [0, 1, 64, 100, 255, 256, 300, 1_000].map((length) => padState('a'.repeat(length)).length)
  expect(lengths).toEqual([0, 64, 64, 128, 256, 256, 512, 1_024])
})
