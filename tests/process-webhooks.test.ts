import { randomInt } from 'node:crypto'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, expect, test } from '@jest/globals'
import pg from 'pg'
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../server/db/embedded/index.ts'
import { ask, bot, text } from './support/chat.ts'
import { storable } from './support/chats.ts'
import {
  call,
  endProcesses,
  freePort,
  newDataFolder,
  postmasterOf,
  type Service,
  startService,
  until,
} from './support/process.ts'
import { runs } from './support/runs.ts'

/*
 * People chat with two processes that are killed again and again, and so is their database, while receivers are fast,
 * slow, failing or dead. Acknowledged events are posted in order; every posted event happened.
 */

const people = runs(6, 12)
/** Maximum of milliseconds that a visitor thinks about an answer. */
const thinking = runs(50, 300)
const kills = runs(3, 200)
/** Acknowledged replies from one kill to the next: four make six events, each of which goes to four receivers. */
const between = runs(20, 335)
/** Every so many kills it is the database. */
const databaseEach = runs(3, 10)
const names = ['One', 'Two', 'Three', 'Four']

let database: EmbeddedPostgres | undefined
let receiver: Server | undefined

afterEach(async () => {
  await database?.stop()
  await endProcesses()
  receiver?.closeAllConnections()
  await new Promise((resolve) => (receiver ? receiver.close(resolve) : resolve(undefined)))
})

interface Heard {
  type: string
  /** Answer of the visitor in the turn. */
  said: string | undefined
}

/** Events that each receiver got, by result, each event once: receivers have to drop repeats. */
const heard: Record<string, Map<string, Heard[]>> = {}
const known: Record<string, Set<string>> = {}
/** Milliseconds from each event to its first attempt. */
const delays: Record<string, Map<string, number>> = {}
let isDead = true
let duplicates = 0

/** `/dead` does not respond until it is revived, `/failing` rejects one request in five, `/slow` is slow. */
async function receive(path: string): Promise<number> {
  if (path === '/dead' && isDead) return 503
  if (path === '/failing' && randomInt(5) === 0) return 500
  if (path === '/slow') await sleep(randomInt(30))
  return 200
}

async function startReceiver(): Promise<string> {
  receiver = createServer(async (request, response) => {
    const at = Date.now()
    let body = ''
    for await (const chunk of request) body += chunk
    const path = String(request.url)
    const id = String(request.headers['webhook-id'])
    const { type, timestamp, data } = JSON.parse(body)
    delays[path] ??= new Map()
    if (!delays[path].has(id)) delays[path].set(id, at - Date.parse(timestamp))
    const status = await receive(path)
    if (status === 200) {
      known[path] ??= new Set()
      heard[path] ??= new Map()
      if (known[path].has(id)) duplicates += 1
      else {
        known[path].add(id)
        const events = heard[path].get(data.id) ?? []
        events.push({ type, said: data.answers?.[0]?.content })
        heard[path].set(data.id, events)
      }
    }
    response.writeHead(status).end()
  }).listen(0, '127.0.0.1')
  await new Promise((resolve) => receiver?.once('listening', resolve))
  return `127.0.0.1:${(receiver.address() as AddressInfo).port}`
}

async function prepare({ url, token }: Service, host: string): Promise<string> {
  const { body: list } = await call({ url, token }, 'GET', '/v1/workspaces')
  const workspaceId = list.workspaces[0].id
  for (const path of ['/fast', '/slow', '/failing', '/dead']) {
    const endpoint = {
      url: `http://${host}${path}`,
      types: ['result.started', 'result.answered', 'result.completed'],
    }
    const made = await call(
      { url, token },
      'POST',
      `/v1/workspaces/${workspaceId}/webhookEndpoints`,
      endpoint,
    )
    expect(made.status).toBe(201)
  }
  const { id: _, ...flow } = storable(
    bot({ Start: [text('Hello.'), ...names.map((name) => ask(name)), text('Bye.')] }, { variables: names }),
  )
  const created = { workspaceId, bot: { ...flow, name: 'Bot', publicId: 'told' } }
  const { body } = await call({ url, token }, 'POST', '/v1/bots', created)
  expect((await call({ url, token }, 'POST', `/v1/bots/${body.bot.id}/publish`, {})).status).toBe(200)
  return body.bot.id
}

test(
  'events survive the processes that send them, in the order of each result',
  async () => {
    const folder = await newDataFolder()
    // Processes are killed here and no machines, which is all that this gives up.
    database = await startEmbeddedPostgres({ dataDirectory: folder, settings: { fsync: 'off' } })
    const host = await startReceiver()
    const ENCRYPTION_KEY = Buffer.alloc(32, 'key').toString('base64')
    const variables = { DATABASE_URL: database.url, OUTBOUND_ALLOWED_HOSTS: host, ENCRYPTION_KEY }
    const ports = [String(await freePort()), String(await freePort())]
    const first = await startService({ ...variables, PORT: ports[0] as string })
    const services = [first, await startService({ ...variables, PORT: ports[1] as string })]
    const botId = await prepare(first, host)
    const urls = services.map(({ url }) => url)
    const client = new pg.Pool({ connectionString: database.url })
    client.on('error', () => {})

    let acknowledged = 0
    let isOver = false
    const finished = new Set<string>()
    const insist = async (path: string, body: object) => {
      for (;;) {
        const answer = await call({ url: urls[randomInt(urls.length)] as string }, 'POST', path, body)
        if (answer.status === 200) return answer.body
        expect([undefined, 503, 409]).toContain(answer.status)
        await sleep(20)
      }
    }
    const chat = async () => {
      while (!isOver) {
        const { sessionId, resultId, revision } = await insist('/api/v1/bots/told/startChat', {})
        for (const [index, name] of names.entries()) {
          const path = `/api/v1/sessions/${sessionId}/continueChat`
          await insist(path, { message: `My ${name}`, revision: revision + index })
          acknowledged += 1
          await sleep(randomInt(thinking))
        }
        finished.add(resultId)
      }
    }
    // Time advances for what failed, and for what a process that was killed had taken.
    const hurry = () =>
      until('time goes on', () =>
        Promise.all([
          client.query(`UPDATE webhook_deliveries SET next_attempt_at = now() WHERE next_attempt_at > now()`),
          client.query(`UPDATE webhook_endpoints SET paused_until = NULL WHERE paused_until IS NOT NULL`),
        ]).then(
          () => true,
          () => false,
        ),
      )

    const running = Promise.all(Array.from({ length: people }, chat))
    let isBack = Promise.resolve()
    for (let kill = 0; kill < kills; kill++) {
      const before = acknowledged
      await Promise.race([until('people get on', () => acknowledged >= before + between), running])
      await isBack
      if (kill % databaseEach === databaseEach - 1) {
        process.kill((await postmasterOf(folder)) as number, 'SIGKILL')
        isBack = hurry()
      } else {
        const index = kill % services.length
        services[index]?.signal('SIGKILL')
        await services[index]?.ended
        isBack = startService({ ...variables, PORT: ports[index] as string }).then((service) => {
          services[index] = service
          return hurry()
        })
      }
      if (kill === Math.floor(kills / 2)) isDead = false
    }
    await isBack
    isOver = true
    isDead = false
    await running
    await until('all is delivered', async () => {
      await hurry()
      await sleep(500)
      const { rows } = await client.query(`
        (SELECT FROM webhook_deliveries WHERE NOT is_delivered LIMIT 1) UNION ALL (SELECT FROM webhook_outbox LIMIT 1)`)
      return rows.length === 0
    })

    const { rows: results } = await client.query(
      `SELECT id, has_started, is_completed,
       (SELECT count(*)::int FROM result_answers a WHERE a.bot_id = r.bot_id AND a.result_id = r.id) AS answers
     FROM results r WHERE bot_id = $1`,
      [botId],
    )
    await client.end()
    const told = ['result.started', ...names.map(() => 'result.answered'), 'result.completed']
    for (const [path, byResult] of Object.entries(heard)) {
      for (const id of finished) {
        const events = byResult.get(id) ?? []
        expect([path, id, events.map(({ type }) => type)]).toEqual([path, id, told])
        expect(events.slice(1, -1).map(({ said }) => said)).toEqual(names.map((name) => `My ${name}`))
      }
      // Whoever got no answer to a start knows of no result, which has one event or none.
      const stored = new Map(results.map((result) => [result.id, result]))
      for (const [id, events] of byResult) {
        const result = stored.get(id)
        const most = result ? result.answers + 1 + Number(result.is_completed) : 0
        expect([path, id, events.length <= most]).toEqual([path, id, true])
      }
    }
    expect(Object.keys(heard).sort()).toEqual(['/dead', '/failing', '/fast', '/slow'])
    if (process.env.FIGURES) {
      const told = Object.values(heard).reduce((sum, map) => sum + [...map.values()].flat().length, 0)
      const waits = Object.entries(delays).map(([path, byEvent]) => {
        const all = [...byEvent.values()].sort((a, b) => a - b)
        const [half, most] = [0.5, 0.95].map((share) => all[Math.floor(all.length * share)])
        return `${path} ${all.length} events, ${half} ms, 95 % ${most} ms`
      })
      process.stderr.write(
        `${kills} kills, ${told} deliveries, ${duplicates} twice; to the first attempt: ${waits.join('; ')}\n`,
      )
    }
  },
  runs(300_000, 7_200_000),
)
