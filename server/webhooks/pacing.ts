import { setTimeout as delay } from 'node:timers/promises'

/* How often the sender of events works: as soon as there is something, and less often where the process is busy. */

/** For how much of the time since it was last asked this process had something to do, if only to wait for a processor. */
export function loadSince(): () => number {
  let last = performance.eventLoopUtilization()
  return () => {
    const now = performance.eventLoopUtilization()
    const { utilization } = performance.eventLoopUtilization(now, last)
    last = now
    return utilization
  }
}

/**
 * Does something whenever it is woken, and after `interval` milliseconds without that; one time after the other, and
 * with a `pause` in between. What is said while it is done is not missed.
 */
export function repeat(
  work: () => Promise<void>,
  interval: number,
  pause: () => number,
  onError: (error: unknown) => void,
) {
  const stopping = new AbortController()
  const { signal } = stopping
  let isWanted = false
  let wake = () => {}
  const running = (async () => {
    while (!signal.aborted) {
      isWanted = false
      const isDone = await work().then(
        () => true,
        (error) => onError(error),
      )
      await delay(isDone ? pause() : interval, undefined, { ref: false, signal }).catch(() => {})
      if (isWanted || signal.aborted) continue
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, interval).unref()
        wake = () => {
          wake = () => {}
          clearTimeout(timer)
          resolve()
        }
      })
    }
  })()
  return {
    wake() {
      isWanted = true
      wake()
    },
    stop(): Promise<void> {
      stopping.abort()
      wake()
      return running
    },
  }
}
