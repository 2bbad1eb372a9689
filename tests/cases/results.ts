import { expect } from '@jest/globals'
import type { App } from '../support/app.ts'
import { type Cases, missingId } from '../support/cases.ts'
import type { Site } from '../support/world.ts'

const idsOf = (records: { id: string }[]) => records.map(({ id }) => id)

async function resultsOf({ client }: App, { member, draft }: Site): Promise<string[]> {
  const { results } = await client.ok('listResults', { as: member, params: { botId: draft.id } })
  return idsOf(results)
}

/** Rows of the answers and logs that results of the bot have left. */
async function traces({ pool }: App, { draft }: Site): Promise<number> {
  const { rows } = await pool.query(
    'SELECT (SELECT count(*) FROM result_answers WHERE bot_id = $1) + (SELECT count(*) FROM result_logs WHERE bot_id = $1) AS n',
    [draft.id],
  )
  return Number(rows[0].n)
}

export const results: Cases<'results'> = {
  listResults: {
    ok: {
      'newest first, only those that were answered': ({ here }) => ({
        as: here.member,
        params: { botId: here.draft.id },
        after: ({ body }) => {
          expect(idsOf(body.results)).toEqual(here.results)
          expect(body.results[0]).toMatchObject({
            botId: here.draft.id,
            isCompleted: true,
            hasStarted: true,
            isArchived: false,
            variables: [{ id: 'variable-email', name: 'Email', value: 'ada@example.com' }],
            answers: [
              {
                blockId: 'block-email',
                content: 'ada@example.com',
                attachedFileUrls: ['https://example.com/plan.pdf'],
              },
            ],
          })
          expect(body.nextCursor).toBeNull()
        },
      }),
      'in pages, with a cursor from the first on': async ({ here }, { client }) => {
        const options = { as: here.member, params: { botId: here.draft.id } }
        const first = await client.ok('listResults', { ...options, query: { limit: 2 } })
        expect(idsOf(first.results)).toEqual(here.results.slice(0, 2))
        return {
          ...options,
          query: { limit: 2, cursor: String(first.nextCursor) },
          after: ({ body }) => {
            expect(idsOf(body.results)).toEqual(here.results.slice(2))
            expect(body.nextCursor).toBeNull()
          },
        }
      },
      'of a time without any': ({ here }) => ({
        as: here.member,
        params: { botId: here.draft.id },
        query: { timeFilter: 'lastMonth', timeZone: 'Europe/Paris' },
        after: ({ body }) => expect(body).toEqual({ results: [], nextCursor: null }),
      }),
    },
    BAD_REQUEST: {
      'a filter there is not': ({ here }) => ({
        as: here.member,
        params: { botId: here.draft.id },
        query: { timeFilter: 'yesterday' },
        at: 'query.timeFilter',
      }),
      'a time zone there is not': ({ here }) => ({
        as: here.member,
        params: { botId: here.draft.id },
        query: { timeZone: 'Mars/Olympus' },
        at: 'query.timeZone',
      }),
      'the cursor of another bot': async ({ here, there }, { client }) => {
        const options = { as: there.member, params: { botId: there.draft.id }, query: { limit: 1 } }
        const { nextCursor } = await client.ok('listResults', options)
        return {
          as: here.member,
          params: { botId: here.draft.id },
          query: { cursor: String(nextCursor) },
          at: 'query.cursor',
        }
      },
      'the cursor of another filter': async ({ here }, { client }) => {
        const options = { as: here.member, params: { botId: here.draft.id } }
        const { nextCursor } = await client.ok('listResults', { ...options, query: { limit: 1 } })
        return {
          ...options,
          query: { timeFilter: 'today', cursor: String(nextCursor) },
          at: 'query.cursor',
        }
      },
      'an altered cursor': async ({ here }, { client }) => {
        const options = { as: here.member, params: { botId: here.draft.id } }
        const { nextCursor } = await client.ok('listResults', { ...options, query: { limit: 1 } })
        const altered = String(nextCursor).replace(/.$/, (last) => (last === 'A' ? 'Q' : 'A'))
        return { ...options, query: { cursor: altered }, at: 'query.cursor' }
      },
    },
    FORBIDDEN: ({ here }) => ({ as: here.guest, params: { botId: here.draft.id } }),
    NOT_FOUND: ({ here }) => ({ as: here.member, params: { botId: here.archived.id } }),
  },

  deleteResults: {
    ok: {
      'some by their ids': ({ here }, app) => ({
        as: here.member,
        params: { botId: here.draft.id },
        query: { resultIds: `${here.results[0]},${here.results[2]},${here.results[0]}` },
        after: async ({ body }) => {
          expect(body).toEqual({ message: 'success' })
          expect(await resultsOf(app, here)).toEqual([here.results[1]])
          expect(await traces(app, here)).toBe(2)
        },
      }),
      'all of a bot, and of no other': ({ here, there }, app) => ({
        as: here.member,
        params: { botId: here.draft.id },
        after: async () => {
          expect(await resultsOf(app, here)).toEqual([])
          const { stats } = await app.client.ok('getStats', {
            as: here.guest,
            params: { botId: here.draft.id },
          })
          expect(stats).toEqual({ totalViews: 0, totalStarts: 0, totalCompleted: 0 })
          expect(await resultsOf(app, there)).toEqual(there.results)
        },
      }),
      'of another bot, which are left alone': ({ here, there }, app) => ({
        as: here.member,
        params: { botId: here.draft.id },
        query: { resultIds: [...there.results, missingId].join(',') },
        after: async () => {
          expect(await resultsOf(app, here)).toEqual(here.results)
          expect(await resultsOf(app, there)).toEqual(there.results)
          expect(await traces(app, there)).toBe(6)
        },
      }),
    },
    BAD_REQUEST: {
      'no ids, though they are announced': ({ here }) => ({
        as: here.member,
        params: { botId: here.draft.id },
        query: { resultIds: '' },
        at: 'query.resultIds',
      }),
      'a misspelt parameter': ({ here }) => ({
        as: here.member,
        params: { botId: here.draft.id },
        query: { resultId: here.results[0] },
        at: 'query.resultId',
      }),
      'ids in a body': ({ here }) => ({
        as: here.member,
        params: { botId: here.draft.id },
        body: { resultIds: here.results } as never,
        at: 'body',
      }),
      'a type of a body that was lost on the way': ({ here }) => ({
        as: here.member,
        params: { botId: here.draft.id },
        headers: { 'Content-Type': 'application/json' },
        at: 'header.content-type',
      }),
      'more ids than are taken at once': ({ here }) => ({
        as: here.member,
        params: { botId: here.draft.id },
        query: { resultIds: Array.from({ length: 501 }, (_, at) => `r${at}`).join(',') },
        at: 'query.resultIds',
      }),
      'an empty entry': ({ here }) => ({
        as: here.member,
        params: { botId: here.draft.id },
        query: { resultIds: `${here.results[0]},` },
        at: 'query.resultIds',
      }),
    },
    FORBIDDEN: {
      'to a guest': ({ here }) => ({ as: here.guest, params: { botId: here.draft.id } }),
      'to a member of another workspace': ({ here, there }) => ({
        as: there.member,
        params: { botId: here.draft.id },
        query: { resultIds: here.results[0] },
      }),
    },
    NOT_FOUND: ({ here }) => ({ as: here.member, params: { botId: missingId } }),
  },
}
