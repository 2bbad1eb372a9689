import type { BotsHandlers } from '../../generated/handlers.ts'
import { insertBot, insertBotWithKey, newBot, newDraft } from '../bots/create.ts'
import { botPage, createBotTag, deleteBot, modeOf, noSuchFolder, toBot, toReference } from '../bots/rows.ts'
import { toChange, updateBot } from '../bots/update.ts'
import type { Contexts } from '../context.ts'
import { transact } from '../db/client.ts'
import { toIso } from '../db/iso-time.ts'
import { readPage } from '../db/page.ts'
import { cacheDraft, latestDraft, readGrantedDraft } from '../documents/drafts.ts'
import { reservedDomain } from '../hosts/own.ts'
import { unknownRecord } from '../issues/records.ts'
import { botEvent, withWebhookEvent } from '../webhooks/outbox.ts'
import { folderIn } from '../workspaces/folders.ts'

export const bots: BotsHandlers<Contexts> = {
  async listBots({ query }, respond, { db, grant, cursorKey }) {
    const { folderId } = query
    const scope = ['bots', grant.workspace.id, folderId ?? '']
    const list = await readPage(cursorKey, scope, query, (position, limit) =>
      botPage(db, grant, folderId, position, limit),
    )
    if ('issue' in list) return respond.fail('BAD_REQUEST', [list.issue])
    // A bot in the folder proves that the folder exists; only an empty page needs a query.
    if (list.page.length === 0 && folderId !== undefined && folderId !== 'root') {
      if (!(await folderIn(db, grant, folderId))) {
        return respond.fail('NOT_FOUND', [unknownRecord('query', 'folderId', folderId)])
      }
    }
    return respond.ok({
      bots: list.page.map(({ isBeyond: _, ...row }) => ({
        accessRight: grant.role === 'GUEST' ? 'read' : 'write',
        ...row,
        createdAt: toIso(row.createdAt),
        updatedAt: toIso(row.updatedAt),
        publishedAt: row.publishedAt && toIso(row.publishedAt),
      })),
      nextCursor: list.nextCursor,
    })
  },

  async createBot({ body, texts, prefersMinimal }, respond, context) {
    const { db, grant, now, config, completeKey, within } = context
    const given = texts('bot')
    const row = newBot(body.bot, grant, given, now)
    const draft = newDraft(given, now)
    const by = { by: grant.caller, operation: 'createBot' } as const
    const created = () => {
      const etag = createBotTag(row, grant.role)
      return prefersMinimal
        ? respond.minimal({ bot: toReference(row) }, etag)
        : respond.ok({ bot: toBot(row, draft) }, etag)
    }
    if (completeKey && !grant.hasWebhooks && row.folderId === null) {
      const response = created()
      if (await insertBotWithKey(db, row, draft, by, () => completeKey(response))) return response
    }
    return within(async (db) => {
      const reserved = reservedDomain(config, row.customDomain)
      if (reserved) return respond.fail('BAD_REQUEST', [reserved])
      if (row.folderId !== null && !(await folderIn(db, grant, row.folderId))) {
        return respond.fail('BAD_REQUEST', [noSuchFolder])
      }
      const rejection = await withWebhookEvent(
        db,
        grant,
        now,
        (tx) => insertBot(tx, row, draft, by),
        (failed) => (failed ? undefined : botEvent('bot.created', row)),
      )
      if (!rejection) return created()
      return 'isDeleted' in rejection
        ? respond.fail('FORBIDDEN')
        : respond.fail('BAD_REQUEST', [rejection.issue])
    })
  },

  async getBot({ query, conditions }, respond, { db, grant }) {
    const view = query.migrateToLatestVersion ? 'converted' : 'stored'
    const notModified = respond.notModified(conditions, createBotTag(grant.bot, grant.role, view))
    if (notModified) return notModified
    const found = await readGrantedDraft(db, grant)
    if (!found) return respond.fail('NOT_FOUND')
    const { bot, draft } = found
    const shownDraft = query.migrateToLatestVersion
      ? latestDraft(bot, draft)
      : { version: bot.version, draft }
    return respond.ok(
      {
        bot: toBot({ ...bot, version: shownDraft.version }, shownDraft.draft),
        currentUserMode: modeOf(grant.role),
      },
      createBotTag(bot, grant.role, view),
    )
  },

  async updateBot({ body, texts, conditions, prefersMinimal }, respond, { db, grant, now, config }) {
    const change = toChange(body, texts('bot'), conditions)
    const reserved = reservedDomain(config, change.header.customDomain, grant.bot.customDomain)
    if (reserved) return respond.fail('BAD_REQUEST', [reserved])
    const outcome = await withWebhookEvent(
      db,
      grant,
      now,
      (tx) => updateBot(tx, grant, change, now),
      (done) => ('bot' in done ? botEvent('bot.updated', done.bot) : undefined),
    )
    if ('stale' in outcome)
      return respond.preconditionFailed(conditions, createBotTag(outcome.stale, grant.role))
    if ('isDeleted' in outcome) return respond.fail('NOT_FOUND')
    if ('conflict' in outcome) return respond.fail('CONFLICT', [outcome.conflict])
    if ('issues' in outcome) return respond.fail('BAD_REQUEST', outcome.issues)
    cacheDraft(db, outcome.bot, outcome.draft)
    const etag = createBotTag(outcome.bot, grant.role)
    return prefersMinimal
      ? respond.minimal({ bot: toReference(outcome.bot) }, etag)
      : respond.ok({ bot: toBot(outcome.bot, outcome.draft) }, etag)
  },

  async deleteBot({ conditions }, respond, { db, grant, now }) {
    const outcome = await withWebhookEvent(
      db,
      grant,
      now,
      (within) => transact(within, (tx) => deleteBot(tx, grant, conditions, now)),
      (done) => ('deleted' in done ? botEvent('bot.deleted', done.deleted) : undefined),
    )
    if ('stale' in outcome)
      return respond.preconditionFailed(conditions, createBotTag(outcome.stale, grant.role))
    return 'deleted' in outcome ? respond.ok({ message: 'success' }) : respond.fail('NOT_FOUND')
  },
}
