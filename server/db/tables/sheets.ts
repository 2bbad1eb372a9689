import { boolean, index, integer, pgTable, primaryKey, text } from 'drizzle-orm/pg-core'
import { json, time } from './columns.ts'

/** Rows of sheets that turns could not write, keyed by bot: a queue, see `sheets/queue.ts`. */
export const sheetRows = pgTable(
  'sheet_rows',
  {
    botId: text('bot_id').notNull(),
    id: text('id').notNull(),
    workspaceId: text('workspace_id').notNull(),
    resultId: text('result_id').notNull(),
    credentialsId: text('credentials_id').notNull(),
    spreadsheetId: text('spreadsheet_id').notNull(),
    sheetId: text('sheet_id').notNull(),
    kind: text('kind', { enum: ['insert', 'update'] }).notNull(),
    blockId: text('block_id').notNull(),
    cells: json('cells').notNull(),
    /** Options of an update that find its rows. */
    filter: json('filter'),
    /** Bytes of `cells`, `filter` and the ids of the sheet. */
    size: integer('size').notNull(),
    /** By the clock of the database, as `createdAt`. */
    dueAt: time('due_at').notNull(),
    /** True from before a request with it until its outcome is known. */
    isSent: boolean('is_sent').notNull(),
    failures: integer('failures').notNull(),
    /** Rows of its next request at most; null for as many as there may be. */
    maxBatch: integer('max_batch'),
    createdAt: time('created_at').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.botId, table.id] }),
    index('sheet_rows_account').on(table.workspaceId, table.credentialsId, table.dueAt),
    index('sheet_rows_result').on(table.botId, table.resultId),
  ],
)

/** Accounts whose rows a process writes, or that have to rest. A cluster has them on its coordinator. */
export const sheetAccounts = pgTable(
  'sheet_accounts',
  {
    workspaceId: text('workspace_id').notNull(),
    credentialsId: text('credentials_id').notNull(),
    /** Lease of the process that writes, see `db/lease.ts`. */
    leaseId: text('lease_id'),
    leasedUntil: time('leased_until'),
    /** Number of failures in a row, and when the next request may be sent. */
    failures: integer('failures').notNull(),
    restsUntil: time('rests_until').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.workspaceId, table.credentialsId] }),
    index('sheet_accounts_age').on(table.restsUntil),
  ],
)
