import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { Browser } from 'playwright-core'
import { type App, startApp } from '../support/app.ts'
import { signIn } from '../support/sign-in.ts'
import { makeWorld } from '../support/world.ts'
import { desktop, launch, openPage, phone, withBrowser } from './support.ts'

/* The page before the one of Google, in a real browser and by keyboard. */

let app: App
let google: Server

beforeAll(async () => {
  google = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/html' }).end('<title>Google</title>The page of Google')
  })
  await new Promise<void>((resolve) => google.listen(0, '127.0.0.1', resolve))
  app = await startApp({
    config: {
      GOOGLE_CLIENT_ID: 'the-client',
      GOOGLE_CLIENT_SECRET: 'the-secret',
      GOOGLE_AUTHORIZATION_URL: `http://127.0.0.1:${(google.address() as AddressInfo).port}/auth`,
    },
  })
})

afterAll(async () => {
  await app.stop()
  google.closeAllConnections()
  google.close()
})

withBrowser('the page before Google', () => {
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
    'the consent of Google is reached by keyboard from the credentials (%s)',
    async (name, options, colorScheme) => {
      const { here } = await makeWorld(app)
      const { credentials } = await app.client.ok('createCredentials', {
        as: here.member,
        params: { workspaceId: here.workspaceId },
        body: {
          type: 'gmail',
          name: 'sales@a-company-with-a-long-name.example.com',
          data: { oauth: { refreshToken: 'r', clientId: 'c', clientSecret: 's' } },
        },
      })
      const { context, page, look } = await openPage(
        browser,
        app.url,
        { name, ...options, colorScheme },
        await signIn(app, here.member),
      )
      await page.goto('/credentials')
      await page.getByRole('button', { name: `Change ${credentials.name}` }).click()
      await page.getByRole('link', { name: 'Continue with Google' }).press('Enter')
      await page.getByRole('heading', { name: 'Connect your Google account?' }).waitFor()
      await page.getByText(credentials.name).waitFor()
      await look('google-consent')
      await page.keyboard.press('Tab')
      expect(await page.evaluate('document.activeElement.textContent')).toBe('Continue with Google')
      await page.keyboard.press('Enter')
      await page.getByText('The page of Google').waitFor()
      expect(new URL(page.url()).searchParams.get('client_id')).toBe('the-client')
      await context.close()
    },
  )
})
