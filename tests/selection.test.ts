import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { eq, getTableColumns, sql } from 'drizzle-orm'
import { transact } from '../server/db/client.ts'
import { apiTokens, bots, resultAnswers, results, workspaceMembers } from '../server/db/schema.ts'
import { expression, optional, prepareSelect, selectRows } from '../server/db/selection.ts'
import { JsonText } from '../server/json/json-text.ts'
import { type App, startApp } from './support/app.ts'
import { makeWorld, type World } from './support/world.ts'

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

test('groups keep columns of one name apart', async () => {
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

test('an expression has the type that it is cast to, and may be null only where that is said', async () => {
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
