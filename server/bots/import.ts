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
import { type FlowFinding, MAXIMUM_FINDINGS } from '../../contract/publications.ts'
import { z } from '../../contract/zod.ts'
import type { ImportBot } from '../../generated/handlers.ts'
import type { WorkspaceGrant } from '../access/index.ts'
import { convert, type FlowDocument, linkedBots, repairImported } from '../conversion/index.ts'
import type { Database } from '../db/client.ts'
import { bots } from '../db/schema.ts'
import { toIssues } from '../http/issues.ts'
import { JsonText } from '../json/json-text.ts'
import { type Draft, partNames } from './drafts.ts'

/* What becomes of a document that is imported. */

type Document = ImportBot['body']['bot']

const currentFlow = z.looseObject({ groups, events, edges, variables, theme, settings })

interface ImportedFlow {
  version: '6' | '6.1'
  /** What `draft` was made of. */
  document: FlowDocument
  draft: Draft
  isPubliclyShared: boolean
  warnings: FlowFinding[]
  /** The ids of other bots that the document links, with the path of the first link of each. */
  linkedBots: Map<string, Issue['path']>
}

/**
 * The flow of a document, repaired and, from a legacy version, converted. Parts that come out as they went
 * in keep their text.
 */
export function importFlow(
  document: Document,
  texts: Map<string, Buffer>,
): ImportedFlow | { issues: Issue[] } {
  const repaired = repairImported(document as FlowDocument)
  const flow = isCurrent(repaired.document.version) ? repaired.document : convert(repaired.document, '6.1')
  const checked = currentFlow.safeParse(flow)
  if (!checked.success) return { issues: toIssues(checked.error, ['body', 'bot'], currentFlow) }
  const draft = Object.fromEntries(
    partNames.map((name) => {
      const text = flow[name] === document[name] ? texts.get(name) : undefined
      return [name, new JsonText(text ?? JSON.stringify(flow[name]))]
    }),
  ) as unknown as Draft
  return {
    version: isCurrent(flow.version) ? flow.version : '6.1',
    document: flow,
    draft,
    isPubliclyShared: checked.data.settings.publicShare?.isEnabled === true,
    warnings: repaired.warnings,
    linkedBots: linkedBots(repaired.document),
  }
}

function isCurrent(version: unknown): version is '6' | '6.1' {
  return (currentVersions as readonly unknown[]).includes(version)
}

/** What a document says beside its flow, as far as it can be kept. */
export function importHeader(document: Document) {
  const warnings: FlowFinding[] = []
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

/** Links to bots that are not in the workspace. They are kept, because the bot may be imported later. */
export async function unknownLinks(
  db: Database,
  { workspace }: WorkspaceGrant,
  linked: ImportedFlow['linkedBots'],
): Promise<FlowFinding[]> {
  if (linked.size === 0) return []
  // More than can be reported need not be looked up.
  const ids = [...linked.keys()].slice(0, MAXIMUM_FINDINGS)
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
