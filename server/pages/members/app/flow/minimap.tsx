import type { Point } from '../model/draft.ts'
import type { Box } from '../model/geometry.ts'
import { boundsOf } from '../model/geometry.ts'
import { memo } from '../ui/memo.ts'
import type { View } from './view.ts'

const MAP_WIDTH_PX = 180
const MAP_HEIGHT_PX = 120
const MARGIN = 100

/** All groups in small, with the part in sight. A click goes there. */
export function Minimap(props: {
  boxes: Box[]
  view: View
  size: { width: number; height: number }
  onGo: (point: Point) => void
}) {
  const { boxes, view, size, onGo } = props
  const sight: Box = {
    x: -view.x / view.scale,
    y: -view.y / view.scale,
    width: size.width / view.scale,
    height: size.height / view.scale,
  }
  const bounds = boundsOf([...boxes, sight])
  const box = `${bounds.x - MARGIN} ${bounds.y - MARGIN} ${bounds.width + 2 * MARGIN} ${bounds.height + 2 * MARGIN}`
  const go = (event: PointerEvent) => {
    if (event.buttons === 0) return
    event.stopPropagation()
    const svg = event.currentTarget as SVGSVGElement
    const matrix = svg.getScreenCTM()
    if (!matrix) return
    const { x, y } = new DOMPoint(event.clientX, event.clientY).matrixTransform(matrix.inverse())
    onGo({ x, y })
  }
  return (
    <svg
      class="minimap"
      viewBox={box}
      width={MAP_WIDTH_PX}
      height={MAP_HEIGHT_PX}
      aria-hidden="true"
      onPointerDown={go}
      onPointerMove={go}
    >
      <Boxes boxes={boxes} />
      <rect class="sight" x={sight.x} y={sight.y} width={sight.width} height={sight.height} />
    </svg>
  )
}

const Boxes = memo(function Boxes({ boxes }: { boxes: Box[] }) {
  return (
    <g>
      {boxes.map(({ x, y, width, height }, index) => (
        <rect key={index} x={x} y={y} width={width} height={height} rx="20" />
      ))}
    </g>
  )
})
