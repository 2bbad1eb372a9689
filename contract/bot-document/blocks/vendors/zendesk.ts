import { credentialData, plainText, secret } from '../../../credential-data.ts'
import { phrase } from '../../fields.ts'
import { vendor } from './vendor.ts'

const zendeskData = credentialData('ZendeskData', 'A Zendesk key that signs the identity of visitors.', {
  conversationsKeyId: plainText('Id of the signing key.', 'app_example'),
  conversationsSecretKey: secret('The signing key.', 'secret-example'),
})

export const zendesk = vendor({
  type: 'zendesk',
  prefix: 'Zendesk',
  title: 'Zendesk',
  credentials: zendeskData,
  exampleCredentials: { conversationsKeyId: 'app_example', conversationsSecretKey: 'secret-example' },
  options: {
    userId: phrase('Id of the visitor at the vendor; may hold placeholders.', '{{User ID}}').optional(),
    name: phrase('Name of the visitor.', '{{Name}}').optional(),
    email: phrase('E-mail address of the visitor.', '{{Email}}').optional(),
    webWidgetKey: phrase('Key of the widget.', '1a2b3c4d').optional(),
  },
  actions: {
    // Only visitors with an id need the key of the account, which signs it.
    'Open Web Widget': {
      canRunWithoutCredentials: true,
      required: { webWidgetKey: 'Zendesk: the block has no webWidgetKey' },
    },
  },
})
