import { legacyVersions } from '../contract/bot-document/index.ts'
import { convert, type FlowDocument } from './conversion/index.ts'
import type { bots } from './db/schema.ts'
import { JsonText } from './json-text.ts'

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
