import { parseUrl } from './compat.js'
import { element, linkProtocols, nonEmptyText } from './dom.js'
import { host } from './host.js'
import { texts } from './texts.js'

/** Goes to another page, where browsers may go; where a new tab is blocked, a link is shown instead. */
export function redirect({ url, isNewTab }, chat) {
  const target = parseUrl(url, host.address)
  // The app of Blink opens its own addresses.
  if (!target || ![...linkProtocols, 'blink:'].includes(target.protocol)) return
  if (isNewTab !== true) {
    // The frame of a chat is no place for the other page.
    if (host.isEmbedded) host.tell('redirect', target.href)
    else location.assign(target)
    return
  }
  const tab = window.open(target, '_blank')
  if (tab) {
    tab.opener = null
    return
  }
  const { popupBlockedTitle, popupBlockedDescription, popupBlockedButtonLabel } = chat.texts
  chat.say(
    element('strong', {}, nonEmptyText(popupBlockedTitle) ?? texts.popupBlockedTitle),
    element('p', {}, nonEmptyText(popupBlockedDescription) ?? texts.popupBlocked),
    element(
      'a',
      { href: target.href, target: '_blank', rel: 'noopener noreferrer' },
      nonEmptyText(popupBlockedButtonLabel) ?? (target.host || texts.open),
    ),
  )
}
