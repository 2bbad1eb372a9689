import { readFileSync } from 'node:fs'

/** Returns CHANGELOG.md without the parts for operators. */
export function interfaceChanges(): string {
  const text = readFileSync(new URL('../../CHANGELOG.md', import.meta.url), 'utf8')
  return text
    .split(/^(?=##)/m)
    .filter((part) => !part.startsWith('### Operating'))
    .join('')
}
