import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Issue } from '../../contract/errors.ts'

/** A signature expires, so that a captured event cannot be sent again later. */
const MAX_SIGNATURE_AGE_SECONDS = 300

interface Sent {
  secretInAddress: string | undefined
  signature: string | undefined
  timestamp: string | undefined
  body: Buffer
}

/** Returns why the sender of an event does not know the secret; undefined if it does. */
export function senderIssue(
  { secretInAddress, signature, timestamp, body }: Sent,
  secret: string,
  now: Date,
): Issue | undefined {
  if (signature === undefined) {
    if (secretInAddress === undefined) return unsigned
    return isEqual(secretInAddress, secret) ? undefined : wrongSecret
  }
  const time = timestamp ?? ''
  if (!/^\d{1,12}$/.test(time)) return noTime
  const hmac = createHmac('sha256', secret).update(`${time}.`).update(body).digest('hex')
  if (!isEqual(signature, `sha256=${hmac}`)) return wrongSignature
  const age = now.getTime() / 1_000 - Number(time)
  if (Math.abs(age) <= MAX_SIGNATURE_AGE_SECONDS) return undefined
  const message = `The signature is ${Math.round(age)} seconds old, at most ${MAX_SIGNATURE_AGE_SECONDS} are allowed`
  return { path: ['header', 'x-chatwoot-timestamp'], code: 'invalid_value', message }
}

function isEqual(given: string, expected: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(expected)]
  return one.length === other.length && timingSafeEqual(one, other)
}

const unsigned: Issue = {
  path: ['header', 'x-chatwoot-signature'],
  code: 'missing',
  message:
    'The event is not signed; sign it, or put the secret of the credentials into the address as secret',
}

const wrongSecret: Issue = {
  path: ['query', 'secret'],
  code: 'invalid_value',
  message: 'This is not the secret of the credentials',
}

const noTime: Issue = {
  path: ['header', 'x-chatwoot-timestamp'],
  code: 'invalid_value',
  message: 'Expected the time of the signature in seconds since 1970',
}

const wrongSignature: Issue = {
  path: ['header', 'x-chatwoot-signature'],
  code: 'invalid_value',
  message: 'The signature is not that of the body with the secret of the credentials',
}
