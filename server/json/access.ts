/** Reading of JSON of any shape. A value without the expected type counts as absent. */
import { withExactNumbers } from '../kit/json/exact-numbers.ts'

export type JsonObject = Record<string, unknown>

export function asObject(value: unknown): JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : {}
}

export function asArray(value: unknown): unknown[] {
  return Array.isArray(value) ? value : []
}

export function asObjects(value: unknown): JsonObject[] {
  return asArray(value).filter(
    (each): each is JsonObject => typeof each === 'object' && each !== null && !Array.isArray(each),
  )
}

export function asString(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

/** Like `text`, but an empty one counts as absent too. */
export function filledText(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}

export function asStrings(value: unknown): string[] {
  return asArray(value).filter((each): each is string => typeof each === 'string')
}

/** Walks down objects, for instance `valueAt(theme, 'general', 'background', 'content')`. */
export function valueAt(value: unknown, ...keys: string[]): unknown {
  return keys.reduce<unknown>(
    (inner, key) => (Object.hasOwn(asObject(inner), key) ? asObject(inner)[key] : undefined),
    value,
  )
}

/** V8 reads JSON however deep it is nested, and fails to write it from some 4,000 levels on. */
const MAX_JSON_DEPTH = 500

/** Undefined where it is none, or nested so deep that it cannot be passed on. No number is rounded. */
export function parseJson(value: string): unknown {
  try {
    const parsed: unknown = JSON.parse(value)
    return isWithin(parsed, MAX_JSON_DEPTH) ? withExactNumbers(value, parsed) : undefined
  } catch {
    return undefined
  }
}

function isWithin(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return true
  return levels > 0 && Object.values(value).every((inner) => isWithin(inner, levels - 1))
}

/** Removes characters that text columns reject (U+0000) or that cannot be encoded (half surrogate pairs). */
export function storableText(value: string): string {
  return /[\0\ud800-\udfff]/.test(value)
    ? value.replaceAll('\0', '').replace(/\p{Surrogate}/gu, '\ufffd')
    : value
}

/** Cuts without leaving half a surrogate pair at the end. */
export function cutText(value: string, maximum: number): string {
  return value.length <= maximum ? value : value.slice(0, maximum).replace(/[\ud800-\udbff]$/, '')
}

const schemes = new Set(['http:', 'https:'])

/** A complete http or https URL of a length that can be stored, or `null`. */
export function webUrl(value: string): URL | null {
  if (value.length > 2_048 || !URL.canParse(value)) return null
  const url = new URL(value)
  return schemes.has(url.protocol) && url.hostname !== '' ? url : null
}
