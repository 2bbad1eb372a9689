import { ApiError, type StartedPreviewBody, type StartPreviewBody } from '../../generated/client/index.js'
import type { Client } from './profiles.ts'

/* Chats that the service simulates: nothing is sent, and nothing is stored. */

export type Simulation = NonNullable<StartPreviewBody['simulation']>
type SimulatedReply = NonNullable<Simulation['replies']>[number]
export type Message = SimulatedReply['message']

/** Everything that decides about a chat, besides the bot. */
export interface Script {
  /** `draft`, `published` or the id of a publication. */
  of: string
  replies: SimulatedReply[]
  responses: NonNullable<Simulation['responses']>
  branches: NonNullable<Simulation['branches']>
  startsAt?: string
  variables?: Record<string, unknown>
  groupId?: string
}

export type Step = Pick<StartedPreviewBody, 'messages' | 'input' | 'clientSideActions' | 'logs'>
export type Chat = NonNullable<StartedPreviewBody['simulation']>

export interface SimulatedRun extends Omit<Chat, 'steps'> {
  /** The start, and the step after each reply. */
  steps: Step[]
}

/** Replies that one simulation takes; the contract publishes it. */
export const MAX_REPLIES = 200
/** Tests and proofs have one time, unless they name another. */
const USUAL_TIME = '2026-01-15T10:00:00Z'

export async function simulate(client: Client, botId: string, script: Script): Promise<SimulatedRun> {
  const { of, replies, responses, branches, startsAt = USUAL_TIME, variables, groupId } = script
  const { simulation, ...first } = await client.previews.start(botId, {
    textBubbleContentFormat: 'markdown',
    ...(variables && { prefilledVariables: variables }),
    ...(groupId !== undefined && { startFrom: { type: 'group', groupId } }),
    simulation: { of, replies, responses, branches, startsAt },
  })
  if (!simulation) throw new Error('This service cannot simulate chats; it needs version 1.0 or later')
  return { ...simulation, steps: [first, ...simulation.steps] }
}

/** As `simulate`; undefined if the service rejects the script, such as a command that the bot does not have. */
export async function simulateWhole(
  client: Client,
  botId: string,
  script: Script,
): Promise<SimulatedRun | undefined> {
  try {
    return await simulate(client, botId, script)
  } catch (error) {
    if (error instanceof ApiError && error.status === 400) return undefined
    throw error
  }
}

/** The bubbles of a step as texts; other media by their address. */
export function saysOf({ messages }: Step): string[] {
  return messages.map(({ type, content }) => {
    if ('markdown' in content) return String(content.markdown).trim()
    const url = (content as { url?: unknown }).url
    return `[${type}] ${typeof url === 'string' ? url : ''}`.trim()
  })
}

/** True if a step waits for the client to do something and to say so. */
export function awaitsAction({ input, clientSideActions = [] }: Step): boolean {
  return !input && clientSideActions.some(({ expectsDedicatedReply }) => expectsDedicatedReply === true)
}
