import { expect } from '@jest/globals'
import { type Cases, missingId } from '../support/cases.ts'

export const analytics: Cases<'analytics'> = {
  getStats: {
    needs: 'GUEST',
    ok: {
      'of all time': ({ here }) => ({
        as: here.guest,
        params: { botId: here.published.id },
        after: ({ body }) =>
          expect(body).toEqual({ stats: { totalViews: 4, totalStarts: 3, totalCompleted: 1 } }),
      }),
      'of today': ({ here }) => ({
        as: here.guest,
        params: { botId: here.published.id },
        query: { timeFilter: 'today', timeZone: 'Asia/Tokyo' },
        after: ({ body }) => expect(body.stats.totalViews).toBe(4),
      }),
      'of a bot that nobody saw': ({ here }) => ({
        as: here.guest,
        params: { botId: here.draft.id },
        after: ({ body }) => expect(body.stats.totalViews).toBe(0),
      }),
    },
    BAD_REQUEST: {
      'a filter there is not': ({ here }) => ({
        as: here.guest,
        params: { botId: here.published.id },
        query: { timeFilter: 'LAST7DAYS' },
        at: 'query.timeFilter',
      }),
      'a time zone there is not': ({ here }) => ({
        as: here.guest,
        params: { botId: here.published.id },
        query: { timeZone: '' },
        at: 'query.timeZone',
      }),
    },
    FORBIDDEN: {
      'to a stranger': ({ here, stranger }) => ({ as: stranger, params: { botId: here.published.id } }),
      'to a stranger, though the bot is shared': ({ here, stranger }) => ({
        as: stranger,
        params: { botId: here.shared.id },
      }),
    },
    NOT_FOUND: ({ here }) => ({ as: here.guest, params: { botId: missingId } }),
  },
}
