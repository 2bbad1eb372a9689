import { eq, sql } from 'drizzle-orm'
import { legacyVersions } from '../contract/bot-document/index.ts'
import type { BotGrant } from './access.ts'
import { convert, type FlowDocument } from './conversion/index.ts'
import { type Database, statements } from './db/client.ts'
import { botDrafts, type bots } from './db/schema.ts'
import { JsonText, stored } from './json-text.ts'

/** The parts of a flow document as they are stored. Events are null in the legacy versions. */
export interface Draft {
  groups: JsonText
  events: JsonText | null
  edges: JsonText
  variables: JsonText
  theme: JsonText
  settings: JsonText
}

export const partNames = ['groups', 'events', 'edges', 'variables', 'theme', 'settings'] as const

export type Version = (typeof bots.$inferSelect)['version']

export function isLegacy(version: Version): version is '3' | '4' | '5' {
  return (legacyVersions as readonly string[]).includes(version)
}

/** The parts as properties of a reply. */
export function toFlow(draft: Draft) {
  return {
    groups: stored(draft.groups),
    events: stored(draft.events ?? none),
    edges: stored(draft.edges),
    variables: stored(draft.variables),
    theme: stored(draft.theme),
    settings: stored(draft.settings),
  }
}

const none = new JsonText('null')

export const draftColumns = {
  groups: botDrafts.groups,
  events: botDrafts.events,
  edges: botDrafts.edges,
  variables: botDrafts.variables,
  theme: botDrafts.theme,
  settings: botDrafts.settings,
}

const draftStatements = statements((db, named) => ({
  draft: db
    .select(draftColumns)
    .from(botDrafts)
    .where(eq(botDrafts.botId, sql.placeholder('botId')))
    .prepare(named('draft')),
}))

/** The draft of a bot; undefined when the bot was removed since its grant. */
export async function draftOf(db: Database, { bot }: BotGrant): Promise<Draft | undefined> {
  const [draft] = await draftStatements(db).draft.execute({ botId: bot.id })
  return draft
}

/** The stored parts as one parsed document. */
export function parseDraft(version: Version, draft: Draft): FlowDocument {
  const document: Record<string, unknown> = { version }
  for (const name of partNames) document[name] = draft[name] === null ? null : JSON.parse(draft[name].text)
  return document as unknown as FlowDocument
}

/** The draft in another version. Parts that the conversion leaves alone keep their text. */
export function convertDraft(
  version: Version,
  draft: Draft,
  target: '6' | '6.1',
): { version: Version; draft: Draft } {
  const document = parseDraft(version, draft)
  const converted = convert(document, target)
  const result: Draft = { ...draft }
  for (const name of partNames) {
    if (converted[name] !== document[name]) result[name] = new JsonText(JSON.stringify(converted[name]))
  }
  return { version: converted.version as Version, draft: result }
}
