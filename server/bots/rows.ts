import { and, eq, getTableColumns, type SQL, sql } from 'drizzle-orm'
import type { Issue } from '../../contract/errors.ts'
import type { Conditions } from '../../contract/kit/operation.ts'
import type { Role } from '../../contract/operation.ts'
import type { components } from '../../generated/openapi.ts'
import type { BotGrant, WorkspaceGrant } from '../access/index.ts'
import { newEntry, writeEntry } from '../audit/log.ts'
import { topologyOf } from '../db/citus/topology.ts'
import { type Database, statements, type Transaction } from '../db/client.ts'
import { memoizeOn } from '../db/interned-rows.ts'
import { toIso } from '../db/iso-time.ts'
import { after, isBeyond, newestFirst, type Position, withinPage } from '../db/page.ts'
import { requestPurge } from '../db/purge-requests.ts'
import { customDomains, publicIds, publishedBots, bots as table } from '../db/schema.ts'
import { expression, optional, prepareSelect } from '../db/typed-select.ts'
import { botColumns, isBotVisible, shownFolderId, shownIn } from '../db/visible-bots.ts'
import { type Draft, flowParts } from '../documents/drafts.ts'
import { digestRecordState, entityTag } from '../entity-tags.ts'
import { isStale } from '../kit/conditions.ts'
import { asProperty, JsonText } from '../kit/json/json-text.ts'

export type BotRow = typeof table.$inferSelect
type Bot = components['schemas']['Bot']

export const noSuchFolder: Issue = {
  path: ['body', 'bot', 'folderId'],
  code: 'unknown_folder',
  message: "There is no such folder in the bot's workspace",
}

/** The bot as every response shows it. */
export function toBot(row: BotRow, draft: Draft): Bot {
  return {
    version: row.version,
    id: row.id,
    name: row.name,
    ...flowParts(draft),
    selectedThemeTemplateId: row.selectedThemeTemplateId,
    createdAt: toIso(row.createdAt),
    updatedAt: toIso(row.updatedAt),
    icon: row.icon,
    folderId: row.folderId,
    publicId: row.publicId,
    customDomain: row.customDomain,
    workspaceId: row.workspaceId,
    resultsTablePreferences: row.resultsTablePreferences && asProperty(row.resultsTablePreferences),
    isArchived: false,
    isClosed: row.isClosed,
    messagingCredentialsId: row.messagingCredentialsId,
    riskLevel: row.riskLevel,
  }
}

/** The bot for callers who have its flow. */
export function toReference({ id, version, updatedAt }: BotRow): components['schemas']['BotReference'] {
  return { id, version, updatedAt: toIso(updatedAt) }
}

/** Access mode of a caller to a bot. A caller without a role sees it only because it is shared. */
export function modeOf(role: Role | null): 'read' | 'write' | 'guest' {
  return role === null ? 'guest' : role === 'GUEST' ? 'read' : 'write'
}

/**
 * The entity tag of a bot as a caller of this role sees it; `view` is the form of the flow: as stored, converted or
 * exported.
 */
export function createBotTag(
  bot: BotRow,
  role: Role | null,
  view: 'stored' | 'converted' | 'export' = 'stored',
): string {
  const mode = modeOf(role)
  return memoizeOn(bot, `tag ${mode} ${view}`, () => entityTag(botStateTag(bot), [mode, view]))
}

/** State of a bot that conditions of a write are compared with. A draft is represented by the change that wrote it. */
export function botStateTag(bot: BotRow): string {
  const shownValues = () => shownColumns.map((name) => bot[name])
  return memoizeOn(bot, 'state', () => digestRecordState(bot.id, shownValues()))
}

/** In the order of the table, whatever made the row. */
const shownColumns = (Object.keys(getTableColumns(table)) as (keyof BotRow)[]).filter(
  (name) => name !== 'resultsFloorAt' && name !== 'revision' && name !== 'deletedAt',
)

/** A document that may be null, as it was sent. */
export function nullableJson(sent: Buffer | undefined): JsonText | null {
  const json = sent && new JsonText(sent)
  return json === undefined || json.text === 'null' ? null : json
}

export function textOf(json: JsonText | null): string | null {
  return json === null ? null : json.text
}

const listStatements = statements((db, named) => {
  const inOrder = newestFirst(table.createdAt, table.id)
  const shape = {
    id: table.id,
    name: table.name,
    icon: table.icon,
    folderId: optional(expression(shownFolderId(table.folderId), 'text')),
    publicId: table.publicId,
    createdAt: table.createdAt,
    updatedAt: table.updatedAt,
    publishedBotId: optional(expression(sql`${table}.published_bot_id`, 'text')),
    publishedAt: optional(expression(sql`${table}.published_at`, 'timestamptz')),
    isBeyond: isBeyond(table),
  }
  const list = (name: string, condition: SQL) => {
    const rows = sql`SELECT ${table}.*,
        CASE WHEN ${publishedBots.publicationId} IS NULL THEN NULL ELSE ${publishedBots.id} END AS published_bot_id,
        CASE WHEN ${publishedBots.publicationId} IS NULL THEN NULL ELSE ${publishedBots.updatedAt} END AS published_at
      FROM ${table} LEFT JOIN ${publishedBots} ON ${publishedBots.botId} = ${table.id}
      WHERE ${table.workspaceId} = ${sql.placeholder('workspaceId')} AND ${table.deletedAt} IS NULL
        AND ${condition} AND ${after(table.createdAt, table.id)}
      ORDER BY ${sql.join(inOrder, sql`, `)} LIMIT ${sql.placeholder('limit')}`
    const bytes = sql`octet_length(${table.name}) + coalesce(octet_length(${table.icon}), 0)`
    const page = withinPage(rows, table, bytes, inOrder)
    return prepareSelect(
      db,
      named(name),
      shape,
      (list) => sql`SELECT ${list} FROM ${page} ORDER BY ${sql.join(inOrder, sql`, `)}`,
    )
  }
  const workspaceId = sql.placeholder('workspaceId')
  const top = shownIn(table.folderId, workspaceId, null)
  const folder = shownIn(table.folderId, workspaceId, sql.placeholder('folderId'))
  return {
    all: [list('list_bots', sql`true`)],
    top: [list('list_bots_top', top.usual), list('list_bots_top_always', top.always)],
    folder: [list('list_bots_folder', folder.usual), list('list_bots_folder_always', folder.always)],
  }
})

/** Bots of a workspace after a position: all, those of a folder, or with `root` those at the top level. */
export async function botPage(
  db: Database,
  { workspace }: WorkspaceGrant,
  folderId: string | undefined,
  { createdAt, id }: Position,
  limit: number,
) {
  const { all, top, folder } = listStatements(db)
  const ways = folderId === undefined ? all : folderId === 'root' ? top : folder
  const values = { workspaceId: workspace.id, folderId, createdAt: createdAt.toISOString(), id, limit }
  for (const statement of ways) {
    const page = await statement(values)
    if (page.length > 0) return page
  }
  return []
}

/** Locks the row of a bot until the transaction ends; undefined if the bot was deleted. */
export async function lockBot(tx: Transaction, { bot }: BotGrant): Promise<BotRow | undefined> {
  const { lock, lockRow: hold, read } = lockStatements(tx)
  // A cluster locks nothing in a statement that reads tables which every node has.
  const canLock = topologyOf(tx).canShareCatalogueLocks
  if (!canLock) await hold.execute({ id: bot.id })
  const [row] = await (canLock ? lock : read).execute({ id: bot.id })
  return row
}

const lockStatements = statements((db, named) => {
  const hasId = eq(table.id, sql.placeholder('id'))
  const selectVisible = () => db.select(botColumns).from(table).where(and(hasId, isBotVisible()))
  return {
    lock: selectVisible().for('update').prepare(named('lock_bot')),
    lockRow: db.select({ id: table.id }).from(table).where(hasId).for('update').prepare(named('hold_bot')),
    read: selectVisible().prepare(named('read_held_bot')),
  }
})

/**
 * Deletes a bot: from the commit on it is not found, its names are free and its results are left to the purge. Returns
 * the bot as it was; `isDeleted` if it was deleted already, `stale` with the bot if its state does not match the
 * conditions.
 */
export async function deleteBot(
  tx: Transaction,
  grant: BotGrant,
  conditions: Conditions,
  now: Date,
): Promise<{ deleted: BotRow } | { isDeleted: true } | { stale: BotRow }> {
  // First of all, since a change, a name or a publication of a bot locks its row.
  const bot = await lockBot(tx, grant)
  if (!bot) return { isDeleted: true }
  if (isStale(conditions, botStateTag(bot))) return { stale: bot }
  await tx
    .update(table)
    .set({ deletedAt: now, publicId: null, customDomain: null })
    .where(eq(table.id, bot.id))
  await tx.delete(publicIds).where(eq(publicIds.botId, bot.id))
  await tx.delete(customDomains).where(eq(customDomains.botId, bot.id))
  await tx.delete(publishedBots).where(eq(publishedBots.botId, bot.id))
  await requestPurge(tx, bot.id, now)
  const deed = { by: grant.caller, operation: 'deleteBot' } as const
  await writeEntry(tx, newEntry(bot.workspaceId, deed, bot.id, now))
  return { deleted: bot }
}
