import { EventEmitter } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from '@jest/globals'
import type express from 'express'
import { createAdmissionQueue, type Slot } from '../../server/kit/shares/admission-queue.ts'
import { createBudget } from '../../server/kit/shares/budget.ts'
import { createFairScheduler } from '../../server/kit/shares/fair-scheduler.ts'

const response = () => new EventEmitter() as unknown as express.Response

describe('slots', () => {
  const line = { slots: 8, length: 100, timeout: 600_000 }
  /** Undefined while it waits. */
  const now = <Value>(value: Value | Promise<Value>) => Promise.race([value, sleep(1, undefined)])

  test('one tenant has at most a quarter, and others have the rest', async () => {
    const room = createAdmissionQueue(line)
    expect([await room.enter('a', response()), await room.enter('a', response())]).not.toContain(undefined)
    expect(await now(room.enter('a', response()))).toBeUndefined()
    for (const other of ['b', 'b', 'c', 'c', 'd', 'd'])
      expect(await now(room.enter(other, response()))).toBeDefined()
    expect(await now(room.enter('e', response()))).toBeUndefined()
    expect(room.taken()).toBe(8)
  })

  test('queues of tenants get free slots in turns, however long one is', async () => {
    const room = createAdmissionQueue({ slots: 1, length: 100, timeout: 600_000 })
    const first = (await room.enter('a', response())) as Slot
    const order: string[] = []
    const enter = async (name: string, tenant: string) => {
      const slot = await room.enter(tenant, response())
      order.push(name)
      slot?.release()
    }
    const all = ['a1', 'a2', 'a3', 'b1', 'b2', 'c1'].map((name) => enter(name, name[0] as string))
    first.release()
    await Promise.all(all)
    expect(order).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3'])
    expect(room.taken()).toBe(0)
  })

  test('a tenant has a quarter of the queue, and a caller that disconnects leaves it', async () => {
    const room = createAdmissionQueue({ slots: 1, length: 8, timeout: 600_000 })
    const held = (await room.enter('a', response())) as Slot
    const leaving = response()
    const left = room.enter('a', leaving)
    const staying = room.enter('a', response())
    expect(await room.enter('a', response())).toBeUndefined()
    expect(await now(room.enter('b', response()))).toBeUndefined()
    leaving.emit('close')
    expect(await left).toBeUndefined()
    held.release()
    expect(await staying).toBeDefined()
  })

  test('a released request gives its slot to others, and comes back even if none is free', async () => {
    const room = createAdmissionQueue({ slots: 1, length: 0, timeout: 1 })
    const slot = (await room.enter('a', response())) as Slot
    let wake = () => {}
    const resting = slot.releaseDuring(() => new Promise<void>((resolve) => (wake = resolve)))
    const other = await room.enter('b', response())
    expect(other).toBeDefined()
    wake()
    await resting
    expect(room.taken()).toBe(2)
    expect(await room.enter('c', response())).toBeUndefined()
    slot.release()
    other?.release()
    expect(room.taken()).toBe(0)
  })

  test('nested releases, and a failure within one, leave the count right', async () => {
    const room = createAdmissionQueue({ slots: 4, length: 0, timeout: 1 })
    const slot = (await room.enter('a', response())) as Slot
    const failing = slot.releaseDuring(() => slot.releaseDuring(() => Promise.reject(new Error('away'))))
    await expect(failing).rejects.toThrow('away')
    expect(room.taken()).toBe(1)
    slot.release()
    slot.release()
    expect(room.taken()).toBe(0)
  })

  test('releases are bounded: later requests keep the slot while they wait', async () => {
    const room = createAdmissionQueue({ slots: 4, length: 0, timeout: 1 })
    const wake: (() => void)[] = []
    for (let count = 0; count < 5; count++) {
      const slot = (await room.enter('a', response())) as Slot
      void slot.releaseDuring(() => new Promise<void>((resolve) => wake.push(resolve))).then(slot.release)
    }
    const sixth = (await room.enter('a', response())) as Slot
    void sixth.releaseDuring(() => new Promise<void>((resolve) => wake.push(resolve))).then(sixth.release)
    expect(room.taken()).toBe(1)
    for (const each of wake) each()
    await sleep(1)
    expect(room.taken()).toBe(0)
  })

  test('a slot that moves to a tenant with its share is released and waited for', async () => {
    const room = createAdmissionQueue({ slots: 4, length: 10, timeout: 600_000 })
    const first = (await room.enter('one', response())) as Slot
    const second = (await room.enter('two', response())) as Slot
    expect(first.moveTo('bot')).toBe(true)
    const moving = second.moveTo('bot')
    expect(await now(moving)).toBeUndefined()
    expect(room.taken()).toBe(1)
    first.release()
    expect(await moving).toBe(true)
    second.release()
    expect(room.taken()).toBe(0)
  })
})

describe('bytes', () => {
  test('one tenant has a quarter, and the rest is for others', () => {
    const budget = createBudget(100)
    const first = budget.open('a', () => {})
    expect([first.add(20), first.add(6)]).toEqual([true, false])
    expect(budget.open('b', () => {}).add(25)).toBe(true)
    first.end()
    expect(budget.open('a', () => {}).add(25)).toBe(true)
    expect(budget.held()).toBe(50)
  })

  test('a request larger than a share is admitted alone, while no other has bytes', () => {
    const budget = createBudget(100)
    expect(budget.open('a', () => {}).add(60)).toBe(true)
    expect(budget.open('a', () => {}).add(1)).toBe(false)
  })

  test('without free bytes, an idle connection is closed and an active one is not', async () => {
    const budget = createBudget(400_000)
    const dropped: string[] = []
    const stalled = budget.open('a', () => dropped.push('stalled'))
    const moving = budget.open('a', () => dropped.push('moving'))
    expect([stalled.add(50_000), moving.add(50_000)]).toEqual([true, true])
    await sleep(2_100)
    moving.move(20_000)
    stalled.move(100)
    const next = budget.open('a', () => dropped.push('next'))
    expect(next.add(50_000)).toBe(true)
    expect(dropped).toEqual(['stalled'])
    expect(next.add(1)).toBe(false)
    stalled.end()
    expect(budget.held()).toBe(100_000)
  })

  test('a request that waits for bytes gets them when another ends', async () => {
    const budget = createBudget(400)
    const first = budget.open('a', () => {})
    first.add(100)
    const second = budget.open('a', () => {})
    expect(await second.addWithin(1, 1)).toBe(false)
    const waiting = second.addWithin(100, 600_000)
    first.end()
    expect(await waiting).toBe(true)
  })
})

test('turns of the thread go round tenants, one in each round of the event loop', async () => {
  const takeTurn = createFairScheduler()
  const order: string[] = []
  let rounds = 0
  const count = () => {
    rounds++
    if (order.length < 6) setImmediate(count)
  }
  setImmediate(count)
  const piece = (name: string) => takeTurn(name[0] as string).then(() => void order.push(name))
  await Promise.all(['a1', 'a2', 'a3', 'b1', 'b2', 'c1'].map(piece))
  expect(order).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3'])
  expect(rounds).toBeGreaterThanOrEqual(5)
})
