import { z } from './zod.ts'

/* Schemas of the usual properties and parameters: ids, texts, names, timestamps, pages. */

/**
 * Text of at most `maximum` (and at least `minimum`) code points. JSON Schema counts so too, hence the published
 * `maxLength` and the check agree on every emoji.
 */
export function text(maximum: number, minimum = 0) {
  return z
    .string()
    .refine((value) => isWithin(value, minimum, maximum), {
      error: ({ input }) =>
        codePoints(input as string) > maximum
          ? `Too long: at most ${maximum} characters`
          : `Too short: at least ${minimum} character${minimum === 1 ? '' : 's'}`,
    })
    .meta(minimum > 0 ? { minLength: minimum, maxLength: maximum } : { maxLength: maximum })
}

function isWithin(value: string, minimum: number, maximum: number): boolean {
  // A string never has more code points than code units, so most strings are decided by their length.
  if (value.length <= maximum && value.length >= minimum * 2) return true
  const count = codePoints(value)
  return count <= maximum && count >= minimum
}

function codePoints(value: string): number {
  let count = 0
  for (let at = 0; at < value.length; at++) {
    const unit = value.charCodeAt(at)
    if (unit < 0xdc00 || unit > 0xdfff) count++
  }
  return count
}

/** Id of a record of the service, as path parameters and bodies take it. */
export function recordId(description: string, example: string) {
  return z
    .string()
    .regex(/^[A-Za-z0-9_-]{1,64}$/, {
      error: 'Expected an id: 1 to 64 letters, digits, hyphens or underscores',
    })
    .meta({ minLength: 1, maxLength: 64, description, example })
}

const utcTimestamp = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/

/**
 * Timestamp of responses, in UTC with milliseconds. No pattern is published beside the format: generators that parse
 * it into a date would match the text of that date against the pattern.
 */
export function timestamp(description: string) {
  return z
    .string()
    .refine((value) => utcTimestamp.test(value), { error: 'Expected a timestamp in UTC with milliseconds' })
    .meta({ format: 'date-time', maxLength: 24, description, example: '2026-03-04T10:15:30.120Z' })
}

/**
 * A name that a user chooses: 1 to 255 characters, not only white space. The published pattern also excludes U+0000,
 * as for every text.
 */
export function name(description: string, example: string) {
  const error = 'Expected at least one character that is not white space'
  const pattern = '^\\s*[^\\x00\\s][^\\x00]*$'
  return text(255, 1)
    .regex(/\S/, { error })
    .meta({ description, example, minLength: 1, maxLength: 255, pattern })
}

/**
 * A property of a resource that the service sets itself. Callers may send it back, so that they can edit and write a
 * record that they read; its value is ignored.
 */
export function readOnly(what: string) {
  return z
    .unknown()
    .optional()
    .meta({ readOnly: true, description: `Read-only ${what}; accepted and ignored.`, example: null })
}

const pageSize = z
  .string()
  .regex(/^[0-9]{1,9}$/, { error: 'Expected a whole number from 1 to 100' })
  .transform(Number)
  .pipe(z.int().min(1).max(100))

const pageSizeMeta = { type: 'integer', format: 'int32', minimum: 1, maximum: 100, example: 20 } as const

/** Maximum entries of a page. Decimal digits only, since it comes from the query string. */
export const limit = pageSize.default(50).meta({
  ...pageSizeMeta,
  default: 50,
  description: 'Maximum entries of the page, from 1 to 100.',
})

/**
 * `limit` of a list that is small as a rule: without it, a page has the maximum of its records. `most` is that
 * number as formatted text, since `Intl` would add 20 ms to every start.
 */
export function limitOr(most: string) {
  return pageSize.optional().meta({
    ...pageSizeMeta,
    description: `Maximum entries of the page, from 1 to 100. Without it, a page has up to ${most}.`,
  })
}

export const cursor = z
  .string()
  .regex(/^[A-Za-z0-9_-]{1,512}$/, { error: 'Expected the nextCursor of the page before' })
  .optional()
  .meta({
    maxLength: 512,
    description:
      'The `nextCursor` of the page before, sent with the same path and filter; absent for the first page. An altered cursor, or one of another list, is invalid input.',
  })

export const nextCursor = text(512).nullable().meta({
  description: 'Send it as `cursor` to get the following page; null on the last page.',
  example: 'AZx0mC1jZ3JhbnQ',
})

/** `true` or `false` in a query string, nothing else. */
export function flag(description: string) {
  return z
    .enum(['true', 'false'])
    .optional()
    .transform((value) => value === 'true')
    .meta({ type: 'boolean', description: `${description} Absent means no.`, example: true })
}

/** Body of the response if an operation has nothing to return. */
export const successBody = z
  .object({ message: z.enum(['success']).meta({ description: 'Confirms success.' }) })
  .meta({ id: 'SuccessBody', description: 'Confirms that the request succeeded.' })

export const successExample = { done: { summary: 'Done', value: { message: 'success' } } }

const instant = z.iso.datetime({ offset: true })

/** A time that a caller writes with its time zone. The hint ends the message about any other text. */
export function zonedTime(hint = '') {
  return z
    .string()
    .max(40)
    .refine((value) => instant.safeParse(value).success, {
      error: `Expected a date and time with a time zone, such as 2026-03-05T12:30:00Z${hint}`,
    })
}

/** Its form in the document. */
export const zonedTimeForm = { type: 'string', format: 'date-time', maxLength: 40 } as const
