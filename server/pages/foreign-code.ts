import { randomBytes } from 'node:crypto'
import { indexFlow } from '../chat/engine/flow-index.ts'
import type { Flow } from '../chat/engine/types.ts'
import { asObject, asString, filledText, valueAt } from '../json/access.ts'

/*
 * Code and style sheets of others that the page of a bot loads on a host that serves chats alone: trackers, widgets,
 * head code, the form of payments and fonts. The policy of the page allows as much as its bot has, and nothing else.
 */

const GOOGLE_TAGS = 'https://www.googletagmanager.com'
const META = 'https://connect.facebook.net'
const CHATWOOT = 'https://app.chatwoot.com'
const ZENDESK = ['https://static.zdassets.com', 'https://*.zendesk.com']
/** The form of payments, which loads more of its own. */
const STRIPE = ['https://js.stripe.com', 'https://*.js.stripe.com']
/** A mirror of Google Fonts that stores no addresses of visitors. */
const FONTS = 'https://fonts.bunny.net'

/** Additions to the directives of the page's policy. */
export interface ForeignCode {
  scripts: string[]
  styles: string[]
  connections: string[]
  /** For the inline scripts of the page; absent where it has none. */
  nonce?: string
  /** True if the page may show the form of a payment. */
  hasPayments: boolean
  /** Style sheets that declare the fonts of the theme. */
  fonts: string[]
  /** The question for consent before any foreign code is loaded; absent if the bot wants none. */
  consent?: { text?: string; accept?: string; decline?: string; policyUrl?: string }
}

/** Finds the code of others that the page of a flow may load. */
export function foreignCodeOf(flow: Flow): ForeignCode {
  const blocks = [...indexFlow(flow).groups.values()].flatMap((group) => group.blocks)
  const optionsOf = (type: string) =>
    blocks.filter((block) => block.type === type).map(({ options }) => asObject(options))
  const metadata = asObject(valueAt(flow.settings, 'metadata'))
  const hasManager = filledText(metadata.tagManagerId) !== undefined
  const hasHeadCode = filledText(metadata.customHeadCode) !== undefined
  const chatwoots = optionsOf('Chatwoot').flatMap(({ baseUrl }) => originOf(filledText(baseUrl) ?? CHATWOOT))
  const hasPayments = blocks.some(({ type }) => type === 'payment input')
  const hasZendesk = optionsOf('zendesk').length > 0
  const hasWidget = chatwoots.length > 0 || hasZendesk
  const isOpen = hasManager || hasHeadCode
  const fonts = fontsOf(flow)
  const consent = consentOf(flow)
  return {
    scripts: [
      ...(optionsOf('Google Analytics').length > 0 || hasManager ? [GOOGLE_TAGS] : []),
      ...(optionsOf('Pixel').length > 0 ? [META] : []),
      ...chatwoots,
      ...(hasZendesk ? ZENDESK : []),
      ...(hasPayments ? STRIPE : []),
      // Such code loads more code, from unknown addresses.
      ...(isOpen ? ["'strict-dynamic'"] : []),
      // Variables of the tag manager in JavaScript need it.
      ...(hasManager ? ["'unsafe-eval'"] : []),
    ],
    // Widgets and head code bring style elements.
    styles: [
      ...fonts.flatMap(originOf),
      ...(hasWidget || isOpen ? ["'unsafe-inline'"] : []),
      ...(isOpen ? ['https:'] : []),
    ],
    connections: [...(hasZendesk ? ['wss://*.zendesk.com'] : []), ...(isOpen ? ['wss:'] : [])],
    ...(hasWidget || isOpen ? { nonce: randomBytes(16).toString('base64url') } : {}),
    hasPayments,
    fonts,
    ...(consent && { consent }),
  }
}

/** The origin of an address, where no placeholder decides it. */
function originOf(address: string): string[] {
  const { origin = '', hostname = '' } = URL.canParse(address) ? new URL(address) : {}
  // Lawful in hosts, but other characters would end the directive of a policy or begin another one.
  return /^https?:\/\//.test(origin) && /^[\w.:[\]-]+$/.test(hostname) ? [origin] : []
}

function fontsOf(flow: Flow): string[] {
  const font = valueAt(flow.theme, 'general', 'font')
  const { type, family, css, url } =
    typeof font === 'string' ? { type: 'Google', family: font } : asObject(font)
  if (type === 'Google') {
    const name = filledText(asString(family))
    if (name === undefined) return []
    const weights = 'ital,wght@0,300;0,400;0,700;1,300;1,400;1,700'
    return [`${FONTS}/css2?family=${encodeURIComponent(name.trim())}:${weights}`]
  }
  // The text in `css` is an address, or rules that the page has already.
  const address = [css, url].map((text) => filledText(asString(text))?.trim()).find(Boolean)
  return address !== undefined && originOf(address).length > 0 ? [address] : []
}

function consentOf(flow: Flow): ForeignCode['consent'] {
  const { isRequired, text, acceptLabel, declineLabel, policyUrl } = asObject(
    valueAt(flow.settings, 'consent'),
  )
  if (isRequired !== true) return undefined
  const filled = {
    text: filledText(text),
    accept: filledText(acceptLabel),
    decline: filledText(declineLabel),
    policyUrl: filledText(policyUrl),
  }
  return Object.fromEntries(Object.entries(filled).filter(([, value]) => value !== undefined))
}

/** The policy of the page with the form of a payment, as its vendor documents it. */
export const paymentPolicy = [
  "default-src 'none'",
  ['script-src', "'self'", ...STRIPE].join(' '),
  "style-src 'self'",
  "img-src 'self' https://*.stripe.com data:",
  ['frame-src', ...STRIPE, 'https://hooks.stripe.com'].join(' '),
  "connect-src 'self' https://api.stripe.com",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

/**
 * Scripts and styles come from the service and the addresses in `foreign`; pictures, media and frames from anywhere.
 */
export function pagePolicy(foreign: ForeignCode | undefined): string {
  const { scripts = [], styles = [], connections = [], nonce } = foreign ?? {}
  const own = nonce === undefined ? ["'self'"] : ["'self'", `'nonce-${nonce}'`]
  return [
    "default-src 'none'",
    ['script-src', ...own, ...scripts].join(' '),
    ["style-src 'self'", ...styles].join(' '),
    // Files that were chosen are shown before they are anywhere.
    "img-src 'self' http: https: data: blob:",
    'media-src http: https: data:',
    'font-src http: https: data:',
    'frame-src http: https:',
    // Bots may make the page send a request.
    ["connect-src 'self' http: https:", ...connections].join(' '),
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ')
}
