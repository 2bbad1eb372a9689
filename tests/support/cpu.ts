/*
 * Time that does not grow when other programs want the processor too: what this process had of it. The
 * factor between the two is what a test must not depend on.
 */

/** CPU time of this process so far, in milliseconds. */
export function cpuTime(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1_000
}

/** What the work gives, and the CPU time in milliseconds that went by meanwhile. */
export async function measureCpu<Result>(
  work: () => Result | Promise<Result>,
): Promise<{ result: Result; milliseconds: number }> {
  const before = cpuTime()
  const result = await work()
  return { result, milliseconds: cpuTime() - before }
}

/**
 * How many times as much CPU time the large work takes as the small one. Each is done three times, and what counts is
 * the slowest of the small ones and the fastest of the large ones: memory is tidied up at moments of its own.
 */
export async function cpuGrowth(small: () => unknown, large: () => unknown): Promise<number> {
  const timesOf = async (work: () => unknown) => {
    const times: number[] = []
    for (let run = 0; run < 3; run += 1) times.push((await measureCpu(work)).milliseconds)
    return times
  }
  // What runs first is compiled on the way.
  await small()
  const slowest = Math.max(...(await timesOf(small)))
  return Math.min(...(await timesOf(large))) / slowest
}
