/** E-mails by an account of Gmail. */
import {
  pick,
  pickList,
  type VendorRequest,
} from '../../../../../contract/bot-document/blocks/vendors/vendor.ts'
import { asString, asStrings, filledText } from '../../../../json/access.ts'
import { encodeMail, type Mail } from '../../../../outbound/mail.ts'
import { type Execution, isPreview, log, noMemory, reserveMemory, waitFor } from '../../execution.ts'
import type { VariableValue } from '../../types.ts'
import { readVariable } from '../../variables.ts'
import { readAttachments } from '../attachments.ts'
import { MAX_RECIPIENTS, mailboxes } from '../email.ts'
import { failCall, type VendorCall } from './call.ts'
import { accessToken, forgetToken } from './google-token.ts'
import { reportStatus, saveParts, sendRequest, type VendorReply } from './send.ts'

/** The vendor takes 25 MB with everything, in an encoding that takes a third more. */
const MAX_GMAIL_ATTACHMENTS_BYTES = 18 * 1_048_576
const USER = '/gmail/v1/users/me'

export async function sendByGmail(run: Execution, made: VendorCall): Promise<void> {
  const { block, call, action } = made
  if (isPreview(run)) {
    return log(run, 'info', 'E-mails are not sent in previews', { context: block.id, isInternal: true })
  }
  const to = mailboxes(asString(call.options.to) ?? '').slice(0, MAX_RECIPIENTS)
  if (to.length === 0) return failCall(run, block, 'Gmail: there is no valid recipient')
  const from = await senderOf(run, made)
  if (from === null) return
  const threadId = filledText(call.options.threadId)
  const thread = threadId === undefined ? {} : await readThread(run, made, threadId)
  if (thread === null) return
  const { subject = '', ...headers } = thread
  const mail: Mail & { from: string } = {
    from,
    to: to.map(({ written }) => written),
    cc: [],
    bcc: [],
    subject: (filledText(call.options.subject) ?? subject).replace(/\s+/g, ' ').trim(),
    text: asString(call.options.body) ?? '',
    attachments: await readAttachments(run, block.id, filesOf(run, made), MAX_GMAIL_ATTACHMENTS_BYTES),
  }
  const [replyTo] = mailboxes(asString(call.options.replyTo) ?? '')
  if (replyTo !== undefined) mail.replyTo = replyTo.written
  // The mail as bytes, and as the text that is sent.
  const size = mail.attachments.reduce((sum, { content }) => sum + content.length, mail.text?.length ?? 0)
  if (!(await reserveMemory(run, 3 * size)))
    return failCall(run, block, 'Gmail: the request failed', noMemory)
  const raw = (await waitFor(run, encodeMail(mail, headers))).toString('base64url')
  const sent = await ask(run, made, {
    path: `${USER}/messages/send`,
    json: { raw, ...(threadId !== undefined && { threadId }) },
  })
  if (sent === null) return
  const id = asString(pick(sent.body, 'id'))
  log(run, 'success', 'E-mail was sent', { details: mail.to.join(', '), context: block.id, isInternal: true })
  saveParts(run, made, { items: { 'Message ID': id, 'Thread ID': pick(sent.body, 'threadId') } })
  const label = filledText(call.options.label)
  if (label === undefined || id === undefined) return
  await ask(
    run,
    made,
    { path: `${USER}/messages/${encodeURIComponent(id)}/modify`, json: { addLabelIds: [label] } },
    ({ status }) =>
      failCall(run, block, `Failed to apply label: ${label}`, `Status ${status}`, action.context),
  )
}

/** The given sender, else the account with its name; null if there is none, which is in the log then. */
async function senderOf(run: Execution, made: VendorCall): Promise<string | null> {
  const { options, credentials } = made.call
  const given = filledText(options.from)
  if (given !== undefined) {
    const [box] = mailboxes(given)
    if (box === undefined) failCall(run, made.block, 'Gmail: the sender is no e-mail address')
    return box?.written ?? null
  }
  const base = filledText(credentials.baseUrl) === undefined ? 'https://www.googleapis.com' : made.call.base
  const atUsers = { ...made, call: { ...made.call, base } }
  const response = await ask(run, atUsers, { method: 'GET', path: '/oauth2/v3/userinfo' })
  if (response === null) return null
  const email = asString(pick(response.body, 'email')) ?? ''
  const name = (asString(pick(response.body, 'name')) ?? '').replace(/[",<>\s\\]+/g, ' ').trim()
  const [box] = mailboxes(name === '' ? email : `"${name}" <${email}>`)
  if (box === undefined) failCall(run, made.block, 'Gmail: the account has no e-mail address')
  return box?.written ?? null
}

/** Headers that put an e-mail into a thread at its recipients too; null if there is no such thread. */
async function readThread(run: Execution, made: VendorCall, threadId: string) {
  const path = `${USER}/threads/${encodeURIComponent(threadId)}`
  const response = await ask(run, made, { method: 'GET', path, query: { format: 'metadata' } })
  if (response === null) return null
  const headers = pickList(pickList(response.body, 'messages').at(-1), 'payload', 'headers')
  const headerOf = (name: string) => {
    const found = headers.find((header) => String(pick(header, 'name')).toLowerCase() === name)
    return filledText(asString(pick(found, 'value'))?.replace(/\s+/g, ' ').trim())
  }
  const id = headerOf('message-id')
  const subject = headerOf('subject')
  return {
    ...(subject !== undefined && { subject: /^re:/i.test(subject) ? subject : `Re: ${subject}` }),
    ...(id !== undefined && {
      inReplyTo: id,
      references: [headerOf('references'), id].filter((each) => each !== undefined).join(' '),
    }),
  }
}

/** The addresses of the files: those of a variable, or those that the option has itself. */
function filesOf(run: Execution, { block, call }: VendorCall): VariableValue {
  const { attachments } = block.options
  const ofVariable = readVariable(run, attachments)
  if (ofVariable !== null) return ofVariable
  const given = call.options.attachments
  return Array.isArray(given) ? asStrings(given) : (asString(given) ?? null)
}

/** A response below 400; null if there is none, which is in the log then. */
async function ask(
  run: Execution,
  made: VendorCall,
  request: VendorRequest,
  report = (response: VendorReply) => reportStatus(run, made, response),
): Promise<VendorReply | null> {
  for (const isLast of [false, true]) {
    const token = await accessToken(run, made, 'No access token available')
    if (token === null) return null
    const response = await sendRequest(run, made, {
      ...request,
      headers: { authorization: `Bearer ${token}` },
    })
    if (response === null || response.status < 400) return response
    // The token may have been revoked before its end.
    if (response.status !== 401 || isLast) {
      report(response)
      return null
    }
    forgetToken(made)
  }
  return null
}
