import { randomUUID } from 'node:crypto'
import { connect, createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { until } from '../../support/process.ts'
import { type Answer, send } from '../client.ts'
import { stamped } from '../documents.ts'
import type { Member } from '../installation.ts'
import { promise } from '../run.ts'
import {
  ask,
  type Fault,
  installed,
  newBot,
  onlyStatuses,
  quantile,
  rows,
  slowest,
  some,
  tally,
  times,
  within,
} from './fault.ts'
import { filesOf, memoryOf } from './processes.ts'

/* Callers that go away, clocks that are wrong, networks that are slow or silent, large bodies, missing services. */

const goneCallers: Fault = {
  id: 'F15',
  what: 'callers go away in the middle of a body, after it, and while they are answered',
  run: (setting) =>
    installed({ processes: 1 }, async (to) => {
      const [member] = to.members as [Member]
      const pid = member.program?.pid ?? 0
      const { hostname, port } = new URL(member.url)
      const open = () => connect(Number(port), hostname).on('error', () => {})
      const closed = (socket: ReturnType<typeof open>) =>
        new Promise((resolve) => socket.once('close', resolve))
      const head = (method: string, path: string, more: string[] = []) =>
        [
          `${method} ${path} HTTP/1.1`,
          'Host: torture',
          `Authorization: Bearer ${to.token}`,
          ...more,
          '',
          '',
        ].join('\r\n')
      const body = JSON.stringify({ workspaceId: to.workspaceId, folder: { name: 'Half' } })
      const json = ['Content-Type: application/json', `Content-Length: ${body.length}`]
      const padding = Array.from({ length: 60_000 }, (_, n) => `${n * 7_919_111}`)
      const { id } = await newBot(to, { ...stamped('0'), theme: { padding } })

      const half = async () => {
        const socket = open()
        socket.write(head('POST', '/v1/folders', json) + body.slice(0, 20), () => socket.destroy())
        await closed(socket)
      }
      for (let done = 0; done < 1_000; done += 20) await times(20, half)
      const [memory, files] = [memoryOf(pid), filesOf(pid)]
      const halves = some(setting, 10_000, 200)
      for (let done = 0; done < halves; done += 20) await times(20, half)
      onlyStatuses([await ask(to, 0, 'GET', '/livez')], [200])
      promise((await rows(to, 'SELECT 1 FROM folders')).length === 0, 'Half a body made a folder')
      const grown = memoryOf(pid) - memory
      await until('their sockets are closed', () => filesOf(pid) <= files + 12)
      promise(grown < 100, `Memory grew by ${Math.round(grown)} MB`)

      const calm = filesOf(pid)
      // Never reads; looked at again at the end, a minute later.
      const lazy = await times(10, async () => {
        const socket = open().pause()
        for (let again = 0; again < 20; again++) socket.write(head('GET', `/v1/bots/${id}`))
        return socket
      })
      const lazySince = performance.now()

      const whole = some(setting, 200, 20)
      for (let done = 0; done < whole; done++) {
        const key = randomUUID()
        const socket = open()
        const sent = head('POST', '/v1/folders', [...json, `Idempotency-Key: ${key}`]) + body
        socket.write(sent, () => socket.destroy())
        await closed(socket)
        await sleep(setting.random.below(8))
        const request = { token: to.token, body: JSON.parse(body), headers: { 'idempotency-key': key } }
        let again = await send(member.url, 'POST', '/v1/folders', request)
        while (again.status === 409) again = await send(member.url, 'POST', '/v1/folders', request)
        onlyStatuses([again], [201])
      }
      const made = (await rows(to, 'SELECT 1 FROM folders')).length
      promise(made === whole, `${whole} requests, whose callers left and asked again, made ${made} folders`)

      const streams = some(setting, 200, 20)
      for (let done = 0; done < streams; done++) {
        const socket = open()
        socket.write(head('GET', `/v1/bots/${id}`))
        socket.once('data', () => socket.destroy())
        await closed(socket)
      }
      const [{ busy }] = await rows(
        to,
        `SELECT count(*) FILTER (WHERE state <> 'idle')::int AS busy FROM pg_stat_activity
         WHERE datname = current_database() AND application_name = 'bot-builder-service'`,
      )
      promise(busy === 0, `${busy} connections of the pool are busy`)
      if (setting.isTimed) {
        await sleep(Math.max(0, 75_000 - (performance.now() - lazySince)))
        const left = filesOf(pid) - calm
        promise(left <= 5, `Of ten callers who read nothing, ${left} are still there after 75 s`)
      }
      for (const socket of lazy) socket.destroy()
      return `${halves} halves: no folder, memory ${grown < 0 ? '' : '+'}${Math.round(grown)} MB; ${whole} left after the body: each done once; ${streams} left while answered${setting.isTimed ? '; those who never read are dropped' : ''}`
    }),
}

const wrongClocks: Fault = {
  id: 'F19',
  what: 'two processes whose clocks are twenty minutes apart, and one that goes back',
  run: (setting) =>
    installed({ clocks: [600_000, -600_000] }, async (to) => {
      const { id, body } = await newBot(to, { ...stamped('0'), publicId: 'clocks' })
      await ask(to, 0, 'POST', `/v1/bots/${id}/publish`, {})
      const listed = new Set<string>()
      const first = await times(30, async (place) => {
        const made = await ask(to, place, 'POST', '/v1/bots', { workspaceId: to.workspaceId, bot: {} })
        return made.body.bot.id as string
      })
      let last = body.bot.updatedAt as string
      const update = async (place: number) => {
        const answer = await ask(to, place, 'PATCH', `/v1/bots/${id}`, {
          bot: { version: '6.1', name: `${place}` },
        })
        onlyStatuses([answer], [200])
        promise(
          answer.body.bot.updatedAt > last,
          `updatedAt went from ${last} to ${answer.body.bot.updatedAt}`,
        )
        last = answer.body.bot.updatedAt
      }
      const updates = some(setting, 60, 10)
      for (let round = 0; round < updates; round++) await update(round)
      // Pages from either process, while both continue to create.
      let cursor: string | null = null
      let pages = 0
      do {
        const query = `workspaceId=${to.workspaceId}&limit=5${cursor ? `&cursor=${encodeURIComponent(cursor)}` : ''}`
        const page: Answer = await ask(to, pages++, 'GET', `/v1/bots?${query}`)
        onlyStatuses([page], [200])
        for (const bot of page.body.bots) {
          promise(!listed.has(bot.id), 'A bot is on two pages')
          listed.add(bot.id)
        }
        cursor = page.body.nextCursor
        await ask(to, pages, 'POST', '/v1/bots', { workspaceId: to.workspaceId, bot: {} })
      } while (cursor !== null && pages < 100)
      const missing = first.filter((one) => !listed.has(one))
      promise(missing.length === 0, `${missing.length} of ${first.length} bots are on no page`)

      const count = async () => (await ask(to, 0, 'GET', `/v1/bots/${id}/results`)).body.results.length
      const chat = async (place: number) => {
        const started = await ask(to, place, 'POST', '/api/v1/bots/clocks/startChat', {})
        const { sessionId, revision } = started.body
        const path = `/api/v1/sessions/${sessionId}/continueChat`
        onlyStatuses([await ask(to, place + 1, 'POST', path, { message: 'Hi', revision })], [200])
      }
      for (const deleting of [0, 1]) {
        await Promise.all([chat(0), chat(1)])
        onlyStatuses([await ask(to, deleting, 'DELETE', `/v1/bots/${id}/results`)], [200])
        promise((await count()) === 0, 'Deleting all results left some of the other clock')
        await Promise.all([chat(0), chat(1)])
        promise((await count()) === 2, 'Results after a deletion of all are hidden')
        onlyStatuses([await ask(to, deleting, 'DELETE', `/v1/bots/${id}/results`)], [200])
      }

      // The clock of the first one goes back.
      to.members[0]?.program?.signal('SIGUSR2')
      await sleep(100)
      for (let round = 0; round < 6; round++) await update(round)
      await Promise.all([chat(0), chat(1)])
      promise((await count()) === 2, 'Results of a clock that went back are hidden')
      return `${updates + 6} updates in order, ${listed.size} bots on ${pages} pages once each, all results deleted and none after`
    }),
}

const slowNetwork: Fault = {
  id: 'F20',
  what: 'a slow network to the database that breaks now and then',
  run: (setting) =>
    installed({ processes: 1 }, async (to) => {
      const [member] = to.members as [Member]
      const { proxy } = member
      const { random } = setting
      proxy.delay = () => 80 + random.below(40)
      proxy.cut = () => (random.chance(0.01) ? random.one(['before', 'after'] as const) : undefined)
      const answers: Answer[] = []
      const end = performance.now() + some(setting, 30_000, 5_000)
      await times(8, async (place) => {
        while (performance.now() < end) {
          const isRead = place % 2 === 0
          const body = isRead ? undefined : { workspaceId: to.workspaceId, folder: { name: 'Slow' } }
          answers.push(
            await ask(to, 0, isRead ? 'GET' : 'POST', isRead ? '/v1/workspaces' : '/v1/folders', body),
          )
        }
      })
      proxy.delay = undefined
      proxy.cut = undefined
      onlyStatuses(answers, [200, 201, 503])
      const failed = answers.filter(({ status }) => status === 503).length
      // Three statements each, of which one breaks all that wait on its connection.
      promise(
        failed <= answers.length * 0.12,
        `${failed} of ${answers.length} failed where one statement in a hundred broke`,
      )
      within(setting, quantile(answers, 0.99), 7_500, 'The slowest one in a hundred')
      const [{ all }] = await rows(
        to,
        `SELECT count(*)::int AS all FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'bot-builder-service'`,
      )
      promise(all <= 10, `${all} connections are open, of at most 10`)
      onlyStatuses(await times(20, () => ask(to, 0, 'GET', '/v1/workspaces')), [200])
      return `${tally(answers)}, ${proxy.cuts} cuts, median ${Math.round(quantile(answers, 0.5))} ms, p99 ${Math.round(quantile(answers, 0.99))} ms; ${all} connections`
    }),
}

const silentNetwork: Fault = {
  id: 'F21',
  what: 'established connections to the database are silent',
  run: (setting) =>
    installed({ processes: 1 }, async (to) => {
      const [member] = to.members as [Member]
      onlyStatuses(await times(40, () => ask(to, 0, 'GET', '/v1/workspaces')), [200])
      await sleep(some(setting, 8_000, 500))
      member.proxy.freeze()
      const start = performance.now()
      const answers: Answer[] = []
      await until('new connections are made', async () => {
        answers.push(await ask(to, 0, 'GET', '/v1/workspaces'))
        return answers.at(-1)?.status === 200
      })
      const took = performance.now() - start
      onlyStatuses(answers, [200, 503])
      within(setting, took, 15_000, 'Noticing silent connections')
      onlyStatuses(await times(30, () => ask(to, 0, 'GET', '/v1/workspaces')), [200])
      return `${answers.length - 1} × 503, slowest ${Math.round(slowest(answers))} ms; served again after ${Math.round(took)} ms`
    }),
}

const largeBodies: Fault = {
  id: 'F22',
  what: 'twenty bodies of four megabytes',
  run: (setting) =>
    installed({ processes: 1 }, async (to) => {
      const stamp = stamped('0')
      const [group] = stamp.groups
      const graphCoordinates = { x: 0, y: 0 }
      const text = {
        type: 'text',
        content: { richText: [{ type: 'p', children: [{ text: 'x'.repeat(60) }] }] },
      }
      const groups = Array.from({ length: 4_500 }, (_, place) => ({
        ...group,
        id: `group-${place}`,
        graphCoordinates,
        blocks: Array.from({ length: 5 }, (_, block) => ({ id: `block-${place}-${block}`, ...text })),
      }))
      const bot = { ...stamp, edges: [], events: [{ id: 'start', type: 'start', graphCoordinates }], groups }
      const size = JSON.stringify({ workspaceId: to.workspaceId, bot }).length
      let isOver = false
      const probes: Answer[] = []
      const probing = (async () => {
        while (!isOver) {
          probes.push(await ask(to, 0, 'GET', '/livez'))
          await sleep(20)
        }
      })()
      const answers: Answer[] = []
      for (let one = 0; one < some(setting, 20, 3); one++) {
        answers.push(await ask(to, 0, 'POST', '/v1/bots', { workspaceId: to.workspaceId, bot }))
      }
      isOver = true
      await probing
      onlyStatuses(answers, [201])
      onlyStatuses(probes, [200])
      within(setting, quantile(probes, 0.99), 200, '/livez meanwhile')
      return `${answers.length} of ${(size / 2 ** 20).toFixed(1)} MiB; /livez median ${Math.round(quantile(probes, 0.5))} ms, slowest ${Math.round(slowest(probes))} ms`
    }),
}

const missingServices: Fault = {
  id: 'F26',
  what: 'no mail server is configured, or one that nobody reaches',
  async run() {
    const closed = createServer().listen(0, '127.0.0.1')
    await new Promise((resolve) => closed.once('listening', resolve))
    const { port } = closed.address() as { port: number }
    await new Promise((resolve) => closed.close(resolve))
    const seen: string[] = []
    for (const SMTP_URL of ['', `smtp://127.0.0.1:${port}`]) {
      await installed({ processes: 1, variables: { SMTP_URL } }, async (to) => {
        const bot = stamped('Hello')
        const mail = {
          id: 'mail',
          type: 'Email',
          options: { recipients: ['ada@example.com'], subject: 'Hello' },
        }
        const [group] = bot.groups
        const groups = [{ ...group, blocks: [mail, ...(group?.blocks ?? [])] }]
        const { id } = await newBot(to, { ...bot, groups, publicId: 'mailing' })
        onlyStatuses([await ask(to, 0, 'POST', `/v1/bots/${id}/publish`, {})], [200])
        const started = await ask(to, 0, 'POST', '/api/v1/bots/mailing/startChat', {})
        onlyStatuses([started], [200])
        promise(started.body.messages.length === 1, 'The chat does not go on after its mail')
        onlyStatuses([await ask(to, 0, 'DELETE', `/v1/bots/${id}`)], [200])
        onlyStatuses([await ask(to, 0, 'GET', `/v1/bots/${id}`)], [404])
        seen.push(SMTP_URL === '' ? 'without one' : 'with one that is away')
      })
    }
    return `chats go on and bots are deleted ${seen.join(' and ')}`
  },
}

export const networkFaults = [
  goneCallers,
  wrongClocks,
  slowNetwork,
  silentNetwork,
  largeBodies,
  missingServices,
]
