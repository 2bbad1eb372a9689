/**
 * Canonical names by their lower-case spelling, some 600. Case does not count in names, so a cache by given spelling
 * could grow to 2^28 entries for one zone.
 */
const canonicalNames = new Map<string, string>()

/** Matches names but not offsets such as `+01:23`: newer versions of Node accept thousands of those. */
const namePattern = /^[a-z][a-z0-9_+/-]{0,63}$/i

/** Returns the name that `Intl` uses for a time zone given in any case, undefined if there is none. */
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
