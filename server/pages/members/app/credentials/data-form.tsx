import { useId } from 'preact/hooks'
import type { JsonObject } from '../model/draft.ts'
import { hintOf, labelOf, resolve, type Schema } from '../model/schema.ts'

/** A part with more properties, such as a key of Google Cloud, is pasted as JSON. */
const MAX_FIELDS = 5

interface FormProps {
  root: Schema
  schema: Schema
  value: JsonObject
  onChange: (value: JsonObject) => void
  /** True for a part that may be left out as a whole, as long as nothing of it is written. */
  isOptional?: boolean
}

/** Fields for the data of credentials, from their JSON Schema. An empty field is left out. */
export function DataForm({ root, schema, value, onChange, isOptional = false }: FormProps) {
  return (
    <>
      {Object.entries(schema.properties ?? {}).map(([name, property]) => (
        <Field
          key={name}
          root={root}
          name={name}
          schema={resolve(root, property)}
          isRequired={!isOptional && (schema.required?.includes(name) ?? false)}
          value={value[name]}
          onChange={(next) => {
            const { [name]: _, ...rest } = value
            onChange(next === undefined ? rest : { ...rest, [name]: next })
          }}
        />
      ))}
    </>
  )
}

interface FieldProps {
  root: Schema
  name: string
  schema: Schema
  isRequired: boolean
  value: unknown
  onChange: (value: unknown) => void
}

function Field(props: FieldProps) {
  const { root, name, schema, isRequired, value, onChange } = props
  const id = useId()
  const label = `${labelOf(name)}${isRequired ? '' : ' (optional)'}`
  const hint = hintOf(schema)
  const shared = {
    id,
    required: isRequired,
    'aria-describedby': hint ? `${id}-about` : undefined,
    autocomplete: 'off',
  } as const
  const about = hint && (
    <p id={`${id}-about`} class="about">
      {hint}
    </p>
  )
  if (schema.properties && Object.keys(schema.properties).length <= MAX_FIELDS) {
    const fields = (
      <DataForm
        root={root}
        schema={schema}
        isOptional={!isRequired && value === undefined}
        value={(value ?? {}) as JsonObject}
        onChange={(next) => onChange(Object.keys(next).length > 0 ? next : undefined)}
      />
    )
    return isRequired ? (
      <fieldset class="choices">
        <legend>{label}</legend>
        {about}
        {fields}
      </fieldset>
    ) : (
      <details>
        <summary>{label}</summary>
        {about}
        {fields}
      </details>
    )
  }
  const kind = schema.format === 'password' ? 'password' : schema.type === 'integer' ? 'number' : 'text'
  if (schema.type === 'boolean') {
    return (
      <div class="form-field flag">
        <input
          id={id}
          type="checkbox"
          aria-describedby={shared['aria-describedby']}
          checked={value === true}
          onChange={(event) => onChange(event.currentTarget.checked || undefined)}
        />
        <div>
          <label for={id}>{labelOf(name)}</label>
          {about}
        </div>
      </div>
    )
  }
  return (
    <div class="form-field">
      <label for={id} class="field-label">
        {label}
      </label>
      {schema.properties ? (
        <textarea
          {...shared}
          rows={5}
          spellcheck={false}
          placeholder="Paste the JSON"
          onInput={(event) => onChange(event.currentTarget.value || undefined)}
        />
      ) : (
        <input
          {...shared}
          type={kind as 'text'}
          min={schema.minimum}
          max={schema.maximum}
          maxLength={schema.maxLength}
          spellcheck={false}
          placeholder={kind === 'password' ? undefined : String(schema.examples?.[0] ?? '')}
          onInput={({ currentTarget: { value: written, valueAsNumber } }) =>
            onChange(written === '' ? undefined : kind === 'number' ? valueAsNumber : written)
          }
        />
      )}
      {about}
    </div>
  )
}

/** The data as they are sent: parts that were pasted become objects. */
export function readData(root: Schema, schema: Schema, value: JsonObject): JsonObject {
  const entries = Object.entries(value).map(([name, part]): [string, unknown] => {
    const property = resolve(root, schema.properties?.[name] ?? {})
    if (!property.properties) return [name, part]
    if (typeof part !== 'string') return [name, readData(root, property, part as JsonObject)]
    try {
      return [name, JSON.parse(part)]
    } catch {
      throw new Error(`${labelOf(name)} is not valid JSON. Paste the whole file.`)
    }
  })
  return Object.fromEntries(entries)
}
