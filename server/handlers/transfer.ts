import type { Issue } from '../../contract/errors.ts'
import { MAXIMUM_FINDINGS } from '../../contract/publications.ts'
import type { TransferHandlers } from '../../generated/handlers.ts'
import { insertBot } from '../bots/create.ts'
import { flowParts, parseDraft, withDraft } from '../bots/drafts.ts'
import { checkFlow, countFindings } from '../bots/flow-check.ts'
import { importFlow, importHeader, unknownLinks } from '../bots/import.ts'
import { type BotRow, botTag, toBot } from '../bots/rows.ts'
import type { Contexts } from '../context.ts'
import { newId } from '../ids.ts'
import { stored } from '../json/json-text.ts'
import { botEvent, telling } from '../webhooks/outbox.ts'
import { credentialTypes } from '../workspaces/credentials.ts'
import { folderIn } from '../workspaces/folders.ts'

export const transfer: TransferHandlers<Contexts> = {
  async importBot({ body, texts }, reply, { db, grant, now, chat, files }) {
    const folderId = body.folderId ?? null
    if (folderId !== null && !(await folderIn(db, grant, folderId))) {
      return reply.fail('BAD_REQUEST', [noSuchFolder])
    }
    const flow = importFlow(body.bot, texts('bot'))
    if ('issues' in flow) return reply.fail('BAD_REQUEST', flow.issues)
    const header = importHeader(body.bot)
    const row = {
      id: newId(now),
      workspaceId: grant.workspace.id,
      folderId,
      publicId: null,
      customDomain: null,
      version: flow.version,
      revision: 1,
      isPubliclyShared: flow.isPubliclyShared,
      messagingCredentialsId: null,
      riskLevel: null,
      resultsFloorAt: null,
      createdAt: now,
      updatedAt: now,
      draftUpdatedAt: now,
      deletedAt: null,
      ...header.columns,
    }
    const refused = await telling(
      db,
      grant,
      now,
      (tx) => insertBot(tx, row, flow.draft, { by: grant.caller, operation: 'importBot' }),
      (failed) => (failed ? undefined : botEvent('bot.created', row)),
    )
    if (refused)
      return 'gone' in refused ? reply.fail('NOT_FOUND') : reply.fail('BAD_REQUEST', [noSuchFolder])
    const links = await unknownLinks(db, grant, flow.linkedBots)
    const credentials = await credentialTypes(db, grant.workspace.id)
    const service = { hasMail: chat.sendEmail !== null, hasFiles: files !== null, credentials }
    const findings = checkFlow(flow.document, service)
    // What of it depends on the place that it was brought to.
    const skipped = findings.filter(({ code }) => code === 'skipped_block' || code === 'missing_credentials')
    const warnings = [...header.warnings, ...flow.warnings, ...links, ...skipped].slice(0, MAXIMUM_FINDINGS)
    return reply.ok({ bot: toBot(row, flow.draft), warnings, ...countFindings(findings) })
  },

  async exportBot({ conditions }, reply, { db, grant }) {
    const tagOf = (bot: BotRow) => botTag(bot, grant.role, 'export')
    const unread = reply.unread(conditions, tagOf(grant.bot))
    if (unread) return unread
    const found = await withDraft(db, grant)
    if (!found) return reply.fail('NOT_FOUND')
    const { bot, draft } = found
    return reply.ok(
      {
        bot: {
          version: bot.version,
          name: bot.name,
          icon: bot.icon,
          ...flowParts(draft),
          selectedThemeTemplateId: bot.selectedThemeTemplateId,
          resultsTablePreferences: bot.resultsTablePreferences && stored(bot.resultsTablePreferences),
          isClosed: bot.isClosed,
        },
      },
      tagOf(bot),
    )
  },

  async checkBot(_request, reply, { db, grant, chat, files }) {
    const found = await withDraft(db, grant)
    if (!found) return reply.fail('NOT_FOUND')
    const document = parseDraft(found.bot.version, found.draft)
    const credentials = await credentialTypes(db, grant.bot.workspaceId)
    const service = { hasMail: chat.sendEmail !== null, hasFiles: files !== null, credentials }
    const findings = checkFlow(document, service)
    return reply.ok({ findings: findings.slice(0, MAXIMUM_FINDINGS) })
  },
}

const noSuchFolder: Issue = {
  path: ['body', 'folderId'],
  code: 'unknown_folder',
  message: 'There is no such folder in the workspace',
}
