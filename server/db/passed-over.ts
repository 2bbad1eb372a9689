/*
 * Rows that fail on their own. A batch that fails is cut until the row that fails is alone; that row is passed over for
 * a while, and the others go on in whole batches.
 */

/** A batch that fails is followed by one of so many times fewer rows. */
export const BATCH_DIVISOR = 8
/** Rows that are passed over for an hour at most. */
const MAX_ROWS = 100
const RETRY_MS = 60 * 60 * 1000

export function createPassedOver<Key>() {
  let rows: { key: Key; since: number }[] = []
  return {
    add(key: Key) {
      rows.push({ key, since: performance.now() })
    },
    keys(): Key[] {
      const oldest = performance.now() - RETRY_MS
      rows = rows.filter(({ since }) => since > oldest).slice(-MAX_ROWS)
      return rows.map(({ key }) => key)
    },
  }
}
