import { and, eq, sql } from 'drizzle-orm'
import { LRUCache } from 'lru-cache'
import { legacyVersions } from '../../contract/bot-document/index.ts'
import type { BotGrant } from '../access/index.ts'
import { afterCommit, type Database, rootOf, statements } from '../db/client.ts'
import { botDrafts, bots } from '../db/schema.ts'
import { botColumns, isBotVisible } from '../db/visible-bots.ts'
import { asProperty, JsonText } from '../kit/json/json-text.ts'
import { convert, type FlowDocument } from './conversion/index.ts'

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

/** The parts as properties of a response. */
export function flowParts(draft: Draft) {
  return {
    groups: asProperty(draft.groups),
    events: asProperty(draft.events ?? none),
    edges: asProperty(draft.edges),
    variables: asProperty(draft.variables),
    theme: asProperty(draft.theme),
    settings: asProperty(draft.settings),
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
    .select({ bot: botColumns, draft: draftColumns })
    .from(bots)
    .innerJoin(botDrafts, eq(botDrafts.botId, bots.id))
    .where(and(eq(bots.id, sql.placeholder('botId')), isBotVisible()))
    .prepare(named('draft')),
}))

type BotRow = typeof bots.$inferSelect

/**
 * A granted bot with its draft, both of one revision; undefined if the bot was deleted since its grant. The
 * bot may be newer than the grant's.
 */
export async function readGrantedDraft(
  db: Database,
  { bot }: BotGrant,
): Promise<{ bot: BotRow; draft: Draft } | undefined> {
  const cached = getCachedDraft(db, bot)
  return cached ? { bot, draft: cached } : readDraft(db, bot.id)
}

/** A bot with its draft as they are now; undefined if the bot was deleted. */
export async function readDraft(
  db: Database,
  botId: string,
): Promise<{ bot: BotRow; draft: Draft } | undefined> {
  const [row] = await draftStatements(db).draft.execute({ botId })
  if (row) cacheDraft(db, row.bot, row.draft)
  return row
}

/**
 * Drafts that were read or written lately, each with the change of the bot that wrote it. Every request reads the
 * bot's row, which names that change, and so detects writes of other processes and a database that was restored from
 * a backup.
 */
const caches = new WeakMap<Database, LRUCache<string, CachedDraft>>()

interface CachedDraft {
  draftUpdatedAt: number | undefined
  draft: Draft
}

/** In characters, of which each takes one byte or two, and up to three in a part that was sent. */
const MAX_CACHED_DRAFT_CHARACTERS = 32 * 1024 * 1024

/** Returns the draft of this row from the cache, if it is there. */
export function getCachedDraft(db: Database, bot: BotRow): Draft | undefined {
  const cached = caches.get(rootOf(db))?.get(bot.id)
  return cached && cached.draftUpdatedAt === bot.draftUpdatedAt?.getTime() ? cached.draft : undefined
}

/** Caches a draft, in a transaction once it commits. */
export function cacheDraft(db: Database, { id, draftUpdatedAt }: BotRow, draft: Draft) {
  afterCommit(db, () => cacheOf(rootOf(db)).set(id, { draftUpdatedAt: draftUpdatedAt?.getTime(), draft }))
}

function cacheOf(root: Database): LRUCache<string, CachedDraft> {
  let cache = caches.get(root)
  if (!cache) {
    cache = new LRUCache({
      maxSize: MAX_CACHED_DRAFT_CHARACTERS,
      sizeCalculation: ({ draft }) => countDraftCharacters(draft),
    })
    caches.set(root, cache)
  }
  return cache
}

/** Characters of a document. */
export function countDraftCharacters(draft: Draft): number {
  return partNames.reduce((size, name) => size + (draft[name]?.length ?? 0), 1)
}

/** The stored parts as one parsed document. */
export function parseDraft(version: Version, draft: Draft): FlowDocument {
  const document: Record<string, unknown> = { version }
  for (const name of partNames) document[name] = draft[name] === null ? null : JSON.parse(draft[name].text)
  return document as unknown as FlowDocument
}

/**
 * The draft in another version. In the same version it is not parsed; parts that the conversion does not change
 * retain their text.
 */
export function convertDraft(
  version: Version,
  draft: Draft,
  target: Version,
): { version: Version; draft: Draft } {
  if (version === target) return { version, draft }
  const document = parseDraft(version, draft)
  const converted = convert(document, target)
  const result: Draft = { ...draft }
  for (const name of partNames) {
    if (converted[name] !== document[name]) result[name] = new JsonText(JSON.stringify(converted[name]))
  }
  return { version: converted.version as Version, draft: result }
}

interface VersionedDraft {
  version: Version
  draft: Draft
}

/** A character takes at most two bytes. */
const MAX_CONVERTED_BYTES = 32 * 1024 * 1024

/** Drafts and publications that were recently read in another version. */
export const conversions = new LRUCache<string, VersionedDraft>({
  maxSize: MAX_CONVERTED_BYTES,
  sizeCalculation: ({ draft }) => 2 * countDraftCharacters(draft),
})

/** The draft as it is in this row, in the latest version. */
export function latestDraft({ id, version, draftUpdatedAt }: BotRow, draft: Draft): VersionedDraft {
  if (draftUpdatedAt === null) return convertDraft(version, draft, latestVersion)
  return convertOnce(`${id} ${version} ${draftUpdatedAt.getTime()}`, version, draft)
}

/** A publication in the latest version. It never changes. */
export function latestPublication(publicationId: string, version: Version, draft: Draft): VersionedDraft {
  return convertOnce(publicationId, version, draft)
}

function convertOnce(key: string, version: Version, draft: Draft): VersionedDraft {
  if (version === latestVersion) return { version, draft }
  const known = conversions.get(key)
  if (known) return known
  const converted = convertDraft(version, draft, latestVersion)
  conversions.set(key, converted)
  return converted
}

const latestVersion: Version = '6.1'
