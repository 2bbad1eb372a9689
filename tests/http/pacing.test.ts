import { afterEach, expect, jest, test } from '@jest/globals'
import { workInTurns } from '../../server/bots/checks/turns.ts'
import type { Pace } from '../../server/context.ts'
import { pacePieces } from '../../server/kit/response.ts'
import { yieldToOthers } from '../../server/kit/shares/fair-scheduler.ts'
import { createPacing } from '../../server/kit/shares/pacing.ts'

/* Turns and pauses of large pieces of work. */

afterEach(() => {
  jest.restoreAllMocks()
})

/** A pacing by a clock that pieces of work put forward, and the pauses that it makes. */
function paced() {
  let time = 0
  const pauses: unknown[] = []
  jest.spyOn(globalThis, 'setTimeout').mockImplementation(((then: () => void, pause: number) => {
    pauses.push(pause)
    setImmediate(then)
  }) as unknown as typeof setTimeout)
  const pacing = createPacing(() => time)
  const done: string[] = []
  const piece = (tenant: string, name: string) =>
    pacing.runPaced(tenant, () => {
      time += 20
      done.push(name)
      return name
    })
  const wait = (milliseconds: number) => {
    time += milliseconds
  }
  return { pacing, piece, wait, pauses, done }
}

test('a lone caller pauses never, and one beside others three times as long as each piece', async () => {
  const { pacing, piece, wait, pauses } = paced()
  pacing.recordRequest('one')
  expect(await piece('one', 'alone')).toBe('alone')
  pacing.recordRequest('two')
  pacing.recordRequest('one')
  await piece('one', 'beside')
  pacing.recordRequest('one')
  wait(1_001)
  pacing.recordRequest('one')
  await piece('one', 'alone again')
  expect(pauses).toEqual([60])
})

test('pieces of one tenant keep their order, and another does not wait for them', async () => {
  const { piece, done } = paced()
  await Promise.all([piece('one', '1'), piece('one', '2'), piece('one', '3'), piece('two', 'a')])
  expect(done.filter((name) => name !== 'a')).toEqual(['1', '2', '3'])
  expect(done.indexOf('a')).toBeLessThan(2)
})

test('a piece that throws lets the next one continue', async () => {
  const { pacing, piece } = paced()
  const broken = pacing.runPaced('one', () => {
    throw new Error('broken')
  })
  const next = piece('one', 'next')
  await expect(broken).rejects.toThrow('broken')
  expect(await next).toBe('next')
})

/** Reads that are answered when the test says so, of which some are large. */
function reading() {
  const { pacing, pauses, wait } = paced()
  const begun: string[] = []
  const ends = new Map<string, (size: number) => void>()
  const read = (tenant: string, name: string, kind = 'list') =>
    pacing.runPacedIfLarge(
      tenant,
      kind,
      () => {
        begun.push(name)
        return new Promise<number>((resolve) => ends.set(name, resolve))
      },
      (size) => size,
    )
  const end = async (name: string, size: number) => {
    ends.get(name)?.(size)
    await nextTurns()
  }
  return { pacing, read, end, begun, pauses, wait }
}

/** Lets all continue that can. */
async function nextTurns() {
  for (let turn = 0; turn < 5; turn++) await new Promise<void>((resolve) => setImmediate(resolve))
}

test('reads of a recently large kind run one after the other beside others, and concurrently alone', async () => {
  const { pacing, read, end, begun, pauses, wait } = reading()
  pacing.recordRequest('one')
  const reads = [read('one', 'first'), read('one', 'at once')]
  expect(begun).toEqual(['first', 'at once'])
  await end('first', 8_000_000)
  await end('at once', 10)
  reads.push(read('one', 'alone'), read('one', 'alone too'))
  await nextTurns()
  expect(begun.splice(0)).toEqual(['first', 'at once', 'alone', 'alone too'])
  await end('alone', 10)
  await end('alone too', 10)

  pacing.recordRequest('two')
  pacing.recordRequest('one')
  reads.push(
    read('one', 'next'),
    read('one', 'behind'),
    read('one', 'another kind', 'get'),
    read('two', 'theirs'),
  )
  await nextTurns()
  expect(begun.splice(0).sort()).toEqual(['another kind', 'next', 'theirs'])
  wait(100)
  await end('next', 8_000_000)
  expect(pauses).toEqual([300])
  expect(begun.splice(0)).toEqual(['behind'])
  wait(1_500)
  pacing.recordRequest('two')
  await end('behind', 10)
  expect(pauses).toEqual([300, 3_000])

  wait(60_000)
  pacing.recordRequest('two')
  pacing.recordRequest('one')
  reads.push(read('one', 'later'), read('one', 'later too'))
  await nextTurns()
  expect(begun).toEqual(['later', 'later too'])
  for (const name of ['later', 'later too', 'another kind', 'theirs']) await end(name, 10)
  await Promise.all(reads)
})

test('pieces of a stream run in turns', async () => {
  const { pacing, pauses } = paced()
  pacing.recordRequest('two')
  pacing.recordRequest('one')
  let isClosed = false
  async function* letters() {
    try {
      yield* ['a', 'b', 'c']
    } finally {
      isClosed = true
    }
  }
  const made: string[] = []
  for await (const piece of pacePieces(letters(), (make) => pacing.runPacedIfShared('one', make))) {
    made.push(piece)
    if (made.length === 2) break
  }
  expect(made).toEqual(['a', 'b'])
  expect(pauses).toHaveLength(2)
  expect(isClosed).toBe(true)
})

test('a check pauses after each slice beside others, and continues where it was', async () => {
  const { pacing, pauses } = paced()
  pacing.recordRequest('two')
  pacing.recordRequest('one')
  const done: string[] = []
  let now = 0
  jest.spyOn(performance, 'now').mockImplementation(() => (now += 4))
  const steps = function* (name: string) {
    for (let step = 0; step < 4; step++) yield done.push(name)
  }
  const pace: Pace = (work) => pacing.runPaced('one', work, 'slices')
  const checks = ['a', 'b'].map((name) => workInTurns('workspace', steps(name), pace))
  expect(await Promise.all(checks)).toEqual([true, true])
  expect(done).toEqual(['a', 'a', 'a', 'a', 'b', 'b', 'b', 'b'])
  expect(pauses.length).toBeGreaterThanOrEqual(4)
})

test('a check that waited for the turns of other workspaces makes no pause for that wait', async () => {
  const { pacing, pauses, wait } = paced()
  pacing.recordRequest('two')
  pacing.recordRequest('one')
  const work = async (workspace: string) => {
    await yieldToOthers(workspace)
    wait(100)
  }
  const others = ['a', 'b', 'c'].map(work)
  const pace: Pace = (slice) => pacing.runPaced('one', slice, 'slices')
  await Promise.all([...others, workInTurns('workspace', [1, 2, 3].values(), pace)])
  expect(pauses).toEqual([0])
})
