import { expect } from '@jest/globals'
import type { App } from '../support/app.ts'
import { type Cases, missingId } from '../support/cases.ts'
import type { Site } from '../support/world.ts'

const idsOf = (records: { id: string }[]) => records.map(({ id }) => id)

async function resultsOf({ client }: App, { member, published }: Site): Promise<string[]> {
  const { results } = await client.ok('listResults', { as: member, params: { botId: published.id } })
  return idsOf(results)
}

/** Rows of the answers and logs that results of the bot have left. */
async function traces({ pool }: App, { published }: Site): Promise<number> {
  const { rows } = await pool.query(
    'SELECT (SELECT count(*) FROM result_answers WHERE bot_id = $1) + (SELECT count(*) FROM result_logs WHERE bot_id = $1) AS n',
    [published.id],
  )
  return Number(rows[0].n)
}

export const results: Cases<'results'> = {
  listResults: {
    needs: 'MEMBER',
    ok: {
      'newest first, only those that were answered': ({ here }) => ({
        as: here.member,
        params: { botId: here.published.id },
        after: ({ body }) => {
          expect(idsOf(body.results)).toEqual(here.results)
          expect(body.results[0]).toMatchObject({
            botId: here.published.id,
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
        const options = { as: here.member, params: { botId: here.published.id } }
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
        params: { botId: here.published.id },
        query: { timeFilter: 'lastMonth', timeZone: 'Europe/Paris' },
        after: ({ body }) => expect(body).toEqual({ results: [], nextCursor: null }),
      }),
      'of a range before 1970': ({ here }) => ({
        as: here.member,
        params: { botId: here.published.id },
        query: { createdAfter: '1960-01-01T00:00:00Z', createdBefore: '1965-01-01T00:00:00Z' },
        after: ({ body }) => expect(body).toEqual({ results: [], nextCursor: null }),
      }),
      'of a range within a millisecond': ({ here }) => ({
        as: here.member,
        params: { botId: here.published.id },
        query: { createdAfter: '2026-01-01T00:00:00.0001Z', createdBefore: '2026-01-01T00:00:00.0009Z' },
        after: ({ body }) => expect(body).toEqual({ results: [], nextCursor: null }),
      }),
      'that all filters want': ({ here }) => ({
        as: here.member,
        params: { botId: here.published.id },
        query: {
          status: 'completed',
          answerContains: 'ADA@',
          variable: 'Email:ada@example.com',
          createdAfter: '2020-01-01T00:00:00+14:00',
          createdBefore: '9999-12-31T23:59:59.9999999-12:00',
        },
        after: ({ body }) => expect(idsOf(body.results)).toEqual(here.results.slice(0, 1)),
      }),
    },
    BAD_REQUEST: {
      'a filter there is not': ({ here }) => ({
        as: here.member,
        params: { botId: here.published.id },
        query: { timeFilter: 'yesterday' },
        at: 'query.timeFilter',
      }),
      'a time zone there is not': ({ here }) => ({
        as: here.member,
        params: { botId: here.published.id },
        query: { timeZone: 'Mars/Olympus' },
        at: 'query.timeZone',
      }),
      'a status there is not': ({ here }) => ({
        as: here.member,
        params: { botId: here.published.id },
        query: { status: 'archived' },
        at: 'query.status',
      }),
      'a time without a zone': ({ here }) => ({
        as: here.member,
        params: { botId: here.published.id },
        query: { createdAfter: '2026-03-05T12:30:00' },
        at: 'query.createdAfter',
      }),
      'a range that ends before it begins': ({ here }) => ({
        as: here.member,
        params: { botId: here.published.id },
        query: { createdAfter: '2026-03-05T12:30:00Z', createdBefore: '2026-03-05T13:29:59+01:00' },
        at: 'query.createdBefore',
      }),
      'a range without a day of the filter': ({ here }) => ({
        as: here.member,
        params: { botId: here.published.id },
        query: { timeFilter: 'today', createdBefore: '2000-01-01T00:00:00Z' },
        at: 'query.createdBefore',
      }),
      'an answer with nothing in it': ({ here }) => ({
        as: here.member,
        params: { botId: here.published.id },
        query: { answerContains: '' },
        at: 'query.answerContains',
      }),
      'an answer that is too long': ({ here }) => ({
        as: here.member,
        params: { botId: here.published.id },
        query: { answerContains: '%'.repeat(256) },
        at: 'query.answerContains',
      }),
      'an answer with U+0000': ({ here }) => ({
        as: here.member,
        params: { botId: here.published.id },
        query: { answerContains: 'a\0' },
        at: 'query.answerContains',
      }),
      'a variable without a value': ({ here }) => ({
        as: here.member,
        params: { botId: here.published.id },
        query: { variable: 'Email' },
        at: 'query.variable',
      }),
      'the cursor of another bot': async ({ here, there }, { client }) => {
        const options = { as: there.member, params: { botId: there.published.id }, query: { limit: 1 } }
        const { nextCursor } = await client.ok('listResults', options)
        return {
          as: here.member,
          params: { botId: here.published.id },
          query: { cursor: String(nextCursor) },
          at: 'query.cursor',
        }
      },
      'the cursor of another filter': async ({ here }, { client }) => {
        const options = { as: here.member, params: { botId: here.published.id } }
        const { nextCursor } = await client.ok('listResults', { ...options, query: { limit: 1 } })
        return {
          ...options,
          query: { timeFilter: 'today', cursor: String(nextCursor) },
          at: 'query.cursor',
        }
      },
      'the cursor of another search': async ({ here }, { client }) => {
        const options = { as: here.member, params: { botId: here.published.id } }
        const query = { limit: 1, answerContains: 'e' }
        const { nextCursor } = await client.ok('listResults', { ...options, query })
        return {
          ...options,
          query: { answerContains: 'E', cursor: String(nextCursor) },
          at: 'query.cursor',
        }
      },
      'an altered cursor': async ({ here }, { client }) => {
        const options = { as: here.member, params: { botId: here.published.id } }
        const { nextCursor } = await client.ok('listResults', { ...options, query: { limit: 1 } })
        const altered = String(nextCursor).replace(/.$/, (last) => (last === 'A' ? 'Q' : 'A'))
        return { ...options, query: { cursor: altered }, at: 'query.cursor' }
      },
    },
    FORBIDDEN: ({ here }) => ({ as: here.guest, params: { botId: here.published.id } }),
    NOT_FOUND: ({ here }) => ({ as: here.member, params: { botId: here.archived.id } }),
  },

  deleteResults: {
    needs: 'MEMBER',
    ok: {
      'some by their ids': ({ here }, app) => ({
        as: here.member,
        params: { botId: here.published.id },
        query: { resultIds: `${here.results[0]},${here.results[2]},${here.results[0]}` },
        after: async ({ body }) => {
          expect(body).toEqual({ message: 'success' })
          expect(await resultsOf(app, here)).toEqual([here.results[1]])
          expect(await traces(app, here)).toBe(2)
        },
      }),
      'all of a bot, and of no other': ({ here, there }, app) => ({
        as: here.member,
        params: { botId: here.published.id },
        after: async () => {
          expect(await resultsOf(app, here)).toEqual([])
          const { stats } = await app.client.ok('getStats', {
            as: here.guest,
            params: { botId: here.published.id },
          })
          expect(stats).toEqual({ totalViews: 0, totalStarts: 0, totalCompleted: 0 })
          expect(await resultsOf(app, there)).toEqual(there.results)
        },
      }),
      'of another bot, which are left alone': ({ here, there }, app) => ({
        as: here.member,
        params: { botId: here.published.id },
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
        params: { botId: here.published.id },
        query: { resultIds: '' },
        at: 'query.resultIds',
      }),
      'a misspelt parameter': ({ here }) => ({
        as: here.member,
        params: { botId: here.published.id },
        query: { resultId: here.results[0] },
        at: 'query.resultId',
      }),
      'ids in a body': ({ here }) => ({
        as: here.member,
        params: { botId: here.published.id },
        body: { resultIds: here.results } as never,
        at: 'body',
      }),
      'a type of a body that was lost on the way': ({ here }) => ({
        as: here.member,
        params: { botId: here.published.id },
        headers: { 'Content-Type': 'application/json' },
        at: 'header.content-type',
      }),
      'more ids than are taken at once': ({ here }) => ({
        as: here.member,
        params: { botId: here.published.id },
        query: { resultIds: Array.from({ length: 501 }, (_, at) => `r${at}`).join(',') },
        at: 'query.resultIds',
      }),
      'an empty entry': ({ here }) => ({
        as: here.member,
        params: { botId: here.published.id },
        query: { resultIds: `${here.results[0]},` },
        at: 'query.resultIds',
      }),
    },
    FORBIDDEN: {
      'to a guest': ({ here }) => ({ as: here.guest, params: { botId: here.published.id } }),
      'to a member of another workspace': ({ here, there }) => ({
        as: there.member,
        params: { botId: here.published.id },
        query: { resultIds: here.results[0] },
      }),
    },
    NOT_FOUND: ({ here }) => ({ as: here.member, params: { botId: missingId } }),
  },

  getResult: {
    needs: 'MEMBER',
    ok: {
      'that was answered': ({ here }, { client }) => ({
        as: here.member,
        params: { botId: here.published.id, resultId: here.results[1] },
        after: async ({ body }) => {
          const listed = await client.ok('listResults', {
            as: here.member,
            params: { botId: here.published.id },
          })
          expect(body.result).toEqual(listed.results[1])
        },
      }),
      'without an answer': ({ here }) => ({
        as: here.member,
        params: { botId: here.published.id, resultId: here.unansweredResult },
        after: ({ body }) => expect(body.result).toMatchObject({ hasStarted: false, answers: [] }),
      }),
    },
    BAD_REQUEST: ({ here }) => ({
      as: here.member,
      params: { botId: here.published.id, resultId: here.results[0] },
      query: { expand: 'answers' },
      at: 'query.expand',
    }),
    FORBIDDEN: ({ here }) => ({
      as: here.guest,
      params: { botId: here.published.id, resultId: here.results[0] },
    }),
    NOT_FOUND: {
      'one that never was': ({ here }) => ({
        as: here.member,
        params: { botId: here.published.id, resultId: missingId },
      }),
      'one of another bot': ({ here, there }) => ({
        as: here.member,
        params: { botId: here.published.id, resultId: there.results[0] },
      }),
      'one that was deleted with all': async ({ here }, { client }) => {
        await client.ok('deleteResults', { as: here.member, params: { botId: here.published.id } })
        return { as: here.member, params: { botId: here.published.id, resultId: here.results[0] } }
      },
    },
  },

  getTranscript: {
    needs: 'MEMBER',
    ok: {
      'of a chat': async ({ here }, { client }) => {
        const params = { publicId: here.published.publicId }
        const { sessionId, resultId } = await client.ok('startChat', { params })
        const body = { message: 'ada@example.com' }
        await client.ok('continueChat', { params: { sessionId }, body })
        return {
          as: here.member,
          params: { botId: here.published.id, resultId: String(resultId) },
          after: (answer) =>
            expect(answer.body.transcript).toEqual([
              { role: 'bot', type: 'text', text: 'Hi' },
              { role: 'user', type: 'text', text: 'ada@example.com' },
            ]),
        }
      },
      'of which nothing was kept': ({ here }) => ({
        as: here.member,
        params: { botId: here.published.id, resultId: here.unansweredResult },
        after: ({ body }) => expect(body).toEqual({ transcript: [] }),
      }),
    },
    BAD_REQUEST: ({ here }) => ({
      as: here.member,
      params: { botId: here.published.id, resultId: 'r'.repeat(65) },
      at: 'path.resultId',
    }),
    FORBIDDEN: ({ here }) => ({
      as: here.guest,
      params: { botId: here.published.id, resultId: here.results[0] },
    }),
    NOT_FOUND: ({ here, there }) => ({
      as: here.member,
      params: { botId: here.published.id, resultId: there.results[0] },
    }),
  },

  listResultLogs: {
    needs: 'MEMBER',
    ok: {
      'newest first': async ({ here }, { client }) => {
        await client.ok('saveClientLogs', {
          params: { sessionId: here.session },
          body: { clientLogs: [{ description: 'Newer', status: 'info' }] },
        })
        return {
          as: here.member,
          params: { botId: here.published.id, resultId: here.results[0] },
          after: ({ body }) => {
            expect(body.logs).toMatchObject([
              { resultId: here.results[0], status: 'info', description: 'Newer', details: null },
              { status: 'error', description: 'Could not load the script' },
            ])
            expect(body.nextCursor).toBeNull()
          },
        }
      },
      'of which there are none': ({ here }) => ({
        as: here.member,
        params: { botId: here.published.id, resultId: here.unansweredResult },
        after: ({ body }) => expect(body).toEqual({ logs: [], nextCursor: null }),
      }),
      'in pages, entries of one moment too': async ({ here }, { client }) => {
        const clientLogs = ['One', 'Two', 'Three'].map((description) => ({ description }))
        await client.ok('saveClientLogs', { params: { sessionId: here.session }, body: { clientLogs } })
        const options = { as: here.member, params: { botId: here.published.id, resultId: here.results[0] } }
        const first = await client.ok('listResultLogs', { ...options, query: { limit: 2 } })
        return {
          ...options,
          query: { limit: 2, cursor: String(first.nextCursor) },
          after: ({ body }) => {
            const seen = [...first.logs, ...body.logs].map(({ description }) => description)
            expect(seen.sort()).toEqual(['Could not load the script', 'One', 'Three', 'Two'])
          },
        }
      },
    },
    BAD_REQUEST: {
      'the cursor of another result': async ({ here }, { client }) => {
        const clientLogs = [{ description: 'One' }]
        await client.ok('saveClientLogs', { params: { sessionId: here.session }, body: { clientLogs } })
        const params = { botId: here.published.id, resultId: here.results[0] }
        const query = { limit: 1 }
        const { nextCursor } = await client.ok('listResultLogs', { as: here.member, params, query })
        return {
          as: here.member,
          params: { ...params, resultId: here.results[1] },
          query: { cursor: String(nextCursor) },
          at: 'query.cursor',
        }
      },
      'a page that is too large': ({ here }) => ({
        as: here.member,
        params: { botId: here.published.id, resultId: here.results[0] },
        query: { limit: 1000 },
        at: 'query.limit',
      }),
    },
    FORBIDDEN: ({ here }) => ({
      as: here.guest,
      params: { botId: here.published.id, resultId: here.results[0] },
    }),
    NOT_FOUND: ({ here, there }) => ({
      as: here.member,
      params: { botId: here.published.id, resultId: there.results[0] },
    }),
  },

  exportResults: {
    needs: 'MEMBER',
    ok: {
      'all of them': ({ here }) => ({
        as: here.member,
        params: { botId: here.published.id },
        after: ({ text }) => {
          const lines = text.split('\r\n')
          expect(lines).toHaveLength(5)
          expect(lines.at(-1)).toBe('')
          expect(here.results.map((id, at) => lines[at + 1]?.startsWith(`${id},`))).toEqual([
            true,
            true,
            true,
          ])
        },
      }),
      'with a byte order mark and a name, for spreadsheets': ({ here }) => ({
        as: here.member,
        params: { botId: here.published.id },
        query: { byteOrderMark: true },
        after: ({ text, headers }) => {
          expect(text.startsWith('\ufeffResult,')).toBe(true)
          expect(headers['content-disposition']).toBe(
            `attachment; filename="results-${here.published.id}.csv"`,
          )
        },
      }),
      'as JSON lines': ({ here }) => ({
        as: here.member,
        params: { botId: here.published.id },
        query: { format: 'jsonl', limit: 100_000 },
        after: ({ text, headers }) => {
          expect(headers['content-disposition']).toMatch(/\.jsonl"$/)
          expect(headers['content-type']).toBe('application/x-ndjson; charset=utf-8')
          expect(headers['results-remaining']).toBe('3')
          expect(headers['next-cursor']).toBeUndefined()
          const lines = text.split('\n')
          expect(lines.pop()).toBe('')
          expect(idsOf(lines.map((line) => JSON.parse(line)))).toEqual(here.results)
        },
      }),
      'the part after the first': async ({ here }, { client }) => {
        const options = { as: here.member, params: { botId: here.published.id } }
        const first = await client.call('exportResults', { ...options, query: { limit: 2 } })
        return {
          ...options,
          query: { cursor: first.headers['next-cursor'], limit: 1 },
          after: ({ text, headers }) => {
            expect(text.split('\r\n')).toHaveLength(3)
            expect(headers['results-remaining']).toBe('1')
            expect(headers['next-cursor']).toBeUndefined()
          },
        }
      },
      'of a bot without any': ({ here }) => ({
        as: here.member,
        params: { botId: here.draft.id },
        after: ({ text }) => expect(text.split('\r\n')).toHaveLength(2),
      }),
    },
    BAD_REQUEST: {
      'a format there is not': ({ here }) => ({
        as: here.member,
        params: { botId: here.published.id },
        query: { format: 'xlsx' },
        at: 'query.format',
      }),
      'a part that is too large': ({ here }) => ({
        as: here.member,
        params: { botId: here.published.id },
        query: { limit: 100_001 },
        at: 'query.limit',
      }),
      'the cursor of a list': async ({ here }, { client }) => {
        const options = { as: here.member, params: { botId: here.published.id } }
        const { nextCursor } = await client.ok('listResults', { ...options, query: { limit: 1 } })
        return { ...options, query: { cursor: String(nextCursor) }, at: 'query.cursor' }
      },
      'the cursor of another filter': async ({ here }, { client }) => {
        const options = { as: here.member, params: { botId: here.published.id } }
        const { headers } = await client.call('exportResults', { ...options, query: { limit: 1 } })
        return {
          ...options,
          query: { cursor: headers['next-cursor'], status: 'started' },
          at: 'query.cursor',
        }
      },
      'a filter there is not': ({ here }) => ({
        as: here.member,
        params: { botId: here.published.id },
        query: { timeFilter: 'never' },
        at: 'query.timeFilter',
      }),
      'a range without a day of the filter': ({ here }) => ({
        as: here.member,
        params: { botId: here.published.id },
        query: { timeFilter: 'lastMonth', createdAfter: '2099-01-01T00:00:00Z' },
        at: 'query.createdAfter',
      }),
    },
    FORBIDDEN: ({ here }) => ({ as: here.guest, params: { botId: here.published.id } }),
    NOT_FOUND: ({ here }) => ({ as: here.member, params: { botId: missingId } }),
  },
}
