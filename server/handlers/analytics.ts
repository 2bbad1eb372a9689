import { and, eq, inArray, sql } from 'drizzle-orm'
import type { AnalyticsHandlers } from '../../generated/handlers.ts'
import type { BotGrant } from '../access.ts'
import type { Contexts } from '../context.ts'
import { type Database, statements } from '../db/client.ts'
import { results } from '../db/schema.ts'
import { type TimeRange, timeRange } from '../time-range.ts'
import { inRange, rangeOf } from './results.ts'

export const analytics: AnalyticsHandlers<Contexts> = {
  async getStats({ query }, reply, { db, grant, now }) {
    const range = timeRange(query.timeFilter, query.timeZone, now)
    return reply.ok({ stats: await countResults(db, grant, range) })
  },
}

const analyticsStatements = statements((db, named) => ({
  // One statement, hence one snapshot: completed <= starts <= views at every moment. A completion counts
  // only with a start, whatever the rows say.
  count: db
    .select({
      totalViews: sql`count(*)`.mapWith(Number),
      totalStarts: sql`count(*) FILTER (WHERE ${results.hasStarted})`.mapWith(Number),
      totalCompleted: sql`count(*) FILTER (WHERE ${results.hasStarted} AND ${results.isCompleted})`.mapWith(
        Number,
      ),
    })
    .from(results)
    .where(
      and(
        eq(results.botId, sql.placeholder('botId')),
        // Named so that the index, in which it comes before the time, is walked in two ranges.
        inArray(results.hasStarted, [true, false]),
        sql`NOT ${results.isArchived}`,
        inRange,
      ),
    )
    .prepare(named('count_results')),
}))

async function countResults(db: Database, grant: BotGrant, range: TimeRange) {
  const [row] = await analyticsStatements(db).count.execute({ botId: grant.bot.id, ...rangeOf(grant, range) })
  return row ?? { totalViews: 0, totalStarts: 0, totalCompleted: 0 }
}
