import type { WebhookBlocksHandlers } from '../../generated/handlers.ts'
import type { BotGrant } from '../access/index.ts'
import { exampleOf, setWebhookAddress, webhookBlocksOf } from '../bots/webhook-blocks.ts'
import type { Contexts } from '../context.ts'
import type { Database } from '../db/client.ts'
import { cacheDraft, latestDraft, parseDraft, readGrantedDraft } from '../documents/drafts.ts'
import { unknownRecord } from '../issues/records.ts'
import { botEvent, withWebhookEvent } from '../webhooks/outbox.ts'

export const webhookBlocks: WebhookBlocksHandlers<Contexts> = {
  async listWebhookBlocks(_, respond, { db, grant, pace }) {
    const found = await readGrantedDraft(db, grant)
    if (!found) return respond.fail('NOT_FOUND')
    return respond.ok({ webhookBlocks: await pace(() => webhookBlocksOf(latestDocument(found))) })
  },

  async getResultExample({ params: { blockId } }, respond, { db, grant, now, pace }) {
    const found = await readGrantedDraft(db, grant)
    if (!found) return respond.fail('NOT_FOUND')
    const resultExample = await exampleOf(await pace(() => latestDocument(found)), blockId, now, pace)
    if (!resultExample) return respond.fail('NOT_FOUND', [unknownRecord('path', 'blockId', blockId)])
    return respond.ok({ resultExample })
  },

  async subscribeWebhookBlock({ params: { blockId }, body }, respond, { db, grant, now }) {
    const outcome = await setAddress(db, grant, blockId, body.url, now)
    if ('invalid' in outcome) return respond.fail('BAD_REQUEST', [outcome.invalid])
    if ('unknown' in outcome) return respond.fail('NOT_FOUND', [outcome.unknown])
    return 'isDeleted' in outcome ? respond.fail('NOT_FOUND') : respond.ok({ id: blockId, url: body.url })
  },

  async unsubscribeWebhookBlock({ params: { blockId } }, respond, { db, grant, now }) {
    const outcome = await setAddress(db, grant, blockId, null, now)
    if ('invalid' in outcome) return respond.fail('BAD_REQUEST', [outcome.invalid])
    if ('unknown' in outcome) return respond.fail('NOT_FOUND', [outcome.unknown])
    return 'isDeleted' in outcome ? respond.fail('NOT_FOUND') : respond.ok({ id: blockId, url: null })
  },
}

function latestDocument({ bot, draft }: NonNullable<Awaited<ReturnType<typeof readGrantedDraft>>>) {
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
  if ('bot' in outcome) cacheDraft(db, outcome.bot, outcome.draft)
  return outcome
}
