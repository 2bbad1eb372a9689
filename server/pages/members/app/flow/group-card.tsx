import type { Block, EdgeSource, Group, Point, Variable } from '../model/draft.ts'
import type { PlacedFinding } from '../model/findings.ts'
import { blockHeight, groupBox, linesOf } from '../model/geometry.ts'
import { itemSummary, nameOf, summaryOf } from '../model/words.ts'
import { BlockIcon } from '../ui/block-icon.tsx'
import { Icon } from '../ui/icons.tsx'
import { memo } from '../ui/memo.ts'
import { type BlockCounts, type Counts, StatsBadge } from './block-stats.tsx'
import type { Selection } from './selection.ts'

export interface CardActions {
  select: (selection: Selection) => void
  startDrag: (event: PointerEvent, groupId: string) => void
  startBlockDrag: (event: PointerEvent, blockId: string) => void
  startEdge: (event: PointerEvent, source: EdgeSource) => void
}

interface Props {
  group: Group
  point: Point | undefined
  variables: Variable[]
  findings: PlacedFinding[]
  stats: Counts | undefined
  selectedId: string | undefined
  isTarget: boolean
  dropIndex: number | undefined
  canWrite: boolean
  actions: CardActions
}

/** A group of the picture. Its sizes are those of geometry.ts. */
export const GroupCard = memo(function GroupCard(props: Props) {
  const { group, point, variables, findings, selectedId, actions, canWrite } = props
  const box = groupBox(group, variables, point && new Map([[group.id, point]]))
  const own = findings.filter(({ groupId, blockId }) => groupId === group.id && blockId === undefined)
  const names = ['group-card']
  if (selectedId === group.id) names.push('selected')
  if (props.isTarget) names.push('target')
  return (
    <section
      class={names.join(' ')}
      style={{ transform: `translate(${box.x}px, ${box.y}px)`, height: `${box.height}px` }}
      aria-label={`Group ${group.title}`}
      data-group={group.id}
    >
      <button
        type="button"
        class="group-head"
        onPointerDown={(event) => actions.startDrag(event, group.id)}
        onClick={() => actions.select({ kind: 'group', id: group.id })}
        aria-pressed={selectedId === group.id}
      >
        <span>{group.title || 'Untitled'}</span>
        <Marks findings={own} />
      </button>
      {group.blocks.map((block, index) => (
        <div key={block.id}>
          {props.dropIndex === index && <div class="drop-line" />}
          <BlockRow
            block={block}
            variables={variables}
            findings={findings.filter(({ blockId }) => blockId === block.id)}
            counts={props.stats?.get(block.id)}
            isSelected={selectedId === block.id}
            canWrite={canWrite}
            actions={actions}
          />
        </div>
      ))}
      {props.dropIndex === group.blocks.length && <div class="drop-line" />}
      {canWrite && (
        <button
          type="button"
          class="add-block"
          onClick={() => actions.select({ kind: 'add', groupId: group.id, index: group.blocks.length })}
        >
          <Icon name="add" /> Add block
        </button>
      )}
    </section>
  )
})

function BlockRow(props: {
  block: Block
  variables: Variable[]
  findings: PlacedFinding[]
  counts: BlockCounts | undefined
  isSelected: boolean
  canWrite: boolean
  actions: CardActions
}) {
  const { block, variables, findings, actions } = props
  const exits = (block.items ?? []).flatMap((item) => [
    {
      source: { blockId: block.id, itemId: item.id },
      words: itemSummary(block, item, variables),
      isPath: false,
    },
    ...(item.paths ?? []).map((path) => ({
      source: { blockId: block.id, itemId: item.id, pathId: path.id },
      words: path.text ?? 'Button',
      isPath: true,
    })),
  ])
  return (
    <div
      class={props.isSelected ? 'block-row selected' : 'block-row'}
      style={{ height: `${blockHeight(block, variables)}px` }}
      data-block={block.id}
    >
      <button
        type="button"
        class="block-main"
        onPointerDown={(event) => actions.startBlockDrag(event, block.id)}
        onClick={() => actions.select({ kind: 'block', id: block.id })}
        aria-pressed={props.isSelected}
        title={nameOf(block.type)}
      >
        <BlockIcon type={block.type} />
        <span class="visually-hidden">{nameOf(block.type)}: </span>
        <span class={`summary lines-${linesOf(block, variables)}`}>{summaryOf(block, variables)}</span>
        <Marks findings={findings} />
      </button>
      <StatsBadge counts={props.counts} />
      {exits.map(({ source, words, isPath }) => (
        <div key={source.itemId + (isPath ? words : '')} class={isPath ? 'item-row path' : 'item-row'}>
          <span>{words}</span>
          {props.canWrite && <Port source={source} actions={actions} />}
        </div>
      ))}
      {props.canWrite && <Port source={{ blockId: block.id }} actions={actions} />}
    </div>
  )
}

/** Pointers draw an edge from here; the panel has the same for keyboards. */
export function Port({ source, actions }: { source: EdgeSource; actions: CardActions }) {
  return <span class="port" aria-hidden="true" onPointerDown={(event) => actions.startEdge(event, source)} />
}

export function Marks({ findings }: { findings: PlacedFinding[] }) {
  if (findings.length === 0) return null
  const hasError = findings.some(({ severity }) => severity === 'error')
  return (
    <span class={hasError ? 'mark error' : 'mark'} title={findings.map(({ message }) => message).join('\n')}>
      <Icon name={hasError ? 'error' : 'warning'} />
      <span class="visually-hidden">{hasError ? 'has errors' : 'has warnings'}</span>
    </span>
  )
}
