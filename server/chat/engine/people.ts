/** Chats that people handle in place of the bot: messages are recorded, and the position in the flow stays. */

import { storableText, webUrl } from '../../json/access.ts'
import { isOfType } from '../../uploads/kinds.ts'
import { markdownOf, plainTextOf, richTextOf } from './bubbles.ts'
import { buildOutcome, buildOutcomeWithoutTheme, cleanMessage } from './engine.ts'
import { createExecution, currentFrame, waitFor } from './execution.ts'
import { findBlock } from './flow-index.ts'
import { leaveBot, loadFrames } from './frames.ts'
import { readMessageText } from './handle-reply.ts'
import { inputForPeople } from './inputs/for-people.ts'
import { markdownNodes } from './markdown.ts'
import type {
  Bubble,
  Effects,
  Flow,
  Message,
  SessionState,
  TextFormat,
  TranscriptEntry,
  TurnOptions,
  TurnOutcome,
} from './types.ts'

/** Records a message of the visitor; undefined if it says nothing. */
export async function recordMessage(
  flow: Flow,
  state: SessionState,
  message: Message | null | undefined,
  options: TurnOptions,
  effects: Effects,
): Promise<TurnOutcome | undefined> {
  const { frames, waiting, textFormat: _, ...session } = state
  const run = createExecution(options, effects, {
    ...session,
    ...(state.textFormat && { textFormat: state.textFormat }),
  })
  await loadFrames(run, flow, frames)
  const sent = cleanMessage(run, message)
  const isCommand =
    typeof sent === 'object' && sent !== null && ['command', 'webhook', 'timer'].includes(sent.type)
  if (sent === null || isCommand) return undefined
  const isAudio = typeof sent === 'object' && sent.type === 'audio'
  const text = readMessageText(sent)
  const given = isAudio ? [text] : (typeof sent === 'object' && 'text' in sent && sent.attachedFileUrls) || []
  const uploads = effects.uploads && (await waitFor(run, effects.uploads.find(given)))
  const files = given.filter((url) => (uploads ? uploads.has(url) : webUrl(url) !== null))
  if (text === '' && files.length === 0) return undefined
  run.uploads.push(...(uploads?.values() ?? []))
  if (isAudio) run.transcript.push({ role: 'user', type: 'audio', audio: text })
  else run.transcript.push({ role: 'user', type: 'text', text: [text, ...files].filter(Boolean).join('\n') })
  run.said.push({ role: 'user', text, ...(!isAudio && files.length > 0 && { attachedFileUrls: files }) })
  run.input = inputForPeople(effects.uploads?.maximumSize)
  const outcome = await buildOutcome(run, true)
  const format = run.format === 'markdown' ? { textFormat: run.format } : {}
  // As it was, even if a linked bot is deleted: the next turn finds out.
  return { ...outcome, state: { ...session, ...format, frames, waiting } }
}

/**
 * Returns the outcome of giving a chat back to the bot, which then waits where it did, or goes on at a group of the
 * first bot. Undefined if that has no such group. It runs in a transaction, so it waits for no code.
 */
export async function resumeFlow(
  flow: Flow,
  state: SessionState,
  groupId: string | undefined,
  effects: Effects,
): Promise<TurnOutcome | undefined> {
  const { frames, waiting, ...session } = state
  const run = createExecution({}, effects, session)
  await loadFrames(run, flow, frames)
  if (
    groupId === undefined &&
    waiting !== null &&
    findBlock(currentFrame(run).flowIndex, waiting)?.type === 'handoff'
  ) {
    run.state.startFrom = { type: 'behind', position: waiting }
    return buildOutcomeWithoutTheme(run, true)
  }
  if (groupId === undefined) return { ...buildOutcomeWithoutTheme(run, true), state }
  while (run.frames.length > 1) leaveBot(run)
  const frame = currentFrame(run)
  if (!frame.flowIndex.groups.has(groupId)) return undefined
  frame.returns = []
  run.state.startFrom = { type: 'group', groupId }
  return buildOutcomeWithoutTheme(run, true)
}

/** Returns a message of a member as the visitor sees it and as the transcript has it. */
export function messageOfMember(
  {
    text = '',
    isMarkdown,
    files,
  }: { text?: string; isMarkdown: boolean; files: readonly { url: string; name: string }[] },
  format: TextFormat,
  newId: () => string,
): { bubbles: Bubble[]; transcript: TranscriptEntry[] } {
  const bubbles: Bubble[] = []
  const transcript: TranscriptEntry[] = []
  const addText = (richText: unknown[], markdown: string, words: string) => {
    const content =
      format === 'markdown'
        ? { type: 'markdown' as const, markdown }
        : { type: 'richText' as const, richText }
    bubbles.push({ id: newId(), type: 'text', content })
    transcript.push({ role: 'member', type: 'text', text: words })
  }
  if (text !== '') {
    const storableWords = storableText(text)
    const richText = isMarkdown ? markdownNodes(storableWords) : richTextOf(storableWords)
    addText(richText, isMarkdown ? storableWords : markdownOf(richText), plainTextOf(richText))
  }
  for (const { url, name } of files) {
    const type = (['image', 'video', 'audio'] as const).find((each) => isOfType(name, [`${each}/*`]))
    if (type === undefined) {
      const link = [{ type: 'p', children: [{ type: 'a', url, children: [{ text: name }] }] }]
      addText(link, markdownOf(link), url)
      continue
    }
    bubbles.push({ id: newId(), type, content: type === 'video' ? { url, type: 'url' } : { url } })
    transcript.push({ role: 'member', type, [type]: url })
  }
  return { bubbles, transcript }
}
