import { useEffect, useRef, useState } from 'preact/hooks'
import { Dialog } from '../ui/dialog.tsx'
import { Icon } from '../ui/icons.tsx'
import type { Column } from './data.ts'
import {
  type Edit,
  isShown,
  moveColumn,
  type Preferences,
  showAllColumns,
  showColumn,
} from './preferences.ts'

/** Chooses the columns and their order. `columns` are ordered as they are shown, `all` as the flow has them. */
export function ColumnsDialog(props: {
  columns: Column[]
  all: Column[]
  preferences: Preferences
  isShared: boolean
  error: string | undefined
  onEdit: (edit: Edit) => void
  onClose: () => void
}) {
  const { columns, all, preferences } = props
  const list = useRef<HTMLUListElement>(null)
  const [moved, setMoved] = useState<{ title: string; isUp: boolean }>()
  const toFocus = useRef<typeof moved>(undefined)
  // A button that moves along with its row loses the focus. It gets it back once.
  useEffect(() => {
    if (!toFocus.current) return
    const { title, isUp } = toFocus.current
    toFocus.current = undefined
    const index = columns.findIndex((column) => column.title === title)
    const [up, down] = list.current?.children[index]?.querySelectorAll<HTMLButtonElement>('button') ?? []
    const [own, other] = isUp ? [up, down] : [down, up]
    if (own?.disabled) other?.focus()
    else own?.focus()
  }, [columns])
  const move = (index: number, isUp: boolean) => {
    const [column, other] = [columns[index], columns[isUp ? index - 1 : index + 1]]
    if (!column || !other) return
    props.onEdit(moveColumn(all, column, isUp ? 'before' : 'after', other))
    toFocus.current = { title: column.title, isUp }
    setMoved(toFocus.current)
  }
  const place = moved ? columns.findIndex(({ title }) => title === moved.title) + 1 : 0
  return (
    <Dialog title="Columns" onClose={props.onClose}>
      <p class="about">
        {props.isShared
          ? 'Everybody who works on this bot sees these columns.'
          : 'This browser keeps your choice for this bot.'}
      </p>
      {props.error && (
        <p class="alert" role="alert">
          {props.error}
        </p>
      )}
      <ul class="rows column-rows" aria-label="Columns" ref={list}>
        {columns.map((column, index) => (
          <li key={column.title}>
            <label class="check">
              <input
                type="checkbox"
                checked={isShown(preferences, column)}
                onChange={({ currentTarget }) => props.onEdit(showColumn(column, currentTarget.checked))}
              />
              <span dir="auto">
                {column.title} {column.question && <small class="about">{column.question}</small>}
              </span>
            </label>
            <button
              type="button"
              class="quiet square"
              aria-label={`Move ${column.title} up`}
              disabled={index === 0}
              onClick={() => move(index, true)}
            >
              <Icon name="up" />
            </button>
            <button
              type="button"
              class="quiet square"
              aria-label={`Move ${column.title} down`}
              disabled={index === columns.length - 1}
              onClick={() => move(index, false)}
            >
              <Icon name="down" />
            </button>
          </li>
        ))}
        {columns.length === 0 && <li class="about">The bot asks nothing yet.</li>}
      </ul>
      <p class="visually-hidden" role="status">
        {moved && place > 0 ? `${moved.title} is column ${place} of ${columns.length}.` : ''}
      </p>
      <footer class="actions">
        <button type="button" onClick={() => props.onEdit(showAllColumns(columns))}>
          Show all
        </button>
        <button type="button" class="main" onClick={props.onClose}>
          Done
        </button>
      </footer>
    </Dialog>
  )
}
