import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import pg from 'pg'
import { purgeBatch } from '../../server/jobs/purge.ts'
import { type App, startApp } from '../support/app.ts'
import type { Answer } from '../support/client.ts'
import { interleave } from '../support/interleave.ts'
import { runs } from '../support/runs.ts'
import { makeWorld, type World } from '../support/world.ts'

/*
 * Nothing comes into a workspace that is deleted: whatever is being put into it at that moment is either there
 * first and is deleted with it, or is rejected.
 */

let app: App
/** Beside the pool, whose statements are watched. */
let observer: pg.Client
beforeAll(async () => {
  // Timeouts are long, because the machine may be slow.
  const patience = { connectTimeout: 30_000, lockTimeout: 30_000, statementTimeout: 30_000 }
  app = await startApp({ database: patience })
  observer = new pg.Client({ connectionString: app.databaseUrl })
  await observer.connect()
})
afterAll(async () => {
  await observer?.end()
  await app?.stop()
})

const document = {
  version: '6.1' as const,
  name: 'Imported',
  groups: [],
  events: [{ id: 'start', type: 'start', graphCoordinates: { x: 0, y: 0 } }],
  edges: [],
  variables: [],
  theme: {},
  settings: {},
}

/** Operations that add something to a workspace. */
const operations: Record<string, (world: World) => Promise<Answer>> = {
  'a bot': ({ here }) =>
    app.client.call('createBot', { as: here.member, body: { workspaceId: here.workspaceId, bot: {} } }),
  'a bot with names': ({ here }) =>
    app.client.call('createBot', {
      as: here.member,
      body: {
        workspaceId: here.workspaceId,
        bot: { publicId: `new-${here.draft.id}`, customDomain: `${here.draft.id}.example.com` },
      },
    }),
  'a bot in a folder': ({ here }) =>
    app.client.call('createBot', {
      as: here.member,
      body: { workspaceId: here.workspaceId, bot: { folderId: here.folder } },
    }),
  'an import': ({ here }) =>
    app.client.call('importBot', {
      as: here.member,
      body: { workspaceId: here.workspaceId, bot: document },
    }),
  'a folder': ({ here }) =>
    app.client.call('createFolder', {
      as: here.member,
      body: { workspaceId: here.workspaceId, folder: { name: 'New' } },
    }),
  'a folder in a folder': ({ here }) =>
    app.client.call('createFolder', {
      as: here.member,
      body: { workspaceId: here.workspaceId, folder: { name: 'New', parentFolderId: here.folder } },
    }),
  'a member': ({ here, stranger }) =>
    app.client.call('addMember', {
      as: here.admin,
      params: { workspaceId: here.workspaceId },
      body: { email: stranger.email, role: 'ADMIN' },
    }),
  'another role of a member': ({ here }) =>
    app.client.call('updateMember', {
      as: here.admin,
      params: { workspaceId: here.workspaceId, userId: here.guest.id },
      body: { role: 'ADMIN' },
    }),
  'names of a bot': ({ here }) =>
    app.client.call('updateBot', {
      as: here.member,
      params: { botId: here.draft.id },
      body: {
        bot: {
          version: '6.1',
          publicId: `named-${here.draft.id}`,
          customDomain: `named-${here.draft.id}.example.com`,
        },
      },
    }),
  'a publication': ({ here }) =>
    app.client.call('publishBot', { as: here.member, params: { botId: here.draft.id } }),
  'a move of a folder': ({ here }) =>
    app.client.call('updateFolder', {
      as: here.member,
      params: { folderId: here.deepFolder },
      body: { folder: { parentFolderId: null } },
    }),
}

const deletion = ({ here }: World) =>
  app.client.call('deleteWorkspace', { as: here.admin, params: { workspaceId: here.workspaceId } })

/** Returns the rows that workspaces have left after the purge, and their names that are still taken. */
async function leftIn(workspaceIds: string[]): Promise<Record<string, number>> {
  while (await purgeBatch(app.db, app.clock.now()));
  // Joined by the test, since a cluster does not join names of all bots with rows of its nodes.
  const { rows: bots } = await observer.query('SELECT id FROM bots')
  const ofNoBot = `WHERE bot_id <> ALL ('{${bots.map(({ id }) => id).join()}}')`
  const ids = `IN ('${workspaceIds.join("', '")}')`
  const sources = {
    workspaces: `workspaces WHERE id ${ids}`,
    bots: `bots WHERE workspace_id ${ids}`,
    folders: `folders WHERE workspace_id ${ids}`,
    members: `workspace_members WHERE workspace_id ${ids}`,
    'public ids': `public_ids ${ofNoBot}`,
    domains: `custom_domains ${ofNoBot}`,
    'published bots': `published_bots ${ofNoBot}`,
  }
  const left: Record<string, number> = {}
  for (const [name, source] of Object.entries(sources)) {
    const { rows } = await observer.query(`SELECT count(*)::int FROM ${source}`)
    if (rows[0].count > 0) left[name] = rows[0].count
  }
  return left
}

/** Workspaces of one test that have to be empty at its end: to purge them together takes a third of the time. */
const deletedIds: string[] = []
afterEach(async () => {
  expect(await leftIn(deletedIds.splice(0))).toEqual({})
})

async function expectLost(world: World, deletion: Answer, ...others: Answer[]) {
  expect(deletion.status).toBe(200)
  for (const other of others) {
    expect([200, 201, 400, 403, 404]).toContain(other.status)
    // An admitted request finds, at most, that its folder was already deleted.
    if (other.status === 400) expect(other.body.issues).toMatchObject([{ code: 'unknown_folder' }])
  }
  const { admin, member, workspaceId, shared, draft } = world.here
  const asked = [
    app.client.call('getWorkspace', { as: admin, params: { workspaceId } }),
    app.client.call('getBot', { as: member, params: { botId: draft.id } }),
    app.client.call('getBot', { as: world.stranger, params: { botId: shared.id } }),
  ]
  for (const { status } of await Promise.all(asked)) expect(status).toBe(404)
  deletedIds.push(workspaceId)
}

/** `make test` tries every third statement, from a different one on for each operation. */
const step = runs(3, 1)

describe.each(Object.entries(operations))('%s', (name, operation) => {
  const first = Object.keys(operations).indexOf(name) % step

  test('is lost with the workspace, before whichever statement the deletion comes', async () => {
    for (let place = first; ; place += step) {
      const world = await makeWorld(app)
      const answers = await interleave(
        app,
        observer,
        place,
        () => operation(world),
        () => deletion(world),
      )
      if (!answers) {
        expect(place).toBeGreaterThan(1)
        return
      }
      await expectLost(world, answers.other, answers.first)
    }
  })

  test('is lost with the workspace, before whichever statement of the deletion it comes', async () => {
    for (let place = first; ; place += step) {
      const world = await makeWorld(app)
      const answers = await interleave(
        app,
        observer,
        place,
        () => deletion(world),
        () => operation(world),
      )
      if (!answers) {
        expect(place).toBeGreaterThan(5)
        return
      }
      await expectLost(world, answers.first, answers.other)
    }
  })
})

test('workspaces that are deleted beside all these writes are empty', async () => {
  for (let round = 0; round < runs(1, 30); round++) {
    const world = await makeWorld(app)
    const work = Object.values(operations).map((operation) => operation(world))
    const [gone, ...others] = await Promise.all([deletion(world), ...work])
    await expectLost(world, gone as Answer, ...others)
  }
})

test('exactly one of five deletions at once responds with 200, the others with 404', async () => {
  const { here } = await makeWorld(app)
  const as = here.admin
  const five = (send: () => Promise<Answer>) => Promise.all(Array.from({ length: 5 }, send))
  const params = { botId: here.published.id }
  const bots = await five(() => app.client.call('deleteBot', { as, params }))
  expect(bots.map(({ status }) => status).sort()).toEqual([200, 404, 404, 404, 404])
  const folders = await five(() => app.client.call('deleteFolder', { as, params: { folderId: here.folder } }))
  expect(folders.map(({ status }) => status).sort()).toEqual([200, 404, 404, 404, 404])
  const { workspaceId } = here
  const workspaces = await five(() => app.client.call('deleteWorkspace', { as, params: { workspaceId } }))
  expect(workspaces.map(({ status }) => status).sort()).toEqual([200, 404, 404, 404, 404])
})
