/**
 * How many cases a test makes up: few in `make test`, which everybody waits for, and many in `make test-long`,
 * which runs just the files that ask here. Those that `.ci/run` names are run so with every change.
 */
export function runs(few: number, many: number): number {
  return process.env.LONG_TESTS ? many : few
}

/**
 * Of what is made for all alike, one of each kind in `make test`, and all in `make test-long`. Items are of one kind
 * when `kindOf` says the same of them, as JSON.
 */
export function ofEachKind<Item>(all: readonly Item[], kindOf: (item: Item) => unknown): Item[] {
  if (process.env.LONG_TESTS) return [...all]
  const first = new Map<string, Item>()
  for (const item of all) {
    const kind = JSON.stringify(kindOf(item))
    if (!first.has(kind)) first.set(kind, item)
  }
  return [...first.values()]
}
