import { useState } from 'preact/hooks'
import type { BotSummary, Folder } from '../../../../../generated/client/index.js'
import { client } from '../api.ts'
import { Confirmation, Dialog } from '../ui/dialog.tsx'
import { useLoaded, useTask } from '../ui/hooks.ts'
import { Icon } from '../ui/icons.tsx'
import { changeBot, readFolders } from './data.ts'

export type ListDialog =
  | { kind: 'new-folder' }
  | { kind: 'rename-folder' | 'move-folder' | 'delete-folder'; folder: Folder }
  | { kind: 'rename-bot' | 'move-bot' | 'delete-bot'; bot: BotSummary }

interface Common {
  onClose: () => void
  onDone: () => void
}

export function ListDialogs(
  props: Common & { dialog: Exclude<ListDialog, { kind: 'new-folder' }>; workspaceId: string },
) {
  const { dialog, workspaceId, ...common } = props
  if (dialog.kind === 'rename-folder') {
    const { id, name } = dialog.folder
    const save = (renamed: string) => client.folders.update(id, { folder: { name: renamed } })
    return <FolderDialog {...common} title="Rename folder" action="Rename" name={name} onSave={save} />
  }
  if (dialog.kind === 'rename-bot') {
    const { id, name } = dialog.bot
    return (
      <FolderDialog
        {...common}
        title="Rename bot"
        action="Rename"
        name={name}
        onSave={(renamed) => changeBot(id, { name: renamed })}
      />
    )
  }
  if (dialog.kind === 'move-folder') {
    const { id, name } = dialog.folder
    const move = (parentFolderId: string | null) => client.folders.update(id, { folder: { parentFolderId } })
    return <MoveDialog {...common} name={name} without={id} workspaceId={workspaceId} onMove={move} />
  }
  if (dialog.kind === 'move-bot') {
    const { id, name } = dialog.bot
    const move = (folderId: string | null) => changeBot(id, { folderId })
    return <MoveDialog {...common} name={name} workspaceId={workspaceId} onMove={move} />
  }
  return <DeleteDialog {...common} dialog={dialog} />
}

/** A dialog for a name. */
export function FolderDialog(
  props: Common & { title: string; action: string; name: string; onSave: (name: string) => Promise<unknown> },
) {
  const [name, setName] = useState(props.name)
  const task = useTask()
  const save = (event: Event) => {
    event.preventDefault()
    void task.run(async () => {
      await props.onSave(name.trim())
      props.onClose()
      props.onDone()
    })
  }
  return (
    <Dialog title={props.title} onClose={props.onClose}>
      <form onSubmit={save}>
        <label class="field">
          Name
          <input
            value={name}
            maxLength={255}
            required
            onInput={(event) => setName(event.currentTarget.value)}
          />
        </label>
        {task.error && (
          <p class="alert" role="alert">
            {task.error}
          </p>
        )}
        <footer class="actions">
          <button type="button" onClick={props.onClose}>
            Cancel
          </button>
          <button type="submit" class="main" disabled={task.isBusy || name.trim() === ''}>
            {props.action}
          </button>
        </footer>
      </form>
    </Dialog>
  )
}

/** Chooses a folder by walking into folders. */
function MoveDialog(
  props: Common & {
    name: string
    workspaceId: string
    without?: string
    onMove: (folderId: string | null) => Promise<unknown>
  },
) {
  const [path, setPath] = useState<Folder[]>([])
  const here = path.at(-1)
  const level = useLoaded((signal) => readFolders(props.workspaceId, here?.id, signal), [here?.id])
  const task = useTask()
  const folders = (level.value ?? []).filter(({ id }) => id !== props.without)
  return (
    <Dialog title={`Move ${props.name}`} onClose={props.onClose}>
      <p class="crumbs">
        {path.length === 0 ? 'Top level' : ['Top level', ...path.map(({ name }) => name)].join(' / ')}
      </p>
      <ul class="rows" aria-busy={level.isLoading}>
        {here && (
          <li>
            <button type="button" onClick={() => setPath(path.slice(0, -1))}>
              <Icon name="back" /> Up
            </button>
          </li>
        )}
        {folders.map((folder) => (
          <li key={folder.id}>
            <button type="button" onClick={() => setPath([...path, folder])}>
              <Icon name="folder" /> {folder.name}
            </button>
          </li>
        ))}
        {!level.isLoading && folders.length === 0 && <li class="about">No folders here.</li>}
      </ul>
      {(task.error ?? level.error) && (
        <p class="alert" role="alert">
          {task.error ?? level.error}
        </p>
      )}
      <footer class="actions">
        <button type="button" onClick={props.onClose}>
          Cancel
        </button>
        <button
          type="button"
          class="main"
          disabled={task.isBusy}
          onClick={() =>
            task.run(async () => {
              await props.onMove(here?.id ?? null)
              props.onClose()
              props.onDone()
            })
          }
        >
          Move here
        </button>
      </footer>
    </Dialog>
  )
}

function DeleteDialog(props: Common & { dialog: { folder: Folder } | { bot: BotSummary } }) {
  const task = useTask()
  const { dialog } = props
  const isFolder = 'folder' in dialog
  const { id, name } = isFolder ? dialog.folder : dialog.bot
  const remove = () =>
    task.run(async () => {
      if (isFolder) await client.folders.delete(id, {})
      else await client.bots.delete(id)
      props.onClose()
      props.onDone()
    })
  return (
    <Confirmation
      title={`Delete ${name}?`}
      action={isFolder ? 'Delete folder' : 'Delete bot'}
      isBusy={task.isBusy}
      error={task.error}
      onConfirm={remove}
      onClose={props.onClose}
    >
      <p>
        {isFolder
          ? 'Bots and folders in it are kept: they move one level up.'
          : 'Its draft, publications and results are deleted, and chats with it end. This cannot be undone.'}
      </p>
    </Confirmation>
  )
}
