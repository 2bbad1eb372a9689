import { recordId, text } from './kit/fields.ts'
import { z } from './kit/zod.ts'
import { bot, define } from './operation.ts'
import { inOrder, rangeFilters } from './result-filters.ts'
import { exampleIds } from './shared.ts'

const count = (description: string, example: number) =>
  z.int().min(0).max(Number.MAX_SAFE_INTEGER).meta({ description, format: 'int64', example })

const blockStats = z
  .object({
    blockId: text(255).meta({ description: 'Id of the input block.', example: 'block-email' }),
    shown: count('Times the input was shown: answered, left, and still open.', 900),
    answered: count('Times the input was answered.', 700),
    left: count('Times a chat ended there, because its time ran out or a member ended it.', 180),
  })
  .meta({ id: 'BlockStats', description: 'Outcomes of the chats that came to an input block.' })

export const analytics = define({
  getStats: {
    method: 'get',
    path: '/v1/bots/{botId}/analytics/stats',
    tag: 'analytics',
    summary: 'Get the statistics of a bot',
    description:
      'Counts the chats of a bot that began in a time range. The counts are all chats, those with an answer, and those of them that reached an end. Deleted results do not count. A bot that is not published has statistics too.',
    tool: {
      name: 'get_stats',
      description: 'Counts the chats of a bot in a range of time: seen, started, completed.',
    },
    access: bot('GUEST'),
    params: z.object({ botId: recordId('Id of the bot, as create and list return it.', exampleIds.bot) }),
    query: z.strictObject(rangeFilters).refine(...inOrder),
    success: {
      status: 200,
      description: 'The three counts of the range.',
      body: z
        .object({
          stats: z
            .object({
              totalViews: count('Chats that began.', 1280),
              totalStarts: count('Chats in which at least one answer was given.', 860),
              totalCompleted: count('Chats that reached an end and had at least one answer.', 412),
            })
            .meta({ id: 'Stats', description: 'Numbers of views, starts and completions of a bot.' }),
        })
        .meta({ id: 'StatsBody', description: 'The statistics of a bot.' }),
      examples: {
        week: {
          summary: 'A week',
          value: { stats: { totalViews: 1280, totalStarts: 860, totalCompleted: 412 } },
        },
      },
    },
  },
  getBlockStats: {
    method: 'get',
    path: '/v1/bots/{botId}/analytics/blocks',
    tag: 'analytics',
    summary: 'Get the statistics of the blocks of a bot',
    description:
      'Counts, for chats that began in a time range, the times each input of the published flow was shown, answered and left. The blocks are in the order of the flow. `shown` is the sum of `answered`, `left` and inputs that are still open: a chat can be continued for at least 48 hours after its last turn. An input that a chat comes to twice counts twice. If several chats share a result, because the bot remembers its visitors, the position of the last one counts. Deleted results do not count. A bot that is not published is not found.',
    access: bot('GUEST'),
    params: z.object({ botId: recordId('Id of the bot, as create and list return it.', exampleIds.bot) }),
    query: z.strictObject(rangeFilters).refine(...inOrder),
    success: {
      status: 200,
      description: 'The input blocks of the published flow.',
      body: z
        .object({
          blocks: z
            .array(blockStats)
            .max(100_000)
            .meta({ description: 'The blocks, in the order of the flow.' }),
        })
        .meta({ id: 'BlockStatsBody', description: 'The statistics of the blocks of a bot.' }),
      examples: {
        one: {
          summary: 'A flow with one input',
          value: { blocks: [{ blockId: 'block-email', shown: 900, answered: 700, left: 180 }] },
        },
      },
    },
  },
})
