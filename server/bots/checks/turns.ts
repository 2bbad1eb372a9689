import { setImmediate as nextIteration } from 'node:timers/promises'

/*
 * Checks of large documents take seconds, and there is one thread. They work in short slices, between which everything
 * else goes on, and workspaces take turns. Of one workspace one check is under way, so that few documents are in memory.
 */

/** Milliseconds for which a check keeps the thread. A step of it may take somewhat longer. */
const SLICE_MS = 10

/** Milliseconds of work that one check may take, and those after which it gives up its place in the queue. */
const MAX_WORK_MS = 2_000
const MAX_WAIT_MS = 10_000

interface Work {
  steps: Iterator<unknown>
  workedMs: number
  arrivedAt: number
  end: (isWhole: boolean) => void
  fail: (error: unknown) => void
}

/** The works of each workspace, of which the first one is under way. */
const queues = new Map<string, Work[]>()

/** Takes the steps in turns with those of other workspaces. False where time was over before all of them were taken. */
export function workInTurns(workspaceId: string, steps: Iterator<unknown>): Promise<boolean> {
  return new Promise((end, fail) => {
    const work = { steps, workedMs: 0, arrivedAt: performance.now(), end, fail }
    const queue = queues.get(workspaceId)
    if (queue) queue.push(work)
    else queues.set(workspaceId, [work])
    if (!queue && queues.size === 1) void takeTurns()
  })
}

async function takeTurns(): Promise<void> {
  while (queues.size > 0) {
    for (const [workspaceId, queue] of queues) {
      await nextIteration()
      const [work] = queue
      if (work && !takeSlice(work)) continue
      queue.shift()
      if (queue.length === 0) queues.delete(workspaceId)
    }
  }
}

/** Whether the work has ended, one way or another. */
function takeSlice(work: Work): boolean {
  const begun = performance.now()
  if (begun - work.arrivedAt > MAX_WAIT_MS) {
    work.end(false)
    return true
  }
  try {
    for (let now = begun; now - begun < SLICE_MS; now = performance.now()) {
      if (!work.steps.next().done) continue
      work.end(true)
      return true
    }
  } catch (error) {
    work.fail(error)
    return true
  }
  work.workedMs += performance.now() - begun
  if (work.workedMs < MAX_WORK_MS) return false
  work.end(false)
  return true
}
