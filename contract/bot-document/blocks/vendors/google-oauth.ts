import { plainText, secret, serviceAddress } from '../../../credential-data.ts'
import { text } from '../../../kit/fields.ts'
import { z } from '../../../kit/zod.ts'

/** The account of a person who has agreed that an app of Google uses it. */
export const googleOAuth = z
  .strictObject({
    refreshToken: text(2_000, 1).meta({
      format: 'password',
      description: 'The refresh token that Google gave for the consent.',
      example: 'refresh-example',
    }),
    clientId: plainText('Id of the OAuth client.', '1234.apps.googleusercontent.com').optional(),
    clientSecret: secret('Secret of the OAuth client.', 'client-example').optional(),
    tokenUri: serviceAddress(
      'Address that gives tokens. Default https://oauth2.googleapis.com/token.',
      'https://oauth2.googleapis.com/token',
    ).optional(),
  })
  .refine(({ clientId, clientSecret }) => (clientId === undefined) === (clientSecret === undefined), {
    error: 'Expected `clientId` and `clientSecret`, or neither of them for the client of the installation',
  })
  // Else the secret of the installation would go wherever a member wants.
  .refine(({ clientId, tokenUri }) => clientId !== undefined || tokenUri === undefined, {
    error: 'Expected `clientId` and `clientSecret` beside `tokenUri`',
  })
  .meta({
    id: 'GoogleOAuth',
    description:
      'The account of a person who agreed, and the OAuth client that they agreed with: without one, that of the installation.',
  })
