import { and, eq, inArray, or, sql } from 'drizzle-orm'
import type { BotGrant } from '../access/index.ts'
import type { Database } from '../db/client.ts'
import { after, newestFirst, type Position } from '../db/page.ts'
import { publishedBots, botPublications as table } from '../db/schema.ts'

const isLive = sql<boolean>`coalesce(${publishedBots.publicationId} = ${table.id}, false)`

/** Publications of a bot after a position, newest first. */
export function publicationPage(db: Database, { bot }: BotGrant, position: Position, limit: number) {
  return db
    .select({
      id: table.id,
      createdAt: table.createdAt,
      publishedBy: table.publishedBy,
      version: table.version,
      isLive,
    })
    .from(table)
    .leftJoin(publishedBots, eq(publishedBots.botId, table.botId))
    .where(and(eq(table.botId, bot.id), after(table.createdAt, table.id, position)))
    .orderBy(...newestFirst(table.createdAt, table.id))
    .limit(limit)
}

/** Reads the id and time of a publication, and if it is live, without its flow. */
export async function publicationState(db: Database, { bot }: BotGrant, id: string) {
  const [row] = await db
    .select({ id: table.id, createdAt: table.createdAt, isLive })
    .from(table)
    .leftJoin(publishedBots, eq(publishedBots.botId, table.botId))
    .where(and(eq(table.botId, bot.id), eq(table.id, id)))
  return row
}

const flowColumns = {
  id: table.id,
  createdAt: table.createdAt,
  version: table.version,
  isLive,
  groups: table.groups,
  events: table.events,
  edges: table.edges,
  variables: table.variables,
  theme: table.theme,
  settings: table.settings,
}

/** One publication of the bot, with its flow. */
export async function publicationOf(db: Database, { bot }: BotGrant, id: string) {
  const [row] = await db
    .select({ ...flowColumns, publishedBy: table.publishedBy, warnings: table.warnings })
    .from(table)
    .leftJoin(publishedBots, eq(publishedBots.botId, table.botId))
    .where(and(eq(table.botId, bot.id), eq(table.id, id)))
  return row
}

/** Publications of the bot with these ids, with their flows; `published` is the live one. */
export async function publicationsToCompare(db: Database, { bot }: BotGrant, ids: readonly string[]) {
  const wanted = or(inArray(table.id, [...ids]), ids.includes('published') ? isLive : undefined)
  return db
    .select(flowColumns)
    .from(table)
    .leftJoin(publishedBots, eq(publishedBots.botId, table.botId))
    .where(and(eq(table.botId, bot.id), wanted))
}
