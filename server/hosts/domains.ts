import { and, eq, inArray, sql } from 'drizzle-orm'
import { LRUCache } from 'lru-cache'
import type { Database } from '../db/client.ts'
import { bots, customDomains } from '../db/schema.ts'
import { isBotVisible } from '../db/visible-bots.ts'

/* Hosts of bots. A domain whose bot or workspace is deleted is unreachable immediately, and free for others. */

const CACHE_MS = 5_000

/** Shorter, since the first visitors come as soon as a domain is set. */
const STRANGE_CACHE_MS = 1_000

/** Hosts of recent requests: every request names one. The bot at a host is read anew each time. */
const known = new LRUCache<string, boolean>({ max: 10_000, ttl: CACHE_MS })

/** True if some bot has a domain on this host; undefined if that has to be looked up. */
export function recallBotHost(host: string): boolean | undefined {
  return known.get(host)
}

/** Looks the host of a domain up anew, which a bot is about to get. */
export function forgetBotHost(domain: string) {
  known.delete(hostOfDomain(domain))
}

const lookups = new Map<string, Promise<boolean>>()

/** True while a host is looked up. */
export const isLookedUp = (host: string): boolean => lookups.has(host)

/** True if some bot has a domain on this host. Concurrent calls share the query. */
export function isBotHost(db: Database, host: string): Promise<boolean> {
  const running = lookups.get(host)
  if (running) return running
  const lookup = lookUpHost(db, host).finally(() => lookups.delete(host))
  lookups.set(host, lookup)
  return lookup
}

async function lookUpHost(db: Database, host: string): Promise<boolean> {
  const isKnown = await hasLivingBot(db, await botsAt(db, host, MAX_BOTS_OF_HOST))
  known.set(host, isKnown, { ttl: isKnown ? CACHE_MS : STRANGE_CACHE_MS })
  return isKnown
}

/** Ids of bots with a domain on a host, deleted ones too; all of them without a limit. */
export async function botsAt(db: Database, host: string, limit?: number): Promise<string[]> {
  const found = db
    .select({ botId: customDomains.botId })
    .from(customDomains)
    .where(sql`split_part(${customDomains.domain}, '/', 1) = ${host}`)
  const holders = await (limit === undefined ? found : found.limit(limit))
  return holders.map(({ botId }) => botId)
}

/** The host of a domain, which may have a path. */
export const hostOfDomain = (domain: string) => domain.split('/')[0] as string

/** A host with more paths than that is one of bots, even if all of these are deleted. */
const MAX_BOTS_OF_HOST = 100

async function hasLivingBot(db: Database, ids: string[]): Promise<boolean> {
  if (ids.length === 0 || ids.length === MAX_BOTS_OF_HOST) return ids.length > 0
  const living = await db
    .select({ id: bots.id })
    .from(bots)
    .where(and(inArray(bots.id, ids), isBotVisible()))
    .limit(1)
  return living.length > 0
}

/** True if a host of bots serves a bot with this domain; on hosts of the service, where `host` is undefined, for all. */
export const isDomainAt = (host: string | undefined, domain: string | null | undefined): boolean =>
  host === undefined || (typeof domain === 'string' && hostOfDomain(domain) === host)

/** The same for a bot whose domain is unknown. */
export async function isServedAt(db: Database, host: string | undefined, botId: string): Promise<boolean> {
  if (host === undefined) return true
  const [bot] = await db.select({ domain: bots.customDomain }).from(bots).where(eq(bots.id, botId))
  return isDomainAt(host, bot?.domain)
}

/** The public id of the bot at a host and a path; null for a bot without one. Case does not matter. */
export async function findBotAt(
  db: Database,
  host: string,
  path: string,
): Promise<{ publicId: string | null } | undefined> {
  const parts = path.split('/').filter((part) => part !== '')
  const domain = [host, ...parts].join('/').toLowerCase()
  const [holder] = await db
    .select({ botId: customDomains.botId })
    .from(customDomains)
    .where(eq(customDomains.domain, domain))
  if (!holder) return undefined
  const [bot] = await db
    .select({ publicId: bots.publicId })
    .from(bots)
    .where(and(eq(bots.id, holder.botId), isBotVisible()))
  return bot
}
