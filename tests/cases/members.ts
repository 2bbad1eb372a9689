import { expect } from '@jest/globals'
import { users } from '../../server/db/schema.ts'
import { newId } from '../../server/ids.ts'
import type { App } from '../support/app.ts'
import { type Cases, missingId } from '../support/cases.ts'
import { anyBody } from '../support/client.ts'
import type { Site } from '../support/world.ts'

const at = (site: Site, userId: string) => ({ workspaceId: site.workspaceId, userId })

async function rolesIn({ client }: App, site: Site): Promise<Record<string, string>> {
  const params = { workspaceId: site.workspaceId }
  const { members } = await client.ok('listMembers', { as: site.admin, params })
  return Object.fromEntries(members.map(({ userId, role }) => [userId, role]))
}

export const members: Cases<'members'> = {
  listMembers: {
    needs: 'GUEST',
    ok: ({ here }) => ({
      as: here.guest,
      params: { workspaceId: here.workspaceId },
      after: ({ body }) =>
        expect(body.members).toMatchObject([
          { userId: here.admin.id, user: { email: here.admin.email }, role: 'ADMIN' },
          { userId: here.member.id, role: 'MEMBER' },
          { userId: here.guest.id, role: 'GUEST' },
        ]),
    }),
    BAD_REQUEST: ({ here }) => ({
      as: here.admin,
      params: { workspaceId: here.workspaceId },
      query: { limit: 10 },
      at: 'query.limit',
    }),
    FORBIDDEN: ({ here, stranger }) => ({ as: stranger, params: { workspaceId: here.workspaceId } }),
    NOT_FOUND: ({ here }) => ({ as: here.admin, params: { workspaceId: missingId } }),
  },

  addMember: {
    needs: 'ADMIN',
    ok: {
      'by e-mail address': ({ here, stranger }, { client }) => ({
        as: here.admin,
        params: { workspaceId: here.workspaceId },
        body: { email: stranger.email, role: 'GUEST' },
        after: async ({ body, headers }) => {
          expect(body.member).toMatchObject({ userId: stranger.id, role: 'GUEST' })
          expect(headers.location).toBe(`/v1/workspaces/${here.workspaceId}/members/${stranger.id}`)
          await client.ok('getBot', { as: stranger, params: { botId: here.draft.id } })
        },
      }),
      'in any case of letters': ({ here, stranger }) => ({
        as: here.admin,
        params: { workspaceId: here.workspaceId },
        body: { email: stranger.email.toUpperCase(), role: 'ADMIN' },
        after: ({ body }) => expect(body.member).toMatchObject({ userId: stranger.id, role: 'ADMIN' }),
      }),
      'with an international domain, which is stored in ASCII': async ({ here, stranger }, { pool }) => {
        const name = stranger.id.toLowerCase()
        const stored = `${name}@xn--bcher-kva.example`
        await pool.query('UPDATE users SET email = $1 WHERE id = $2', [stored, stranger.id])
        return {
          as: here.admin,
          params: { workspaceId: here.workspaceId },
          body: { email: `${name}@Bücher.example`, role: 'GUEST' },
          after: ({ body }) =>
            expect(body.member).toMatchObject({ userId: stranger.id, user: { email: stored } }),
        }
      },
    },
    BAD_REQUEST: {
      'a domain that no host can have': ({ here }) => ({
        as: here.admin,
        params: { workspaceId: here.workspaceId },
        body: { email: 'ada@-bücher.example', role: 'GUEST' },
        at: 'body.email',
      }),
      'an address that no user has': ({ here }) => ({
        as: here.admin,
        params: { workspaceId: here.workspaceId },
        body: { email: 'nobody@example.com', role: 'GUEST' },
        at: 'body.email',
      }),
      'a role there is not': ({ here, stranger }) => ({
        as: here.admin,
        params: { workspaceId: here.workspaceId },
        body: anyBody({ email: stranger.email, role: 'OWNER' }),
        at: 'body.role',
      }),
    },
    FORBIDDEN: ({ here, stranger }) => ({
      as: here.member,
      params: { workspaceId: here.workspaceId },
      body: { email: stranger.email, role: 'GUEST' },
    }),
    NOT_FOUND: ({ here, stranger }) => ({
      as: here.admin,
      params: { workspaceId: missingId },
      body: { email: stranger.email, role: 'GUEST' },
    }),
    CONFLICT: ({ here }) => ({
      as: here.admin,
      params: { workspaceId: here.workspaceId },
      body: { email: here.guest.email, role: 'ADMIN' },
      at: 'body.email',
    }),
  },

  updateMember: {
    needs: 'ADMIN',
    ok: {
      'a higher role, effective at once': ({ here }, app) => ({
        as: here.admin,
        params: at(here, here.guest.id),
        body: { role: 'MEMBER' },
        after: async ({ body }) => {
          expect(body.member).toMatchObject({ userId: here.guest.id, role: 'MEMBER' })
          const body2 = { workspaceId: here.workspaceId, folder: { name: 'By a former guest' } }
          await app.client.ok('createFolder', { as: here.guest, body: body2 })
        },
      }),
      'what was read, sent back': async ({ here }, app) => {
        const params = { workspaceId: here.workspaceId }
        const { members } = await app.client.ok('listMembers', { as: here.admin, params })
        const member = members.find(({ userId }) => userId === here.member.id)
        return {
          as: here.admin,
          params: at(here, here.member.id),
          body: anyBody({ ...member, userId: here.guest.id, user: { name: 'Somebody else' }, role: 'GUEST' }),
          after: async ({ body }) => {
            expect(body.member).toEqual({ ...member, role: 'GUEST' })
            expect(await rolesIn(app, here)).toMatchObject({ [here.member.id]: 'GUEST' })
          },
        }
      },
      'of one of two admins': async ({ here }, app) => {
        const params = at(here, here.member.id)
        await app.client.ok('updateMember', { as: here.admin, params, body: { role: 'ADMIN' } })
        return { as: here.admin, params: at(here, here.admin.id), body: { role: 'GUEST' } }
      },
    },
    BAD_REQUEST: {
      'of the last admin': ({ here }) => ({
        as: here.admin,
        params: at(here, here.admin.id),
        body: { role: 'MEMBER' },
        at: 'body.role',
      }),
      'without a role': ({ here }) => ({
        as: here.admin,
        params: at(here, here.guest.id),
        body: anyBody({}),
        at: 'body.role',
      }),
    },
    FORBIDDEN: ({ here }) => ({
      as: here.member,
      params: at(here, here.member.id),
      body: { role: 'ADMIN' },
    }),
    NOT_FOUND: {
      'a user who is no member': ({ here, there }) => ({
        as: here.admin,
        params: at(here, there.member.id),
        body: { role: 'GUEST' },
      }),
      'in no workspace': ({ here }) => ({
        as: here.admin,
        params: { workspaceId: missingId, userId: here.guest.id },
        body: { role: 'GUEST' },
      }),
    },
  },

  removeMember: {
    needs: 'ADMIN or oneself',
    ok: {
      'of a user without any other role': async ({ here }, { db, client, clock }) => {
        const now = clock.now()
        const user = { id: newId(now), email: `${newId(now)}@example.com`, createdAt: now, updatedAt: now }
        await db.insert(users).values(user)
        const { workspaceId } = here
        const body = { email: user.email, role: 'MEMBER' as const }
        await client.ok('addMember', { as: here.admin, params: { workspaceId }, body })
        return { as: here.admin, params: at(here, user.id) }
      },
      'effective at once': ({ here }, app) => ({
        as: here.admin,
        params: at(here, here.member.id),
        after: async ({ body }) => {
          expect(body.member).toMatchObject({ userId: here.member.id, role: 'MEMBER' })
          expect(await rolesIn(app, here)).not.toHaveProperty(here.member.id)
          const params = { botId: here.draft.id }
          expect((await app.client.call('getBot', { as: here.member, params })).status).toBe(403)
        },
      }),
      'of oneself, as a guest': ({ here }, app) => ({
        as: here.guest,
        params: at(here, here.guest.id),
        after: async ({ body }) => {
          expect(body.member).toMatchObject({ userId: here.guest.id, role: 'GUEST' })
          expect(await rolesIn(app, here)).not.toHaveProperty(here.guest.id)
        },
      }),
      'of oneself, as a member': ({ here }) => ({ as: here.member, params: at(here, here.member.id) }),
      'of oneself, while another admin stays': async ({ here }, { client }) => {
        const params = at(here, here.guest.id)
        await client.ok('updateMember', { as: here.admin, params, body: { role: 'ADMIN' } })
        return { as: here.admin, params: at(here, here.admin.id) }
      },
    },
    BAD_REQUEST: ({ here }) => ({ as: here.admin, params: at(here, here.admin.id), at: 'path.userId' }),
    FORBIDDEN: {
      'another member, by a member': ({ here }) => ({ as: here.member, params: at(here, here.guest.id) }),
      'another member, by a guest': ({ here }) => ({ as: here.guest, params: at(here, here.admin.id) }),
      'a stranger, by a member': ({ here, stranger }) => ({ as: here.member, params: at(here, stranger.id) }),
      'oneself, without being there': ({ here, stranger }) => ({
        as: stranger,
        params: at(here, stranger.id),
      }),
    },
    NOT_FOUND: ({ here, stranger }) => ({ as: here.admin, params: at(here, stranger.id) }),
  },
}
