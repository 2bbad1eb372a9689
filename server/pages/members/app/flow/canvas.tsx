import { useCallback, useEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { Draft, EdgeSource } from '../model/draft.ts'
import { findBlock } from '../model/draft.ts'
import { addGroup, moveTo } from '../model/edits.ts'
import type { PlacedFinding } from '../model/findings.ts'
import { type Arrangement, boundsOf, boxesOf, eventBox, GROUP_WIDTH_PX, groupBox } from '../model/geometry.ts'
import { eventName, nameOf } from '../model/words.ts'
import { useWorkbench } from '../store/context.ts'
import { Icon } from '../ui/icons.tsx'
import type { Counts } from './block-stats.tsx'
import { EdgeLayer } from './edge-layer.tsx'
import { useGestures } from './gestures.ts'
import { type CardActions, GroupCard, Port } from './group-card.tsx'
import { Minimap } from './minimap.tsx'
import type { Selection } from './selection.ts'
import { fitTo, isInSight, MAX_SCALE, MIN_SCALE, reveal, toPicture, type View, zoomAt } from './view.ts'

/** Beyond this many groups, those out of sight are not rendered. */
const MAX_RENDERED_GROUPS = 150
const WHEEL_ZOOM_SPEED = 0.01
const LAYER_MS = 200
const ZOOM_FACTOR = 1.25
const PAN_STEP_PX = 80
const MOVE_STEP_PX = 20

interface Props {
  arrangement: Arrangement | undefined
  stats: Counts | undefined
  selection: Selection
  onSelect: (selection: Selection) => void
  onTidy: () => void
}

const noFindings: never[] = []

export function Canvas({ arrangement, stats, selection, onSelect, onTidy }: Props) {
  const { state, findings, canWrite, edit } = useWorkbench()
  const { draft } = state
  const root = useRef<HTMLDivElement>(null)
  const [size, setSize] = useState({ width: 800, height: 600 })
  const [view, setView] = useState<View>({ x: 40, y: 40, scale: 1 })
  const isFitted = useRef(false)

  const gestures = useGestures({
    root,
    draft,
    arrangement,
    view,
    setView,
    canWrite,
    edit,
    onMade: (groupId) => onSelect({ kind: 'group', id: groupId }),
    onTapGround: () => onSelect(undefined),
  })
  const { drawn } = gestures

  useEffect(() => {
    const element = root.current
    if (!element) return
    const observer = new ResizeObserver(() =>
      setSize({ width: element.clientWidth, height: element.clientHeight }),
    )
    observer.observe(element)
    return () => observer.disconnect()
  }, [])

  const showAll = () => setView(fitTo(boundsOf(boxesOf(draft, arrangement)), size))
  // The first view shows the beginning at a legible size, or everything where that fits.
  useEffect(() => {
    if (isFitted.current || !root.current || root.current.clientWidth === 0) return
    isFitted.current = true
    const own = { width: root.current.clientWidth, height: root.current.clientHeight }
    setSize(own)
    const all = fitTo(boundsOf(boxesOf(draft, arrangement)), own)
    const start = draft.events[0] ? eventBox(draft.events[0], arrangement) : boxesOf(draft, arrangement)[0]
    if (all.scale >= 0.5 || !start) return setView(all)
    setView({ scale: 0.75, x: 48 - start.x * 0.75, y: own.height / 3 - start.y * 0.75 })
  }, [arrangement, size.width])

  // Preact's handler would be passive, and the page would zoom too.
  useEffect(() => {
    const element = root.current
    const wheel = (event: WheelEvent) => {
      event.preventDefault()
      const box = element?.getBoundingClientRect()
      const point = { x: event.clientX - (box?.left ?? 0), y: event.clientY - (box?.top ?? 0) }
      setView((before) =>
        event.ctrlKey || event.metaKey
          ? zoomAt(before, Math.exp(-event.deltaY * WHEEL_ZOOM_SPEED), point)
          : { ...before, x: before.x - event.deltaX, y: before.y - event.deltaY },
      )
    }
    element?.addEventListener('wheel', wheel, { passive: false })
    return () => element?.removeEventListener('wheel', wheel)
  }, [])

  const positions = useMemo(() => {
    if (!drawn.moved) return arrangement
    return new Map(arrangement).set(drawn.moved.id, drawn.moved.point)
  }, [arrangement, drawn.moved])

  const boxes = useMemo(() => boxesOf(draft, positions), [draft, positions])

  // A layer of its own moves without being drawn anew, but would be blurred when it is zoomed.
  useEffect(() => {
    const list = root.current?.classList
    list?.add('moving')
    const timer = setTimeout(() => list?.remove('moving'), LAYER_MS)
    return () => clearTimeout(timer)
  }, [view.x, view.y])

  const latest = useRef({ gestures, onSelect })
  latest.current = { gestures, onSelect }
  const actions = useMemo((): CardActions => {
    const unlessDragged = (selected: Selection) => {
      if (!latest.current.gestures.wasDrag()) latest.current.onSelect(selected)
    }
    return {
      select: unlessDragged,
      startDrag: (event: PointerEvent, id: string) => latest.current.gestures.startDrag(event, id),
      startBlockDrag: (event: PointerEvent, id: string) => latest.current.gestures.startBlockDrag(event, id),
      startEdge: (event: PointerEvent, source: EdgeSource) =>
        latest.current.gestures.startEdge(event, source),
    }
  }, [])
  const selectEdge = useCallback((id: string) => latest.current.onSelect({ kind: 'edge', id }), [])

  const selectedId = selection && 'id' in selection ? selection.id : undefined
  const findingsOf = useMemo(() => {
    const byGroup = new Map<string, PlacedFinding[]>()
    for (const finding of findings) {
      const groupId = finding.groupId ?? ''
      byGroup.set(groupId, [...(byGroup.get(groupId) ?? []), finding])
    }
    return (groupId: string) => byGroup.get(groupId) ?? noFindings
  }, [findings])
  const isLarge = draft.groups.length > MAX_RENDERED_GROUPS
  const shown = isLarge
    ? draft.groups.filter((group) => isInSight(view, groupBox(group, draft.variables, positions), size))
    : draft.groups
  const centre = { x: size.width / 2, y: size.height / 2 }
  const addHere = () => {
    const point = toPicture(view, centre)
    edit((before) => {
      const addition = addGroup(before, { x: point.x - GROUP_WIDTH_PX / 2, y: point.y - 60 })
      queueMicrotask(() => onSelect({ kind: 'group', id: addition.group.id }))
      return addition.draft
    })
  }

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey) return
    const step = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key]
    if (step) {
      const [dx = 0, dy = 0] = step
      if (event.altKey) moveSelected(dx * MOVE_STEP_PX, dy * MOVE_STEP_PX)
      else setView({ ...view, x: view.x - dx * PAN_STEP_PX, y: view.y - dy * PAN_STEP_PX })
    } else if (event.key === '+' || event.key === '=') setView(zoomAt(view, ZOOM_FACTOR, centre))
    else if (event.key === '-') setView(zoomAt(view, 1 / ZOOM_FACTOR, centre))
    else if (event.key === '0') showAll()
    else return
    event.preventDefault()
  }

  function moveSelected(dx: number, dy: number) {
    const focused = document.activeElement?.closest<HTMLElement>('[data-group]')?.dataset.group
    const group = draft.groups.find(({ id }) => id === (focused ?? selectedId))
    if (!group || !canWrite) return
    const { x, y } = groupBox(group, draft.variables, arrangement)
    const all = new Map(arrangement).set(group.id, { x: x + dx, y: y + dy })
    edit((before) => moveTo(before, all))
  }

  /** Tabbing along the groups keeps the focused one in sight. */
  const onFocus = (event: FocusEvent) => {
    const id = (event.target as HTMLElement).closest<HTMLElement>('[data-group]')?.dataset.group
    const group = draft.groups.find((each) => each.id === id)
    if (!group || !(event.target as HTMLElement).matches(':focus-visible')) return
    root.current?.scrollTo(0, 0)
    setView((before) => reveal(before, groupBox(group, draft.variables, positions), size))
  }

  const dragged = drawn.block && findBlock(draft, drawn.block.id)?.block
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: keys act on what has the focus inside
    <div
      ref={root}
      class={drawn.edge ? 'canvas drawing' : 'canvas'}
      onPointerDown={gestures.startPan}
      onKeyDown={onKeyDown}
      onFocusCapture={onFocus}
      onScroll={() => root.current?.scrollTo(0, 0)}
    >
      <div class="picture" style={{ transform: `translate(${view.x}px, ${view.y}px) scale(${view.scale})` }}>
        <EdgeLayer
          draft={draft}
          arrangement={positions}
          selectedId={selectedId}
          drawing={drawn.edge}
          onSelect={selectEdge}
        />
        {draft.events.map((event) => {
          const box = eventBox(event, positions)
          return (
            <div
              key={event.id}
              class={selectedId === event.id ? 'event-card selected' : 'event-card'}
              style={{ transform: `translate(${box.x}px, ${box.y}px)` }}
            >
              <button
                type="button"
                onPointerDown={(down) => actions.startDrag(down, event.id)}
                onClick={() => actions.select({ kind: 'event', id: event.id })}
                aria-pressed={selectedId === event.id}
              >
                <Icon name="play" /> {eventName(event.type)}
              </button>
              {canWrite && <Port source={{ eventId: event.id }} actions={actions} />}
            </div>
          )
        })}
        {shown.map((group) => (
          <GroupCard
            key={group.id}
            group={group}
            point={positions?.get(group.id)}
            variables={draft.variables}
            findings={findingsOf(group.id)}
            stats={stats}
            selectedId={isSelectedIn(draft, group.id, selectedId) ? selectedId : undefined}
            isTarget={drawn.target?.groupId === group.id}
            dropIndex={drawn.block && drawn.target?.groupId === group.id ? drawn.target.index : undefined}
            canWrite={canWrite}
            actions={actions}
          />
        ))}
        {dragged && drawn.block && (
          <div
            class="ghost"
            style={{ transform: `translate(${drawn.block.point.x}px, ${drawn.block.point.y}px)` }}
          >
            {nameOf(dragged.type)}
          </div>
        )}
      </div>
      <div class="canvas-tools" onPointerDown={(event) => event.stopPropagation()}>
        {canWrite && (
          <button type="button" onClick={addHere}>
            <Icon name="add" /> <span class="tool-label">Group</span>
          </button>
        )}
        <button
          type="button"
          class="square"
          aria-label="Zoom in"
          disabled={view.scale >= MAX_SCALE}
          onClick={() => setView(zoomAt(view, ZOOM_FACTOR, centre))}
        >
          <Icon name="add" />
        </button>
        <button
          type="button"
          class="square"
          aria-label="Zoom out"
          disabled={view.scale <= MIN_SCALE}
          onClick={() => setView(zoomAt(view, 1 / ZOOM_FACTOR, centre))}
        >
          <Icon name="minus" />
        </button>
        <button type="button" class="square" aria-label="Show everything" onClick={showAll}>
          <Icon name="fit" />
        </button>
        {canWrite && (
          <button type="button" class="square" aria-label="Tidy up the picture" onClick={onTidy}>
            <Icon name="tidy" />
          </button>
        )}
      </div>
      <Minimap
        boxes={boxes}
        view={view}
        size={size}
        onGo={({ x, y }) => setView({ ...view, x: centre.x - x * view.scale, y: centre.y - y * view.scale })}
      />
    </div>
  )
}

function isSelectedIn(draft: Draft, groupId: string, selectedId: string | undefined): boolean {
  if (selectedId === undefined) return false
  return selectedId === groupId || findBlock(draft, selectedId)?.group.id === groupId
}
