import { element, newId, nonEmptyText } from './dom.js'
import { formOf, sendButton } from './forms.js'
import { filledIn, texts } from './texts.js'

/** One of a row of numbers or icons. With one-click submit they are buttons, otherwise radio buttons. */
export function ratingField({ options, prefilledValue }, naming, submit) {
  const length = Math.min(Math.max(Number(options.length ?? 10), 1), 100)
  const areIcons = options.buttonType === 'Icons'
  // The contract does not bound it, and every step is an element.
  const start = areIcons ? 1 : Math.min(Math.max(Number(options.startsAt ?? 0), -100), length)
  const values = Array.from({ length: length - start + 1 }, (_, index) => start + index)
  const isOneClick = options.isOneClickSubmitEnabled === true
  const name = newId('rating')
  const steps = values.map((value) => {
    const label = areIcons ? filledIn(texts.rating, { value, length }) : undefined
    const face = (hidden) =>
      element('span', { class: 'face', 'aria-hidden': hidden }, areIcons ? iconOf(options.customIcon) : value)
    const send = () => submit(String(value), String(value))
    if (isOneClick) {
      const attributes = { type: 'button', class: 'rating-item', 'aria-label': label, onclick: send }
      return element('button', attributes, face(areIcons))
    }
    const radio = element('input', { type: 'radio', name, value, 'aria-label': label ?? value })
    radio.checked = String(value) === prefilledValue
    return element('label', { class: 'rating-item' }, radio, face(true))
  })
  const scale = element(
    'div',
    {
      ...naming,
      role: isOneClick ? 'group' : 'radiogroup',
      class: `rating ${areIcons ? 'rating-icons' : 'rating-numbers'}`,
      onchange: show,
    },
    steps,
  )
  show()

  /** A number is chosen alone, an icon with those before it. */
  function show() {
    const chosen = steps.findIndex((step) => step.querySelector('input')?.checked)
    for (const [index, step] of steps.entries()) {
      step.classList.toggle('chosen', areIcons ? index <= chosen : index === chosen)
    }
  }

  const { left, right } = options.labels ?? {}
  const labels =
    (nonEmptyText(left) || nonEmptyText(right)) &&
    element(
      'div',
      { class: 'rating-labels' },
      element('span', { dir: 'auto' }, left ?? ''),
      element('span', { dir: 'auto' }, right ?? ''),
    )
  const block = element('div', { class: 'rating-block' }, scale, labels)
  return formOf([block, !isOneClick && sendButton(options.labels?.button)], () => {
    const chosen = scale.querySelector('input:checked')
    if (chosen) submit(chosen.value, chosen.value)
    else scale.querySelector('input')?.focus()
  })
}

/** The star of the page, or the drawing of the bot: as a picture it cannot run code, regardless of its author. */
function iconOf(customIcon) {
  const svg = customIcon?.isEnabled === true ? nonEmptyText(customIcon.svg) : undefined
  if (!svg) return element('span', { class: 'star' })
  return element('img', { src: `data:image/svg+xml,${encodeURIComponent(asDocument(svg))}`, alt: '' })
}

/** A drawing as it may stand in HTML, as a document of its own, which has to name its namespaces. */
function asDocument(svg) {
  const drawing = new DOMParser().parseFromString(svg, 'text/html').querySelector('svg')
  return drawing ? new XMLSerializer().serializeToString(drawing) : svg
}
