import { minutesOf, zoneOf } from '../../chat/engine/calendar.ts'
import { isRecord, type JsonRecord, listOf } from '../../documents/conversion/document.ts'
import { type Findings, type Flow, hasEdge, isFilled, issue, type Path, quote } from './flow.ts'

/** Times that a block names and that no chat understands. */
export function* unknownTimes(block: unknown, path: Path): Findings {
  if (!isRecord(block) || !isRecord(block.options)) return
  const options = [...path, 'options']
  if (block.type === 'handoff') yield* unknownHours(block.options.officeHours, [...options, 'officeHours'])
  if (block.type !== 'wait until') return
  const { until, secondsToWaitFor, timeZone } = block.options
  if (!isFilled(until) && !isFilled(secondsToWaitFor)) {
    const message = 'The block does nothing: it has neither until nor secondsToWaitFor.'
    yield issue(options, 'missing_setting', message)
  }
  yield* unknownZone(timeZone, [...options, 'timeZone'])
}

function* unknownHours(officeHours: unknown, path: Path): Findings {
  if (!isRecord(officeHours)) return
  yield* unknownZone(officeHours.timeZone, [...path, 'timeZone'])
  for (const [index, opening] of listOf(officeHours.times).entries()) {
    const { from, to } = isRecord(opening) ? opening : ({} as JsonRecord)
    for (const [key, value] of Object.entries({ from, to })) {
      if (minutesOf(value) !== undefined) continue
      const message = `No time of a day reads ${quote(String(value))}, so this entry does not count. Write it as 09:00.`
      yield issue([...path, 'times', index, key], 'unknown_time', message)
    }
  }
}

function* unknownZone(zone: unknown, path: Path): Findings {
  if (!isFilled(zone) || zoneOf(zone) !== undefined) return
  yield issue(path, 'unknown_time_zone', `There is no time zone ${quote(zone)}, so UTC counts.`)
}

/** Events of idle visitors that have no effect. */
export function* idleIssues({ events }: Flow): Findings {
  let isFirst = true
  for (const [index, event] of events.entries()) {
    if (!isRecord(event) || event.type !== 'idle') continue
    const { seconds, times, isEnding } = isRecord(event.options) ? event.options : ({} as JsonRecord)
    if (!isFirst) {
      yield issue(['events', index], 'unused_event', 'Only the first event of the type "idle" counts.')
    } else if (typeof seconds !== 'number') {
      yield issue(['events', index], 'missing_setting', 'The event does nothing: it has no seconds.')
    } else if (!hasEdge(event) && times !== 0) {
      const message =
        isEnding === true
          ? 'The event leads nowhere, so nothing is said before the chat ends.'
          : 'The event does nothing: it leads nowhere.'
      yield issue(['events', index], 'missing_setting', message)
    }
    isFirst = false
  }
}
