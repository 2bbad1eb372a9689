import { asc, lte, sql } from 'drizzle-orm'
import type { Database } from '../db/client.ts'
import { uploads } from '../db/schema.ts'
import { MS_PER_HOUR } from '../durations.ts'
import type { FileStore } from '../uploads/store.ts'

const MAX_BATCH_FILES = 200
/** Files that the store removes concurrently, so that a slow one does not delay all others. */
const PARALLEL_FILES = 4

/**
 * Removes one batch of files that are due: never used in an answer, never arrived, or of a deleted result. Order:
 * detach the file, delete its bytes, delete the row. After a crash in between the next run finds the row again. True
 * while there may be more.
 */
export async function removeFiles(db: Database, files: FileStore | null, now: Date): Promise<boolean> {
  // If no store is configured any more, the rows stay until there is one.
  if (!files) return false
  const due = await db
    .select({ botId: uploads.botId, id: uploads.id })
    .from(uploads)
    .where(lte(uploads.removeAt, now))
    .orderBy(asc(uploads.removeAt))
    .limit(MAX_BATCH_FILES)
  const waiting = [...due]
  const failures: unknown[] = []
  await Promise.all(
    Array.from({ length: PARALLEL_FILES }, async () => {
      for (let file = waiting.shift(); file; file = waiting.shift())
        // The others go on.
        await removeFile(db, files, file, now).catch((error) => failures.push(error))
    }),
  )
  if (failures.length > 0) throw failures[0]
  return due.length === MAX_BATCH_FILES
}

async function removeFile(
  db: Database,
  files: FileStore,
  { botId, id }: { botId: string; id: string },
  now: Date,
): Promise<void> {
  const isThis = sql`bot_id = ${botId} AND id = ${id}`
  const { rowCount } = await db.execute(sql`
    UPDATE ${uploads} SET is_complete = false
    WHERE ${isThis} AND remove_at <= ${now.toISOString()}::timestamptz`)
  if (rowCount === 0) return
  await files.remove(id).catch(async (error) => {
    const later = new Date(now.getTime() + MS_PER_HOUR).toISOString()
    await db.execute(sql`UPDATE ${uploads} SET remove_at = ${later}::timestamptz WHERE ${isThis}`)
    throw error
  })
  await db.execute(sql`DELETE FROM ${uploads} WHERE ${isThis}`)
}
