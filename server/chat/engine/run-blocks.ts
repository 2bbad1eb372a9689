/** Runs the blocks of a flow, from one to the next point where the chat waits or ends. */
import { type VendorType, vendors } from '../../../contract/bot-document/blocks/vendors/all.ts'
import type { BlockType, InputType } from '../../../contract/bot-document/catalogue.ts'
import {
  runChatwoot,
  runGoogleAnalytics,
  runPixel,
  runRedirect,
  runScript,
  runWait,
} from './blocks/client-actions.ts'
import { runEmail } from './blocks/email.ts'
import { runHttpRequest, runWebhookListener } from './blocks/http-request.ts'
import { runAbTest, runCondition, runJump } from './blocks/logic.ts'
import { runHandoff, runWaitUntil } from './blocks/people.ts'
import { runSetVariable } from './blocks/set-variable.ts'
import { runVendor } from './blocks/vendors/run-vendor.ts'
import { mediaBubble, runTextBubble } from './bubbles.ts'
import {
  abortChat,
  type BlockOutcome,
  checkBudget,
  currentFrame,
  type Execution,
  followBlockEdge,
  log,
  takeEdge,
} from './execution.ts'
import { type Block, byType, findBlock, isInput, resolvePosition, type Target } from './flow-index.ts'
import { leaveBot, runBotLink } from './frames.ts'
import { answerInput, showInput } from './handle-reply.ts'
import { runModel } from './models/index.ts'
import { actionOf, asksModel, asVendorBlock, type ModelBlockType } from './models/vendors.ts'
import type { Position, ReturnPoint } from './types.ts'

type RunBlock = (run: Execution, block: Block, position: Position) => Promise<BlockOutcome> | BlockOutcome

/** An outcome that does not depend on the block it came from. */
type ResolvedOutcome = Exclude<BlockOutcome, { kind: 'next' }>

/**
 * Runners of all blocks that are neither inputs nor blocks of outside services. A type that the catalogue adds has to be
 * in this list.
 */
const ownRunners = byType<Exclude<BlockType, InputType | Exclude<VendorType, ModelBlockType>>, RunBlock>({
  start: followBlockEdge,
  text: runTextBubble,
  image: mediaBubble('image'),
  video: mediaBubble('video'),
  audio: mediaBubble('audio'),
  embed: mediaBubble('embed'),
  'Set variable': runSetVariable,
  Condition: runCondition,
  'AB test': runAbTest,
  Jump: runJump,
  Return: runReturn,
  'Bot link': runBotLink,
  Redirect: runRedirect,
  Wait: runWait,
  Code: runScript,
  handoff: runHandoff,
  'wait until': runWaitUntil,
  webhook: runWebhookListener,
  Webhook: runHttpRequest,
  Zapier: runHttpRequest,
  'Make.com': runHttpRequest,
  Pabbly: runHttpRequest,
  Email: runEmail,
  'Google Sheets': runVendor,
  Chatwoot: runChatwoot,
  'Google Analytics': runGoogleAnalytics,
  Pixel: runPixel,
  OpenAI: runModelOrVendor,
  openai: runModelOrVendor,
  anthropic: runModelOrVendor,
  mistral: runModelOrVendor,
  groq: runModelOrVendor,
  'together-ai': runModelOrVendor,
  'open-router': runModelOrVendor,
  perplexity: runModelOrVendor,
  deepseek: runModelOrVendor,
})

const runners: ReadonlyMap<string, RunBlock> = new Map([
  ...vendors.map(({ type }): [string, RunBlock] => [type, runVendor]),
  // Vendors of models have actions of another kind.
  ...ownRunners,
])

/** True if chats skip the block: that of an outside service, or one of an unknown or misspelt type. */
export function isSkipped(type: string): boolean {
  return !(isInput({ type }) || runners.has(type))
}

/** Runs blocks until the chat waits, ends, or is aborted. `first` is relative to `from` where it says `next`. */
export async function runBlocks(run: Execution, from: Target | null, first: BlockOutcome): Promise<void> {
  let to = resolveNext(from, first)
  while (!run.isAborted && to.kind !== 'wait') {
    if (to.kind === 'go') {
      to = await runBlockAt(run, to)
      continue
    }
    const back = await returnFromBranch(run)
    if (back === null) return
    to = back
  }
}

async function runBlockAt(run: Execution, target: Target): Promise<ResolvedOutcome> {
  const block = target.group.blocks[target.index]
  if (block === undefined) {
    const after = takeEdge(run, target.group.blocks.at(-1)?.outgoingEdgeId)
    return after === null ? { kind: 'end' } : { kind: 'go', ...after }
  }
  run.spent.blocks += 1
  if (run.spent.blocks > run.limits.blocks) {
    abortChat(run, `The chat was stopped: one turn ran more than ${run.limits.blocks} blocks`)
  }
  if (!(await checkBudget(run))) return { kind: 'end' }
  run.effects.visit?.({ botId: currentFrame(run).botId, blockId: block.id })
  const runner = isInput(block) ? showInput : (runners.get(block.type) ?? skipUnknown)
  try {
    return resolveNext(target, await runner(run, block, { groupId: target.group.id, blockId: block.id }))
  } finally {
    run.effects.memory?.releaseBlock()
  }
}

/** A branch has ended: back to where it was taken from, in this bot or in the one that linked it. */
async function returnFromBranch(run: Execution): Promise<ResolvedOutcome | null> {
  const { returns } = currentFrame(run)
  for (let point = returns.pop(); point !== undefined; point = returns.pop()) {
    if (point.isAutomatic) return goBack(run, point)
  }
  if (run.frames.length === 1) return null
  const position = leaveBot(run)
  return position === null ? { kind: 'end' } : goBack(run, { kind: 'after', isAutomatic: true, position })
}

async function goBack(run: Execution, point: ReturnPoint): Promise<ResolvedOutcome> {
  const { flowIndex } = currentFrame(run)
  const target = resolvePosition(flowIndex, point.position)
  const block = findBlock(flowIndex, point.position)
  if (target === null || block === null) return { kind: 'end' }
  switch (point.kind) {
    case 'again':
      return { kind: 'go', ...target }
    case 'after':
      return resolveNext(target, followBlockEdge(run, block))
    case 'answer':
      return resolveNext(target, await answerInput(run, block, point.position, point.message))
  }
}

async function runReturn(run: Execution, block: Block): Promise<BlockOutcome> {
  const point = currentFrame(run).returns.pop()
  if (point !== undefined) return goBack(run, point)
  log(run, 'info', 'Return: there is nothing to return to', { context: block.id, isInternal: true })
  return followBlockEdge(run, block)
}

/** Vendors of models also have actions without a model, such as speech. */
function runModelOrVendor(run: Execution, block: Block, position: Position): Promise<BlockOutcome> {
  const action = actionOf(block, block.type)
  if (action === undefined || asksModel(block.type as ModelBlockType, action)) {
    return runModel(run, block, position)
  }
  return runVendor(run, asVendorBlock(block), position)
}

function skipUnknown(run: Execution, block: Block): BlockOutcome {
  log(run, 'error', `${block.type}: this service does not run such blocks, it was skipped`, {
    context: block.id,
    isInternal: true,
  })
  return followBlockEdge(run, block)
}

function resolveNext(target: Target | null, to: BlockOutcome): ResolvedOutcome {
  if (to.kind !== 'next') return to
  return target === null ? { kind: 'end' } : { kind: 'go', group: target.group, index: target.index + 1 }
}
