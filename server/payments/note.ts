import { and, eq, sql } from 'drizzle-orm'
import { isCurrency, showAmount } from '../chat/engine/payments/amounts.ts'
import { insertLogs } from '../chat/sessions/client-logs.ts'
import { lockResult } from '../chat/sessions/lock-chat.ts'
import { type Database, transact } from '../db/client.ts'
import { bots, resultLogs } from '../db/schema.ts'
import { isBotVisible } from '../db/visible-bots.ts'

/** A payment in a message of its vendor. */
export interface ToldPayment {
  /** The one of the checkout session. */
  id: string
  paymentIntent: string
  units: number
  currency: string
  isLive: boolean
  at: Date
}

/** True if a bot exists in that workspace: the owner of an account can write any id into its payments. */
export async function isBotOf(db: Database, workspaceId: string, botId: string): Promise<boolean> {
  const [found] = await db
    .select({ id: bots.id })
    .from(bots)
    .where(and(eq(bots.id, botId), eq(bots.workspaceId, workspaceId), isBotVisible()))
  return found !== undefined
}

/**
 * Records a payment at its result, once, unless its chat has recorded it: the chat has ended, or continued without
 * it.
 */
export async function notePayment(
  db: Database,
  { botId, resultId }: { botId: string; resultId: string },
  payment: ToldPayment,
): Promise<void> {
  await transact(db, async (tx) => {
    // Alone among equal messages.
    if (!(await lockResult(tx, { botId, resultId }, 'no key update'))) return
    const [noted] = await tx
      .select({ id: resultLogs.id })
      .from(resultLogs)
      .where(
        and(
          eq(resultLogs.botId, botId),
          eq(resultLogs.resultId, resultId),
          sql`strpos(${resultLogs.details}, ${payment.id}) > 0`,
        ),
      )
      .limit(1)
    if (noted) return
    const { id, paymentIntent, units, currency, isLive, at } = payment
    const amount = isCurrency(currency) ? showAmount(units, currency, 'en') : `${units} ${currency}`
    const description = `${amount} was paid while the chat did not wait for it: ${paymentIntent || id}`
    const details = JSON.stringify({ checkoutSession: id, paymentIntent, units, currency, isLive })
    await insertLogs(tx, botId, resultId, [{ status: 'error', description, details }], at)
  })
}
