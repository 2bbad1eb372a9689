import { useEffect, useRef, useState } from 'preact/hooks'
import { client } from '../api.ts'
import { findGroup } from '../model/draft.ts'
import { urlOf } from '../router.ts'
import { useWorkbench } from '../store/context.ts'
import { failureOf } from '../ui/hooks.ts'
import { Icon } from '../ui/icons.tsx'
import { Happenings, type Turn } from './happenings.tsx'
import type { Selection } from './selection.ts'

/**
 * The draft as a chat. The chat page runs in a frame without a token: this page starts the chat, and hands the first
 * response over.
 */
export function Preview(props: {
  groupId: string | undefined
  onSelect: (selection: Selection) => void
  onClose: () => void
}) {
  const { groupId, onClose } = props
  const { botId, editor, state } = useWorkbench()
  const frame = useRef<HTMLIFrameElement>(null)
  const [count, setCount] = useState(0)
  const [error, setError] = useState<string>()
  const [turns, setTurns] = useState<Turn[]>([])
  const group = groupId === undefined ? undefined : findGroup(state.draft, groupId)

  useEffect(() => {
    setError(undefined)
    setTurns([])
    let answer: string | undefined
    let isUnmounted = false
    const start = async () => {
      // A step runs the draft as it is stored.
      await editor.flush()
      const startFrom = groupId === undefined ? undefined : { type: 'group' as const, groupId }
      return client.previews.start(botId, startFrom ? { startFrom } : {})
    }
    const started = start()
    started.catch((thrown) => !isUnmounted && setError(failureOf(thrown)))
    const listen = async ({ source, origin, data }: MessageEvent) => {
      if (source !== frame.current?.contentWindow || origin !== location.origin) return
      if (data?.type === 'restart') return setCount(count + 1)
      if (data?.type === 'answer') answer = data.detail?.message ?? undefined
      if (data?.type === 'turn') {
        const turn: Turn = { ...data.detail, answer }
        answer = undefined
        return setTurns((before) => [...before, turn])
      }
      if (data?.type !== 'ready') return
      const draft = await started.catch(() => undefined)
      if (draft && !isUnmounted)
        frame.current?.contentWindow?.postMessage({ type: 'start', draft }, location.origin)
    }
    addEventListener('message', listen)
    return () => {
      isUnmounted = true
      removeEventListener('message', listen)
    }
  }, [groupId, count])

  return (
    <aside class="preview" aria-label="Test">
      <header class="panel-head">
        <h2>{group ? `Test from ${group.title}` : 'Test'}</h2>
        <div class="panel-actions">
          <button type="button" class="quiet square" aria-label="Close the test" onClick={onClose}>
            <Icon name="close" />
          </button>
        </div>
      </header>
      {error && (
        <p class="alert" role="alert">
          {error}
        </p>
      )}
      <iframe
        key={`${groupId} ${count}`}
        ref={frame}
        title="Chat with the draft"
        src={`${urlOf('chat/~draft')}#embed`}
      />
      {turns.length > 0 && <Happenings turns={turns} onSelect={props.onSelect} />}
    </aside>
  )
}
