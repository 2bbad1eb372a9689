/**
 * Finds the name that was probably meant: it differs in case only, or in at most `most` letters, by default one or two
 * in a longer name. Each comparison consumes some of `effort`; without any left the result is undefined.
 */
export function nearest(
  given: string,
  names: Iterable<string>,
  effort: { comparing: number },
  most = given.length < 4 ? 0 : given.length < 6 ? 1 : 2,
): string | undefined {
  let best: string | undefined
  let bestDistance = most
  if (given.length > MAX_NAME_LENGTH) return undefined
  const lowered = given.toLowerCase()
  for (const name of names) {
    if (effort.comparing <= 0) return undefined
    effort.comparing -= 1
    if (Math.abs(given.length - name.length) > bestDistance) continue
    const distance = distanceUpTo(bestDistance, lowered, name.toLowerCase())
    if (distance > bestDistance || (best !== undefined && distance === bestDistance)) continue
    best = name
    bestDistance = distance
  }
  return best
}

/**
 * Letters that are added, left out, replaced, or swapped with their neighbour; `most` + 1 where there are more than
 * `most`. Common ends are cut off, and only the cells within `most` of the diagonal are filled in: no other can count.
 */
export function distanceUpTo(most: number, one: string, two: string): number {
  let start = 0
  let height = one.length
  let width = two.length
  while (start < height && start < width && one[start] === two[start]) start += 1
  while (height > start && width > start && one[height - 1] === two[width - 1]) {
    height -= 1
    width -= 1
  }
  height -= start
  width -= start
  if (Math.abs(height - width) > most) return most + 1
  if (height === 0 || width === 0) return height + width
  const far = most + 1
  let [beforeLast, last, row] = rows
  for (let j = 0; j <= width; j += 1) last[j] = Math.min(j, far)
  for (let i = 1; i <= height; i += 1) {
    const from = Math.max(1, i - most)
    const to = Math.min(width, i + most)
    row[from - 1] = from === 1 ? Math.min(i, far) : far
    if (to < width) row[to + 1] = far
    let least = row[from - 1] ?? far
    for (let j = from; j <= to; j += 1) {
      const letter = one.charCodeAt(start + i - 1)
      const other = two.charCodeAt(start + j - 1)
      const isSwapped =
        i > 1 && j > 1 && letter === two.charCodeAt(start + j - 2) && one.charCodeAt(start + i - 2) === other
      const cell = Math.min(
        (last[j] ?? far) + 1,
        (row[j - 1] ?? far) + 1,
        (last[j - 1] ?? far) + (letter === other ? 0 : 1),
        isSwapped ? (beforeLast[j - 2] ?? far) + 1 : far,
        far,
      )
      row[j] = cell
      least = Math.min(least, cell)
    }
    if (least > most) return far
    ;[beforeLast, last, row] = [last, row, beforeLast]
  }
  return last[width] ?? far
}

/** Names that people mistype are shorter. */
const MAX_NAME_LENGTH = 60

/** Two rows that are done and the one that is being filled in; used again, since a check makes 100,000 comparisons. */
const rows = [0, 1, 2].map(() => new Uint8Array(2 * MAX_NAME_LENGTH)) as [Uint8Array, Uint8Array, Uint8Array]
