import { and, eq, isNull, lt, or, type SQL, sql } from 'drizzle-orm'
import { requestPurge } from '../background/purge.ts'
import { type Database, transact } from '../db/client.ts'
import { bots, results, workspaces } from '../db/schema.ts'
import { expression, selectRows } from '../db/selection.ts'

/*
 * Results that are kept no longer: the floor of their bot rises over them, which hides them all at once, and the purge
 * removes them. It rises by whole days (UTC), hence once a day, and by the clock of the database, which all processes
 * share.
 */

/** Bots whose results one statement looks for. */
const PAGE = 1_000

/** Deletes what is older than the workspace, or the installation (`days`), keeps results; false since that is all. */
export async function expireResults(db: Database, days: number | undefined, now: Date): Promise<boolean> {
  // Null where nobody says how long; the smaller of two.
  const kept = sql`least(${workspaces.resultsRetentionDays}, ${days ?? null}::integer)`
  const today = sql`date_trunc('day', now() AT TIME ZONE 'UTC')`
  const floor = sql`((${today} - make_interval(days => ${kept})) AT TIME ZONE 'UTC')`
  const lowBots = (after: string) => sql`
    FROM ${bots} JOIN ${workspaces} ON ${workspaces.id} = ${bots.workspaceId}
    WHERE ${bots.deletedAt} IS NULL AND ${kept} IS NOT NULL AND ${bots.id} > ${after}
      AND coalesce(${bots.resultsFloorAt}, '-infinity') < ${floor}`
  // Both values of has_started are named, so that the index is walked.
  const hasOlder = sql`EXISTS (
    SELECT FROM ${results} r WHERE r.bot_id = ${bots.id} AND r.has_started IN (true, false) AND NOT r.is_archived
      AND r.created_at <= ${floor})`

  let failure: unknown
  for (let after = ''; ; ) {
    const page = await selectRows(
      db,
      { id: bots.id },
      (list) => sql`SELECT ${list} ${lowBots(after)} ORDER BY ${bots.id} LIMIT ${PAGE}`,
    )
    const last = page.at(-1)?.id
    if (last === undefined) {
      if (failure) throw failure
      return false
    }
    const expired = await selectRows(
      db,
      { id: bots.id, floor: expression(floor, 'text') },
      (list) => sql`SELECT ${list} ${lowBots(after)} AND ${bots.id} <= ${last} AND ${hasOlder}`,
    )
    for (const bot of expired) {
      // One that fails keeps no other from its turn.
      await raiseFloor(db, bot.id, bot.floor, now).catch((error) => {
        failure = error
      })
    }
    after = last
  }
}

async function raiseFloor(db: Database, botId: string, floor: string, now: Date) {
  await transact(db, async (tx) => {
    const rising = sql`${floor}::timestamptz`
    const isLower = or(isNull(bots.resultsFloorAt), lt(bots.resultsFloorAt, rising as SQL<Date>))
    const { rowCount } = await tx
      .update(bots)
      .set({ resultsFloorAt: rising })
      .where(and(eq(bots.id, botId), isNull(bots.deletedAt), isLower))
    if (rowCount) await requestPurge(tx, botId, now)
  })
}
