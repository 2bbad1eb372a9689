import { useState } from 'preact/hooks'
import type { MemberList, WorkspaceSummary } from '../../../../../generated/client/index.js'
import { client } from '../api.ts'
import { Confirmation } from '../ui/dialog.tsx'
import { useLoaded, useTask } from '../ui/hooks.ts'
import { WorkspacePage } from '../ui/workspace-page.tsx'
import { Invitations } from './invitations.tsx'
import { type Role, RoleSelect } from './role-select.tsx'

type Member = MemberList['members'][number]

const nameOf = ({ user }: Member) => user.name ?? user.email

/** The members of a workspace and their roles; admins invite others. */
export function PeoplePage(props: { workspaces: WorkspaceSummary[]; query: URLSearchParams }) {
  return (
    <WorkspacePage title="Members" path="members" {...props}>
      {(workspaceId) => <Members key={workspaceId} workspaceId={workspaceId} />}
    </WorkspacePage>
  )
}

function Members({ workspaceId }: { workspaceId: string }) {
  const loaded = useLoaded(
    async (signal) => {
      const members: Member[] = []
      const [{ user }] = await Promise.all([
        client.currentUser.get({ signal }),
        (async () => {
          for await (const member of client.members.list(workspaceId, {}, { signal })) members.push(member)
        })(),
      ])
      return { members, ownId: user.id }
    },
    [workspaceId],
  )
  const task = useTask()
  const [removed, setRemoved] = useState<Member>()
  const { members = [], ownId } = loaded.value ?? {}
  const isAdmin = members.some(({ userId, role }) => userId === ownId && role === 'ADMIN')
  const change = (member: Member, role: Role) =>
    task.run(async () => {
      try {
        await client.members.update(workspaceId, member.userId, { role })
      } finally {
        loaded.reload()
      }
    })
  const remove = (member: Member) =>
    task.run(async () => {
      await client.members.remove(workspaceId, member.userId)
      if (member.userId === ownId) return location.assign(location.pathname)
      setRemoved(undefined)
      loaded.reload()
    })
  const error = loaded.error ?? (removed ? undefined : task.error)
  return (
    <>
      {error && (
        <p class="alert" role="alert">
          {error}
        </p>
      )}
      {!loaded.value && !error && <p role="status">Loading …</p>}
      <ul class="people" aria-label="Members">
        {members.map((member) => (
          <li key={member.userId} class="panel">
            <div class="people-name">
              <strong>{nameOf(member)}</strong>
              {member.userId === ownId && ' (you)'}
              {member.isDisabled && ' (disabled)'}
              {member.user.name && <p class="about">{member.user.email}</p>}
            </div>
            <RoleSelect
              label={`Role of ${nameOf(member)}`}
              role={member.role}
              isDisabled={!isAdmin || task.isBusy}
              onChange={(role) => void change(member, role)}
            />
            {(isAdmin || member.userId === ownId) && (
              <button
                type="button"
                aria-label={member.userId === ownId ? 'Leave the workspace' : `Remove ${nameOf(member)}`}
                onClick={() => {
                  task.setError(undefined)
                  setRemoved(member)
                }}
              >
                {member.userId === ownId ? 'Leave' : 'Remove'}
              </button>
            )}
          </li>
        ))}
      </ul>
      {isAdmin && <Invitations workspaceId={workspaceId} />}
      {loaded.value && !isAdmin && <p class="about">An admin of the workspace can invite others.</p>}
      {removed && (
        <Confirmation
          title={removed.userId === ownId ? 'Leave the workspace?' : `Remove ${nameOf(removed)}?`}
          action={removed.userId === ownId ? 'Leave' : 'Remove'}
          isBusy={task.isBusy}
          error={task.error}
          onConfirm={() => void remove(removed)}
          onClose={() => setRemoved(undefined)}
        >
          <p>
            {removed.userId === ownId ? 'Your' : 'Their'} access ends at once. Bots and results stay in the
            workspace.
          </p>
        </Confirmation>
      )}
    </>
  )
}
