import { and, eq, inArray, sql } from 'drizzle-orm'
import type { Database } from '../../db/client.ts'
import { dueAfter } from '../../db/due-after.ts'
import { leaseEnd } from '../../db/lease.ts'
import { sheetAccounts as table } from '../../db/schema.ts'
import type { Account } from './sheet-rows.ts'

/* Leases of accounts whose rows a process writes. An account that the vendor refuses rests, for longer each time. */

/** A leased account. */
export interface Leased extends Account {
  claim: string
  /** Failures in a row. */
  failures: number
}

const isHeld = ({ workspaceId, credentialsId, claim }: Leased) =>
  and(eq(table.workspaceId, workspaceId), eq(table.credentialsId, credentialsId), eq(table.claim, claim))

/** Accounts that rest, or that a process has. A cluster joins them with no rows. */
export function heldAccounts(db: Database): Promise<Account[]> {
  return db
    .select({ workspaceId: table.workspaceId, credentialsId: table.credentialsId })
    .from(table)
    .where(sql`${table.restsUntil} > now() OR ${table.claimedUntil} > statement_timestamp()`)
}

/** Leases an account; undefined while it rests, or another process has it. */
export async function takeAccount(
  db: Database,
  { workspaceId, credentialsId }: Account,
  claim: string,
): Promise<Leased | undefined> {
  const lease = { claim, claimedUntil: leaseEnd as unknown as Date }
  const [taken] = await db
    .insert(table)
    .values({
      workspaceId,
      credentialsId,
      ...lease,
      failures: 0,
      restsUntil: sql`now()` as unknown as Date,
    })
    .onConflictDoUpdate({
      target: [table.workspaceId, table.credentialsId],
      set: lease,
      setWhere: sql`coalesce(${table.claimedUntil} <= statement_timestamp(), true) AND ${table.restsUntil} <= now()`,
    })
    .returning({ failures: table.failures })
  return taken && { workspaceId, credentialsId, claim, failures: taken.failures }
}

/** Extends the leases of this process. */
export async function extendAccounts(db: Database, leased: readonly Leased[]): Promise<void> {
  if (leased.length === 0) return
  await db
    .update(table)
    .set({ claimedUntil: leaseEnd as unknown as Date })
    .where(
      inArray(
        table.claim,
        leased.map(({ claim }) => claim),
      ),
    )
}

/** Ends the lease of an account whose rows are written. */
export async function releaseAccount(db: Database, leased: Leased): Promise<void> {
  await db.delete(table).where(isHeld(leased))
}

/** Ends the lease of an account that has to rest. */
export async function restAccount(db: Database, leased: Leased, milliseconds: number): Promise<void> {
  await db
    .update(table)
    .set({
      claim: null,
      claimedUntil: null,
      failures: leased.failures,
      restsUntil: dueAfter(milliseconds) as unknown as Date,
    })
    .where(isHeld(leased))
}
