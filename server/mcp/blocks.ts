import { readFileSync } from 'node:fs'
import { blockCatalogue } from '../../contract/bot-document/index.ts'
import { isRecord, type JsonRecord } from '../documents/conversion/document.ts'
import { root } from '../root.ts'
import { type Outcome, reject } from './call.ts'

/* The types of blocks, and the JSON Schema of each, from the schema that editors get. */

const entries = blockCatalogue.filter(({ versions, type }) => versions.includes('6.1') && type !== 'start')

let definitions: Record<string, JsonRecord> | undefined

/** Read once it is needed: it has 230 KB. */
function readDefinitions(): Record<string, JsonRecord> {
  definitions ??= JSON.parse(readFileSync(new URL('generated/schemas/bot-6.1.json', root), 'utf8'))
    .definitions as Record<string, JsonRecord>
  return definitions
}

export function listBlockTypes(): Outcome {
  const families: Record<string, Record<string, string>> = {}
  for (const { type, family, schema } of entries) {
    families[family] ??= {}
    families[family][type] = String(schema.meta()?.description)
  }
  return { value: families }
}

export function describeBlock(type: string): Outcome {
  const entry = entries.find((one) => one.type === type)
  if (!entry) return reject(['type'], 'There is no such type of block; call without type for a list')
  const all = readDefinitions()
  const used: Record<string, unknown> = {}
  const collect = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(collect)
    if (!isRecord(value)) return value
    const name = typeof value.$ref === 'string' ? value.$ref.replace('#/definitions/', '') : undefined
    if (name !== undefined && !(name in used)) {
      used[name] = true
      used[name] = collect(all[name])
    }
    return Object.fromEntries(
      Object.entries(value)
        .filter(([key]) => !['maxLength', 'minLength', 'maxItems'].includes(key))
        .map(([key, inner]) => [key, collect(inner)]),
    )
  }
  const schema = collect(all[entry.component]) as JsonRecord
  return { value: { type, family: entry.family, schema: { ...schema, definitions: used } } }
}
