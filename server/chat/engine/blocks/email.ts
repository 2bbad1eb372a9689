/** E-mail blocks. They go through the account that the block names, or else through the mail server of the service. */
import parseAddresses from 'nodemailer/lib/addressparser'
import { escapeHtml } from '../../../html.ts'
import { asString, asStrings, filledText } from '../../../json/access.ts'
import type { Mail } from '../../../outbound/mail.ts'
import {
  type BlockOutcome,
  computeRemainingMilliseconds,
  type Execution,
  followBlockEdge,
  isPreview,
  log,
  spendOutboundCall,
  waitFor,
} from '../execution.ts'
import type { Block } from '../flow-index.ts'
import { isEmailAddress } from '../inputs/contact.ts'
import { collectAnswers } from '../result-parts.ts'
import type { Effects } from '../types.ts'
import { fill, fillValue, readVariable, textOfValue } from '../variables.ts'
import { readAttachments } from './attachments.ts'

export const MAX_RECIPIENTS = 50
/** Maximum characters of one field, with valid or invalid addresses. The rest of the field is ignored. */
const MAX_ADDRESS_CHARACTERS = 20_000
/** Maximum bytes of all attachments of a mail; mail servers hardly accept larger mails. */
const MAX_ATTACHMENTS_BYTES = 20 * 1_048_576

export async function runEmail(run: Execution, block: Block): Promise<BlockOutcome> {
  const context = block.id
  const send = await senderOf(run, block)
  if (typeof send === 'string') {
    log(run, 'error', send, { context, isInternal: true })
    return followBlockEdge(run, block)
  }
  if (isPreview(run)) {
    log(run, 'info', 'E-mails are not sent in previews', { context, isInternal: true })
    return followBlockEdge(run, block)
  }
  const mail = await writeMail(run, block)
  if (mail.to.length === 0) {
    log(run, 'error', 'E-mail was not sent: there is no valid recipient', { context, isInternal: true })
    return followBlockEdge(run, block)
  }
  if (!(await spendOutboundCall(run, 2 * (mail.text ?? mail.html ?? '').length)))
    return followBlockEdge(run, block)
  try {
    await waitFor(run, send(mail, computeRemainingMilliseconds(run)))
    log(run, 'success', 'E-mail was sent', { details: mail.to.join(', '), context, isInternal: true })
  } catch (error) {
    const details = error instanceof Error ? error.message : 'unknown error'
    log(run, 'error', 'E-mail could not be sent', { details, context, isInternal: true })
  }
  return followBlockEdge(run, block)
}

/** Returns a text where nothing can be sent: the reason. Another sender than the named one would get the replies. */
async function senderOf(run: Execution, block: Block): Promise<NonNullable<Effects['sendEmail']> | string> {
  const id = filledText(block.options.credentialsId)
  if (id === undefined || id === 'default') {
    return run.effects.sendEmail ?? 'E-mail is not configured on this service, nothing was sent'
  }
  try {
    const account = await run.effects.findCredentials(id, 'smtp')
    if (account === null) return `E-mail was not sent: the workspace has no credentials "${id}" of type smtp`
    return (mail, milliseconds) => run.effects.sendEmailBy(account, mail, milliseconds)
  } catch (error) {
    return `E-mail could not be sent: ${(error as Error).message}`
  }
}

async function writeMail(run: Execution, block: Block): Promise<Mail> {
  const { options } = block
  const [replyTo] = mailboxes(await fill(run, asString(options.replyTo) ?? ''))
  const subject = (await fill(run, asString(options.subject) ?? '')).replace(/\s+/g, ' ').trim()
  const files = readVariable(run, options.attachmentsVariableId)
  const mail: Mail = {
    to: await addresses(run, options.recipients),
    cc: await addresses(run, options.cc),
    bcc: await addresses(run, options.bcc),
    subject,
    attachments: await readAttachments(run, block.id, files, MAX_ATTACHMENTS_BYTES),
  }
  if (replyTo !== undefined) mail.replyTo = replyTo.written
  const body = filledText(options.body)
  if (options.isCustomBody === false || body === undefined) mail.text = await collectText(run)
  else if (options.isBodyCode === true)
    mail.html = await fill(run, body, (value) => escapeHtml(textOfValue(value)))
  else mail.text = await fill(run, body)
  return mail
}

async function collectText(run: Execution): Promise<string> {
  const lines = [...(await collectAnswers(run))].map(([name, value]) => `${name}: ${value}`)
  return lines.join('\n')
}

/** An entry may be a placeholder for a list, or hold several addresses with commas between them. */
async function addresses(run: Execution, given: unknown): Promise<string[]> {
  const found = new Map<string, string>()
  let left = MAX_ADDRESS_CHARACTERS
  for (const entry of asStrings(given)) {
    const value = await fillValue(run, entry.trim())
    for (const part of Array.isArray(value) ? value : [value]) {
      if (left <= 0) return [...found.values()]
      left -= (part?.length ?? 0) + 1
      for (const { address, written } of mailboxes(part ?? '')) {
        if (found.size < MAX_RECIPIENTS && !found.has(address)) found.set(address, written)
      }
    }
  }
  return [...found.values()]
}

/** The addresses of a list such as `ada@x.org, Bob <bob@x.org>`, with their names. A line break would begin a header. */
export function mailboxes(given: string): { address: string; written: string }[] {
  const list = given.trim()
  if (/[\r\n]/.test(list)) return []
  return parseAddresses(list.slice(0, MAX_ADDRESS_CHARACTERS), { flatten: true }).flatMap(
    ({ name, address }) => {
      if (!isEmailAddress(address)) return []
      const quoted = name.replace(/["\\]/g, '').trim()
      return [{ address, written: quoted === '' ? address : `"${quoted}" <${address}>` }]
    },
  )
}
