import type { TranscriptEntry } from './types.ts'

/*
 * What was said in a step as a row of a result keeps it: nearly all of it is texts, which are kept without the names of
 * their properties, and what a person said is in the answer of the same row.
 */

/** A text of the bot; null for the answer itself, said by the person; or the entry. */
export type KeptEntry = string | null | TranscriptEntry

/** `answer` is the answer of the row, if it has one. */
export function keepTranscript(said: readonly TranscriptEntry[], answer: string | undefined): KeptEntry[] {
  return said.map((entry) => {
    if (entry.type !== 'text' || entry.text === undefined) return entry
    if (entry.role === 'bot') return entry.text
    return entry.text === answer ? null : entry
  })
}

/** The reverse, of JSON. */
export function readTranscript(kept: string, answer: string | null): TranscriptEntry[] {
  return (JSON.parse(kept) as KeptEntry[]).map((entry) => {
    if (entry === null) return { role: 'user', type: 'text', text: answer ?? '' }
    return typeof entry === 'string' ? { role: 'bot', type: 'text', text: entry } : entry
  })
}
