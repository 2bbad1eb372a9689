import type express from 'express'
import { createSecret, SESSION_DAYS } from '../../access/browser-sessions.ts'
import { OPENID_MINUTES, type Openid, type OpenidRejection, signInPerson } from '../../access/openid.ts'
import type { Services } from '../../context.ts'
import { MS_PER_DAY } from '../../durations.ts'
import { clearCookie, ownPath, queryOf, readCookie, type Serve, setCookie, startPath } from './browser.ts'
import { link, paragraph, sendPage } from './page.ts'

/*
 * The way to the provider of OpenID Connect and back. The cookie holds the secret of the browser and the path to go to
 * afterwards. Tabs share both: any of them can finish, and the first that does ends the others.
 */

/** Serves the way to the provider, which the button of the sign-in page takes, and the way back. */
export function serveOpenid(serve: Serve, { db, now, config, publicUrl }: Services, openid: Openid): void {
  const callback = () => `${publicUrl()}/sign-in/openid/callback`

  serve('/sign-in/openid', async (request, response) => {
    const returnTo = ownPath(queryOf(request).get('returnTo'), publicUrl()) ?? ''
    const [, secret = createSecret()] = parseCookie(readCookie(request, 'openid', publicUrl())) ?? []
    const begun = await openid.begin(secret, callback(), now())
    if (typeof begun === 'string') return sendRejection(response, begun, '../')
    const value = `${secret}.${Buffer.from(returnTo).toString('base64url')}`
    setCookie(response, 'openid', publicUrl(), value, OPENID_MINUTES * 60_000)
    response.redirect(303, begun.href)
  })

  serve('/sign-in/openid/callback', async (request, response) => {
    const [, secret, path = ''] = parseCookie(readCookie(request, 'openid', publicUrl())) ?? []
    // Built of the public address: the Host header is the caller's.
    const url = new URL(callback())
    url.search = queryOf(request).toString()
    const person = secret === undefined ? 'ended' : await openid.identify(secret, url, now())
    if (typeof person === 'string') return sendRejection(response, person, '../../')
    const browser = {
      cookie: readCookie(request, 'session', publicUrl()),
      userAgent: request.get('user-agent'),
    }
    const mayCreate = config.OIDC_ALLOWED_DOMAINS.length > 0
    const cookie = await signInPerson(db, person, { mayCreate, browser }, now())
    clearCookie(response, 'openid', publicUrl())
    if (cookie === undefined) return sendRejection(response, 'no user', '../../')
    setCookie(response, 'session', publicUrl(), cookie, SESSION_DAYS * MS_PER_DAY)
    const returnTo = Buffer.from(path, 'base64url').toString()
    response.redirect(303, ownPath(returnTo, publicUrl()) ?? startPath(publicUrl()))
  })
}

/** The secret and the encoded path in a cookie. */
function parseCookie(value: string | undefined): RegExpExecArray | null {
  return /^([\w-]{43})\.([\w-]*)$/.exec(value ?? '')
}

interface Message {
  status: number
  title: string
  text: string
}

const messages: Record<OpenidRejection | 'no user', Message> = {
  ended: {
    status: 400,
    title: 'This sign-in has ended',
    text: `It was finished already, began in another browser, or took longer than ${OPENID_MINUTES} minutes. Begin again.`,
  },
  declined: {
    status: 403,
    title: 'You are not signed in',
    text: 'The provider did not sign you in. Begin again, and allow it to pass on your e-mail address.',
  },
  unavailable: {
    status: 503,
    title: 'Sign-in is not available',
    text: 'The provider cannot be used at the moment. Try again in a minute. If it stays so, tell its operator.',
  },
  unverified: {
    status: 403,
    title: 'Your address is not verified',
    text: 'The provider passes on no verified e-mail address of yours. Verify it there, then begin again.',
  },
  'not allowed': {
    status: 403,
    title: 'This address may not sign in here',
    text: 'Use an account of the organisation that runs this service, or ask it for an invitation.',
  },
  'no user': {
    status: 403,
    title: 'This address may not sign in here',
    text: 'No active user has your address. Ask an admin of a workspace for an invitation.',
  },
}

function sendRejection(response: express.Response, rejection: keyof typeof messages, up: string) {
  const { status, title, text } = messages[rejection]
  if (status === 503) response.setHeader('Retry-After', 60)
  sendPage(response, { title, body: paragraph(text) + link('Back to sign-in', `${up}sign-in`), status, up })
}
