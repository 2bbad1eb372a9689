import type { RefObject } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import type { Draft, EdgeSource, Point } from '../model/draft.ts'
import { findBlock } from '../model/draft.ts'
import { addGroup, connect, moveBlock, moveTo } from '../model/edits.ts'
import { type Arrangement, blockHeight, exitPoint, GROUP_WIDTH_PX, groupBox } from '../model/geometry.ts'
import { toPicture, type View, zoomAt } from './view.ts'

/* Gestures on the picture: panning, zooming with two fingers, moving groups and blocks, drawing edges. */

type Gesture =
  | { kind: 'pan'; start: Point; view: View }
  | { kind: 'pinch'; distance: number; view: View; centre: Point }
  | { kind: 'group'; id: string; start: Point; origin: Point }
  | { kind: 'block'; id: string; start: Point; isMoving: boolean }
  | { kind: 'edge'; source: EdgeSource; from: Point }

/** A press that moves less than this is a click. */
const MIN_DRAG_PX = 5

export interface Target {
  groupId: string
  index: number
}

export interface Drawn {
  moved: { id: string; point: Point } | undefined
  edge: { from: Point; to: Point } | undefined
  block: { id: string; point: Point } | undefined
  target: Target | undefined
}

const nothing: Drawn = { moved: undefined, edge: undefined, block: undefined, target: undefined }

interface Options {
  root: RefObject<HTMLElement | null>
  draft: Draft
  arrangement: Arrangement | undefined
  view: View
  setView: (view: View) => void
  canWrite: boolean
  edit: (change: (draft: Draft) => Draft) => void
  /** Called with the group that was made for an edge drawn into the open. */
  onMade: (groupId: string) => void
  onTapGround: () => void
}

export function useGestures(options: Options) {
  const latest = useRef(options)
  latest.current = options
  const gesture = useRef<Gesture | undefined>(undefined)
  const pointers = useRef(new Map<number, Point>())
  const hasMoved = useRef(false)
  const [drawn, setDrawn] = useState<Drawn>(nothing)
  const drawing = useRef(drawn)
  drawing.current = drawn

  const local = (event: { clientX: number; clientY: number }): Point => {
    const box = latest.current.root.current?.getBoundingClientRect()
    return { x: event.clientX - (box?.left ?? 0), y: event.clientY - (box?.top ?? 0) }
  }

  function begin(event: PointerEvent, started: Gesture) {
    gesture.current = started
    hasMoved.current = false
    event.stopPropagation()
    pointers.current.set(event.pointerId, local(event))
  }

  useEffect(() => {
    const move = (event: PointerEvent) => {
      const now = gesture.current
      const { view, setView, draft, arrangement } = latest.current
      if (!now) return
      const point = local(event)
      if (pointers.current.has(event.pointerId)) pointers.current.set(event.pointerId, point)
      if (now.kind === 'pinch') {
        const [one, other] = [...pointers.current.values()]
        if (!one || !other) return
        hasMoved.current = true
        return setView(zoomAt(now.view, distanceOf(one, other) / now.distance, now.centre))
      }
      if (now.kind === 'edge') {
        hasMoved.current = true
        const to = toPicture(view, point)
        return setDrawn({
          ...nothing,
          edge: { from: now.from, to },
          target: targetAt(draft, arrangement, to),
        })
      }
      if (!hasMoved.current && distanceOf(now.start, point) < MIN_DRAG_PX) return
      hasMoved.current = true
      if (now.kind === 'pan') {
        return setView({
          ...now.view,
          x: now.view.x + point.x - now.start.x,
          y: now.view.y + point.y - now.start.y,
        })
      }
      if (now.kind === 'group') {
        const x = now.origin.x + (point.x - now.start.x) / view.scale
        const y = now.origin.y + (point.y - now.start.y) / view.scale
        return setDrawn({ ...nothing, moved: { id: now.id, point: { x: Math.round(x), y: Math.round(y) } } })
      }
      const at = toPicture(view, point)
      setDrawn({ ...nothing, block: { id: now.id, point: at }, target: targetAt(draft, arrangement, at) })
    }
    const end = (event: PointerEvent) => {
      pointers.current.delete(event.pointerId)
      const now = gesture.current
      gesture.current = undefined
      const { moved, target, edge } = drawing.current
      if (drawing.current !== nothing) setDrawn(nothing)
      if (!now || event.type === 'pointercancel') return
      const { edit, arrangement, canWrite, onTapGround, onMade } = latest.current
      if (now.kind === 'pan' && !hasMoved.current) onTapGround()
      if (!canWrite || !hasMoved.current) return
      if (now.kind === 'group' && moved) {
        // Beside positions that were made up, one of its own would mean nothing.
        const all = new Map(arrangement)
        all.set(moved.id, moved.point)
        edit((draft) => moveTo(draft, all))
      }
      if (now.kind === 'block' && target)
        edit((draft) => moveBlock(draft, now.id, target.groupId, target.index))
      if (now.kind === 'edge' && edge) {
        edit((draft) => {
          if (target) return connect(draft, now.source, endOf(draft, target))
          const addition = addGroup(draft, { x: edge.to.x, y: edge.to.y - 20 })
          queueMicrotask(() => onMade(addition.group.id))
          return connect(addition.draft, now.source, { groupId: addition.group.id })
        })
      }
    }
    addEventListener('pointermove', move)
    addEventListener('pointerup', end)
    addEventListener('pointercancel', end)
    return () => {
      removeEventListener('pointermove', move)
      removeEventListener('pointerup', end)
      removeEventListener('pointercancel', end)
    }
  }, [])

  const startPan = (event: PointerEvent) => {
    if (event.button > 1) return
    const { view } = latest.current
    begin(event, { kind: 'pan', start: local(event), view })
    const [one, other] = [...pointers.current.values()]
    if (one && other) {
      const centre = { x: (one.x + other.x) / 2, y: (one.y + other.y) / 2 }
      gesture.current = { kind: 'pinch', distance: Math.max(distanceOf(one, other), 1), view, centre }
    }
  }

  return {
    drawn,
    startPan,
    /** True if the press that caused a click moved something instead. */
    wasDrag: () => hasMoved.current,
    startDrag(event: PointerEvent, id: string) {
      const { draft, arrangement, canWrite } = latest.current
      if (!canWrite || event.button !== 0 || pointers.current.size > 0) return startPan(event)
      const entry =
        draft.groups.find((group) => group.id === id) ?? draft.events.find((each) => each.id === id)
      if (!entry) return
      const origin = arrangement?.get(id) ?? entry.graphCoordinates
      begin(event, { kind: 'group', id, start: local(event), origin })
    },
    startBlockDrag(event: PointerEvent, id: string) {
      // A finger on a block scrolls; the panel moves blocks.
      if (!latest.current.canWrite || event.button !== 0 || event.pointerType === 'touch')
        return startPan(event)
      begin(event, { kind: 'block', id, start: local(event), isMoving: false })
    },
    startEdge(event: PointerEvent, source: EdgeSource) {
      const { draft, arrangement } = latest.current
      const from = exitPoint(draft, { from: source }, arrangement)
      if (from && event.button === 0) begin(event, { kind: 'edge', source, from })
    },
  }
}

const distanceOf = (one: Point, other: Point) => Math.hypot(one.x - other.x, one.y - other.y)

/** The group under a point, and where in it a block would go. */
function targetAt(draft: Draft, arrangement: Arrangement | undefined, point: Point): Target | undefined {
  const found = draft.groups.findLast((group) => {
    const { x, y, height } = groupBox(group, draft.variables, arrangement)
    return point.x >= x && point.x <= x + GROUP_WIDTH_PX && point.y >= y && point.y <= y + height
  })
  if (!found) return undefined
  let bottom = groupBox(found, draft.variables, arrangement).y + 44
  const index = found.blocks.findIndex((block) => {
    const height = blockHeight(block, draft.variables) + 6
    bottom += height
    return point.y < bottom - height / 2
  })
  return { groupId: found.id, index: index < 0 ? found.blocks.length : index }
}

/** An edge that ends on a block other than the first leads there. */
function endOf(draft: Draft, { groupId, index }: Target): { groupId: string; blockId?: string } {
  const group = draft.groups.find(({ id }) => id === groupId)
  const block = index > 0 ? group?.blocks[index] : undefined
  return block && findBlock(draft, block.id) ? { groupId, blockId: block.id } : { groupId }
}
