import type { PublicationsHandlers } from '../../generated/handlers.ts'
import { createBotTag, toBot } from '../bots/rows.ts'
import { restorePublication } from '../bots/update.ts'
import type { Contexts } from '../context.ts'
import { readPage } from '../db/page.ts'
import { cacheDraft, flowParts } from '../documents/drafts.ts'
import { publicationOf, publicationPage, publicationState } from '../documents/publications.ts'
import { digestRecordState, entityTag } from '../entity-tags.ts'
import { hasConditions } from '../kit/conditions.ts'
import { asProperty } from '../kit/json/json-text.ts'
import { botEvent, withWebhookEvent } from '../webhooks/outbox.ts'

export const publications: PublicationsHandlers<Contexts> = {
  async listPublications({ query }, respond, { db, grant, cursorKey }) {
    const scope = ['publications', grant.bot.id]
    const list = await readPage(cursorKey, scope, query, (position, limit) =>
      publicationPage(db, grant, position, limit),
    )
    if ('issue' in list) return respond.fail('BAD_REQUEST', [list.issue])
    return respond.ok({
      publications: list.page.map(({ createdAt, ...row }) => ({
        ...row,
        createdAt: createdAt.toISOString(),
      })),
      nextCursor: list.nextCursor,
    })
  },

  async getPublication({ params, conditions }, respond, { db, grant }) {
    const tagOf = ({ id, createdAt, isLive }: { id: string; createdAt: Date; isLive: boolean }) =>
      entityTag(digestRecordState(id, [createdAt, isLive]), null)
    // All but `isLive` is immutable, so a conditional request is checked by this alone.
    const known = hasConditions(conditions)
      ? await publicationState(db, grant, params.publicationId)
      : undefined
    const notModified = known && respond.notModified(conditions, tagOf(known))
    if (notModified) return notModified
    const row = await publicationOf(db, grant, params.publicationId)
    if (!row) return respond.fail('NOT_FOUND')
    return respond.ok(
      {
        publication: {
          id: row.id,
          createdAt: row.createdAt.toISOString(),
          publishedBy: row.publishedBy,
          isLive: row.isLive,
          version: row.version,
          botId: grant.bot.id,
          warnings: asProperty(row.warnings),
          ...flowParts(row),
        },
      },
      tagOf(row),
    )
  },

  async restorePublication({ params, conditions }, respond, { db, grant, now }) {
    const restored = await withWebhookEvent(
      db,
      grant,
      now,
      (tx) => restorePublication(tx, grant, params.publicationId, conditions, now),
      (done) => ('bot' in done ? botEvent('bot.updated', done.bot) : undefined),
    )
    if ('stale' in restored)
      return respond.preconditionFailed(conditions, createBotTag(restored.stale, grant.role))
    if (!('bot' in restored)) return respond.fail('NOT_FOUND')
    cacheDraft(db, restored.bot, restored.draft)
    return respond.ok({ bot: toBot(restored.bot, restored.draft) }, createBotTag(restored.bot, grant.role))
  },
}
