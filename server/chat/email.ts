/** E-mail blocks. They go through the account that the block names, or else through the mail server of the service. */
import parseAddresses from 'nodemailer/lib/addressparser'
import type { Block } from './flow.ts'
import { isEmailAddress } from './inputs/contact.ts'
import { filledText, text, texts, webUrl } from './loose.ts'
import { collected } from './results.ts'
import {
  isPreview,
  leave,
  log,
  mayCallOut,
  type Next,
  type Run,
  remainingMilliseconds,
  waitFor,
} from './run.ts'
import type { Effects, Mail } from './types.ts'
import { fill, fillValue, readVariable, textOfValue } from './variables.ts'

const maximumRecipients = 50
/** Of one field, valid addresses or not. What comes behind them is not looked at. */
const maximumAddressCharacters = 20_000
const maximumAttachments = 10
const attachmentMilliseconds = 10_000

export async function runEmail(run: Run, block: Block): Promise<Next> {
  const context = block.id
  const send = await senderOf(run, block)
  if (send === null) {
    log(run, 'error', 'E-mail is not configured on this service, nothing was sent', {
      context,
      isInternal: true,
    })
    return leave(run, block)
  }
  if (isPreview(run)) {
    log(run, 'info', 'E-mails are not sent in previews', { context, isInternal: true })
    return leave(run, block)
  }
  const mail = await writeMail(run, block)
  if (mail.to.length === 0) {
    log(run, 'error', 'E-mail was not sent: there is no valid recipient', { context, isInternal: true })
    return leave(run, block)
  }
  if (!mayCallOut(run)) return leave(run, block)
  try {
    await waitFor(run, send(mail, remainingMilliseconds(run)))
    log(run, 'success', 'E-mail was sent', { details: mail.to.join(', '), context, isInternal: true })
  } catch (error) {
    const details = error instanceof Error ? error.message : 'unknown error'
    log(run, 'error', 'E-mail could not be sent', { details, context, isInternal: true })
  }
  return leave(run, block)
}

/** An id that is unknown here, as in a bot that was imported, means the mail server of the service. */
async function senderOf(run: Run, block: Block): Promise<Effects['sendEmail']> {
  const id = filledText(block.options.credentialsId)
  if (id === undefined || id === 'default') return run.effects.sendEmail
  try {
    const account = await run.effects.findCredentials(id, 'smtp')
    if (account === null) return run.effects.sendEmail
    return (mail, milliseconds) => run.effects.sendEmailBy(account, mail, milliseconds)
  } catch (error) {
    const details = (error as Error).message
    return () => Promise.reject(new Error(details))
  }
}

async function writeMail(run: Run, block: Block): Promise<Mail> {
  const { options } = block
  const [replyTo] = mailboxes(await fill(run, text(options.replyTo) ?? ''))
  const subject = (await fill(run, text(options.subject) ?? '')).replace(/\s+/g, ' ').trim()
  const mail: Mail = {
    to: await addresses(run, options.recipients),
    cc: await addresses(run, options.cc),
    bcc: await addresses(run, options.bcc),
    subject,
    attachments: await attachments(run, block),
  }
  if (replyTo !== undefined) mail.replyTo = replyTo.written
  const body = filledText(options.body)
  if (options.isCustomBody !== true || body === undefined) mail.text = await collectedText(run)
  else if (options.isBodyCode === true)
    mail.html = await fill(run, body, (value) => escapeHtml(textOfValue(value)))
  else mail.text = await fill(run, body)
  return mail
}

async function collectedText(run: Run): Promise<string> {
  const lines = [...(await collected(run))].map(([name, value]) => `${name}: ${textOfValue(value)}`)
  return lines.join('\n')
}

/** An entry may be a placeholder for a list, or hold several addresses with commas between them. */
async function addresses(run: Run, given: unknown): Promise<string[]> {
  const found = new Map<string, string>()
  let left = maximumAddressCharacters
  for (const entry of texts(given)) {
    const value = await fillValue(run, entry.trim())
    for (const part of Array.isArray(value) ? value : [value]) {
      if (left <= 0) return [...found.values()]
      left -= (part?.length ?? 0) + 1
      for (const { address, written } of mailboxes(part ?? '')) {
        if (found.size < maximumRecipients && !found.has(address)) found.set(address, written)
      }
    }
  }
  return [...found.values()]
}

/** The addresses of a list such as `ada@x.org, Bob <bob@x.org>`, with their names. A line break would begin a header. */
function mailboxes(list: string): { address: string; written: string }[] {
  if (/[\r\n]/.test(list)) return []
  return parseAddresses(list.slice(0, maximumAddressCharacters), { flatten: true }).flatMap(
    ({ name, address }) => {
      if (!isEmailAddress(address)) return []
      const quoted = name.replace(/["\\]/g, '').trim()
      return [{ address, written: quoted === '' ? address : `"${quoted}" <${address}>` }]
    },
  )
}

/** Files are fetched like everything else, through the outbound client. */
async function attachments(run: Run, block: Block): Promise<Mail['attachments']> {
  const value = readVariable(run, block.options.attachmentsVariableId)
  const entries = Array.isArray(value) ? value : (value ?? '').split(', ')
  const fetched: Mail['attachments'] = []
  for (const entry of entries.slice(0, maximumAttachments)) {
    const url = webUrl((entry ?? '').trim())
    if (url === null || !mayCallOut(run)) continue
    const milliseconds = Math.max(1, Math.min(attachmentMilliseconds, remainingMilliseconds(run)))
    const reply = await waitFor(
      run,
      run.effects.httpRequest({ url: url.href, method: 'GET', headers: {}, milliseconds }),
    )
    if (reply.ok && reply.status < 300) {
      fetched.push({ filename: nameOf(url), content: reply.body })
      continue
    }
    const details = reply.ok ? `Status ${reply.status}` : reply.message
    log(run, 'error', 'An attachment could not be fetched', { details, context: block.id, isInternal: true })
  }
  return fetched
}

function nameOf(url: URL): string {
  const last = url.pathname.split('/').at(-1) ?? ''
  return last.replace(/%[\da-f]{2}|[^\w.-]/gi, '_').slice(-100) || 'attachment'
}

function escapeHtml(value: string): string {
  const entities: Record<string, string> = {
    '&': '&amp;',
    '<': '&lt;',
    '>': '&gt;',
    '"': '&quot;',
    "'": '&#39;',
  }
  return value.replace(/[&<>"']/g, (character) => entities[character] ?? character)
}
