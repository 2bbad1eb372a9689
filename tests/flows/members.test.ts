import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { setUserEnabled } from '../../server/access/users.ts'
import { type App, startApp } from '../support/app.ts'
import { makeWorld, type Person, type World } from '../support/world.ts'

/* No member can be harmed by being added to a workspace, and no workspace is left to a user who cannot log in. */

let app: App
let world: World
beforeAll(async () => {
  app = await startApp()
})
afterAll(() => app.stop())
beforeEach(async () => {
  world = await makeWorld(app)
})

const disable = ({ id }: Person) => setUserEnabled(app.db, id, false, app.clock.now())

async function workspacesOf(as: Person): Promise<string[]> {
  return (await app.client.ok('listWorkspaces', { as })).workspaces.map(({ id }) => id)
}

test('a workspace to which another user added this one comes after own ones', async () => {
  const { admin } = world.here
  const { workspace: own } = await app.client.ok('createWorkspace', { as: admin, body: { name: 'Own' } })
  const body = { name: 'My workspace' }
  const { workspace: trap } = await app.client.ok('createWorkspace', { as: world.stranger, body })
  await app.client.ok('addMember', {
    as: world.stranger,
    params: { workspaceId: trap.id },
    body: { email: admin.email, role: 'MEMBER' },
  })
  const listed = await workspacesOf(admin)
  expect(listed[0]).toBe(own.id)
  expect(listed).toContain(trap.id)
  expect((await workspacesOf(world.stranger))[0]).toBe(trap.id)
})

test('an admin who is disabled does not count as an admin, and is shown as disabled', async () => {
  const { workspaceId, admin, member } = world.here
  const params = { workspaceId }
  const setRole = (role: 'ADMIN' | 'GUEST') =>
    app.client.call('updateMember', { as: admin, params: { ...params, userId: member.id }, body: { role } })
  expect((await setRole('ADMIN')).status).toBe(200)
  await disable(member)
  const { members } = await app.client.ok('listMembers', { as: admin, params })
  expect(members.filter(({ isDisabled }) => isDisabled).map(({ userId }) => userId)).toEqual([member.id])
  const own = { as: admin, params: { ...params, userId: admin.id } }
  const left = await app.client.call('removeMember', own)
  const lowered = await app.client.call('updateMember', { ...own, body: { role: 'GUEST' } })
  for (const { status, body } of [left, lowered])
    expect([status, body.issues[0].code]).toEqual([400, 'last_admin'])
  expect(await workspacesOf(admin)).toContain(workspaceId)
  // A member who cannot act may be removed.
  expect((await setRole('GUEST')).status).toBe(200)
})

test('a disabled user cannot be added', async () => {
  const { workspaceId, admin } = world.here
  await disable(world.stranger)
  const { status, body } = await app.client.call('addMember', {
    as: admin,
    params: { workspaceId },
    body: { email: world.stranger.email, role: 'ADMIN' },
  })
  expect([status, body.issues]).toEqual([
    400,
    [
      {
        path: ['body', 'email'],
        code: 'disabled_user',
        message: 'The user with this e-mail address is disabled',
      },
    ],
  ])
})
