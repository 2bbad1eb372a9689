import { cursor, limit, nextCursor, recordId, text, timestamp } from './kit/fields.ts'
import { z } from './kit/zod.ts'
import { email, role } from './members.ts'
import { define, workspace } from './operation.ts'
import { exampleIds } from './shared.ts'

const workspaceId = recordId('Id of the workspace, as create and list return it.', exampleIds.workspace)
const invitationId = recordId('Id of the invitation, as create and list return it.', exampleIds.invitation)

/** Days in which an invitation can be accepted. */
export const INVITATION_DAYS = 7

const invitation = z
  .object({
    id: invitationId,
    workspaceId,
    email,
    role,
    invitedBy: recordId('Id of the admin who invites.', exampleIds.user),
    createdAt: timestamp('When the invitation was created.'),
    expiresAt: timestamp('When the invitation ends by itself.'),
  })
  .meta({ id: 'Invitation', description: 'A role in a workspace, offered to an e-mail address.' })

const exampleInvitation = {
  id: exampleIds.invitation,
  workspaceId: exampleIds.workspace,
  email: 'grace@example.com',
  role: 'MEMBER',
  invitedBy: exampleIds.user,
  createdAt: '2026-03-04T10:15:30.120Z',
  expiresAt: '2026-03-11T10:15:30.120Z',
}

const params = z.object({ workspaceId })

export const invitations = define({
  createInvitation: {
    method: 'post',
    path: '/v1/workspaces/{workspaceId}/invitations',
    tag: 'members',
    summary: 'Invite somebody to a workspace',
    description: `Invites an e-mail address, with or without a user, and returns a link to a page that accepts the invitation. No other response shows the link; if the service can send mail, the address also gets it. An invitation ends after ${INVITATION_DAYS} days, when it is accepted or revoked, and while the admin who created it is no admin. Another one for the same address replaces it. Accepting creates a user if the address has none; members keep a role that is higher. The address of a member is a conflict, that of a disabled user is invalid input.`,
    access: workspace('ADMIN'),
    isAudited: true,
    preparesFirst: true,
    params,
    body: z
      .strictObject({ email, role })
      .meta({ id: 'InvitationCreate', description: 'The address to invite, with the role to give.' }),
    requestExamples: {
      invite: { summary: 'A new member', value: { email: 'grace@example.com', role: 'MEMBER' } },
    },
    success: {
      status: 201,
      description: 'The invitation, with its link, shown this once.',
      body: z
        .object({
          invitation,
          link: text(2048).meta({
            description: 'The page that accepts the invitation. It is shown only here.',
            example: 'http://localhost:3000/invitations/EXAMPLEexampleEXAMPLEexample00000000000000',
          }),
        })
        .meta({ id: 'CreatedInvitationBody', description: 'A new invitation, with its link.' }),
      location: '/v1/workspaces/{invitation.workspaceId}/invitations/{invitation.id}',
      secretOf: 'invitation.id',
      examples: {
        created: {
          summary: 'Invited',
          value: {
            invitation: exampleInvitation,
            link: 'http://localhost:3000/invitations/EXAMPLEexampleEXAMPLEexample00000000000000',
          },
        },
      },
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
  listInvitations: {
    method: 'get',
    path: '/v1/workspaces/{workspaceId}/invitations',
    tag: 'members',
    summary: 'List the invitations of a workspace',
    description:
      'Returns the invitations that can still be accepted, newest first. Links are never shown again.',
    access: workspace('ADMIN'),
    params,
    query: z.strictObject({ limit, cursor }),
    success: {
      status: 200,
      description: 'A page of invitations, newest first.',
      body: z
        .object({
          invitations: z.array(invitation).max(100).meta({ description: 'The invitations, newest first.' }),
          nextCursor,
        })
        .meta({ id: 'InvitationList', description: 'The invitations of a workspace.' }),
      examples: {
        one: { summary: 'One invitation', value: { invitations: [exampleInvitation], nextCursor: null } },
      },
    },
  },
  revokeInvitation: {
    method: 'delete',
    path: '/v1/workspaces/{workspaceId}/invitations/{invitationId}',
    tag: 'members',
    summary: 'Revoke an invitation',
    description:
      'Ends an invitation at once and returns its last state. One that was accepted, replaced or revoked before is not found. After an acceptance, remove the member instead.',
    access: workspace('ADMIN'),
    isAudited: true,
    params: z.object({ workspaceId, invitationId }),
    success: {
      status: 200,
      description: 'The invitation that was revoked.',
      body: z
        .object({ invitation })
        .meta({ id: 'InvitationBody', description: 'One invitation, without its link.' }),
      examples: { revoked: { summary: 'Revoked', value: { invitation: exampleInvitation } } },
    },
  },
})
