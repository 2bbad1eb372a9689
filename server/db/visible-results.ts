import { type SQL, sql } from 'drizzle-orm'
import { bots, results } from './schema.ts'
import { isBotVisible } from './visible-bots.ts'

/** True of a result that is not deleted, where it is joined with its bot. */
export const isResultUndeleted = sql`NOT ${results.isArchived} AND ${results.createdAt} > coalesce(${bots.resultsFloorAt}, '-infinity')`

/**
 * True if callers can see a result: it has a row above the floor of its bot, and neither the bot nor its workspace is
 * deleted. Every read, write or publication of a result uses this one condition. Not EXISTS: the planner would join all
 * results of the bot for a page of a few.
 */
export const isResultVisible = (botId: SQL, resultId: SQL): SQL => sql`(
  SELECT true FROM ${results} r JOIN ${bots} b ON b.id = r.bot_id
  WHERE r.bot_id = ${botId} AND r.id = ${resultId} AND b.id = ${botId} AND ${isBotVisible(sql`b`)}
    AND NOT r.is_archived AND r.created_at > coalesce(b.results_floor_at, '-infinity')) IS TRUE`
