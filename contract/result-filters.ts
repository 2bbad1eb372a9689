import { text, zonedTime, zonedTimeForm } from './kit/fields.ts'
import { z } from './kit/zod.ts'
import { timeFilter, timeZone } from './shared.ts'

/* Filters of results for lists, exports and statistics. A result must match all that are given. */

// Every result lies between these years; beyond them not every database can express a timestamp.
const FIRST = Date.parse('1970-01-01T00:00:00.000Z')
const LAST = Date.parse('9999-01-01T00:00:00.000Z')

/** Schema of a timestamp with a time zone. Its output is UTC text, rounded up to milliseconds. */
export function timestampParameter(description: string, example: string) {
  return zonedTime('; + is written %2B')
    .transform((value) => {
      const isFiner = /\.\d{3}\d*[1-9]/.test(value)
      const time = Date.parse(value) + (isFiner ? 1 : 0)
      return new Date(Math.min(Math.max(time, FIRST), LAST)).toISOString()
    })
    .optional()
    .meta({ ...zonedTimeForm, description, example })
}

/** Filters for the start of a result and its progress. */
export const rangeFilters = {
  timeFilter,
  timeZone,
  createdAfter: timestampParameter(
    'Start of the range, inclusive, with its time zone. Narrows the days of `timeFilter`.',
    '2026-03-01T00:00:00Z',
  ),
  createdBefore: timestampParameter(
    'End of the range, exclusive, with its time zone. It must not be before `createdAfter`, and has to be later than the beginning of `timeFilter`.',
    '2026-03-08T00:00:00+01:00',
  ),
  status: z.enum(['started', 'completed']).optional().meta({
    description:
      'Progress of a chat: `started` has at least one answer and did not reach an end, `completed` has at least one and reached an end. Absent means both, and where chats without an answer count, these too.',
    example: 'completed',
  }),
}

/** Filters for the answers of a result. */
export const searchFilters = {
  answerContains: text(255, 1)
    .refine((value) => !value.includes('\0'), { error: 'Expected text without U+0000' })
    .optional()
    .meta({
      description:
        'Text that at least one answer contains, without regard to case. No character has a special meaning.',
      minLength: 1,
      maxLength: 255,
      pattern: '^[^\\x00]+$',
      example: 'example.com',
    }),
  variable: text(2048, 2)
    .refine((value) => value.indexOf(':') > 0 && !value.includes('\0'), { error: 'Expected name:value' })
    .optional()
    .meta({
      description:
        'Name of a variable, a colon, and its exact value. For a list, one entry must have that value. The first colon ends the name, so variables with a colon in their names cannot be used.',
      minLength: 2,
      maxLength: 2048,
      pattern: '^[^\\x00:]+:[^\\x00]*$',
      example: 'Email:ada@example.com',
    }),
}

/** Arguments for `refine` of a query with `rangeFilters`. */
export const inOrder: [(query: Span) => boolean, { path: string[]; error: string }] = [
  ({ createdAfter, createdBefore }) =>
    createdAfter === undefined || createdBefore === undefined || createdAfter <= createdBefore,
  { path: ['createdBefore'], error: 'Expected createdAfter or a later time' },
]

interface Span {
  createdAfter?: string | undefined
  createdBefore?: string | undefined
}
