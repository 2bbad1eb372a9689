import { and, asc, count, eq } from 'drizzle-orm'
import type { Issue } from '../../contract/errors.ts'
import type { Role } from '../../contract/operation.ts'
import type { MembersHandlers } from '../../generated/handlers.ts'
import type { components } from '../../generated/openapi.ts'
import type { WorkspaceGrant } from '../access/index.ts'
import type { Contexts } from '../context.ts'
import { type Database, type Transaction, transact } from '../db/client.ts'
import { workspaceMembers as table, users, workspaces } from '../db/schema.ts'

type Member = components['schemas']['Member']

export const members: MembersHandlers<Contexts> = {
  async listMembers(_request, reply, { db, grant }) {
    return reply.ok({ members: await membersOf(db, grant) })
  },

  async addMember({ body }, reply, { db, grant, now }) {
    const [user] = await db.select().from(users).where(eq(users.email, body.email.toLowerCase()))
    if (!user) {
      return reply.fail('BAD_REQUEST', [
        { path: ['body', 'email'], code: 'unknown_user', message: 'No user has this e-mail address' },
      ])
    }
    const added = await db
      .insert(table)
      .values({ workspaceId: grant.workspace.id, userId: user.id, role: body.role, createdAt: now })
      .onConflictDoNothing()
      .returning()
    if (added.length === 0) {
      return reply.fail('CONFLICT', [
        { path: ['body', 'email'], code: 'conflict', message: 'The user is a member already' },
      ])
    }
    const { name, email, image } = user
    return reply.ok({
      member: {
        workspaceId: grant.workspace.id,
        userId: user.id,
        user: { name, email, image },
        role: body.role,
      },
    })
  },

  async updateMember({ params, body }, reply, { db, grant }) {
    const outcome = await changeMember(db, grant, params.userId, body.role)
    if (!outcome) return reply.fail('NOT_FOUND')
    return 'issue' in outcome ? reply.fail('BAD_REQUEST', [outcome.issue]) : reply.ok(outcome)
  },

  async removeMember({ params }, reply, { db, grant }) {
    const outcome = await changeMember(db, grant, params.userId, undefined)
    if (!outcome) return reply.fail('NOT_FOUND')
    return 'issue' in outcome ? reply.fail('BAD_REQUEST', [outcome.issue]) : reply.ok(outcome)
  },
}

async function membersOf(db: Database | Transaction, { workspace }: WorkspaceGrant): Promise<Member[]> {
  return db
    .select({
      workspaceId: table.workspaceId,
      userId: table.userId,
      user: { name: users.name, email: users.email, image: users.image },
      role: table.role,
    })
    .from(table)
    .innerJoin(users, eq(users.id, table.userId))
    .where(eq(table.workspaceId, workspace.id))
    .orderBy(asc(table.createdAt), asc(table.userId))
}

/** Gives a member another role, or none. Undefined where there is no such member. */
async function changeMember(
  db: Database,
  grant: WorkspaceGrant,
  userId: string,
  role: Role | undefined,
): Promise<{ member: Member } | { issue: Issue } | undefined> {
  return transact(db, async (tx) => {
    // Changes in one workspace follow each other, or two admins could take the last admin away together.
    await tx
      .select({ id: workspaces.id })
      .from(workspaces)
      .where(eq(workspaces.id, grant.workspace.id))
      .for('no key update')
    const member = (await membersOf(tx, grant)).find((one) => one.userId === userId)
    if (!member) return undefined
    const here = and(eq(table.workspaceId, grant.workspace.id), eq(table.userId, userId))
    if (member.role === 'ADMIN' && role !== 'ADMIN' && (await adminsOf(tx, grant)) === 1) {
      const path = role === undefined ? ['path', 'userId'] : ['body', 'role']
      return { issue: { path, code: 'last_admin', message: 'A workspace keeps at least one admin' } }
    }
    if (role === undefined) {
      await tx.delete(table).where(here)
      return { member }
    }
    await tx.update(table).set({ role }).where(here)
    return { member: { ...member, role } }
  })
}

async function adminsOf(tx: Transaction, { workspace }: WorkspaceGrant): Promise<number> {
  const [row] = await tx
    .select({ admins: count() })
    .from(table)
    .where(and(eq(table.workspaceId, workspace.id), eq(table.role, 'ADMIN')))
  return row?.admins ?? 0
}
