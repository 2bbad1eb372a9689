import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { type App, startApp } from '../support/app.ts'
import { limited } from '../support/cases.ts'
import type { Caller } from '../support/client.ts'
import { makeWorld, type World } from '../support/world.ts'

/* A message is enough to correct a request: typical errors, each with the required texts of its issues. */

let app: App
let world: World
/** An admin of both workspaces, with a token for the other one. */
let bound: Caller
beforeAll(async () => {
  app = await startApp()
  world = await makeWorld(app)
  const { admin } = world.here
  const { workspace } = await app.client.ok('createWorkspace', { as: admin, body: { name: 'Own' } })
  bound = await limited(app, admin, { workspaceId: workspace.id })
})
afterAll(() => app.stop())

interface Mistake {
  send: [method: string, target: string, body?: unknown, headers?: Record<string, string>]
  /** Caller of the request; an admin if absent. */
  as?: 'stranger' | 'guest' | 'bound' | 'nobody' | 'unknown' | 'expired' | 'revoked'
  status: number
  /** Each has to be somewhere in the issues. */
  says: string[]
  /** Maximum number of issues. */
  atMost?: number
}

const ulid = '01jr5x0c8m9w3q7v2k4n6p8r0t'
/** Addresses name records of the world in angle brackets. */
const mistakes: [kind: string, ...list: Mistake[]][] = [
  [
    'a wrong path names the nearest route',
    { send: ['GET', '/workspaces'], status: 404, says: ['unknown_route', '/v1/workspaces is near'] },
    { send: ['GET', '/v1/workspaces/'], status: 404, says: ['/v1/workspaces is near'] },
    { send: ['POST', '/v1/bots/<bot>/startChat'], status: 404, says: ['/api/v1/bots/{publicId}/startChat'] },
    { send: ['GET', '/v1/bot/<bot>'], status: 404, says: ['/v1/bots/{botId} is near'] },
    {
      send: ['GET', '/v1/bots/<bot>/stats'],
      status: 404,
      says: ['/v1/bots/{botId}/analytics/stats is near'],
    },
    {
      send: ['GET', '/v1/workspaces/<workspace>/webhooks'],
      status: 404,
      says: ['/v1/workspaces/{workspaceId}/webhookEndpoints is near'],
    },
    { send: ['GET', '/v1/nothing-like-this-at-all'], status: 404, says: ['/docs'] },
    { send: ['GET', '/v1/workspaces/<workspace>/bots'], status: 404, says: ['/v1/bots is near'] },
    { send: ['GET', '/v1/webhookEndpoints'], status: 404, says: ['{workspaceId}/webhookEndpoints is near'] },
    {
      send: ['POST', '/v1/bots/<bot>/paint'],
      status: 404,
      says: ['/v1/bots/{botId} is followed by analytics, chats, check, compare, duplicate, export'],
    },
    ...(
      [
        ['POST', '/v1/bots/<bot>/startPreview', '/api/v1/bots/{botId}/preview/startChat'],
        ['POST', '/api/v1/bots/<bot>/start-preview', '/api/v1/bots/{botId}/preview/startChat'],
        ['POST', '/v1/bots/<bot>/preview/startChat', '/api/v1/bots/{botId}/preview/startChat'],
        ['POST', '/api/v1/startChat', '/api/v1/bots/{publicId}/startChat'],
        ['GET', '/v1/bots/<bot>/listResultLogs', '/v1/bots/{botId}/results/{resultId}/logs'],
        ['GET', '/v1/users/me', '/v1/currentUser'],
        ['GET', '/v1/me', '/v1/currentUser'],
        ['GET', '/v1/users', '/v1/currentUser'],
        ['GET', '/v1/users/me/token', '/v1/users/me/tokens'],
        ['GET', '/v1/bots/<bot>/published', '/v1/bots/{botId}/publishedBot'],
        ['GET', '/v1/bots/<bot>/versions', '/v1/bots/{botId}/publications'],
        ['POST', '/v1/bots/<bot>/rollback', '/v1/bots/{botId}/publications/{publicationId}/restore'],
        ['POST', '/v1/bots/<bot>/clone', '/v1/bots/{botId}/duplicate'],
        ['GET', '/v1/bots/<bot>/draft', '/v1/bots/{botId}'],
        ['GET', '/v1/bots/<bot>/sessions', '/v1/bots/{botId}/chats'],
        ['GET', '/v1/workspaces/<workspace>/users', '/v1/workspaces/{workspaceId}/members'],
      ] as const
    ).map(
      ([method, target, nearest]): Mistake => ({
        send: [method, target],
        status: 404,
        says: [`; ${nearest} is near`],
      }),
    ),
  ],
  [
    'a token that is not accepted is told what is wrong with it',
    { send: ['GET', '/v1/workspaces'], as: 'nobody', status: 401, says: ['"missing"', 'Bearer <token>'] },
    ...(
      [
        ['Basic YTpi', 'malformed', 'does not begin with the word Bearer. Send the header Authorization'],
        [`botb_pat_${'0'.repeat(36)}`, 'malformed', 'does not begin with the word Bearer'],
        ['Bearer', 'malformed', 'one token has to follow the word Bearer'],
        ['Bearer Bearer x', 'malformed', 'one token has to follow the word Bearer'],
        ['Bearer "x"', 'malformed', 'without quotes and brackets'],
      ] as const
    ).map(
      ([authorization, code, words]): Mistake => ({
        send: ['GET', '/v1/workspaces', undefined, { Authorization: authorization }],
        as: 'nobody',
        status: 401,
        says: ['authorization', `"${code}"`, words],
      }),
    ),
    ...(['unknown', 'expired', 'revoked'] as const).map(
      (as): Mistake => ({
        send: ['GET', '/v1/workspaces'],
        as,
        status: 401,
        says: [`"${as}"`, 'create another token'],
      }),
    ),
  ],
  [
    'an unknown record is named',
    { send: ['GET', `/v1/workspaces/${ulid}`], status: 404, says: ['unknown_workspace', 'workspaceId'] },
    { send: ['GET', `/v1/bots/${ulid}`], status: 404, says: ['unknown_bot', 'There is no such bot'] },
    { send: ['GET', `/v1/folders/${ulid}`], status: 404, says: ['unknown_folder', 'folderId'] },
    {
      send: ['DELETE', `/v1/workspaces/<workspace>/invitations/${ulid}`],
      status: 404,
      says: ['invitationId', 'There is no such invitation in this workspace'],
    },
    { send: ['DELETE', `/v1/users/me/browserSessions/${ulid}`], status: 404, says: ['such browser session'] },
    ...(
      [
        ['/v1/folders/inbox', 'There is no such folder: an id has 26 letters and digits'],
        ['/v1/bots/<bot>/results/export', 'an id has 26 letters and digits'],
        ['/v1/bots/<bot>/results/<session>', 'this is the id of a session'],
        [`/api/v1/sessions/${ulid}`, 'take the `sessionId` that the start of a chat answers'],
        [`/api/v1/sessions/${ulid}-${ulid}`, 'or it is over; start a new one'],
      ] as const
    ).map(
      ([target, words]): Mistake => ({
        send: ['GET', target],
        status: 404,
        says: [words],
      }),
    ),
    {
      send: ['DELETE', '/v1/workspaces/<workspace>/members/ada@example.com'],
      status: 400,
      says: ['userId', 'Expected an id'],
    },
    { send: ['GET', '/v1/templates/shop'], status: 404, says: ['such template', 'GET /v1/templates'] },
    { send: ['GET', '/v1/bots/<bot>/results?cursor=abc'], status: 400, says: ['cursor', 'nextCursor'] },
    { send: ['GET', `/v1/bots/<bot>/results/${ulid}`], status: 404, says: ['unknown_result', 'resultId'] },
    { send: ['GET', `/api/v1/sessions/${ulid}`], as: 'nobody', status: 404, says: ['unknown_session'] },
    {
      send: ['GET', `/v1/bots?workspaceId=<workspace>&folderId=${ulid}`],
      status: 404,
      says: ['query', 'folderId', 'There is no such folder'],
    },
  ],
  [
    'a public id in place of an id, and the other way round, is told by its form',
    { send: ['GET', '/v1/bots/<publicId>'], status: 404, says: ['not its public id'] },
    { send: ['POST', '/v1/bots/<publicId>/publish'], status: 403, says: ['no_role', 'not its public id'] },
    {
      send: ['POST', '/api/v1/bots/<bot>/startChat', {}],
      as: 'nobody',
      status: 404,
      says: ['form of an id', 'public id'],
    },
    { send: ['GET', '/v1/bots/<publicId>/results'], status: 404, says: ['not its public id'] },
  ],
  [
    'a bot that is not published is told to who may read it',
    {
      send: ['GET', '/v1/bots/<draft>/publishedBot'],
      status: 404,
      says: ['not_published', 'publish it first'],
    },
    { send: ['GET', '/v1/bots/<draft>/analytics/blocks'], status: 404, says: ['not_published'] },
    {
      send: ['POST', '/api/v1/bots/nobody-has-this/startChat', {}],
      as: 'nobody',
      status: 404,
      says: ['unknown_public_id', 'published bot'],
    },
  ],
  [
    'a missing wrapper is one issue',
    {
      send: ['POST', '/v1/folders', { workspaceId: '<workspace>', name: 'New' }],
      status: 400,
      says: ['wrap the properties of the folder', '{\\"folder\\": {\\"name\\"'],
      atMost: 1,
    },
    {
      send: ['PATCH', '/v1/bots/<bot>', { version: '6.1', name: 'New' }],
      status: 400,
      says: ['{\\"bot\\": {'],
      atMost: 1,
    },
    {
      send: [
        'POST',
        '/v1/bots/import',
        { name: 'x', version: '6', groups: [], edges: [], workspaceId: '<workspace>' },
      ],
      status: 400,
      says: ['{\\"bot\\": {'],
      atMost: 1,
    },
    {
      send: ['POST', '/v1/bots', { workspaceId: '<workspace>', name: 'x' }],
      status: 400,
      says: ['{\\"bot\\": {'],
      atMost: 1,
    },
  ],
  [
    'a property inside of an object that it belongs beside is found there',
    {
      send: ['POST', '/v1/bots', { bot: { name: 'x', workspaceId: '<workspace>' } }],
      status: 400,
      says: ['workspaceId', 'in the body itself, not inside bot'],
      atMost: 1,
    },
    {
      send: ['POST', '/v1/workspaces', { workspace: { name: 'x' } }],
      status: 400,
      says: ['"name"', 'in the body itself, not inside workspace'],
    },
    {
      send: [
        'POST',
        '/v1/workspaces/<workspace>/credentials',
        { credentials: { type: 'openai', name: 'x' } },
      ],
      status: 400,
      says: ['"type"', 'in the body itself, not inside credentials'],
    },
  ],
  [
    'an unknown property or value names the nearest or those that are known',
    {
      send: ['PATCH', '/v1/bots/<bot>', { bot: { version: '6.1', published: true } }],
      status: 400,
      says: ['Unknown property; known here: version, name'],
    },
    {
      send: ['PATCH', '/v1/bots/<bot>', { bot: { version: 6.1 } }],
      status: 400,
      says: ["'6.1', received number"],
    },
    {
      send: ['PATCH', '/v1/bots/<bot>', { bot: { version: '6.1', updatedAt: 'yesterday' } }],
      status: 400,
      says: ['such as 2026-03-05T12:30:00.000Z'],
    },
    {
      send: ['POST', '/api/v1/sessions/<session>/continueChat', { message: { type: 'text', content: 'x' } }],
      as: 'nobody',
      status: 400,
      says: ['"message","text"', 'Missing: expected string', 'known here: type, text'],
    },
    {
      send: ['POST', '/v1/workspaces/<workspace>/members', { email: 'ada', role: 'GUEST' }],
      status: 400,
      says: ['such as ada@example.com'],
    },
    {
      send: ['GET', '/v1/bots?workspaceId=a&workspaceId=b'],
      status: 400,
      says: ['repeated', 'send it once'],
    },
    {
      send: ['PATCH', '/v1/bots/<bot>', { bot: { version: '6.1', nmae: 'x' } }],
      status: 400,
      says: ['probably name is meant'],
    },
    {
      send: ['PATCH', '/v1/workspaces/<workspace>', { nam: 'x' }],
      status: 400,
      says: ['probably name is meant'],
    },
    {
      send: ['GET', '/v1/bots?workspaceid=<workspace>'],
      status: 400,
      says: ['probably workspaceId is meant'],
    },
    { send: ['GET', '/v1/bots/<bot>/results?limt=5'], status: 400, says: ['probably limit is meant'] },
    {
      send: ['PATCH', '/v1/bots/<bot>/chats/<session>', { status: 'closed' }],
      status: 400,
      says: ['known here: variables, isOver, handledBy, assigneeId, groupId'],
    },
    {
      send: ['POST', '/v1/workspaces', { workspace: { name: 'New' } }],
      status: 400,
      says: ['known here: name, icon, resultsRetentionDays'],
    },
    {
      send: ['POST', '/api/v1/bots/<publicId>/startChat', { prefilledVariables: [{ Name: 'Ada' }] }],
      as: 'nobody',
      status: 400,
      says: ['expected object, received array'],
    },
    {
      send: ['POST', '/api/v1/sessions/<session>/continueChat', { text: 'hi' }],
      as: 'nobody',
      status: 400,
      says: ['known here: message'],
    },
    { send: ['PATCH', '/v1/bots/<bot>', { bot: { version: '7' } }], status: 400, says: ["'6.1'"] },
    {
      send: ['POST', '/v1/workspaces/<workspace>/members', { email: 'a@example.com', role: 'OWNER' }],
      status: 400,
      says: ['ADMIN', 'GUEST'],
    },
    {
      send: ['POST', '/v1/workspaces/<workspace>/credentials', { type: 'openia', name: 'x', data: {} }],
      status: 400,
      says: ["'openai'"],
    },
  ],
  [
    'a wrong method names those that there are',
    { send: ['PUT', '/v1/bots/<bot>'], status: 405, says: ['unknown_method', 'PUT', 'PATCH'] },
    { send: ['POST', '/v1/bots/<bot>/results'], status: 405, says: ['DELETE, GET'] },
    { send: ['DELETE', '/v1/workspaces'], status: 405, says: ['GET', 'POST'] },
    { send: ['POST', '/openapi.yaml'], status: 405, says: ['GET, HEAD, OPTIONS'] },
  ],
  [
    'no value is called missing',
    { send: ['POST', '/v1/folders', {}], status: 400, says: ['Missing: expected string'] },
    { send: ['POST', '/v1/workspaces', {}], status: 400, says: ['Missing: expected string', 'name'] },
    { send: ['GET', '/v1/bots'], status: 400, says: ['Missing: expected string', 'workspaceId'] },
    {
      send: ['POST', '/v1/workspaces/<workspace>/members', { role: 'GUEST' }],
      status: 400,
      says: ['Missing', 'email'],
    },
    {
      send: ['POST', '/v1/workspaces/<workspace>/invitations', { email: 'a@example.com' }],
      status: 400,
      says: ['role', 'Missing: expected one of', 'GUEST'],
    },
    {
      send: ['PATCH', '/v1/bots/<bot>', { bot: { name: 'x' } }],
      status: 400,
      says: ['Missing: expected', "'6.1'"],
    },
    {
      send: ['POST', '/v1/workspaces/<workspace>/credentials', { name: 'x', data: {} }],
      status: 400,
      says: ['type', 'Missing: expected', "'openai'"],
    },
  ],
  [
    'a deletion with a body names resultIds',
    { send: ['DELETE', '/v1/bots/<bot>/results', { resultIds: [ulid] }], status: 400, says: ['resultIds'] },
    { send: ['DELETE', '/v1/bots/<bot>/results', [ulid]], status: 400, says: ['?resultIds=ID1,ID2'] },
    {
      send: ['DELETE', '/v1/bots/<bot>/results', undefined, { 'Content-Type': 'application/json' }],
      status: 400,
      says: ['resultIds'],
    },
    { send: ['DELETE', '/v1/bots/<bot>/results?ids=1'], status: 400, says: ['resultIds'] },
  ],
  [
    'a conflict says how to go on',
    {
      send: ['PATCH', '/v1/bots/<bot>', { bot: { version: '6.1', updatedAt: '2020-01-01T00:00:00.000Z' } }],
      status: 409,
      says: ['read it again, and send that updatedAt'],
    },
    {
      send: ['PATCH', '/v1/bots/<bot>', { bot: { version: '6.1' } }, { 'If-Match': '"another"' }],
      status: 412,
      says: ['read it again, and send that tag'],
    },
    {
      send: ['PATCH', '/v1/bots/<draft>', { bot: { version: '6.1', publicId: '<publicId>' } }],
      status: 400,
      says: ['taken', 'choose another one'],
    },
    {
      send: ['POST', '/v1/workspaces/<workspace>/members', { email: '<email>', role: 'GUEST' }],
      status: 409,
      says: ['PATCH /v1/workspaces/{workspaceId}/members/{userId}'],
    },
  ],
  [
    'a webhook address that is refused names the setting that allows it',
    {
      send: ['POST', '/v1/workspaces/<workspace>/webhookEndpoints', { url: 'http://localhost:8080/hook' }],
      status: 400,
      says: ['private_address', 'OUTBOUND_ALLOWED_HOSTS'],
    },
    {
      send: ['POST', '/v1/workspaces/<workspace>/webhookEndpoints', { url: 'http://192.168.1.5/hook' }],
      status: 400,
      says: ['OUTBOUND_ALLOWED_HOSTS'],
    },
    {
      send: ['POST', '/v1/workspaces/<workspace>/webhookEndpoints', { url: 'http://127.0.0.1/hook' }],
      status: 400,
      says: ['OUTBOUND_ALLOWED_HOSTS'],
    },
    {
      send: ['POST', '/v1/workspaces/<workspace>/webhookEndpoints', { url: 'https://a:b@example.com/' }],
      status: 400,
      says: ['without user name and password'],
    },
  ],
  [
    'an unknown member says how one is invited, and a role which one is needed',
    {
      send: ['POST', '/v1/workspaces/<workspace>/members', { email: 'nobody@example.com', role: 'GUEST' }],
      status: 400,
      says: ['unknown_user', '/invitations'],
    },
    {
      send: ['PATCH', `/v1/workspaces/<workspace>/members/${ulid}`, { role: 'GUEST' }],
      status: 404,
      says: ['unknown_member', 'userId'],
    },
    {
      send: ['PATCH', '/v1/bots/<bot>', { bot: { version: '6.1' } }],
      as: 'guest',
      status: 403,
      says: ['role_too_low', 'MEMBER', 'GUEST'],
    },
    { send: ['GET', '/v1/bots/<bot>'], as: 'stranger', status: 403, says: ['no_role', 'ask an admin'] },
    { send: ['GET', '/v1/bots/<bot>'], as: 'nobody', status: 401, says: ['Authorization: Bearer'] },
    ...(
      [
        ['GET', '/v1/bots/<bot>'],
        ['DELETE', '/v1/workspaces/<workspace>'],
        ['GET', '/v1/workspaces/<workspace>/members'],
        ['POST', '/v1/bots/<bot>/publish'],
        ['POST', '/v1/workspaces', { name: 'New' }],
      ] as Mistake['send'][]
    ).map((send) => ({ send, as: 'bound' as const, status: 403, says: ['bound_token'] })),
  ],
]

const cases = mistakes.flatMap(([kind, ...list]) =>
  list.map((mistake): [string, Mistake] => [`${kind}: ${mistake.send[0]} ${mistake.send[1]}`, mistake]),
)

test('the table has at least 100 invalid requests and three of each kind', () => {
  expect(cases.length).toBeGreaterThanOrEqual(100)
  for (const [, ...list] of mistakes) expect(list.length).toBeGreaterThanOrEqual(3)
})

describe('the issues are enough to correct a request', () => {
  test.each(cases)('%s', async (_title, { send, as, status, says, atMost = 20 }) => {
    const { here } = world
    const names: Record<string, string> = {
      workspace: here.workspaceId,
      bot: here.published.id,
      draft: here.draft.id,
      publicId: here.published.publicId,
      session: here.session,
      member: here.member.id,
      email: here.member.email,
    }
    const fill = (text: string) => text.replaceAll(/<(\w+)>/g, (_, name: string) => String(names[name]))
    const [method, target, body, headers = {}] = send
    const callers = { ...world, guest: here.guest, bound, nobody: undefined }
    const answer = await app.client.send(method, fill(target), {
      as: as === undefined ? here.admin : callers[as],
      body: body === undefined ? undefined : JSON.parse(fill(JSON.stringify(body))),
      headers,
    })
    expect([answer.status, answer.text]).toEqual([status, expect.any(String)])
    const { issues } = JSON.parse(answer.text)
    for (const words of says) expect(JSON.stringify(issues)).toContain(words)
    expect(issues.length).toBeGreaterThan(0)
    expect(issues.length).toBeLessThanOrEqual(atMost)
  })
})

describe('a response of publish says which errors it has', () => {
  const at = { x: 0, y: 0 }
  const blocks: [mistake: string, block: object, says: string[]][] = [
    ['a misspelt type', { type: 'textInput' }, ['skipped_block', 'Probably \\"text input\\" is meant']],
    ['a type in other letters', { type: 'Number Input' }, ['Probably \\"number input\\" is meant']],
    ['a missing setting', { type: 'Jump' }, ['missing_setting', 'groupId']],
  ]
  test.each(blocks)('publishing reports %s', async (_mistake, block, says) => {
    const { here } = world
    const groups = [{ id: 'g', title: 'G', graphCoordinates: at, blocks: [{ id: 'b', ...block }] }]
    const body = { workspaceId: here.workspaceId, bot: { version: '6.1', name: 'Mistaken', groups } }
    const created = await app.client.send('POST', '/v1/bots', { as: here.admin, body })
    expect(created.status).toBe(201)
    const { bot } = JSON.parse(created.text)
    const { text } = await app.client.send('POST', `/v1/bots/${bot.id}/publish`, { as: here.admin })
    const { errorsFound, firstErrors } = JSON.parse(text)
    expect(firstErrors).toHaveLength(errorsFound)
    for (const words of says) expect(JSON.stringify(firstErrors)).toContain(words)
  })
})
