import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from '@jest/globals'
import { defaultLimits } from '../server/chat/engine/limits.ts'
import { readConfig } from '../server/config.ts'
import { root } from '../server/root.ts'
import { bounds as rows } from './support/bounds.ts'

/* The table of server/BOUNDS.md says what the code says, and names tests that are there. */

const read = (path: string) => readFileSync(new URL(path, root), 'utf8')

function boundOf(file: string, name: string): number | undefined {
  const parsed = readConfig({})
  if (file === 'server/config.ts' && 'config' in parsed) {
    return parsed.config[name as keyof typeof parsed.config] as number
  }
  if (file === 'server/chat/engine/limits.ts') return defaultLimits[name as keyof typeof defaultLimits]
  const [, factors] =
    new RegExp(`^(?:export )?const ${name} = (?:\\{ small: )?([\\d_ *]+)`, 'm').exec(read(file)) ?? []
  return factors?.split('*').reduce((product, factor) => product * Number(factor.replaceAll('_', '')), 1)
}

test('the table of bounds has rows', () => {
  expect(rows.length).toBeGreaterThan(25)
})

test.each(rows)('the bound of $what is that of the code', ({ bound, file, name, value }) => {
  expect(boundOf(file, name)).toBe(value)
  expect(bound.replaceAll(',', '')).toContain(String(value))
})

test.each(rows)('the bound of $what names a test that exists', ({ testFile, title }) => {
  expect(read(testFile)).toContain(`'${title}'`)
})

test('the table of bounds has every constant that bounds bytes', () => {
  const files = readdirSync(new URL('server', root), { recursive: true, encoding: 'utf8' })
  const found = files
    .filter((file) => file.endsWith('.ts'))
    .flatMap((file) =>
      [...read(`server/${file}`).matchAll(/^(?:export )?const (MAX_\w*BYTES\w*) =/gm)].map(
        ([, name]) => `server/${file} ${name}`,
      ),
    )
  const named = rows.map(({ file, name }) => `${file} ${name}`)
  expect(found.filter((constant) => !named.includes(constant))).toEqual([])
})
