import type { Logger } from 'pino'
import type { Database } from '../db/client.ts'
import { MS_PER_HOUR, MS_PER_SECOND } from '../durations.ts'
import {
  BrokenOff,
  type OutboundFailure,
  type OutboundStream,
  type StreamingClient,
} from '../outbound/client.ts'
import { fail } from '../outbound/failure.ts'
import { retryAfterOf } from '../outbound/retry-after.ts'
import type { Keyring } from '../workspaces/keyring.ts'
import type { Ready } from './bodies.ts'
import type { OpenEndpoint } from './leases.ts'
import { goodSecrets, unreadableSecret } from './secrets.ts'
import { signatureHeaders } from './signature.ts'

/* Posts one event to one endpoint. */

export const REQUEST_TIMEOUT_MS = 15 * MS_PER_SECOND
/** Maximum delay that a receiver may request. */
const MAX_RETRY_AFTER_MS = 24 * MS_PER_HOUR

export interface Sender {
  db: Database
  log: Logger
  /** Keyring for the secrets of endpoints. */
  keyring: Keyring
  post: StreamingClient
}

/** Posts a delivery, signed. */
export async function send(
  { keyring, post, log }: Sender,
  endpoint: OpenEndpoint,
  delivery: Ready,
): Promise<OutboundStream | OutboundFailure> {
  const { body } = delivery
  if (!body) return fail('refused', 'The event cannot be read from the database')
  const secrets = await goodSecrets(endpoint, delivery.at, keyring, log)
  if (!secrets) return fail('refused', unreadableSecret)
  const response = await post({
    url: endpoint.url,
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'user-agent': 'bot-builder-service',
      // The receiver compares it with its own clock, not with that of the database.
      ...signatureHeaders(secrets, delivery.id, body, new Date()),
    },
    body,
    milliseconds: REQUEST_TIMEOUT_MS,
    redirects: 'none',
  })
  if (response.ok) await readOut(response)
  return response
}

/** Reads the rest of a response so that its connection can be reused. Only the status counts. */
async function readOut({ body }: OutboundStream) {
  try {
    for await (const _ of body);
  } catch (error) {
    if (!(error instanceof BrokenOff)) throw error
  }
}

/** Milliseconds of delay that a receiver requests: `Retry-After`, in seconds or as a date. */
export function retryAfter(response: OutboundStream | OutboundFailure): number {
  return response.ok ? retryAfterOf(response.headers, MAX_RETRY_AFTER_MS) : 0
}
