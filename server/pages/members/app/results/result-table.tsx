import { dateOf } from '../ui/times.ts'
import type { Column, Row } from './data.ts'
import { isShown, orderColumns, type Preferences, widthOf } from './preferences.ts'
import { FileLink } from './result-dialog.tsx'

export interface Sort {
  /** -1 is the time, -2 the state. */
  column: number
  isDescending: boolean
}

const collator = new Intl.Collator(undefined, { numeric: true })

/** Sorts rows that were read; empty cells come last either way. */
export function sortRows(rows: Row[], { column, isDescending }: Sort): Row[] {
  const keyOf = ({ result, cells }: Row) => {
    if (column === -1) return result.createdAt
    return column === -2 ? String(result.isCompleted) : (cells[column]?.text ?? '')
  }
  return [...rows].sort((one, other) => {
    const [a, b] = [keyOf(one), keyOf(other)]
    if (a === '' || b === '') return a === b ? 0 : a === '' ? 1 : -1
    return collator.compare(a, b) * (isDescending ? -1 : 1)
  })
}

/** A width for wide screens alone: on a phone each row is a card. */
const widthStyle = (width: number | undefined) =>
  width === undefined ? undefined : { '--width': `${width}px` }

/** Rows are opened by the button of their time, and by a click anywhere on them. On a phone each is a card. */
export function ResultTable(props: {
  columns: Column[]
  preferences: Preferences
  rows: Row[]
  sort: Sort
  chosen: Set<string>
  canDelete: boolean
  onSort: (sort: Sort) => void
  onChoose: (chosen: Set<string>) => void
  onOpen: (row: Row) => void
}) {
  const { columns, preferences, rows, sort, chosen, canDelete } = props
  const shown = orderColumns(
    columns.map((column, index) => ({ ...column, index, width: widthOf(preferences, column) })),
    preferences,
  ).filter((column) => isShown(preferences, column))
  const toggle = (id: string) => {
    const next = new Set(chosen)
    if (!next.delete(id)) next.add(id)
    props.onChoose(next)
  }
  const areAllChosen = rows.length > 0 && rows.every(({ result }) => chosen.has(result.id))
  const head = (title: string, column: number, question?: string) => {
    const isSorted = sort.column === column
    const direction = sort.isDescending ? 'descending' : 'ascending'
    return (
      <th key={column} scope="col" aria-sort={isSorted ? direction : undefined}>
        <button
          type="button"
          class="sort"
          title={question}
          onClick={() =>
            props.onSort({ column, isDescending: isSorted ? !sort.isDescending : column === -1 })
          }
        >
          <span dir="auto">{title}</span>
          <span aria-hidden="true">{isSorted ? (sort.isDescending ? ' ↓' : ' ↑') : ''}</span>
          {question && (
            <small class="about" dir="auto">
              {question}
            </small>
          )}
        </button>
      </th>
    )
  }
  return (
    <section
      class="scrolls"
      aria-label="Results"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a part that scrolls is reached by keys
      tabIndex={0}
    >
      <table class="results">
        <thead>
          <tr>
            {canDelete && (
              <th scope="col" class="choice">
                <input
                  type="checkbox"
                  aria-label="Choose all rows"
                  checked={areAllChosen}
                  onChange={() =>
                    props.onChoose(new Set(areAllChosen ? [] : rows.map(({ result }) => result.id)))
                  }
                />
              </th>
            )}
            {head('Began', -1)}
            {head('State', -2)}
            {shown.map(({ title, question, index }) => head(title, index, question))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => {
            const { result, cells } = row
            const began = dateOf(result.createdAt)
            return (
              <tr
                key={result.id}
                onClick={({ target }) => {
                  if (!(target as HTMLElement).closest('input, a, button')) props.onOpen(row)
                }}
              >
                {canDelete && (
                  <td class="choice">
                    <input
                      type="checkbox"
                      aria-label={`Choose the chat of ${began}`}
                      checked={chosen.has(result.id)}
                      onChange={() => toggle(result.id)}
                    />
                  </td>
                )}
                <th scope="row">
                  <button type="button" class="text" onClick={() => props.onOpen(row)}>
                    <time dateTime={result.createdAt}>{began}</time>
                  </button>
                </th>
                <td data-title="State">{result.isCompleted ? 'Completed' : 'Not completed'}</td>
                {shown.map(({ title, index, width }) => {
                  const cell = cells[index]
                  return (
                    <td key={index} data-title={title} dir="auto" style={widthStyle(width)}>
                      <span class="cell">{cell?.text}</span>
                      {cell?.files.map((url) => (
                        <span key={url}>
                          {' '}
                          <FileLink url={url} />
                        </span>
                      ))}
                    </td>
                  )
                })}
              </tr>
            )
          })}
        </tbody>
      </table>
    </section>
  )
}
