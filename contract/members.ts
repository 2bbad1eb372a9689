import { cursor, nextCursor, readOnly, recordId, text } from './kit/fields.ts'
import { z } from './kit/zod.ts'
import { define, roles, workspace } from './operation.ts'
import { emailAddress, exampleIds } from './shared.ts'

const workspaceId = recordId('Id of the workspace, as create and list return it.', exampleIds.workspace)
const userId = recordId('Id of the user, as the list of members returns it.', exampleIds.user)

/** E-mail address of a user, stored in lower case and compared without regard to case. */
export const email = emailAddress('E-mail address of the user.', 'ada@example.com')

export const role = z.enum(roles).meta({
  description:
    '`ADMIN` may do everything, `MEMBER` writes bots and folders and reads results, `GUEST` reads bots and folders.',
})

const member = z
  .object({
    workspaceId,
    userId,
    user: z
      .object({
        name: text(255)
          .nullable()
          .meta({ description: 'Name of the user, or null.', example: 'Ada Lovelace' }),
        email: text(254)
          .nullable()
          .meta({ description: 'E-mail address, or null.', example: 'ada@example.com' }),
        image: text(2048).nullable().meta({
          description: 'URL of a picture of the user, or null.',
          example: 'https://example.com/ada.png',
        }),
      })
      .meta({ id: 'MemberUser', description: 'The user behind a membership.' }),
    role,
    isDisabled: z.boolean().meta({
      description: 'True if the user is disabled: they cannot sign in, and do not count as an admin.',
      example: false,
    }),
  })
  .meta({ id: 'Member', description: 'A user and their role in a workspace.' })

const memberBody = z.object({ member }).meta({ id: 'MemberBody', description: 'One member of a workspace.' })

const exampleMember = {
  workspaceId: exampleIds.workspace,
  userId: exampleIds.user,
  user: { name: 'Ada Lovelace', email: 'ada@example.com', image: null },
  role: 'MEMBER',
  isDisabled: false,
}

const params = z.object({ workspaceId })
const memberParams = z.object({ workspaceId, userId })

export const members = define({
  listMembers: {
    method: 'get',
    path: '/v1/workspaces/{workspaceId}/members',
    soughtAt: ['/v1/workspaces/{workspaceId}/users'],
    tag: 'members',
    summary: 'List the members of a workspace',
    description:
      'Returns the users with a role in the workspace, guests included, longest membership first. A list of more than 8 MB ends early, with a `nextCursor`.',
    access: workspace('GUEST'),
    params,
    query: z.strictObject({ cursor }),
    success: {
      status: 200,
      description: 'The members and their roles.',
      body: z
        .object({
          members: z.array(member).max(100_000).meta({ description: 'The members and their roles.' }),
          nextCursor,
        })
        .meta({ id: 'MemberList', description: 'The members of a workspace.' }),
      examples: { one: { summary: 'One member', value: { members: [exampleMember], nextCursor: null } } },
    },
  },
  addMember: {
    method: 'post',
    path: '/v1/workspaces/{workspaceId}/members',
    tag: 'members',
    summary: 'Add a member to a workspace',
    description:
      'Gives an existing user, named by e-mail address, a role in the workspace, effective with their next request. An address that no user has or has proven to own, or that of a disabled user, is invalid input: create an invitation instead. A user who is a member already is a conflict and keeps their role.',
    access: workspace('ADMIN'),
    isAudited: true,
    params,
    body: z
      .strictObject({ email, role })
      .meta({ id: 'MemberCreate', description: 'The user to add, and their role.' }),
    requestExamples: {
      member: { summary: 'A member', value: { email: 'ada@example.com', role: 'MEMBER' } },
    },
    success: {
      status: 201,
      description: 'The new member with the role given.',
      body: memberBody,
      location: '/v1/workspaces/{member.workspaceId}/members/{member.userId}',
      examples: { added: { summary: 'Added', value: { member: exampleMember } } },
    },
    errors: ['CONFLICT'],
    errorExamples: {
      CONFLICT: {
        summary: 'The user is a member already',
        issues: [
          {
            path: ['body', 'email'],
            code: 'conflict',
            message:
              'The user is a member already; PATCH /v1/workspaces/{workspaceId}/members/{userId} changes the role',
          },
        ],
      },
    },
  },
  updateMember: {
    method: 'patch',
    path: '/v1/workspaces/{workspaceId}/members/{userId}',
    tag: 'members',
    summary: 'Change the role of a member',
    description:
      'Gives a member another role, effective with their next request. The last admin of a workspace cannot be given a lower role; admins who are disabled do not count.',
    access: workspace('ADMIN'),
    isAudited: true,
    params: memberParams,
    body: z
      .strictObject({
        role,
        workspaceId: readOnly('id of the workspace'),
        userId: readOnly('id of the user'),
        user: readOnly('description of the user'),
        isDisabled: readOnly('state of the user'),
      })
      .meta({ id: 'MemberUpdate', description: 'The new role of the member.' }),
    requestExamples: { guest: { summary: 'Make a guest', value: { role: 'GUEST' } } },
    success: {
      status: 200,
      description: 'The member as it is now.',
      body: memberBody,
      examples: { guest: { summary: 'A guest now', value: { member: { ...exampleMember, role: 'GUEST' } } } },
    },
  },
  removeMember: {
    method: 'delete',
    path: '/v1/workspaces/{workspaceId}/members/{userId}',
    tag: 'members',
    summary: 'Remove a member from a workspace',
    description:
      'Takes a user out of the workspace, effective with their next request, and returns the membership that ended. Members of any role may remove themselves to leave the workspace; only an admin may remove somebody else. The last admin of a workspace cannot be removed; admins who are disabled do not count.',
    access: workspace('GUEST'),
    isAudited: true,
    params: memberParams,
    success: {
      status: 200,
      description: 'The membership that ended.',
      body: memberBody,
      examples: { removed: { summary: 'Removed', value: { member: exampleMember } } },
    },
  },
})
