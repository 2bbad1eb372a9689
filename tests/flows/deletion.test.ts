import { request } from 'node:http'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { removeSessions } from '../../server/jobs/expiry.ts'
import { purgeBatch } from '../../server/jobs/purge.ts'
import { type App, startApp } from '../support/app.ts'
import type { Answer } from '../support/client.ts'
import { makeWorld, type Site, type World } from '../support/world.ts'

let app: App
let world: World
let site: Site
beforeAll(async () => {
  app = await startApp({ database: { connectTimeout: 30_000 } })
})
afterAll(() => app.stop())
beforeEach(async () => {
  world = await makeWorld(app)
  site = world.here
})

async function count(from: string, ...values: unknown[]): Promise<number> {
  const { rows } = await app.pool.query(`SELECT count(*)::int FROM ${from}`, values)
  return rows[0].count
}

async function purge() {
  while (await purgeBatch(app.db, app.clock.now()));
  while (await removeSessions(app.db, app.clock.now()));
}

/** Tables with the number of their rows that mention one of the texts anywhere, but for the log of what was done. */
async function traces(...texts: string[]): Promise<Record<string, number>> {
  const found: Record<string, number> = {}
  const tables = await app.pool.query(
    "SELECT tablename FROM pg_tables WHERE schemaname = 'public' AND tablename <> 'audit_log'",
  )
  for (const { tablename } of tables.rows) {
    const rows = await count(`"${tablename}" t WHERE t::text ~ $1`, texts.join('|'))
    if (rows > 0) found[tablename] = rows
  }
  return found
}

function addResults(botId: string, from: number, to: number, createdAt: Date) {
  return app.pool.query(
    `WITH added AS (
      INSERT INTO results (bot_id, id, variables, has_started, created_at, updated_at)
        SELECT $1, 'result-' || n, '[]', true, $4, $4 FROM generate_series($2::int, $3::int) n
        RETURNING bot_id, id, created_at
    ) INSERT INTO result_answers (bot_id, result_id, seq, block_id, content, created_at)
      SELECT bot_id, id, 1, 'block', 'answer', created_at FROM added`,
    [botId, from, to, createdAt],
  )
}

describe('deleting results', () => {
  const left = () => count('results WHERE bot_id = $1', site.published.id)

  function remove(query = '', options: { headers?: Record<string, string>; body?: unknown } = {}) {
    const target = `/v1/bots/${site.published.id}/results${query}`
    return app.client.send('DELETE', target, { as: site.member, ...options })
  }

  async function listed(botId = site.published.id): Promise<string[]> {
    const { results } = await app.client.ok('listResults', { as: site.member, params: { botId } })
    return results.map(({ id }) => id)
  }

  test('by id removes these, with all their rows, and no others', async () => {
    const [first, second, third] = site.results
    expect((await remove(`?resultIds=${first},${third},${first}`)).body).toEqual({ message: 'success' })
    expect(await listed()).toEqual([second])
    expect(await left()).toBe(2)
    expect(await count('result_answers WHERE bot_id = $1', site.published.id)).toBe(1)
    expect(await count('result_logs WHERE bot_id = $1', site.published.id)).toBe(1)
  })

  test('ignores ids that are unknown or of another bot', async () => {
    const [mine] = site.results
    const others = world.there.results
    expect((await remove(`?resultIds=unknown,${others.join(',')},${mine}`)).status).toBe(200)
    expect(await left()).toBe(3)
    expect(await count('results WHERE bot_id = $1', world.there.published.id)).toBe(4)
    expect((await remove('?resultIds=unknown')).status).toBe(200)
    expect(await left()).toBe(3)
  })

  const json = { 'Content-Type': 'application/json' }
  test('accepts the Content-Type that generated clients send, where ids are given', async () => {
    const [first] = site.results
    expect((await remove(`?resultIds=${first}`, { headers: json })).status).toBe(200)
    expect(await left()).toBe(3)
  })

  test('deletion by id behind 1,001 empty parameters removes only that result', async () => {
    const [first, ...others] = site.results
    expect((await remove(`?${'&'.repeat(1_001)}resultIds=${first}`)).status).toBe(200)
    expect(await listed()).toEqual(others)
  })

  test('accepts five hundred ids', async () => {
    await addResults(site.published.id, 1, 500, app.clock.now())
    const ids = Array.from({ length: 500 }, (_, at) => `result-${at + 1}`)
    expect((await remove(`?resultIds=${ids.join(',')}`)).status).toBe(200)
    expect(await left()).toBe(4)
  })

  const tooMany = Array.from({ length: 501 }, (_, at) => `id${at}`).join(',')
  const mistakes: [string, string, { headers?: Record<string, string>; body?: unknown }, string[]][] = [
    ['an empty value', '?resultIds=', {}, ['query', 'resultIds']],
    ['a comma alone', '?resultIds=,', {}, ['query', 'resultIds']],
    ['a missing id between commas', '?resultIds=a,,b', {}, ['query', 'resultIds']],
    ['501 ids', `?resultIds=${tooMany}`, {}, ['query', 'resultIds']],
    ['a repeated parameter', '?resultIds=a&resultIds=b', {}, ['query', 'resultIds']],
    ['a parameter in brackets', '?resultIds[]=a', {}, ['query', 'resultIds[]']],
    ['a misspelt parameter', '?resultId=a', {}, ['query', 'resultId']],
    [
      'a misspelt parameter behind 1,001 empty ones',
      `?${'&'.repeat(1_001)}resultId=a`,
      {},
      ['query', 'resultId'],
    ],
    [
      'a repeated parameter behind 1,001 empty ones',
      `?resultIds=a${'&'.repeat(1_001)}resultIds=b`,
      {},
      ['query', 'resultIds'],
    ],
    [
      'an empty value behind 16,000 empty ones',
      `?${'&'.repeat(15_000)}resultIds=`,
      {},
      ['query', 'resultIds'],
    ],
    ['empty parameters alone', '?&&', {}, ['query']],
    ['another parameter beside it', '?resultIds=a&all=true', {}, ['query', 'all']],
    ['an array as body', '', { body: ['a'] }, ['body']],
    ['ids in a body', '', { body: { resultIds: ['a'] } }, ['body']],
    ['ids in a body as text', '', { body: { resultIds: 'a' } }, ['body']],
    ['an empty object as body', '', { body: {} }, ['body']],
    ['a body that is not JSON', '', { body: 'resultIds=a' }, ['body']],
    ['a body beside the query', '?resultIds=a', { body: { resultIds: ['a'] } }, ['body']],
    ['a Content-Type without body', '', { headers: json }, ['header', 'content-type']],
  ]
  test.each(mistakes)('rejects %s and deletes nothing', async (_, query, options, path) => {
    const answer = await remove(query, options)
    expect(answer.status).toBe(400)
    expect(answer.body.issues).toContainEqual(expect.objectContaining({ path }))
    expect(await listed()).toEqual(site.results)
    expect(await left()).toBe(4)
  })

  test('rejects an announced body of no known length and deletes nothing', async () => {
    const path = `/v1/bots/${site.published.id}/results`
    const headers = { Authorization: `Bearer ${site.member.token}`, 'Transfer-Encoding': 'chunked' }
    const status = await new Promise((resolve, reject) => {
      const sent = request(app.url + path, { method: 'DELETE', headers }, (response) => {
        resolve(response.resume().statusCode)
      })
      sent.on('error', reject).end()
    })
    expect(status).toBe(400)
    expect(await left()).toBe(4)
  })

  test('without parameters removes all, at once for readers and then from the tables', async () => {
    expect((await remove()).status).toBe(200)
    expect(await listed()).toEqual([])
    const asMember = { as: site.member, params: { botId: site.published.id } }
    const { stats } = await app.client.ok('getStats', asMember)
    expect(stats).toEqual({ totalViews: 0, totalStarts: 0, totalCompleted: 0 })
    const one = { ...asMember, params: { ...asMember.params, resultId: site.results[0] } }
    expect((await app.client.call('getResult', one)).status).toBe(404)
    expect(await listed(site.draft.id)).toEqual([])

    await addResults(site.published.id, 1, 2, app.clock.now())
    await purge()
    expect((await listed()).sort()).toEqual(['result-1', 'result-2'])
    expect(await left()).toBe(2)
    for (const table of ['result_answers', 'result_logs']) {
      expect(await count(`${table} WHERE result_id = ANY($1)`, site.results)).toBe(0)
    }
    expect(await count('results WHERE bot_id = $1', world.there.published.id)).toBe(4)
  })
})

describe('the purge', () => {
  test('removes thousands of results in batches, also by several processes', async () => {
    await addResults(site.draft.id, 1, 9_000, app.clock.now())
    const asMember = { as: site.member, params: { botId: site.draft.id } }
    await app.client.ok('deleteResults', asMember)
    await addResults(site.draft.id, 10_001, 10_005, app.clock.now())
    expect((await app.client.ok('listResults', asMember)).results).toHaveLength(5)

    expect(await purgeBatch(app.db, app.clock.now())).toBe(true)
    const after = await count('results WHERE bot_id = $1', site.draft.id)
    expect(after).toBeGreaterThan(5)
    expect(after).toBeLessThan(9_005)
    await Promise.all([purge(), purge(), purge()])
    await purge()
    expect(await count('results WHERE bot_id = $1', site.draft.id)).toBe(5)
    expect(await count('result_answers WHERE bot_id = $1', site.draft.id)).toBe(5)
    expect(await count('purges')).toBe(0)
    await purge()
    expect((await app.client.ok('listResults', asMember)).results).toHaveLength(5)
  })

  test('completes a second deletion that comes while the first is under way', async () => {
    const asMember = { as: site.member, params: { botId: site.draft.id } }
    await addResults(site.draft.id, 1, 5_000, app.clock.now())
    await app.client.ok('deleteResults', asMember)
    await addResults(site.draft.id, 5_001, 8_000, app.clock.now())
    await Promise.all([purge(), app.client.ok('deleteResults', asMember), purge()])
    await purge()
    expect(await count('results WHERE bot_id = $1', site.draft.id)).toBe(0)
    expect(await count('purges')).toBe(0)
  })

  test('does not wait for a chat that is writing a turn', async () => {
    const { sessionId, resultId } = await app.client.ok('startChat', {
      params: { publicId: site.published.publicId },
    })
    const step = await app.pool.connect()
    try {
      await step.query('BEGIN')
      await step.query('SELECT FROM chat_sessions WHERE bot_id = $1 AND id = $2 FOR UPDATE', [
        site.published.id,
        sessionId,
      ])
      await app.client.ok('deleteResults', {
        as: site.member,
        params: { botId: site.published.id },
        query: { resultIds: String(resultId) },
      })
    } finally {
      await step.query('ROLLBACK')
      step.release()
    }
    expect(await count('results WHERE id = $1', resultId)).toBe(0)
  })

  test('removes chat sessions that are over, and no others', async () => {
    await purge()
    expect(await count('chat_sessions WHERE id = $1', site.expiredSession)).toBe(0)
    expect(await count('chat_sessions WHERE id = $1', site.session)).toBe(1)
  })
})

describe('deleting a bot', () => {
  test('frees its names, hides it at once, and removes its results', async () => {
    const { id, publicId } = site.published
    const params = { botId: id }
    const as = site.member
    const body = { bot: { version: '6.1' as const, customDomain: `${id}.example.com` } }
    await app.client.ok('updateBot', { as, params, body })
    await app.client.ok('deleteBot', { as, params })
    const statuses: Record<string, number> = {}
    for (const operation of [
      'getBot',
      'getPublishedBot',
      'listResults',
      'deleteResults',
      'getStats',
      'deleteBot',
    ] as const) {
      statuses[operation] = (await app.client.call(operation, { as, params })).status
    }
    expect([...new Set(Object.values(statuses))]).toEqual([404])
    for (const operation of ['publishBot', 'unpublishBot'] as const) {
      expect((await app.client.call(operation, { as, params })).status).toBe(403)
    }
    const { bots } = await app.client.ok('listBots', { as, query: { workspaceId: site.workspaceId } })
    expect(bots.map((bot) => bot.id)).not.toContain(id)

    const names = { publicId, customDomain: `${id}.example.com` }
    await app.client.ok('createBot', { as, body: { workspaceId: site.workspaceId, bot: names } })
    await purge()
    expect(await count('results WHERE bot_id = $1', id)).toBe(0)
  })
})

describe('deleting a workspace', () => {
  const deleteIt = () =>
    app.client.ok('deleteWorkspace', { as: site.admin, params: { workspaceId: site.workspaceId } })

  test('makes everything in it unreachable at once', async () => {
    const { workspaceId, folder, session } = site
    const bot = { workspaceId: world.there.workspaceId, bot: { publicId: site.published.publicId } }
    const before = await app.client.call('createBot', { as: world.there.member, body: bot })
    expect(before.status).toBe(400)
    await deleteIt()

    for (const as of [site.admin, site.member, site.guest]) {
      const answers: Answer[] = [
        await app.client.call('getWorkspace', { as, params: { workspaceId } }),
        await app.client.call('updateWorkspace', { as, params: { workspaceId }, body: { name: 'x' } }),
        await app.client.call('deleteWorkspace', { as, params: { workspaceId } }),
        await app.client.call('listMembers', { as, params: { workspaceId } }),
        await app.client.call('listBots', { as, query: { workspaceId } }),
        await app.client.call('listFolders', { as, query: { workspaceId } }),
        await app.client.call('getFolder', { as, params: { folderId: folder } }),
        await app.client.call('deleteFolder', { as, params: { folderId: folder } }),
      ]
      for (const botId of [site.draft.id, site.legacy.id, site.published.id, site.shared.id]) {
        answers.push(await app.client.call('getBot', { as, params: { botId } }))
        answers.push(await app.client.call('getPublishedBot', { as, params: { botId } }))
        answers.push(await app.client.call('listResults', { as, params: { botId } }))
      }
      expect([...new Set(answers.map(({ status }) => status))]).toEqual([404])
      expect((await app.client.ok('listWorkspaces', { as })).workspaces).toEqual([])
    }
    const logs = { params: { sessionId: session }, body: { clientLogs: [] } }
    expect((await app.client.call('saveClientLogs', logs)).status).toBe(400)
    await app.client.ok('createBot', { as: world.there.member, body: bot })
  })

  test('leaves no row of it once it is purged, and every row of the others', async () => {
    const ids = [site.draft, site.legacy, site.published, site.shared, site.archived].map(({ id }) => id)
    const others = [world.there.workspaceId, world.there.published.id, world.there.draft.id]
    await app.client.ok('deleteResults', {
      as: site.member,
      params: { botId: site.published.id },
      query: { resultIds: site.results[0] },
    })
    // A chat whose result is deleted writes nothing more.
    await app.client.call('saveClientLogs', {
      params: { sessionId: site.session },
      body: { clientLogs: [{ description: 'late' }] },
    })
    await purge()
    const before = await traces(...others)
    await deleteIt()
    await Promise.all([purge(), purge()])
    await purge()
    expect(await traces(site.workspaceId, ...ids)).toEqual({})
    expect(await traces(...others)).toEqual(before)
    // People belong to no workspace.
    expect((await app.client.call('listWorkspaces', { as: site.admin })).status).toBe(200)
  })

  test('beside the work of others leaves nothing behind either', async () => {
    const { workspaceId, folder } = site
    const sharing = { settings: { publicShare: { isEnabled: true } } }
    const publicIds = Array.from({ length: 6 }, (_, at) => `late-${workspaceId}-${at}`)
    const created: Answer[] = []
    const as = site.admin
    const params = { botId: site.draft.id }
    const body = { email: world.stranger.email, role: 'ADMIN' as const }
    const late = { name: 'late', parentFolderId: folder }
    const others = [
      () => app.client.call('createFolder', { as, body: { workspaceId, folder: late } }),
      () => app.client.call('deleteFolder', { as, params: { folderId: site.subfolder } }),
      () =>
        app.client.call('updateBot', {
          as,
          params,
          body: { bot: { version: '6.1', folderId: site.deepFolder } },
        }),
      () => app.client.call('publishBot', { as, params }),
      () => app.client.call('addMember', { as, params: { workspaceId }, body }),
    ]
    await Promise.all([
      ...publicIds.map(async (publicId) => {
        const body = { workspaceId, bot: { publicId, ...sharing } }
        created.push(await app.client.call('createBot', { as: site.member, body }))
      }),
      deleteIt(),
      ...others.map(async (call) => expect([200, 201, 400, 403, 404]).toContain((await call()).status)),
    ])
    for (const { status } of created) expect([201, 403]).toContain(status)
    const ids = created.flatMap(({ status, body }) => (status === 201 ? [body.bot.id as string] : []))
    await purge()
    for (const botId of ids) {
      const { status } = await app.client.call('getBot', { as: world.there.member, params: { botId } })
      expect(status).toBe(404)
    }
    expect(await traces(workspaceId, site.draft.id, ...publicIds, ...ids)).toEqual({})
  })
})

describe('deleting a folder', () => {
  const contents = async (parentFolderId: string) => {
    const query = { workspaceId: site.workspaceId, parentFolderId }
    const { folders } = await app.client.ok('listFolders', { as: site.member, query })
    const { bots } = await app.client.ok('listBots', {
      as: site.member,
      query: { workspaceId: site.workspaceId, folderId: parentFolderId },
    })
    return { folders: folders.map(({ id }) => id), bots: bots.map(({ id }) => id) }
  }
  const moveBot = (botId: string, folderId: string) =>
    app.client.ok('updateBot', {
      as: site.member,
      params: { botId },
      body: { bot: { version: '6.1', folderId } },
    })
  const deleteFolder = (folderId: string) =>
    app.client.ok('deleteFolder', { as: site.member, params: { folderId } })

  test('moves its contents to its parent', async () => {
    await moveBot(site.published.id, site.subfolder)
    const { folder } = await app.client.ok('getFolder', {
      as: site.member,
      params: { folderId: site.subfolder },
    })
    expect(await deleteFolder(site.subfolder)).toEqual({ folder })
    expect(await contents(site.folder)).toEqual({
      folders: [site.deepFolder],
      bots: [site.published.id, site.draft.id],
    })
  })

  test('at the top moves its contents to the top level', async () => {
    const before = await contents('root')
    await deleteFolder(site.folder)
    expect(await contents('root')).toEqual({
      folders: [site.subfolder],
      bots: [...before.bots, site.draft.id].sort().reverse(),
    })
  })

  test('leaves the drafts of its bots unchanged', async () => {
    const read = () => app.client.ok('getBot', { as: site.member, params: { botId: site.draft.id } })
    const { bot } = await read()
    await deleteFolder(site.folder)
    expect((await read()).bot).toEqual({ ...bot, folderId: null })
  })
})
