import { cursor, limit, nextCursor, recordId, text, timestamp } from './kit/fields.ts'
import { z } from './kit/zod.ts'
import { define, user } from './operation.ts'
import { exampleIds } from './shared.ts'

const browserSessionId = recordId(
  'Id of the browser session, as the list returns it.',
  exampleIds.browserSession,
)

const browserSession = z
  .object({
    id: browserSessionId,
    userAgent: text(255).nullable().meta({
      description: '`User-Agent` of the browser, cut at 255 characters; null if it sends none.',
      example: 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
    }),
    isCurrent: z.boolean().meta({
      description: 'True for the session whose page sent this request.',
      example: true,
    }),
    createdAt: timestamp('When the user signed in.'),
    expiresAt: timestamp('When the session ends by itself.'),
    lastUsedAt: timestamp('When a page of the session last requested a token, to the day.').nullable().meta({
      description: 'When a page of the session last requested a token, to the day; null when never.',
    }),
  })
  .meta({ id: 'BrowserSession', description: 'A browser in which a user is signed in.' })

const exampleSession = {
  id: exampleIds.browserSession,
  userAgent: 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
  isCurrent: true,
  createdAt: '2026-03-04T10:15:30.120Z',
  expiresAt: '2026-04-03T10:15:30.120Z',
  lastUsedAt: '2026-03-10T00:00:00.000Z',
}

export const browserSessions = define({
  listBrowserSessions: {
    method: 'get',
    path: '/v1/users/me/browserSessions',
    tag: 'current-user',
    summary: "List the caller's browser sessions",
    description:
      'Returns the browsers in which the caller is signed in to the pages of the service, newest first. A session ends after 30 days, when the user signs out in that browser, or when it is revoked. A user has at most 50: the next one ends the oldest.',
    access: { ...user, isUnbound: true },
    query: z.strictObject({ limit, cursor }),
    success: {
      status: 200,
      description: 'A page of browser sessions, newest first.',
      body: z
        .object({
          browserSessions: z
            .array(browserSession)
            .max(100)
            .meta({ description: 'The browser sessions, newest first.' }),
          nextCursor,
        })
        .meta({ id: 'BrowserSessionList', description: "The caller's browser sessions." }),
      examples: {
        one: { summary: 'One browser', value: { browserSessions: [exampleSession], nextCursor: null } },
      },
    },
  },
  revokeBrowserSession: {
    method: 'delete',
    path: '/v1/users/me/browserSessions/{browserSessionId}',
    tag: 'current-user',
    summary: 'End a browser session',
    description:
      'Signs the caller out in one of their browsers and returns the session that ended. The tokens of its pages end with it, in every process at once; tokens that were created with them stay. A session of another user is not found.',
    access: { ...user, isUnbound: true },
    params: z.object({ browserSessionId }),
    success: {
      status: 200,
      description: 'The browser session that ended.',
      body: z
        .object({ browserSession })
        .meta({ id: 'BrowserSessionBody', description: 'One browser session of the caller.' }),
      examples: { ended: { summary: 'Signed out', value: { browserSession: exampleSession } } },
    },
    errors: ['NOT_FOUND'],
  },
})
