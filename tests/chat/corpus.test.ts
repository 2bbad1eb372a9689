/** Real bots, run from their start along every choice that can be reached. */

import { afterAll, describe, expect, test } from '@jest/globals'
import { indexFlow, isInput } from '../../server/chat/engine/flow-index.ts'
import type { Flow } from '../../server/chat/engine/types.ts'
import { convert, type FlowDocument } from '../../server/documents/conversion/index.ts'
import { asStrings } from '../../server/json/access.ts'
import { type Client, chat, closeSandbox } from '../support/chat.ts'
import { corpusFiles as files, readCorpus, repliesTo } from '../support/corpus.ts'

afterAll(closeSandbox)

const longestRun = 60
/** So many runs in a row without anything new mean that there is nothing left to find. */
const patience = 40

/** The same sequence in every test run. */
let seed = 1
function random(): number {
  seed = (seed * 16_807) % 2_147_483_647
  return seed / 2_147_483_647
}

interface Found {
  /** Number of times that each reply was given, by input and reply. */
  taken: Map<string, number>
  inputs: Set<string>
  shown: Set<string>
  runs: number
  ended: number
  completed: number
  answers: number
  skipped: Set<string>
}

/** In turns the reply that was given least often and any reply, until nothing new turns up any more. */
async function explore(flow: Flow, linked: Record<string, Flow>): Promise<Found> {
  const found: Found = {
    taken: new Map(),
    inputs: new Set(),
    shown: new Set(),
    runs: 0,
    ended: 0,
    completed: 0,
    answers: 0,
    skipped: new Set(),
  }
  const size = () => found.taken.size + found.shown.size + found.inputs.size
  for (let quiet = 0; quiet < patience; found.runs += 1) {
    const before = size()
    const client = await chat(flow, { linked, random: () => (found.runs % 2) * 0.9 })
    note(found, client)
    for (let step = 0; step < longestRun && client.outcome.state !== null; step += 1) {
      await answer(found, client)
      note(found, client)
    }
    if (client.outcome.state === null) found.ended += 1
    if (client.outcome.isCompleted) found.completed += 1
    const isExhausted = [...found.taken.values()].every((count) => count > 0)
    quiet = size() > before || !isExhausted ? 0 : quiet + 1
  }
  return found
}

async function answer(found: Found, client: Client): Promise<void> {
  const { input } = client.outcome
  if (input === undefined) {
    await client.say('42')
    return
  }
  const options = repliesTo(input)
  const leastTaken = options.reduce((least, each) => (timesTaken(each) < timesTaken(least) ? each : least))
  const reply =
    found.runs % 2 === 0 ? leastTaken : (options[Math.floor(random() * options.length)] ?? leastTaken)
  const key = `${input.id} ${reply}`
  found.taken.set(key, (found.taken.get(key) ?? 0) + 1)
  await client.say(reply)
  expect(client.outcome.answers).toHaveLength(1)
  expect(client.outcome.answers[0]).toMatchObject({ blockId: input.id })
  expect(client.outcome.hasStarted).toBe(true)
  found.answers += 1

  function timesTaken(each: string): number {
    return found.taken.get(`${input?.id} ${each}`) ?? 0
  }
}

function note(found: Found, client: Client): void {
  const { input, messages, logs } = client.outcome
  if (input !== undefined) {
    found.inputs.add(input.id)
    for (const reply of repliesTo(input)) {
      const key = `${input.id} ${reply}`
      if (!found.taken.has(key)) found.taken.set(key, 0)
    }
  }
  for (const bubble of messages) found.shown.add(bubble.id)
  expect(JSON.stringify(messages)).not.toMatch(/\{\{|\[object|undefined/)
  for (const entry of logs) {
    expect(entry.description).not.toMatch(/stopped/)
    found.skipped.add(entry.description)
  }
  expect(JSON.stringify(client.outcome.state).length).toBeLessThan(8_000)
}

/** Returns the blocks that can be reached by edges alone, whatever the conditions are. */
function reachable(flow: Flow): { inputs: Set<string>; bubbles: Set<string> } {
  const index = indexFlow(flow)
  const inputs = new Set<string>()
  const bubbles = new Set<string>()
  const open = index.events.flatMap((event) => targetOf(event.outgoingEdgeId))
  const seen = new Set<string>()
  for (let place = open.pop(); place !== undefined; place = open.pop()) {
    const key = `${place.groupId} ${place.blockId}`
    const blocks = index.groups.get(place.groupId)?.blocks ?? []
    if (seen.has(key)) continue
    seen.add(key)
    const from = Math.max(
      0,
      blocks.findIndex((block) => block.id === place?.blockId),
    )
    for (const block of blocks.slice(from)) {
      if (isInput(block)) inputs.add(block.id)
      if (['text', 'image', 'video', 'audio', 'embed'].includes(block.type)) bubbles.add(block.id)
      open.push(
        ...[block.outgoingEdgeId, ...block.items.map((item) => item.outgoingEdgeId)].flatMap(targetOf),
      )
      const { groupId, blockId } = block.options
      if (typeof groupId === 'string') open.push({ groupId, blockId: asStrings([blockId])[0] })
      // A block with an edge of its own leads only along the edge, unless it is a bubble.
      const leaves = targetOf(block.outgoingEdgeId).length > 0 && !bubbles.has(block.id)
      if (leaves || (block.type === 'Jump' && index.groups.has(String(groupId)))) break
    }
  }
  return { inputs, bubbles }

  function targetOf(edgeId: unknown): { groupId: string; blockId?: string }[] {
    const target = typeof edgeId === 'string' ? index.edges.get(edgeId) : undefined
    return target === undefined ? [] : [target]
  }
}

const read = (file: string): Flow => convert(readCorpus(file) as FlowDocument) as unknown as Flow

const describeCorpus = files.length > 0 ? describe : describe.skip
describeCorpus('the corpus', () => {
  test.each(files.length > 0 ? files : ['none'])('%s', async (file) => {
    const flow = read(file)
    const linked = { 'chat-sub-bot': read('v4-linked-bot.json') }
    const found = await explore(flow, linked)
    const { inputs, bubbles } = reachable(flow)
    const missed = [...inputs]
      .filter((id) => !found.inputs.has(id))
      .concat([...bubbles].filter((id) => !found.shown.has(id)))
    report(file, found, missed)
    expect([...found.taken.values()].every((count) => count > 0)).toBe(true)
    expect(found.ended).toBe(endless.has(file) ? 0 : found.runs)
    expect(missed).toEqual([])
  })
})

/** Every way through this one comes to a choice that only restarts it. */
const endless = new Set(['v6-customer-support.json'])

function report(file: string, found: Found, missed: string[]): void {
  if (process.env.REPORT_CORPUS === undefined) return
  process.stdout.write(
    `${file}: ${found.runs} runs, ${found.ended} ended, ${found.completed} completed, ${found.inputs.size} inputs, ` +
      `${found.taken.size} replies, ${found.shown.size} bubbles, ${found.answers} answers; missed ${missed.length} ${missed.join(' ')}; ` +
      `${[...found.skipped].join(' | ')}\n`,
  )
}
