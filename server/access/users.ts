import { and, eq, isNotNull, isNull, sql } from 'drizzle-orm'
import { newEntry, writeEntry } from '../audit/log.ts'
import { type Database, transact } from '../db/client.ts'
import { users, workspaceMembers, workspaces } from '../db/schema.ts'
import { endAccess } from './sign-in-links.ts'

/**
 * Disables a user, signs them out and revokes their tokens, or enables them again; a change is in the audit logs of
 * their workspaces. `withoutAdmin`: the workspaces that have no other admin who can log in.
 */
export async function setUserEnabled(db: Database, userId: string, isEnabled: boolean, now: Date) {
  return transact(db, async (tx) => {
    // Tokens that are being made are waited for; those that come later find the user disabled.
    await tx.select({ id: users.id }).from(users).where(eq(users.id, userId)).for('update')
    const changed = await tx
      .update(users)
      .set({ disabledAt: isEnabled ? null : now })
      .where(and(eq(users.id, userId), isEnabled ? isNotNull(users.disabledAt) : isNull(users.disabledAt)))
      .returning({ id: users.id })
    const endedTokens = isEnabled ? [] : await endAccess(tx, userId, now)
    const isChanged = changed.length > 0
    if (isChanged) {
      const deed = { by: null, operation: `admin user ${isEnabled ? 'enable' : 'disable'}` } as const
      const memberships = await tx
        .select({ workspaceId: workspaceMembers.workspaceId })
        .from(workspaceMembers)
        .where(eq(workspaceMembers.userId, userId))
      for (const { workspaceId } of memberships)
        await writeEntry(tx, newEntry(workspaceId, deed, userId, now))
    }
    const withoutAdmin = isEnabled
      ? []
      : await tx
          .select({ id: workspaces.id, name: workspaces.name })
          .from(workspaceMembers)
          .innerJoin(workspaces, eq(workspaces.id, workspaceMembers.workspaceId))
          .where(
            and(
              eq(workspaceMembers.userId, userId),
              eq(workspaceMembers.role, 'ADMIN'),
              isNull(workspaces.deletedAt),
              sql`NOT EXISTS (
                SELECT FROM workspace_members other JOIN users u ON u.id = other.user_id
                WHERE other.workspace_id = ${workspaces.id} AND other.role = 'ADMIN' AND u.disabled_at IS NULL)`,
            ),
          )
          .orderBy(workspaces.id)
    return { isChanged, revokedTokens: endedTokens.length, withoutAdmin }
  })
}
