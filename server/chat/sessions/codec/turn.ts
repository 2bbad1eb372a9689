import { deflateRawSync, inflateRawSync } from 'node:zlib'
import type { components } from '../../../../generated/openapi.ts'

/*
 * Encodes a turn for clients that come back or repeat a request. Every turn has the same property names, so a
 * dictionary of these compresses it to a third.
 */

export type Turn = components['schemas']['ChatTurn']

export interface EncodedTurn {
  /** Messages of the visitor. */
  said: Turn[]
  /** Response to the client. */
  answer: components['schemas']['ContinuedChatBody']
}

/** Stored turns cannot be decoded with any other dictionary. The most frequent texts come last. */
const dictionary = Buffer.from(
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
    '{"said":[],"answer":{"messages":[{"said":[{"role":"user","text":""}],"answer":{"messages":[{"id":"' +
    '","type":"text","content":{"type":"richText","richText":[{"type":"p","children":[{"text":"' +
    '"}]}]}},{"id":""}]}]}}],"input":{"id":"","type":"text input","options":{"variableId":""}},"revision":',
)

/** Little memory: turns are small, and allocating more takes longer than compressing. */
const options = { dictionary, windowBits: 12, memLevel: 4, chunkSize: 1_024 }

/** Encodes a turn; `answer` is JSON. */
export function encodeTurn(said: Turn[], answer: string): Buffer {
  return deflateRawSync(`{"said":${JSON.stringify(said)},"answer":${answer}}`, options)
}

export function decodeTurn(packed: Buffer): EncodedTurn {
  return JSON.parse(decompressTurn(packed))
}

/** Returns the turn as JSON. */
export function decompressTurn(packed: Buffer): string {
  return inflateRawSync(packed, options).toString()
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
export function hasRoom(packed: Buffer, stateSize: number, inlineTurnsSize: number): boolean {
  return OTHER_ROW_BYTES + 2 * stateSize + inlineTurnsSize + 2 + packed.length <= FULL_ROW_BYTES
}

/** Returns a turn with its length, to be put in front of the others of the session. */
export function withLength(packed: Buffer): Buffer {
  const length = Buffer.alloc(2)
  length.writeUInt16BE(packed.length)
  return Buffer.concat([length, packed])
}

/** Decodes the turns of a session, newest first. */
export function decodeTurns(turns: Buffer): EncodedTurn[] {
  const found: EncodedTurn[] = []
  for (let at = 0; at < turns.length; ) {
    const end = at + 2 + turns.readUInt16BE(at)
    found.push(decodeTurn(turns.subarray(at + 2, end)))
    at = end
  }
  return found
}
