import { and, eq, isNull, lt, or, type SQL, sql } from 'drizzle-orm'
import { newEntry, writeEntry } from '../audit/log.ts'
import { type Database, transact } from '../db/client.ts'
import { runInHalves } from '../db/halves.ts'
import { requestPurge } from '../db/purge-requests.ts'
import { bots, results, workspaces } from '../db/schema.ts'
import { expression, selectRows } from '../db/typed-select.ts'
import { countUnder, deletedResults, dropMessagesUnderFloor } from '../results/delete.ts'
import { insertEvent } from '../webhooks/outbox.ts'

/*
 * Removes results whose retention has ended: the floor of their bot rises over them, which hides them together, and
 * the purge removes them. The floor rises by whole days (UTC), hence once a day, and by the clock of the database,
 * which all processes share.
 */

/** Maximum bots whose results one statement looks for. */
const MAX_BATCH_BOTS = 1_000

/**
 * Deletes results older than the retention of the workspace, or of the installation (`days`). One call deletes all,
 * hence false.
 */
export async function expireResults(db: Database, days: number | undefined, now: Date): Promise<boolean> {
  // Null without a retention; otherwise the smaller of two.
  const retentionDays = sql`least(${workspaces.resultsRetentionDays}, ${days ?? null}::integer)`
  const today = sql`date_trunc('day', now() AT TIME ZONE 'UTC')`
  const before = sql`((${today} - make_interval(days => ${retentionDays})) AT TIME ZONE 'UTC')`
  // Times of results are whole milliseconds.
  const floor = sql`(${before} - interval '1 millisecond')`
  const expiringBots = sql`
    FROM ${bots} JOIN ${workspaces} ON ${workspaces.id} = ${bots.workspaceId}
    WHERE ${bots.deletedAt} IS NULL AND ${workspaces.deletedAt} IS NULL AND ${retentionDays} IS NOT NULL`
  const isLow = sql`coalesce(${bots.resultsFloorAt}, '-infinity') < ${floor}`
  // Both values of has_started are named, so that the index is walked.
  const hasOlder = sql`EXISTS (
    SELECT FROM ${results} r WHERE r.bot_id = ${bots.id} AND r.has_started IN (true, false) AND NOT r.is_archived
      AND r.created_at <= ${floor})`

  let failure: unknown
  for (let after = ''; ; ) {
    const page = await selectRows(
      db,
      { id: bots.id },
      (list) => sql`
        SELECT ${list} ${expiringBots} AND ${bots.id} > ${after} ORDER BY ${bots.id} LIMIT ${MAX_BATCH_BOTS}`,
    )
    const last = page.at(-1)?.id
    if (last === undefined) {
      if (failure !== undefined) throw failure
      return false
    }
    const find = (ids: readonly string[]) =>
      selectRows(
        db,
        {
          id: bots.id,
          workspaceId: bots.workspaceId,
          before: expression(before, 'timestamptz'),
          floor: expression(floor, 'text'),
        },
        (list) => sql`
          SELECT ${list} ${expiringBots} AND ${bots.id} = ANY(${sql.param(ids)}) AND ${isLow} AND ${hasOlder}`,
      )
    // One bot that fails does not stop the others.
    const noteFailure = (error: unknown) => {
      failure ??= error
    }
    const ids = page.map(({ id }) => id)
    for (const bot of await runInHalves(ids, find, noteFailure))
      await raiseFloor(db, bot, now).catch(noteFailure)
    after = last
  }
}

/** Raises the floor of one bot, with an entry of the audit log and an event, as any deletion. */
async function raiseFloor(
  db: Database,
  bot: { id: string; workspaceId: string; before: Date; floor: string },
  now: Date,
) {
  const { id: botId, workspaceId, before } = bot
  await transact(db, async (tx) => {
    // Locked as by every deletion of results, which writes its event in this order too.
    await tx.select({ id: bots.id }).from(bots).where(eq(bots.id, botId)).for('update')
    const floor = sql`${bot.floor}::timestamptz`
    const details = await countUnder(tx, botId, floor)
    const isLower = or(isNull(bots.resultsFloorAt), lt(bots.resultsFloorAt, floor as SQL<Date>))
    const { rowCount } = await tx
      .update(bots)
      .set({ resultsFloorAt: floor })
      .where(and(eq(bots.id, botId), isNull(bots.deletedAt), isLower))
    if (!rowCount) return
    await requestPurge(tx, botId, now)
    await dropMessagesUnderFloor(tx, botId)
    const createdBefore = before.toISOString()
    const deed = { by: null, operation: 'deleteResults' } as const
    await writeEntry(tx, newEntry(workspaceId, deed, botId, now, { ...details, createdBefore }))
    const data = deletedResults(botId, null, before)
    await insertEvent(tx, { type: 'results.deleted', workspaceId, botId, data }, now)
  })
}
