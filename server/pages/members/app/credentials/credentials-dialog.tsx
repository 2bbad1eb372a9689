import { useState } from 'preact/hooks'
import type { CredentialsCreate, CredentialsList } from '../../../../../generated/client/index.js'
import { client } from '../api.ts'
import type { JsonObject } from '../model/draft.ts'
import { resolve, type Schema } from '../model/schema.ts'
import { readSchema } from '../panel/schemas.ts'
import { hasGoogleConsent, service } from '../service.ts'
import { Dialog } from '../ui/dialog.tsx'
import { useLoaded, useTask } from '../ui/hooks.ts'
import { DataForm, readData } from './data-form.tsx'
import { serviceName } from './service-name.ts'

type Type = CredentialsCreate['type']

/** Types whose data comes from a consent at Google. */
const consentTypes = ['google sheets', 'gmail']

function consentAddress(workspaceId: string, type: string, credentialsId: string | undefined): string {
  const query = new URLSearchParams({ workspaceId, type, ...(credentialsId && { credentialsId }) })
  return new URL(`credentials/google?${query}`, service).href
}

/** Adds credentials, or changes some: a new name, and new data where any are given. */
export function CredentialsDialog(props: {
  workspaceId: string
  stored: CredentialsList['credentials'][number] | undefined
  onClose: () => void
  onSaved: () => void
}) {
  const { workspaceId, stored, onClose, onSaved } = props
  const [type, setType] = useState<string>(stored?.type ?? 'openai')
  const [name, setName] = useState(stored?.name ?? '')
  const [value, setValue] = useState<JsonObject>({})
  const [isReplaced, setReplaced] = useState(stored === undefined)
  const task = useTask()
  const root = useLoaded<Schema>(() => readSchema('credentials'), [])
  const schema = root.value && resolve(root.value, root.value.properties?.[type] ?? {})
  const save = (event: Event) => {
    event.preventDefault()
    if (!root.value || !schema) return
    const { value: from } = root
    void task.run(async () => {
      const data = isReplaced && { data: readData(from, schema, value) }
      const body = { type: type as Type, name: name.trim(), ...data }
      if (stored) await client.credentials.update(workspaceId, stored.id, body as never)
      else await client.credentials.create(workspaceId, body as never)
      onSaved()
    })
  }
  return (
    <Dialog title={stored ? `Change ${stored.name}` : 'Add credentials'} onClose={onClose}>
      <form onSubmit={save} autocomplete="off">
        {!stored && (
          <label class="field">
            Service
            <select
              value={type}
              onChange={(event) => {
                setType(event.currentTarget.value)
                setValue({})
              }}
            >
              {Object.keys(root.value?.properties ?? {}).map((each) => (
                <option key={each} value={each}>
                  {serviceName(each)}
                </option>
              ))}
            </select>
          </label>
        )}
        <label class="field">
          Name
          <input
            value={name}
            maxLength={255}
            required
            placeholder="Company account"
            onInput={(event) => setName(event.currentTarget.value)}
          />
        </label>
        {stored && (
          <label class="inline">
            <input
              type="checkbox"
              checked={isReplaced}
              onChange={(event) => {
                setReplaced(event.currentTarget.checked)
                setValue({})
              }}
            />{' '}
            Replace the data
          </label>
        )}
        {hasGoogleConsent && consentTypes.includes(type) && (
          <p>
            <a class="button" href={consentAddress(workspaceId, type, stored?.id)}>
              Continue with Google
            </a>
            {isReplaced && ' Or enter the account data below.'}
          </p>
        )}
        {isReplaced && root.value && schema && (
          <DataForm key={type} root={root.value} schema={schema} value={value} onChange={setValue} />
        )}
        {(task.error ?? root.error) && (
          <p class="alert" role="alert">
            {task.error ?? root.error}
          </p>
        )}
        <footer class="actions">
          <button type="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" class="main" disabled={task.isBusy || !schema}>
            {stored ? 'Save' : 'Add'}
          </button>
        </footer>
      </form>
    </Dialog>
  )
}
