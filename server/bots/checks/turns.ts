import type { Pace } from '../../context.ts'

/*
 * Checks of large documents take seconds, and there is one thread. They run in short slices with other work between
 * them. Each workspace runs one check at a time, so that few documents are in memory.
 */

/** Milliseconds for which a check occupies the thread. One part of it may take somewhat longer. */
const SLICE_MS = 10

/** Milliseconds of work that one check may take, and those after which it gives up its place in the queue. */
const MAX_WORK_MS = 2_000
const MAX_WAIT_MS = 10_000

/** The last check of each workspace that has some. */
const lastOnes = new Map<string, Promise<unknown>>()

/**
 * Takes the steps slice by slice, at the pace of the caller. False if the time was over before all of them were taken.
 */
export async function workInTurns(
  workspaceId: string,
  steps: Iterator<unknown>,
  pace: Pace,
): Promise<boolean> {
  const arrivedAt = performance.now()
  const before = lastOnes.get(workspaceId)
  const work = Promise.resolve(before).then(() => takeSlices(steps, pace, arrivedAt))
  // The next one goes on, whatever comes of this one.
  const isOver = work.then(
    () => {},
    () => {},
  )
  lastOnes.set(workspaceId, isOver)
  try {
    return await work
  } finally {
    if (lastOnes.get(workspaceId) === isOver) lastOnes.delete(workspaceId)
  }
}

async function takeSlices(steps: Iterator<unknown>, pace: Pace, arrivedAt: number) {
  let workedMs = 0
  const takeMeasured = () => {
    const begun = performance.now()
    const isOver = takeSlice(steps)
    workedMs += performance.now() - begun
    return isOver
  }
  while (workedMs < MAX_WORK_MS && performance.now() - arrivedAt < MAX_WAIT_MS) {
    if (await pace(takeMeasured)) return true
  }
  return false
}

/** Takes steps for as long as one slice may last; true once all of them are taken. */
export function takeSlice(steps: Iterator<unknown>): boolean {
  const begun = performance.now()
  while (performance.now() - begun < SLICE_MS) if (steps.next().done) return true
  return false
}
