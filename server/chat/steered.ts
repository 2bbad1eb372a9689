import { sql } from 'drizzle-orm'
import type { Database } from '../db/client.ts'
import { chatSessions as table } from '../db/schema.ts'
import { expression, optional, selectRows } from '../db/selection.ts'
import { setVariables } from './engine.ts'
import { withValues } from './results.ts'
import type { Session } from './store.ts'
import type { Effects, StepOutcome } from './types.ts'

/*
 * Members who change a chat while its visitor talks to it. What they set goes into the state at once, and is noted
 * beside it until the next step is written: a step that was under way then sees that it read an older state, and
 * takes over what it had missed instead of writing over it. So neither waits for the other.
 */

/** A value that members have set since the last step, and the how manyth it was. */
export type Steered = [place: number, name: string, value: unknown]

/**
 * Brings into a step what members have changed since it read the session, and gives the session that it then follows.
 * Undefined where they have not: another step was faster.
 */
export async function takeOver(
  db: Database,
  session: Session,
  outcome: StepOutcome,
  effects: Effects,
): Promise<Session | undefined> {
  const [row] = await selectRows(
    db,
    {
      revision: table.revision,
      isEnded: expression(sql`${table.state} IS NULL`, 'boolean'),
      steered: optional(expression(sql`${table.steered}`, 'text')),
    },
    (list) => sql`SELECT ${list} FROM ${table} WHERE bot_id = ${session.botId} AND id = ${session.sessionId}`,
  )
  if (row?.revision !== session.revision) return undefined
  const seen = readSteered(session.steered).at(-1)?.[0] ?? 0
  const missed = readSteered(row.steered).filter(([place]) => place > seen)
  const variables = Object.fromEntries(missed.map(([, name, value]) => [name, value]))
  if (row.isEnded) end(outcome)
  if (outcome.state === null) {
    outcome.variables = withValues(session.flow, outcome.variables, variables)
  } else {
    const { state, result } = await setVariables(session.flow, outcome.state, variables, effects)
    Object.assign(outcome, { state, variables: result })
  }
  return { ...session, isEnded: row.isEnded, steered: row.steered }
}

/** A step after which nothing is waited for. */
function end(outcome: StepOutcome) {
  outcome.state = null
  delete outcome.input
  outcome.clientSideActions = outcome.clientSideActions?.filter(
    (action) => action.expectsDedicatedReply !== true,
  )
}

export function readSteered(text: string | null): Steered[] {
  return text === null ? [] : (JSON.parse(text) as Steered[])
}
