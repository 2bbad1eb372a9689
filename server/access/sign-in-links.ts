import { and, count, eq, gt, isNotNull, isNull } from 'drizzle-orm'
import { type Database, type Transaction, transact } from '../db/client.ts'
import { apiTokens, browserSessions, deviceLogins, signInLinks as table, users } from '../db/schema.ts'
import { newId } from '../ids.ts'
import { createSecret, secretHash, startBrowserSession } from './browser-sessions.ts'

/*
 * Links that sign in once, for 15 minutes. A mailed one works only in the browser that requested it, so that no user
 * is talked into opening a link of an attacker. A printed one works in any browser.
 */

export const LINK_MINUTES = 15

/** Maximum mailed links of a user in 15 minutes. Further requests send none, and their response is the same. */
export const MAX_MAILED_LINKS = 5

interface LinkWish {
  /** The cookie of the browser that requested the link; absent for a printed link. */
  browser?: string
  returnTo?: string
}

/** Creates a link for a user; returns the code in it. */
export async function createSignInLink(
  db: Database,
  userId: string,
  { browser, returnTo }: LinkWish,
  now: Date,
): Promise<string> {
  const code = createSecret()
  await db.insert(table).values({
    id: newId(now),
    userId,
    codeHash: secretHash(code),
    browserHash: browser === undefined ? null : secretHash(browser),
    returnTo: returnTo ?? null,
    createdAt: now,
    expiresAt: new Date(now.getTime() + LINK_MINUTES * 60_000),
  })
  return code
}

/**
 * Creates a link to mail to an address; undefined if no user who may sign in has it, or its links are at the maximum.
 */
export async function createMailedLink(
  db: Database,
  email: string,
  wish: LinkWish & { browser: string },
  now: Date,
): Promise<string | undefined> {
  const [user] = await db
    .select({ id: users.id, mailed: count(table.id) })
    .from(users)
    .leftJoin(table, and(eq(table.userId, users.id), isNotNull(table.browserHash), gt(table.expiresAt, now)))
    .where(and(eq(users.email, email), isNull(users.disabledAt)))
    .groupBy(users.id)
  if (!user || user.mailed >= MAX_MAILED_LINKS) return undefined
  return createSignInLink(db, user.id, wish, now)
}

/** A valid link with its user. `isOtherBrowser`: it was mailed, and another browser requested it. */
export async function findSignInLink(db: Database, code: string, browser: string | undefined, now: Date) {
  const [row] = await db
    .select({
      id: table.id,
      browserHash: table.browserHash,
      returnTo: table.returnTo,
      user: { id: users.id, email: users.email, name: users.name },
    })
    .from(table)
    .innerJoin(users, eq(users.id, table.userId))
    .where(and(eq(table.codeHash, secretHash(code)), gt(table.expiresAt, now), isNull(users.disabledAt)))
  if (!row) return undefined
  const { browserHash, ...link } = row
  const isOtherBrowser =
    browserHash !== null && (browser === undefined || !browserHash.equals(secretHash(browser)))
  return { ...link, isOtherBrowser }
}

/** The browser of a request that signs in. */
export interface Browser {
  /** The cookie of its session, if it has one. */
  cookie: string | undefined
  /** The cookie that mailed links are bound to. */
  linkCookie: string | undefined
  userAgent: string | undefined
}

/** Uses a link up and signs its user in; undefined if it is not good, or not in this browser. */
export async function useSignInLink(db: Database, code: string, browser: Browser, now: Date) {
  return transact(db, async (tx) => {
    const link = await findSignInLink(tx, code, browser.linkCookie, now)
    if (!link || link.isOtherBrowser) return undefined
    // One of two concurrent requests deletes it.
    const used = await tx.delete(table).where(eq(table.id, link.id))
    if (used.rowCount !== 1) return undefined
    const cookie = await signInProven(tx, link.user.id, browser, now)
    return cookie === undefined ? undefined : { cookie, returnTo: link.returnTo }
  })
}

/**
 * Signs in a user who has proven to own their address. The first proof ends earlier sessions and tokens, which may be
 * those of a person who was passed the invitation. Undefined if the user is disabled.
 */
export async function signInProven(
  tx: Transaction,
  userId: string,
  browser: Pick<Browser, 'cookie' | 'userAgent'>,
  now: Date,
): Promise<string | undefined> {
  const [user] = await tx
    .select({ isUnproven: users.isUnproven })
    .from(users)
    .where(and(eq(users.id, userId), isNull(users.disabledAt)))
    .for('update')
  if (!user) return undefined
  if (user.isUnproven) {
    await tx.update(users).set({ isUnproven: false, updatedAt: now }).where(eq(users.id, userId))
    await endAccess(tx, userId, now)
  }
  return startBrowserSession(tx, userId, browser, now)
}

/**
 * Ends all sessions, links, logins of programs and tokens of a user. The user is locked. Returns the tokens that were
 * revoked.
 */
export async function endAccess(tx: Transaction, userId: string, now: Date) {
  await tx.delete(browserSessions).where(eq(browserSessions.userId, userId))
  await tx.delete(table).where(eq(table.userId, userId))
  await tx.delete(deviceLogins).where(eq(deviceLogins.userId, userId))
  return tx
    .update(apiTokens)
    .set({ revokedAt: now })
    .where(and(eq(apiTokens.ownerUserId, userId), isNull(apiTokens.revokedAt)))
    .returning({ id: apiTokens.id })
}
