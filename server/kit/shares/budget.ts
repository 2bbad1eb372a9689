import { setTimeout as sleep } from 'node:timers/promises'

/** Bytes in memory for one request, until `end`. */
export interface Holding {
  /** Counts more bytes; false where the tenant or the process has no room for them. */
  add(bytes: number): boolean
  /** As `add`, and waits for room for so many milliseconds. */
  addWithin(bytes: number, timeout: number): Promise<boolean>
  /** Records progress: this many bytes were received or sent. */
  move(bytes: number): void
  end(): void
}

interface Entry {
  tenant: string
  bytes: number
  /** Moved since the last time that it was enough. */
  moved: number
  /** By `performance.now()`. */
  movedAt: number
  drop: () => void
}

/** A connection over which fewer bytes go in this time is dropped where there is no room for others. */
const STALLED_MS = 2_000
const STALLED_BYTES = 16 * 1024

/** Interval between checks for room, in milliseconds. */
const LOOK_MS = 50

/**
 * A number of bytes, of which one tenant may use a quarter. If no room is left, requests on stalled connections are
 * dropped, those of the largest tenant first.
 */
export function createBudget(maxBytes: number) {
  const share = maxBytes / 4
  const entries = new Set<Entry>()
  const held = new Map<string, number>()
  let all = 0

  const count = (entry: Entry, bytes: number) => {
    entry.bytes += bytes
    all += bytes
    const sum = (held.get(entry.tenant) ?? 0) + bytes
    if (sum > 0) held.set(entry.tenant, sum)
    else held.delete(entry.tenant)
  }
  const end = (entry: Entry) => {
    if (!entries.delete(entry)) return
    count(entry, -entry.bytes)
    // V8 retains former members of a Set until it collects the whole heap.
    entry.drop = () => {}
  }
  /**
   * Drops the connection that has stalled longest, of one tenant or of the one that holds most. False: there is none.
   */
  const dropStalled = (wanted: Entry, tenant?: string): boolean => {
    const before = performance.now() - STALLED_MS
    const stalled = [...entries].filter(
      (entry) =>
        entry !== wanted && entry.movedAt < before && (tenant === undefined || entry.tenant === tenant),
    )
    const sumOf = (entry: Entry) => held.get(entry.tenant) ?? 0
    const [first] = stalled.sort((one, other) => sumOf(other) - sumOf(one) || one.movedAt - other.movedAt)
    if (!first) return false
    const { drop } = first
    end(first)
    drop()
    return true
  }

  return {
    open(tenant: string, drop: () => void): Holding {
      const entry = { tenant, bytes: 0, moved: 0, movedAt: performance.now(), drop }
      entries.add(entry)
      const add = (bytes: number) => {
        if (!entries.has(entry)) return false
        // A value that is by itself larger than its share is admitted alone.
        const isOver = () => {
          const sum = held.get(tenant) ?? 0
          return sum > 0 && sum + bytes > share
        }
        while (isOver()) if (!dropStalled(entry, tenant)) return false
        while (all > 0 && all + bytes > maxBytes) if (!dropStalled(entry)) return false
        count(entry, bytes)
        return true
      }
      return {
        add,
        async addWithin(bytes, timeout) {
          const last = performance.now() + timeout
          while (!add(bytes)) {
            if (!entries.has(entry) || performance.now() > last) return false
            await sleep(LOOK_MS)
          }
          return true
        },
        move(bytes) {
          entry.moved += bytes
          if (entry.moved < STALLED_BYTES) return
          entry.moved = 0
          entry.movedAt = performance.now()
        },
        end: () => end(entry),
      }
    },
    /** Bytes in use. */
    held: () => all,
  }
}

export type Budget = ReturnType<typeof createBudget>
