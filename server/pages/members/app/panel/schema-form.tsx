import { useId, useState } from 'preact/hooks'
import type { JsonObject } from '../model/draft.ts'
import { fieldKind, hintOf, labelOf, newEntry, resolve, type Schema } from '../model/schema.ts'
import { Icon } from '../ui/icons.tsx'
import { ReferenceField } from './reference-fields.tsx'
import { VariableText } from './variable-text.tsx'

/* A form made from a JSON Schema. A property that is cleared is left out; those that the schema does not know stay. */

export interface FormProps {
  root: Schema
  schema: Schema
  value: JsonObject
  onChange: (value: JsonObject) => void
  isReadOnly: boolean
  /** Properties that have a place of their own. */
  hidden?: string[]
}

/** The editor maintains ids and edges. */
const alwaysHidden = ['id', 'type', 'outgoingEdgeId', 'graphCoordinates', '$schema']

export function SchemaForm({ root, schema, value, onChange, isReadOnly, hidden = [] }: FormProps) {
  const properties = Object.entries(schema.properties ?? {}).filter(
    ([name]) => !alwaysHidden.includes(name) && !hidden.includes(name),
  )
  const set = (name: string, next: unknown) => onChange(withProperty(value, name, next))
  const unknown = Object.keys(value).filter((name) => !(name in (schema.properties ?? {})))
  return (
    <>
      {properties.map(([name, property]) => (
        <SchemaField
          key={name}
          root={root}
          name={name}
          schema={resolve(root, property)}
          value={value[name]}
          owner={value}
          onChange={(next) => set(name, next)}
          isReadOnly={isReadOnly}
        />
      ))}
      {unknown.length > 0 && <p class="about">Kept as they are: {unknown.join(', ')} (see JSON).</p>}
    </>
  )
}

export function withProperty(value: JsonObject, name: string, next: unknown): JsonObject {
  if (next !== undefined) return { ...value, [name]: next }
  const { [name]: _, ...rest } = value
  return rest
}

interface FieldProps {
  root: Schema
  name: string
  schema: Schema
  value: unknown
  /** The object that the property belongs to: some fields depend on their neighbours. */
  owner: JsonObject
  onChange: (value: unknown) => void
  isReadOnly: boolean
}

function SchemaField(props: FieldProps) {
  const { name, schema, value, onChange, isReadOnly } = props
  const id = useId()
  const kind = fieldKind(name, schema)
  const label = labelOf(name)
  const hint = hintOf(schema)
  const about = `${id}-about`
  const shared = { id, 'aria-describedby': hint ? about : undefined, disabled: isReadOnly }
  const preset = schema.default === undefined ? undefined : String(schema.default)

  if (kind === 'object') return <ObjectField {...props} label={label} hint={hint} />
  if (kind === 'list' || kind === 'texts') return <ListField {...props} label={label} hint={hint} />
  if (kind === 'json') return null
  if (kind === 'flag') {
    return (
      <div class="form-field flag">
        <input
          {...shared}
          type="checkbox"
          checked={typeof value === 'boolean' ? value : schema.default === true}
          onChange={(event) => onChange(event.currentTarget.checked)}
        />
        <div>
          <label for={id}>{label}</label>
          {hint && (
            <p id={about} class="about">
              {hint}
            </p>
          )}
        </div>
      </div>
    )
  }
  return (
    <div class="form-field">
      <label for={id} class="field-label">
        {label}
      </label>
      {kind === 'choice' ? (
        <select
          {...shared}
          value={typeof value === 'string' ? value : ''}
          onChange={(event) => onChange(event.currentTarget.value || undefined)}
        >
          <option value="">{preset ? `Default: ${preset}` : 'Not chosen'}</option>
          {schema.enum?.map((each) => (
            <option key={each} value={each}>
              {each}
            </option>
          ))}
        </select>
      ) : kind === 'number' ? (
        <input
          {...shared}
          type="number"
          step="any"
          min={schema.minimum}
          max={schema.maximum}
          placeholder={preset}
          value={typeof value === 'number' ? value : ''}
          onChange={(event) => {
            const { value: written, valueAsNumber } = event.currentTarget
            onChange(written === '' || Number.isNaN(valueAsNumber) ? undefined : valueAsNumber)
          }}
        />
      ) : kind === 'colour' ? (
        <ColourField {...shared} value={textOf(value)} placeholder={preset} onChange={onChange} />
      ) : kind === 'line' || kind === 'prose' ? (
        <VariableText
          id={id}
          value={textOf(value)}
          lines={kind === 'prose' ? 2 : 1}
          placeholder={preset}
          isReadOnly={isReadOnly}
          isCode={/expression|code|body$|css/i.test(name)}
          describedBy={hint ? about : undefined}
          onChange={(text) => onChange(text === '' ? undefined : numberOrText(text, schema))}
        />
      ) : (
        <ReferenceField
          {...shared}
          kind={kind}
          value={textOf(value)}
          owner={props.owner}
          onChange={onChange}
        />
      )}
      {hint && (
        <p id={about} class="about">
          {hint}
        </p>
      )}
    </div>
  )
}

const textOf = (value: unknown) => (value === undefined || value === null ? '' : String(value))

/** A property that takes numbers and texts gets a number if the text reads as one. */
function numberOrText(text: string, schema: Schema): string | number {
  const isNumber = schema.anyOf && /^-?\d+(\.\d+)?$/.test(text)
  return isNumber && String(Number(text)) === text ? Number(text) : text
}

const hexColour = /^#[\da-f]{6}$/i

function ColourField(props: {
  id: string
  value: string
  placeholder?: string
  disabled: boolean
  onChange: (value: unknown) => void
}) {
  const shown = [props.value, props.placeholder ?? ''].find((each) => hexColour.test(each)) ?? '#ffffff'
  return (
    <div class="colour-field">
      <input
        type="color"
        aria-label="Pick a colour"
        value={shown}
        disabled={props.disabled}
        onChange={(event) => props.onChange(event.currentTarget.value)}
      />
      <input
        id={props.id}
        value={props.value}
        placeholder={props.placeholder}
        disabled={props.disabled}
        onInput={(event) => props.onChange(event.currentTarget.value || undefined)}
      />
    </div>
  )
}

interface PartProps extends FieldProps {
  label: string
  hint: string | undefined
}

const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function ObjectField({ root, schema, value, onChange, isReadOnly, label, hint }: PartProps) {
  const own = isObject(value) ? value : {}
  const [isOpen, setOpen] = useState(Object.keys(own).length > 0)
  return (
    <details class="form-part" open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{label}</summary>
      {isOpen && (
        <>
          {hint && <p class="about">{hint}</p>}
          <SchemaForm
            root={root}
            schema={schema}
            value={own}
            isReadOnly={isReadOnly}
            onChange={(next) => onChange(Object.keys(next).length === 0 ? undefined : next)}
          />
        </>
      )}
    </details>
  )
}

function ListField({ root, schema, value, onChange, isReadOnly, label, hint }: PartProps) {
  const entries: unknown[] = Array.isArray(value) ? value : []
  const entrySchema = resolve(root, schema.items ?? {})
  const isFixed = schema.minItems !== undefined && schema.minItems === schema.maxItems
  const set = (next: unknown[]) => onChange(next)
  const move = (from: number, to: number) => set(entries.toSpliced(from, 1).toSpliced(to, 0, entries[from]))
  return (
    <fieldset class="form-list">
      <legend>{label}</legend>
      {hint && <p class="about">{hint}</p>}
      {entries.map((entry, index) => (
        <div class="form-entry" key={isObject(entry) && typeof entry.id === 'string' ? entry.id : index}>
          <div class="entry-head">
            <span class="about">{index + 1}</span>
            {!isReadOnly && !isFixed && (
              <>
                <button
                  type="button"
                  class="quiet square"
                  aria-label={`Move ${label} ${index + 1} up`}
                  disabled={index === 0}
                  onClick={() => move(index, index - 1)}
                >
                  <Icon name="up" />
                </button>
                <button
                  type="button"
                  class="quiet square"
                  aria-label={`Move ${label} ${index + 1} down`}
                  disabled={index === entries.length - 1}
                  onClick={() => move(index, index + 1)}
                >
                  <Icon name="down" />
                </button>
                <button
                  type="button"
                  class="quiet square"
                  aria-label={`Remove ${label} ${index + 1}`}
                  onClick={() => set(entries.toSpliced(index, 1))}
                >
                  <Icon name="delete" />
                </button>
              </>
            )}
          </div>
          {isObject(entry) ? (
            <SchemaForm
              root={root}
              schema={entrySchema}
              value={entry}
              isReadOnly={isReadOnly}
              onChange={(next) => set(entries.with(index, next))}
            />
          ) : (
            <input
              aria-label={`${label} ${index + 1}`}
              value={textOf(entry)}
              disabled={isReadOnly}
              onInput={(event) => set(entries.with(index, event.currentTarget.value))}
            />
          )}
        </div>
      ))}
      {!isReadOnly && !isFixed && entries.length < (schema.maxItems ?? Number.POSITIVE_INFINITY) && (
        <button type="button" onClick={() => set([...entries, newEntry(root, entrySchema)])}>
          <Icon name="add" /> Add<span class="visually-hidden"> to {label}</span>
        </button>
      )}
    </fieldset>
  )
}
