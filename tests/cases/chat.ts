import { expect } from '@jest/globals'
import type { App } from '../support/app.ts'
import { type Cases, missingId } from '../support/cases.ts'
import { anyBody } from '../support/client.ts'

async function logsOf({ pool }: App, resultId: string) {
  const { rows } = await pool.query(
    'SELECT status, description, details, context FROM result_logs WHERE result_id = $1 ORDER BY id',
    [resultId],
  )
  return rows.slice(1)
}

export const chat: Cases<'chat'> = {
  saveClientLogs: {
    ok: {
      'two entries': ({ here }, app) => ({
        params: { sessionId: here.session },
        body: {
          clientLogs: [
            { description: 'One' },
            { description: 'Two', status: 'info', details: '😀'.repeat(1_001), context: 'Script' },
          ],
        },
        after: async ({ body }) => {
          expect(body).toEqual({ message: 'success' })
          expect(await logsOf(app, here.results[0])).toEqual([
            { status: 'error', description: 'One', details: null, context: null },
            { status: 'info', description: 'Two', details: '😀'.repeat(1_000), context: 'Script' },
          ])
        },
      }),
      'no entries': ({ here }) => ({ params: { sessionId: here.session }, body: { clientLogs: [] } }),
      'whatever the token': ({ here, revoked }) => ({
        as: revoked,
        params: { sessionId: here.session },
        body: { clientLogs: [{ description: 'One' }] },
      }),
    },
    BAD_REQUEST: {
      'a session that never was': () => ({
        params: { sessionId: missingId },
        body: { clientLogs: [{ description: 'One' }] },
        at: 'path.sessionId',
      }),
      'a session that has expired': ({ here }) => ({
        params: { sessionId: here.expiredSession },
        body: { clientLogs: [{ description: 'One' }] },
        at: 'path.sessionId',
      }),
      'the session of an archived bot': async ({ here }, { client }) => {
        await client.ok('deleteBot', { as: here.member, params: { botId: here.draft.id } })
        return {
          params: { sessionId: here.session },
          body: { clientLogs: [{ description: 'One' }] },
          at: 'path.sessionId',
        }
      },
      'an entry without a description': ({ here }) => ({
        params: { sessionId: here.session },
        body: anyBody({ clientLogs: [{ status: 'error' }] }),
        at: 'body.clientLogs.0.description',
      }),
      'too many entries': ({ here }) => ({
        params: { sessionId: here.session },
        body: { clientLogs: Array.from({ length: 101 }, () => ({ description: 'One' })) },
        at: 'body.clientLogs',
      }),
    },
  },
}
