import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { Browser } from 'playwright-core'
import { createSignInLink } from '../../server/access/sign-in-links.ts'
import { type App, startApp } from '../support/app.ts'
import { startMailServer } from '../support/mail-server.ts'
import { runs } from '../support/runs.ts'
import { makeWorld } from '../support/world.ts'
import { desktop, launch, openPage, phone, withBrowser } from './support.ts'

/* Sign-in and invitations in a real browser, by keyboard, on a phone and a desktop, light and dark. */

let app: App
let mailServer: Awaited<ReturnType<typeof startMailServer>>

beforeAll(async () => {
  mailServer = await startMailServer()
  app = await startApp({ config: { SMTP_URL: mailServer.url } })
})

afterAll(async () => {
  await app.stop()
  mailServer.close()
})

withBrowser('pages of a form', () => {
  let browser: Browser

  beforeAll(async () => {
    browser = await launch()
  })

  afterAll(() => browser.close())

  const looks = [
    ['phone-dark', phone, 'dark'],
    ['desktop-light', desktop, 'light'],
  ] as const
  test.each(looks.slice(0, runs(1, looks.length)))(
    'people sign in and accept an invitation by keyboard (%s)',
    async (name, options, colorScheme) => {
      const { here } = await makeWorld(app)
      const { link } = await app.client.ok('createInvitation', {
        as: here.admin,
        params: { workspaceId: here.workspaceId },
        body: { email: `grace-${here.workspaceId}@example.com`, role: 'MEMBER' },
      })
      const { context, page, complaints, look } = await openPage(browser, app.url, {
        name,
        ...options,
        colorScheme,
      })

      await page.goto('/sign-in')
      await look('sign-in')
      await page.keyboard.press('Tab')
      await page.keyboard.type(here.admin.email)
      await page.keyboard.press('Enter')
      await page.getByRole('heading', { name: 'Check your mail' }).waitFor()
      await look('sign-in-sent')

      const code = await createSignInLink(app.db, here.admin.id, { returnTo: '/results' }, app.clock.now())
      await page.goto(`/sign-in/links/${code}`)
      await look('sign-in-link')
      await page.keyboard.press('Tab')
      await page.keyboard.press('Enter')
      await page.waitForURL('**/results')
      const cookies = await context.cookies()
      expect(cookies).toMatchObject([{ name: 'session', httpOnly: true, sameSite: 'Lax' }])

      await page.goto(new URL(link).pathname)
      await look('invitation-other-user')
      await page.keyboard.press('Tab')
      await page.keyboard.press('Enter')
      await page.waitForURL('**/sign-in')
      expect(await context.cookies()).toEqual([])

      await page.goto(new URL(link).pathname)
      await look('invitation')
      await page.keyboard.press('Tab')
      await page.keyboard.type('Grace Hopper')
      await page.keyboard.press('Enter')
      await page.waitForURL('**/bots')
      const { members } = await app.client.ok('listMembers', {
        as: here.admin,
        params: { workspaceId: here.workspaceId },
      })
      expect(members.at(-1)).toMatchObject({ user: { name: 'Grace Hopper' }, role: 'MEMBER' })
      expect(complaints.filter((line) => !line.includes('favicon'))).toEqual([])
      await context.close()
    },
  )
})

test('the pages of the sign-in allow no scripts and no frames', async () => {
  for (const path of ['/sign-in', '/invitations/none', '/sign-in/links/none', '/device']) {
    const { headers } = await fetch(`${app.url}${path}`)
    expect(headers.get('content-security-policy')).toBe(
      "default-src 'none'; style-src 'self'; img-src data:; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
    )
    expect(headers.get('referrer-policy')).toBe('same-origin')
  }
})
