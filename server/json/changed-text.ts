import { JsonText } from '../kit/json/json-text.ts'
import { elementTexts, propertiesOf, propertyTexts } from '../kit/json/property-texts.ts'

/**
 * JSON of a value of which `before` was sent as `text`. Unchanged values, also inside of changed ones, retain their
 * text: numbers as they were written, and the order of keys that look like numbers.
 */
export function changedText(value: unknown, before: unknown, text: Buffer | undefined): string {
  if (text === undefined) return JSON.stringify(value)
  if (value === before) return text.toString()
  if (Array.isArray(value) && Array.isArray(before)) return changedList(value, before, text)
  if (!isObject(value) || !isObject(before)) return JSON.stringify(value)
  const texts = propertiesOf(text)
  const properties = Object.entries(value)
    .filter(([, inner]) => inner !== undefined)
    .map(([key, inner]) => `${JSON.stringify(key)}:${changedText(inner, before[key], texts.get(key))}`)
  return `{${properties.join(',')}}`
}

/** The same of a stored document, which may have white space between its tokens. `before` is its parsed value. */
export function changedDocument(value: unknown, before: unknown, stored: JsonText): JsonText {
  const texts = propertyTexts(Buffer.from(`{"all":{"it":${stored.text}}}`), 'all')
  return new JsonText(changedText(value, before, texts.get('it')))
}

function changedList(value: readonly unknown[], before: readonly unknown[], text: Buffer): string {
  const texts = elementTexts(text)
  const places = new Map<unknown, number>()
  for (const [index, member] of before.entries()) {
    places.set(member, index)
    if (isObject(member) && typeof member.id === 'string') places.set(member.id, index)
  }
  const members = value.map((member) => {
    const place = places.get(member) ?? (isObject(member) ? places.get(member.id) : undefined)
    return place === undefined ? JSON.stringify(member) : changedText(member, before[place], texts[place])
  })
  return `[${members.join(',')}]`
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
