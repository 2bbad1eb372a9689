import type { Selection } from '../flow/selection.ts'
import { type FlowEvent, findGroup, type JsonObject, sourceOf } from '../model/draft.ts'
import { disconnect, duplicateGroup, removeGroup, renameGroup } from '../model/edits.ts'
import { removeEvent } from '../model/event-edits.ts'
import { eventSchema } from '../model/schema.ts'
import { eventName, nameOf, sourceName, summaryOf } from '../model/words.ts'
import { useWorkbench } from '../store/context.ts'
import { BlockIcon } from '../ui/block-icon.tsx'
import { Icon } from '../ui/icons.tsx'
import { AddPanel } from './add-panel.tsx'
import { BlockPanel } from './block-panel.tsx'
import { ExitField } from './exit-field.tsx'
import { Findings, PanelHead } from './parts.tsx'
import { SchemaForm } from './schema-form.tsx'
import { useSchema } from './schemas.ts'
import { VariablesPanel } from './variables-panel.tsx'

interface Props {
  selection: Selection
  onSelect: (selection: Selection) => void
  onTest: (groupId: string) => void
}

/** Shows and edits the chosen part of the flow. */
export function Panel(props: Props) {
  const { selection } = props
  if (!selection) return null
  return (
    <aside class="side-panel" aria-label="Chosen part" key={JSON.stringify(selection)}>
      <Content {...props} selection={selection} />
    </aside>
  )
}

function Content({ selection, onSelect, onTest }: Props & { selection: NonNullable<Selection> }) {
  if (selection.kind === 'block') return <BlockPanel id={selection.id} onSelect={onSelect} />
  if (selection.kind === 'group') return <GroupPanel id={selection.id} onSelect={onSelect} onTest={onTest} />
  if (selection.kind === 'edge') return <EdgePanel id={selection.id} onSelect={onSelect} />
  if (selection.kind === 'event') return <EventPanel id={selection.id} onSelect={onSelect} />
  if (selection.kind === 'add') return <AddPanel {...selection} onSelect={onSelect} />
  return <VariablesPanel onClose={() => onSelect(undefined)} />
}

interface PartProps {
  id: string
  onSelect: (selection: Selection) => void
}

function GroupPanel({ id, onSelect, onTest }: PartProps & { onTest: (groupId: string) => void }) {
  const { state, edit, canWrite, findings } = useWorkbench()
  const { draft } = state
  const group = findGroup(draft, id)
  if (!group) return <PanelHead title="Group" onClose={() => onSelect(undefined)} />
  const duplicate = () => {
    const groupCopy = duplicateGroup(draft, id)
    if (!groupCopy) return
    edit(() => groupCopy.draft)
    onSelect({ kind: 'group', id: groupCopy.group.id })
  }
  return (
    <>
      <PanelHead title="Group" onClose={() => onSelect(undefined)}>
        {canWrite && (
          <>
            <button
              type="button"
              class="quiet square"
              aria-label="Test from this group"
              onClick={() => onTest(id)}
            >
              <Icon name="play" />
            </button>
            <button type="button" class="quiet square" aria-label="Duplicate group" onClick={duplicate}>
              <Icon name="copy" />
            </button>
            <button
              type="button"
              class="quiet square danger-text"
              aria-label="Delete group"
              onClick={() => {
                edit((before) => removeGroup(before, id))
                onSelect(undefined)
              }}
            >
              <Icon name="delete" />
            </button>
          </>
        )}
      </PanelHead>
      <Findings findings={findings.filter(({ groupId, blockId }) => groupId === id && !blockId)} />
      <label class="field">
        Title
        <input
          value={group.title}
          maxLength={255}
          disabled={!canWrite}
          onInput={(event) => {
            const title = event.currentTarget.value
            edit((before) => renameGroup(before, id, title), `title ${id}`)
          }}
        />
      </label>
      <ol class="rows" aria-label="Blocks">
        {group.blocks.map((block) => (
          <li key={block.id}>
            <button type="button" onClick={() => onSelect({ kind: 'block', id: block.id })}>
              <BlockIcon type={block.type} />
              <span class="visually-hidden">{nameOf(block.type)}: </span>
              <span class="summary">{summaryOf(block, draft.variables)}</span>
            </button>
          </li>
        ))}
      </ol>
      {canWrite && (
        <button
          type="button"
          onClick={() => onSelect({ kind: 'add', groupId: id, index: group.blocks.length })}
        >
          <Icon name="add" /> Add block
        </button>
      )}
    </>
  )
}

function EdgePanel({ id, onSelect }: PartProps) {
  const { state, edit, canWrite } = useWorkbench()
  const { draft } = state
  const edge = draft.edges.find((each) => each.id === id)
  if (!edge) return <PanelHead title="Connection" onClose={() => onSelect(undefined)} />
  const target = findGroup(draft, edge.to.groupId)
  const source = sourceOf(draft, id) ?? edge.from
  return (
    <>
      <PanelHead title="Connection" onClose={() => onSelect(undefined)}>
        {canWrite && (
          <button
            type="button"
            class="quiet square danger-text"
            aria-label="Delete connection"
            onClick={() => {
              edit((before) => disconnect(before, id))
              onSelect(undefined)
            }}
          >
            <Icon name="delete" />
          </button>
        )}
      </PanelHead>
      <p>
        From <strong>{sourceName(draft, source)}</strong> to{' '}
        <strong>{target?.title ?? 'a missing group'}</strong>
      </p>
      <ExitField source={source} label="Leads to" />
    </>
  )
}

function EventPanel({ id, onSelect }: PartProps) {
  const { state, edit, canWrite, findings } = useWorkbench()
  const { draft } = state
  const root = useSchema(draft.version)
  const event = draft.events.find((each) => each.id === id)
  if (!event) return <PanelHead title="Event" onClose={() => onSelect(undefined)} />
  const schema = root && eventSchema(root, event.type)
  const change = (next: JsonObject) =>
    edit(
      (before) => ({
        ...before,
        events: before.events.map((each) => (each.id === id ? (next as FlowEvent) : each)),
      }),
      `event ${id}`,
    )
  return (
    <>
      <PanelHead title={eventName(event.type)} onClose={() => onSelect(undefined)}>
        {canWrite && event.type !== 'start' && (
          <button
            type="button"
            class="quiet square danger-text"
            aria-label="Delete event"
            onClick={() => {
              edit((before) => removeEvent(before, id))
              onSelect(undefined)
            }}
          >
            <Icon name="delete" />
          </button>
        )}
      </PanelHead>
      <Findings findings={findings.filter(({ eventId }) => eventId === id)} />
      <ExitField source={{ eventId: id }} label="Leads to" />
      {root && schema && (
        <SchemaForm root={root} schema={schema} value={event} onChange={change} isReadOnly={!canWrite} />
      )}
    </>
  )
}
