/** Filters of the rows of a sheet. */
import { asObject, asObjects, asString, filledText, type JsonObject } from '../../../../json/access.ts'

export interface Rows {
  header: string[]
  /** Below the header. */
  rows: string[][]
}

interface Comparison {
  column: string | undefined
  operator: string | undefined
  value: string
}

/** The older reference cell is one comparison, and wins. */
export function filterOf(options: JsonObject): Comparison[] {
  const { column, value } = asObject(options.referenceCell)
  if (filledText(column) !== undefined) {
    return [{ column: filledText(column), operator: 'Equal to', value: asString(value) ?? '' }]
  }
  return asObjects(asObject(options.filter).comparisons).map((comparison) => ({
    column: filledText(comparison.column),
    operator: filledText(comparison.comparisonOperator),
    value: asString(comparison.value) ?? '',
  }))
}

/** Rows that the filter means, with their numbers in the sheet; all without a filter. */
export function matchRows(
  { header, rows }: Rows,
  options: JsonObject,
): { cells: string[]; number: number }[] {
  const comparisons = filterOf(options)
  const numbered = rows.map((cells, index) => ({ cells, number: index + 2 }))
  if (comparisons.length === 0) return numbered
  const isAll = asObject(options.filter).logicalOperator === 'AND'
  return numbered.filter(({ cells }) => {
    const holds = ({ column, operator, value }: Comparison): boolean => {
      const index = column === undefined ? -1 : header.indexOf(column.trim())
      return index >= 0 && operator !== undefined && compares(operator, cells[index] ?? '', value)
    }
    return isAll ? comparisons.every(holds) : comparisons.some(holds)
  })
}

/** Regular expressions hold for no row, as their authors could stop the service by one. */
function compares(operator: string, cell: string, value: string): boolean {
  // A sheet may have many rows, and most filters need no other spelling.
  const loosely = (test: (cell: string, part: string) => boolean) => test(loose(cell), loose(value))
  switch (operator) {
    case 'Equal to':
      return cell.normalize() === value.normalize()
    case 'Not equal':
      return cell.normalize() !== value.normalize()
    case 'Contains':
      return loosely((words, part) => words.includes(part))
    case 'Does not contain':
      return loosely((words, part) => !words.includes(part))
    case 'Starts with':
      return loosely((words, part) => words.startsWith(part))
    case 'Ends with':
      return loosely((words, part) => words.endsWith(part))
    case 'Greater than':
      return numberOf(cell) > numberOf(value)
    case 'Greater or equal to':
      return numberOf(cell) >= numberOf(value)
    case 'Less than':
      return numberOf(cell) < numberOf(value)
    case 'Less or equal to':
      return numberOf(cell) <= numberOf(value)
    case 'Is set':
      return cell.length > 0
    case 'Is empty':
      return cell.length === 0
    default:
      return false
  }
}

const loose = (words: string) => words.trim().toLowerCase().normalize()

const numberOf = (words: string) => (words.trim() === '' ? Number.NaN : Number(words))
