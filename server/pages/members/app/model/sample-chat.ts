import type { Block, Draft } from './draft.ts'
import { toMarked } from './rich-text.ts'
import { variableName } from './words.ts'

/* A chat as a flow begins with it, without running it: conditions do not hold, and visitors take the first button. */

export interface SampleLine {
  role: 'bot' | 'visitor' | 'buttons'
  words: string[]
}

const MAX_LINES = 12

const answers: Record<string, string> = {
  'email input': 'ada@example.com',
  'phone number input': '+1 202 555 0143',
  'date input': '2026-06-03',
  'time input': '10:30',
  'url input': 'https://example.com',
  'file input': 'photo.jpg',
}

export function sampleChat(draft: Draft): SampleLine[] {
  const lines: SampleLine[] = []
  const values = new Map<string, string>()
  const edges = new Map(draft.edges.map(({ id, to }) => [id, to]))
  const groups = new Map(draft.groups.map((group) => [group.id, group.blocks]))
  const fill = (words: string) => {
    let filled = words.replaceAll('**', '')
    for (const [name, value] of values) filled = filled.replaceAll(`{{${name}}}`, value)
    return filled
  }
  const start = draft.events.find(({ type }) => type === 'start')
  let next = edges.get(start?.outgoingEdgeId ?? '')
  // Each group once: a flow may lead back.
  for (const seen = new Set<string>(); next && !seen.has(next.groupId) && lines.length < MAX_LINES; ) {
    seen.add(next.groupId)
    const blocks: Block[] = groups.get(next.groupId) ?? []
    next = undefined
    for (const [index, block] of blocks.entries()) {
      const options = (block.options ?? {}) as Record<string, unknown>
      const name = variableName(draft.variables, options.variableId)
      let exit = block.outgoingEdgeId
      if (block.type === 'text') {
        const content = block.content as { richText?: unknown } | undefined
        lines.push({ role: 'bot', words: toMarked(content?.richText).split('\n').map(fill) })
        if (index < blocks.length - 1) exit = undefined
      } else if (block.type === 'choice input') {
        const buttons = (block.items ?? []).map(({ content }) => fill(String(content ?? '')))
        lines.push({ role: 'buttons', words: buttons })
        exit = block.items?.[0]?.outgoingEdgeId ?? exit
        if (name) values.set(name, buttons[0] ?? '')
      } else if (block.type.endsWith('input')) {
        const words = answers[block.type] ?? sampleAnswer(block.type, name ?? '', options)
        lines.push({ role: 'visitor', words: [words] })
        if (name) values.set(name, words)
      } else if (block.type === 'Set variable' && name) {
        values.set(name, options.isCode || options.type ? '…' : String(options.expressionToEvaluate ?? ''))
      }
      if (lines.length >= MAX_LINES) break
      next = edges.get(exit ?? '')
      if (next) break
    }
  }
  return lines
}

function sampleAnswer(type: string, variable: string, options: Record<string, unknown>): string {
  if (type === 'rating input') return String(options.length ?? 10)
  if (type === 'number input') return String(options.min ?? 10)
  if (/name$/i.test(variable)) return 'Ada'
  return /company/i.test(variable) ? 'Acme' : '…'
}
