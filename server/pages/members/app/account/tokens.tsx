import { useState } from 'preact/hooks'
import type { ApiTokenCreate, ApiTokenList } from '../../../../../generated/client/index.js'
import { client } from '../api.ts'
import { CopyField } from '../ui/copy-field.tsx'
import { Confirmation } from '../ui/dialog.tsx'
import { useLoaded, useTask } from '../ui/hooks.ts'
import { dateOf } from '../ui/times.ts'

type Token = ApiTokenList['apiTokens'][number]
type Scope = NonNullable<ApiTokenCreate['scopes']>[number]

const scopes: Record<Scope, string> = {
  read: 'Read bots and settings',
  write: 'Create, change, publish and delete bots',
  results: 'Read and delete results',
  'chat-admin': 'Take part in chats',
}

const lifetimes: Record<string, string> = {
  30: 'For 30 days',
  90: 'For 90 days',
  365: 'For a year',
  '': 'Until it is revoked',
}

/** Access tokens for programs. `suggestedName` is the name of the program that wants one. */
export function Tokens({ suggestedName }: { suggestedName: string }) {
  const [name, setName] = useState(suggestedName.slice(0, 255))
  const [days, setDays] = useState('90')
  const [chosen, setChosen] = useState(new Set(Object.keys(scopes) as Scope[]))
  const [made, setMade] = useState<{ id: string; name: string; token: string }>()
  const [revoked, setRevoked] = useState<Token>()
  const task = useTask()
  const loaded = useLoaded(async (signal) => {
    const all: Token[] = []
    for await (const one of client.tokens.list({}, { signal })) all.push(one)
    return all
  }, [])
  const create = (event: Event) => {
    event.preventDefault()
    void task.run(async () => {
      if (chosen.size === 0) throw new Error('Choose something that the token may do.')
      const { apiToken } = await client.tokens.create({
        name: name.trim(),
        ...(days !== '' && { expiresInDays: Number(days) }),
        ...(chosen.size < Object.keys(scopes).length && { scopes: [...chosen] }),
      })
      setMade(apiToken)
      setName('')
      loaded.reload()
    })
  }
  const revoke = (token: Token) =>
    task.run(async () => {
      await client.tokens.revoke(token.id)
      setRevoked(undefined)
      setMade((before) => (before?.id === token.id ? undefined : before))
      loaded.reload()
    })
  const toggle = (scope: Scope) => {
    const next = new Set(chosen)
    if (!next.delete(scope)) next.add(scope)
    setChosen(next)
  }
  const error = loaded.error ?? (revoked ? undefined : task.error)
  return (
    <section class="panel stack people-section" aria-labelledby="tokens-title">
      <h2 id="tokens-title">Access tokens</h2>
      <p class="about">
        A program that has one acts as you, as far as the token allows. Give each program its own.
      </p>
      <form class="stack" onSubmit={create}>
        <label class="field">
          Program
          <input
            value={name}
            maxLength={255}
            required
            placeholder="Nightly export"
            onInput={(event) => setName(event.currentTarget.value)}
          />
        </label>
        <label class="field">
          Valid
          <select value={days} onChange={(event) => setDays(event.currentTarget.value)}>
            {['30', '90', '365', ''].map((each) => (
              <option key={each} value={each}>
                {lifetimes[each]}
              </option>
            ))}
          </select>
        </label>
        <fieldset class="choices">
          <legend>It may</legend>
          {(Object.entries(scopes) as [Scope, string][]).map(([scope, words]) => (
            <label key={scope}>
              <input type="checkbox" checked={chosen.has(scope)} onChange={() => toggle(scope)} />
              {words}
            </label>
          ))}
        </fieldset>
        <div>
          <button type="submit" class="main" disabled={task.isBusy}>
            Create token
          </button>
        </div>
      </form>
      {error && (
        <p class="alert" role="alert">
          {error}
        </p>
      )}
      {made && (
        <div role="status">
          <p>Copy the token of {made.name} now: it is not shown again.</p>
          <CopyField label="Access token" value={made.token} />
        </div>
      )}
      <ul class="people" aria-label="Access tokens">
        {loaded.value?.map((token) => (
          <li key={token.id}>
            <div class="people-name">
              {token.name} <span class="about">…{token.hint}</span>
              <p class="about">
                {token.lastUsedAt ? `Last used ${dateOf(token.lastUsedAt)}` : 'Never used'}
                {token.expiresAt && `, until ${dateOf(token.expiresAt)}`}
              </p>
            </div>
            <button
              type="button"
              aria-label={`Revoke ${token.name}`}
              onClick={() => {
                task.setError(undefined)
                setRevoked(token)
              }}
            >
              Revoke
            </button>
          </li>
        ))}
      </ul>
      {revoked && (
        <Confirmation
          title={`Revoke ${revoked.name}?`}
          action="Revoke"
          isBusy={task.isBusy}
          error={task.error}
          onConfirm={() => void revoke(revoked)}
          onClose={() => setRevoked(undefined)}
        >
          <p>Programs that use it are refused from now on.</p>
        </Confirmation>
      )}
    </section>
  )
}
