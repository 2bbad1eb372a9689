import type { Issue } from '../../contract/errors.ts'
import { INVITATION_DAYS } from '../../contract/invitations.ts'
import type { InvitationsHandlers } from '../../generated/handlers.ts'
import type { Contexts } from '../context.ts'
import { readPage } from '../db/page.ts'
import { OWN_MAIL_TIMEOUT_MS, plainMail } from '../outbound/mail.ts'
import {
  insertInvitation,
  invitationPage,
  MAX_INVITATIONS,
  revokeInvitation,
  toInvitation,
} from '../workspaces/invitations.ts'
import { alreadyMember } from '../workspaces/members.ts'

const tooMany: Issue = {
  path: ['body'],
  code: 'quota_exceeded',
  message: `The workspace has ${MAX_INVITATIONS} invitations that wait: revoke some first`,
}

export const invitations: InvitationsHandlers<Contexts> = {
  async createInvitation({ body }, respond, { within, grant, now, chat, log, publicUrl }) {
    const email = body.email.toLowerCase()
    const { workspace } = grant
    let mailedCode: string | undefined
    const answer = await within(async (db) => {
      const wish = { email, role: body.role, isMailed: chat.sendEmail !== null }
      const creation = await insertInvitation(db, grant, wish, now)
      if (creation === 'deleted') return respond.fail('NOT_FOUND')
      if (creation === 'disabled') {
        const message = 'The user with this e-mail address is disabled'
        return respond.fail('BAD_REQUEST', [{ path: ['body', 'email'], code: 'disabled_user', message }])
      }
      if (creation === 'member') {
        return respond.fail('CONFLICT', [
          { path: ['body', 'email'], code: 'conflict', message: alreadyMember },
        ])
      }
      if (creation === 'full') return respond.fail('FORBIDDEN', [tooMany])
      mailedCode = creation.mailedCode
      return respond.ok({
        invitation: toInvitation(creation.row),
        link: `${publicUrl()}/invitations/${creation.code}`,
      })
    })
    if (mailedCode !== undefined) {
      const mail = plainMail(email, `Invitation to ${workspace.name}`, [
        `You are invited to the workspace ${workspace.name}. Open this link to accept:`,
        '',
        `${publicUrl()}/invitations/${mailedCode}`,
        '',
        `It works once, for ${INVITATION_DAYS} days. If you do not expect it, ignore this mail.`,
      ])
      // The link in the response works without the mail, so the response does not wait for it.
      void chat
        .sendEmail?.(mail, OWN_MAIL_TIMEOUT_MS)
        .catch((err: Error) => log.warn({ err }, 'an invitation could not be mailed'))
    }
    return answer
  },

  async listInvitations({ query }, respond, { db, grant, now, cursorKey }) {
    const list = await readPage(cursorKey, ['invitations', grant.workspace.id], query, (position, limit) =>
      invitationPage(db, grant, now, position, limit),
    )
    if ('issue' in list) return respond.fail('BAD_REQUEST', [list.issue])
    return respond.ok({ invitations: list.page.map(toInvitation), nextCursor: list.nextCursor })
  },

  async revokeInvitation({ params }, respond, { db, grant, now }) {
    const row = await revokeInvitation(db, grant, params.invitationId, now)
    return row ? respond.ok({ invitation: toInvitation(row) }) : respond.fail('NOT_FOUND')
  },
}
