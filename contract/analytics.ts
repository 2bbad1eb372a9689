import { bot, define } from './operation.ts'
import { inOrder, rangeFilters } from './result-filters.ts'
import { exampleIds, recordId } from './shared.ts'
import { z } from './zod.ts'

const count = (description: string, example: number) =>
  z.int().min(0).max(Number.MAX_SAFE_INTEGER).meta({ description, format: 'int64', example })

export const analytics = define({
  getStats: {
    method: 'get',
    path: '/v1/bots/{botId}/analytics/stats',
    tag: 'analytics',
    summary: 'Get the statistics of a bot',
    description:
      'Counts the chats of a bot that began in a range of time: all, those with an answer, and those that reached an end. Deleted results do not count. A bot that is not published has statistics too.',
    access: bot('GUEST'),
    params: z.object({ botId: recordId('Id of the bot, as create and list answer it.', exampleIds.bot) }),
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
              totalCompleted: count('Chats that reached an end.', 412),
            })
            .meta({ id: 'Stats', description: 'How often a bot was seen, started and completed.' }),
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
})
