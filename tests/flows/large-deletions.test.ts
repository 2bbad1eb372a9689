import { afterAll, beforeAll, beforeEach, describe, expect } from '@jest/globals'
import type { WorkspaceGrant } from '../../server/access/index.ts'
import { botPage } from '../../server/bots/rows.ts'
import { firstPosition } from '../../server/db/page.ts'
import { moveFromDeletedFolders } from '../../server/jobs/folders.ts'
import { purgeBatch } from '../../server/jobs/purge.ts'
import { type App, startApp } from '../support/app.ts'
import { testWithTrigger as test } from '../support/locks.ts'
import { makeWorld, type Site, type World } from '../support/world.ts'

/* Deletions of folders and workspaces take the same for few and many: the request marks, and jobs move and remove. */

const RECORDS = 20_000

let app: App
let world: World
let site: Site
beforeAll(async () => {
  app = await startApp({ database: { lockTimeout: 30_000, statementTimeout: 30_000 } })
  await app.pool.query(`
    CREATE SEQUENCE written_rows;
    CREATE FUNCTION count_row() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM nextval(''written_rows''); RETURN NULL; END';
    DO $$ DECLARE name text; BEGIN
      FOR name IN SELECT tablename FROM pg_tables WHERE schemaname = 'public' LOOP
        EXECUTE format('CREATE TRIGGER count_row AFTER INSERT OR UPDATE OR DELETE ON %I FOR EACH ROW EXECUTE FUNCTION count_row()', name);
      END LOOP;
    END $$`)
})
afterAll(() => app.stop())
beforeEach(async () => {
  world = await makeWorld(app)
  site = world.here
})

/** Returns the number of rows that are inserted, updated or deleted during the work. */
async function rowsWrittenBy(work: () => Promise<unknown>): Promise<number> {
  const read = async () => Number((await app.pool.query("SELECT nextval('written_rows')")).rows[0].nextval)
  const before = await read()
  await work()
  return (await read()) - before - 1
}

async function count(from: string, ...values: unknown[]): Promise<number> {
  return (await app.pool.query(`SELECT count(*)::int FROM ${from}`, values)).rows[0].count
}

async function addFolder(parentFolderId: string | null = null): Promise<string> {
  const body = { workspaceId: site.workspaceId, folder: { name: 'Folder', parentFolderId } }
  return (await app.client.ok('createFolder', { as: site.member, body })).folder.id
}

async function addBots(number: number, folderId: string | null) {
  await app.pool.query(
    `INSERT INTO bots (id, workspace_id, folder_id, name, version, revision, created_at, updated_at)
    SELECT md5($3 || n) AS id, $1, $3, 'Bot', '6.1', 1, $4::timestamptz + n * interval '1 millisecond', $4
    FROM generate_series(1, $2::int) n`,
    [site.workspaceId, number, folderId, app.clock.now()],
  )
}

async function addFolders(number: number, parentFolderId: string | null) {
  await app.pool.query(
    `INSERT INTO folders (id, workspace_id, parent_folder_id, name, created_at, updated_at)
    SELECT md5('folder' || $1 || n), $1, $3, 'Folder', $4::timestamptz + n * interval '1 millisecond', $4
    FROM generate_series(1, $2::int) n`,
    [site.workspaceId, number, parentFolderId, app.clock.now()],
  )
}

const deleteFolder = (folderId: string) =>
  app.client.ok('deleteFolder', { as: site.member, params: { folderId } })

/** The ids and folders of all bots that are listed in a folder, in pages of more than the operation gives. */
async function botsIn(folderId: string | undefined): Promise<Map<string, string | null>> {
  const found = new Map<string, string | null>()
  const grant = { workspace: { id: site.workspaceId } } as WorkspaceGrant
  for (let position = firstPosition; ; ) {
    const page = await botPage(app.db, grant, folderId, position, 5_000)
    for (const bot of page) {
      expect(found.has(bot.id)).toBe(false)
      found.set(bot.id, bot.folderId)
      position = bot
    }
    if (page.length === 0) return found
  }
}

async function foldersIn(parentFolderId: string): Promise<Map<string, string | null>> {
  const { folders } = await app.client.ok('listFolders', {
    as: site.member,
    query: { workspaceId: site.workspaceId, parentFolderId },
  })
  return new Map(folders.map((folder) => [folder.id, folder.parentFolderId]))
}

/** Stops a job as a killed process does: within its next batch, before the statement with this number. */
async function interrupt(batch: () => Promise<unknown>, place: number) {
  let sent = 0
  app.beforeStatement = async () => {
    if (sent++ === place) throw new Error('the process was killed')
  }
  await batch().catch(() => {})
  app.beforeStatement = undefined
}

describe('deleteFolder', () => {
  const move = () => moveFromDeletedFolders(app.db, app.clock.now())
  const moveAll = async () => {
    while (await move());
  }

  test('writes as many rows for 20,000 bots as for one, and shows them in the parent at once', async () => {
    const [few, parent] = [await addFolder(), await addFolder()]
    const many = await addFolder(parent)
    await addBots(1, few)
    await addBots(RECORDS, many)
    const inside = await addFolder(many)
    const deepest = await addFolder(inside)
    const written = await rowsWrittenBy(() => deleteFolder(few))
    expect(written).toBeLessThan(10)
    expect(await rowsWrittenBy(() => deleteFolder(many))).toBe(written)
    const isShown = async () => {
      const bots = await botsIn(parent)
      expect(bots.size).toBe(RECORDS)
      expect([...new Set(bots.values())]).toEqual([parent])
      expect(await foldersIn(parent)).toEqual(new Map([[inside, parent]]))
      expect(await foldersIn(inside)).toEqual(new Map([[deepest, inside]]))
      expect((await foldersIn('root')).has(many)).toBe(false)
    }
    await isShown()
    for (let batch = 0; batch < 20; batch++) await move()
    for (const place of [1, 2, 3]) await interrupt(move, place)
    expect(await count('bots WHERE folder_id = $1', many)).toBeGreaterThan(1_000)
    expect(await count('bots WHERE folder_id = $1', parent)).toBeGreaterThan(1_000)
    await isShown()
    await moveAll()
    await isShown()
    expect(await count('bots WHERE folder_id = $1', parent)).toBe(RECORDS)
    expect(await count('folders WHERE deleted_at IS NOT NULL')).toBe(0)
  }, 120_000)

  test('is complete for every reader before its content is moved', async () => {
    const folderId = await addFolder(site.folder)
    const child = await addFolder(folderId)
    const body = { workspaceId: site.workspaceId, bot: { folderId } }
    const { bot } = await app.client.ok('createBot', { as: site.member, body })
    const params = { botId: bot.id }
    const before = await app.client.call('getBot', { as: site.member, params })
    const childBefore = await app.client.call('getFolder', { as: site.member, params: { folderId: child } })
    const { folder } = await deleteFolder(folderId)
    expect(folder).toMatchObject({ id: folderId, parentFolderId: site.folder })

    const after = await app.client.call('getBot', { as: site.member, params })
    expect(after.body).toMatchObject({ bot: { folderId: site.folder, updatedAt: bot.updatedAt } })
    expect(after.headers.etag).not.toBe(before.headers.etag)
    const change = { as: site.member, params, body: { bot: { version: '6.1' as const, name: 'New' } } }
    const ifMatch = (tag: string | undefined) => ({ headers: { 'If-Match': tag as string } })
    const stale = await app.client.call('updateBot', { ...change, ...ifMatch(before.headers.etag) })
    expect(stale.status).toBe(412)
    const updated = await app.client.call('updateBot', { ...change, ...ifMatch(after.headers.etag) })
    expect(updated.body).toMatchObject({ bot: { folderId: site.folder, name: 'New' } })

    const shown = await app.client.call('getFolder', { as: site.member, params: { folderId: child } })
    expect(shown.body).toMatchObject({ folder: { parentFolderId: site.folder } })
    expect(shown.headers.etag).not.toBe(childBefore.headers.etag)
    expect((await botsIn(undefined)).get(bot.id)).toBe(site.folder)

    const gone = await Promise.all([
      app.client.call('getFolder', { as: site.member, params: { folderId } }),
      app.client.call('updateFolder', {
        as: site.member,
        params: { folderId },
        body: { folder: { name: 'x' } },
      }),
      app.client.call('deleteFolder', { as: site.member, params: { folderId } }),
      app.client.call('listBots', { as: site.member, query: { workspaceId: site.workspaceId, folderId } }),
      app.client.call('listFolders', {
        as: site.member,
        query: { workspaceId: site.workspaceId, parentFolderId: folderId },
      }),
    ])
    expect(gone.map(({ status }) => status)).toEqual([404, 404, 404, 404, 404])
    const refused = await Promise.all([
      app.client.call('createBot', { as: site.member, body }),
      app.client.call('updateBot', { as: site.member, params, body: { bot: { version: '6.1', folderId } } }),
      app.client.call('createFolder', {
        as: site.member,
        body: { workspaceId: site.workspaceId, folder: { name: 'x', parentFolderId: folderId } },
      }),
      app.client.call('updateFolder', {
        as: site.member,
        params: { folderId: child },
        body: { folder: { parentFolderId: folderId } },
      }),
    ])
    expect(refused.map(({ status }) => status)).toEqual([400, 400, 400, 400])
    // A circle that leads through the deleted folder is one all the same.
    const circle = await app.client.call('updateFolder', {
      as: site.member,
      params: { folderId: site.folder },
      body: { folder: { parentFolderId: child } },
    })
    expect(circle.body).toMatchObject({ issues: [{ code: 'circular_move' }] })

    const tag = (await app.client.call('getBot', { as: site.member, params })).headers.etag
    await moveAll()
    expect((await app.client.call('getBot', { as: site.member, params })).headers.etag).toBe(tag)
  })

  test('deleting a folder and then its parent, before the move, shows all contents in the folder above', async () => {
    const [top, outer] = [await addFolder(), await addFolder()]
    const params = { folderId: outer }
    await app.client.ok('updateFolder', {
      as: site.member,
      params,
      body: { folder: { parentFolderId: top } },
    })
    const inner = await addFolder(outer)
    const last = await addFolder(inner)
    await addBots(3, inner)
    await addBots(2, last)
    for (const folderId of [inner, last, outer]) await deleteFolder(folderId)
    const isShown = async () => {
      expect([...(await botsIn(top)).values()]).toEqual([top, top, top, top, top])
      expect((await foldersIn(top)).size).toBe(0)
    }
    await isShown()
    await deleteFolder(top)
    expect([...(await botsIn('root')).values()].filter((folderId) => folderId !== null)).toEqual([])
    expect((await botsIn('root')).size).toBe(4 - 1 + 5)
    await moveAll()
    expect((await botsIn('root')).size).toBe(4 - 1 + 5)
    expect(await count('folders WHERE workspace_id = $1', site.workspaceId)).toBe(3)
  })

  test('tells bot.updated of each bot once, with the folder that it is in then', async () => {
    const folderId = await addFolder(site.folder)
    await addBots(450, folderId)
    const body = { url: 'https://receiver.example/' }
    const params = { workspaceId: site.workspaceId }
    await app.client.ok('createWebhookEndpoint', { as: site.admin, params, body })
    await deleteFolder(folderId)
    await move()
    for (const place of [4, 50]) await interrupt(move, place)
    await moveAll()
    const { rows } = await app.pool.query(
      `SELECT e.data->>'folderId' AS folder, count(*)::int, count(DISTINCT bot_id)::int AS bots
      FROM webhook_deliveries JOIN webhook_events e USING (bot_id, subject, id)
      WHERE type = 'bot.updated' GROUP BY 1`,
    )
    expect(rows).toEqual([{ folder: site.folder, count: 450, bots: 450 }])
  })

  test('moves all but a bot whose row fails each time, in a bounded number of batches', async () => {
    const [folderId, other] = [await addFolder(), await addFolder()]
    await addBots(1_000, folderId)
    await addBots(5, other)
    await app.pool.query(`
      CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RAISE ''damaged''; END';
      CREATE TRIGGER refuse BEFORE UPDATE ON bots FOR EACH ROW
        WHEN (OLD.id = md5('${folderId}' || 500)) EXECUTE FUNCTION refuse()`)
    await deleteFolder(folderId)
    await deleteFolder(other)
    let [batches, failures] = [0, 0]
    while (batches++ < 40) if (!(await move().catch(() => ++failures < 3))) break
    expect(await count('bots WHERE folder_id = ANY($1)', [folderId, other])).toBe(1)
    expect(batches).toBeLessThan(40)
    expect(failures).toBeGreaterThan(0)
    expect(await count('folders WHERE id = $1', other)).toBe(0)
    await app.pool.query('DROP FUNCTION refuse CASCADE')
  })
})

describe('deleteWorkspace', () => {
  const purge = () => purgeBatch(app.db, app.clock.now())
  const remove = ({ admin, workspaceId }: Site) =>
    app.client.ok('deleteWorkspace', { as: admin, params: { workspaceId } })

  test('writes as many rows for 20,000 folders and bots as for few, and the purge removes all', async () => {
    await addFolders(RECORDS, site.folder)
    await addBots(RECORDS, site.folder)
    const written = await rowsWrittenBy(() => remove(world.there))
    expect(written).toBeLessThan(10)
    expect(await rowsWrittenBy(() => remove(site))).toBe(written)
    for (let batch = 0; batch < 10; batch++) await purge()
    for (const place of [1, 3, 5]) await interrupt(purge, place)
    const left = (table: string) => count(`${table} WHERE workspace_id = $1`, site.workspaceId)
    expect(await left('bots')).toBeGreaterThan(1_000)
    await app.pool.query(`DELETE FROM purges; DELETE FROM bots WHERE name = 'Bot'`)
    let batches = 0
    while (await purge()) batches++
    expect(batches).toBeLessThan(200)
    for (const table of ['bots', 'folders', 'workspace_members', 'credentials'])
      expect(await left(table)).toBe(0)
    expect(await count('workspaces WHERE id = $1', site.workspaceId)).toBe(0)
  }, 120_000)

  test('takes effect for every look-up before the purge has come, and frees the names', async () => {
    const { published, shared, draft, session, folder, member } = site
    const endpoint = { url: 'https://receiver.example/' }
    const ofWorkspace = { workspaceId: site.workspaceId }
    await app.client.ok('createWebhookEndpoint', { as: site.admin, params: ofWorkspace, body: endpoint })
    const named = { version: '6.1' as const, customDomain: 'bots.example.org' }
    await app.client.ok('updateBot', { as: member, params: { botId: draft.id }, body: { bot: named } })
    await remove(site)
    const asked = await Promise.all([
      app.client.call('getBot', { as: member, params: { botId: draft.id } }),
      app.client.call('getBot', { as: world.stranger, params: { botId: shared.id } }),
      app.client.call('getPublishedBot', { as: world.stranger, params: { botId: shared.id } }),
      app.client.call('getFolder', { as: member, params: { folderId: folder } }),
      app.client.call('listResults', { as: member, params: { botId: published.id } }),
      app.client.call('startChat', { params: { publicId: published.publicId }, body: {} }),
      app.client.call('continueChat', { params: { sessionId: session }, body: { message: 'Hi' } }),
      app.client.call('listBots', { as: member, query: ofWorkspace }),
    ])
    expect(asked.map(({ status }) => status)).toEqual([404, 404, 404, 404, 404, 404, 404, 404])
    const { there } = world
    const names = { version: '6.1' as const, publicId: published.publicId, customDomain: 'bots.example.org' }
    await app.client.ok('updateBot', {
      as: there.member,
      params: { botId: there.draft.id },
      body: { bot: names },
    })
    while (await purge());
    const { bot } = await app.client.ok('getBot', { as: there.member, params: { botId: there.draft.id } })
    expect(bot).toMatchObject({ publicId: published.publicId, customDomain: 'bots.example.org' })
    expect(await count('public_ids WHERE public_id = $1', published.publicId)).toBe(1)
  })
})
