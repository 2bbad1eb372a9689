import { hash, randomBytes } from 'node:crypto'
import { and, eq, gt, inArray, isNull, type SQL, sql } from 'drizzle-orm'
import type { components } from '../../generated/openapi.ts'
import { type Database, type Transaction, transact } from '../db/client.ts'
import { after, newestFirst, type Position } from '../db/page.ts'
import { apiTokens, browserSessions as table, users } from '../db/schema.ts'
import { MS_PER_DAY } from '../durations.ts'
import { newId } from '../ids.ts'
import { createToken } from './bearer-tokens.ts'
import type { UserGrant } from './index.ts'

/*
 * Sessions of browsers. The cookie holds a random value, the database its digest. Pages call the interface with tokens
 * of their session, which are rows like all others and go with its row: nothing of a session is cached in a process.
 */

export const SESSION_DAYS = 30
export const PAGE_TOKEN_MINUTES = 15

/** Sessions of a user. The next one ends the oldest. */
export const MAX_SESSIONS = 50

/**
 * Tokens of a session, of which each page needs one. The next one replaces the oldest, whose page requests another.
 */
export const MAX_PAGE_TOKENS = 50

/** Characters of a browser's name that are stored. */
const MAX_USER_AGENT_CHARACTERS = 255

/** A random value for a cookie or a link, as text that needs no encoding anywhere. */
export function createSecret(): string {
  return randomBytes(32).toString('base64url')
}

export function secretHash(secret: string): Buffer {
  return hash('sha256', secret, 'buffer')
}

/**
 * Signs a user in; returns the value of the cookie. The session that the browser had before ends, and the oldest of
 * many.
 */
export async function startBrowserSession(
  tx: Transaction,
  userId: string,
  { cookie, userAgent }: { cookie: string | undefined; userAgent: string | undefined },
  now: Date,
): Promise<string> {
  if (cookie !== undefined) await tx.delete(table).where(eq(table.cookieHash, secretHash(cookie)))
  await makeRoom(tx, table, eq(table.userId, userId), MAX_SESSIONS)
  const value = createSecret()
  await tx.insert(table).values({
    id: newId(now),
    userId,
    cookieHash: secretHash(value),
    userAgent: userAgent?.slice(0, MAX_USER_AGENT_CHARACTERS) ?? null,
    lastUsedOn: dayOf(now),
    createdAt: now,
    expiresAt: new Date(now.getTime() + SESSION_DAYS * MS_PER_DAY),
  })
  return value
}

/** Removes the oldest rows, so that the next one is not above the maximum. */
async function makeRoom(
  tx: Transaction,
  rows: typeof table | typeof apiTokens,
  isOwned: SQL,
  max: number,
): Promise<void> {
  const older = tx
    .select({ id: rows.id })
    .from(rows)
    .where(isOwned)
    .orderBy(...newestFirst(rows.createdAt, rows.id))
    .offset(max - 1)
  await tx.delete(rows).where(inArray(rows.id, older))
}

/** The session of a cookie and its user; undefined if it has ended. */
export async function findBrowserSession(db: Database, cookie: string, now: Date) {
  const [row] = await db
    .select({ id: table.id, user: { id: users.id, email: users.email, name: users.name } })
    .from(table)
    .innerJoin(users, eq(users.id, table.userId))
    .where(and(eq(table.cookieHash, secretHash(cookie)), gt(table.expiresAt, now), isNull(users.disabledAt)))
  return row
}

/** Creates a token for a page of a session; undefined if the session has ended. */
export async function createPageToken(db: Database, cookie: string, now: Date) {
  return transact(db, async (tx) => {
    const session = await findBrowserSession(tx, cookie, now)
    if (!session) return undefined
    // Disabling locks the user first, too.
    const [user] = await tx
      .select({ id: users.id })
      .from(users)
      .where(and(eq(users.id, session.user.id), isNull(users.disabledAt)))
      .for('key share')
    if (!user) return undefined
    const day = dayOf(now)
    const used = await tx.update(table).set({ lastUsedOn: day }).where(eq(table.id, session.id))
    if (used.rowCount !== 1) return undefined
    await makeRoom(tx, apiTokens, eq(apiTokens.browserSessionId, session.id), MAX_PAGE_TOKENS)
    const { token, hash: tokenHash, hint } = createToken()
    const expiresAt = new Date(now.getTime() + PAGE_TOKEN_MINUTES * 60_000)
    await tx.insert(apiTokens).values({
      id: newId(now),
      tokenHash,
      ownerUserId: user.id,
      name: 'Page',
      hint,
      expiresAt,
      // Noted here, so that its first request writes nothing.
      lastUsedOn: day,
      browserSessionId: session.id,
      createdAt: now,
    })
    return { token, expiresAt }
  })
}

/** Ends the session of a cookie, with the tokens of its pages. */
export async function endBrowserSession(db: Database, cookie: string) {
  await db.delete(table).where(eq(table.cookieHash, secretHash(cookie)))
}

const columns = {
  id: table.id,
  userAgent: table.userAgent,
  lastUsedOn: table.lastUsedOn,
  createdAt: table.createdAt,
  expiresAt: table.expiresAt,
}

type BrowserSessionRow = Pick<typeof table.$inferSelect, keyof typeof columns> & { isCurrent: boolean }

/** True for the session whose page sent the request. Names are written out: Drizzle leaves out those of tables. */
const isCurrent = ({ caller }: UserGrant) =>
  sql<boolean>`EXISTS (SELECT FROM api_tokens t
    WHERE t.id = ${caller.tokenId} AND t.browser_session_id = browser_sessions.id)`

/** The sessions of the caller after a position, newest first. */
export function browserSessionPage(
  db: Database,
  grant: UserGrant,
  now: Date,
  position: Position,
  limit: number,
): Promise<BrowserSessionRow[]> {
  return db
    .select({ ...columns, isCurrent: isCurrent(grant) })
    .from(table)
    .where(
      and(
        eq(table.userId, grant.caller.userId),
        gt(table.expiresAt, now),
        after(table.createdAt, table.id, position),
      ),
    )
    .orderBy(...newestFirst(table.createdAt, table.id))
    .limit(limit)
}

/** Ends a session of the caller; undefined where there is none. */
export async function revokeBrowserSession(
  db: Database,
  grant: UserGrant,
  browserSessionId: string,
  now: Date,
): Promise<BrowserSessionRow | undefined> {
  const [row] = await db
    .delete(table)
    .where(
      and(eq(table.id, browserSessionId), eq(table.userId, grant.caller.userId), gt(table.expiresAt, now)),
    )
    .returning({ ...columns, isCurrent: isCurrent(grant) })
  return row
}

/** A session as responses show it. */
export function toBrowserSession(row: BrowserSessionRow): components['schemas']['BrowserSession'] {
  return {
    id: row.id,
    userAgent: row.userAgent,
    isCurrent: row.isCurrent,
    createdAt: row.createdAt.toISOString(),
    expiresAt: row.expiresAt.toISOString(),
    lastUsedAt: row.lastUsedOn && `${row.lastUsedOn}T00:00:00.000Z`,
  }
}

function dayOf(now: Date): string {
  return now.toISOString().slice(0, 10)
}
