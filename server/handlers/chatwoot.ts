import type { Issue } from '../../contract/errors.ts'
import type { ChatwootHandlers } from '../../generated/handlers.ts'
import { readEvent } from '../chatwoot/read-event.ts'
import { storeEvent, workspaceOfBot } from '../chatwoot/rows.ts'
import { senderIssue } from '../chatwoot/signature.ts'
import type { Contexts } from '../context.ts'
import { asObject, asString } from '../json/access.ts'
import { tryCredentials } from '../workspaces/credentials.ts'

export const chatwoot: ChatwootHandlers<Contexts> = {
  async receiveChatwootEvent({ params, query, body, bytes, header }, respond, context) {
    const { db, now } = context
    const workspaceId = await workspaceOfBot(db, params.botId)
    if (workspaceId === undefined) return respond.fail('NOT_FOUND', [noAddress])
    const found = await tryCredentials(context, workspaceId, params.credentialsId)
    if (found === 'unreadable') return respond.fail('SERVICE_UNAVAILABLE')
    if (found?.type !== 'chatwoot') return respond.fail('NOT_FOUND', [noAddress])
    const { secret, accountId } = asObject(found.data)
    const sent = {
      secretInAddress: query.secret,
      signature: header('x-chatwoot-signature'),
      timestamp: header('x-chatwoot-timestamp'),
      body: bytes(),
    }
    const stranger = senderIssue(sent, asString(secret) ?? '', now)
    if (stranger) return respond.fail('FORBIDDEN', [stranger])
    const account = asObject(body.account).id
    if (account !== undefined && account !== accountId) return respond.fail('BAD_REQUEST', [otherAccount])
    const event = readEvent(body, sent.body)
    if (event) {
      const text = JSON.stringify(event.event)
      const bytes = Buffer.byteLength(text)
      const quota = context.quota()
      const quotaIssue = quota.findIssue('text', params.botId, bytes)
      if (quotaIssue) return respond.fail('TOO_MANY_REQUESTS', [quotaIssue])
      const { whenOver = 'open', whenReturned = 'resume' } = query
      const outcome = await storeEvent(
        db,
        { ...event, ...params, text, workspaceId, whenOver, whenReturned },
        now,
      )
      if (outcome === 'full') return respond.fail('TOO_MANY_REQUESTS', [tooMany])
      if (outcome === 'stored') quota.add('text', params.botId, bytes)
    }
    return respond.ok({ message: 'success' })
  },
}

/** The same for both, so that no caller learns which bots exist. */
const noAddress: Issue = {
  path: ['path', 'credentialsId'],
  code: 'unknown_credentials',
  message: 'There is no bot with such credentials of type chatwoot; compare both ids in the address',
}

const otherAccount: Issue = {
  path: ['body', 'account', 'id'],
  code: 'invalid_value',
  message: 'The credentials are for another account of Chatwoot; make some for this one',
}

const tooMany: Issue = {
  path: ['body'],
  code: 'quota_exceeded',
  message: 'The conversation has 500 events that wait; send this one again later',
}
