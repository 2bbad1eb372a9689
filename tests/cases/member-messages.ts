import { expect } from '@jest/globals'
import type { Cases } from '../support/cases.ts'
import { anyBody } from '../support/client.ts'
import { startChat, takeChat } from './chats.ts'

export const memberMessages: Cases<'memberMessages'> = {
  sendMessage: {
    needs: 'MEMBER',
    ok: {
      'in plain text': async ({ here }, app) => {
        const { resultId, ...chat } = await takeChat(app, here)
        return {
          ...chat,
          body: { text: 'I look into it *now*.' },
          after: async ({ body }) => {
            const richText = [{ type: 'p', children: [{ text: 'I look into it *now*.' }] }]
            const message = expect.objectContaining({ content: { type: 'richText', richText } })
            expect(body.messages).toEqual([message])
            const { sessionId } = chat.params
            const { turns } = await app.client.ok('getSession', { params: { sessionId } })
            expect(turns.at(-1)).toEqual({ role: 'member', message })
            const { transcript } = await app.client.ok('getTranscript', {
              as: here.member,
              params: { botId: here.published.id, resultId },
            })
            expect(transcript.at(-1)).toEqual({ role: 'member', type: 'text', text: 'I look into it *now*.' })
          },
        }
      },
      'in Markdown': async ({ here }, app) => {
        const { resultId: _, ...chat } = await takeChat(app, here)
        return {
          ...chat,
          body: { text: 'I look into it **now**.', textFormat: 'markdown' },
          after: ({ body }) => {
            const children = [{ text: 'I look into it ' }, { text: 'now', bold: true }, { text: '.' }]
            expect(body.messages[0].content.richText).toEqual([{ type: 'p', children }])
          },
        }
      },
    },
    BAD_REQUEST: {
      'that says nothing': async ({ here }, app) => {
        const { resultId: _, ...chat } = await takeChat(app, here)
        return { ...chat, body: { text: ' \n ' }, at: 'body.text' }
      },
      'with a file of another site': async ({ here }, app) => {
        const { resultId: _, ...chat } = await takeChat(app, here)
        const attachedFileUrls = ['https://example.com/plan.pdf']
        return { ...chat, body: { attachedFileUrls }, at: 'body.attachedFileUrls.0' }
      },
    },
    CONFLICT: async ({ here }, app) => {
      const { resultId: _, ...chat } = await startChat(app, here)
      return { ...chat, body: { text: 'Hello' }, at: 'path.sessionId' }
    },
    FORBIDDEN: async ({ here }, app) => ({
      params: (await startChat(app, here)).params,
      as: here.guest,
      body: { text: 'Hello' },
    }),
    NOT_FOUND: async ({ here }, app) => {
      const { resultId: _, ...chat } = await takeChat(app, here)
      await app.client.ok('updateChat', { ...chat, body: { isOver: true } })
      return { ...chat, body: { text: 'Hello' } }
    },
  },

  updateTypingSign: {
    needs: 'MEMBER',
    ok: {
      'of the member who handles the chat': async ({ here }, app) => {
        const { resultId: _, ...chat } = await takeChat(app, here)
        const before = await app.client.ok('getChat', chat)
        return {
          ...chat,
          body: { isTyping: true },
          after: async () => expect(await app.client.ok('getChat', chat)).toEqual(before),
        }
      },
      'that ends': async ({ here }, app) => {
        const { resultId: _, ...chat } = await takeChat(app, here)
        await app.client.ok('updateTypingSign', { ...chat, body: { isTyping: true } })
        return { ...chat, body: { isTyping: false } }
      },
    },
    BAD_REQUEST: async ({ here }, app) => {
      const { resultId: _, ...chat } = await takeChat(app, here)
      return { ...chat, body: anyBody({}), at: 'body.isTyping' }
    },
    CONFLICT: {
      'that the bot handles': async ({ here }, app) => {
        const { resultId: _, ...chat } = await startChat(app, here)
        return { ...chat, body: { isTyping: true }, at: 'path.sessionId' }
      },
      'that another member handles': async ({ here }, app) => {
        const { params } = await takeChat(app, here)
        return { as: here.admin, params, body: { isTyping: true }, at: 'path.sessionId' }
      },
    },
    FORBIDDEN: async ({ here }, app) => ({
      params: (await takeChat(app, here)).params,
      as: here.guest,
      body: { isTyping: true },
    }),
    NOT_FOUND: {
      'that is over': async ({ here }, app) => {
        const { resultId: _, ...chat } = await takeChat(app, here)
        await app.client.ok('updateChat', { ...chat, body: { isOver: true } })
        return { ...chat, body: { isTyping: true } }
      },
      'of another bot': async ({ here, there }, app) => {
        const { params } = await takeChat(app, there)
        return { as: here.member, params: { ...params, botId: here.published.id }, body: { isTyping: true } }
      },
    },
  },
}
