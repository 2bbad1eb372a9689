import { guestBubble } from './bubbles.js'
import { element, hiddenText } from './dom.js'
import { host } from './host.js'
import { mayMove } from './motion.js'
import { texts } from './texts.js'
import { applyBackgroundPicture, avatarOf } from './theme.js'

/* The parts of the page, and their contents. */

export const [scroller, conversation, answer, status, restart, progress] = [
  'scroller',
  'conversation',
  'answer',
  'status',
  'restart',
  'progress',
].map((id) => document.getElementById(id))

function avatar(url, kind) {
  if (!url) return undefined
  const picture = element('img', { class: `avatar ${kind}-avatar`, src: url, alt: '' })
  // Each time, for it may be given another picture later.
  picture.addEventListener('error', () => {
    const spare = avatarOf(undefined)
    if (picture.getAttribute('src') !== spare) picture.setAttribute('src', spare)
  })
  return picture
}

export function addHost(bubble, avatars) {
  const row = element('div', { class: 'row host-row' }, avatar(avatars.host, 'host'), bubble)
  conversation.append(row)
  for (const media of bubble.querySelectorAll('img, video')) {
    for (const event of ['load', 'loadedmetadata', 'error']) media.addEventListener(event, keepEnd)
  }
  scrollToEnd()
  return row
}

/** Bubbles that were shown before their avatars were known. */
export function changeAvatars(rows, avatars) {
  for (const row of rows) {
    const picture = row.querySelector('.host-avatar')
    if (picture && picture.getAttribute('src') !== avatars.host) picture.setAttribute('src', avatars.host)
  }
}

export function addGuest(text, avatars) {
  const guestText = guestBubble(text)
  conversation.append(element('div', { class: 'row guest-row' }, guestText, avatar(avatars.guest, 'guest')))
  scrollToEnd()
  return guestText
}

export function showTyping(avatars) {
  const row = typingRow(avatars)
  row.setAttribute('aria-hidden', 'true')
  conversation.append(row)
  scrollToEnd()
  return row
}

/** Shows that a member is typing; screen readers say so once. Visitors who have scrolled up stay there. */
export function showMemberTyping(avatars) {
  const row = typingRow(avatars)
  row.append(hiddenText(texts.typing))
  conversation.append(row)
  keepEnd()
  return row
}

function typingRow(avatars) {
  const dots = element(
    'div',
    { class: 'host-bubble typing' },
    [1, 2, 3].map(() => element('span')),
  )
  return element('div', { class: 'row host-row typing-row' }, avatar(avatars?.host, 'host'), dots)
}

/** True while the visitor follows the chat; false after scrolling up to read earlier messages. */
let isFollowed = true
let before = 0

scroller.addEventListener('scroll', () => {
  const { scrollTop, scrollHeight, clientHeight } = scroller
  const isAtEnd = scrollHeight - clientHeight - scrollTop < 8
  if (isAtEnd) isFollowed = true
  else if (scrollTop < before) isFollowed = false
  before = scrollTop
})

/** The end stays in view when a keyboard comes up, a phone is turned, a picture arrives or a text grows. */
export function keepEnd() {
  if (isFollowed) scroller.scrollTo({ top: scroller.scrollHeight, behavior: 'instant' })
}

new ResizeObserver(keepEnd).observe(scroller)

// Pictures of an answer arrive after the scroll to its end; their events do not bubble.
for (const event of ['load', 'error']) answer.addEventListener(event, keepEnd, true)

export function jumpToEnd() {
  isFollowed = true
  keepEnd()
}

export function scrollToEnd() {
  isFollowed = true
  scroller.scrollTo({ top: scroller.scrollHeight, behavior: mayMove() ? 'smooth' : 'instant' })
}

/** The element to focus once the visitor comes here from the page of another site. */
let awaited

addEventListener('focus', () => {
  if (awaited?.isConnected && isOurs(document.activeElement)) awaited.focus({ preventScroll: true })
  awaited = undefined
})

/** Moves the focus along with the chat, unless the person has taken it somewhere else. */
export function keepFocus(target) {
  if (host.isEmbedded && !document.hasFocus()) awaited = target
  else if (isOurs(document.activeElement)) target?.focus({ preventScroll: true })
}

function isOurs(focused) {
  return (
    focused === null ||
    focused === document.body ||
    conversation.contains(focused) ||
    answer.contains(focused)
  )
}

export function showProgress(percent) {
  if (percent === undefined) return
  progress.hidden = false
  progress.setAttribute('aria-valuenow', String(Math.round(percent)))
  progress.style.setProperty('--progress', `${percent}%`)
}

export function applyDynamicTheme(dynamic = {}, { avatars }) {
  if (dynamic.hostAvatarUrl !== undefined && avatars.host) avatars.host = avatarOf(dynamic.hostAvatarUrl)
  if (dynamic.guestAvatarUrl !== undefined && avatars.guest) avatars.guest = avatarOf(dynamic.guestAvatarUrl)
  if (dynamic.backgroundUrl !== undefined) applyBackgroundPicture(dynamic.backgroundUrl)
}
