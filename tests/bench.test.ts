import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { promisify } from 'node:util'
import { afterAll, expect, test } from '@jest/globals'
import { compareAnswers, isKnown } from './bench/answers.ts'
import type { Target } from './bench/processes.ts'
import { quantile, spread } from './bench/rounds.ts'

/* Checks that the benchmark makes before its figures: equal responses, and the certainty of the figures. */

const closing: (() => void)[] = []
afterAll(() => {
  for (const close of closing) close()
})

/** A server that answers everything so. */
async function answering(name: string, status: number, body: object | undefined) {
  const server = createServer((_request, response) => {
    // A connection that is kept may end just as the next request is sent.
    response.writeHead(status, { 'Content-Type': 'application/json', Connection: 'close' })
    response.end(body && JSON.stringify(body))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  closing.push(() => server.close())
  const { port } = server.address() as AddressInfo
  return { name, port } as Target
}

const asked = (target: Target, method: string) => ({
  target,
  request: { method, target: '/' },
  token: 'none',
})

test('the spread contains the median in 98 of 100 samples', () => {
  const values = [11, 1, 9, 3, 7, 5, 6, 8, 4, 10, 2]
  // The median is below the second of eleven values, or above the tenth, once in 85 times.
  expect(spread(values)).toEqual([2, 10])
  // Even the outermost of five values are less certain, and no wider spread exists.
  expect(spread([3, 1, 2, 5, 4])).toEqual([1, 5])
  expect(spread([1])).toEqual([1, 1])
  expect(quantile(values, 0.5)).toBe(6)
})

test('compared servers send equal responses, except for values that each generates', async () => {
  const made = (id: string, createdAt: string, name = 'Bot') => ({ bot: { id, createdAt, name } })
  const first = await answering('first', 200, made('01m7x6yt8t6t4ex3jkgcd47av6', '2026-11-20T19:29:27.811Z'))
  const other = await answering('other', 200, made('01m7x6ytc0cj4bt4kccxatys4b', '2026-11-21T09:00:00.000Z'))
  const wrong = await answering(
    'wrong',
    200,
    made('01m7x6ytc0cj4bt4kccxatys4b', '2026-11-21T09:00:00.000Z', ''),
  )
  const late = await answering('late', 201, made('01m7x6ytc0cj4bt4kccxatys4b', '2026-11-21T09:00:00.000Z'))
  const compare = (method: string, ...targets: Target[]) =>
    compareAnswers(
      'Rename',
      targets.map((target) => asked(target, method)),
    )

  await expect(compare('PATCH', first, other)).resolves.toBeUndefined()
  await expect(compare('PATCH', first, other, wrong)).rejects.toThrow(/^Rename: wrong answers/)
  await expect(compare('PATCH', first, late)).rejects.toThrow(/^Rename: late answers/)
  // A read compares records that were made before.
  await expect(compare('GET', first, other)).rejects.toThrow(/^Rename: other answers/)
  await expect(compare('GET', first, first)).resolves.toBeUndefined()
})

test('an operation that the first server rejects is not measured', async () => {
  const rejecting = await answering('refusing', 403, {})
  await expect(compareAnswers('Rename', [asked(rejecting, 'GET')])).rejects.toThrow(
    'Rename: refusing answers 403',
  )
  expect(await isKnown(asked(rejecting, 'GET'))).toBe(false)
  expect(await isKnown(asked(await answering('unchanged', 304, undefined), 'GET'))).toBe(true)
})

// As `make bench` leaves it: the build, and the packages of the other servers.
const isInstalled = existsSync('tests/bench/node_modules') && existsSync('dist/server/main.js')
const longTest = process.env.LONG_TESTS && isInstalled ? test : test.skip

longTest(
  'every server of the benchmark responds like the service to each operation',
  async () => {
    const env = { ...process.env, RESULTS: '60000', ROUNDS: '1', ROUND_MILLISECONDS: '50' }
    const names = ['getWorkspace', 'getBotLarge', 'listFirst', 'statsSmall', 'createBot', 'updateSmall']
    const chats = ['saveLogs', 'startChat', 'continueChat']
    const program = ['tests/bench/main.ts', ...names, ...chats]
    const { stdout } = await promisify(execFile)('node_modules/.bin/tsx', program, { env })
    expect(stdout.match(/\| service \|/g)).toHaveLength(names.length + chats.length)
  },
  600_000,
)

longTest.each([
  ['events.ts', '', 'On to off'],
  ['fairness.ts', 'slow uploads', 'as promised'],
  ['growth.ts', '', 'An export'],
  ['keys.ts', '', 'With a key to without'],
  ['limits.ts', '', 'CPU of a small read'],
  ['profile.ts', 'saveLogs', 'Save client logs'],
  ['validation.ts', '', 'ratio'],
])(
  '%s prints its figures to the end',
  async (name, word, last) => {
    const env = { ...process.env, RESULTS: '50000', ROUNDS: '1', ROUND_MILLISECONDS: '200', TIMES: '3' }
    const words = [`tests/bench/${name}`, ...(word ? [word] : [])]
    // It ends with 1 if a figure is bad, as on a busy machine.
    const { stdout } = await promisify(execFile)('node_modules/.bin/tsx', words, { env }).catch(
      (error: { stdout: string }) => error,
    )
    expect(stdout).toContain(last)
  },
  600_000,
)
