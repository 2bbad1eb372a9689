import { MAX_FIRST_ERRORS } from '../../contract/publications.ts'
import type { PublishingHandlers } from '../../generated/handlers.ts'
import type { components } from '../../generated/openapi.ts'
import { checkDraft, checkedService, incompleteCheck } from '../bots/check.ts'
import { findPublication, findPublishedCopy, type Published, publish, unpublish } from '../bots/publish.ts'
import { type BotRow, createBotTag } from '../bots/rows.ts'
import type { Contexts } from '../context.ts'
import { flowParts, latestPublication, readDraft } from '../documents/drafts.ts'
import { digestRecordState, entityTag } from '../entity-tags.ts'
import { notPublished } from '../issues/records.ts'
import { hasConditions } from '../kit/conditions.ts'
import { botEvent, withWebhookEvent } from '../webhooks/outbox.ts'

/** Maximum number of checks of a draft that changes meanwhile. */
const MAX_CHECKS = 4

/** A first publish gives the bot its public id, which is a change of the bot too. */
function eventsOfPublish(before: BotRow, bot: BotRow) {
  const published = botEvent('bot.published', bot)
  return before.publicId === bot.publicId ? published : [botEvent('bot.updated', bot), published]
}

export const publishing: PublishingHandlers<Contexts> = {
  async publishBot({ conditions }, respond, context) {
    const { db, grant, now, within, pace } = context
    const service = await checkedService(context, grant.bot)
    for (let attempt = 1; ; attempt += 1) {
      const found = await readDraft(db, grant.bot.id)
      if (!found) return respond.fail('FORBIDDEN')
      const { bot, draft } = found
      // A draft that changes all the time is published without a check rather than not at all.
      const checked =
        attempt === MAX_CHECKS ? incompleteCheck : { bot, ...(await checkDraft(bot, draft, service, pace)) }
      let hasChanged = false
      const answer = await within(async (db) => {
        const outcome = await withWebhookEvent(
          db,
          grant,
          now,
          (tx) => publish(tx, grant, conditions, checked, now),
          (done) => ('bot' in done ? eventsOfPublish(grant.bot, done.bot) : undefined),
        )
        if ('stale' in outcome)
          return respond.preconditionFailed(conditions, createBotTag(outcome.stale, grant.role))
        hasChanged = 'changed' in outcome
        if (!('bot' in outcome)) return respond.fail('FORBIDDEN')
        const { errorsFound, warningsFound, findings } = checked
        const firstErrors = findings.filter(({ severity }) => severity === 'error').slice(0, MAX_FIRST_ERRORS)
        return respond.ok(
          { message: 'success', errorsFound, warningsFound, firstErrors },
          createBotTag(outcome.bot, grant.role),
        )
      })
      if (!hasChanged) return answer
    }
  },

  async unpublishBot({ conditions }, respond, { db, grant, now }) {
    const outcome = await withWebhookEvent(
      db,
      grant,
      now,
      (tx) => unpublish(tx, grant, conditions, now),
      (done) => ('bot' in done && done.wasPublished ? botEvent('bot.unpublished', done.bot) : undefined),
    )
    if ('stale' in outcome)
      return respond.preconditionFailed(conditions, createBotTag(outcome.stale, grant.role))
    if ('isDeleted' in outcome) return respond.fail('FORBIDDEN')
    return respond.ok({ message: 'success' }, createBotTag(outcome.bot, grant.role))
  },

  async getPublishedBot({ query, conditions }, respond, { db, grant }) {
    const tagOf = (row: Published) =>
      entityTag(
        digestRecordState(row.id, [grant.bot.id, row.createdAt, row.updatedAt, row.publicationId]),
        query.migrateToLatestVersion === true,
      )
    // A conditional request first checks which copy is live.
    const known = hasConditions(conditions) ? await findPublication(db, grant) : undefined
    const notModified = known && respond.notModified(conditions, tagOf(known))
    if (notModified) return notModified
    const published = await findPublishedCopy(db, grant)
    if (!published) return respond.fail('NOT_FOUND', [notPublished])
    const { version, id, createdAt, updatedAt, publicationId, ...draft } = published
    const shown = query.migrateToLatestVersion
      ? latestPublication(publicationId, version, draft)
      : { version, draft }
    const copy = {
      id,
      version: shown.version,
      createdAt: createdAt.toISOString(),
      updatedAt: updatedAt.toISOString(),
      botId: grant.bot.id,
      ...flowParts(shown.draft),
    } satisfies components['schemas']['PublishedBot']
    return respond.ok({ publishedBot: copy, version }, tagOf(published))
  },
}
