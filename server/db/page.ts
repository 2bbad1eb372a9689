import { createHmac, timingSafeEqual } from 'node:crypto'
import { type SQL, sql } from 'drizzle-orm'
import type { AnyPgColumn, PgTable } from 'drizzle-orm/pg-core'
import type { Issue } from '../../contract/errors.ts'
import { expression } from './typed-select.ts'

/*
 * Keyset pages: newest first by creation time, then id. A cursor is the position of the last entry and a
 * tag over it and its scope (list, record and filter), so an altered cursor, or one of another list, is
 * recognised without storing anything.
 */

export interface Position {
  createdAt: Date
  id: string
}

const TAG_BYTES = 16

/** A page ends once its entries have so many bytes, but has at least one. */
export const MAX_PAGE_BYTES = 8_000_000

export function writeCursor(key: Buffer, scope: readonly string[], { createdAt, id }: Position): string {
  const position = Buffer.from(`${createdAt.getTime()}.${id}`)
  return Buffer.concat([tag(key, scope, position), position]).toString('base64url')
}

/** The position in a cursor, the beginning where there is none, or the issue when it was not made for this scope. */
export function readCursor(
  key: Buffer,
  scope: readonly string[],
  cursor: string | undefined,
): { position: Position } | { issue: Issue } {
  if (cursor === undefined) return { position: firstPosition }
  const bytes = Buffer.from(cursor, 'base64url')
  const position = bytes.subarray(TAG_BYTES)
  if (
    bytes.length <= TAG_BYTES ||
    // The last character has bits that decoding drops.
    bytes.toString('base64url') !== cursor ||
    !timingSafeEqual(bytes.subarray(0, TAG_BYTES), tag(key, scope, position))
  ) {
    return {
      issue: {
        path: ['query', 'cursor'],
        code: 'invalid_cursor',
        message:
          'The cursor is not one of this list with this filter; send the nextCursor of its page before, or none',
      },
    }
  }
  const [time = '', id = ''] = position.toString().split('.')
  return { position: { createdAt: new Date(Number(time)), id } }
}

function tag(key: Buffer, scope: readonly string[], position: Buffer): Buffer {
  return createHmac('sha256', key)
    .update(JSON.stringify(scope))
    .update(position)
    .digest()
    .subarray(0, TAG_BYTES)
}

/** Position of a page without a cursor: before every possible record. */
export const firstPosition: Position = { createdAt: new Date('9999-01-01T00:00:00.000Z'), id: '~' }

/** The condition for entries after a position; without one, after that of the placeholders `createdAt` and `id`. */
export function after(createdAt: AnyPgColumn, id: AnyPgColumn, position?: Position) {
  const time = position ? position.createdAt.toISOString() : sql.placeholder('createdAt')
  return sql`(${createdAt}, ${id}) < (${time}::timestamptz, ${position ? position.id : sql.placeholder('id')})`
}

/**
 * The order of pages, as the indexes declare it: the default order of nulls of PostgreSQL differs from that of the
 * indexes of Drizzle, and all rows would be sorted for every page, although no column has nulls.
 */
export function newestFirst(createdAt: AnyPgColumn, id: AnyPgColumn) {
  return [sql`${createdAt} DESC NULLS LAST`, sql`${id} DESC NULLS LAST`]
}

/**
 * Selects ordered rows up to the maximum bytes of a page. If more rows follow, one of them is included with `is_beyond`
 * true.
 */
export function withinPage(rows: SQL, table: PgTable, bytes: SQL, order: readonly SQL[]): SQL {
  const max = sql.raw(String(MAX_PAGE_BYTES))
  const isFull = (
    rowsBefore: string,
  ) => sql`coalesce(sum(${bytes}) OVER (ORDER BY ${sql.join([...order], sql`, `)}
    ROWS BETWEEN UNBOUNDED PRECEDING AND ${sql.raw(rowsBefore)} PRECEDING), 0) >= ${max}`
  return sql`(SELECT * FROM (
      SELECT *, ${isFull('1')} AS is_beyond, ${isFull('2')} AS is_cut FROM (${rows}) AS ${table}
    ) AS ${table} WHERE NOT is_cut) AS ${table}`
}

/** True if a row of `withinPage` is the one after the page. */
export const isBeyond = (table: PgTable) => expression(sql`${table}.is_beyond`, 'boolean')

/**
 * Returns the page of a query and the cursor of the next one, or an issue with the given cursor. `read` gets the
 * position after which the page begins and the maximum number of rows; `positionOf` is for lists in another order.
 * `isBeyond` marks a row beyond the bytes of the page.
 */
export async function readPage<Row extends Position & { isBeyond?: boolean }>(
  key: Buffer,
  scope: readonly string[],
  { cursor, limit = Number.MAX_SAFE_INTEGER }: { cursor?: string | undefined; limit?: number },
  read: (position: Position, limit: number) => Promise<Row[]>,
  positionOf: (row: Row) => Position = (row) => row,
): Promise<{ page: Row[]; nextCursor: string | null } | { issue: Issue }> {
  const from = readCursor(key, scope, cursor)
  if ('issue' in from) return from
  // One extra row shows if there is another page.
  const rows = await read(from.position, limit + 1)
  const page = rows.slice(0, rows.at(-1)?.isBeyond ? Math.min(limit, rows.length - 1) : limit)
  const last = rows.length > page.length ? page.at(-1) : undefined
  return { page, nextCursor: last ? writeCursor(key, scope, positionOf(last)) : null }
}
