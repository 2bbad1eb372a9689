import { sql } from 'drizzle-orm'
import type { Database } from '../../db/client.ts'
import { chatSessions as table } from '../../db/schema.ts'
import { expression, optional, selectRows } from '../../db/typed-select.ts'
import { setVariables } from '../engine/engine.ts'
import { withValues } from '../engine/result-parts.ts'
import type { Effects, TurnOutcome } from '../engine/types.ts'
import type { Session } from './read-session.ts'

/*
 * Members may change a chat while its visitor talks to it. Their values go into the state immediately, and are listed
 * beside it until the next turn is written. A turn that has read an older state finds them there and merges them
 * instead of overwriting them. So neither waits for the other.
 */

/**
 * A value that a member has set since the last turn was written, with its ordinal; alone where a member took the chat.
 */
export type MemberEdit = [ordinal: number, name?: string, value?: unknown]

/**
 * Merges the changes by members since the turn read the session, and returns the session that the turn then follows.
 * Undefined if another turn was written first, or if people handle the chat.
 */
export async function mergeEdits(
  db: Database,
  session: Session,
  outcome: TurnOutcome,
  effects: Effects,
): Promise<Session | undefined> {
  const [row] = await selectRows(
    db,
    {
      revision: table.revision,
      handledBy: table.handledBy,
      isEnded: expression(sql`${table.state} IS NULL`, 'boolean'),
      memberEdits: optional(expression(sql`${table.memberEdits}`, 'text')),
    },
    (list) => sql`SELECT ${list} FROM ${table} WHERE bot_id = ${session.botId} AND id = ${session.sessionId}`,
  )
  if (row?.revision !== session.revision || row.handledBy !== null) return undefined
  const seen = readMemberEdits(session.memberEdits).at(-1)?.[0] ?? 0
  const missed = readMemberEdits(row.memberEdits).filter(([ordinal]) => ordinal > seen)
  const variables = Object.fromEntries(
    missed.flatMap(([, name, value]) => (name === undefined ? [] : [[name, value]])),
  )
  if (row.isEnded) endChat(outcome)
  if (outcome.state === null) {
    outcome.variables = withValues(session.flow, outcome.variables, variables)
  } else {
    const { state, result } = await setVariables(session.flow, outcome.state, variables, effects)
    Object.assign(outcome, { state, variables: result })
  }
  return { ...session, isEnded: row.isEnded, memberEdits: row.memberEdits }
}

/** Ends a chat with this outcome: nothing waits for a reply any more. */
function endChat(outcome: TurnOutcome) {
  outcome.state = null
  delete outcome.input
  delete outcome.timer
  delete outcome.isHandedOff
  delete outcome.handledBy
  outcome.clientSideActions = outcome.clientSideActions?.filter(
    (action) => action.expectsDedicatedReply !== true,
  )
}

export function readMemberEdits(text: string | null): MemberEdit[] {
  return text === null ? [] : (JSON.parse(text) as MemberEdit[])
}
