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
