import { isUtf8 } from 'node:buffer'
import type { Issue, IssueCode } from '../../contract/kit/errors.ts'
import { withExactNumbers } from './json/exact-numbers.ts'
import { limits } from './json/scan.ts'
import { fromUtf8 } from './json/utf8.ts'

const BYTE_ORDER_MARK = Buffer.from('\ufeff')

/** Returns the value of a JSON body and its bytes without a byte order mark, or its issues. */
export function parseJson(
  sent: Buffer,
  keepsNumbers = false,
): { value: unknown; bytes: Buffer } | { issues: Issue[] } {
  if (!isUtf8(sent)) {
    return { issues: [{ path: ['body'], code: 'invalid_encoding', message: 'The body is not valid UTF-8' }] }
  }
  const isMarked = BYTE_ORDER_MARK.equals(sent.subarray(0, BYTE_ORDER_MARK.length))
  const bytes = isMarked ? sent.subarray(BYTE_ORDER_MARK.length) : sent
  const text = fromUtf8(bytes)
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    const message = `The body is not valid JSON: ${(error as Error).message.slice(0, 200)}`
    return { issues: [{ path: ['body'], code: 'invalid_json', message }] }
  }
  const issues = inspect(value, text, keepsNumbers)
  if (issues.length > 0) return { issues }
  return { value: keepsNumbers ? withExactNumbers(text, value) : value, bytes }
}

/** Maximum issues of a response; more would not help a reader. */
const MAX_ISSUES = 20

const tooDeep: Issue[] = [
  { path: ['body'], code: 'too_deep', message: `At most ${limits.depth} levels of nesting` },
]
const tooManyValues: Issue[] = [
  { path: ['body'], code: 'too_many_values', message: `At most ${limits.values} values` },
]

/**
 * Rejects values that no schema should ever meet: nesting that overflows a recursive validator, floods of keys,
 * `__proto__`, numbers that JSON can write but JavaScript cannot represent, text that PostgreSQL cannot store. It
 * goes no deeper than it allows, so that it survives the bodies that it rejects.
 */
function inspect(root: unknown, text: string, keepsNumbers: boolean): Issue[] {
  // U+0000, lone surrogates and disguised keys can only come from escapes; the bytes were valid UTF-8.
  const hasEscapes = text.includes('\\u')
  const mayHavePrototype = hasEscapes || text.includes('__proto__')
  const issues: Issue[] = []
  /** Keys that lead to the current value. */
  const path: (string | number)[] = []
  let values = 0
  /** Issues that are reported alone. */
  let excess: Issue[] | undefined

  const report = (code: IssueCode, message: string, ...keys: (string | number)[]) => {
    issues.push({ path: [...path, ...keys].map(String), code, message })
  }

  /** True if the check continues after a value. */
  const look = (value: unknown, key: string | number): boolean => {
    values++
    if (typeof value === 'string') {
      if (hasEscapes) lookAtText(value, key)
    } else if (typeof value === 'number' && !keepsNumbers) {
      if (!Number.isFinite(value) || (Number.isInteger(value) && !Number.isSafeInteger(value))) {
        report('invalid_number', 'The number is too large to be kept exactly', key)
      }
    } else if (typeof value === 'object' && value !== null) {
      path.push(key)
      const goesOn = Array.isArray(value) ? lookIntoList(value) : lookIntoObject(value)
      path.pop()
      return goesOn
    }
    return true
  }

  const lookAtText = (value: string, key: string | number) => {
    if (value.includes('\0')) report('invalid_text', 'A text may not contain U+0000', key)
    else if (/\p{Surrogate}/u.test(value)) {
      report('invalid_text', 'A text may not contain half of a surrogate pair', key)
    }
  }

  const lookIntoList = (list: unknown[]): boolean => {
    if (isTooMuch(list.length)) return false
    for (let at = 0; at < list.length; at++) if (!look(list[at], at)) return false
    return true
  }

  const lookIntoObject = (object: object): boolean => {
    if (isTooMuch(0)) return false
    let keys = 0
    for (const key in object) {
      keys++
      if (mayHavePrototype && key === '__proto__') {
        report('invalid_key', 'The key __proto__ is not allowed', key)
      }
      if (hasEscapes && (key.includes('\0') || /\p{Surrogate}/u.test(key))) {
        report('invalid_key', 'A key may not contain U+0000 or half of a surrogate pair')
      }
      if (!look((object as Record<string, unknown>)[key], key)) return false
    }
    if (keys > limits.keys) {
      report('too_many_keys', `At most ${limits.keys} properties in one object`)
    }
    return true
  }

  /** True if an object or array with this many values exceeds the limits, so that its values are not checked. */
  const isTooMuch = (more: number): boolean => {
    if (path.length > limits.depth) excess = tooDeep
    else if (values + more > limits.values) excess = tooManyValues
    return excess !== undefined || issues.length >= MAX_ISSUES
  }

  look(root, 'body')
  return excess ?? (values > limits.values ? tooManyValues : issues)
}
