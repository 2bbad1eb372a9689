import {
  currentVersions,
  edges,
  events,
  groups,
  settings,
  theme,
  variables,
} from '../../contract/bot-document/index.ts'
import {
  botIcon,
  botName,
  nullableResultsTablePreferences,
  selectedThemeTemplateId,
} from '../../contract/bots/schemas.ts'
import type { Issue } from '../../contract/errors.ts'
import { MAXIMUM_FINDINGS } from '../../contract/publications.ts'
import { z } from '../../contract/zod.ts'
import type { ImportBot, TransferHandlers } from '../../generated/handlers.ts'
import { type Draft, parseDraft, partNames, toFlow, withDraft } from '../bots/drafts.ts'
import { checkFlow } from '../bots/flow-check.ts'
import type { Contexts } from '../context.ts'
import { convert, type FlowDocument, repairImported } from '../conversion/index.ts'
import { toIssues } from '../http/issues.ts'
import { newId } from '../ids.ts'
import { JsonText, stored } from '../json/json-text.ts'
import { insertBot, toBot } from './bots.ts'
import { folderIn } from './folders.ts'

export const transfer: TransferHandlers<Contexts> = {
  async importBot({ body, texts }, reply, { db, grant, now }) {
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
    const issue = await insertBot(db, row, flow.draft)
    if (issue) return reply.fail('BAD_REQUEST', [noSuchFolder])
    const warnings = [...header.warnings, ...flow.warnings].slice(0, MAXIMUM_FINDINGS)
    return reply.ok({ bot: toBot(row, flow.draft), warnings })
  },

  async exportBot(_request, reply, { db, grant }) {
    const found = await withDraft(db, grant)
    if (!found) return reply.fail('NOT_FOUND')
    const { bot, draft } = found
    return reply.ok({
      bot: {
        version: bot.version,
        name: bot.name,
        icon: bot.icon,
        ...toFlow(draft),
        selectedThemeTemplateId: bot.selectedThemeTemplateId,
        resultsTablePreferences: bot.resultsTablePreferences && stored(bot.resultsTablePreferences),
        isClosed: bot.isClosed,
      },
    })
  },

  async checkBot(_request, reply, { db, grant }) {
    const found = await withDraft(db, grant)
    if (!found) return reply.fail('NOT_FOUND')
    return reply.ok({
      findings: checkFlow(parseDraft(found.bot.version, found.draft)).slice(0, MAXIMUM_FINDINGS),
    })
  },
}

const noSuchFolder: Issue = {
  path: ['body', 'folderId'],
  code: 'unknown_folder',
  message: 'There is no such folder in the workspace',
}

type Document = ImportBot['body']['bot']

const currentFlow = z.looseObject({ groups, events, edges, variables, theme, settings })

interface ImportedFlow {
  version: '6' | '6.1'
  draft: Draft
  isPubliclyShared: boolean
  warnings: Issue[]
}

/**
 * The flow of a document, repaired and, from a legacy version, converted. Parts that come out as they went
 * in keep their text.
 */
function importFlow(document: Document, texts: Map<string, string>): ImportedFlow | { issues: Issue[] } {
  const repaired = repairImported(document as FlowDocument)
  const flow = isCurrent(repaired.document.version) ? repaired.document : convert(repaired.document, '6.1')
  const checked = currentFlow.safeParse(flow)
  if (!checked.success) return { issues: toIssues(checked.error, ['body', 'bot']) }
  const draft = Object.fromEntries(
    partNames.map((name) => {
      const text = flow[name] === document[name] ? texts.get(name) : undefined
      return [name, new JsonText(text ?? JSON.stringify(flow[name]))]
    }),
  ) as unknown as Draft
  return {
    version: isCurrent(flow.version) ? flow.version : '6.1',
    draft,
    isPubliclyShared: checked.data.settings.publicShare?.isEnabled === true,
    warnings: repaired.warnings,
  }
}

function isCurrent(version: unknown): version is '6' | '6.1' {
  return (currentVersions as readonly unknown[]).includes(version)
}

/** What a document says beside its flow, as far as it can be kept. */
function importHeader(document: Document) {
  const warnings: Issue[] = []
  const kept = <T>(name: string, schema: z.ZodType<T>, fallback: T): T => {
    if (document[name] === undefined) return fallback
    const checked = schema.safeParse(document[name])
    if (checked.success) return checked.data
    const [issue] = checked.error.issues
    warnings.push({ path: [name], code: 'dropped', message: `Was not taken over: ${issue?.message ?? ''}` })
    return fallback
  }
  const preferences = kept('resultsTablePreferences', nullableResultsTablePreferences, null)
  return {
    warnings,
    columns: {
      name: kept('name', botName, 'My bot'),
      icon: kept('icon', botIcon, null),
      selectedThemeTemplateId: kept('selectedThemeTemplateId', selectedThemeTemplateId, null),
      resultsTablePreferences: preferences && new JsonText(JSON.stringify(document.resultsTablePreferences)),
      isClosed: kept('isClosed', z.boolean(), false),
    },
  }
}
