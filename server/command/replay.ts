import type { Result, TranscriptEntry } from '../../generated/client/index.js'
import { asObjects } from '../json/access.ts'
import { bodyOf, stepsOf } from './candidates.ts'
import { type Block, blocksOf, type Flow } from './flow-clues.ts'
import type { Client } from './profiles.ts'
import {
  awaitsAction,
  MAX_REPLIES,
  type Message,
  type Script,
  type SimulatedRun,
  simulateWhole,
} from './simulation.ts'

/*
 * Replays the messages of a visitor with the publication that they chatted with. Data that a transcript lacks is
 * derived from the result: responses from the variables that took them, paths of A/B tests from the messages after
 * them. Only a chat that reproduces the transcript counts.
 */

export interface Replayed {
  script: Script
  run: SimulatedRun
}

const MAX_ATTEMPTS = 24

/** The chat of a result as a script; a text says why it cannot be replayed. */
export async function replay(
  client: Client,
  botId: string,
  publication: { id: string; flow: Flow },
  result: Result,
  transcript: readonly TranscriptEntry[],
): Promise<Replayed | string> {
  if (transcript.some(({ role }) => role === 'member')) return 'a member took part'
  const { flow } = publication
  const blocks = new Map(blocksOf(flow).map((block) => [block.id, block]))
  let attempts = 0
  let reason = 'the transcript does not come out again'

  /** `outcomes` are the positions of replies that are outcomes of actions. */
  const attempt = async (script: Script, outcomes: ReadonlySet<number>): Promise<Replayed | undefined> => {
    if (++attempts > MAX_ATTEMPTS) return undefined
    const isTooLong = script.replies.length > MAX_REPLIES
    const run = isTooLong ? undefined : await simulateWhole(client, botId, script)
    if (isTooLong || run?.isIncomplete) reason = 'the chat is too long to be simulated'
    else if (!run) reason = 'the service refuses a reply of it'
    if (!run || run.isIncomplete) return undefined
    const unanswered = run.requests.find(({ isAnswered }) => !isAnswered)
    if (unanswered) {
      const { blockId } = unanswered
      const response = responseOf(blocks.get(blockId), result)
      if (response === undefined) {
        reason = 'the transcript does not tell what a service answered'
        return undefined
      }
      return attempt({ ...script, responses: [...script.responses, { blockId, ...response }] }, outcomes)
    }
    const isTest = (id: string) =>
      blocks.get(id)?.type === 'AB test' && !script.branches.some(({ blockId }) => blockId === id)
    const test = run.blockIds.find(isTest)
    if (test !== undefined) {
      for (const path of ['a', 'b'] as const) {
        const branches = [...script.branches, { blockId: test, path }]
        const found = await attempt({ ...script, branches }, outcomes)
        if (found) return found
      }
      return undefined
    }
    const at = run.steps.findIndex((step, index) => awaitsAction(step) && !outcomes.has(index))
    const goesOn = at < script.replies.length || run.transcript.length < transcript.length
    if (at !== -1 && goesOn) {
      const until = await simulateWhole(client, botId, { ...script, replies: script.replies.slice(0, at) })
      const message = outcomeOf(blocks.get(until?.lastBlockId ?? ''), result)
      const replies = [...script.replies.slice(0, at), { message }, ...script.replies.slice(at)]
      return attempt({ ...script, replies }, new Set([...outcomes, at]))
    }
    return textOf(run.transcript) === textOf(transcript) ? { script, run } : undefined
  }
  const script: Script = {
    of: publication.id,
    replies: messagesOf(transcript, result).map((message) => ({ message })),
    responses: [],
    branches: [],
    startsAt: result.createdAt,
    variables: passedVariables(flow, result),
  }
  return (await attempt(script, new Set())) ?? reason
}

const textOf = (transcript: readonly TranscriptEntry[]) =>
  JSON.stringify(
    transcript.map(({ role, type, text, image, video, audio }) => [
      role,
      type,
      text ?? image ?? video ?? audio,
    ]),
  )

/** Messages that the visitor sent, with the files of their answers. */
function messagesOf(transcript: readonly TranscriptEntry[], { answers }: Result): Message[] {
  let next = 0
  return transcript.flatMap(({ role, type, text = '', audio }): Message[] => {
    if (role !== 'user') return []
    const answer = answers[next]
    if (answer?.content === (audio ?? text)) next++
    if (type === 'audio') return [{ type: 'audio', url: audio ?? '' }]
    const files = answer?.content === text ? answer.attachedFileUrls : undefined
    return files && files.join(', ') !== text ? [{ type: 'text', text, attachedFileUrls: files }] : [text]
  })
}

/** Variables that no block writes: the page passed them. */
function passedVariables(flow: Flow, { variables }: Result): Record<string, unknown> {
  const written = new Set<unknown>()
  for (const { options } of blocksOf(flow)) collectIds(options, written)
  const initial = new Map(flow.variables.map(({ id, value }) => [id, value]))
  const passed = variables.filter(
    ({ id, value }) =>
      initial.has(id) && !written.has(id) && JSON.stringify(initial.get(id)) !== JSON.stringify(value),
  )
  return Object.fromEntries(passed.map(({ name, value }) => [name, value]))
}

function collectIds(value: unknown, ids: Set<unknown>) {
  if (Array.isArray(value)) for (const inner of value) collectIds(inner, ids)
  else if (typeof value === 'object' && value !== null) {
    for (const [name, inner] of Object.entries(value)) {
      if (/variableId$/i.test(name)) ids.add(inner)
      else collectIds(inner, ids)
    }
  }
}

/** The response that a block got, from the variables that took parts of it; undefined if they do not determine it. */
function responseOf(
  block: Block | undefined,
  result: Result,
): { status?: number; body?: unknown } | undefined {
  const variableOf = (variableId: unknown) => result.variables.find(({ id }) => id === variableId)?.value
  const models = asObjects(block?.options?.responseMapping)
  if (block && models.length > 0) {
    const mapped = models.find(({ item, valueToExtract }) =>
      /^(message content)?$/i.test(String(item ?? valueToExtract ?? '')),
    )
    const words = mapped && variableOf(mapped.variableId)
    return typeof words === 'string' ? { body: words } : undefined
  }
  if (!block || !/^(Webhook|Zapier|Make\.com|Pabbly)$/.test(block.type)) return undefined
  const mappings = asObjects(block.options?.responseVariableMapping).map(({ bodyPath, variableId }) => ({
    path: String(bodyPath ?? '').trim(),
    value: variableOf(variableId),
  }))
  const status = Number(mappings.find(({ path }) => path === 'statusCode')?.value ?? 200)
  const parts = mappings.filter(
    ({ path, value }) => path !== 'statusCode' && path !== '' && value !== undefined,
  )
  if (parts.some(({ path }) => stepsOf(path) === null)) return undefined
  return { status: status >= 100 && status <= 599 ? status : 500, body: bodyOf(parts) }
}

/** The outcome that a client or the call of a webhook brought, from the variables that took it. */
function outcomeOf(block: Block | undefined, result: Result): Message {
  if (block?.type === 'Set variable') {
    const value = result.variables.find(({ id }) => id === block.options?.variableId)?.value ?? null
    return typeof value === 'string' || value === null ? value : JSON.stringify(value)
  }
  if (block?.type !== 'webhook' && block?.type !== 'Webhook') return null
  const { status, body } = responseOf({ ...block, type: 'Webhook' }, result) ?? {}
  return JSON.stringify({ data: body ?? {}, ...(status !== 200 && { statusCode: status }) })
}
