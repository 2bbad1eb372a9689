import { readFileSync } from 'node:fs'
import { root } from '../../server/root.ts'

/** The rows of the table in server/BOUNDS.md. */
export const bounds = readFileSync(new URL('server/BOUNDS.md', root), 'utf8')
  .split('\n')
  .filter((line) => line.startsWith('| ') && line.includes('`server/'))
  .map((line) => {
    const [what = '', bound = '', constant = '', , test = ''] = line.slice(2, -2).split(' | ')
    const [, file = '', name = '', value = ''] = /^`(\S+)` `(\w+)` (\d+)$/.exec(constant) ?? []
    const [, testFile = '', title = ''] = /^`(\S+)` (.+)$/.exec(test) ?? []
    return { what, bound, file, name, value: Number(value), testFile, title }
  })

/** The value that the table has for a constant. */
export function boundNamed(name: string): number {
  const [value, ...others] = new Set(bounds.filter((one) => one.name === name).map((one) => one.value))
  if (value === undefined || others.length > 0) throw new Error(`The table of bounds has no single ${name}`)
  return value
}
