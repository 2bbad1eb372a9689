import { afterAll, describe, expect, test } from '@jest/globals'
import { continueFlow, startFlow } from '../../server/chat/engine/engine.ts'
import type { Effects, Flow, InputToShow, TurnOutcome } from '../../server/chat/engine/types.ts'
import type { FlowDocument } from '../../server/documents/conversion/index.ts'
import type { Template } from '../../server/templates/flow.ts'
import { templates } from '../../server/templates/index.ts'
import { welcome } from '../../server/templates/welcome.ts'
import { closeSandbox, quietEffects } from '../support/chat.ts'
import { checkFlow } from '../support/check-flow.ts'

afterAll(closeSandbox)

/** An input is answered so often on one path: a loop is walked once more, and then left. */
const MAX_VISITS = 2
const MAX_PATHS = 2_000

interface Walk {
  paths: number
  /** Ids of bubbles and inputs that were seen. */
  seen: Set<string>
  /** Last messages of paths, by the group that they are in. */
  ends: Set<string>
  values: Map<string, Set<unknown>>
  mails: number
}

interface Item {
  id: string
  outgoingEdgeId?: string
  content?: unknown
}
interface Block {
  id: string
  type: string
  outgoingEdgeId?: string
  items?: Item[]
  options?: Record<string, unknown>
}

const blocksOf = ({ bot }: Template) => bot.groups.flatMap(({ blocks }) => blocks as Block[])

/** Thresholds of conditions on a variable, with their neighbours. */
function thresholdsOf(template: Template, variableId: unknown): number[] {
  const comparisons = blocksOf(template)
    .filter(({ type }) => type === 'Condition')
    .flatMap(({ items = [] }) => items)
    .flatMap(
      ({ content }) => (content as { comparisons: { variableId: string; value?: string }[] }).comparisons,
    )
  return comparisons
    .filter((comparison) => comparison.variableId === variableId)
    .flatMap(({ value }) => [Number(value) - 1, Number(value), Number(value) + 1])
}

const texts: Record<string, string> = {
  'text input': 'Ada',
  'email input': 'ada@example.com',
  'phone number input': '+33612345678',
  'date input': '2024-06-03',
}

/** Every answer that can lead somewhere else. */
function answersTo(template: Template, input: InputToShow): string[] {
  const { variableId, min, max, startsAt, length } = (input.options ?? {}) as Record<string, unknown>
  if (input.type === 'choice input') return (input.items as unknown as Item[]).map(({ id }) => id)
  if (input.type === 'rating input') {
    const [first, last] = [Number(startsAt), Number(length)]
    return Array.from({ length: last - first + 1 }, (_, index) => String(first + index))
  }
  if (input.type === 'number input') {
    const [low, high] = [Number(min), Number(max)]
    const inside = thresholdsOf(template, variableId).filter((number) => number > low && number < high)
    return [...new Set([low, ...inside, high])].map(String)
  }
  return [texts[input.type] ?? 'missing']
}

/** Buttons of one kind are one way: no edge and no condition tells them apart. */
function waysOf(template: Template, input: InputToShow): string[] {
  const answers = answersTo(template, input)
  const block = blocksOf(template).find(({ id }) => id === input.id)
  const isRead = JSON.stringify(blocksOf(template).filter(({ type }) => type === 'Condition')).includes(
    `"${block?.options?.variableId}"`,
  )
  if (input.type !== 'choice input' || isRead) return answers
  const edgeOf = (answer: string) => block?.items?.find(({ id }) => id === answer)?.outgoingEdgeId
  return answers.filter(
    (answer, index) => answers.findIndex((other) => edgeOf(other) === edgeOf(answer)) === index,
  )
}

function effectsOf(walk: Walk): Effects {
  return {
    ...quietEffects(),
    findCredentials: async (id) => (id === 'ours' ? { apiKey: 'key' } : null),
    askModel: async () => ({
      ok: true,
      text: 'Once a week.',
      toolCalls: [],
      usage: { prompt: 1, completion: 1, total: 2 },
    }),
    sendEmail: async () => {
      walk.mails += 1
    },
  }
}

const modelBlock = '"type":"openai","options":{'

/** The bot with credentials for its model. */
const withKey = (bot: Template['bot']): Template['bot'] =>
  JSON.parse(JSON.stringify(bot).replace(modelBlock, `${modelBlock}"credentialsId":"ours",`))

const walks = new Map<string, Promise<Walk>>()

/** Follows every path to its end, once for all tests. */
function walkAll(template: Template): Promise<Walk> {
  const walking = walks.get(template.id) ?? walk(template)
  walks.set(template.id, walking)
  return walking
}

async function walk(template: Template): Promise<Walk> {
  const walk: Walk = { paths: 0, seen: new Set(), ends: new Set(), values: new Map(), mails: 0 }
  const effects = effectsOf(walk)
  const follow = async (flow: Flow, outcome: TurnOutcome, visits: Map<string, number>): Promise<void> => {
    const { messages, input, state, variables, logs } = outcome
    for (const { id } of messages) walk.seen.add(id)
    for (const { name, value } of variables) {
      walk.values.set(name, (walk.values.get(name) ?? new Set()).add(value))
    }
    expect(JSON.stringify(messages)).not.toMatch(/\{\{|\[object|undefined|NaN/)
    const errors = logs.filter(({ status }) => status === 'error').map(({ description }) => description)
    expect(errors.filter((error) => error !== 'Could not find credentials for block openai')).toEqual([])
    if (state === null || input === undefined) {
      walk.paths += 1
      expect(walk.paths).toBeLessThan(MAX_PATHS)
      expect(state).toBeNull()
      walk.ends.add(messages.at(-1)?.id ?? 'nothing is said')
      return
    }
    walk.seen.add(input.id)
    const visit = (visits.get(input.id) ?? 0) + 1
    if (visit > MAX_VISITS) return
    const ways = waysOf(template, input)
    // The ways of a loop were all walked on its first round; on the second it has to lead out again.
    for (const answer of visit === 1 || input.type === 'choice input' ? ways : ways.slice(0, 1)) {
      const next = await continueFlow(flow, structuredClone(state), answer, {}, effects)
      if (next.rejection !== undefined) throw new Error(next.rejection.message)
      expect(next.answers).toHaveLength(1)
      await follow(flow, next, new Map(visits).set(input.id, visit))
    }
  }
  const asksModel = JSON.stringify(template.bot).includes(modelBlock)
  for (const bot of asksModel ? [withKey(template.bot), template.bot] : [template.bot]) {
    const flow = { id: 'bot1', ...bot } as unknown as Flow
    const first = await startFlow(flow, { resultId: 'result1' }, effects)
    if (first.rejection !== undefined) throw new Error(first.rejection.message)
    await follow(flow, first, new Map())
  }
  return walk
}

/** Groups that nothing follows on: each is an end. */
const endsOf = ({ bot }: Template) =>
  bot.groups
    .filter(({ blocks }) => (blocks as Block[]).at(-1)?.outgoingEdgeId === undefined)
    .flatMap(({ blocks }) => {
      const last = (blocks as Block[]).at(-1)
      return last?.type === 'text' ? [last.id] : []
    })

test('there are twelve templates, each with an id, a name and words of its own', () => {
  expect(templates).toHaveLength(12)
  for (const property of ['id', 'name', 'icon', 'description'] as const) {
    expect(new Set(templates.map((template) => template[property])).size).toBe(12)
  }
})

describe.each([...templates, welcome].map((template): [string, Template] => [template.id, template]))(
  'template %s',
  (id, template) => {
    test(`the check finds nothing in the template ${id}`, () => {
      expect(checkFlow(template.bot as unknown as FlowDocument)).toEqual([])
    })

    test(`every path of the template ${id} leads to an end, and every bubble and input is on one`, async () => {
      const walk = await walkAll(template)
      const shown = blocksOf(template).filter(({ type }) => type === 'text' || type.endsWith('input'))
      expect(shown.map((block) => block.id).filter((block) => !walk.seen.has(block))).toEqual([])
      expect(endsOf(template).filter((end) => !walk.ends.has(end))).toEqual([])
      if (process.env.REPORT)
        process.stderr.write(`${id}: ${walk.paths} paths, ${walk.ends.size} ends, ${walk.mails} mails\n`)
    }, 60_000)
  },
)

test('the calculator computes the payment of an annuity', async () => {
  const { values } = await walkAll(templates.find(({ id }) => id === 'calculator') as Template)
  // 1,000 over one year without interest, and 5 million over 40 years at 30 %.
  expect([...(values.get('Payment') ?? [])]).toEqual(expect.arrayContaining(['83.33', '125000.89']))
})

test('the product finder recommends every product of its groups', async () => {
  const { values } = await walkAll(templates.find(({ id }) => id === 'product-finder') as Template)
  expect([...(values.get('Product') ?? [])].sort()).toEqual([
    'City Classic',
    'City Light',
    'E-Tour 500',
    'Family Cargo',
    'Gravel Explorer',
    'Trail 29',
  ])
})
