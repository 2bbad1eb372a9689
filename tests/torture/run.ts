import { setTimeout as sleep } from 'node:timers/promises'
import { type Answer, isUnsettled, type Sent, send } from './client.ts'
import type { Installation, Member } from './installation.ts'
import type { Random } from './random.ts'

/** A promise of the service that was not kept; the message says which, and how it was seen. */
export class Violation extends Error {}

export function promise(isKept: unknown, what: string): asserts isKept {
  if (!isKept) throw new Violation(what)
}

/** Values that the callers of one run share. */
export interface Run {
  installation: Installation
  /** Requests that were answered. */
  answers: number
  counts: Record<string, number>
  isOver: boolean
}

export const count = ({ counts }: Run, what: string, by = 1) => {
  counts[what] = (counts[what] ?? 0) + by
}

/** The outcome of a request that was sent until it had one. */
export interface Settled extends Answer {
  /** When it was sent for the last time. */
  lastStart: number
}

/** One caller: asks any process, and takes note of what must never be answered. */
export class Caller {
  constructor(
    readonly run: Run,
    readonly random: Random,
  ) {}

  private get member(): Member {
    return this.random.one(this.run.installation.members)
  }

  /** Sends a request once. */
  async try(method: string, path: string, sent: Sent = {}): Promise<Answer> {
    const token = this.run.installation.token
    const answer = await send(this.member.url, method, path, { token, ...sent })
    if (answer.status !== undefined) this.run.answers++
    if (answer.status === 503) count(this.run, 'refused')
    const { status, headers, text } = answer
    promise(status !== 500, `${method} ${path} was answered 500: ${text}`)
    promise(status !== 503 || headers['retry-after'], `A 503 of ${method} ${path} came without Retry-After`)
    return answer
  }

  /** Sends a request until its outcome is known: one call, from the first time on. */
  async settle(method: string, path: string, sent: Sent = {}): Promise<Settled> {
    let start: number | undefined
    for (let attempt = 0; ; attempt++) {
      const answer = await this.try(method, path, sent)
      start ??= answer.start
      if (!isUnsettled(answer)) return { ...answer, start, lastStart: answer.start }
      promise(attempt < 500, `${method} ${path} is not answered however often it is sent: ${answer.status}`)
      await sleep(50)
    }
  }

  /** As `settle`, with a key, and now and then once more: the answer has to be the same to the byte. */
  async once(
    method: string,
    path: string,
    sent: Sent & { token?: string | undefined } = {},
  ): Promise<Settled> {
    const key = `${Math.floor(this.random.float() * 2 ** 48).toString(36)}-${performance.now().toString(36)}`
    const keyed = { ...sent, headers: { ...sent.headers, 'idempotency-key': `torture-${key}` } }
    const answer = await this.settle(method, path, keyed)
    if (answer.status === undefined || answer.status >= 300 || !this.random.chance(0.25)) return answer
    const again = await this.settle(method, path, keyed)
    // Between the two attempts another caller may have deleted the record, or removed the permission to see it.
    if (again.status === 404 || again.status === 403 || again.status === 401) return answer
    promise(
      again.status === answer.status && again.text === answer.text,
      `The repeat of ${method} ${path} differs: ${answer.status} ${answer.text}, then ${again.status} ${again.text}`,
    )
    promise(again.headers['idempotent-replayed'] === 'true', `${method} ${path} was done again for its key`)
    count(this.run, 'repeats')
    return answer
  }
}
