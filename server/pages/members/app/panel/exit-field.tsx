import { useId } from 'preact/hooks'
import { type EdgeSource, findBlock } from '../model/draft.ts'
import { addGroup, connect, disconnect, exitOf } from '../model/edits.ts'
import { groupBox } from '../model/geometry.ts'
import { summaryOf } from '../model/words.ts'
import { useWorkbench } from '../store/context.ts'

const NEW_GROUP = '\u0000new'
const GAP_PX = 120

/** Chooses the group that a source leads to: as drawing an edge does, for keyboards and screen readers. */
export function ExitField({ source, label }: { source: EdgeSource; label: string }) {
  const { state, edit, canWrite } = useWorkbench()
  const { draft } = state
  const id = useId()
  const edgeId = exitOf(draft, source)
  const edge = draft.edges.find((each) => each.id === edgeId)
  const target = draft.groups.find((group) => group.id === edge?.to.groupId)
  const blocks = target?.blocks.slice(1) ?? []

  const choose = (groupId: string) =>
    edit((before) => {
      if (groupId === '') return edge ? disconnect(before, edge.id) : before
      if (groupId !== NEW_GROUP) return connect(before, source, { groupId })
      const own = source.blockId === undefined ? undefined : findBlock(before, source.blockId)?.group
      const box = own && groupBox(own, before.variables)
      const point = box ? { x: box.x + box.width + GAP_PX, y: box.y } : { x: 300, y: 0 }
      const addition = addGroup(before, point)
      return connect(addition.draft, source, { groupId: addition.group.id })
    })
  return (
    <div class="form-field">
      <label class="field-label" for={id}>
        {label}
      </label>
      <select
        id={id}
        value={target?.id ?? ''}
        disabled={!canWrite}
        onChange={(event) => choose(event.currentTarget.value)}
      >
        <option value="">
          {edge && !target ? 'A missing group' : source.eventId ? 'Nowhere' : 'On within the group'}
        </option>
        {draft.groups.map((group) => (
          <option key={group.id} value={group.id}>
            {group.title || 'Untitled'}
          </option>
        ))}
        <option value={NEW_GROUP}>New group …</option>
      </select>
      {target && blocks.length > 0 && (
        <select
          aria-label={`${label}: block in ${target.title}`}
          value={edge?.to.blockId ?? ''}
          disabled={!canWrite}
          onChange={(event) => {
            const blockId = event.currentTarget.value
            edit((before) => connect(before, source, { groupId: target.id, ...(blockId ? { blockId } : {}) }))
          }}
        >
          <option value="">At its beginning</option>
          {blocks.map((block) => (
            <option key={block.id} value={block.id}>
              {summaryOf(block, draft.variables).slice(0, 60)}
            </option>
          ))}
        </select>
      )}
    </div>
  )
}
