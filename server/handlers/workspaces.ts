import { and, count, desc, eq, inArray, isNull } from 'drizzle-orm'
import type { WorkspacesHandlers } from '../../generated/handlers.ts'
import type { components } from '../../generated/openapi.ts'
import type { UserGrant, WorkspaceGrant } from '../access/index.ts'
import type { Contexts } from '../context.ts'
import { type Database, type Transaction, transact } from '../db/client.ts'
import {
  bots,
  customDomains,
  folders,
  publicIds,
  publishedBots,
  workspaces as table,
  users,
  workspaceMembers,
} from '../db/schema.ts'
import { newId } from '../ids.ts'
import { stored } from '../json/json-text.ts'

type WorkspaceRow = typeof table.$inferSelect

export const workspaces: WorkspacesHandlers<Contexts> = {
  async listWorkspaces(_request, reply, { db, grant }) {
    return reply.ok({ workspaces: await workspacesOf(db, grant) })
  },

  async createWorkspace({ body }, reply, { db, grant, now, config }) {
    const created = await transact(db, async (tx) => {
      // The row of the user lets only one of two simultaneous requests count at a time.
      await tx
        .select({ id: users.id })
        .from(users)
        .where(eq(users.id, grant.caller.userId))
        .for('no key update')
      if ((await ownedBy(tx, grant)) >= config.MAX_WORKSPACES_PER_USER) return undefined
      return insertWorkspace(tx, grant.caller.userId, body.name, body.icon ?? null, now)
    })
    return created ? reply.ok({ workspace: toWorkspace(created) }) : reply.fail('FORBIDDEN')
  },

  async getWorkspace(_request, reply, { grant }) {
    const { workspace, role } = grant
    return reply.ok({
      workspace: {
        ...toWorkspace(workspace),
        customChatsLimit: workspace.customChatsLimit,
        customSeatsLimit: workspace.customSeatsLimit,
      },
      currentUserMode: ({ ADMIN: 'write', MEMBER: 'read', GUEST: 'guest' } as const)[role],
    })
  },

  async updateWorkspace({ body }, reply, { db, grant, now }) {
    const { name, icon } = body
    const [row] = await db
      .update(table)
      .set({
        updatedAt: now,
        ...(name === undefined ? {} : { name }),
        ...(icon === undefined ? {} : { icon }),
      })
      .where(and(eq(table.id, grant.workspace.id), isNull(table.deletedAt)))
      .returning()
    if (!row) return reply.fail('NOT_FOUND')
    return reply.ok({ workspace: { name: row.name, icon: row.icon } })
  },

  async deleteWorkspace(_request, reply, { db, grant, now }) {
    await transact(db, (tx) => buryWorkspace(tx, grant, now))
    return reply.ok({ message: 'Workspace deleted' })
  },
}

/** Creates a workspace with its first admin. */
export async function insertWorkspace(
  tx: Transaction,
  userId: string,
  name: string,
  icon: string | null,
  now: Date,
): Promise<WorkspaceRow> {
  const [row] = await tx
    .insert(table)
    .values({ id: newId(now), name, icon, createdAt: now, updatedAt: now })
    .returning()
  if (!row) throw new Error('An inserted row was not returned')
  await tx.insert(workspaceMembers).values({ workspaceId: row.id, userId, role: 'ADMIN', createdAt: now })
  return row
}

function workspacesOf(db: Database, { caller }: UserGrant) {
  return db
    .select({ id: table.id, name: table.name, icon: table.icon, plan: table.plan })
    .from(workspaceMembers)
    .innerJoin(table, and(eq(table.id, workspaceMembers.workspaceId), isNull(table.deletedAt)))
    .where(eq(workspaceMembers.userId, caller.userId))
    .orderBy(desc(table.createdAt), desc(table.id))
    .then((rows) => rows.map((row) => ({ ...row, plan: toPlan(row.plan) })))
}

async function ownedBy(tx: Transaction, { caller }: UserGrant): Promise<number> {
  const [row] = await tx
    .select({ owned: count() })
    .from(workspaceMembers)
    .where(and(eq(workspaceMembers.userId, caller.userId), eq(workspaceMembers.role, 'ADMIN')))
  return row?.owned ?? 0
}

/**
 * Makes a workspace and everything in it unreachable at once; the purge removes what is large. Members go
 * first, so that from the commit on nobody has a role in it.
 */
async function buryWorkspace(tx: Transaction, { workspace }: WorkspaceGrant, now: Date) {
  // Waits for whatever is being put into it, and lets nothing else in until all of it is gone.
  await tx.select({ id: table.id }).from(table).where(eq(table.id, workspace.id)).for('update')
  await tx.update(table).set({ deletedAt: now }).where(eq(table.id, workspace.id))
  await tx.delete(workspaceMembers).where(eq(workspaceMembers.workspaceId, workspace.id))
  const inWorkspace = tx.select({ id: bots.id }).from(bots).where(eq(bots.workspaceId, workspace.id))
  await tx.delete(publicIds).where(inArray(publicIds.botId, inWorkspace))
  await tx.delete(customDomains).where(inArray(customDomains.botId, inWorkspace))
  await tx.delete(publishedBots).where(inArray(publishedBots.botId, inWorkspace))
  await tx
    .update(bots)
    .set({ deletedAt: now, folderId: null, publicId: null, customDomain: null })
    .where(eq(bots.workspaceId, workspace.id))
  await tx.delete(folders).where(eq(folders.workspaceId, workspace.id))
}

type Plan = components['schemas']['Workspace']['plan']

/** Plans are written by whoever runs the service, whose database keeps to the list. */
function toPlan(plan: string): Plan {
  return plan as Plan
}

function toWorkspace(row: WorkspaceRow): components['schemas']['Workspace'] {
  return {
    id: row.id,
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
    name: row.name,
    icon: row.icon,
    plan: toPlan(row.plan),
    billingId: row.billingId,
    settings: row.settings && stored(row.settings),
    isSuspended: row.isSuspended,
    isPastDue: row.isPastDue,
    isVerified: row.isVerified,
    chatsHardLimit: row.chatsHardLimit,
    lastActivityAt: toTime(row.lastActivityAt),
    inactiveFirstEmailSentAt: toTime(row.inactiveFirstEmailSentAt),
    inactiveSecondEmailSentAt: toTime(row.inactiveSecondEmailSentAt),
  }
}

function toTime(time: Date | null): string | null {
  return time?.toISOString() ?? null
}
