import { expect } from '@jest/globals'
import { type Cases, missingId } from '../support/cases.ts'
import { flow } from '../support/world.ts'

export const comparison: Cases<'comparison'> = {
  compareBot: {
    needs: 'GUEST',
    ok: {
      'the live publication with a draft that is the same': ({ here }) => ({
        as: here.guest,
        params: { botId: here.published.id },
        after: ({ body }) =>
          expect(body).toMatchObject({
            from: { state: 'publication', publicationId: here.published.publicationId, version: '6.1' },
            to: { state: 'draft', publicationId: null, version: '6.1' },
            changes: [],
            isComplete: true,
          }),
      }),
      'the live publication with a draft that went on': async ({ here }, { client }) => {
        const options = { as: here.member, params: { botId: here.published.id } }
        const [group, ...groups] = flow.groups
        const body = {
          bot: { version: '6.1' as const, groups: [{ ...group, title: 'Hello' }, ...groups] as never },
        }
        await client.ok('updateBot', { ...options, body })
        return {
          ...options,
          after: ({ body }) =>
            expect(body.changes).toMatchObject([
              { kind: 'group', change: 'renamed', id: group?.id, path: ['title'], after: 'Hello' },
            ]),
        }
      },
      'a publication with itself': ({ here }) => ({
        as: here.guest,
        params: { botId: here.published.id },
        query: { from: here.published.publicationId, to: 'published' },
        after: ({ body }) => expect(body).toMatchObject({ changes: [], from: body.to }),
      }),
    },
    BAD_REQUEST: ({ here }) => ({
      as: here.guest,
      params: { botId: here.published.id },
      query: { from: 'the live one' },
      at: 'query.from',
    }),
    FORBIDDEN: {
      'to a stranger': ({ here, stranger }) => ({ as: stranger, params: { botId: here.published.id } }),
      'to a stranger, though it is shared': ({ here, stranger }) => ({
        as: stranger,
        params: { botId: here.shared.id },
      }),
    },
    NOT_FOUND: {
      'a bot that was never published': ({ here }) => ({
        as: here.guest,
        params: { botId: here.draft.id },
        at: 'query.from',
      }),
      'a publication that never was': ({ here }) => ({
        as: here.guest,
        params: { botId: here.published.id },
        query: { to: missingId },
        at: 'query.to',
      }),
      'a publication of another bot': ({ here, there }) => ({
        as: here.guest,
        params: { botId: here.published.id },
        query: { from: there.published.publicationId },
        at: 'query.from',
      }),
      'a bot that is deleted': ({ here }) => ({ as: here.guest, params: { botId: here.archived.id } }),
    },
  },
}
