import { define, user } from './operation.ts'
import { exampleIds, name, recordId, text, timestamp } from './shared.ts'
import { z } from './zod.ts'

const tokenId = recordId('Id of the token, which is not the token itself.', exampleIds.token)

const properties = {
  id: tokenId,
  name: name('What the token is for, as its owner wrote it.', 'Nightly export'),
  hint: text(4).meta({ description: 'The last four characters of the token.', example: 'x7Qa' }),
  createdAt: timestamp('When the token was created.'),
  expiresAt: timestamp('When the token stops working.')
    .nullable()
    .meta({ description: 'When the token stops working; null means never.' }),
  lastUsedAt: timestamp('When the token was last used, to the day.')
    .nullable()
    .meta({ description: 'When the token was last used, to the day; null when never.' }),
}

const apiToken = z
  .object(properties)
  .meta({ id: 'ApiToken', description: 'An access token, without the token itself.' })

const createdApiToken = z
  .object({
    ...properties,
    token: text(64).meta({
      description: 'The token itself. It is shown only here; only a digest is stored.',
      example: 'botb_pat_EXAMPLEexampleEXAMPLEexample0000000000',
    }),
  })
  .meta({ id: 'CreatedApiToken', description: 'A new access token, with the token itself.' })

const exampleToken = {
  id: exampleIds.token,
  name: 'Nightly export',
  hint: '0000',
  createdAt: '2026-03-04T10:15:30.120Z',
  expiresAt: '2026-06-02T10:15:30.120Z',
  lastUsedAt: null,
}

export const tokens = define({
  listTokens: {
    method: 'get',
    path: '/v1/users/me/tokens',
    tag: 'tokens',
    summary: "List the caller's tokens",
    description:
      'Returns the tokens of the caller that are not revoked, newest first. Tokens themselves are never shown again.',
    access: user,
    success: {
      status: 200,
      description: 'The tokens, newest first.',
      body: z
        .object({
          apiTokens: z.array(apiToken).max(100_000).meta({ description: 'The tokens, newest first.' }),
        })
        .meta({ id: 'ApiTokenList', description: "The caller's tokens." }),
      examples: { one: { summary: 'One token', value: { apiTokens: [exampleToken] } } },
    },
  },
  createToken: {
    method: 'post',
    path: '/v1/users/me/tokens',
    tag: 'tokens',
    summary: 'Create a token',
    description:
      'Creates an access token that may do whatever the caller may do, and returns it. This answer is the only one that shows the token.',
    access: user,
    body: z
      .strictObject({
        name: properties.name,
        expiresInDays: z.int().min(1).max(3650).optional().meta({
          description: 'After how many days the token stops working; absent means never.',
          example: 90,
          format: 'int32',
        }),
      })
      .meta({ id: 'ApiTokenCreate', description: 'The token to create.' }),
    requestExamples: {
      quarter: { summary: 'Valid for 90 days', value: { name: 'Nightly export', expiresInDays: 90 } },
    },
    success: {
      status: 201,
      description: 'The new token, shown this once.',
      body: z
        .object({ apiToken: createdApiToken })
        .meta({ id: 'CreatedApiTokenBody', description: 'The new token, shown this once.' }),
      location: '/v1/users/me/tokens/{apiToken.id}',
      secretOf: 'apiToken.id',
      examples: {
        created: {
          summary: 'The new token',
          value: { apiToken: { ...exampleToken, token: 'botb_pat_EXAMPLEexampleEXAMPLEexample0000000000' } },
        },
      },
    },
  },
  revokeToken: {
    method: 'delete',
    path: '/v1/users/me/tokens/{tokenId}',
    tag: 'tokens',
    summary: 'Revoke a token',
    description:
      "Ends one of the caller's tokens at once and returns what it was. A token of somebody else is not found. A token may revoke itself.",
    access: user,
    params: z.object({ tokenId }),
    success: {
      status: 200,
      description: 'The token that was revoked.',
      body: z
        .object({ apiToken })
        .meta({ id: 'ApiTokenBody', description: 'One token, without its secret.' }),
      examples: { revoked: { summary: 'Revoked', value: { apiToken: exampleToken } } },
    },
    errors: ['NOT_FOUND'],
  },
})
