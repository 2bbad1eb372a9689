import { afterAll, beforeAll, beforeEach, describe, expect } from '@jest/globals'
import type { WorkspaceGrant } from '../../server/access/index.ts'
import { botPage } from '../../server/bots/rows.ts'
import { firstPosition } from '../../server/db/page.ts'
import { moveFromDeletedFolders } from '../../server/jobs/folders.ts'
import { purgeBatch } from '../../server/jobs/purge.ts'
import { eraseBatch } from '../../server/results/erase.ts'
import { type App, startApp } from '../support/app.ts'
import { testWithTrigger as test } from '../support/locks.ts'
import { makeWorld, type Site, type World } from '../support/world.ts'

/*
 * Deletions of folders, workspaces and results take the same for few and many: the request marks, and jobs move and
 * remove.
 */

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

  test('moves bots that a process with a clock ahead created', async () => {
    const folderId = await addFolder()
    await addBots(1, folderId)
    await app.pool.query(
      `UPDATE bots SET created_at = $1::timestamptz + interval '90 days' WHERE folder_id = $2`,
      [app.clock.now(), folderId],
    )
    await deleteFolder(folderId)
    await moveAll()
    expect(await count('bots WHERE folder_id = $1', folderId)).toBe(0)
  })

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
    const rejected = await Promise.all([
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
    expect(rejected.map(({ status }) => status)).toEqual([400, 400, 400, 400])
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

  test('publishes bot.updated of each bot once, with the folder that it is in then', async () => {
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

  test('takes effect for every look-up before the purge, and frees the names', async () => {
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

describe('deleteResults by ids', () => {
  const HEAVY = ['heavy-1', 'heavy-2', 'heavy-3']
  const erase = () => eraseBatch(app.db, app.clock.now())
  const remove = (ids: readonly string[]) =>
    app.client.ok('deleteResults', {
      as: site.member,
      params: { botId: site.published.id },
      query: { resultIds: ids.join() },
    })
  const countOf = (table: string, ids: readonly string[], column = 'result_id') =>
    count(`${table} WHERE bot_id = $1 AND ${column} = ANY($2)`, site.published.id, ids)
  const sources = {
    results: 'id',
    result_answers: 'result_id',
    result_logs: 'result_id',
    result_transcripts: 'result_id',
    uploads: 'result_id',
    chat_sessions: 'result_id',
    webhook_events: 'subject',
  }
  const statusOf = async (resultId: string) =>
    (await app.client.call('getResult', { as: site.member, params: { botId: site.published.id, resultId } }))
      .status

  async function addResults(ids: readonly string[], variables = "'[]'") {
    await app.pool.query(
      `INSERT INTO results (bot_id, id, variables, has_started, created_at, updated_at)
      SELECT $1, id, (${variables})::json, true, $3, $3 FROM unnest($2::text[]) AS id`,
      [site.published.id, ids, app.clock.now()],
    )
  }

  /** Results with many rows of every kind, and with large ones. */
  async function addHeavyResults() {
    await addResults(HEAVY)
    const values = [site.published.id, HEAVY, app.clock.now()]
    const of = (number: number) =>
      `FROM unnest($2::text[]) AS id, generate_series(1, ${number}) AS n WHERE $3::timestamptz IS NOT NULL`
    for (const text of [
      `INSERT INTO result_answers (bot_id, result_id, seq, block_id, content, created_at) SELECT $1, id, n, 'b', 'x', $3 ${of(RECORDS)}`,
      `INSERT INTO result_logs (bot_id, result_id, id, status, description, created_at) SELECT $1, id, n, 'info', 'x', $3 ${of(10_000)}`,
      `INSERT INTO result_transcripts (bot_id, result_id, id, entries) SELECT $1, id, n, '[]' ${of(10_000)}`,
      `INSERT INTO uploads (bot_id, id, session_id, result_id, name, media_type, size, is_private, is_complete, created_at)
        SELECT $1, id || n, 's', id, 'a.txt', 'text/plain', 1, false, true, $3 ${of(10_000)}`,
      `INSERT INTO chat_turns (bot_id, session_id, revision, turn) SELECT $1, 'of-' || id, n, '' ${of(RECORDS)}`,
      `INSERT INTO webhook_events (bot_id, subject, id, data)
        SELECT $1, id, n, '{"answers":[{"content":"x"}]}' ${of(RECORDS)}`,
      `INSERT INTO webhook_deliveries (bot_id, endpoint_id, subject, seq, id, type, size, created_at, next_attempt_at)
        SELECT $1, 'removed', id, n, n, 'result.answered', 1, $3, 'epoch' ${of(RECORDS)}`,
      `INSERT INTO bot_idempotency_keys (bot_id, user_id, key, digest, status, body, result_id, created_at)
        SELECT $1, 'u', id || n, '', 200, 'x', id, now() ${of(10_000)}`,
      `INSERT INTO chat_sessions (id, bot_id, result_id, revision, expires_at, created_at, updated_at)
        SELECT 'of-' || id, $1, id, 1, $3::timestamptz + interval '1 day', $3, $3 FROM unnest($2::text[]) AS id`,
    ])
      await app.pool.query(text, values)
  }

  test('writes a bounded number of rows for results of any size, and jobs remove the rest in such batches', async () => {
    await addHeavyResults()
    await addResults(['light'])
    const written = await rowsWrittenBy(() => remove([...HEAVY, 'light']))
    expect(written).toBeLessThan(6_000)
    for (const id of [...HEAVY, 'light']) expect(await statusOf(id)).toBe(404)
    expect(await countOf('result_answers', HEAVY)).toBeGreaterThan(2 * RECORDS)
    for (const place of [3, 4, 5, 6, 7]) await interrupt(erase, place)
    // Those that failed are put off.
    await app.pool.query(`UPDATE result_erasures SET due_at = 'epoch'`)
    let [batches, isMore] = [0, true]
    while (isMore) {
      expect(batches++).toBeLessThan(100)
      const rows = await rowsWrittenBy(async () => {
        isMore = await erase()
      })
      // The last rows of one table, and a batch of others.
      expect(rows).toBeLessThan(3 * RECORDS)
    }
    for (const [table, column] of Object.entries(sources)) {
      const due = table === 'uploads' ? ' AND remove_at IS NULL' : ''
      const full = table === 'webhook_events' ? ` AND json_array_length(data->'answers') > 0` : ''
      expect([table, await countOf(table, HEAVY, `true${due}${full} AND ${column}`)]).toEqual([table, 0])
    }
    expect(await count(`chat_turns WHERE session_id LIKE 'of-%'`)).toBe(0)
    expect(
      await count(`webhook_deliveries WHERE endpoint_id = 'removed' AND next_attempt_at IS NOT NULL`),
    ).toBe(0)
    expect(await count(`bot_idempotency_keys WHERE user_id = 'u' AND body IS NOT NULL`)).toBe(0)
  }, 180_000)

  test('removes no more bytes of variables at once than a batch has, and hides the others', async () => {
    const ids = Array.from({ length: 24 }, (_, nth) => `large-${nth}`)
    const random = `SELECT string_agg(md5(n::text), '') FROM generate_series(1, 45000) AS n`
    await addResults(
      ids,
      `SELECT json_build_array(json_build_object('id', 'v', 'name', 'V', 'value', (${random})))`,
    )
    await remove(ids)
    expect(await countOf('results', ids, 'id')).toBeGreaterThan(0)
    for (const id of ids) expect(await statusOf(id)).toBe(404)
    const params = { botId: site.published.id }
    const { results } = await app.client.ok('listResults', { as: site.member, params })
    expect(results.filter(({ id }) => id.startsWith('large-'))).toEqual([])
    await remove(ids)
    const { entries } = await app.client.ok('listAuditLog', {
      as: site.admin,
      params: { workspaceId: site.workspaceId },
    })
    expect(entries.filter(({ operation }) => operation === 'deleteResults')).toHaveLength(1)
    while (await erase());
    expect(await countOf('results', ids, 'id')).toBe(0)
  })

  test('is completed by smaller batches where a statement takes too long', async () => {
    await addResults(HEAVY)
    await app.pool.query(
      `INSERT INTO result_logs (bot_id, result_id, id, status, description, created_at)
      SELECT $1, id, n, 'info', 'x', now() FROM unnest($2::text[]) AS id, generate_series(1, 6000) AS n`,
      [site.published.id, HEAVY],
    )
    await app.pool.query(`
      CREATE FUNCTION cancel() RETURNS trigger LANGUAGE plpgsql AS '
        BEGIN IF (SELECT count(*) FROM removed) > 6000 THEN RAISE ''too long'' USING ERRCODE = ''57014''; END IF; RETURN NULL; END';
      CREATE TRIGGER cancel AFTER DELETE ON result_logs REFERENCING OLD TABLE AS removed
        FOR EACH STATEMENT EXECUTE FUNCTION cancel()`)
    try {
      await remove(HEAVY)
      for (let batches = 0; await erase(); batches++) expect(batches).toBeLessThan(200)
      expect(await countOf('result_logs', HEAVY)).toBe(0)
    } finally {
      await app.pool.query('DROP FUNCTION cancel CASCADE')
    }
  })
})
