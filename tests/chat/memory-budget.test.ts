import { afterEach, describe, expect, jest, test } from '@jest/globals'
import { createMemoryBudget } from '../../server/chat/engine/memory-budget.ts'
import { boundNamed } from '../support/bounds.ts'

/* Bytes that turns hold while they wait for servers of others. */

afterEach(() => {
  jest.useRealTimers()
})

const FREE_BYTES = boundNamed('FREE_MEMORY_BYTES')
const ALL_BYTES = boundNamed('MAX_MEMORY_BYTES')

/** The value of a promise that is settled by now, else undefined. */
const settled = <Value>(promise: Value | Promise<Value>) =>
  Promise.race([promise, new Promise<undefined>((resolve) => setImmediate(() => resolve(undefined)))])

const WAIT_MS = 60_000

describe('a turn', () => {
  test('a turn has as many bytes free as the table says, and one more counts', async () => {
    const budget = createMemoryBudget()
    expect(await budget.open('a').take(FREE_BYTES, WAIT_MS)).toBe(true)
    expect(budget.held()).toBe(0)
    const turn = budget.open('a')
    expect(await turn.take(FREE_BYTES + 1, WAIT_MS)).toBe(true)
    expect(budget.held()).toBe(1)
    turn.releaseBlock()
    expect(budget.held()).toBe(0)
  })

  test('a turn that holds nothing waits for bytes as long as the table says at most', async () => {
    jest.useFakeTimers({ doNotFake: ['setImmediate'] })
    const budget = createMemoryBudget(100, 0, 0)
    const first = budget.open('a')
    await first.take(90, WAIT_MS)
    const [short, long] = [budget.open('a').take(90, 10), budget.open('a').take(90, WAIT_MS)]
    jest.advanceTimersByTime(10)
    expect([await settled(short), await settled(long)]).toEqual([false, undefined])
    jest.advanceTimersByTime(boundNamed('MAX_MEMORY_WAIT_MS') - 11)
    expect(await settled(long)).toBeUndefined()
    jest.advanceTimersByTime(1)
    expect(await settled(long)).toBe(false)
    const next = budget.open('a').take(90, WAIT_MS)
    first.end()
    expect(await next).toBe(true)
  })

  test('a turn that holds bytes gets more at once or not at all, so that no two wait for each other', async () => {
    const budget = createMemoryBudget(100, 0, 0)
    const [one, other] = [budget.open('a'), budget.open('b')]
    expect(await one.take(25, WAIT_MS)).toBe(true)
    expect(await other.take(25, WAIT_MS)).toBe(true)
    expect(await settled(one.take(25, WAIT_MS))).toBe(false)
    other.end()
    expect(await one.take(25, WAIT_MS)).toBe(true)
  })

  test('a turn counts its state once, however often it calls other services', async () => {
    const budget = createMemoryBudget(100, 0, 0)
    const turn = budget.open('a')
    expect(turn.begin(10)).toBe(true)
    for (let call = 0; call < 3; call++) expect(await turn.take(1, WAIT_MS, 30)).toBe(true)
    expect(budget.held()).toBe(33)
    turn.releaseBlock()
    expect(budget.held()).toBe(10)
    turn.end()
    expect(budget.held()).toBe(0)
  })

  test('all turns of a flow count it once', () => {
    const budget = createMemoryBudget(100, 0, 0)
    const flow = { of: {}, bytes: 60 }
    const turns = Array.from({ length: 5 }, () => budget.open('a'))
    for (const turn of turns) expect(turn.begin(1, flow)).toBe(true)
    expect(budget.held()).toBe(65)
    expect(budget.open('a').begin(1, { of: {}, bytes: 60 })).toBe(false)
    for (const turn of turns) turn.end()
    expect(budget.held()).toBe(0)
  })

  test('a turn that has ended leaves nothing behind, even if a part of it still waited', async () => {
    const budget = createMemoryBudget(100, 0, 0)
    const [first, second] = [budget.open('a'), budget.open('a')]
    await first.take(90, WAIT_MS)
    const waiting = second.take(90, WAIT_MS)
    second.end()
    first.end()
    expect(await waiting).toBe(false)
    expect(budget.held()).toBe(0)
  })
})

test('one tenant has a quarter of the bytes of the table beside others, and three quarters alone', async () => {
  const quarter = ALL_BYTES / 4
  const budget = createMemoryBudget(undefined, 0, 0)
  const turns = Array.from({ length: 3 }, () => budget.open('a'))
  for (const turn of turns) expect(await settled(turn.take(quarter, WAIT_MS))).toBe(true)
  const fourth = budget.open('a').take(1, WAIT_MS)
  expect(await settled(fourth)).toBeUndefined()
  const other = budget.open('b')
  expect(await settled(other.take(quarter, WAIT_MS))).toBe(true)
  turns[0]?.end()
  // Two quarters are more than the share beside another tenant.
  expect(await settled(fourth)).toBeUndefined()
  other.end()
  expect(await fourth).toBe(true)
})

test('tenants that wait take turns, and a large one is not passed by small ones', async () => {
  const budget = createMemoryBudget(100, 0, 0)
  const holders = ['a', 'b', 'c', 'd'].map((tenant) => budget.open(tenant))
  for (const holder of holders) await holder.take(25, WAIT_MS)
  const order: string[] = []
  const take = async (tenant: string, bytes: number) => {
    const turn = budget.open(tenant)
    await turn.take(bytes, WAIT_MS)
    order.push(`${tenant}${bytes}`)
    return turn
  }
  const waiting = [take('e', 60), take('f', 10), take('f', 11), take('g', 10)]
  for (const holder of holders) holder.end()
  const held = await Promise.all(waiting)
  expect(order).toEqual(['e60', 'f10', 'g10', 'f11'])
  for (const turn of held) turn.end()
  expect(budget.held()).toBe(0)
})

test('a tenant has as many bytes as the table says whatever others hold, and one more waits', async () => {
  const most = boundNamed('SURE_MEMORY_BYTES')
  const budget = createMemoryBudget(undefined, 0)
  for (const tenant of ['a', 'b', 'c', 'd']) await budget.open(tenant).take(ALL_BYTES / 4, WAIT_MS)
  void budget.open('a').take(1, 10)
  const turn = budget.open('e')
  expect(turn.begin(1, { of: {}, bytes: most - 2 })).toBe(true)
  expect(await settled(turn.take(1, WAIT_MS))).toBe(true)
  expect(await settled(turn.take(1, WAIT_MS))).toBe(false)
  expect(await settled(budget.open('f').take(most, WAIT_MS))).toBe(true)
  expect(await settled(budget.open('g').take(most + 1, WAIT_MS))).toBeUndefined()
})
