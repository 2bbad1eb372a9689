import { and, eq, ne } from 'drizzle-orm'
import type { Issue } from '../../contract/errors.ts'
import type { Transaction } from '../db/client.ts'
import { customDomains, publicIds } from '../db/schema.ts'
import type { BotRow } from './rows.ts'

/**
 * Claims the public id and the domain that a bot is about to get, and gives up those it had. The primary
 * keys decide between bots that claim one at once.
 */
export async function claimNames(
  tx: Transaction,
  botId: string,
  { publicId, customDomain }: Partial<BotRow>,
): Promise<Issue | undefined> {
  if (publicId !== undefined) {
    await tx
      .delete(publicIds)
      .where(
        and(eq(publicIds.botId, botId), publicId === null ? undefined : ne(publicIds.publicId, publicId)),
      )
  }
  if (publicId) {
    await tx.insert(publicIds).values({ publicId, botId }).onConflictDoNothing()
    const [holder] = await tx.select().from(publicIds).where(eq(publicIds.publicId, publicId))
    if (holder?.botId !== botId) {
      return { path: ['body', 'bot', 'publicId'], code: 'taken', message: 'Another bot has this public id' }
    }
  }
  const domain = customDomain?.toLowerCase()
  if (customDomain !== undefined) {
    await tx
      .delete(customDomains)
      .where(
        and(
          eq(customDomains.botId, botId),
          domain === undefined ? undefined : ne(customDomains.domain, domain),
        ),
      )
  }
  if (domain) {
    await tx.insert(customDomains).values({ domain, botId }).onConflictDoNothing()
    const [holder] = await tx.select().from(customDomains).where(eq(customDomains.domain, domain))
    if (holder?.botId !== botId) {
      return { path: ['body', 'bot', 'customDomain'], code: 'taken', message: 'Another bot has this domain' }
    }
  }
  return undefined
}
