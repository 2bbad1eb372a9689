/**
 * E-mail through the mail server of the service, or through an account of a workspace; its library is loaded for the
 * first.
 */
import type { Transporter } from 'nodemailer'
import type { components } from '../../generated/openapi.ts'
import type { mailHostFinder } from './hosts.ts'

export interface Mail {
  to: string[]
  cc: string[]
  bcc: string[]
  replyTo?: string
  subject: string
  text?: string
  html?: string
  attachments: { filename: string; content: Uint8Array }[]
}

export interface MailerOptions {
  /** `smtp://user:password@host:port`, or `smtps://` for a connection that is encrypted from the start. */
  url: string
  /** Sender of all e-mails, such as `Bots <bots@example.com>`. */
  from: string
}

/** Sends a mail. Rejects if the mail server rejects it, cannot be reached, or has not accepted it within the time. */
export type SendMail = (mail: Mail, milliseconds: number) => Promise<void>

export type SmtpAccount = components['schemas']['SmtpData']

const connectionMilliseconds = 10_000

/** Maximum time for the mail server to take a mail of the service itself. */
export const OWN_MAIL_TIMEOUT_MS = 30_000

/** A mail as the bytes that mail servers pass on, with the headers of the thread that it belongs to. */
export async function encodeMail(
  mail: Mail & { from: string },
  headers: { inReplyTo?: string; references?: string },
): Promise<Buffer> {
  const { default: MailComposer } = await import('nodemailer/lib/mail-composer')
  const { disableFileAccess, disableUrlAccess } = limits
  const attachments = attachmentsOf(mail)
  return new MailComposer({ ...mail, ...headers, attachments, disableFileAccess, disableUrlAccess })
    .compile()
    .build()
}

/** A mail of the service itself to one person. */
export function plainMail(to: string, subject: string, lines: readonly string[]): Mail {
  return { to: [to], cc: [], bcc: [], subject, text: lines.join('\n'), attachments: [] }
}

/** These limits are about silence: the total time of a mail ends a server that always sends more. */
const limits = {
  connectionTimeout: connectionMilliseconds,
  greetingTimeout: connectionMilliseconds,
  socketTimeout: connectionMilliseconds,
  // Mails come from bots: neither files nor addresses of this machine may get into them.
  disableFileAccess: true,
  disableUrlAccess: true,
}

export function openMailer(options: MailerOptions): SendMail {
  let transport: Transporter | undefined
  return async (mail, milliseconds) => {
    const { createTransport } = await import('nodemailer')
    transport ??= createTransport({ url: options.url, ...limits })
    await hand(transport, { ...mail, from: options.from }, milliseconds)
  }
}

type FindHost = ReturnType<typeof mailHostFinder>

export function accountMailer(findHost: FindHost) {
  return async (account: SmtpAccount, mail: Mail, milliseconds: number) => {
    const deadline = performance.now() + milliseconds
    const transport = await openAccount(findHost, account, milliseconds)
    const { email: address, name = '' } = account.from
    await hand(transport, { ...mail, from: { name, address } }, deadline - performance.now())
  }
}

/**
 * Signs in to the mail server of an account. Rejects with its words if it rejects the sign-in, or takes longer than
 * that.
 */
export function accountTester(findHost: FindHost) {
  return async (account: SmtpAccount, milliseconds: number) => {
    const deadline = performance.now() + milliseconds
    const transport = await openAccount(findHost, account, milliseconds)
    const timeout = AbortSignal.timeout(Math.max(1, Math.ceil(deadline - performance.now())))
    const late = new Promise<never>((_, reject) => {
      timeout.addEventListener('abort', () => reject(new Error('The mail server did not answer in time')))
    })
    try {
      await Promise.race([transport.verify(), late])
    } finally {
      transport.close()
    }
  }
}

/** Accounts are those of workspaces, so their servers are looked up like everything else that bots call. */
async function openAccount(
  findHost: FindHost,
  { host, port, username, password, isTlsEnabled }: SmtpAccount,
  milliseconds: number,
): Promise<Transporter> {
  const addresses = await findHost(host.trim(), port, Math.min(connectionMilliseconds, milliseconds))
  if (!Array.isArray(addresses)) throw new Error(addresses.message)
  const { createTransport } = await import('nodemailer')
  return createTransport({
    // The address that was judged, whatever the name means by now.
    host: addresses[0],
    port,
    secure: isTlsEnabled === true,
    tls: { servername: host.trim() },
    ...(username === undefined ? {} : { auth: { user: username.trim(), pass: password ?? '' } }),
    ...limits,
  })
}

type Sender = string | { name: string; address: string }

/** Hands a mail to its server; when the time is over, the connection is dropped. */
async function hand(transport: Transporter, mail: Mail & { from: Sender }, milliseconds: number) {
  const signal = AbortSignal.timeout(Math.max(1, Math.ceil(milliseconds)))
  try {
    await transport.sendMail({ ...mail, attachments: attachmentsOf(mail), signal })
  } catch (error) {
    throw signal.aborted ? new Error('The mail server did not take it in time') : error
  }
}

function attachmentsOf({ attachments }: Mail) {
  // The library takes buffers only; these share the bytes.
  return attachments.map(({ filename, content: { buffer, byteOffset, byteLength } }) => ({
    filename,
    content: Buffer.from(buffer, byteOffset, byteLength),
  }))
}
