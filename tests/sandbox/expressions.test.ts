import { spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'
import { setImmediate, setTimeout } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { openSandbox, type Sandbox } from '../../server/sandbox/index.ts'
import type { EvaluateOutcome } from '../../server/sandbox/types.ts'
import { boundNamed } from '../support/bounds.ts'

let sandbox: Sandbox

beforeAll(async () => {
  sandbox = openSandbox({ threads: 1 })
  await sandbox.warm()
})

afterAll(() => sandbox.close())

const noNetwork = async () => ({ ok: false as const, message: 'There is no network' })

function run(code: string, values: Record<string, unknown> = {}, owner = 'bot'): Promise<EvaluateOutcome> {
  const args = Object.entries(values).map(([name, value]) => ({ name, value: value as string }))
  return sandbox.evaluate({ form: 'body', code, args, owner, milliseconds: 100, fetch: noNetwork })
}

const result = async (code: string, values?: Record<string, unknown>) => {
  const reply = await run(code, values)
  return reply.ok ? reply.value : reply
}

describe('results of code', () => {
  test.each([
    ['return 1 + 1', 2],
    ['return "a" + "b"', 'ab'],
    ['return [1, "b", null]', [1, 'b', null]],
    ['return { a: { b: true } }', { a: { b: true } }],
    ['return undefined', null],
    ['', null],
    ['return NaN', 'NaN'],
    ['return -Infinity', '-Infinity'],
    ['return 10n ** 20n', '100000000000000000000'],
    ['return { a: 1n }', { a: '1' }],
    ['return new Date(0)', '1970-01-01T00:00:00.000Z'],
    ['return await Promise.resolve(4)', 4],
    ['const f = async () => 5; return f()', 5],
    ['return "\\u00e9\\ud83d\\ude00"', 'é😀'],
  ])('%s', async (code, expected) => expect(await result(code)).toEqual(expected))

  test.each([
    ['1 + 1 // a comment', 2],
    ['{ a: 1 }', { a: 1 }],
    ['[1, 2].map(function (x) { return x * 2 })', [2, 4]],
    ['const a = 1; return a + 1', 2],
  ])('%s without an error that it is a program', async (code, expected) => {
    const request = { form: 'expression' as const, code, args: [], owner: 'bot', milliseconds: 100 }
    expect(await sandbox.evaluate({ ...request, fetch: noNetwork })).toMatchObject({ value: expected })
  })

  test('arguments arrive as values', async () => {
    const values = { text: '"; throw 1; "', number: 2, list: ['a', null], object: { a: [1] }, nothing: null }
    expect(await result('return [text, number, list, object, nothing]', values)).toEqual(
      Object.values(values),
    )
  })

  test('assignments are returned beside the value', async () => {
    const reply = await run('setVariable("Name", "Ada"); setVariable("List", [1]); return 3')
    expect(reply).toMatchObject({
      ok: true,
      value: 3,
      assignments: [
        { name: 'Name', value: 'Ada' },
        { name: 'List', value: [1] },
      ],
    })
  })
})

describe('failures of code are values', () => {
  test.each([
    ['return missing', 'error', /missing/],
    ['return (', 'error', /SyntaxError/],
    ['throw new TypeError("no")', 'error', /TypeError: no/],
    ['throw null', 'error', /null/],
    ['return () => 1', 'error', /not a value/],
    ['return new Promise(() => {})', 'error', /end/],
    ['return "x".repeat(5e6)', 'error', /too large/],
    ['function f() { return f() } return f()', 'error', /stack/i],
    ['return "a".repeat(2 ** 29).length', 'memory', /memory/],
    ['while (true);', 'time', /100 ms/],
    ['for (;;) { try { while (true); } catch {} }', 'time', /100 ms/],
    ['return /(a+)+$/.test("a".repeat(40) + "b")', 'time', /100 ms/],
    ['(function f() { Promise.resolve().then(f) })(); return new Promise(() => {})', 'time', /100 ms/],
  ])('%s', async (code, reason, message) => {
    const reply = await run(code)
    expect(reply).toMatchObject({ ok: false, reason })
    expect(reply.ok ? '' : reply.message).toMatch(message)
  })

  test('memory that is filled bit by bit is an error', async () => {
    const code = 'const all = []; for (;;) all.push(new Array(1e5).fill(1))'
    const fetch = noNetwork
    const request = { form: 'body' as const, code, args: [], owner: 'bot', milliseconds: 60_000, fetch }
    expect(await sandbox.evaluate(request)).toMatchObject({ ok: false, reason: 'memory' })
  })

  test('code holds half of the memory of the table at once, and not all of it', async () => {
    const most = boundNamed('memoryBytes')
    expect(await result(`return new Uint8Array(${most / 2}).length`)).toBe(most / 2)
    expect(await run(`return new Uint8Array(${most}).length`)).toMatchObject({ ok: false, reason: 'memory' })
  })

  test('code returns a value of as many characters as the table says, and no longer one', async () => {
    const most = boundNamed('MAX_RESULT_CHARACTERS')
    // The JSON around the value counts too.
    expect(await result(`return "x".repeat(${most - 200})`)).toHaveLength(most - 200)
    expect(await run(`return "x".repeat(${most})`)).toMatchObject({ message: 'The result is too large' })
  })

  test('as many pieces of code of a bot wait as the table says, and one more is rejected', async () => {
    const most = boundNamed('MAX_WAITING_PER_BOT')
    const first = run('while (true);')
    await setImmediate()
    const waiting = Array.from({ length: most }, () => run('return 1'))
    const rejected = { ok: false, message: 'Too much code is waiting to be run' }
    expect(await run('return 1')).toMatchObject(rejected)
    for (const reply of await Promise.all(waiting)) expect(reply).not.toMatchObject(rejected)
    await first
  })

  test('the wrapper around the code can be changed only for its own run', async () => {
    await run('JSON.stringify = () => "evil"; globalThis.reply = "evil"; return 1')
    await run('Promise.prototype.then = () => {}; return 1')
    await run('delete globalThis.JSON; Object.prototype.value = 1; return 1')
    expect(await run('return JSON.stringify({ a: 1 })')).toMatchObject({ ok: true, value: '{"a":1}' })
  })
})

describe('isolation', () => {
  test('gives code nothing of the host', async () => {
    const names = [
      'process',
      'require',
      'host',
      'setTimeout',
      'Buffer',
      'WebAssembly',
      'XMLHttpRequest',
      'std',
      'os',
    ]
    expect(await result(`return [${names.map((name) => `typeof ${name}`)}]`)).toEqual(
      names.map(() => 'undefined'),
    )
    const constructed = 'return this.constructor.constructor("return typeof process")()'
    expect(await result(constructed)).toBe('undefined')
    expect(await run('return await import("node:fs")')).toMatchObject({ ok: false })
  })

  test('leaves nothing behind for the next evaluation', async () => {
    await run('globalThis.left = 1; Array.prototype.left = 1; Object.prototype.left = 1')
    expect(await result('return [typeof left, [].left ?? "none"]')).toEqual(['undefined', 'none'])
    expect(({} as Record<string, unknown>).left).toBeUndefined()
  })
})

describe('the event loop', () => {
  /** Returns the number of turns of the event loop during the work. */
  async function turnsDuring<Value>(work: Promise<Value>): Promise<{ value: Value; turns: number }> {
    let turns = 0
    let isOver = false
    const finished = work.finally(() => {
      isOver = true
    })
    while (!isOver) {
      await setImmediate()
      turns += 1
    }
    return { value: await finished, turns }
  }

  test('does not block for an expression that never ends', async () => {
    const { value, turns } = await turnsDuring(run('while (true);'))
    expect(value.ok).toBe(false)
    expect(turns).toBeGreaterThan(3)
  })

  test('does not block for one that the engine itself cannot stop', async () => {
    const endless = 'return Array.prototype.indexOf.call({ length: 9e15 }, 1)'
    const { value, turns } = await turnsDuring(run(endless, {}, 'uninterruptible'))
    expect(value).toMatchObject({ ok: false, reason: 'time' })
    expect(turns).toBeGreaterThan(3)
    expect(await result('return 1')).toBe(1)
  })

  test('continues after a broken engine, which is replaced', async () => {
    const nested = 'let list = []; for (let i = 0; i < 1e5; i++) list = [list]; return JSON.stringify(list)'
    expect(await run(nested, {}, 'breaker')).toMatchObject({ ok: false })
    expect(await result('return 1')).toBe(1)
  })
})

/** The address of a file of `server/sandbox`. */
const moduleOf = (file: string) => new URL(`../../server/sandbox/${file}`, import.meta.url).href

/** Starts a process that does nothing else. */
function startScript(script: string) {
  return spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', script], {
    env: { ...process.env, NODE_OPTIONS: '' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
}

describe('the time limit', () => {
  // In a process of their own: one of the clocks counts all threads, such as those that take the place of broken ones
  // above.
  test.each([
    ['of the thread', 'nameOfThisThread()'],
    ['of systems that do not count for threads', 'null'],
  ])('uses a clock %s that stands still while the thread does', async (_name, thread) => {
    const child = startScript(`
      import { nameOfThisThread, openThreadClock } from '${moduleOf('cpu-clock.ts')}'
      const clock = openThreadClock(${thread})
      const worked = clock.start()
      const startedAt = performance.now()
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 500)
      const times = { worked: worked(), waited: performance.now() - startedAt }
      while (worked() < 50);
      clock.close()
      process.stdout.write(JSON.stringify({ ...times, all: performance.now() - startedAt }))`)
    const { worked, waited, all } = JSON.parse(await text(child.stdout))
    expect(worked).toBeLessThan(waited / 2)
    expect(all).toBeGreaterThanOrEqual(500)
  })

  test('does not count the time in which the machine is busy with other work', async () => {
    const child = startScript(`
      import { openSandbox } from '${moduleOf('index.ts')}'
      const sandbox = openSandbox({ threads: 1 })
      await sandbox.warm()
      process.stdout.write('go')
      const code = 'let sum = 0; for (let i = 0; i < 1e5; i++) sum += i; return sum'
      const reply = await sandbox.evaluate({ form: 'expression', code, args: [], owner: 'bot', milliseconds: 1500 })
      process.stdout.write(JSON.stringify(reply))
      await sandbox.close()`)
    const chunks = child.stdout.setEncoding('utf8')[Symbol.asyncIterator]()
    let said = ''
    while (!said.startsWith('go')) {
      const { value, done } = await chunks.next()
      if (done) throw new Error('The process ended before its sandbox was warm')
      said += value
    }
    child.kill('SIGSTOP')
    await setTimeout(3_000)
    child.kill('SIGCONT')
    for await (const chunk of chunks) said += chunk
    expect(said).toContain('"value":4999950000')
  })

  test('counts all runs of code that waits for responses', async () => {
    const spin = 'for (let i = 0; i < 3e5; i++);'
    const code = `${spin} for (let i = 0; i < 19; i++) await fetch("https://a.test"); return 1`
    let sent = 0
    const fetch = async () => {
      sent += 1
      return { ok: true as const, status: 200, headers: {}, body: '' }
    }
    const request = { form: 'body' as const, code, args: [], owner: 'bot', fetch }
    const once = await sandbox.evaluate({ ...request, code: `${spin} return 1`, milliseconds: 60_000 })
    const milliseconds = Math.max(1, Math.ceil(once.milliseconds * 2))
    const reply = await sandbox.evaluate({ ...request, milliseconds })
    expect(reply).toMatchObject({ ok: false, reason: 'time' })
    expect(sent).toBeLessThan(19)
  })
})

describe('other bots', () => {
  test('are not delayed by one with much to evaluate', async () => {
    const order: string[] = []
    const busy = Array.from({ length: 5 }, () =>
      run('let n = 0; while (n < 10_000) n++; return n', {}, 'busy').then(() => order.push('busy')),
    )
    const other = run('return 1', {}, 'other').then(() => order.push('other'))
    await Promise.all([...busy, other])
    expect(order.indexOf('other')).toBeLessThanOrEqual(2)
  })

  test('are not delayed by one that costs threads, which waits behind its own kind', async () => {
    const endless = 'return Array.prototype.indexOf.call({ length: 9e15 }, 1)'
    const order: string[] = []
    const note = (name: string) => (reply: EvaluateOutcome) => void order.push(`${name} ${reply.ok}`)
    await Promise.all([run(endless, {}, 'killer').then(note('killer')), run('return 1', {}, 'first')])
    const later = Array.from({ length: 3 }, () => run(endless, {}, 'killer').then(note('killer')))
    const innocent = Array.from({ length: 20 }, (_, i) => run('return 1', {}, `${i}`).then(note('innocent')))
    await Promise.all(innocent)
    // Had they shared a thread, at least one of the killers had come first.
    expect(order).toEqual(['killer false', ...Array(20).fill('innocent true')])
    await Promise.all(later)
  })

  test('are not delayed by one whose code is stopped, which runs behind its own kind', async () => {
    const order: string[] = []
    const times = (code: string, owner: string) =>
      Array.from({ length: 8 }, () => run(code, {}, owner).then(() => order.push(owner)))
    await run('while (true);', {}, 'stopped')
    await Promise.all([...times('while (true);', 'stopped'), ...times('return 1', 'innocent')])
    // Had they taken turns, the last one of the innocent had come last.
    expect(order.lastIndexOf('innocent')).toBeLessThan(order.lastIndexOf('stopped'))
  })
})

test('code of one workspace waits for its own turns, however many bots the workspace has', async () => {
  const own = openSandbox({ threads: 1 })
  await own.warm()
  const order: string[] = []
  const ask = (workspaceId: string, owner: string) =>
    own
      .evaluate({
        form: 'body',
        code: 'return 1',
        args: [],
        owner,
        workspaceId,
        milliseconds: 100,
        fetch: noNetwork,
      })
      .then(() => order.push(workspaceId))
  const many = Array.from({ length: 30 }, (_, bot) => ask('many', `bot${bot}`))
  await Promise.all([...many, ask('other', 'lone'), ask('other', 'lone')])
  // The first one of the crowd is running already, and each turn of the other workspace comes after one more.
  expect(order.lastIndexOf('other')).toBeLessThanOrEqual(5)
  await own.close()
})

test('code that costs a thread is charged for the next thread', async () => {
  const own = openSandbox({ threads: 1 })
  const reply = await own.evaluate({
    form: 'expression',
    code: '('.repeat(3_000),
    args: [],
    owner: 'breaker',
    milliseconds: 100,
    fetch: noNetwork,
  })
  expect(reply).toMatchObject({ ok: false })
  expect(reply.milliseconds).toBeGreaterThan(150)
  await own.close()
})

test('the sandbox rejects requests that wait too long or are too many', async () => {
  const own = openSandbox({ threads: 1 })
  const request = { form: 'body' as const, code: 'while (true);', args: [], owner: 'bot', milliseconds: 100 }
  const replies = Array.from({ length: 300 }, () => own.evaluate({ ...request, fetch: noNetwork }))
  expect(await replies[299]).toMatchObject({ ok: false, reason: 'busy' })
  await own.close()
  expect((await Promise.all(replies)).every((reply) => !reply.ok)).toBe(true)
  expect(await own.evaluate({ ...request, fetch: noNetwork })).toMatchObject({ ok: false, reason: 'busy' })
  await expect(own.warm()).rejects.toThrow('closed')
})

test('memory of the sandbox is freed', async () => {
  for (let i = 0; i < 50; i += 1) await run('return "x".repeat(1e6).length')
  const before = process.memoryUsage().rss
  for (let i = 0; i < 300; i += 1) await run('return "x".repeat(1e6).length')
  expect(process.memoryUsage().rss - before).toBeLessThan(60 * 1_048_576)
})
