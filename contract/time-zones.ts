/**
 * Canonical names by their lower-case spelling. Case does not count in names, so callers could otherwise fill a
 * cache with 2^28 spellings of one zone; the names themselves are some 600.
 */
const canonicalNames = new Map<string, string>()

/** Names alone: offsets such as `+01:23`, which newer versions of Node take, are thousands more. */
const namePattern = /^[a-z][a-z0-9_+/-]{0,63}$/i

/** The name that `Intl` uses for a time zone, whatever its case. Undefined where there is no such zone. */
export function canonicalTimeZone(name: string): string | undefined {
  if (!namePattern.test(name)) return undefined
  const key = name.toLowerCase()
  let canonical = canonicalNames.get(key)
  if (canonical === undefined) {
    try {
      canonical = new Intl.DateTimeFormat('en', { timeZone: key }).resolvedOptions().timeZone
    } catch {
      return undefined
    }
    canonicalNames.set(key, canonical)
  }
  return canonical
}
