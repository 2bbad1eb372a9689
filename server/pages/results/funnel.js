import { element } from '../../chat/files/dom.js'
import { scrollingTable } from './table.js'

/* Number of chats at each input and their outcomes, as a drawing and as a table. */

const parts = [
  ['answered', 'Answered'],
  ['open', 'Still open'],
  ['left', 'Left there'],
]

const ROW = 68
const BAR = 18
const TITLE = 15

/** `blocks` have `title`, `shown`, `answered` and `left`, in the order of the flow. */
export function showFunnel(place, blocks) {
  const steps = blocks.map((block) => ({ ...block, open: block.shown - block.answered - block.left }))
  const chart = element('div', { class: 'chart', tabindex: 0, role: 'region', 'aria-label': 'Drawing' })
  const key = element(
    'ul',
    { class: 'key' },
    parts.map(([name, label]) => element('li', {}, element('span', { class: name }), label)),
  )
  const table = element('details', {}, element('summary', {}, 'As a table'), tableOf(steps))
  place.replaceChildren(key, chart, table)
  let width = 0
  const draw = () => {
    if (chart.clientWidth === width || chart.clientWidth === 0) return
    width = chart.clientWidth
    chart.replaceChildren(drawingOf(steps, width))
    for (const title of chart.querySelectorAll('text.title')) shorten(title, width)
  }
  new ResizeObserver(draw).observe(chart)
  draw()
}

function drawingOf(steps, width) {
  const most = Math.max(1, ...steps.map(({ shown }) => shown))
  const height = steps.length * ROW
  const label = steps.map((step) => `${step.title}: ${wordsOf(step)}`).join('. ')
  const rows = steps.map((step, index) => {
    const top = index * ROW
    let left = 0
    const bars = parts.flatMap(([name]) => {
      if (step[name] <= 0) return []
      // Few are still to be seen beside many.
      const length = Math.max((step[name] / most) * width, 1)
      const bar = draw('rect', { class: name, x: left, y: top + TITLE + 6, width: length, height: BAR })
      left += length
      return [bar]
    })
    return draw(
      'g',
      {},
      draw('title', {}, `${step.title}: ${wordsOf(step)}`),
      draw('text', { class: 'title', x: 0, y: top + TITLE }, step.title),
      ...bars,
      draw('text', { class: 'numbers', x: 0, y: top + TITLE + BAR + 20 }, wordsOf(step)),
    )
  })
  const size = { width, height, viewBox: `0 0 ${width} ${height}` }
  return draw('svg', { ...size, role: 'img', 'aria-label': label }, ...rows)
}

function wordsOf({ shown, answered, left, open }) {
  const share = shown === 0 ? '' : ` (${percent(answered / shown)})`
  const waiting = open > 0 ? `, ${count(open)} open` : ''
  return `${count(answered)} of ${count(shown)}${share}, ${count(left)} left${waiting}`
}

function draw(tag, attributes, ...children) {
  const node = document.createElementNS('http://www.w3.org/2000/svg', tag)
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, String(value))
  node.append(...children)
  return node
}

/** Drawings do not break lines. */
function shorten(text, width) {
  const whole = text.textContent
  for (let length = whole.length; text.getComputedTextLength() > width && length > 1; ) {
    length = Math.floor((length * width) / Math.max(text.getComputedTextLength(), width + 1))
    text.textContent = `${whole.slice(0, length - 1)}…`
  }
}

function tableOf(steps) {
  const heads = ['Question', 'Shown', ...parts.map(([, label]) => label)]
  const rows = steps.map((step) =>
    element(
      'tr',
      {},
      element('th', { scope: 'row', dir: 'auto' }, step.title),
      [step.shown, ...parts.map(([name]) => step[name])].map((number) =>
        element('td', { class: 'number' }, count(number)),
      ),
    ),
  )
  const head = heads.map((title, index) =>
    element('th', { scope: 'col', class: index > 0 && 'number' }, title),
  )
  return scrollingTable('Table of questions', head, rows)
}

export const count = (number) => number.toLocaleString('en')

export const percent = (share) => `${Math.round(share * 100)} %`
