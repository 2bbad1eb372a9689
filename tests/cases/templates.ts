import { expect } from '@jest/globals'
import { templates as all } from '../../server/templates/index.ts'
import { type Cases, limited } from '../support/cases.ts'

export const templates: Cases<'templates'> = {
  listTemplates: {
    needs: 'token',
    ok: {
      'by a caller without a workspace': ({ stranger }) => ({
        as: stranger,
        after: ({ body }) => {
          expect(body.templates.map((each: { id: string }) => each.id)).toEqual(all.map(({ id }) => id))
          expect(body.templates[0]).not.toHaveProperty('bot')
        },
      }),
    },
    BAD_REQUEST: ({ stranger }) => ({ as: stranger, query: { category: 'quiz' }, at: 'query.category' }),
    FORBIDDEN: async ({ here }, app) => ({
      as: await limited(app, here.admin, { scopes: ['write'] }),
      at: 'header.authorization',
    }),
  },
  getTemplate: {
    needs: 'token',
    ok: {
      'that a bot is created from': ({ here }, { client }) => ({
        as: here.member,
        params: { templateId: 'quiz' },
        after: async ({ body }) => {
          expect(body.template).toMatchObject({ id: 'quiz', name: 'Quiz', needs: [] })
          const { bot } = await client.ok('createBot', {
            as: here.member,
            body: { workspaceId: here.workspaceId, bot: body.template.bot },
          })
          expect(bot).toMatchObject(body.template.bot)
          const { findings } = await client.ok('checkBot', { as: here.member, params: { botId: bot.id } })
          expect(findings).toEqual([])
        },
      }),
    },
    BAD_REQUEST: ({ stranger }) => ({
      as: stranger,
      params: { templateId: 'Quiz!' },
      at: 'path.templateId',
    }),
    FORBIDDEN: async ({ here }, app) => ({
      as: await limited(app, here.admin, { scopes: ['write'] }),
      params: { templateId: 'quiz' },
      at: 'header.authorization',
    }),
    NOT_FOUND: ({ stranger }) => ({ as: stranger, params: { templateId: 'novel' } }),
  },
}
