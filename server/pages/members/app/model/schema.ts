import type { JsonObject } from './draft.ts'
import { newId } from './draft.ts'

/* Forms from the JSON Schema of a bot: the kind of field of a property, and its name for people. */

export interface Schema {
  $ref?: string
  type?: string
  description?: string
  format?: string
  enum?: string[]
  default?: unknown
  examples?: unknown[]
  maxLength?: number
  minimum?: number
  maximum?: number
  minItems?: number
  maxItems?: number
  required?: string[]
  properties?: Record<string, Schema>
  additionalProperties?: boolean | Schema
  items?: Schema
  anyOf?: Schema[]
  allOf?: { if: { properties: Record<string, { const: string }> }; then: Schema }[]
  definitions?: Record<string, Schema>
}

/** Follows references; properties beside one win. */
export function resolve(root: Schema, schema: Schema): Schema {
  if (schema.$ref === undefined) return schema
  const { $ref, ...own } = schema
  const target = root.definitions?.[$ref.split('/').at(-1) ?? '']
  return target ? { ...resolve(root, target), ...own } : own
}

/** The schema of a block of a type; undefined where the schema does not know it. */
export function blockSchema(root: Schema, type: string): Schema | undefined {
  return branchOf(root, root.definitions?.Block, type)
}

export function eventSchema(root: Schema, type: string): Schema | undefined {
  return branchOf(root, root.definitions?.FlowEvent, type)
}

function branchOf(root: Schema, union: Schema | undefined, type: string): Schema | undefined {
  const branch = union?.allOf?.find((each) =>
    Object.values(each.if.properties).some((tag) => tag.const === type),
  )
  return branch && resolve(root, branch.then)
}

export type FieldKind =
  | 'flag'
  | 'choice'
  | 'number'
  | 'line'
  | 'prose'
  | 'colour'
  | 'object'
  | 'list'
  | 'texts'
  | 'variable'
  | 'group'
  | 'block'
  | 'bot'
  | 'credentials'
  | 'json'

const PROSE_LENGTH = 200_000

export function fieldKind(name: string, schema: Schema): FieldKind {
  if (/variableId$/i.test(name)) return 'variable'
  if (name === 'groupId') return 'group'
  if (name === 'blockId') return 'block'
  if (name === 'botId') return 'bot'
  if (/credentialsId$/i.test(name)) return 'credentials'
  if (schema.enum) return 'choice'
  if (schema.type === 'boolean') return 'flag'
  if (schema.type === 'number' || schema.type === 'integer') return 'number'
  if (schema.type === 'string') {
    if (/colou?r$/i.test(name)) return 'colour'
    return (schema.maxLength ?? 0) >= PROSE_LENGTH && !/url$|src$/i.test(name) ? 'prose' : 'line'
  }
  if (schema.type === 'array') return schema.items?.type === 'string' && !schema.items.enum ? 'texts' : 'list'
  if (schema.type === 'object' && schema.properties) return 'object'
  if (schema.anyOf?.every(({ type }) => type === 'number' || type === 'string')) return 'line'
  return 'json'
}

const words: Record<string, string> = {
  api: 'API',
  url: 'URL',
  id: 'id',
  src: 'source',
  css: 'CSS',
  html: 'HTML',
}

/** A name such as `isMultipleChoice` for people: "Multiple choice". */
export function labelOf(name: string): string {
  const parts = name
    .replace(/^(is|are|has|should)(?=[A-Z])/, '')
    .replace(/(VariableId|CredentialsId|GroupId|BlockId|BotId)$/i, (suffix) => suffix.slice(0, -2))
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[\s_-]+/)
    .map((part) => words[part] ?? part)
  const label = parts.join(' ')
  return label.charAt(0).toUpperCase() + label.slice(1)
}

/** The part of a description that says more than the label, without the default. */
export function hintOf(schema: Schema): string | undefined {
  return schema.description?.split(/ ?\bDefault:? /, 1)[0]?.trim() || undefined
}

/** An entry that is added to a list: with an id where entries have one. */
export function newEntry(root: Schema, schema: Schema): unknown {
  const entry = resolve(root, schema)
  if (entry.type !== 'object') return entry.type === 'string' ? '' : entry.type === 'boolean' ? false : 0
  const value: JsonObject = {}
  for (const name of entry.required ?? []) {
    const property = resolve(root, entry.properties?.[name] ?? {})
    if (name === 'id') value.id = newId()
    else if (property.enum) value[name] = property.enum[0]
    else if (property.type === 'array') value[name] = []
    else if (property.type === 'object') value[name] = newEntry(root, property)
    else if (property.type === 'string') value[name] = ''
  }
  return value
}
