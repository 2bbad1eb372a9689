import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { createSignInLink } from '../../server/access/sign-in-links.ts'
import { setUserEnabled } from '../../server/access/users.ts'
import { MAX_INVITATIONS } from '../../server/workspaces/invitations.ts'
import { type App, startApp } from '../support/app.ts'
import { startMailServer } from '../support/mail-server.ts'
import { until } from '../support/process.ts'
import { newBrowser, pageTokenOf, signIn } from '../support/sign-in.ts'
import { makeWorld, type Site, type World } from '../support/world.ts'

/* Invitations from the link to the role, and the attacks on them. */

let app: App
let mailServer: Awaited<ReturnType<typeof startMailServer>>
let world: World

beforeAll(async () => {
  mailServer = await startMailServer()
  app = await startApp({ config: { SMTP_URL: mailServer.url } })
})
beforeEach(async () => {
  world = await makeWorld(app)
})
afterAll(async () => {
  await app.stop()
  mailServer.close()
})

let people = 0
const newAddress = () => `grace-${people++}-${world.stranger.id}@example.com`

/** Invites an address; returns the paths of the link that the admin sees and of the one that was mailed. */
async function invite(email: string, role: 'ADMIN' | 'MEMBER' | 'GUEST' = 'MEMBER', site: Site = world.here) {
  const { admin, workspaceId } = site
  const before = mailServer.mails.length
  const made = await app.client.ok('createInvitation', {
    as: admin,
    params: { workspaceId },
    body: { email, role },
  })
  await until('the mail is there', async () => mailServer.mails.length > before)
  const text = (mailServer.mails.at(-1) as string).replaceAll('=\r\n', '')
  expect(text).toContain(`To: ${email}`)
  const [mailed = ''] = /\/invitations\/[\w-]{43}/.exec(text) ?? []
  return { shown: new URL(made.link).pathname, mailed, invitation: made.invitation }
}

async function roleOf(email: string, { admin, workspaceId }: Site = world.here) {
  const { members } = await app.client.ok('listMembers', { as: admin, params: { workspaceId } })
  return members.find(({ user }) => user.email === email)?.role
}

async function browserOf(person: { id: string }) {
  const browser = newBrowser(app.url)
  browser.jar.set('session', (await signIn(app, person)).cookie)
  return browser
}

const tokenIn = async (browser: ReturnType<typeof newBrowser>) =>
  JSON.parse((await browser.send('/session/token')).text).token as string | undefined

test('an invitation creates a user, gives the role and signs in, by its form alone', async () => {
  const email = newAddress()
  const { shown } = await invite(email)
  const browser = newBrowser(app.url)
  for (let at = 0; at < 3; at++) {
    const page = await browser.get(shown)
    expect(page.status).toBe(200)
    for (const words of [email, 'Site', 'a member', world.here.admin.email])
      expect(page.text).toContain(words)
  }
  expect(await roleOf(email)).toBeUndefined()
  const done = await browser.send(shown, { form: { name: ' Grace Hopper ' } })
  expect([done.status, done.location]).toEqual([303, '/bots'])
  const me = await app.client.ok('getCurrentUser', { as: { token: (await tokenIn(browser)) as string } })
  expect(me).toMatchObject({ user: { email, name: 'Grace Hopper' }, workspaces: [{ role: 'MEMBER' }] })
  const { entries } = await app.client.ok('listAuditLog', {
    as: world.here.admin,
    params: { workspaceId: world.here.workspaceId },
  })
  expect(entries).toMatchObject([
    { operation: 'accept invitation', userId: me.user.id, tokenId: null, details: { role: 'MEMBER' } },
    { operation: 'createInvitation', details: { role: 'MEMBER', email } },
  ])
})

test('an invitation is accepted once, also by two browsers at the same time', async () => {
  const email = newAddress()
  const { shown, mailed } = await invite(email)
  const statuses = await Promise.all(
    [shown, shown, mailed].map(async (path) => {
      const { location } = await newBrowser(app.url).send(path, { form: {} })
      return location === '/bots'
    }),
  )
  expect(statuses.filter(Boolean)).toHaveLength(1)
  for (const path of [shown, mailed]) expect((await newBrowser(app.url).get(path)).status).toBe(404)
})

test('an admin who opens the link is not signed in as an existing user', async () => {
  const { stranger } = world
  const { shown, mailed } = await invite(stranger.email)
  for (const path of [shown, mailed]) {
    const thief = newBrowser(app.url)
    expect((await thief.get(path)).text).toContain('Sign in to accept')
    const { location } = await thief.send(path, { form: {} })
    expect(location).toBe(`/sign-in?returnTo=${encodeURIComponent(path)}`)
    expect(await tokenIn(thief)).toBeUndefined()
  }
  expect(await roleOf(stranger.email)).toBeUndefined()
  const browser = newBrowser(app.url)
  const returnTo = shown
  const code = await createSignInLink(app.db, stranger.id, { returnTo }, app.clock.now())
  expect((await browser.send(`/sign-in/links/${code}`)).location).toBe(shown)
  const before = browser.jar.get('session')
  expect((await browser.send(shown)).location).toBe('/bots')
  expect([await roleOf(stranger.email), browser.jar.get('session')]).toEqual(['MEMBER', before])
})

test('another signed-in user sees that, and accepts nothing', async () => {
  const email = newAddress()
  const { shown } = await invite(email)
  const browser = await browserOf(world.stranger)
  expect((await browser.get(shown)).text).toContain(`signed in as <strong>${world.stranger.email}`)
  expect((await browser.send(shown, { form: {} })).status).toBe(303)
  expect([await roleOf(email), await roleOf(world.stranger.email)]).toEqual([undefined, undefined])
})

test('the first proof of an address ends other sessions of its user', async () => {
  const email = newAddress()
  const first = await invite(email)
  const thief = newBrowser(app.url)
  await thief.send(first.shown, { form: {} })
  const stolen = (await tokenIn(thief)) as string
  const { apiToken } = await app.client.ok('createToken', { as: { token: stolen }, body: { name: 'Mine' } })
  // Without a proof the user is added nowhere else.
  const { admin, workspaceId } = world.there
  const body = { email, role: 'ADMIN' as const }
  const added = await app.client.call('addMember', { as: admin, params: { workspaceId }, body })
  expect([added.status, added.body.issues[0].code]).toEqual([400, 'unknown_user'])

  const { mailed, shown } = await invite(email, 'ADMIN', world.there)
  expect((await newBrowser(app.url).send(shown, { form: {} })).location).toMatch(/^\/sign-in/)
  const owner = newBrowser(app.url)
  expect((await owner.send(mailed, { form: {} })).location).toBe('/bots')
  expect(await tokenIn(thief)).toBeUndefined()
  for (const token of [stolen, apiToken.token])
    expect((await app.client.call('getCurrentUser', { as: { token } })).status).toBe(401)
  expect(await roleOf(email, world.there)).toBe('ADMIN')
})

test('a role is raised and never lowered', async () => {
  const { member, workspaceId, admin } = world.here
  const rejoin = async (role: 'ADMIN' | 'GUEST') => {
    const params = { workspaceId, userId: member.id }
    await app.client.ok('removeMember', { as: admin, params })
    const { shown } = await invite(member.email, role)
    const body = { email: member.email, role: 'MEMBER' as const }
    await app.client.ok('addMember', { as: admin, params: { workspaceId }, body })
    await (await browserOf(member)).send(shown)
    return roleOf(member.email)
  }
  expect(await rejoin('GUEST')).toBe('MEMBER')
  expect(await rejoin('ADMIN')).toBe('ADMIN')
})

test('an invitation ends with its time, its workspace, its revocation and the role of its admin', async () => {
  const ends: Record<string, (site: Site, invitationId: string) => Promise<unknown>> = {
    late: async () => app.clock.advance(7 * 24 * 60 * 60_000),
    revoked: ({ admin, workspaceId }, invitationId) =>
      app.client.ok('revokeInvitation', { as: admin, params: { workspaceId, invitationId } }),
    'workspace deleted': ({ admin, workspaceId }) =>
      app.client.ok('deleteWorkspace', { as: admin, params: { workspaceId } }),
    'admin demoted': ({ admin, workspaceId }) =>
      app.pool.query(
        "UPDATE workspace_members SET role = 'MEMBER' WHERE user_id = $1 AND workspace_id = $2",
        [admin.id, workspaceId],
      ),
    'admin removed': ({ admin }) =>
      app.pool.query('DELETE FROM workspace_members WHERE user_id = $1', [admin.id]),
    'admin disabled': ({ admin }) => setUserEnabled(app.db, admin.id, false, app.clock.now()),
  }
  for (const [name, end] of Object.entries(ends)) {
    const { here } = await makeWorld(app)
    const { shown, invitation } = await invite(newAddress(), 'MEMBER', here)
    await end(here, invitation.id)
    const browser = newBrowser(app.url)
    const statuses = [(await browser.get(shown)).status, (await browser.send(shown, { form: {} })).status]
    expect([name, statuses]).toEqual([name, [404, 404]])
    expect(browser.jar.size).toBe(0)
  }
})

test('invitations that cannot be accepted any more are neither listed nor counted', async () => {
  const { admin, member, workspaceId } = world.here
  await app.pool.query(
    `UPDATE workspace_members SET role = 'ADMIN' WHERE user_id = $1 AND workspace_id = $2`,
    [member.id, workspaceId],
  )
  const ends = [
    () => setUserEnabled(app.db, member.id, false, app.clock.now()),
    () => app.pool.query('DELETE FROM workspace_members WHERE user_id = $1', [member.id]),
  ]
  for (const end of ends) {
    await app.pool.query(
      `INSERT INTO invitations (id, workspace_id, email, role, code_hash, invited_by, created_at, expires_at)
      SELECT $1 || n, $1, n || '@example.com', 'GUEST', sha256(convert_to($1 || n, 'UTF8')), $2, $3, $3::timestamptz + interval '1 day'
      FROM generate_series(1, ${MAX_INVITATIONS}) n ON CONFLICT DO NOTHING`,
      [workspaceId, member.id, app.clock.now()],
    )
    await end()
    const { invitation } = await invite(newAddress())
    const { invitations } = await app.client.ok('listInvitations', { as: admin, params: { workspaceId } })
    expect(invitations.map(({ id }) => id)).toEqual([invitation.id])
    await app.client.ok('revokeInvitation', {
      as: admin,
      params: { workspaceId, invitationId: invitation.id },
    })
  }
})

test('an invitation is not accepted by a form of another site', async () => {
  const email = newAddress()
  const { shown } = await invite(email)
  for (const Origin of ['https://elsewhere.example', 'null']) {
    const { status } = await newBrowser(app.url).send(shown, { form: {}, headers: { Origin } })
    expect([Origin, status]).toEqual([Origin, 403])
  }
  expect(await roleOf(email)).toBeUndefined()
  await expect(pageTokenOf(app, 'nothing')).rejects.toThrow()
})
