import { afterEach, expect, jest, test } from '@jest/globals'
import { createPacing } from '../server/http/pacing.ts'

/* Turns and pauses of large pieces of work. */

afterEach(() => {
  jest.restoreAllMocks()
})

/** A pacing by a clock that pieces of work put forward, and the pauses that it makes. */
function paced() {
  let time = 0
  const pauses: unknown[] = []
  jest.spyOn(globalThis, 'setTimeout').mockImplementation(((then: () => void, pause: number) => {
    pauses.push(pause)
    setImmediate(then)
  }) as unknown as typeof setTimeout)
  const pacing = createPacing(() => time)
  const done: string[] = []
  const piece = (tenant: string, name: string) =>
    pacing.take(tenant, () => {
      time += 20
      done.push(name)
      return name
    })
  const wait = (milliseconds: number) => {
    time += milliseconds
  }
  return { pacing, piece, wait, pauses, done }
}

test('who is alone makes no pause, beside others three times as long as each piece', async () => {
  const { pacing, piece, wait, pauses } = paced()
  pacing.see('one')
  expect(await piece('one', 'alone')).toBe('alone')
  pacing.see('two')
  pacing.see('one')
  await piece('one', 'beside')
  pacing.see('one')
  wait(1_001)
  pacing.see('one')
  await piece('one', 'alone again')
  expect(pauses).toEqual([0, 60, 0])
})

test('pieces of one tenant keep their order, and another does not wait for them', async () => {
  const { piece, done } = paced()
  await Promise.all([piece('one', '1'), piece('one', '2'), piece('one', '3'), piece('two', 'a')])
  expect(done.filter((name) => name !== 'a')).toEqual(['1', '2', '3'])
  expect(done.indexOf('a')).toBeLessThan(2)
})

test('a piece that throws lets the next one go on', async () => {
  const { pacing, piece } = paced()
  const broken = pacing.take('one', () => {
    throw new Error('broken')
  })
  const next = piece('one', 'next')
  await expect(broken).rejects.toThrow('broken')
  expect(await next).toBe('next')
})
