import { createHmac } from 'node:crypto'

/*
 * Signatures as Standard Webhooks 1.0.0 has them. Secrets are stored nowhere: each is made of the key of the
 * installation, the endpoint and how often its secret was rotated.
 */

/** The secret of an endpoint as its receivers are given it. */
export function secretOf(key: Buffer, endpointId: string, generation: number): string {
  return `whsec_${keyOf(key, endpointId, generation).toString('base64')}`
}

/** The headers that an event is posted with. `body` is what is sent, byte for byte; `generations` whose secrets are good. */
export function signatureHeaders(
  key: Buffer,
  endpointId: string,
  generations: readonly number[],
  id: string,
  body: string,
  now: Date,
): Record<string, string> {
  const timestamp = String(Math.floor(now.getTime() / 1000))
  const signatures = generations.map((generation) => {
    const signature = createHmac('sha256', keyOf(key, endpointId, generation))
      .update(`${id}.${timestamp}.${body}`)
      .digest('base64')
    return `v1,${signature}`
  })
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures.join(' ') }
}

function keyOf(key: Buffer, endpointId: string, generation: number): Buffer {
  return createHmac('sha256', key).update(`webhook secret ${endpointId} ${generation}`).digest()
}
