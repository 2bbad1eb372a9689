import type { Flow } from './flow-clues.ts'
import type { Client } from './profiles.ts'
import { type Message, type Script, type SimulatedRun, saysOf, simulate } from './simulation.ts'
import type { ConversationTest, Said, TestFile } from './test-file.ts'

/* Runs tests of conversations in simulated chats with a draft. */

interface TestOutcome {
  name: string
  line: number
  isPassed: boolean
  /** The first thing that is not as the test says. */
  failure?: string
}

export interface Coverage {
  blocks: { covered: number; total: number; missing: { id: string; group: string; type: string }[] }
  edges: { covered: number; total: number; missing: string[] }
}

export interface BotOutcome {
  botId: string
  file: string
  tests: TestOutcome[]
  coverage: Coverage
}

export async function runTests(
  client: Client,
  botId: string,
  { file, tests }: TestFile,
  flow: Flow,
  of: string,
  advance: () => void,
): Promise<BotOutcome> {
  const outcomes: TestOutcome[] = []
  const blockIds = new Set<string>()
  const edgeIds = new Set<string>()
  for (const test of tests) {
    const run = await simulate(client, botId, scriptOf(test, flow, of))
    for (const id of run.blockIds) blockIds.add(id)
    for (const id of run.edgeIds) edgeIds.add(id)
    const failure = failureOf(test, run)
    const { name, line } = test
    outcomes.push({ name, line, isPassed: failure === undefined, ...(failure !== undefined && { failure }) })
    advance()
  }
  return { botId, file, tests: outcomes, coverage: coverageOf(flow, blockIds, edgeIds) }
}

function coverageOf(flow: Flow, blockIds: ReadonlySet<string>, edgeIds: ReadonlySet<string>): Coverage {
  const blocks = flow.groups.flatMap(({ id, title, blocks }) =>
    blocks.map((block) => ({ id: block.id, group: title || id, type: block.type })),
  )
  // An edge that leads nowhere cannot be taken.
  const groups = new Set(flow.groups.map(({ id }) => id))
  const edges = flow.edges.filter(({ to }) => groups.has(to.groupId)).map(({ id }) => id)
  const missingBlocks = blocks.filter(({ id }) => !blockIds.has(id))
  const missingEdges = edges.filter((id) => !edgeIds.has(id))
  return {
    blocks: { covered: blocks.length - missingBlocks.length, total: blocks.length, missing: missingBlocks },
    edges: { covered: edges.length - missingEdges.length, total: edges.length, missing: missingEdges },
  }
}

function scriptOf(test: ConversationTest, flow: Flow, of: string): Script {
  const { at, variables, branches = {}, requests = [], chat, group } = test
  const groupId =
    flow.groups.find(({ id, title }) => group !== undefined && (id === group || title === group))?.id ?? group
  return {
    of,
    replies: chat.flatMap((line) =>
      'visitor' in line ? [{ message: toMessage(line.visitor), ...(line.at && { at: line.at }) }] : [],
    ),
    responses: requests.map(({ block, ...response }) => ({
      ...response,
      ...(block !== undefined && { blockId: block }),
    })),
    branches: Object.entries(branches).flatMap(([blockId, paths]) =>
      [paths].flat().map((path) => ({ blockId, path })),
    ),
    ...(at !== undefined && { startsAt: at }),
    ...(variables && { variables }),
    ...(groupId !== undefined && { groupId }),
  }
}

function toMessage(given: ConversationTest['chat'][number]['visitor']): Message {
  if (given === undefined || given === null || typeof given === 'string') return given ?? null
  if ('command' in given) return { type: 'command', command: given.command }
  if ('audio' in given) return { type: 'audio', url: given.audio }
  if ('item' in given) return { type: 'text', text: given.text, metadata: { replyId: given.item } }
  return { type: 'text', text: given.text, attachedFileUrls: given.files }
}

/** The first thing that is not as the test says, in words. */
function failureOf({ chat, expect = {} }: ConversationTest, run: SimulatedRun): string | undefined {
  const unanswered = run.requests.find(({ isAnswered }) => !isAnswered)
  if (unanswered) {
    const { method, url, blockId } = unanswered
    return `no response is given for ${method} ${url}; write it under requests, with block: ${blockId}`
  }
  const expected: { said: Said[]; isChecked: boolean; to: string }[] = [
    { said: [], isChecked: false, to: 'at the start' },
  ]
  for (const line of chat) {
    const last = expected.at(-1) as (typeof expected)[number]
    if ('visitor' in line)
      expected.push({ said: [], isChecked: false, to: `after ${JSON.stringify(line.visitor ?? null)}` })
    else {
      last.isChecked = true
      last.said.push(...[line.bot ?? []].flat())
    }
  }
  for (const [index, { said, isChecked, to }] of expected.entries()) {
    const step = run.steps[index]
    if (!step) return `${to}: the chat was over before`
    const problem = isChecked ? differenceOf(said, saysOf(step)) : undefined
    if (problem !== undefined) return `${to}: ${problem}`
  }
  if (run.isIncomplete) return 'the chat was too long to be simulated; write several tests'
  for (const [name, value] of Object.entries(expect.variables ?? {})) {
    const found = run.variables.find((variable) => variable.name === name)?.value ?? null
    const wanted = typeof value === 'number' || typeof value === 'boolean' ? String(value) : value
    if (JSON.stringify(found) !== JSON.stringify(wanted))
      return `variable ${name}: expected ${JSON.stringify(wanted)}, it is ${JSON.stringify(found)}`
  }
  const answers = run.answers.map(({ content }) => content)
  if (expect.answers && JSON.stringify(answers) !== JSON.stringify(expect.answers))
    return `answers: expected ${JSON.stringify(expect.answers)}, they are ${JSON.stringify(answers)}`
  for (const { url, contains } of expect.sent ?? []) {
    const fits = run.requests.some(
      (request) =>
        request.url.startsWith(url) && (contains === undefined || request.body?.includes(contains)),
    )
    if (!fits) {
      const all = run.requests.map((request) => `${request.method} ${request.url}`).join(', ') || 'nothing'
      return `nothing was sent to ${url}${contains === undefined ? '' : ` with ${JSON.stringify(contains)}`}; sent: ${all}`
    }
  }
  if (expect.isOver !== undefined && run.isOver !== expect.isOver)
    return expect.isOver ? 'the chat goes on; it should be over' : 'the chat is over; it should go on'
  return undefined
}

function differenceOf(expected: readonly Said[], said: readonly string[]): string | undefined {
  for (let index = 0; index < Math.max(expected.length, said.length); index++) {
    const wanted = expected[index]
    const words = said[index]
    if (wanted === undefined) return `the bot also says ${JSON.stringify(words)}`
    if (words === undefined) return `the bot does not say ${JSON.stringify(wanted)}`
    if (!fits(wanted, words))
      return `expected ${JSON.stringify(wanted)}, the bot says ${JSON.stringify(words)}`
  }
  return undefined
}

function fits(wanted: Said, words: string): boolean {
  if (typeof wanted === 'string') return words === wanted.trim()
  return 'contains' in wanted ? words.includes(wanted.contains) : words === `[image] ${wanted.image}`
}
