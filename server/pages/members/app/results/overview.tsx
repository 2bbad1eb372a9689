import type { ListResultsQuery } from '../../../../../generated/client/index.js'
import { ApiError, client } from '../api.ts'
import { countOf } from '../ui/count.ts'
import { useLoaded } from '../ui/hooks.ts'
import type { Result } from './data.ts'

const percent = (part: number, of: number) => (of === 0 ? '' : `${Math.round((part / of) * 100)} %`)

/** Figures of the range, and the questions with the number of visitors who left there. */
export function Overview(props: {
  botId: string
  range: ListResultsQuery
  isSearch: boolean
  questions: Map<string, string>
  version: number
}) {
  const { botId, range, questions } = props
  const key = JSON.stringify(range)
  const stats = useLoaded(
    async (signal) => {
      const [all, blocks] = await Promise.all([
        client.stats.get(botId, range, { signal }),
        client.blockStats.get(botId, range, { signal }).catch((error) => {
          // A bot that is not published has no questions to count.
          if (error instanceof ApiError && error.status === 404) return { blocks: [] }
          throw error
        }),
      ])
      return { ...all.stats, blocks: blocks.blocks }
    },
    [botId, key, props.version],
  )
  if (stats.error)
    return (
      <p class="alert" role="alert">
        {stats.error}
      </p>
    )
  if (!stats.value) return <p role="status">Loading …</p>
  const { totalViews, totalStarts, totalCompleted, blocks } = stats.value
  const most = Math.max(1, ...blocks.map(({ shown }) => shown))
  return (
    <section class="panel overview" aria-labelledby="overview-title">
      <h3 id="overview-title">All results in this range</h3>
      {props.isSearch && <p class="about">Whatever was answered in them: figures know no text filters.</p>}
      <dl class="figures">
        <div>
          <dt>Chats</dt>
          <dd>{totalViews.toLocaleString('en')}</dd>
        </div>
        <div>
          <dt>With an answer</dt>
          <dd>
            {totalStarts.toLocaleString('en')} <small>{percent(totalStarts, totalViews)} of all chats</small>
          </dd>
        </div>
        <div>
          <dt>Completed</dt>
          <dd>
            {totalCompleted.toLocaleString('en')}{' '}
            <small>{percent(totalCompleted, totalViews)} of all chats</small>
          </dd>
        </div>
      </dl>
      {blocks.length > 0 && (
        <details>
          <summary>Where people continue, and where they leave</summary>
          <ol class="funnel">
            {blocks.map(({ blockId, shown, answered, left }) => (
              <li key={blockId}>
                <span>{questions.get(blockId) ?? blockId}</span>
                <span class="about">
                  {answered.toLocaleString('en')} of {shown.toLocaleString('en')} answered,{' '}
                  {left.toLocaleString('en')} left
                </span>
                <span class="funnel-bar" aria-hidden="true">
                  <span class="answered" style={{ width: `${(answered / most) * 100}%` }} />
                  <span class="left" style={{ width: `${(left / most) * 100}%` }} />
                </span>
              </li>
            ))}
          </ol>
        </details>
      )}
    </section>
  )
}

const DAY_MS = 86_400_000
const MAX_DAYS = 92

const dayOf = (time: string) => {
  const date = new Date(time)
  return new Date(date.getFullYear(), date.getMonth(), date.getDate())
}
const nameOf = new Intl.DateTimeFormat('en', { day: 'numeric', month: 'short' })

/** Chats of each day, of the rows that were read. */
export function DayChart({ results, isCut }: { results: Result[]; isCut: boolean }) {
  const newest = results[0]
  const oldest = results.at(-1)
  if (!newest || !oldest) return null
  const counts = new Map<string, number>()
  for (const { createdAt } of results) {
    const day = dayOf(createdAt).toDateString()
    counts.set(day, (counts.get(day) ?? 0) + 1)
  }
  const last = dayOf(newest.createdAt)
  const length = Math.round((last.getTime() - dayOf(oldest.createdAt).getTime()) / DAY_MS) + 1
  if (length < 2) return null
  const shown = Math.min(length, MAX_DAYS)
  const days = Array.from({ length: shown }, (_, index) => {
    const day = new Date(last.getFullYear(), last.getMonth(), last.getDate() - (shown - 1 - index))
    return { day, count: counts.get(day.toDateString()) ?? 0 }
  })
  const most = Math.max(...days.map(({ count }) => count))
  return (
    <figure class="day-chart">
      <figcaption class="about">
        Chats by day{isCut ? ', of the rows that were read' : ''}: at most {countOf(most, 'chat')}, on{' '}
        {nameOf.format(days.find(({ count }) => count === most)?.day)}
      </figcaption>
      <div class="day-bars" aria-hidden="true">
        {days.map(({ day, count }) => (
          <span
            key={day.toDateString()}
            title={`${nameOf.format(day)}: ${countOf(count, 'chat')}`}
            style={{ height: `${(count / most) * 100}%` }}
          />
        ))}
      </div>
      <div class="day-ends about" aria-hidden="true">
        <span>{nameOf.format(days[0]?.day)}</span>
        <span>{nameOf.format(days.at(-1)?.day)}</span>
      </div>
    </figure>
  )
}
