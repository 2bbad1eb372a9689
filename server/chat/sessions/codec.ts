import { deflateRawSync, inflateRawSync } from 'node:zlib'
import type { components } from '../../../generated/openapi.ts'
import { newId } from '../../ids.ts'
import type { Frame, SessionState, TranscriptEntry } from '../engine/types.ts'

/* The compact forms in which a session, its turns and their transcript are stored. */

/** The id begins with that of the bot, so that every statement can name both: they are the key of sessions. */
export function newSessionId(botId: string, now: Date): string {
  return `${botId}-${newId(now)}`
}

/** Returns the bot of a session; undefined for a text that is no id of a session. */
export function botOfSession(sessionId: string): string | undefined {
  return /^(.+)-[0-9a-z]{26}$/.exec(sessionId)?.[1]
}

// The state of a session: every turn writes it anew, so default values are omitted

const defaultState = () => ({ device: 'desktop' as const, isProgressBarEnabled: false })

const defaultFrame = (): Omit<Frame, 'botId' | 'resultId'> => ({
  flowId: null,
  values: [],
  returns: [],
  answerCount: 0,
  isMerged: false,
  linkPosition: null,
  merged: [],
})

/** The columns of the session row that the state need not repeat. */
interface Row {
  botId: string
  resultId: string | null
}

type EncodedState = Partial<Omit<SessionState, 'frames'>> & { frames: Partial<Frame>[] }

export function encodeState(state: SessionState, row: Row): EncodedState {
  const { resultId } = state
  const frames = state.frames.map((frame) =>
    omitDefaults(frame, { botId: row.botId, resultId, ...defaultFrame() }),
  )
  const defaults = { resultId: row.resultId, userId: resultId, ...defaultState() }
  return omitDefaults<EncodedState>({ ...state, frames }, defaults)
}

/**
 * Decodes the state that a chat continues from. Undefined once the chat is over, or if another release wrote the
 * state in another format.
 */
export function decodeState({ state, botId, resultId: own }: Row & { state: string | null }) {
  const encoded = state === null ? null : (JSON.parse(state) as EncodedState)
  if (encoded?.format !== 1) return undefined
  const { resultId = own } = encoded
  const frames = encoded.frames.map((frame) => ({ botId, resultId, ...defaultFrame(), ...frame }))
  return { resultId, userId: resultId, ...defaultState(), ...encoded, frames } as SessionState
}

/** Returns the properties that differ from `defaults`, whose values are primitive or empty lists. */
function omitDefaults<Kept extends object>(object: Kept, defaults: Record<string, unknown>): Kept {
  const isDefault = (value: unknown, other: unknown) =>
    value === other || (Array.isArray(value) && value.length === 0 && Array.isArray(other))
  const differences: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(object)) {
    if (!(name in defaults && isDefault(value, defaults[name]))) differences[name] = value
  }
  return differences as Kept
}

/**
 * Pads the state with blanks, so that most turns leave its length unchanged: PostgreSQL then logs a row from its
 * first difference on, and not the whole conversation. Short states are cheaper logged than padded further.
 */
export function padState(state: string): string {
  const unit = state.length < 256 ? 64 : 256
  return state.padEnd(Math.ceil(state.length / unit) * unit)
}

/*
 * A turn, for clients that come back or repeat a request. Every turn has the same property names, so a dictionary of
 * these compresses it to a third. `StoredTurn` is its decoded form.
 */

export type ChatEntry = components['schemas']['ChatTurn']

export interface StoredTurn {
  /** Messages of the visitor. */
  said: ChatEntry[]
  response: components['schemas']['ContinuedChatBody']
}

/** Stored turns cannot be decoded with any other dictionary. The most frequent texts come last. */
const TURN_DICTIONARY = Buffer.from(
  '"clientSideActions":[{"type":"redirect","redirect":{"url":"https://"isNewTab":"scriptToExecute":{"content":"args":' +
    '"expectsDedicatedReply":true"dynamicTheme":{"hostAvatarUrl":"progress":"logs":[{"status":"error","description":"' +
    '"details":"context":"type":"image","content":{"url":"https://"type":"video""type":"embed"{"type":"audio"' +
    '"attachedFileUrls":["lastMessageNewFormat":"isMultipleChoice":true"dynamicVariableId":"isSearchable":' +
    '{"markdown":"type":"markdown""url":"bold":true{"type":"variable","children":[{"type":"inline-variable"' +
    '},{"type":"p","children":[{"text":""}]}' +
    '"type":"date input""type":"file input""type":"rating input""type":"phone number input""type":"url input"' +
    '"type":"number input","options":{"type":"email input","options":{"isLong":false,"inputMode":"' +
    '"input":{"id":"","type":"choice input","items":[{"id":"","outgoingEdgeId":"","content":"' +
    '"options":{"buttonLabel":"Send","labels":{"placeholder":"Type your answer...","button":"Send"},"variableId":"' +
    '{"said":[],"response":{"messages":[{"said":[{"role":"user","text":""}],"response":{"messages":[{"id":"' +
    '","type":"text","content":{"type":"richText","richText":[{"type":"p","children":[{"text":"' +
    '"}]}]}},{"id":""}]}]}}],"input":{"id":"","type":"text input","options":{"variableId":""}},"revision":',
)

/** Little memory: turns are small, and allocating more takes longer than compressing. */
const options = { dictionary: TURN_DICTIONARY, windowBits: 12, memLevel: 4, chunkSize: 1_024 }

/** Encodes a turn; `response` is JSON. */
export function encodeTurn(said: ChatEntry[], response: string): Buffer {
  return deflateRawSync(`{"said":${JSON.stringify(said)},"response":${response}}`, options)
}

export function decodeTurn(encodedTurn: Buffer): StoredTurn {
  return JSON.parse(decompressTurn(encodedTurn))
}

/** Returns the turn as JSON. */
export function decompressTurn(encodedTurn: Buffer): string {
  return inflateRawSync(encodedTurn, options).toString()
}

/*
 * The first turns of a chat are in the row of its session, which every turn writes anyway. The newest comes first,
 * each after its length in two bytes: PostgreSQL finds the others unchanged and does not log them again.
 */

/** PostgreSQL moves values of longer rows out of line. */
const FULL_ROW_BYTES = 1_950
/** Bytes of a session row besides its state and its turns. */
const OTHER_ROW_BYTES = 330

/**
 * True if a turn fits beside the state and the turns of the session. Sizes are in bytes; the state may still double.
 */
export function fitsInline(encodedTurn: Buffer, stateSize: number, inlineTurnsBytes: number): boolean {
  return OTHER_ROW_BYTES + 2 * stateSize + inlineTurnsBytes + 2 + encodedTurn.length <= FULL_ROW_BYTES
}

/** Returns a turn with its length, to be put in front of the others of the session. */
export function prependLength(encodedTurn: Buffer): Buffer {
  const length = Buffer.alloc(2)
  length.writeUInt16BE(encodedTurn.length)
  return Buffer.concat([length, encodedTurn])
}

/** Decodes the turns of a session, newest first. */
export function decodeTurns(turns: Buffer): StoredTurn[] {
  const found: StoredTurn[] = []
  for (let at = 0; at < turns.length; ) {
    const end = at + 2 + turns.readUInt16BE(at)
    found.push(decodeTurn(turns.subarray(at + 2, end)))
    at = end
  }
  return found
}

/*
 * The transcript of a turn, for the row of a result. Nearly all entries are texts, so their property names are omitted.
 * Texts of the visitor are already in the answer of the same row.
 */

/** A text of the bot; null for the answer itself, said by the visitor; or the whole entry. */
export type EncodedEntry = string | null | TranscriptEntry

/** Encodes a transcript. `answer` is the answer of the row, if it has one. */
export function encodeTranscript(
  transcript: readonly TranscriptEntry[],
  answer: string | undefined,
): EncodedEntry[] {
  return transcript.map((entry) => {
    if (entry.type !== 'text' || entry.text === undefined) return entry
    if (entry.role === 'bot') return entry.text
    return entry.text === answer ? null : entry
  })
}

/** Decodes JSON of a transcript. */
export function decodeTranscript(encoded: string, answer: string | null): TranscriptEntry[] {
  return (JSON.parse(encoded) as EncodedEntry[]).map((entry) => {
    if (entry === null) return { role: 'user', type: 'text', text: answer ?? '' }
    return typeof entry === 'string' ? { role: 'bot', type: 'text', text: entry } : entry
  })
}
