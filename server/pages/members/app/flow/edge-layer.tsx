import { type Draft, type Edge, type Point, sourceOf } from '../model/draft.ts'
import { type Arrangement, curve, entryPoint, exitPoint } from '../model/geometry.ts'
import { memo } from '../ui/memo.ts'

interface Props {
  draft: Draft
  arrangement: Arrangement | undefined
  selectedId: string | undefined
  drawing: { from: Point; to: Point } | undefined
  onSelect: (id: string) => void
}

/** The edges, below the groups. A wide invisible curve takes the clicks. */
export const EdgeLayer = memo(function EdgeLayer({
  draft,
  arrangement,
  selectedId,
  drawing,
  onSelect,
}: Props) {
  return (
    <svg class="edges" aria-hidden="true">
      <defs>
        <marker
          id="arrow"
          viewBox="0 0 10 10"
          refX="8"
          refY="5"
          markerWidth="7"
          markerHeight="7"
          orient="auto"
        >
          <path d="M0 0l10 5-10 5z" class="arrow" />
        </marker>
      </defs>
      {draft.edges.map((edge) => (
        <EdgePath
          key={edge.id}
          edge={edge}
          d={pathOf(draft, edge, arrangement)}
          isSelected={edge.id === selectedId}
          isFollowed={sourceOf(draft, edge.id) !== undefined}
          onSelect={onSelect}
        />
      ))}
      {drawing && <path class="edge drawing" d={curve(drawing.from, drawing.to)} />}
    </svg>
  )
})

function pathOf(draft: Draft, edge: Edge, arrangement: Arrangement | undefined): string | undefined {
  const from = exitPoint(draft, { from: sourceOf(draft, edge.id) ?? edge.from }, arrangement)
  const to = entryPoint(draft, edge, arrangement)
  return from && to && curve(from, { x: to.x - 6, y: to.y })
}

const EdgePath = memo(function EdgePath(props: {
  edge: Edge
  d: string | undefined
  isSelected: boolean
  isFollowed: boolean
  onSelect: (id: string) => void
}) {
  if (!props.d) return null
  return (
    <g class={props.isSelected ? 'edge-group selected' : 'edge-group'}>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the panels have the same for keyboards */}
      <path
        class="edge-hit"
        d={props.d}
        data-edge={props.edge.id}
        onClick={() => props.onSelect(props.edge.id)}
      />
      <path class={props.isFollowed ? 'edge' : 'edge unfollowed'} d={props.d} marker-end="url(#arrow)" />
    </g>
  )
})
