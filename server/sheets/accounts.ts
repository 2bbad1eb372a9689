import { and, eq, inArray, sql } from 'drizzle-orm'
import type { Account } from '../chat/sessions/sheet-rows.ts'
import type { Database } from '../db/client.ts'
import { dueAfter } from '../db/due-after.ts'
import { isLeaseOverOf, leaseEnd } from '../db/lease.ts'
import { sheetAccounts as table } from '../db/schema.ts'

/* Leases of accounts whose rows a process writes. An account that the vendor rejects pauses, for longer each time. */

/** A leased account. */
export interface AccountLease extends Account {
  leaseId: string
  /** Failures in a row. */
  failures: number
}

const isHeld = ({ workspaceId, credentialsId, leaseId }: AccountLease) =>
  and(eq(table.workspaceId, workspaceId), eq(table.credentialsId, credentialsId), eq(table.leaseId, leaseId))

/** Accounts that rest, or that a process has. A cluster joins them with no rows. */
export function busyAccounts(db: Database): Promise<Account[]> {
  return db
    .select({ workspaceId: table.workspaceId, credentialsId: table.credentialsId })
    .from(table)
    .where(sql`${table.restsUntil} > now() OR NOT ${isLeaseOverOf(sql`${table.leasedUntil}`)}`)
}

/** Leases an account; undefined while it rests, or another process has it. */
export async function takeAccount(
  db: Database,
  { workspaceId, credentialsId }: Account,
  leaseId: string,
): Promise<AccountLease | undefined> {
  const lease = { leaseId, leasedUntil: leaseEnd as unknown as Date }
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
      setWhere: sql`${isLeaseOverOf(sql`${table.leasedUntil}`)} AND ${table.restsUntil} <= now()`,
    })
    .returning({ failures: table.failures })
  return taken && { workspaceId, credentialsId, leaseId, failures: taken.failures }
}

/** Extends the leases of this process. */
export async function extendAccounts(db: Database, leased: readonly AccountLease[]): Promise<void> {
  if (leased.length === 0) return
  await db
    .update(table)
    .set({ leasedUntil: leaseEnd as unknown as Date })
    .where(
      inArray(
        table.leaseId,
        leased.map(({ leaseId }) => leaseId),
      ),
    )
}

/** Ends the lease of an account whose rows are written. */
export async function releaseAccount(db: Database, leased: AccountLease): Promise<void> {
  await db.delete(table).where(isHeld(leased))
}

/** Ends the lease of an account that has to rest. */
export async function restAccount(db: Database, leased: AccountLease, milliseconds: number): Promise<void> {
  await db
    .update(table)
    .set({
      leaseId: null,
      leasedUntil: null,
      failures: leased.failures,
      restsUntil: dueAfter(milliseconds) as unknown as Date,
    })
    .where(isHeld(leased))
}
