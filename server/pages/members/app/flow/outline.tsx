import { exitsOf } from '../model/draft.ts'
import { exitOf } from '../model/edits.ts'
import { eventName, nameOf, sourceName, summaryOf } from '../model/words.ts'
import { useWorkbench } from '../store/context.ts'
import { BlockIcon } from '../ui/block-icon.tsx'
import { Icon } from '../ui/icons.tsx'
import { type Counts, StatsBadge } from './block-stats.tsx'
import { Marks } from './group-card.tsx'
import type { Selection } from './selection.ts'

/** The flow as a list: the same as the picture, for small screens and for screen readers. */
export function Outline({
  selection,
  stats,
  onSelect,
}: {
  selection: Selection
  stats: Counts | undefined
  onSelect: (selection: Selection) => void
}) {
  const { state, findings, canWrite } = useWorkbench()
  const { draft } = state
  const selectedId = selection && 'id' in selection ? selection.id : undefined
  const titles = new Map(draft.groups.map(({ id, title }) => [id, title]))
  const edges = new Map(draft.edges.map((edge) => [edge.id, edge]))
  const leadsTo = (edgeId: string | undefined) => {
    const edge = edges.get(edgeId ?? '')
    return edge && (titles.get(edge.to.groupId) ?? 'a missing group')
  }
  return (
    <div class="outline">
      <ul class="outline-list" aria-label="Events">
        {draft.events.map((event) => (
          <li key={event.id}>
            <button
              type="button"
              class="outline-event"
              aria-pressed={selectedId === event.id}
              onClick={() => onSelect({ kind: 'event', id: event.id })}
            >
              <Icon name="play" /> {eventName(event.type)}
              <span class="about">→ {leadsTo(event.outgoingEdgeId) ?? 'nowhere yet'}</span>
            </button>
          </li>
        ))}
      </ul>
      {draft.groups.map((group) => (
        <section key={group.id} class="outline-group" aria-label={`Group ${group.title}`}>
          <button
            type="button"
            class="outline-title"
            aria-pressed={selectedId === group.id}
            onClick={() => onSelect({ kind: 'group', id: group.id })}
          >
            {group.title || 'Untitled'}
            <Marks findings={findings.filter(({ groupId, blockId }) => groupId === group.id && !blockId)} />
          </button>
          <ol class="outline-list">
            {group.blocks.map((block) => {
              const exits = exitsOf(block).filter(({ source }) => leadsTo(exitOf(draft, source)))
              return (
                <li key={block.id}>
                  <button
                    type="button"
                    aria-pressed={selectedId === block.id}
                    onClick={() => onSelect({ kind: 'block', id: block.id })}
                  >
                    <BlockIcon type={block.type} />
                    <span class="visually-hidden">{nameOf(block.type)}: </span>
                    <span class="summary">{summaryOf(block, draft.variables)}</span>
                    <Marks findings={findings.filter(({ blockId }) => blockId === block.id)} />
                    <StatsBadge counts={stats?.get(block.id)} />
                  </button>
                  {exits.map(({ source, edgeId }) => (
                    <p key={edgeId} class="about exit">
                      {source.itemId ? `${sourceName(draft, source).split(': ').slice(1).join(': ')} ` : ''}→{' '}
                      {leadsTo(edgeId)}
                    </p>
                  ))}
                </li>
              )
            })}
          </ol>
          {canWrite && (
            <button
              type="button"
              class="add-block"
              onClick={() => onSelect({ kind: 'add', groupId: group.id, index: group.blocks.length })}
            >
              <Icon name="add" /> Add block<span class="visually-hidden"> to {group.title}</span>
            </button>
          )}
        </section>
      ))}
    </div>
  )
}
