/**
 * The inside of the sandbox: a JavaScript engine compiled to WebAssembly, in a thread of its own.
 *
 * The engine stops most code at its time limit. Some of its built-in functions never look at the clock, and deep
 * recursion can break the engine itself: for both the thread is given up and replaced (see `expressions.ts`).
 */
import { parentPort } from 'node:worker_threads'
import {
  newQuickJSWASMModuleFromVariant,
  type QuickJSContext,
  type QuickJSHandle,
} from 'quickjs-emscripten-core'

export interface Job {
  code: string
  names: string[]
  /** JSON of the list of argument values. */
  values: string
  milliseconds: number
}

/** `isBroken`: this thread cannot be used again. */
export type JobReply =
  | { ok: true; json: string }
  | { ok: false; reason: 'error' | 'time' | 'memory'; message: string; isBroken?: boolean }

const memoryBytes = 32 * 1_048_576
const stackBytes = 256 * 1_024
const maximumResultCharacters = 4 * 1_048_576

/**
 * Runs inside the engine around the given code. It turns the result into JSON there, so that only one string ever
 * leaves. `setVariable` collects what the code wants to assign besides its result.
 */
const wrapper = (code: string, names: string[]) => `
const assignments = []
globalThis.setVariable = (name, value) => { assignments.push({ name: String(name), value: storable(value) }) }
const storable = (value) => {
  if (value === undefined) return null
  if (typeof value === 'function' || typeof value === 'symbol') throw new TypeError('The result is not a value')
  if (typeof value === 'number' && !Number.isFinite(value)) return String(value)
  return value
}
const reviver = (key, value) => (typeof value === 'bigint' ? String(value) : value)
const stringify = JSON.stringify
globalThis.reply = undefined
;(async function (${names.join(', ')}) {
${code}
})(...JSON.parse(values)).then(
  (value) => { reply = stringify({ value: storable(value), assignments }, reviver) },
).catch((error) => { failure = error instanceof Error ? error.name + ': ' + error.message : String(error) })
`

const engine = await newQuickJSWASMModuleFromVariant(import('@jitl/quickjs-wasmfile-release-sync'))

function run(job: Job): JobReply {
  const end = performance.now() + job.milliseconds
  let isLate = false
  const runtime = engine.newRuntime()
  runtime.setMemoryLimit(memoryBytes)
  runtime.setMaxStackSize(stackBytes)
  runtime.setInterruptHandler(() => {
    isLate = performance.now() > end
    return isLate
  })
  const context = runtime.newContext()
  const reply = evaluate(context, job)
  // Memory that did not come back means a broken engine, which aborts here; the caller catches it.
  context.dispose()
  runtime.dispose()
  if (!reply.ok && isLate)
    return { ok: false, reason: 'time', message: `Stopped after ${job.milliseconds} ms` }
  return reply
}

function evaluate(context: QuickJSContext, job: Job): JobReply {
  context.newString(job.values).consume((values) => context.setProp(context.global, 'values', values))
  context.setProp(context.global, 'failure', context.undefined)
  const evaluated = context.evalCode(wrapper(job.code, job.names), 'code')
  if (evaluated.error) return evaluated.error.consume((error) => failureOf(context, error))
  evaluated.value.dispose()
  const pending = context.runtime.executePendingJobs()
  if (pending.error) return pending.error.consume((error) => failureOf(context, error))
  const failure = textOf(context, 'failure')
  if (failure !== undefined) return failed(failure ?? 'The code failed')
  const json = textOf(context, 'reply')
  if (json === undefined) return failed('The code did not come to an end')
  return json === null ? failed('The result is too large') : { ok: true, json }
}

/** A global of the engine if it is a text, `null` if that text is too long to be taken over. */
function textOf(context: QuickJSContext, name: string): string | null | undefined {
  return context.getProp(context.global, name).consume((handle) => {
    if (context.typeof(handle) !== 'string') return undefined
    const length = context.getProp(handle, 'length').consume((value) => context.getNumber(value))
    return length > maximumResultCharacters ? null : context.getString(handle)
  })
}

function failureOf(context: QuickJSContext, handle: QuickJSHandle): JobReply {
  const read = (name: string) =>
    context
      .getProp(handle, name)
      .consume((value) => (context.typeof(value) === 'string' ? context.getString(value) : ''))
  if (context.typeof(handle) !== 'object') return failed('The code failed')
  return failed(`${read('name')}: ${read('message')}`)
}

function failed(message: string): JobReply {
  const reason = message.includes('out of memory') ? 'memory' : 'error'
  return { ok: false, reason, message: message.slice(0, 500) }
}

parentPort?.on('message', (job: Job) => {
  let reply: JobReply
  try {
    reply = run(job)
  } catch {
    reply = {
      ok: false,
      reason: 'memory',
      message: 'The code used up the memory of the sandbox',
      isBroken: true,
    }
  }
  parentPort?.postMessage(reply)
})
parentPort?.postMessage('ready')
