import { createHmac, randomInt } from 'node:crypto'
import { and, count, eq, gt, isNull, lt, lte, or, sql } from 'drizzle-orm'
import {
  DEVICE_LOGIN_MINUTES,
  MAX_LOGINS_PER_NETWORK,
  POLL_INTERVAL_SECONDS,
} from '../../contract/device-logins.ts'
import { type Database, transact } from '../db/client.ts'
import { deviceLogins as table, users, workspaceMembers, workspaces } from '../db/schema.ts'
import { newId } from '../ids.ts'
import { createSecret, secretHash } from './browser-sessions.ts'
import { insertToken, type TokenRow, type TokenWish } from './tokens.ts'

/*
 * Logins of programs in the shape of RFC 8628. The long code of the program is stored as a digest. The short one is
 * typed by a person: it lives for minutes, pages bound the guesses, and the first user who enters it is the only one
 * to decide. The token is made when the program fetches it, so that it is stored nowhere.
 */

/** Consonants that are not mistaken for others and spell no words, as RFC 8628 proposes: 34 bits in eight of them. */
const USER_CODE_LETTERS = 'BCDFGHJKLMNPQRSTVWXZ'
const USER_CODE_LENGTH = 8
/** Leaves a program that polls too early some attempts before the code expires. */
const MAX_INTERVAL_SECONDS = 60

/** Codes that a user can enter wrongly in the time for which codes work. */
export const MAX_WRONG_CODES = 10

export type Decision = 'allowed' | 'denied'

export interface DeviceLogin {
  id: string
  /** As people read it, with its hyphen. */
  userCode: string
  name: string
  scopes: TokenWish['scopes']
  expiresInDays: number | null
  createdAt: Date
  decision: Decision | null
  /** The workspace that the token would be bound to; `name` is undefined where the user has no role in it. */
  workspace: { name: string | undefined } | null
}

/** A network as logins are counted by it, since addresses are never stored. */
export function digestNetwork(network: string, key: Buffer): Buffer {
  return createHmac('sha256', key).update(`device login ${network}`).digest()
}

/** Starts a login; returns its two codes, or undefined where the network has started as many as it can. */
export async function startDeviceLogin(
  db: Database,
  { name, scopes, workspaceId, expiresInDays }: Omit<TokenWish, 'userId'>,
  network: Buffer | null,
  now: Date,
): Promise<{ deviceCode: string; userCode: string } | undefined> {
  if (network && (await countStarted(db, network, now)) >= MAX_LOGINS_PER_NETWORK) return undefined
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
        network,
        intervalSeconds: POLL_INTERVAL_SECONDS,
        createdAt: now,
        expiresAt: codesEndAt(now),
      })
      // Another login may have the same short code; then the next one is tried.
      .onConflictDoNothing()
    if (inserted.rowCount === 1) return { deviceCode, userCode: showUserCode(userCode) }
  }
}

/** Counts over all processes. Simultaneous requests may exceed the limit by a few. */
async function countStarted(db: Database, network: Buffer, now: Date): Promise<number> {
  const [row] = await db
    .select({ started: count() })
    .from(table)
    .where(and(eq(table.network, network), gt(table.expiresAt, now)))
  return row?.started ?? 0
}

/**
 * Counts a code before it is looked up, so that simultaneous requests have no extra guesses. False once the user has
 * entered too many wrong codes.
 */
export async function countGuess(db: Database, userId: string, now: Date): Promise<boolean> {
  const hasEnded = or(isNull(users.wrongCodesEndAt), lte(users.wrongCodesEndAt, now))
  const endAt = codesEndAt(now).toISOString()
  const counted = await db
    .update(users)
    .set({
      wrongCodes: sql`CASE WHEN ${hasEnded} THEN 1 ELSE ${users.wrongCodes} + 1 END`,
      wrongCodesEndAt: sql`CASE WHEN ${hasEnded} THEN ${endAt}::timestamptz ELSE ${users.wrongCodesEndAt} END`,
    })
    .where(and(eq(users.id, userId), or(hasEnded, lt(users.wrongCodes, MAX_WRONG_CODES))))
  return counted.rowCount === 1
}

/** Takes back the count of a right code. */
export async function uncountGuess(db: Database, userId: string) {
  await db
    .update(users)
    .set({ wrongCodes: sql`greatest(${users.wrongCodes} - 1, 0)` })
    .where(eq(users.id, userId))
}

const codesEndAt = (now: Date) => new Date(now.getTime() + DEVICE_LOGIN_MINUTES * 60_000)

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

/**
 * Finds a login by its short code and reserves the decision for this user; undefined where there is none for them. One
 * that they have decided about has their decision.
 */
export async function claimDeviceLogin(
  db: Database,
  userCode: string,
  userId: string,
  now: Date,
): Promise<DeviceLogin | undefined> {
  const [row] = await db
    .update(table)
    .set({ userId })
    .where(
      and(
        eq(table.userCode, userCode),
        gt(table.expiresAt, now),
        or(isNull(table.userId), eq(table.userId, userId)),
      ),
    )
    .returning()
  if (!row) return undefined
  const { id, name, scopes, expiresInDays, createdAt, decision, workspaceId } = row
  const workspace = workspaceId === null ? null : { name: await nameOfWorkspace(db, workspaceId, userId) }
  return { id, userCode: showUserCode(userCode), name, scopes, expiresInDays, createdAt, decision, workspace }
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

/** Decides about a login that this user entered the code of. Returns the first decision; undefined without a login. */
export async function decideDeviceLogin(
  db: Database,
  userCode: string,
  userId: string,
  decision: Decision,
  now: Date,
): Promise<Decision | undefined> {
  const [decided] = await db
    .update(table)
    .set({ decision: sql`coalesce(${table.decision}, ${decision})` })
    .where(and(eq(table.userCode, userCode), gt(table.expiresAt, now), eq(table.userId, userId)))
    .returning({ decision: table.decision })
  return decided?.decision ?? undefined
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
    // The lock gives the token to one of several concurrent requests; the others find no row after it.
    const [login] = await tx
      .select()
      .from(table)
      .where(
        and(eq(table.deviceCodeHash, secretHash(deviceCode)), gt(table.expiresAt, now), isNull(table.usedAt)),
      )
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
    await tx.update(table).set({ usedAt: now }).where(isSelf)
    if (decision === 'denied' || userId === null) return { status: 'denied', interval }
    const wish = { ...login, userId, expiresInDays: login.expiresInDays ?? undefined }
    const action = { by: { userId, tokenId: null }, operation: 'allow device login' } as const
    const newToken = await insertToken(tx, wish, action, now)
    // The user was disabled meanwhile.
    return newToken ? { status: 'allowed', interval, ...newToken } : { status: 'denied', interval }
  })
}
