import type { JsonObject } from './draft.ts'

/*
 * Merges two changes of one value. A change of only one side is taken from it; entries of lists are matched by their
 * ids. A value that both changed differently is a conflict, for a person to decide.
 */

export type Side = 'mine' | 'theirs'

export interface Conflict {
  /** Keys, and ids of entries, that lead to the value. */
  path: string[]
  base: unknown
  mine: unknown
  theirs: unknown
}

export interface Merge<Value> {
  value: Value
  conflicts: Conflict[]
}

/** The key of a conflict among the choices. */
export const keyOf = (path: string[]) => path.join('\n')

/** Merges; `choices` says by `keyOf` which side wins a conflict, mine where nothing is chosen. */
export function merge<Value>(
  base: Value,
  mine: Value,
  theirs: Value,
  choices?: Map<string, Side>,
): Merge<Value> {
  const conflicts: Conflict[] = []
  const value = mergeValue(base, mine, theirs, [], (conflict) => {
    conflicts.push(conflict)
    return choices?.get(keyOf(conflict.path)) ?? 'mine'
  })
  return { value: value as Value, conflicts }
}

type Decide = (conflict: Conflict) => Side

function mergeValue(base: unknown, mine: unknown, theirs: unknown, path: string[], decide: Decide): unknown {
  if (mine === theirs || isEqual(mine, theirs) || isEqual(base, theirs)) return mine
  if (isEqual(base, mine)) return theirs
  if (isObject(base) && isObject(mine) && isObject(theirs))
    return mergeObjects(base, mine, theirs, path, decide)
  if (isIdList(base) && isIdList(mine) && isIdList(theirs))
    return mergeLists(base, mine, theirs, path, decide)
  return decide({ path, base, mine, theirs }) === 'mine' ? mine : theirs
}

function mergeObjects(
  base: JsonObject,
  mine: JsonObject,
  theirs: JsonObject,
  path: string[],
  decide: Decide,
) {
  const merged: [string, unknown][] = []
  for (const key of new Set([...Object.keys(mine), ...Object.keys(theirs)])) {
    const value = mergeValue(base[key], mine[key], theirs[key], [...path, key], decide)
    if (value !== undefined) merged.push([key, value])
  }
  return Object.fromEntries(merged)
}

interface Entry {
  id: string
}

/** Uses my order if I changed it, and theirs otherwise; new entries come after the one that they followed. */
function mergeLists(base: Entry[], mine: Entry[], theirs: Entry[], path: string[], decide: Decide): Entry[] {
  const [ofBase, ofMine, ofTheirs] = [byId(base), byId(mine), byId(theirs)]
  const mineMoved = !isEqual(commonOrder(base, ofMine), commonOrder(mine, ofBase))
  const [leading, other] = mineMoved ? [mine, theirs] : [theirs, mine]
  const order = leading.map(({ id }) => id)
  for (const [index, { id }] of other.entries()) {
    if (order.includes(id)) continue
    const before = other[index - 1]
    order.splice(before ? order.indexOf(before.id) + 1 : 0, 0, id)
  }
  return order.flatMap((id) => {
    const [was, own, foreign] = [ofBase.get(id), ofMine.get(id), ofTheirs.get(id)]
    const merged = mergeValue(was, own, foreign, [...path, id], decide) as Entry | undefined
    return merged ? [merged] : []
  })
}

const commonOrder = (list: Entry[], others: Map<string, Entry>) =>
  list.map(({ id }) => id).filter((id) => others.has(id))

const byId = (list: Entry[]) => new Map(list.map((entry) => [entry.id, entry]))

function isIdList(value: unknown): value is Entry[] {
  if (!Array.isArray(value)) return false
  const ids = value.map((entry) => (isObject(entry) ? entry.id : undefined))
  return ids.every((id) => typeof id === 'string') && new Set(ids).size === ids.length
}

const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Compares by content; the order of properties makes no difference. */
export function isEqual(one: unknown, other: unknown): boolean {
  if (one === other) return true
  if (Array.isArray(one) && Array.isArray(other)) {
    return one.length === other.length && one.every((entry, index) => isEqual(entry, other[index]))
  }
  if (!isObject(one) || !isObject(other)) return false
  const keys = Object.keys(one)
  return (
    keys.length === Object.keys(other).length &&
    keys.every((key) => key in other && isEqual(one[key], other[key]))
  )
}
