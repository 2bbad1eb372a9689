import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { findQueuedRows } from '../../server/chat/engine/blocks/vendors/write-queued-rows.ts'
import { dueAccounts, reserveSheetRow } from '../../server/chat/sessions/sheet-rows.ts'
import type { Services } from '../../server/context.ts'
import { forgetSheetAccounts } from '../../server/jobs/expiry.ts'
import { createLog } from '../../server/log.ts'
import { outboundClient } from '../../server/outbound/client.ts'
import { openSheetQueue } from '../../server/sheets/queue.ts'
import { type App, startApp } from '../support/app.ts'
import { boundNamed } from '../support/bounds.ts'
import { ask, bot, type Part, text } from '../support/chat.ts'
import { logsOf, type Published, publish, reply, start, textsOf } from '../support/chats.ts'
import { type SheetsDouble, sheetsAccount, startSheets } from '../support/google-sheets.ts'
import { testWithTrigger } from '../support/locks.ts'
import { until } from '../support/process.ts'
import { makeWorld, type Site } from '../support/world.ts'

/* Rows of sheets that a turn cannot write: each is written later, once, or its log says why not. */

let app: App
let sheet: SheetsDouble
let site: Site
let account: string

beforeAll(async () => {
  sheet = await startSheets([])
  app = await startApp({ config: { OUTBOUND_ALLOWED_HOSTS: [sheet.host] } })
})

afterAll(async () => {
  await app.stop()
  await sheet.stop()
})

beforeEach(async () => {
  sheet.rows = [['Name', 'Age']]
  sheet.asked = []
  sheet.failures = []
  sheet.retryAfter = undefined
  sheet.beforeRequest = undefined
  sheet.poison = undefined
  sheet.isGranted = true
  await app.pool.query('DELETE FROM sheet_rows; DELETE FROM sheet_accounts')
  site = (await makeWorld(app)).here
  const { credentials } = await app.client.ok('createCredentials', {
    as: site.member,
    params: { workspaceId: site.workspaceId },
    body: { type: 'google sheets', name: 'Sheets', data: sheetsAccount(sheet) },
  })
  account = credentials.id
})

const part = (action: string, options: object): Part => ({
  type: 'Google Sheets',
  options: { credentialsId: account, spreadsheetId: 's1', sheetId: '7', action, ...options },
})
const insert = (Name = '{{Name}}') =>
  part('Insert a row', { cellsToInsert: [{ id: '1', column: 'Name', value: Name }] })
const update = (Age: string) =>
  part('Update a row', {
    filter: { comparisons: [{ id: '1', column: 'Name', comparisonOperator: 'Equal to', value: '{{Name}}' }] },
    cellsToUpsert: [{ id: '1', column: 'Age', value: Age }],
  })

const publishWith = (...parts: Part[]): Promise<Published> =>
  publish(app, site, bot({ g: [ask('Name'), ...parts, text('and on'), ask()] }, { variables: ['Name'] }))

/** A turn whose row the account has no quota for: it asks for a longer time than a turn waits. */
async function leave(published: Published, name: string) {
  const { sessionId, resultId = '' } = await start(app, published)
  sheet.retryAfter = 21
  sheet.failures.push(429)
  const turn = await reply(app, sessionId, name)
  sheet.retryAfter = undefined
  expect(textsOf(turn)).toContain('and on')
  return resultId
}

const queued = async () =>
  (await app.pool.query('SELECT * FROM sheet_rows ORDER BY id')).rows as Record<string, unknown>[]
/** Puts rows into the queue, without a turn. Returns the id of their result. */
async function enqueue(
  published: Published,
  list: { name: string; isSent?: boolean; spreadsheetId?: string; cells?: unknown }[],
) {
  const { resultId = '' } = await start(app, published)
  for (const [nth, { name, isSent = false, spreadsheetId = 's1', cells }] of list.entries()) {
    await app.pool.query(
      `INSERT INTO sheet_rows VALUES ($1, $2, $3, $4, $5, $6, '7', 'insert', 'b', $7, NULL, 10, now(), $8, 0, NULL, now())`,
      [
        ...[published.id, `${resultId}${nth}`, site.workspaceId, resultId, account, spreadsheetId],
        JSON.stringify(cells ?? [{ column: 'Name', value: name }]),
        isSent,
      ],
    )
  }
  return resultId
}
const makeDue = () =>
  app.pool.query(
    `UPDATE sheet_rows SET due_at = now() - interval '1 second'; UPDATE sheet_accounts SET rests_until = now()`,
  )
/** Entries of the log of a result, the oldest first. */
const readLog = async (resultId: string, published: Published) =>
  (await logsOf(app, published.id, resultId, site.member)).reverse()
const entriesOf = async (resultId: string, published: Published) =>
  (await readLog(resultId, published)).map(({ description }) => description)
const names = () => sheet.rows.slice(1).map(([name]) => name)

const LATER = 'Google Sheets: the row is written later'
const INSERTED = 'Google Sheets: a row was inserted'
const NOT_WRITTEN = 'Google Sheets: the row was not written'
const UNKNOWN = 'Google Sheets: it is unknown whether the row was written'

test('a row without quota is written later, once, and its log has both', async () => {
  const published = await publishWith(insert())
  const resultId = await leave(published, 'Ada')
  expect(names()).toEqual([])
  expect(await entriesOf(resultId, published)).toEqual([LATER])
  await app.sheets.runDue()
  await app.sheets.runDue()
  expect(names()).toEqual(['Ada'])
  expect(await entriesOf(resultId, published)).toEqual([LATER, INSERTED])
  expect(await queued()).toEqual([])
  expect((await app.pool.query('SELECT FROM sheet_accounts')).rowCount).toBe(0)
})

test('rows of a turn whose first row waits are queued too, and written after it', async () => {
  const published = await publishWith(insert(), update('36'))
  const { sessionId, resultId = '' } = await start(app, published)
  // As if the first row had used up the time.
  sheet.retryAfter = 21
  sheet.failures.push(429, 429)
  sheet.rows.push(['Ada', ''])
  await reply(app, sessionId, 'Ada')
  sheet.rows.pop()
  sheet.retryAfter = undefined
  expect((await queued()).map(({ kind }) => kind)).toEqual(['insert', 'update'])
  await app.sheets.runDue()
  expect(sheet.rows).toEqual([
    ['Name', 'Age'],
    ['Ada', '36'],
  ])
  expect(await entriesOf(resultId, published)).toEqual([
    LATER,
    LATER,
    INSERTED,
    'Google Sheets: a row was updated',
  ])
})

test('rows of one sheet are sent in one request', async () => {
  const published = await publishWith(insert())
  for (const name of ['1', '2', '3']) await leave(published, name)
  sheet.asked = []
  await app.sheets.runDue()
  expect(names()).toEqual(['1', '2', '3'])
  expect(sheet.asked.filter((path) => path.includes('append'))).toHaveLength(1)
})

describe('queued inserts', () => {
  test.each([
    [
      'an insert without a response that is found in the sheet is not sent again',
      'lost',
      'Google Sheets: the row is in the sheet',
    ],
    ['an insert without a response that is missing in the sheet is sent again', 'dropped', INSERTED],
  ] as const)('%s', async (_, failure, entry) => {
    const published = await publishWith(insert())
    const resultId = await leave(published, 'Ada')
    sheet.failures.push(failure)
    await app.sheets.runDue()
    const [row = {}] = await queued()
    expect(row.is_sent).toBe(true)
    // The vendor may still be at it.
    expect((row.due_at as Date).getTime()).toBeGreaterThan(Date.now() + 170_000)
    await app.sheets.runDue()
    expect(await entriesOf(resultId, published)).toEqual([LATER])
    await makeDue()
    await app.sheets.runDue()
    expect(names()).toEqual(['Ada'])
    expect(await entriesOf(resultId, published)).toEqual([LATER, entry])
  })

  test('an insert that a turn sent without a response is looked up in the sheet', async () => {
    const published = await publishWith(insert())
    const { sessionId, resultId = '' } = await start(app, published)
    sheet.failures.push('lost')
    await reply(app, sessionId, 'Ada')
    expect((await queued()).map(({ is_sent }) => is_sent)).toEqual([true])
    await makeDue()
    await app.sheets.runDue()
    expect(names()).toEqual(['Ada'])
    expect(await entriesOf(resultId, published)).toEqual([LATER, 'Google Sheets: the row is in the sheet'])
  })

  test('equal inserts are unknown for good when the sheet has fewer rows with their values', async () => {
    const published = await publishWith(insert())
    const ids = [await leave(published, 'Ada'), await leave(published, 'Ada')]
    sheet.failures.push('dropped')
    sheet.rows.push(['Ada'])
    await app.sheets.runDue()
    await makeDue()
    await app.sheets.runDue()
    expect(names()).toEqual(['Ada'])
    for (const id of ids) expect(await entriesOf(id, published)).toEqual([LATER, UNKNOWN])
    expect(await queued()).toEqual([])
  })

  test('an insert is looked up after its process has died', async () => {
    const published = await publishWith(insert())
    await leave(published, 'Ada')
    await app.pool.query('UPDATE sheet_rows SET is_sent = true')
    await app.sheets.runDue()
    expect(names()).toEqual(['Ada'])
  })
})

test('a row that the vendor rejects does not keep others, and its log has the reason', async () => {
  const published = await publishWith(insert())
  const ids: string[] = []
  for (const name of ['1', '2', 'poison', '4', '5']) ids.push(await leave(published, name))
  sheet.poison = 'poison'
  await app.sheets.runDue()
  expect(names().toSorted()).toEqual(['1', '2', '4', '5'])
  expect(await entriesOf(ids[2] as string, published)).toEqual([LATER, NOT_WRITTEN])
  for (const id of [0, 1, 3, 4])
    expect(await entriesOf(ids[id] as string, published)).toEqual([LATER, INSERTED])
  expect(await queued()).toEqual([])
})

test('a process that reads the same rows writes none of them a second time', async () => {
  const published = await publishWith(insert())
  for (let nth = 0; nth < 5; nth++) await leave(published, String(nth))
  const { db, keyring, clock } = app
  const chat = { httpRequest: outboundClient({ allowedHosts: [sheet.host] }) }
  const log = createLog('silent', { write() {} })
  const others = [0, 1].map(() =>
    openSheetQueue({ db, keyring, log, chat, now: clock.now, config: {} } as unknown as Services),
  )
  await Promise.all([...others.map((other) => other.runDue()), app.sheets.runDue()])
  await Promise.all(others.map((other) => other.stop()))
  expect(names().toSorted()).toEqual(['0', '1', '2', '3', '4'])
})

test('a process that has lost its lease does not send what another one has sent', async () => {
  const published = await publishWith(insert())
  await leave(published, 'Ada')
  app.beforeStatement = async (statement, _, send) => {
    if (!/update "sheet_rows" set .*"is_sent"/.test(statement)) return
    app.beforeStatement = undefined
    // The other process has sent it, and deleted it.
    sheet.rows.push(['Ada'])
    await send('DELETE FROM sheet_rows')
  }
  await app.sheets.runDue()
  expect(names()).toEqual(['Ada'])
})

test('an account that is rejected is not used as long as the vendor says, and its rows are written then', async () => {
  const published = await publishWith(insert())
  const resultId = await leave(published, 'Ada')
  sheet.retryAfter = 61
  sheet.failures.push(429)
  await app.sheets.runDue()
  const { rows } = await app.pool.query(
    "SELECT lease_id, failures, ceil(date_part('epoch', rests_until - now())) AS seconds FROM sheet_accounts",
  )
  expect(rows).toEqual([{ lease_id: null, failures: 1, seconds: 60 }])
  expect((await queued())[0]?.is_sent).toBe(false)
  await app.sheets.runDue()
  expect(names()).toEqual([])
  await makeDue()
  await until('the row is written', async () => {
    await app.sheets.runDue()
    return names().length > 0
  })
  expect(names()).toEqual(['Ada'])
  expect(await entriesOf(resultId, published)).toEqual([LATER, INSERTED])
})

test('a row that was rejected for a day is given up, and its log has the reason', async () => {
  const published = await publishWith(insert())
  const resultId = await leave(published, 'Ada')
  await app.pool.query(`UPDATE sheet_rows SET created_at = now() - interval '23 hours'`)
  sheet.failures.push(500)
  sheet.failures.push(500)
  await app.sheets.runDue()
  const logs = await readLog(resultId, published)
  expect(logs.at(-1)).toMatchObject({ status: 'error', description: UNKNOWN })
  expect(await queued()).toEqual([])
})

test('a row whose consent was revoked waits for it, and is given up after a day with the reason', async () => {
  const published = await publishWith(insert())
  const resultId = await leave(published, 'Ada')
  sheet.isGranted = false
  await app.client.ok('updateCredentials', {
    as: site.member,
    params: { workspaceId: site.workspaceId, credentialsId: account },
    body: {
      type: 'google sheets',
      data: { ...sheetsAccount(sheet), oauth: { ...sheetsAccount(sheet).oauth, refreshToken: 'other' } },
    },
  })
  await app.sheets.runDue()
  expect(await entriesOf(resultId, published)).toEqual([LATER])
  expect((await queued())[0]).toMatchObject({ failures: 1 })
  await makeDue()
  await app.pool.query(`UPDATE sheet_rows SET created_at = now() - interval '23 hours'`)
  await app.sheets.runDue()
  const [, last] = await readLog(resultId, published)
  expect(last).toMatchObject({ description: NOT_WRITTEN })
  expect(last?.details).toMatch(/connect it again/)
})

test('rows of deleted credentials are given up', async () => {
  const published = await publishWith(insert())
  const resultId = await leave(published, 'Ada')
  await app.client.ok('deleteCredentials', {
    as: site.member,
    params: { workspaceId: site.workspaceId, credentialsId: account },
  })
  await app.sheets.runDue()
  const logs = await readLog(resultId, published)
  expect(logs.at(-1)).toMatchObject({ description: NOT_WRITTEN, details: 'Credentials not found' })
  expect(await queued()).toEqual([])
})

test('rows that are not sent, since one of their batch was deleted, are sent with the next one', async () => {
  const published = await publishWith(insert())
  const resultId = await enqueue(published, [{ name: 'Ada' }, { name: 'Bob' }])
  app.beforeStatement = async (statement, _, send) => {
    if (!/update "sheet_rows" set .*"is_sent"/.test(statement)) return
    app.beforeStatement = undefined
    await send(`DELETE FROM sheet_rows WHERE id LIKE '%0'`)
  }
  await app.sheets.runDue()
  expect(names()).toEqual(['Bob'])
  expect(await entriesOf(resultId, published)).toEqual([INSERTED])
})

test('a row stays in doubt for three minutes from its last attempt', async () => {
  await enqueue(await publishWith(insert()), [{ name: 'Ada' }])
  const seconds: number[] = []
  sheet.beforeRequest = async () => {
    const [row = {}] = await queued()
    seconds.push(((row.due_at as Date).getTime() - Date.now()) / 1000)
    await app.pool.query('UPDATE sheet_rows SET due_at = now()')
  }
  sheet.failures.push(429)
  await app.sheets.runDue()
  expect(seconds.map((each) => each > 170)).toEqual([true, true])
  expect(names()).toEqual(['Ada'])
})

test('an update waits for an insert of its sheet that is in doubt', async () => {
  const published = await publishWith(insert(), update('36'))
  const { sessionId, resultId = '' } = await start(app, published)
  sheet.failures.push('dropped')
  await reply(app, sessionId, 'Ada')
  expect((await queued()).map(({ kind, is_sent }) => [kind, is_sent])).toEqual([
    ['insert', true],
    ['update', false],
  ])
  await app.sheets.runDue()
  expect(await entriesOf(resultId, published)).toEqual([LATER, LATER])
  await makeDue()
  await app.sheets.runDue()
  expect(sheet.rows.slice(1)).toEqual([['Ada', '36']])
})

test('a row whose write fails is delayed, and is given up after a day', async () => {
  const published = await publishWith(insert())
  const resultId = await enqueue(published, [{ name: '', cells: {} }])
  await app.sheets.runDue()
  const [row = {}] = await queued()
  expect(row).toMatchObject({ failures: 1, is_sent: false })
  expect((row.due_at as Date).getTime()).toBeGreaterThan(Date.now() + 800_000)
  await app.pool.query(`UPDATE sheet_rows SET created_at = now() - interval '1 day'`)
  await makeDue()
  await app.sheets.runDue()
  expect(await entriesOf(resultId, published)).toEqual([NOT_WRITTEN])
  expect(await queued()).toEqual([])
})

testWithTrigger('a row that cannot be given up does not keep others', async () => {
  const published = await publishWith(insert())
  await enqueue(published, [{ name: 'Old' }, { name: 'Older' }])
  await app.pool.query(
    `UPDATE sheet_rows SET created_at = now() - interval '2 days', due_at = now() + interval '1 hour'`,
  )
  const [poisoned = {}] = await queued()
  const resultId = await enqueue(published, [{ name: 'Ada' }])
  await app.pool.query(`
    CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION ''damaged''; END';
    CREATE TRIGGER fail BEFORE DELETE ON sheet_rows FOR EACH ROW WHEN (OLD.id = '${poisoned.id}') EXECUTE FUNCTION fail()`)
  try {
    await app.sheets.runDue()
  } finally {
    await app.pool.query('DROP FUNCTION fail CASCADE')
  }
  expect(names()).toEqual(['Ada'])
  expect(await entriesOf(resultId, published)).toEqual([INSERTED])
  expect((await queued()).map(({ id }) => id)).toEqual([poisoned.id])
})

test('a row whose address is rejected is given up at once', async () => {
  const published = await publishWith(insert())
  const resultId = await enqueue(published, [{ name: 'Ada' }])
  const data = { ...sheetsAccount(sheet), baseUrl: 'http://10.0.0.1' }
  await app.client.ok('updateCredentials', {
    as: site.member,
    params: { workspaceId: site.workspaceId, credentialsId: account },
    body: { type: 'google sheets', data },
  })
  await app.sheets.runDue()
  expect(await entriesOf(resultId, published)).toEqual([NOT_WRITTEN])
})

test('rows of one spreadsheet do not wait for another that is not found', async () => {
  const published = await publishWith(insert())
  await enqueue(published, [{ name: 'Ada', spreadsheetId: 'missing', isSent: true }, { name: 'Bob' }])
  await app.sheets.runDue()
  expect(names()).toEqual(['Bob'])
  expect(await queued()).toMatchObject([{ spreadsheet_id: 'missing', failures: 1, is_sent: true }])
})

test('accounts of one workspace leave slots to another', async () => {
  await app.pool.query(`
    INSERT INTO sheet_rows SELECT 'b', 'x' || n, CASE n WHEN 10 THEN 'other' ELSE 'w' END, 'r', 'c' || n, 's1', '7',
      'insert', 'b', '[]', NULL, 1, now() - interval '1 minute' + n * interval '1 second', false, 0, NULL, now()
    FROM generate_series(1, 10) n`)
  const due = async (held: string[], running: number) =>
    (
      await dueAccounts(
        app.db,
        held.map((credentialsId) => ({ workspaceId: 'w', credentialsId })),
        new Map([['w', running]]),
        2,
        8,
      )
    ).map(({ credentialsId }) => credentialsId)
  expect(await due([], 0)).toEqual(['c1', 'c2', 'c10'])
  expect(await due(['c1'], 1)).toEqual(['c2', 'c10'])
  expect(await due([], 2)).toEqual(['c10'])
})

test('a row is rejected while the queue cannot be counted, and the next one is counted again', async () => {
  const owner = { botId: 'b', workspaceId: site.workspaceId }
  app.beforeStatement = async (statement) => {
    if (!/sum\(size\)/.test(statement)) return
    app.beforeStatement = undefined
    throw new Error('The database is away')
  }
  expect(await reserveSheetRow(app.db, owner, 10)).toMatch(/cannot be counted/)
  expect(await reserveSheetRow(app.db, owner, 10)).toBeUndefined()
})

test('rows with many sets of columns are read in passes that yield the thread', async () => {
  const columns = Array.from({ length: 9 }, (_, index) => `C${index}`)
  const row = columns.map(() => 'x'.repeat(50))
  sheet.rows = [columns, ...Array<string[]>(10_000).fill(row)]
  const rows = Array.from({ length: 500 }, (_, set) => ({
    ...{
      id: `${set}`,
      kind: 'insert' as const,
      blockId: 'b',
      credentialsId: account,
      isSent: true,
      filter: null,
    },
    ...{ spreadsheetId: 's1', sheetId: '7' },
    cells: columns.flatMap((column, index) =>
      ((set + 1) >> index) & 1 ? [{ column, value: row[index] as string }] : [],
    ),
  }))
  let lastAt = performance.now()
  let longestMs = 0
  const timer = setInterval(() => {
    longestMs = Math.max(longestMs, performance.now() - lastAt)
    lastAt = performance.now()
  }, 5)
  const tools = {
    now: app.clock.now,
    random: Math.random,
    httpRequest: outboundClient({ allowedHosts: [sheet.host] }),
  }
  const { found } = await findQueuedRows(tools, sheetsAccount(sheet), rows)
  clearInterval(timer)
  expect(found?.filter((finding) => finding !== 'later')).toEqual(Array(20).fill('there'))
  expect(longestMs).toBeLessThan(1_000)
})

test.each(['resultIds', 'all'] as const)('nothing is written for a result deleted by %s', async (way) => {
  const published = await publishWith(insert())
  const resultId = await leave(published, 'Ada')
  await app.client.ok('deleteResults', {
    as: site.member,
    params: { botId: published.id },
    query: way === 'all' ? {} : { resultIds: resultId },
  })
  await app.sheets.runDue()
  expect(names()).toEqual([])
  expect(await queued()).toEqual([])
})

test('a preview queues no row, and its log has the response of Google', async () => {
  const published = await publishWith(insert())
  const { sessionId } = await app.client.ok('startPreview', {
    as: site.member,
    params: { botId: published.id },
    body: {},
  })
  sheet.retryAfter = 21
  sheet.failures.push(429)
  const turn = await reply(app, sessionId, 'Ada')
  expect(turn.logs?.map(({ description }) => description)).toEqual(['Google Sheets answered 429'])
  expect(await queued()).toEqual([])
})

describe('bounds of the queue', () => {
  /** Rows that wait already. */
  const fill = (botId: string, rows: number, size: number) =>
    app.pool.query(
      `INSERT INTO sheet_rows SELECT $1, 'x' || n, $2, 'r', 'c', 's1', '7', 'insert', 'b', '[]', NULL, $4,
         now() + interval '1 day', false, 0, NULL, now() FROM generate_series(1, $3) n`,
      [botId, site.workspaceId, rows, size],
    )
  const lastEntry = async (published: Published, resultId: string) =>
    (await readLog(resultId, published)).at(-1)
  const bytes =
    Buffer.byteLength('[{"column":"Name","value":"Ada"}]') + Buffer.byteLength('{"cells":,"filter":null}s17')

  test.each([
    ['rows of a bot', 'MAX_QUEUED_ROWS_PER_BOT', true, 0],
    ['rows of a workspace', 'MAX_QUEUED_ROWS_PER_WORKSPACE', false, 0],
    ['bytes of a bot', 'MAX_QUEUED_BYTES_PER_BOT', true, bytes],
    ['bytes of a workspace', 'MAX_QUEUED_BYTES_PER_WORKSPACE', false, bytes],
  ])(
    'the queue takes as many %s as the table says, and rejects one more with an entry in the log',
    async (_, name, isOwn, size) => {
      const published = await publishWith(insert())
      const most = boundNamed(name)
      const owner = isOwn ? published.id : 'another'
      if (size === 0) await fill(owner, most - 1, 1)
      else await fill(owner, 1, most - size)
      const entries = []
      for (const name of ['Ada', 'Bob'])
        entries.push(await lastEntry(published, await leave(published, name)))
      expect(entries).toMatchObject([
        { description: LATER },
        {
          description: 'Google Sheets: the request failed',
          details: expect.stringContaining('too many rows'),
        },
      ])
    },
  )

  test('a write takes ids as long as the table says, and rejects a longer one', async () => {
    const most = boundNamed('MAX_SHEET_ID_CHARACTERS')
    const details = []
    for (const length of [most, most + 1]) {
      const parts = part('Insert a row', {
        spreadsheetId: 'x'.repeat(length),
        cellsToInsert: [{ id: '1', column: 'Name', value: 'Ada' }],
      })
      const published = await publishWith(parts)
      const { sessionId, resultId = '' } = await start(app, published)
      await reply(app, sessionId, 'Ada')
      details.push(String((await lastEntry(published, resultId))?.details))
    }
    expect(details.map((each) => each.includes(`at most ${most} characters`))).toEqual([false, true])
  })

  test('the queue takes a row of as many bytes as the table says, and rejects a larger one', async () => {
    const most = boundNamed('MAX_QUEUED_ROW_BYTES')
    // Cells are of 50,000 characters at most.
    const cells = Array.from({ length: 20 }, (_, index) => ({
      id: String(index),
      column: 'Name',
      value: 'x'.repeat(index === 19 ? 49_000 : 49_990),
    }))
    const sizeOf = (list: { column: string; value: string }[]) =>
      Buffer.byteLength(
        `${JSON.stringify({ cells: list.map(({ column, value }) => ({ column, value })), filter: null })}s17`,
      )
    const last = cells.at(-1) as (typeof cells)[number]
    last.value += 'x'.repeat(most - sizeOf(cells))
    expect(last.value.length).toBeLessThanOrEqual(50_000)
    const fitting = await publishWith(part('Insert a row', { cellsToInsert: cells }))
    expect((await lastEntry(fitting, await leave(fitting, 'Ada')))?.description).toBe(LATER)
    last.value += 'x'
    const larger = await publishWith(part('Insert a row', { cellsToInsert: cells }))
    expect((await lastEntry(larger, await leave(larger, 'Ada')))?.details).toContain(`${most} bytes at most`)
  })
})

test('forgetSheetAccounts deletes accounts without rows, and keeps leased and recent ones', async () => {
  await app.pool.query(
    `INSERT INTO sheet_accounts VALUES ('w', 'old', NULL, NULL, 3, now() - interval '3 days'),
       ('w', 'held', 'claim', now() + interval '10 seconds', 0, now() - interval '3 days'), ('w', 'new', NULL, NULL, 3, now())`,
  )
  await forgetSheetAccounts(app.db, new Date())
  const { rows } = await app.pool.query('SELECT credentials_id FROM sheet_accounts ORDER BY 1')
  expect(rows).toEqual([{ credentials_id: 'held' }, { credentials_id: 'new' }])
})
