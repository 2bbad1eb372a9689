import { versions } from './bots/schemas.ts'
import { recordId, text, timestamp } from './kit/fields.ts'
import { z } from './kit/zod.ts'
import { bot, define } from './operation.ts'
import { publicationId } from './publications.ts'
import { exampleIds } from './shared.ts'

/** Maximum changes of a response. More would not help a reader. */
export const MAX_CHANGES = 1_000

const state = z.string().regex(/^[A-Za-z0-9_-]{1,64}$/, {
  error: 'Expected `draft`, `published`, or the id of a publication',
})

const flowState = z
  .object({
    state: z
      .enum(['draft', 'publication'])
      .meta({ description: 'Kind of the flow: the draft or a publication.' }),
    publicationId: publicationId
      .nullable()
      .meta({ description: 'Id of the publication; null for the draft.', example: exampleIds.publication }),
    version: z.enum(versions).meta({ description: 'Version of the schema the flow is stored in.' }),
    updatedAt: timestamp('When the draft last changed, or when the publication was made.'),
  })
  .meta({ id: 'ComparedFlow', description: 'One of the two flows that were compared.' })

const value = (description: string, example: unknown) => z.unknown().optional().meta({ description, example })

const flowChange = z
  .object({
    kind: z
      .enum(['group', 'block', 'item', 'edge', 'variable', 'event', 'theme', 'settings'])
      .meta({ description: 'The part of the flow that changed.' }),
    change: z.enum(['added', 'removed', 'renamed', 'moved', 'changed']).meta({
      description:
        'Kind of the change. A group or variable with another name is `renamed`. A group or event that moved on the canvas is `moved`, and so is a block or item that moved in the flow. Other properties are `changed`, with one entry for each.',
    }),
    id: text(255)
      .nullable()
      .meta({ description: 'Id of the part; null for theme and settings.', example: 'blkAskEmail' }),
    groupId: text(255).nullable().meta({
      description: 'Id of the group of a block or item; null for other parts.',
      example: 'grpContact',
    }),
    blockId: text(255)
      .nullable()
      .meta({ description: 'Id of the block of an item; null for other parts.', example: null }),
    path: z
      .array(text(1000))
      .max(100)
      .meta({
        description: 'Path of the property within the part; empty if the part as a whole changed.',
        example: ['options', 'labels', 'placeholder'],
      }),
    message: text(2000).meta({
      description: 'The change in words, for people.',
      example: 'Block blkAskEmail in group "Contact": options.labels.placeholder changed',
    }),
    before: value('The value in `from`; absent if there was none.', 'Your e-mail'),
    after: value('The value in `to`; absent if there is none.', 'Your work e-mail'),
  })
  .meta({ id: 'FlowChange', description: 'One difference between two flows.' })

export type FlowChange = z.output<typeof flowChange>

export const comparison = define({
  compareBot: {
    method: 'get',
    path: '/v1/bots/{botId}/compare',
    tag: 'bots',
    summary: 'Compare two states of a bot',
    description:
      'Returns the differences between two states of the flow of a bot: its draft, the live publication, or an earlier one. Groups, blocks, items, edges, variables and events are matched by their ids, so the order of stored lists makes no difference. Blocks of a group and items of a block that changed their order are `moved`. Flows in different versions are compared in the latest one, without the changes of the conversion alone. Name, icon and public id are not part of a publication and are not compared.',
    tool: {
      name: 'compare_bot',
      description:
        'Lists in words and values how two states of a bot differ, by default the draft from the published flow.',
    },
    access: bot('GUEST'),
    params: z.object({
      botId: recordId('Id of the bot, as create and list return it.', exampleIds.bot),
    }),
    query: z.strictObject({
      from: state.default('published').meta({
        minLength: 1,
        maxLength: 64,
        description:
          'The state before: `draft`, `published`, or the id of a publication. Default `published`.',
        example: 'published',
      }),
      to: state.default('draft').meta({
        minLength: 1,
        maxLength: 64,
        description: 'The state after: `draft`, `published`, or the id of a publication. Default `draft`.',
        example: 'draft',
      }),
    }),
    success: {
      status: 200,
      description: 'The differences; an empty list says that the flows are equal.',
      body: z
        .object({
          from: flowState,
          to: flowState,
          changes: z.array(flowChange).max(MAX_CHANGES).meta({ description: 'The differences.' }),
          isComplete: z.boolean().meta({
            description: 'False if there are more differences than the list holds: 1,000, or 8 MB of values.',
          }),
        })
        .meta({ id: 'ComparisonBody', description: 'The differences between two states of a bot.' }),
      examples: {
        changed: {
          summary: 'One text changed since the bot was published',
          value: {
            from: {
              state: 'publication',
              publicationId: exampleIds.publication,
              version: '6.1',
              updatedAt: '2026-03-04T11:00:00.000Z',
            },
            to: {
              state: 'draft',
              publicationId: null,
              version: '6.1',
              updatedAt: '2026-03-05T08:30:00.000Z',
            },
            changes: [
              {
                kind: 'block',
                change: 'changed',
                id: 'blkAskEmail',
                groupId: 'grpContact',
                blockId: null,
                path: ['options', 'labels', 'placeholder'],
                message: 'Block blkAskEmail in group "Contact": options.labels.placeholder changed',
                before: 'Your e-mail',
                after: 'Your work e-mail',
              },
            ],
            isComplete: true,
          },
        },
      },
    },
  },
})
