/**
 * Measures the CPU time of one thread.
 *
 * On a busy machine, code that needs a millisecond may take a second of wall time. Code of a bot is charged for the
 * time that it takes from others, not for the time that others take from it. So its limits count CPU time.
 */
import { closeSync, openSync, readlinkSync, readSync } from 'node:fs'

export interface ThreadClock {
  /** Starts measuring. Returns a function that returns the milliseconds so far. */
  start(): () => number
  close(): void
}

/** The name by which other threads of this process find the calling one. `null` where the system gives none. */
export function nameOfThisThread(): string | null {
  try {
    return `/proc/${readlinkSync('/proc/thread-self')}`
  } catch {
    return null
  }
}

/**
 * Linux counts for each thread (the first number of `schedstat`, in nanoseconds), and reading it takes 2 microseconds.
 * Node 20 itself only knows the whole process. Where there is nothing better, the smaller one of the CPU time of the
 * process and the time on the wall counts: both may be too large, neither is ever too small.
 */
export function openThreadClock(thread: string | null): ThreadClock {
  const file = thread === null ? null : openSchedstat(`${thread}/schedstat`)
  if (file === null) return { start: startProcessWatch, close: () => {} }
  const buffer = Buffer.alloc(64)
  let last = 0
  const milliseconds = () => {
    try {
      const length = readSync(file, buffer, 0, buffer.length, 0)
      last = Number.parseInt(buffer.toString('latin1', 0, length), 10) / 1e6
    } catch {
      // The thread has ended, and works no more.
    }
    return last
  }
  return {
    start() {
      const startedAt = milliseconds()
      return () => milliseconds() - startedAt
    },
    close: () => closeSync(file),
  }
}

function openSchedstat(path: string): number | null {
  try {
    const file = openSync(path, 'r')
    const buffer = Buffer.alloc(64)
    const length = readSync(file, buffer, 0, buffer.length, 0)
    if (/^[1-9]\d* /.test(buffer.toString('latin1', 0, length))) return file
    closeSync(file)
  } catch {
    // Another system than Linux, or one that does not count.
  }
  return null
}

function startProcessWatch(): () => number {
  const cpuAtStart = process.cpuUsage()
  const startedAt = performance.now()
  return () => {
    const { user, system } = process.cpuUsage(cpuAtStart)
    return Math.min((user + system) / 1_000, performance.now() - startedAt)
  }
}
