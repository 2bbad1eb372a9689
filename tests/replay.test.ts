import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import pg from 'pg'
import { type OperationId, operations } from '../contract/index.ts'
import { cases } from './cases/index.ts'
import { idleCasesOf, type ReplaySubject } from './kit/documented-outcomes.ts'
import { type Answer, call, operationOf } from './kit/subject.ts'
import { type App, startApp } from './support/app.ts'
import { published } from './support/published.ts'
import { replay, replayedOutcomes } from './support/replay.ts'
import { clear, digestOf } from './support/rows.ts'
import { runs } from './support/runs.ts'
import { makeWorld, type World } from './support/world.ts'

/*
 * Every answer that the published document promises, provoked for real: those of tests/cases, and those that
 * follow from an `ok` case by taking something away. The list to replay comes from the document, so a code
 * without a case fails here; and the client rejects every response that the document does not list.
 */

let app: App
/** The same service without a database behind it. */
let stranded: App
/** The same service, where each caller has one request an hour. */
let strict: App
/** The same service, which soon gives up on a request. */
let hasty: App
/** True while a test breaks the service; any other 500 throws its cause. */
let isBroken = false
/** Breaks what operations need. Has no time limits, unlike the connections of the app. */
let saboteur: pg.Client

beforeAll(async () => {
  app = await startApp({ config: { MAX_WORKSPACES_PER_USER: 3 }, database: { lockTimeout: 50 } })
  stranded = await startApp({ databaseUrl: 'postgres://127.0.0.1:1/none', cursorKey: Buffer.alloc(32) })
  strict = await startApp({
    databaseUrl: app.databaseUrl,
    config: {
      RATE_LIMIT: true,
      RATE_LIMIT_SECONDS: 3_600,
      RATE_LIMIT_TOKEN: 1,
      RATE_LIMIT_ADDRESS: 1,
      TRUST_PROXY: true,
    },
  })
  hasty = await startApp({ databaseUrl: app.databaseUrl, requestTimeout: 50 })
  saboteur = new pg.Client({ connectionString: app.databaseUrl })
  await saboteur.connect()
})

beforeEach(() => {
  app.beforeStatement = undefined
})

afterAll(async () => {
  await saboteur.end()
  await stranded.stop()
  await strict.stop()
  await hasty.stop()
  await app.stop()
})

/**
 * Round trips to the database of those reads that may need more than two: an empty list has to ask whether
 * its folder or result is there, an export goes from page to page after its columns, which are asked of the answers
 * until days are counted, and the first statistics of blocks read the flow.
 */
const longReads: Partial<Record<OperationId, number>> = {
  // One of them where a level shows nothing, for what a folder that is being removed still holds.
  listFolders: 4,
  listBots: 4,
  compareBot: 3,
  // One of them for messages of members, where there are any.
  getSession: 4,
  getChat: 4,
  // One of them for turns, one for messages of members.
  listSessionEvents: 3,
  checkBot: 3,
  getTranscript: 3,
  listResultLogs: 3,
  // Two of them for the publications before the live one, which name columns of deleted blocks.
  exportResults: 10,
  getBlockStats: 4,
}

/** Empties the cache of documents, which needs no table. */
async function forgetDocuments() {
  app.forgetFlows()
  await saboteur.query('UPDATE bots SET draft_updated_at = now()')
}

const subject: ReplaySubject<[World, App]> = {
  operations,
  document: published,
  send: (method, target, options) =>
    app.client.send(method, target, { ...options, wants500: isBroken }).finally(() => {
      app.beforeStatement = undefined
    }),
  stored: async () => JSON.stringify([...(await digestOf(app))]),
  async newPlace() {
    await clear(saboteur)
    return [await makeWorld(app), app]
  },
  newStrict: async () => strict.client.send,
  get hastyUrl() {
    return hasty.url
  },
  stranded: (...given) => stranded.client.send(...given),
  async whileBroken(id, get) {
    const answers: Answer[] = []
    for (const table of some(await tablesOf(id), id)) {
      await forgetDocuments()
      await saboteur.query(`ALTER TABLE ${table} RENAME TO hidden`)
      isBroken = true
      const answer = await get().finally(() => saboteur.query(`ALTER TABLE hidden RENAME TO ${table}`))
      isBroken = false
      const requestId = answer.headers['x-request-id']
      const logged = app.logs.filter((line) => line.requestId === requestId && line.msg === 'request failed')
      expect(logged).toMatchObject([{ operationId: id, err: { message: expect.stringContaining(table) } }])
      answers.push(answer)
    }
    return answers
  },
  async whileLocked(id, get) {
    const answers: Answer[] = []
    for (const table of some(await tablesOf(id), id)) {
      await forgetDocuments()
      await saboteur.query(`BEGIN; LOCK TABLE ${table} IN ACCESS EXCLUSIVE MODE`)
      answers.push(await get().finally(() => saboteur.query('ROLLBACK')))
    }
    return answers
  },
  async whileKeysAreHeld(run) {
    await saboteur.query('BEGIN; LOCK TABLE idempotency_keys, bot_idempotency_keys IN ACCESS EXCLUSIVE MODE')
    return run().finally(() => saboteur.query('ROLLBACK'))
  },
  async watchSuccess(id, get) {
    app.statements.length = 0
    const answer = await get()
    if (operationOf(replay, id).method === 'get') expect(tooManyStatements(id as OperationId)).toBe('')
    return answer
  },
}

describe.each(Object.keys(operations))('%s', (id) => {
  test.each(replayedOutcomes.filter((outcome) => outcome.id === id))('$name', (outcome) =>
    outcome.replay(subject),
  )
})

test('every operation with cases is documented, and every case is needed', () => {
  expect(Object.keys(cases).sort()).toEqual([...new Set(replayedOutcomes.map(({ id }) => id))].sort())
  expect(idleCasesOf(replay)).toEqual([])
})

test('no token is in the log', () => {
  expect(app.logs.length).toBeGreaterThan(0)
  expect(app.logs.filter((line) => JSON.stringify(line).includes('botb_pat_'))).toEqual([])
})

function tooManyStatements(id: OperationId): string {
  const cap = longReads[id] ?? 2
  if (app.statements.length <= cap) return ''
  return [
    `${id} sent ${app.statements.length} statements and may send ${cap}. Join them, or say in \`longReads\` of`,
    `tests/replay.test.ts how many it may send, and why. They were:`,
    ...app.statements,
  ].join('\n')
}

/** Returns one of the tables in `make test`, a different one for each operation, and all in `make test-long`. */
function some(tables: string[], id: string): string[] {
  const first = Object.keys(operations).indexOf(id) % tables.length
  return [...tables.slice(first), ...tables.slice(0, first)].slice(0, runs(1, tables.length))
}

const tablesById = new Map<string, string[]>()

/** The tables that the first `ok` case of an operation reads or writes. */
async function tablesOf(id: string): Promise<string[]> {
  const known = tablesById.get(id)
  if (known) return known
  const { after: _, ...request } = await firstCaseOf(id)(await makeWorld(app), app)
  app.statements.length = 0
  await call(app.client.send, operationOf(replay, id), request)
  const words = new Set(app.statements.join(' ').match(/\w+/g))
  // Counts first: a bot that was counted once is known to be small, and not looked for there again.
  const { rows } = await saboteur.query(
    "SELECT tablename FROM pg_tables WHERE schemaname = 'public' ORDER BY tablename NOT LIKE '%stats%', tablename",
  )
  const tables = rows.map(({ tablename }) => tablename as string).filter((table) => words.has(table))
  tablesById.set(id, tables)
  return tables
}

/** The first case of success of an operation. */
function firstCaseOf(id: string) {
  const ok = replay.cases[id]?.ok
  const first = typeof ok === 'function' ? ok : Object.values(ok ?? {})[0]
  if (!first) throw new Error(`${id} has no case of success`)
  return first
}
