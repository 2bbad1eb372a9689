/**
 * Returns what a test tries: few cases in `make test`, which runs with every change, and many in `make test-long`, which
 * runs only the files that call this.
 */
export function runs<Value>(few: Value, many: Value): Value {
  return process.env.LONG_TESTS ? many : few
}

/**
 * Returns one item of each kind in `make test`, and all in `make test-long`, for code that treats all items alike.
 * Items are of one kind if `kindOf` returns the same JSON for them.
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
