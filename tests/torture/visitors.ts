import { setTimeout as sleep } from 'node:timers/promises'
import { until } from '../support/process.ts'
import { aChat } from './chat-history.ts'
import { stamped } from './documents.ts'
import { ask, newBot, onlyStatuses, rows, type Setting, times } from './faults/fault.ts'
import { type Installation, type InstallationOptions, install } from './installation.ts'
import { Caller, promise, type Run } from './run.ts'

/* Visitors who chat while something is broken: callers see 503 and no other error, and each answer is stored once. */

const VISITORS = 8

export interface Visited {
  installation: Installation
  bot: { id: string; publicId: string }
  /** Waits until visitors have finished as many more chats as there are visitors. */
  goOn(): Promise<void>
}

/** Has visitors chat, each with a bot of its own, while `work` is done; gives what was seen. */
export async function visit(
  { random }: Setting,
  options: InstallationOptions,
  work: (visited: Visited) => Promise<string>,
): Promise<string> {
  const installation = await install({ processes: 2, ...options })
  const run: Run = { installation, answers: 0, counts: {}, isOver: false }
  let failure: unknown
  try {
    const bots = await times(VISITORS, async (place) => {
      const publicId = `visited-${place}`
      const { id } = await newBot(installation, { ...stamped('Hello'), publicId })
      onlyStatuses([await ask(installation, 0, 'POST', `/v1/bots/${id}/publish`, {})], [200])
      return { id, publicId }
    })
    const visiting = bots.map(async ({ id, publicId }, place) => {
      for (let round = 0; !run.isOver; round++) {
        await aChat(run, new Caller(run, random.part(place).part(round)), id, publicId)
      }
    })
    const all = Promise.all(visiting).catch((error) => {
      failure = error
      run.isOver = true
    })
    const chats = () => run.counts.chats ?? 0
    const goOn = async () => {
      const before = chats()
      await until('visitors go on', () => run.isOver || chats() >= before + VISITORS)
      if (failure) throw failure
    }
    const [bot] = bots as [(typeof bots)[number]]
    let seen: string
    try {
      await goOn()
      seen = await work({ installation, bot, goOn })
      await goOn()
    } catch (error) {
      failure ??= error
      seen = ''
    } finally {
      run.isOver = true
      await all
    }
    if (failure) {
      // The response comes before the line of the log.
      await sleep(1_000)
      const log = installation.members.flatMap((member) => member.log().slice(-5))
      throw new Error(`${failure}\n${log.join('\n')}`, { cause: failure })
    }
    const { 'replies in chats': replies = 0, refused = 0 } = run.counts
    const [stored] = await rows(
      installation,
      'SELECT count(*)::int AS answers, count(DISTINCT (bot_id, result_id, content))::int AS different FROM result_answers',
    )
    promise(
      stored.answers === replies && stored.different === replies,
      `${replies} answers were acknowledged, and ${JSON.stringify(stored)} are stored`,
    )
    return `${seen}; ${run.answers} responses, ${refused} × 503 and no other error; ${replies} answers of ${chats()} chats, each stored once`
  } finally {
    await installation.stop()
  }
}
