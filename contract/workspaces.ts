import { cursor, name, nextCursor, readOnly, recordId, text, timestamp } from './kit/fields.ts'
import { z } from './kit/zod.ts'
import { define, user, workspace } from './operation.ts'
import { exampleIds } from './shared.ts'

const workspaceId = recordId('Id of the workspace, as create and list return it.', exampleIds.workspace)
const workspaceName = name('Name of the workspace. Names need not be unique.', 'Acme')

/** Emoji, http(s) address or inline image. No other scheme is valid, so an icon can never run code. */
export const icon = text(200_000)
  .refine(isIcon, { error: 'Expected an emoji, an http(s) URL or a data:image/ URL' })
  .meta({ example: '🤖', maxLength: 200_000 })

/** Rejects control characters, since browsers drop them from an address and may then see another scheme. */
function isIcon(value: string): boolean {
  if (/\p{Cc}/u.test(value)) return false
  return !/^[a-z][a-z0-9+.-]*:/i.test(value.trim()) || /^(https?:\/\/|data:image\/)/i.test(value)
}

const workspaceIcon = icon.nullable().meta({
  description: 'Icon of the workspace: an emoji, an http(s) URL or a `data:image/` URL; null without one.',
})

const plans = ['FREE', 'STARTER', 'PRO', 'LIFETIME', 'OFFERED', 'CUSTOM', 'UNLIMITED', 'ENTERPRISE'] as const

const nullableTime = (description: string) => timestamp(description).nullable().meta({ description })
const nullableCount = (description: string) =>
  z.int().min(0).max(2_147_483_647).nullable().meta({ description, format: 'int32', example: 10_000 })

const groupTitlesAutoGeneration = z
  .looseObject({
    isEnabled: z.boolean().optional().meta({ description: 'True if titles of new groups are generated.' }),
    provider: text(255).optional().meta({ description: 'The AI provider.', example: 'openai' }),
    credentialsId: text(255)
      .optional()
      .meta({ description: 'Id of the credentials used.', example: 'cred_1' }),
    model: text(255).optional().meta({ description: 'The model.', example: 'small' }),
    prompt: text(16_384)
      .optional()
      .meta({ description: 'The instruction to the model.', example: 'Name this group' }),
  })
  .meta({
    id: 'GroupTitlesAutoGeneration',
    description: 'Settings for generated titles of groups in editors.',
  })

const workspaceSettings = z
  .looseObject({ groupTitlesAutoGeneration: groupTitlesAutoGeneration.optional() })
  .meta({ id: 'WorkspaceSettings', description: 'Settings of a workspace that editors read.' })

const workspaceProperties = {
  id: workspaceId,
  createdAt: timestamp('When the workspace was created.'),
  updatedAt: timestamp('When the workspace was last changed.'),
  name: workspaceName,
  icon: workspaceIcon,
  plan: z.enum(plans).meta({
    description: 'Plan of the workspace, as the operator of the service set it; no limit follows from it.',
  }),
  billingId: text(255)
    .nullable()
    .meta({ description: 'Identifier at the billing provider; null without one.', example: 'cus_42' }),
  settings: z
    .union([workspaceSettings, z.null()])
    .meta({ description: 'Settings of the workspace that editors read; null when none were set.' }),
  isSuspended: z.boolean().meta({
    description:
      'True if the operator of the service marked the workspace as suspended; nothing is rejected for it.',
  }),
  isPastDue: z.boolean().meta({
    description:
      'True if the operator of the service marked a payment as overdue; nothing is rejected for it.',
  }),
  isVerified: z
    .boolean()
    .meta({ description: 'True if the operator of the service marked the workspace as verified.' }),
  chatsHardLimit: nullableCount(
    'Limit of chats per month agreed with the operator of the service, which does not enforce it; null means no limit.',
  ),
  lastActivityAt: nullableTime(
    'When the workspace was last used, as the operator of the service recorded it; null when not recorded.',
  ),
  inactiveFirstEmailSentAt: nullableTime(
    'When the operator of the service sent the first mail about inactivity; null when never.',
  ),
  inactiveSecondEmailSentAt: nullableTime(
    'When the operator of the service sent the second mail about inactivity; null when never.',
  ),
}

const resultsRetentionDays = z.int().min(1).max(36_500).nullable().meta({
  description:
    'Days after which results of the bots are deleted, with their answers, transcripts and logs. They count from the end of the day (UTC) of a result. Null leaves it to the installation, which retains results for its own number of days, or until they are deleted.',
  format: 'int32',
  example: 90,
})

const workspaceSchema = z.object(workspaceProperties).meta({
  id: 'Workspace',
  description: 'A workspace: its bots and folders, and the members who may use them.',
})

const workspaceDetails = z
  .object({
    ...workspaceProperties,
    customChatsLimit: nullableCount(
      'Chats per month agreed for this workspace, which are not enforced; null means those of the plan.',
    ),
    customSeatsLimit: nullableCount(
      'Number of members agreed for this workspace, which is not enforced; null means that of the plan.',
    ),
    resultsRetentionDays,
  })
  .meta({ id: 'WorkspaceDetails', description: 'A workspace with the limits agreed for it.' })

const ignored = Object.fromEntries(
  [
    'id',
    'createdAt',
    'updatedAt',
    'plan',
    'billingId',
    'settings',
    'customChatsLimit',
    'customSeatsLimit',
    'isSuspended',
    'isPastDue',
    'isVerified',
    'chatsHardLimit',
    'lastActivityAt',
    'inactiveFirstEmailSentAt',
    'inactiveSecondEmailSentAt',
  ].map((property) => [property, readOnly(`\`${property}\` of the workspace`)]),
)

const workspaceUpdate = z
  .strictObject({
    name: workspaceName.optional(),
    icon: workspaceIcon.optional(),
    resultsRetentionDays: resultsRetentionDays.optional(),
    ...ignored,
  })
  .meta({ id: 'WorkspaceUpdate', description: 'Changes; absent properties stay as they are.' })

const exampleWorkspace = {
  id: exampleIds.workspace,
  createdAt: '2026-03-01T09:00:00.000Z',
  updatedAt: '2026-03-01T09:00:00.000Z',
  name: 'Acme',
  icon: '🏢',
  plan: 'FREE',
  billingId: null,
  settings: null,
  isSuspended: false,
  isPastDue: false,
  isVerified: false,
  chatsHardLimit: null,
  lastActivityAt: null,
  inactiveFirstEmailSentAt: null,
  inactiveSecondEmailSentAt: null,
}

const params = z.object({ workspaceId })

export const workspaces = define({
  listWorkspaces: {
    method: 'get',
    path: '/v1/workspaces',
    tag: 'workspaces',
    summary: "List the caller's workspaces",
    description:
      'Returns every workspace in which the caller has a role, newest first; with a token that is bound to a workspace, that one alone. A list whose icons and names have more than 8 MB ends early, with a `nextCursor`.',
    access: user,
    query: z.strictObject({ cursor }),
    success: {
      status: 200,
      description: 'The workspaces, newest first.',
      body: z
        .object({
          workspaces: z
            .array(
              z
                .object({
                  id: workspaceId,
                  name: workspaceName,
                  icon: workspaceIcon,
                  plan: workspaceProperties.plan,
                })
                .meta({ id: 'WorkspaceSummary', description: 'A workspace in a list.' }),
            )
            .max(100_000)
            .meta({ description: 'The workspaces, newest first.' }),
          nextCursor,
        })
        .meta({ id: 'WorkspaceList', description: "The caller's workspaces." }),
      examples: {
        one: {
          summary: 'One workspace',
          value: {
            workspaces: [{ id: exampleIds.workspace, name: 'Acme', icon: '🏢', plan: 'FREE' }],
            nextCursor: null,
          },
        },
      },
    },
  },
  createWorkspace: {
    method: 'post',
    path: '/v1/workspaces',
    tag: 'workspaces',
    summary: 'Create a workspace',
    description:
      'Creates an empty workspace with the caller as its admin and returns it. It is rejected with `FORBIDDEN` if the caller has created as many workspaces as the installation allows one user. Workspaces that they were added to, and deleted ones, do not count.',
    access: { kind: 'user', isUnbound: true },
    isAudited: true,
    body: z
      .strictObject({
        name: workspaceName,
        icon: workspaceIcon.optional(),
        resultsRetentionDays: resultsRetentionDays.optional(),
        ...ignored,
      })
      .meta({ id: 'WorkspaceCreate', description: 'The workspace to create.' }),
    requestExamples: { acme: { summary: 'With an icon', value: { name: 'Acme', icon: '🏢' } } },
    success: {
      status: 201,
      description: 'The new workspace with its id.',
      body: z
        .object({ workspace: workspaceSchema })
        .meta({ id: 'WorkspaceBody', description: 'One workspace, without its limits.' }),
      location: '/v1/workspaces/{workspace.id}',
      examples: { created: { summary: 'The new workspace', value: { workspace: exampleWorkspace } } },
    },
  },
  getWorkspace: {
    method: 'get',
    path: '/v1/workspaces/{workspaceId}',
    tag: 'workspaces',
    summary: 'Get a workspace',
    description: 'Returns one workspace with the limits agreed for it, and the rights of the caller in it.',
    access: workspace('GUEST'),
    params,
    isConditional: true,
    success: {
      status: 200,
      description: "The workspace and the caller's mode.",
      body: z
        .object({
          workspace: workspaceDetails,
          currentUserMode: z.enum(['write', 'read', 'guest']).meta({
            description:
              "The caller's rights: `write` for an admin, `read` for a member, `guest` for a guest.",
          }),
        })
        .meta({ id: 'WorkspaceDetailsBody', description: "One workspace and the caller's rights in it." }),
      examples: {
        admin: {
          summary: 'Seen by an admin',
          value: {
            workspace: {
              ...exampleWorkspace,
              customChatsLimit: null,
              customSeatsLimit: null,
              resultsRetentionDays: null,
            },
            currentUserMode: 'write',
          },
        },
      },
    },
  },
  updateWorkspace: {
    method: 'patch',
    path: '/v1/workspaces/{workspaceId}',
    tag: 'workspaces',
    summary: 'Change a workspace',
    description:
      'Changes the name, the icon or the retention of results of a workspace; null removes the icon, or leaves retention to the installation. A workspace can retain results for a shorter time than the installation, not for a longer one. A shorter time deletes results within a quarter of an hour; this cannot be undone. All other properties are read-only and ignored when sent.',
    access: workspace('ADMIN'),
    isAudited: true,
    params,
    body: workspaceUpdate,
    requestExamples: {
      rename: { summary: 'Rename', value: { name: 'Acme Corporation' } },
      retention: { summary: 'Keep results for 90 days', value: { resultsRetentionDays: 90 } },
    },
    isConditional: true,
    success: {
      status: 200,
      description: 'Name and icon as they are now.',
      body: z
        .object({
          workspace: z
            .object({ name: workspaceName, icon: workspaceIcon })
            .meta({ id: 'WorkspaceNameAndIcon', description: 'Name and icon of a workspace.' }),
        })
        .meta({ id: 'UpdatedWorkspaceBody', description: 'Name and icon of the updated workspace.' }),
      examples: {
        renamed: { summary: 'Renamed', value: { workspace: { name: 'Acme Corporation', icon: '🏢' } } },
      },
    },
  },
  deleteWorkspace: {
    method: 'delete',
    path: '/v1/workspaces/{workspaceId}',
    tag: 'workspaces',
    summary: 'Delete a workspace with everything in it',
    description:
      'Deletes a workspace with its memberships, folders, bots, drafts, publications and results. Running chats end. Public ids and domains of its bots become free; users and their tokens stay. This cannot be undone.',
    access: workspace('ADMIN'),
    isAudited: true,
    params,
    isConditional: true,
    success: {
      status: 200,
      description: 'The workspace is deleted.',
      body: z
        .object({
          message: z.enum(['Workspace deleted']).meta({ description: 'Says that it is done.' }),
        })
        .meta({ id: 'WorkspaceDeletedBody', description: 'The workspace is deleted.' }),
      examples: { deleted: { summary: 'Deleted', value: { message: 'Workspace deleted' } } },
    },
  },
})
