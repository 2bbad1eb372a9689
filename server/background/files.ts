import { asc, lte, sql } from 'drizzle-orm'
import type { Database } from '../db/client.ts'
import { uploads } from '../db/schema.ts'
import type { FileStore } from '../files/store.ts'

const BATCH = 200
const HOUR = 60 * 60 * 1000

/**
 * Removes one batch of files that are due: those that nobody answered with, that never arrived, or whose result is
 * deleted. First the file is nobody's any more, then its bytes go, then the row: whatever happens in between is found
 * again. True while there may be more.
 */
export async function removeFiles(db: Database, files: FileStore | null, now: Date): Promise<boolean> {
  // Where the store is no longer configured, the rows wait for it.
  if (!files) return false
  const due = await db
    .select({ botId: uploads.botId, id: uploads.id })
    .from(uploads)
    .where(lte(uploads.removeAt, now))
    .orderBy(asc(uploads.removeAt))
    .limit(BATCH)
  for (const { botId, id } of due) {
    const isThis = sql`bot_id = ${botId} AND id = ${id}`
    const { rowCount } = await db.execute(sql`
      UPDATE ${uploads} SET is_complete = false
      WHERE ${isThis} AND remove_at <= ${now.toISOString()}::timestamptz`)
    if (rowCount === 0) continue
    await files.remove(id).catch(async (error) => {
      // Of one that the store does not give up the others are not to wait.
      const later = new Date(now.getTime() + HOUR).toISOString()
      await db.execute(sql`UPDATE ${uploads} SET remove_at = ${later}::timestamptz WHERE ${isThis}`)
      throw error
    })
    await db.execute(sql`DELETE FROM ${uploads} WHERE ${isThis}`)
  }
  return due.length === BATCH
}
