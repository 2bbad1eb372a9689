import { expect, test } from '@jest/globals'
import { operations } from '../../contract/index.ts'
import { prefersMinimal } from '../../server/kit/conditions.ts'
import { cpuGrowth } from '../support/cpu.ts'

const prefers = (prefer: string) => prefersMinimal(operations.updateBot, { headers: { prefer } } as never)

test.each([
  ['return=minimal', true],
  ['wait=5, return="minimal"', true],
  ['a="x, return=representation", return=minimal', true],
  ['a="x\\", return=minimal", b', false],
  ['a="x, return=minimal', false],
  ['return=minimal, a="x\\', true],
])('%s', (header, isMinimal) => {
  expect(prefers(header)).toBe(isMinimal)
})

test.each(['"\\', '\\"'])('four times as many %s take about four times as long', async (piece) => {
  const read = (count: number) => () => prefers(`"${piece.repeat(count)}\\`)
  expect(await cpuGrowth(read(5_000), read(20_000))).toBeLessThan(9)
})
