import type { ComponentChildren } from 'preact'
import type { WorkspaceSummary } from '../../../../../generated/client/index.js'
import { navigate } from '../router.ts'
import { useTitle } from './hooks.ts'
import { WorkspaceSelect } from './workspace-select.tsx'

/** A page about one workspace at a time, which its address names. */
export function WorkspacePage(props: {
  title: string
  path: string
  workspaces: WorkspaceSummary[]
  query: URLSearchParams
  children: (workspaceId: string) => ComponentChildren
}) {
  const { title, path, workspaces, query, children } = props
  const workspace = workspaces.find(({ id }) => id === query.get('workspace')) ?? workspaces[0]
  useTitle(title)
  if (!workspace) {
    return (
      <main class="page">
        <p class="about">You are in no workspace yet.</p>
      </main>
    )
  }
  return (
    <main class="page">
      <div class="page-head">
        <h1>{title}</h1>
        <WorkspaceSelect
          workspaces={workspaces}
          chosenId={workspace.id}
          onChoose={(id) => navigate(`${path}?${new URLSearchParams({ workspace: id })}`)}
        />
      </div>
      {children(workspace.id)}
    </main>
  )
}
