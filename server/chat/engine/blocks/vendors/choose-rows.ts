import type { Execution } from '../../execution.ts'

/** Those of the found rows that a block reads: the first, the last, one at random, or all. */
export function chooseRows<Row>(run: Execution, found: Row[], which: string | undefined): Row[] {
  switch (which) {
    case 'First':
      return found.slice(0, 1)
    case 'Last':
      return found.slice(-1)
    case 'Random':
      return found.slice(Math.floor(run.effects.random() * found.length)).slice(0, 1)
    default:
      return found
  }
}
