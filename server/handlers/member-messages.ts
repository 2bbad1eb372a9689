import type { Issue } from '../../contract/errors.ts'
import type { MemberMessagesHandlers } from '../../generated/handlers.ts'
import { writeToVisitor } from '../chat/sessions/member-messages.ts'
import { setTyping } from '../chat/sessions/typing.ts'
import type { Contexts } from '../context.ts'

export const memberMessages: MemberMessagesHandlers<Contexts> = {
  async sendMessage({ params, body }, reply, context) {
    const sent = await writeToVisitor(context, params.sessionId, body)
    if (!sent) return reply.fail('NOT_FOUND')
    if ('refusal' in sent) return reply.fail(sent.refusal, [sent.issue])
    // Kept for its key as long as the result.
    return { ...reply.ok({ messages: sent.bubbles }), resultId: sent.resultId }
  },

  async updateTypingSign({ params, body }, reply, context) {
    const outcome = await setTyping(context, params.sessionId, body.isTyping)
    if (!outcome) return reply.fail('NOT_FOUND')
    if (outcome === 'notHandled') return reply.fail('CONFLICT', [notHandled])
    return reply.ok({ message: 'success' })
  },
}

const notHandled: Issue = {
  path: ['path', 'sessionId'],
  code: 'conflict',
  message: 'You do not handle the chat; take it first',
}
