import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { Browser } from 'playwright-core'
import { type App, startApp } from '../support/app.ts'
import { signIn } from '../support/sign-in.ts'
import { makeWorld } from '../support/world.ts'
import { desktop, launch, openPage, phone, withBrowser } from './support.ts'

/* The page that allows the login of a program, in a real browser and by keyboard. */

let app: App

beforeAll(async () => {
  app = await startApp()
})

afterAll(() => app.stop())

withBrowser('the page of device logins', () => {
  let browser: Browser

  beforeAll(async () => {
    browser = await launch()
  })

  afterAll(() => browser.close())

  test.each([
    ['desktop-light', desktop, 'light'],
    ['desktop-dark', desktop, 'dark'],
    ['phone-light', phone, 'light'],
    ['phone-dark', phone, 'dark'],
  ] as const)(
    'a person enters a code, and allows or declines it by keyboard (%s)',
    async (name, options, colorScheme) => {
      const { here } = await makeWorld(app)
      const session = await signIn(app, here.member)
      const { context, page, complaints, look } = await openPage(
        browser,
        app.url,
        { name, ...options, colorScheme },
        session,
      )
      const start = () =>
        app.client.ok('startDeviceLogin', {
          body: {
            name: 'bots on the laptop of somebody-with-a-long-name.example.internal',
            scopes: ['read', 'write', 'results'],
            workspaceId: here.workspaceId,
            expiresInDays: 90,
          },
        })

      await page.goto('/device')
      await look('device-code')
      await page.keyboard.press('Tab')
      await page.keyboard.type('bbbb-bbbb')
      await page.keyboard.press('Enter')
      await page.getByText('No program waits with this code').waitFor()
      await look('device-wrong-code')

      const allowed = await start()
      await page.goto(new URL(allowed.verificationUriComplete).pathname)
      await page.keyboard.press('Tab')
      await page.keyboard.type(allowed.userCode.toLowerCase())
      await page.keyboard.press('Enter')
      await page.getByRole('heading', { name: 'Allow this program?' }).waitFor()
      await look('device-request')
      await page.keyboard.press('Tab')
      expect(await page.evaluate('document.activeElement.textContent')).toBe('Allow')
      await page.keyboard.press('Enter')
      await page.getByRole('heading', { name: 'Access allowed' }).waitFor()
      await look('device-allowed')

      const denied = await start()
      await page.goto(`/device?code=${denied.userCode}`)
      for (const key of ['Tab', 'Enter']) await page.keyboard.press(key)
      await page.getByRole('heading', { name: 'Allow this program?' }).waitFor()
      for (const key of ['Tab', 'Tab', 'Enter']) await page.keyboard.press(key)
      await page.getByRole('heading', { name: 'Access refused' }).waitFor()
      const statusOf = async ({ deviceCode }: typeof denied) =>
        (await app.client.ok('continueDeviceLogin', { body: { deviceCode } })).status
      expect([await statusOf(allowed), await statusOf(denied)]).toEqual(['allowed', 'denied'])
      expect(complaints.filter((line) => !/favicon|404/.test(line))).toEqual([])
      await context.close()
    },
  )
})
