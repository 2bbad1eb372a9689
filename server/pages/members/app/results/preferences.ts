/*
 * The columns of the table of results as the bot's document has them, shared by all members. Its columns have ids of
 * blocks or variables. Ids of other columns and other properties, as another editor stores them, stay.
 */

export interface Preferences {
  /** From left to right. */
  columnsOrder: string[]
  /** Columns that are not named are shown. */
  columnsVisibility: Record<string, boolean>
  /** In CSS pixels. */
  columnsWidth: Record<string, number>
}

/** A column has the ids of its blocks and of its variables. */
interface Identified {
  ids: string[]
}

/** A change that applies to any state, so that it can be repeated on a newer state that another person stored. */
export type Edit = (preferences: Preferences) => Preferences

export const noPreferences: Preferences = { columnsOrder: [], columnsVisibility: {}, columnsWidth: {} }

const MIN_WIDTH_PX = 60
const MAX_WIDTH_PX = 1_000

/** The id by which a column is in a map or list; its first one where it is in none. */
const idIn = ({ ids }: Identified, isThere: (id: string) => boolean) => ids.find(isThere) ?? ids[0] ?? ''

const idInMap = (column: Identified, map: Record<string, unknown>) =>
  idIn(column, (id) => Object.hasOwn(map, id))

export function isShown({ columnsVisibility }: Preferences, column: Identified): boolean {
  return columnsVisibility[idInMap(column, columnsVisibility)] !== false
}

export function widthOf({ columnsWidth }: Preferences, column: Identified): number | undefined {
  const id = idInMap(column, columnsWidth)
  const width = Object.hasOwn(columnsWidth, id) ? columnsWidth[id] : undefined
  return width === undefined ? undefined : Math.min(Math.max(width, MIN_WIDTH_PX), MAX_WIDTH_PX)
}

/** The stored order with all columns in it: a new one comes after the one that it follows in the flow. */
function wholeOrder(columns: readonly Identified[], { columnsOrder }: Preferences): string[] {
  const order = [...columnsOrder]
  let before: string | undefined
  for (const column of columns) {
    const id = idIn(column, (each) => order.includes(each))
    if (!order.includes(id)) order.splice(before === undefined ? 0 : order.indexOf(before) + 1, 0, id)
    before = id
  }
  return order
}

/** Columns from left to right. */
export function orderColumns<Column extends Identified>(
  columns: Column[],
  preferences: Preferences,
): Column[] {
  const places = new Map(wholeOrder(columns, preferences).map((id, index) => [id, index]))
  const placeOf = (column: Column) => places.get(idIn(column, (id) => places.has(id))) ?? 0
  return [...columns].sort((one, other) => placeOf(one) - placeOf(other))
}

export function showColumn(column: Identified, shown: boolean): Edit {
  return (before) => ({
    ...before,
    columnsVisibility: {
      ...before.columnsVisibility,
      [idInMap(column, before.columnsVisibility)]: shown,
    },
  })
}

/** Shows all of these columns. */
export function showAllColumns(columns: readonly Identified[]): Edit {
  return (before) =>
    columns
      .filter((column) => !isShown(before, column))
      .reduce((preferences, column) => showColumn(column, true)(preferences), before)
}

/** Moves a column before or after another one. `columns` are all that there are, as the flow orders them. */
export function moveColumn(
  columns: readonly Identified[],
  column: Identified,
  side: 'before' | 'after',
  other: Identified,
): Edit {
  return (before) => {
    const order = wholeOrder(columns, before)
    const own = idIn(column, (id) => order.includes(id))
    const rest = order.filter((id) => id !== own)
    const at = rest.indexOf(idIn(other, (id) => rest.includes(id)))
    rest.splice(side === 'before' ? at : at + 1, 0, own)
    return { ...before, columnsOrder: rest }
  }
}
