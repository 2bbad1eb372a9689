import { expect, test } from '@jest/globals'
import { MAX_FINDINGS } from '../../contract/publications.ts'
import { checkDocument } from '../../server/bots/check.ts'
import type { Pace } from '../../server/context.ts'
import type { FlowDocument } from '../../server/documents/conversion/index.ts'
import { createPacing } from '../../server/kit/shares/pacing.ts'
import { checkFlow } from '../support/check-flow.ts'
import { cpuTime, measureCpu } from '../support/cpu.ts'

const at = { x: 0, y: 0 }

function flow(blocks: object[], variables: object[] = []): FlowDocument {
  return {
    version: '6.1',
    groups: [{ id: 'g', title: 'Start', graphCoordinates: at, blocks }],
    events: [{ id: 's', type: 'start', graphCoordinates: at, outgoingEdgeId: 'e' }],
    edges: [{ id: 'e', from: { eventId: 's' }, to: { groupId: 'g' } }],
    variables,
    theme: {},
    settings: {},
  }
}

const text = (id: string, words: string) => ({
  id,
  type: 'text',
  content: { richText: [{ type: 'p', children: [{ text: words }] }] },
})

const code = (id: string, content: string) => ({ id, type: 'Code', options: { content } })

let workspaces = 0
const pacing = createPacing()
const pace: Pace = (work) => pacing.runPaced('one', work)
const check = (document: FlowDocument) => checkDocument(`w${++workspaces}`, document, { hasMail: true }, pace)

/** Calls in turn, with the most CPU time in milliseconds for which the event loop was kept meanwhile. */
async function longestSlice<T>(work: () => Promise<T>): Promise<{ result: T; longest: number }> {
  let longest = 0
  let last = cpuTime()
  const timer = setInterval(() => {
    longest = Math.max(longest, cpuTime() - last)
    last = cpuTime()
  }, 1)
  try {
    return { result: await work(), longest }
  } finally {
    clearInterval(timer)
  }
}

test('names that nearly match those of thousands of variables are checked quickly', async () => {
  const long = (index: number) => `${'a'.repeat(25)}${String(index).padStart(4, '0')}${'b'.repeat(30)}`
  const variables = Array.from({ length: 5_000 }, (_, index) => ({ id: `v${index}`, name: long(index) }))
  const words = Array.from({ length: 250 }, (_, index) => `{{${long(index + 5_000)}}}`).join(' ')
  const { result, milliseconds } = await measureCpu(() => checkFlow(flow([text('b', words)], variables)))
  expect(result).toHaveLength(250)
  expect(milliseconds).toBeLessThan(3_000)
})

test.each([
  ['names', [text('b', Array.from({ length: 60_000 }, (_, index) => `{{n ${index}}}`).join(' '))]],
  [
    'code',
    Array.from({ length: 41 }, (_, index) =>
      code(`b${index}`, `${'{let a=eval(0);'.repeat(5_800)}${'}'.repeat(5_800)}`),
    ),
  ],
  [
    'nested parameters',
    Array.from({ length: 45 }, (_, index) =>
      code(`b${index}`, `${`${'({a='.repeat(49)}1${'})=>1'.repeat(49)};`.repeat(180)}`),
    ),
  ],
])('a check of many %s yields the thread again and again', async (_, blocks) => {
  const { result, longest } = await longestSlice(() => check(flow(blocks)))
  expect(result.findings.length).toBeLessThanOrEqual(MAX_FINDINGS)
  expect(longest).toBeLessThan(500)
})

test('a check that takes too long ends with check_incomplete as its last finding', async () => {
  const steps = Array.from({ length: 3_000 }, (_, index) => ({
    id: `b${index}`,
    type: 'Set variable',
    // Each getter stands for work that a document cannot be so small for.
    get options() {
      const end = performance.now() + 2
      while (performance.now() < end);
      return { variableId: 'missing' }
    },
  }))
  const { result, milliseconds } = await measureCpu(() => check(flow(steps)))
  expect(result.findings.at(-1)).toMatchObject({ code: 'check_incomplete', severity: 'warning', path: [] })
  expect(result.findings.length).toBeGreaterThan(1)
  expect(milliseconds).toBeLessThan(4_000)
})

test('a small check does not wait for the end of a large one of another workspace', async () => {
  const words = Array.from({ length: 60_000 }, (_, index) => `{{n ${index}}}`).join(' ')
  const order: string[] = []
  const large = check(
    flow(
      [text('b', words)],
      Array.from({ length: 900 }, (_, index) => ({ id: `v${index}`, name: `m ${index}` })),
    ),
  ).then(() => order.push('large'))
  await check(flow([text('b', 'Hello')])).then(() => order.push('small'))
  await large
  expect(order).toEqual(['small', 'large'])
})

test.each([200, 200_000, 600_000])(
  'findings within a key of %d characters are truncated, and stay small together',
  async (length) => {
    const inner = Object.fromEntries(
      Array.from({ length: 1_500 }, (_, index) => [`a${index}VariableId`, 'x']),
    )
    const block = { id: 'b', type: 'Set variable', options: { variableId: 'v', ['k'.repeat(length)]: inner } }
    const result = await check(flow([block], [{ id: 'v', name: 'V' }]))
    expect(result.warningsFound).toBe(1_500)
    expect(JSON.stringify(result.findings).length).toBeLessThan(500_000)
    expect(result.findings.every(({ path }) => path.every((part) => part.length <= 1_000))).toBe(true)
  },
)

test('a message has at most 2,000 characters, whatever the engine reports about code', async () => {
  const name = 'a'.repeat(49_000)
  const { findings } = await check(flow([code('b', `let ${name}=1; let ${name}=2`)]))
  expect(findings).toMatchObject([{ code: 'invalid_code' }])
  expect(findings[0]?.message.length).toBeLessThanOrEqual(2_000)
})
