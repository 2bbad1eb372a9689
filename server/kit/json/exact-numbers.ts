/** JSON of other services: numbers that JavaScript would write differently retain their source text. */
import { isLosslessNumber, isSafeNumber, LosslessNumber, parse, stringify } from 'lossless-json'

export { isLosslessNumber, isSafeNumber }

/** Strings are matched so that digits in them do not count as numbers. */
const STRING_OR_NUMBER = /"(?:[^"\\]|\\.)*"?|-?\d[\d.eE+-]*/g

/** Found in every JSON that has a number which is written otherwise, and in few others. */
const MAY_BE_EXACT = /\d[\d.]{15}|\d[eE]|\.\d*0(?!\d)|-0|0\.000000/

const parseNumber = (source: string) => {
  const number = Number(source)
  return String(number) === source ? number : new LosslessNumber(source)
}

/** The value of valid JSON whose plain value is `parsed`, which is returned as it is if it loses nothing. */
export function withExactNumbers(json: string, parsed: unknown): unknown {
  if (!MAY_BE_EXACT.test(json)) return parsed
  for (const [token] of json.matchAll(STRING_OR_NUMBER)) {
    if (token[0] === '"' || String(Number(token)) === token) continue
    // If a key occurs twice, the last value counts, as in JSON.parse.
    return parse(json, undefined, { parseNumber, onDuplicateKey: ({ newValue }) => newValue })
  }
  return parsed
}

/** JSON in which exact numbers are their source text. */
export function toJson(value: unknown): string {
  return (hasExactNumber(value) ? stringify(value) : JSON.stringify(value)) as string
}

/** Converts exact numbers for code and libraries: to numbers that have the same value, else to texts. */
export function plainNumbers(value: unknown): unknown {
  return hasExactNumber(value) ? convert(value) : value
}

function convert(value: unknown): unknown {
  if (isLosslessNumber(value)) return isSafeNumber(value.value) ? Number(value.value) : value.value
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(convert)
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, convert(inner)]))
}

function hasExactNumber(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (Array.isArray(value)) return value.some(hasExactNumber)
  return isLosslessNumber(value) || Object.values(value).some(hasExactNumber)
}
