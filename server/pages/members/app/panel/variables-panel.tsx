import { useState } from 'preact/hooks'
import type { Variable } from '../model/draft.ts'
import { addVariable, removeVariable, renameVariable, setVariable } from '../model/edits.ts'
import { useWorkbench } from '../store/context.ts'
import { Icon } from '../ui/icons.tsx'
import { PanelHead } from './parts.tsx'

export function VariablesPanel({ onClose }: { onClose: () => void }) {
  const { state, edit, canWrite } = useWorkbench()
  const [name, setName] = useState('')
  const { variables } = state.draft
  const isTaken = variables.some((variable) => variable.name === name.trim())
  const add = (event: Event) => {
    event.preventDefault()
    edit((draft) => addVariable(draft, name.trim()).draft)
    setName('')
  }
  return (
    <>
      <PanelHead title="Variables" onClose={onClose} />
      <p class="about">Answers are kept in variables. A text shows one as {'{{Name}}'}.</p>
      {canWrite && (
        <form class="inline-form" onSubmit={add}>
          <input
            aria-label="Name of the new variable"
            placeholder="New variable"
            value={name}
            maxLength={255}
            onInput={(event) => setName(event.currentTarget.value)}
          />
          <button type="submit" disabled={name.trim() === '' || isTaken}>
            Add
          </button>
        </form>
      )}
      {isTaken && <p class="wrong">There is a variable with this name.</p>}
      <ul class="variables">
        {variables.map((variable) => (
          <VariableRow key={variable.id} variable={variable} />
        ))}
      </ul>
    </>
  )
}

function VariableRow({ variable }: { variable: Variable }) {
  const { edit, canWrite } = useWorkbench()
  const { id, name, value, isSessionVariable } = variable
  const hasText = value === undefined || value === null || typeof value === 'string'
  return (
    <li>
      <div class="inline-form">
        <input
          aria-label={`Name of ${name}`}
          value={name}
          maxLength={255}
          disabled={!canWrite}
          onChange={(event) => {
            const next = event.currentTarget.value.trim()
            if (next !== '') edit((draft) => renameVariable(draft, id, next))
          }}
        />
        {canWrite && (
          <button
            type="button"
            class="quiet square danger-text"
            aria-label={`Delete ${name}`}
            onClick={() => edit((draft) => removeVariable(draft, id))}
          >
            <Icon name="delete" />
          </button>
        )}
      </div>
      <details>
        <summary class="about">More</summary>
        {hasText && (
          <label class="field">
            Value at the start
            <input
              value={typeof value === 'string' ? value : ''}
              disabled={!canWrite}
              onInput={(event) => {
                const { value: _, ...rest } = variable
                const text = event.currentTarget.value
                edit(
                  (draft) => setVariable(draft, text === '' ? rest : { ...variable, value: text }),
                  `value ${id}`,
                )
              }}
            />
          </label>
        )}
        <label class="check">
          <input
            type="checkbox"
            checked={isSessionVariable === true}
            disabled={!canWrite}
            onChange={(event) => {
              const isSession = event.currentTarget.checked
              edit((draft) => setVariable(draft, { ...variable, isSessionVariable: isSession }))
            }}
          />
          For one chat only, not in results
        </label>
      </details>
    </li>
  )
}
