import type { Point } from '../model/draft.ts'
import type { Box } from '../model/geometry.ts'

/* The window onto the picture: `x` and `y` are where its origin is on the screen. */

export interface View extends Point {
  scale: number
}

export const MIN_SCALE = 0.1
export const MAX_SCALE = 2

const MARGIN_PX = 48

export const toPicture = ({ x, y, scale }: View, point: Point): Point => ({
  x: (point.x - x) / scale,
  y: (point.y - y) / scale,
})

/** Zooms so that the point on the screen stays where it is. */
export function zoomAt(view: View, factor: number, point: Point): View {
  const scale = Math.min(MAX_SCALE, Math.max(MIN_SCALE, view.scale * factor))
  const ratio = scale / view.scale
  return { scale, x: point.x - (point.x - view.x) * ratio, y: point.y - (point.y - view.y) * ratio }
}

export function fitTo(box: Box, size: { width: number; height: number }): View {
  const width = (size.width - 2 * MARGIN_PX) / Math.max(box.width, 1)
  const height = (size.height - 2 * MARGIN_PX) / Math.max(box.height, 1)
  const scale = Math.min(1, Math.max(MIN_SCALE, Math.min(width, height)))
  return {
    scale,
    x: (size.width - box.width * scale) / 2 - box.x * scale,
    y: (size.height - box.height * scale) / 2 - box.y * scale,
  }
}

/** Moves as little as needed for a box to be in sight. */
export function reveal(view: View, box: Box, size: { width: number; height: number }): View {
  const shift = (from: number, length: number, room: number) => {
    if (from < MARGIN_PX) return MARGIN_PX - from
    if (from + length > room - MARGIN_PX) return Math.max(room - MARGIN_PX - from - length, MARGIN_PX - from)
    return 0
  }
  const left = box.x * view.scale + view.x
  const top = box.y * view.scale + view.y
  const dx = shift(left, box.width * view.scale, size.width)
  const dy = shift(top, box.height * view.scale, size.height)
  return dx === 0 && dy === 0 ? view : { ...view, x: view.x + dx, y: view.y + dy }
}

export function isInSight(view: View, box: Box, size: { width: number; height: number }): boolean {
  const left = box.x * view.scale + view.x
  const top = box.y * view.scale + view.y
  const { width, height } = size
  return (
    left < width * 1.5 &&
    top < height * 1.5 &&
    left + box.width * view.scale > -width / 2 &&
    top + box.height * view.scale > -height / 2
  )
}
