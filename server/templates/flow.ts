/*
 * Templates are written as groups of parts and become documents of version 6.1. Ids follow from titles and positions,
 * so that a template is the same document at every start.
 */

type Json = Record<string, unknown>

/** A block or an item. `to` is the title of the group that it leads to. */
export type Part = Json & { to?: string; items?: Part[] }

export interface TemplateDocument {
  version: '6.1'
  name: string
  icon: string
  events: Json[]
  groups: Json[]
  edges: Json[]
  variables: Json[]
  theme: Json
  settings: Json
}

export interface Template {
  id: string
  name: string
  icon: string
  description: string
  category: Category
  /** Settings that the user of the template has to make first. */
  needs?: string[]
  bot: TemplateDocument
}

export const categories = ['collect', 'support', 'engage'] as const
export type Category = (typeof categories)[number]

interface Written extends Omit<Template, 'bot'> {
  /** The main colour, dark enough for white text, and a pale one behind the chat. */
  colours: [strong: string, pale: string]
  /** Names of the variables, with the value at the start of a chat where there is one. */
  variables: Record<string, string | undefined>
  groups: Record<string, Part[]>
  settings?: Json
  /** One button below the other. */
  areButtonsStacked?: boolean
}

/** Letters and digits of a name, joined by dashes. */
const slug = (name: string) =>
  name
    .toLowerCase()
    .split(/[^a-z0-9]/)
    .filter(Boolean)
    .join('-')

export const variableId = (name: string) => `var-${slug(name)}`

/** A message. Lines become paragraphs, and `**words**` bold. */
export const say = (words: string, more: Part = {}): Part => ({
  type: 'text',
  content: { richText: words.split('\n').map(paragraph) },
  ...more,
})

function paragraph(line: string): Json {
  const leaves = line.split('**').map((text, index) => (index % 2 === 1 ? { text, bold: true } : { text }))
  return { type: 'p', children: leaves.filter(({ text }, index) => text !== '' || index === 0) }
}

/** An input whose answer a variable takes. */
export const ask = (type: string, variable: string, options: Json = {}, more: Part = {}): Part => ({
  type,
  options: { variableId: variableId(variable), ...options },
  ...more,
})

/** Buttons. A button is its text, or a part that leads somewhere. */
export const choose = (
  variable: string,
  buttons: (string | Part)[],
  options: Json = {},
  more: Part = {},
): Part => ({
  ...ask('choice input', variable, options, more),
  items: buttons.map((button) => (typeof button === 'string' ? { content: button } : button)),
})

export const option = (content: string, to: string): Part => ({ content, to })

type Comparison = [variable: string, operator: string, value?: string]

/** Goes to a group when the comparisons hold, and otherwise on within its own. */
export const when = (comparisons: Comparison[], to: string, logicalOperator = 'AND'): Part => ({
  type: 'Condition',
  items: [
    {
      content: {
        logicalOperator,
        comparisons: comparisons.map(([variable, comparisonOperator, value], index) => ({
          id: `compare-${index + 1}`,
          variableId: variableId(variable),
          comparisonOperator,
          ...(value === undefined ? {} : { value }),
        })),
      },
      to,
    },
  ],
})

export const set = (
  variable: string,
  expressionToEvaluate: string,
  options: Json = {},
  more: Part = {},
): Part => ({
  type: 'Set variable',
  options: { variableId: variableId(variable), expressionToEvaluate, ...options },
  ...more,
})

export const compute = (variable: string, code: string): Part => set(variable, code, { isCode: true })

const COLUMN_WIDTH = 400
const ROW_GAP = 80

/** Makes the document of a template. */
export function template(written: Written): Template {
  const { colours, variables, groups, settings, areButtonsStacked = false, ...about } = written
  const edges: Json[] = []
  const link = ({ to, ...part }: Part, from: Json): Json => {
    if (to === undefined) return part
    const id = `edge-${edges.length + 1}`
    edges.push({ id, from, to: { groupId: slug(to) } })
    return { ...part, outgoingEdgeId: id }
  }
  const titles = Object.keys(groups)
  const start = link(
    { id: 'start', type: 'start', graphCoordinates: { x: 0, y: 0 }, to: titles[0] ?? '' },
    { eventId: 'start' },
  )
  const positions = positionsOf(groups)
  const groupList = Object.entries(groups).map(([title, parts]) => ({
    id: slug(title),
    title,
    graphCoordinates: positions.get(title),
    blocks: parts.map((part, index) => {
      const id = `${slug(title)}-${index + 1}`
      const items = part.items?.map((item, at) => {
        const itemId = `${id}-${at + 1}`
        return { id: itemId, ...link(item, { blockId: id, itemId }) }
      })
      return { id, ...link(part, { blockId: id }), ...(items ? { items } : {}) }
    }),
  }))
  return {
    ...about,
    bot: {
      version: '6.1',
      name: about.name,
      icon: about.icon,
      events: [start],
      groups: groupList,
      edges,
      variables: Object.entries(variables).map(([name, value]) => ({
        id: variableId(name),
        name,
        ...(value === undefined ? {} : { value }),
      })),
      theme: themeOf(colours, areButtonsStacked ? 'vertical' : 'wrap'),
      settings: { general: { language: 'en' }, ...settings },
    },
  }
}

function themeOf([strong, pale]: [string, string], layout: 'vertical' | 'wrap'): Json {
  const border = { roundeness: 'large' }
  return {
    general: {
      background: { type: 'Color', content: pale },
      progressBar: { isEnabled: true, color: strong },
    },
    chat: {
      hostBubbles: { backgroundColor: '#ffffff', color: '#1f2430', border },
      guestBubbles: { backgroundColor: strong, color: '#ffffff', border },
      buttons: { backgroundColor: strong, color: '#ffffff', border },
      inputs: { backgroundColor: '#ffffff', color: '#1f2430', border },
      buttonsInput: { layout },
    },
  }
}

/** Columns from left to right by the least number of edges from the start, groups below each other in each. */
function positionsOf(groups: Record<string, Part[]>): Map<string, { x: number; y: number }> {
  const columns: string[][] = []
  const placed = new Set<string>()
  for (let column = Object.keys(groups).slice(0, 1); column.length > 0; ) {
    for (const title of column) placed.add(title)
    columns.push(column)
    const next = column.flatMap((title) => targetsOf(groups[title] ?? []))
    column = [...new Set(next)].filter((title) => !placed.has(title))
  }
  const positions = new Map<string, { x: number; y: number }>()
  for (const [index, column] of columns.entries()) {
    let y = 0
    for (const title of column) {
      positions.set(title, { x: (index + 0.6) * COLUMN_WIDTH, y })
      y += heightOf(groups[title] ?? []) + ROW_GAP
    }
  }
  return positions
}

const targetsOf = (parts: Part[]): string[] =>
  parts.flatMap((part) => [part, ...(part.items ?? [])]).flatMap(({ to }) => to ?? [])

/** About as high as the editor draws the group. */
const heightOf = (parts: Part[]) =>
  90 + parts.reduce((sum, { items = [] }) => sum + 82 + items.length * 32, 0)
