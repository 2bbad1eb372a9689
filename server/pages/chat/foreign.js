import { element, nonEmptyText, safeUrl } from './dom.js'
import { host } from './host.js'
import { keep, readKept } from './storage.js'
import { texts } from './texts.js'

/*
 * Code and style sheets of others. They are loaded on hosts that serve chats alone, where the service puts `#foreign`
 * into the page; and, if the bot wants consent, after the visitor has agreed. The page around an embedded chat
 * decides itself.
 */

const given = document.getElementById('foreign')
const { fonts = [], consent, hasPayments } = given ? JSON.parse(given.textContent) : {}

/** True if this page may load code of others. */
export const isApart = given !== null && !host.isEmbedded

/**
 * True if this page may show the form of a vendor of payments. It needs no consent: without it no visitor could pay.
 * Banks forbid frames to show their pages.
 */
export const mayLoadPayments = isApart && hasPayments === true && parent === window

/** For inline scripts; the attribute of elements is hidden from style sheets, the property is not. */
export const nonce = document.querySelector('script[nonce]')?.nonce

const storageKey = ['consent', location.pathname].join(' ')

let decision

/** True once the visitor has agreed, or if the bot wants no consent. Shows the question once in the life of a page. */
export function mayLoad() {
  decision ??= decide()
  return decision
}

async function decide() {
  if (!consent) return true
  const stored = readKept('local', storageKey)
  const isAccepted = stored === undefined ? await ask() : stored === 'yes'
  keep('local', storageKey, isAccepted ? 'yes' : 'no')
  showChoice(isAccepted)
  return isAccepted
}

/** Shows the question beside the chat, which continues meanwhile. */
function ask() {
  return new Promise((resolve) => {
    const answer = (isAccepted) => () => {
      box.remove()
      document.body.classList.remove('asks-consent')
      resolve(isAccepted)
    }
    const button = (label, isAccepted) =>
      element('button', { type: 'button', class: 'button', onclick: answer(isAccepted) }, label)
    const policy = safeUrl(consent.policyUrl)
    const box = element(
      'section',
      { class: 'consent', 'aria-label': texts.privacy },
      element(
        'p',
        { dir: 'auto' },
        nonEmptyText(consent.text) ?? texts.consent,
        policy && ' ',
        policy && element('a', { href: policy, target: '_blank', rel: 'noopener noreferrer' }, texts.privacy),
      ),
      element(
        'div',
        { class: 'consent-buttons' },
        button(nonEmptyText(consent.decline) ?? texts.decline, false),
        button(nonEmptyText(consent.accept) ?? texts.accept, true),
      ),
    )
    document.body.prepend(box)
    document.body.classList.add('asks-consent')
  })
}

/** A decision can be changed as easily as it was made. Loaded code ends with the page. */
function showChoice(isAccepted) {
  const button = element(
    'button',
    {
      type: 'button',
      class: 'privacy',
      onclick: async () => {
        button.remove()
        const isNow = await ask()
        keep('local', storageKey, isNow ? 'yes' : 'no')
        if (isNow === isAccepted) return showChoice(isNow)
        location.reload()
      },
    },
    texts.privacy,
  )
  document.body.append(button)
}

/** A script by its address. Resolves when it has loaded, or has failed to. */
export function loadScript(src) {
  return new Promise((resolve) => {
    const script = element('script', { src, async: true, nonce })
    script.addEventListener('load', resolve)
    script.addEventListener('error', resolve)
    document.head.append(script)
  })
}

async function loadFonts() {
  if (!(await mayLoad())) return
  for (const href of fonts) document.head.append(element('link', { rel: 'stylesheet', href }))
}

// In the frame of another site no visitor would see the question.
if (fonts.length > 0 && (isApart || !consent)) void loadFonts()
