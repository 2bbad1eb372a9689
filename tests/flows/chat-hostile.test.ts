import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { type App, startApp } from '../support/app.ts'
import { ask, bot, type Part, set, text } from '../support/chat.ts'
import { logsOf, type Published, publish, reply, start, textsOf, tryReply } from '../support/chats.ts'
import { makeWorld, type Site } from '../support/world.ts'

/*
 * Bots that are made to do harm, and people who try. Each ends within its limit and says so in the log of its
 * result, while another visitor continues to chat.
 */

let app: App
let here: Site
let neighbour: Published
let secret: Server
let secretPort: number
/** Requests that reached a forbidden address. */
let visits: string[] = []

beforeAll(async () => {
  app = await startApp()
  here = (await makeWorld(app)).here
  const flow = bot(
    { Start: [set('Sum', '20 + 22'), text('{{Sum}}'), ask('Name'), text('Hi {{Name}}.')] },
    { variables: ['Sum', 'Name'] },
  )
  neighbour = await publish(app, here, flow)
  secret = createServer((request, response) => {
    visits.push(String(request.url))
    response.end('{"secret":"value"}')
  })
  await new Promise<void>((resolve) => secret.listen(0, '127.0.0.1', resolve))
  secretPort = (secret.address() as AddressInfo).port
})

afterAll(async () => {
  secret.closeAllConnections()
  await new Promise((resolve) => secret.close(resolve))
  await app.stop()
})

/** Another visitor, who chats until stopped, and gets every response right. */
async function neighbourDuring(work: () => Promise<void>) {
  let isDone = false
  let chats = 0
  const chatting = (async () => {
    while (!isDone || chats === 0) {
      const { sessionId, ...first } = await start(app, neighbour)
      expect(textsOf(first)).toEqual(['42'])
      expect(textsOf(await reply(app, sessionId, 'Ada', 1))).toEqual(['Hi Ada.'])
      chats++
    }
  })()
  // A failure of either is a failure at once, and neither is left running.
  const working = work().finally(() => {
    isDone = true
  })
  await Promise.all([working, chatting])
}

/** Starts a chat and gives what its log says. */
async function logsAfter(made: Published, more: (sessionId: string) => Promise<unknown> = async () => {}) {
  const { sessionId, resultId = '' } = await start(app, made)
  await more(sessionId)
  return (await logsOf(app, made.id, resultId, here.member)).map(({ description }) => description)
}

const go = (part: Part, variables = ['Value']) =>
  bot({ Start: [part, text('After: {{Value}}')] }, { variables })

describe('flows without end', () => {
  test('that jump in circles end', async () => {
    const flow = bot({
      Start: [text('Round'), { type: 'Jump', options: { groupId: 'Again' } }],
      Again: [text('and round'), { type: 'Jump', options: { groupId: 'Start' } }],
    })
    const made = await publish(app, here, flow)
    await neighbourDuring(async () =>
      expect(await logsAfter(made)).toEqual([expect.stringMatching(/stopped/)]),
    )
  })

  test('that link to themselves end', async () => {
    const made = await publish(app, here, bot({ Start: [text('Hi')] }))
    const link = bot({
      Start: [text('In'), { type: 'Bot link', options: { botId: made.id, mergeResults: false } }],
    })
    const { groups } = link
    await app.client.ok('updateBot', {
      as: here.member,
      params: { botId: made.id },
      body: { bot: { version: '6.1', groups } } as never,
    })
    await app.client.ok('publishBot', { as: here.member, params: { botId: made.id } })
    await neighbourDuring(async () => expect(await logsAfter(made)).not.toEqual([]))
  })

  test('that double a text again and again end', async () => {
    const flow = bot(
      {
        Start: [set('Value', '"x".repeat(1000)'), { type: 'Jump', options: { groupId: 'Grow' } }],
        Grow: [
          set('Value', '{{Value}} + {{Value}}'),
          text('{{Value}}'),
          { type: 'Jump', options: { groupId: 'Grow' } },
        ],
      },
      { variables: ['Value'] },
    )
    const made = await publish(app, here, flow)
    await neighbourDuring(async () => {
      const answer = await app.client.call('startChat', { params: { publicId: made.publicId } })
      expect(answer.status).toBe(200)
      expect(answer.text.length).toBeLessThan(5_000_000)
    })
  })
})

describe('code of a bot', () => {
  test.each([
    ['never ends', '(() => { for (;;); })()', true],
    ['calls itself', '(function again() { return again() })()', true],
    ['takes all memory', '(() => { const all = []; for (;;) all.push("x".repeat(1000000)) })()', true],
    ['has an exploding regular expression', '/^(a+)+$/.test("a".repeat(40) + "b")', true],
    ['waits for what never comes', 'new Promise(() => {})', false],
    ['looks for the host', 'process.exit(1)', true],
    ['looks for a constructor', 'this.constructor.constructor("return process")().exit(1)', true],
  ])('that %s ends', async (_, expression, isFailure) => {
    const made = await publish(app, here, go(set('Value', expression, { isCode: true })))
    await neighbourDuring(async () => {
      const logs = await logsAfter(made)
      if (isFailure) expect(logs).toEqual([expect.stringMatching(/code failed/)])
    })
  })

  test('that makes a value of ten megabytes ends', async () => {
    const made = await publish(app, here, go(set('Value', '"x".repeat(10 * 1024 * 1024)')))
    await neighbourDuring(async () => {
      const answer = await app.client.call('startChat', { params: { publicId: made.publicId } })
      expect(answer.status).toBe(200)
      expect(answer.text.length).toBeLessThan(1_000_000)
    })
  })

  test('that never ends in many chats at once does not starve others', async () => {
    const endless = '(() => { for (;;); })()'
    const made = await publish(app, here, go(set('Value', endless, { isCode: true })))
    await neighbourDuring(async () => {
      await Promise.all(Array.from({ length: 12 }, () => start(app, made)))
    })
  })
})

describe('a visitor', () => {
  test('an answer of 10 MB is rejected with 413, and one of 195 KB is accepted', async () => {
    const made = await publish(
      app,
      here,
      bot({ Start: [ask('Value'), text('{{Value}}')] }, { variables: ['Value'] }),
    )
    const { sessionId } = await start(app, made)
    expect((await tryReply(app, sessionId, 'x'.repeat(10 * 1024 * 1024), 1)).status).toBe(413)
    expect((await tryReply(app, sessionId, 'x'.repeat(195 * 1024), 1)).status).toBe(200)
  })

  test('a condition with an exploding regular expression ends', async () => {
    const comparison = {
      id: 'c',
      variableId: 'v-Value',
      comparisonOperator: 'Matches regex',
      value: '^(([a-z])+.)+[A-Z]([a-z])+$',
    }
    const condition: Part = {
      type: 'Condition',
      items: [{ id: 'i', content: { comparisons: [comparison] }, to: 'End' }],
    }
    const flow = bot(
      { Start: [ask('Value'), condition, text('No.')], End: [text('Yes.')] },
      { variables: ['Value'] },
    )
    const made = await publish(app, here, flow)
    await neighbourDuring(async () => {
      const { sessionId } = await start(app, made)
      expect(textsOf(await reply(app, sessionId, 'a'.repeat(20_000), 1))).toEqual(['No.'])
    })
  })

  test('an answer of placeholders, code or markup is only quoted', async () => {
    const made = await publish(
      app,
      here,
      bot({ Start: [ask('Value'), text('{{Value}}')] }, { variables: ['Value'] }),
    )
    for (const words of [
      '{{Value}}',
      '{{= 1 + 1 =}}',
      '<script>1</script>',
      '$& $1',
      // Formatting is taken from Markdown, nothing else: these are the words in bold.
      '__proto__',
      'constructor',
    ]) {
      const { sessionId } = await start(app, made)
      const shown = words === '__proto__' ? 'proto' : words
      expect(textsOf(await reply(app, sessionId, words, 1))).toEqual([shown])
    }
  })

  test('startChat accepts prefilled values whose names belong to no variable', async () => {
    const made = await publish(app, here, go(text('.')))
    const prefilledVariables = { constructor: 'x', toString: 'y', Value: { deep: [1] } }
    expect((await start(app, made, { prefilledVariables })).messages).toHaveLength(2)
  })
})

describe('requests', () => {
  const request = (url: string, more: object = {}): Part => ({
    type: 'Webhook',
    options: {
      webhook: { url, method: 'GET', ...more },
      responseVariableMapping: [{ id: 'm', variableId: 'v-Value', bodyPath: 'data.secret' }],
    },
  })

  test('to private addresses, in every disguise, reach nothing', async () => {
    const at = (host: string) => `http://${host}:${secretPort}/visit`
    const disguises = [
      '127.0.0.1',
      'localhost',
      '127.1',
      '2130706433',
      '0x7f000001',
      '0177.0.0.1',
      '0',
      '0.0.0.0',
      '[::1]',
      '[::]',
      '[::ffff:127.0.0.1]',
      '[::ffff:7f00:1]',
      '[64:ff9b::7f00:1]',
      'localhost.',
      '①②⑦.⓪.⓪.①',
      'user:password@127.0.0.1',
      '10.0.0.1',
      '172.16.0.1',
      '192.168.0.1',
      '169.254.169.254',
      '100.64.0.1',
      '[fd00::1]',
      '[fe80::1]',
    ].map(at)
    visits = []
    await neighbourDuring(async () => {
      for (const url of disguises) {
        const made = await publish(app, here, go(request(url)))
        const started = await start(app, made)
        expect([url, textsOf(started)]).toEqual([url, ['After: ']])
        const [log] = await logsOf(app, made.id, started.resultId ?? '', here.member)
        expect([url, log?.status]).toEqual([url, 'error'])
      }
    })
    expect(visits).toEqual([])
  })

  test('reach allowed private hosts, and are not redirected from there', async () => {
    const host = `127.0.0.1:${secretPort}`
    const open = await startApp({ config: { OUTBOUND_ALLOWED_HOSTS: [host] } })
    try {
      const site = (await makeWorld(open)).here
      visits = []
      const made = await publish(open, site, go(request(`http://${host}/allowed`)))
      expect(textsOf(await start(open, made))).toEqual(['After: value'])
      expect(visits).toEqual(['/allowed'])
      const other = await publish(open, site, go(request(`http://localhost:${secretPort + 1}/`)))
      expect(textsOf(await start(open, other))).toEqual(['After: '])
    } finally {
      await open.stop()
    }
  })

  test('with other protocols are not sent', async () => {
    for (const url of [
      'file:///etc/passwd',
      'ftp://127.0.0.1/',
      'data:text/plain,secret',
      'gopher://127.0.0.1/',
    ]) {
      const made = await publish(app, here, go(request(url)))
      expect(textsOf(await start(app, made))).toEqual(['After: '])
    }
  })
})
