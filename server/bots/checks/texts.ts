import { candidateNames } from '../../chat/engine/flow-index.ts'
import { syntaxFault } from '../../chat/engine/syntax.ts'
import { isRecord } from '../../documents/conversion/document.ts'
import { nearest } from '../../kit/issues/nearest.ts'
import { type Findings, type Flow, issue, type Path, quote, textsOf } from './flow.ts'

/** Names in placeholders that no variable has. Nothing ever stands in their place. */
export function* unknownNames(flow: Flow, block: unknown, path: Path): Findings {
  const seen = new Set<string>()
  for (const { text, path: inner } of textsOfBlock(block)) {
    // The innermost braces count, as they do in a chat.
    for (const [, name = ''] of text.matchAll(/\{\{([^{}]*)\}\}/g)) {
      const trimmed = name.trim()
      if (trimmed === '' || trimmed.startsWith('=') || seen.has(trimmed)) continue
      if (candidateNames(name).some((each) => flow.variableNames.has(each)) || isWholeState(block, text))
        continue
      seen.add(trimmed)
      yield
      const meant = nearest(trimmed, flow.variableNames, flow.effort)
      const hint = meant === undefined ? '' : ` Probably ${quote(meant)} is meant.`
      const message = `No variable has the name ${quote(trimmed)}, so nothing stands in its place.${hint}`
      yield issue([...path, ...inner], 'unknown_name', message)
    }
  }
}

/** The texts of a block; a chat fills in neither its id nor its type. */
function textsOfBlock(block: unknown) {
  const { content, options, items } = isRecord(block) ? block : {}
  return textsOf({ content, options, items })
}

/** A request body that stands for all answers, in documents of other builders. */
function isWholeState(block: unknown, text: string): boolean {
  return isRecord(block) && block.type === 'Webhook' && text === '{{state}}'
}

/** Code that cannot run because it does not parse: of code blocks, of variables, and between `{{=` and `=}}`. */
export function* brokenCode({ effort }: Flow, block: unknown, path: Path): Findings {
  const own = ownCode(block)
  const isSetVariable = isRecord(block) && block.type === 'Set variable'
  for (const { text, path: inner } of textsOfBlock(block)) {
    yield
    const isOwn = own !== undefined && inner.join('.') === own
    const pieces = isOwn ? [text] : inlineCode(text)
    for (const code of pieces) {
      if (effort.parsing <= 0) return
      effort.parsing -= Math.max(code.length, MIN_PARSING)
      yield
      const fault = syntaxFault(code)
      if (fault === undefined) continue
      // The same text in a `Code` block or between braces gives nothing.
      const outcome =
        isOwn && isSetVariable ? ' The variable gets it as text, with placeholders filled in.' : ''
      yield issue([...path, ...inner], 'invalid_code', `The code does not parse: ${fault}.${outcome}`)
      break
    }
  }
}

/** Returns the text of a block that is code as a whole. Texts that are not marked as code may be plain. */
function ownCode(block: unknown): string | undefined {
  if (!isRecord(block) || !isRecord(block.options)) return undefined
  const { type, isCode } = block.options
  if (block.type === 'Code') return 'options.content'
  const isCustom = type === undefined || type === 'Custom'
  return block.type === 'Set variable' && isCustom && isCode === true
    ? 'options.expressionToEvaluate'
    : undefined
}

function* inlineCode(text: string): Generator<string> {
  for (let start = text.indexOf('{{='); start !== -1; start = text.indexOf('{{=', start)) {
    const end = text.indexOf('=}}', start + 3)
    if (end === -1) return
    yield text.slice(start + 3, end)
    start = end + 3
  }
}

/** Characters that even an empty piece of code counts as. */
const MIN_PARSING = 200
