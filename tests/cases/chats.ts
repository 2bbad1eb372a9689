import { expect } from '@jest/globals'
import type { App } from '../support/app.ts'
import { type Cases, missingId } from '../support/cases.ts'
import { anyBody } from '../support/client.ts'
import type { Site } from '../support/world.ts'

/** A chat that a member has taken. */
export async function takeChat(app: App, site: Site) {
  const { resultId, ...chat } = await startChat(app, site)
  await app.client.ok('updateChat', { ...chat, body: { handledBy: 'member' } })
  return { ...chat, resultId }
}

/** A chat that waits for a member, by its id. */
async function hand(app: App, site: Site): Promise<string> {
  const { resultId: _, ...chat } = await startChat(app, site)
  await app.client.ok('updateChat', { ...chat, body: { handledBy: 'waiting' } })
  return chat.params.sessionId
}

/** A chat that waits for an e-mail address, as steering addresses it. */
export async function startChat({ client }: App, { member, published }: Site) {
  const { sessionId, resultId = '' } = await client.ok('startChat', {
    params: { publicId: published.publicId },
  })
  return { as: member, params: { botId: published.id, sessionId }, resultId }
}

export const chats: Cases<'chats'> = {
  listChats: {
    needs: 'MEMBER',
    ok: {
      'newest first, only those that wait': async ({ here }, app) => {
        const first = await startChat(app, here)
        const second = await startChat(app, here)
        const over = await startChat(app, here)
        const body = { message: 'ada@example.com' }
        await app.client.ok('continueChat', { params: { sessionId: over.params.sessionId }, body })
        await app.client.ok('startPreview', { as: here.member, params: { botId: here.published.id } })
        const { publicId } = here.published
        await app.client.ok('startChat', { params: { publicId }, body: { isOnlyRegistering: true } })
        return {
          as: here.member,
          params: { botId: here.published.id },
          after: ({ body }) => {
            const ids = body.chats.map(({ sessionId }: { sessionId: string }) => sessionId)
            expect(ids).toEqual([second.params.sessionId, first.params.sessionId, here.session])
            expect(body.chats[0]).toMatchObject({
              sessionId: second.params.sessionId,
              resultId: second.resultId,
              blockId: 'block-email',
              revision: 1,
            })
            expect(body.nextCursor).toBeNull()
          },
        }
      },
      'in pages': async ({ here }, app) => {
        await startChat(app, here)
        const options = { as: here.member, params: { botId: here.published.id } }
        const first = await app.client.ok('listChats', { ...options, query: { limit: 1 } })
        return {
          ...options,
          query: { limit: 1, cursor: String(first.nextCursor) },
          after: ({ body }) => {
            expect(body.chats).toMatchObject([{ sessionId: here.session }])
            expect(body.nextCursor).toBeNull()
          },
        }
      },
      'of those that a member handles': async ({ here }, app) => {
        const taken = await takeChat(app, here)
        const waiting = await startChat(app, here)
        const { resultId: _, ...rest } = waiting
        await app.client.ok('updateChat', { ...rest, body: { handledBy: 'waiting' } })
        const idsOf = async (query: Record<string, string>) => {
          const options = { as: here.member, params: { botId: here.published.id }, query }
          const { chats } = await app.client.ok('listChats', options)
          return chats.map(({ sessionId }) => sessionId)
        }
        expect(await idsOf({ handledBy: 'waiting' })).toEqual([waiting.params.sessionId])
        expect(await idsOf({ handledBy: 'bot' })).toEqual([here.session])
        expect(await idsOf({ assigneeId: here.member.id })).toEqual([taken.params.sessionId])
        expect(await idsOf({ assigneeId: here.admin.id })).toEqual([])
        return {
          as: here.member,
          params: { botId: here.published.id },
          query: { handledBy: 'member' },
          after: ({ body }) =>
            expect(body.chats).toMatchObject([
              { sessionId: taken.params.sessionId, handledBy: 'member', assigneeId: here.member.id },
            ]),
        }
      },
    },
    BAD_REQUEST: async ({ here, there }, app) => {
      await startChat(app, there)
      const page = await app.client.ok('listChats', {
        as: there.member,
        params: { botId: there.published.id },
        query: { limit: 1 },
      })
      return {
        as: here.member,
        params: { botId: here.published.id },
        query: { cursor: String(page.nextCursor) },
        at: 'query.cursor',
      }
    },
    FORBIDDEN: ({ here }) => ({ as: here.guest, params: { botId: here.published.id } }),
    NOT_FOUND: ({ here }) => ({ as: here.member, params: { botId: here.archived.id } }),
  },

  listWorkspaceChats: {
    needs: 'MEMBER',
    ok: {
      'of all bots, those that wait first, with the last message': async ({ here, there }, app) => {
        const taken = await takeChat(app, here)
        await app.client.ok('continueChat', {
          params: { sessionId: taken.params.sessionId },
          body: { message: 'Is anybody there?' },
        })
        const waiting = await hand(app, here)
        await startChat(app, here)
        await takeChat(app, there)
        const { botId } = taken.params
        return {
          as: here.member,
          params: { workspaceId: here.workspaceId },
          after: ({ body }) => {
            expect(body.chats).toMatchObject([
              { sessionId: waiting, botId, handledBy: 'waiting', lastMessage: null },
              {
                sessionId: taken.params.sessionId,
                handledBy: 'member',
                assigneeId: here.member.id,
                lastMessage: { role: 'user', text: 'Is anybody there?' },
              },
            ])
            expect(body.nextCursor).toBeNull()
          },
        }
      },
      'that wait, in pages': async ({ here }, app) => {
        await takeChat(app, here)
        const first = await hand(app, here)
        app.clock.advance(1_000)
        const second = await hand(app, here)
        const options = { as: here.member, params: { workspaceId: here.workspaceId } }
        const query = { handledBy: 'waiting' as const, limit: 1 }
        const page = await app.client.ok('listWorkspaceChats', { ...options, query })
        expect(page.chats.map(({ sessionId }) => sessionId)).toEqual([first])
        return {
          ...options,
          query: { ...query, cursor: String(page.nextCursor) },
          after: ({ body }) => {
            expect(body.chats).toMatchObject([{ sessionId: second }])
            expect(body.nextCursor).toBeNull()
          },
        }
      },
      'that one member handles': async ({ here }, app) => {
        const { sessionId } = (await takeChat(app, here)).params
        const { resultId: _, ...others } = await startChat(app, here)
        await app.client.ok('updateChat', { ...others, body: { assigneeId: here.admin.id } })
        return {
          as: here.member,
          params: { workspaceId: here.workspaceId },
          query: { assigneeId: here.member.id },
          after: ({ body }) => expect(body.chats).toMatchObject([{ sessionId }]),
        }
      },
    },
    BAD_REQUEST: {
      'with a cursor of another list': async ({ here }, app) => {
        await startChat(app, here)
        const page = await app.client.ok('listChats', {
          as: here.member,
          params: { botId: here.published.id },
          query: { limit: 1 },
        })
        return {
          as: here.member,
          params: { workspaceId: here.workspaceId },
          query: { cursor: String(page.nextCursor) },
          at: 'query.cursor',
        }
      },
      'of chats that no people handle': ({ here }) => ({
        as: here.member,
        params: { workspaceId: here.workspaceId },
        query: { handledBy: 'bot' },
        at: 'query.handledBy',
      }),
    },
    FORBIDDEN: ({ here }) => ({ as: here.guest, params: { workspaceId: here.workspaceId } }),
    NOT_FOUND: ({ here }) => ({ as: here.member, params: { workspaceId: missingId } }),
  },

  getChat: {
    needs: 'MEMBER',
    ok: {
      'with what was said': async ({ here }, app) => {
        const { resultId, ...chat } = await takeChat(app, here)
        const { sessionId } = chat.params
        await app.client.ok('continueChat', { params: { sessionId }, body: { message: 'Is anybody there?' } })
        await app.client.ok('sendMessage', { ...chat, body: { text: 'Yes' } })
        return {
          ...chat,
          after: async ({ body }) => {
            expect(body.chat).toMatchObject({ sessionId, resultId, handledBy: 'member', revision: 2 })
            const { publication } = await app.client.ok('getPublication', {
              as: here.member,
              params: { botId: chat.params.botId, publicationId: body.chat.publicationId },
            })
            expect(publication.isLive).toBe(true)
            expect(body.turns.slice(-2)).toMatchObject([
              { role: 'user', text: 'Is anybody there?' },
              { role: 'member', message: { type: 'text' }, userId: here.member.id },
            ])
            expect(body.chat.lastMessage).toEqual({ role: 'member', text: 'Yes' })
          },
        }
      },
      'that is over': async ({ here }, app) => {
        const { resultId: _, ...chat } = await startChat(app, here)
        await app.client.ok('updateChat', { ...chat, body: { isOver: true } })
        return { ...chat, after: ({ body }) => expect(body.chat).toMatchObject({ isOver: true }) }
      },
    },
    BAD_REQUEST: ({ here }) => ({
      as: here.member,
      params: { botId: here.published.id, sessionId: 'no id' },
      at: 'path.sessionId',
    }),
    FORBIDDEN: async ({ here }, app) => ({ params: (await startChat(app, here)).params, as: here.guest }),
    NOT_FOUND: {
      'of another bot': async ({ here, there }, app) => {
        const { params } = await startChat(app, there)
        return { as: here.member, params: { ...params, botId: here.published.id } }
      },
      'that is a preview': async ({ here }, app) => {
        const params = { botId: here.published.id }
        const { sessionId } = await app.client.ok('startPreview', { as: here.member, params })
        return { as: here.member, params: { ...params, sessionId } }
      },
    },
  },

  updateChat: {
    needs: 'MEMBER',
    ok: {
      'with a variable': async ({ here }, app) => {
        const { resultId, ...options } = await startChat(app, here)
        return {
          ...options,
          body: { variables: { Email: 'ada@example.com' } },
          after: async ({ body }) => {
            expect(body.chat).toMatchObject({ ...options.params, resultId, isOver: false, revision: 1 })
            const { result } = await app.client.ok('getResult', {
              as: here.member,
              params: { botId: here.published.id, resultId },
            })
            expect(result.variables).toEqual([
              { id: 'variable-email', name: 'Email', value: 'ada@example.com' },
            ])
          },
        }
      },
      'to its end': async ({ here }, app) => {
        const { resultId, ...options } = await startChat(app, here)
        return {
          ...options,
          body: { isOver: true },
          after: async ({ body }) => {
            expect(body.chat).toMatchObject({ isOver: true })
            const { sessionId } = options.params
            const reply = { params: { sessionId }, body: { message: 'ada@example.com', revision: 1 } }
            expect((await app.client.call('continueChat', reply)).status).toBe(404)
            const session = await app.client.ok('getSession', { params: { sessionId } })
            expect(session).toMatchObject({ isOver: true, revision: 1 })
            expect(session).not.toHaveProperty('input')
            const { logs } = await app.client.ok('listResultLogs', {
              as: here.member,
              params: { botId: here.published.id, resultId },
            })
            expect(logs).toMatchObject([{ status: 'info', description: 'A member ended the chat' }])
          },
        }
      },
      'taken and given back': async ({ here }, app) => {
        const { resultId: _, ...chat } = await takeChat(app, here)
        const { sessionId } = chat.params
        const taken = await app.client.ok('getSession', { params: { sessionId } })
        expect(taken).toMatchObject({ handledBy: 'member', input: { type: 'text input' }, revision: 1 })
        return {
          ...chat,
          body: { handledBy: 'bot' },
          after: async ({ body }) => {
            expect(body.chat).toMatchObject({ handledBy: 'bot', assigneeId: null, revision: 2 })
            const session = await app.client.ok('getSession', { params: { sessionId } })
            expect(session).toMatchObject({ input: { id: 'block-email' }, revision: 2 })
            expect(session).not.toHaveProperty('handledBy')
          },
        }
      },
      'with nothing': async ({ here }, app) => {
        const { resultId: _, ...options } = await startChat(app, here)
        // A client can send back the response of a read.
        const { chat } = await app.client.ok('getChat', options)
        return {
          ...options,
          body: anyBody(chat),
          after: ({ body }) => expect(body.chat).toEqual(chat),
        }
      },
    },
    BAD_REQUEST: {
      'with a name that no variable has': async ({ here }, app) => {
        const { resultId: _, ...options } = await startChat(app, here)
        return { ...options, body: { variables: { Email: 'a', Nothing: 'b' } }, at: 'body.variables.Nothing' }
      },
      'for a member that there is not': async ({ here }, app) => {
        const { resultId: _, ...options } = await startChat(app, here)
        return { ...options, body: { assigneeId: here.guest.id }, at: 'body.assigneeId' }
      },
      'at a group that there is not': async ({ here }, app) => {
        const { resultId: _, ...chat } = await takeChat(app, here)
        return { ...chat, body: { handledBy: 'bot', groupId: 'nowhere' }, at: 'body.groupId' }
      },
      'at a group, without the bot': async ({ here }, app) => {
        const { resultId: _, ...chat } = await takeChat(app, here)
        return { ...chat, body: { groupId: 'group-welcome' }, at: 'body.handledBy' }
      },
      'with more than a variable holds': async ({ here }, app) => {
        const { resultId: _, ...options } = await startChat(app, here)
        const Email = Array.from({ length: 100_000 }, () => 1)
        return { ...options, body: { variables: { Email } }, at: 'body.variables.Email' }
      },
    },
    CONFLICT: {
      'that another member handles': async ({ here }, app) => {
        const { params } = await takeChat(app, here)
        return { as: here.admin, params, body: { handledBy: 'member' }, at: 'body.handledBy' }
      },
      'that the bot handles, at a group': async ({ here }, app) => {
        const { resultId: _, ...chat } = await startChat(app, here)
        return { ...chat, body: { handledBy: 'bot', groupId: 'group-welcome' }, at: 'body.groupId' }
      },
    },
    FORBIDDEN: async ({ here }, app) => ({ params: (await startChat(app, here)).params, as: here.guest }),
    NOT_FOUND: {
      'that is over': async ({ here }, app) => {
        const { resultId: _, ...options } = await startChat(app, here)
        await app.client.ok('updateChat', { ...options, body: { isOver: true } })
        return { ...options, body: { isOver: true } }
      },
      'of another bot': async ({ here, there }, app) => {
        const { params } = await startChat(app, there)
        return { as: here.member, params: { ...params, botId: here.published.id } }
      },
      'that is a preview': async ({ here }, app) => {
        const params = { botId: here.published.id }
        const { sessionId } = await app.client.ok('startPreview', { as: here.member, params })
        return { as: here.member, params: { ...params, sessionId } }
      },
      'that there is not': ({ here }) => ({
        as: here.member,
        params: { botId: here.published.id, sessionId: missingId },
      }),
    },
  },
}
