import { setTimeout as sleep } from 'node:timers/promises'
import { freePort, type Program, run, startProgram, tokenIn, until } from '../../support/process.ts'
import { createDatabase } from '../../support/server.ts'
import { type Answer, send } from '../client.ts'
import { stamped, stampOf } from '../documents.ts'
import type { Random } from '../random.ts'
import { builtRelease } from '../release.ts'
import { promise } from '../run.ts'
import { type Fault, type Setting, some, times } from './fault.ts'

/*
 * The release before this one serves a database that this release has migrated, beside processes of this release: what
 * either acknowledges the other shows at once, and nothing fails. Then the old ones go.
 */

interface Process {
  url: string
  program: Program
}

async function startProcess(file: string, databaseUrl: string, folder?: string): Promise<Process> {
  const port = String(await freePort())
  const variables = {
    DATABASE_URL: databaseUrl,
    PORT: port,
    RATE_LIMIT: 'off',
    LOG_LEVEL: 'error',
    SHUTDOWN_DELAY: '0',
  }
  const program = startProgram(file, [], variables, folder)
  const url = `http://127.0.0.1:${port}`
  let hasEnded = false
  void program.ended.then(() => (hasEnded = true))
  await until('it serves', async () => hasEnded || (await send(url, 'GET', '/readyz')).status === 200)
  promise(!hasEnded, `A process ended at its start: ${program.errors()}`)
  return { url, program }
}

/** Asks whichever processes there are, and counts what was not answered well. */
class Callers {
  processes: Process[] = []
  token = ''
  workspaceId = ''
  isOver = false
  answers = 0
  acknowledged = 0

  constructor(readonly random: Random) {}

  async ask(method: string, path: string, body?: unknown, wanted = 200): Promise<Answer> {
    const { url } = this.random.one(this.processes)
    const answer = await send(url, method, path, { token: this.token, body, patience: 60_000 })
    this.answers++
    const place = url === this.processes[0]?.url ? 'first' : 'other'
    promise(
      answer.status === wanted,
      `${method} ${path} of the ${place} process was answered ${answer.status}: ${answer.text} ${answer.headers['x-request-id']}`,
    )
    if (method !== 'GET') this.acknowledged++
    return answer
  }
}

interface Bot {
  id: string
  publicId: string
  /** As the last acknowledged change made it, and the last publication. */
  stamp: string
  published: string
  results: { id: string; said: string[] }[]
}

async function newBot(callers: Callers, publicId: string): Promise<Bot> {
  const bot = { name: publicId, publicId, ...stamped('0') }
  const { body } = await callers.ask('POST', '/v1/bots', { workspaceId: callers.workspaceId, bot }, 201)
  await callers.ask('POST', `/v1/bots/${body.bot.id}/publish`, {})
  return { id: body.bot.id, publicId, stamp: '0', published: '0', results: [] }
}

/** Changes one bot, of which nobody else does, and reads it back from whichever process. */
async function edit(callers: Callers, bot: Bot) {
  const stamp = `${bot.publicId} ${callers.answers}`
  const { random } = callers
  await callers.ask('PATCH', `/v1/bots/${bot.id}`, { bot: stamped(stamp) })
  bot.stamp = stamp
  await check(callers, bot)
  if (!random.chance(0.5)) return
  await callers.ask('POST', `/v1/bots/${bot.id}/publish`, {})
  bot.published = bot.stamp
  const { body } = await callers.ask('GET', `/v1/bots/${bot.id}/publishedBot`)
  const shown = stampOf(body.publishedBot)
  promise(shown === bot.published, `Published ${bot.published}, and ${shown} was shown`)
}

async function check(callers: Callers, bot: Bot) {
  const { body } = await callers.ask('GET', `/v1/bots/${bot.id}`)
  const shown = stampOf(body.bot)
  promise(shown === bot.stamp, `Acknowledged ${bot.stamp}, and ${shown} was shown`)
}

/** A chat of which each step may run in another process. */
async function chat(callers: Callers, bot: Bot) {
  const { body } = await callers.ask('POST', `/api/v1/bots/${bot.publicId}/startChat`, {})
  promise(
    JSON.stringify(body.messages).includes(bot.published),
    `A chat ran something else than ${bot.published}`,
  )
  const result = { id: body.resultId as string, said: [] as string[] }
  bot.results.push(result)
  for (let step = 0; step < 3; step++) {
    const message = `${result.id} says ${step}`
    await callers.ask('POST', `/api/v1/sessions/${body.sessionId}/continueChat`, { message })
    result.said.push(message)
    await checkResult(callers, bot, result)
  }
}

async function checkResult(callers: Callers, bot: Bot, { id, said }: Bot['results'][number]) {
  const { body } = await callers.ask('GET', `/v1/bots/${bot.id}/results/${id}`)
  const stored = body.result.answers.map(({ content }: { content: string }) => content)
  promise(JSON.stringify(stored) === JSON.stringify(said), `Acknowledged ${said}, and ${stored} was shown`)
  const completed = said.length === 3
  promise(
    body.result.isCompleted === completed,
    `A result of ${said.length} answers was shown as ${completed ? 'open' : 'completed'}`,
  )
}

/** Everything of a bot, from every process. */
async function checkAll(callers: Callers, bot: Bot) {
  const { processes } = callers
  for (const one of processes) {
    callers.processes = [one]
    await check(callers, bot)
    const { body } = await callers.ask('GET', `/v1/bots/${bot.id}/analytics/stats`)
    const { totalViews, totalCompleted } = body.stats
    const completed = bot.results.filter(({ said }) => said.length === 3).length
    promise(
      totalViews === bot.results.length && totalCompleted === completed,
      `${bot.results.length} chats, ${completed} completed, and statistics of ${JSON.stringify(body.stats)}`,
    )
    for (const result of bot.results) await checkResult(callers, bot, result)
  }
  callers.processes = processes
}

/** Lets callers work on bots of their own until `work` is done. */
async function under(callers: Callers, bots: Bot[], work: () => Promise<void>) {
  callers.isOver = false
  const working = bots.map(async (bot, place) => {
    while (!callers.isOver) {
      if (place % 2 === 0) await edit(callers, bot)
      else await chat(callers, bot)
    }
  })
  const all = Promise.all(working)
  try {
    await Promise.race([all, work()])
  } finally {
    callers.isOver = true
  }
  await all
}

async function until100More(setting: Setting, callers: Callers) {
  const wanted = callers.acknowledged + some(setting, 400, 60)
  while (callers.acknowledged < wanted && !callers.isOver) await sleep(20)
}

export const upgrade: Fault = {
  id: 'F17',
  what: 'the release before serves beside this one, on the schema of this one',
  async run(setting) {
    const old = await builtRelease()
    if (!old) return 'NOT RUN: the history of the project does not have the release before'
    const { url, drop } = await createDatabase('nothing')
    try {
      const callers = new Callers(setting.random)
      const before = await startProcess('dist/server/main.js', url, old)
      callers.processes = [before]
      // It says it in the one place or the other.
      callers.token = tokenIn(before.program.errors() + before.program.output()) ?? ''
      callers.workspaceId = (await callers.ask('GET', '/v1/workspaces')).body.workspaces[0].id
      const bots = await times(6, (place) => newBot(callers, `bot-${place}`))
      const seen: string[] = []
      const phase = async (name: string, work: () => Promise<void>) => {
        const { acknowledged } = callers
        await under(callers, bots, async () => {
          await work()
          await until100More(setting, callers)
        })
        for (const bot of bots) await checkAll(callers, bot)
        seen.push(`${callers.acknowledged - acknowledged} writes ${name}`)
      }
      await phase('before', async () => {})
      await phase('while the schema was migrated and after', async () => {
        const { code, stderr } = await run('server/admin.ts', ['migrate'], { DATABASE_URL: url })
        promise(code === 0, `The migration ended with ${code}: ${stderr}`)
      })
      const added = await startProcess('server/main.ts', url)
      await phase('with both', async () => {
        callers.processes = [before, added]
      })
      // Requests under way finish, and none is sent any more to who ends.
      await phase('as the old one went', async () => {
        callers.processes = [added]
        before.program.signal('SIGTERM')
        const { code } = await before.program.ended
        promise(code === 0, `The old process ended with ${code}`)
      })
      const results = bots.reduce((sum, bot) => sum + bot.results.length, 0)
      return `${callers.answers} answers, none failed; ${seen.join(', ')}; ${results} results whole in both`
    } finally {
      await drop()
    }
  },
}
