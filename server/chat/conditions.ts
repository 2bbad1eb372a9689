/** Conditions of blocks, items and cards. */
import { record, records, text } from './loose.ts'
import { evaluate, log, type Run } from './run.ts'
import type { VariableValue } from './types.ts'
import { fillValue, readVariable } from './variables.ts'

type Compare = (left: string, right: string) => boolean

/** Without comparisons a condition does not hold. All have to hold unless it says `OR`. */
export async function holds(run: Run, condition: unknown): Promise<boolean> {
  const { logicalOperator, comparisons: given } = record(condition)
  const comparisons = records(given)
  if (comparisons.length === 0) return false
  const isAny = logicalOperator === 'OR'
  for (const comparison of comparisons) {
    const { variableId, comparisonOperator, value } = comparison
    const isComplete = typeof variableId === 'string' && typeof comparisonOperator === 'string'
    const isTrue =
      isComplete &&
      (await compare(
        run,
        readVariable(run, variableId),
        comparisonOperator,
        await rightSide(run, text(value) ?? ''),
      ))
    if (isTrue === isAny) return isAny
  }
  return !isAny
}

/** Whether an item of a choice or a card is shown. */
export async function isDisplayed(run: Run, displayCondition: unknown): Promise<boolean> {
  const { isEnabled, condition } = record(displayCondition)
  return isEnabled !== true || holds(run, condition)
}

async function rightSide(run: Run, value: string): Promise<VariableValue> {
  return value === 'undefined' || value === 'null' ? null : fillValue(run, value)
}

async function compare(
  run: Run,
  left: VariableValue,
  operator: string,
  right: VariableValue,
): Promise<boolean> {
  switch (operator) {
    case 'Equal to':
      return left === null || right === null ? left === right : everyPair(left, right, isEqual)
    case 'Not equal':
      return left === null || right === null ? left !== right : everyPair(left, right, isNotEqual, true)
    case 'Contains':
      return contains(left, right)
    case 'Does not contain':
      return !contains(left, right)
    case 'Starts with':
      return everyPair(
        left,
        right,
        onPlain((a, b) => a.startsWith(b)),
      )
    case 'Ends with':
      return everyPair(
        left,
        right,
        onPlain((a, b) => a.endsWith(b)),
      )
    case 'Greater than':
      return order(left, right, (a, b) => a > b)
    case 'Greater or equal to':
      return order(left, right, (a, b) => a >= b)
    case 'Less than':
      return order(left, right, (a, b) => a < b)
    case 'Less or equal to':
      return order(left, right, (a, b) => a <= b)
    case 'Is set':
      return left !== null && left.length > 0
    case 'Is empty':
      return left === null || left.length === 0
    case 'Matches regex':
      return (await matchPairs(run, left, right)).includes(true)
    case 'Does not match regex': {
      const matches = await matchPairs(run, left, right)
      return !matches.includes(true) && !matches.includes('invalid')
    }
    default:
      return false
  }
}

function itemsOf(value: VariableValue): string[] {
  if (value === null) return []
  return typeof value === 'string' ? [value] : value.map((item) => item ?? '')
}

/** An empty side has no pair; then the answer is `whenEmpty`. */
function everyPair(left: VariableValue, right: VariableValue, test: Compare, whenEmpty = false): boolean {
  const others = itemsOf(right)
  const items = itemsOf(left)
  if (items.length === 0 || others.length === 0) return whenEmpty
  return items.every((a) => others.every((b) => test(a, b)))
}

/** A list contains its items, a text its parts. */
function contains(left: VariableValue, right: VariableValue): boolean {
  const test = Array.isArray(left) ? isEqual : onPlain((a, b) => a.includes(b))
  const others = itemsOf(right)
  return itemsOf(left).some((a) => others.some((b) => test(a, b)))
}

const isEqual: Compare = (a, b) => a.normalize() === b.normalize()
const isNotEqual: Compare = (a, b) => !isEqual(a, b)

function onPlain(test: Compare): Compare {
  const plain = (value: string) => value.trim().toLowerCase().normalize()
  return (a, b) => plain(b) !== '' && test(plain(a), plain(b))
}

function order(left: VariableValue, right: VariableValue, test: (a: number, b: number) => boolean): boolean {
  return left !== null && right !== null && test(magnitude(left), magnitude(right))
}

/** A number, else the milliseconds of a date, else the length. */
function magnitude(value: string | (string | null)[]): number {
  if (typeof value !== 'string') return value.length
  const trimmed = value.trim()
  if (trimmed === '' || trimmed.startsWith('+')) return value.length
  const number = Number(trimmed)
  if (!Number.isNaN(number)) return number
  // The platform reads nearly any text with a number in it as a date, so it must look like one.
  const looksLikeDate = /\d[-/.:]\d|\d{4}/.test(trimmed)
  const date = looksLikeDate ? Date.parse(trimmed) : Number.NaN
  return Number.isNaN(date) ? value.length : date
}

/** The outcome for each pair. The expressions come from the bot, so they run in the sandbox with its time limit. */
async function matchPairs(
  run: Run,
  left: VariableValue,
  right: VariableValue,
): Promise<(boolean | 'invalid')[]> {
  const texts = itemsOf(left)
  const outcomes: (boolean | 'invalid')[] = []
  for (const source of itemsOf(right)) {
    const { pattern, flags } = readRegex(source)
    const reply = await evaluate(run, 'return texts.map((text) => new RegExp(pattern, flags).test(text))', [
      { name: 'texts', value: texts },
      { name: 'pattern', value: pattern },
      { name: 'flags', value: flags },
    ])
    if (reply.ok && Array.isArray(reply.value)) {
      outcomes.push(...reply.value.map((matches) => matches === true))
    } else {
      log(run, 'error', 'A regular expression could not be used', {
        details: `${source}: ${reply.ok ? 'no result' : reply.message}`,
        isInternal: true,
      })
      outcomes.push('invalid')
    }
  }
  return outcomes
}

function readRegex(source: string): { pattern: string; flags: string } {
  const end = source.lastIndexOf('/')
  const flags = source.slice(end + 1)
  const isDelimited = source.startsWith('/') && end > 0 && /^[gimuy]*$/.test(flags)
  return isDelimited ? { pattern: source.slice(1, end), flags } : { pattern: source, flags: '' }
}
