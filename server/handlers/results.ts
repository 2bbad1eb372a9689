import type { ResultsHandlers } from '../../generated/handlers.ts'
import { readTranscript } from '../chat/sessions/read-session.ts'
import type { Contexts } from '../context.ts'
import { toIso } from '../db/iso-time.ts'
import { readCursor, readPage, writeCursor } from '../db/page.ts'
import { digestRecordState, entityTag } from '../entity-tags.ts'
import { deleteAll, deletedResults, deleteSome } from '../results/delete.ts'
import { exportPart } from '../results/export.ts'
import { readFilter, scopeOf } from '../results/filter.ts'
import { logPage, resultOf, resultPage, toResult } from '../results/page.ts'
import { withWebhookEvent } from '../webhooks/outbox.ts'

export const results: ResultsHandlers<Contexts> = {
  async listResults({ query }, respond, { reads, grant, now, cursorKey }) {
    const read = readFilter(query, now)
    if ('issue' in read) return respond.fail('BAD_REQUEST', [read.issue])
    const scope = ['results', grant.bot.id, ...scopeOf(query)]
    const from = readCursor(cursorKey, scope, query.cursor)
    if ('issue' in from) return respond.fail('BAD_REQUEST', [from.issue])
    const { results, end } = await resultPage(reads, grant, read.filter, from.position, query.limit)
    return respond.ok({ results, nextCursor: end ? writeCursor(cursorKey, scope, end) : null })
  },

  async deleteResults({ query }, respond, { db, grant, now }) {
    const resultIds = query.resultIds === undefined ? null : [...new Set(query.resultIds)]
    const createdBefore = query.createdBefore === undefined ? null : new Date(query.createdBefore)
    if (createdBefore && createdBefore > now) {
      const message = 'Expected a moment that is not in the future'
      return respond.fail('BAD_REQUEST', [
        { path: ['query', 'createdBefore'], code: 'invalid_value', message },
      ])
    }
    const { id: botId, workspaceId } = grant.bot
    await withWebhookEvent(
      db,
      grant,
      now,
      (tx) =>
        resultIds
          ? deleteSome(tx, grant, resultIds, createdBefore, now)
          : deleteAll(tx, grant, createdBefore, now),
      () => ({
        type: 'results.deleted',
        workspaceId,
        botId,
        data: deletedResults(botId, resultIds, createdBefore),
      }),
    )
    return respond.ok({ message: 'success' })
  },

  async getResult({ params, conditions }, respond, { reads, grant }) {
    const row = await resultOf(reads, grant, params.resultId)
    if (!row) return respond.fail('NOT_FOUND')
    // Nothing counts the changes that a chat makes to its result, and there is no document in it.
    const etag = entityTag(digestRecordState(row.id, row), null)
    return respond.notModified(conditions, etag) ?? respond.ok({ result: toResult(grant.bot.id, row) }, etag)
  },

  async getTranscript({ params }, respond, { reads, grant }) {
    if (!(await resultOf(reads, grant, params.resultId))) return respond.fail('NOT_FOUND')
    return respond.ok({ transcript: await readTranscript(reads, grant.bot.id, params.resultId) })
  },

  async listResultLogs({ params, query }, respond, { reads, grant, cursorKey }) {
    const scope = ['logs', grant.bot.id, params.resultId]
    const list = await readPage(cursorKey, scope, query, (position, limit) =>
      logPage(reads, grant, params.resultId, position, limit),
    )
    if ('issue' in list) return respond.fail('BAD_REQUEST', [list.issue])
    if (!(await resultOf(reads, grant, params.resultId))) return respond.fail('NOT_FOUND')
    return respond.ok({
      logs: list.page.map(({ botId: _, createdAt, ...log }) => ({
        createdAt: toIso(createdAt),
        ...log,
      })),
      nextCursor: list.nextCursor,
    })
  },

  async exportResults({ query }, respond, { reads, grant, now, cursorKey }) {
    const read = readFilter(query, now)
    if ('issue' in read) return respond.fail('BAD_REQUEST', [read.issue])
    const scope = ['export', grant.bot.id, ...scopeOf(query)]
    const from = readCursor(cursorKey, scope, query.cursor)
    if ('issue' in from) return respond.fail('BAD_REQUEST', [from.issue])
    const part = await exportPart(reads, grant, read.filter, from.position, query, now)
    return respond.ok({
      mediaType: query.format === 'csv' ? 'text/csv' : 'application/x-ndjson',
      headers: {
        'Results-Remaining': String(part.remaining),
        'Content-Disposition': `attachment; filename="results-${grant.bot.id}.${query.format}"`,
        ...(part.end ? { 'Next-Cursor': writeCursor(cursorKey, scope, part.end) } : {}),
      },
      pieces:
        query.byteOrderMark && query.format === 'csv' && !query.cursor
          ? withByteOrderMark(part.lines)
          : part.lines,
    })
  },
}

async function* withByteOrderMark(lines: AsyncIterable<string>): AsyncGenerator<string> {
  yield '\ufeff'
  yield* lines
}
