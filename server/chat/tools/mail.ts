/** E-mail through the mail server that the service is configured with. */
import { createTransport } from 'nodemailer'
import type { Mail } from '../types.ts'

export interface MailerOptions {
  /** `smtp://user:password@host:port`, or `smtps://` for a connection that is encrypted from the start. */
  url: string
  /** Sender of all e-mails, such as `Bots <bots@example.com>`. */
  from: string
}

const connectionMilliseconds = 10_000

export function openMailer(options: MailerOptions): (mail: Mail) => Promise<void> {
  const transport = createTransport({
    url: options.url,
    connectionTimeout: connectionMilliseconds,
    greetingTimeout: connectionMilliseconds,
    socketTimeout: connectionMilliseconds,
    // Mails come from bots: neither files nor addresses of this machine may get into them.
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  return async (mail) => {
    const attachments = mail.attachments.map(({ filename, content }) => ({
      filename,
      content: Buffer.from(content),
    }))
    await transport.sendMail({ ...mail, from: options.from, attachments })
  }
}
