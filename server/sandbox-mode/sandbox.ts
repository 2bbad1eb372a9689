import { getTableName, is, sql } from 'drizzle-orm'
import { PgTable } from 'drizzle-orm/pg-core'
import { currentTime, moveClock } from '../clock.ts'
import { type Database, transact } from '../db/client.ts'
import * as schema from '../db/schema.ts'
import { expression, selectRows } from '../db/typed-select.ts'
import type { FileStore } from '../uploads/store.ts'
import { type Keyring, newKey } from '../workspaces/keyring.ts'
import { seededAt, seededWorld, seedWorld } from './world.ts'

/* The world and the clock of a service in sandbox mode. */

export interface SandboxMode {
  state(): { now: string } & typeof seededWorld
  /** Makes the world anew and sets the clock back. */
  reset(): Promise<void>
  /** Sets the clock and runs all work that is due by then. */
  setClock(time: Date): Promise<void>
}

/** Opens the sandbox of a marked database, and makes its world if it has none. `runDueJobs` does all that is due. */
export async function openSandboxMode(
  db: Database,
  files: FileStore | null,
  { read, make }: Keyring,
  runDueJobs: () => Promise<void>,
): Promise<SandboxMode> {
  const clock = await selectRows(
    db,
    { milliseconds: movedBy },
    (list) => sql`SELECT ${list} FROM sandbox.clock`,
  )
  moveClock(clock[0]?.milliseconds ?? 0)
  const [user] = await db.select({ id: schema.users.id }).from(schema.users).limit(1)
  if (!user) await reset()

  async function reset() {
    // Without a key in the configuration the secret of the endpoint cannot be read.
    const key = (await read())[0] ?? (await make?.())?.[0] ?? newKey()
    const { removed, milliseconds } = await transact(db, async (tx) => {
      const uploadRows = files ? await tx.select({ id: schema.uploads.id }).from(schema.uploads) : []
      await tx.execute(sql.raw(`TRUNCATE ${await usedTables(tx)} CASCADE`))
      await seedWorld(tx, key)
      return { removed: uploadRows, milliseconds: await writeClock(tx, seededAt) }
    })
    moveClock(milliseconds)
    await Promise.all(removed.map(({ id }) => files?.remove(id)))
  }

  return {
    state: () => ({ now: currentTime().toISOString(), ...seededWorld }),
    reset,
    async setClock(time) {
      moveClock(await writeClock(db, time))
      await runDueJobs()
    },
  }
}

/** Tables with rows, and one more, since a statement needs one. To truncate all of them takes several times as long. */
async function usedTables(db: Database): Promise<string> {
  const names = Object.values(schema)
    .filter((table) => is(table, PgTable) && table !== schema.installationKeys)
    .map((table) => getTableName(table as PgTable))
  const parts = names.map((name) => `SELECT '${name}' AS name WHERE EXISTS (SELECT FROM ${name})`)
  const used = await selectRows(
    db,
    { name: expression(sql`name`, 'text') },
    (list) => sql`SELECT ${list} FROM (${sql.raw(parts.join(' UNION ALL '))}) AS used`,
  )
  return [...new Set(['users', ...used.map(({ name }) => name)])].join(', ')
}

const movedBy = expression(sql`date_part('epoch', moved_by) * 1000`, 'float8')

/** Sets the clock of the database, and returns the milliseconds that it is moved by. */
async function writeClock(db: Database, time: Date): Promise<number> {
  const [clock] = await selectRows(
    db,
    { milliseconds: movedBy },
    (list) => sql`UPDATE sandbox.clock
      SET moved_by = ${time.toISOString()}::timestamptz - pg_catalog.clock_timestamp() RETURNING ${list}`,
  )
  return clock?.milliseconds ?? 0
}
