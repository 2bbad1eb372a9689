import {
  BACKSLASH,
  CLOSE_BRACE,
  CLOSE_BRACKET,
  COMMA,
  OPEN_BRACE,
  OPEN_BRACKET,
  QUOTE,
  SPACE,
} from './bytes.ts'

/**
 * The JSON of the properties of an object, which is the property `name` of the object that `bytes` are, without white
 * space between tokens. Unlike the parsed value it preserves the order of keys that look like numbers and the way
 * numbers were written. The bytes must be valid JSON in UTF-8; the last of duplicate keys counts, as for the parser.
 */
export function propertyTexts(bytes: Buffer, name: string): Map<string, Buffer> {
  let texts = new Map<string, Buffer>()
  eachProperty(bytes, skipSpace(bytes, 0), (key, start) => {
    if (key !== name || bytes[start] !== OPEN_BRACE) return endOfValue(bytes, start).end
    texts = new Map()
    return eachProperty(bytes, start, (inner, from) => {
      const { end, hasSpace } = endOfValue(bytes, from)
      const value = bytes.subarray(from, end)
      texts.set(inner, hasSpace ? withoutSpace(value) : value)
      return end
    })
  })
  return texts
}

/** The JSON of the properties of an object without white space between its tokens. */
export function propertiesOf(object: Buffer): Map<string, Buffer> {
  const texts = new Map<string, Buffer>()
  eachProperty(object, 0, (key, start) => {
    const { end } = endOfValue(object, start)
    texts.set(key, object.subarray(start, end))
    return end
  })
  return texts
}

/** The JSON of the members of a list without white space between its tokens. */
export function elementTexts(list: Buffer): Buffer[] {
  const texts: Buffer[] = []
  for (let at = 1; at < list.length && list[at] !== CLOSE_BRACKET; ) {
    const { end } = endOfValue(list, at)
    texts.push(list.subarray(at, end))
    at = list[end] === COMMA ? end + 1 : end
  }
  return texts
}

/** Visits the values of an object, each of which gives the place after it, and gives the place after the object. */
function eachProperty(bytes: Buffer, open: number, visit: (key: string, start: number) => number): number {
  let at = skipSpace(bytes, open + 1)
  while (bytes[at] === QUOTE) {
    const keyEnd = endOfValue(bytes, at).end
    const key = JSON.parse(bytes.toString('utf8', at, keyEnd)) as string
    const start = skipSpace(bytes, skipSpace(bytes, keyEnd) + 1)
    at = skipSpace(bytes, visit(key, start))
    if (bytes[at] === COMMA) at = skipSpace(bytes, at + 1)
  }
  return at + 1
}

/** True for white space, between tokens of valid JSON. */
function isSpace(byte: number): boolean {
  return byte <= SPACE
}

function skipSpace(bytes: Buffer, from: number): number {
  let at = from
  while (isSpace(bytes[at] as number)) at++
  return at
}

/** Classes of bytes outside of strings. Most are 0, so that one lookup is enough. */
const kinds = new Uint8Array(256)
const IS_QUOTE = 1
const OPENS = 2
const CLOSES = 3
const IS_SPACE = 4
kinds.fill(IS_SPACE, 0, SPACE + 1)
kinds[QUOTE] = IS_QUOTE
kinds[OPEN_BRACE] = kinds[OPEN_BRACKET] = OPENS
kinds[CLOSE_BRACE] = kinds[CLOSE_BRACKET] = CLOSES

/** The place after the value that begins at `start`, and whether there is white space between its tokens. */
function endOfValue(bytes: Buffer, start: number): { end: number; hasSpace: boolean } {
  if (kinds[bytes[start] as number] === 0) return { end: endOfWord(bytes, start), hasSpace: false }
  let hasSpace = false
  let depth = 0
  let at = start
  do {
    const kind = kinds[bytes[at++] as number]
    if (kind === 0) continue
    if (kind === IS_QUOTE) {
      let byte = bytes[at++]
      while (byte !== QUOTE) {
        if (byte === BACKSLASH) at++
        byte = bytes[at++]
      }
    } else if (kind === OPENS) depth++
    else if (kind === CLOSES) depth--
    else hasSpace = true
  } while (depth > 0)
  return { end: at, hasSpace }
}

/** After a number or a word comes a comma, the end of what encloses it, or white space. */
function endOfWord(bytes: Buffer, start: number): number {
  let at = start + 1
  while (kinds[bytes[at] as number] === 0 && bytes[at] !== COMMA) at++
  return at
}

function withoutSpace(value: Buffer): Buffer {
  const compact = Buffer.allocUnsafe(value.length)
  let length = 0
  for (let at = 0; at < value.length; ) {
    const byte = value[at] as number
    const end = byte === QUOTE ? endOfValue(value, at).end : at + 1
    if (!isSpace(byte)) for (let from = at; from < end; from++) compact[length++] = value[from] as number
    at = end
  }
  return compact.subarray(0, length)
}
