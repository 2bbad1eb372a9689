import { useEffect, useState } from 'preact/hooks'
import { client } from '../api.ts'
import type { JsonObject } from '../model/draft.ts'
import { addVariable } from '../model/edits.ts'
import type { FieldKind } from '../model/schema.ts'
import { summaryOf } from '../model/words.ts'
import { urlOf } from '../router.ts'
import { useWorkbench } from '../store/context.ts'
import { useLoaded } from '../ui/hooks.ts'

/* Fields that name something else: a variable, a group, a bot, credentials. */

interface Props {
  id: string
  value: string
  disabled: boolean
  onChange: (value: string | undefined) => void
  'aria-describedby'?: string
}

export function ReferenceField({ kind, owner, ...props }: Props & { kind: FieldKind; owner: JsonObject }) {
  const { state, workspaceId } = useWorkbench()
  const { groups } = state.draft
  if (kind === 'variable') return <VariableField {...props} />
  if (kind === 'group') return <Choice {...props} options={groups.map(({ id, title }) => [id, title])} />
  if (kind === 'block') {
    const blocks = groups.find(({ id }) => id === owner.groupId)?.blocks ?? []
    const options = blocks.map((block): [string, string] => [
      block.id,
      summaryOf(block, state.draft.variables),
    ])
    return <Choice {...props} options={options} />
  }
  if (kind === 'bot') return <BotField {...props} workspaceId={workspaceId} />
  return <CredentialsField {...props} workspaceId={workspaceId} />
}

/** A list to choose from. A stored value that is not in it stays chosen. */
function Choice({ options, value, onChange, ...props }: Props & { options: [string, string][] }) {
  const isListed = value === '' || options.some(([id]) => id === value)
  return (
    <select {...props} value={value} onChange={(event) => onChange(event.currentTarget.value || undefined)}>
      <option value="">Not chosen</option>
      {!isListed && <option value={value}>{value}</option>}
      {options.map(([id, name]) => (
        <option key={id} value={id}>
          {name}
        </option>
      ))}
    </select>
  )
}

const NEW = '\u0000new'

function VariableField({ value, onChange, ...props }: Props) {
  const { state, edit } = useWorkbench()
  const [name, setName] = useState<string>()
  const { variables } = state.draft
  if (name !== undefined) {
    const make = () => {
      const wanted = name.trim()
      setName(undefined)
      if (wanted === '') return
      const existing = variables.find((variable) => variable.name === wanted)
      if (existing) return onChange(existing.id)
      const addition = addVariable(state.draft, wanted)
      edit((draft) => ({ ...draft, variables: [...draft.variables, addition.variable] }))
      onChange(addition.variable.id)
    }
    return (
      <div class="inline-form">
        <input
          {...props}
          ref={(element) => element?.focus()}
          value={name}
          placeholder="Name of the new variable"
          onInput={(event) => setName(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key === 'Enter') make()
            if (event.key === 'Escape') setName(undefined)
            if (event.key === 'Enter' || event.key === 'Escape') event.stopPropagation()
          }}
        />
        <button type="button" onClick={make}>
          Make
        </button>
      </div>
    )
  }
  const isListed = value === '' || variables.some(({ id }) => id === value)
  return (
    <select
      {...props}
      value={value}
      onChange={(event) => {
        const chosen = event.currentTarget.value
        if (chosen === NEW) setName('')
        else onChange(chosen || undefined)
      }}
    >
      <option value="">No variable</option>
      {!isListed && <option value={value}>{value} (missing)</option>}
      {variables.map(({ id, name: shown }) => (
        <option key={id} value={id}>
          {shown}
        </option>
      ))}
      <option value={NEW}>New variable …</option>
    </select>
  )
}

function BotField({ workspaceId, ...props }: Props & { workspaceId: string }) {
  const bots = useLoaded(
    async (signal) => (await client.bots.list({ workspaceId, limit: 100 }, { signal })).bots,
    [workspaceId],
  )
  const options = (bots.value ?? []).map(({ id, name }): [string, string] => [id, name])
  return <Choice {...props} options={[['current', 'This bot'], ...options]} />
}

function CredentialsField({ workspaceId, ...props }: Props & { workspaceId: string }) {
  const list = useLoaded(
    async (signal) => (await client.credentials.list(workspaceId, { signal })).credentials,
    [workspaceId],
  )
  const options = (list.value ?? []).map(({ id, name, type }): [string, string] => [id, `${name} (${type})`])
  const page = urlOf(`credentials?${new URLSearchParams({ workspace: workspaceId })}`)
  // Some may have been added in the other tab.
  useEffect(() => {
    const onVisibility = () => !document.hidden && list.reload()
    document.addEventListener('visibilitychange', onVisibility)
    return () => document.removeEventListener('visibilitychange', onVisibility)
  }, [list.reload])
  return (
    <>
      <Choice {...props} options={options} />
      <a class="about" href={page} target="_blank" rel="noreferrer">
        Add credentials
      </a>
    </>
  )
}
