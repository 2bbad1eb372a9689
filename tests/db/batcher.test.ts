import { afterAll, beforeAll, expect, jest, test } from '@jest/globals'
import { createBatcher } from '../../server/db/batcher.ts'

beforeAll(() => {
  jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick', 'queueMicrotask', 'performance'] })
})
afterAll(() => {
  jest.useRealTimers()
})

/** Numbers of one key, which are gathered until `end` is called with what has begun. */
function gatherNumbers(most: number, start?: 'immediately') {
  const begun: { numbers: readonly number[]; end: (error?: Error) => void }[] = []
  const give = createBatcher<{ key: string; number: number }, string>(
    most,
    ({ key }) => key,
    (all) => {
      const numbers = all.map(({ number }) => number)
      const ended = new Promise<void>((resolve, reject) => {
        begun.push({ numbers, end: (error) => (error ? reject(error) : resolve()) })
      })
      return numbers.map((number) => ended.then(() => `done ${number}`))
    },
    start,
  )
  const giveMany = (count: number, key = '') =>
    Array.from({ length: count }, (_, number) => give({ key, number }))
  return { giveMany, begun, sizes: () => begun.map(({ numbers }) => numbers.length) }
}

/** Until all that can continue has done so. */
async function settle() {
  for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve))
}

test('a batch takes half of the waiting items, at least eight, and the next starts when it ends', async () => {
  const { giveMany, begun, sizes } = gatherNumbers(100)
  const outcomes = Promise.all(giveMany(24))
  await settle()
  expect(sizes()).toEqual([12])
  begun[0]?.end()
  await settle()
  expect(sizes()).toEqual([12, 8])
  const more = Promise.all(giveMany(2))
  await settle()
  expect(sizes()).toEqual([12, 8])
  begun[1]?.end()
  await settle()
  expect(sizes()).toEqual([12, 8, 6])
  begun[2]?.end()
  expect(await outcomes).toEqual(Array.from({ length: 24 }, (_, number) => `done ${number}`))
  expect(await more).toEqual(['done 0', 'done 1'])
})

test('items beyond a batch start the next ones at once, up to the maximum of concurrent batches', async () => {
  const { giveMany, sizes } = gatherNumbers(16)
  void giveMany(64)
  await settle()
  expect(sizes()).toEqual([16, 16, 16])
})

test('a batch does not wait for batches of another key', async () => {
  const { giveMany, begun, sizes } = gatherNumbers(16)
  void giveMany(9, 'one')
  await settle()
  const other = giveMany(1, 'other')
  await settle()
  expect(sizes()).toEqual([8, 1])
  begun[1]?.end()
  expect(await Promise.all(other)).toEqual(['done 0'])
})

test('a slow batch does not delay the next one', async () => {
  const { giveMany, begun, sizes } = gatherNumbers(16)
  void giveMany(9)
  await settle()
  expect(sizes()).toEqual([8])
  jest.advanceTimersByTime(10)
  await settle()
  expect(sizes()).toEqual([8, 1])
  // A late end starts no batch a second time.
  begun[0]?.end()
  void giveMany(1)
  await settle()
  expect(sizes()).toEqual([8, 1])
})

test('a failed batch rejects its own items, and the next batches run', async () => {
  const { giveMany, begun, sizes } = gatherNumbers(16)
  const outcomes = Promise.allSettled(giveMany(9))
  await settle()
  begun[0]?.end(new Error('gone'))
  await settle()
  begun[1]?.end()
  const found = await outcomes
  expect(sizes()).toEqual([8, 1])
  expect(found.map(({ status }) => status)).toEqual([...Array(8).fill('rejected'), 'fulfilled'])
})

test('the first item can run at once, and later ones wait for the next batch', async () => {
  const { giveMany, begun, sizes } = gatherNumbers(4, 'immediately')
  const outcomes = Promise.all(giveMany(6))
  expect(sizes()).toEqual([1])
  await settle()
  expect(sizes()).toEqual([1])
  begun[0]?.end()
  await settle()
  expect(sizes()).toEqual([1, 4])
  begun[1]?.end()
  await settle()
  begun[2]?.end()
  expect(sizes()).toEqual([1, 4, 1])
  expect(await outcomes).toHaveLength(6)
  void giveMany(1)
  expect(sizes()).toEqual([1, 4, 1, 1])
})
