import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import pg from 'pg'
import { ask, bot, type Part, text } from './support/chat.ts'
import { storable } from './support/chats.ts'
import { type ChatwootDouble, startChatwoot } from './support/chatwoot.ts'
import { endProcesses, freePort, type Service, startService, until } from './support/process.ts'
import { createDatabase, type TestDatabase } from './support/server.ts'
import { randomOf } from './torture/random.ts'

/* A process that is killed while its bot talks in a conversation of Chatwoot. */

const SECRET = 'secret-of-the-agent-bot'

let database: TestDatabase
let pool: pg.Pool
let chatwoot: ChatwootDouble
let service: Service
let variables: Record<string, string>

beforeAll(async () => {
  database = await createDatabase('nothing')
  pool = new pg.Pool({ connectionString: database.url })
  chatwoot = await startChatwoot()
  variables = {
    DATABASE_URL: database.url,
    OUTBOUND_ALLOWED_HOSTS: chatwoot.host,
    ENCRYPTION_KEY: randomBytes(32).toString('base64'),
    PORT: String(await freePort()),
  }
  service = await startService(variables)
})

afterAll(async () => {
  await endProcesses()
  await chatwoot.stop()
  await pool.end()
  await database.drop()
})

async function kill() {
  service.signal('SIGKILL')
  await service.ended
  service = { ...(await startService(variables)), token: service.token }
}

/** Publishes a bot, and has Chatwoot send its events to it. */
async function connect(groups: Record<string, Part[]>) {
  const send = async (method: string, path: string, body: object = {}) => {
    const headers = { authorization: `Bearer ${service.token}`, 'content-type': 'application/json' }
    const request = method === 'GET' ? { headers } : { method, headers, body: JSON.stringify(body) }
    // biome-ignore lint/suspicious/noExplicitAny: what it is differs from operation to operation
    return (await (await fetch(service.url + path, request)).json()) as any
  }
  const { workspaces } = await send('GET', '/v1/workspaces')
  const workspaceId = workspaces[0].id
  const { id: _, ...document } = storable(bot(groups, { variables: ['Said'] }))
  const made = await send('POST', '/v1/bots', { workspaceId, bot: { ...document, publicId: 'desk' } })
  await send('POST', `/v1/bots/${made.bot.id}/publish`)
  const { credentials } = await send('POST', `/v1/workspaces/${workspaceId}/credentials`, {
    type: 'chatwoot',
    name: 'Support',
    data: { baseUrl: chatwoot.url, accountId: 1, accessToken: 'agent-bot-token', secret: SECRET },
  })
  const url = `${service.url}/api/v1/bots/${made.bot.id}/chatwoot/${credentials.id}`
  chatwoot.hook = { url, secret: SECRET, now: () => new Date() }
}

test('a process that is killed again and again gives each of 20 messages of a conversation one reply', async () => {
  const again = { ...ask('Said'), to: 'again' }
  await connect({ start: [text('Hello'), again], again: [text('You said {{Said}}'), again] })
  const random = randomOf(7)
  const texts = () => chatwoot.messages.filter(({ by }) => by === 'bot').map(({ content }) => content)
  /** Moments of death: at once, some time later, and when its message has just come to Chatwoot. */
  const deaths: Record<number, () => Promise<void>> = {
    3: async () => {},
    8: () => sleep(400),
    13: async () => {
      const { length } = chatwoot.calls
      await until('the bot has called', () => chatwoot.calls.length > length)
    },
    18: () => sleep(700),
  }
  const expected: string[] = []
  for (let at = 0; at < 20; at += 1) {
    chatwoot.say(1, `message ${at}`)
    expected.push(at === 0 ? 'Hello' : `You said message ${at}`)
    expect(new Set(await chatwoot.deliver(random))).toEqual(new Set([200]))
    const death = deaths[at]
    if (death) {
      await death()
      await kill()
    }
    await until('the bot has replied', async () => {
      await chatwoot.deliver(random)
      return texts().length >= expected.length
    })
  }
  await until('nothing is left to do', async () => {
    await chatwoot.deliver(random)
    const { rows } = await pool.query('SELECT 1 FROM chatwoot_conversations WHERE due_at IS NOT NULL')
    return rows.length === 0
  })
  expect(texts()).toEqual(expected)
  const { rows } = await pool.query('SELECT count(*)::int AS answers FROM result_answers')
  expect(rows).toEqual([{ answers: 19 }])
}, 400_000)
