import { expect } from '@jest/globals'
import type { App } from '../support/app.ts'
import { type Cases, missingId } from '../support/cases.ts'
import { anyBody } from '../support/client.ts'
import { flow, type Site } from '../support/world.ts'

/** Makes the published bot ask for files, and starts a chat with it. */
async function waitForFiles(
  { client }: App,
  { member, published }: Site,
  options: object = {},
  settings = {},
) {
  const addressed = { as: member, params: { botId: published.id } }
  const blocks = [{ id: 'block-file', type: 'file input', options }]
  const groups = flow.groups.map((group) => ({ ...group, blocks }))
  await client.ok('updateBot', { ...addressed, body: anyBody({ bot: { version: '6.1', groups, settings } }) })
  await client.ok('publishBot', addressed)
  const { sessionId } = await client.ok('startChat', { params: { publicId: published.publicId } })
  return { params: { sessionId }, query: { fileName: 'plan.pdf' }, body: anyBody('bytes'), headers }
}

const headers = { 'Content-Type': 'application/octet-stream' }

export const uploads: Cases<'uploads'> = {
  uploadFile: {
    needs: 'nothing',
    ok: {
      'that the chat waits for': async ({ here }, app) => ({
        ...(await waitForFiles(app, here)),
        after: async ({ body }) => {
          expect(body.upload).toMatchObject({
            name: 'plan.pdf',
            size: 5,
            mediaType: 'application/octet-stream',
          })
          const file = await fetch(body.upload.url)
          expect(await file.text()).toBe('bytes')
        },
      }),
      'that is a picture': async ({ here }, app) => ({
        ...(await waitForFiles(app, here)),
        query: { fileName: 'a.html' },
        body: anyBody(Buffer.from('89504e470d0a1a0a0000', 'hex')),
        after: ({ body }) => expect(body.upload).toMatchObject({ name: 'a.html', mediaType: 'image/png' }),
      }),
    },
    BAD_REQUEST: {
      'to a chat that asks for something else': async ({ here }, app) => {
        const request = await waitForFiles(app, here)
        const { sessionId } = await app.client.ok('startChat', {
          params: { publicId: String(here.shared.publicId) },
        })
        return { ...request, params: { sessionId }, at: 'path.sessionId' }
      },
      'of a type that the input does not take': async ({ here }, app) => {
        const allowedFileTypes = { isEnabled: true, types: ['.txt', 'image/png'] }
        return { ...(await waitForFiles(app, here, { allowedFileTypes })), at: 'query.fileName' }
      },
      'without a name': async ({ here }, app) => ({
        ...(await waitForFiles(app, here)),
        query: {},
        at: 'query.fileName',
      }),
      'with nothing in it': async ({ here }, app) => ({
        ...(await waitForFiles(app, here)),
        body: anyBody(''),
        at: 'body',
      }),
    },
    FORBIDDEN: async ({ here }, app) => {
      const settings = { security: { allowedOrigins: ['https://allowed.example'] } }
      const request = await waitForFiles(app, here, {}, settings)
      return { ...request, headers: { ...headers, Origin: 'https://evil.example' }, at: 'header.origin' }
    },
    NOT_FOUND: {
      'to a chat there is not': async ({ here }, app) => ({
        ...(await waitForFiles(app, here)),
        params: { sessionId: missingId },
      }),
      'to a chat that is over': async ({ here }, app) => {
        const request = await waitForFiles(app, here)
        const params = { botId: here.published.id, ...request.params }
        await app.client.ok('updateChat', { as: here.member, params, body: { isOver: true } })
        return request
      },
    },
  },
}
