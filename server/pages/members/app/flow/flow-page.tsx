import { useEffect, useState } from 'preact/hooks'
import { moveTo } from '../model/edits.ts'
import { addableEvents, addEvent } from '../model/event-edits.ts'
import { type Arrangement, boxesOf } from '../model/geometry.ts'
import { arrange, needsArrangement } from '../model/layout.ts'
import { eventName } from '../model/words.ts'
import { Panel } from '../panel/panel.tsx'
import { useWorkbench } from '../store/context.ts'
import { countOf } from '../ui/count.ts'
import { Icon } from '../ui/icons.tsx'
import { Menu } from '../ui/menu.tsx'
import { useBlockStats } from './block-stats.tsx'
import { Canvas } from './canvas.tsx'
import { ConflictDialog } from './conflict-dialog.tsx'
import { Outline } from './outline.tsx'
import { Preview } from './preview.tsx'
import type { Selection } from './selection.ts'

const narrow = '(max-width: 48rem)'

/** The flow: a picture or a list, the panel of the chosen part, and the draft as a chat. */
export function FlowPage() {
  const { state, editor, findings, canWrite, edit } = useWorkbench()
  const { draft } = state
  const [selection, setSelection] = useState<Selection>()
  const [test, setTest] = useState<{ groupId: string | undefined }>()
  const [isList, setList] = useState(() => matchMedia(narrow).matches)
  const arrangement = useArrangement()
  const [isCounting, setCounting] = useState(false)
  const stats = useBlockStats(isCounting)

  const select = (next: Selection) => {
    setSelection(next)
    if (next && matchMedia(narrow).matches) setTest(undefined)
  }

  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      const target = event.target as HTMLElement
      const isTyping = target.closest('input, textarea, select, .json-host') !== null
      const isCommand = event.ctrlKey || event.metaKey
      const key = event.key.toLowerCase()
      if (event.key === 'Escape' && !event.defaultPrevented) return setSelection(undefined)
      if (isTyping || !isCommand) return
      if (key === 'z') event.shiftKey ? editor.redo() : editor.undo()
      else if (key === 'y') editor.redo()
      else if (key === 's') void editor.flush()
      else return
      event.preventDefault()
    }
    addEventListener('keydown', onKeyDown)
    return () => removeEventListener('keydown', onKeyDown)
  }, [editor])

  const tidy = async () => {
    const positions = await arrange(draft)
    edit((before) => moveTo(before, positions))
  }
  const errors = findings.filter(({ severity }) => severity === 'error').length
  const findingItems = findings.slice(0, 50).map((finding) => ({
    label: finding.message,
    icon: finding.severity === 'error' ? ('error' as const) : ('warning' as const),
    onChoose: () => {
      if (finding.blockId) select({ kind: 'block', id: finding.blockId })
      else if (finding.groupId) select({ kind: 'group', id: finding.groupId })
      else if (finding.eventId) select({ kind: 'event', id: finding.eventId })
    },
  }))
  return (
    <div class="flow">
      <div class="flow-tools">
        {canWrite && (
          <>
            <button
              type="button"
              class="quiet square"
              aria-label="Undo"
              disabled={state.undo.past.length === 0}
              onClick={editor.undo}
            >
              <Icon name="undo" />
            </button>
            <button
              type="button"
              class="quiet square"
              aria-label="Redo"
              disabled={state.undo.future.length === 0}
              onClick={editor.redo}
            >
              <Icon name="redo" />
            </button>
          </>
        )}
        <button type="button" class="quiet" onClick={() => setList(!isList)}>
          <Icon name={isList ? 'flow' : 'list'} /> {isList ? 'Picture' : 'List'}
        </button>
        <button
          type="button"
          class="quiet"
          aria-pressed={selection?.kind === 'variables'}
          onClick={() => select(selection?.kind === 'variables' ? undefined : { kind: 'variables' })}
        >
          <Icon name="variable" /> <span class="tool-label">Variables</span>
        </button>
        {canWrite && (
          <Menu
            label="Add an event"
            class="quiet"
            items={addableEvents.map((type) => ({
              label: eventName(type),
              icon: 'play' as const,
              onChoose: () => {
                const addition = addEvent(draft, type)
                edit(() => addition.draft)
                select({ kind: 'event', id: addition.event.id })
              },
            }))}
          >
            <Icon name="play" /> <span class="tool-label">Event</span>
          </Menu>
        )}
        <button
          type="button"
          class="quiet"
          aria-pressed={isCounting}
          onClick={() => setCounting(!isCounting)}
        >
          <Icon name="results" /> <span class="tool-label">Statistics</span>
        </button>
        {findings.length > 0 && (
          <Menu
            label={`Findings of the check: ${countOf(errors, 'error')}, ${countOf(findings.length - errors, 'warning')}`}
            class={errors > 0 ? 'quiet danger-text' : 'quiet caution-text'}
            items={findingItems}
          >
            <Icon name={errors > 0 ? 'error' : 'warning'} /> {findings.length}
          </Menu>
        )}
        <span class="space" />
        <SaveNote />
        {canWrite && (
          <button
            type="button"
            aria-pressed={test !== undefined}
            onClick={() => setTest(test ? undefined : { groupId: undefined })}
          >
            <Icon name="play" /> Test
          </button>
        )}
      </div>
      <div class="flow-body">
        {arrangement.isReady &&
          (isList ? (
            <Outline selection={selection} stats={stats.value} onSelect={select} />
          ) : (
            <Canvas
              arrangement={arrangement.positions}
              stats={stats.value}
              selection={selection}
              onSelect={select}
              onTidy={tidy}
            />
          ))}
        <Panel
          selection={selection}
          onSelect={select}
          onTest={(groupId) => {
            setTest({ groupId })
            if (matchMedia(narrow).matches) setSelection(undefined)
          }}
        />
        {test && <Preview groupId={test.groupId} onSelect={select} onClose={() => setTest(undefined)} />}
      </div>
      {isCounting && (stats.error || stats.value?.size === 0) && (
        <div class="note" role="status">
          {stats.error ?? 'The published bot asks nothing yet.'}
          <button type="button" class="text" onClick={() => setCounting(false)}>
            Close
          </button>
        </div>
      )}
      {state.note && (
        <div class="note" role="status">
          {state.note}
          <button type="button" class="text" onClick={editor.dismissNote}>
            Close
          </button>
        </div>
      )}
      {state.conflicts && <ConflictDialog conflicts={state.conflicts} />}
    </div>
  )
}

/** Positions of its own for a draft that has none that are usable. They become the draft's when something is moved. */
function useArrangement(): { isReady: boolean; positions: Arrangement | undefined } {
  const { state } = useWorkbench()
  const { draft } = state
  const [made, setMade] = useState<{ isReady: boolean; positions: Arrangement | undefined }>({
    isReady: false,
    positions: undefined,
  })
  const isNeeded = needsArrangement(draft)
  // Groups that are added later need a place too.
  const count = boxesOf(draft).length
  useEffect(() => {
    let isUnmounted = false
    if (!isNeeded) setMade({ isReady: true, positions: undefined })
    else void arrange(draft).then((positions) => !isUnmounted && setMade({ isReady: true, positions }))
    return () => {
      isUnmounted = true
    }
  }, [isNeeded, isNeeded && count])
  return made
}

function SaveNote() {
  const { state, editor, canWrite } = useWorkbench()
  if (!canWrite) return <span class="about">You may only look</span>
  const words = {
    saved: 'Saved',
    unsaved: 'Saving …',
    saving: 'Saving …',
    away: 'No connection. Your changes are kept in this browser.',
    conflict: 'Waiting for your choice',
    rejected: 'Not saved',
  }[state.save]
  const isBad = state.save === 'away' || state.save === 'rejected'
  return (
    <span class={isBad ? 'save-note wrong' : 'save-note about'} role="status">
      {words}
      {state.save === 'rejected' && `: ${state.problem}`}
      {isBad && (
        <button type="button" class="text" onClick={() => void editor.flush()}>
          Try again
        </button>
      )}
    </span>
  )
}
