import type { TranscriptEntry } from '../../engine/types.ts'

/*
 * Encodes the transcript of a turn for the row of a result. Nearly all entries are texts, so their property names are
 * omitted. Texts of the visitor are already in the answer of the same row.
 */

/** A text of the bot; null for the answer itself, said by the visitor; or the whole entry. */
export type EncodedEntry = string | null | TranscriptEntry

/** Encodes a transcript. `answer` is the answer of the row, if it has one. */
export function encodeTranscript(
  said: readonly TranscriptEntry[],
  answer: string | undefined,
): EncodedEntry[] {
  return said.map((entry) => {
    if (entry.type !== 'text' || entry.text === undefined) return entry
    if (entry.role === 'bot') return entry.text
    return entry.text === answer ? null : entry
  })
}

/** Decodes JSON of a transcript. */
export function decodeTranscript(kept: string, answer: string | null): TranscriptEntry[] {
  return (JSON.parse(kept) as EncodedEntry[]).map((entry) => {
    if (entry === null) return { role: 'user', type: 'text', text: answer ?? '' }
    return typeof entry === 'string' ? { role: 'bot', type: 'text', text: entry } : entry
  })
}
