import { useEffect, useState } from 'preact/hooks'
import type { BotSummary, Folder, WorkspaceSummary } from '../../../../../generated/client/index.js'
import { client } from '../api.ts'
import { navigate } from '../router.ts'
import { useFileDrop, useLoaded, useTask, useTitle } from '../ui/hooks.ts'
import { Icon } from '../ui/icons.tsx'
import { Link } from '../ui/link.tsx'
import { Menu } from '../ui/menu.tsx'
import { WorkspaceSelect } from '../ui/workspace-select.tsx'
import { BotCard, FolderCard } from './cards.tsx'
import { readAllBots, readLevel } from './data.ts'
import { FolderDialog, type ListDialog, ListDialogs } from './dialogs.tsx'
import { ImportDialog } from './import-dialog.tsx'
import { NewDialog } from './new-dialog.tsx'
import { listPath } from './paths.ts'

/* The bots and folders of a workspace. The address names the workspace and the folder. */

const rememberedKey = 'workspace'

export function BotsPage({ workspaces, query }: { workspaces: WorkspaceSummary[]; query: URLSearchParams }) {
  const named = query.get('workspace') ?? localStorage.getItem(rememberedKey)
  const workspace = workspaces.find(({ id }) => id === named) ?? workspaces[0]
  useTitle('Bots')
  if (!workspace) return <NoWorkspace />
  return (
    <Workspace
      key={workspace.id}
      workspace={workspace}
      workspaces={workspaces}
      folderId={query.get('folder') ?? undefined}
    />
  )
}

function NoWorkspace() {
  const task = useTask()
  return (
    <main class="page">
      <div class="empty">
        <h1>Welcome</h1>
        <p>You are in no workspace yet. Make one, or ask a teammate to invite you.</p>
        {task.error && (
          <p class="alert" role="alert">
            {task.error}
          </p>
        )}
        <button
          type="button"
          class="main"
          disabled={task.isBusy}
          onClick={() =>
            task.run(async () => {
              await client.workspaces.create({ name: 'My workspace' })
              location.reload()
            })
          }
        >
          Make a workspace
        </button>
      </div>
    </main>
  )
}

function Workspace(props: {
  workspace: WorkspaceSummary
  workspaces: WorkspaceSummary[]
  folderId: string | undefined
}) {
  const { workspace, workspaces, folderId } = props
  const level = useLoaded((signal) => readLevel(workspace.id, folderId, signal), [workspace.id, folderId])
  const [search, setSearch] = useState('')
  const words = search.trim().toLowerCase()
  const isSearching = words !== ''
  const everything = useLoaded(
    async (signal) => (isSearching ? readAllBots(workspace.id, signal) : []),
    [workspace.id, isSearching],
  )
  const [dialog, setDialog] = useState<ListDialog>()
  const [dropped, setDropped] = useState<File[]>()
  const drop = useFileDrop(setDropped)
  const [isBeginning, setBeginning] = useState(false)

  useEffect(() => localStorage.setItem(rememberedKey, workspace.id), [workspace.id])

  const reload = () => {
    level.reload()
    if (isSearching) everything.reload()
  }
  const { folders = [], bots = [], path = [] } = level.value ?? {}
  const shown = isSearching
    ? (everything.value ?? []).filter(({ name, publicId }) =>
        `${name} ${publicId}`.toLowerCase().includes(words),
      )
    : bots
  const isReading = isSearching ? everything.isLoading && !everything.value : level.isLoading && !level.value
  const error = isSearching ? everything.error : level.error
  const isEmpty = !isReading && !error && shown.length === 0 && (isSearching || folders.length === 0)

  return (
    <main class={drop.isDragging ? 'page dropping' : 'page'} {...drop.handlers}>
      <div class="page-head">
        <h1>{path.at(-1)?.name ?? 'Bots'}</h1>
        <div class="page-tools">
          <WorkspaceSelect
            workspaces={workspaces}
            chosenId={workspace.id}
            onChoose={(id) => navigate(listPath(id))}
          />
          <label class="search">
            <span class="visually-hidden">Search bots</span>
            <Icon name="search" />
            <input
              type="search"
              placeholder="Search bots"
              value={search}
              onInput={(event) => setSearch(event.currentTarget.value)}
            />
          </label>
          <button type="button" class="main" onClick={() => setBeginning(true)}>
            <Icon name="add" /> New bot
          </button>
          <Menu
            label="More actions"
            items={[
              { label: 'Import a file', icon: 'file', onChoose: () => setDropped([]) },
              { label: 'New folder', icon: 'folder', onChoose: () => setDialog({ kind: 'new-folder' }) },
            ]}
          >
            <Icon name="menu" />
          </Menu>
        </div>
      </div>
      {folderId && (
        <nav class="crumbs" aria-label="Folders">
          <Link to={listPath(workspace.id)}>Bots</Link>
          {path.map(({ id, name }) => (
            <span key={id}>
              {' / '}
              <Link to={listPath(workspace.id, id)} current={id === folderId}>
                {name}
              </Link>
            </span>
          ))}
        </nav>
      )}
      {error && (
        <p class="alert" role="alert">
          {error}
        </p>
      )}
      {isReading && !error && (
        <p class="about" role="status">
          Loading …
        </p>
      )}
      {isEmpty && isSearching && (
        <p class="about" role="status">
          No bot matches “{search.trim()}”.
        </p>
      )}
      {isEmpty && !isSearching && (
        <div class="empty">
          <Icon name="bot" />
          <h2>{folderId ? 'This folder is empty' : 'Build your first bot'}</h2>
          <p>
            Start with one of the templates or an empty bot, or drop the file of one anywhere on this page.
          </p>
          <div class="actions centred">
            <button type="button" onClick={() => setDropped([])}>
              Import a file
            </button>
            <button type="button" class="main" onClick={() => setBeginning(true)}>
              New bot
            </button>
          </div>
        </div>
      )}
      {!isSearching && folders.length > 0 && (
        <ul class="cards" aria-label="Folders">
          {folders.map((folder: Folder) => (
            <FolderCard
              key={folder.id}
              folder={folder}
              to={listPath(workspace.id, folder.id)}
              onAct={setDialog}
            />
          ))}
        </ul>
      )}
      {shown.length > 0 && (
        <ul class="cards" aria-label="Bots">
          {shown.map((bot: BotSummary) => (
            <BotCard key={bot.id} bot={bot} onAct={setDialog} onChanged={reload} />
          ))}
        </ul>
      )}
      {isBeginning && (
        <NewDialog workspaceId={workspace.id} folderId={folderId} onClose={() => setBeginning(false)} />
      )}
      {dropped && (
        <ImportDialog
          files={dropped}
          workspaceId={workspace.id}
          folderId={folderId}
          onClose={() => setDropped(undefined)}
          onImported={reload}
        />
      )}
      {dialog?.kind === 'new-folder' && (
        <FolderDialog
          title="New folder"
          action="Make folder"
          name=""
          onSave={(name) =>
            client.folders.create({
              workspaceId: workspace.id,
              folder: { name, parentFolderId: folderId ?? null },
            })
          }
          onClose={() => setDialog(undefined)}
          onDone={reload}
        />
      )}
      {dialog && dialog.kind !== 'new-folder' && (
        <ListDialogs
          dialog={dialog}
          workspaceId={workspace.id}
          onClose={() => setDialog(undefined)}
          onDone={reload}
        />
      )}
    </main>
  )
}
