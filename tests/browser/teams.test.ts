import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { Browser } from 'playwright-core'
import { type App, startApp } from '../support/app.ts'
import { until } from '../support/process.ts'
import { pageTokenOf, signIn } from '../support/sign-in.ts'
import { makeWorld } from '../support/world.ts'
import { desktop, launch, newContext, phone, picture, violationsOn, watch, withBrowser } from './support.ts'

/* Members invite others, give programs access, and store accounts of outside services. */

let app: App

beforeAll(async () => {
  app = await startApp()
})

afterAll(() => app.stop())

withBrowser('pages of a team', () => {
  let browser: Browser

  beforeAll(async () => {
    browser = await launch()
  })

  afterAll(() => browser.close())

  async function open(options: typeof desktop, colorScheme: 'light' | 'dark', cookie: string) {
    const context = await newContext(browser, { baseURL: app.url, ...options, colorScheme })
    await context.addCookies([{ name: 'session', value: cookie, url: app.url }])
    const page = await context.newPage()
    const complaints: string[] = []
    watch(page, app.url, complaints)
    const look = async (what: string) => {
      await picture(page, what)
      expect([what, await violationsOn(page)]).toEqual([what, []])
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(options.viewport.width)
    }
    const end = async () => {
      expect(complaints.filter((line) => !line.includes('favicon'))).toEqual([])
      await context.close()
    }
    return { page, look, end }
  }

  test.each([
    ['desktop-light', desktop, 'light'],
    ['phone-dark', phone, 'dark'],
  ] as const)(
    'an admin invites, gives a role, revokes and removes (%s)',
    async (name, options, colorScheme) => {
      const { here } = await makeWorld(app)
      const params = { workspaceId: here.workspaceId }
      const { cookie } = await signIn(app, here.admin)
      const { page, look, end } = await open(options, colorScheme, cookie)
      await page.goto('/bots')
      await page.getByRole('link', { name: 'Members' }).click()
      const email = `grace-${here.workspaceId}@example.com`
      await page.getByLabel('E-mail address').fill(email)
      await page.getByLabel('Role', { exact: true }).selectOption('GUEST')
      await page.getByLabel('E-mail address').press('Enter')
      const link = await page.getByLabel('Link of the invitation').inputValue()
      await page.getByRole('list', { name: 'Invitations' }).getByText(email).waitFor()
      await look(`members-${name}`)
      const accepting = await fetch(link)
      expect([accepting.status, (await accepting.text()).includes(email)]).toEqual([200, true])

      await page.getByRole('button', { name: `Revoke the invitation of ${email}` }).click()
      await page.getByRole('list', { name: 'Invitations' }).waitFor({ state: 'detached' })
      expect(await app.client.ok('listInvitations', { as: here.admin, params })).toMatchObject({
        invitations: [],
      })

      const { members } = await app.client.ok('listMembers', { as: here.admin, params })
      const guest = members.find(({ role }) => role === 'GUEST')
      const row = page.getByRole('listitem').filter({ hasText: guest?.user.email ?? '' })
      await row.getByRole('combobox').selectOption('MEMBER')
      await until('the role is changed', async () => {
        const { members: now } = await app.client.ok('listMembers', { as: here.admin, params })
        return now.some(({ userId, role }) => userId === guest?.userId && role === 'MEMBER')
      })
      await row.getByRole('button', { name: /^Remove/ }).click()
      await look(`members-remove-${name}`)
      await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
      await row.waitFor({ state: 'detached' })
      const left = await app.client.ok('listMembers', { as: here.admin, params })
      expect(left.members.map(({ userId }) => userId)).not.toContain(guest?.userId)
      await end()
    },
  )

  test('a member sees the others and may leave, and cannot change them', async () => {
    const { here } = await makeWorld(app)
    const { cookie } = await signIn(app, here.member)
    const { page, look, end } = await open(desktop, 'dark', cookie)
    await page.goto('/members')
    await page.getByText('An admin of the workspace can invite others.').waitFor()
    expect(
      await page
        .getByRole('combobox', { name: /^Role of/ })
        .first()
        .isDisabled(),
    ).toBe(true)
    expect(await page.getByRole('button', { name: /^Remove/ }).count()).toBe(0)
    await look('members-of-a-member')
    await page.getByRole('button', { name: 'Leave the workspace' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Leave' }).click()
    await page.getByText('You are in no workspace yet.').waitFor()
    await end()
  })

  test.each([
    ['desktop-light', desktop, 'light'],
    ['phone-dark', phone, 'dark'],
  ] as const)('a member adds, changes and deletes credentials (%s)', async (name, options, colorScheme) => {
    const { here } = await makeWorld(app)
    const params = { workspaceId: here.workspaceId }
    const { cookie } = await signIn(app, here.member)
    const { page, look, end } = await open(options, colorScheme, cookie)
    await page.goto('/credentials')
    await page.getByText('None yet.').waitFor()
    await page.getByRole('button', { name: 'Add credentials' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Service').selectOption('openai')
    await dialog.getByLabel('Name').fill('Company account')
    await dialog.getByLabel('API key').fill('sk-secret')
    await look(`credentials-add-${name}`)
    await dialog.getByRole('button', { name: 'Add', exact: true }).click()
    await page.getByRole('list', { name: 'Credentials' }).getByText('Company account').waitFor()
    await look(`credentials-${name}`)
    expect(await page.content()).not.toContain('sk-secret')

    await page.getByRole('button', { name: 'Change Company account' }).click()
    await dialog.getByLabel('Name').fill('Marketing')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('button', { name: 'Test Marketing' }).waitFor()
    await page.getByRole('button', { name: 'Add credentials' }).click()
    await dialog.getByLabel('Service').selectOption('google sheets')
    // This installation has no client of Google.
    expect(await dialog.getByRole('link', { name: 'Continue with Google' }).count()).toBe(0)
    await dialog.getByLabel('Name').fill('Sheets')
    await dialog.getByLabel('Service account').fill('{"client_email":"a@example.com"')
    await dialog.getByRole('button', { name: 'Add', exact: true }).click()
    await dialog.getByText('Service account is not valid JSON. Paste the whole file.').waitFor()
    await dialog.getByLabel('Service account').fill('{"client_email":"a@example.com","private_key":"pem"}')
    await dialog.getByRole('button', { name: 'Add', exact: true }).click()
    await page.getByRole('button', { name: 'Delete Sheets' }).click()
    await dialog.getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('button', { name: 'Delete Sheets' }).waitFor({ state: 'detached' })
    const { credentials } = await app.client.ok('listCredentials', { as: here.member, params })
    expect(credentials).toMatchObject([{ type: 'openai', name: 'Marketing' }])
    await end()
  })

  test.each([
    ['desktop-dark', desktop, 'dark'],
    ['phone-light', phone, 'light'],
  ] as const)(
    'a user creates a token, revokes it and signs other browsers out (%s)',
    async (name, options, colorScheme) => {
      const { here } = await makeWorld(app)
      const other = await signIn(app, here.admin, 'Lost phone')
      const { cookie } = await signIn(app, here.admin)
      const { page, look, end } = await open(options, colorScheme, cookie)
      await page.goto('/account?token=bots+on+laptop')
      expect(await page.getByLabel('Program').inputValue()).toBe('bots on laptop')
      await page.getByLabel('Valid').selectOption('30')
      for (const scope of [
        'Create, change, publish and delete bots',
        'Read and delete results',
        'Take part in chats',
      ])
        await page.getByLabel(scope).uncheck()
      await page.getByRole('button', { name: 'Create token' }).click()
      const token = await page.getByLabel('Access token', { exact: true }).inputValue()
      await look(`account-${name}`)
      const caller = await app.client.ok('getCurrentUser', { as: { token } })
      expect(caller.token).toMatchObject({ name: 'bots on laptop', scopes: ['read'] })

      await page.getByRole('button', { name: 'Revoke bots on laptop' }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click()
      await page.getByRole('button', { name: 'Revoke bots on laptop' }).waitFor({ state: 'detached' })
      expect((await app.client.call('getCurrentUser', { as: { token } })).status).toBe(401)

      await page.getByRole('button', { name: 'Sign out Lost phone' }).click()
      await page.getByRole('button', { name: 'Sign out Lost phone' }).waitFor({ state: 'detached' })
      await expect(pageTokenOf(app, other.cookie)).rejects.toThrow()
      await end()
    },
  )
})
