import type { PublishingHandlers } from '../../generated/handlers.ts'
import type { components } from '../../generated/openapi.ts'
import { convertDraft, flowParts } from '../bots/drafts.ts'
import { countFindings } from '../bots/flow-check.ts'
import { type Published, publish, publishedCopy, publishedNow, unpublish } from '../bots/publish.ts'
import { botTag } from '../bots/rows.ts'
import type { Contexts } from '../context.ts'
import { entityTag, hasConditions } from '../entity-tags.ts'
import { notPublished } from '../issues.ts'
import { botEvent, telling } from '../webhooks/outbox.ts'

export const publishing: PublishingHandlers<Contexts> = {
  async publishBot({ conditions }, reply, { db, grant, now, chat, files }) {
    const service = { hasMail: chat.sendEmail !== null, hasFiles: files !== null }
    const outcome = await telling(
      db,
      grant,
      now,
      (within) => publish(within, grant, conditions, now, service),
      (done) => ('findings' in done ? botEvent('bot.published', done.bot) : undefined),
    )
    if ('stale' in outcome) return reply.stale(conditions, botTag(outcome.stale, grant.role))
    return 'findings' in outcome
      ? reply.ok({ message: 'success', ...countFindings(outcome.findings) })
      : reply.fail('FORBIDDEN')
  },

  async unpublishBot(_request, reply, { db, grant, now }) {
    await telling(
      db,
      grant,
      now,
      (tx) => unpublish(tx, grant, now),
      (wasPublished) => (wasPublished ? botEvent('bot.unpublished', grant.bot) : undefined),
    )
    return reply.ok({ message: 'success' })
  },

  async getPublishedBot({ query, conditions }, reply, { db, grant }) {
    const tagOf = (row: Published) =>
      entityTag(row, [grant.bot.id, row.createdAt, row.publicationId, query.migrateToLatestVersion === true])
    // Only a caller who has it already asks which copy it is first.
    const known = hasConditions(conditions) ? await publishedNow(db, grant) : undefined
    const unread = known && reply.unread(conditions, tagOf(known))
    if (unread) return unread
    const published = await publishedCopy(db, grant)
    if (!published) return reply.fail('NOT_FOUND', [notPublished])
    const { version, id, createdAt, updatedAt, publicationId: _, ...draft } = published
    const shown = query.migrateToLatestVersion ? convertDraft(version, draft, '6.1') : { version, draft }
    const copy = {
      id,
      version: shown.version,
      createdAt: createdAt.toISOString(),
      updatedAt: updatedAt.toISOString(),
      botId: grant.bot.id,
      ...flowParts(shown.draft),
    } satisfies components['schemas']['PublishedBot']
    return reply.ok({ publishedBot: copy, version }, tagOf(published))
  },
}
