import { and, eq, gt, isNotNull, isNull, sql } from 'drizzle-orm'
import type { ChatHandlers, SaveClientLogs } from '../../generated/handlers.ts'
import type { Contexts } from '../context.ts'
import { type Database, statements } from '../db/client.ts'
import { bots, chatSessions, resultLogs } from '../db/schema.ts'
import { newId } from '../ids.ts'

export const chat: ChatHandlers<Contexts> = {
  async saveClientLogs({ params, body }, reply, { db, now }) {
    const session = await liveSession(db, params.sessionId, now)
    if (!session) {
      return reply.fail('BAD_REQUEST', [
        { path: ['path', 'sessionId'], code: 'unknown_session', message: 'There is no such chat session' },
      ])
    }
    if (body.clientLogs.length > 0) {
      await db.insert(resultLogs).values(body.clientLogs.map((log) => toRow(session, log, now)))
    }
    return reply.ok({ message: 'success' })
  },
}

interface Session {
  botId: string
  resultId: string
}

const chatStatements = statements((db, named) => ({
  session: db
    .select({ botId: chatSessions.botId, resultId: sql<string>`${chatSessions.resultId}` })
    .from(chatSessions)
    .innerJoin(bots, and(eq(bots.id, chatSessions.botId), isNull(bots.deletedAt)))
    .where(
      and(
        eq(chatSessions.id, sql.placeholder('sessionId')),
        isNotNull(chatSessions.resultId),
        gt(chatSessions.expiresAt, sql.placeholder('now')),
      ),
    )
    .prepare(named('live_session')),
}))

/** A session of a live chat; previews and chats that have no result yet keep no logs. */
async function liveSession(db: Database, sessionId: string, now: Date): Promise<Session | undefined> {
  const [session] = await chatStatements(db).session.execute({ sessionId, now })
  return session
}

const DETAILS_LENGTH = 1_000

function toRow({ botId, resultId }: Session, log: SaveClientLogs['body']['clientLogs'][number], now: Date) {
  return {
    botId,
    resultId,
    id: newId(now),
    status: log.status ?? 'error',
    description: log.description,
    details: log.details === undefined ? null : [...log.details].slice(0, DETAILS_LENGTH).join(''),
    context: log.context ?? null,
    createdAt: now,
  }
}
