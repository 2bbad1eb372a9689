import {
  currentVersions,
  edges,
  events,
  groups,
  legacyEdges,
  legacyEvents,
  legacyGroupsByVersion,
  legacyVersions,
  settings,
  theme,
  variables,
} from '../bot-document/index.ts'
import { flag, name, readOnly, recordId, text, timestamp } from '../kit/fields.ts'
import { z } from '../kit/zod.ts'
import { asciiHost, exampleIds } from '../shared.ts'
import { icon } from '../workspaces.ts'

export const botId = recordId('Id of the bot, as create and list return it.', exampleIds.bot)

export const botName = name('Name of the bot. Names need not be unique.', 'Lead generation')

export const botIcon = icon.nullable().meta({
  description: 'Icon of the bot: an emoji, an http(s) URL or a `data:image/` URL; null without one.',
})

export const selectedThemeTemplateId = text(255).nullable().meta({
  description: 'Id of the theme template an editor applied, which the service only stores; null without one.',
  example: 'template-1',
})

export const folderId = recordId('Id of the folder the bot is in.', exampleIds.folder)
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
    description: 'Name under which the published bot is reached, as the bot has it in `publicId`.',
    example: 'lead-generation-8k2m4p6',
  })

export const nullablePublicId = publicId.nullable().meta({
  description:
    'Name under which the published bot is reached: lower-case letters, digits, single inner hyphens. Unique over the installation; a taken one is invalid input. Null without one; publishing then assigns one.',
})

const customDomain = z
  .string()
  .max(255)
  .regex(/^[^\s/?#@:\\.]+(\.[^\s/?#@:\\.]+)+(\/[A-Za-z0-9_/-]*)?$/, {
    error: 'Expected a host name with an optional path, without scheme and port',
  })
  .refine((domain) => normalDomain(domain) !== undefined, {
    error: 'Expected a host name with an optional path, without scheme and port',
  })
  .nullable()
  .meta({
    maxLength: 255,
    description:
      'Host name, with an optional path, at which the chat of the bot is served; DNS and the proxy in front of the service have to lead there. Trackers, widgets and head code run there. International names are valid in both spellings; the host is stored in ASCII and lower case, the path without a slash at its end. Unique over the installation, a taken one is invalid input; null without one.',
    example: 'chat.example.com/leads',
    // Also excludes U+0000, which no text may contain.
    pattern: '^[^\\x00\\s/?#@:\\\\.]+(\\.[^\\x00\\s/?#@:\\\\.]+)+(/[A-Za-z0-9_/-]*)?$',
  })

/** Returns a domain in its stored form, by which domains are compared; undefined if it names no host. */
export function normalDomain(domain: string): string | undefined {
  const [given = '', ...path] = domain.split('/')
  const host = asciiHost(given)
  const normal = [host, ...path.filter((part) => part !== '')].join('/')
  return host !== undefined && normal.length <= 255 ? normal : undefined
}

const column = text(255, 1)
const resultsTablePreferences = z
  .looseObject({
    columnsOrder: z
      .array(column)
      .max(5000)
      .meta({ description: 'Ids of the columns from left to right.', example: ['date', 'email'] }),
    columnsVisibility: z.record(column, z.boolean()).meta({
      description: 'Visibility of a column, by its id.',
      maxProperties: 5000,
      example: { email: true },
    }),
    columnsWidth: z.record(column, z.number().min(0).max(100_000)).meta({
      description: 'Width of a column in CSS pixels, by its id.',
      maxProperties: 5000,
      example: { email: 240 },
    }),
  })
  .meta({ id: 'ResultsTablePreferences', description: 'Layout of the table of results in an editor.' })

export const nullableResultsTablePreferences = z
  .union([resultsTablePreferences, z.null()])
  .meta({ description: 'Layout of the table of results in an editor; null for its own defaults.' })

export const isClosed = z
  .boolean()
  .meta({ description: 'True if new chats are rejected. Takes effect at once, without publishing.' })

const messagingCredentialsId = text(255).nullable().meta({
  description:
    'Id of the credentials of a messaging channel, which the service only stores; null without one.',
  example: 'cred-1',
})

const riskLevel = z.number().min(-1).max(1_000_000).nullable().meta({
  description:
    'Risk of the bot as the operator of the service assessed it: higher is riskier and -1 is trusted. Read-only, ignored when sent. Null when not assessed.',
  example: null,
})

export type Version = (typeof currentVersions)[number] | (typeof legacyVersions)[number]

/** Suffix of component names: the version without its point, as in `BotV61`. */
export function suffix(version: Version) {
  return `V${version.replace('.', '')}`
}

export function versionTag<const V extends Version>(version: V) {
  return z.enum([version]).meta({ description: 'Version of the schema the flow is written in.' })
}

export const versions = ['3', '4', '5', '6', '6.1'] as const satisfies readonly Version[]

export const documentVersion = z
  .enum(versions)
  .meta({ id: 'DocumentVersion', description: 'Version of the schema a flow is written in.' })

function flow<Groups extends z.ZodType, Events extends z.ZodType, Edges extends z.ZodType>(
  groups: Groups,
  events: Events,
  edges: Edges,
) {
  return { groups, events, edges, variables, theme, settings }
}

const flows = {
  '3': flow(legacyGroupsByVersion['3'], legacyEvents, legacyEdges),
  '4': flow(legacyGroupsByVersion['4'], legacyEvents, legacyEdges),
  '5': flow(legacyGroupsByVersion['5'], legacyEvents, legacyEdges),
  '6': flow(groups, events, edges),
  '6.1': flow(groups, events, edges),
}

/** The parts of a flow document in one version. */
export function flowOf<const V extends Version>(version: V) {
  return flows[version]
}

function botOf<const V extends Version>(version: V) {
  return z
    .object({
      version: versionTag(version),
      id: botId,
      name: botName,
      ...flowOf(version),
      selectedThemeTemplateId,
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
  .meta({ id: 'Bot', description: 'A bot with its draft; the version decides about the schema of its flow.' })

export const botBody = z
  .object({ bot: botSchema })
  .meta({ id: 'BotBody', description: 'One bot with its draft.' })

const ignored = {
  $schema: z.unknown().optional().meta({
    description: 'Address of the JSON Schema that an editor checks the document with; accepted and ignored.',
    example: '/schemas/bot-6.1.json',
  }),
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

export const botCreate = z
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
      'The bot to create; every property may be absent. Properties that create does not take are ignored, so that a bot that was read can be posted as a copy.',
  })

function botUpdateOf<const V extends Version>(version: V) {
  const updated = suffix(version)
  return z
    .strictObject({
      version: versionTag(version),
      name: botName.optional(),
      icon: botIcon.optional(),
      selectedThemeTemplateId: selectedThemeTemplateId.optional(),
      ...z.object(flowOf(version)).partial().shape,
      folderId: folderId.optional(),
      resultsTablePreferences: nullableResultsTablePreferences.optional(),
      publicId: nullablePublicId.optional(),
      customDomain: customDomain.optional(),
      isClosed: isClosed.optional(),
      messagingCredentialsId: messagingCredentialsId.optional(),
      riskLevel: riskLevel.optional(),
      updatedAt: z.iso.datetime({ offset: true }).optional().meta({
        format: 'date-time',
        maxLength: 64,
        description:
          'Precondition: the `updatedAt` that the caller read. The update is rejected as a conflict if the stored one differs, even by a millisecond.',
        example: '2026-03-04T10:15:30.120Z',
      }),
      ...ignored,
    })
    .meta({
      id: `BotUpdate${updated}`,
      description: `A change to a bot in version ${version}. Absent properties stay as they are, given ones replace the whole property.`,
    })
}

const updates = {
  '3': botUpdateOf('3'),
  '4': botUpdateOf('4'),
  '5': botUpdateOf('5'),
  '6': botUpdateOf('6'),
  '6.1': botUpdateOf('6.1'),
}

/** One branch per version, since most generators of clients cannot read a union of unions. */
export const botUpdate = z
  .discriminatedUnion('version', [updates['3'], updates['4'], updates['5'], updates['6'], updates['6.1']])
  .meta({
    id: 'BotUpdate',
    description:
      'A change to a bot. The version is required and decides about the shape: `6` and `6.1` are the current one, `3`, `4` and `5` the legacy one.',
  })

/** Current and legacy shapes, published beside the union. Each lists its versions. */
export const botUpdateCurrent = z
  .discriminatedUnion('version', [updates['6'], updates['6.1']])
  .meta({ id: 'BotUpdateCurrent', description: 'A change to a bot in a current version.' })

export const botUpdateLegacy = z
  .discriminatedUnion('version', [updates['3'], updates['4'], updates['5']])
  .meta({ id: 'BotUpdateLegacy', description: 'A change to a bot in a legacy version.' })

export const currentUserMode = z.enum(['write', 'read', 'guest']).meta({
  description:
    "The caller's rights on the bot: `write` for admins and members of its workspace, `read` for guests, `guest` for all other callers of a publicly shared bot.",
})

export const migrateToLatestVersion = flag(
  'True to convert the response to the latest version of the schema. The stored document stays as it is.',
)
