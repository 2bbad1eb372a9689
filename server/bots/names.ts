import { and, type Column, eq, ne, sql } from 'drizzle-orm'
import type { PgTable } from 'drizzle-orm/pg-core'
import type { Issue } from '../../contract/errors.ts'
import type { Transaction } from '../db/client.ts'
import { bots, customDomains, publicIds } from '../db/schema.ts'
import { expression, selectRows } from '../db/typed-select.ts'
import { isBotVisible } from '../db/visible-bots.ts'
import { botsAt, forgetBotHost, hostOfDomain } from '../hosts/domains.ts'
import type { BotRow } from './rows.ts'

/**
 * Claims the new public id and domain of a bot, and gives up the former ones. The primary keys decide between bots
 * that claim one concurrently. Domains on one host belong to one workspace, since code of their authors shares the
 * storage of browsers for the host.
 */
export async function claimNames(
  tx: Transaction,
  { botId, workspaceId }: { botId: string; workspaceId: string },
  { publicId, customDomain }: Partial<BotRow>,
): Promise<Issue | undefined> {
  if (publicId !== undefined) {
    await tx
      .delete(publicIds)
      .where(
        and(eq(publicIds.botId, botId), publicId === null ? undefined : ne(publicIds.publicId, publicId)),
      )
  }
  if (publicId && !(await claim(tx, publicIds, publicIds.publicId, publicId, botId))) {
    return {
      path: ['body', 'bot', 'publicId'],
      code: 'taken',
      message: 'Another bot has this public id; choose another one',
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
  if (domain && (await isHostOfOthers(tx, domain, workspaceId))) {
    const message = 'Another workspace has a domain on this host; choose another host'
    return { path: ['body', 'bot', 'customDomain'], code: 'taken', message }
  }
  if (domain && !(await claim(tx, customDomains, customDomains.domain, domain, botId))) {
    return {
      path: ['body', 'bot', 'customDomain'],
      code: 'taken',
      message: 'Another bot has this domain; choose another one',
    }
  }
  if (domain) forgetBotHost(domain)
  return undefined
}

/**
 * True if a bot of another workspace has a domain on the host of this one. Claims of one host come one after the other.
 */
async function isHostOfOthers(tx: Transaction, domain: string, workspaceId: string): Promise<boolean> {
  const host = hostOfDomain(domain)
  await tx.execute(sql`SELECT pg_advisory_xact_lock(hashtextextended(${host}, 0))`)
  // All of them: those of a deleted workspace may be many, and would hide one of another workspace.
  const ids = await botsAt(tx, host)
  if (ids.length === 0) return false
  const [other] = await tx
    .select({ id: bots.id })
    .from(bots)
    .where(and(sql`${bots.id} = ANY(${sql.param(ids)})`, ne(bots.workspaceId, workspaceId), isBotVisible()))
    .limit(1)
  return other !== undefined
}

/** Claims a name for a bot; false where another bot has it. */
async function claim(
  tx: Transaction,
  table: PgTable,
  column: Column,
  name: string,
  botId: string,
): Promise<boolean> {
  const insert = () =>
    tx.execute(sql`
      INSERT INTO ${table} (${sql.identifier(column.name)}, bot_id) VALUES (${name}, ${botId}) ON CONFLICT DO NOTHING`)
  const readHolder = async () => {
    const [row] = await selectRows(
      tx,
      { id: expression(sql`bot_id`, 'text') },
      (list) => sql`SELECT ${list} FROM ${table} WHERE ${column} = ${name}`,
    )
    return row?.id
  }
  await insert()
  const holder = await readHolder()
  if (holder === botId) return true
  if (holder === undefined || !(await isOfDeleted(tx, holder))) return false
  await tx.execute(sql`DELETE FROM ${table} WHERE ${column} = ${name} AND bot_id = ${holder}`)
  await insert()
  return (await readHolder()) === botId
}

/** True if the names of a bot count as free: its workspace is deleted and not yet purged. */
async function isOfDeleted(tx: Transaction, botId: string): Promise<boolean> {
  const [bot] = await tx
    .select({ isAlive: sql<boolean>`${isBotVisible()}` })
    .from(bots)
    .where(eq(bots.id, botId))
  return bot?.isAlive === false
}
