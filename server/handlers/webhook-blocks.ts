import type { WebhookBlocksHandlers } from '../../generated/handlers.ts'
import type { BotGrant } from '../access/index.ts'
import { exampleOf, setWebhookAddress, webhookBlocksOf } from '../bots/webhook-blocks.ts'
import type { Contexts } from '../context.ts'
import type { Database } from '../db/client.ts'
import { latestDraft, parseDraft, rememberDraft, withDraft } from '../documents/drafts.ts'
import { unknownRecord } from '../issues/records.ts'
import { botEvent, withWebhookEvent } from '../webhooks/outbox.ts'

export const webhookBlocks: WebhookBlocksHandlers<Contexts> = {
  async listWebhookBlocks(_, reply, { db, grant, pace }) {
    const found = await withDraft(db, grant)
    if (!found) return reply.fail('NOT_FOUND')
    return reply.ok({ webhookBlocks: await pace(() => webhookBlocksOf(latestDocument(found))) })
  },

  async getResultExample({ params: { blockId } }, reply, { db, grant, now, pace }) {
    const found = await withDraft(db, grant)
    if (!found) return reply.fail('NOT_FOUND')
    const resultExample = await exampleOf(await pace(() => latestDocument(found)), blockId, now, pace)
    if (!resultExample) return reply.fail('NOT_FOUND', [unknownRecord('path', 'blockId', blockId)])
    return reply.ok({ resultExample })
  },

  async subscribeWebhookBlock({ params: { blockId }, body }, reply, { db, grant, now }) {
    const outcome = await setAddress(db, grant, blockId, body.url, now)
    if ('invalid' in outcome) return reply.fail('BAD_REQUEST', [outcome.invalid])
    if ('unknown' in outcome) return reply.fail('NOT_FOUND', [outcome.unknown])
    return 'isDeleted' in outcome ? reply.fail('NOT_FOUND') : reply.ok({ id: blockId, url: body.url })
  },

  async unsubscribeWebhookBlock({ params: { blockId } }, reply, { db, grant, now }) {
    const outcome = await setAddress(db, grant, blockId, null, now)
    if ('invalid' in outcome) return reply.fail('BAD_REQUEST', [outcome.invalid])
    if ('unknown' in outcome) return reply.fail('NOT_FOUND', [outcome.unknown])
    return 'isDeleted' in outcome ? reply.fail('NOT_FOUND') : reply.ok({ id: blockId, url: null })
  },
}

function latestDocument({ bot, draft }: NonNullable<Awaited<ReturnType<typeof withDraft>>>) {
  const latest = latestDraft(bot, draft)
  return parseDraft(latest.version, latest.draft)
}

async function setAddress(db: Database, grant: BotGrant, blockId: string, url: string | null, now: Date) {
  const outcome = await withWebhookEvent(
    db,
    grant,
    now,
    (tx) => setWebhookAddress(tx, grant, blockId, url, now),
    (done) => ('bot' in done ? botEvent('bot.updated', done.bot) : undefined),
  )
  if ('bot' in outcome) rememberDraft(db, outcome.bot, outcome.draft)
  return outcome
}
