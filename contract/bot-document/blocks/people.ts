import { component, list, name, number, oneOf, phrase, prose } from '../fields.ts'
import { limits, MAX_TIMER_SECONDS } from '../limits.ts'
import { block } from './block.ts'
import { itemBase, items } from './items.ts'

/** Blocks that only this service has, for members and timers. Other products preserve them as opaque blocks. */

const clockTime = (description: string, example: string) => name(`${description} Format HH:MM.`, example)

const openingTime = component('OpeningTime', 'Hours of one day at which members are available.', {
  day: oneOf(
    ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'],
    'Day of the week.',
  ),
  from: clockTime('Start.', '09:00'),
  to: clockTime('End, at most 24:00. An end not after the start is on the next day.', '17:00'),
})

const officeHours = component('OfficeHours', 'Hours at which members are available.', {
  timeZone: name('IANA time zone of the times. Default UTC.', 'Europe/Paris').optional(),
  times: list(
    openingTime,
    'Opening times. Days without any are closed; an empty list means always open.',
    limits.entries,
  ).optional(),
})

const handoffItem = component('HandoffItem', 'An exit of a handoff and its edge.', {
  ...itemBase('itmUnanswered'),
  path: oneOf(
    ['unanswered', 'closed'],
    'Reason for the exit: no member came in time, or the office is closed.',
  ),
})

const handoffBlock = block(
  'HandoffBlock',
  'handoff',
  'Hands the chat over to the members of the workspace. The bot is silent until a member returns the chat, then continues after the block. Only this service has this block.',
  {
    items: items(handoffItem, 'The exits. If one is missing, the chat continues after the block.').optional(),
    options: component('HandoffOptions', 'Message, timeout and office hours of a handoff.', {
      message: prose(
        'Message to the visitor; may hold placeholders. Default: no message.',
        'A colleague will be with you in a moment.',
      ).optional(),
      timeoutSeconds: number(
        'Seconds until the chat takes the exit `unanswered`, if no member has joined. Default: no timeout as long as the session lives.',
        { min: 10, max: MAX_TIMER_SECONDS, example: 300 },
      ).optional(),
      officeHours: officeHours.optional(),
    }).optional(),
  },
)

const waitUntilBlock = block(
  'WaitUntilBlock',
  'wait until',
  'Waits until a time, or for hours or days. The chat then continues by itself, even if the visitor has left. Only this service has this block.',
  {
    options: component(
      'WaitUntilOptions',
      'End of the wait. `until` takes precedence over `secondsToWaitFor`.',
      {
        until: phrase(
          'The time; may hold placeholders. Formats: `2026-12-24T09:00`, with an offset or in the time zone of the block; a date, for its start; `HH:MM`, for the next such time.',
          '09:00',
        ).optional(),
        timeZone: name('IANA time zone of the time. Default UTC.', 'Europe/Paris').optional(),
        secondsToWaitFor: phrase(
          `Seconds as text; may hold placeholders. At most ${MAX_TIMER_SECONDS} (29 days).`,
          '3600',
        ).optional(),
      },
    ).optional(),
  },
)

export const peopleBlocks = [handoffBlock, waitUntilBlock] as const
