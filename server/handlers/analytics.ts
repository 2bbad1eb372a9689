import type { AnalyticsHandlers } from '../../generated/handlers.ts'
import type { Contexts } from '../context.ts'
import { ofStatus, readRange } from '../results/filter.ts'
import { countResults } from '../results/stats-rollup.ts'

export const analytics: AnalyticsHandlers<Contexts> = {
  async getStats({ query }, reply, { db, grant, now }) {
    const read = readRange(query, now)
    if ('issue' in read) return reply.fail('BAD_REQUEST', [read.issue])
    return reply.ok({ stats: ofStatus(await countResults(db, grant, read.range, now), query.status ?? null) })
  },
}
