import { isOfRows } from './errors.ts'

/**
 * Does work on many items together, and in halves if that fails, so that an item that fails on its own does not stop
 * the others. Returns the results of all; `onFailure` gets the error of each such item.
 */
export async function runInHalves<Item, Given>(
  items: readonly Item[],
  run: (some: readonly Item[]) => Promise<readonly Given[]>,
  onFailure: (error: unknown) => void,
): Promise<Given[]> {
  if (items.length === 0) return []
  try {
    return [...(await run(items))]
  } catch (error) {
    if (!isOfRows(error)) throw error
    if (items.length === 1) {
      onFailure(error)
      return []
    }
  }
  const half = Math.ceil(items.length / 2)
  return [
    ...(await runInHalves(items.slice(0, half), run, onFailure)),
    ...(await runInHalves(items.slice(half), run, onFailure)),
  ]
}
