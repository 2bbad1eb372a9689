import { readFileSync } from 'node:fs'
import { expect, test } from '@jest/globals'
import { emit } from '../contract/emit/emit.ts'
import { root } from '../server/root.ts'

const emitted = await emit()

test.each(Object.keys(emitted))('%s is what the contract emits', (path) => {
  const isFresh = readFileSync(new URL(path, root), 'utf8') === emitted[path]
  expect(isFresh ? 'fresh' : `${path} is out of date: run \`make generate\` and commit the result`).toBe(
    'fresh',
  )
})

test('emitting twice gives the same', async () => {
  expect(await emit()).toEqual(emitted)
})
