import { sql } from 'drizzle-orm'
import type { Position } from '../../db/page.ts'
import { chatSessions as table } from '../../db/schema.ts'
import { expression } from '../../db/typed-select.ts'

/*
 * The order of chats that people handle: those that wait, the longest first, then those with members, the one that
 * changed hands last first. Each has a rank, and the highest comes first.
 */

/** Beyond every time in milliseconds, and still a time that a cursor can have. */
const WAITING_RANK = sql.raw('100000000000000')

const since = sql`(extract(epoch FROM coalesce(${table.handledSince}, ${table.createdAt})) * 1000)`
const rank = sql`CASE WHEN ${table.handledBy} = 'waiting' THEN ${WAITING_RANK} - ${since} ELSE ${since} END`

/** A column of the rows of these lists. */
export const rankColumn = expression(rank, 'float8')

/** The condition for chats after the position of the placeholders `rank` and `id`. */
export const isAfterRank = sql`(${rank}, ${table.id}) < (${sql.placeholder('rank')}::numeric, ${sql.placeholder('id')})`

export const byRank = sql`${rank} DESC, ${table.id} DESC`

/** The position of a row in these lists: a cursor has its rank in the place of a time. */
export const rankedPosition = ({ rank, id }: { rank: number; id: string }): Position => ({
  createdAt: new Date(rank),
  id,
})
