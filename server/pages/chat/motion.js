/** True if this visitor accepts things that move by themselves. */
export function mayMove() {
  return !matchMedia('(prefers-reduced-motion: reduce)').matches
}
