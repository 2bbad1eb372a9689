import type { Block, Draft, EdgeSource, Item, JsonObject, Variable } from './draft.ts'
import { findBlock } from './draft.ts'
import { plainTextOf } from './rich-text.ts'

/* Names and summaries of blocks, for people. */

export type Family = 'bubble' | 'input' | 'logic' | 'integration'

const labels: Record<string, [Family, string]> = {
  start: ['logic', 'Start'],
  text: ['bubble', 'Text'],
  image: ['bubble', 'Image'],
  video: ['bubble', 'Video'],
  embed: ['bubble', 'Embed'],
  audio: ['bubble', 'Audio'],
  'text input': ['input', 'Text'],
  'number input': ['input', 'Number'],
  'email input': ['input', 'E-mail'],
  'url input': ['input', 'Website'],
  'phone number input': ['input', 'Phone'],
  'date input': ['input', 'Date'],
  'time input': ['input', 'Time'],
  'payment input': ['input', 'Payment'],
  'rating input': ['input', 'Rating'],
  'file input': ['input', 'File'],
  'choice input': ['input', 'Buttons'],
  'picture choice input': ['input', 'Pictures'],
  cards: ['input', 'Cards'],
  'Set variable': ['logic', 'Set variable'],
  Condition: ['logic', 'Condition'],
  Redirect: ['logic', 'Redirect'],
  Code: ['logic', 'Code'],
  'Bot link': ['logic', 'Bot link'],
  Wait: ['logic', 'Wait'],
  'AB test': ['logic', 'A/B test'],
  Jump: ['logic', 'Jump'],
  Return: ['logic', 'Return'],
  webhook: ['logic', 'Wait for webhook'],
  handoff: ['logic', 'Hand over to people'],
  'wait until': ['logic', 'Wait until'],
  Webhook: ['integration', 'HTTP request'],
  Email: ['integration', 'Send e-mail'],
  'Google Sheets': ['integration', 'Google Sheets'],
  'Google Analytics': ['integration', 'Google Analytics'],
  openai: ['integration', 'OpenAI'],
  anthropic: ['integration', 'Anthropic'],
  mistral: ['integration', 'Mistral'],
  groq: ['integration', 'Groq'],
  deepseek: ['integration', 'DeepSeek'],
  'together-ai': ['integration', 'Together AI'],
  'open-router': ['integration', 'OpenRouter'],
  perplexity: ['integration', 'Perplexity'],
  'dify-ai': ['integration', 'Dify'],
  elevenlabs: ['integration', 'ElevenLabs'],
  'cal-com': ['integration', 'Cal.com'],
  nocodb: ['integration', 'NocoDB'],
  segment: ['integration', 'Segment'],
  posthog: ['integration', 'PostHog'],
  zendesk: ['integration', 'Zendesk'],
  'qr-code': ['integration', 'QR code'],
  'chat-node': ['integration', 'ChatNode'],
  gmail: ['integration', 'Gmail'],
  blink: ['integration', 'Blink'],
}

/** The family and the name of a type; types that are not in this list show their own name. */
export function kindOf(type: string): { family: Family; label: string } {
  const [family, label] = labels[type] ?? ['integration', type]
  return { family, label }
}

/** Questions say so, since some share their name with a message. */
export function nameOf(type: string): string {
  const { family, label } = kindOf(type)
  return family === 'input' ? `${label} question` : label
}

const textIn = (object: JsonObject | undefined, key: string): string | undefined => {
  const value = object?.[key]
  return typeof value === 'string' && value.trim() !== '' ? value : undefined
}

export const variableName = (variables: Variable[], id: unknown) =>
  variables.find((each) => each.id === id)?.name

/** Summarises a block in one line. */
export function summaryOf(block: Block, variables: Variable[]): string {
  const { content, options } = block
  const { label, family } = kindOf(block.type)
  const saved = variableName(variables, options?.variableId)
  if (block.type === 'text') {
    const written = plainTextOf(content?.richText) || textIn(content, 'plainText') || textIn(content, 'html')
    return written?.trim() || 'Empty text'
  }
  if (family === 'bubble') return textIn(content, 'url') ?? `${label}: no address yet`
  if (family === 'input') {
    const hint = textIn(options?.labels as JsonObject | undefined, 'placeholder')
    return saved ? `${label} → ${saved}` : (hint ?? label)
  }
  if (block.type === 'Set variable') {
    const value = textIn(options, 'expressionToEvaluate') ?? textIn(options, 'type')
    return saved ? `${saved} = ${value ?? 'empty'}` : 'Set a variable'
  }
  if (block.type === 'wait until') {
    const until = textIn(options, 'until')
    return until ? `Wait until ${until}` : `Wait ${textIn(options, 'secondsToWaitFor') ?? '?'} s`
  }
  if (block.type === 'handoff') return textIn(options, 'message') ?? label
  if (block.type === 'Wait') return `Wait ${textIn(options, 'secondsToWaitFor') ?? '?'} s`
  const detail = ['name', 'url', 'subject', 'action', 'task'].map((key) => textIn(options, key)).find(Boolean)
  const request = textIn(options?.webhook as JsonObject | undefined, 'url')
  return [label, detail ?? request].filter(Boolean).join(': ')
}

export function itemSummary(block: Block, item: Item, variables: Variable[]): string {
  if (block.type === 'Condition') return conditionOf(item.content as JsonObject | undefined, variables)
  if (block.type === 'AB test') return item.path === 'b' ? 'B' : 'A'
  if (block.type === 'handoff') return item.path === 'closed' ? 'Outside of office hours' : 'Nobody came'
  return textIn(item, 'content') ?? textIn(item, 'title') ?? textIn(item, 'pictureSrc') ?? 'Empty'
}

function conditionOf(condition: JsonObject | undefined, variables: Variable[]): string {
  const comparisons = Array.isArray(condition?.comparisons) ? (condition.comparisons as JsonObject[]) : []
  const parts = comparisons.map((each) => {
    const name = variableName(variables, each.variableId) ?? '?'
    return [name, String(each.comparisonOperator ?? '?').toLowerCase(), textIn(each, 'value')]
      .filter(Boolean)
      .join(' ')
  })
  return parts.join(condition?.logicalOperator === 'OR' ? ' or ' : ' and ') || 'Never'
}

export function eventName(type: string): string {
  const names: Record<string, string> = {
    start: 'Start',
    command: 'Command',
    reply: 'Every answer',
    invalidReply: 'Invalid answer',
    idle: 'No answer',
  }
  return names[type] ?? type
}

/** The place that an edge leaves, in words. */
export function sourceName(draft: Draft, source: EdgeSource): string {
  if (source.eventId !== undefined) {
    const event = draft.events.find(({ id }) => id === source.eventId)
    return event ? eventName(event.type) : 'A missing event'
  }
  const found = source.blockId === undefined ? undefined : findBlock(draft, source.blockId)
  if (!found) return 'A missing block'
  const item = found.block.items?.find(({ id }) => id === source.itemId)
  const path = item?.paths?.find(({ id }) => id === source.pathId)
  const words =
    path?.text ?? (item ? itemSummary(found.block, item, draft.variables) : nameOf(found.block.type))
  return `${found.group.title}: ${words}`
}
