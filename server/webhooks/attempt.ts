import { MS_PER_HOUR, MS_PER_SECOND } from '../durations.ts'
import type { Ready } from './bodies.ts'
import type { Answer } from './failures.ts'
import type { OpenEndpoint, Place, Taken } from './leases.ts'
import { retryAfter, type Sender, send } from './send.ts'

/* One attempt at a delivery, and when the next one is due. */

/** Delays after each failed attempt; after the last one the delivery has failed. */
const RETRY_DELAYS_MS = [
  5 * MS_PER_SECOND,
  300 * MS_PER_SECOND,
  MS_PER_HOUR / 2,
  2 * MS_PER_HOUR,
  5 * MS_PER_HOUR,
  10 * MS_PER_HOUR,
  14 * MS_PER_HOUR,
  20 * MS_PER_HOUR,
  24 * MS_PER_HOUR,
]

/** Counters of this process, for its metrics. */
export const deliveryCounts = { delivered: 0, failed: 0, underWay: 0, lastDelay: 0 }

/** Key of a delivery and its attempt. */
export const placeOf = ({ botId, endpointId, subject, seq, attempts }: Taken): Place => ({
  botId,
  endpointId,
  subject,
  seq,
  attempts,
})

/** Posts a delivery that was taken at `since`, by the clock of this process, and returns its outcome. */
export async function deliver(
  sender: Sender,
  { delivery, endpoint, since }: { delivery: Ready; endpoint: OpenEndpoint; since: number },
): Promise<Answer> {
  const { at, turn, createdAt } = delivery
  if (delivery.attempts === 1)
    deliveryCounts.lastDelay = Math.max(0, at.getTime() - createdAt.getTime()) / MS_PER_SECOND
  const started = performance.now()
  const response = await send(sender, endpoint, delivery)
  const lastDuration = Math.round(performance.now() - started)
  const isDelivered = response.ok && response.status >= 200 && response.status < 300
  deliveryCounts[isDelivered ? 'delivered' : 'failed']++
  // A test of an endpoint that is off, or left alone for a while, is tried once.
  const isTriedOnce = delivery.type === 'endpoint.test' && !endpoint.isOpen
  const wait = isTriedOnce ? undefined : RETRY_DELAYS_MS[turn - 1]
  const pause = isDelivered ? 0 : retryAfter(response)
  const next = Math.max(pause, (wait ?? 0) * (0.9 + 0.2 * Math.random()))
  const outcome = {
    nextAttemptAt:
      isDelivered || wait === undefined
        ? null
        : Math.round(at.getTime() + (performance.now() - since) + next),
    isDelivered,
    lastStatus: response.status ?? null,
    lastError: response.ok || response.status ? null : response.message.slice(0, 500),
    lastDuration,
    ...placeOf(delivery),
  }
  const isCounted = delivery.body !== undefined && delivery.type !== 'endpoint.test'
  return { delivery, endpoint, outcome, pause, isGone: response.ok && response.status === 410, isCounted }
}
