import { useState } from 'preact/hooks'
import type { ChatDetailBody, ChatUpdate } from '../../../../../generated/client/index.js'
import { ApiError, client } from '../api.ts'
import { Confirmation, Dialog } from '../ui/dialog.tsx'
import { useLoaded, useTask } from '../ui/hooks.ts'
import { dateOf } from '../ui/times.ts'

type Chat = ChatDetailBody['chat']

export interface HandlerProps {
  botId: string
  sessionId: string
  chat: Chat
  userId: string | undefined
  nameOf: (userId: string | null | undefined) => string
  onChanged: () => void
}

const timerWords = {
  idle: 'The bot reminds the visitor',
  wait: 'The bot goes on',
  handoff: 'The bot goes on if nobody takes it',
}

/** Shows who handles the chat, and takes it or gives it back. */
export function Handler({ botId, sessionId, chat, userId, nameOf, onChanged }: HandlerProps) {
  const task = useTask()
  const [dialog, setDialog] = useState<'return' | 'end'>()
  const isMine = chat.assigneeId !== null && chat.assigneeId === userId
  const isTaken = chat.handledBy === 'member'
  const update = (change: ChatUpdate) =>
    task.run(async () => {
      try {
        await client.chat.update(botId, sessionId, change)
        setDialog(undefined)
      } catch (error) {
        const isLate = error instanceof ApiError && error.status === 409
        throw isLate ? new Error('Somebody else was faster. This is the chat as it is now.') : error
      } finally {
        onChanged()
      }
    })
  const open = (which: 'return' | 'end') => {
    task.setError(undefined)
    setDialog(which)
  }
  // Naming the assignee takes a chat from another member, so only where this member sees that one has it.
  const take = () => update({ handledBy: 'member', ...(isTaken && { assigneeId: userId }) })
  return (
    <>
      <p class="inbox-state" role="status">
        {stateOf(chat, isMine, nameOf)}
        {chat.timer && !chat.timer.isPaused && (
          <span class="about">
            {timerWords[chat.timer.kind]}: {dateOf(chat.timer.dueAt)}
          </span>
        )}
      </p>
      {!chat.isOver && (
        <div class="inbox-actions">
          {!isMine && (
            <button
              type="button"
              class={isTaken ? '' : 'main'}
              disabled={task.isBusy || userId === undefined}
              onClick={take}
            >
              {isTaken ? 'Take over' : 'Take'}
            </button>
          )}
          {chat.handledBy !== 'bot' && (
            <button type="button" disabled={task.isBusy} onClick={() => open('return')}>
              Give back
            </button>
          )}
          <button type="button" disabled={task.isBusy} onClick={() => open('end')}>
            End
          </button>
        </div>
      )}
      {task.error && !dialog && (
        <p class="alert" role="alert">
          {task.error}
        </p>
      )}
      {dialog === 'return' && (
        <GiveBack chat={chat} task={task} onClose={() => setDialog(undefined)} onGive={update} />
      )}
      {dialog === 'end' && (
        <Confirmation
          title="End this chat?"
          action="End the chat"
          isBusy={task.isBusy}
          {...(task.error && { error: task.error })}
          onConfirm={() => update({ isOver: true })}
          onClose={() => setDialog(undefined)}
        >
          <p>The visitor can write nothing more in it. Its result stays.</p>
        </Confirmation>
      )}
    </>
  )
}

function stateOf(chat: Chat, isMine: boolean, nameOf: HandlerProps['nameOf']): string {
  if (chat.isOver) return 'The chat is over'
  if (chat.handledBy === 'bot') return 'The bot handles this chat'
  if (chat.handledBy === 'waiting') return 'Waiting for a member'
  return isMine ? 'You handle this chat' : `${nameOf(chat.assigneeId)} handles this chat`
}

function GiveBack(props: {
  chat: Chat
  task: ReturnType<typeof useTask>
  onGive: (change: ChatUpdate) => void
  onClose: () => void
}) {
  const { isBusy, error } = props.task
  const { botId, publicationId } = props.chat
  const [groupId, setGroupId] = useState('')
  const groups = useLoaded(
    async (signal) => {
      const { publication } = await client.publications.get(botId, publicationId, { signal })
      return (publication.groups as { id: string; title: string }[]).map(({ id, title }) => ({ id, title }))
    },
    [botId, publicationId],
  )
  return (
    <Dialog title="Give the chat back to the bot?" onClose={props.onClose}>
      <label class="field">
        The bot goes on
        <select value={groupId} onChange={(event) => setGroupId(event.currentTarget.value)}>
          <option value="">where it was</option>
          {(groups.value ?? []).map(({ id, title }) => (
            <option key={id} value={id}>
              at {title || id}
            </option>
          ))}
        </select>
      </label>
      {(error ?? groups.error) && (
        <p class="alert" role="alert">
          {error ?? groups.error}
        </p>
      )}
      <footer class="actions">
        <button type="button" onClick={props.onClose}>
          Cancel
        </button>
        <button
          type="button"
          class="main"
          disabled={isBusy}
          onClick={() => props.onGive({ handledBy: 'bot', ...(groupId && { groupId }) })}
        >
          Give back
        </button>
      </footer>
    </Dialog>
  )
}
