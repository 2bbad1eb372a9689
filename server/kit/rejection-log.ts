import type { Logger } from 'pino'

/** Tokens that one line names: those with the most refusals. */
const MAX_NAMED_TOKENS = 10

/**
 * Counts refusals and writes one line for all of so many milliseconds, since a line for each would help who floods
 * the service to flood its log. Addresses are not named: they are people's.
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
