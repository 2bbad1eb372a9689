import { plainText, secret, serviceAddress } from '../../../credential-data.ts'
import { text } from '../../../kit/fields.ts'
import { z } from '../../../kit/zod.ts'

/** A Google account whose owner allows an OAuth client to use it. */
export const googleOAuth = z
  .strictObject({
    refreshToken: text(2_000, 1).meta({
      format: 'password',
      description: 'Refresh token from Google for the consent.',
      example: 'refresh-example',
    }),
    clientId: plainText('Id of the OAuth client.', '1234.apps.googleusercontent.com').optional(),
    clientSecret: secret('Secret of the OAuth client.', 'client-example').optional(),
    tokenUri: serviceAddress(
      'Address that issues tokens. Default https://oauth2.googleapis.com/token.',
      'https://oauth2.googleapis.com/token',
    ).optional(),
  })
  .refine(({ clientId, clientSecret }) => (clientId === undefined) === (clientSecret === undefined), {
    error: 'Expected `clientId` and `clientSecret`, or neither of them for the client of the installation',
  })
  // Otherwise a member could send the secret of the installation to any address.
  .refine(({ clientId, tokenUri }) => clientId !== undefined || tokenUri === undefined, {
    error: 'Expected `clientId` and `clientSecret` beside `tokenUri`',
  })
  .meta({
    id: 'GoogleOAuth',
    description:
      'A Google account whose owner has consented, and the OAuth client of the consent. Default: the client of the installation.',
  })
