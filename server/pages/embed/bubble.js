import { startFrame } from './frame.js'
import { dress, icon, make, texts } from './page.js'

const isComposing = (event) => event.isComposing || event.keyCode === 229

function isDark(color) {
  const context = make('canvas').getContext('2d')
  context.fillStyle = color
  context.fillRect(0, 0, 1, 1)
  const [red, green, blue] = context.getImageData(0, 0, 1, 1).data
  return 0.299 * red + 0.587 * green + 0.114 * blue < 150
}

/** A chat behind a button in a corner of the page. */
export function bubble(element, root) {
  const { theme = {}, previewMessage, title } = element.options
  const { button = {}, chatWindow = {}, previewMessage: previewTheme = {} } = theme
  const side = theme.placement === 'left' ? 'left' : 'right'
  const position = theme.position === 'static' ? 'static' : 'fixed'
  const size =
    { medium: '48px', large: '64px' }[button.size] ?? (/^\d+px$/.test(button.size) ? button.size : '48px')
  const background = button.backgroundColor ?? '#202020'
  const opener = make('button', {
    type: 'button',
    class: 'button',
    part: 'button',
    'aria-haspopup': 'dialog',
    onclick: () => element.toggle(),
  })
  opener.hidden = button.isHidden === true
  const pane = make('div', { class: 'window', role: 'dialog', 'aria-label': title ?? texts.chat })
  const preview = make('div', { role: 'status' })
  const box = make(
    'div',
    { class: `box ${side} ${position}${opener.hidden ? ' no-button' : ''}` },
    preview,
    pane,
    opener,
  )
  box.dir = getComputedStyle(element.parentElement ?? document.body).direction
  dress(box, {
    size,
    z: theme.zIndex,
    button: background,
    icon: button.iconColor ?? (isDark(background) ? '#fff' : '#202020'),
    window: chatWindow.backgroundColor,
    'max-width': chatWindow.maxWidth,
    'max-height': chatWindow.maxHeight,
    preview: previewTheme.backgroundColor,
    'preview-color': previewTheme.textColor,
    dismiss: previewTheme.closeButtonBackgroundColor,
    'dismiss-icon': previewTheme.closeButtonIconColor,
  })
  root.append(box)
  let chat
  const draw = () => {
    const { isOpen } = element
    opener.setAttribute('aria-expanded', String(isOpen))
    opener.setAttribute('aria-label', isOpen ? texts.closeChat : texts.openChat)
    opener.replaceChildren(
      isOpen ? icon('close', button.customCloseIconSrc) : icon('chat', button.customIconSrc),
    )
    pane.hidden = !isOpen
  }
  const begin = (isAnew) => {
    chat?.stop()
    chat = startFrame(element, isAnew)
    pane.replaceChildren(chat.frame)
  }
  let timer
  const hidePreview = () => {
    clearTimeout(timer)
    preview.replaceChildren()
  }
  const showPreview = (message = previewMessage) => {
    if (!message || element.isOpen) return
    const open = { type: 'button', class: 'text', onclick: () => element.open() }
    const dismiss = { type: 'button', class: 'dismiss', 'aria-label': texts.dismiss, onclick: hidePreview }
    const picture = message.avatarUrl && make('img', { src: message.avatarUrl, alt: '' })
    const text = make('button', open, picture, make('span', { dir: 'auto' }, message.message))
    preview.replaceChildren(
      make(
        'div',
        { class: 'preview', part: 'preview-message' },
        text,
        make('button', dismiss, icon('close')),
      ),
    )
  }
  root.addEventListener('keydown', (event) => {
    if (event.key === 'Escape' && !isComposing(event)) element.close()
  })
  draw()
  const wait = previewMessage?.autoShowDelay ?? undefined
  if (wait !== undefined) timer = setTimeout(showPreview, wait)
  return {
    show({ isByItself }) {
      hidePreview()
      if (!chat) begin()
      draw()
      if (!isByItself) chat.frame.focus()
    },
    hide() {
      const hadFocus = root.activeElement !== null
      draw()
      if (hadFocus) opener.focus()
    },
    reload: () => chat && begin(true),
    showPreview,
    hidePreview,
    end() {
      clearTimeout(timer)
      chat?.stop()
    },
  }
}
