import { setTimeout as delay } from 'node:timers/promises'

/* Schedule of the sender of events: immediately for a new event, and less often while the process is busy. */

/**
 * Returns a function with the share of time that this process was busy since the last call, or waited for a processor.
 */
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
 * Runs `work` whenever it is woken, and after `interval` milliseconds without that; one run at a time, with a `pause`
 * in between. A wake-up during a run starts another one.
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
