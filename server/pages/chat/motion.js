/** Whether this visitor likes things to move by themselves. */
export function mayMove() {
  return !matchMedia('(prefers-reduced-motion: reduce)').matches
}
