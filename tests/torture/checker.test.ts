import { readFileSync } from 'node:fs'
import { describe, expect, test } from '@jest/globals'
import { callsOf } from './bot-history.ts'
import { type Call, check } from './checker.ts'
import { type AccessOp, accessModel, type BotOp, botModel } from './models.ts'
import { echoOf, type PeopleHistory, type Said, violationsOf } from './people-history.ts'
import { planted } from './planted.ts'
import { randomOf } from './random.ts'

/*
 * The checker of histories is held to what it is to find: histories of a bot that is right, of which each is then
 * spoilt in one way.
 */

const first = { at: '0000', name: 'name 0', stamp: 'stamp 0' }
const verdictOf = (calls: Call<BotOp>[]) => check(botModel(first), calls).verdict

const read = (at: string, name: string, stamp: string): BotOp => ({ kind: 'read', seen: { at, name, stamp } })
const rename = (at: string, name: string, stamp = 'stamp 0', expected?: string): BotOp => ({
  kind: 'write',
  name,
  expected,
  answer: 'done',
  seen: { at, name, stamp },
})

/** Calls that follow each other. */
const inTurn = (...ops: BotOp[]): Call<BotOp>[] =>
  ops.map((op, index) => ({ start: 2 * index, end: 2 * index + 1, op }))

describe('calls in turn', () => {
  test.each<[string, 'fits' | 'broken', BotOp[]]>([
    ['an update that is read', 'fits', [rename('0001', 'a'), read('0001', 'a', 'stamp 0')]],
    ['an update that is lost', 'broken', [rename('0001', 'a'), read('0000', 'name 0', 'stamp 0')]],
    ['a part of another one', 'broken', [rename('0001', 'a'), read('0001', 'a', 'stamp 1')]],
    ['a moment that goes back', 'broken', [rename('0002', 'a'), rename('0001', 'b')]],
    ['a moment that stays', 'broken', [rename('0001', 'a'), rename('0001', 'b')]],
    ['a precondition that holds', 'fits', [rename('0001', 'a'), rename('0002', 'b', 'stamp 0', '0001')]],
    ['a precondition that is lost', 'broken', [rename('0001', 'a'), rename('0002', 'b', 'stamp 0', '0000')]],
    [
      'a refusal without a reason',
      'broken',
      [{ kind: 'write', name: 'a', expected: '0000', answer: 'stale', at: '0000' }],
    ],
    [
      'a refusal with its reason',
      'fits',
      [rename('0001', 'a'), { kind: 'write', name: 'b', expected: '0000', answer: 'stale', at: '0001' }],
    ],
    ['unchanged, and it was', 'broken', [rename('0001', 'a'), { kind: 'unchanged', at: '0000' }]],
    [
      'a publication of what is there',
      'fits',
      [
        { kind: 'publish', answer: 'done' },
        { kind: 'live', stamp: 'stamp 0' },
      ],
    ],
    [
      'a publication of something earlier',
      'broken',
      [
        { kind: 'write', stamp: 'stamp 1', answer: 'done', seen: { at: '0001' } },
        { kind: 'publish', answer: 'done' },
        { kind: 'live', stamp: 'stamp 0' },
      ],
    ],
    [
      'a bot after its end',
      'broken',
      [{ kind: 'delete', answer: 'done' }, read('0000', 'name 0', 'stamp 0')],
    ],
    [
      'the end of a bot',
      'fits',
      [
        { kind: 'delete', answer: 'done' },
        { kind: 'read', seen: 'gone' },
      ],
    ],
    ['an end without a request', 'broken', [{ kind: 'read', seen: 'gone' }]],
  ])('%s: %s', (_what, verdict, ops) => {
    expect(verdictOf(inTurn(...ops))).toBe(verdict)
  })
})

describe('calls without an answer', () => {
  const lost: Call<BotOp> = {
    start: 0,
    end: Number.POSITIVE_INFINITY,
    op: { kind: 'write', name: 'lost', answer: 'unknown' },
  }
  const seen = (start: number, op: BotOp) => ({ start, end: start + 1, op })

  test.each<[string, 'fits' | 'broken', Call<BotOp>[]]>([
    ['never took effect', 'fits', [lost, seen(5, read('0000', 'name 0', 'stamp 0'))]],
    [
      'took effect late',
      'fits',
      [lost, seen(5, read('0000', 'name 0', 'stamp 0')), seen(9, read('0003', 'lost', 'stamp 0'))],
    ],
    [
      'took effect twice',
      'broken',
      [
        lost,
        seen(5, read('0003', 'lost', 'stamp 0')),
        seen(7, rename('0004', 'a')),
        seen(9, read('0005', 'lost', 'stamp 0')),
      ],
    ],
    [
      'took effect before they were sent',
      'broken',
      [{ ...lost, start: 8 }, seen(5, read('0003', 'lost', 'stamp 0'))],
    ],
  ])('%s: %s', (_what, verdict, calls) => {
    expect(verdictOf(calls)).toBe(verdict)
  })
})

test('a request that took effect, and was repeated when the bot was deleted, is reported so and had its effect', () => {
  const published = (lastStart: number) =>
    callsOf({ start: 0, lastStart, end: 9 }, { kind: 'publish', answer: 'gone' })
  const rest: Call<BotOp>[] = [
    { start: 3, end: 4, op: { kind: 'live', stamp: 'stamp 0' } },
    { start: 5, end: 6, op: { kind: 'delete', answer: 'done' } },
  ]
  expect(verdictOf([...published(7), ...rest])).toBe('fits')
  expect(verdictOf([...published(0), ...rest])).toBe('broken')
  // The second attempt began while the bot existed, so its response cannot be that the bot is deleted.
  expect(
    verdictOf([...callsOf({ start: 0, lastStart: 1, end: 2 }, { kind: 'publish', answer: 'gone' }), ...rest]),
  ).toBe('broken')
})

test('the checker rejects two concurrent successful writes with one precondition', () => {
  const both = [rename('0001', 'a', 'stamp 0', '0000'), rename('0002', 'b', 'stamp 0', '0000')]
  expect(verdictOf(both.map((op, index) => ({ start: index, end: 10, op })))).toBe('broken')
  const one: BotOp[] = [both[0] as BotOp, { kind: 'write', name: 'b', expected: '0000', answer: 'stale' }]
  expect(verdictOf(one.map((op, index) => ({ start: index, end: 10, op })))).toBe('fits')
})

test('the checker rejects an access after a removal, except by calls that had already started', () => {
  const op = (kind: AccessOp['kind'], isAllowed: boolean): AccessOp => ({ kind, isAllowed, what: '' })
  const grant = { start: 0, end: 1, op: op('change', true) }
  const removal = { start: 5, end: 8, op: op('change', false) }
  const late = (start: number) => ({ start, end: 20, op: op('try', true) })
  expect(check(accessModel, [grant, removal, late(7)]).verdict).toBe('fits')
  expect(check(accessModel, [grant, removal, late(9)]).verdict).toBe('broken')
  expect(check(accessModel, [grant, { start: 2, end: 4, op: op('try', false) }]).verdict).toBe('broken')
})

/** A few callers of a bot that is right: each call takes effect at a moment of its own, within its time. */
function honest(seed: number, length: number): Call<BotOp>[] {
  const random = randomOf(seed)
  const bot = { at: 0, name: 'name 0', stamp: 'stamp 0', live: 'none' }
  const at = () => String(bot.at).padStart(4, '0')
  return Array.from({ length }, (_, index): Call<BotOp> => {
    const time = { start: index - random.float() * 3, end: index + random.float() * 3 }
    const kind = random.one(['read', 'name', 'stamp', 'publish', 'live'] as const)
    if (kind === 'publish') bot.live = bot.stamp
    if (kind === 'publish') return { ...time, op: { kind, answer: 'done' } }
    if (kind === 'live') return { ...time, op: { kind, stamp: bot.live } }
    const { name, stamp } = bot
    if (kind === 'read') return { ...time, op: read(at(), name, stamp) }
    const guess = random.float() < 0.5 ? String(bot.at - random.below(2)).padStart(4, '0') : undefined
    const given = { kind: 'write', [kind]: `${kind} ${index}`, expected: guess } as const
    if (guess !== undefined && guess !== at()) return { ...time, op: { ...given, answer: 'stale', at: at() } }
    bot.at++
    bot[kind] = `${kind} ${index}`
    const isLost = random.float() < 0.02
    const op: BotOp = isLost
      ? { ...given, answer: 'unknown' }
      : { ...given, answer: 'done', seen: { at: at(), name: bot.name, stamp: bot.stamp } }
    return { start: time.start, end: isLost ? Number.POSITIVE_INFINITY : time.end, op }
  })
}

test('forty histories of a correct bot pass, and none of them with a stale read', () => {
  for (let seed = 1; seed <= 40; seed++) {
    const calls = honest(seed, 60)
    expect({ seed, verdict: verdictOf(calls) }).toEqual({ seed, verdict: 'fits' })
    const ended = Math.max(...calls.map(({ end }) => end).filter(Number.isFinite))
    const late = { start: ended + 1, end: ended + 2, op: read('0000', 'name 0', 'stamp 0') }
    expect({ seed, verdict: verdictOf([...calls, late]) }).toEqual({ seed, verdict: 'broken' })
  }
})

test.each(planted)(
  'each source that a fault is planted in contains its pieces once: $what',
  ({ file, pieces }) => {
    const source = readFileSync(file, 'utf8')
    for (const [piece] of pieces)
      expect({ piece, times: source.split(piece).length - 1 }).toEqual({ piece, times: 1 })
  },
)

describe('a chat that members take and give back', () => {
  const said = (role: Said['role'], text: string): Said => ({ role, text })
  const final = [said('user', 'w1'), said('bot', echoOf('w1')), said('user', 'w2'), said('member', 'w3')]
  const right: PeopleHistory = {
    messages: [
      { role: 'user', text: 'w1', start: 0, end: 10, isEchoed: true, isForPeople: false },
      { role: 'user', text: 'w2', start: 10_000, end: 10_010, isEchoed: false, isForPeople: true },
      { role: 'member', text: 'w3', start: 10_020, end: 10_030 },
    ],
    hands: [
      { kind: 'take', start: 5_000, end: 5_010, isDone: true },
      { kind: 'return', start: 20_000, end: 20_010, isDone: true },
    ],
    calls: [{ at: 5, text: 'w1' }],
    final,
    streamed: final,
    stored: final,
  }

  test('a history that keeps all promises passes', () => {
    expect(violationsOf(right)).toEqual([])
    // A return that may have happened before the take ended makes it unclear who handles the chat.
    const hands = [{ kind: 'return' as const, start: 5_005, end: 5_020, isDone: true }, ...right.hands]
    expect(violationsOf({ ...right, hands, calls: [{ at: 9_000, text: 'w1' }] })).toEqual([])
  })

  test.each<[string, Partial<PeopleHistory>]>([
    ['lost', { final: final.slice(0, 3) }],
    ['doubled', { final: [...final, said('member', 'w3')] }],
    [
      'out of order',
      { final: [said('user', 'w2'), said('user', 'w1'), said('bot', echoOf('w1')), said('member', 'w3')] },
    ],
    [
      'answered by the bot though it is for people',
      { final: [...final.slice(0, 3), said('bot', echoOf('w2')), final[3] as Said] },
    ],
    ['answered at another place', { final: [final[0], final[2], final[1], final[3]] as Said[] }],
    ['answered and not stored', { final: [final[0], final[2], final[3]] as Said[] }],
    ['missing in the stream', { streamed: final.slice(1) }],
    ['in another order in the transcript of the result', { stored: [...final].reverse() }],
  ])('a history with a message that is %s is rejected', (_, broken) => {
    const shown = broken.final ? { streamed: broken.final, stored: broken.final } : {}
    expect(violationsOf({ ...right, ...shown, ...broken })).not.toEqual([])
  })

  test('a request and an answer of the bot while a member handles the chat are rejected', () => {
    expect(violationsOf({ ...right, calls: [{ at: 9_000, text: 'w1' }] })).toHaveLength(1)
    const messages = right.messages.map((each) => (each.text === 'w1' ? { ...each, end: 8_000 } : each))
    expect(violationsOf({ ...right, messages })).toHaveLength(1)
  })
})
