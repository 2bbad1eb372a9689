import { isOfRows } from './errors.ts'

/**
 * Finds rows of many records in one statement, and in halves where that fails: a record that fails on its own keeps none of
 * the others. `onFailure` gets its error.
 */
export async function findInHalves<Row>(
  ids: readonly string[],
  find: (ids: readonly string[]) => Promise<Row[]>,
  onFailure: (error: unknown) => void,
): Promise<Row[]> {
  if (ids.length === 0) return []
  try {
    return await find(ids)
  } catch (error) {
    if (!isOfRows(error)) throw error
    if (ids.length === 1) {
      onFailure(error)
      return []
    }
  }
  const half = Math.ceil(ids.length / 2)
  return [
    ...(await findInHalves(ids.slice(0, half), find, onFailure)),
    ...(await findInHalves(ids.slice(half), find, onFailure)),
  ]
}
