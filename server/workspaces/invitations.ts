import { and, count, eq, getTableColumns, gt, isNull, ne, or } from 'drizzle-orm'
import { INVITATION_DAYS } from '../../contract/invitations.ts'
import type { Role } from '../../contract/operation.ts'
import type { components } from '../../generated/openapi.ts'
import { createSecret, secretHash, startBrowserSession } from '../access/browser-sessions.ts'
import type { WorkspaceGrant } from '../access/index.ts'
import { type Browser, signInProven } from '../access/sign-in-links.ts'
import { newEntry, writeEntry } from '../audit/log.ts'
import { type Database, type Transaction, transact } from '../db/client.ts'
import { after, newestFirst, type Position } from '../db/page.ts'
import { invitations as table, users, workspaceMembers, workspaces } from '../db/schema.ts'
import { MS_PER_DAY } from '../durations.ts'
import { newId } from '../ids.ts'
import { holdWorkspace } from './rows.ts'

/*
 * Invitations. An admin sees the link, so it proves no identity: it creates a user for an address that has none, and
 * never signs in as an existing user. A mailed link has a code of its own, which proves the address.
 */

/** Invitations of a workspace that wait. */
export const MAX_INVITATIONS = 200

type InvitationRow = Omit<typeof table.$inferSelect, 'codeHash' | 'mailedCodeHash'>

const { codeHash: _, mailedCodeHash: __, ...columns } = getTableColumns(table)

const rank: Record<Role, number> = { GUEST: 0, MEMBER: 1, ADMIN: 2 }

/** The admin who invites. A former admin has seen the link, which must be invalid then. */
const isByAdmin = and(
  eq(workspaceMembers.workspaceId, table.workspaceId),
  eq(workspaceMembers.userId, table.invitedBy),
  eq(workspaceMembers.role, 'ADMIN'),
)

/** A disabled admin cannot act. */
const isInviter = and(eq(users.id, table.invitedBy), isNull(users.disabledAt))

interface Invited {
  row: InvitationRow
  code: string
  /** Absent where no mail is to be sent. */
  mailedCode: string | undefined
}

/** Creates an invitation in place of an earlier one for the same address, or says why not. */
export async function insertInvitation(
  db: Database,
  { workspace, caller }: WorkspaceGrant,
  { email, role, isMailed }: { email: string; role: Role; isMailed: boolean },
  now: Date,
): Promise<Invited | 'deleted' | 'disabled' | 'member' | 'full'> {
  return transact(db, async (tx) => {
    if (!(await holdWorkspace(tx, workspace.id, 'no key update'))) return 'deleted'
    const [user] = await tx
      .select({ disabledAt: users.disabledAt, role: workspaceMembers.role })
      .from(users)
      .leftJoin(
        workspaceMembers,
        and(eq(workspaceMembers.userId, users.id), eq(workspaceMembers.workspaceId, workspace.id)),
      )
      .where(eq(users.email, email))
    if (user?.disabledAt) return 'disabled'
    if (user?.role) return 'member'
    const here = eq(table.workspaceId, workspace.id)
    const [others] = await tx
      .select({ count: count() })
      .from(table)
      .innerJoin(workspaceMembers, isByAdmin)
      .innerJoin(users, isInviter)
      .where(and(here, ne(table.email, email), gt(table.expiresAt, now)))
    if ((others?.count ?? 0) >= MAX_INVITATIONS) return 'full'
    const code = createSecret()
    const mailedCode = isMailed ? createSecret() : undefined
    const row: InvitationRow = {
      id: newId(now),
      workspaceId: workspace.id,
      email,
      role,
      invitedBy: caller.userId,
      createdAt: now,
      expiresAt: new Date(now.getTime() + INVITATION_DAYS * MS_PER_DAY),
    }
    await tx.delete(table).where(and(here, eq(table.email, email)))
    await tx.insert(table).values({
      ...row,
      codeHash: secretHash(code),
      mailedCodeHash: mailedCode === undefined ? null : secretHash(mailedCode),
    })
    const deed = { by: caller, operation: 'createInvitation' } as const
    await writeEntry(tx, newEntry(workspace.id, deed, row.id, now, { role, email }))
    return { row, code, mailedCode }
  })
}

/** The invitations of a workspace that can be accepted, after a position, newest first. */
export function invitationPage(
  db: Database,
  { workspace }: WorkspaceGrant,
  now: Date,
  position: Position,
  limit: number,
): Promise<InvitationRow[]> {
  return db
    .select(columns)
    .from(table)
    .innerJoin(workspaceMembers, isByAdmin)
    .innerJoin(users, isInviter)
    .where(
      and(
        eq(table.workspaceId, workspace.id),
        gt(table.expiresAt, now),
        after(table.createdAt, table.id, position),
      ),
    )
    .orderBy(...newestFirst(table.createdAt, table.id))
    .limit(limit)
}

/** Revokes an invitation; undefined where there is none. */
export async function revokeInvitation(
  db: Database,
  { workspace, caller }: WorkspaceGrant,
  invitationId: string,
  now: Date,
): Promise<InvitationRow | undefined> {
  return transact(db, async (tx) => {
    const [row] = await tx
      .delete(table)
      .where(and(eq(table.id, invitationId), eq(table.workspaceId, workspace.id), gt(table.expiresAt, now)))
      .returning(columns)
    if (!row) return undefined
    const deed = { by: caller, operation: 'revokeInvitation' } as const
    const details = { role: row.role, email: row.email }
    await writeEntry(tx, newEntry(workspace.id, deed, row.id, now, details))
    return row
  })
}

/** An invitation that can be accepted, by the code in its link. */
export async function findInvitation(db: Database, code: string, now: Date) {
  const given = secretHash(code)
  const [row] = await db
    .select({
      id: table.id,
      email: table.email,
      role: table.role,
      mailedCodeHash: table.mailedCodeHash,
      workspace: { id: workspaces.id, name: workspaces.name },
      inviter: { name: users.name, email: users.email },
    })
    .from(table)
    .innerJoin(workspaces, and(eq(workspaces.id, table.workspaceId), isNull(workspaces.deletedAt)))
    .innerJoin(workspaceMembers, isByAdmin)
    .innerJoin(users, isInviter)
    .where(and(or(eq(table.codeHash, given), eq(table.mailedCodeHash, given)), gt(table.expiresAt, now)))
  if (!row) return undefined
  const { mailedCodeHash, ...invitation } = row
  const isMailed = mailedCodeHash?.equals(given) ?? false
  const [user] = await db.select().from(users).where(eq(users.email, row.email))
  // A mailed code proves the address to a user who has not proven it before.
  const needsSignIn = user !== undefined && !(user.isUnproven && isMailed)
  return { ...invitation, isMailed, user, needsSignIn }
}

/**
 * Accepts an invitation for the user who is signed in, for a new one, or for one whose address the code proves. Returns
 * the cookie of a new session, none where the browser is signed in already.
 */
export async function acceptInvitation(
  db: Database,
  code: string,
  { signedInAs, name, browser }: { signedInAs: string | undefined; name: string | null; browser: Browser },
  now: Date,
): Promise<{ cookie: string | undefined } | 'invalid' | 'sign in'> {
  return transact(db, async (tx) => {
    const seen = await findInvitation(tx, code, now)
    // Roles in the workspace change one after the other, that of the inviter too.
    if (!seen || !(await holdWorkspace(tx, seen.workspace.id, 'no key update'))) return 'invalid'
    const found = await findInvitation(tx, code, now)
    if (!found || found.user?.disabledAt) return 'invalid'
    const isOwn = found.user !== undefined && found.user.id === signedInAs
    if (found.needsSignIn && !isOwn) return 'sign in'
    const userId = found.user?.id ?? (await insertUser(tx, found, name, now))
    if (userId === undefined) return 'sign in'
    await tx.delete(table).where(eq(table.id, found.id))
    const isProof = found.isMailed && found.user?.isUnproven !== false
    const cookie = isProof
      ? await signInProven(tx, userId, browser, now)
      : isOwn
        ? undefined
        : await startBrowserSession(tx, userId, browser, now)
    await giveRole(tx, found.workspace.id, userId, found.role, now)
    return { cookie }
  })
}

/** Undefined if a concurrent request has created a user with the address. */
async function insertUser(
  tx: Transaction,
  { email, isMailed }: { email: string; isMailed: boolean },
  name: string | null,
  now: Date,
): Promise<string | undefined> {
  const [user] = await tx
    .insert(users)
    .values({ id: newId(now), email, name, isUnproven: !isMailed, createdAt: now, updatedAt: now })
    .onConflictDoNothing()
    .returning({ id: users.id })
  return user?.id
}

/** Gives a role; a member retains one that is as high. The workspace is locked. */
async function giveRole(tx: Transaction, workspaceId: string, userId: string, role: Role, now: Date) {
  const here = and(eq(workspaceMembers.workspaceId, workspaceId), eq(workspaceMembers.userId, userId))
  const [member] = await tx.select({ role: workspaceMembers.role }).from(workspaceMembers).where(here)
  const held = member && rank[member.role] >= rank[role] ? member.role : role
  if (!member) await tx.insert(workspaceMembers).values({ workspaceId, userId, role, createdAt: now })
  else if (held !== member.role) await tx.update(workspaceMembers).set({ role }).where(here)
  const deed = { by: { userId, tokenId: null }, operation: 'accept invitation' } as const
  const details = { role: held, ...(member ? { formerRole: member.role } : {}) }
  await writeEntry(tx, newEntry(workspaceId, deed, userId, now, details))
}

/** An invitation as responses show it. */
export function toInvitation(row: InvitationRow): components['schemas']['Invitation'] {
  return { ...row, createdAt: row.createdAt.toISOString(), expiresAt: row.expiresAt.toISOString() }
}
