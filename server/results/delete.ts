import { eq, sql } from 'drizzle-orm'
import type { components } from '../../generated/openapi.ts'
import type { BotGrant } from '../access/index.ts'
import { newEntry, writeEntry } from '../audit/log.ts'
import { topologyOf } from '../db/citus/topology.ts'
import { type Database, type Transaction, transact } from '../db/client.ts'
import { requestPurge } from '../db/purge-requests.ts'
import { bots, chatSessions, chatwootConversations, chatwootEvents, results as table } from '../db/schema.ts'
import { expression, selectRows } from '../db/typed-select.ts'
import { isResultUndeleted } from '../db/visible-results.ts'
import { dropWaitingMessages, removeResults, removeRowsOf, requestErasure } from './erase.ts'
import { computeCountedBefore, raiseEpochs, raiseEpochsOf } from './stats-epochs.ts'

/**
 * Above this many deleted results the response has no count: a deletion takes the same time for one as for millions.
 */
const MAX_COUNTED_RESULTS = 10_000

/** Rows of results that their deletion by ids removes itself; `erase.ts` removes the rest. */
const MAX_ROWS_AT_ONCE = 5_000

const deedOf = ({ caller }: BotGrant) => ({ by: caller, operation: 'deleteResults' }) as const

/**
 * Moves the floor under which results do not exist, which takes the same time for one as for millions. Without
 * `createdBefore` it is at least the newest result's time: other processes may have another clock. Else it is not later
 * than now by the clock of the database: results that begin afterwards would have its time.
 */
export async function deleteAll(db: Database, grant: BotGrant, createdBefore: Date | null, now: Date) {
  const { bot } = grant
  await transact(db, async (tx) => {
    // Waits for results that are being made, and those that come later find the floor as it is then.
    await tx.select({ id: bots.id }).from(bots).where(eq(bots.id, bot.id)).for('update')
    const newest = (hasStarted: boolean) => sql`(SELECT max(${table.createdAt}) FROM ${table}
      WHERE ${table.botId} = ${bot.id} AND ${table.hasStarted} = ${hasStarted} AND NOT ${table.isArchived})`
    const latest = sql`greatest(least(${now.toISOString()}::timestamptz, now()), ${newest(true)}, ${newest(false)})`
    const floor = createdBefore
      ? sql`least(${lastBefore(createdBefore).toISOString()}::timestamptz, ${latest})`
      : latest
    const details = await countUnder(tx, bot.id, createdBefore ? floor : sql`'infinity'::timestamptz`)
    // It never sinks: deleted results would come back.
    await tx
      .update(bots)
      .set({ resultsFloorAt: sql`greatest(${bots.resultsFloorAt}, ${floor})` })
      .where(eq(bots.id, bot.id))
    await requestPurge(tx, bot.id, now)
    await dropMessagesUnderFloor(tx, bot.id)
    const more = createdBefore && { createdBefore: createdBefore.toISOString() }
    await writeEntry(tx, newEntry(bot.workspaceId, deedOf(grant), bot.id, now, { ...details, ...more }))
  })
}

/** Drops messages of Chatwoot that wait for chats of results under the floor of a bot: they would begin new chats. */
export async function dropMessagesUnderFloor(tx: Transaction, botId: string) {
  await dropWaitingMessages(tx, botId, await sessionsWithMessages(tx, botId))
}

/** Chats of deleted results for which messages wait in conversations of Chatwoot: few, whatever is deleted. */
function sessionsWithMessages(tx: Transaction, botId: string) {
  return selectRows(
    tx,
    { id: chatSessions.id },
    (list) => sql`
      SELECT DISTINCT ${list} FROM ${chatwootEvents} e
      JOIN ${chatwootConversations} c ON c.bot_id = e.bot_id AND c.credentials_id = e.credentials_id
        AND c.conversation_id = e.conversation_id
      JOIN ${chatSessions} ON ${chatSessions.botId} = c.bot_id AND ${chatSessions.id} = c.session_id
      JOIN ${table} ON ${table.botId} = ${chatSessions.botId} AND ${table.id} = ${chatSessions.resultId}
      JOIN ${bots} ON ${bots.id} = ${table.botId}
      WHERE e.bot_id = ${botId} AND e.event IS NOT NULL AND ${bots.id} = ${botId}
        AND ${table.createdAt} <= ${bots.resultsFloorAt}`,
  )
}

/** The last possible timestamp before another one: results have whole milliseconds. */
export const lastBefore = (moment: Date) => new Date(moment.getTime() - 1)

/** Counts the results that a new floor deletes, for the entry in the audit log. */
export async function countUnder(tx: Transaction, botId: string, floor: ReturnType<typeof sql>) {
  // Both values of has_started are named, so that the index is walked.
  const [{ count } = { count: 0 }] = await selectRows(
    tx,
    { count: expression(sql`count(*)`, 'integer') },
    (list) => sql`SELECT ${list} FROM (
      SELECT 1 FROM ${table} JOIN ${bots} ON ${bots.id} = ${table.botId}
      WHERE ${table.botId} = ${botId} AND ${table.hasStarted} IN (true, false) AND ${isResultUndeleted}
        AND ${table.createdAt} <= ${floor}
      LIMIT ${MAX_COUNTED_RESULTS + 1}
    ) AS seen`,
  )
  return count > MAX_COUNTED_RESULTS ? { count: MAX_COUNTED_RESULTS, isMore: true } : { count: Number(count) }
}

/**
 * Deletes results of the granted bot by their ids; others and unknown ones are left out. They are locked first: only
 * a later statement sees the writes of a turn that the lock waited for. Takes bounded time, regardless of their size.
 */
export async function deleteSome(
  db: Database,
  grant: BotGrant,
  ids: string[],
  createdBefore: Date | null,
  now: Date,
) {
  const { bot } = grant
  const before = createdBefore?.toISOString() ?? 'infinity'
  await transact(db, async (tx) => {
    const doomed = await selectRows(
      tx,
      {
        id: table.id,
        createdAt: table.createdAt,
        isAlive: expression(isResultUndeleted, 'boolean'),
      },
      (list) => sql`
        SELECT ${list} FROM ${table} JOIN ${bots} ON ${bots.id} = ${table.botId}
        WHERE ${table.botId} = ${bot.id} AND ${bots.id} = ${bot.id} AND ${table.id} = ANY(${sql.param(ids)})
          AND ${table.createdAt} < ${before}::timestamptz
        ORDER BY ${table.id} FOR UPDATE OF ${table}`,
    )
    if (doomed.length > 0) {
      const doomedIds = doomed.map(({ id }) => id)
      const named = sql`${sql.param(doomedIds)}`
      const batch = { botId: bot.id, rows: MAX_ROWS_AT_ONCE }
      if (await removeResults(tx, batch, named)) {
        // Too large for immediate removal: no query returns these any more.
        await tx.execute(
          sql`UPDATE ${table} SET is_archived = true WHERE bot_id = ${bot.id} AND id = ANY(${named})`,
        )
      } else await removeRowsOf(tx, batch, named, now)
      await requestErasure(tx, bot.id, doomedIds)
    }
    // Those that were deleted before are in no range, and do not count again.
    const times = doomed.flatMap(({ isAlive, createdAt }) => (isAlive ? [createdAt] : []))
    await raiseEpochsAt(tx, bot.id, times, now)
    if (times.length > 0)
      await writeEntry(tx, newEntry(bot.workspaceId, deedOf(grant), bot.id, now, { count: times.length }))
  })
}

/** Raises the epochs of the days and hours in which results of one bot were made. */
async function raiseEpochsAt(tx: Transaction, botId: string, times: Date[], now: Date) {
  if (!topologyOf(tx).hasHourlyCounts) return raiseEpochsOf(tx, botId, times, now)
  const before = new Date(computeCountedBefore(now))
  const late = times.filter((time) => time < before).map((time) => time.toISOString())
  if (late.length === 0) return
  const rows = sql`SELECT ${botId}::text AS bot_id, created_at
    FROM unnest(${sql.param(late)}::timestamptz[]) AS of(created_at)`
  await tx.execute(sql`WITH ${raiseEpochs(rows, sql`${before.toISOString()}::timestamptz`)} SELECT`)
}

/** Payload of the event of a deletion: null for a filter that was not given. */
export function deletedResults(
  botId: string,
  resultIds: string[] | null,
  createdBefore: Date | null,
): components['schemas']['DeletedResultsEventData'] {
  return { botId, resultIds, createdBefore: createdBefore?.toISOString() ?? null }
}
