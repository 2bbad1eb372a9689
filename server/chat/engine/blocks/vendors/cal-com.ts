/** The calendar of Cal.com, which the page shows in a frame until a date is booked. */

import { asObjects, asString, filledText } from '../../../../json/access.ts'
import { trimSlashes } from '../../../../outbound/trim-slashes.ts'
import { type BlockOutcome, type Execution, followBlockEdge, sendAwaitedAction } from '../../execution.ts'
import type { Block } from '../../flow-index.ts'
import type { Position } from '../../types.ts'
import { setVariable } from '../../variables.ts'
import { failCall, type VendorCall } from './call.ts'

const DEFAULT_ORIGIN = 'https://cal.com'
/** Its pages cannot be framed by the address that people write. */
const FRAMED_ORIGIN = 'https://app.cal.com'

const layouts: Record<string, string> = { Month: 'month_view', Weekly: 'week_view', Columns: 'column_view' }

export function showCalendar(run: Execution, made: VendorCall, position: Position): BlockOutcome {
  const { block, call } = made
  const url = frameAddress(call.options)
  if (url === null) {
    failCall(run, block, 'Cal.com: the address of the event is not valid', call.options.link)
    return followBlockEdge(run, block)
  }
  return sendAwaitedAction(run, { type: 'calendar', calendar: { url } }, position)
}

/** The page says which date was booked; null where it could not show the calendar. */
export function acceptBooking(run: Execution, block: Block, response: string | null): BlockOutcome {
  if (response !== null) setVariable(run, block.options.saveBookedDateInVariableId, response)
  return followBlockEdge(run, block)
}

function frameAddress(options: VendorCall['call']['options']): string | null {
  const base = filledText(asString(options.baseUrl)?.trim()) ?? DEFAULT_ORIGIN
  const link = (asString(options.link) ?? '').trim()
  const full = /^https?:/i.test(link) ? link : `${trimSlashes(base)}/${link.replace(/^\/+/, '')}`
  if (!URL.canParse(full)) return null
  const event = new URL(full)
  if (event.protocol !== 'https:' && event.protocol !== 'http:') return null
  const origin = event.origin === DEFAULT_ORIGIN ? FRAMED_ORIGIN : event.origin
  const url = new URL(`${origin}${trimSlashes(event.pathname)}/embed`)
  const phone = asString(options.phone)
  const parameters: [string, string | undefined][] = [
    ['embed', 'chat'],
    ['embedType', 'inline'],
    ['layout', layouts[asString(options.layout) ?? '']],
    ['name', asString(options.name)],
    ['email', asString(options.email)],
    ['notes', asString(options.additionalNotes)],
    ['location', phone && JSON.stringify({ value: 'phone', optionValue: phone })],
    ...asObjects(options.anyPrefilledInformations).map(
      ({ questionId, value }): [string, string | undefined] => [asString(questionId) ?? '', asString(value)],
    ),
  ]
  for (const [name, value] of [...event.searchParams, ...parameters]) {
    if (name !== '' && value !== undefined) url.searchParams.append(name, value)
  }
  return url.href
}
