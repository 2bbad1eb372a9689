/* Types of columns.js for the pages that are type checked. */

export interface Column {
  title: string
}

export interface Cell {
  answers?: { blockId: string; content: string; attachedFileUrls?: string[] }[]
  value?: string
}

interface Answered {
  answers: { blockId: string; content: string; attachedFileUrls?: string[] }[]
  variables: { id: string; name: string; value: unknown }[]
}

export interface Columns {
  questions: Column[]
  others: Column[]
  ofBlocks: Map<string, Column>
  ofEarlierBlocks: Map<string, Column>
  ofVariable(variable: { id: string; name: string }): { column: Column; isOwn: boolean } | undefined
}

export function mergedBots(flow: object): string[]
export function columnsOf(flows: object[], earlier?: object[]): Columns
export function shownOf(
  results: Answered[],
  columns: Columns,
): { shown: Column[]; ofBlocks: Map<string, Column> }
export function distinct(titles: string[]): string[]
export function cellsOf(result: Answered, columns: Columns): Map<Column, Cell>
