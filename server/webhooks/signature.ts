import { createHmac, randomBytes } from 'node:crypto'

/* Signatures as Standard Webhooks 1.0.0 has them. */

const PREFIX = 'whsec_'

export function newSecret(): string {
  return PREFIX + randomBytes(32).toString('base64')
}

/** The headers that an event is posted with. `body` is the body byte for byte; `secrets` are the valid ones. */
export function signatureHeaders(
  secrets: readonly string[],
  id: string,
  body: string | Buffer,
  now: Date,
): Record<string, string> {
  const timestamp = String(Math.floor(now.getTime() / 1000))
  const signatures = secrets.map((secret) => {
    const signature = createHmac('sha256', Buffer.from(secret.slice(PREFIX.length), 'base64'))
      .update(`${id}.${timestamp}.`)
      .update(body)
      .digest('base64')
    return `v1,${signature}`
  })
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures.join(' ') }
}
