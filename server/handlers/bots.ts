import { and, eq, isNull, ne, type Placeholder, sql } from 'drizzle-orm'
import { PgTransaction, type PgUpdateSetSource } from 'drizzle-orm/pg-core'
import type { Issue } from '../../contract/errors.ts'
import type { BotsHandlers, CreateBot, UpdateBot } from '../../generated/handlers.ts'
import type { components } from '../../generated/openapi.ts'
import type { BotGrant, WorkspaceGrant } from '../access/index.ts'
import { requestPurge } from '../background/purge.ts'
import {
  convertDraft,
  type Draft,
  draftColumns,
  isLegacy,
  partNames,
  recallDraft,
  rememberDraft,
  toFlow,
  withDraft,
} from '../bots/drafts.ts'
import type { Contexts } from '../context.ts'
import { type Database, Rollback, sqlState, statements, type Transaction, transact } from '../db/client.ts'
import { after, beginning, cut, newestFirst, readCursor, writeCursor } from '../db/page.ts'
import { botDrafts, customDomains, folders, publicIds, publishedBots, bots as table } from '../db/schema.ts'
import { newId } from '../ids.ts'
import { JsonText, stored } from '../json/json-text.ts'
import { folderIn } from './folders.ts'

type BotRow = typeof table.$inferSelect
type Bot = components['schemas']['Bot']

export const bots: BotsHandlers<Contexts> = {
  async listBots({ query }, reply, { db, grant, cursorKey }) {
    const scope = ['bots', grant.workspace.id, query.folderId ?? '']
    const from =
      query.cursor === undefined ? { position: beginning } : readCursor(cursorKey, scope, query.cursor)
    if ('issue' in from) return reply.fail('BAD_REQUEST', [from.issue])
    const { page, last } = cut(
      await listPage(db, grant, query.folderId, from.position, query.limit),
      query.limit,
    )
    if (page.length === 0 && query.folderId !== undefined && query.folderId !== 'root') {
      // A bot in the folder proves that the folder is there; only an empty page has to ask.
      if (!(await folderIn(db, grant, query.folderId))) return reply.fail('NOT_FOUND')
    }
    return reply.ok({
      bots: page.map((row) => ({
        ...row,
        createdAt: row.createdAt.toISOString(),
        updatedAt: row.updatedAt.toISOString(),
        accessRight: grant.role === 'GUEST' ? 'read' : 'write',
      })),
      nextCursor: last ? writeCursor(cursorKey, scope, last) : null,
    })
  },

  async createBot({ body, texts }, reply, { db, grant, now }) {
    const given = texts('bot')
    const row = newBot(body.bot, grant, given, now)
    const draft = newDraft(given, now)
    const { folderId } = row
    if (folderId !== null && !(await folderIn(db, grant, folderId))) {
      return reply.fail('BAD_REQUEST', [noSuchFolder])
    }
    const issue = await insertBot(db, row, draft)
    return issue ? reply.fail('BAD_REQUEST', [issue]) : reply.ok({ bot: toBot(row, draft) })
  },

  async getBot({ query }, reply, { db, grant }) {
    const found = await withDraft(db, grant)
    if (!found) return reply.fail('NOT_FOUND')
    const { bot, draft } = found
    const shown = query.migrateToLatestVersion
      ? convertDraft(bot.version, draft, '6.1')
      : { version: bot.version, draft }
    return reply.ok({
      bot: toBot({ ...bot, version: shown.version }, shown.draft),
      currentUserMode: grant.role === null ? 'guest' : grant.role === 'GUEST' ? 'read' : 'write',
    })
  },

  async updateBot({ body, texts }, reply, { db, grant, now }) {
    const change = toChange(body, texts('bot'))
    const outcome = await applyUpdate(db, grant, change, now).catch(folderGone)
    if (!outcome || 'gone' in outcome) return reply.fail('NOT_FOUND')
    if ('conflict' in outcome) return reply.fail('CONFLICT', [outcome.conflict])
    if ('issues' in outcome) return reply.fail('BAD_REQUEST', outcome.issues)
    rememberDraft(db, outcome.bot, outcome.draft)
    return reply.ok({ bot: toBot(outcome.bot, outcome.draft) })
  },

  async deleteBot(_request, reply, { db, grant, now }) {
    await transact(db, (tx) => archiveBot(tx, grant, now))
    return reply.ok({ message: 'success' })
  },
}

const noSuchFolder: Issue = {
  path: ['body', 'bot', 'folderId'],
  code: 'unknown_folder',
  message: "There is no such folder in the bot's workspace",
}

/** The bot as every answer shows it. */
export function toBot(row: BotRow, draft: Draft): Bot {
  return {
    version: row.version,
    id: row.id,
    name: row.name,
    ...toFlow(draft),
    selectedThemeTemplateId: row.selectedThemeTemplateId,
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
    icon: row.icon,
    folderId: row.folderId,
    publicId: row.publicId,
    customDomain: row.customDomain,
    workspaceId: row.workspaceId,
    resultsTablePreferences: row.resultsTablePreferences && stored(row.resultsTablePreferences),
    isArchived: false,
    isClosed: row.isClosed,
    messagingCredentialsId: row.messagingCredentialsId,
    riskLevel: row.riskLevel,
  }
}

// List

const listStatements = statements((db, named) => {
  const list = (name: string, condition: ReturnType<typeof sql> | undefined) =>
    db
      .select({
        id: table.id,
        name: table.name,
        icon: table.icon,
        folderId: table.folderId,
        publicId: table.publicId,
        createdAt: table.createdAt,
        updatedAt: table.updatedAt,
        publishedBotId: sql<
          string | null
        >`CASE WHEN ${publishedBots.publicationId} IS NULL THEN NULL ELSE ${publishedBots.id} END`,
      })
      .from(table)
      .leftJoin(publishedBots, eq(publishedBots.botId, table.id))
      .where(
        and(
          eq(table.workspaceId, sql.placeholder('workspaceId')),
          isNull(table.deletedAt),
          condition,
          after(table.createdAt, table.id),
        ),
      )
      .orderBy(...newestFirst(table.createdAt, table.id))
      .limit(sql.placeholder('limit'))
      .prepare(named(name))
  return {
    all: list('list_bots', undefined),
    top: list('list_bots_top', sql`${table.folderId} IS NULL`),
    folder: list('list_bots_folder', sql`${table.folderId} = ${sql.placeholder('folderId')}`),
  }
})

function listPage(
  db: Database,
  { workspace }: WorkspaceGrant,
  folderId: string | undefined,
  { createdAt, id }: { createdAt: Date; id: string },
  limit: number,
) {
  const { all, top, folder } = listStatements(db)
  const statement = folderId === undefined ? all : folderId === 'root' ? top : folder
  return statement.execute({
    workspaceId: workspace.id,
    folderId,
    createdAt: createdAt.toISOString(),
    id,
    limit: limit + 1,
  })
}

// Create

function newBot(
  bot: CreateBot['body']['bot'],
  { workspace }: WorkspaceGrant,
  texts: Map<string, string>,
  now: Date,
): BotRow {
  return {
    id: newId(now),
    workspaceId: workspace.id,
    folderId: bot.folderId ?? null,
    name: bot.name ?? 'My bot',
    icon: bot.icon ?? null,
    publicId: bot.publicId ?? null,
    customDomain: bot.customDomain ?? null,
    version: bot.version,
    revision: 1,
    selectedThemeTemplateId: bot.selectedThemeTemplateId ?? null,
    resultsTablePreferences: nullable(texts.get('resultsTablePreferences')),
    isClosed: false,
    isPubliclyShared: bot.settings?.publicShare?.isEnabled === true,
    messagingCredentialsId: null,
    riskLevel: null,
    resultsFloorAt: null,
    createdAt: now,
    updatedAt: now,
    draftUpdatedAt: now,
    deletedAt: null,
  }
}

function nullable(text: string | undefined): JsonText | null {
  return text === undefined || text === 'null' ? null : new JsonText(text)
}

function newDraft(texts: Map<string, string>, now: Date): Draft {
  const part = (name: string, fallback: string) => new JsonText(texts.get(name) ?? fallback)
  const start = { id: newId(now), type: 'start', graphCoordinates: { x: 0, y: 0 } }
  return {
    groups: part('groups', '[]'),
    events: part('events', JSON.stringify([start])),
    edges: part('edges', '[]'),
    variables: part('variables', '[]'),
    theme: part('theme', '{}'),
    settings: part('settings', '{}'),
  }
}

/** Stores a new bot with its draft, or says which of its names or its folder cannot be. */
export async function insertBot(db: Database, row: BotRow, draft: Draft): Promise<Issue | undefined> {
  const hasNames = row.publicId !== null || row.customDomain !== null
  try {
    if (!hasNames) {
      await insertRows(db, row, draft)
      return undefined
    }
    return await transact(db, async (tx) => {
      const issue = await claimNames(tx, row.id, row)
      if (issue) throw new Rollback(issue)
      await insertRows(tx, row, draft)
      return undefined
    })
  } catch (error) {
    // The folder was there a moment ago.
    if (sqlState(error) === '23503') return noSuchFolder
    throw error
  }
}

/** Both rows in one statement; what is null in every new bot is left to the table. */
function insertion(db: Database | Transaction) {
  const column = (name: keyof BotRow) => sql.placeholder(name)
  const part = (name: keyof Draft) => sql`${sql.placeholder(name)}::json`.as(name)
  const bot = db.$with('bot').as(
    db
      .insert(table)
      .values({
        id: column('id'),
        workspaceId: column('workspaceId'),
        folderId: column('folderId'),
        name: column('name'),
        icon: column('icon'),
        publicId: column('publicId'),
        customDomain: column('customDomain'),
        version: column('version'),
        revision: column('revision'),
        selectedThemeTemplateId: column('selectedThemeTemplateId'),
        resultsTablePreferences: sql`${column('resultsTablePreferences')}::json`,
        isClosed: column('isClosed'),
        isPubliclyShared: column('isPubliclyShared'),
        createdAt: column('createdAt'),
        updatedAt: column('updatedAt'),
        draftUpdatedAt: column('draftUpdatedAt'),
      })
      .returning({ id: table.id }),
  )
  return db
    .with(bot)
    .insert(botDrafts)
    .select(
      db
        .select({
          botId: bot.id,
          groups: part('groups'),
          events: part('events'),
          edges: part('edges'),
          variables: part('variables'),
          theme: part('theme'),
          settings: part('settings'),
        })
        .from(bot),
    )
}

const insertStatements = statements((db, named) => ({ bot: insertion(db).prepare(named('insert_bot')) }))

async function insertRows(db: Database | Transaction, row: BotRow, draft: Draft) {
  const statement = db instanceof PgTransaction ? insertion(db).prepare('') : insertStatements(db).bot
  await statement.execute({
    ...row,
    resultsTablePreferences: textOf(row.resultsTablePreferences),
    ...Object.fromEntries(partNames.map((name) => [name, textOf(draft[name])])),
  })
}

function textOf(json: JsonText | null): string | null {
  return json === null ? null : json.text
}

/**
 * Claims the public id and the domain that a bot is about to get, and gives up those it had. The primary
 * keys decide between bots that claim one at once.
 */
async function claimNames(
  tx: Transaction,
  botId: string,
  { publicId, customDomain }: Partial<BotRow>,
): Promise<Issue | undefined> {
  if (publicId !== undefined) {
    await tx
      .delete(publicIds)
      .where(
        and(eq(publicIds.botId, botId), publicId === null ? undefined : ne(publicIds.publicId, publicId)),
      )
  }
  if (publicId) {
    await tx.insert(publicIds).values({ publicId, botId }).onConflictDoNothing()
    const [holder] = await tx.select().from(publicIds).where(eq(publicIds.publicId, publicId))
    if (holder?.botId !== botId) {
      return { path: ['body', 'bot', 'publicId'], code: 'taken', message: 'Another bot has this public id' }
    }
  }
  const domain = customDomain?.toLowerCase()
  if (customDomain !== undefined) {
    await tx
      .delete(customDomains)
      .where(
        and(
          eq(customDomains.botId, botId),
          domain === undefined ? undefined : ne(customDomains.domain, domain),
        ),
      )
  }
  if (domain) {
    await tx.insert(customDomains).values({ domain, botId }).onConflictDoNothing()
    const [holder] = await tx.select().from(customDomains).where(eq(customDomains.domain, domain))
    if (holder?.botId !== botId) {
      return { path: ['body', 'bot', 'customDomain'], code: 'taken', message: 'Another bot has this domain' }
    }
  }
  return undefined
}

// Update

export interface Change {
  version: BotRow['version']
  /** Columns of the bot that were given. */
  header: Partial<BotRow>
  /** Parts of the draft that were given, as they were sent. */
  parts: Partial<Draft>
  /** The moment the stored bot must have been updated at; undefined where the caller does not care. */
  precondition: number | undefined
}

type Outcome = { bot: BotRow; draft: Draft } | { conflict: Issue } | { issues: Issue[] } | { gone: true }

const headerNames = [
  'name',
  'icon',
  'selectedThemeTemplateId',
  'folderId',
  'publicId',
  'customDomain',
  'isClosed',
  'messagingCredentialsId',
] as const

function toChange({ bot, overwrite }: UpdateBot['body'], texts: Map<string, string>): Change {
  const header: Partial<BotRow> = {}
  for (const name of headerNames) {
    if (bot[name] !== undefined) Object.assign(header, { [name]: bot[name] })
  }
  if (bot.resultsTablePreferences !== undefined) {
    header.resultsTablePreferences = nullable(texts.get('resultsTablePreferences'))
  }
  if (bot.settings !== undefined) header.isPubliclyShared = bot.settings.publicShare?.isEnabled === true
  const parts: Partial<Draft> = {}
  for (const name of partNames) {
    const text = texts.get(name)
    // A legacy flow has no events: what was sent for them can only be empty.
    if (text !== undefined && !(name === 'events' && isLegacy(bot.version))) parts[name] = new JsonText(text)
  }
  const precondition = overwrite || bot.updatedAt === undefined ? undefined : Date.parse(bot.updatedAt)
  return { version: bot.version, header, parts, precondition }
}

/** What a write into a folder comes to that was there a moment ago. */
function folderGone(error: unknown): { issues: Issue[] } {
  if (sqlState(error) === '23503') return { issues: [noSuchFolder] }
  throw error
}

async function applyUpdate(
  db: Database,
  { bot: seen }: BotGrant,
  change: Change,
  now: Date,
): Promise<Outcome | undefined> {
  // Names that were read and are sent back are not claimed again.
  const { publicId = seen.publicId, customDomain = seen.customDomain, ...header } = change.header
  if (publicId === seen.publicId && customDomain === seen.customDomain) {
    const outcome = await applyChange(db, seen, { ...change, header }, now, recallDraft(db, seen))
    if (outcome) return outcome
  }
  // Somebody else was faster, or the change needs more than one statement: once more, under a lock.
  return transact(db, async (tx) => {
    const [bot] = await tx
      .select()
      .from(table)
      .where(and(eq(table.id, seen.id), isNull(table.deletedAt)))
      .for('update')
    if (!bot) return { gone: true as const }
    const issue = await claimNames(tx, bot.id, change.header)
    if (issue) throw new Rollback({ issues: [issue] })
    const applied = await applyChange(tx, bot, change, now, recallDraft(db, bot))
    if (!applied || !('bot' in applied)) throw new Rollback(applied)
    return applied
  })
}

/**
 * Writes a change onto the bot as `current` shows it, with a compare-and-swap on its revision. Undefined
 * when somebody else changed it since. `known` is the draft of `current`, where it need not be read.
 */
export async function applyChange(
  db: Database | Transaction,
  current: BotRow,
  change: Change,
  now: Date,
  known?: Draft,
): Promise<Outcome | undefined> {
  if (change.precondition !== undefined && change.precondition !== current.updatedAt.getTime()) {
    return { conflict: conflictWith(current) }
  }
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
  let parts: Partial<Draft> = becomesLegacy ? { ...change.parts, events: null } : change.parts
  if (isLegacy(current.version) && !isLegacy(change.version)) {
    const draft =
      known ?? (await db.select(draftColumns).from(botDrafts).where(eq(botDrafts.botId, current.id)))[0]
    if (!draft) return undefined
    parts = { ...convertDraft(current.version, draft, change.version).draft, ...change.parts }
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

function conflictWith(current: BotRow): Issue {
  return {
    path: ['body', 'bot', 'updatedAt'],
    code: 'conflict',
    message: `The stored bot was updated at ${current.updatedAt.toISOString()}`,
    current: { updatedAt: current.updatedAt.toISOString() },
  }
}

async function isFolderOf(db: Database | Transaction, bot: BotRow, folderId: string): Promise<boolean> {
  const [row] = await db
    .select({ id: folders.id })
    .from(folders)
    .where(and(eq(folders.id, folderId), eq(folders.workspaceId, bot.workspaceId)))
    .for('key share')
  return row !== undefined
}

/** One statement for header and draft; parts that were not given are not written again. */
async function writeChange(
  db: Database | Transaction,
  current: BotRow,
  header: Partial<BotRow>,
  parts: Partial<Draft>,
  known: Draft | undefined,
): Promise<Draft | undefined> {
  if (Object.keys(parts).length === 0 && !(db instanceof PgTransaction)) {
    const row = { ...current, ...header }
    const values = {
      ...row,
      resultsTablePreferences: textOf(row.resultsTablePreferences),
      currentRevision: current.revision,
    }
    const { header: written, headerWithDraft } = updateStatements(db)
    if (known) return (await written.execute(values)).length > 0 ? known : undefined
    return (await headerWithDraft.execute(values))[0]
  }
  const bot = changedBot(db, header, current.id, current.revision)
  if (Object.keys(parts).length === 0) {
    if (known) return (await db.with(bot).select().from(bot)).length > 0 ? known : undefined
    return (await draftOfChanged(db, bot))[0]
  }
  const [unchanged] = await db
    .with(bot)
    .update(botDrafts)
    .set(parts)
    .from(bot)
    .where(eq(botDrafts.botId, bot.id))
    .returning({ botId: botDrafts.botId, ...(known ? {} : columnsBeside(parts)) })
  if (!unchanged) return undefined
  const { botId: _, ...rest } = unchanged
  return { ...known, ...rest, ...parts } as Draft
}

/** What an update does not write is read back; what it writes is known. */
function columnsBeside(parts: Partial<Draft>) {
  const names = partNames.filter((name) => !(name in parts))
  return Object.fromEntries(names.map((name) => [name, draftColumns[name]]))
}

function changedBot(
  db: Database | Transaction,
  header: PgUpdateSetSource<typeof table>,
  id: string | Placeholder,
  revision: number | Placeholder,
) {
  return db.$with('bot').as(
    db
      .update(table)
      .set(header)
      .where(and(eq(table.id, id), eq(table.revision, revision), isNull(table.deletedAt)))
      .returning({ id: table.id }),
  )
}

function draftOfChanged(db: Database | Transaction, bot: ReturnType<typeof changedBot>) {
  return db.with(bot).select(draftColumns).from(bot).innerJoin(botDrafts, eq(botDrafts.botId, bot.id))
}

const updateStatements = statements((db, named) => {
  // Every column of the header that can change: those that were not given get what they had at the revision.
  const header = Object.fromEntries(
    [...headerNames, 'isPubliclyShared', 'version', 'revision', 'updatedAt'].map((name) => [
      name,
      sql.placeholder(name),
    ]),
  )
  const preferences = sql`${sql.placeholder('resultsTablePreferences')}::json`
  const bot = changedBot(
    db,
    { ...header, resultsTablePreferences: preferences },
    sql.placeholder('id'),
    sql.placeholder('currentRevision'),
  )
  return {
    header: db.with(bot).select().from(bot).prepare(named('update_bot_header')),
    headerWithDraft: draftOfChanged(db, bot).prepare(named('update_bot_header_with_draft')),
  }
})

// Delete

/** From the commit on the bot is not found; its names are free and its results are left to the purge. */
async function archiveBot(tx: Transaction, { bot }: BotGrant, now: Date) {
  await tx
    .update(table)
    .set({ deletedAt: now, publicId: null, customDomain: null })
    .where(eq(table.id, bot.id))
  await tx.delete(publicIds).where(eq(publicIds.botId, bot.id))
  await tx.delete(customDomains).where(eq(customDomains.botId, bot.id))
  await tx.delete(publishedBots).where(eq(publishedBots.botId, bot.id))
  await requestPurge(tx, bot.id, now)
}
