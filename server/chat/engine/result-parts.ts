import { filledText, type JsonObject } from '../../json/access.ts'
import { currentFrame, type Execution, isPreview, type LiveFrame, waitFor } from './execution.ts'
import {
  type Block,
  type FlowIndex,
  type Group,
  indexFlow,
  isInput,
  searchBlock,
  toValue,
} from './flow-index.ts'
import type { Answer, Flow, ResultVariable, TranscriptEntry, VariableValue } from './types.ts'
import { readVariable } from './variables.ts'

/* Parts of a result: names of its answers, its transcript, and their substitutes in a preview. */

/** Variables of a result after some were set by their names; null empties. Other bots than its own are not looked at. */
export function withValues(flow: Flow, variables: ResultVariable[], values: JsonObject): ResultVariable[] {
  const { variablesByName } = indexFlow(flow)
  return Object.entries(values).reduce((list, [name, given]) => {
    const variable = variablesByName.get(name)
    if (variable === undefined || variable.isSessionVariable) return list
    const others = list.filter(({ id, name }) => id !== variable.id || name !== variable.name)
    const value = toValue(given)
    return value === null ? others : [...others, { id: variable.id, name, value }]
  }, variables)
}

/**
 * The answers so far by name, then the variables by name, session variables included: the body of requests and e-mails
 * without one of their own. Lists are joined, and the addresses of attachments come before the answer.
 */
export async function collectAnswers(run: Execution): Promise<Map<string, string>> {
  const frame = currentFrame(run)
  const flows = run.frames.map((each) => each.flowIndex).reverse()
  const names = new Map<string, string>()
  for (const { blockId, content, attachedFileUrls = [] } of await answersSoFar(run, frame))
    names.set(answerName(flows, blockId), [...attachedFileUrls, content].filter(Boolean).join(', '))
  for (const { id, name } of frame.flowIndex.variables.values()) {
    const value = readVariable(run, id, frame)
    if (value === null) continue
    const words = joinItems(value)
    // The answer that filled the variable, with its attachments.
    if (names.get(name)?.endsWith(`, ${words}`) !== true) names.set(name, words)
  }
  for (const { name, value } of frame.merged) names.set(name, joinItems(value))
  return names
}

export function joinItems(value: Exclude<VariableValue, null>): string {
  return Array.isArray(value) ? value.map((item) => item ?? '').join(', ') : value
}

async function answersSoFar(run: Execution, frame: LiveFrame): Promise<Answer[]> {
  if (frame.resultId === null || isPreview(run)) return run.state.preview?.answers ?? []
  const isLinked = frame.resultId !== run.state.resultId
  const added = isLinked ? (run.linkedResults.get(frame.resultId)?.answers ?? []) : run.answers
  return [...(await waitFor(run, run.effects.earlierAnswers(frame.resultId))), ...added]
}

export function answerName(flows: FlowIndex[], blockId: string): string {
  for (const flow of flows) {
    const found = searchBlock(flow, blockId)
    if (found === null) continue
    return inputName(flow, found.group, found.block, found.group.blocks.filter(isInput).indexOf(found.block))
  }
  return blockId
}

/** The name of the variable, else the title of the group: `Group`, `Group (1)` for its second input, and so on. */
export function inputName(flow: FlowIndex, group: Group, block: Block, number: number): string {
  const variable = flow.variables.get(filledText(block.options.variableId) ?? '')
  if (variable !== undefined) return variable.name
  return number > 0 ? `${group.title} (${number})` : group.title
}

/** The conversation as a text, one line for each message. */
export async function transcriptText(run: Execution): Promise<string> {
  const earlier = isPreview(run)
    ? (run.state.preview?.transcript ?? [])
    : await waitFor(run, run.effects.earlierTranscript())
  return [...earlier, ...run.transcript].map(transcriptLine).join('\n\n')
}

function transcriptLine(entry: TranscriptEntry): string {
  const words = entry.text ?? entry.image ?? entry.video ?? entry.audio ?? ''
  const speakers = { bot: 'Assistant', user: 'User', member: 'Agent' }
  return `${speakers[entry.role]}: "${words}"`
}

const MAX_PREVIEW_ENTRIES = 200

/** Stores the answers and transcript of a preview in its session, since it has no result; only the last ones. */
export function rememberPreview(run: Execution): void {
  const { preview } = run.state
  if (preview === undefined) return
  preview.answers = lastOf(run, preview.answers)
  preview.transcript = lastOf(run, [...preview.transcript, ...run.transcript])
}

/** Bounded, since every turn of a preview reads and writes them all. */
function lastOf<Entry>(run: Execution, entries: Entry[]): Entry[] {
  let left = run.limits.totalValueCharacters
  const isTooMuch = (entry: Entry) => {
    left -= JSON.stringify(entry).length
    return left < 0
  }
  const last = entries.slice(-MAX_PREVIEW_ENTRIES)
  return last.slice(last.findLastIndex(isTooMuch) + 1)
}
