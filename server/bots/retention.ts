import { sql } from 'drizzle-orm'
import type { Config } from '../config.ts'
import { type Database, transact } from '../db/client.ts'
import { sqlState } from '../db/errors.ts'
import { runInHalves } from '../db/halves.ts'
import { botPublications, bots, chatSessions, publishedBots } from '../db/schema.ts'
import { expression, selectRows } from '../db/typed-select.ts'

/*
 * Removes publications whose retention has ended. Each is retained for a number of days after it was replaced, by the
 * clock of the database, which all processes share. So the publication of a chat that is just starting is never
 * removed.
 */

type Rule = Pick<Config, 'PUBLICATIONS_RETENTION_DAYS' | 'PUBLICATIONS_KEPT'>

/** Number of bots per batch. */
const MAX_BATCH_BOTS = 1_000

/** Maximum number of publications removed before the next bot has its turn: each can be some megabytes. */
const MAX_BATCH_PUBLICATIONS = 50
/** The same after a statement that timed out. */
const RETRY_BATCH_PUBLICATIONS = 1

/**
 * Returns a function that removes publications: each call checks the next bots, and is true while it has to be called
 * again.
 */
export function publicationThinning({ PUBLICATIONS_RETENTION_DAYS: days, PUBLICATIONS_KEPT: kept }: Rule) {
  let after = ''
  let isLeft = false
  return async (db: Database): Promise<boolean> => {
    if (days === undefined) return false
    const page = await selectRows(
      db,
      { id: bots.id, before: expression(sql`now() - ${days} * interval '24 hours'`, 'text') },
      (list) =>
        sql`SELECT ${list} FROM ${bots} WHERE ${bots.id} > ${after} ORDER BY ${bots.id} LIMIT ${MAX_BATCH_BOTS}`,
    )
    const last = page.at(-1)
    if (!last) {
      const isAgain = isLeft
      after = ''
      isLeft = false
      return isAgain
    }
    // From the key alone, for most bots have few.
    const find = (ids: readonly string[]) =>
      selectRows(
        db,
        { botId: botPublications.botId },
        (list) => sql`
          SELECT ${list} FROM ${botPublications} WHERE ${botPublications.botId} = ANY(${sql.param(ids)})
          GROUP BY ${botPublications.botId} HAVING count(*) > ${kept}`,
      )
    let failure: unknown
    // The others have their turn all the same.
    const noteFailure = (error: unknown) => {
      failure ??= error
    }
    const ids = page.map(({ id }) => id)
    const many = await runInHalves(ids, find, noteFailure)
    after = last.id
    for (const { botId } of many) {
      const isMoreLeft = await thinInTime(db, botId, last.before, kept).catch(noteFailure)
      isLeft = isMoreLeft || isLeft
    }
    if (failure) throw failure
    return true
  }
}

/** Removes some publications of a bot, one of them where that takes too long; true while there are more. */
async function thinInTime(db: Database, botId: string, before: string, kept: number): Promise<boolean> {
  try {
    return await thin(db, botId, before, kept, MAX_BATCH_PUBLICATIONS)
  } catch (error) {
    if (sqlState(error) !== '57014') throw error
    return thin(db, botId, before, kept, RETRY_BATCH_PUBLICATIONS)
  }
}

async function thin(
  db: Database,
  botId: string,
  before: string,
  kept: number,
  turn: number,
): Promise<boolean> {
  const spare = await spareOf(db, botId, before, kept)
  if (spare.length === 0) return false
  const needed = await neededByChats(db, botId, spare, before)
  const free = spare.filter((id) => !needed.has(id))
  const ids = sql.param(free.slice(0, turn))
  // A restore that runs meanwhile has marked the publication already, or will not find it.
  await transact(db, (tx) =>
    tx.execute(sql`
      DELETE FROM ${botPublications} WHERE bot_id = ${botId} AND id = ANY(${ids}) AND restored_at IS NULL
        AND NOT EXISTS (
          SELECT FROM ${publishedBots} p WHERE p.bot_id = ${botId} AND p.publication_id = ${botPublications.id}
        )`),
  )
  return free.length > turn
}

/**
 * Returns publications that are not among the newest, were replaced before a time, are not the last of their month
 * (UTC), were never restored and are not live. Oldest first.
 */
async function spareOf(db: Database, botId: string, before: string, kept: number): Promise<string[]> {
  const rows = await selectRows(
    db,
    { id: expression(sql`p.id`, 'text') },
    (list) => sql`
      SELECT ${list} FROM (
        SELECT id, created_at, restored_at,
          row_number() OVER newest AS overall_rank,
          lag(created_at) OVER newest AS replaced_at,
          row_number() OVER (
            PARTITION BY date_trunc('month', created_at AT TIME ZONE 'UTC') ORDER BY created_at DESC, id DESC
          ) AS rank_in_month
        FROM ${botPublications} WHERE bot_id = ${botId}
        WINDOW newest AS (ORDER BY created_at DESC, id DESC)
      ) AS p
      WHERE p.overall_rank > ${kept} AND p.rank_in_month > 1 AND p.replaced_at < ${before}::timestamptz
        AND p.restored_at IS NULL
        AND NOT EXISTS (SELECT FROM ${publishedBots} l WHERE l.bot_id = ${botId} AND l.publication_id = p.id)
      ORDER BY p.created_at, p.id`,
  )
  return rows.map(({ id }) => id)
}

/**
 * Returns those of the publications that running chats need, of this bot or of another one in its workspace that links
 * to it. All of these chats began before the publication was replaced, so only chats of that age are searched.
 */
async function neededByChats(
  db: Database,
  botId: string,
  ids: string[],
  before: string,
): Promise<Set<string>> {
  // An hour more, since clocks differ.
  const began = sql`s.created_at < ${before}::timestamptz + interval '1 hour'`
  const goesOn = sql`s.ended_at IS NULL AND s.result_id IS NOT NULL`
  const own = await selectRows(
    db,
    { id: expression(sql`s.publication_id`, 'text') },
    (list) => sql`
      SELECT DISTINCT ${list} FROM ${chatSessions} s
      WHERE s.bot_id = ${botId} AND ${began} AND ${goesOn} AND s.publication_id = ANY(${sql.param(ids)})`,
  )
  const others = await selectRows(
    db,
    { id: bots.id },
    (list) => sql`
      SELECT ${list} FROM ${bots}
      WHERE ${bots.workspaceId} = (SELECT b.workspace_id FROM ${bots} b WHERE b.id = ${botId})`,
  )
  const bot = sql.param(others.map(({ id }) => id))
  // In the form in which a session names its flows, see `loadFlow` in `chat/sessions/turn-effects.ts`.
  const names = new Map(ids.map((id) => [`${botId}/${id}`, id]))
  const linked = await selectRows(
    db,
    { name: expression(sql`frame ->> 'flowId'`, 'text') },
    (list) => sql`
      SELECT DISTINCT ${list} FROM ${chatSessions} s, json_array_elements(s.state -> 'frames') AS frame
      WHERE s.bot_id = ANY(${bot}) AND ${began} AND ${goesOn}
        AND frame ->> 'flowId' = ANY(${sql.param([...names.keys()])})`,
  )
  return new Set([...own.map(({ id }) => id), ...linked.flatMap(({ name }) => names.get(name) ?? [])])
}
