import type express from 'express'

/** The right of one request to be worked on. A request without it may only wait for other services. */
export interface Slot {
  /**
   * Counts the slot for another tenant, once it is known. If that one has used up its share, the request is queued
   * again: false after a timeout.
   */
  moveTo(tenant: string): true | Promise<boolean>
  /** Releases the slot while `work` waits for something else. Coming back needs no free slot. */
  releaseDuring<Value>(work: () => Promise<Value>): Promise<Value>
  /** As `releaseDuring`, for work that has had no effect yet, so that coming back waits for a free slot. */
  yieldDuring<Value>(work: () => Promise<Value>): Promise<{ value: Value } | undefined>
  release(): void
}

interface QueueSettings {
  slots: number
  /** Maximum requests that wait for a slot, and for how many milliseconds each. */
  length: number
  timeout: number
  /** Maximum slots of one tenant; by default a quarter of all. */
  share?: number
}

/** Maximum requests that have released their slot, per slot. Further requests keep theirs while they wait. */
const MAX_RELEASED_PER_SLOT = 5

const quarterOf = (count: number) => Math.ceil(count / 4)

/**
 * Slots for a number of requests, of which one tenant has a share. Further requests wait in the queue of their tenant;
 * the queues take turns to get a slot.
 */
export function createAdmissionQueue({ slots, length, timeout, share = quarterOf(slots) }: QueueSettings) {
  let taken = 0
  const held = new Map<string, number>()
  let waiting = 0
  /** By tenant; the next in turn comes first. */
  const queues = new Map<string, Set<() => void>>()
  const released = new Map<string, number>()
  let allReleased = 0

  const countOf = (counts: Map<string, number>, tenant: string) => counts.get(tenant) ?? 0
  const add = (counts: Map<string, number>, tenant: string, change: 1 | -1) => {
    const count = countOf(counts, tenant) + change
    if (count > 0) counts.set(tenant, count)
    else counts.delete(tenant)
  }
  const take = (tenant: string) => {
    taken++
    add(held, tenant, 1)
  }
  const give = (tenant: string) => {
    taken--
    add(held, tenant, -1)
    callNext()
  }
  /** Admits waiting requests, one of each tenant at a time. */
  const callNext = () => {
    for (const [tenant, queue] of queues) {
      if (taken >= slots) return
      if (countOf(held, tenant) >= share) continue
      const [call] = queue
      queues.delete(tenant)
      // To the end, where this loop gets to it again.
      if (queue.size > 1) queues.set(tenant, queue)
      take(tenant)
      call?.()
    }
  }

  /**
   * True if there was a slot, immediately or after a wait; false for a caller that closes the connection meanwhile.
   */
  function find(tenant: string, response: express.Response): true | Promise<boolean> {
    if (taken < slots && countOf(held, tenant) < share) {
      take(tenant)
      return true
    }
    const queue = queues.get(tenant) ?? new Set()
    if (response.destroyed || waiting >= length || queue.size >= quarterOf(length))
      return Promise.resolve(false)
    queues.set(tenant, queue)
    waiting++
    return new Promise((resolve) => {
      const settle = (isIn: boolean) => {
        clearTimeout(timer)
        waiting--
        queue.delete(call)
        if (queue.size === 0 && queues.get(tenant) === queue) queues.delete(tenant)
        response.off('close', giveUp)
        resolve(isIn)
      }
      const call = () => settle(true)
      const giveUp = () => settle(false)
      const timer = setTimeout(giveUp, timeout)
      response.once('close', giveUp)
      queue.add(call)
    })
  }

  function slotOf(first: string, response: express.Response): Slot {
    let tenant = first
    let isHeld = true
    let isLeft = false
    const giveBack = () => {
      if (isHeld) give(tenant)
      isHeld = false
    }
    return {
      moveTo(next) {
        if (next === tenant || !isHeld) {
          tenant = next
          return true
        }
        if (countOf(held, next) < share) {
          add(held, tenant, -1)
          tenant = next
          add(held, tenant, 1)
          callNext()
          return true
        }
        giveBack()
        tenant = next
        const found = find(tenant, response)
        if (found === true) {
          isHeld = true
          return true
        }
        return found.then((isIn) => {
          isHeld = isIn
          return isIn
        })
      },
      async releaseDuring(work) {
        const isBound =
          allReleased >= MAX_RELEASED_PER_SLOT * slots ||
          countOf(released, tenant) >= quarterOf(MAX_RELEASED_PER_SLOT * slots)
        if (!isHeld || isBound) return work()
        giveBack()
        const releasedFor = tenant
        allReleased++
        add(released, releasedFor, 1)
        try {
          return await work()
        } finally {
          allReleased--
          add(released, releasedFor, -1)
          if (!isLeft) {
            take(tenant)
            isHeld = true
          }
        }
      },
      async yieldDuring(work) {
        giveBack()
        const value = await work()
        isHeld = await find(tenant, response)
        return isHeld ? { value } : undefined
      },
      release() {
        isLeft = true
        giveBack()
      },
    }
  }

  return {
    enter(tenant: string, response: express.Response): Slot | Promise<Slot | undefined> {
      const found = find(tenant, response)
      if (found === true) return slotOf(tenant, response)
      return found.then((isIn) => (isIn ? slotOf(tenant, response) : undefined))
    },
    /** Requests that have a slot. */
    taken: () => taken,
  }
}
