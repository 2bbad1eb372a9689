import { Dialog } from '../ui/dialog.tsx'
import type { Column } from './data.ts'

/* The columns that a person looks at, which this browser keeps for each bot. */

const keyOf = (botId: string) => `results/${botId}`

export function readHidden(botId: string): Set<string> {
  try {
    const hidden: unknown = JSON.parse(localStorage.getItem(keyOf(botId)) ?? '[]')
    return new Set(Array.isArray(hidden) ? hidden.filter((title) => typeof title === 'string') : [])
  } catch {
    return new Set()
  }
}

export function writeHidden(botId: string, hidden: Set<string>) {
  try {
    localStorage.setItem(keyOf(botId), JSON.stringify([...hidden]))
  } catch {
    // Without room the choice lasts as long as the page.
  }
}

export function ColumnsDialog(props: {
  columns: Column[]
  hidden: Set<string>
  onChange: (hidden: Set<string>) => void
  onClose: () => void
}) {
  const toggle = (title: string) => {
    const next = new Set(props.hidden)
    if (!next.delete(title)) next.add(title)
    props.onChange(next)
  }
  return (
    <Dialog title="Columns" onClose={props.onClose}>
      <p class="about">This browser keeps the choice for this bot.</p>
      <ul class="rows" aria-label="Columns">
        {props.columns.map(({ title, question }) => (
          <li key={title}>
            <label class="check">
              <input type="checkbox" checked={!props.hidden.has(title)} onChange={() => toggle(title)} />
              <span>
                {title} {question && <small class="about">{question}</small>}
              </span>
            </label>
          </li>
        ))}
        {props.columns.length === 0 && <li class="about">The bot asks nothing yet.</li>}
      </ul>
      <footer class="actions">
        <button type="button" onClick={() => props.onChange(new Set())}>
          Show all
        </button>
        <button type="button" class="main" onClick={props.onClose}>
          Done
        </button>
      </footer>
    </Dialog>
  )
}
