import { and, eq, gt, isNotNull, sql } from 'drizzle-orm'
import type { Database } from '../../db/client.ts'
import { results, chatSessions as table } from '../../db/schema.ts'
import { expression, selectRows } from '../../db/typed-select.ts'
import { isResultVisible } from '../../db/visible-results.ts'
import { decodeState } from './codec.ts'

/* Locks for members who change a chat while its visitor talks. */

/** Locks a chat that goes on; undefined if there is none. */
export async function lockChat(db: Database, botId: string, sessionId: string, now: Date) {
  const [row] = await db
    .select()
    .from(table)
    .where(
      and(eq(table.botId, botId), eq(table.id, sessionId), isNotNull(table.state), gt(table.expiresAt, now)),
    )
    .for('update')
  if (!row?.publicationId || !row.resultId) return undefined
  // After the lock, so that a deletion which it waited for is seen.
  const [read] = await selectRows(
    db,
    { isAlive: expression(isResultVisible(sql`${botId}`, sql`${table.resultId}`), 'boolean') },
    (list) =>
      sql`SELECT ${list} FROM ${table} WHERE ${table.botId} = ${botId} AND ${table.id} = ${sessionId}`,
  )
  if (!read?.isAlive) return undefined
  const state = decodeState({ ...row, state: row.state?.text ?? null })
  return state && { ...row, publicationId: row.publicationId, resultId: row.resultId, state }
}

export type HeldChat = NonNullable<Awaited<ReturnType<typeof lockChat>>>

/** Locks a result until the end of the transaction; false if it was deleted, even by one that this waited for. */
export async function lockResult(
  db: Database,
  { botId, resultId }: Pick<HeldChat, 'botId' | 'resultId'>,
  strength: 'key share' | 'no key update',
): Promise<boolean> {
  const [held] = await db
    .select({ id: results.id })
    .from(results)
    .where(and(eq(results.botId, botId), eq(results.id, resultId)))
    .for(strength)
  return held !== undefined
}
