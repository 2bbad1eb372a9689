import { nonEmptyText, safePicture } from './dom.js'

/*
 * The look of the bot: custom properties on the root element, which the style sheet uses. Values that are no CSS
 * have no effect. Parts that the theme leaves out get the defaults of version 6.1.
 */

const parts = {
  container: { backgroundColor: 'transparent', thickness: 0, borderColor: 'transparent' },
  hostBubbles: { backgroundColor: '#ffffff', color: '#202020', thickness: 1, borderColor: '#dfdfdf' },
  guestBubbles: { backgroundColor: '#c2410c', color: '#ffffff', thickness: 1, borderColor: '#ffb8a0' },
  buttons: { backgroundColor: '#c2410c', color: '#ffffff', thickness: 1, borderColor: '#f98868' },
  inputs: { backgroundColor: '#ffffff', color: '#202020', thickness: 1, borderColor: '#cecece' },
}

const radii = { none: 0, medium: 6, large: 20 }

const shadows = {
  sm: '0 1px 2px rgb(0 0 0 / 0.08)',
  md: '0 3px 8px rgb(0 0 0 / 0.12)',
  lg: '0 8px 18px rgb(0 0 0 / 0.14)',
  xl: '0 14px 30px rgb(0 0 0 / 0.16)',
  '2xl': '0 22px 48px rgb(0 0 0 / 0.26)',
}

const root = document.documentElement

function set(name, value) {
  root.style.setProperty(`--${name}`, String(value))
}

const record = (value) => (typeof value === 'object' && value !== null ? value : {})

const numberOr = (value, fallback) => (typeof value === 'number' && value >= 0 ? value : fallback)

/** Applies the theme, and returns the addresses of the pictures of bot and visitor that are to be shown. */
export function applyTheme(theme) {
  const general = record(theme.general)
  const chat = record(theme.chat)
  const font = typeof general.font === 'string' ? general.font : record(general.font).family
  set('font', `${JSON.stringify(nonEmptyText(font) ?? 'Open Sans')}, system-ui, sans-serif`)
  // An address would make every visitor load it from a foreign server; rules name the fonts that they need.
  const rules = nonEmptyText(record(general.font).css) ?? ''
  adopt(fontSheet, rules.includes('{') ? rules : '')
  applyBackground(record(general.background))
  applyProgressBar(record(general.progressBar))
  for (const [name, defaults] of Object.entries(parts)) {
    applyPart(name, record(chat[name]), defaults, chat.roundness)
  }
  set('container-max-width', nonEmptyText(record(chat.container).maxWidth) ?? '800px')
  set('container-max-height', nonEmptyText(record(chat.container).maxHeight) ?? '100%')
  const surface = surfaceColors(general, chat)
  const isOnDark = isDark(surface)
  // Scroll bars, pickers and other parts that the browser draws.
  root.style.colorScheme = isOnDark ? 'dark' : 'light'
  set('focus', isOnDark ? '#8ab4ff' : '#1d4ed8')
  const field = nonEmptyText(record(chat.inputs).backgroundColor) ?? parts.inputs.backgroundColor
  set('inputs-scheme', isDark([...surface, mixColor(field, record(chat.inputs).opacity)]) ? 'dark' : 'light')
  const ownColor = nonEmptyText(record(chat.container).color)
  set('container-color', ownColor ?? (isOnDark ? '#e8e8ec' : '#303235'))
  set('placeholder-color', nonEmptyText(record(chat.inputs).placeholderColor) ?? '#6e7480')
  root.dataset.buttons = record(chat.buttonsInput).layout === 'vertical' ? 'vertical' : 'wrap'
  adopt(customSheet, nonEmptyText(theme.customCss) ?? '')
  return {
    host: record(chat.hostAvatar).isEnabled === false ? undefined : avatarOf(record(chat.hostAvatar).url),
    guest: record(chat.guestAvatar).isEnabled === true ? avatarOf(record(chat.guestAvatar).url) : undefined,
  }
}

export function avatarOf(url) {
  return safePicture(url) ?? new URL('avatar.svg', import.meta.url).href
}

export function applyBackgroundPicture(url) {
  const picture = safePicture(url)
  if (picture) set('background-image', `url(${JSON.stringify(picture)})`)
}

function applyBackground({ type, content }) {
  set('background-image', 'none')
  set('background-color', '#f8f8f8')
  if (type === 'None') set('background-color', 'transparent')
  else if (type === 'Image') applyBackgroundPicture(content)
  else if (nonEmptyText(content)) set('background-color', content)
}

function applyProgressBar({ placement, position, color, backgroundColor, thickness }) {
  set('progress-color', nonEmptyText(color) ?? '#ff5924')
  set('progress-background', nonEmptyText(backgroundColor) ?? '#8d8d8d')
  set('progress-thickness', `${numberOr(thickness, 4)}px`)
  root.dataset.progress = `${placement === 'Bottom' ? 'bottom' : 'top'} ${position === 'fixed' ? 'fixed' : 'absolute'}`
}

function mixColor(color, opacity) {
  return `color-mix(in srgb, ${color} ${numberOr(opacity, 1) * 100}%, transparent)`
}

function applyPart(name, part, defaults, roundness) {
  const border = record(part.border)
  const corners = part.border === undefined ? roundness : border.roundeness
  const radius =
    corners === 'custom' ? numberOr(border.customRoundeness, 6) : (radii[corners] ?? radii.medium)
  set(
    `${name}-background`,
    mixColor(nonEmptyText(part.backgroundColor) ?? defaults.backgroundColor, part.opacity),
  )
  if (defaults.color) set(`${name}-color`, nonEmptyText(part.color) ?? defaults.color)
  set(`${name}-border-width`, `${numberOr(border.thickness, defaults.thickness)}px`)
  set(`${name}-border-color`, mixColor(nonEmptyText(border.color) ?? defaults.borderColor, border.opacity))
  set(`${name}-radius`, `${radius}px`)
  set(`${name}-shadow`, shadows[part.shadow] ?? 'none')
  set(`${name}-blur`, numberOr(part.blur, 0) > 0 ? `blur(${part.blur}px)` : 'none')
}

/** Colours behind the conversation, from back to front. The colour of pictures is unknown. */
function surfaceColors(general, chat) {
  const { type, content } = record(general.background)
  const { backgroundColor, opacity } = record(chat.container)
  const back = type === 'Image' || type === 'None' ? '#ffffff' : (nonEmptyText(content) ?? '#f8f8f8')
  return [back, mixColor(nonEmptyText(backgroundColor) ?? parts.container.backgroundColor, opacity)]
}

/** The browser computes the colours, since there are many ways to write one. */
function isDark(colors) {
  const context = document.createElement('canvas').getContext('2d')
  if (!context) return false
  for (const color of ['#ffffff', ...colors]) {
    context.fillStyle = color
    context.fillRect(0, 0, 1, 1)
  }
  const [red = 255, green = 255, blue = 255] = context.getImageData(0, 0, 1, 1).data
  return 0.299 * red + 0.587 * green + 0.114 * blue < 128
}

const [fontSheet, customSheet] = [new CSSStyleSheet(), new CSSStyleSheet()]

/** A style sheet made this way loads no other ones, and the policy of the page limits its addresses. */
function adopt(sheet, css) {
  sheet.replaceSync(css)
  if (!document.adoptedStyleSheets.includes(sheet)) document.adoptedStyleSheets.push(sheet)
}
