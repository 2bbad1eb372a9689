import type { AnalyticsHandlers } from '../../generated/handlers.ts'
import { indexFlow, isInput } from '../chat/engine/flow-index.ts'
import { loadPublication } from '../chat/sessions/read-session.ts'
import type { Contexts } from '../context.ts'
import { notPublished } from '../issues/records.ts'
import { countBlocks, livePublicationOf } from '../results/block-stats.ts'
import { ofStatus, readRange } from '../results/filter.ts'
import { countResults } from '../results/stats.ts'

export const analytics: AnalyticsHandlers<Contexts> = {
  async getStats({ query }, respond, { reads, grant, now }) {
    const read = readRange(query, now)
    if ('issue' in read) return respond.fail('BAD_REQUEST', [read.issue])
    return respond.ok({
      stats: ofStatus(await countResults(reads, grant, read.range, now), query.status ?? null),
    })
  },

  async getBlockStats({ query }, respond, { db, reads, grant, now, chat }) {
    const read = readRange(query, now)
    if ('issue' in read) return respond.fail('BAD_REQUEST', [read.issue])
    const publicationId = await livePublicationOf(db, grant)
    if (!publicationId) return respond.fail('NOT_FOUND', [notPublished])
    const flow = await loadPublication(db, chat, grant.bot.id, publicationId)
    if (!flow) return respond.fail('NOT_FOUND')
    const counts = await countBlocks(reads, grant, read.range, query.status ?? null, now)
    const blocks = [...indexFlow(flow).groups.values()].flatMap((group) => group.blocks.filter(isInput))
    const none = { shown: 0, answered: 0, left: 0 }
    return respond.ok({ blocks: blocks.map(({ id }) => ({ blockId: id, ...(counts.get(id) ?? none) })) })
  },
}
