import { setTimeout as sleep } from 'node:timers/promises'
import { MS_PER_HOUR } from '../../server/durations.ts'
import { createDatabase } from '../support/server.ts'
import { addStranger, aRole, aToken, aWorkspace } from './access-history.ts'
import { liveOneBot } from './bot-history.ts'
import { aChat } from './chat-history.ts'
import { stamped } from './documents.ts'
import { install } from './installation.ts'
import { makeFolderOnce } from './made-once.ts'
import { breakThings } from './nemesis.ts'
import { type Random, randomOf } from './random.ts'
import { Caller, type Run } from './run.ts'

/*
 * Several processes on one database, whose clocks are up to an hour apart, and which are broken in every way, while
 * callers record their requests and the responses. Each history is checked as soon as it is complete.
 */

export interface HistoryOptions {
  seed: number
  milliseconds: number
  processes: number
  /** Number of bots that live at once; each has its chats and doors. */
  width: number
  /** True if faults are injected meanwhile. */
  isBroken: boolean
  /** The folder of another copy of the project. */
  folder?: string
}

export interface HistoryReport {
  answers: number
  counts: Record<string, number>
  /** Milliseconds from the first request to the last. */
  took: number
  violation?: Error
  /** Last errors in the logs of the processes. */
  log: string[]
}

export async function runHistories(options: HistoryOptions): Promise<HistoryReport> {
  const { seed, milliseconds, processes, width, isBroken, folder } = options
  const random = randomOf(seed)
  const base = await createDatabase('nothing')
  const installation = await install({
    databaseUrl: base.url,
    processes,
    clocks: [0, MS_PER_HOUR / 2, -MS_PER_HOUR / 2, MS_PER_HOUR / 3, -MS_PER_HOUR / 3],
    variables: { MAX_WORKSPACES_PER_USER: '1000000' },
    folder,
  })
  const run: Run = { installation, answers: 0, counts: {}, isOver: false }
  const start = performance.now()
  let violation: Error | undefined
  const over = new AbortController()
  const end = (error?: Error) => {
    violation ??= run.isOver ? undefined : error
    run.isOver = true
    over.abort()
  }
  try {
    const setUp = new Caller(run, random.part(0))
    const publicId = 'talking'
    const { workspaceId } = installation
    const bot = { ...stamped('Hello'), name: 'Talking', publicId }
    const { body } = await setUp.once('POST', '/v1/bots', { body: { workspaceId, bot } })
    const botId = body.bot.id as string
    await setUp.once('POST', `/v1/bots/${botId}/publish`, { body: {} })

    const actors: ((random: Random) => Promise<void>)[] = []
    const callers = (random: Random, number: number) =>
      Array.from({ length: number }, (_, place) => new Caller(run, random.part(place)))
    for (let place = 0; place < width; place++) {
      actors.push((random) =>
        liveOneBot(run, new Caller(run, random), (other) => new Caller(run, random.part(other))),
      )
      actors.push((random) => aChat(run, new Caller(run, random), botId, publicId))
      for (let more = 0; more < 4; more++) {
        actors.push((random) => makeFolderOnce(run, new Caller(run, random)))
      }
    }
    const stranger = await addStranger(installation)
    actors.push((random) => aToken(run, new Caller(run, random), callers(random, 2), botId))
    actors.push((random) => aRole(run, new Caller(run, random), callers(random, 2), botId, stranger))
    actors.push((random) => aWorkspace(run, new Caller(run, random), callers(random, 2)))

    const acting = actors.map(async (act, place) => {
      for (let round = 0; !run.isOver; round++) await act(random.part(100 + place).part(round))
    })
    if (isBroken) acting.push(breakThings(run, random.part(99)))
    for (const one of acting) one.catch(end)
    await sleep(milliseconds, undefined, { signal: over.signal }).catch(() => {})
    end()
    await Promise.allSettled(acting)
    const log = installation.members.flatMap((member) => member.log().slice(-20))
    return { answers: run.answers, counts: run.counts, took: performance.now() - start, violation, log }
  } finally {
    await installation.stop()
    await base.drop()
  }
}
