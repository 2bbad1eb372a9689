/**
 * The name that was probably meant: the same but for case, or but for one or two letters in a longer one. Each name that
 * is looked at takes of the `effort`; without any left there is no answer.
 */
export function nearest(
  given: string,
  names: Iterable<string>,
  effort: { comparing: number },
): string | undefined {
  let best: string | undefined
  let bestDistance = given.length < 4 ? 0 : given.length < 6 ? 1 : 2
  // Once, as a name in a document may be as long as a text, and variables are many.
  const lowered = given.toLowerCase()
  for (const name of names) {
    if (effort.comparing <= 0) return undefined
    effort.comparing -= 1
    const distance = distanceUpTo(bestDistance, lowered, name.toLowerCase())
    if (distance > bestDistance || (best !== undefined && distance === bestDistance)) continue
    best = name
    bestDistance = distance
  }
  return best
}

/** Letters that are added, left out, replaced, or swapped with their neighbour; more than `most` of them are not counted. */
function distanceUpTo(most: number, one: string, other: string): number {
  if (one === other) return 0
  if (Math.abs(one.length - other.length) > most || one.length > longest) return most + 1
  let beforeLast: number[] = []
  let last = Array.from({ length: other.length + 1 }, (_, index) => index)
  for (let i = 1; i <= one.length; i += 1) {
    const row = [i]
    for (let j = 1; j <= other.length; j += 1) {
      const isSame = one[i - 1] === other[j - 1]
      const isSwapped = i > 1 && j > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1]
      const cost = isSame ? 0 : 1
      row[j] = Math.min(
        (last[j] ?? 0) + 1,
        (row[j - 1] ?? 0) + 1,
        (last[j - 1] ?? 0) + cost,
        isSwapped ? (beforeLast[j - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY,
      )
    }
    beforeLast = last
    last = row
  }
  return last[other.length] ?? 0
}

/** Names that people mistype are shorter. */
const longest = 60
