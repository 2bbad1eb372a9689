import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { moveFromDeletedFolders } from '../../server/jobs/folders.ts'
import { type App, startApp } from '../support/app.ts'
import { type Answer, anyBody, type Caller } from '../support/client.ts'
import { until } from '../support/process.ts'
import { makeWorld, type Person, type Site, type World } from '../support/world.ts'

let app: App
let world: World
let site: Site
beforeAll(async () => {
  // Timeouts are long, because the machine may be slow.
  const patience = { connectTimeout: 30_000, lockTimeout: 30_000, statementTimeout: 30_000 }
  app = await startApp({ config: { MAX_WORKSPACES_PER_USER: 5 }, database: patience })
})
afterAll(() => app.stop())
beforeEach(async () => {
  world = await makeWorld(app)
  site = world.here
})

function times<T>(count: number, work: (index: number) => Promise<T>): Promise<T[]> {
  return Promise.all(Array.from({ length: count }, (_, index) => work(index)))
}

/** Counts responses by status. */
function tally(answers: Answer[]): Record<number, number> {
  const counts: Record<number, number> = {}
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1
  return counts
}

function patch(botId: string, bot: object): Promise<Answer> {
  const body = anyBody({ bot: { version: '6.1', ...bot } })
  return app.client.call('updateBot', { as: site.member, params: { botId }, body })
}

async function createBot(bot: object = {}): Promise<string> {
  const body = { workspaceId: site.workspaceId, bot }
  return (await app.client.ok('createBot', { as: site.member, body })).bot.id
}

/** Has everything that is done in the workspace written in a transaction with its event. */
async function watch() {
  const body = { url: 'https://example.com/told' }
  await app.client.ok('createWebhookEndpoint', {
    as: site.admin,
    params: { workspaceId: site.workspaceId },
    body,
  })
}

/** An update of which the body is still on its way while something else is done to the bot. */
async function patchAround(
  botId: string,
  bot: object,
  meanwhile: () => Promise<unknown>,
): Promise<Answer['body']> {
  const [first, ...rest] = JSON.stringify({ bot: { version: '6.1', ...bot } })
  app.statements.length = 0
  const pieces = async function* () {
    yield Buffer.from(first ?? '')
    await until('the bot is read', () => app.statements.length > 0)
    await meanwhile()
    yield Buffer.from(rest.join(''))
  }
  const headers = { Authorization: `Bearer ${site.member.token}`, 'Content-Type': 'application/json' }
  const init = { method: 'PATCH', headers, body: pieces(), duplex: 'half' }
  const answer = await fetch(`${app.url}/v1/bots/${botId}`, init as unknown as RequestInit)
  expect(answer.status).toBe(200)
  return answer.json()
}

const get = (botId: string, as: Caller = site.member) => app.client.call('getBot', { as, params: { botId } })

async function count(from: string, ...values: unknown[]): Promise<number> {
  const { rows } = await app.pool.query(`SELECT count(*)::int FROM ${from}`, values)
  return rows[0].count
}

describe('a name that twenty writers claim at once', () => {
  const rejections = (name: string) => [
    expect.objectContaining({ path: ['body', 'bot', name], code: 'taken' }),
  ]

  test.each(['publicId', 'customDomain'])('%s is set by one update', async (name) => {
    const value = name === 'publicId' ? `wanted-${site.draft.id}` : `${site.draft.id}.example.com`
    const ids = await times(20, () => createBot())
    const answers = await Promise.all(ids.map((id) => patch(id, { [name]: value })))
    expect(tally(answers)).toEqual({ 200: 1, 400: 19 })
    for (const { status, body } of answers) if (status === 400) expect(body.issues).toEqual(rejections(name))
    const shown = await Promise.all(ids.map(async (id) => (await get(id)).body.bot[name]))
    expect(shown.filter((one) => one === value)).toHaveLength(1)
    expect(shown.indexOf(value)).toBe(answers.findIndex(({ status }) => status === 200))
  })

  test('publicId is set by one creation, the others create nothing', async () => {
    const publicId = `wanted-${site.draft.id}`
    const before = await count('bots')
    const body = { workspaceId: site.workspaceId, bot: { publicId } }
    const answers = await times(20, () => app.client.call('createBot', { as: site.member, body }))
    expect(tally(answers)).toEqual({ 201: 1, 400: 19 })
    for (const { status, body } of answers) {
      if (status === 400) expect(body.issues).toEqual(rejections('publicId'))
    }
    expect(await count('bots')).toBe(before + 1)
    expect(await count('bots LEFT JOIN bot_drafts ON bot_id = id WHERE bot_id IS NULL')).toBe(0)
  })

  test('never has two holders, even if given up in a circle', async () => {
    const names = ['a', 'b', 'c'].map((name) => `${name}-${site.draft.id}`)
    const ids = await times(3, (index) => createBot({ publicId: names[index] }))
    for (let round = 1; round < 6; round++) {
      const answers = await Promise.all(
        ids.map((id, index) => patch(id, { publicId: names[(index + round) % 3] })),
      )
      for (const { status } of answers) expect([200, 400]).toContain(status)
    }
    const wrong = `bots b FULL JOIN public_ids p USING (public_id)
      WHERE b.deleted_at IS NULL AND public_id IS NOT NULL AND b.id IS DISTINCT FROM p.bot_id`
    expect(await count(wrong)).toBe(0)
  })
})

describe('folders', () => {
  const createFolder = async (parentFolderId?: string) => {
    const body = { workspaceId: site.workspaceId, folder: { name: 'Folder', parentFolderId } }
    return (await app.client.ok('createFolder', { as: site.member, body })).folder.id
  }

  const move = (folderId: string, parentFolderId: string | null) =>
    app.client.call('updateFolder', {
      as: site.member,
      params: { folderId },
      body: { folder: { parentFolderId } },
    })

  /** Every folder of the workspace is reached from the top. */
  async function expectTree() {
    const reached = `(WITH RECURSIVE tree AS (
      SELECT id FROM folders WHERE parent_folder_id IS NULL AND workspace_id = $1
      UNION ALL SELECT f.id FROM folders f JOIN tree ON f.parent_folder_id = tree.id
    ) SELECT id FROM tree) reached`
    const all = await count('folders WHERE workspace_id = $1', site.workspaceId)
    expect(await count(reached, site.workspaceId)).toBe(all)
  }

  test('that are moved into each other by twenty at once never form a circle', async () => {
    const ids = await times(5, () => createFolder())
    const answers = await times(20, (index) =>
      move(ids[index % 5] ?? '', ids[(index + 1 + Math.floor(index / 5)) % 5] ?? ''),
    )
    for (const { status, body } of answers) {
      expect([200, 400]).toContain(status)
      if (status === 400) expect(body.issues).toMatchObject([{ code: 'circular_move' }])
    }
    expect(tally(answers)[200]).toBeGreaterThan(0)
    await expectTree()
  })

  test('that swap positions with their parent at once do so one after the other', async () => {
    const parent = await createFolder()
    const child = await createFolder(parent)
    const answers = await Promise.all([move(parent, child), move(child, null), move(parent, child)])
    for (const { status } of answers) expect([200, 400]).toContain(status)
    await expectTree()
  })

  test('that are deleted while others move into them leave nothing orphaned', async () => {
    for (let round = 0; round < 8; round++) {
      const [target, one, two] = await times(3, () => createFolder())
      const params = { folderId: target ?? '' }
      const answers = await Promise.all([
        move(one ?? '', target ?? ''),
        app.client.call('deleteFolder', { as: site.member, params }),
        move(two ?? '', target ?? ''),
        app.client.call('createFolder', {
          as: site.member,
          body: { workspaceId: site.workspaceId, folder: { name: 'inside', parentFolderId: target } },
        }),
      ])
      for (const { status } of answers) expect([200, 201, 400]).toContain(status)
      expect(answers[1]?.status).toBe(200)
      await expectTree()
    }
  })

  test.each(['', ', of which endpoints are told'])(
    'that are deleted while bots are put into them leave no bot behind%s',
    async (told) => {
      if (told) await watch()
      for (let round = 0; round < 15; round++) {
        const folderId = await createFolder(site.folder)
        const bots = [site.draft.id, site.legacy.id, site.published.id, site.shared.id]
        const [deleted, ...answers] = await Promise.all([
          app.client.call('deleteFolder', { as: site.member, params: { folderId } }),
          ...bots.map((id) => patch(id, { folderId })),
          patch(await createBot(), { folderId, publicId: `race-${site.draft.id}-${round}` }),
          app.client.call('createBot', {
            as: site.member,
            body: { workspaceId: site.workspaceId, bot: { folderId } },
          }),
        ])
        expect(deleted?.status).toBe(200)
        for (const { status, body } of answers) {
          expect([200, 201, 400]).toContain(status)
          if (status === 400) expect(body.issues).toMatchObject([{ path: ['body', 'bot', 'folderId'] }])
        }
        while (await moveFromDeletedFolders(app.db, app.clock.now()));
        expect(await count('bots WHERE folder_id = $1', folderId)).toBe(0)
        expect(await count('folders WHERE id = $1', folderId)).toBe(0)
        const list = await app.client.ok('listBots', {
          as: site.member,
          query: { workspaceId: site.workspaceId, limit: 100 },
        })
        for (const bot of list.bots) expect([null, site.folder]).toContain(bot.folderId)
      }
    },
  )
})

describe('concurrent updates', () => {
  const revisionOf = async () => {
    const { rows } = await app.pool.query('SELECT revision FROM bots WHERE id = $1', [site.draft.id])
    return Number(rows[0].revision)
  }

  test('with one precondition are accepted once, and conflict otherwise', async () => {
    for (let round = 0; round < 10; round++) {
      const { updatedAt } = (await get(site.draft.id)).body.bot
      const answers = await times(2, (index) =>
        patch(site.draft.id, { name: `${round}-${index}`, updatedAt }),
      )
      expect(tally(answers)).toEqual({ 200: 1, 409: 1 })
      const [winner, loser] = answers.sort((a, b) => a.status - b.status)
      const { bot } = (await get(site.draft.id)).body
      expect(winner?.body.bot).toEqual(bot)
      expect(loser?.body.issues[0].message).toContain(bot.updatedAt)
    }
  })

  test('without a precondition by sixteen writers all count, one after the other', async () => {
    const before = await revisionOf()
    const answers = await times(16, (index) => patch(site.draft.id, { name: String(index) }))
    expect(tally(answers)).toEqual({ 200: 16 })
    expect(await revisionOf()).toBe(before + 16)
    const stamps = answers.map(({ body }) => body.bot.updatedAt)
    expect(new Set(stamps).size).toBe(16)
    const last = answers.find(({ body }) => body.bot.updatedAt === stamps.sort().at(-1))
    expect((await get(site.draft.id)).body.bot).toEqual(last?.body.bot)
  })

  test('to different properties keep those of the others', async () => {
    const changes = {
      name: 'raced',
      icon: '🏁',
      theme: { raced: true },
      settings: { raced: true },
      variables: [{ id: 'v', name: 'raced' }],
      publicId: `raced-${site.draft.id}`,
      folderId: null,
      isClosed: true,
    }
    const answers = await Promise.all(
      Object.entries(changes).map(([name, value]) => patch(site.draft.id, { [name]: value })),
    )
    expect(tally(answers)).toEqual({ 200: 8 })
    expect((await get(site.draft.id)).body.bot).toMatchObject(changes)
  })

  describe.each(['alone', 'of which endpoints are told'])('that started before another write (%s)', (how) => {
    beforeEach(async () => {
      if (how !== 'alone') await watch()
    })

    test.each<object>([{ name: 'Renamed' }, { theme: { raced: true } }])(
      'leave a bot the public id that its first publication gave it: %j',
      async (change) => {
        const botId = await createBot()
        const given = { publicId: '' }
        const { bot } = await patchAround(botId, change, async () => {
          await app.client.ok('publishBot', { as: site.member, params: { botId } })
          given.publicId = (await get(botId)).body.bot.publicId
        })
        expect(given.publicId).toMatch(/^my-bot-\w{10}$/)
        expect(bot).toMatchObject({ ...given, ...change })
        expect((await get(botId)).body.bot).toEqual(bot)
        expect(await count('public_ids WHERE bot_id = $1', botId)).toBe(1)
      },
    )

    test.each<object>([{ name: 'Renamed' }, { theme: { raced: true } }])(
      'leave a bot where the deletion of its folder put it: %j',
      async (change) => {
        const { folder } = await app.client.ok('createFolder', {
          as: site.member,
          body: {
            workspaceId: site.workspaceId,
            folder: { name: 'Short-lived', parentFolderId: site.folder },
          },
        })
        const botId = await createBot({ folderId: folder.id })
        const { bot } = await patchAround(botId, change, () =>
          app.client.ok('deleteFolder', { as: site.member, params: { folderId: folder.id } }),
        )
        expect(bot).toMatchObject({ folderId: site.folder, ...change })
        expect((await get(botId)).body.bot).toEqual(bot)
      },
    )
  })

  test('that convert a legacy bot at once convert it once', async () => {
    const shown = await app.client.ok('getBot', {
      as: site.member,
      params: { botId: site.legacy.id },
      query: { migrateToLatestVersion: true },
    })
    const answers = await times(8, (index) => patch(site.legacy.id, { name: String(index) }))
    expect(tally(answers)).toEqual({ 200: 8 })
    const { bot } = (await get(site.legacy.id)).body
    expect(bot).toEqual({ ...shown.bot, name: expect.any(String), updatedAt: expect.any(String) })
  })
})

describe('members', () => {
  const admins = () => count(`workspace_members WHERE workspace_id = $1 AND role = 'ADMIN'`, site.workspaceId)
  const inWorkspace = (userId: string) => ({ workspaceId: site.workspaceId, userId })

  /** Repeatedly makes two users the only admins, and lets both act at once. */
  async function race(act: (person: Person, other: Person) => Promise<Answer>): Promise<Answer[][]> {
    const rounds: Answer[][] = []
    for (let round = 0; round < 12; round++) {
      await app.pool.query(
        `INSERT INTO workspace_members (workspace_id, user_id, role, created_at)
          SELECT $1, unnest($2::text[]), 'ADMIN', now()
          ON CONFLICT (workspace_id, user_id) DO UPDATE SET role = 'ADMIN'`,
        [site.workspaceId, [site.admin.id, site.member.id]],
      )
      rounds.push(await Promise.all([act(site.admin, site.member), act(site.member, site.admin)]))
      expect(await admins()).toBe(1)
    }
    return rounds
  }

  test('one admin stays if two admins remove each other at once', async () => {
    const rounds = await race((as, { id }) =>
      app.client.call('removeMember', { as, params: inWorkspace(id) }),
    )
    for (const answers of rounds) {
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
      for (const { status } of answers) expect([200, 400, 403]).toContain(status)
    }
  })

  test('one admin stays if both admins step down at once', async () => {
    const rounds = await race((as) =>
      app.client.call('updateMember', { as, params: inWorkspace(as.id), body: { role: 'GUEST' } }),
    )
    for (const answers of rounds) expect(tally(answers)).toEqual({ 200: 1, 400: 1 })
  })

  test('addMember for one user several times at once adds one member, the others get 409', async () => {
    const options = {
      as: site.admin,
      params: { workspaceId: site.workspaceId },
      body: { email: world.stranger.email, role: 'GUEST' as const },
    }
    expect(tally(await times(4, () => app.client.call('addMember', options)))).toEqual({ 201: 1, 409: 3 })
  })
})

test('twelve workspaces created at once stop at the limit', async () => {
  const create = () =>
    app.client.call('createWorkspace', { as: world.stranger, body: { name: 'One of many' } })
  expect(tally(await times(12, create))).toEqual({ 201: 5, 403: 7 })
  const { workspaces } = await app.client.ok('listWorkspaces', { as: world.stranger })
  expect(workspaces).toHaveLength(5)
  await app.client.ok('deleteWorkspace', {
    as: world.stranger,
    params: { workspaceId: workspaces[0]?.id ?? '' },
  })
  expect(tally(await times(3, create))).toEqual({ 201: 1, 403: 2 })
})

test('a bot that is deleted beside updates and publishing is deleted with all its rows', async () => {
  for (let round = 0; round < 12; round++) {
    const publicId = `gone-${site.draft.id}-${round}`
    const botId = await createBot({ publicId })
    const asMember = { as: site.member, params: { botId } }
    const answers = await Promise.all([
      app.client.call('deleteBot', asMember),
      patch(botId, { name: 'too late?' }),
      patch(botId, { publicId: `${publicId}-2`, customDomain: `d${round}.example.com` }),
      app.client.call('publishBot', asMember),
      app.client.call('publishBot', asMember),
      app.client.call('deleteBot', asMember),
      app.client.call('listResults', asMember),
    ])
    expect([answers[0]?.status, answers[5]?.status]).toContain(200)
    for (const { status } of answers) expect([200, 403, 404]).toContain(status)
    expect((await get(botId)).status).toBe(404)
    expect((await app.client.call('getPublishedBot', asMember)).status).toBe(404)
    expect((await app.client.call('publishBot', asMember)).status).toBe(403)
    for (const table of ['public_ids', 'custom_domains', 'published_bots']) {
      expect(await count(`${table} WHERE bot_id = $1`, botId)).toBe(0)
    }
  }
})
