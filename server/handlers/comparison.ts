import type { Issue } from '../../contract/errors.ts'
import type { CompareBot, ComparisonHandlers } from '../../generated/handlers.ts'
import { compareFlows } from '../bots/compare.ts'
import type { Contexts } from '../context.ts'
import { toIso } from '../db/iso-time.ts'
import {
  type Draft,
  latestDraft,
  latestPublication,
  parseDraft,
  readGrantedDraft,
} from '../documents/drafts.ts'
import { publicationsToCompare } from '../documents/publications.ts'
import { notPublished } from '../issues/records.ts'

/** One of the two flows. */
interface Side {
  shown: CompareBot['responseBody']['from']
  draft: Draft
  latest(): ReturnType<typeof latestDraft>
}

export const comparison: ComparisonHandlers<Contexts> = {
  async compareBot({ query }, respond, { db, grant, pace }) {
    const states = [query.from, query.to]
    const [found, publications] = await Promise.all([
      states.includes('draft') ? readGrantedDraft(db, grant) : undefined,
      publicationsToCompare(db, grant, states),
    ])
    const sideOf = (state: string): Side | undefined => {
      if (state === 'draft' && found) {
        const { bot, draft } = found
        const { version, updatedAt } = bot
        const shown = { state, publicationId: null, version, updatedAt: toIso(updatedAt) } as const
        return { shown, draft, latest: () => latestDraft(bot, draft) }
      }
      const row = publications.find(({ id, isLive }) => (state === 'published' ? isLive : id === state))
      if (!row) return undefined
      const { id, version, createdAt } = row
      const shown = { state: 'publication', publicationId: id, version, updatedAt: toIso(createdAt) } as const
      return { shown, draft: row, latest: () => latestPublication(id, version, row) }
    }
    const [from, to] = [sideOf(query.from), sideOf(query.to)]
    if (!from || !to) {
      const missing = (['from', 'to'] as const).filter((_, nth) => ![from, to][nth])
      return respond.fail(
        'NOT_FOUND',
        missing.map((name) => missingState(name, query[name])),
      )
    }
    const isOneVersion = from.shown.version === to.shown.version
    const documentOf = (side: Side) => {
      const { version, draft } = isOneVersion
        ? { version: side.shown.version, draft: side.draft }
        : side.latest()
      return parseDraft(version, draft)
    }
    const before = await pace(() => documentOf(from))
    const after = await pace(() => documentOf(to))
    const differences = await pace(() => compareFlows(before, after))
    return respond.ok({ from: from.shown, to: to.shown, ...differences })
  },
}

function missingState(name: 'from' | 'to', state: string): Issue {
  const path = ['query', name]
  if (state === 'draft')
    return { path: ['path', 'botId'], code: 'unknown_bot', message: 'The bot was deleted' }
  if (state === 'published') return { ...notPublished, path }
  const message = 'The bot has no such publication; send `draft`, `published`, or the id of a publication'
  return { path, code: 'unknown_publication', message }
}
