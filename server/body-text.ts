/**
 * The JSON texts of the properties of one object of a JSON text, without white space between tokens. Unlike
 * the parsed value they keep the order of keys that look like numbers and the way numbers were written.
 * The text must be valid JSON with an object at `path`; of a key that is there twice, the last counts, as
 * for the parser.
 */
export function propertyTexts(text: string, path: readonly string[]): Map<string, string> {
  let at = skipSpace(text, 0)
  for (const wanted of path) {
    let found = -1
    eachProperty(text, at, (key, start) => {
      if (key === wanted) found = start
    })
    if (found < 0) return new Map()
    at = found
  }
  const texts = new Map<string, string>()
  eachProperty(text, at, (key, start, end) => texts.set(key, compact(text, start, end)))
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

function eachProperty(text: string, open: number, visit: (key: string, start: number, end: number) => void) {
  let at = skipSpace(text, open + 1)
  while (text.charCodeAt(at) === QUOTE) {
    const keyEnd = endOfString(text, at)
    const key = JSON.parse(text.slice(at, keyEnd)) as string
    const start = skipSpace(text, skipSpace(text, keyEnd) + 1)
    const end = endOfValue(text, start)
    visit(key, start, end)
    at = skipSpace(text, end)
    if (text.charCodeAt(at) === COMMA) at = skipSpace(text, at + 1)
  }
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
    let backslashes = 0
    while (text.charCodeAt(at - 1 - backslashes) === BACKSLASH) backslashes++
    if (backslashes % 2 === 0) return at + 1
  }
}

/** The place after the value that begins at `start`. */
function endOfValue(text: string, start: number): number {
  let depth = 0
  for (let at = start; ; at++) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) {
      at = endOfString(text, at) - 1
      if (depth === 0) return at + 1
    } else if (code === OPEN_BRACE || code === OPEN_BRACKET) depth++
    else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) {
      // Closing what encloses the value ends a number or a word.
      if (depth === 0) return at
      depth--
      if (depth === 0) return at + 1
    } else if (depth === 0 && (code === COMMA || isSpace(code) || at >= text.length)) return at
  }
}

/** The slice without white space between its tokens. */
function compact(text: string, start: number, end: number): string {
  let result = ''
  let kept = start
  for (let at = start; at < end; at++) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) at = endOfString(text, at) - 1
    else if (code <= SPACE && isSpace(code)) {
      result += text.slice(kept, at)
      kept = skipSpace(text, at)
      at = kept - 1
    }
  }
  return result === '' && kept === start ? text.slice(start, end) : result + text.slice(kept, end)
}
