import { generateKeyPairSync } from 'node:crypto'
import { describe, expect, test } from '@jest/globals'
import { vendors } from '../../contract/bot-document/blocks/vendors/all.ts'
import type { VendorRow } from '../../contract/bot-document/blocks/vendors/vendor.ts'
import type { OutboundRequest, OutboundResponse } from '../../server/outbound/client.ts'
import { testCredentials } from '../../server/workspaces/test-credentials.ts'

/* Tests of credentials: the probe of each vendor, and what is passed on of its answer. */

const now = new Date('2026-03-10T12:00:00.000Z')

const answer = (status: number, body: unknown): OutboundResponse => ({
  ok: true,
  status,
  contentType: 'application/json',
  headers: {},
  body: Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)),
})

function tools(reply: (request: OutboundRequest) => OutboundResponse, mailError?: Error) {
  const requests: OutboundRequest[] = []
  return {
    requests,
    httpRequest: async (request: OutboundRequest) => {
      requests.push(request)
      return reply(request)
    },
    testMailAccount: async () => {
      if (mailError) throw mailError
    },
  }
}

const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 })
const serviceAccount = {
  client_email: 'bots@x.iam.gserviceaccount.com',
  private_key: privateKey.export({ type: 'pkcs8', format: 'pem' }),
}

const data: Record<string, object> = {
  ...Object.fromEntries(
    vendors
      .filter(({ credentials }) => credentials !== undefined)
      .map(({ type, exampleCredentials }) => [type, exampleCredentials]),
  ),
  stripe: { live: { secretKey: 'sk_live_example' }, test: { secretKey: 'sk_test_example' } },
  'google sheets': { serviceAccount },
}

const untestable = ['chat-node', 'segment', 'zendesk']
const withoutProbe = (vendors as readonly VendorRow[])
  // The service itself gets a token for Gmail.
  .filter(({ type, credentials, probes }) => type !== 'gmail' && credentials && !probes)
  .map(({ type }) => type)
const testable = Object.keys(data).filter((type) => !withoutProbe.includes(type))

test('every vendor with credentials has probes, or is listed as one without a way to test a key', () => {
  const missing = withoutProbe.filter((type) => !untestable.includes(type))
  expect(missing.map((type) => `give the row of ${type} probes, or name it in untestable`)).toEqual([])
})

describe.each(testable)('credentials of type %s', (type) => {
  const run = async (reply: OutboundResponse) => {
    const world = tools(() => reply)
    const tested = await testCredentials(world, { type, data: data[type] }, now)
    return { tested, requests: world.requests }
  }

  test('are valid when the vendor responds, to a request that changes nothing', async () => {
    const { tested, requests } = await run(answer(200, {}))
    expect(tested).toMatchObject({ outcome: 'accepted', status: 200 })
    for (const { url, method, redirects } of requests) {
      expect(new URL(url).protocol).toBe('https:')
      expect(redirects).toBe('none')
      // A key of PostHog and a token of Google are asked for by POST.
      expect(method).toBe(['posthog', 'google sheets', 'gmail'].includes(type) ? 'POST' : 'GET')
    }
  })

  test('are invalid with the words of the vendor, without the secret', async () => {
    const secrets = [...JSON.stringify(data[type]).matchAll(/"((?:sk|el|nc|app|dataset|blink|phc)[\w-]+)"/g)]
    const given = secrets.map(([, secret]) => secret).join(' ')
    const { tested } = await run(answer(401, { error: { message: `No such key: ${given}` } }))
    expect(tested).toMatchObject({ outcome: 'rejected', status: 401 })
    expect(tested.message).toContain('No such key: ')
    for (const [, secret = ''] of secrets) expect(tested.message).not.toContain(secret)
  })

  test.each([429, 500, 302])('are unknown when the vendor responds with %i', async (status) => {
    expect((await run(answer(status, 'Later'))).tested).toMatchObject({ outcome: 'unclear', status })
  })

  test('cannot be tested while the vendor does not respond', async () => {
    const { tested } = await run({ ok: false, reason: 'time', message: 'No answer in time' })
    expect(tested).toMatchObject({ outcome: 'unreachable', status: null })
  })
})

test.each(untestable)(
  'credentials of type %s are not sent, since the vendor has no way to test them',
  async (type) => {
    const world = tools(() => answer(200, {}))
    expect(await testCredentials(world, { type, data: data[type] ?? {} }, now)).toMatchObject({
      outcome: 'untestable',
      status: null,
    })
    expect(world.requests).toEqual([])
  },
)

test('keys of Stripe are each tested, and one that is rejected counts', async () => {
  const world = tools(({ headers }) =>
    headers.authorization?.includes('live')
      ? answer(200, {})
      : answer(401, { error: { message: 'Expired' } }),
  )
  const tested = await testCredentials(world, { type: 'stripe', data: data.stripe }, now)
  expect(tested).toEqual({ outcome: 'rejected', status: 401, message: 'Stripe, test: Expired' })
  expect(world.requests).toHaveLength(2)
})

test('an invalid private key of Google is rejected, and not sent', async () => {
  const world = tools(() => answer(200, {}))
  const broken = { serviceAccount: { ...serviceAccount, private_key: 'none' } }
  const tested = await testCredentials(world, { type: 'google sheets', data: broken }, now)
  expect(tested).toMatchObject({ outcome: 'rejected', message: expect.stringContaining('private key') })
  expect(world.requests).toEqual([])
})

test.each([
  [404, { error: 'Resource could not be found' }, 'accepted'],
  [401, { error: 'Access to this endpoint is not authorized for bots' }, 'accepted'],
  [401, { error: 'Invalid Access Token' }, 'rejected'],
  [401, { error: 'Bot is not authorized to access this account' }, 'rejected'],
  [404, '<h1>Not found</h1>', 'unclear'],
  [200, '<h1>Welcome</h1>', 'unclear'],
  [500, 'Later', 'unclear'],
])('credentials of Chatwoot for which %i is the response with %j are %s', async (status, body, outcome) => {
  const world = tools(() => answer(status, body))
  const account = { baseUrl: 'https://chatwoot.example.com/', accountId: 3, accessToken: 'token-of-the-bot' }
  const tested = await testCredentials(world, { type: 'chatwoot', data: account }, now)
  expect(tested).toMatchObject({ outcome, status, message: expect.stringMatching(/^Chatwoot/) })
  expect(world.requests).toMatchObject([
    {
      url: 'https://chatwoot.example.com/api/v1/accounts/3/conversations/0',
      method: 'GET',
      headers: { api_access_token: 'token-of-the-bot' },
    },
  ])
})

test('a key is sent to the address of its credentials alone', async () => {
  const world = tools(() => answer(200, {}))
  const own = { apiKey: 'sk-example', baseUrl: 'https://llm.example.com/v1/' }
  for (const type of ['openai', 'anthropic']) await testCredentials(world, { type, data: own }, now)
  expect(world.requests.map(({ url }) => url)).toEqual([
    'https://llm.example.com/v1/models',
    'https://llm.example.com/v1/models',
  ])
})

test.each<[string, Error | undefined, string]>([
  ['accepted', undefined, 'accepts the account'],
  [
    'rejected',
    Object.assign(new Error('Invalid login for pass-word'), { code: 'EAUTH' }),
    'Invalid login for …',
  ],
  ['unreachable', new Error('The host is in a private network'), 'private network'],
])('an account of a mail server is %s', async (outcome, error, words) => {
  const account = {
    host: 'mail.example.com',
    port: 587,
    password: 'pass-word',
    from: { email: 'a@example.com' },
  }
  const tested = await testCredentials(
    tools(() => answer(200, {}), error),
    { type: 'smtp', data: account },
    now,
  )
  expect(tested).toMatchObject({ outcome, message: expect.stringContaining(words) })
})
