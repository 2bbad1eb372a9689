import { deflateRawSync, inflateRawSync } from 'node:zlib'
import type { components } from '../../generated/openapi.ts'

/*
 * A step as it is kept for clients that come back or ask again. Every step holds the same property names, so it is
 * compressed with these at hand, to a third.
 */

export type Turn = components['schemas']['ChatTurn']

export interface KeptStep {
  /** What the person said. */
  said: Turn[]
  /** What the client was answered. */
  answer: components['schemas']['ContinuedChatBody']
}

/** Steps that were written are unreadable with any other. What is most frequent comes last. */
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

/** Little memory: a step is small, and what is asked of the system for it takes longer than the work. */
const options = { dictionary, windowBits: 12, memLevel: 4, chunkSize: 1_024 }

/** `answer` is JSON. */
export function packStep(said: Turn[], answer: string): Buffer {
  return deflateRawSync(`{"said":${JSON.stringify(said)},"answer":${answer}}`, options)
}

export function unpackStep(packed: Buffer): KeptStep {
  return JSON.parse(inflateStep(packed))
}

/** The step as JSON. */
export function inflateStep(packed: Buffer): string {
  return inflateRawSync(packed, options).toString()
}

/*
 * The first steps of a chat are in the row of its session, which every step writes anyway: the newest first, each after
 * its length in two bytes, so that PostgreSQL finds the others where they were and does not log them again.
 */

/** Longer rows PostgreSQL takes apart. */
const LONGEST_ROW = 1_950
/** What a session takes beside its state and its steps, in bytes. */
const REST_OF_ROW = 330

/** Whether a step fits beside the state and the steps that a session has, in bytes; the state may still grow as long again. */
export function hasRoom(packed: Buffer, stateSize: number, stepsSize: number): boolean {
  return REST_OF_ROW + 2 * stateSize + stepsSize + 2 + packed.length <= LONGEST_ROW
}

/** A step as it is put in front of those that the session has. */
export function withLength(packed: Buffer): Buffer {
  const length = Buffer.alloc(2)
  length.writeUInt16BE(packed.length)
  return Buffer.concat([length, packed])
}

/** The steps of a session, the newest first. */
export function unpackSteps(steps: Buffer): KeptStep[] {
  const found: KeptStep[] = []
  for (let at = 0; at < steps.length; ) {
    const end = at + 2 + steps.readUInt16BE(at)
    found.push(unpackStep(steps.subarray(at + 2, end)))
    at = end
  }
  return found
}
