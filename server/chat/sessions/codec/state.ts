import type { Frame, SessionState } from '../../engine/types.ts'

/*
 * Encodes the state of a chat for the row of its session. Every turn writes it anew, so default values are omitted.
 */

const usualState = () => ({ device: 'desktop' as const, isProgressBarEnabled: false })

const usualFrame = (): Omit<Frame, 'botId' | 'resultId'> => ({
  publicationId: null,
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

type KeptState = Partial<Omit<SessionState, 'frames'>> & { frames: Partial<Frame>[] }

export function encodeState(state: SessionState, row: Row): KeptState {
  const { resultId } = state
  const frames = state.frames.map((frame) => unlike(frame, { botId: row.botId, resultId, ...usualFrame() }))
  const usual = { resultId: row.resultId, userId: resultId, ...usualState() }
  return unlike<KeptState>({ ...state, frames }, usual)
}

/**
 * Decodes the state that a chat continues from. Undefined once the chat is over, or if another release wrote the
 * state in another format.
 */
export function decodeState({ state, botId, resultId: own }: Row & { state: string | null }) {
  const encoded = state === null ? null : (JSON.parse(state) as KeptState)
  if (encoded?.format !== 1) return undefined
  const { resultId = own } = encoded
  const frames = encoded.frames.map((frame) => ({ botId, resultId, ...usualFrame(), ...frame }))
  return { resultId, userId: resultId, ...usualState(), ...encoded, frames } as SessionState
}

/** Returns the properties that differ from `usual`, whose values are primitive or empty lists. */
function unlike<Kept extends object>(object: Kept, usual: Record<string, unknown>): Kept {
  const isUsual = (value: unknown, other: unknown) =>
    value === other || (Array.isArray(value) && value.length === 0 && Array.isArray(other))
  const differences: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(object)) {
    if (!(name in usual && isUsual(value, usual[name]))) differences[name] = value
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
