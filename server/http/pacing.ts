import { setImmediate } from 'node:timers/promises'

/*
 * Shares of the thread. A large body takes it for tenths of a second in one piece. While others are here, those of one
 * tenant are taken one after the other, with a pause behind each that is three times as long as the piece: a quarter of the
 * time is left to this tenant, as of all else.
 */

/** Who asked so many milliseconds ago is still here: people send one request after the other. */
const HERE_MS = 1_000
const PAUSE_TIMES = 3

export interface Pacing {
  /** Notes that a tenant asks for something. */
  see(tenant: string): void
  /** Does a piece of work of a tenant in its turn. */
  take<Value>(tenant: string, work: () => Value): Promise<Value>
}

/** For one process; `now` is its clock, in milliseconds. */
export function createPacing(now: () => number = () => performance.now()): Pacing {
  let last = { tenant: '', at: Number.NEGATIVE_INFINITY }
  /** The last one that was another than `last`. */
  let other = last
  /** The end of the last piece of each tenant that has one under way, with its pause. */
  const ends = new Map<string, Promise<void>>()

  const isAlone = (tenant: string) => {
    const { at } = last.tenant === tenant ? other : last
    return at < now() - HERE_MS
  }

  return {
    see(tenant) {
      if (tenant !== last.tenant) other = last
      last = { tenant, at: now() }
    },
    async take(tenant, work) {
      const before = ends.get(tenant)
      let end = () => {}
      const ended = new Promise<void>((resolve) => (end = resolve))
      ends.set(tenant, ended)
      await before
      await setImmediate()
      const begun = now()
      try {
        return work()
      } finally {
        const pause = isAlone(tenant) ? 0 : (now() - begun) * PAUSE_TIMES
        setTimeout(() => {
          if (ends.get(tenant) === ended) ends.delete(tenant)
          end()
        }, pause)
      }
    },
  }
}
