import type { AnalyticsHandlers } from '../../generated/handlers.ts'
import type { components } from '../../generated/openapi.ts'
import type { Contexts } from '../context.ts'
import { readRange, type Status } from '../results/filter.ts'
import { countResults } from '../results/stats-rollup.ts'

export const analytics: AnalyticsHandlers<Contexts> = {
  async getStats({ query }, reply, { db, grant, now }) {
    const read = readRange(query, now)
    if ('issue' in read) return reply.fail('BAD_REQUEST', [read.issue])
    return reply.ok({ stats: withStatus(await countResults(db, grant, read.range, now), query.status) })
  },
}

type Stats = components['schemas']['Stats']

/** Chats of one status are all of them started, and all or none of them completed. */
function withStatus(stats: Stats, status: Status | undefined): Stats {
  const { totalStarts, totalCompleted } = stats
  switch (status) {
    case undefined:
      return stats
    case 'started':
      return {
        totalViews: totalStarts - totalCompleted,
        totalStarts: totalStarts - totalCompleted,
        totalCompleted: 0,
      }
    case 'completed':
      return { totalViews: totalCompleted, totalStarts: totalCompleted, totalCompleted }
  }
}
