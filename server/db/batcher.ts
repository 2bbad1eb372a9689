/** Minimum number of items in a batch, if as many wait. */
const MIN_BATCH_ITEMS = 8
/** A queue of this length does not wait for the running batch. */
const MAX_WAITING_ITEMS = 32
/** Start the next batch after this many milliseconds, even if the running one waits for a lock or a distant server. */
const MAX_BATCH_WAIT_MS = 5

interface Queue<Given, Outcome> {
  waiting: { given: Given; resolve: (outcome: Promise<Outcome>) => void }[]
  runningCount: number
  /** True if a batch is scheduled. */
  isDue: boolean
}

/**
 * Batches work that arrives at about the same time and has the same key, at most `maxItems`, since a statement for
 * many takes little more than one for one. Work that arrives during a batch waits for its end. Then at most half of the
 * queue makes the next batch: the database is busy with one half while the service is with the other. `work` returns a
 * promise for each item.
 */
export function createBatcher<Given, Outcome>(
  maxItems: number,
  keyOf: (given: Given) => string,
  work: (all: readonly Given[]) => Promise<Outcome>[],
  /** `immediately`: start the first item without waiting for others, which takes less time than their arrival. */
  start: 'immediately' | 'afterPoll' = 'afterPoll',
): (given: Given) => Promise<Outcome> {
  const queues = new Map<string, Queue<Given, Outcome>>()

  const begin = (key: string, queue: Queue<Given, Outcome>) => {
    const { waiting } = queue
    const all = waiting.splice(
      0,
      Math.min(maxItems, Math.max(MIN_BATCH_ITEMS, Math.ceil(waiting.length / 2))),
    )
    const outcomes = work(all.map(({ given }) => given))
    for (const [at, { resolve }] of all.entries()) resolve(outcomes[at] as Promise<Outcome>)
    queue.runningCount++
    let isAwaited = true
    const startNext = () => {
      if (!isAwaited) return
      isAwaited = false
      clearTimeout(timer)
      queue.runningCount--
      if (waiting.length > 0) scheduleBatch(key, queue)
      else if (queue.runningCount === 0) queues.delete(key)
    }
    const timer = setTimeout(startNext, MAX_BATCH_WAIT_MS)
    void Promise.allSettled(outcomes).then(startNext)
  }
  // In a later phase of the event loop: all that has come by then is there.
  const scheduleBatch = (key: string, queue: Queue<Given, Outcome>) => {
    if (queue.isDue) return
    queue.isDue = true
    setImmediate(() => {
      queue.isDue = false
      const { waiting } = queue
      while (waiting.length > 0 && (queue.runningCount === 0 || waiting.length >= MAX_WAITING_ITEMS))
        begin(key, queue)
    })
  }
  return (given) =>
    new Promise((resolve) => {
      const key = keyOf(given)
      const queue = queues.get(key) ?? { waiting: [], runningCount: 0, isDue: false }
      queues.set(key, queue)
      queue.waiting.push({ given, resolve })
      if (start === 'immediately' && queue.runningCount === 0 && !queue.isDue) begin(key, queue)
      else scheduleBatch(key, queue)
    })
}
