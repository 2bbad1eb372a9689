/** `Set variable` in all its types. */
import { canonicalTimeZone } from '../../../../contract/time-zones.ts'
import { asObject, asString, filledText, parseJson } from '../../../json/access.ts'
import {
  type BlockOutcome,
  currentFrame,
  type Execution,
  followBlockEdge,
  log,
  sendAwaitedAction,
  waitFor,
} from '../execution.ts'
import type { Block } from '../flow-index.ts'
import { transcriptText } from '../result-parts.ts'
import { syntaxFault } from '../syntax.ts'
import type { Position, Script, VariableValue } from '../types.ts'
import {
  compile,
  evaluateCode,
  fill,
  fillValue,
  onlyPlaceholder,
  readVariable,
  setAssignedVariables,
  setVariable,
  valueByName,
} from '../variables.ts'

/** The hours of the visitor, which only the client knows. */
const momentOfTheDay = `const hour = new Date().getHours()
if (hour < 12) return 'morning'
return hour < 18 ? 'afternoon' : 'evening'`

export async function runSetVariable(
  run: Execution,
  block: Block,
  position: Position,
): Promise<BlockOutcome> {
  const { variableId, type } = block.options
  if (typeof variableId !== 'string') return followBlockEdge(run, block)
  if (type === 'Moment of the day')
    return awaitScript(run, { content: momentOfTheDay, isCode: true, args: [] }, position)
  if ((type === undefined || type === 'Custom') && block.options.isExecutedOnClient === true) {
    return awaitScript(
      run,
      scriptOf(run, asString(block.options.expressionToEvaluate) ?? '', block),
      position,
    )
  }
  const value = await newValue(run, block)
  if (value !== undefined) setVariable(run, variableId, value)
  return followBlockEdge(run, block)
}

/** Accepts the value that a script of the client returned: JSON for lists, else text. */
export function acceptClientValue(run: Execution, block: Block, reply: string | null): BlockOutcome {
  const parsed = reply?.startsWith('[') ? parseJson(reply) : undefined
  setVariable(run, block.options.variableId, Array.isArray(parsed) ? parsed : reply)
  return followBlockEdge(run, block)
}

/** Code for the client, with the placeholders in it as arguments. */
export function scriptOf(run: Execution, content: string, block: Block): Script {
  const compiled = compile(run, content)
  const script: Script = {
    content: compiled.code,
    args: compiled.args.map(({ name, value }) => ({ id: name, value })),
  }
  if (typeof block.options.isCode === 'boolean') script.isCode = block.options.isCode
  if (block.options.isUnsafe === true) script.isUnsafe = true
  return script
}

function awaitScript(run: Execution, scriptToExecute: Script, position: Position): BlockOutcome {
  return sendAwaitedAction(run, { type: 'setVariable', setVariable: { scriptToExecute } }, position)
}

/** `undefined` leaves the variable as it is. */
async function newValue(run: Execution, block: Block): Promise<VariableValue | undefined | unknown> {
  const { options } = block
  const before = readVariable(run, options.variableId)
  switch (options.type) {
    case undefined:
    case 'Custom':
      return customValue(run, block)
    case 'Empty':
      return null
    case 'Append value(s)':
      return append(before, await fillValue(run, asString(options.item) ?? ''))
    case 'Environment name':
      return 'web'
    case 'Device type':
      return run.state.device
    case 'Transcript':
      return transcriptText(run)
    case 'User ID':
      return run.state.userId
    case 'Result ID':
      return currentFrame(run).resultId ?? run.state.userId
    case 'Now':
    case 'Yesterday':
    case 'Tomorrow':
      return dateText(run, block, options.type)
    case 'Today':
      return run.effects.now().toISOString()
    case 'Random ID':
      return run.effects.newId()
    case 'Map item with same index':
      return mapItem(run, asObject(options.mapListItemParams))
    case 'Pop':
    case 'Shift':
      return takeItem(run, before, options.type, options.saveItemInVariableId)
    // Known in messaging channels only.
    case 'Phone number':
    case 'Contact name':
    case 'Referral Click ID':
    case 'Referral Source ID':
      return null
    default:
      log(run, 'error', 'Set variable: unknown type', { details: String(options.type), context: block.id })
      return undefined
  }
}

/** Patterns that prose hardly ever contains, even if it does not parse as a program. */
const programs =
  /\.[\w$]+\(|[\w$]\((?:["'`)]|\{\{)|\bnew [A-Z]\w*\(|^\s*(?:const|let|var) [\w$]+ *=|=>\s*[{(]/
/** Patterns that prose hardly ever contains if it parses as a program; `item(s)` is allowed. */
const calls = /[\w$)\]]\((?!\w{1,3}\))|\b(?:document|globalThis|localStorage|navigator|process|window)\.\w/

/**
 * Evaluates an expression that may also be plain text. Text that is no code stays as it is, with its placeholders
 * filled in. Code that fails leaves the variable unchanged and logs an error: visitors must not see its source.
 */
async function customValue(run: Execution, block: Block): Promise<unknown> {
  const { saveErrorInVariableId } = block.options
  const isCode = block.options.isCode === true
  const expression = filledText(block.options.expressionToEvaluate)
  if (expression === undefined) return null
  const name = onlyPlaceholder(expression.trim())
  if (name !== null) return valueByName(run, name)
  // As code, digits after a leading zero would be an octal number or an error.
  if (/^\d+(\.\d+)?$/.test(expression)) return expression
  const code = unwrapExpression(expression)
  const mayBeText = !isCode && code === expression
  const evaluation = await evaluateCode(run, code)
  if (evaluation.ok) {
    setAssignedVariables(run, evaluation.assignments)
    setVariable(run, saveErrorInVariableId, null)
    const isText = mayBeText && evaluation.value === 'NaN' && !programs.test(code) && !calls.test(code)
    return isText ? fill(run, expression) : evaluation.value
  }
  if (mayBeText && isProse(code, evaluation.message)) return fill(run, expression)
  if (isCode && evaluation.message.startsWith('SyntaxError:') && syntaxFault(code) !== undefined) {
    log(run, 'info', 'Set variable: the code does not parse, so its text is the value', {
      details: evaluation.message,
      context: block.id,
      isInternal: true,
    })
    setVariable(run, saveErrorInVariableId, null)
    return fill(run, expression)
  }
  log(run, 'error', 'Set variable: the code failed', {
    details: evaluation.message,
    context: block.id,
    isInternal: true,
  })
  setVariable(run, saveErrorInVariableId, evaluation.message)
  return undefined
}

/** True if the evaluation failed because the text was never meant to be code. */
function isProse(code: string, message: string): boolean {
  if (programs.test(code)) return false
  if (message.startsWith('SyntaxError:')) return true
  return /^(?:ReferenceError|TypeError):/.test(message) && !calls.test(code)
}

/** `{{= code =}}` alone means the value of the code, not its text. */
function unwrapExpression(expression: string): string {
  const trimmed = expression.trim()
  const isWrapped = trimmed.startsWith('{{=') && trimmed.indexOf('=}}') === trimmed.length - 3
  return isWrapped ? trimmed.slice(3, -3) : expression
}

/** An empty text takes a place too, as `null`, so that lists that are filled side by side stay side by side. */
function append(before: VariableValue, added: VariableValue): VariableValue {
  const start = before === null ? [] : Array.isArray(before) ? before : [before]
  return start.concat(added === '' ? null : added)
}

function mapItem(run: Execution, params: Record<string, unknown>): VariableValue {
  const item = readVariable(run, params.baseItemVariableId)
  const base = readVariable(run, params.baseListVariableId)
  const target = readVariable(run, params.targetListVariableId)
  if (!Array.isArray(base) || !Array.isArray(target) || typeof item !== 'string') return null
  const index = base.indexOf(item)
  return index === -1 ? null : (target[index] ?? null)
}

function takeItem(
  run: Execution,
  before: VariableValue,
  type: 'Pop' | 'Shift',
  variableId: unknown,
): VariableValue | undefined {
  if (before === null) return undefined
  const items = Array.isArray(before) ? before : [before]
  // An empty list empties the item, so that a loop over the list sees that it has ended.
  setVariable(run, variableId, type === 'Pop' ? items.at(-1) : items[0])
  return type === 'Pop' ? items.slice(0, -1) : items.slice(1)
}

/** The same time of day of the next or previous calendar day: where clocks change, that is not 24 hours away. */
async function dateText(
  run: Execution,
  block: Block,
  type: 'Now' | 'Yesterday' | 'Tomorrow',
): Promise<string> {
  const days = { Now: 0, Yesterday: -1, Tomorrow: 1 }[type]
  const given = (await fill(run, asString(block.options.timeZone) ?? '')).trim()
  const zone = canonicalTimeZone(given)
  if (given !== '' && zone === undefined) {
    log(run, 'error', 'Set variable: unknown time zone, UTC is used', { details: given, context: block.id })
  }
  const { DateTime } = await waitFor(run, import('luxon'))
  const date = DateTime.fromJSDate(run.effects.now(), { zone: zone ?? 'utc' }).plus({ days })
  return zone === undefined ? date.toJSDate().toISOString() : date.toFormat("yyyy-MM-dd'T'HH:mm:ssZZ")
}
