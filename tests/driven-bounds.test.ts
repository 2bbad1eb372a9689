import { EventEmitter } from 'node:events'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, describe, expect, jest, test } from '@jest/globals'
import express from 'express'
import { operations } from '../contract/index.ts'
import type { Operation } from '../contract/operation.ts'
import { checkDocument } from '../server/bots/check.ts'
import { workInTurns } from '../server/bots/checks/turns.ts'
import { evaluate } from '../server/chat/engine/evaluate.ts'
import { checkBudget, type Execution, readCpuMilliseconds, waitFor } from '../server/chat/engine/execution.ts'
import { defaultLimits } from '../server/chat/engine/limits.ts'
import { readConfig } from '../server/config.ts'
import { newId } from '../server/ids.ts'
import { createLimits } from '../server/kit/limits.ts'
import { readInput } from '../server/kit/request.ts'
import { createServer, takesFileOf } from '../server/kit/server.ts'
import { createAdmissionQueue, type Slot } from '../server/kit/shares/admission-queue.ts'
import { createBudget } from '../server/kit/shares/budget.ts'
import { createPacing, type Pacing } from '../server/kit/shares/pacing.ts'
import { createLog } from '../server/log.ts'
import { piecesOf } from '../server/results/export.ts'
import { createMessageQuota, createQuotas } from '../server/shares/quotas.ts'
import { boundNamed } from './support/bounds.ts'

/* Functions that hold a bound let as much pass as server/BOUNDS.md says, and not one more. */

afterEach(() => {
  jest.restoreAllMocks()
})

const read = readConfig({})
if ('problems' in read) throw new Error(read.problems.join())
const { config } = read
const MEGABYTE = 1_048_576
const log = createLog('silent', { write: () => {} })

/** A clock of the process that only the test puts forward. */
function stopClock() {
  const clock = { now: 0 }
  jest.spyOn(performance, 'now').mockImplementation(() => clock.now)
  return clock
}

/** The value of a promise that is settled by now, else undefined. */
const settled = <Value>(promise: Value | Promise<Value>) =>
  Promise.race([promise, new Promise<undefined>((resolve) => setImmediate(() => resolve(undefined)))])

/** A pacing that counts the pieces that had to wait for their turn. */
function countingPacing(): { pacing: Pacing; taken: () => number } {
  let count = 0
  const pacing = createPacing()
  const take: Pacing['runPaced'] = (tenant, work, line) => {
    count++
    return pacing.runPaced(tenant, work, line)
  }
  return { pacing: { ...pacing, runPaced: take }, taken: () => count }
}

test.each([
  ['is read at once', 0, 0],
  ['of one byte more is read in its turn', 1, 1],
])('a body with a document of as many bytes as are not large %s', async (_, more, turns) => {
  const bytes = Buffer.from(
    JSON.stringify({ workspaceId: 'w', bot: {} }).padEnd(boundNamed('LARGE_BYTES') + more),
  )
  const request = Object.assign(Readable.from([bytes]), {
    method: 'POST',
    url: '/v1/bots/import',
    query: {},
    params: {},
    headers: { 'content-type': 'application/json', 'content-length': `${bytes.length}` },
    iterator: () => [bytes].values(),
  }) as unknown as express.Request
  const { pacing, taken } = countingPacing()
  const receiving = { budget: createBudget(1e9), pacing, tenant: 'user', timeout: 1 }
  const address = { params: {}, query: {}, issues: [] }
  const operation = operations.importBot as Operation
  await readInput(operation, request, new EventEmitter() as express.Response, address, receiving)
  expect(taken()).toBe(turns)
})

test('a response of more bytes than are not large makes the next ones of its kind wait, for as long as the table says', async () => {
  let now = 0
  const pacing = createPacing(() => now)
  /** True if a read of the kind begins only in its turn. */
  const waits = async (bytes: number) => {
    pacing.recordRequest('two')
    pacing.recordRequest('one')
    let hasBegun = false
    const read = async () => {
      hasBegun = true
      return bytes
    }
    const reading = pacing.runPacedIfLarge('one', 'list', read, (size) => size)
    const isWaiting = !hasBegun
    await reading
    return isWaiting
  }
  const most = boundNamed('LARGE_BYTES')
  expect([await waits(most), await waits(most + 1), await waits(1)]).toEqual([false, false, true])
  now = boundNamed('EXPECTED_MS') - 1
  expect(await waits(1)).toBe(true)
  now++
  expect(await waits(1)).toBe(false)
})

test('a piece of an export ends once it has as many characters as the table says', () => {
  const row = (characters: number) => ({ answers: 'x'.repeat(characters), variables: '' }) as never
  const most = boundNamed('MAX_PIECE_CHARACTERS')
  const lengths = (rows: never[]) => [...piecesOf(rows)].map((piece) => piece.length)
  expect(lengths([row(most - 1), row(1), row(1)])).toEqual([2, 1])
  expect(lengths([row(most), row(1)])).toEqual([1, 1])
})

test.each(['MAX_RECEIVED_BYTES', 'MAX_SENT_BYTES'])(
  'one tenant holds a quarter of %s, and all tenants the whole',
  (name) => {
    const most = boundNamed(name)
    const budget = createBudget(most)
    for (const tenant of ['a', 'b', 'c', 'd']) {
      const holding = budget.open(tenant, () => {})
      expect([holding.add(most / 4), holding.add(1)]).toEqual([true, false])
    }
    expect(budget.open('e', () => {}).add(1)).toBe(false)
  },
)

test.each(['workMilliseconds', 'milliseconds'] as const)(
  'a turn goes on for the %s of the table',
  async (name) => {
    const most = boundNamed(name)
    const clock = stopClock()
    const begin = () => {
      clock.now = 0
      // Without the time that it waits, a turn ends by its work first.
      const spent = { waitingMs: name === 'milliseconds' ? most : 0, cpuWhileWaitingMs: 0 }
      return {
        limits: defaultLimits,
        startedAt: 0,
        cpuAtStart: Number.NEGATIVE_INFINITY,
        yieldedAt: 0,
        isCut: false,
        logs: [],
        effects: {},
        spent,
      } as unknown as Execution
    }
    for (const [milliseconds, goesOn] of [
      [most - 1, true],
      [most + 1, false],
    ] as const) {
      const run = begin()
      clock.now = milliseconds
      expect([milliseconds, await checkBudget(run), run.logs.length]).toEqual([
        milliseconds,
        goesOn,
        goesOn ? 0 : 1,
      ])
    }
  },
)

test('a turn goes on where the process got no processor for longer than it may work', async () => {
  const clock = stopClock()
  clock.now = 0
  const run = {
    limits: defaultLimits,
    startedAt: 0,
    cpuAtStart: readCpuMilliseconds(),
    yieldedAt: 0,
    logs: [],
    effects: {},
    spent: { waitingMs: 0, cpuWhileWaitingMs: 0 },
  } as unknown as Execution
  clock.now = boundNamed('workMilliseconds') + 1
  expect(await checkBudget(run)).toBe(true)
})

test('a turn goes on where others used the processor while it waited, and not where it did itself', async () => {
  const clock = stopClock()
  const most = boundNamed('workMilliseconds')
  const usage = { user: 0, system: 0 }
  const use = (milliseconds: number) => {
    usage.user += milliseconds * 1_000
  }
  jest.spyOn(process, 'cpuUsage').mockImplementation(() => ({ ...usage }))
  const run = {
    limits: defaultLimits,
    startedAt: 0,
    cpuAtStart: 0,
    yieldedAt: 0,
    logs: [],
    effects: {},
    spent: { waitingMs: 0, cpuWhileWaitingMs: 0 },
  } as unknown as Execution
  await waitFor(
    run,
    Promise.resolve().then(() => use(2 * most)),
  )
  clock.now = most + 1
  expect(await checkBudget(run)).toBe(true)
  use(most + 1)
  expect(await checkBudget(run)).toBe(false)
})

test('code has as many characters as the table says, and one more is not run', async () => {
  const reply = { ok: true, value: 1, assignments: [], milliseconds: 0, lines: [] }
  const spent = { evaluationMs: 0, waitingMs: 0, cpuWhileWaitingMs: 0 }
  const frames = [{ botId: 'bot' }]
  const run = { limits: defaultLimits, spent, frames, effects: { evaluate: async () => reply } }
  const most = boundNamed('codeCharacters')
  const isRun = async (characters: number) =>
    (await evaluate(run as unknown as Execution, { form: 'body', code: ' '.repeat(characters), args: [] })).ok
  expect([await isRun(most), await isRun(most + 1)]).toEqual([true, false])
})

describe('files that arrive', () => {
  const upload = (limits: ReturnType<typeof createLimits>, ip: string) => {
    const response = new EventEmitter() as express.Response
    return { response, entry: limits.enterUploads({ ip, socket: {} } as express.Request, response) }
  }

  test('from one address are as many at once as the table says, and one more waits', async () => {
    const limits = createLimits({ config, log })
    const most = boundNamed('MAX_UPLOADS_PER_ADDRESS')
    const uploads = Array.from({ length: most + 1 }, () => upload(limits, '203.0.113.1'))
    const entries = await Promise.all(uploads.map(({ entry }) => settled(entry)))
    expect(entries).toEqual([...Array(most).fill(true), undefined])
    uploads[0]?.response.emit('close')
    expect(await uploads.at(-1)?.entry).toBe(true)
    for (const { response } of uploads) response.emit('close')
  })

  test('at one process are as many at once as the table says, and one more waits', async () => {
    const limits = createLimits({ config, log })
    const most = boundNamed('MAX_UPLOADS')
    const uploads = Array.from({ length: most + 1 }, (_, nth) => upload(limits, `203.0.113.${nth}`))
    const entries = await Promise.all(uploads.map(({ entry }) => settled(entry)))
    expect(entries).toEqual([...Array(most).fill(true), undefined])
    for (const { response } of uploads) response.emit('close')
  })

  test('stay while they come as fast as the table says, and one byte less is too slow', async () => {
    const bytes = boundNamed('MIN_UPLOAD_BYTES_PER_SECOND')
    const clock = stopClock()
    let begun = 0
    const app = express()
    app.use((request) => {
      begun++
      request.resume()
    })
    const server = createServer(app, {
      requestTimeout: 60_000,
      uploadTimeout: 60_000,
      uploadGrace: 300,
      newId,
      takesFile: takesFileOf(operations),
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const begin = (): { socket: Socket; text: string } => {
      const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
      const seen = { socket, text: '' }
      socket.on('data', (data) => (seen.text += data))
      socket.write(
        'POST /api/v1/sessions/s/uploads?fileName=a HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\n\r\n',
      )
      return seen
    }
    const [enough, tooFew] = [begin(), begin()]
    while (begun < 2) await sleep(5)
    enough.socket.write('x'.repeat(bytes))
    tooFew.socket.write('x'.repeat(bytes - 1))
    await sleep(50)
    clock.now = 1_000
    while (tooFew.text === '') await sleep(20)
    await sleep(50)
    expect([enough.text, tooFew.text.split('\r\n')[0]]).toEqual(['', 'HTTP/1.1 408 Request Timeout'])
    for (const { socket } of [enough, tooFew]) socket.destroy()
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
})

describe('a check', () => {
  test('works for the milliseconds of the table, and then leaves out what is left', async () => {
    const clock = stopClock()
    // Each step is a slice of its own.
    const steps = function* (count: number) {
      for (let step = 0; step < count; step++) {
        clock.now += 10
        yield
      }
    }
    const most = boundNamed('MAX_WORK_MS') / 10
    const check = (count: number) => workInTurns('workspace', steps(count), async (work) => work())
    expect([await check(most - 1), await check(most)]).toEqual([true, false])
  })

  test('waits for its turns for the milliseconds of the table, and then ends', async () => {
    const clock = stopClock()
    const check = (wait: number) =>
      workInTurns('workspace', [1, 2].values(), async (work) => {
        clock.now += wait
        return work()
      })
    // The first slice takes no time, so that it is the last one as well.
    expect(await check(boundNamed('MAX_WAIT_MS'))).toBe(true)
    const late = workInTurns('workspace', [1].values(), async (work) => work())
    clock.now += boundNamed('MAX_WAIT_MS')
    expect(await late).toBe(false)
  })

  test('lists findings until they have the bytes of the table', async () => {
    const inner = Object.fromEntries(Array.from({ length: 1_500 }, (_, nth) => [`a${nth}VariableId`, 'x']))
    const options = { variableId: 'v', ['k'.repeat(600_000)]: inner }
    const document = {
      version: '6.1' as const,
      groups: [
        {
          id: 'g',
          title: 'G',
          graphCoordinates: { x: 0, y: 0 },
          blocks: [{ id: 'b', type: 'Set variable', options }],
        },
      ],
      events: [],
      edges: [],
      variables: [{ id: 'v', name: 'V' }],
      theme: {},
      settings: {},
    }
    const { findings } = await checkDocument('bytes', document as never, { hasMail: true }, async (work) =>
      work(),
    )
    const sizes = findings.map((finding) => Buffer.byteLength(JSON.stringify(finding)))
    const all = sizes.reduce((sum, size) => sum + size, 0)
    const most = boundNamed('MAX_FINDINGS_BYTES')
    expect(all).toBeGreaterThanOrEqual(most)
    expect(all - (sizes.at(-1) ?? 0)).toBeLessThan(most)
  })
})

test('as many requests rest as the table says for each slot, a quarter for one tenant', async () => {
  const slots = 4
  const room = createAdmissionQueue({ slots, length: 0, timeout: 1, share: slots })
  const wake: (() => void)[] = []
  const rest = async (tenant: string) => {
    const slot = (await room.enter(tenant, new EventEmitter() as express.Response)) as Slot
    void slot.releaseDuring(() => new Promise<void>((resolve) => wake.push(resolve))).then(slot.release)
    return room.taken()
  }
  const each = boundNamed('MAX_RELEASED_PER_SLOT')
  for (const tenant of ['a', 'b', 'c', 'd']) {
    for (let nth = 0; nth < each; nth++) expect(await rest(tenant)).toBe(0)
  }
  expect(await rest('e')).toBe(1)
  for (const each of wake) each()
  await sleep(1)
  for (let nth = 0; nth < each; nth++) expect(await rest('a')).toBe(0)
  expect(await rest('a')).toBe(1)
  for (const each of wake) each()
})

test.each([
  ['UPLOAD_MAX_SIZE_PER_ADDRESS', 'uploads'],
  ['TEXT_MAX_SIZE_PER_ADDRESS', 'text'],
  ['STORED_MAX_SIZE_PER_BOT', 'uploads'],
] as const)('%s is what is stored in a day, and no byte more', (name, kind) => {
  const quotaOf = createQuotas({ config, log })
  const most = boundNamed(name) * MEGABYTE
  const isOfBot = name === 'STORED_MAX_SIZE_PER_BOT'
  // Visitors of a bot together store more than one of them may.
  for (let stored = 0; isOfBot && stored < most; stored += 100 * MEGABYTE) {
    const visitor = quotaOf(`address ${stored}`)
    expect(visitor.findIssue(kind, 'bot', 100 * MEGABYTE)).toBeUndefined()
    visitor.add(kind, 'bot', 100 * MEGABYTE)
  }
  const quota = quotaOf('198.51.100.1')
  if (!isOfBot) {
    expect(quota.findIssue(kind, 'bot', most)).toBeUndefined()
    quota.add(kind, 'bot', most)
  }
  expect(quota.findIssue(kind, 'bot', 1)?.code).toBe('daily_quota_exceeded')
  if (isOfBot) expect(quota.findIssue(kind, 'other', 1)).toBeUndefined()
})

test('messages of members of a workspace are as many in a day as the table says, and one more is rejected', async () => {
  const clock = { now: () => time }
  let time = 1
  const count = createMessageQuota({ config }, clock)
  for (let nth = 0; nth < boundNamed('MEMBER_MESSAGES_PER_WORKSPACE'); nth++)
    expect(count('one', 1)).toBeUndefined()
  expect(count('one', 1)?.message).toContain('messages in a day')
  expect(count('other', 1)).toBeUndefined()
  time = 25 * 3_600_000
  // The cache reads its clock at most once in a millisecond.
  await sleep(5)
  expect(count('one', 1)).toBeUndefined()
})

test('messages of members of a workspace have as many bytes in a day as the table says, and no byte more', () => {
  const count = createMessageQuota({ config })
  expect(count('one', boundNamed('MEMBER_MESSAGES_MAX_SIZE') * MEGABYTE)).toBeUndefined()
  expect(count('one', 1)?.message).toContain('MB of messages in a day')
  expect(count('other', 1)).toBeUndefined()
})
