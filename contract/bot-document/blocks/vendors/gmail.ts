import { credentialData, serviceAddress } from '../../../credential-data.ts'
import { phrase, prose } from '../../fields.ts'
import { googleOAuth } from './google-oauth.ts'
import { anyValue, responseMapping, vendor } from './vendor.ts'

export const gmail = vendor({
  type: 'gmail',
  prefix: 'Gmail',
  title: 'Gmail',
  base: 'https://gmail.googleapis.com',
  moreHosts: ['www.googleapis.com', 'oauth2.googleapis.com'],
  credentials: credentialData('GmailData', 'An account that sends e-mails.', {
    oauth: googleOAuth,
    baseUrl: serviceAddress(
      'Address of the API, if not that of Google.',
      'https://gmail.example.com',
    ).optional(),
  }),
  exampleCredentials: {
    oauth: { refreshToken: 'refresh-example', clientId: 'client-example', clientSecret: 'secret-example' },
  },
  options: {
    to: phrase('Addresses of the recipients, with commas between them.', '{{Email}}').optional(),
    from: phrase('Address of the sender. Default: that of the account.', 'sales@example.com').optional(),
    replyTo: phrase('Address for replies.', 'team@example.com').optional(),
    subject: phrase('Subject. Default: that of the thread.', 'Your demo').optional(),
    body: prose('Body.', 'Hello {{Name}}, see you soon.').optional(),
    label: phrase('Id of the label for the e-mail.', 'Label_7').optional(),
    threadId: phrase('Id of the thread of the e-mail.', '{{Thread}}').optional(),
    attachments: anyValue('Id of the variable that holds the files to attach.', 'varFiles'),
    responseMapping: responseMapping('With action Send email: Message ID, Thread ID.'),
  },
  actions: {
    'Send email': {
      items: ['Message ID', 'Thread ID'],
      required: { to: 'Gmail: there is no recipient' },
      context: 'While sending email with Gmail',
    },
  },
})
