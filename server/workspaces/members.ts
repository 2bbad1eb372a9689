import { and, eq, isNull, ne, sql } from 'drizzle-orm'
import type { Issue } from '../../contract/errors.ts'
import type { Role } from '../../contract/operation.ts'
import type { components } from '../../generated/openapi.ts'
import { type AuditAction, newEntry, writeEntry } from '../audit/log.ts'
import { type Database, type Transaction, transact } from '../db/client.ts'
import { firstPosition, isBeyond, type Position, withinPage } from '../db/page.ts'
import { workspaceMembers as table, users } from '../db/schema.ts'
import { expression, optional, selectRows } from '../db/typed-select.ts'
import { holdWorkspace } from './rows.ts'

type Member = components['schemas']['Member']

/** The workspace, and the token that changes something in it; null for the command. */
interface Place {
  workspace: { id: string }
  caller: AuditAction['by']
}

export const alreadyMember =
  'The user is a member already; PATCH /v1/workspaces/{workspaceId}/members/{userId} changes the role'

/** Everybody with a role in the workspace after a position, longest member first. */
export async function memberPage(db: Database, { workspace }: Pick<Place, 'workspace'>, position: Position) {
  const inOrder = [sql`${table.createdAt}`, sql`${table.userId}`]
  const isAfter =
    position === firstPosition
      ? sql`true`
      : sql`(${table.createdAt}, ${table.userId}) > (${position.createdAt.toISOString()}::timestamptz, ${position.id})`
  const user = {
    name: optional(expression(sql`${table}.name`, 'text')),
    email: optional(expression(sql`${table}.email`, 'text')),
    image: optional(expression(sql`${table}.image`, 'text')),
  }
  const rows = sql`
    SELECT ${table}.*, ${users.name}, ${users.email}, ${users.image}, ${users.disabledAt} IS NOT NULL AS is_disabled
    FROM ${table} JOIN ${users} ON ${users.id} = ${table.userId}
    WHERE ${table.workspaceId} = ${workspace.id} AND ${isAfter}`
  const bytes = sql`octet_length(concat(${table}.name, ${table}.email, ${table}.image))`
  return selectRows(
    db,
    {
      id: table.userId,
      createdAt: table.createdAt,
      isBeyond: isBeyond(table),
      workspaceId: table.workspaceId,
      user,
      role: table.role,
      isDisabled: expression(sql`${table}.is_disabled`, 'boolean'),
    },
    (list) => sql`SELECT ${list} FROM ${withinPage(rows, table, bytes, inOrder)}
      ORDER BY ${sql.join(inOrder, sql`, `)}`,
  )
}

async function memberOf(tx: Transaction, { workspace }: Place, userId: string): Promise<Member | undefined> {
  const [member] = await tx
    .select({
      workspaceId: table.workspaceId,
      userId: table.userId,
      user: { name: users.name, email: users.email, image: users.image },
      role: table.role,
      isDisabled: sql<boolean>`${users.disabledAt} IS NOT NULL`,
    })
    .from(table)
    .innerJoin(users, eq(users.id, table.userId))
    .where(and(eq(table.workspaceId, workspace.id), eq(table.userId, userId)))
  return member
}

/** Gives a user a role; `exists` if they have one, `deleted` if the workspace was deleted meanwhile. */
export async function insertMember(
  db: Database,
  { workspace, caller }: Place,
  userId: string,
  role: Role,
  now: Date,
  operation: AuditAction['operation'] = 'addMember',
): Promise<'added' | 'exists' | 'deleted'> {
  return transact(db, async (tx) => {
    if (!(await holdWorkspace(tx, workspace.id, 'key share'))) return 'deleted'
    const added = await tx
      .insert(table)
      .values({ workspaceId: workspace.id, userId, role, createdAt: now })
      .onConflictDoNothing()
    if (added.rowCount !== 1) return 'exists'
    await writeEntry(tx, newEntry(workspace.id, { by: caller, operation }, userId, now, { role }))
    return 'added'
  })
}

/** Gives a member another role, or none. Undefined where there is no such member. */
export async function changeMember(
  db: Database,
  grant: Place,
  userId: string,
  role: Role | undefined,
  now: Date,
  operation: AuditAction['operation'] = role === undefined ? 'removeMember' : 'updateMember',
): Promise<{ member: Member } | { issue: Issue } | undefined> {
  return transact(db, async (tx) => {
    // Changes in one workspace follow each other, or two admins could take the last admin away together.
    if (!(await holdWorkspace(tx, grant.workspace.id, 'no key update'))) return undefined
    const member = await memberOf(tx, grant, userId)
    if (!member) return undefined
    const here = and(eq(table.workspaceId, grant.workspace.id), eq(table.userId, userId))
    // A repeated request changes nothing.
    if (member.role === role) return { member }
    if (member.role === 'ADMIN' && role !== 'ADMIN' && !(await hasOtherAdmin(tx, grant, userId))) {
      const path = role === undefined ? ['path', 'userId'] : ['body', 'role']
      return {
        issue: {
          path,
          code: 'last_admin',
          message:
            'A workspace keeps at least one admin who is not disabled; make another member an admin first',
        },
      }
    }
    const deed = { by: grant.caller, operation }
    const details = { role: role ?? null, formerRole: member.role }
    await writeEntry(tx, newEntry(grant.workspace.id, deed, userId, now, details))
    if (role === undefined) {
      await tx.delete(table).where(here)
      return { member }
    }
    await tx.update(table).set({ role }).where(here)
    return { member: { ...member, role } }
  })
}

/** A disabled user cannot act as an admin. */
async function hasOtherAdmin(tx: Transaction, { workspace }: Place, userId: string): Promise<boolean> {
  const others = await tx
    .select({ id: users.id })
    .from(table)
    .innerJoin(users, eq(users.id, table.userId))
    .where(
      and(
        eq(table.workspaceId, workspace.id),
        eq(table.role, 'ADMIN'),
        ne(table.userId, userId),
        isNull(users.disabledAt),
      ),
    )
    .limit(1)
  return others.length > 0
}
