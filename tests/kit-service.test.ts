import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import pg from 'pg'
import { pino } from 'pino'
import { ownErrorsOf } from '../contract/kit/operation.ts'
import { Rollback } from '../server/kit/idempotency.ts'
import {
  type Case,
  type Cases,
  idleCasesOf,
  type Replay,
  type ReplaySubject,
  replayAll,
} from './kit/documented-outcomes.ts'
import { createAttacks } from './kit/hostile.ts'
import type { RefusalSubject } from './kit/refusals/check.ts'
import { checks, idsFor } from './kit/refusals.ts'
import { type Operation, operations, scopeOf, scopes } from './kit/service/contract.ts'
import { document, emitClient, emitFiles, emitReference } from './kit/service/emit.ts'
import { createLibrary, createTables, keyStore, type LibraryOptions } from './kit/service/server.ts'
import { type Caller, createSend } from './kit/subject.ts'
import { runs } from './support/runs.ts'
import { createDatabase, type TestDatabase } from './support/server.ts'

/* A second service, built with the kit: everything follows from its contract. */

type Id = keyof typeof operations

const servers: Server[] = []
let database: TestDatabase
let pool: pg.Pool
let strandedPool: pg.Pool
let url: string
const shelfId = 'shelf_1'

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
  await pool.query("INSERT INTO shelves VALUES ($1, 'Novels', 1, 'ada', '{ben}')", [shelfId])
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

const ada = { token: 'ada' }
const ben = { token: 'ben' }
const cleo = { token: 'cleo' }
const withScope = ({ token }: Caller, scope: string) => ({ token: `${token}.${scope}` })
const params = { shelfId }

const cases = {
  createShelf: {
    ok: () => ({ as: ada, body: { name: 'Novels' } }),
    FORBIDDEN: () => ({ as: withScope(ada, 'read'), body: { name: 'Novels' }, at: 'header.authorization' }),
  },
  getShelf: {
    ok: () => ({ as: ben, params }),
    NOT_FOUND: () => ({ as: cleo, params }),
    FORBIDDEN: () => ({ as: withScope(ben, 'write'), params }),
  },
  updateShelf: {
    ok: () => ({ as: ada, params, body: { name: 'Poems' } }),
    NOT_FOUND: () => ({ as: cleo, params, body: { name: 'Poems' } }),
    FORBIDDEN: () => ({ as: ben, params, body: { name: 'Poems' } }),
  },
  listBooks: {
    ok: () => ({ as: ben, params }),
    NOT_FOUND: () => ({ as: ada, params: { shelfId: 'none' } }),
    FORBIDDEN: () => ({ as: withScope(ben, 'write'), params }),
  },
  addBook: {
    ok: () => ({ as: ada, params, body: { isbn: freeIsbn(), title: 'Emma' } }),
    NOT_FOUND: () => ({ as: cleo, params, body: { isbn: freeIsbn(), title: 'Emma' } }),
    FORBIDDEN: () => ({ as: ben, params, body: { isbn: freeIsbn(), title: 'Emma' } }),
    CONFLICT: async () => ({
      as: ada,
      params,
      body: { isbn: await newBook(), title: 'Emma' },
      at: 'body.isbn',
    }),
  },
  removeBook: {
    ok: async () => ({ as: ada, params: { shelfId, isbn: await newBook() } }),
    NOT_FOUND: {
      'for a book': () => ({ as: ada, params: { shelfId, isbn: freeIsbn() }, at: 'path.isbn' }),
      'for a shelf': () => ({ as: cleo, params: { shelfId, isbn: freeIsbn() } }),
    },
    FORBIDDEN: async () => ({ as: ben, params: { shelfId, isbn: await newBook() } }),
  },
} satisfies Cases

const firstCase = (id: Id) => (cases[id].ok as Case)()

/** The second service at an address, as replay, rejections and hostile input see it. */
async function subjectAt(at: string): Promise<ReplaySubject & RefusalSubject> {
  const strict = { RATE_LIMIT_TOKEN: 1, RATE_LIMIT_ADDRESS: 1, RATE_LIMIT_SECONDS: 3_600, TRUST_PROXY: true }
  const sendTo = async (options: Partial<LibraryOptions>) => createSend(await listen(options), document)
  return {
    operations,
    document,
    send: createSend(at, document),
    newPlace: async () => [],
    newStrict: () => sendTo({ limits: strict }),
    hastyUrl: await listen({ requestTimeout: 100 }),
    stranded: await sendTo({ pool: strandedPool }),
    async whileBroken(_id, get) {
      await pool.query('ALTER TABLE shelves RENAME TO hidden')
      return [await get().finally(() => pool.query('ALTER TABLE hidden RENAME TO shelves'))]
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
    async prepare(id) {
      const { access }: Operation = operations[id as Id]
      const isForOwners = access.kind === 'shelf' && access.role === 'OWNER'
      return {
        request: await firstCase(id as Id),
        outsiders: [
          { as: cleo, code: 'NOT_FOUND', issue: 'unknown_record' },
          ...(isForOwners ? [{ as: ben, code: 'FORBIDDEN', issue: 'no_role' } as const] : []),
        ],
        insiders: isForOwners ? [ada] : [ben, ada],
        wrongTokens: [{ token: 'nobody', issue: 'unknown' }],
      }
    },
    missingId: 'none',
    scopes: {
      all: scopes,
      of: (id) => scopeOf(operations[id as Id]),
      limit: async (as, [scope = '']) => withScope(as, scope),
    },
  }
}

const replay: Replay = { operations, document, cases }

test('every response that the document of the second service promises is sent as documented', async () => {
  const replayed = await replayAll(replay, await subjectAt(url))
  expect(replayed.filter(({ error }) => error !== undefined)).toEqual([])
  expect(replayed.length).toBeGreaterThan(55)
  expect(idleCasesOf(replay)).toEqual([])
})

test('a service that lost one of its rejections turns its replay red', async () => {
  const red = await redWith({
    handlers: {
      addBook: async ({ body }, respond, { db, grant }) => {
        await db.query('INSERT INTO books VALUES ($1, $2, $3) ON CONFLICT DO NOTHING', [
          grant.shelf.id,
          body.isbn,
          body.title,
        ])
        return respond.ok({ book: body })
      },
    },
  })
  expect(red).toEqual(['addBook 409 CONFLICT'])
})

/** Outcomes that do not come as documented from a second service with a defect. */
async function redWith(options: Partial<LibraryOptions>): Promise<string[]> {
  const replayed = await replayAll(replay, await subjectAt(await listen(options)))
  return replayed.filter(({ error }) => error !== undefined).map(({ id, name }) => `${id} ${name}`)
}

test('a service that stores the key of a rejected request turns its replay red', async () => {
  const usual = keyStore(pool)
  const red = await redWith({
    keys: {
      ...usual,
      // Commits where it has to roll back.
      transact: (db, work) =>
        usual
          .transact(db, async (tx) => ({
            value: await work(tx).catch((error) => {
              if (error instanceof Rollback) return error.result as never
              throw error
            }),
          }))
          .then(({ value }) => value),
    },
  })
  expect(red).toEqual([
    'updateShelf 412 PRECONDITION_FAILED leaves the key to the right request',
    'addBook 409 CONFLICT',
  ])
})

test('a service whose write leaves the entity tag as it was turns its replay red', async () => {
  const red = await redWith({
    handlers: {
      updateShelf: async ({ body }, respond, { db, grant: { shelf } }) => {
        await db.query('UPDATE shelves SET name = $2 WHERE id = $1', [shelf.id, body.name])
        return respond.ok(
          { shelf: { id: shelf.id, name: body.name } },
          `"${shelf.id}-${shelf.version}-plain"`,
        )
      },
    },
  })
  expect(red).toContain('updateShelf 200')
})

test.each(checks)('each operation of the second service $title', async (check) => {
  const subject = await subjectAt(url)
  const ids = idsFor(check, subject)
  for (const id of ids) await check.run(subject, id)
})

test.each(Object.keys(operations))(
  '%s of the second service responds as documented to requests that nearly fit',
  async (id) => {
    const subject = await subjectAt(url)
    const attack = createAttacks({
      ...subject,
      prepare: async () => ({
        request: await firstCase(id as Id),
        callers: [ada, ben, cleo, undefined],
        ids: [shelfId, 'none'],
      }),
    })
    await attack(id, runs(8, 300))
  },
)

test('an operation without roles and scopes documents no 403', () => {
  const { access: _, ...operation }: Operation = operations.getShelf
  const access = { kind: 'shelf', missing: 'NOT_FOUND' } as const
  expect(ownErrorsOf({ ...operation, access, scope: 'any' })).not.toContain('FORBIDDEN')
  expect(ownErrorsOf({ ...operation, access, scope: 'any' })).toContain('NOT_FOUND')
  expect(ownErrorsOf({ ...operation, access })).toContain('FORBIDDEN')
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

test('nothing that the kit writes for the second service names a record of another one', async () => {
  const texts = { ...(await emitFiles()), ...(await emitClient()), ...emitReference() }
  const strange = Object.entries(texts).flatMap(([name, text]) =>
    [...text.matchAll(/.{0,40}\b(bot|flow|folder|workspace|chat|visitor|publication)s?\b.{0,40}/gi)].map(
      ([words]) => `${name}: ${words}`,
    ),
  )
  expect(strange).toEqual([])
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
