import { limits } from './bot-document/limits.ts'
import { exampleBot, exampleFlow, exampleLegacyFlow } from './bots/examples.ts'
import {
  botBody,
  botIcon,
  botName,
  botSchema,
  documentVersion,
  flowOf,
  isClosed,
  nullableResultsTablePreferences,
  selectedThemeTemplateId,
  suffix,
  type Version,
  versions,
  versionTag,
} from './bots/schemas.ts'
import { recordId } from './kit/fields.ts'
import { z } from './kit/zod.ts'
import { bot, define, workspace } from './operation.ts'
import { findingCounts, flowFindings } from './publications.ts'
import { exampleIds } from './shared.ts'

const params = z.object({ botId: recordId('Id of the bot, as create and list return it.', exampleIds.bot) })

function exportedBotOf<const V extends Version>(version: V) {
  return z
    .object({
      version: versionTag(version),
      name: botName,
      icon: botIcon,
      ...flowOf(version),
      selectedThemeTemplateId,
      resultsTablePreferences: nullableResultsTablePreferences,
      isClosed,
    })
    .meta({
      id: `ExportedBot${suffix(version)}`,
      description: `A bot in version ${version} without ids, times and names that belong to one installation.`,
    })
}

const exportedBot = z
  .discriminatedUnion('version', [
    exportedBotOf('3'),
    exportedBotOf('4'),
    exportedBotOf('5'),
    exportedBotOf('6'),
    exportedBotOf('6.1'),
  ])
  .meta({ id: 'ExportedBot', description: 'A bot as a document that import takes.' })

const loosePart = (description: string, example: unknown) =>
  z.unknown().optional().meta({ description, example })

const notAVersion = `Expected one of ${versions.join(', ')}`

const importedBot = z
  .looseObject({
    $schema: loosePart(
      'Address of the JSON Schema that an editor checks the document with; ignored.',
      '/schemas/bot-6.1.json',
    ),
    version: z.union([documentVersion, z.null()], { error: notAVersion }).optional().meta({
      description:
        'Version of the schema the flow is written in. A document without it, or with null, counts as 6 if it has events, else as 3.',
    }),
    name: loosePart('Name of the bot; a default when it is absent or cannot be one.', 'Lead generation'),
    icon: loosePart('Icon of the bot.', '🎯'),
    groups: z
      .array(z.unknown(), { error: 'A bot document has a list of groups' })
      .max(limits.groups)
      .meta({ description: 'The groups, with their blocks.', example: [] }),
    events: loosePart('The events; none in the legacy versions.', null),
    edges: loosePart('The edges. Malformed ones are dropped.', []),
    variables: loosePart('The variables.', []),
    theme: loosePart('The theme.', {}),
    settings: loosePart('The settings.', {}),
  })
  .meta({
    id: 'BotImport',
    description:
      'A bot as a document of any version, as this service or another builder exported it. Unknown properties are ignored.',
  })

const exampleDocument = {
  version: '6.1',
  name: 'Lead generation',
  icon: '🎯',
  ...exampleFlow,
  theme: {},
  settings: {},
  isClosed: false,
}

const exampleExport = { ...exampleDocument, selectedThemeTemplateId: null, resultsTablePreferences: null }

export const transfer = define({
  importBot: {
    method: 'post',
    path: '/v1/bots/import',
    tag: 'bots',
    summary: 'Import a bot',
    description:
      'Creates a bot from an exported document of any version and returns it. The bot gets a new id; all ids inside the flow stay. A flow in a legacy version is converted to the latest one, without loss. The new bot is a draft, without results and publications. Public id, domain, folder and credentials of the document are not taken over. A link block that carries the name of another product (`Acme link` with `acmeId`) becomes `Bot link` with `botId`. An event, item or last block of a group without `outgoingEdgeId` gets the one edge that starts at it. Public sharing is left out, since it would act at once. `warnings` lists dropped and added parts, links to bots that the workspace does not have, and blocks that chats skip. `errorsFound` and `warningsFound` count the findings that check a bot will list. A document that cannot be repaired is invalid input.',
    preparesFirst: true,
    access: workspace('MEMBER', 'body'),
    isAudited: true,
    body: z
      .strictObject({
        workspaceId: recordId('Id of the workspace to import into.', exampleIds.workspace),
        folderId: recordId('Id of a folder of the workspace to put the bot into.', exampleIds.folder)
          .nullable()
          .optional()
          .meta({
            description: 'Id of a folder of the workspace to put the bot into; none when absent or null.',
          }),
        bot: importedBot,
      })
      .meta({ id: 'ImportBotBody', description: 'The document to import, and its destination.' }),
    bodySize: 'document',
    requestExamples: {
      current: {
        summary: 'A document in the latest version',
        // Importers of requests send it as it is, so it has no null.
        value: { workspaceId: exampleIds.workspace, bot: exampleDocument },
      },
      legacy: {
        summary: 'A document in a legacy version',
        value: {
          workspaceId: exampleIds.workspace,
          bot: { version: '5', name: 'Lead generation', ...exampleLegacyFlow, theme: {}, settings: {} },
        },
      },
    },
    success: {
      status: 201,
      description: 'The new bot and the dropped parts.',
      body: z
        .object({
          bot: botSchema,
          warnings: flowFindings.meta({
            description:
              'Parts that were dropped or added to make the document fit, and blocks that chats skip. Also links to bots, and blocks with credentials, that the workspace does not have.',
          }),
          ...findingCounts,
        })
        .meta({ id: 'ImportedBotBody', description: 'A bot that was imported.' }),
      location: '/v1/bots/{bot.id}',
      examples: {
        imported: {
          summary: 'Nothing was dropped',
          value: { bot: exampleBot, warnings: [], errorsFound: 0, warningsFound: 0 },
        },
      },
    },
  },
  duplicateBot: {
    method: 'post',
    path: '/v1/bots/{botId}/duplicate',
    soughtAt: ['/v1/bots/{botId}/copy', '/v1/bots/{botId}/clone'],
    tag: 'bots',
    summary: 'Duplicate a bot',
    description:
      'Creates a bot with the draft of another one, in its stored version, and returns it. The new bot gets a new id; all ids inside the flow stay. Results, publications, public id, domain and the credentials of a messaging channel are not copied. Public sharing is left out, since it would act at once. Credentials that blocks name belong to the same workspace, so they still work.',
    access: bot('MEMBER'),
    isAudited: true,
    params,
    body: z
      .strictObject({
        name: botName
          .optional()
          .meta({ description: 'Name of the new bot. Default: the name of the bot, followed by `(copy)`.' }),
        folderId: recordId('Id of a folder of the workspace to put the new bot into.', exampleIds.folder)
          .nullable()
          .optional()
          .meta({
            description:
              'Id of a folder of the workspace to put the new bot into; null for none. Default: the folder of the bot.',
          }),
      })
      .meta({ id: 'DuplicateBotBody', description: 'Name and folder of the new bot.' }),
    requestExamples: {
      beside: { summary: 'Beside the bot, with a name made from its own', value: {} },
      named: {
        summary: 'With a name, at the top level',
        value: { name: 'Lead generation, spring', folderId: null },
      },
    },
    success: {
      status: 201,
      description: 'The new bot, not yet published.',
      body: botBody,
      location: '/v1/bots/{bot.id}',
      examples: {
        duplicated: { summary: 'The new bot', value: { bot: exampleBot } },
      },
    },
  },
  exportBot: {
    method: 'get',
    path: '/v1/bots/{botId}/export',
    tag: 'bots',
    summary: 'Export a bot',
    description:
      'Returns the draft of a bot as a document, in its stored version. Import takes the value of `bot` in the response as its `bot`, in this installation or another one: exporting and importing makes a duplicate. Publications and results are not part of it.',
    access: bot('GUEST'),
    params,
    isConditional: true,
    success: {
      status: 200,
      description: 'The document, ready to be imported.',
      body: z
        .object({ bot: exportedBot })
        .meta({ id: 'ExportedBotBody', description: 'The document of an exported bot.' }),
      examples: { exported: { summary: 'A document', value: { bot: exampleExport } } },
    },
  },
  checkBot: {
    method: 'get',
    path: '/v1/bots/{botId}/check',
    soughtAt: ['/v1/bots/{botId}/validate'],
    tag: 'bots',
    summary: 'Check the flow of a bot',
    description:
      'Reports parts of the draft that would misbehave when it runs. In the graph, these are references to nothing, edges that are not the `outgoingEdgeId` of their start, unreachable groups, duplicate ids, a missing start, and circles without an input. In blocks, these are types that chats skip, misspelt properties, names in placeholders that no variable has, code that does not parse, and missing parts of blocks, bubbles and items. None of them prevents storing or publishing the bot.',
    tool: {
      name: 'check_bot',
      description:
        'Finds errors in the draft: missing edges, unreachable groups, misspelt properties, missing credentials. Call it after every change_flow, and fix all errors before publish_bot.',
    },
    access: bot('GUEST'),
    params,
    success: {
      status: 200,
      description: 'The findings; an empty list means that there are none.',
      body: z
        .object({ findings: flowFindings.meta({ description: 'The findings; the first 1,000.' }) })
        .meta({ id: 'FlowCheckBody', description: 'The result of a check.' }),
      examples: {
        clean: { summary: 'No findings', value: { findings: [] } },
        dangling: {
          summary: 'A reference to nothing',
          value: {
            findings: [
              {
                path: ['groups', '0', 'blocks', '1', 'outgoingEdgeId'],
                code: 'missing_edge',
                message: 'The edge it leaves by does not exist',
                severity: 'warning',
              },
            ],
          },
        },
      },
    },
  },
})
