import { cursor, limit, nextCursor, recordId, text, timestamp } from './kit/fields.ts'
import { z } from './kit/zod.ts'
import { define, workspace } from './operation.ts'
import { exampleIds } from './shared.ts'

const workspaceId = recordId('Id of the workspace, as create and list return it.', exampleIds.workspace)

const details = z
  .looseObject({
    role: text(20)
      .nullable()
      .optional()
      .meta({ description: 'Role that the member has now; null for none.', example: 'ADMIN' }),
    formerRole: text(20)
      .optional()
      .meta({ description: 'Role that the member had before.', example: 'MEMBER' }),
    count: z
      .int()
      .min(0)
      .max(2_147_483_647)
      .optional()
      .meta({ description: 'Number of deleted results.', format: 'int32', example: 42 }),
    createdBefore: timestamp('Only results that began before it were deleted.').optional(),
    isMore: z
      .boolean()
      .optional()
      .meta({ description: 'True if there were more than `count`; those are not counted.' }),
    settings: z
      .array(text(50))
      .max(10)
      .optional()
      .meta({ description: 'Settings that changed.', example: ['security'] }),
    email: text(254)
      .optional()
      .meta({ description: 'The e-mail address that was invited.', example: 'grace@example.com' }),
    type: text(64).optional().meta({ description: 'The type of the credentials.', example: 'openai' }),
    changed: z
      .array(text(50))
      .max(10)
      .optional()
      .meta({
        description: 'Changed parts of the credentials: `name`, `data` or both.',
        example: ['data'],
      }),
    publicationId: text(64)
      .optional()
      .meta({ description: 'The publication that was restored.', example: exampleIds.publication }),
  })
  .meta({ id: 'AuditDetails', description: 'Further details of the action; the list is open.' })

const entry = z
  .object({
    id: recordId('Id of the entry.', exampleIds.log),
    createdAt: timestamp('Time of the action.'),
    userId: recordId('Id of the user who did it.', exampleIds.user)
      .nullable()
      .meta({ description: 'Id of the user who did it; null for the operator of the service.' }),
    email: text(254)
      .nullable()
      .meta({ description: 'The e-mail address of that user, or null.', example: 'ada@example.com' }),
    tokenId: recordId('Id of the token that was used.', exampleIds.token)
      .nullable()
      .meta({ description: 'Id of the token that was used; null if there was none.' }),
    operation: text(100).meta({
      description:
        'Operation that was used; names that begin with `admin` are commands of the operator of the service.',
      example: 'updateMember',
    }),
    recordId: recordId('Id of the record.', exampleIds.user).meta({
      description:
        'Id of the bot, folder, workspace, token or credentials it was done to, or of the user who is a member.',
    }),
    outcome: text(20).meta({
      description:
        'Outcome of the action: `success`, since only completed actions are listed. Rejected requests are in the log of the service.',
      example: 'success',
    }),
    details: z.union([details, z.null()]).meta({ description: 'Further details; null if there are none.' }),
  })
  .meta({ id: 'AuditEntry', description: 'An action in a workspace, with the user who did it.' })

const exampleEntry = {
  id: exampleIds.log,
  createdAt: '2026-03-04T10:15:30.120Z',
  userId: exampleIds.user,
  email: 'ada@example.com',
  tokenId: exampleIds.token,
  operation: 'updateMember',
  recordId: exampleIds.user,
  outcome: 'success',
  details: { role: 'ADMIN', formerRole: 'MEMBER' },
}

export const audit = define({
  listAuditLog: {
    method: 'get',
    path: '/v1/workspaces/{workspaceId}/auditLog',
    tag: 'workspaces',
    summary: 'List the audit log of a workspace',
    description:
      'Returns the actions in the workspace with the users who did them, newest first. It lists created and changed workspaces, changes of members, and created, deleted, published, unpublished and restored bots. It lists deleted folders and results, created, changed and deleted credentials, and changes of who may see or embed a bot. Created and revoked tokens are listed if they are bound to the workspace. Unbound tokens are listed if they belong to the user who created the workspace. An entry exists exactly if the action was done, and never changes. The operator of the service can also read the log of a deleted workspace.',
    access: workspace('ADMIN'),
    params: z.object({ workspaceId }),
    query: z.strictObject({ limit, cursor }),
    success: {
      status: 200,
      description: 'A page of entries, newest first.',
      body: z
        .object({
          entries: z.array(entry).max(100).meta({ description: 'The entries, newest first.' }),
          nextCursor,
        })
        .meta({ id: 'AuditPage', description: 'A page of the audit log of a workspace.' }),
      examples: {
        page: { summary: 'The last page', value: { entries: [exampleEntry], nextCursor: null } },
      },
    },
  },
})
