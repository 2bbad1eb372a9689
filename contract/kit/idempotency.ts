import { z } from './zod.ts'

/** Maximum characters of an idempotency key, without the quotes around it. */
const MAX_KEY_CHARACTERS = 255

/** Patterns by the minimum characters of a key. */
const forms = {
  1: /^([\x21\x23-\x7e]{1,255}|"([\x21\x23-\x5b\x5d-\x7e]|\\["\\]){1,255}")$/,
  16: /^([\x21\x23-\x7e]{16,255}|"([\x21\x23-\x5b\x5d-\x7e]|\\["\\]){16,255}")$/,
}

/**
 * Schema of the header `Idempotency-Key`: visible ASCII, bare or quoted as a structured field. Both mean the same, and
 * parsing gives the bare key.
 */
export function idempotencyKey(minimum: keyof typeof forms) {
  const form = forms[minimum]
  const error = `Expected ${minimum} to ${MAX_KEY_CHARACTERS} visible ASCII characters, as they are or in quotes`
  return z
    .string({ error })
    .regex(form, { error })
    .transform((value) => (value.startsWith('"') ? value.slice(1, -1).replaceAll(/\\(.)/g, '$1') : value))
    .optional()
    .meta({
      type: 'string',
      pattern: form.source,
      minLength: minimum,
      maxLength: 2 * MAX_KEY_CHARACTERS + 2,
      description:
        'One key per intended effect, and the same key for every repeat of it: the request has one effect, and each repeat within 7 days gets the same response. Choose it at random, such as the UUID `8e03978e-40d5-43e8-bc93-6894a57f9324`.',
    })
}
