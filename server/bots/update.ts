import { and, eq, isNull, type Placeholder, sql } from 'drizzle-orm'
import type { PgUpdateSetSource } from 'drizzle-orm/pg-core'
import { normalDomain } from '../../contract/bots/schemas.ts'
import type { Issue } from '../../contract/errors.ts'
import type { Conditions } from '../../contract/kit/operation.ts'
import type { UpdateBot } from '../../generated/handlers.ts'
import type { BotGrant } from '../access/index.ts'
import { newEntry, writeEntry } from '../audit/log.ts'
import { topologyOf } from '../db/citus/topology.ts'
import { type Database, rootOf, statements, transact } from '../db/client.ts'
import { sqlState } from '../db/errors.ts'
import { botDrafts, botPublications, folders, bots as table } from '../db/schema.ts'
import { isBotVisible, shownFolderId } from '../db/visible-bots.ts'
import {
  convertDraft,
  type Draft,
  draftColumns,
  getCachedDraft,
  isLegacy,
  partNames,
} from '../documents/drafts.ts'
import { publicationOf } from '../documents/publications.ts'
import { isStale } from '../kit/conditions.ts'
import { Rollback } from '../kit/idempotency.ts'
import { JsonText } from '../kit/json/json-text.ts'
import { claimNames } from './names.ts'
import { type BotRow, botStateTag, lockBot, noSuchFolder, nullableJson, textOf } from './rows.ts'
import { changedSecurity, withSharingOf } from './sharing.ts'

export interface Change {
  version: BotRow['version']
  /** Columns of the bot that were given. */
  header: Partial<BotRow>
  /** Parts of the draft that were given, as they were sent. */
  parts: Partial<Draft>
  /** The expected `updatedAt` of the stored bot; undefined if any will do. */
  precondition: number | undefined
  conditions: Conditions
}

type Outcome =
  | { bot: BotRow; draft: Draft }
  | { stale: BotRow }
  | { conflict: Issue }
  | { issues: Issue[] }
  | { isDeleted: true }

type BotGiven = UpdateBot['body']['bot']
/** Properties that are ignored are typed as unknown; those of the list below are handled by themselves. */
type HeaderName = {
  [Name in keyof BotGiven]-?: unknown extends BotGiven[Name] ? never : Name
}[keyof BotGiven]
type HandledApart =
  | (typeof partNames)[number]
  | 'version'
  | 'updatedAt'
  | 'resultsTablePreferences'
  | 'riskLevel'

/** Complete by its type: a property that the contract adds does not compile until it has its place. */
const header: Record<Exclude<HeaderName, HandledApart>, true> = {
  name: true,
  icon: true,
  selectedThemeTemplateId: true,
  folderId: true,
  publicId: true,
  customDomain: true,
  isClosed: true,
  messagingCredentialsId: true,
}
export type BotHeader = typeof header
const headerNames = Object.keys(header) as (keyof typeof header)[]

/** The change of a request: given properties, with documents in the text that was sent. */
export function toChange(
  { bot, overwrite }: UpdateBot['body'],
  texts: Map<string, Buffer>,
  conditions: Conditions,
): Change {
  const header: Partial<BotRow> = {}
  for (const name of headerNames) {
    if (bot[name] !== undefined) Object.assign(header, { [name]: bot[name] })
  }
  if (bot.customDomain) header.customDomain = normalDomain(bot.customDomain) ?? null
  if (bot.resultsTablePreferences !== undefined) {
    header.resultsTablePreferences = nullableJson(texts.get('resultsTablePreferences'))
  }
  if (bot.settings !== undefined) header.isPubliclyShared = bot.settings.publicShare?.isEnabled === true
  const parts: Partial<Draft> = {}
  for (const name of partNames) {
    const text = texts.get(name)
    // A legacy flow has no events: a given list of events can only be empty.
    if (text !== undefined && !(name === 'events' && isLegacy(bot.version))) parts[name] = new JsonText(text)
  }
  const precondition = overwrite || bot.updatedAt === undefined ? undefined : Date.parse(bot.updatedAt)
  return { version: bot.version, header, parts, precondition, conditions }
}

/** Makes a change of a granted bot, under a lock where one statement is not enough. */
export async function updateBot(db: Database, grant: BotGrant, change: Change, now: Date): Promise<Outcome> {
  try {
    return await applyUpdate(db, grant, change, now)
  } catch (error) {
    // The folder was deleted since it was checked.
    if (sqlState(error) === '23503') return { issues: [noSuchFolder] }
    throw error
  }
}

async function applyUpdate(db: Database, grant: BotGrant, change: Change, now: Date): Promise<Outcome> {
  const seen = grant.bot
  // Names that were read and are sent back are not claimed again.
  const { publicId = seen.publicId, customDomain = seen.customDomain, ...header } = change.header
  const security = await changesSecurity(db, seen, change)
  if (publicId === seen.publicId && customDomain === seen.customDomain && security.length === 0) {
    const apply = (on: Database) =>
      applyChange(on, seen, { ...change, header }, now, getCachedDraft(db, seen))
    // A deleted folder must not undo the earlier changes of the transaction.
    const isPart = rootOf(db) !== db && header.folderId
    const outcome = await (isPart ? transact(db, apply) : apply(db))
    if (outcome) return outcome
  }
  // Another change came first, or this one needs several statements: try again under a lock.
  return transact(db, async (tx) => {
    const bot = await lockBot(tx, grant)
    if (!bot) return { isDeleted: true as const }
    const rejection = checkState(bot, change)
    if (rejection) return rejection
    const issue = await claimNames(tx, { botId: bot.id, workspaceId: bot.workspaceId }, change.header)
    if (issue) throw new Rollback({ issues: [issue] })
    const settings = await changesSecurity(tx, bot, change)
    const applied = await applyChange(tx, bot, change, now, getCachedDraft(db, bot))
    if (!applied || !('bot' in applied)) throw new Rollback(applied ?? { isDeleted: true })
    if (settings.length > 0) {
      const deed = { by: grant.caller, operation: 'updateBot' } as const
      await writeEntry(tx, newEntry(bot.workspaceId, deed, bot.id, now, { settings }))
    }
    return applied
  })
}

/** Names of security settings (sharing, embedding) that a change of the bot in this state alters. */
async function changesSecurity(db: Database, bot: BotRow, { parts }: Change): Promise<string[]> {
  if (!parts.settings) return []
  const known = getCachedDraft(db, bot) ?? (await readStoredSettings(db, bot))
  return known ? changedSecurity(known.settings, parts.settings) : []
}

async function readStoredSettings(db: Database, bot: BotRow) {
  const [row] = await db
    .select({ settings: botDrafts.settings })
    .from(botDrafts)
    .where(eq(botDrafts.botId, bot.id))
  return row
}

/**
 * Makes a publication the draft of its bot, whose public sharing stays as it is: sharing would take effect
 * immediately, and nothing is published.
 */
export async function restorePublication(
  db: Database,
  grant: BotGrant,
  publicationId: string,
  conditions: Conditions,
  now: Date,
): Promise<Outcome> {
  return transact(db, async (tx) => {
    const bot = await lockBot(tx, grant)
    if (!bot) return { isDeleted: true }
    // Marked before it is read: from then on it is not removed.
    await tx
      .update(botPublications)
      .set({ restoredAt: now })
      .where(and(eq(botPublications.botId, bot.id), eq(botPublications.id, publicationId)))
    const publication = await publicationOf(tx, grant, publicationId)
    const draft = await readStoredSettings(tx, bot)
    if (!publication || !draft) return { isDeleted: true }
    const { version, groups, events, edges, variables, theme } = publication
    const settings = withSharingOf(publication.settings, draft.settings)
    const change: Change = {
      version,
      header: {},
      parts: { groups, events, edges, variables, theme, settings },
      precondition: undefined,
      conditions,
    }
    const restored = await applyChange(tx, bot, change, now)
    if (!restored) return { isDeleted: true }
    if (!('bot' in restored)) throw new Rollback(restored)
    const changed = changedSecurity(draft.settings, settings)
    const details = { publicationId, ...(changed.length > 0 && { settings: changed }) }
    const deed = { by: grant.caller, operation: 'restorePublication' } as const
    await writeEntry(tx, newEntry(bot.workspaceId, deed, bot.id, now, details))
    return restored
  })
}

/**
 * Writes a change onto the bot as `current` shows it, with a compare-and-swap on its revision. Undefined if the bot was
 * changed since. `known` is the draft of `current`, if it was read already.
 */
export async function applyChange(
  db: Database,
  current: BotRow,
  change: Change,
  now: Date,
  known?: Draft,
): Promise<Outcome | undefined> {
  const rejection = checkState(current, change)
  if (rejection) return rejection
  const becomesLegacy = isLegacy(change.version) && !isLegacy(current.version)
  const missing = becomesLegacy
    ? (['groups', 'edges', 'variables'] as const).filter((name) => !change.parts[name])
    : []
  if (missing.length > 0) {
    return {
      issues: missing.map((name) => ({
        path: ['body', 'bot', name],
        code: 'required',
        message:
          'A bot in a current version takes a legacy one only with groups, edges and variables together',
      })),
    }
  }
  const { folderId } = change.header
  if (folderId && folderId !== current.folderId && !(await isFolderOf(db, current, folderId))) {
    return { issues: [noSuchFolder] }
  }
  let parts: Partial<Draft> = change.parts
  if (becomesLegacy) parts = { ...parts, events: null }
  else if (change.version > current.version) {
    const draft =
      known ?? (await db.select(draftColumns).from(botDrafts).where(eq(botDrafts.botId, current.id)))[0]
    if (!draft) return undefined
    parts = {
      ...pickChangedParts(draft, convertDraft(current.version, draft, change.version).draft),
      ...parts,
    }
  }
  const updatedAt = new Date(Math.max(now.getTime(), current.updatedAt.getTime() + 1))
  const header = {
    ...change.header,
    version: change.version,
    revision: current.revision + 1,
    updatedAt,
    ...(Object.keys(parts).length === 0 ? {} : { draftUpdatedAt: updatedAt }),
  }
  const draft = await writeChange(db, current, header, parts, known)
  return draft && { bot: { ...current, ...header }, draft }
}

/** The parts that a conversion has written anew. */
function pickChangedParts(before: Draft, after: Draft): Partial<Draft> {
  return Object.fromEntries(
    partNames.filter((name) => after[name] !== before[name]).map((name) => [name, after[name]]),
  )
}

/** Returns why a change to a bot in this state is rejected; headers of the request are checked before its body. */
function checkState(
  current: BotRow,
  { conditions, precondition }: Change,
): { stale: BotRow } | { conflict: Issue } | undefined {
  if (isStale(conditions, botStateTag(current))) return { stale: current }
  if (precondition === undefined || precondition === current.updatedAt.getTime()) return undefined
  const conflict: Issue = {
    path: ['body', 'bot', 'updatedAt'],
    code: 'conflict',
    message: `The stored bot was updated at ${current.updatedAt.toISOString()}; read it again, and send that updatedAt`,
    current: { updatedAt: current.updatedAt.toISOString() },
  }
  return { conflict }
}

export async function isFolderOf(db: Database, bot: BotRow, folderId: string): Promise<boolean> {
  const found = db
    .select({ id: folders.id })
    .from(folders)
    .where(and(eq(folders.id, folderId), eq(folders.workspaceId, bot.workspaceId), isNull(folders.deletedAt)))
  // The foreign key protects it as well; on a cluster two transactions that lock one first would deadlock.
  const [row] = await (topologyOf(db).canShareCatalogueLocks ? found.for('key share') : found)
  return row !== undefined
}

/** One statement for header and draft; parts that were not given are not written again. */
async function writeChange(
  db: Database,
  current: BotRow,
  header: Partial<BotRow>,
  parts: Partial<Draft>,
  known: Draft | undefined,
): Promise<Draft | undefined> {
  if (Object.keys(parts).length === 0) {
    const row = { ...current, ...header }
    const values = {
      currentRevision: current.revision,
      currentFolderId: current.folderId,
      ...row,
      resultsTablePreferences: textOf(row.resultsTablePreferences),
      isMoved: header.folderId !== undefined,
    }
    const { header: written, headerWithDraft } = updateStatements(db)
    if (known) return (await written.execute(values)).length > 0 ? known : undefined
    return (await headerWithDraft.execute(values))[0]
  }
  const bot = buildUpdate(db, header, current.id, current.revision, current.folderId)
  const [unchanged] = await db
    .with(bot)
    .update(botDrafts)
    .set(parts)
    .from(bot)
    .where(and(eq(botDrafts.botId, current.id), eq(botDrafts.botId, bot.id)))
    .returning({ botId: botDrafts.botId, ...(known ? {} : columnsBeside(parts)) })
  if (!unchanged) return undefined
  const { botId: _, ...rest } = unchanged
  return { ...known, ...rest, ...parts } as Draft
}

/** Columns to read back: those that the update does not write. */
function columnsBeside(parts: Partial<Draft>) {
  const names = partNames.filter((name) => !(name in parts))
  return Object.fromEntries(names.map((name) => [name, draftColumns[name]]))
}

function buildUpdate(
  db: Database,
  header: PgUpdateSetSource<typeof table>,
  id: string | Placeholder,
  revision: number | Placeholder,
  shownIn: string | null | Placeholder,
) {
  // The deletion of a folder changes the shown folder of a bot, and not its revision.
  const isStillShown = sql`${shownFolderId(table.folderId)} IS NOT DISTINCT FROM ${shownIn}::text`
  return db.$with('bot').as(
    db
      .update(table)
      .set(header)
      .where(and(eq(table.id, id), eq(table.revision, revision), isBotVisible(), isStillShown))
      .returning({ id: table.id }),
  )
}

function draftOfChanged(db: Database, bot: ReturnType<typeof buildUpdate>) {
  return db
    .with(bot)
    .select(draftColumns)
    .from(bot)
    .innerJoin(botDrafts, eq(botDrafts.botId, bot.id))
    .where(eq(botDrafts.botId, sql.placeholder('id')))
}

const updateStatements = statements((db, named) => {
  // Every column of the header that can change: those not given get their values of the revision.
  const header = Object.fromEntries(
    [...headerNames, 'isPubliclyShared', 'version', 'revision', 'updatedAt'].map((name) => [
      name,
      sql.placeholder(name),
    ]),
  )
  // Without a new folder the stored one stays: it may be deleted, and then its parent is shown.
  const folderId = sql<string>`CASE WHEN ${sql.placeholder('isMoved')}::boolean
    THEN ${sql.placeholder('folderId')}::text ELSE ${table.folderId} END`
  const preferences = sql`${sql.placeholder('resultsTablePreferences')}::json`
  const bot = buildUpdate(
    db,
    { ...header, folderId, resultsTablePreferences: preferences },
    sql.placeholder('id'),
    sql.placeholder('currentRevision'),
    sql.placeholder('currentFolderId'),
  )
  return {
    header: db.with(bot).select().from(bot).prepare(named('update_bot_header')),
    headerWithDraft: draftOfChanged(db, bot).prepare(named('update_bot_header_with_draft')),
  }
})
