/*
 * Bytes that turns of chats occupy in memory while they wait for other services: files, responses, values, flows.
 * Many turns wait concurrently, since a turn that waits has no slot.
 */

/** Maximum bytes of all waiting turns of a process beyond those that are free. */
const MAX_MEMORY_BYTES = 128 * 1024 * 1024
/** A turn holds so many bytes that do not count, so that usual ones never wait. */
const FREE_MEMORY_BYTES = 64 * 1024
/** Maximum wait for memory in milliseconds; the visitor waits as well. */
const MAX_MEMORY_WAIT_MS = 30_000

/** Each tenant has so many bytes whatever others hold, so that usual chats go on. */
const SURE_MEMORY_BYTES = 1024 * 1024

/** Memory of one turn. */
export interface TurnMemory {
  /** Counts the state that a turn begins with, and a flow that turns share; false where there is no memory. */
  begin(bytes: number, flow?: { of: object; bytes: number }): boolean
  /**
   * Counts more bytes, until `releaseBlock`. A turn that has none yet waits its turn, for so many milliseconds at most;
   * one that has some gets memory immediately or not at all, so that no two turns wait for each other. `state` is the
   * current size of the state in bytes.
   */
  take(bytes: number, milliseconds: number, stateBytes?: number): Promise<boolean>
  /** Releases the bytes that `take` counted, once a block is done. */
  releaseBlock(): void
  /** Ends all. */
  end(): void
}

interface Waiting {
  bytes: number
  call: () => void
}

/**
 * Memory of a process. One tenant has a quarter of it, and three quarters while no other tenant has or awaits any. A
 * larger request is admitted only while its tenant has none.
 */
export function createMemoryBudget(
  maxBytes = MAX_MEMORY_BYTES,
  freeBytes = FREE_MEMORY_BYTES,
  sureBytes = SURE_MEMORY_BYTES,
) {
  const held = new Map<string, number>()
  let all = 0
  /** By tenant; the next in turn comes first. */
  const queues = new Map<string, Set<Waiting>>()
  const flows = new WeakMap<object, { turns: number; bytes: number; tenant: string }>()

  const count = (tenant: string, bytes: number) => {
    all += bytes
    const sum = (held.get(tenant) ?? 0) + bytes
    if (sum > 0) held.set(tenant, sum)
    else held.delete(tenant)
  }
  const othersIn = (tenants: Map<string, unknown>, tenant: string) =>
    tenants.size > (tenants.has(tenant) ? 1 : 0)
  const isWithinShare = (tenant: string, bytes: number) => {
    const own = held.get(tenant) ?? 0
    const isAlone = !othersIn(held, tenant) && !othersIn(queues, tenant)
    return own === 0 || own + bytes <= (maxBytes * (isAlone ? 3 : 1)) / 4
  }
  const isSure = (tenant: string, bytes: number) => (held.get(tenant) ?? 0) + bytes <= sureBytes
  const fits = (tenant: string, bytes: number) =>
    all === 0 || all + bytes <= maxBytes || isSure(tenant, bytes)
  const callNext = () => {
    for (const [tenant, queue] of queues) {
      const [first] = queue
      if (!first || !isWithinShare(tenant, first.bytes)) continue
      // Small ones that came later do not pass by a large one for ever.
      if (!fits(tenant, first.bytes)) return
      queues.delete(tenant)
      queue.delete(first)
      // To the end, where this loop gets to it again.
      if (queue.size > 0) queues.set(tenant, queue)
      count(tenant, first.bytes)
      first.call()
    }
  }
  const give = (tenant: string, bytes: number) => {
    if (bytes === 0) return
    count(tenant, -bytes)
    callNext()
  }
  const takeNow = (tenant: string, bytes: number): boolean => {
    if (!isWithinShare(tenant, bytes) || !fits(tenant, bytes)) return false
    count(tenant, bytes)
    return true
  }
  function takeQueued(tenant: string, bytes: number, milliseconds: number): true | Promise<boolean> {
    if ((queues.size === 0 || isSure(tenant, bytes)) && takeNow(tenant, bytes)) return true
    const queue = queues.get(tenant) ?? new Set()
    queues.set(tenant, queue)
    return new Promise((resolve) => {
      const timer = setTimeout(() => {
        queue.delete(waiting)
        if (queue.size === 0 && queues.get(tenant) === queue) queues.delete(tenant)
        resolve(false)
        callNext()
      }, milliseconds)
      const call = () => {
        clearTimeout(timer)
        resolve(true)
      }
      const waiting = { bytes, call }
      queue.add(waiting)
      callNext()
    })
  }

  function open(tenant: string): TurnMemory {
    let free = freeBytes
    let isEnded = false
    const begun = { bytes: 0, counted: 0, flows: [] as object[] }
    let taken = { free: 0, counted: 0, grown: 0 }
    const releaseBlock = () => {
      free += taken.free
      give(tenant, taken.counted)
      taken = { free: 0, counted: 0, grown: 0 }
    }
    return {
      begin(bytes, flow) {
        const more = Math.max(0, bytes - free)
        const known = flow && flows.get(flow.of)
        const ofFlow = flow && !known ? flow.bytes : 0
        if (more + ofFlow > 0 && !takeNow(tenant, more + ofFlow)) return false
        free -= bytes - more
        begun.bytes += bytes
        begun.counted += more
        if (!flow) return true
        if (known) known.turns++
        else flows.set(flow.of, { turns: 1, bytes: ofFlow, tenant })
        begun.flows.push(flow.of)
        return true
      },
      async take(given, milliseconds, state = 0) {
        const grown = Math.max(0, state - begun.bytes - taken.grown)
        taken.grown += grown
        const bytes = given + grown
        const more = Math.max(0, bytes - free)
        const isFirst = begun.counted + taken.counted === 0
        const ofFree = bytes - more
        free -= ofFree
        taken.free += ofFree
        if (more === 0) return true
        const hasRoom = isFirst
          ? await takeQueued(tenant, more, Math.max(0, Math.min(milliseconds, MAX_MEMORY_WAIT_MS)))
          : takeNow(tenant, more)
        if (hasRoom && isEnded) give(tenant, more)
        else if (hasRoom) taken.counted += more
        return hasRoom && !isEnded
      },
      releaseBlock,
      end() {
        isEnded = true
        releaseBlock()
        give(tenant, begun.counted)
        begun.counted = 0
        for (const flow of begun.flows.splice(0)) {
          const known = flows.get(flow)
          if (!known || --known.turns > 0) continue
          flows.delete(flow)
          give(known.tenant, known.bytes)
        }
      },
    }
  }

  return {
    open,
    /** Bytes in use, without those that are free. */
    held: () => all,
  }
}

export type MemoryBudget = ReturnType<typeof createMemoryBudget>
