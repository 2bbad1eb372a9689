import { useState } from 'preact/hooks'
import type { CredentialsList, WorkspaceSummary } from '../../../../../generated/client/index.js'
import { client } from '../api.ts'
import { Confirmation } from '../ui/dialog.tsx'
import { useLoaded, useTask } from '../ui/hooks.ts'
import { dateOf } from '../ui/times.ts'
import { WorkspacePage } from '../ui/workspace-page.tsx'
import { CredentialsDialog } from './credentials-dialog.tsx'
import { serviceName } from './service-name.ts'

type Stored = CredentialsList['credentials'][number]

/** Keys and accounts of outside services that the bots of a workspace use. */
export function CredentialsPage(props: { workspaces: WorkspaceSummary[]; query: URLSearchParams }) {
  return (
    <WorkspacePage title="Credentials" path="credentials" {...props}>
      {(workspaceId) => <Credentials key={workspaceId} workspaceId={workspaceId} />}
    </WorkspacePage>
  )
}

function Credentials({ workspaceId }: { workspaceId: string }) {
  const loaded = useLoaded(
    async (signal) => (await client.credentials.list(workspaceId, { signal })).credentials,
    [workspaceId],
  )
  const task = useTask()
  const [edited, setEdited] = useState<Stored | 'new'>()
  const [deleted, setDeleted] = useState<Stored>()
  const [said, setSaid] = useState<{ id: string; isGood: boolean; message: string }>()
  const test = ({ id }: Stored) =>
    task.run(async () => {
      setSaid(undefined)
      const { test } = await client.credentials.test(workspaceId, id)
      setSaid({ id, isGood: test.outcome === 'accepted', message: test.message })
    })
  const remove = ({ id }: Stored) =>
    task.run(async () => {
      await client.credentials.delete(workspaceId, id)
      setDeleted(undefined)
      loaded.reload()
    })
  const error = loaded.error ?? (deleted ? undefined : task.error)
  return (
    <>
      <p class="about">
        Blocks that use a service, such as a language model or a mail server, name one of these. Secrets are
        encrypted and never shown again.
      </p>
      {error && (
        <p class="alert" role="alert">
          {error}
        </p>
      )}
      {!loaded.value && !error && <p role="status">Loading …</p>}
      <p>
        <button type="button" class="main" onClick={() => setEdited('new')}>
          Add credentials
        </button>
      </p>
      {loaded.value?.length === 0 && <p class="about">None yet.</p>}
      <ul class="people" aria-label="Credentials">
        {loaded.value?.map((stored) => (
          <li key={stored.id} class="panel">
            <div class="people-name">
              <strong>{stored.name}</strong>
              <p class="about">
                {serviceName(stored.type)}, changed {dateOf(stored.updatedAt)}
              </p>
              {said?.id === stored.id && (
                <p role="status" class={said.isGood ? undefined : 'wrong'}>
                  {said.message}
                </p>
              )}
            </div>
            <button
              type="button"
              aria-label={`Test ${stored.name}`}
              disabled={task.isBusy}
              onClick={() => void test(stored)}
            >
              Test
            </button>
            <button type="button" aria-label={`Change ${stored.name}`} onClick={() => setEdited(stored)}>
              Change
            </button>
            <button
              type="button"
              aria-label={`Delete ${stored.name}`}
              onClick={() => {
                task.setError(undefined)
                setDeleted(stored)
              }}
            >
              Delete
            </button>
          </li>
        ))}
      </ul>
      {edited && (
        <CredentialsDialog
          workspaceId={workspaceId}
          stored={edited === 'new' ? undefined : edited}
          onClose={() => setEdited(undefined)}
          onSaved={() => {
            setEdited(undefined)
            setSaid(undefined)
            loaded.reload()
          }}
        />
      )}
      {deleted && (
        <Confirmation
          title={`Delete ${deleted.name}?`}
          action="Delete"
          isBusy={task.isBusy}
          error={task.error}
          onConfirm={() => void remove(deleted)}
          onClose={() => setDeleted(undefined)}
        >
          <p>Blocks that name these credentials no longer work: their chats log an error and go on.</p>
        </Confirmation>
      )}
    </>
  )
}
