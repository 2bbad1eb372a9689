import { expect } from '@jest/globals'
import type { App } from '../support/app.ts'
import { type Cases, missingId } from '../support/cases.ts'
import { anyBody } from '../support/client.ts'
import type { Site } from '../support/world.ts'

const invite = async ({ client }: App, { admin, workspaceId }: Site, email = 'grace@example.com') =>
  client.ok('createInvitation', { as: admin, params: { workspaceId }, body: { email, role: 'MEMBER' } })

export const invitations: Cases<'invitations'> = {
  createInvitation: {
    needs: 'ADMIN',
    ok: {
      'of an address without a user': ({ here }) => ({
        as: here.admin,
        params: { workspaceId: here.workspaceId },
        body: { email: 'Grace@Example.com', role: 'MEMBER' },
        after: ({ body }) => {
          const { invitation, link } = body
          expect(invitation).toMatchObject({
            workspaceId: here.workspaceId,
            email: 'grace@example.com',
            role: 'MEMBER',
            invitedBy: here.admin.id,
          })
          const days = (Date.parse(invitation.expiresAt) - Date.parse(invitation.createdAt)) / 86_400_000
          expect(days).toBe(7)
          expect(link).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/invitations\/[\w-]{43}$/)
        },
      }),
      'of a user, in place of an earlier one': async ({ here, stranger }, app) => {
        const { admin, workspaceId } = here
        const first = await invite(app, here, stranger.email)
        return {
          as: admin,
          params: { workspaceId },
          body: { email: stranger.email, role: 'ADMIN' },
          after: async ({ body }) => {
            const list = await app.client.ok('listInvitations', { as: admin, params: { workspaceId } })
            expect(list.invitations).toEqual([body.invitation])
            expect((await fetch(first.link)).status).toBe(404)
            expect((await fetch(body.link)).status).toBe(200)
          },
        }
      },
    },
    BAD_REQUEST: {
      'an address that is none': ({ here }) => ({
        as: here.admin,
        params: { workspaceId: here.workspaceId },
        body: { email: 'grace', role: 'GUEST' },
        at: 'body.email',
      }),
      'without a role': ({ here }) => ({
        as: here.admin,
        params: { workspaceId: here.workspaceId },
        body: anyBody({ email: 'grace@example.com' }),
        at: 'body.role',
      }),
      'of a user who is disabled': async ({ here, stranger }, { pool }) => {
        await pool.query('UPDATE users SET disabled_at = now() WHERE id = $1', [stranger.id])
        return {
          as: here.admin,
          params: { workspaceId: here.workspaceId },
          body: { email: stranger.email, role: 'GUEST' },
          at: 'body.email',
        }
      },
    },
    FORBIDDEN: {
      'by a member': ({ here }) => ({
        as: here.member,
        params: { workspaceId: here.workspaceId },
        body: { email: 'grace@example.com', role: 'GUEST' },
      }),
      'beyond 200': async ({ here }, { pool }) => {
        await pool.query(
          `INSERT INTO invitations (id, workspace_id, email, role, code_hash, invited_by, created_at, expires_at)
          SELECT 'i' || n, $1, n || '@example.com', 'GUEST', sha256(n::text::bytea), $2, now(), '2099-01-01'
          FROM generate_series(1, 200) n`,
          [here.workspaceId, here.admin.id],
        )
        return {
          as: here.admin,
          params: { workspaceId: here.workspaceId },
          body: { email: 'grace@example.com', role: 'GUEST' },
          at: 'body',
        }
      },
    },
    NOT_FOUND: ({ here }) => ({
      as: here.admin,
      params: { workspaceId: missingId },
      body: { email: 'grace@example.com', role: 'GUEST' },
    }),
    CONFLICT: ({ here }) => ({
      as: here.admin,
      params: { workspaceId: here.workspaceId },
      body: { email: here.guest.email, role: 'ADMIN' },
      at: 'body.email',
    }),
  },

  listInvitations: {
    needs: 'ADMIN',
    ok: {
      'newest first, without their links': async ({ here, there }, app) => {
        const { admin, workspaceId } = here
        const older = await invite(app, here)
        const newer = await invite(app, here, 'alan@example.com')
        await invite(app, there)
        return {
          as: admin,
          params: { workspaceId },
          after: ({ body, text }) => {
            expect(body).toEqual({ invitations: [newer.invitation, older.invitation], nextCursor: null })
            expect(text).not.toContain(older.link.slice(-43))
          },
        }
      },
      'none that has ended, or whose admin is none any more': async ({ here }, app) => {
        const { admin, member, workspaceId } = here
        const { invitation } = await invite(app, here)
        await app.pool.query('UPDATE invitations SET expires_at = created_at WHERE id = $1', [invitation.id])
        await invite(app, here, 'alan@example.com')
        await app.pool.query(
          "UPDATE workspace_members SET role = CASE user_id WHEN $1 THEN 'ADMIN' ELSE 'GUEST' END WHERE workspace_id = $2",
          [member.id, workspaceId],
        )
        expect(admin.id).not.toBe(member.id)
        return {
          as: member,
          params: { workspaceId },
          after: ({ body }) => expect(body.invitations).toEqual([]),
        }
      },
    },
    BAD_REQUEST: ({ here }) => ({
      as: here.admin,
      params: { workspaceId: here.workspaceId },
      query: { limit: 0 },
      at: 'query.limit',
    }),
    FORBIDDEN: ({ here }) => ({ as: here.member, params: { workspaceId: here.workspaceId } }),
    NOT_FOUND: ({ here }) => ({ as: here.admin, params: { workspaceId: missingId } }),
  },

  revokeInvitation: {
    needs: 'ADMIN',
    ok: async ({ here }, app) => {
      const { admin, workspaceId } = here
      const { invitation, link } = await invite(app, here)
      return {
        as: admin,
        params: { workspaceId, invitationId: invitation.id },
        after: async ({ body }) => {
          expect(body).toEqual({ invitation })
          expect((await fetch(link)).status).toBe(404)
        },
      }
    },
    BAD_REQUEST: ({ here }) => ({
      as: here.admin,
      params: { workspaceId: here.workspaceId, invitationId: '~' },
      at: 'path.invitationId',
    }),
    FORBIDDEN: async ({ here }, app) => {
      const { invitation } = await invite(app, here)
      return { as: here.member, params: { workspaceId: here.workspaceId, invitationId: invitation.id } }
    },
    NOT_FOUND: {
      'one that never was': ({ here }) => ({
        as: here.admin,
        params: { workspaceId: here.workspaceId, invitationId: missingId },
      }),
      'one of another workspace': async ({ here, there }, app) => {
        const { invitation } = await invite(app, there)
        return { as: here.admin, params: { workspaceId: here.workspaceId, invitationId: invitation.id } }
      },
    },
  },
}
