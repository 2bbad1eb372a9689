import { element, filled, linkProtocols } from './dom.js'
import { texts } from './texts.js'

/** Goes to another page, where browsers may go; where a new tab is blocked, a link is shown instead. */
export function redirect({ url, isNewTab }, chat) {
  if (!URL.canParse(url, location.href)) return
  const target = new URL(url, location.href)
  if (!linkProtocols.includes(target.protocol)) return
  if (isNewTab !== true) return location.assign(target)
  const tab = window.open(target, '_blank')
  if (tab) {
    tab.opener = null
    return
  }
  const { popupBlockedTitle, popupBlockedDescription, popupBlockedButtonLabel } = chat.texts
  chat.say(
    element('strong', {}, filled(popupBlockedTitle) ?? texts.popupBlockedTitle),
    element('p', {}, filled(popupBlockedDescription) ?? texts.popupBlocked),
    element(
      'a',
      { href: target.href, target: '_blank', rel: 'noopener noreferrer' },
      filled(popupBlockedButtonLabel) ?? (target.host || texts.open),
    ),
  )
}
