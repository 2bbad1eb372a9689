import type { ToolInput } from '../../contract/tools/index.ts'
import type { JsonRecord } from '../documents/conversion/document.ts'
import type { Call, Outcome } from './call.ts'
import { recordsOf } from './edit-flow.ts'

/** A chat with the draft, shown for agents: texts in Markdown, and the input that the bot waits at. */
export async function previewChat(call: Call, input: ToolInput<'preview_chat'>): Promise<Outcome> {
  const { botId, sessionId, message, groupId } = input
  const format = { textBubbleContentFormat: 'markdown' }
  const turn = await (sessionId === undefined
    ? call('startPreview', {
        params: { botId },
        body: {
          ...format,
          ...(message !== undefined && { message }),
          ...(groupId !== undefined && { startFrom: { type: 'group', groupId } }),
        },
      })
    : call('continueChat', { params: { sessionId }, body: { ...format, message } }))
  if ('error' in turn) return turn
  const { body } = turn
  const actions = recordsOf(body.clientSideActions)
  const isWaiting =
    body.input !== undefined || actions.some((action) => action.expectsDedicatedReply === true)
  return {
    value: {
      sessionId: sessionId ?? body.sessionId,
      says: recordsOf(body.messages).map(saysOf),
      ...(body.input !== undefined && { input: inputOf(body.input as JsonRecord) }),
      ...(actions.length > 0 && { actions: actions.map(({ type }) => type) }),
      ...(body.logs !== undefined && { logs: body.logs }),
      isOver: !isWaiting,
    },
  }
}

function saysOf({ type, content }: JsonRecord): unknown {
  const { markdown, url } = content as JsonRecord
  return type === 'text' ? markdown : { [String(type)]: url ?? content }
}

function inputOf({ id, type, items }: JsonRecord): JsonRecord {
  const choices = recordsOf(items).map(({ content, title, value }) => content ?? title ?? value)
  return { blockId: id, type, ...(choices.length > 0 && { choices }) }
}
