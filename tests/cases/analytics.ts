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
      'of those who completed': ({ here }) => ({
        as: here.guest,
        params: { botId: here.published.id },
        query: { status: 'completed', createdBefore: '9999-12-31T23:59:59Z' },
        after: ({ body }) =>
          expect(body).toEqual({ stats: { totalViews: 1, totalStarts: 1, totalCompleted: 1 } }),
      }),
      'of those who did not': ({ here }) => ({
        as: here.guest,
        params: { botId: here.published.id },
        query: { status: 'started' },
        after: ({ body }) =>
          expect(body).toEqual({ stats: { totalViews: 2, totalStarts: 2, totalCompleted: 0 } }),
      }),
      'of a bot without views': ({ here }) => ({
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
      'a time without a zone': ({ here }) => ({
        as: here.guest,
        params: { botId: here.published.id },
        query: { createdBefore: '2026-03-05' },
        at: 'query.createdBefore',
      }),
      'a range that ends before it begins': ({ here }) => ({
        as: here.guest,
        params: { botId: here.published.id },
        query: { createdAfter: '2026-03-05T12:30:00Z', createdBefore: '2026-03-05T12:29:59.000Z' },
        at: 'query.createdBefore',
      }),
      'a range without a day of the filter': ({ here }) => ({
        as: here.guest,
        params: { botId: here.published.id },
        query: { timeFilter: 'last7Days', createdBefore: '2001-01-01T00:00:00Z' },
        at: 'query.createdBefore',
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

  getBlockStats: {
    needs: 'GUEST',
    ok: {
      'of all time': ({ here }) => ({
        as: here.guest,
        params: { botId: here.published.id },
        after: ({ body }) => {
          expect(body.blocks.length).toBeGreaterThan(0)
          for (const { shown, answered, left } of body.blocks)
            expect(shown).toBeGreaterThanOrEqual(answered + left)
          expect(body.blocks.some(({ answered }: { answered: number }) => answered > 0)).toBe(true)
        },
      }),
      'of a time without any': ({ here }) => ({
        as: here.guest,
        params: { botId: here.published.id },
        query: { timeFilter: 'lastMonth', status: 'completed' },
        after: ({ body }) =>
          expect(body.blocks.every(({ shown }: { shown: number }) => shown === 0)).toBe(true),
      }),
    },
    BAD_REQUEST: {
      'a time without a zone': ({ here }) => ({
        as: here.guest,
        params: { botId: here.published.id },
        query: { createdBefore: '2026-03-05' },
        at: 'query.createdBefore',
      }),
      'a range without a day of the filter': ({ here }) => ({
        as: here.guest,
        params: { botId: here.published.id },
        query: { timeFilter: 'last7Days', createdBefore: '2001-01-01T00:00:00Z' },
        at: 'query.createdBefore',
      }),
    },
    FORBIDDEN: ({ here, stranger }) => ({ as: stranger, params: { botId: here.published.id } }),
    NOT_FOUND: {
      'where there is no such bot': ({ here }) => ({ as: here.guest, params: { botId: missingId } }),
      'where it is not published': ({ here }) => ({ as: here.guest, params: { botId: here.draft.id } }),
    },
  },
}
