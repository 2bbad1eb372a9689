import {
  currentVersions,
  edges,
  events,
  groups,
  legacyEvents,
  legacyGroupsByVersion,
  legacyVersions,
  settings,
  theme,
  variables,
} from './bot-document/index.ts'
import { bot, define, workspace } from './operation.ts'
import {
  cursor,
  exampleIds,
  flag,
  limit,
  name,
  nextCursor,
  readOnly,
  recordId,
  successBody,
  successExample,
  text,
  timestamp,
} from './shared.ts'
import { icon } from './workspaces.ts'
import { z } from './zod.ts'

const botId = recordId('Id of the bot.', exampleIds.bot)

export const botName = name('Name of the bot. Names need not be unique.', 'Lead generation')

const botIcon = icon
  .nullable()
  .meta({
    description: 'Icon of the bot: an emoji, an http(s) URL or a `data:image/` URL; null without one.',
  })

const selectedThemeTemplateId = text(255)
  .nullable()
  .meta({
    description: 'Id of the theme template an editor applied; null without one.',
    example: 'template-1',
  })

const folderId = recordId('Id of the folder the bot is in.', exampleIds.folder)
  .nullable()
  .meta({ description: 'Id of the folder the bot is in; null at the top level of its workspace.' })

export const publicId = z
  .string()
  .max(255)
  .regex(/^[a-z0-9]+(-[a-z0-9]+)*$/, {
    error: 'Expected lower-case letters, digits and single inner hyphens',
  })
  .meta({
    maxLength: 255,
    description: 'Name under which the published bot is reached.',
    example: 'lead-generation-8k2m4p6',
  })

const nullablePublicId = publicId.nullable().meta({
  description:
    'Name under which the published bot is reached: lower-case letters, digits, single inner hyphens. Unique over the installation; a taken one is invalid input. Null without one; publishing then assigns one.',
})

const customDomain = z
  .string()
  .max(255)
  .regex(/^([A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.)+[A-Za-z]{2,63}(\/[A-Za-z0-9_/-]*)?$/, {
    error: 'Expected a host name with an optional path, without scheme and port',
  })
  .nullable()
  .meta({
    maxLength: 255,
    description:
      'Host name, with an optional path, at which the bot is served. Unique over the installation; null without one.',
    example: 'chat.example.com/leads',
  })

const column = text(255, 1)
const resultsTablePreferences = z
  .looseObject({
    columnsOrder: z
      .array(column)
      .max(5000)
      .meta({ description: 'Ids of the columns from left to right.', example: ['date', 'email'] }),
    columnsVisibility: z.record(column, z.boolean()).meta({
      description: 'Whether a column is shown, by its id.',
      maxProperties: 5000,
      example: { email: true },
    }),
    columnsWidth: z.record(column, z.number().min(0).max(100_000)).meta({
      description: 'Width of a column in CSS pixels, by its id.',
      maxProperties: 5000,
      example: { email: 240 },
    }),
  })
  .meta({ id: 'ResultsTablePreferences', description: 'How an editor shows the table of results.' })

const nullableResultsTablePreferences = z
  .union([resultsTablePreferences, z.null()])
  .meta({ description: 'How an editor shows the table of results; null for its own defaults.' })

const isClosed = z
  .boolean()
  .meta({ description: 'Whether new chats are refused. Takes effect at once, without publishing.' })

const messagingCredentialsId = text(255)
  .nullable()
  .meta({
    description: 'Id of the credentials of the messaging channel; null without one.',
    example: 'cred-1',
  })

const riskLevel = z
  .number()
  .min(-1)
  .max(1_000_000)
  .nullable()
  .meta({
    description: 'Risk the installation sees in the bot; read-only, null when not assessed.',
    example: null,
  })

const selectedThemeAndFolder = { icon: botIcon, selectedThemeTemplateId, folderId }

type Version = (typeof currentVersions)[number] | (typeof legacyVersions)[number]
type LegacyVersion = (typeof legacyVersions)[number]

function isLegacy(version: Version): version is LegacyVersion {
  return (legacyVersions as readonly string[]).includes(version)
}

/** Component names carry the version without its point: BotV61. */
function suffix(version: Version) {
  return `V${version.replace('.', '')}`
}

function versionTag<const V extends Version>(version: V) {
  return z.enum([version]).meta({ description: 'Version of the schema the flow is written in.' })
}

const emptyEvents = z
  .union([legacyEvents, z.null()])
  .meta({ description: 'Null: a flow of this version has no events.' })

function botOf<const V extends Version>(version: V) {
  return z
    .object({
      version: versionTag(version),
      id: botId,
      name: botName,
      events: isLegacy(version) ? emptyEvents : events,
      groups: isLegacy(version) ? legacyGroupsByVersion[version] : groups,
      edges,
      variables,
      theme,
      selectedThemeTemplateId,
      settings,
      createdAt: timestamp('When the bot was created.'),
      updatedAt: timestamp(
        'When the draft was last changed; strictly increasing, so it serves as a precondition of an update. Publishing does not change it.',
      ),
      icon: botIcon,
      folderId,
      publicId: nullablePublicId,
      customDomain,
      workspaceId: recordId('Id of the workspace the bot is in.', exampleIds.workspace),
      resultsTablePreferences: nullableResultsTablePreferences,
      isArchived: z.boolean().meta({ description: 'Always false: an archived bot is not found.' }),
      isClosed,
      messagingCredentialsId,
      riskLevel,
    })
    .meta({ id: `Bot${suffix(version)}`, description: `A bot whose flow is written in version ${version}.` })
}

export const botSchema = z
  .discriminatedUnion('version', [botOf('3'), botOf('4'), botOf('5'), botOf('6'), botOf('6.1')])
  .meta({ id: 'Bot', description: 'A bot with its draft; the version tells how its flow is written.' })

export const botBody = z.object({ bot: botSchema }).meta({ id: 'BotBody', description: 'One bot.' })

const ignored = {
  id: readOnly('id'),
  createdAt: readOnly('time of creation'),
  workspaceId: readOnly('workspace'),
  isArchived: readOnly('flag'),
}

const createVersion = z
  .enum(currentVersions, {
    error: ({ input }) =>
      (legacyVersions as readonly unknown[]).includes(input)
        ? 'Expected 6 or 6.1; bring a bot of an earlier version in with the import operation'
        : 'Expected 6 or 6.1',
  })
  .default('6.1')
  .meta({ description: 'Version of the schema the flow is written in.' })

const botCreate = z
  .strictObject({
    version: createVersion,
    name: botName.optional(),
    icon: botIcon.optional(),
    selectedThemeTemplateId: selectedThemeTemplateId.optional(),
    groups: groups.optional(),
    events: events.optional(),
    theme: theme.optional(),
    settings: settings.optional(),
    folderId: folderId.optional(),
    variables: variables.optional(),
    edges: edges.optional(),
    resultsTablePreferences: nullableResultsTablePreferences.optional(),
    publicId: nullablePublicId.optional(),
    customDomain: customDomain.optional(),
    ...ignored,
    updatedAt: readOnly('time of the last change'),
    isClosed: readOnly('flag, changed by update'),
    messagingCredentialsId: readOnly('reference, changed by update'),
    riskLevel: readOnly('assessment'),
  })
  .meta({
    id: 'BotCreate',
    description:
      'The bot to create; every property may be absent. Properties of a bot that create does not take are ignored, so that what was read can be posted as a copy.',
  })

function botUpdateOf<const V extends Version>(version: V) {
  const updated = suffix(version)
  return z
    .strictObject({
      version: versionTag(version),
      name: botName.optional(),
      icon: botIcon.optional(),
      selectedThemeTemplateId: selectedThemeTemplateId.optional(),
      groups: (isLegacy(version) ? legacyGroupsByVersion[version] : groups).optional(),
      theme: theme.optional(),
      settings: settings.optional(),
      folderId: folderId.optional(),
      variables: variables.optional(),
      edges: edges.optional(),
      resultsTablePreferences: nullableResultsTablePreferences.optional(),
      publicId: nullablePublicId.optional(),
      customDomain: customDomain.optional(),
      isClosed: isClosed.optional(),
      messagingCredentialsId: messagingCredentialsId.optional(),
      riskLevel: riskLevel.optional(),
      events: isLegacy(version) ? emptyEvents.optional() : events.optional(),
      updatedAt: z.iso.datetime({ offset: true }).optional().meta({
        format: 'date-time',
        maxLength: 64,
        description:
          'Precondition: the `updatedAt` the caller read. The update is refused as a conflict when the stored one differs by so much as a millisecond.',
        example: '2026-03-04T10:15:30.120Z',
      }),
      ...ignored,
    })
    .meta({
      id: `BotUpdate${updated}`,
      description: `A change to a bot in version ${version}. Absent properties stay, given ones replace the whole property.`,
    })
}

const updatesByVersion = {
  '3': botUpdateOf('3'),
  '4': botUpdateOf('4'),
  '5': botUpdateOf('5'),
  '6': botUpdateOf('6'),
  '6.1': botUpdateOf('6.1'),
}

export const botUpdate = z
  .discriminatedUnion('version', [
    updatesByVersion['3'],
    updatesByVersion['4'],
    updatesByVersion['5'],
    updatesByVersion['6'],
    updatesByVersion['6.1'],
  ])
  .meta({
    id: 'BotUpdate',
    description:
      'A change to a bot. The version is required and tells the shape: `6` and `6.1` are the current one, `3`, `4` and `5` the legacy one.',
  })

/** The two names people think in; each lists the versions of its shape. */
export const botUpdateAliases = {
  BotUpdateCurrent: z
    .discriminatedUnion('version', [updatesByVersion['6'], updatesByVersion['6.1']])
    .meta({ id: 'BotUpdateCurrent', description: 'A change to a bot in a current version.' }),
  BotUpdateLegacy: z
    .discriminatedUnion('version', [updatesByVersion['3'], updatesByVersion['4'], updatesByVersion['5']])
    .meta({ id: 'BotUpdateLegacy', description: 'A change to a bot in a legacy version.' }),
}

export const exampleFlow = {
  events: [
    {
      id: 'start-event',
      type: 'start',
      graphCoordinates: { x: 0, y: 0 },
      outgoingEdgeId: 'edge-welcome',
    },
  ],
  groups: [
    {
      id: 'group-welcome',
      title: 'Welcome',
      graphCoordinates: { x: 200, y: 0 },
      blocks: [
        {
          id: 'block-hello',
          type: 'text',
          content: { richText: [{ type: 'p', children: [{ text: 'Hello! What is your e-mail address?' }] }] },
        },
        { id: 'block-email', type: 'email input', options: { variableId: 'variable-email' } },
      ],
    },
  ],
  edges: [{ id: 'edge-welcome', from: { eventId: 'start-event' }, to: { groupId: 'group-welcome' } }],
  variables: [{ id: 'variable-email', name: 'Email' }],
}

export const exampleLegacyFlow = {
  groups: [
    {
      id: 'group-start',
      title: 'Start',
      graphCoordinates: { x: 0, y: 0 },
      blocks: [{ id: 'block-start', type: 'start', label: 'Start', outgoingEdgeId: 'edge-welcome' }],
    },
    {
      id: 'group-welcome',
      title: 'Welcome',
      graphCoordinates: { x: 200, y: 0 },
      blocks: [{ id: 'block-email', type: 'email input', options: { variableId: 'variable-email' } }],
    },
  ],
  edges: [{ id: 'edge-welcome', from: { blockId: 'block-start' }, to: { groupId: 'group-welcome' } }],
  variables: [{ id: 'variable-email', name: 'Email' }],
}

export const exampleBot = {
  version: '6.1',
  id: exampleIds.bot,
  name: 'Lead generation',
  ...exampleFlow,
  theme: {},
  selectedThemeTemplateId: null,
  settings: {},
  createdAt: '2026-03-04T10:15:30.120Z',
  updatedAt: '2026-03-04T10:15:30.120Z',
  icon: '🎯',
  folderId: null,
  publicId: null,
  customDomain: null,
  workspaceId: exampleIds.workspace,
  resultsTablePreferences: null,
  isArchived: false,
  isClosed: false,
  messagingCredentialsId: null,
  riskLevel: null,
}

const currentUserMode = z.enum(['write', 'read', 'guest']).meta({
  description:
    "The caller's rights on the bot: `write` for admins and members of its workspace, `read` for guests, `guest` for anybody who sees it because it is shared publicly.",
})

const params = z.object({ botId })

export const migrateToLatestVersion = flag(
  'Whether the answer is converted to the latest version of the schema. What is stored stays as it is.',
)

const botSummary = z
  .object({
    id: botId,
    name: botName,
    icon: botIcon,
    folderId,
    publicId: nullablePublicId,
    createdAt: timestamp('When the bot was created.'),
    updatedAt: timestamp('When the draft was last changed.'),
    publishedBotId: recordId('Id of the published copy.', exampleIds.publication)
      .nullable()
      .meta({ description: 'Id of the published copy; null while the bot is not published.' }),
    accessRight: currentUserMode,
  })
  .meta({ id: 'BotSummary', description: 'A bot in a list, without its flow.' })

export const bots = define({
  listBots: {
    method: 'get',
    path: '/v1/bots',
    tag: 'bots',
    summary: 'List the bots of a workspace',
    description:
      'Returns the bots of a workspace or of one folder, newest first, without their flows. Archived bots are not listed.',
    access: workspace('GUEST', 'query'),
    query: z.strictObject({
      workspaceId: recordId('Id of the workspace whose bots are listed.', exampleIds.workspace),
      folderId: recordId('Id of a folder of the workspace.', exampleIds.folder).optional().meta({
        description:
          'List only the bots directly in this folder; `root` means those in none. Absent lists the whole workspace; an unknown folder is not found.',
      }),
      limit,
      cursor,
    }),
    success: {
      status: 200,
      description: 'A page of bots, newest first.',
      body: z
        .object({
          bots: z.array(botSummary).max(100).meta({ description: 'The bots, newest first.' }),
          nextCursor,
        })
        .meta({ id: 'BotPage', description: 'A page of bots.' }),
      examples: {
        page: {
          summary: 'The last page',
          value: {
            bots: [
              {
                id: exampleIds.bot,
                name: 'Lead generation',
                icon: '🎯',
                folderId: null,
                publicId: null,
                createdAt: '2026-03-04T10:15:30.120Z',
                updatedAt: '2026-03-04T10:15:30.120Z',
                publishedBotId: null,
                accessRight: 'write',
              },
            ],
            nextCursor: null,
          },
        },
      },
    },
  },
  createBot: {
    method: 'post',
    path: '/v1/bots',
    tag: 'bots',
    summary: 'Create a bot',
    description:
      'Creates a bot in a workspace and returns it. What is absent gets a default: a start event without edge, empty lists, an empty theme and empty settings. The new bot is a draft; nobody can chat with it before it is published.',
    access: workspace('MEMBER', 'body', 'FORBIDDEN'),
    body: z
      .strictObject({
        workspaceId: recordId('Id of the workspace to create the bot in.', exampleIds.workspace),
        bot: botCreate,
      })
      .meta({ id: 'CreateBotBody', description: 'Where to create which bot.' }),
    bodySize: 'document',
    requestExamples: {
      empty: {
        summary: 'An empty bot',
        value: { workspaceId: exampleIds.workspace, bot: { name: 'Lead generation' } },
      },
      flow: {
        summary: 'With a flow',
        value: {
          workspaceId: exampleIds.workspace,
          bot: { version: '6.1', name: 'Lead generation', icon: '🎯', ...exampleFlow },
        },
      },
    },
    success: {
      status: 201,
      description: 'The new bot.',
      body: botBody,
      location: '/v1/bots/{bot.id}',
      examples: { created: { summary: 'The new bot', value: { bot: exampleBot } } },
    },
  },
  getBot: {
    method: 'get',
    path: '/v1/bots/{botId}',
    tag: 'bots',
    summary: 'Get a bot',
    description:
      'Returns a bot with its draft as it was written, or converted to the latest version of the schema when asked. Members of the workspace may read it, and any caller when it is shared publicly.',
    access: bot('GUEST', { publicShare: true }),
    params,
    query: z.strictObject({ migrateToLatestVersion }),
    success: {
      status: 200,
      description: "The bot and the caller's mode.",
      body: z
        .object({ bot: botSchema, currentUserMode })
        .meta({ id: 'BotWithModeBody', description: "One bot and the caller's rights on it." }),
      examples: {
        member: { summary: 'Seen by a member', value: { bot: exampleBot, currentUserMode: 'write' } },
      },
    },
  },
  updateBot: {
    method: 'patch',
    path: '/v1/bots/{botId}',
    tag: 'bots',
    summary: 'Update a bot',
    description:
      'Changes the draft of a bot and returns it as stored. Absent properties stay, given ones replace the whole property, and the stored version becomes the given one. With `bot.updatedAt` the update is refused as a conflict when somebody else was faster; `overwrite` waives that. A current version sent to a bot stored in a legacy one converts the stored flow first; a legacy version sent to a bot stored in a current one needs `groups`, `edges` and `variables` together. The published copy does not change.',
    access: bot('MEMBER'),
    params,
    body: z
      .strictObject({
        bot: botUpdate,
        overwrite: z
          .boolean()
          .optional()
          .meta({ description: 'Whether to write even when the precondition `bot.updatedAt` fails.' }),
      })
      .meta({ id: 'UpdateBotBody', description: 'The change to a bot.' }),
    bodySize: 'document',
    requestExamples: {
      rename: {
        summary: 'Rename, unless somebody else changed the bot',
        value: {
          bot: { version: '6.1', name: 'Lead generation 2026', updatedAt: '2026-03-04T10:15:30.120Z' },
        },
      },
      legacy: {
        summary: 'A flow in a legacy version',
        value: { bot: { version: '5', ...exampleLegacyFlow } },
      },
    },
    success: {
      status: 200,
      description: 'The bot as it is now.',
      body: botBody,
      examples: {
        renamed: {
          summary: 'Renamed',
          value: {
            bot: { ...exampleBot, name: 'Lead generation 2026', updatedAt: '2026-03-05T08:00:00.000Z' },
          },
        },
      },
    },
    errors: ['CONFLICT'],
  },
  deleteBot: {
    method: 'delete',
    path: '/v1/bots/{botId}',
    tag: 'bots',
    summary: 'Delete a bot',
    description:
      'Archives a bot. From then on every operation answers as for a bot that does not exist, its published copy is gone, its results are deleted, and its public id and domain are free again.',
    access: bot('MEMBER'),
    params,
    success: {
      status: 200,
      description: 'The bot is deleted.',
      body: successBody,
      examples: successExample,
    },
  },
})
