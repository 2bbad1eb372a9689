import { startFrame } from './frame.js'
import { dress, icon, make, texts } from './page.js'

/** Open popups, which together prevent the page from scrolling. */
const scrollLocks = new Set()
let overflow

function lockScrolling(popup) {
  const { style } = document.documentElement
  if (scrollLocks.size === 0) overflow = style.overflow
  scrollLocks.add(popup)
  style.overflow = 'hidden'
}

function unlockScrolling(popup) {
  if (scrollLocks.delete(popup) && scrollLocks.size === 0) document.documentElement.style.overflow = overflow
}

/** A chat over the page. */
export function popup(element, root) {
  const { theme = {}, title } = element.options
  const dialog = make('dialog', { 'aria-label': title ?? texts.chat })
  dress(dialog, { width: theme.width, window: theme.backgroundColor })
  root.append(dialog)
  let chat
  const begin = (isAnew) => {
    chat?.stop()
    chat = startFrame(element, isAnew)
    const close = {
      class: 'close',
      type: 'button',
      'aria-label': texts.closeChat,
      part: 'button',
      onclick: () => element.close(),
    }
    dialog.replaceChildren(chat.frame, make('button', close, icon('close')))
  }
  const end = () => {
    if (!chat) return
    chat.stop()
    chat = undefined
    dialog.replaceChildren()
    unlockScrolling(element)
  }
  dialog.addEventListener('click', ({ target }) => target === dialog && element.close())
  dialog.addEventListener('close', () => dialog.open || element.close())
  return {
    show() {
      lockScrolling(element)
      begin()
      dialog.showModal()
      chat.frame.focus()
    },
    hide() {
      dialog.close()
      end()
    },
    reload: () => chat && begin(true),
    end,
  }
}
