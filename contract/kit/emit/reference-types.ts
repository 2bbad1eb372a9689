import { marked } from 'marked'
import { freeText, type JsonObject, nameOf } from './schemas.ts'

/* Schemas in words for readers: types, bounds and properties. */

export function escapeText(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
}

/** `list of Group`, `text or null`, `any value`; components are links. */
export function typeOf(schema: JsonObject): string {
  const { $ref, type, items, additionalProperties } = schema
  const branches = (schema.oneOf ?? schema.anyOf) as JsonObject[] | undefined
  if (typeof $ref === 'string') return `<a href="/docs/schemas#schema-${nameOf($ref)}">${nameOf($ref)}</a>`
  if (branches) return branches.map(typeOf).join(' or ')
  if (Array.isArray(schema.enum))
    return schema.enum.map((value) => `<code>${escapeText(String(value))}</code>`).join(' or ')
  if (Array.isArray(type)) return type.map((one) => typeOf({ ...schema, type: one })).join(' or ')
  if (type === 'array') return `list of ${typeOf((items ?? {}) as JsonObject)}`
  if (type === 'object' && !schema.properties && additionalProperties) {
    return `map to ${typeOf(additionalProperties as JsonObject)}`
  }
  const words: Record<string, string> = {
    string: schema.format === 'date-time' ? 'time' : 'text',
    integer: 'whole number',
    number: 'number',
    boolean: 'true or false',
    object: 'object',
    null: 'null',
  }
  return words[String(type)] ?? 'any value'
}

/** Renders the properties of an object or the branches of a union. Other schemas are rendered as their bounds. */
export function fieldsOf(schema: JsonObject): string {
  const mapping = (schema.discriminator as JsonObject | undefined)?.mapping as
    | Record<string, string>
    | undefined
  if (mapping) {
    const { propertyName } = schema.discriminator as { propertyName: string }
    const items = Object.entries(mapping).map(
      ([value, $ref]) => `<li><code>${escapeText(value)}</code>: ${typeOf({ $ref })}</li>`,
    )
    return `<p>Distinguished by <code>${propertyName}</code>:</p><ul class="branches">${items.join('')}</ul>`
  }
  const properties = Object.entries((schema.properties ?? {}) as Record<string, JsonObject>)
  if (properties.length === 0) return `<p>${typeOf(schema)}${boundsOf(schema)}</p>`
  const required = (schema.required ?? []) as string[]
  const rows = properties.map(
    ([name, property]) =>
      `<div><dt><code>${escapeText(name)}</code> <small>${typeOf(property)}${boundsOf(property)}${required.includes(name) ? ', required' : ''}</small></dt><dd>${marked.parseInline(String(property.description ?? ''), { async: false })}</dd></div>`,
  )
  return `<dl class="fields">${rows.join('')}</dl>`
}

function boundsOf(schema: JsonObject): string {
  const many = (value: unknown) => Number(value).toLocaleString('en')
  const { minimum, maximum, minLength, maxLength, maxItems, pattern } = schema
  const bounds = [
    minimum !== undefined && maximum !== undefined ? `${many(minimum)} to ${many(maximum)}` : '',
    maxLength !== undefined && !schema.enum
      ? `${minLength ? `${many(minLength)} to` : 'at most'} ${many(maxLength)} characters`
      : '',
    maxItems !== undefined ? `at most ${many(maxItems)}` : '',
    pattern !== undefined && pattern !== freeText ? `<code>${escapeText(String(pattern))}</code>` : '',
    schema.default !== undefined ? `default <code>${escapeText(JSON.stringify(schema.default))}</code>` : '',
  ]
  return bounds
    .filter(Boolean)
    .map((bound) => `, ${bound}`)
    .join('')
}
