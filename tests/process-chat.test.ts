import { randomInt } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, expect, test } from '@jest/globals'
import pg from 'pg'
import { ask, bot, text } from './support/chat.ts'
import { type Result, storable } from './support/chats.ts'
import { call, endProcesses, freePort, type Service, startService, until } from './support/process.ts'
import { runs } from './support/runs.ts'
import { createDatabase, type TestDatabase } from './support/server.ts'

/*
 * Many people chat with two processes over one database, which are killed again and again. Whoever gets no
 * answer asks the other process, now and then although there was one. Whatever was acknowledged has to be there
 * once, and nothing else.
 */

const people = runs(30, 100)
const kills = runs(2, 3)
const names = ['One', 'Two', 'Three', 'Four']

let database: TestDatabase | undefined

afterEach(async () => {
  await endProcesses()
  await database?.drop()
})

async function publishBot({ url, token }: Service) {
  const { body: list } = await call({ url, token }, 'GET', '/v1/workspaces')
  const { id: _, ...flow } = storable(
    bot({ Start: [text('Hello.'), ...names.map((name) => ask(name)), text('Bye.')] }, { variables: names }),
  )
  const created = { workspaceId: list.workspaces[0].id, bot: { ...flow, name: 'Bot', publicId: 'busy' } }
  const { body } = await call({ url, token }, 'POST', '/v1/bots', created)
  expect((await call({ url, token }, 'POST', `/v1/bots/${body.bot.id}/publish`, {})).status).toBe(200)
  return body.bot.id as string
}

/** Responses of the service to one chat. */
interface Chat {
  resultId: string
  acknowledged: string[]
}

class Person {
  readonly chats: Chat[] = []
  /** Answers other than success, and how often the same was said again after one. */
  readonly refusals = new Set<number | undefined>()
  repeats = 0
  isStopped = false
  private readonly urls: string[]
  private readonly name: string

  constructor(urls: string[], name: string) {
    this.urls = urls
    this.name = name
  }

  /** One chat after the other; the last one is finished. */
  async run() {
    while (!this.isStopped) await this.chat()
  }

  private async chat() {
    const { sessionId, resultId, revision } = await this.insist('/api/v1/bots/busy/startChat', {})
    const chat: Chat = { resultId, acknowledged: [] }
    this.chats.push(chat)
    for (const [index] of names.entries()) {
      const message = `${this.name} says ${this.chats.length}.${index}`
      const path = `/api/v1/sessions/${sessionId}/continueChat`
      const step = await this.insist(path, { message, revision: revision + index })
      chat.acknowledged.push(message)
      if (randomInt(4) === 0) {
        const again = await this.insist(path, { message, revision: revision + index })
        expect(again).toEqual(step)
        this.repeats++
      }
      await sleep(randomInt(100))
    }
  }

  /** Asks either process until there is an answer. A conflict passes when the first try is through. */
  private async insist(path: string, body: object) {
    for (;;) {
      const url = this.urls[randomInt(this.urls.length)] as string
      const answer = await call({ url }, 'POST', path, body)
      if (answer.status === 200) return answer.body
      this.refusals.add(answer.status)
      expect([undefined, 503, 409]).toContain(answer.status)
      await sleep(20)
    }
  }
}

test('chats survive the processes that run them', async () => {
  database = await createDatabase('nothing')
  const variables = { DATABASE_URL: database.url, LOG_LEVEL: 'info' }
  const ports = [String(await freePort()), String(await freePort())]
  const first = await startService({ ...variables, PORT: ports[0] as string })
  const services = [first, await startService({ ...variables, PORT: ports[1] as string })]
  const botId = await publishBot(first)

  const urls = services.map(({ url }) => url)
  const all = Array.from({ length: people }, (_, index) => new Person(urls, `Person ${index}`))
  const running = Promise.all(all.map((person) => person.run()))
  const acknowledged = () =>
    all.flatMap(({ chats }) => chats).reduce((sum, chat) => sum + chat.acknowledged.length, 0)
  // A failure of a person is a failure at once.
  const progress = () => {
    const before = acknowledged()
    return Promise.race([until('people get on', () => acknowledged() >= before + people), running])
  }

  for (let kill = 0; kill < kills; kill++) {
    await progress()
    const index = kill % services.length
    services[index]?.signal('SIGKILL')
    await services[index]?.ended
    services[index] = await startService({ ...variables, PORT: ports[index] as string })
  }
  await progress()
  for (const person of all) person.isStopped = true
  await running

  expect(new Set(all.flatMap(({ refusals }) => [...refusals]))).toContain(undefined)
  expect(all.reduce((sum, { repeats }) => sum + repeats, 0)).toBeGreaterThan(0)
  await check(first.url, first.token ?? '', botId, all)
})

async function check(url: string, token: string, botId: string, all: Person[]) {
  const results: Result[] = []
  for (let cursor = ''; ; ) {
    const { body } = await call({ url, token }, 'GET', `/v1/bots/${botId}/results?limit=100${cursor}`)
    results.push(...body.results)
    if (body.nextCursor === null) break
    cursor = `&cursor=${encodeURIComponent(body.nextCursor)}`
  }
  const told = new Map(all.flatMap(({ chats }) => chats).map((chat) => [chat.resultId, chat.acknowledged]))
  const found = new Map(results.map(({ id, answers }) => [id, answers.map(({ content }) => content)]))
  expect(found).toEqual(told)
  for (const { isCompleted, variables, answers } of results) {
    expect(isCompleted).toBe(true)
    expect(variables.map(({ value }) => value)).toEqual(answers.map(({ content }) => content))
  }

  const client = new pg.Client({ connectionString: database?.url })
  await client.connect()
  try {
    const { rows } = await client.query(
      `SELECT count(*)::int AS "totalViews", count(*) FILTER (WHERE has_started)::int AS "totalStarts",
         count(*) FILTER (WHERE is_completed)::int AS "totalCompleted" FROM results WHERE bot_id = $1`,
      [botId],
    )
    const { body } = await call({ url, token }, 'GET', `/v1/bots/${botId}/analytics/stats`)
    expect(body.stats).toEqual(rows[0])
    // Only a start whose response was lost can leave an unknown view.
    expect(body.stats).toMatchObject({ totalStarts: told.size, totalCompleted: told.size })
    expect(body.stats.totalViews).toBeGreaterThanOrEqual(told.size)
    const said = await client.query(
      // Null is the answer of the row, and a text the bot's.
      `SELECT coalesce(e->>'text', answer) AS text, count(*)::int FROM (
         SELECT entries, NULL AS answer FROM result_transcripts
         UNION ALL SELECT transcript, content FROM result_answers
         UNION ALL SELECT transcript, NULL FROM results
       ) AS t, json_array_elements(t.entries) e
       WHERE json_typeof(e) = 'null' OR e->>'role' = 'user' GROUP BY 1`,
    )
    expect(said.rows).toHaveLength([...told.values()].flat().length)
    expect(said.rows.filter(({ count }) => count !== 1)).toEqual([])
  } finally {
    await client.end()
  }
}
