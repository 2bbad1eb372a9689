import { readFileSync } from 'node:fs'

/** Returns CHANGELOG.md without the parts for those who run the service. */
export function interfaceChanges(): string {
  const text = readFileSync(new URL('../../CHANGELOG.md', import.meta.url), 'utf8')
  return text
    .split(/^(?=##)/m)
    .filter((part) => !part.startsWith('### Operating'))
    .join('')
}
