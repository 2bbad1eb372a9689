import { useEffect, useState } from 'preact/hooks'
import { type Filters, periods, statuses } from './filters.ts'

/** Chooses results. The choice becomes part of the address. */
export function FilterForm(props: {
  filters: Filters
  variables: string[]
  onApply: (filters: Filters) => void
}) {
  const [edited, setEdited] = useState(props.filters)
  // The address may change by itself, on the way back.
  const key = JSON.stringify(props.filters)
  useEffect(() => setEdited(props.filters), [key])
  const set = (change: Partial<Filters>) => setEdited({ ...edited, ...change })
  const choose = (change: Partial<Filters>) => {
    set(change)
    if (change.period !== 'between') props.onApply({ ...edited, ...change })
  }
  return (
    <form
      class="filters"
      aria-label="Filters"
      onSubmit={(event) => {
        event.preventDefault()
        props.onApply(edited)
      }}
    >
      <label class="field">
        Period
        <select value={edited.period} onChange={(event) => choose({ period: event.currentTarget.value })}>
          {Object.entries(periods).map(([value, label]) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </select>
      </label>
      {edited.period === 'between' && (
        <>
          <label class="field">
            First day
            <input
              type="date"
              value={edited.from}
              onInput={(event) => set({ from: event.currentTarget.value })}
            />
          </label>
          <label class="field">
            Last day
            <input
              type="date"
              value={edited.to}
              onInput={(event) => set({ to: event.currentTarget.value })}
            />
          </label>
        </>
      )}
      <label class="field">
        State
        <select value={edited.status} onChange={(event) => choose({ status: event.currentTarget.value })}>
          {Object.entries(statuses).map(([value, label]) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </select>
      </label>
      <label class="field">
        An answer contains
        <input
          type="search"
          maxLength={255}
          value={edited.words}
          onInput={(event) => set({ words: event.currentTarget.value })}
        />
      </label>
      <label class="field">
        Variable
        <select value={edited.variable} onChange={(event) => set({ variable: event.currentTarget.value })}>
          <option value="">Any</option>
          {props.variables.map((name) => (
            <option key={name} value={name}>
              {name}
            </option>
          ))}
        </select>
      </label>
      {edited.variable !== '' && (
        <label class="field">
          is exactly
          <input
            maxLength={1500}
            value={edited.value}
            onInput={(event) => set({ value: event.currentTarget.value })}
          />
        </label>
      )}
      <button type="submit">Filter</button>
    </form>
  )
}
