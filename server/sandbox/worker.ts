/**
 * The inside of the sandbox: a JavaScript engine compiled to WebAssembly, in a thread of its own.
 *
 * The engine stops most code at its time limit. Some of its built-in functions never look at the clock, and deep
 * recursion can break the engine itself: for both the thread is given up and replaced (see `pool.ts`).
 */
import { randomInt } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { parentPort } from 'node:worker_threads'
import {
  newQuickJSWASMModuleFromVariant,
  type QuickJSContext,
  type QuickJSHandle,
  type QuickJSRuntime,
} from 'quickjs-emscripten-core'
import { root } from '../root.ts'
import { nameOfThisThread, openThreadClock } from './cpu-clock.ts'
import { answerHostCall } from './host.ts'
import type { CodeAnswer } from './types.ts'

/** Comes with the position among the requests of the code, the request as the code gave it, and the time since 1970. */
export type Answer = CodeAnswer & { index: number; request: string; at: number }

export interface Job {
  /** `expression`: gives its value, or is the body of a function with a `return`. `body`: always a body. */
  form: 'expression' | 'body'
  code: string
  names: string[]
  /** JSON of the list of argument values. */
  values: string
  /** CPU time. */
  milliseconds: number
  /** With the same clock, seed (that of the first run) and responses the same code does the same again. */
  startedAt: number
  seed?: number
  answers: Answer[]
}

/** `milliseconds`: CPU time taken. `isBroken`: this thread cannot be used again. */
export type JobOutcome =
  | { outcome: 'done'; json: string; seed: number; milliseconds: number }
  | {
      outcome: 'failed'
      /** Absent if only the message says why. */
      reason?: 'time' | 'memory'
      message: string
      milliseconds: number
      isBroken?: boolean
    }

export type FromWorker = { ready: string | null } | JobOutcome

const memoryBytes = 32 * 1_048_576
const stackBytes = 256 * 1_024
const MAX_RESULT_CHARACTERS = 4 * 1_048_576

const read = (name: string) => readFileSync(new URL(`server/sandbox/globals/${name}.js`, root), 'utf8')
const globals = read('globals')
const onDemand: Record<string, string> = { intl: read('intl'), url: read('url'), web: read('web') }

const thread = nameOfThisThread()
const clock = openThreadClock(thread)
const engine = await newQuickJSWASMModuleFromVariant(import('@jitl/quickjs-wasmfile-release-sync'))

// The engine takes the time and the time zone from `Date` of this thread, and seeds `Math.random` with the time. Code
// must do the same when it runs again with the response to a request, and must not see the time zone of the machine.
let now = 0
Date.now = () => now
Date.prototype.getTimezoneOffset = () => 0

/** An engine of its own for one piece of code. */
interface Room {
  runtime: QuickJSRuntime
  context: QuickJSContext
  /** The function that `globals` is. */
  prepare: QuickJSHandle
  seed: number
}

function openRoom(seed: number): Room {
  const runtime = engine.newRuntime()
  runtime.setMemoryLimit(memoryBytes)
  runtime.setMaxStackSize(stackBytes)
  now = seed
  const context = runtime.newContext()
  const prepare = context.unwrapResult(context.evalCode(globals, 'globals'))
  return { runtime, context, prepare, seed }
}

let nextRoom: Room | null = null

function takeRoom(seed: number | undefined): Room {
  if (seed !== undefined) return openRoom(seed)
  const room = nextRoom ?? openRoom(randomInt(2 ** 47))
  nextRoom = null
  return room
}

/** Creates the next engine while no code waits: it would take most of the time of a short expression. */
function openNextRoom(): void {
  try {
    nextRoom ??= openRoom(randomInt(2 ** 47))
  } catch {
    // The engine is out of memory. The next job tries again and reports that.
  }
}

function run(job: Job): JobOutcome {
  const worked = clock.start()
  let isLate = false
  const isOver = () => {
    isLate ||= worked() > job.milliseconds
    return isLate
  }
  const room = takeRoom(job.seed)
  room.runtime.setInterruptHandler(isOver)
  now = job.startedAt
  const ran = evaluate(room, job, isOver)
  // Memory that did not come back means a broken engine, which aborts here; the caller catches it.
  room.context.dispose()
  room.runtime.dispose()
  const milliseconds = worked()
  if (isLate)
    return {
      outcome: 'failed',
      reason: 'time',
      message: `Stopped after ${job.milliseconds} ms`,
      milliseconds,
    }
  return 'json' in ran
    ? { outcome: 'done', json: ran.json, seed: room.seed, milliseconds }
    : { outcome: 'failed', message: ran.message, milliseconds }
}

function evaluate(
  { context, prepare }: Room,
  job: Job,
  isOver: () => boolean,
): { json: string } | { message: string } {
  const handles: QuickJSHandle[] = [prepare]
  const hold = (handle: QuickJSHandle) => {
    handles.push(handle)
    return handle
  }
  const text = (value: string) => hold(context.newString(value))
  /** Calls a function of the engine, and then whatever waits to be run in it. */
  const call = (called: QuickJSHandle, ...args: QuickJSHandle[]) => {
    const result = context.callFunction(called, context.undefined, ...args)
    if (result.error) throw new EngineError(messageOf(context, hold(result.error)))
    hold(result.value)
    const pending = context.runtime.executePendingJobs()
    if (pending.error) throw new EngineError(messageOf(context, hold(pending.error)))
    pending.dispose()
    return result.value
  }
  try {
    const host = context.newFunction('host', (asked) => {
      const request = context.getString(asked)
      return context.newString(isOver() ? '{"error":["Error","Stopped"]}' : answerHostCall(request, onDemand))
    })
    const { form, code, names, values } = job
    const control = call(prepare, hold(host), text(JSON.stringify({ form, code, names, values })))
    const method = (name: string) => hold(context.getProp(control, name))
    call(method('start'))
    for (const answer of job.answers) {
      now = answer.at
      call(method('answer'), text(JSON.stringify(answer)))
    }
    const json = call(method('finish'))
    const length = context.getProp(json, 'length').consume((value) => context.getNumber(value))
    if (length > MAX_RESULT_CHARACTERS) return { message: 'The result is too large' }
    return { json: context.getString(json) }
  } catch (error) {
    if (error instanceof EngineError) return { message: error.message }
    throw error
  } finally {
    for (const handle of handles) if (handle.alive) handle.dispose()
  }
}

class EngineError extends Error {}

function messageOf(context: QuickJSContext, handle: QuickJSHandle): string {
  const read = (name: string) =>
    context
      .getProp(handle, name)
      .consume((value) => (context.typeof(value) === 'string' ? context.getString(value) : ''))
  if (context.typeof(handle) !== 'object') return 'The code failed'
  return `${read('name')}: ${read('message')}`
}

function tryRun(job: Job): JobOutcome {
  const worked = clock.start()
  try {
    return run(job)
  } catch {
    return {
      outcome: 'failed',
      reason: 'memory',
      message: 'The code used up the memory of the sandbox',
      milliseconds: worked(),
      isBroken: true,
    }
  }
}

// Compiles the parts that all code goes through, so that the first code of a bot does not pay for it.
const first = 'new Intl.NumberFormat("en").format(new URL("https://example.com").port)'
tryRun({
  form: 'expression',
  code: first,
  names: [],
  values: '[]',
  milliseconds: 10_000,
  startedAt: 0,
  answers: [],
})
openNextRoom()
parentPort?.on('message', (job: Job) => {
  parentPort?.postMessage(tryRun(job) satisfies FromWorker)
  openNextRoom()
})
parentPort?.postMessage({ ready: thread } satisfies FromWorker)
