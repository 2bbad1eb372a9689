import { and, desc, eq, isNull, sql } from 'drizzle-orm'
import type { PublicationsHandlers } from '../../generated/handlers.ts'
import type { BotGrant } from '../access/index.ts'
import { rememberDraft, toFlow } from '../bots/drafts.ts'
import type { Contexts } from '../context.ts'
import { type Database, type Transaction, transact } from '../db/client.ts'
import { after, beginning, cut, type Position, readCursor, writeCursor } from '../db/page.ts'
import { bots, publishedBots, botPublications as table } from '../db/schema.ts'
import { stored } from '../json/json-text.ts'
import { applyChange, toBot } from './bots.ts'

export const publications: PublicationsHandlers<Contexts> = {
  async listPublications({ query }, reply, { db, grant, cursorKey }) {
    const scope = ['publications', grant.bot.id]
    const from =
      query.cursor === undefined ? { position: beginning } : readCursor(cursorKey, scope, query.cursor)
    if ('issue' in from) return reply.fail('BAD_REQUEST', [from.issue])
    const { page, last } = cut(await publicationPage(db, grant, from.position, query.limit), query.limit)
    return reply.ok({
      publications: page.map(({ createdAt, ...row }) => ({ ...row, createdAt: createdAt.toISOString() })),
      nextCursor: last ? writeCursor(cursorKey, scope, last) : null,
    })
  },

  async getPublication({ params }, reply, { db, grant }) {
    const row = await publicationOf(db, grant, params.publicationId)
    if (!row) return reply.fail('NOT_FOUND')
    return reply.ok({
      publication: {
        id: row.id,
        createdAt: row.createdAt.toISOString(),
        publishedBy: row.publishedBy,
        isLive: row.isLive,
        version: row.version,
        botId: grant.bot.id,
        warnings: stored(row.warnings),
        ...toFlow(row),
      },
    })
  },

  async restorePublication({ params }, reply, { db, grant, now }) {
    const restored = await transact(db, async (tx) => {
      const [bot] = await tx
        .select()
        .from(bots)
        .where(and(eq(bots.id, grant.bot.id), isNull(bots.deletedAt)))
        .for('update')
      const row = bot && (await publicationOf(tx, grant, params.publicationId))
      if (!row) return undefined
      const { groups, events, edges, variables, theme, settings } = row
      const { publicShare } = JSON.parse(settings.text) as { publicShare?: { isEnabled?: unknown } }
      return applyChange(
        tx,
        bot,
        {
          version: row.version,
          header: { isPubliclyShared: publicShare?.isEnabled === true },
          parts: { groups, events, edges, variables, theme, settings },
          precondition: undefined,
        },
        now,
      )
    })
    if (!restored || !('bot' in restored)) return reply.fail('NOT_FOUND')
    rememberDraft(db, restored.bot, restored.draft)
    return reply.ok({ bot: toBot(restored.bot, restored.draft) })
  },
}

const isLive = sql<boolean>`coalesce(${publishedBots.publicationId} = ${table.id}, false)`

function publicationPage(db: Database, { bot }: BotGrant, position: Position, limit: number) {
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
    .orderBy(desc(table.createdAt), desc(table.id))
    .limit(limit + 1)
}

async function publicationOf(db: Database | Transaction, { bot }: BotGrant, id: string) {
  const [row] = await db
    .select({
      id: table.id,
      createdAt: table.createdAt,
      publishedBy: table.publishedBy,
      version: table.version,
      isLive,
      warnings: table.warnings,
      groups: table.groups,
      events: table.events,
      edges: table.edges,
      variables: table.variables,
      theme: table.theme,
      settings: table.settings,
    })
    .from(table)
    .leftJoin(publishedBots, eq(publishedBots.botId, table.botId))
    .where(and(eq(table.botId, bot.id), eq(table.id, id)))
  return row
}
