import { setTimeout as sleep } from 'node:timers/promises'
import { bot, text } from '../support/chat.ts'
import { storable } from '../support/chats.ts'
import { createDatabase } from '../support/server.ts'
import { send } from './client.ts'
import { install, type Member } from './installation.ts'
import type { Random } from './random.ts'
import { promise } from './run.ts'

/*
 * Timers of chats over two processes whose clocks are an hour apart, and which are killed again and again: each fires
 * once.
 */

const MINUTE_MS = 60_000

const flow = storable(
  bot({
    Start: [
      { type: 'wait until', options: { secondsToWaitFor: '86400' } },
      text('Later'),
      { type: 'text input', options: {} },
    ],
  }),
)

/**
 * Fires `total` timers that are due within so many minutes, while processes are killed; gives what came of it in words.
 */
export async function fireUnderKills(
  { total, kills, minutes }: { total: number; kills: number; minutes: number },
  random: Random,
): Promise<string> {
  const database = await createDatabase()
  const installation = await install({
    databaseUrl: database.url,
    clocks: [0, 60 * MINUTE_MS],
    variables: { SHUTDOWN_TIMEOUT: '5' },
  })
  const { members, token, workspaceId } = installation
  const pool = installation.database
  const api = async (method: string, path: string, body?: object) => {
    const answer = await send((members[0] as Member).url, method, path, { token, body })
    promise(answer.status && answer.status < 300, `${path} was answered ${answer.status}: ${answer.text}`)
    return answer.body
  }
  try {
    const { id: _, ...document } = flow
    const { bot: made } = await api('POST', '/v1/bots', { workspaceId, bot: { ...document, name: 'Timers' } })
    await api('POST', `/v1/bots/${made.id}/publish`, {})
    const { publicId } = (await api('GET', `/v1/bots/${made.id}`)).bot
    const { sessionId, resultId } = await api('POST', `/api/v1/bots/${publicId}/startChat`, {})
    await copyChat(pool, { sessionId, resultId, total, minutes })
    await pool.query('CREATE TABLE due AS SELECT session_id, due_at FROM chat_timers')

    let killed = 0
    const begun = performance.now()
    const isDone = async () => {
      const { rows } = await pool.query('SELECT NOT EXISTS (SELECT FROM chat_timers) AS done')
      return rows[0].done as boolean
    }
    while (!(await isDone())) {
      const isKillDue = performance.now() - begun > (killed / kills) * minutes * MINUTE_MS
      if (killed < kills && isKillDue) {
        const member = random.one(members) as Member
        await member.kill()
        killed++
        await member.start()
      }
      await sleep(200 + random.below(500))
      promise(performance.now() - begun < 30 * MINUTE_MS, 'Not all timers have fired after 30 minutes')
    }
    const took = Math.round((performance.now() - begun) / 1_000)
    const { rows } = await pool.query(`
      WITH fired AS (
        SELECT s.revision, s.state::jsonb ? 'timer' AS has_timer, date_part('epoch', s.updated_at - due.due_at) AS late,
          (SELECT count(*) FROM result_transcripts t WHERE t.bot_id = s.bot_id AND t.result_id = s.result_id) AS times
        FROM chat_sessions s JOIN due ON due.session_id = s.id)
      SELECT count(*)::int AS count, count(*) FILTER (WHERE revision = 2 AND NOT has_timer AND times = 1)::int AS once,
        round(percentile_cont(0.5) WITHIN GROUP (ORDER BY late)::numeric, 2) AS median,
        round(percentile_cont(0.99) WITHIN GROUP (ORDER BY late)::numeric, 2) AS high,
        round(max(late)::numeric, 2) AS worst, count(*) FILTER (WHERE late < 0)::int AS early FROM fired`)
    const [{ count, once, median, high, worst, early }] = rows
    promise(count === total + 1 && once === count, `${count - once} of ${count} timers did not fire once`)
    promise(early === 0, `${early} timers fired before they were due`)
    return `${count} timers fired once each in ${took} s with ${killed} kills, late by ${median} s (median), ${high} s (99 of 100), ${worst} s at most`
  } finally {
    await installation.stop()
    await database.drop()
  }
}

/** Copies a chat that waits, each with a timer of its own that is due within so many minutes. */
async function copyChat(
  pool: { query: (text: string, values?: unknown[]) => Promise<unknown> },
  {
    sessionId,
    resultId,
    total,
    minutes,
  }: { sessionId: string; resultId: string; total: number; minutes: number },
) {
  const numbered = `lpad(n::text, 26, '0')`
  const newSession = `bot_id || '-' || ${numbered}`
  await pool.query(
    `INSERT INTO results SELECT (json_populate_record(r, json_build_object('id', ${numbered},
      'last_chat_session_id', ${newSession}))).* FROM results r, generate_series(1, $2::int) n WHERE r.id = $1`,
    [resultId, total],
  )
  await pool.query(
    `INSERT INTO chat_sessions SELECT (json_populate_record(s, json_build_object('id', ${newSession},
      'result_id', ${numbered}, 'state', jsonb_set(state::jsonb, '{timer,id}', to_jsonb(${numbered})),
      'expires_at', date_trunc('hour', now() + interval '1 minute') + interval '49 hours'))).*
    FROM chat_sessions s, generate_series(1, $2::int) n WHERE s.id = $1`,
    [sessionId, total],
  )
  await pool.query(
    `INSERT INTO chat_timers SELECT (json_populate_record(t, json_build_object('session_id', ${newSession},
      'id', ${numbered}))).* FROM chat_timers t, generate_series(1, $2::int) n WHERE t.session_id = $1`,
    [sessionId, total],
  )
  await pool.query(
    `UPDATE chat_timers SET due_at = now() + interval '5 seconds' + random() * $1 * interval '1 minute'`,
    [minutes],
  )
  await pool.query('VACUUM ANALYZE results, chat_sessions, chat_timers')
}
