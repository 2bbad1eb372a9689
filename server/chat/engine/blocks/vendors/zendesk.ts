/** The widget of Zendesk, which the page opens; a visitor with an id is signed in by a token of the service. */
import { createHmac } from 'node:crypto'
import { asString, filledText } from '../../../../json/access.ts'
import { type Execution, isPreview, log, sendAction } from '../../execution.ts'
import type { Script } from '../../types.ts'
import { failCall, type VendorCall } from './call.ts'

/** The vendor accepts a token for sign-in for as long as it is valid. */
const TOKEN_SECONDS = 3_600

export async function openZendesk(run: Execution, { block, call }: VendorCall): Promise<void> {
  const { userId, name, email, webWidgetKey } = call.options
  if (isPreview(run)) {
    log(run, 'info', 'zendesk: not run in previews', { context: block.id })
    return
  }
  const keyId = filledText(asString(call.credentials.conversationsKeyId))
  const secret = filledText(asString(call.credentials.conversationsSecretKey))
  if (userId !== undefined && (keyId === undefined || secret === undefined)) {
    failCall(run, block, 'Could not find credentials for block zendesk')
    return
  }
  const isKnown = userId !== undefined && keyId !== undefined && secret !== undefined
  const claims = {
    scope: 'user',
    external_id: userId,
    name,
    email,
    email_verified: email === undefined ? undefined : true,
    exp: Math.floor(call.now.getTime() / 1_000) + TOKEN_SECONDS,
  }
  const token = isKnown ? signToken(claims, keyId, secret) : null
  sendAction(run, {
    type: 'zendesk',
    zendesk: { scriptToExecute: widgetScript(String(webWidgetKey), token) },
  })
}

/** A JSON Web Token with HS256. */
function signToken(claims: object, keyId: string, secret: string): string {
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const signed = `${encode({ alg: 'HS256', typ: 'JWT', kid: keyId })}.${encode(claims)}`
  return `${signed}.${createHmac('sha256', secret).update(signed).digest('base64url')}`
}

function widgetScript(key: string, token: string | null): Script {
  return {
    content: `const open = () => {
  if (token) window.zE('messenger', 'loginUser', (signIn) => signIn(token))
  window.zE('messenger', 'open')
}
if (window.zE) return open()
const script = document.createElement('script')
script.id = 'ze-snippet'
script.src = 'https://static.zdassets.com/ekr/snippet.js?key=' + encodeURIComponent(key)
script.async = true
script.onload = open
document.head.appendChild(script)`,
    isCode: true,
    args: [
      { id: 'key', value: key },
      { id: 'token', value: token },
    ],
  }
}
