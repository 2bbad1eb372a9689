import { afterEach, describe, expect, jest, test } from '@jest/globals'
import { createRooms } from '../../server/chat/engine/turn-room.ts'
import { boundNamed } from '../support/bounds.ts'

/* Bytes that turns hold while they wait for servers of others. */

afterEach(() => {
  jest.useRealTimers()
})

const FREE_BYTES = boundNamed('FREE_ROOM_BYTES')
const ALL_BYTES = boundNamed('MAX_ROOM_BYTES')

/** The value of a promise that is settled by now, else undefined. */
const settled = <Value>(promise: Value | Promise<Value>) =>
  Promise.race([promise, new Promise<undefined>((resolve) => setImmediate(() => resolve(undefined)))])

const WAIT_MS = 60_000

describe('a turn', () => {
  test('holds as many bytes free as the table says, and one more counts', async () => {
    const rooms = createRooms()
    expect(await rooms.open('a').take(FREE_BYTES, WAIT_MS)).toBe(true)
    expect(rooms.held()).toBe(0)
    const room = rooms.open('a')
    expect(await room.take(FREE_BYTES + 1, WAIT_MS)).toBe(true)
    expect(rooms.held()).toBe(1)
    room.leave()
    expect(rooms.held()).toBe(0)
  })

  test('that holds nothing waits for room as long as the table says at most', async () => {
    jest.useFakeTimers({ doNotFake: ['setImmediate'] })
    const rooms = createRooms(100, 0, 0)
    const first = rooms.open('a')
    await first.take(90, WAIT_MS)
    const [short, long] = [rooms.open('a').take(90, 10), rooms.open('a').take(90, WAIT_MS)]
    jest.advanceTimersByTime(10)
    expect([await settled(short), await settled(long)]).toEqual([false, undefined])
    jest.advanceTimersByTime(boundNamed('MAX_ROOM_WAIT_MS') - 11)
    expect(await settled(long)).toBeUndefined()
    jest.advanceTimersByTime(1)
    expect(await settled(long)).toBe(false)
    const next = rooms.open('a').take(90, WAIT_MS)
    first.end()
    expect(await next).toBe(true)
  })

  test('that holds something gets more at once or not at all, so that no two wait for each other', async () => {
    const rooms = createRooms(100, 0, 0)
    const [one, other] = [rooms.open('a'), rooms.open('b')]
    expect(await one.take(25, WAIT_MS)).toBe(true)
    expect(await other.take(25, WAIT_MS)).toBe(true)
    expect(await settled(one.take(25, WAIT_MS))).toBe(false)
    other.end()
    expect(await one.take(25, WAIT_MS)).toBe(true)
  })

  test('counts its state once, however often it calls out', async () => {
    const rooms = createRooms(100, 0, 0)
    const room = rooms.open('a')
    expect(room.begin(10)).toBe(true)
    for (let call = 0; call < 3; call++) expect(await room.take(1, WAIT_MS, 30)).toBe(true)
    expect(rooms.held()).toBe(33)
    room.leave()
    expect(rooms.held()).toBe(10)
    room.end()
    expect(rooms.held()).toBe(0)
  })

  test('counts a flow once for all turns that run it', () => {
    const rooms = createRooms(100, 0, 0)
    const flow = { of: {}, bytes: 60 }
    const turns = Array.from({ length: 5 }, () => rooms.open('a'))
    for (const turn of turns) expect(turn.begin(1, flow)).toBe(true)
    expect(rooms.held()).toBe(65)
    expect(rooms.open('a').begin(1, { of: {}, bytes: 60 })).toBe(false)
    for (const turn of turns) turn.end()
    expect(rooms.held()).toBe(0)
  })

  test('that has ended leaves nothing behind, though something of it waited still', async () => {
    const rooms = createRooms(100, 0, 0)
    const [first, second] = [rooms.open('a'), rooms.open('a')]
    await first.take(90, WAIT_MS)
    const waiting = second.take(90, WAIT_MS)
    second.end()
    first.end()
    expect(await waiting).toBe(false)
    expect(rooms.held()).toBe(0)
  })
})

test('one tenant holds a quarter of the bytes of the table beside others, and three quarters alone', async () => {
  const quarter = ALL_BYTES / 4
  const rooms = createRooms(undefined, 0, 0)
  const turns = Array.from({ length: 3 }, () => rooms.open('a'))
  for (const turn of turns) expect(await settled(turn.take(quarter, WAIT_MS))).toBe(true)
  const fourth = rooms.open('a').take(1, WAIT_MS)
  expect(await settled(fourth)).toBeUndefined()
  const other = rooms.open('b')
  expect(await settled(other.take(quarter, WAIT_MS))).toBe(true)
  turns[0]?.end()
  // Two quarters are more than the share beside another tenant.
  expect(await settled(fourth)).toBeUndefined()
  other.end()
  expect(await fourth).toBe(true)
})

test('tenants that wait take turns, and a large one is not passed by small ones', async () => {
  const rooms = createRooms(100, 0, 0)
  const holders = ['a', 'b', 'c', 'd'].map((tenant) => rooms.open(tenant))
  for (const holder of holders) await holder.take(25, WAIT_MS)
  const order: string[] = []
  const take = async (tenant: string, bytes: number) => {
    const room = rooms.open(tenant)
    await room.take(bytes, WAIT_MS)
    order.push(`${tenant}${bytes}`)
    return room
  }
  const waiting = [take('e', 60), take('f', 10), take('f', 11), take('g', 10)]
  for (const holder of holders) holder.end()
  const rooms4 = await Promise.all(waiting)
  expect(order).toEqual(['e60', 'f10', 'g10', 'f11'])
  for (const room of rooms4) room.end()
  expect(rooms.held()).toBe(0)
})

test('a tenant has as many bytes as the table says whatever others hold, and one more waits', async () => {
  const most = boundNamed('SURE_ROOM_BYTES')
  const rooms = createRooms(undefined, 0)
  for (const tenant of ['a', 'b', 'c', 'd']) await rooms.open(tenant).take(ALL_BYTES / 4, WAIT_MS)
  void rooms.open('a').take(1, 10)
  const room = rooms.open('e')
  expect(room.begin(1, { of: {}, bytes: most - 2 })).toBe(true)
  expect(await settled(room.take(1, WAIT_MS))).toBe(true)
  expect(await settled(room.take(1, WAIT_MS))).toBe(false)
  expect(await settled(rooms.open('f').take(most, WAIT_MS))).toBe(true)
  expect(await settled(rooms.open('g').take(most + 1, WAIT_MS))).toBeUndefined()
})
