import type { AnalyticsHandlers } from '../../generated/handlers.ts'
import type { Contexts } from '../context.ts'
import { countResults } from '../results/stats-rollup.ts'
import { timeRange } from '../results/time-range.ts'

export const analytics: AnalyticsHandlers<Contexts> = {
  async getStats({ query }, reply, { db, grant, now }) {
    const range = timeRange(query.timeFilter, query.timeZone, now)
    return reply.ok({ stats: await countResults(db, grant, range, now) })
  },
}
