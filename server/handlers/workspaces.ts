import { and, eq, isNull } from 'drizzle-orm'
import type { WorkspacesHandlers } from '../../generated/handlers.ts'
import type { components } from '../../generated/openapi.ts'
import type { Contexts } from '../context.ts'
import { transact } from '../db/client.ts'
import { workspaces as table } from '../db/schema.ts'
import { stored } from '../json/json-text.ts'
import { createWorkspace, deleteWorkspace, type WorkspaceRow, workspacesOf } from '../workspaces/rows.ts'

export const workspaces: WorkspacesHandlers<Contexts> = {
  async listWorkspaces(_request, reply, { db, grant }) {
    return reply.ok({
      workspaces: (await workspacesOf(db, grant)).map((row) => ({ ...row, plan: toPlan(row.plan) })),
    })
  },

  async createWorkspace({ body }, reply, { db, grant, now, config }) {
    const { name, icon = null } = body
    const created = await createWorkspace(db, grant, name, icon, config.MAX_WORKSPACES_PER_USER, now)
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
    const isDeleted = await transact(db, (tx) => deleteWorkspace(tx, grant, now))
    return isDeleted ? reply.ok({ message: 'Workspace deleted' }) : reply.fail('NOT_FOUND')
  },
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
