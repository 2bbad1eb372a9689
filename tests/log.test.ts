import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, existsSync, openSync } from 'node:fs'
import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect, test } from '@jest/globals'
import { createLog } from '../server/log.ts'
import { boundNamed } from './support/bounds.ts'
import { logOf } from './support/process.ts'

const known = `
  import { createLog, openSink } from './server/log.ts'
  const sink = openSink(false)
  const log = createLog('info', sink)
  const write = (lines) => {
    for (let at = 0; at < lines; at++) log.info({ at }, 'x'.repeat(100))
    return new Promise((resolve) => setTimeout(resolve, 1))
  }
  const heard = () => new Promise((resolve) => process.once('message', resolve))
`

/**
 * Runs a program that knows `sink`, `log`, `write`, which logs so many lines, and `heard`, which waits for a message.
 * Its standard output has no reader at first.
 */
function start(program: string, stdout: 'pipe' | number = 'pipe') {
  const flags = ['--expose-gc', '--import', 'tsx', '--input-type=module', '--eval', known + program]
  const child = spawn(process.execPath, flags, { stdio: ['ignore', stdout, 'pipe', 'ipc'] })
  const errors = text(child.stderr as Readable)
  const ended = once(child, 'exit').then(async ([code]) => ({ code, errors: await errors }))
  return { child, output: child.stdout as Readable, ended }
}

test('lines without a reader are dropped', async () => {
  const { child, output, ended } = start(`
    const gone = heard()
    await write(1_000)
    process.send('ready')
    await gone
    for (let round = 0; round < 200; round++) await write(1_000)
    gc()
    process.send(process.memoryUsage().arrayBuffers, () => process.exit())
  `)
  await once(child, 'message')
  output.destroy()
  child.send('nobody reads')
  const [kept] = await once(child, 'message')
  await ended
  expect(kept).toBeLessThan(20_000_000)
})

test('lines are buffered up to a limit while nothing reads them, and the others counted', async () => {
  const { child, output, ended } = start(`
    const done = heard()
    for (let round = 0; round < 200; round++) await write(1_000)
    gc()
    process.send(process.memoryUsage().arrayBuffers)
    await done
    await sink.exit(0)
  `)
  const [kept] = await once(child, 'message')
  expect(kept).toBeLessThan(40_000_000)
  let read = ''
  output.setEncoding('utf8').on('data', (chunk: string) => {
    read += chunk
    if (chunk.includes('dropped')) child.send('enough')
  })
  await ended
  const lines = logOf(read)
  const counted = lines.find(({ dropped }) => dropped !== undefined)
  expect(counted).toMatchObject({ level: 40, msg: 'lines of the log were dropped: nobody took them' })
  expect(counted?.dropped).toBeGreaterThan(50_000)
  expect(lines.length - 1 + Number(counted?.dropped)).toBe(200_000)
  // Beside what waits is only what the pipe took.
  const most = boundNamed('MAX_QUEUE_BYTES')
  expect(Buffer.byteLength(read)).toBeGreaterThan(most - 100_000)
  expect(Buffer.byteLength(read)).toBeLessThan(most + 1_000_000)
})

describe('a process ends with its code', () => {
  test('once all lines are written to a reader', async () => {
    const { output, ended } = start('void write(50_000); await sink.exit(3)')
    const read = text(output)
    expect(await ended).toEqual({ code: 3, errors: '' })
    expect(logOf(await read).map(({ at }) => at)).toEqual(Array.from({ length: 50_000 }, (_, at) => at))
  })

  test('once all are written, also to a slow reader', async () => {
    const { output, ended } = start('void write(20_000); await sink.exit(3)')
    let read = ''
    output.setEncoding('utf8')
    for await (const chunk of output) {
      read += chunk
      await delay(60)
    }
    expect(await ended).toEqual({ code: 3, errors: '' })
    expect(logOf(read)).toHaveLength(20_000)
  })

  test('and its last lines where it has no time to wait', async () => {
    const { output, ended } = start('void write(10); process.exit(3)')
    const read = text(output)
    expect(await ended).toEqual({ code: 3, errors: '' })
    expect(logOf(await read)).toHaveLength(10)
  })

  test.each([
    ['asked to', 'await sink.exit(3)'],
    ['at once', 'process.exit(3)'],
    ['after an error that nobody expected', 'throw new Error()'],
  ])('%s, without a reader', async (_, end) => {
    const { ended } = start(`for (let round = 0; round < 20; round++) await write(1_000); ${end}`)
    expect((await ended).code).toBe(end.includes('exit') ? 3 : 1)
  })

  const fullTest = existsSync('/dev/full') ? test : test.skip
  fullTest.each([
    ['asked to', 'await sink.exit(3)'],
    ['at once', 'process.exit(3)'],
  ])('%s, where the disk is full, which does not end it before (needs /dev/full)', async (_, end) => {
    const full = openSync('/dev/full', 'w')
    const { ended } = start(`for (let round = 0; round < 20; round++) await write(1_000); ${end}`, full)
    closeSync(full)
    expect(await ended).toEqual({ code: 3, errors: '' })
  })
})

test('an error of a statement is logged without the parameters that its wrapper has', () => {
  const lines: string[] = []
  const cause = Object.assign(new Error('deadlock detected'), { code: '40P01', detail: 'sesame' })
  const wrapped = Object.assign(new Error('Failed query: update "uploads" ... params: sesame'), { cause })
  createLog('info', { write: (line: string) => void lines.push(line) }).error({ err: wrapped }, 'failed')
  expect(lines.join()).not.toMatch(/sesame|params/)
  expect(JSON.parse(lines[0] as string).err).toMatchObject({ message: 'deadlock detected', code: '40P01' })
})
