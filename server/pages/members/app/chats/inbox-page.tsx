import type { WorkspaceSummary } from '../../../../../generated/client/index.js'
import { navigate } from '../router.ts'
import { WorkspaceSelect } from '../ui/workspace-select.tsx'
import { Inbox } from './inbox.tsx'

/** The chats of a workspace that people handle. */
export function InboxPage({ workspaces, query }: { workspaces: WorkspaceSummary[]; query: URLSearchParams }) {
  const workspace = workspaces.find(({ id }) => id === query.get('workspace')) ?? workspaces[0]
  if (!workspace) {
    return (
      <main class="page">
        <p class="about">You are in no workspace yet.</p>
      </main>
    )
  }
  const pathOf = (workspaceId: string) => `bots/inbox?${new URLSearchParams({ workspace: workspaceId })}`
  return (
    <main class="page wide">
      <div class="inbox-head-line">
        <h1>{workspace.name}</h1>
        <WorkspaceSelect
          workspaces={workspaces}
          chosenId={workspace.id}
          onChoose={(id) => navigate(pathOf(id))}
        />
      </div>
      <Inbox
        key={workspace.id}
        title="Chats"
        tabTitle="Chats"
        source={{ workspaceId: workspace.id }}
        path={pathOf(workspace.id)}
        chosen={query.get('chat') ?? ''}
      />
    </main>
  )
}
