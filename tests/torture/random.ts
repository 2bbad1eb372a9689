/** Chance that comes again with its seed. */
export interface Random {
  /** At least 0, and less than 1. */
  float(): number
  /** A whole number from 0 on, less than `limit`. */
  below(limit: number): number
  one<T>(list: readonly T[]): T
  /** Returns true with this probability. */
  chance(probability: number): boolean
  /** Another source of chance, which does not depend on how much is taken of this one. */
  part(number: number): Random
}

/** Mulberry32, which is small and good enough. */
export function randomOf(seed: number): Random {
  let state = seed >>> 0
  const float = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const below = (limit: number) => Math.floor(float() * limit)
  return {
    float,
    below,
    one: (list) => list[below(list.length)] as (typeof list)[number],
    chance: (probability) => float() < probability,
    part: (number) => randomOf(Math.imul(seed ^ 0x9e3779b9, 2 * number + 1)),
  }
}
