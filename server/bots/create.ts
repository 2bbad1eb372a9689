import { getTableColumns, type SQL, sql } from 'drizzle-orm'
import type { Issue } from '../../contract/errors.ts'
import type { CreateBot } from '../../generated/handlers.ts'
import type { WorkspaceGrant } from '../access/index.ts'
import {
  type Database,
  prepareWrite,
  Rollback,
  sqlState,
  statements,
  type Transaction,
  transact,
} from '../db/client.ts'
import { isDistributed } from '../db/distribution.ts'
import { encoderOf, listsOf } from '../db/insertion.ts'
import { botDrafts, bots as table, workspaces } from '../db/schema.ts'
import { newId } from '../ids.ts'
import { JsonText } from '../json/json-text.ts'
import { addEntry, type Deed, entryInsertion, newEntry, writeEntry } from '../workspaces/audit.ts'
import { holdWorkspace } from '../workspaces/rows.ts'
import type { Draft } from './drafts.ts'
import { claimNames } from './names.ts'
import { type BotRow, noSuchFolder, nullableJson } from './rows.ts'

/** The row of a bot that is about to be made, from what was given for it. */
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
    customDomain: bot.customDomain ?? null,
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

/** Its draft: what was given, and the rest as in an empty flow. */
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

/**
 * Stores a new bot with its draft. An issue says which of its names or its folder cannot be; `gone`, that its
 * workspace was deleted meanwhile.
 */
export async function insertBot(
  db: Database,
  row: BotRow,
  draft: Draft,
  deed: Deed,
): Promise<{ issue: Issue } | { gone: true } | undefined> {
  try {
    if (row.publicId === null && row.customDomain === null && !isDistributed(db)) {
      return (await insertStatements(db).bot(valuesOf(row, draft, deed))) === 1 ? undefined : { gone: true }
    }
    return await transact(db, async (tx) => {
      // Before the names: on a cluster whoever claims one keeps all others from it, and a deletion of the workspace takes
      // them in this order.
      const isApart = isDistributed(db)
      if (isApart && !(await holdWorkspace(tx, row.workspaceId, 'key share'))) {
        throw new Rollback({ gone: true })
      }
      // It has none to give up.
      const { publicId, customDomain } = row
      const issue = await claimNames(tx, row.id, {
        ...(publicId === null ? {} : { publicId }),
        ...(customDomain === null ? {} : { customDomain }),
      })
      if (issue) throw new Rollback({ issue })
      if (isApart) return insertApart(tx, row, draft, deed)
      const values = valuesOf(row, draft, deed)
      const { rowCount } = await tx.execute(insertion((name) => sql`${values[name]}`))
      if (rowCount !== 1) throw new Rollback({ gone: true })
      return undefined
    })
  } catch (error) {
    // The folder was there a moment ago.
    if (sqlState(error) === '23503') return { issue: noSuchFolder }
    throw error
  }
}

/** On a cluster: a statement each, since the rows are on several nodes. */
async function insertApart(tx: Transaction, row: BotRow, draft: Draft, deed: Deed): Promise<undefined> {
  await tx.insert(table).values(row)
  await tx.insert(botDrafts).values({ botId: row.id, ...draft })
  await writeEntry(tx, newEntry(row.workspaceId, deed, row.id, row.createdAt))
}

const botColumns = getTableColumns(table)
const { botId: _, ...draftColumns } = getTableColumns(botDrafts)

/**
 * Both rows and the entry in the audit log in one statement, with every column that their tables have. The workspace cannot be deleted until
 * they are committed; of one that was deleted nothing is found, and nothing is written.
 */
function insertion(value: (name: string) => SQL): SQL {
  const bot = listsOf(botColumns, value)
  const draft = listsOf(draftColumns, value)
  return sql`
    WITH workspace AS (
      SELECT id FROM ${workspaces} WHERE id = ${value('workspaceId')} AND deleted_at IS NULL FOR KEY SHARE
    ), bot AS (
      INSERT INTO ${table} (${bot.names}) SELECT ${bot.values} FROM workspace RETURNING id
    ), entry AS (
      ${entryInsertion((name) => value(`entry_${name}`), sql`bot`)}
    )
    INSERT INTO ${botDrafts} (bot_id, ${draft.names}) SELECT id, ${draft.values} FROM bot`
}

const addBot = encoderOf(botColumns)
const addDraft = encoderOf(draftColumns)

/** The values of all rows, those of the entry with a prefix, as pg takes them. */
function valuesOf(row: BotRow, draft: Draft, deed: Deed): Record<string, unknown> {
  const entry = newEntry(row.workspaceId, deed, row.id, row.createdAt)
  return addEntry(entry, addDraft({ ...draft }, addBot(row, {})))
}

const insertStatements = statements((db, named) => ({
  bot: prepareWrite(
    db,
    named('insert_bot'),
    insertion((name) => sql`${sql.placeholder(name)}`),
  ),
}))
