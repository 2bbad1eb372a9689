import { type SQL, sql } from 'drizzle-orm'
import { bots, results } from './schema.ts'
import { isBotVisible } from './undeleted-bots.ts'

/** True of a result that is not deleted, where it is joined with its bot. */
export const isResultUndeleted = sql`NOT ${results.isArchived} AND ${results.createdAt} > coalesce(${bots.resultsFloorAt}, '-infinity')`

/**
 * True if callers can see a result: it has a row above the floor of its bot, and neither the bot nor its workspace is
 * deleted. Every read, write or publication of a result uses this one condition. Not EXISTS: the planner would join all
 * results of the bot for a page of a few.
 */
export const isResultVisible = (botId: SQL, resultId: SQL): SQL => sql`(
  SELECT true FROM ${results} alive JOIN ${bots} owner ON owner.id = alive.bot_id
  WHERE alive.bot_id = ${botId} AND alive.id = ${resultId} AND owner.id = ${botId} AND ${isBotVisible(sql`owner`)}
    AND NOT alive.is_archived AND alive.created_at > coalesce(owner.results_floor_at, '-infinity')) IS TRUE`
