/*
 * Time that does not grow when other programs want the processor too: what this process had of it. The
 * factor between the two is what a test must not depend on.
 */

/** CPU time of this process so far, in milliseconds. */
export function cpuTime(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1_000
}

/** Returns the result of the work and the CPU time that it took, in milliseconds. */
export async function measureCpu<Result>(
  work: () => Result | Promise<Result>,
): Promise<{ result: Result; milliseconds: number }> {
  const before = cpuTime()
  const result = await work()
  return { result, milliseconds: cpuTime() - before }
}

/**
 * Returns the ratio of the CPU time of the large work to that of the small one. Each is done three times; the slowest
 * small run and the fastest large run count, because garbage collection starts at moments of its own.
 */
export async function cpuGrowth(small: () => unknown, large: () => unknown): Promise<number> {
  const timesOf = async (work: () => unknown) => {
    const times: number[] = []
    for (let run = 0; run < 3; run += 1) times.push((await measureCpu(work)).milliseconds)
    return times
  }
  // The first run includes compilation.
  await small()
  const slowest = Math.max(...(await timesOf(small)))
  return Math.min(...(await timesOf(large))) / slowest
}
