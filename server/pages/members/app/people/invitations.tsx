import { useState } from 'preact/hooks'
import type { InvitationList } from '../../../../../generated/client/index.js'
import { client } from '../api.ts'
import { CopyField } from '../ui/copy-field.tsx'
import { useLoaded, useTask } from '../ui/hooks.ts'
import { dateOf } from '../ui/times.ts'
import { type Role, RoleSelect } from './role-select.tsx'

type Invitation = InvitationList['invitations'][number]

/** Invites people by a link, which is shown once; a mail takes it to them where the service can send mail. */
export function Invitations({ workspaceId }: { workspaceId: string }) {
  const [email, setEmail] = useState('')
  const [role, setRole] = useState<Role>('MEMBER')
  const [made, setMade] = useState<{ id: string; email: string; link: string }>()
  const task = useTask()
  const waiting = useLoaded(
    async (signal) => {
      const all: Invitation[] = []
      for await (const one of client.invitations.list(workspaceId, {}, { signal })) all.push(one)
      return all
    },
    [workspaceId],
  )
  const invite = (event: Event) => {
    event.preventDefault()
    void task.run(async () => {
      const { invitation, link } = await client.invitations.create(workspaceId, { email: email.trim(), role })
      setMade({ id: invitation.id, email: invitation.email, link })
      setEmail('')
      waiting.reload()
    })
  }
  const revoke = (id: string) =>
    task.run(async () => {
      await client.invitations.revoke(workspaceId, id)
      setMade((before) => (before?.id === id ? undefined : before))
      waiting.reload()
    })
  const error = task.error ?? waiting.error
  return (
    <section class="panel stack people-section" aria-labelledby="invite-title">
      <h2 id="invite-title">Invite</h2>
      <form class="people-form" onSubmit={invite}>
        <label class="field">
          E-mail address
          <input
            type="email"
            required
            value={email}
            onInput={(event) => setEmail(event.currentTarget.value)}
          />
        </label>
        <RoleSelect label="Role" role={role} onChange={setRole} />
        <button type="submit" class="main" disabled={task.isBusy}>
          Invite
        </button>
      </form>
      {error && (
        <p class="alert" role="alert">
          {error}
        </p>
      )}
      {made && (
        <div role="status">
          <p>
            {made.email} is invited. Send them this link; it is shown only now. Where the service sends mail,
            they have it already.
          </p>
          <CopyField label="Link of the invitation" value={made.link} />
        </div>
      )}
      {waiting.value && waiting.value.length > 0 && (
        <ul class="people" aria-label="Invitations">
          {waiting.value.map((one) => (
            <li key={one.id}>
              <div class="people-name">
                {one.email}
                <p class="about">
                  {one.role.toLowerCase()}, until {dateOf(one.expiresAt)}
                </p>
              </div>
              <button
                type="button"
                aria-label={`Revoke the invitation of ${one.email}`}
                disabled={task.isBusy}
                onClick={() => void revoke(one.id)}
              >
                Revoke
              </button>
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}
