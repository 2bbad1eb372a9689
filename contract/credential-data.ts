import { text } from './kit/fields.ts'
import { z } from './kit/zod.ts'

/** Parts of the data of credentials. Secrets are in requests only; responses never contain them. */

/** Headers can carry visible ASCII only, and keys are sent in headers. */
const visible = /^[\x21-\x7e]+$/

/** A key or a password. */
export function secret(description: string, example: string) {
  return z
    .string()
    .max(1000)
    .regex(visible, { error: 'Expected visible ASCII characters without spaces' })
    .meta({ format: 'password', maxLength: 1000, description, example })
}

/** The address of a service. A key goes to this address and nowhere else. */
export function serviceAddress(description: string, example: string) {
  return z
    .url({ protocol: /^https?$/, error: `Expected a URL such as ${example}` })
    .max(2048)
    .meta({ format: 'uri', maxLength: 2048, description, example })
}

/** The data of most vendors: a key, and an address where it is not the vendor's own. */
export const apiKeyData = z
  .strictObject({
    apiKey: secret('Key of the account.', 'sk-example'),
    baseUrl: serviceAddress(
      'Address of the API if it is not the one of the vendor: any service with the same protocol works. The key is sent to no other address. Private addresses work only if the installation allows them.',
      'https://llm.example.com/v1',
    ).optional(),
  })
  .meta({ id: 'ApiKeyData', description: 'A key of a service, and the address of that service.' })

/** Data with properties of their own, as a component of that name. */
export function credentialData<Shape extends z.ZodRawShape>(id: string, description: string, shape: Shape) {
  return z.strictObject(shape).meta({ id, description })
}

/** A text that is no secret, such as the name of an account. */
export function plainText(description: string, example: string) {
  return text(1000, 1).meta({ description, example })
}
