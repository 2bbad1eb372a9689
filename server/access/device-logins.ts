import { randomInt } from 'node:crypto'
import { and, eq, gt, isNull, or } from 'drizzle-orm'
import { DEVICE_LOGIN_MINUTES, POLL_INTERVAL_SECONDS } from '../../contract/device-logins.ts'
import { type Database, transact } from '../db/client.ts'
import { deviceLogins as table, workspaceMembers, workspaces } from '../db/schema.ts'
import { newId } from '../ids.ts'
import { createSecret, secretHash } from './browser-sessions.ts'
import { insertToken, type TokenRow, type TokenWish } from './tokens.ts'

/*
 * Logins of programs in the shape of RFC 8628. The long code of the program is stored as a digest. The short one is typed
 * by a person: it lives for minutes, pages bound the guesses, and the first user who enters it is the only one to decide.
 * The token is made when the program asks for it, so that it is stored nowhere.
 */

/** Consonants that are not mistaken for others and spell no words, as RFC 8628 proposes: 34 bits in eight of them. */
const USER_CODE_LETTERS = 'BCDFGHJKLMNPQRSTVWXZ'
const USER_CODE_LENGTH = 8
/** Leaves a program that asked too early some tries before the code ends. */
const MAX_INTERVAL_SECONDS = 60

export interface DeviceLogin {
  id: string
  /** As people read it, with its hyphen. */
  userCode: string
  name: string
  scopes: TokenWish['scopes']
  expiresInDays: number | null
  createdAt: Date
  /** The workspace that the token would be bound to; `name` is undefined where the user has no role in it. */
  workspace: { name: string | undefined } | null
}

/** Starts a login; returns its two codes. */
export async function startDeviceLogin(
  db: Database,
  { name, scopes, workspaceId, expiresInDays }: Omit<TokenWish, 'userId'>,
  now: Date,
): Promise<{ deviceCode: string; userCode: string }> {
  const deviceCode = createSecret()
  for (;;) {
    const userCode = createUserCode()
    const inserted = await db
      .insert(table)
      .values({
        id: newId(now),
        deviceCodeHash: secretHash(deviceCode),
        userCode,
        name,
        scopes: scopes && [...scopes],
        workspaceId,
        expiresInDays: expiresInDays ?? null,
        intervalSeconds: POLL_INTERVAL_SECONDS,
        createdAt: now,
        expiresAt: new Date(now.getTime() + DEVICE_LOGIN_MINUTES * 60_000),
      })
      // Another login may have the same short code; then the next one is tried.
      .onConflictDoNothing()
    if (inserted.rowCount === 1) return { deviceCode, userCode: showUserCode(userCode) }
  }
}

function createUserCode(): string {
  return Array.from(
    { length: USER_CODE_LENGTH },
    () => USER_CODE_LETTERS[randomInt(USER_CODE_LETTERS.length)],
  ).join('')
}

function showUserCode(code: string): string {
  return `${code.slice(0, USER_CODE_LENGTH / 2)}-${code.slice(USER_CODE_LENGTH / 2)}`
}

/** A code as it is stored, from a person's spelling; undefined where it can be none. */
export function readUserCode(given: string): string | undefined {
  const code = given.toUpperCase().replaceAll(/[\s-]/g, '')
  const isCode = code.length === USER_CODE_LENGTH && [...code].every((one) => USER_CODE_LETTERS.includes(one))
  return isCode ? code : undefined
}

/** Condition for a login that this user may decide about. */
const isOpen = (userCode: string, userId: string, now: Date) =>
  and(
    eq(table.userCode, userCode),
    gt(table.expiresAt, now),
    isNull(table.decision),
    or(isNull(table.userId), eq(table.userId, userId)),
  )

/** Finds a login by its short code and reserves the decision for this user; undefined where there is none for them. */
export async function claimDeviceLogin(
  db: Database,
  userCode: string,
  userId: string,
  now: Date,
): Promise<DeviceLogin | undefined> {
  const [row] = await db
    .update(table)
    .set({ userId })
    .where(isOpen(userCode, userId, now))
    .returning()
  if (!row) return undefined
  const { id, name, scopes, expiresInDays, createdAt, workspaceId } = row
  const workspace = workspaceId === null ? null : { name: await nameOfWorkspace(db, workspaceId, userId) }
  return { id, userCode: showUserCode(userCode), name, scopes, expiresInDays, createdAt, workspace }
}

async function nameOfWorkspace(
  db: Database,
  workspaceId: string,
  userId: string,
): Promise<string | undefined> {
  const [row] = await db
    .select({ name: workspaces.name })
    .from(workspaceMembers)
    .innerJoin(workspaces, eq(workspaces.id, workspaceMembers.workspaceId))
    .where(
      and(
        eq(workspaceMembers.workspaceId, workspaceId),
        eq(workspaceMembers.userId, userId),
        isNull(workspaces.deletedAt),
      ),
    )
  return row?.name
}

/** Decides about a login that this user entered the code of; false where there is none any more. */
export async function decideDeviceLogin(
  db: Database,
  userCode: string,
  userId: string,
  decision: 'allowed' | 'denied',
  now: Date,
): Promise<boolean> {
  const decided = await db
    .update(table)
    .set({ decision })
    .where(and(isOpen(userCode, userId, now), eq(table.userId, userId)))
  return decided.rowCount === 1
}

type Continued =
  | { status: 'pending' | 'slowDown' | 'denied'; interval: number }
  | { status: 'allowed'; interval: number; token: string; row: TokenRow }

/** The state of a login for its program; undefined where there is none any more. An allowed one gives its token once. */
export async function continueDeviceLogin(
  db: Database,
  deviceCode: string,
  now: Date,
): Promise<Continued | undefined> {
  return transact(db, async (tx) => {
    // The lock lets one of several requests that come at once take the token; the others find no row after it.
    const [login] = await tx
      .select()
      .from(table)
      .where(and(eq(table.deviceCodeHash, secretHash(deviceCode)), gt(table.expiresAt, now)))
      .for('update')
    if (!login) return undefined
    const isSelf = eq(table.id, login.id)
    const { polledAt, decision, userId } = login
    const isEarly = polledAt !== null && now.getTime() - polledAt.getTime() < login.intervalSeconds * 1_000
    const slower = Math.min(login.intervalSeconds + POLL_INTERVAL_SECONDS, MAX_INTERVAL_SECONDS)
    const interval = isEarly ? slower : login.intervalSeconds
    if (isEarly || decision === null) {
      await tx.update(table).set({ polledAt: now, intervalSeconds: interval }).where(isSelf)
      return { status: isEarly ? 'slowDown' : 'pending', interval }
    }
    await tx.delete(table).where(isSelf)
    if (decision === 'denied' || userId === null) return { status: 'denied', interval }
    const wish = { ...login, userId, expiresInDays: login.expiresInDays ?? undefined }
    const action = { by: { userId, tokenId: null }, operation: 'allow device login' } as const
    const newToken = await insertToken(tx, wish, action, now)
    // The user was disabled meanwhile.
    return newToken ? { status: 'allowed', interval, ...newToken } : { status: 'denied', interval }
  })
}
