import { name, recordId, text } from './kit/fields.ts'
import { z } from './kit/zod.ts'
import { email, role } from './members.ts'
import { define, user } from './operation.ts'
import { exampleIds } from './shared.ts'
import { apiToken, exampleToken } from './tokens.ts'

/** Memberships that one response lists. */
export const MAX_LISTED_MEMBERSHIPS = 1_000

const membership = z
  .object({
    id: recordId('Id of the workspace.', exampleIds.workspace),
    name: name('Name of the workspace.', 'Acme'),
    role,
  })
  .meta({ id: 'CurrentUserWorkspace', description: 'A workspace of the caller, and their role in it.' })

const caller = z
  .object({
    id: recordId('Id of the user.', exampleIds.user),
    email: email.meta({ description: 'E-mail address of the user.', example: 'ada@example.com' }),
    name: text(255).nullable().meta({ description: 'Name of the user, or null.', example: 'Ada Lovelace' }),
    image: text(2048).nullable().meta({
      description: 'URL of a picture of the user, or null.',
      example: 'https://example.com/ada.png',
    }),
  })
  .meta({ id: 'CurrentUser', description: 'The user of a token.' })

export const currentUser = define({
  getCurrentUser: {
    method: 'get',
    path: '/v1/currentUser',
    soughtAt: ['/v1/users/me', '/v1/users', '/v1/user', '/v1/me'],
    tag: 'current-user',
    summary: 'Get the current user',
    description: `Returns the user of the token, the token with its scopes and expiry, and the roles of the user, longest membership first. A token that is bound to a workspace sees the role in that workspace alone. The response has at most ${MAX_LISTED_MEMBERSHIPS.toLocaleString('en')} workspaces; list workspaces has all.`,
    access: user,
    scope: 'any',
    success: {
      status: 200,
      description: 'The caller, their token and their roles.',
      body: z
        .object({
          user: caller,
          token: apiToken,
          workspaces: z
            .array(membership)
            .max(MAX_LISTED_MEMBERSHIPS)
            .meta({ description: 'The workspaces of the user, longest membership first.' }),
        })
        .meta({ id: 'CurrentUserBody', description: 'The caller, their token and their roles.' }),
      examples: {
        caller: {
          summary: 'An admin with a limited token',
          value: {
            user: { id: exampleIds.user, email: 'ada@example.com', name: 'Ada Lovelace', image: null },
            token: exampleToken,
            workspaces: [{ id: exampleIds.workspace, name: 'Acme', role: 'ADMIN' }],
          },
        },
      },
    },
  },
})
