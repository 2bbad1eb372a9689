import { eq } from 'drizzle-orm'
import type { Issue } from '../../contract/errors.ts'
import type { MembersHandlers } from '../../generated/handlers.ts'
import type { Contexts } from '../context.ts'
import { readPage } from '../db/page.ts'
import { users } from '../db/schema.ts'
import { alreadyMember, changeMember, insertMember, memberPage } from '../workspaces/members.ts'

const noSuchUser =
  'No user has this e-mail address: invite the person with POST /v1/workspaces/{workspaceId}/invitations'

const onlyAdmins: Issue = {
  path: ['path', 'userId'],
  code: 'role_too_low',
  message: 'Removing somebody else needs the role ADMIN in the workspace; you may remove yourself',
}

export const members: MembersHandlers<Contexts> = {
  async listMembers({ query }, respond, { db, grant, cursorKey }) {
    const list = await readPage(cursorKey, ['members', grant.workspace.id], query, (position) =>
      memberPage(db, grant, position),
    )
    if ('issue' in list) return respond.fail('BAD_REQUEST', [list.issue])
    return respond.ok({
      members: list.page.map(({ id: userId, createdAt: _, isBeyond: __, ...member }) => ({
        ...member,
        userId,
      })),
      nextCursor: list.nextCursor,
    })
  },

  async addMember({ body }, respond, { db, grant, now }) {
    const { role } = body
    const [user] = await db.select().from(users).where(eq(users.email, body.email.toLowerCase()))
    // A user who came by a link that was passed on may not own the address.
    if (!user || user.isUnproven) {
      return respond.fail('BAD_REQUEST', [
        { path: ['body', 'email'], code: 'unknown_user', message: noSuchUser },
      ])
    }
    if (user.disabledAt) {
      const message = 'The user with this e-mail address is disabled'
      return respond.fail('BAD_REQUEST', [{ path: ['body', 'email'], code: 'disabled_user', message }])
    }
    const outcome = await insertMember(db, grant, user.id, role, now)
    if (outcome === 'deleted') return respond.fail('NOT_FOUND')
    if (outcome === 'exists') {
      return respond.fail('CONFLICT', [{ path: ['body', 'email'], code: 'conflict', message: alreadyMember }])
    }
    const { id: userId, name, email, image } = user
    return respond.ok({
      member: {
        workspaceId: grant.workspace.id,
        userId,
        user: { name, email, image },
        role,
        isDisabled: false,
      },
    })
  },

  async updateMember({ params, body }, respond, { db, grant, now }) {
    const outcome = await changeMember(db, grant, params.userId, body.role, now)
    if (!outcome) return respond.fail('NOT_FOUND')
    return 'issue' in outcome ? respond.fail('BAD_REQUEST', [outcome.issue]) : respond.ok(outcome)
  },

  async removeMember({ params }, respond, { db, grant, now }) {
    // Every member may leave; only admins may remove others.
    if (grant.role !== 'ADMIN' && params.userId !== grant.caller.userId) {
      return respond.fail('FORBIDDEN', [onlyAdmins])
    }
    const outcome = await changeMember(db, grant, params.userId, undefined, now)
    if (!outcome) return respond.fail('NOT_FOUND')
    return 'issue' in outcome ? respond.fail('BAD_REQUEST', [outcome.issue]) : respond.ok(outcome)
  },
}
