import { setTimeout as sleep } from 'node:timers/promises'
import type { Random } from './random.ts'
import { count, type Run } from './run.ts'

/* Breaks an installation again and again, by a schedule that comes again with its seed. */

type Fault = (run: Run, random: Random) => Promise<void>

const faults: Record<string, Fault> = {
  /** A process stands still, and continues as if nothing had been. */
  async stop({ installation }, random) {
    const { program } = random.one(installation.members)
    program?.signal('SIGSTOP')
    await sleep(100 + random.below(1_500))
    program?.signal('SIGCONT')
  },
  async kill({ installation }, random) {
    const member = random.one(installation.members)
    await member.kill()
    await member.start()
  },
  /** Connections break before a commit reached the database, and between the commit and its answer. */
  async cut({ installation }, random) {
    const { proxy } = random.one(installation.members)
    proxy.cut = (request) => {
      if (!random.chance(request === 'commit' ? 0.3 : 0.03)) return undefined
      return random.one(['before', 'after'] as const)
    }
    await sleep(200 + random.below(800))
    proxy.cut = undefined
  },
  async terminate({ installation }, random) {
    await installation.database.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE datname = current_database() AND application_name = 'bot-builder-service' AND random() < $1`,
      [random.float()],
    )
  },
  /** Nothing comes through for a moment. */
  async freeze({ installation }, random) {
    const { proxy } = random.one(installation.members)
    proxy.freeze()
    await sleep(100 + random.below(700))
    proxy.thaw()
  },
  async slow({ installation }, random) {
    const { proxy } = random.one(installation.members)
    proxy.delay = () => random.below(40)
    await sleep(300 + random.below(700))
    proxy.delay = undefined
  },
}

/** Killing is done less often: starting takes longer than all else. */
const schedule = ['stop', 'cut', 'terminate', 'freeze', 'slow', 'cut', 'stop', 'kill'] as const

export async function breakThings(run: Run, random: Random) {
  while (!run.isOver) {
    await sleep(random.below(700))
    const name = random.one(schedule)
    if (run.isOver) return
    await faults[name]?.(run, random)
    count(run, `fault: ${name}`)
  }
}
