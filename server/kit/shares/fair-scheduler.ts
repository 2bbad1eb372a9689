/**
 * Schedules long work of the thread, such as checks, and large bodies and responses: one piece for each round of the
 * event loop, tenants in turns, so that other requests wait for no more than one piece.
 */
export function createFairScheduler(): (tenant: string) => Promise<void> {
  const queues = new Map<string, (() => void)[]>()
  const wakeNext = () => {
    const [first] = queues
    if (!first) return
    const [tenant, queue] = first
    const wake = queue.shift()
    queues.delete(tenant)
    if (queue.length > 0) queues.set(tenant, queue)
    if (queues.size > 0) setImmediate(wakeNext)
    wake?.()
  }
  return (tenant) =>
    new Promise((resolve) => {
      if (queues.size === 0) setImmediate(wakeNext)
      const queue = queues.get(tenant)
      if (queue) queue.push(resolve)
      else queues.set(tenant, [resolve])
    })
}

/** The thread is one for the whole process. */
export const yieldToOthers = createFairScheduler()
