import { asObject } from '../json/access.ts'
import { bodiesFor, candidatesFor } from './candidates.ts'
import { type Block, blocksOf, type Clues, type Flow, findClues } from './flow-clues.ts'
import type { Client } from './profiles.ts'
import { type Script, type SimulatedRun, type Step, simulateWhole } from './simulation.ts'

/*
 * Explores the paths of a flow in simulated chats. Each input gets replies by its type and by the values that conditions
 * compare with, each A/B test takes both paths, and each request gets several responses. Chats that wait at the same
 * block with the same values in deciding variables are one state, which is explored once.
 */

export interface Path {
  script: Script
  run: SimulatedRun
}

export interface Exploration {
  paths: Path[]
  blockIds: Set<string>
  edgeIds: Set<string>
  /** True if every state was explored. */
  isComplete: boolean
}

const MAX_RUNS_AT_ONCE = 4
const MAX_REPLIES = 60

export async function explore(
  client: Client,
  botId: string,
  of: string,
  flow: Flow,
  maxPaths: number,
  advance: () => void,
): Promise<Exploration> {
  const clues = findClues(flow)
  const blocks = new Map(blocksOf(flow).map((block) => [block.id, block]))
  const tests = [...blocks.values()].filter(({ type }) => type === 'AB test')
  const branches = tests.map(({ id }) => ({ blockId: id, path: 'a' as const }))
  const result: Exploration = { paths: [], blockIds: new Set(), edgeIds: new Set(), isComplete: true }
  const states = new Set<string>()
  const commands = (flow.events ?? []).flatMap(({ type, options }) => {
    const { command } = asObject(options)
    return type === 'command' && typeof command === 'string' && command !== '' ? [command] : []
  })
  const otherPaths = new Set<string>()
  const answered = new Set<string>()
  const refused = new Set<string>()
  // Scripts at places that no chat has been at come first.
  const fresh: Script[] = [{ of, replies: [], responses: [], branches }]
  const later: Script[] = []

  const take = (script: Script, run: SimulatedRun) => {
    result.paths.push({ script, run })
    for (const id of run.blockIds) result.blockIds.add(id)
    for (const id of run.edgeIds) result.edgeIds.add(id)
    for (const { id } of tests) {
      if (otherPaths.has(id) || !run.blockIds.includes(id)) continue
      otherPaths.add(id)
      fresh.push({
        ...script,
        branches: script.branches.map((one) => (one.blockId === id ? { ...one, path: 'b' } : one)),
      })
    }
    if (run.isOver || run.isIncomplete || script.replies.length >= MAX_REPLIES) return
    const step = run.steps.at(-1) as Step
    const at = run.lastBlockId ?? ''
    const key = JSON.stringify([
      at,
      script.branches,
      run.variables.filter(({ name }) => clues.isDecisive(name)).map(({ name, value }) => [name, value]),
    ])
    if (states.has(key)) return
    const isFirst = ![...states].some((state) => state.startsWith(`[${JSON.stringify(at)},`))
    states.add(key)
    const messages = candidatesFor(step, blocks.get(at), clues)
    for (const message of messages) {
      if (message === 'not valid') {
        if (refused.has(at)) continue
        refused.add(at)
      }
      ;(isFirst ? fresh : later).push({ ...script, replies: [...script.replies, { message }] })
    }
    if (states.size === 1)
      for (const command of commands)
        later.push({ ...script, replies: [...script.replies, { message: { type: 'command', command } }] })
  }

  const work = async () => {
    for (;;) {
      const script = fresh.shift() ?? later.shift()
      if (!script) return
      if (result.paths.length >= maxPaths) {
        result.isComplete = false
        return
      }
      const run = await simulateWhole(client, botId, script)
      if (!run) {
        result.isComplete = false
        continue
      }
      const unanswered = run.requests.find(({ isAnswered }) => !isAnswered)
      if (unanswered) {
        const { blockId, kind } = unanswered
        const [first, ...more] = responsesFor(blocks.get(blockId), kind, clues)
        const withResponse = (response: object): Script => ({
          ...script,
          responses: [...script.responses, { blockId, ...response }],
        })
        fresh.unshift(withResponse(first as object))
        if (!answered.has(blockId)) later.push(...more.map(withResponse))
        answered.add(blockId)
        continue
      }
      take(script, run)
      advance()
    }
  }
  while (fresh.length + later.length > 0 && result.paths.length < maxPaths)
    await Promise.all(Array.from({ length: MAX_RUNS_AT_ONCE }, work))
  if (fresh.length + later.length > 0) result.isComplete = false
  return result
}

function responsesFor(block: Block | undefined, kind: string, clues: Clues): object[] {
  if (kind === 'model') {
    const mapped = (block?.options?.responseMapping ?? []) as { variableId?: string }[]
    const values = mapped.flatMap(({ variableId }) => clues.valuesOf(variableId))
    return ['An answer', ...values].map((body) => ({ body }))
  }
  return [...bodiesFor(block, clues).map((body) => ({ body })), { status: 500, body: {} }]
}
