import { hash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { getTableColumns } from 'drizzle-orm'
import { pgTable, text, timestamp } from 'drizzle-orm/pg-core'
import { bot } from '../../contract/operation.ts'
import { decideAccess } from '../../server/access/index.ts'
import { bots } from '../../server/db/schema.ts'
import { type App, startApp } from '../support/app.ts'
import type { Caller } from '../support/client.ts'
import { testWithTrigger } from '../support/locks.ts'
import { until } from '../support/process.ts'
import { makeWorld, type Site } from '../support/world.ts'

/* Queries that read a token together with a record, and the writes that come with them. */

let app: App
beforeAll(async () => {
  app = await startApp()
})
afterAll(() => app.stop())

/** Runs in this file alone, whose modules are its own. */
test('a column of a record named like one of a token or a role grants no access', async () => {
  const { here, expired, revoked, stranger } = await makeWorld(app)
  const named = pgTable('bots', {
    role: text('role'),
    expiresAt: timestamp('expires_at', { withTimezone: true, precision: 3 }),
    revokedAt: timestamp('revoked_at', { withTimezone: true, precision: 3 }),
    ownerUserId: text('owner_user_id'),
    token: text('token'),
  })
  Object.assign(getTableColumns(bots), getTableColumns(named))
  await app.pool.query(`ALTER TABLE bots ADD role text DEFAULT 'ADMIN', ADD token text DEFAULT 'x',
    ADD expires_at timestamptz(3), ADD revoked_at timestamptz(3)`)
  await app.pool.query(`ALTER TABLE bots ADD owner_user_id text DEFAULT '${here.admin.id}'`)
  const ask = (token: string) =>
    decideAccess(
      app.db,
      { ...bot('ADMIN'), scope: 'read' },
      hash('sha256', token, 'hex'),
      here.draft.id,
      app.clock.now(),
    )
  for (const { token } of [expired, revoked]) {
    expect(await ask(token)).toMatchObject({ caller: undefined, rejection: { code: 'UNAUTHORIZED' } })
  }
  for (const { token, id } of [here.guest, here.member, stranger]) {
    expect(await ask(token)).toMatchObject({ caller: { userId: id }, rejection: { code: 'FORBIDDEN' } })
  }
  expect(await ask(here.admin.token)).toMatchObject({
    caller: { userId: here.admin.id },
    grant: { role: 'ADMIN', bot: { id: here.draft.id, role: 'ADMIN', expiresAt: null } },
  })
})

test('a used token gets a new last day where a clock that was ahead has written a later one', async () => {
  const { here } = await makeWorld(app)
  const { tokenId } = here.guest
  await app.pool.query(`UPDATE api_tokens SET last_used_on = '2031-01-01' WHERE id = $1`, [tokenId])
  await app.client.ok('listBots', { as: here.guest, query: { workspaceId: here.workspaceId } })
  const today = app.clock.now().toISOString().slice(0, 10)
  await until('it is noted', async () => {
    const text = 'SELECT last_used_on::text AS day FROM api_tokens WHERE id = $1'
    return (await app.pool.query(text, [tokenId])).rows[0].day === today
  })
})

testWithTrigger(
  'the day of use of a token is stored once, and no read waits for that or fails with it',
  async () => {
    const { here } = await makeWorld(app)
    const { tokenId } = here.member
    const readBots = () =>
      app.client.ok('listBots', { as: here.member, query: { workspaceId: here.workspaceId } })
    const notes = () => app.statements.filter((text) => /^update "api_tokens"/i.test(text))
    app.clock.advance(3 * 24 * 60 * 60 * 1000)

    const holder = await app.pool.connect()
    await holder.query('BEGIN')
    await holder.query('SELECT 1 FROM api_tokens WHERE id = $1 FOR UPDATE', [tokenId])
    app.statements.length = 0
    // A further write would wait for the lock of the row.
    for (let again = 0; again < 3; again++) await readBots()
    expect(notes()).toHaveLength(1)
    await holder.query('ROLLBACK')
    holder.release()
    const today = app.clock.now().toISOString().slice(0, 10)
    await until('it is noted', async () => {
      const { rows } = await app.pool.query('SELECT last_used_on::text FROM api_tokens WHERE id = $1', [
        tokenId,
      ])
      return rows[0].last_used_on === today
    })

    app.clock.advance(3 * 24 * 60 * 60 * 1000)
    await app.pool.query(`
    CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'cannot write'; END $$;
    CREATE TRIGGER refuse BEFORE UPDATE ON api_tokens FOR EACH ROW EXECUTE FUNCTION refuse()`)
    app.statements.length = 0
    await readBots()
    expect(notes()).toHaveLength(1)
    await readBots()
  },
)

describe('a workspace that only the body names', () => {
  const create = (as: Caller, workspaceId: string) =>
    app.client.call('createFolder', { as, body: { workspaceId, folder: { name: 'x' } } })
  const lookups = () => app.statements.filter((text) => text.includes('token_hash')).length

  test('is looked up with the token, and before the body if the token named it last', async () => {
    const { here, there } = await makeWorld(app)
    const { admin } = here
    await app.pool.query(
      "INSERT INTO workspace_members (workspace_id, user_id, role, created_at) VALUES ($1, $2, 'MEMBER', now())",
      [there.workspaceId, admin.id],
    )
    const asked = []
    for (const { workspaceId } of [here, here, here, there, there, here]) {
      app.statements.length = 0
      const { status, body } = await create(admin, workspaceId)
      expect([status, body.folder.workspaceId]).toEqual([201, workspaceId])
      asked.push(lookups())
    }
    // With another workspace, the first statement has already found the caller.
    expect(asked).toEqual([2, 1, 1, 2, 1, 2])
  })

  test('grants no role of the workspace that the token named before', async () => {
    const { here, there } = await makeWorld(app)
    const { member } = here
    const statuses = async (...sites: Site[]) => {
      const answers = []
      for (const { workspaceId } of sites) answers.push((await create(member, workspaceId)).status)
      return answers
    }
    expect(await statuses(here, there, here, there, there)).toEqual([201, 403, 201, 403, 403])
    await app.pool.query("UPDATE workspace_members SET role = 'GUEST' WHERE user_id = $1", [member.id])
    expect(await statuses(here, there)).toEqual([403, 403])
    await app.pool.query("UPDATE workspace_members SET role = 'MEMBER' WHERE user_id = $1", [member.id])
    expect(await statuses(here)).toEqual([201])
    await app.pool.query('UPDATE workspaces SET deleted_at = now() WHERE id = $1', [here.workspaceId])
    expect(await statuses(here, here)).toEqual([404, 404])
  })
})
