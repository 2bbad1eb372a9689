import { eq } from 'drizzle-orm'
import type { PublishingHandlers } from '../../generated/handlers.ts'
import type { components } from '../../generated/openapi.ts'
import { convertDraft, flowParts } from '../bots/drafts.ts'
import { countFindings } from '../bots/flow-check.ts'
import { assignPublicId, publishDraft, publishedCopy } from '../bots/publish.ts'
import type { Contexts } from '../context.ts'
import { transact } from '../db/client.ts'
import { publishedBots } from '../db/schema.ts'

export const publishing: PublishingHandlers<Contexts> = {
  async publishBot(_request, reply, { db, grant, now, chat }) {
    const service = { hasMail: chat.sendEmail !== null }
    const findings =
      (grant.bot.publicId !== null && (await publishDraft(db, grant, now, service))) ||
      // Without a public id, or when an update came between reading and copying: under a lock.
      (await transact(db, async (tx) => {
        await assignPublicId(tx, grant)
        return publishDraft(tx, grant, now, service)
      }))
    return findings
      ? reply.ok({ message: 'success', findings: countFindings(findings) })
      : reply.fail('FORBIDDEN')
  },

  async unpublishBot(_request, reply, { db, grant }) {
    await db.update(publishedBots).set({ publicationId: null }).where(eq(publishedBots.botId, grant.bot.id))
    return reply.ok({ message: 'success' })
  },

  async getPublishedBot({ query }, reply, { db, grant }) {
    const published = await publishedCopy(db, grant)
    if (!published) return reply.fail('NOT_FOUND')
    const { version, id, createdAt, updatedAt, ...draft } = published
    const shown = query.migrateToLatestVersion ? convertDraft(version, draft, '6.1') : { version, draft }
    const copy = {
      id,
      version: shown.version,
      createdAt: createdAt.toISOString(),
      updatedAt: updatedAt.toISOString(),
      botId: grant.bot.id,
      ...flowParts(shown.draft),
    } satisfies components['schemas']['PublishedBot']
    return reply.ok({ publishedBot: copy, version })
  },
}
