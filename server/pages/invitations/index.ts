import type express from 'express'
import { INVITATION_DAYS } from '../../../contract/invitations.ts'
import { name } from '../../../contract/kit/fields.ts'
import { SESSION_DAYS } from '../../access/browser-sessions.ts'
import type { Services } from '../../context.ts'
import { MS_PER_DAY } from '../../durations.ts'
import { escapeHtml } from '../../html.ts'
import { basePathOf } from '../../kit/paths.ts'
import { acceptInvitation, findInvitation } from '../../workspaces/invitations.ts'
import {
  isOfOwnPage,
  readCookie,
  readForm,
  type Serve,
  sessionOf,
  setCookie,
  startPath,
} from '../sign-in/browser.ts'
import { refuseOrigin } from '../sign-in/index.ts'
import { buttonForm, link, paragraph, sendPage } from '../sign-in/page.ts'

/* The page on which the invited accept. Only its form accepts: scanners of mails open every link. */

const up = '../'

const MAX_NAME_CHARACTERS = 255

/** Serves the page of an invitation. */
export function serveInvitations(serve: Serve, services: Services): void {
  const { db, now, publicUrl, config } = services
  const signInPath = (code: string) => {
    const base = basePathOf(publicUrl())
    return `${base}/sign-in?returnTo=${encodeURIComponent(`${base}/invitations/${code}`)}`
  }

  serve(
    '/invitations/:code',
    async (request, response) => {
      const { code } = request.params as { code: string }
      const [found, session] = await Promise.all([
        findInvitation(db, code, now()),
        sessionOf(request, services),
      ])
      if (!found || found.user?.disabledAt) return sendInvalid(response)
      const { inviter, workspace, role, email } = found
      const by = inviter.name ? `${inviter.name} (${inviter.email})` : inviter.email
      const intro = `<p>${escapeHtml(by)} invites <strong>${escapeHtml(email)}</strong> to the workspace
        <strong>${escapeHtml(workspace.name)}</strong>, as ${article[role]}.</p>`
      const send = (body: string) => sendPage(response, { title: 'Invitation', body: intro + body, up })
      if (session?.user.id === found.user?.id && session) return send(buttonForm('Accept'))
      if (session) {
        return send(
          `<p>You are signed in as <strong>${escapeHtml(session.user.email)}</strong>. Sign out, then open the link again.</p>` +
            buttonForm('Sign out', '../sign-out'),
        )
      }
      if (found.needsSignIn)
        return send(`<p><a class="button" href="${escapeHtml(signInPath(code))}">Sign in to accept</a></p>`)
      send(`<form method="post">
        <label for="name">Your name</label>
        <input id="name" name="name" autocomplete="name" maxlength="${MAX_NAME_CHARACTERS}">
        <button>Accept and sign in</button>
      </form>`)
    },
    async (request, response) => {
      if (!isOfOwnPage(request, publicUrl(), config)) return refuseOrigin(request, response, services)
      const { code } = request.params as { code: string }
      const form = (await readForm(request, response)) ?? {}
      const given = nameSchema.safeParse(typeof form.name === 'string' ? form.name.trim() : '')
      const session = await sessionOf(request, services)
      const found = await findInvitation(db, code, now())
      // Another user is signed in: the page says so.
      if (found && session && session.user.id !== found.user?.id) return response.redirect(303, code)
      const browser = {
        cookie: readCookie(request, 'session', publicUrl()),
        linkCookie: undefined,
        userAgent: request.get('user-agent'),
      }
      const accepted = await acceptInvitation(
        db,
        code,
        { signedInAs: session?.user.id, name: given.data ?? null, browser },
        now(),
      )
      if (accepted === 'invalid') return sendInvalid(response)
      if (accepted === 'sign in') return response.redirect(303, signInPath(code))
      if (accepted.cookie !== undefined)
        setCookie(response, 'session', publicUrl(), accepted.cookie, SESSION_DAYS * MS_PER_DAY)
      response.redirect(303, startPath(publicUrl()))
    },
  )
}

const article = { ADMIN: 'an admin', MEMBER: 'a member', GUEST: 'a guest' }

const nameSchema = name('', '')

function sendInvalid(response: express.Response) {
  const body =
    paragraph(
      `It was accepted or revoked, or is older than ${INVITATION_DAYS} days. If you accepted it, sign in; otherwise ask for a new one.`,
    ) + link('Sign in', '../sign-in')
  sendPage(response, { title: 'This invitation is not valid', body, status: 404, up })
}
