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
  switch (typeof value) {
    case 'string':
      return encodeString(value)
    case 'boolean':
      return value ? 'true' : 'false'
    case 'object':
      break
    default:
      return JSON.stringify(value)
  }
  if (value === null) return 'null'
  if (value instanceof JsonText) return value.text
  if (Array.isArray(value)) return encodeItems(value)
  let text = '{'
  for (const key in value) {
    const property = (value as Record<string, unknown>)[key]
    if (property === undefined) continue
    text += (text === '{' ? '' : ',') + encodeKey(key) + encode(property)
  }
  return `${text}}`
}

function encodeItems(items: unknown[]): string {
  let text = '['
  for (const [at, item] of items.entries())
    text += (at === 0 ? '' : ',') + (item === undefined ? 'null' : encode(item))
  return `${text}]`
}

/** A quote, a backslash, a control character, or half of a pair. */
const needsEscape = /[^ !#-[\]-\ud7ff\ue000-\uffff]/

/** Most strings are short and plain, which takes less time to find out than to escape them. */
function encodeString(text: string): string {
  return text.length < 500 && !needsEscape.test(text) ? `"${text}"` : JSON.stringify(text)
}

const keys = new Map<string, string>()

/** The contract has few keys; what a caller made up is not kept beyond that. */
function encodeKey(key: string): string {
  const known = keys.get(key)
  if (known !== undefined) return known
  const text = `${JSON.stringify(key)}:`
  if (keys.size < 1000) keys.set(key, text)
  return text
}
