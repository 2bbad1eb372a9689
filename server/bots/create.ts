import { type Column, getTableColumns, type SQL, sql } from 'drizzle-orm'
import type { PgTable } from 'drizzle-orm/pg-core'
import pg from 'pg'
import { normalDomain } from '../../contract/bots/schemas.ts'
import type { Issue } from '../../contract/errors.ts'
import type { CreateBot } from '../../generated/handlers.ts'
import type { WorkspaceGrant } from '../access/index.ts'
import { type AuditAction, type AuditEntry, entryColumns, newEntry, writeEntry } from '../audit/log.ts'
import { createBatcher } from '../db/batcher.ts'
import { topologyOf } from '../db/citus/topology.ts'
import { type Database, prepareWrite, rootOf, statements, type Transaction, transact } from '../db/client.ts'
import { databaseError, sqlState } from '../db/errors.ts'
import { encoderOf, listsOf } from '../db/insert-columns.ts'
import { auditLog, botDrafts, idempotencyKeys, bots as table, workspaces } from '../db/schema.ts'
import { countDraftCharacters, type Draft } from '../documents/drafts.ts'
import { toKeyColumns } from '../http/key-store.ts'
import { newId } from '../ids.ts'
import { type CompleteKey, Rollback } from '../kit/idempotency.ts'
import { JsonText } from '../kit/json/json-text.ts'
import { holdWorkspace } from '../workspaces/rows.ts'
import { claimNames } from './names.ts'
import { type BotRow, noSuchFolder, nullableJson } from './rows.ts'
import { changedSecurity } from './sharing.ts'

/** The row of a new bot, from the given values. */
export function newBot(
  bot: CreateBot['body']['bot'],
  { workspace }: WorkspaceGrant,
  texts: Map<string, Buffer>,
  now: Date,
): BotRow {
  return {
    id: newId(now),
    workspaceId: workspace.id,
    folderId: bot.folderId ?? null,
    name: bot.name ?? 'My bot',
    icon: bot.icon ?? null,
    publicId: bot.publicId ?? null,
    customDomain: (bot.customDomain && normalDomain(bot.customDomain)) ?? null,
    version: bot.version,
    revision: 1,
    selectedThemeTemplateId: bot.selectedThemeTemplateId ?? null,
    resultsTablePreferences: nullableJson(texts.get('resultsTablePreferences')),
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

/**
 * Columns of a bot that is made from a document or from another bot. `newBot` writes them out: it runs far more often,
 * and a spread is slow on Node 20.
 */
export function initialColumns(now: Date) {
  return {
    id: newId(now),
    publicId: null,
    customDomain: null,
    revision: 1,
    isPubliclyShared: false,
    messagingCredentialsId: null,
    riskLevel: null,
    resultsFloorAt: null,
    createdAt: now,
    updatedAt: now,
    draftUpdatedAt: now,
    deletedAt: null,
  }
}

/** The draft of a new bot: the given parts, and the rest as in an empty flow. */
export function newDraft(texts: Map<string, Buffer>, now: Date): Draft {
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

/** All that is stored of a bot when it is made. */
interface NewBot {
  row: BotRow
  draft: Draft
  entry: AuditEntry
  /** The row of the idempotency key that is inserted with it. */
  key?: ReturnType<typeof toKeyColumns>
}

/**
 * Stores a new bot with its draft. An issue names the name or folder that is not possible; `isDeleted` means that its
 * workspace was deleted meanwhile.
 */
export async function insertBot(
  db: Database,
  row: BotRow,
  draft: Draft,
  deed: AuditAction,
): Promise<{ issue: Issue } | { isDeleted: true } | undefined> {
  const bot = toNewBot(row, draft, deed)
  try {
    if (canBeOneStatement(db, row)) {
      return (await insertNameless(db, bot)) ? undefined : { isDeleted: true }
    }
    return await transact(db, async (tx) => {
      // Before the names: on a cluster a claim of one blocks all others, and a deletion of the workspace takes
      // them in this order.
      const isApart = !topologyOf(db).canShareCatalogueLocks
      if (isApart && !(await holdWorkspace(tx, row.workspaceId, 'key share'))) {
        throw new Rollback({ isDeleted: true })
      }
      // It has none to give up.
      const { publicId, customDomain } = row
      const issue = await claimNames(
        tx,
        { botId: row.id, workspaceId: row.workspaceId },
        {
          ...(publicId === null ? {} : { publicId }),
          ...(customDomain === null ? {} : { customDomain }),
        },
      )
      if (issue) throw new Rollback({ issue })
      if (isApart) return insertApart(tx, bot)
      if (!(await insertAlone(tx, bot))) throw new Rollback({ isDeleted: true })
      return undefined
    })
  } catch (error) {
    // The folder was deleted since it was checked.
    if (sqlState(error) === '23503') return { issue: noSuchFolder }
    throw error
  }
}

/** True of a bot that one statement stores. */
function canBeOneStatement(db: Database, { publicId, customDomain }: BotRow): boolean {
  return publicId === null && customDomain === null && topologyOf(db).canShareCatalogueLocks
}

function toNewBot(row: BotRow, draft: Draft, deed: AuditAction): NewBot {
  const settings = changedSecurity(null, draft.settings)
  const details = settings.length > 0 ? { settings } : undefined
  return { row, draft, entry: newEntry(row.workspaceId, deed, row.id, row.createdAt, details) }
}

/**
 * Stores a new bot together with the row of its idempotency key, usually in one statement with others. False if that is
 * not possible, such as for a key that is there already: then nothing was written.
 */
export async function insertBotWithKey(
  db: Database,
  row: BotRow,
  draft: Draft,
  deed: AuditAction,
  completeKey: () => CompleteKey,
): Promise<boolean> {
  if (!canBeOneStatement(db, row) || countDraftCharacters(draft) > BATCHED_DRAFT_BYTES) return false
  const key = toKeyColumns(completeKey())
  if (!key) return false
  try {
    return await gathering(db)({ ...toNewBot(row, draft, deed), key })
  } catch (error) {
    if (databaseError(error) instanceof pg.DatabaseError) return false
    throw error
  }
}

/** On a cluster: a statement each, since the rows are on several nodes. */
async function insertApart(tx: Transaction, { row, draft, entry }: NewBot): Promise<undefined> {
  await tx.insert(table).values(row)
  await tx.insert(botDrafts).values({ botId: row.id, ...draft })
  await writeEntry(tx, entry)
}

/** Maximum number of bots that one statement inserts. */
const MAX_BATCH_BOTS = 8

/** A draft above this size is inserted alone, so that it does not delay the others of a batch. */
const BATCHED_DRAFT_BYTES = 100_000

/** Stores a bot without names, usually in one statement with others; false if its workspace was deleted. */
function insertNameless(db: Database, bot: NewBot): Promise<boolean> {
  if (rootOf(db) !== db) {
    // A deleted folder must not undo the earlier changes of the transaction.
    return bot.row.folderId === null ? insertAlone(db, bot) : transact(db, (tx) => insertAlone(tx, bot))
  }
  return countDraftCharacters(bot.draft) <= BATCHED_DRAFT_BYTES ? gathering(db)(bot) : insertAlone(db, bot)
}

const gathering = statements((db) =>
  createBatcher<NewBot, boolean>(
    MAX_BATCH_BOTS,
    ({ row, key }) => `${row.workspaceId} ${key ? 'with keys' : ''}`,
    (bots) => {
      const [bot] = bots
      if (bot && bots.length === 1) return [insertAlone(db, bot)]
      const stored = insertTogether(db, bots)
      return bots.map(async (bot) => (await stored) ?? insertAlone(db, bot))
    },
    'immediately',
  ),
)

async function insertAlone(db: Database, bot: NewBot): Promise<boolean> {
  return (await statementFor(db, [bot])?.(valuesOf([bot]))) === 1
}

/** Undefined where the database did not store one of them, and so none: each is on its own then. */
async function insertTogether(db: Database, bots: readonly NewBot[]): Promise<boolean | undefined> {
  try {
    return (await statementFor(db, bots)?.(valuesOf(bots))) === bots.length
  } catch (error) {
    if (databaseError(error) instanceof pg.DatabaseError) return undefined
    throw error
  }
}

const botColumns = getTableColumns(table)
const draftColumns = getTableColumns(botDrafts)
const keyColumns = getTableColumns(idempotencyKeys)

const encoders = Array.from({ length: MAX_BATCH_BOTS }, (_, nth) => ({
  bot: encoderOf(botColumns, `bot_${nth}_`),
  draft: encoderOf(draftColumns, `draft_${nth}_`),
  entry: encoderOf(entryColumns, `entry_${nth}_`),
  key: encoderOf(keyColumns, `key_${nth}_`),
}))

/** The values of all rows of bots, as pg takes them. */
function valuesOf(bots: readonly NewBot[]): Record<string, unknown> {
  const values = { workspaceId: bots[0]?.row.workspaceId }
  for (const [nth, { row, draft, entry, key }] of bots.entries()) {
    encoders[nth]?.bot(row, values)
    encoders[nth]?.draft({ botId: row.id, ...draft }, values)
    encoders[nth]?.entry(entry, values)
    if (key) encoders[nth]?.key(key, values)
  }
  return values
}

/**
 * All rows of so many bots of a workspace in one statement, with every column that their tables have. The workspace
 * cannot be deleted until they are committed; of one that was deleted nothing is found, and nothing is written. A key
 * that is there already fails the whole statement.
 */
function insertion(count: number, hasKeys: boolean): SQL {
  const rows = (into: PgTable, columns: Record<string, Column>, prefix: string) => {
    const lists = Array.from({ length: count }, (_, nth) =>
      listsOf(columns, (name) => sql`${sql.placeholder(`${prefix}_${nth}_${name}`)}`),
    )
    const all = lists.map(({ values }) => sql`SELECT ${values} FROM workspace`)
    return sql`INSERT INTO ${into} (${lists[0]?.names}) ${sql.join(all, sql` UNION ALL `)}`
  }
  return sql`
    WITH workspace AS (
      SELECT id FROM ${workspaces} WHERE id = ${sql.placeholder('workspaceId')} AND deleted_at IS NULL FOR KEY SHARE
    ), bot AS (${rows(table, botColumns, 'bot')}), entry AS (${rows(auditLog, entryColumns, 'entry')})
    ${hasKeys ? sql`, key AS (${rows(idempotencyKeys, keyColumns, 'key')})` : sql``}
    ${rows(botDrafts, draftColumns, 'draft')}`
}

/** Prepares a statement for each number of bots in a batch. */
const insertStatements = statements((db, named) => {
  const counts = Array.from({ length: MAX_BATCH_BOTS }, (_, at) => at + 1)
  const prepare = (name: string, hasKeys: boolean) =>
    counts.map((count) => prepareWrite(db, named(`${name}_${count}`), insertion(count, hasKeys)))
  return { plain: prepare('insert_bots', false), withKeys: prepare('insert_keyed_bots', true) }
})

function statementFor(db: Database, bots: readonly NewBot[]) {
  const { plain, withKeys } = insertStatements(db)
  return (bots[0]?.key ? withKeys : plain)[bots.length - 1]
}
