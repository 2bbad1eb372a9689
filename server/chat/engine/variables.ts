/** Variable values, and texts with placeholders: `{{name}}` for a value, `{{= code =}}` for the result of code. */

import { cutText, storableText } from '../../json/access.ts'
import { isSafeNumber } from '../../kit/json/exact-numbers.ts'
import type { EvaluateArgument, EvaluateOutcome } from '../../sandbox/types.ts'
import { evaluate } from './evaluate.ts'
import { abortChat, currentFrame, type Execution, type LiveFrame, log } from './execution.ts'
import { candidateNames, toValue } from './flow-index.ts'
import { parametrize } from './parametrize.ts'
import type { VariableValue } from './types.ts'

/** Characters that an item of a list is counted with besides its own. */
const ITEM_OVERHEAD_CHARACTERS = 3

/** Properties of blocks that hold an address. */
const ADDRESS_KEY = /^url$|Url$|Src$/

/** Deeper than any document may be. */
const MAX_VALUE_DEPTH = 64

export function readVariable(
  run: Execution,
  variableId: unknown,
  frame: LiveFrame = currentFrame(run),
): VariableValue {
  if (typeof variableId !== 'string') return null
  const value = frame.values.get(variableId)
  if (value !== undefined) return value
  return limitValue(run, frame.flowIndex.variables.get(variableId)?.initialValue ?? null)
}

export function valueByName(run: Execution, name: string): VariableValue {
  const { flowIndex } = currentFrame(run)
  const meant = candidateNames(name).find((each) => flowIndex.variablesByName.has(each))
  const variable = meant === undefined ? undefined : flowIndex.variablesByName.get(meant)
  return variable === undefined ? null : readVariable(run, variable.id)
}

/** Sets a variable of the bot, cut to the maximum length. Unknown variables are ignored. */
export function setVariable(
  run: Execution,
  variableId: unknown,
  value: unknown,
  frame = currentFrame(run),
): void {
  if (typeof variableId !== 'string') return
  const variable = frame.flowIndex.variables.get(variableId)
  if (variable === undefined) return
  const storable = storableValue(toValue(value))
  const fitting = limitValue(run, storable)
  if (countCharacters(fitting) < countCharacters(storable)) {
    log(run, 'error', `The value of "${variable.name}" was cut to ${run.limits.valueCharacters} characters`)
  }
  const total =
    frame.characters + countCharacters(fitting) - countCharacters(frame.values.get(variableId) ?? null)
  if (total > run.limits.totalValueCharacters) {
    const limit = run.limits.totalValueCharacters
    log(
      run,
      'error',
      `"${variable.name}" was not changed: all variables together may hold ${limit} characters`,
    )
    return
  }
  frame.characters = total
  frame.values.set(variableId, fitting)
}

/** A list variable gets the reply appended, others are replaced. */
export function saveReply(run: Execution, variableId: unknown, value: string | string[]): void {
  const before = readVariable(run, variableId)
  setVariable(run, variableId, Array.isArray(before) ? before.concat(value) : value)
}

/** The text of a value as it appears in texts. */
export function textOfValue(value: VariableValue): string {
  if (value === null) return ''
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** The name of the variable, if the text is exactly one placeholder. */
export function onlyPlaceholder(value: string): string | null {
  const hasOneEnd = value.length >= 4 && value.indexOf('}}', 2) === value.length - 2
  const isOne = value.startsWith('{{') && hasOneEnd && value.indexOf('{{', 2) === -1
  return isOne && !value.startsWith('{{=') ? value.slice(2, -2) : null
}

/** The raw value for a text that is one placeholder, so that lists stay lists; else the text filled in. */
export async function fillValue(run: Execution, value: string): Promise<VariableValue> {
  const name = onlyPlaceholder(value)
  return name === null ? fill(run, value) : valueByName(run, name)
}

/** Writes a value into the text; `before` is the fixed text since the previous placeholder. */
export type WriteValue = (value: VariableValue, before: string) => string

/**
 * Fills a text in one pass: texts of visitors are never searched for placeholders. Code that fails leaves nothing in
 * its place and a log entry. An aborted chat shows nothing more, so nothing is filled.
 */
export async function fill(
  run: Execution,
  template: string,
  write: WriteValue = textOfValue,
): Promise<string> {
  if (!template.includes('{{')) return template
  if (run.isAborted) return ''
  let filled = ''
  let position = 0
  for (const part of placeholders(template)) {
    const before = template.slice(position, part.start)
    const value = part.isCode ? await evaluatePlaceholder(run, part.inner) : valueByName(run, part.inner)
    filled += before + write(value, before)
    position = part.end
    if (filled.length > run.limits.valueCharacters) {
      log(run, 'error', `A text was cut to ${run.limits.valueCharacters} characters`)
      filled = cutText(filled, run.limits.valueCharacters)
      position = template.length
      break
    }
  }
  filled += template.slice(position)
  spendFilled(run, filled.length)
  return filled
}

/** Counts characters that values were filled in with. */
export function spendFilled(run: Execution, characters: number): void {
  run.spent.filledCharacters += characters
  if (run.spent.filledCharacters <= run.limits.outputCharacters) return
  abortChat(
    run,
    `The chat was stopped: one turn filled in more than ${run.limits.outputCharacters} characters`,
  )
}

/** Fills every text inside a JSON value. The outcome is the caller's, but parts of it may still be the document's. */
export async function fillDeep(run: Execution, value: unknown, depth = 0): Promise<unknown> {
  if (typeof value === 'string') return fill(run, value)
  if (typeof value !== 'object' || value === null || depth > MAX_VALUE_DEPTH) return value
  if (depth === 0 && !hasPlaceholder(value)) return Array.isArray(value) ? [...value] : { ...value }
  if (Array.isArray(value)) {
    const filled: unknown[] = []
    for (const item of value) filled.push(await fillDeep(run, item, depth + 1))
    return filled
  }
  const entries: [string, unknown][] = []
  for (const [key, inner] of Object.entries(value)) {
    const isAddress = typeof inner === 'string' && ADDRESS_KEY.test(key)
    entries.push([key, isAddress ? await fillAddress(run, inner) : await fillDeep(run, inner, depth + 1)])
  }
  return Object.fromEntries(entries)
}

/**
 * Fills an address. Before the path values are taken as they are, as is a path or query that is one placeholder alone.
 * All others are percent-encoded, so that each is one segment, or one value of the query.
 */
export async function fillAddress(run: Execution, template: string): Promise<string> {
  const address = template.trim()
  if (!address.includes('{{')) return address
  const isEncoded = encodedPlaces(address)
  let place = 0
  const filled = await fill(run, address, (value) => {
    const words = textOfValue(value).trim()
    const isPart = isEncoded[place]
    place += 1
    return isPart ? addressPart(words) : words
  })
  return filled.trim()
}

/** A value as one part of an address. Dots alone would lead to another path, however they are encoded. */
function addressPart(value: string): string {
  return value === '.' || value === '..' ? '' : encodeURIComponent(storableText(value))
}

const MARK = '\0'
/** Scheme and host, path, query, fragment. */
const PARTS = /^((?:[a-z][a-z\d+.-]*:(?!\d)(?:\/\/)?)?[^/?#]*)([^?#]*)(\?[^#]*)?(#.*)?$/is

/** One entry for each placeholder, in order. */
function encodedPlaces(address: string): boolean[] {
  let marked = ''
  let position = 0
  for (const { start, end } of placeholders(address)) {
    marked += address.slice(position, start).replaceAll(MARK, '') + MARK
    position = end
  }
  const [, before = '', ...parts] = PARTS.exec(marked + address.slice(position).replaceAll(MARK, '')) ?? []
  const places = (part: string, isPart: boolean) => Array(part.split(MARK).length - 1).fill(isPart)
  return [...places(before, false), ...parts.flatMap((part = '') => places(part, !/^[/?#]\0$/.test(part)))]
}

function hasPlaceholder(value: unknown, depth = 0): boolean {
  if (typeof value === 'string') return value.includes('{{')
  if (typeof value !== 'object' || value === null || depth > MAX_VALUE_DEPTH) return false
  for (const key in value) {
    if (hasPlaceholder((value as Record<string, unknown>)[key], depth + 1)) return true
  }
  return false
}

/** A number option: a number, or a text that yields one once it is filled in. A comma counts as the point. */
export async function fillNumber(run: Execution, value: unknown): Promise<number | undefined> {
  if (typeof value === 'number') return value
  if (typeof value !== 'string') return undefined
  const filled = (await fill(run, value)).trim().replace(',', '.')
  const number = Number(filled)
  return filled === '' || !Number.isFinite(number) ? undefined : number
}

/** Code with its placeholders turned into parameters: values get in as values, never as code. */
export function compile(
  run: Execution,
  code: string,
): { code: string; args: { name: string; value: EvaluateArgument }[] } {
  const pieces: string[] = []
  const variables: string[] = []
  let position = 0
  for (const part of placeholders(code)) {
    pieces.push(code.slice(position, part.start))
    variables.push(part.inner.trim())
    position = part.end
  }
  const compiled = parametrize([...pieces, code.slice(position)], variables)
  const args = compiled.parameters.map(({ name, variable, kind }) => {
    const value = valueByName(run, variable)
    return { name, value: kind === 'text' ? textOfValue(value) : toArgument(value) }
  })
  return { code: compiled.code, args }
}

/** Runs code of the bot. See `EvaluateRequest` for its forms. */
export async function evaluateCode(
  run: Execution,
  code: string,
  form: 'expression' | 'body' = 'expression',
): Promise<EvaluateOutcome> {
  return evaluate(run, { form, ...compile(run, code.trim()) })
}

/** Applies the calls of `setVariable(name, value)` in the code. */
export function setAssignedVariables(run: Execution, assignments: { name: string; value: unknown }[]): void {
  const { flowIndex } = currentFrame(run)
  for (const { name, value } of assignments) setVariable(run, flowIndex.variablesByName.get(name)?.id, value)
}

async function evaluatePlaceholder(run: Execution, code: string): Promise<VariableValue> {
  const evaluation = await evaluateCode(run, code)
  if (evaluation.ok) return limitValue(run, storableValue(toValue(evaluation.value)))
  log(run, 'error', 'Code in a text failed', { details: `${evaluation.message}\n${code}`, isInternal: true })
  return null
}

interface Placeholder {
  start: number
  end: number
  inner: string
  isCode: boolean
}

/** All placeholders of a text, in time that grows with its length only. Of nested braces the innermost ones count. */
function* placeholders(template: string): Generator<Placeholder> {
  let codeEnd = -1
  let start = template.indexOf('{{')
  while (start !== -1) {
    const isCode = template.startsWith('{{=', start)
    if (isCode && codeEnd < start + 3) {
      const found = template.indexOf('=}}', start + 3)
      codeEnd = found === -1 ? template.length : found
    }
    if (isCode && codeEnd < template.length) {
      yield { start, end: codeEnd + 3, inner: template.slice(start + 3, codeEnd), isCode: true }
      start = template.indexOf('{{', codeEnd + 3)
      continue
    }
    const end = template.indexOf('}}', start + 2)
    if (end === -1) return
    const innermost = template.lastIndexOf('{{', end - 2)
    yield { start: innermost, end: end + 2, inner: template.slice(innermost + 2, end), isCode: false }
    start = template.indexOf('{{', end + 2)
  }
}

/** Texts that are numbers or truth values are that in code, so that `{{Score}} + 5` adds. */
function toArgument(value: VariableValue): EvaluateArgument {
  if (typeof value !== 'string') return value
  if (value === 'true') return true
  if (value === 'false') return false
  // A leading zero or plus is part of a code or a phone number.
  return /^-?(0|[1-9]\d*)(\.\d+)?$/.test(value) && isSafeNumber(value) ? Number(value) : value
}

function storableValue(value: VariableValue): VariableValue {
  if (value === null) return null
  if (typeof value === 'string') return storableText(value)
  return value.map((item) => (item === null ? null : storableText(item)))
}

export function countCharacters(value: VariableValue): number {
  if (value === null) return 0
  if (typeof value === 'string') return value.length
  return value.reduce((size, item) => size + ITEM_OVERHEAD_CHARACTERS + (item?.length ?? 0), 0)
}

function limitValue(run: Execution, value: VariableValue): VariableValue {
  const maximum = run.limits.valueCharacters
  if (countCharacters(value) <= maximum || value === null) return value
  if (typeof value === 'string') return cutText(value, maximum)
  let size = 0
  const end = value.findIndex((item) => {
    size += ITEM_OVERHEAD_CHARACTERS + (item?.length ?? 0)
    return size > maximum
  })
  return value.slice(0, end)
}
