import type { Model } from './checker.ts'

/** One bot, as its callers see it. Every write writes texts that no other one writes. */
export type BotOp =
  | { kind: 'read'; seen: Seen | 'gone' }
  /** A read with the response that the state of that moment is still current. */
  | { kind: 'unchanged'; at: string }
  | ({ kind: 'write'; name?: string; stamp?: string; expected?: string } & (
      | { answer: 'done'; seen: Seen }
      /** `at` is the moment of the state that was there instead, where the answer says it. */
      | { answer: 'stale'; at?: string }
      | { answer: 'gone' | 'unknown' }
    ))
  | { kind: 'publish'; expected?: string; answer: 'done' | 'stale' | 'gone' | 'unknown' }
  /** State that chats and readers of the published bot get. */
  | { kind: 'live'; stamp: string | 'none' }
  | { kind: 'delete'; expected?: string; answer: 'done' | 'stale' | 'gone' | 'unknown' }

/** State of a bot in a response; a brief response has the timestamp alone. */
export interface Seen {
  at: string
  name?: string
  /** In every part of the document. */
  stamp?: string
}

interface Bot {
  /** Time of its update, as the service reports it; null until a response contains it. */
  at: string | null
  /** The bot was updated later than this. */
  after: string
  name: string
  stamp: string
  live: string
  isGone: boolean
}

export function botModel({ at, name, stamp }: Required<Seen>): Model<Bot, BotOp> {
  return {
    initial: { at, after: '', name, stamp, live: 'none', isGone: false },
    step(bot, op) {
      if (bot.isGone) return op.kind === 'unchanged' || !isRefusal(op) ? [] : [bot]
      switch (op.kind) {
        case 'read':
          return op.seen === 'gone' ? [] : shows(bot, op.seen)
        case 'unchanged':
          return known(bot, op.at)
        case 'live':
          return bot.live === op.stamp ? [bot] : []
        case 'write':
          return written(bot, op)
        case 'publish':
        case 'delete': {
          const then = (before: Bot): Bot =>
            op.kind === 'publish' ? { ...before, live: before.stamp } : { ...before, isGone: true }
          if (op.answer === 'stale') return isStale(bot, op.expected, undefined)
          if (op.answer === 'gone') return []
          const done = expect(bot, op.expected).map(then)
          return op.answer === 'done' ? done : [bot, ...done]
        }
      }
    },
  }
}

/** Returns true if a call may get this response once the bot is deleted. */
function isRefusal(op: BotOp): boolean {
  if (op.kind === 'read') return op.seen === 'gone'
  if (op.kind === 'live') return op.stamp === 'none'
  return 'answer' in op && (op.answer === 'gone' || op.answer === 'unknown')
}

function written(bot: Bot, op: Extract<BotOp, { kind: 'write' }>): Bot[] {
  if (op.answer === 'gone') return []
  if (op.answer === 'stale') return isStale(bot, op.expected, op.at)
  const done = expect(bot, op.expected).map(
    (before): Bot => ({
      ...before,
      at: null,
      after: before.at ?? before.after,
      name: op.name ?? before.name,
      stamp: op.stamp ?? before.stamp,
    }),
  )
  return op.answer === 'done' ? done.flatMap((after) => shows(after, op.seen)) : [bot, ...done]
}

function shows(bot: Bot, { at, name, stamp }: Seen): Bot[] {
  if (name !== undefined && name !== bot.name) return []
  if (stamp !== undefined && stamp !== bot.stamp) return []
  return known(bot, at)
}

/** The bot, of which it is now known when it was updated; none where that cannot be. */
function known(bot: Bot, at: string): Bot[] {
  if (bot.at === null) return at > bot.after ? [{ ...bot, at }] : []
  return bot.at === at ? [bot] : []
}

const expect = (bot: Bot, at: string | undefined) => (at === undefined ? [bot] : known(bot, at))

function isStale(bot: Bot, expected: string | undefined, at: string | undefined): Bot[] {
  if (expected === undefined || expected === at) return []
  if (at !== undefined) return known(bot, at)
  return bot.at === expected ? [] : [bot]
}

/**
 * Change or use of the access of one user. A change is repeated until it is done, and no other change runs meanwhile.
 */
export type AccessOp = { kind: 'change' | 'try'; isAllowed: boolean; what: string }

export const accessModel: Model<boolean, AccessOp> = {
  initial: false,
  step(isAllowed, op) {
    if (op.kind === 'change') return [op.isAllowed]
    return op.isAllowed === isAllowed ? [isAllowed] : []
  },
}
