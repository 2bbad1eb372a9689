import { expect, test } from '@jest/globals'
import type { Flow } from '../../server/chat/engine/types.ts'
import { foreignCodeOf, pagePolicy } from '../../server/pages/foreign-code.ts'
import { bot, type Part } from '../support/chat.ts'

/* A page allows what its bot has, and nothing else. */

/** Directives of the policy that are not as those of a page without code of others. */
function openings(flow: Flow): string[] {
  const usual = new Set(pagePolicy(undefined).split('; '))
  return pagePolicy(foreignCodeOf(flow))
    .replaceAll(/'nonce-[\w-]{22}'/g, 'NONCE')
    .split('; ')
    .filter((directive) => !usual.has(directive))
}

const withBlock = (block: Part) => bot({ Start: [block] })
const withSettings = (metadata: object) => bot({ Start: [] }, { settings: { metadata } })
const withFont = (font: unknown) => bot({ Start: [] }, { theme: { general: { font } } })

test.each<[string, Flow, string[]]>([
  ['without any', withBlock({ type: 'text' }), []],
  [
    'for Google Analytics',
    withBlock({ type: 'Google Analytics', options: { trackingId: 'G-1' } }),
    ["script-src 'self' https://www.googletagmanager.com"],
  ],
  [
    'for the Meta pixel',
    withBlock({ type: 'Pixel', options: { pixelId: '1' } }),
    ["script-src 'self' https://connect.facebook.net"],
  ],
  [
    'for Chatwoot at its own address',
    withBlock({ type: 'Chatwoot', options: { websiteToken: 'T', baseUrl: 'https://desk.example/base' } }),
    ["script-src 'self' NONCE https://desk.example", "style-src 'self' 'unsafe-inline'"],
  ],
  [
    'for Chatwoot',
    withBlock({ type: 'Chatwoot', options: { websiteToken: 'T' } }),
    ["script-src 'self' NONCE https://app.chatwoot.com", "style-src 'self' 'unsafe-inline'"],
  ],
  [
    'for Zendesk',
    withBlock({ type: 'zendesk', options: { action: 'Open Web Widget' } }),
    [
      "script-src 'self' NONCE https://static.zdassets.com https://*.zendesk.com",
      "style-src 'self' 'unsafe-inline'",
      "connect-src 'self' http: https: wss://*.zendesk.com",
    ],
  ],
  [
    'for head code',
    withSettings({ customHeadCode: '<script>1</script>' }),
    [
      "script-src 'self' NONCE 'strict-dynamic'",
      "style-src 'self' 'unsafe-inline' https:",
      "connect-src 'self' http: https: wss:",
    ],
  ],
  [
    'for the tag manager, whose variables may be code',
    withSettings({ tagManagerId: 'GTM-1' }),
    [
      "script-src 'self' NONCE https://www.googletagmanager.com 'strict-dynamic' 'unsafe-eval'",
      "style-src 'self' 'unsafe-inline' https:",
      "connect-src 'self' http: https: wss:",
    ],
  ],
  ['for a font of Google', withFont('Open Sans'), ["style-src 'self' https://fonts.bunny.net"]],
  [
    'for a style sheet of a font',
    withFont({ type: 'Custom', family: 'Own', url: 'https://files.example:8443/font.css' }),
    ["style-src 'self' https://files.example:8443"],
  ],
  ['for rules of a font', withFont({ type: 'Custom', family: 'Own', css: '@font-face { x: y }' }), []],
])('the policy %s allows its sources', (_, flow, expected) => {
  expect(openings(flow)).toEqual(expected)
})

test.each([
  "https://desk.example'; script-src *",
  'https://desk.example;script-src *',
  'https://{{Host}}/',
  'javascript:alert(1)',
  'data:text/javascript,1',
  'https://*',
  'desk.example',
])('the address %s of a widget adds nothing to the policy', (baseUrl) => {
  expect(openings(withBlock({ type: 'Chatwoot', options: { websiteToken: 'T', baseUrl } }))).toEqual([])
})

test('fonts have the addresses of a mirror, with the family encoded', () => {
  expect(foreignCodeOf(withFont({ type: 'Google', family: ' A&B "c" ' })).fonts).toEqual([
    'https://fonts.bunny.net/css2?family=A%26B%20%22c%22:ital,wght@0,300;0,400;0,700;1,300;1,400;1,700',
  ])
})

test('each page has a nonce of its own', () => {
  const flow = withSettings({ customHeadCode: 'x' })
  expect(foreignCodeOf(flow).nonce).not.toBe(foreignCodeOf(flow).nonce)
})

test('a page asks for consent where its bot does, in the words of the bot', () => {
  const of = (consent: unknown) => foreignCodeOf(bot({ Start: [] }, { settings: { consent } })).consent
  expect(of({ isRequired: true, text: 'May we?', policyUrl: '' })).toEqual({ text: 'May we?' })
  expect(of({ isRequired: true })).toEqual({})
  expect(of({ isRequired: false, text: 'May we?' })).toBeUndefined()
  expect(of(undefined)).toBeUndefined()
})
