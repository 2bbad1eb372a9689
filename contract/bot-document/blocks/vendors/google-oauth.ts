import { credentialData, plainText, secret, serviceAddress } from '../../../credential-data.ts'
import { text } from '../../../kit/fields.ts'

/** The account of a person who has agreed that an app of Google uses it. */
export const googleOAuth = credentialData(
  'GoogleOAuth',
  'The account of a person who agreed, and the OAuth client that they agreed with.',
  {
    refreshToken: text(2_000, 1).meta({
      format: 'password',
      description: 'The refresh token that Google gave for the consent.',
      example: 'refresh-example',
    }),
    clientId: plainText('Id of the OAuth client.', '1234.apps.googleusercontent.com'),
    clientSecret: secret('Secret of the OAuth client.', 'client-example'),
    tokenUri: serviceAddress(
      'Address that gives tokens. Default https://oauth2.googleapis.com/token.',
      'https://oauth2.googleapis.com/token',
    ).optional(),
  },
)
