import type { Frame, SessionState } from './types.ts'

/*
 * The state of a chat as its session keeps it. Every step writes it anew, so what is as usual is left out. Release 1.0, which
 * may read it, knows only whole ones.
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

/** What the row of the session has beside the state. */
interface Row {
  botId: string
  resultId: string | null
}

type KeptState = Partial<Omit<SessionState, 'frames'>> & { frames: Partial<Frame>[] }

export function keepState(state: SessionState, row: Row): KeptState {
  const { resultId } = state
  const frames = state.frames.map((frame) => unlike(frame, { botId: row.botId, resultId, ...usualFrame() }))
  const usual = { resultId: row.resultId, userId: resultId, ...usualState() }
  return unlike<KeptState>({ ...state, frames }, usual)
}

/** What a chat goes on from: nothing once it is over, or when another release wrote its state, which is JSON. */
export function readState({ state, botId, resultId: own }: Row & { state: string | null }) {
  const kept = state === null ? null : (JSON.parse(state) as KeptState)
  if (kept?.format !== 1) return undefined
  const { resultId = own } = kept
  const frames = kept.frames.map((frame) => ({ botId, resultId, ...usualFrame(), ...frame }))
  return { resultId, userId: resultId, ...usualState(), ...kept, frames } as SessionState
}

/** The properties that are not those of `usual`, which are primitive or empty lists. */
function unlike<Kept extends object>(object: Kept, usual: Record<string, unknown>): Kept {
  const isUsual = (value: unknown, other: unknown) =>
    value === other || (Array.isArray(value) && value.length === 0 && Array.isArray(other))
  const kept: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(object)) {
    if (!(name in usual && isUsual(value, usual[name]))) kept[name] = value
  }
  return kept as Kept
}

/**
 * With blanks at its end, so that most steps leave a state as long as it was: PostgreSQL then logs a row from its first
 * difference on, and not all that was said before. A short one is cheaper logged than made longer.
 */
export function padded(state: string): string {
  const unit = state.length < 256 ? 64 : 256
  return state.padEnd(Math.ceil(state.length / unit) * unit)
}
