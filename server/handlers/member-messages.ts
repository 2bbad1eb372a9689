import type { Issue } from '../../contract/errors.ts'
import type { MemberMessagesHandlers } from '../../generated/handlers.ts'
import { writeToVisitor } from '../chat/sessions/member-messages.ts'
import { setTyping } from '../chat/sessions/typing.ts'
import type { Contexts } from '../context.ts'

export const memberMessages: MemberMessagesHandlers<Contexts> = {
  async sendMessage({ params, body }, respond, context) {
    const sent = await writeToVisitor(context, params.sessionId, body)
    if (!sent) return respond.fail('NOT_FOUND')
    if ('code' in sent) return respond.fail(sent.code, [sent.issue])
    // Retained for its key as long as the result.
    return { ...respond.ok({ messages: sent.bubbles }), resultId: sent.resultId }
  },

  async updateTypingSign({ params, body }, respond, context) {
    const outcome = await setTyping(context, params.sessionId, body.isTyping)
    if (!outcome) return respond.fail('NOT_FOUND')
    if (outcome === 'notHandled') return respond.fail('CONFLICT', [notHandled])
    return respond.ok({ message: 'success' })
  },
}

const notHandled: Issue = {
  path: ['path', 'sessionId'],
  code: 'conflict',
  message: 'You do not handle the chat; take it first',
}
