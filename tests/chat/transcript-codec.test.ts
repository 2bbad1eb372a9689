import { expect, test } from '@jest/globals'
import type { TranscriptEntry } from '../../server/chat/engine/types.ts'
import { decodeTranscript, encodeTranscript } from '../../server/chat/sessions/codec.ts'
import fc from '../kit/fast-check.ts'
import { runs } from '../support/runs.ts'

/* Encoding of the transcripts of results. */

const text = fc.oneof(fc.string({ unit: 'grapheme' }), fc.constantFrom('', 'Ada', 'null', '0', '[]'))
const entry: fc.Arbitrary<TranscriptEntry> = fc.oneof(
  fc.record({ role: fc.constantFrom('bot', 'user'), type: fc.constant('text'), text }),
  fc.record({ role: fc.constant('bot'), type: fc.constant('text') }),
  fc.record({ role: fc.constant('user'), type: fc.constant('audio'), audio: text }),
  fc.record({ role: fc.constant('bot'), type: fc.constant('image'), image: text }),
)

test('a transcript is decoded as it was, with any answer', () => {
  fc.assert(
    fc.property(fc.array(entry), fc.option(text, { nil: undefined }), (said, answer) => {
      const kept = JSON.stringify(encodeTranscript(said, answer))
      expect(decodeTranscript(kept, answer ?? null)).toEqual(said)
    }),
    { numRuns: runs(200, 5_000) },
  )
})

test('the encoding of a transcript has texts bare, and the answer once', () => {
  const said: TranscriptEntry[] = [
    { role: 'user', type: 'text', text: 'Ada' },
    { role: 'bot', type: 'text', text: 'Hello Ada' },
    { role: 'bot', type: 'image', image: 'https://example.com/a.png' },
  ]
  expect(encodeTranscript(said, 'Ada')).toEqual([null, 'Hello Ada', said[2]])
})

test('decodeTranscript reads rows of earlier builds that stored entries', () => {
  const said: TranscriptEntry[] = [{ role: 'user', type: 'text', text: 'Ada' }]
  expect(decodeTranscript(JSON.stringify(said), 'Ada')).toEqual(said)
})
