/// <reference path="../../kit/rate-limiter-memory.d.ts" />
import { readFileSync } from 'node:fs'
import type express from 'express'
// Imported by its own path: the package loads the dependencies of all its stores, 30 modules and 3 MB.
import RateLimiterMemory from 'rate-limiter-flexible/lib/RateLimiterMemory.js'
import { email as emailSchema } from '../../../contract/members.ts'
import {
  createPageToken,
  createSecret,
  endBrowserSession,
  SESSION_DAYS,
} from '../../access/browser-sessions.ts'
import { openOpenid } from '../../access/openid.ts'
import { createMailedLink, findSignInLink, LINK_MINUTES, useSignInLink } from '../../access/sign-in-links.ts'
import type { Services } from '../../context.ts'
import { memoizeOn } from '../../db/interned-rows.ts'
import { MS_PER_DAY } from '../../durations.ts'
import { escapeHtml } from '../../html.ts'
import { networkOf } from '../../kit/limits.ts'
import { basePathOf } from '../../kit/paths.ts'
import { sendProblem } from '../../kit/response.ts'
import { OWN_MAIL_TIMEOUT_MS, plainMail } from '../../outbound/mail.ts'
import { createErrorLog } from '../../repeated-errors.ts'
import { root } from '../../root.ts'
import { cachedAsset } from '../cached-asset.ts'
import {
  clearCookie,
  isOfOwnPage,
  missingSetting,
  ownPath,
  queryOf,
  readCookie,
  readForm,
  type Serve,
  sessionOf,
  setCookie,
  startPath,
} from './browser.ts'
import { serveOpenid } from './openid.ts'
import { buttonForm, link, paragraph, sendPage } from './page.ts'

/** Maximum links that one address of the network can request within their lifetime. */
export const MAX_LINKS_PER_ADDRESS = 20

interface Form {
  returnTo: string | undefined
  given?: string
  isWrong?: boolean
}

const linkMs = LINK_MINUTES * 60_000

/** Serves the sign-in of pages, and the tokens that pages get for their session. */
export function serveSignIn(serve: Serve, services: Services): void {
  const { db, chat, log, now, config } = services
  const publicUrl = () => services.publicUrl()
  const style = readFileSync(new URL('server/pages/sign-in/page.css', root))
  const counter = new RateLimiterMemory({ points: MAX_LINKS_PER_ADDRESS, duration: LINK_MINUTES * 60 })

  const openid = openOpenid(config, log)
  if (openid) serveOpenid(serve, services, openid)

  serve(
    '/sign-in.css',
    cachedAsset('text/css', () => style),
  )

  serve('/session/token', undefined, async (request, response) => {
    if (!isOfOwnPage(request, publicUrl(), config)) return refuseOrigin(request, response, services)
    const cookie = readCookie(request, 'session', publicUrl())
    const pageToken = cookie === undefined ? undefined : await createPageToken(db, cookie, now())
    if (!pageToken) {
      const message = 'The browser is not signed in, or its session has ended: sign in at /sign-in'
      return sendProblem(response, 'UNAUTHORIZED', [{ path: ['header', 'cookie'], code: 'missing', message }])
    }
    response.json({ token: pageToken.token, expiresAt: pageToken.expiresAt.toISOString() })
  })

  serve('/sign-out', undefined, async (request, response) => {
    if (!isOfOwnPage(request, publicUrl(), config)) return refuseOrigin(request, response, services)
    const cookie = readCookie(request, 'session', publicUrl())
    if (cookie !== undefined) await endBrowserSession(db, cookie)
    clearCookie(response, 'session', publicUrl())
    response.redirect(303, `${basePathOf(publicUrl())}/sign-in`)
  })

  serve(
    '/sign-in',
    async (request, response) => {
      const query = queryOf(request)
      const returnTo = ownPath(query.get('returnTo'), publicUrl())
      if (await sessionOf(request, services))
        return response.redirect(303, returnTo ?? startPath(publicUrl()))
      if (query.has('sent')) return sendSent(response)
      sendForm(response, { returnTo })
    },
    async (request, response) => {
      if (!isOfOwnPage(request, publicUrl(), config)) return refuseOrigin(request, response, services)
      const form = (await readForm(request, response)) ?? {}
      const returnTo = ownPath(textOf(form.returnTo), publicUrl())
      const given = textOf(form.email).trim()
      const parsed = emailSchema.safeParse(given)
      if (!parsed.success || !chat.sendEmail) return sendForm(response, { returnTo, given, isWrong: true })
      const isOver = config.RATE_LIMIT && (await counter.consume(networkOf(request)).then(no, yes))
      if (isOver) {
        response.setHeader('Retry-After', LINK_MINUTES * 60)
        return sendPage(response, {
          title: 'Too many requests',
          body: paragraph(`Your network has asked for many links. Try again in ${LINK_MINUTES} minutes.`),
          status: 429,
        })
      }
      // A second request preserves the link of the first one.
      const browser = readCookie(request, 'sign-in', publicUrl()) ?? createSecret()
      setCookie(response, 'sign-in', publicUrl(), browser, linkMs)
      // The response never waits for it, so that its time does not reveal if the address has a user.
      void mailLink(parsed.data.toLowerCase(), browser, returnTo).catch((err: Error) =>
        log.warn({ err }, 'a sign-in link could not be mailed'),
      )
      response.redirect(303, `${basePathOf(publicUrl())}/sign-in?sent`)
    },
  )

  serve(
    '/sign-in/links/:code',
    async (request, response) => {
      const { code } = request.params as { code: string }
      const found = await findSignInLink(db, code, readCookie(request, 'sign-in', publicUrl()), now())
      if (!found) return sendInvalid(response)
      if (found.isOtherBrowser) {
        const body =
          paragraph('Open this link in the browser in which you asked for it, or ask for a new one here.') +
          link('Ask for a new link', '../../sign-in')
        return sendPage(response, {
          title: 'Open this link in your browser',
          body,
          status: 403,
          up: '../../',
        })
      }
      const body = `<p>You sign in as <strong>${escapeHtml(found.user.email)}</strong>.</p>${buttonForm('Continue')}`
      sendPage(response, { title: 'Sign in', body, up: '../../' })
    },
    async (request, response) => {
      if (!isOfOwnPage(request, publicUrl(), config)) return refuseOrigin(request, response, services)
      const { code } = request.params as { code: string }
      const browser = {
        cookie: readCookie(request, 'session', publicUrl()),
        linkCookie: readCookie(request, 'sign-in', publicUrl()),
        userAgent: request.get('user-agent'),
      }
      const signedIn = await useSignInLink(db, code, browser, now())
      if (!signedIn) return sendInvalid(response)
      setCookie(response, 'session', publicUrl(), signedIn.cookie, SESSION_DAYS * MS_PER_DAY)
      clearCookie(response, 'sign-in', publicUrl())
      response.redirect(303, ownPath(signedIn.returnTo, publicUrl()) ?? startPath(publicUrl()))
    },
  )

  async function mailLink(address: string, browser: string, returnTo: string | undefined) {
    const code = await createMailedLink(db, address, { browser, returnTo }, now())
    if (code === undefined) return
    const mail = plainMail(address, 'Your sign-in link', [
      'Open this link in the browser in which you asked for it, to sign in:',
      '',
      `${publicUrl()}/sign-in/links/${code}`,
      '',
      `It works once, for ${LINK_MINUTES} minutes. If you did not ask for it, ignore this mail.`,
    ])
    await chat.sendEmail?.(mail, OWN_MAIL_TIMEOUT_MS)
  }

  function sendForm(response: express.Response, form: Form) {
    const ways = [openid && providerLink(openid.host, form.returnTo), chat.sendEmail && mailForm(form)]
    const body =
      ways.filter(Boolean).join('<p>or</p>') || `${paragraph(noMails)}<p><code>${command}</code></p>`
    sendPage(response, { title: 'Sign in', body, status: form.isWrong ? 400 : 200 })
  }
}

const noMails = 'This service sends no mails. Ask its operator for a link: this command prints one.'
const command = 'npm run --silent admin -- user link --email you@example.com'

/** A link, since browsers forbid the form of a page to lead to a site that its policy does not name. */
function providerLink(host: string, returnTo: string | undefined): string {
  const query = returnTo === undefined ? '' : `?returnTo=${encodeURIComponent(returnTo)}`
  return `<p><a class="button" href="sign-in/openid${query}">Continue with ${escapeHtml(host)}</a></p>`
}

function mailForm({ returnTo, given = '', isWrong = false }: Form): string {
  const error = isWrong
    ? '<p class="error" id="error">Enter an e-mail address such as ada@example.com.</p>'
    : ''
  const hint = isWrong ? ' aria-invalid="true" aria-describedby="error"' : ''
  return `<form method="post" novalidate>
        <label for="email">E-mail address</label>
        <input id="email" name="email" type="email" autocomplete="email" required value="${escapeHtml(given)}"${hint}>
        ${error}
        ${returnTo === undefined ? '' : `<input type="hidden" name="returnTo" value="${escapeHtml(returnTo)}">`}
        <button>Send a sign-in link</button>
      </form>`
}

const yes = () => true
const no = () => false

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

function sendSent(response: express.Response) {
  const body =
    paragraph('If the address has an account, a link is on its way to it.') +
    paragraph(`Open it in this browser within ${LINK_MINUTES} minutes.`) +
    link('Use another address', 'sign-in')
  sendPage(response, { title: 'Check your mail', body })
}

function sendInvalid(response: express.Response) {
  const body =
    paragraph(`It was used already, or is older than ${LINK_MINUTES} minutes.`) +
    link('Ask for a new link', '../../sign-in')
  sendPage(response, { title: 'This link is not valid', body, status: 404, up: '../../' })
}

/**
 * Rejects requests of pages of other origins. If a page of the service may have sent one, response and log name the
 * setting.
 */
export function refuseOrigin(request: express.Request, response: express.Response, services: Services) {
  const { publicUrl, log } = services
  const missing = missingSetting(request, publicUrl())
  if (missing !== undefined) {
    // One kind for all origins, so that a caller cannot fill the log with hosts of their choice.
    const logOnce = memoizeOn(log, 'refused origins', () => createErrorLog(log, undefined, 'warn'))
    logOnce(undefined, 'a form was refused', { publicUrl: publicUrl(), setting: missing }, 'origin')
  }
  const message = missing ?? 'Only pages of this service may send this: open its own page'
  if (request.accepts(['json', 'html']) === 'html') {
    const up = `${basePathOf(publicUrl())}/`
    return sendPage(response, {
      title: 'This page may not send that',
      body: paragraph(message),
      status: 403,
      up,
    })
  }
  sendProblem(response, 'FORBIDDEN', [{ path: ['header', 'origin'], code: 'origin_not_allowed', message }])
}
