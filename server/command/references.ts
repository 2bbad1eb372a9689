/** A copy of a value in which `map` has replaced texts, by the names of their properties. */
export function mapReferences(value: unknown, map: (name: string, value: string) => string): unknown {
  if (Array.isArray(value)) return value.map((entry) => mapReferences(entry, map))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      name,
      typeof inner === 'string' ? map(name, inner) : mapReferences(inner, map),
    ]),
  )
}
