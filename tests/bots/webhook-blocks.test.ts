import { expect, test } from '@jest/globals'
import { exampleOf } from '../../server/bots/webhook-blocks.ts'
import type { Pace } from '../../server/context.ts'
import type { FlowDocument } from '../../server/documents/conversion/document.ts'
import { measureCpu } from '../support/cpu.ts'

/* Made-up answers for a block that sends requests, of documents with many groups. */

const now = new Date('2026-03-10T12:00:00.000Z')

/** Groups with a question and a jump to wherever a variable says, then one that none of them names. */
function jumpingTo(groups: number): FlowDocument {
  const jumps = Array.from({ length: groups }, (_, nth) => ({
    id: `g${nth}`,
    title: `Question ${nth}`,
    graphCoordinates: { x: 0, y: 0 },
    blocks: [
      { id: `i${nth}`, type: 'text input' },
      { id: `j${nth}`, type: 'Jump', options: { groupId: '{{Next}}' } },
    ],
  }))
  const hook = {
    id: 'end',
    title: 'End',
    graphCoordinates: { x: 0, y: 0 },
    blocks: [{ id: 'hook', type: 'Webhook' }],
  }
  const variables = [{ id: 'v', name: 'Next' }]
  return { version: '6.1', groups: [...jumps, hook], events: [], edges: [], variables } as never
}

test('the example of a webhook block is computed in slices, however many groups jump anywhere', async () => {
  const slices: number[] = []
  const pace: Pace = async (work) => {
    const { result, milliseconds } = await measureCpu(work)
    slices.push(milliseconds)
    return result
  }
  const example = await exampleOf(jumpingTo(8_000), 'hook', now, pace)
  expect(Object.keys(example ?? {}).filter((name) => name.startsWith('Question'))).toHaveLength(8_000)
  expect(slices.length).toBeGreaterThan(1)
  // Copying the jumps for each group took 64 million operations.
  expect(slices.reduce((sum, each) => sum + each, 0)).toBeLessThan(2_000)
})
