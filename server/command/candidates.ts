import type { InputType } from '../../contract/bot-document/catalogue.ts'
import { asObject, asObjects } from '../json/access.ts'
import type { Block, Clues } from './flow-clues.ts'
import type { Message, Step } from './simulation.ts'

/* Replies that are tried at an input, by its type and by the comparisons of the flow. */

const MAX_CANDIDATES = 24

/** For each type; null if its options or its items determine the replies. */
const usual: Record<InputType, string[] | null> = {
  'text input': ['Ada'],
  'number input': null,
  'email input': ['ada@example.com'],
  'url input': ['https://example.com/'],
  'phone number input': ['+33612345678'],
  'date input': ['2026-02-03'],
  'time input': ['10:30'],
  'payment input': null,
  'rating input': null,
  'file input': null,
  'choice input': null,
  'picture choice input': null,
  cards: null,
}

/** Types whose inputs reject some replies. */
const checked = new Set([
  'number input',
  'email input',
  'url input',
  'phone number input',
  'date input',
  'time input',
])

export function candidatesFor(step: Step, block: Block | undefined, clues: Clues): Message[] {
  const { input, clientSideActions = [] } = step
  if (!input) {
    const action = clientSideActions.find(({ expectsDedicatedReply }) => expectsDedicatedReply === true)
    if (action?.type === 'listenForWebhook')
      return bodiesFor(block, clues).map((data) => JSON.stringify({ data }))
    const values = action?.type === 'setVariable' ? clues.valuesOf(block?.options?.variableId) : []
    return [...values, null]
  }
  const options = asObject(input.options)
  const values = clues.valuesOf(block?.options?.variableId)
  const items = asObjects(input.items)
  const replies: Message[] = []
  if (items.length > 0) {
    const choices = items.flatMap((item) => choicesOf(item))
    replies.push(...choices)
    if (options.isMultipleChoice === true && choices.length > 1)
      replies.push(items.flatMap(labelsOf).join(', '))
  } else if (input.type === 'number input') replies.push(...numbersFor(options, values))
  else if (input.type === 'rating input') {
    const first = Number(options.startsAt ?? 1)
    const last = Number(options.length ?? 10)
    for (let rating = first; rating <= Math.min(last, first + 20); rating++) replies.push(String(rating))
  } else if (input.type === 'file input') {
    replies.push('https://example.com/files/plan.pdf')
    if (options.isRequired === false) replies.push(null)
  } else if (input.type === 'payment input') replies.push(null)
  else replies.push(...(usual[input.type as InputType] ?? ['Ada']), ...values)
  if (checked.has(input.type)) replies.push('not valid')
  return replies.slice(0, MAX_CANDIDATES)
}

/** A choice by its id, with the label that visitors see. */
function choicesOf(item: Record<string, unknown>): Message[] {
  const paths = asObjects(item.paths)
  if (paths.length > 0) return paths.flatMap(choicesOf)
  const [text = ''] = labelsOf(item)
  return [typeof item.id === 'string' ? { type: 'text', text, metadata: { replyId: item.id } } : text]
}

const labelsOf = ({ content, text, title, pictureSrc }: Record<string, unknown>): string[] => [
  String(content ?? text ?? title ?? pictureSrc ?? ''),
]

function numbersFor({ min, max }: Record<string, unknown>, values: readonly string[]): string[] {
  const from = typeof min === 'number' ? min : undefined
  const to = typeof max === 'number' ? max : undefined
  const all = [from ?? 0, to ?? 5, ...values.map(Number)].filter(
    (value) =>
      Number.isFinite(value) && (from === undefined || value >= from) && (to === undefined || value <= to),
  )
  return [...new Set(all)].map(String)
}

/** Bodies of responses to a block that maps parts of them into variables. */
export function bodiesFor(block: Block | undefined, clues: Clues): unknown[] {
  const mappings = asObjects(block?.options?.responseVariableMapping)
  const bodyWith = (changed?: unknown, value?: string) =>
    bodyOf(
      mappings.map(({ bodyPath, variableId }) => ({
        path: String(bodyPath ?? ''),
        value: variableId === changed ? value : (clues.valuesOf(variableId)[0] ?? 'a text'),
      })),
    )
  return [
    bodyWith(),
    ...mappings.flatMap(({ variableId }) =>
      clues.valuesOf(variableId).map((value) => bodyWith(variableId, value)),
    ),
  ]
}

/** A body from which paths such as `data.items[0].name` read these values; others are left out. */
export function bodyOf(parts: readonly { path: string; value: unknown }[]): unknown {
  let body: unknown = {}
  for (const { path, value } of parts) {
    const steps = stepsOf(path)
    if (steps === null) continue
    if (steps.length === 0) body = value
    else setAt(body, steps, value)
  }
  return body
}

/** Steps of a plain path below `data`; null for any other. */
export function stepsOf(path: string): string[] | null {
  const rest = path.trim()
  if (!/^data(?:$|[.[])/.test(rest)) return null
  const steps: string[] = []
  const step = /\.([\p{L}_$][\p{L}\p{N}_$-]*)|\[(\d{1,4})\]|\["([^"\\]*)"\]|\['([^'\\]*)'\]/uy
  step.lastIndex = 4
  while (step.lastIndex < rest.length) {
    const found = step.exec(rest)
    if (!found) return null
    steps.push(found[1] ?? found[2] ?? found[3] ?? found[4] ?? '')
  }
  return steps
}

function setAt(root: unknown, steps: readonly string[], value: unknown) {
  let at = root as Record<string, unknown>
  for (const [index, step] of steps.entries()) {
    if (typeof at !== 'object' || at === null) return
    if (index === steps.length - 1)
      Object.defineProperty(at, step, { value, enumerable: true, writable: true, configurable: true })
    else {
      if (!Object.hasOwn(at, step)) {
        const inner = /^\d+$/.test(steps[index + 1] as string) ? [] : {}
        Object.defineProperty(at, step, {
          value: inner,
          enumerable: true,
          writable: true,
          configurable: true,
        })
      }
      at = at[step] as Record<string, unknown>
    }
  }
}
