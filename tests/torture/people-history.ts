/*
 * Histories of chats that members take and give back while their visitors write: everything that was acknowledged, and
 * the transcript that came of it. Times are of one clock.
 */

export interface Said {
  role: 'user' | 'bot' | 'member'
  text: string
}

interface Span {
  start: number
  end: number
}

export interface PeopleHistory {
  /**
   * Messages that were acknowledged. `isEchoed`: the bot answered; `isForPeople`: the response said that people handle
   * the chat.
   */
  messages: (Span & { role: 'user' | 'member'; text: string; isEchoed?: boolean; isForPeople?: boolean })[]
  /** Changes of hands that may have happened. A take counts once it is certain. */
  hands: (Span & { kind: 'take' | 'return'; isDone: boolean })[]
  /** Requests of the bot to another server. */
  calls: { at: number; text: string }[]
  final: Said[]
  /** The same as a stream of events had it, over all its connections. */
  streamed: Said[]
  /** The same as the transcript of the result has it. */
  stored: Said[]
}

/** Words with which the bot answers a text. */
export const echoOf = (text: string) => `bot heard ${text}`

/** A request or response that was on its way when a member took the chat may arrive so much later. */
const UNDER_WAY_MS = 1_000

/** Returns what a history breaks, in words; nothing where it keeps all promises. */
export function violationsOf(history: PeopleHistory): string[] {
  return [
    ...lostOf(history),
    ...disorderOf(history),
    ...echoesOf(history),
    ...leavesOf(history),
    ...differencesOf(history),
  ]
}

const countOf = (list: readonly Said[], role: Said['role'], text: string) =>
  list.filter((each) => each.role === role && each.text === text).length

function lostOf({ messages, final }: PeopleHistory): string[] {
  const lost = messages.flatMap(({ role, text }) => {
    const count = countOf(final, role, text)
    return count === 1 ? [] : [`${text} of ${role} was acknowledged and is there ${count} times`]
  })
  const doubled = final.filter(
    (each) => each.text.startsWith('w') && countOf(final, each.role, each.text) > 1,
  )
  return [...lost, ...doubled.map(({ role, text }) => `${text} of ${role} is there more than once`)]
}

/** A message that was sent after another one was acknowledged is behind it. */
function disorderOf({ messages, final }: PeopleHistory): string[] {
  const positions = new Map(final.map(({ role, text }, at) => [`${role} ${text}`, at]))
  const positionOf = ({ role, text }: { role: string; text: string }) =>
    positions.get(`${role} ${text}`) ?? -1
  return messages.flatMap((one) =>
    messages
      .filter(
        (other) => other.start > one.end && positionOf(other) >= 0 && positionOf(other) < positionOf(one),
      )
      .map((other) => `${other.text} was sent after ${one.text} was acknowledged, and is before it`),
  )
}

/** The bot answers the message before its words, once, and no message for people. */
function echoesOf({ messages, final }: PeopleHistory): string[] {
  const users = new Set(final.filter(({ role }) => role === 'user').map(({ text }) => text))
  const misplaced = [...users].filter((text) => {
    const at = final.findIndex((each) => each.role === 'bot' && each.text === echoOf(text))
    return at >= 0 && final[at - 1]?.text !== text
  })
  const wrong = messages.filter(({ role, text, isEchoed = false, isForPeople = false }) => {
    const count = countOf(final, 'bot', echoOf(text))
    return role === 'user' && ((isEchoed && count !== 1) || (isForPeople && count > 0))
  })
  return [
    ...misplaced.map((text) => `the answer to ${text} is not behind it`),
    ...wrong.map(
      ({ text, isForPeople }) => `${text} was ${isForPeople ? '' : 'not '}for people, and is not stored so`,
    ),
  ]
}

/** Times in which a member certainly handled the chat. */
function handledOf({ hands }: PeopleHistory): Span[] {
  const returns = hands.filter(({ kind }) => kind === 'return')
  return hands.flatMap(({ kind, isDone, start, end }) => {
    const isUnclear = returns.some((other) => other.start < end && other.end > start)
    if (kind !== 'take' || !isDone || isUnclear) return []
    const next = returns.filter((other) => other.start >= end).map((other) => other.start)
    return [{ start: end, end: Math.min(...next) }]
  })
}

function leavesOf(history: PeopleHistory): string[] {
  const handled = handledOf(history)
  const isHandledAt = (time: number) =>
    handled.some(({ start, end }) => start + UNDER_WAY_MS < time && time < end)
  const isHandledDuring = (span: Span) =>
    handled.some(({ start, end }) => start < span.start && span.end < end)
  return [
    ...history.calls
      .filter(({ at }) => isHandledAt(at))
      .map(({ text }) => `the bot sent a request for ${text} while a member handled the chat`),
    ...history.messages
      .filter((each) => each.isEchoed && (isHandledDuring(each) || isHandledAt(each.end)))
      .map(({ text }) => `the bot answered ${text} while a member handled the chat`),
  ]
}

function differencesOf({ final, streamed, stored }: PeopleHistory): string[] {
  const textOf = (list: Said[]) => JSON.stringify(list.map(({ role, text }) => `${role}: ${text}`))
  return Object.entries({ streamed, stored })
    .filter(([, list]) => textOf(list) !== textOf(final))
    .map(([name, list]) => `${name} differs: ${textOf(list)}, and the chat has ${textOf(final)}`)
}
