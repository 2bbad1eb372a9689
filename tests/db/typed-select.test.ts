import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { eq, getTableColumns, sql } from 'drizzle-orm'
import { transact } from '../../server/db/client.ts'
import { createInternedRows, memoizeOn } from '../../server/db/interned-rows.ts'
import {
  apiTokens,
  bots,
  folders,
  resultAnswers,
  results,
  workspaceMembers,
  workspaces,
} from '../../server/db/schema.ts'
import { expression, optional, prepareSelect, selectRows } from '../../server/db/typed-select.ts'
import { JsonText } from '../../server/kit/json/json-text.ts'
import { type App, startApp } from '../support/app.ts'
import { makeWorld, type World } from '../support/world.ts'

/* A row that a statement in SQL reads is what Drizzle reads, by value and by type. */

let app: App
let world: World
beforeAll(async () => {
  app = await startApp()
  world = await makeWorld(app)
})
afterAll(() => app.stop())

/** Does not compile where the two types are not the same. */
const sameType = <A, B>(
  _: (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false,
) => {}

test.each(Object.entries({ bots, apiTokens, results, resultAnswers }))(
  '%s are read as by Drizzle',
  async (_, table) => {
    const expected = await app.db.select().from(table as typeof bots)
    expect(expected.length).toBeGreaterThan(0)
    const columns = getTableColumns(table as typeof bots)
    const prepared = prepareSelect(app.db, '', columns, (list) => sql`SELECT ${list} FROM ${table}`)
    const inTransaction = await transact(app.db, (tx) =>
      selectRows(tx, columns, (list) => sql`SELECT ${list} FROM ${table}`),
    )
    for (const rows of [await prepared({}), inTransaction]) {
      sameType<typeof rows, (typeof bots.$inferSelect)[]>(true)
      expect(rows).toHaveLength(expected.length)
      // The nodes of a cluster answer in no order.
      expect(rows).toEqual(expect.arrayContaining(expected))
    }
  },
)

test('groups keep columns with the same name apart', async () => {
  await app.db
    .update(apiTokens)
    .set({ lastUsedOn: '2026-03-29' })
    .where(eq(apiTokens.ownerUserId, world.here.admin.id))
  const { id, createdAt, lastUsedOn } = apiTokens
  const [row] = await selectRows(
    app.db,
    {
      bot: { id: bots.id, createdAt: bots.createdAt },
      token: { id, createdAt, lastUsedOn },
      version: bots.version,
    },
    (list) => sql`SELECT ${list} FROM ${bots} CROSS JOIN ${apiTokens}
      WHERE ${bots.id} = ${world.here.draft.id} AND ${apiTokens.ownerUserId} = ${world.here.admin.id}`,
  )
  const [bot] = await app.db.select().from(bots).where(eq(bots.id, world.here.draft.id))
  const [token] = await app.db.select().from(apiTokens).where(eq(apiTokens.ownerUserId, world.here.admin.id))
  expect(row).toEqual({
    bot: { id: bot?.id, createdAt: bot?.createdAt },
    token: { id: token?.id, createdAt: token?.createdAt, lastUsedOn: '2026-03-29' },
    version: bot?.version,
  })
})

test('an expression has the type of its cast, and may be null only where declared', async () => {
  const [row] = await selectRows(
    app.db,
    {
      count: expression(sql`count(*)`, 'float8'),
      json: expression(sql`'{"b":1, "a":2}'`, 'json'),
      moment: expression(sql`'2026-03-29 01:30:00+01'`, 'timestamptz'),
      none: optional(expression(sql`NULL`, 'json')),
      role: optional(workspaceMembers.role),
    },
    (list) =>
      sql`SELECT ${list} FROM (SELECT 1) one LEFT JOIN ${workspaceMembers} ON false GROUP BY ${workspaceMembers.role}`,
  )
  if (!row) throw new Error('No row')
  sameType<
    typeof row,
    {
      count: number
      json: JsonText
      moment: Date
      none: JsonText | null
      role: 'ADMIN' | 'MEMBER' | 'GUEST' | null
    }
  >(true)
  expect(row).toEqual({
    count: 1,
    json: new JsonText('{"b":1, "a":2}'),
    moment: new Date('2026-03-29T00:30:00.000Z'),
    none: null,
    role: null,
  })
})

const { tokenHash: _, ...tokenColumns } = getTableColumns(apiTokens)

describe('an interned record', () => {
  const read = async (
    columns: Parameters<typeof createInternedRows>[0],
    record = createInternedRows(columns),
  ) => {
    const { table } = Object.values(columns)[0] as (typeof bots)['id']
    const rows = await selectRows(app.db, { record }, (list) => sql`SELECT ${list} FROM ${table}`)
    return rows.map((row) => row.record)
  }

  test.each(
    Object.entries({
      workspaces: getTableColumns(workspaces),
      folders: getTableColumns(folders),
      bots: getTableColumns(bots),
      apiTokens: tokenColumns,
    }),
  )('for %s is equal to the one that Drizzle reads', async (_, columns) => {
    // Drizzle reads those before as of our days.
    const moment = new Date('0100-05-06T07:08:09.010Z')
    await app.db.update(workspaces).set({
      name: 'Ünï\u2028 "quoted" \\ \t\n,(){}',
      icon: '',
      settings: new JsonText('{ "b":1.0 ,"a" : "\\u0041" }'),
      lastActivityAt: moment,
    })
    await app.db.update(bots).set({
      riskLevel: 0.1,
      resultsTablePreferences: new JsonText('[ ]'),
      resultsFloorAt: moment,
      revision: 2 ** 53 - 1,
    })
    await app.db.update(apiTokens).set({ scopes: ['read', 'chat-admin'], lastUsedOn: '2026-03-29' })
    const expected = await app.db.select(columns).from((columns.id as (typeof bots)['id']).table)
    expect(expected.length).toBeGreaterThan(0)
    expect(await read(columns)).toEqual(expect.arrayContaining(expected))
  })

  test('is the same object until it changes, and is frozen', async () => {
    const columns = { id: bots.id, name: bots.name }
    const record = createInternedRows(columns)
    const find = async () => (await read(columns, record)).find(({ id }) => id === world.here.draft.id)
    const first = await find()
    expect(await find()).toBe(first)
    expect(() => Object.assign(first as object, { name: 'Other' })).toThrow(TypeError)
    let made = 0
    const make = (name: string) => memoizeOn(first as object, name, () => ++made)
    expect([make('one'), make('other'), make('one')]).toEqual([1, 2, 1])

    const name = String(first?.name)
    await app.db.update(bots).set({ name: 'Other' }).where(eq(bots.id, world.here.draft.id))
    const second = await find()
    expect(second).toEqual({ ...first, name: 'Other' })
    expect(memoizeOn(second as object, 'one', () => ++made)).toBe(3)
    await app.db.update(bots).set({ name }).where(eq(bots.id, world.here.draft.id))
    expect(await find()).toEqual(first)
  })

  test('has no value that JSON does not have', () => {
    expect(() => createInternedRows(getTableColumns(apiTokens))).toThrow(
      'JSON has nothing for the column token_hash',
    )
  })
})
