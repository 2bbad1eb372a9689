import type { Issue } from '../../contract/errors.ts'
import { MAX_FINDINGS } from '../../contract/publications.ts'
import type { TransferHandlers } from '../../generated/handlers.ts'
import { checkDocument, checkDraft, checkedService } from '../bots/check.ts'
import { initialColumns, insertBot } from '../bots/create.ts'
import { importFlow, importHeader, unknownLinks } from '../bots/import.ts'
import { type BotRow, createBotTag, toBot } from '../bots/rows.ts'
import { withSharingOf } from '../bots/sharing.ts'
import { isFolderOf } from '../bots/update.ts'
import type { Contexts } from '../context.ts'
import { flowParts, readGrantedDraft } from '../documents/drafts.ts'
import { asProperty, JsonText } from '../kit/json/json-text.ts'
import { botEvent, withWebhookEvent } from '../webhooks/outbox.ts'
import { folderIn } from '../workspaces/folders.ts'

export const transfer: TransferHandlers<Contexts> = {
  async importBot({ body, texts }, respond, context) {
    const { db, grant, now, within } = context
    const folderId = body.folderId ?? null
    if (folderId !== null && !(await folderIn(db, grant, folderId))) {
      return respond.fail('BAD_REQUEST', [noSuchFolder])
    }
    const given = texts('bot')
    const flow = importFlow(body.bot, given)
    if ('issues' in flow) return respond.fail('BAD_REQUEST', flow.issues)
    const header = importHeader(body.bot, given)
    const row = {
      ...initialColumns(now),
      workspaceId: grant.workspace.id,
      folderId,
      version: flow.version,
      ...header.columns,
    }
    const service = await checkedService(context, row)
    const check = await checkDocument(
      grant.workspace.id,
      flow.document,
      service,
      context.pace,
      dependsOnPlace,
    )
    return within(async (db) => {
      const rejection = await withWebhookEvent(
        db,
        grant,
        now,
        (tx) => insertBot(tx, row, flow.draft, { by: grant.caller, operation: 'importBot' }),
        (failed) => (failed ? undefined : botEvent('bot.created', row)),
      )
      if (rejection)
        return 'isDeleted' in rejection
          ? respond.fail('NOT_FOUND')
          : respond.fail('BAD_REQUEST', [noSuchFolder])
      const links = await unknownLinks(db, grant, flow.linkedBots)
      const warnings = [...header.warnings, ...flow.warnings, ...links, ...check.findings]
      const { errorsFound, warningsFound } = check
      return respond.ok({
        bot: toBot(row, flow.draft),
        warnings: warnings.slice(0, MAX_FINDINGS),
        errorsFound,
        warningsFound,
      })
    })
  },

  async duplicateBot({ body }, respond, { db, grant, now }) {
    const found = await readGrantedDraft(db, grant)
    if (!found) return respond.fail('NOT_FOUND')
    const { bot, draft } = found
    const folderId = body.folderId === undefined ? bot.folderId : body.folderId
    if (folderId !== null && folderId !== bot.folderId && !(await isFolderOf(db, bot, folderId))) {
      return respond.fail('BAD_REQUEST', [noSuchFolder])
    }
    const row = { ...bot, ...initialColumns(now), folderId, name: body.name ?? copyName(bot.name) }
    const copy = { ...draft, settings: withSharingOf(draft.settings, new JsonText('{}')) }
    const rejection = await withWebhookEvent(
      db,
      grant,
      now,
      (tx) => insertBot(tx, row, copy, { by: grant.caller, operation: 'duplicateBot' }),
      (failed) => (failed ? undefined : botEvent('bot.created', row)),
    )
    if (rejection)
      return 'isDeleted' in rejection
        ? respond.fail('NOT_FOUND')
        : respond.fail('BAD_REQUEST', [noSuchFolder])
    return respond.ok({ bot: toBot(row, copy) }, createBotTag(row, grant.role))
  },

  async exportBot({ conditions }, respond, { db, grant }) {
    const tagOf = (bot: BotRow) => createBotTag(bot, grant.role, 'export')
    const notModified = respond.notModified(conditions, tagOf(grant.bot))
    if (notModified) return notModified
    const found = await readGrantedDraft(db, grant)
    if (!found) return respond.fail('NOT_FOUND')
    const { bot, draft } = found
    return respond.ok(
      {
        bot: {
          version: bot.version,
          name: bot.name,
          icon: bot.icon,
          ...flowParts(draft),
          selectedThemeTemplateId: bot.selectedThemeTemplateId,
          resultsTablePreferences: bot.resultsTablePreferences && asProperty(bot.resultsTablePreferences),
          isClosed: bot.isClosed,
        },
      },
      tagOf(bot),
    )
  },

  async checkBot(_request, respond, context) {
    const found = await readGrantedDraft(context.db, context.grant)
    if (!found) return respond.fail('NOT_FOUND')
    const service = await checkedService(context, found.bot)
    const { findings } = await checkDraft(found.bot, found.draft, service, context.pace)
    return respond.ok({ findings })
  },
}

/** Findings that depend on the workspace a document is imported into, and those about the check itself. */
const dependsOnPlace = new Set([
  'skipped_block',
  'missing_credentials',
  'closed_address',
  'foreign_address',
  'no_file_store',
  'needs_chat_host',
  'no_mail_server',
  'check_incomplete',
])

/** A name of at most 255 characters. */
function copyName(name: string): string {
  const suffix = ' (copy)'
  return [...name].slice(0, 255 - suffix.length).join('') + suffix
}

const noSuchFolder: Issue = {
  path: ['body', 'folderId'],
  code: 'unknown_folder',
  message: 'There is no such folder in the workspace',
}
