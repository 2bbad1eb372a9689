import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import pg from 'pg'
import { pino } from 'pino'
import { type Cases, replayDocumented, type Subject } from './kit/documented-errors.ts'
import { operations } from './kit/service/contract.ts'
import { document, emitClient, emitFiles, emitReference } from './kit/service/emit.ts'
import { createLibrary, createTables, type LibraryOptions } from './kit/service/server.ts'
import { createDatabase, type TestDatabase } from './support/server.ts'

/* A second service, built with the kit: everything follows from its contract. */

type Id = keyof typeof operations

const servers: Server[] = []
let database: TestDatabase
let pool: pg.Pool
let strandedPool: pg.Pool
let url: string
let shelfId: string

async function listen(options: Partial<LibraryOptions> = {}): Promise<string> {
  const server = createLibrary({ pool, log: pino({ enabled: false }), ...options })
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

beforeAll(async () => {
  database = await createDatabase('nothing')
  pool = new pg.Pool({ connectionString: database.url, max: 5 })
  strandedPool = new pg.Pool({ connectionString: 'postgres://127.0.0.1:1/none' })
  await createTables(pool)
  url = await listen()
  shelfId = 'shelf_1'
  await pool.query("INSERT INTO shelves VALUES ('shelf_1', 'Novels', 1, 'ada', '{ben}')")
})

afterAll(async () => {
  for (const server of servers) server.close()
  await pool.end()
  await strandedPool.end()
  await database.drop()
})

let books = 0
async function newBook() {
  const isbn = String(9_780_000_000_000 + books++)
  await pool.query('INSERT INTO books VALUES ($1, $2, $3)', [shelfId, isbn, 'Emma'])
  return isbn
}
const freeIsbn = () => String(9_781_000_000_000 + books++)

const cases: Cases<Id> = {
  createShelf: {
    ok: () => ({ token: 'ada', body: { name: 'Novels' } }),
    FORBIDDEN: () => ({ token: 'ada.read', body: { name: 'Novels' } }),
  },
  getShelf: {
    ok: () => ({ token: 'ben', params: { shelfId } }),
    NOT_FOUND: () => ({ token: 'cleo', params: { shelfId } }),
    FORBIDDEN: () => ({ token: 'ben.write', params: { shelfId } }),
  },
  listBooks: {
    ok: () => ({ token: 'ben', params: { shelfId } }),
    NOT_FOUND: () => ({ token: 'ada', params: { shelfId: 'none' } }),
    FORBIDDEN: () => ({ token: 'ben.write', params: { shelfId } }),
  },
  addBook: {
    ok: () => ({ token: 'ada', params: { shelfId }, body: { isbn: freeIsbn(), title: 'Emma' } }),
    NOT_FOUND: () => ({ token: 'cleo', params: { shelfId }, body: { isbn: freeIsbn(), title: 'Emma' } }),
    FORBIDDEN: () => ({ token: 'ben', params: { shelfId }, body: { isbn: freeIsbn(), title: 'Emma' } }),
    CONFLICT: async () => ({
      token: 'ada',
      params: { shelfId },
      body: { isbn: await newBook(), title: 'Emma' },
    }),
  },
  removeBook: {
    ok: async () => ({ token: 'ada', params: { shelfId, isbn: await newBook() } }),
    NOT_FOUND: () => ({ token: 'ada', params: { shelfId, isbn: freeIsbn() } }),
    FORBIDDEN: async () => ({ token: 'ben', params: { shelfId, isbn: await newBook() } }),
  },
}

async function subjectAt(at: string): Promise<Subject<Id>> {
  const strict = { RATE_LIMIT_TOKEN: 1, RATE_LIMIT_ADDRESS: 1, RATE_LIMIT_SECONDS: 3_600 }
  return {
    operations,
    document,
    cases,
    url: at,
    strictUrl: await listen({ limits: strict }),
    hastyUrl: await listen({ requestTimeout: 100 }),
    strandedUrl: await listen({ pool: strandedPool }),
    async whileBroken(run) {
      await pool.query('ALTER TABLE shelves RENAME TO hidden')
      return run().finally(() => pool.query('ALTER TABLE hidden RENAME TO shelves'))
    },
    async whileKeysAreHeld(run) {
      const client = await pool.connect()
      await client.query('BEGIN; LOCK TABLE keys IN ACCESS EXCLUSIVE MODE')
      return run().finally(async () => {
        await client.query('ROLLBACK')
        client.release()
      })
    },
    async stored() {
      const { rows } = await pool.query(
        'SELECT (SELECT count(*) FROM shelves) AS shelves, (SELECT count(*) FROM books) AS books, (SELECT count(*) FROM keys) AS keys',
      )
      return JSON.stringify(rows[0])
    },
  }
}

test('every response that the document of the second service promises comes as documented', async () => {
  const replayed = await replayDocumented(await subjectAt(url))
  expect(replayed.filter(({ differences }) => differences.length > 0)).toEqual([])
  expect(replayed.length).toBeGreaterThan(50)
})

test('a service that lost one of its refusals turns its replay red', async () => {
  const careless = await listen({
    handlers: {
      addBook: async ({ body }, reply, { db, grant }) => {
        await db.query('INSERT INTO books VALUES ($1, $2, $3) ON CONFLICT DO NOTHING', [
          grant.shelf.id,
          body.isbn,
          body.title,
        ])
        return reply.ok({ book: body })
      },
    },
  })
  const replayed = await replayDocumented(await subjectAt(careless))
  const red = replayed.filter(({ differences }) => differences.length > 0)
  expect(red.map(({ operation, outcome }) => `${operation} ${outcome}`)).toEqual(['addBook 409 CONFLICT'])
})

test('a repeat with an idempotency key gets the first response and adds one shelf', async () => {
  const create = () =>
    fetch(`${url}/v1/shelves`, {
      method: 'POST',
      headers: {
        Authorization: 'Bearer ada',
        'Content-Type': 'application/json',
        'Idempotency-Key': 'the-same-key',
      },
      body: JSON.stringify({ name: 'Poems' }),
    })
  const first = await create()
  const second = await create()
  expect([first.status, await second.text()]).toEqual([201, await first.text()])
  expect(second.headers.get('idempotent-replayed')).toBe('true')
})

test('the committed files of the second service are those of its contract', async () => {
  for (const [name, text] of Object.entries(await emitFiles())) {
    const path = new URL(`kit/service/generated/${name}`, import.meta.url)
    expect({ name, text: await readFile(path, 'utf8') }).toEqual({ name, text })
  }
})

test('the client package of the second service calls it and throws its errors', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'library-client-'))
  try {
    for (const [name, text] of Object.entries(await emitClient())) await writeFile(join(folder, name), text)
    const { createClient, ConflictError } = await import(pathToFileURL(join(folder, 'index.js')).href)
    const client = createClient({ baseUrl: url, token: 'ada' })
    const { shelf } = await client.shelves.create({ name: 'Essays' })
    const book = { isbn: freeIsbn(), title: 'Walden' }
    await client.books.add(shelf.id, book)
    expect(await client.books.list(shelf.id)).toEqual({ books: [book] })
    await expect(client.books.add(shelf.id, book)).rejects.toBeInstanceOf(ConflictError)
  } finally {
    await rm(folder, { recursive: true })
  }
})

test('the reference of the second service shows each of its operations', () => {
  const pages = Object.values(emitReference()).join('\n')
  for (const id of Object.keys(operations)) expect(pages).toContain(`id="${id}"`)
})
