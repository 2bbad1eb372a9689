import { element, filled } from './dom.js'
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

export function sendButton(label) {
  return element('button', { type: 'submit', class: 'button' }, filled(label) ?? texts.send)
}
