import { Readable } from 'node:stream'
import { describe, expect, test } from '@jest/globals'
import type { OutboundRequest, OutboundResponse } from '../../server/outbound/client.ts'
import { boundNamed } from '../support/bounds.ts'
import { ask, bot, chat, idOf, text, type World } from '../support/chat.ts'

/* Blocks of Gmail against a double that parses what is sent. */

const json = (body: unknown, status = 200): OutboundResponse => ({
  ok: true,
  status,
  contentType: 'application/json',
  headers: {},
  body: Buffer.from(JSON.stringify(body)),
})

interface Sent {
  threadId?: string
  head: string
  body: string
}

let accounts = 0

/** An account of its own, since tokens are cached by account. */
function gmail(replies: Record<string, OutboundResponse> = {}) {
  accounts += 1
  const refreshToken = `refresh-${accounts}`
  const sent: Sent[] = []
  const labels: unknown[] = []
  const requests: string[] = []
  const reply = (request: OutboundRequest): OutboundResponse => {
    const { host, pathname } = new URL(request.url)
    requests.push(`${request.method} ${host}${pathname}`)
    const given = replies[`${request.method} ${pathname}`]
    if (given !== undefined) return given
    if (host === 'oauth2.googleapis.com') {
      const form = Object.fromEntries(new URLSearchParams(String(request.body)))
      expect(form).toEqual({
        grant_type: 'refresh_token',
        refresh_token: refreshToken,
        client_id: 'client',
        client_secret: 'secret-of-client',
      })
      return json({ access_token: 'access-token', expires_in: 3_599 })
    }
    expect(request.headers.authorization).toBe('Bearer access-token')
    if (pathname === '/oauth2/v3/userinfo') return json({ email: 'sales@x.test', name: 'Sales, "Acme"' })
    if (pathname === '/gmail/v1/users/me/threads/t1') {
      const headers = [
        { name: 'Message-Id', value: '<m1@mail.test>' },
        { name: 'References', value: '<m0@mail.test>' },
        { name: 'Subject', value: 'Your demo' },
      ]
      return json({ messages: [{ payload: { headers: [] } }, { payload: { headers } }] })
    }
    const body = JSON.parse(String(request.body ?? '{}'))
    if (pathname === '/gmail/v1/users/me/messages/send') {
      const [head = '', ...rest] = Buffer.from(body.raw, 'base64url').toString().split('\r\n\r\n')
      sent.push({ threadId: body.threadId, head, body: rest.join('\r\n\r\n') })
      return json({ id: 'm2', threadId: body.threadId ?? 't2' })
    }
    if (pathname === '/gmail/v1/users/me/messages/m2/modify') {
      labels.push(body)
      return json({})
    }
    return json({ error: { message: `No such path ${pathname}` } }, 404)
  }
  const oauth = { refreshToken, clientId: 'client', clientSecret: 'secret-of-client' }
  const findCredentials: World['findCredentials'] = async (id, type) =>
    id === 'c' && type === 'gmail' ? { oauth } : null
  return { sent, labels, requests, world: { reply, findCredentials } satisfies World }
}

const variables = ['Question', 'Message', 'Thread', 'Files']

async function run(world: World, options: object = {}, said = 'Ada') {
  const responseMapping = [
    { item: 'Message ID', variableId: idOf('Message') },
    { item: 'Thread ID', variableId: idOf('Thread') },
  ]
  const given = { credentialsId: 'c', action: 'Send email', to: 'ada@x.test', responseMapping, ...options }
  const part = { type: 'gmail', options: given }
  const client = await chat(bot({ g: [ask('Question'), part, text('and on')] }, { variables }), world)
  await client.say(said)
  expect(client.texts()).toEqual(['and on'])
  return client
}

describe('an e-mail', () => {
  test('goes to all recipients from the account, and its ids are saved', async () => {
    const account = gmail()
    const client = await run(account.world, {
      to: 'ada@x.test, Bob <bob@x.test>',
      replyTo: 'team@x.test',
      subject: 'Hello\r\nBcc: evil@x.test {{Question}}',
      body: 'Dear {{Question}}, see you.',
    })
    expect(client.logs()).toEqual(['E-mail was sent'])
    const [mail] = account.sent
    expect(mail?.head.split('\r\n')).toEqual(
      expect.arrayContaining([
        'From: Sales Acme <sales@x.test>',
        'To: ada@x.test, Bob <bob@x.test>',
        'Reply-To: team@x.test',
        'Subject: Hello Bcc: evil@x.test Ada',
      ]),
    )
    expect(mail?.head).not.toMatch(/^Bcc:/m)
    expect(mail?.body.trim()).toBe('Dear Ada, see you.')
    expect([client.value('Message'), client.value('Thread')]).toEqual(['m2', 't2'])
  })

  test('names the sender of the block without a look-up, and gets its label', async () => {
    const account = gmail()
    await run(account.world, { from: 'Ada <sales@y.test>', label: 'Label_7' })
    expect(account.sent[0]?.head).toContain('From: Ada <sales@y.test>')
    expect(account.requests.join()).not.toContain('userinfo')
    expect(account.labels).toEqual([{ addLabelIds: ['Label_7'] }])
  })

  test('replies to the last message of its thread, under its subject', async () => {
    const account = gmail()
    await run(account.world, { threadId: 't1' })
    const [mail] = account.sent
    expect(mail?.threadId).toBe('t1')
    expect(mail?.head.split('\r\n')).toEqual(
      expect.arrayContaining([
        'In-Reply-To: <m1@mail.test>',
        'References: <m0@mail.test> <m1@mail.test>',
        'Subject: Re: Your demo',
      ]),
    )
  })

  test('attaches uploads of the chat, as many bytes as the table says', async () => {
    const address = 'https://bots.test/files/bot1/abc/report.pdf'
    const most = boundNamed('MAX_GMAIL_ATTACHMENTS_BYTES')
    const namesWith = async (size: number) => {
      const stored = { botId: 'bot1', id: 'abc', name: 'report.pdf', mediaType: 'application/pdf', size }
      const account = gmail()
      const uploads: World['uploads'] = {
        maximumSize: 1,
        find: async (addresses) =>
          new Map(addresses.filter((one) => one === address).map((one) => [one, stored])),
        read: async () => Readable.from([Buffer.alloc(size, 1)]),
        store: async () => 'not asked for',
      }
      const client = await run({ ...account.world, uploads }, { attachments: idOf('Question') }, address)
      const isAttached = JSON.stringify(account.sent).includes('filename=report.pdf')
      return [isAttached, client.logs()]
    }
    expect(await namesWith(1_000)).toEqual([true, ['E-mail was sent']])
    expect(await namesWith(most)).toEqual([true, ['E-mail was sent']])
    expect(await namesWith(most + 1)).toEqual([false, ['An attachment was left out', 'E-mail was sent']])
  })

  test('requests a new token after the old one was revoked', async () => {
    const account = gmail()
    const path = '/gmail/v1/users/me/messages/send'
    let rejected = 0
    const reply = (request: OutboundRequest) => {
      if (!request.url.endsWith(path) || rejected > 0) return account.world.reply(request)
      rejected += 1
      return json({}, 401)
    }
    await run({ ...account.world, reply }, { from: 'a@x.test' })
    expect(account.requests.filter((one) => one.includes('oauth2'))).toHaveLength(2)
    expect(account.sent).toHaveLength(1)
  })
})

const TOKENS = 'POST /token'
const SEND = 'POST /gmail/v1/users/me/messages/send'
const MODIFY = 'POST /gmail/v1/users/me/messages/m2/modify'
const context = 'While sending email with Gmail'

describe('an e-mail that cannot be sent continues with an error in the log', () => {
  test.each<[string, Record<string, OutboundResponse>, object, string[], string]>([
    ['without a recipient', {}, { to: '' }, ['Gmail: there is no recipient'], 'g.1'],
    ['to no address', {}, { to: '{{Question}}' }, ['Gmail: there is no valid recipient'], 'g.1'],
    ['from no address', {}, { from: 'Ada' }, ['Gmail: the sender is no e-mail address'], 'g.1'],
    [
      'without credentials',
      {},
      { credentialsId: undefined },
      ['Could not find credentials for block gmail'],
      'g.1',
    ],
    ['without a token', { [TOKENS]: json({}) }, {}, ['No access token available'], 'g.1'],
    [
      'with a consent that has ended',
      { [TOKENS]: json({ error: 'invalid_grant' }, 400) },
      {},
      ['Gmail: Google takes the consent of the account no longer, connect it again'],
      context,
    ],
    ['while tokens are down', { [TOKENS]: json({}, 500) }, {}, ['Gmail answered 500'], context],
    ['that the vendor rejects', { [SEND]: json({}, 403) }, {}, ['Gmail answered 403'], context],
    ['in a thread that is gone', {}, { threadId: 'gone' }, ['Gmail answered 404'], context],
    [
      'while the vendor is down',
      { [SEND]: { ok: false, reason: 'network', message: 'gone' } },
      {},
      ['Gmail: the request failed'],
      context,
    ],
    [
      'with a label that is none',
      { [MODIFY]: json({ error: {} }, 400) },
      { label: 'Nothing' },
      ['E-mail was sent', 'Failed to apply label: Nothing'],
      context,
    ],
  ])('%s', async (_, replies, options, logs, where) => {
    const client = await run(gmail(replies).world, options)
    expect(client.logs()).toEqual(logs)
    expect(client.outcome.logs.at(-1)?.context).toBe(where)
  })

  test('an e-mail that cannot be sent logs neither token nor secret', async () => {
    const words = { error: { message: 'refresh- secret-of-client' } }
    const client = await run(gmail({ [TOKENS]: json(words, 500) }).world)
    expect(client.outcome.logs[0]?.details).not.toContain('secret-of-client')
  })
})
