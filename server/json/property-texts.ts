/**
 * The JSON texts of the properties of an object, which is the property `name` of the object that `text` is,
 * without white space between tokens. Unlike the parsed value they keep the order of keys that look like
 * numbers and the way numbers were written. The text must be valid JSON; of a key that is there twice, the
 * last counts, as for the parser.
 */
export function propertyTexts(text: string, name: string): Map<string, string> {
  let texts = new Map<string, string>()
  eachProperty(text, skipSpace(text, 0), (key, start) => {
    if (key !== name || text.charCodeAt(start) !== OPEN_BRACE) return readValue(text, start).end
    texts = new Map()
    return eachProperty(text, start, (inner, from) => {
      const { compact, end } = readValue(text, from)
      texts.set(inner, compact)
      return end
    })
  })
  return texts
}

const SPACE = 0x20
const QUOTE = 0x22
const BACKSLASH = 0x5c
const COMMA = 0x2c
const OPEN_BRACE = 0x7b
const CLOSE_BRACE = 0x7d
const OPEN_BRACKET = 0x5b
const CLOSE_BRACKET = 0x5d

/** Visits the values of an object, each of which gives the place after it, and gives the place after the object. */
function eachProperty(text: string, open: number, visit: (key: string, start: number) => number): number {
  let at = skipSpace(text, open + 1)
  while (text.charCodeAt(at) === QUOTE) {
    const keyEnd = endOfString(text, at)
    const key = JSON.parse(text.slice(at, keyEnd)) as string
    const start = skipSpace(text, skipSpace(text, keyEnd) + 1)
    at = skipSpace(text, visit(key, start))
    if (text.charCodeAt(at) === COMMA) at = skipSpace(text, at + 1)
  }
  return at + 1
}

function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09
}

function skipSpace(text: string, from: number): number {
  let at = from
  while (isSpace(text.charCodeAt(at))) at++
  return at
}

/** The place after the string that begins at `open`. */
function endOfString(text: string, open: number): number {
  let at = open
  for (;;) {
    at = text.indexOf('"', at + 1)
    if (text.charCodeAt(at - 1) !== BACKSLASH) return at + 1
    let backslashes = 1
    while (text.charCodeAt(at - 1 - backslashes) === BACKSLASH) backslashes++
    if (backslashes % 2 === 0) return at + 1
  }
}

/** The value that begins at `start`, without white space between its tokens, and the place after it. */
function readValue(text: string, start: number): { compact: string; end: number } {
  let compact = ''
  let kept = start
  let depth = 0
  let at = start
  for (; ; at++) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) {
      at = endOfString(text, at) - 1
      if (depth === 0) break
    } else if (code === OPEN_BRACE || code === OPEN_BRACKET) depth++
    else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) {
      depth--
      if (depth === 0) break
    } else if (depth > 0 && code <= SPACE) {
      compact += text.slice(kept, at)
      kept = skipSpace(text, at)
      at = kept - 1
    }
    // A number or a word ends before what cannot be part of one.
    if (depth === 0 && !isPartOfWord(text.charCodeAt(at + 1))) break
  }
  return { compact: compact + text.slice(kept, at + 1), end: at + 1 }
}

/** What comes after a number or a word is a comma, the end of what encloses it, or white space. */
function isPartOfWord(code: number): boolean {
  return code > SPACE && code !== COMMA && code !== CLOSE_BRACE && code !== CLOSE_BRACKET
}
