import { cursor, limit, name, nextCursor, recordId, text, timestamp } from './kit/fields.ts'
import { z } from './kit/zod.ts'
import { define, scopes, user } from './operation.ts'
import { exampleIds } from './shared.ts'

const tokenId = recordId('Id of the token, which is not the token itself.', exampleIds.token)

/** Days before expiry in which responses and the list announce the end of a token. */
const EXPIRY_NOTICE_DAYS = 7

/** True if a token has expired or expires within the notice. */
export function expiresSoon(expiresAt: Date | null, now: Date): boolean {
  return expiresAt !== null && expiresAt.getTime() - now.getTime() < EXPIRY_NOTICE_DAYS * 24 * 60 * 60 * 1000
}

const scope = z.enum(scopes).meta({
  id: 'TokenScope',
  description:
    'Scope of a token. `read`: everything that GET returns, except results and chats. `write`: create, change, delete, publish and preview. `results`: read, export and delete answers of visitors. `chat-admin`: steer the chats of others, as the call of a waiting webhook does. No scope includes another one.',
})

export const scopeList = z.array(scope).min(1).max(scopes.length)

export const tokenName = name('Purpose of the token, as its owner wrote it.', 'Nightly export')

export const expiresInDays = z.int().min(1).max(3650).optional().meta({
  description: 'Days after which the token stops working; absent means never.',
  example: 90,
  format: 'int32',
})

const properties = {
  id: tokenId,
  name: tokenName,
  hint: text(4).meta({ description: 'The last four characters of the token.', example: 'x7Qa' }),
  createdAt: timestamp('When the token was created.'),
  expiresAt: timestamp('When the token stops working.')
    .nullable()
    .meta({ description: 'When the token stops working; null means never.' }),
  expiresSoon: z.boolean().meta({
    description: `True if the token stops working within ${EXPIRY_NOTICE_DAYS} days, or has stopped: time to renew it.`,
  }),
  scopes: scopeList.meta({
    description: 'Maximum rights of the token; the roles of its owner can limit them further.',
    example: ['read', 'results'],
  }),
  workspaceId: recordId('Id of the workspace that the token is bound to.', exampleIds.workspace)
    .nullable()
    .meta({
      description:
        'Workspace that the token is bound to: outside of it, the token acts as if its owner had no role. Null for a token that is bound to none.',
    }),
  lastUsedAt: timestamp('When the token was last used, to the day.')
    .nullable()
    .meta({ description: 'When the token was last used, to the day; null when never.' }),
}

export const apiToken = z
  .object(properties)
  .meta({ id: 'ApiToken', description: 'An access token, without the token itself.' })

export const createdApiToken = z
  .object({
    ...properties,
    token: text(64).meta({
      description: 'The token itself. It is shown only here; only a digest is stored.',
      example: 'botb_pat_EXAMPLEexampleEXAMPLEexample0000000000',
    }),
  })
  .meta({ id: 'CreatedApiToken', description: 'A new access token, with the token itself.' })

export const exampleToken = {
  id: exampleIds.token,
  name: 'Nightly export',
  hint: '0000',
  createdAt: '2026-03-04T10:15:30.120Z',
  expiresAt: '2026-06-02T10:15:30.120Z',
  expiresSoon: false,
  scopes: ['read', 'results'],
  workspaceId: exampleIds.workspace,
  lastUsedAt: null,
}

export const tokens = define({
  listTokens: {
    method: 'get',
    path: '/v1/users/me/tokens',
    tag: 'tokens',
    summary: "List the caller's tokens",
    description:
      'Returns the tokens of the caller that are not revoked, newest first. Tokens themselves are never shown again. A token that is bound to a workspace sees only those bound to the same one. Tokens that ended are removed after 30 days.',
    access: user,
    query: z.strictObject({ limit, cursor }),
    success: {
      status: 200,
      description: 'A page of tokens, newest first.',
      body: z
        .object({
          apiTokens: z.array(apiToken).max(100).meta({ description: 'The tokens, newest first.' }),
          nextCursor,
        })
        .meta({ id: 'ApiTokenList', description: "The caller's tokens." }),
      examples: { one: { summary: 'One token', value: { apiTokens: [exampleToken], nextCursor: null } } },
    },
  },
  createToken: {
    method: 'post',
    path: '/v1/users/me/tokens',
    tag: 'tokens',
    summary: 'Create a token',
    description:
      'Creates an access token of the caller and returns it. No other response shows the token. It can do at most what the token of this request can: naming more is rejected with the issue `missing_scope` or `bound_token`, and absent limits are taken over. It may live longer, so that a program can renew its own token. A workspace in which the caller has no role is invalid input.',
    access: user,
    isAudited: true,
    body: z
      .strictObject({
        name: properties.name,
        expiresInDays,
        scopes: scopeList.optional().meta({
          description:
            'Maximum rights of the token; absent means those of the token of this request, which are all for a token without limits.',
          example: ['read', 'results'],
        }),
        workspaceId: recordId(
          'Id of the workspace to bind the token to; absent means that of the token of this request, if it has one.',
          exampleIds.workspace,
        ).optional(),
      })
      .meta({ id: 'ApiTokenCreate', description: 'The token to create.' }),
    requestExamples: {
      quarter: { summary: 'Valid for 90 days', value: { name: 'Nightly export', expiresInDays: 90 } },
      limited: {
        summary: 'Limited to reading one workspace and its results',
        value: {
          name: 'Nightly export',
          scopes: ['read', 'results'],
          workspaceId: exampleIds.workspace,
        },
      },
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
      "Revokes one of the caller's tokens at once and returns its last state. A token of somebody else is not found. A token that is bound to a workspace finds only those bound to the same one. A token may revoke itself.",
    access: user,
    isAudited: true,
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
