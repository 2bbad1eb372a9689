import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from '@jest/globals'
import { root } from '../server/root.ts'

/*
 * The table of server/LOCKS.md has every file with a lock in a statement of its own words, and names tests that are
 * there.
 */

const read = (path: string) => readFileSync(new URL(path, root), 'utf8')

const list = read('server/LOCKS.md')
const rows = list.split('\n').filter((line) => line.startsWith('| ') && line.includes('`server/'))

test.each(rows.map((row) => row.split(' | ')))('the statement of %s names a test that exists', (...cells) => {
  const [, file = '', title = ''] = /^`(\S+)` (.+) \|$/.exec(cells.at(-1) ?? '') ?? []
  expect(read(file)).toContain(`'${title}'`)
})

test('every file with a lock in a statement of its own words is in the list', () => {
  const files = readdirSync(new URL('server', root), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => `server/${file}`)
  const locking = files.filter((file) => /FOR (NO KEY |KEY )?(UPDATE|SHARE)\b/.test(read(file)))
  expect(locking.length).toBeGreaterThan(10)
  expect(locking.filter((file) => !list.includes(`\`${file}\``))).toEqual([])
})
