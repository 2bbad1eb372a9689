/** Conditions of blocks, items and cards. */

import { asObject, asObjects, asString } from '../../json/access.ts'
import { dateFormatsOf } from './date-formats.ts'
import { evaluate } from './evaluate.ts'
import { checkBudget, currentFrame, type Execution, log, waitFor } from './execution.ts'
import type { VariableValue } from './types.ts'
import { fillValue, onlyPlaceholder, readVariable } from './variables.ts'

/** Pairs of characters that one comparison may look at in the worst case, some 2.5 milliseconds. */
const MAX_COMPARED_PAIRS = 20_000_000

/** As many pairs of characters as a pair of items takes the time of, however small they are. */
const pairOverhead = 64

type Compare = (left: string, right: string) => boolean

/** Without comparisons a condition does not hold. All have to hold unless it says `OR`. */
export async function holds(run: Execution, condition: unknown): Promise<boolean> {
  const { logicalOperator, comparisons: given } = asObject(condition)
  const comparisons = asObjects(given)
  if (comparisons.length === 0) return false
  const isAny = logicalOperator === 'OR'
  for (const comparison of comparisons) {
    if (!(await checkBudget(run))) return false
    const { variableId, comparisonOperator, value } = comparison
    const isComplete = typeof variableId === 'string' && typeof comparisonOperator === 'string'
    const isTrue =
      isComplete &&
      (await compare(
        run,
        readVariable(run, variableId),
        comparisonOperator,
        await rightSide(run, asString(value) ?? ''),
        [variableId, variableIdOf(run, asString(value) ?? '')],
      ))
    if (isTrue === isAny) return isAny
  }
  return !isAny
}

/** True if an item of a choice or a card is shown. */
export async function isDisplayed(run: Execution, displayCondition: unknown): Promise<boolean> {
  const { isEnabled, condition } = asObject(displayCondition)
  return isEnabled !== true || holds(run, condition)
}

async function rightSide(run: Execution, value: string): Promise<VariableValue> {
  return value === 'undefined' || value === 'null' ? null : fillValue(run, value)
}

async function compare(
  run: Execution,
  left: VariableValue,
  operator: string,
  right: VariableValue,
  variableIds: (string | undefined)[],
): Promise<boolean> {
  switch (operator) {
    case 'Equal to':
      return left === null || right === null ? left === right : areAllEqual(left, right)
    case 'Not equal':
      return left === null || right === null ? left !== right : !haveCommonItem(left, right)
    case 'Contains':
      return contains(run, left, right)
    case 'Does not contain':
      return !contains(run, left, right)
    case 'Starts with':
      return everyPair(run, left, right, (a, b) => a.startsWith(b))
    case 'Ends with':
      return everyPair(run, left, right, (a, b) => a.endsWith(b))
    case 'Greater than':
      return order(run, left, right, variableIds, (a, b) => a > b)
    case 'Greater or equal to':
      return order(run, left, right, variableIds, (a, b) => a >= b)
    case 'Less than':
      return order(run, left, right, variableIds, (a, b) => a < b)
    case 'Less or equal to':
      return order(run, left, right, variableIds, (a, b) => a <= b)
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

function normalizeItems(value: VariableValue): Set<string> {
  return new Set(itemsOf(value).map((item) => item.normalize()))
}

/** Every item of one side equals every item of the other. An empty list equals nothing. */
function areAllEqual(left: VariableValue, right: VariableValue): boolean {
  const [ours, theirs] = [normalizeItems(left), normalizeItems(right)]
  return ours.size === 1 && theirs.size === 1 && haveCommonItem(left, right)
}

function haveCommonItem(left: VariableValue, right: VariableValue): boolean {
  const others = normalizeItems(right)
  return [...normalizeItems(left)].some((item) => others.has(item))
}

/** A list contains its items, a text its parts. */
function contains(run: Execution, left: VariableValue, right: VariableValue): boolean {
  if (Array.isArray(left)) return haveCommonItem(left, right)
  const [ours, theirs] = comparable(run, left, right)
  return ours.some((a) => theirs.some((b) => b !== '' && a.includes(b)))
}

function everyPair(run: Execution, left: VariableValue, right: VariableValue, test: Compare): boolean {
  const [ours, theirs] = comparable(run, left, right)
  const isAny = ours.length > 0 && theirs.length > 0
  return isAny && ours.every((a) => theirs.every((b) => b !== '' && test(a, b)))
}

/** The items of both sides, trimmed and in lower case. Empty if comparing them would block the thread for too long. */
function comparable(run: Execution, left: VariableValue, right: VariableValue): [string[], string[]] {
  const [ours, theirs] = [left, right].map((side) =>
    itemsOf(side).map((item) => item.trim().toLowerCase().normalize()),
  ) as [string[], string[]]
  const size = (items: string[]) => items.reduce((sum, item) => sum + item.length + 1, 0)
  const pairs = size(ours) * size(theirs) + ours.length * theirs.length * pairOverhead
  if (pairs <= MAX_COMPARED_PAIRS) return [ours, theirs]
  log(run, 'error', 'A condition compares texts that are too large, it does not hold')
  return [[], []]
}

/** Numbers, dates and lengths. A date is compared with a date or a number alone: with anything else nothing holds. */
async function order(
  run: Execution,
  left: VariableValue,
  right: VariableValue,
  variableIds: (string | undefined)[],
  test: (a: number, b: number) => boolean,
): Promise<boolean> {
  if (left === null || right === null) return false
  const formats = variableIds.map((id) => dateFormatsOf(currentFrame(run).flowIndex, id))
  const mayBeDate = [left, right].some(
    (side) => typeof side === 'string' && side.length <= MAX_DATE_CHARACTERS && looksLikeDate(side),
  )
  if (!mayBeDate && formats.every((each) => each.length === 0)) return test(magnitude(left), magnitude(right))
  const { compareDates } = await waitFor(run, import('./inputs/date.ts'))
  const dates = compareDates(run, [left, right], formats)
  if (dates === null) return test(magnitude(left), magnitude(right))
  if (dates === 'no date') {
    log(run, 'error', 'A condition compares a date with what is no date, it does not hold', {
      details: [left, right],
      isInternal: true,
    })
    return false
  }
  return test(...dates)
}

/** No date is longer, and the pattern takes long over longer texts. */
const MAX_DATE_CHARACTERS = 100

/** Something between digits, a year, or the digits of a script of its own. */
const datePatterns = [/\p{Nd}\s?[-/.:年년]\s?\p{Nd}/u, /\p{Nd}{4}/u, /\p{L}{3}/u]
function looksLikeDate(text: string): boolean {
  return /\p{Nd}/u.test(text) && datePatterns.some((pattern) => pattern.test(text))
}

/** The variable of a text that is one placeholder. */
function variableIdOf(run: Execution, value: string): string | undefined {
  const name = onlyPlaceholder(value)
  const { variablesByName } = currentFrame(run).flowIndex
  return name === null ? undefined : (variablesByName.get(name) ?? variablesByName.get(name.trim()))?.id
}

/** A number, else the length. */
function magnitude(value: string | (string | null)[]): number {
  if (typeof value !== 'string') return value.length
  const trimmed = value.trim()
  if (trimmed === '' || trimmed.startsWith('+')) return value.length
  const number = Number(trimmed)
  return Number.isNaN(number) ? value.length : number
}

const matching = 'texts.map((text) => new RegExp(pattern, flags).test(text))'

/** The outcome for each pair. The expressions come from the bot, so they run in the sandbox with its time limit. */
async function matchPairs(
  run: Execution,
  left: VariableValue,
  right: VariableValue,
): Promise<(boolean | 'invalid')[]> {
  const outcomes: (boolean | 'invalid')[] = []
  // Neither an empty text nor an empty pattern matches, nor does it count as one that does not match.
  const texts = itemsOf(left).filter((item) => item !== '')
  const patterns = itemsOf(right)
  if (texts.length < itemsOf(left).length) outcomes.push('invalid')
  if (texts.length === 0 || patterns.length === 0) return ['invalid']
  for (const source of patterns) {
    const regex = readRegex(source)
    if (regex === undefined || regex.pattern === '') {
      outcomes.push('invalid')
      if (regex === undefined) {
        log(run, 'error', 'A regular expression has flags other than gimuy, it does not match', {
          details: source,
          isInternal: true,
        })
      }
      continue
    }
    const { pattern, flags } = regex
    const args = [
      { name: 'texts', value: texts },
      { name: 'pattern', value: pattern },
      { name: 'flags', value: flags },
    ]
    const evaluation = await evaluate(run, { form: 'expression', code: matching, args })
    if (evaluation.ok && Array.isArray(evaluation.value)) {
      for (const matches of evaluation.value) outcomes.push(matches === true)
    } else {
      log(run, 'error', 'A regular expression could not be used', {
        details: `${source}: ${evaluation.ok ? 'no result' : evaluation.message}`,
        isInternal: true,
      })
      outcomes.push('invalid')
    }
  }
  return outcomes
}

/** A pattern between slashes with flags, or a bare one. Undefined for flags that are not taken. */
function readRegex(source: string): { pattern: string; flags: string } | undefined {
  const end = source.lastIndexOf('/')
  const flags = source.slice(end + 1)
  const isDelimited = source.startsWith('/') && end > 0
  if (isDelimited && /^[gimuy]*$/.test(flags)) return { pattern: source.slice(1, end), flags }
  // Longer letters behind a slash are the end of a path, as in `/docs/new`.
  return isDelimited && /^[dgimsuvy]{1,8}$/.test(flags) ? undefined : { pattern: source, flags: '' }
}
