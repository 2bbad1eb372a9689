/**
 * The sandbox for code that bots bring along.
 *
 * Code runs in a WebAssembly engine inside a worker thread: it sees neither this process nor the network, and its
 * changes to the engine end with the evaluation. An evaluation that does not stop by itself costs its thread, never
 * the event loop of the service.
 *
 * No thread waits for the network. Code that has sent a request is dropped, and runs again from its beginning once
 * there is a response, with the same clock and the same random numbers, so that it gets to the same position and
 * continues. So slow responses occupy no memory and no thread, however many chats wait for one.
 */
import { availableParallelism } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { LRUCache } from 'lru-cache'
import { currentTime } from '../clock.ts'
import { asObject, asString, parseJson } from '../json/access.ts'
import { type Owner, openPool, type Ran } from './pool.ts'
import type { CodeRequest, EvaluateOutcome, EvaluateRequest } from './types.ts'
import type { Answer } from './worker.ts'

export interface Sandbox {
  evaluate(request: EvaluateRequest): Promise<EvaluateOutcome>
  /** Starts all threads beforehand. Resolves when they are ready, rejects when one cannot be started. */
  warm(): Promise<void>
  close(): Promise<void>
}

/** Output of the code. The code may have tampered with what writes it, so no property is trusted. */
interface Report {
  value?: unknown
  error?: unknown
  isWaiting?: unknown
  assignments?: unknown
  lines?: unknown
  calls?: unknown
}

/** Code that waits for responses may take this many times its limit, each run counted from its beginning. */
const MAX_STRETCH_FACTOR = 5
const MAX_CALLS = 20
/** Time to wait for further responses once there is one. */
const TOGETHER_MS = 20
const MAX_LINES = 20
const SUSPICION_MS = 600_000

export function openSandbox(options: { threads?: number } = {}): Sandbox {
  // A bot whose code had to be stopped gets a thread only after all other such bots, so that no other bot waits for
  // its timeouts, or for the replacement of its threads.
  const suspects = new LRUCache<string, true>({ max: 10_000, ttl: SUSPICION_MS })
  const detention = openPool(1, () => {})
  const pool = openPool(options.threads ?? Math.max(1, Math.min(2, availableParallelism() - 1)), suspect)

  function suspect(owner: Owner) {
    suspects.set(owner.bot, true)
    detention.add(pool.remove(owner))
  }

  async function evaluate(request: EvaluateRequest): Promise<EvaluateOutcome> {
    const time = () => request.now ?? currentTime()
    const job = {
      form: request.form,
      code: request.code,
      names: request.args.map((arg) => arg.name),
      values: JSON.stringify(request.args.map((arg) => arg.value ?? null)),
      milliseconds: request.milliseconds,
      startedAt: time().getTime(),
    }
    const owner = { workspace: request.workspaceId ?? request.owner, bot: request.owner }
    const answers: Answer[] = []
    /** Positions of the requests that were sent, and those whose response is to come. */
    const requestedPositions = new Set<number>()
    const pending = new Map<number, Promise<void>>()
    let { seed } = request
    let milliseconds = 0
    for (;;) {
      const given = [...answers]
      const ran = await run(owner, { ...job, seed, answers: given })
      if (ran.outcome === 'busy') return fail('busy', ran.message)
      milliseconds += ran.milliseconds
      if (ran.outcome === 'failed') {
        const reason = ran.reason ?? reasonOf(ran.message)
        if (reason !== 'error') suspect(owner)
        return fail(reason, ran.message)
      }
      seed = ran.seed
      const report = readReport(ran.json)
      const lines = linesOf(report)
      const calls = callsOf(report).filter(({ index }) => !requestedPositions.has(index))
      for (const { index, text, request: call } of calls) {
        requestedPositions.add(index)
        const answering = request.fetch(call).then((answer) => {
          pending.delete(index)
          answers.push({ index, request: text, at: time().getTime(), ...answer })
        })
        pending.set(index, answering)
      }
      if (report.isWaiting !== true) {
        // Requests that nothing waits for are a part of its time; those that lost a race are not.
        await Promise.all(calls.map(({ index }) => pending.get(index)))
        return { ...outcomeOf(report), milliseconds, lines }
      }
      if (pending.size === 0 && answers.length === given.length)
        return { ...outcomeOf(report), milliseconds, lines }
      // The first response may be all that the code waits for. Code that needs more then waits for all of them.
      if (calls.length === 0) await Promise.all(pending.values())
      else await Promise.race(pending.values())
      if (pending.size > 0) await sleep(TOGETHER_MS)
      if (milliseconds > request.milliseconds * MAX_STRETCH_FACTOR)
        return fail('time', `Stopped after ${request.milliseconds * MAX_STRETCH_FACTOR} ms in all`)
    }

    function fail(reason: 'error' | 'time' | 'memory' | 'busy', message: string): EvaluateOutcome {
      return { ok: false, reason, message: message.slice(0, 500), milliseconds, lines: [] }
    }
  }

  function run(owner: Owner, job: Parameters<typeof pool.run>[1]): Promise<Ran> {
    return (suspects.has(owner.bot) ? detention : pool).run(owner, job)
  }

  return {
    evaluate,
    warm: pool.warm,
    async close() {
      await Promise.all([pool.close(), detention.close()])
    },
  }
}

function readReport(json: string): Report {
  const report = parseJson(json)
  return typeof report === 'object' && report !== null ? report : {}
}

type Outcome =
  | { ok: true; value: unknown; assignments: { name: string; value: unknown }[] }
  | { ok: false; reason: 'error' | 'memory'; message: string }

function outcomeOf(report: Report): Outcome {
  if (report.isWaiting === true) return failureOf('The code did not come to an end')
  if ('error' in report) return failureOf(asString(report.error) ?? 'The code failed')
  if (!('value' in report)) return failureOf('The result is not a value')
  const assignments = Array.isArray(report.assignments) ? report.assignments : []
  return {
    ok: true,
    value: report.value,
    assignments: assignments.filter((each) => typeof each?.name === 'string'),
  }
}

function failureOf(message: string): Outcome {
  return { ok: false, reason: reasonOf(message), message: message.slice(0, 500) }
}

function reasonOf(message: string): 'error' | 'memory' {
  return message.includes('out of memory') ? 'memory' : 'error'
}

function linesOf({ lines }: Report): string[] {
  return Array.isArray(lines) ? lines.filter((line) => typeof line === 'string').slice(0, MAX_LINES) : []
}

/** Requests without a response so far. */
function callsOf({ calls }: Report): { index: number; text: string; request: CodeRequest }[] {
  if (!Array.isArray(calls)) return []
  return calls.slice(0, MAX_CALLS).flatMap((call) => {
    const request = typeof call?.request === 'string' ? readRequest(call.request) : null
    return request === null ? [] : [{ index: Number(call.index), text: call.request, request }]
  })
}

function readRequest(text: string): CodeRequest | null {
  const { url, method, headers, body } = readReport(text) as Record<string, unknown>
  if (typeof url !== 'string' || typeof method !== 'string') return null
  const pairs = Object.entries(asObject(headers)).filter(
    (pair): pair is [string, string] => typeof pair[1] === 'string',
  )
  const request = { url, method, headers: Object.fromEntries(pairs) }
  return typeof body === 'string' ? { ...request, body } : request
}
