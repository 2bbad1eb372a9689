import { expect } from '@jest/globals'
import type { App } from '../support/app.ts'
import { type Cases, missingId } from '../support/cases.ts'
import { anyBody } from '../support/client.ts'
import type { Site } from '../support/world.ts'

const secret = 'sk-never-shown-again'
const openai = { type: 'openai' as const, name: 'Company account', data: { apiKey: secret } }
const smtp = {
  type: 'smtp' as const,
  name: 'Newsletter',
  data: { host: 'mail.example.com', port: 587, password: secret, from: { email: 'bots@example.com' } },
}

const params = ({ workspaceId }: Site) => ({ workspaceId })

/** Credentials of a site, and where they are. */
async function made({ client }: App, site: Site, body: typeof openai | typeof smtp = openai) {
  const { credentials } = await client.ok('createCredentials', {
    as: site.member,
    params: params(site),
    body,
  })
  return { credentials, params: { ...params(site), credentialsId: credentials.id } }
}

export const credentials: Cases<'credentials'> = {
  listCredentials: {
    needs: 'MEMBER',
    ok: async ({ here, there }, app) => {
      await made(app, there)
      const first = await made(app, here)
      const second = await made(app, here, smtp)
      return {
        as: here.member,
        params: params(here),
        after: ({ body, text }) => {
          expect(body.credentials).toEqual([second.credentials, first.credentials])
          expect(text).not.toContain(secret)
        },
      }
    },
    BAD_REQUEST: ({ here }) => ({
      as: here.member,
      params: params(here),
      query: { type: 'openai' },
      at: 'query.type',
    }),
    FORBIDDEN: ({ here }) => ({ as: here.guest, params: params(here) }),
    NOT_FOUND: ({ here }) => ({ as: here.admin, params: { workspaceId: missingId } }),
  },

  createCredentials: {
    needs: 'MEMBER',
    ok: {
      'a key': ({ here }) => ({
        as: here.member,
        params: params(here),
        body: openai,
        after: ({ body, text, headers }) => {
          expect(body.credentials).toMatchObject({
            workspaceId: here.workspaceId,
            type: 'openai',
            name: 'Company account',
          })
          expect(headers.location).toBe(
            `/v1/workspaces/${here.workspaceId}/credentials/${body.credentials.id}`,
          )
          expect(text).not.toContain(secret)
        },
      }),
      'an account': ({ here }) => ({ as: here.admin, params: params(here), body: smtp }),
      'of every vendor': async ({ here }, { client }) => {
        const types = ['anthropic', 'mistral', 'groq', 'together-ai', 'open-router', 'perplexity'] as const
        const data = { apiKey: secret, baseUrl: 'http://models.internal:8080/v1' }
        for (const type of types) {
          const body = { type, name: type, data }
          await client.ok('createCredentials', { as: here.member, params: params(here), body })
        }
        return { as: here.member, params: params(here), body: { type: 'deepseek', name: 'DeepSeek', data } }
      },
    },
    BAD_REQUEST: {
      'without a type': ({ here }) => ({
        as: here.member,
        params: params(here),
        body: anyBody({ name: 'Nobody', data: { apiKey: secret } }),
        at: 'body.type',
      }),
      'a key that no header takes': ({ here }) => ({
        as: here.member,
        params: params(here),
        body: { ...openai, data: { apiKey: `${secret}\r\nX-Evil: 1` } },
        at: 'body.data.apiKey',
        after: ({ text }) => expect(text).not.toContain(secret),
      }),
      'an address that is none': ({ here }) => ({
        as: here.member,
        params: params(here),
        body: { ...openai, data: { apiKey: secret, baseUrl: 'file:///etc/passwd' } },
        at: 'body.data.baseUrl',
        after: ({ text }) => expect(text).not.toContain(secret),
      }),
      'data of another type': ({ here }) => ({
        as: here.member,
        params: params(here),
        body: anyBody({ ...smtp, data: openai.data }),
        at: 'body.data.host',
        after: ({ text }) => expect(text).not.toContain(secret),
      }),
    },
    FORBIDDEN: ({ here }) => ({ as: here.guest, params: params(here), body: openai }),
    NOT_FOUND: ({ here }) => ({ as: here.admin, params: { workspaceId: missingId }, body: openai }),
  },

  getCredentials: {
    needs: 'MEMBER',
    ok: async ({ here }, app) => {
      const { params, credentials } = await made(app, here)
      return {
        as: here.member,
        params,
        after: ({ body, text }) => {
          expect(body).toEqual({ credentials })
          expect(text).not.toContain(secret)
        },
      }
    },
    BAD_REQUEST: ({ here }) => ({
      as: here.member,
      params: { ...params(here), credentialsId: '~' },
      at: 'path.credentialsId',
    }),
    FORBIDDEN: async ({ here }, app) => ({ as: here.guest, params: (await made(app, here)).params }),
    NOT_FOUND: {
      'that never were': ({ here }) => ({
        as: here.member,
        params: { ...params(here), credentialsId: missingId },
      }),
      'of another workspace': async ({ here, there }, app) => {
        const { credentials } = await made(app, there)
        return { as: here.member, params: { ...params(here), credentialsId: credentials.id } }
      },
    },
  },

  updateCredentials: {
    needs: 'MEMBER',
    ok: {
      'the name': async ({ here }, app) => {
        const { params, credentials } = await made(app, here)
        return {
          as: here.member,
          params,
          body: { type: 'openai', name: 'Marketing account' },
          after: ({ body }) => {
            const { updatedAt } = body.credentials
            expect(body.credentials).toEqual({ ...credentials, name: 'Marketing account', updatedAt })
            expect(updatedAt > credentials.updatedAt).toBe(true)
          },
        }
      },
      'the data': async ({ here }, app) => {
        const { params, credentials } = await made(app, here, smtp)
        const { updatedAt: _, ...rest } = credentials
        return {
          as: here.member,
          params,
          body: { type: 'smtp', data: { ...smtp.data, host: 'other.example.com' } },
          after: ({ body, text }) => {
            expect(body.credentials).toMatchObject(rest)
            expect(text).not.toContain(secret)
          },
        }
      },
      'what was read, sent back': async ({ here }, app) => {
        const { params, credentials } = await made(app, here)
        return {
          as: here.member,
          params,
          body: anyBody({ ...credentials, id: missingId, workspaceId: missingId }),
          after: ({ body }) => expect(body.credentials).toMatchObject({ id: credentials.id }),
        }
      },
    },
    BAD_REQUEST: {
      'another type': async ({ here }, app) => ({
        as: here.member,
        params: (await made(app, here)).params,
        body: { type: 'anthropic', data: { apiKey: secret } },
        at: 'body.type',
      }),
      'data of another type': async ({ here }, app) => ({
        as: here.member,
        params: (await made(app, here)).params,
        body: anyBody({ type: 'openai', data: smtp.data }),
        at: 'body.data.apiKey',
      }),
    },
    FORBIDDEN: async ({ here }, app) => ({
      as: here.guest,
      params: (await made(app, here)).params,
      body: { type: 'openai', name: 'Mine' },
    }),
    NOT_FOUND: {
      'that never were': ({ here }) => ({
        as: here.member,
        params: { ...params(here), credentialsId: missingId },
        body: { type: 'openai', name: 'Nothing' },
      }),
      'of another workspace': async ({ here, there }, app) => {
        const { credentials } = await made(app, there)
        return {
          as: here.member,
          params: { ...params(here), credentialsId: credentials.id },
          body: { type: 'openai', data: { apiKey: 'sk-of-somebody-else' } },
        }
      },
    },
  },

  testCredentials: {
    needs: 'MEMBER',
    ok: {
      'that no vendor can test': async ({ here }, app) => {
        const body = { type: 'segment' as const, name: 'Events', data: { apiKey: secret } }
        const as = here.member
        const { credentials } = await app.client.ok('createCredentials', { as, params: params(here), body })
        return {
          as,
          params: { ...params(here), credentialsId: credentials.id },
          after: ({ body }) => expect(body.test).toMatchObject({ outcome: 'untestable', status: null }),
        }
      },
      'of a service that may not be called': async ({ here }, app) => {
        const body = { ...openai, data: { apiKey: secret, baseUrl: 'http://127.0.0.1:9/v1' } }
        const as = here.member
        const { credentials } = await app.client.ok('createCredentials', { as, params: params(here), body })
        return {
          as,
          params: { ...params(here), credentialsId: credentials.id },
          after: ({ body, text }) => {
            expect(body.test).toMatchObject({ outcome: 'unreachable', status: null })
            expect(text).not.toContain(secret)
          },
        }
      },
    },
    BAD_REQUEST: ({ here }) => ({
      as: here.member,
      params: { ...params(here), credentialsId: '~' },
      at: 'path.credentialsId',
    }),
    FORBIDDEN: async ({ here }, app) => ({ as: here.guest, params: (await made(app, here)).params }),
    NOT_FOUND: {
      'that never were': ({ here }) => ({
        as: here.member,
        params: { ...params(here), credentialsId: missingId },
      }),
      'of another workspace': async ({ here, there }, app) => {
        const { credentials } = await made(app, there)
        return { as: here.member, params: { ...params(here), credentialsId: credentials.id } }
      },
    },
  },

  deleteCredentials: {
    needs: 'MEMBER',
    ok: async ({ here }, app) => {
      const { params, credentials } = await made(app, here)
      return {
        as: here.member,
        params,
        after: async ({ body }) => {
          expect(body).toEqual({ credentials })
          expect((await app.client.call('getCredentials', { as: here.member, params })).status).toBe(404)
        },
      }
    },
    BAD_REQUEST: ({ here }) => ({
      as: here.member,
      params: { ...params(here), credentialsId: '~' },
      at: 'path.credentialsId',
    }),
    FORBIDDEN: async ({ here }, app) => ({ as: here.guest, params: (await made(app, here)).params }),
    NOT_FOUND: {
      'that never were': ({ here }) => ({
        as: here.admin,
        params: { ...params(here), credentialsId: missingId },
      }),
      'of another workspace': async ({ here, there }, app) => {
        const { credentials } = await made(app, there)
        return { as: here.admin, params: { ...params(here), credentialsId: credentials.id } }
      },
    },
  },
}
