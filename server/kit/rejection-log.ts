import type { Logger } from 'pino'

/** Tokens that one line names: those with the most rejections. */
const MAX_NAMED_TOKENS = 10

/**
 * Counts rejections and writes one line per interval: with a line for each, a flood of requests would flood the log.
 * Addresses are not named, as they are personal data.
 */
export function createRejectionLog(log: Logger, interval = 10_000) {
  let counts = new Map<string | undefined, number>()
  function write() {
    const withoutToken = counts.get(undefined) ?? 0
    const refused = [...counts.values()].reduce((sum, count) => sum + count, 0)
    counts.delete(undefined)
    const tokens = [...counts].sort(([, left], [, right]) => right - left).slice(0, MAX_NAMED_TOKENS)
    log.warn({ refused, withoutToken, tokens: Object.fromEntries(tokens) }, 'callers are over their limits')
    counts = new Map()
  }
  return {
    /** `tokenId` is absent where no valid token came with the request. */
    add(tokenId: string | undefined) {
      if (counts.size === 0) setTimeout(write, interval).unref()
      counts.set(tokenId, (counts.get(tokenId) ?? 0) + 1)
    },
  }
}
