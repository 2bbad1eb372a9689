import { cursor, limit, nextCursor, recordId, text, timestamp } from './kit/fields.ts'
import { z } from './kit/zod.ts'
import { define, workspace } from './operation.ts'
import { exampleIds } from './shared.ts'

const workspaceId = recordId('Id of the workspace, as create and list answer it.', exampleIds.workspace)

const details = z
  .looseObject({
    role: text(20)
      .nullable()
      .optional()
      .meta({ description: 'The role that a member has now; null for none.', example: 'ADMIN' }),
    formerRole: text(20).optional().meta({ description: 'The role that they had.', example: 'MEMBER' }),
    count: z
      .int()
      .min(0)
      .max(2_147_483_647)
      .optional()
      .meta({ description: 'How many results were deleted.', format: 'int32', example: 42 }),
    createdBefore: timestamp('Only results that began before it were deleted.').optional(),
    isMore: z
      .boolean()
      .optional()
      .meta({ description: 'Whether there were more than `count`, which is not counted further.' }),
    settings: z
      .array(text(50))
      .max(10)
      .optional()
      .meta({ description: 'Which settings changed.', example: ['security'] }),
    email: text(254)
      .optional()
      .meta({ description: 'The e-mail address that was invited.', example: 'grace@example.com' }),
    type: text(64).optional().meta({ description: 'The type of the credentials.', example: 'openai' }),
    changed: z
      .array(text(50))
      .max(10)
      .optional()
      .meta({
        description: 'What was changed of the credentials: `name`, `data` or both.',
        example: ['data'],
      }),
    publicationId: text(64)
      .optional()
      .meta({ description: 'The publication that was restored.', example: exampleIds.publication }),
  })
  .meta({ id: 'AuditDetails', description: 'What else is known of what was done; the list is open.' })

const entry = z
  .object({
    id: recordId('Id of the entry.', exampleIds.log),
    createdAt: timestamp('When it was done.'),
    userId: recordId('Id of the user who did it.', exampleIds.user)
      .nullable()
      .meta({ description: 'Who did it; null for whoever runs the service.' }),
    email: text(254)
      .nullable()
      .meta({ description: 'The e-mail address of that user, or null.', example: 'ada@example.com' }),
    tokenId: recordId('Id of their token.', exampleIds.token)
      .nullable()
      .meta({ description: 'By which token; null where it was none.' }),
    operation: text(100).meta({
      description: 'By which operation; what begins with `admin` is a command of whoever runs the service.',
      example: 'updateMember',
    }),
    recordId: recordId('Id of the record.', exampleIds.user).meta({
      description:
        'What it was done to: the bot, folder, workspace, token or credentials, or the user who is a member.',
    }),
    outcome: text(20).meta({
      description:
        'What came of it: `success`, since only what was done is here. What was refused is in the log of the service.',
      example: 'success',
    }),
    details: z.union([details, z.null()]).meta({ description: 'More of it; null where there is none.' }),
  })
  .meta({ id: 'AuditEntry', description: 'Something that was done in a workspace, and by whom.' })

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
    summary: 'List what was done in a workspace',
    description:
      'Returns who did what in the workspace, newest first: workspaces that are created or changed, members, bots that come, go, are published or not, or restored, folders and results that are deleted, credentials that come, change or go, changes of who may see or embed a bot, and tokens that are made or revoked: those that are bound to the workspace, and those without a bound of the user who created it. An entry is there exactly when it was done, and is never changed. Whoever runs the service can read it also once the workspace is deleted.',
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
        .meta({ id: 'AuditPage', description: 'A page of what was done in a workspace.' }),
      examples: {
        page: { summary: 'The last page', value: { entries: [exampleEntry], nextCursor: null } },
      },
    },
  },
})
