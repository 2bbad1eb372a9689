import { component, list, name, number, oneOf, phrase, prose } from '../fields.ts'
import { limits, MAX_TIMER_SECONDS } from '../limits.ts'
import { block } from './block.ts'
import { itemBase, items } from './items.ts'

/** Blocks of this service alone, for people and time in chats. Other products keep them as opaque blocks. */

const clockTime = (description: string, example: string) => name(`${description} As HH:MM.`, example)

const openingTime = component('OpeningTime', 'Members are there on this day, from one time to another.', {
  day: oneOf(
    ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'],
    'Day of the week.',
  ),
  from: clockTime('Beginning.', '09:00'),
  to: clockTime(
    'End, not later than 24:00. An end that is not after the beginning is on the next day.',
    '17:00',
  ),
})

const officeHours = component('OfficeHours', 'When members are there.', {
  timeZone: name('IANA time zone of the times. Default UTC.', 'Europe/Paris').optional(),
  times: list(
    openingTime,
    'The times; days without any are closed. An empty list means always.',
    limits.entries,
  ).optional(),
})

const handoffItem = component('HandoffItem', 'A way out of a handoff, and the edge that is followed then.', {
  ...itemBase('itmUnanswered'),
  path: oneOf(
    ['unanswered', 'closed'],
    'When the way is taken: when no member came in time, or outside of office hours.',
  ),
})

const handoffBlock = block(
  'HandoffBlock',
  'handoff',
  'Hands the chat to the members of the workspace. The bot is silent until a member gives the chat back; then it goes on behind the block. A block of this service alone.',
  {
    items: items(
      handoffItem,
      'The ways out. Where one is missing, the chat goes on behind the block.',
    ).optional(),
    options: component('HandoffOptions', 'When members are asked, and how long the visitor waits.', {
      message: prose(
        'What the visitor is told; may hold placeholders. Nothing is said without it.',
        'A colleague will be with you in a moment.',
      ).optional(),
      timeoutSeconds: number(
        'Seconds until the chat leaves by the way `unanswered` if no member has taken it. Without it the chat waits as long as it lives.',
        { min: 10, max: MAX_TIMER_SECONDS, example: 300 },
      ).optional(),
      officeHours: officeHours.optional(),
    }).optional(),
  },
)

const waitUntilBlock = block(
  'WaitUntilBlock',
  'wait until',
  'Waits until a time, or for hours or days, and goes on by itself, whether the visitor is there or not. A block of this service alone.',
  {
    options: component(
      'WaitUntilOptions',
      'When the chat goes on. A time counts before a number of seconds.',
      {
        until: phrase(
          'The time, with placeholders where needed: `2026-12-24T09:00`, with an offset or in the time zone of the block; a date, which means its beginning; or `HH:MM`, which means the next such time.',
          '09:00',
        ).optional(),
        timeZone: name('IANA time zone of the time. Default UTC.', 'Europe/Paris').optional(),
        secondsToWaitFor: phrase(
          `Seconds as text; may hold placeholders. At most ${MAX_TIMER_SECONDS}, which are 29 days.`,
          '3600',
        ).optional(),
      },
    ).optional(),
  },
)

export const peopleBlocks = [handoffBlock, waitUntilBlock] as const
