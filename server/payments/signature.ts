import { createHmac, timingSafeEqual } from 'node:crypto'

/** A signature expires, so that a captured message cannot be sent again later. */
export const MAX_SIGNATURE_AGE_SECONDS = 300

/** Number of signatures that are compared: one for each secret that the vendor knows. */
const MAX_SIGNATURES = 10

/** Returns why a message was not signed with that secret at about that time; undefined if it was. */
export function signatureProblem(
  header: string | undefined,
  body: Buffer,
  secret: string,
  now: Date,
): string | undefined {
  const parts = (header ?? '').split(',').map((part) => part.trim().split('='))
  const time = parts.find(([name]) => name === 't')?.[1] ?? ''
  const signatures = parts.filter(([name]) => name === 'v1').map(([, value]) => value ?? '')
  if (!/^\d{1,12}$/.test(time) || signatures.length === 0) {
    return 'Expected a header such as t=1700000000,v1=0123abcd'
  }
  const expected = createHmac('sha256', secret).update(`${time}.`).update(body).digest('hex')
  const isSigned = signatures.slice(0, MAX_SIGNATURES).some((each) => isEqual(each, expected))
  if (!isSigned) return 'The signature is not that of the body with the webhookSecret of the credentials'
  const age = now.getTime() / 1_000 - Number(time)
  if (Math.abs(age) <= MAX_SIGNATURE_AGE_SECONDS) return undefined
  return `The signature is ${Math.round(age)} seconds old, at most ${MAX_SIGNATURE_AGE_SECONDS} are allowed`
}

function isEqual(given: string, expected: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(expected)]
  return one.length === other.length && timingSafeEqual(one, other)
}
