import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, readdir, readlink, rm } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { setTimeout } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { readConfig } from '../../server/config.ts'
import { openBucket } from '../../server/uploads/bucket.ts'
import { openFolder } from '../../server/uploads/folder.ts'
import type { FileStore } from '../../server/uploads/store.ts'
import { hasTestBuckets, makeBucket } from '../support/buckets.ts'
import { until } from '../support/process.ts'

/*
 * Holds the promises of every store of files. The folder is always tested; a bucket if S3_TEST_ENDPOINT names a
 * server, with S3_TEST_ACCESS_KEY_ID and S3_TEST_SECRET_ACCESS_KEY: any will do, such as `nanio` of PyPI or MinIO.
 */

let folder: string
const stores: Record<string, () => Promise<FileStore>> = { folder: async () => openFolder(folder) }
if (hasTestBuckets) stores.bucket = makeBucket

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'stores-'))
})

afterAll(() => rm(folder, { recursive: true, force: true }))

test.each([
  ['no server listens', undefined, 'ECONNREFUSED'],
  ['the bucket is missing', 404, 'There is no bucket'],
  ['the store is broken', 500, 'UnknownError'],
  ['the key may not look at the bucket', 403, undefined],
  ['all is well', 200, undefined],
])('the check of a bucket where %s', async (_name, status, problem) => {
  const server = createServer((_request, response) => response.writeHead(status ?? 200).end()).listen(
    0,
    '127.0.0.1',
  )
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  if (status === undefined) await new Promise((resolve) => server.close(resolve))
  const read = readConfig({
    S3_ENDPOINT: `http://127.0.0.1:${port}`,
    S3_ACCESS_KEY_ID: 'key',
    S3_SECRET_ACCESS_KEY: 'secret',
  })
  if ('problems' in read) throw new Error(read.problems.join())
  const checked = await openBucket(read.config)
    .check?.()
    .then(
      () => undefined,
      (error: Error) => `${error.name} ${error.message} ${(error as NodeJS.ErrnoException).code}`,
    )
  if (problem === undefined) expect(checked).toBeUndefined()
  else expect(checked).toContain(problem)
  server.close()
})

async function* pieces(...parts: (Buffer | Error)[]): AsyncGenerator<Buffer> {
  for (const part of parts) {
    if (part instanceof Error) throw part
    yield part
  }
}

async function bytesOf(stream: Readable | undefined): Promise<Buffer | undefined> {
  if (!stream) return undefined
  return Buffer.concat((await stream.toArray()) as Buffer[])
}

describe.each(Object.keys(stores))('a %s', (name) => {
  let store: FileStore

  beforeAll(async () => {
    store = await (stores[name] as () => Promise<FileStore>)()
  })

  test('returns a stored file, whole and in parts, until it is deleted', async () => {
    const parts = [randomBytes(100_000), randomBytes(300_000), randomBytes(1)]
    const all = Buffer.concat(parts)
    await store.write('a1', pieces(...parts))
    expect((await bytesOf(await store.read('a1')))?.equals(all)).toBe(true)
    const range = { start: 99_990, end: 100_009 }
    expect((await bytesOf(await store.read('a1', range)))?.equals(all.subarray(99_990, 100_010))).toBe(true)
    await store.remove('a1')
    expect(await store.read('a1')).toBeUndefined()
    await store.remove('a1')
  })

  test('stores nothing of a file that ends early', async () => {
    await expect(store.write('b2', pieces(randomBytes(200_000), new Error('cut')))).rejects.toThrow('cut')
    expect(await store.read('b2')).toBeUndefined()
  })
})

test('a folder has no part of a file that failed', async () => {
  const files = await readdir(folder, { recursive: true, withFileTypes: true })
  expect(files.filter((entry) => entry.isFile()).map(({ name }) => name)).toEqual([])
})

describe('a bucket whose server', () => {
  const servers: Server[] = []

  afterAll(() => {
    for (const server of servers) server.close().closeAllConnections()
  })

  async function bucketOf(answer: Parameters<typeof createServer>[1], patience = {}): Promise<FileStore> {
    const server = createServer(answer)
    servers.push(server)
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const S3_ENDPOINT = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const settings = { S3_REGION: 'here', S3_ACCESS_KEY_ID: 'id', S3_SECRET_ACCESS_KEY: 'secret' }
    return openBucket({ S3_ENDPOINT, S3_BUCKET: 'files', ...settings }, patience)
  }

  test('sends nothing is given up', async () => {
    const silent = await bucketOf(() => {}, { requestTimeout: 100 })
    await expect(silent.remove('a1')).rejects.toThrow('100 ms')
    await expect(silent.read('a1')).rejects.toThrow('100 ms')
  })

  test('reads nothing of a file is given up, and a slow one is not', async () => {
    const silent = await bucketOf(() => {}, { socketTimeout: 100 })
    await expect(silent.write('a1', pieces(randomBytes(100_000)))).rejects.toThrow('100 ms')

    let size = 0
    const slow = await bucketOf(
      async (request, response) => {
        for await (const piece of request) size += (piece as Buffer).length
        await setTimeout(300)
        response.end()
      },
      { requestTimeout: 100 },
    )
    await slow.write('a1', pieces(randomBytes(100_000)))
    expect(size).toBe(100_000)
  })

  test('stops in the middle of a file is given up', async () => {
    const files = await bucketOf(
      (_request, response) => void response.writeHead(200, { 'Content-Length': 10 }).write('half'),
      { socketTimeout: 100 },
    )
    await expect(files.read('a1').then(bytesOf)).rejects.toThrow('100 ms')
  })

  // Only Linux lists open descriptors.
  const seen = existsSync('/proc/self/fd') ? test : test.skip
  seen('refuses a file leaves no copy of it open on this machine', async () => {
    const rejecting = await bucketOf((_request, response) => void response.writeHead(403).end())
    await expect(rejecting.write('a1', pieces(randomBytes(10_000_000)))).rejects.toThrow()
    await until('the copy is closed', async () => {
      const descriptors = await readdir('/proc/self/fd')
      const open = await Promise.all(
        descriptors.map((each) => readlink(`/proc/self/fd/${each}`).catch(() => '')),
      )
      return !open.some((path) => path.includes('/upload-'))
    })
  })
})
