import { phrase, prose } from '../../fields.ts'
import { anyValue, responseMapping, vendor } from './vendor.ts'

export const gmail = vendor({
  type: 'gmail',
  prefix: 'Gmail',
  title: 'Gmail',
  options: {
    to: phrase('Address of the recipient.', '{{Email}}').optional(),
    from: phrase('Address of the sender.', 'sales@example.com').optional(),
    replyTo: phrase('Address that replies go to.', 'team@example.com').optional(),
    subject: phrase('Subject.', 'Your demo').optional(),
    body: prose('Body.', 'Hello {{Name}}, see you soon.').optional(),
    label: phrase('Label that the e-mail gets.', 'Bot').optional(),
    threadId: phrase('Id of the thread that the e-mail belongs to.', '{{Thread}}').optional(),
    attachments: anyValue('Files that are attached: the id of the variable that holds them.', 'varFiles'),
    responseMapping: responseMapping('With action Send email: Message ID, Thread ID.'),
  },
  actions: {
    'Send email': { items: ['Message ID', 'Thread ID'], required: { to: 'Gmail: there is no recipient' } },
  },
})
