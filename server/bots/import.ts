import { and, eq, inArray, isNull } from 'drizzle-orm'
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
import { z } from '../../contract/kit/zod.ts'
import { type FlowFinding, MAX_FINDINGS } from '../../contract/publications.ts'
import type { ImportBot } from '../../generated/handlers.ts'
import type { WorkspaceGrant } from '../access/index.ts'
import type { Database } from '../db/client.ts'
import { bots } from '../db/schema.ts'
import {
  convert,
  type FlowDocument,
  linkedBots,
  nameEdges,
  pathsBefore,
  repairImported,
} from '../documents/conversion/index.ts'
import { type Draft, partNames } from '../documents/drafts.ts'
import { changedText } from '../json/changed-text.ts'
import { toIssues } from '../kit/issues/validation.ts'
import { JsonText } from '../kit/json/json-text.ts'
import { nullableJson } from './rows.ts'

/* Conversion of an imported document into a bot. */

type Document = ImportBot['body']['bot']

const currentFlow = z.looseObject({ groups, events, edges, variables, theme, settings })

interface ImportedFlow {
  version: '6' | '6.1'
  /** The document that `draft` was made of. */
  document: FlowDocument
  draft: Draft
  warnings: FlowFinding[]
  /** The ids of other bots that the document links, with the path of the first link of each. */
  linkedBots: Map<string, Issue['path']>
}

/**
 * Returns the flow of a document, repaired and, from a legacy version, converted. Unchanged parts keep their text.
 * Warnings are about the stored document, issues about the one that was sent.
 */
export function importFlow(
  document: Document,
  texts: Map<string, Buffer>,
): ImportedFlow | { issues: Issue[] } {
  const repaired = repairImported(document as FlowDocument)
  const flow = isCurrent(repaired.document.version) ? repaired.document : convert(repaired.document, '6.1')
  const checked = currentFlow.safeParse(flow)
  if (!checked.success) {
    const pathIn = pathsBefore(document as FlowDocument, repaired.document, flow)
    const issues = toIssues(checked.error, [], currentFlow, flow).map((issue) => ({
      ...issue,
      path: ['body', 'bot', ...pathIn(issue.path).map(String)],
    }))
    return { issues }
  }
  const warnings = [...repaired.warnings]
  nameEdges(flow, warnings)
  // It would take effect immediately, while all else waits for a publish.
  if (checked.data.settings.publicShare?.isEnabled === true) {
    const { publicShare: _, ...settings } = flow.settings as Record<string, unknown>
    flow.settings = settings
    const message = 'Public sharing was left out: turn it on where everybody may read the bot.'
    warnings.push({ path: ['settings', 'publicShare'], code: 'dropped', message })
  }
  const draft = Object.fromEntries(
    partNames.map((name) => [name, new JsonText(changedText(flow[name], document[name], texts.get(name)))]),
  ) as unknown as Draft
  return {
    version: isCurrent(flow.version) ? flow.version : '6.1',
    document: flow,
    draft,
    warnings,
    linkedBots: linkedBots(flow),
  }
}

function isCurrent(version: unknown): version is '6' | '6.1' {
  return (currentVersions as readonly unknown[]).includes(version)
}

/** Returns the properties of a document beside its flow, as far as they are stored. */
export function importHeader(document: Document, texts: Map<string, Buffer>) {
  const warnings: FlowFinding[] = []
  const readOr = <T>(name: string, schema: z.ZodType<T>, fallback: T): T => {
    if (document[name] === undefined) return fallback
    const checked = schema.safeParse(document[name])
    if (checked.success) return checked.data
    const [issue] = checked.error.issues
    warnings.push({ path: [name], code: 'dropped', message: `Was not taken over: ${issue?.message ?? ''}` })
    return fallback
  }
  const preferences = readOr('resultsTablePreferences', nullableResultsTablePreferences, null)
  return {
    warnings,
    columns: {
      name: readOr('name', botName, 'My bot'),
      icon: readOr('icon', botIcon, null),
      selectedThemeTemplateId: readOr('selectedThemeTemplateId', selectedThemeTemplateId, null),
      resultsTablePreferences: preferences && nullableJson(texts.get('resultsTablePreferences')),
      isClosed: readOr('isClosed', z.boolean(), false),
    },
  }
}

/** Links to bots that are not in the workspace. They are retained, because the bot may be imported later. */
export async function unknownLinks(
  db: Database,
  { workspace }: WorkspaceGrant,
  linked: ImportedFlow['linkedBots'],
): Promise<FlowFinding[]> {
  if (linked.size === 0) return []
  // More than can be reported need not be looked up.
  const ids = [...linked.keys()].slice(0, MAX_FINDINGS)
  const rows = await db
    .select({ id: bots.id })
    .from(bots)
    .where(and(inArray(bots.id, ids), eq(bots.workspaceId, workspace.id), isNull(bots.deletedAt)))
  const known = new Set(rows.map(({ id }) => id))
  return ids
    .filter((id) => !known.has(id))
    .map((id) => ({
      path: linked.get(id) ?? [],
      code: 'unknown_bot',
      message: `There is no bot ${JSON.stringify(id)} in the workspace, so chats pass over this link.`,
    }))
}
