import { fromUtf8 } from './utf8.ts'

/** From here on, copying a text costs more than sending it in a piece of its own. */
const LONG = 16 * 1024

/**
 * JSON that stays text: a document read from the database and sent on without being parsed. The encoder
 * writes its text as it is. A long one is kept as the bytes that were sent, from the first time on.
 */
export class JsonText {
  private kept: string | Buffer

  /** Bytes are valid UTF-8. They are copied, since they may be a piece of much more. */
  constructor(text: string | Buffer) {
    if (typeof text === 'string') this.kept = text
    else this.kept = text.length < LONG ? fromUtf8(text) : Buffer.from(text)
  }

  get text(): string {
    return typeof this.kept === 'string' ? this.kept : fromUtf8(this.kept)
  }

  /** As pg takes it for a column that is `json`: bytes are sent as they are. */
  get parameter(): string | Buffer {
    return this.kept
  }

  /** As a text, where it is a part of something that is hashed. */
  toJSON(): string {
    return this.text
  }

  /** In characters, or in bytes where it is kept as such. */
  get length(): number {
    return this.kept.length
  }

  toBytes(): Buffer {
    if (typeof this.kept === 'string') this.kept = Buffer.from(this.kept)
    return this.kept
  }
}

/**
 * The document as the value of a property of a reply. What is stored was checked against the contract when
 * it came in, which the compiler cannot know: `never` fits every property.
 */
export function stored(json: JsonText): never {
  return json as never
}

/** The JSON text of a reply; in pieces, to be sent one after the other, where it has long documents in it. */
export function encode(value: unknown): string | Buffer[] {
  const out: Output = { text: '', pieces: [] }
  write(out, value)
  if (out.pieces.length === 0) return out.text
  out.pieces.push(Buffer.from(out.text))
  return out.pieces
}

/** What is sent more than once, as it is sent. */
export function encoded(value: unknown): JsonText {
  const text = encode(value)
  return new JsonText(typeof text === 'string' ? text : Buffer.concat(text))
}

interface Output {
  /** What follows the last piece. */
  text: string
  pieces: Buffer[]
}

function write(out: Output, value: unknown) {
  switch (typeof value) {
    case 'string':
      out.text += encodeString(value)
      return
    case 'boolean':
      out.text += value ? 'true' : 'false'
      return
    case 'object':
      break
    default:
      out.text += JSON.stringify(value)
      return
  }
  if (value === null) out.text += 'null'
  else if (value instanceof JsonText) writeDocument(out, value)
  else if (Array.isArray(value)) writeItems(out, value)
  else writeProperties(out, value)
}

function writeDocument(out: Output, document: JsonText) {
  if (document.length < LONG) {
    out.text += document.text
    return
  }
  out.pieces.push(Buffer.from(out.text), document.toBytes())
  out.text = ''
}

function writeItems(out: Output, items: unknown[]) {
  out.text += '['
  for (let at = 0; at < items.length; at++) {
    if (at > 0) out.text += ','
    write(out, items[at] === undefined ? null : items[at])
  }
  out.text += ']'
}

function writeProperties(out: Output, value: object) {
  out.text += '{'
  let isFirst = true
  for (const key in value) {
    const property = (value as Record<string, unknown>)[key]
    if (property === undefined) continue
    out.text += isFirst ? encodeKey(key) : `,${encodeKey(key)}`
    isFirst = false
    write(out, property)
  }
  out.text += '}'
}

/** A quote, a backslash, a control character, or half of a pair. */
const needsEscape = /[^ !#-[\]-\ud7ff\ue000-\uffff]/

/** A string as JSON. Most are short and plain, which takes less time to find out than to escape them. */
export function encodeString(text: string): string {
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
