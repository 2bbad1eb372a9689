import type { WorkspaceSummary } from '../../../../../generated/client/index.js'

/** Chooses among the workspaces of the caller; nothing where there is one. */
export function WorkspaceSelect(props: {
  workspaces: WorkspaceSummary[]
  chosenId: string
  onChoose: (workspaceId: string) => void
}) {
  if (props.workspaces.length < 2) return null
  return (
    <label class="inline">
      <span class="visually-hidden">Workspace</span>
      <select value={props.chosenId} onChange={(event) => props.onChoose(event.currentTarget.value)}>
        {props.workspaces.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </select>
    </label>
  )
}
