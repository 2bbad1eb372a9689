import type { Issue, IssueCode } from '../../contract/errors.ts'

/** What the validator can count on: these hold for every body before it is looked at by a schema. */
const MAXIMUM_DEPTH = 64
const MAXIMUM_KEYS = 5_000
const MAXIMUM_NODES = 300_000

const decoder = new TextDecoder('utf-8', { fatal: true })

/** The value of a JSON body, or what is wrong with its bytes. */
export function parseJson(bytes: Uint8Array): { value: unknown; text: string } | { issues: Issue[] } {
  let text: string
  try {
    text = decoder.decode(bytes)
  } catch {
    return { issues: [{ path: ['body'], code: 'invalid_encoding', message: 'The body is not valid UTF-8' }] }
  }
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    const message = `The body is not valid JSON: ${(error as Error).message.slice(0, 200)}`
    return { issues: [{ path: ['body'], code: 'invalid_json', message }] }
  }
  const issues = inspect(value, text)
  return issues.length > 0 ? { issues } : { value, text }
}

const tooManyValues: Issue[] = [
  { path: ['body'], code: 'too_many_values', message: `At most ${MAXIMUM_NODES} values` },
]

interface Frame {
  value: object
  key: string
  parent: Frame | undefined
  depth: number
}

/**
 * Refuses what no schema should ever meet: nesting that overflows a recursive validator, floods of keys,
 * `__proto__`, numbers that JSON can write but JavaScript cannot hold, text that PostgreSQL cannot store.
 * Iterative, so that it survives what it refuses.
 */
function inspect(root: unknown, text: string): Issue[] {
  // U+0000, lone surrogates and disguised keys can only come from escapes; the bytes were valid UTF-8.
  const hasEscapes = text.includes('\\u')
  const mayHavePrototype = hasEscapes || text.includes('__proto__')
  const issues: Issue[] = []
  let nodes = 0

  const report = (frame: Frame | undefined, key: string | undefined, code: IssueCode, message: string) => {
    const path = key === undefined ? [] : [key]
    for (let at = frame; at; at = at.parent) path.unshift(at.key)
    issues.push({ path, code, message })
  }

  const check = (value: unknown, key: string, parent: Frame | undefined) => {
    nodes++
    if (typeof value === 'string') {
      if (!hasEscapes) return
      if (value.includes('\0')) report(parent, key, 'invalid_text', 'A text may not contain U+0000')
      else if (/\p{Surrogate}/u.test(value)) {
        report(parent, key, 'invalid_text', 'A text may not contain half of a surrogate pair')
      }
    } else if (typeof value === 'number') {
      if (!Number.isFinite(value) || (Number.isInteger(value) && !Number.isSafeInteger(value))) {
        report(parent, key, 'invalid_number', 'The number is too large to be kept exactly')
      }
    } else if (typeof value === 'object' && value !== null) {
      pending.push({ value, key, parent, depth: (parent?.depth ?? 0) + 1 })
    }
  }

  const pending: Frame[] = []
  check(root, 'body', undefined)
  for (let frame = pending.pop(); frame; frame = pending.pop()) {
    if (frame.depth > MAXIMUM_DEPTH) {
      return [{ path: ['body'], code: 'too_deep', message: `At most ${MAXIMUM_DEPTH} levels of nesting` }]
    }
    if (nodes > MAXIMUM_NODES) return tooManyValues
    if (issues.length >= 20) return issues
    if (Array.isArray(frame.value)) {
      if (nodes + frame.value.length > MAXIMUM_NODES) return tooManyValues
      for (let at = 0; at < frame.value.length; at++) check(frame.value[at], String(at), frame)
      continue
    }
    let keys = 0
    for (const key in frame.value) {
      keys++
      if (mayHavePrototype && key === '__proto__') {
        report(frame, key, 'invalid_key', 'The key __proto__ is not allowed')
      }
      if (hasEscapes && (key.includes('\0') || /\p{Surrogate}/u.test(key))) {
        report(frame, undefined, 'invalid_key', 'A key may not contain U+0000 or half of a surrogate pair')
      }
      check((frame.value as Record<string, unknown>)[key], key, frame)
    }
    if (keys > MAXIMUM_KEYS) {
      report(frame, undefined, 'too_many_keys', `At most ${MAXIMUM_KEYS} properties in one object`)
    }
  }
  return nodes > MAXIMUM_NODES ? tooManyValues : issues
}
