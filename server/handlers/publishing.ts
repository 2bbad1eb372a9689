import type { PublishingHandlers } from '../../generated/handlers.ts'
import type { components } from '../../generated/openapi.ts'
import { convertDraft, flowParts } from '../bots/drafts.ts'
import { countFindings } from '../bots/flow-check.ts'
import {
  assignPublicId,
  type Published,
  publishDraft,
  publishedCopy,
  publishedNow,
  unpublish,
} from '../bots/publish.ts'
import { botTag } from '../bots/rows.ts'
import type { Contexts } from '../context.ts'
import { Rollback, transact } from '../db/client.ts'
import { entityTag, hasConditions } from '../entity-tags.ts'

export const publishing: PublishingHandlers<Contexts> = {
  async publishBot({ conditions }, reply, { db, grant, now, chat }) {
    const hasMail = chat.sendEmail !== null
    let outcome =
      grant.bot.publicId === null
        ? { changed: true as const }
        : await publishDraft(db, grant, conditions, now, hasMail)
    if ('changed' in outcome) {
      // Without a public id, or when an update came between reading and copying: under a lock.
      outcome = await transact(db, async (tx) => {
        await assignPublicId(tx, grant, conditions)
        const again = await publishDraft(tx, grant, conditions, now, hasMail)
        if (!('findings' in again)) throw new Rollback(again)
        return again
      })
    }
    if ('stale' in outcome) return reply.stale(conditions, botTag(outcome.stale, grant.role))
    return 'findings' in outcome
      ? reply.ok({ message: 'success', findings: countFindings(outcome.findings) })
      : reply.fail('FORBIDDEN')
  },

  async unpublishBot(_request, reply, { db, grant, now }) {
    await unpublish(db, grant, now)
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
    if (!published) return reply.fail('NOT_FOUND')
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
