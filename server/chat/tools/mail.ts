/** E-mail through the mail server of the service, or through an account of a workspace; its library is loaded for the first. */
import type { Transporter } from 'nodemailer'
import type { components } from '../../../generated/openapi.ts'
import type { Mail } from '../types.ts'
import type { mailHostFinder } from './outbound.ts'

export interface MailerOptions {
  /** `smtp://user:password@host:port`, or `smtps://` for a connection that is encrypted from the start. */
  url: string
  /** Sender of all e-mails, such as `Bots <bots@example.com>`. */
  from: string
}

/** Sends a mail. Rejects when the mail server refuses, or cannot be reached. */
export type SendMail = (mail: Mail) => Promise<void>

export type SmtpAccount = components['schemas']['SmtpData']

const connectionMilliseconds = 10_000

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
  return async (mail) => {
    const { createTransport } = await import('nodemailer')
    transport ??= createTransport({ url: options.url, ...limits })
    await transport.sendMail({ ...mail, from: options.from, attachments: attachmentsOf(mail) })
  }
}

/** Accounts are those of workspaces, so their servers are looked up like everything else that bots call. */
export function accountMailer(findHost: ReturnType<typeof mailHostFinder>) {
  return async ({ host, port, username, password, isTlsEnabled, from }: SmtpAccount, mail: Mail) => {
    const addresses = await findHost(host, port, connectionMilliseconds)
    if (!Array.isArray(addresses)) throw new Error(addresses.message)
    const { createTransport } = await import('nodemailer')
    const transport = createTransport({
      // The address that was judged, whatever the name means by now.
      host: addresses[0],
      port,
      secure: isTlsEnabled === true,
      tls: { servername: host },
      ...(username === undefined ? {} : { auth: { user: username, pass: password ?? '' } }),
      ...limits,
    })
    const { email: address, name = '' } = from
    await transport.sendMail({ ...mail, from: { name, address }, attachments: attachmentsOf(mail) })
  }
}

function attachmentsOf({ attachments }: Mail) {
  return attachments.map(({ filename, content }) => ({ filename, content: Buffer.from(content) }))
}
