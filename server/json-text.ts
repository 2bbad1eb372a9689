/**
 * JSON that stays text: a document read from the database and sent on without being parsed. The encoder
 * writes its text as it is.
 */
export class JsonText {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

/**
 * The document as the value of a property of a reply. What is stored was checked against the contract when
 * it came in, which the compiler cannot know: `never` fits every property.
 */
export function stored(json: JsonText): never {
  return json as never
}

/** The JSON text of a reply. */
export function encode(value: unknown): string {
  if (value instanceof JsonText) return value.text
  if (value === null || typeof value !== 'object') return JSON.stringify(value)
  if (Array.isArray(value)) return `[${value.map(encodeItem).join(',')}]`
  let text = ''
  for (const key in value) {
    const property = (value as Record<string, unknown>)[key]
    if (property === undefined) continue
    text += `${text === '' ? '' : ','}${JSON.stringify(key)}:${encode(property)}`
  }
  return `{${text}}`
}

function encodeItem(item: unknown): string {
  return item === undefined ? 'null' : encode(item)
}
