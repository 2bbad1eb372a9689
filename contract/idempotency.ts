import { z } from './zod.ts'

/** The most characters of an idempotency key, without quotes around it. */
const MAXIMUM_KEY = 255

/** By the fewest characters of a key. */
const forms = {
  1: /^([\x21\x23-\x7e]{1,255}|"([\x21\x23-\x5b\x5d-\x7e]|\\["\\]){1,255}")$/,
  16: /^([\x21\x23-\x7e]{16,255}|"([\x21\x23-\x5b\x5d-\x7e]|\\["\\]){16,255}")$/,
}

/**
 * The header `Idempotency-Key` of an operation: visible ASCII as it is, or in quotes as a structured field has it,
 * which means the same. Parsed, it is the key itself.
 */
export function idempotencyKey(minimum: keyof typeof forms) {
  const form = forms[minimum]
  const error = `Expected ${minimum} to ${MAXIMUM_KEY} visible ASCII characters, as they are or in quotes`
  return z
    .string({ error })
    .regex(form, { error })
    .transform((value) => (value.startsWith('"') ? value.slice(1, -1).replaceAll(/\\(.)/g, '$1') : value))
    .optional()
    .meta({
      type: 'string',
      pattern: form.source,
      minLength: minimum,
      maxLength: 2 * MAXIMUM_KEY + 2,
      description:
        'One key per intended effect, and the same key for every repeat of it: the request has one effect, and each repeat within 7 days gets the same response. Choose it at random, such as the UUID `8e03978e-40d5-43e8-bc93-6894a57f9324`.',
    })
}
