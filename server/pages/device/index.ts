import type express from 'express'
import { DEVICE_LOGIN_MINUTES } from '../../../contract/device-logins.ts'
import type { Scope } from '../../../contract/operation.ts'
import {
  claimDeviceLogin,
  countGuess,
  type Decision,
  type DeviceLogin,
  decideDeviceLogin,
  readUserCode,
  uncountGuess,
} from '../../access/device-logins.ts'
import type { Services } from '../../context.ts'
import { escapeHtml } from '../../html.ts'
import { basePathOf } from '../../kit/paths.ts'
import { isOfOwnPage, queryOf, readForm, type Serve, sessionOf, startPath } from '../sign-in/browser.ts'
import { refuseOrigin } from '../sign-in/index.ts'
import { factList, link, paragraph, sendPage } from '../sign-in/page.ts'

/*
 * The page on which a person allows the login of a program. Only its form looks a code up, so that no link of others
 * uses up a person's guesses or shows them a login that they did not begin.
 */

/** Serves the page of device logins. */
export function serveDeviceLogins(serve: Serve, services: Services): void {
  const { db, now } = services
  const publicUrl = () => services.publicUrl()

  function sendToSignIn(response: express.Response, code: string) {
    const base = basePathOf(publicUrl())
    const returnTo = `${base}/device${code === '' ? '' : `?code=${encodeURIComponent(code)}`}`
    response.redirect(303, `${base}/sign-in?returnTo=${encodeURIComponent(returnTo)}`)
  }

  serve(
    '/device',
    async (request, response) => {
      const code = shortenCode(queryOf(request).get('code'))
      if (!(await sessionOf(request, services))) return sendToSignIn(response, code)
      sendCodeForm(response, code)
    },
    async (request, response) => {
      if (!isOfOwnPage(request, publicUrl(), services.config))
        return refuseOrigin(request, response, services)
      const form = (await readForm(request, response)) ?? {}
      const given = shortenCode(form.code)
      const session = await sessionOf(request, services)
      if (!session) return sendToSignIn(response, given)
      const { id: userId, email } = session.user
      if (!(await countGuess(db, userId, now()))) return sendTooMany(response)
      const code = readUserCode(given)
      const login = code === undefined ? undefined : await claimDeviceLogin(db, code, userId, now())
      if (code === undefined || !login) return sendCodeForm(response, given, true)
      await uncountGuess(db, userId)
      const { decision } = form
      // A second click, or one that was sent again: the first decision holds.
      if (login.decision) return sendDecision(response, login, login.decision, decision)
      if (decision !== 'allowed' && decision !== 'denied') return sendRequest(response, login, email)
      const hasNoRole = login.workspace !== null && login.workspace.name === undefined
      if (decision === 'allowed' && hasNoRole) return sendRequest(response, login, email)
      const decided = await decideDeviceLogin(db, code, userId, decision, now())
      if (!decided) return sendCodeForm(response, given, true)
      sendDecision(response, login, decided, decision)
    },
  )

  /** Shows the first decision, with a 409 to the opposite one. */
  function sendDecision(
    response: express.Response,
    { name }: DeviceLogin,
    decided: Decision,
    wanted: unknown,
  ) {
    const isOpposite = (wanted === 'allowed' || wanted === 'denied') && wanted !== decided
    const words = {
      allowed: [
        `${name} gets its token now. Close this page and go back to the program.`,
        `You have allowed it already. To take that back, revoke the token of ${name} in your account.`,
      ],
      denied: [
        `${name} gets no token.`,
        `You have refused it already. To allow it after all, start ${name} again.`,
      ],
    }
    const [told, toldBefore] = words[decided] as [string, string]
    const base = basePathOf(publicUrl())
    const next =
      isOpposite && decided === 'allowed'
        ? link('Go to your account', `${base}/account`)
        : link('Go to your bots', startPath(publicUrl()))
    sendPage(response, {
      title: decided === 'allowed' ? 'Access allowed' : 'Access refused',
      body: paragraph(isOpposite ? toldBefore : told) + next,
      status: isOpposite ? 409 : 200,
    })
  }
}

const MAX_SHOWN_CODE_CHARACTERS = 40

function shortenCode(value: unknown): string {
  return typeof value === 'string' ? value.trim().slice(0, MAX_SHOWN_CODE_CHARACTERS) : ''
}

function sendCodeForm(response: express.Response, code: string, isWrong = false) {
  const error = isWrong
    ? `<p class="error" id="error">No program waits with this code. Compare it with the program; it works for ${DEVICE_LOGIN_MINUTES} minutes.</p>`
    : ''
  const hint = isWrong ? ' aria-invalid="true" aria-describedby="error"' : ''
  const body = `${paragraph('A program wants to use this service as you. Enter the code that it shows.')}
      <form method="post" action="device" novalidate>
        <label for="code">Code</label>
        <input id="code" name="code" class="code" autocomplete="off" autocapitalize="characters" spellcheck="false" required value="${escapeHtml(code)}"${hint}>
        ${error}
        <button>Continue</button>
      </form>`
  sendPage(response, { title: 'Log in a program', body, status: isWrong ? 404 : 200 })
}

function sendTooMany(response: express.Response) {
  response.setHeader('Retry-After', DEVICE_LOGIN_MINUTES * 60)
  const body = paragraph(
    `You have entered too many wrong codes. Try again in ${DEVICE_LOGIN_MINUTES} minutes, with a new code.`,
  )
  sendPage(response, { title: 'Too many wrong codes', body, status: 429 })
}

const scopeNames: Record<Scope, string> = {
  read: 'read everything but results and chats',
  write: 'create, change, delete, publish and preview',
  results: 'read, export and delete results',
  'chat-admin': 'steer the chats of others',
}

function sendRequest(
  response: express.Response,
  { userCode, name, scopes, expiresInDays, workspace }: DeviceLogin,
  email: string,
) {
  const where = workspace === null ? 'All of your workspaces' : workspace.name
  const facts = factList([
    ['Program', name],
    ['As', email],
    [
      'May',
      scopes === null ? 'Everything that you may' : scopes.map((scope) => scopeNames[scope]).join('; '),
    ],
    ['Where', where ?? 'A workspace in which you have no role'],
    ['For', expiresInDays === null ? 'Until you revoke it' : `${expiresInDays} days`],
  ])
  const allow = where === undefined ? '' : '<button name="decision" value="allowed">Allow</button>'
  const body = `<p class="code" aria-label="Code ${escapeHtml([...userCode].join(' '))}">${escapeHtml(userCode)}</p>
      ${paragraph('Allow this only if you have just started the program yourself, and it shows this code. The name is chosen by the program.')}
      ${facts}
      <form method="post" action="device">
        <input type="hidden" name="code" value="${escapeHtml(userCode)}">
        ${allow}
        <button name="decision" value="denied" class="secondary">Refuse</button>
      </form>`
  sendPage(response, { title: 'Allow this program?', body })
}
