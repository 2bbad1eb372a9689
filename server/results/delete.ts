import { eq, sql } from 'drizzle-orm'
import type { BotGrant } from '../access/index.ts'
import { earlierKeptSteps, earlierSteps, requestPurge } from '../background/purge.ts'
import { type Database, transact } from '../db/client.ts'
import { isDistributed } from '../db/distribution.ts'
import {
  bots,
  resultAnswers,
  resultLogs,
  resultTranscripts,
  results as table,
  uploads,
} from '../db/schema.ts'
import { expression, selectRows } from '../db/selection.ts'
import { entryWith, newEntry, writeEntry } from '../workspaces/audit.ts'
import { lateBefore, raiseEpochs, raiseEpochsOf } from './stats-epochs.ts'

/** Of more results than these nobody is told how many they were: a deletion takes the same time for one as for millions. */
const MOST_COUNTED = 10_000

/**
 * Moves the floor under which results do not exist, which takes the same time for one as for millions. It is at
 * least the newest result's time: other processes may have another clock.
 */
export async function deleteAll(db: Database, { bot, caller }: BotGrant, now: Date) {
  await transact(db, async (tx) => {
    // Waits for results that are being made, and those that come later find the floor as it is then.
    await tx.select({ id: bots.id }).from(bots).where(eq(bots.id, bot.id)).for('update')
    const [{ count } = { count: 0 }] = await selectRows(
      tx,
      { count: expression(sql`count(*)`, 'integer') },
      (list) => sql`SELECT ${list} FROM (
        SELECT 1 FROM ${table} JOIN ${bots} ON ${bots.id} = ${table.botId}
        WHERE ${table.botId} = ${bot.id} AND NOT ${table.isArchived}
          AND ${table.createdAt} > coalesce(${bots.resultsFloorAt}, '-infinity')
        LIMIT ${MOST_COUNTED + 1}
      ) AS seen`,
    )
    const newest = (hasStarted: boolean) => sql`(SELECT max(${table.createdAt}) FROM ${table}
      WHERE ${table.botId} = ${bot.id} AND ${table.hasStarted} = ${hasStarted} AND NOT ${table.isArchived})`
    // It never sinks: what was deleted would come back.
    const floor = sql`greatest(${bots.resultsFloorAt}, ${now.toISOString()}::timestamptz, ${newest(true)}, ${newest(false)})`
    await tx.update(bots).set({ resultsFloorAt: floor }).where(eq(bots.id, bot.id))
    await requestPurge(tx, bot.id, now)
    const details = { count: Math.min(count, MOST_COUNTED), ...(count > MOST_COUNTED && { isMore: true }) }
    const deed = { by: caller, operation: 'deleteResults' } as const
    await writeEntry(tx, newEntry(bot.workspaceId, deed, bot.id, now, details))
  })
}

/** Deletes results of the granted bot by their ids; others and unknown ones are left out. */
export async function deleteSome(db: Database, { bot, caller }: BotGrant, ids: string[], now: Date) {
  const deed = { by: caller, operation: 'deleteResults' } as const
  const named = sql`bot_id = ${bot.id} AND result_id = ANY(${sql.param(ids)})`
  const sessions = sql`ARRAY(SELECT last_chat_session_id FROM doomed)`
  const emptied = sql`
    doomed AS MATERIALIZED (
      SELECT id, last_chat_session_id FROM ${table} WHERE bot_id = ${bot.id} AND id = ANY(${sql.param(ids)})
      ORDER BY id FOR UPDATE
    ),
    answers AS (DELETE FROM ${resultAnswers} WHERE ${named}),
    logs AS (DELETE FROM ${resultLogs} WHERE ${named}),
    transcripts AS (DELETE FROM ${resultTranscripts} WHERE ${named}),
    files AS (UPDATE ${uploads} SET remove_at = ${now.toISOString()}::timestamptz WHERE ${named}),
    steps AS (${earlierSteps(sql`${bot.id}`, sessions)}),
    kept_steps AS (${earlierKeptSteps(sql`${bot.id}`, sessions)})`
  const removal = sql`DELETE FROM ${table} WHERE bot_id = ${bot.id} AND id = ANY(ARRAY(SELECT id FROM doomed))`

  if (!isDistributed(db)) {
    const entry = newEntry(bot.workspaceId, deed, bot.id, now)
    const details = sql`json_build_object('count', counted.count)`
    const before = sql`${lateBefore(now)}::timestamptz`
    await db.execute(sql`
      WITH ${emptied},
      removed AS (${removal} RETURNING bot_id, created_at),
      counted AS (SELECT count(*)::integer AS count FROM removed),
      entry AS (${entryWith(entry, sql`counted`, { details })}),
      ${raiseEpochs(sql`SELECT bot_id, created_at FROM removed WHERE created_at < ${before}`, before)}
      SELECT`)
    return
  }

  // The audit log is on another node.
  await transact(db, async (tx) => {
    const removed = await selectRows(
      tx,
      { createdAt: table.createdAt },
      (list) => sql`WITH ${emptied} ${removal} RETURNING ${list}`,
    )
    const times = removed.map(({ createdAt }) => createdAt)
    await raiseEpochsOf(tx, bot.id, times, now)
    await writeEntry(tx, newEntry(bot.workspaceId, deed, bot.id, now, { count: removed.length }))
  })
}
