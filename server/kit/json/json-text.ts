import { fromUtf8 } from './utf8.ts'

/** Length from which copying a text costs more than sending it as a piece of its own. */
const MIN_PIECE_LENGTH = 16 * 1024

/**
 * JSON that stays text: a document is read from the database and sent without being parsed. The encoder writes its
 * text unchanged. A long one is cached as bytes once it was sent.
 */
export class JsonText {
  private content: string | Buffer

  /** Bytes are valid UTF-8. They are copied, since they may be a piece of much more. */
  constructor(text: string | Buffer) {
    if (typeof text === 'string') this.content = text
    else this.content = text.length < MIN_PIECE_LENGTH ? fromUtf8(text) : Buffer.from(text)
  }

  get text(): string {
    return typeof this.content === 'string' ? this.content : fromUtf8(this.content)
  }

  /** The parameter for a column of type `json`; pg sends bytes unchanged. */
  get parameter(): string | Buffer {
    return this.content
  }

  /** The text, for JSON that is hashed. */
  toJSON(): string {
    return this.text
  }

  /** In characters, or in bytes if it is cached as bytes. */
  get length(): number {
    return this.content.length
  }

  toBytes(): Buffer {
    if (typeof this.content === 'string') this.content = Buffer.from(this.content)
    return this.content
  }
}

/**
 * Types the document as a property of a response. It was validated against the contract when it came in, which the
 * compiler cannot know: `never` fits every property.
 */
export function asProperty(json: JsonText): never {
  return json as never
}

/** Encodes a response as JSON; in pieces, to be sent one after the other, if it has long documents. */
export function encode(value: unknown): string | Buffer[] {
  const out: Output = { text: '', pieces: [] }
  write(out, value)
  if (out.pieces.length === 0) return out.text
  out.pieces.push(Buffer.from(out.text))
  return out.pieces
}

/** Encodes a value once that is sent several times. */
export function toJsonText(value: unknown): JsonText {
  const text = encode(value)
  return new JsonText(typeof text === 'string' ? text : Buffer.concat(text))
}

interface Output {
  /** The text behind the last piece. */
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
  if (document.length < MIN_PIECE_LENGTH) {
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

/** Caches keys: the contract has few. Keys that a caller made up are not cached beyond that. */
function encodeKey(key: string): string {
  const known = keys.get(key)
  if (known !== undefined) return known
  const text = `${JSON.stringify(key)}:`
  if (keys.size < 1000) keys.set(key, text)
  return text
}
