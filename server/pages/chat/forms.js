import { element, icon, nonEmptyText } from './dom.js'
import { texts } from './texts.js'

/** A form that sends once, when `read` gives something. */
export function formOf(children, read) {
  return element(
    'form',
    {
      onsubmit: (event) => {
        event.preventDefault()
        read()
      },
    },
    children,
  )
}

/** `isCompact`: an arrow where the bot gives no label, so that the field beside it has the room. */
export function sendButton(label, { isCompact = false } = {}) {
  const given = nonEmptyText(label)
  if (given || !isCompact) return element('button', { type: 'submit', class: 'button' }, given ?? texts.send)
  const attributes = { type: 'submit', class: 'button compact', 'aria-label': texts.send, title: texts.send }
  return element('button', attributes, icon('send'))
}
