import type { Flow } from './flow-clues.ts'
import { type SimulatedRun, type Step, saysOf } from './simulation.ts'

/* Differences between two runs of one script, for the people who chat and for the services that get requests. */

export interface Difference {
  /** Title of the group in which it shows first, or its id; null where it shows at the end. */
  where: string | null
  blockId: string | null
  how: string
}

/** Properties that no visitor notices. */
const unseen = new Set([
  'id',
  'blockId',
  'groupId',
  'outgoingEdgeId',
  'variableId',
  'saveVariableId',
  'lastBubbleBlockId',
])

/** Parts of a value that people notice, with keys in order. */
function toComparable(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(toComparable)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).filter(([name, inner]) => inner !== undefined && !unseen.has(name))
  return Object.fromEntries(
    entries
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([name, inner]) => [name, toComparable(inner)]),
  )
}

const textOf = (value: unknown) => JSON.stringify(toComparable(value) ?? null)
const short = (text: string) => JSON.stringify(text.length > 80 ? `${text.slice(0, 79)}…` : text)

/** The first difference between two runs; undefined if no visitor or service notices one. */
export function differenceOf(before: SimulatedRun, after: SimulatedRun, flow: Flow): Difference | undefined {
  const at = (blockId: string | undefined, how: string): Difference => {
    const group = flow.groups.find(({ blocks }) => blocks.some(({ id }) => id === blockId))
    return { where: group ? group.title || group.id : null, blockId: group ? (blockId ?? null) : null, how }
  }
  for (const [index, step] of before.steps.entries()) {
    const other = after.steps[index]
    if (!other) return at(firstBlock(step), 'the chat is over before')
    const [says, saysThen] = [saysOf(step), saysOf(other)]
    for (let nth = 0; nth < Math.max(says.length, saysThen.length); nth++) {
      const [said, then] = [says[nth], saysThen[nth]]
      if (said === then && textOf(step.messages[nth]) === textOf(other.messages[nth])) continue
      const blockId = step.messages[nth]?.id ?? other.messages[nth]?.id
      if (said === undefined) return at(blockId, `the bot also says ${short(then as string)}`)
      if (then === undefined) return at(blockId, `the bot no longer says ${short(said)}`)
      return at(blockId, `the bot says ${short(then)} in place of ${short(said)}`)
    }
    if (textOf(step.input) !== textOf(other.input)) {
      const blockId = step.input?.id ?? other.input?.id
      if (!step.input) return at(blockId, `the bot also asks, with ${other.input?.type}`)
      if (!other.input) return at(blockId, `the bot no longer asks, with ${step.input.type}`)
      if (step.input.type !== other.input.type)
        return at(blockId, `the bot asks with ${other.input.type} in place of ${step.input.type}`)
      return at(blockId, `the ${step.input.type} is another`)
    }
    if (textOf(step.clientSideActions) !== textOf(other.clientSideActions))
      return at(firstBlock(step), 'the client is told to do something else')
    const [sent, sentThen] = [before, after].map(({ requests }) =>
      requests.filter((request) => request.step === index),
    )
    for (let nth = 0; nth < Math.max(sent?.length ?? 0, sentThen?.length ?? 0); nth++) {
      const [one, then] = [sent?.[nth], sentThen?.[nth]]
      if (textOf({ ...one, isAnswered: 0, step: 0 }) === textOf({ ...then, isAnswered: 0, step: 0 })) continue
      if (!one) return at(then?.blockId, `${then?.method} ${then?.url} is sent as well`)
      if (!then) return at(one.blockId, `${one.method} ${one.url} is no longer sent`)
      return at(one.blockId, `another ${one.kind} is sent: ${then.method} ${then.url}`)
    }
  }
  const extra = after.steps[before.steps.length]
  if (extra) return at(firstBlock(extra), 'the chat goes on')
  if (before.isOver !== after.isOver)
    return at(undefined, after.isOver ? 'the chat is over' : 'the chat goes on')
  const [answers, answersThen] = [before, after].map((run) => run.answers.map(({ content }) => content))
  if (textOf(answers) !== textOf(answersThen)) return at(undefined, 'other answers are stored')
  const valuesThen = new Map(after.variables.map(({ name, value }) => [name, value]))
  for (const { name, value } of before.variables) {
    if (textOf(valuesThen.get(name)) !== textOf(value))
      return at(
        undefined,
        `variable ${name} is ${short(textOf(valuesThen.get(name)))} in place of ${short(textOf(value))}`,
      )
    valuesThen.delete(name)
  }
  const [name] = valuesThen.keys()
  return name === undefined ? undefined : at(undefined, `variable ${name} has a value`)
}

const firstBlock = ({ messages, input }: Step): string | undefined => messages[0]?.id ?? input?.id
