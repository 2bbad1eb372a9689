import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import axe from 'axe-core'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { type App, startApp } from '../support/app.ts'
import { ask, bot, type Part, text } from '../support/chat.ts'
import { type Published, publish } from '../support/chats.ts'
import { startStripe } from '../support/stripe.ts'
import { makeWorld } from '../support/world.ts'
import { desktop, launch, newContext, phone, picture, withBrowser } from './support.ts'

/* A visitor who pays on the page of the vendor, and comes back to the chat. */

let stripe: Awaited<ReturnType<typeof startStripe>>
let app: App
let browser: Browser
let made: Published

withBrowser('a payment on the chat page', () => {
  beforeAll(async () => {
    stripe = await startStripe()
    app = await startApp({ config: { OUTBOUND_ALLOWED_HOSTS: [stripe.host] } })
    const { here } = await makeWorld(app)
    const { credentials } = await app.client.ok('createCredentials', {
      as: here.member,
      params: { workspaceId: here.workspaceId },
      body: { type: 'stripe', name: 'Shop', data: { live: { secretKey: 'sk_live_1' }, baseUrl: stripe.url } },
    })
    const payment: Part = {
      type: 'payment input',
      options: {
        credentialsId: credentials.id,
        amount: '10',
        currency: 'EUR',
        labels: { success: 'All paid' },
      },
    }
    made = await publish(
      app,
      here,
      bot({ g: [text('That is a ticket.'), payment, text('Here is your ticket'), ask()] }),
    )
    browser = await launch()
  })

  afterAll(async () => {
    await browser.close()
    await app.stop()
    await stripe.stop()
  })

  const open = async (options: BrowserContextOptions) => {
    const context = await newContext(browser, options)
    const page = await context.newPage()
    return { context, page }
  }

  /** Pays in the tab that the button opens, which closes itself on the way back. */
  const pay = async (page: Page, within: Pick<Page, 'getByRole'> = page) => {
    const opened = page.context().waitForEvent('page')
    await within.getByRole('link', { name: 'Pay €10.00' }).click()
    const tab = await opened
    const closed = tab.waitForEvent('close')
    await tab.getByRole('button', { name: 'Pay now' }).click()
    await closed
  }

  test.each<[string, BrowserContextOptions]>([
    ['desktop', desktop],
    ['phone', { ...phone, colorScheme: 'dark' }],
  ])('a chat continues by itself when the visitor returns from the payment (%s)', async (name, options) => {
    const { context, page } = await open(options)
    await page.goto(`${app.url}/chat/${made.publicId}`)
    await page.getByRole('link', { name: 'Pay €10.00' }).waitFor()
    await picture(page, `payment-${name}`)
    await page.evaluate(axe.source)
    const { violations } = (await page.evaluate('axe.run()')) as axe.AxeResults
    expect(violations.map(({ id }) => id)).toEqual([])
    await pay(page)
    await page.locator('.host-bubble', { hasText: 'Here is your ticket' }).waitFor()
    expect(await page.locator('.guest-text').allTextContents()).toEqual(['All paid'])
    await context.close()
  })

  test('a chat does not continue for a visitor who claims to have paid, and does when it is true', async () => {
    const { context, page } = await open(desktop)
    await page.goto(`${app.url}/chat/${made.publicId}`)
    await page.getByRole('button', { name: 'I have paid' }).click()
    await page.locator('.host-bubble', { hasText: 'not arrived' }).waitFor()
    expect(await page.locator('.host-bubble', { hasText: 'Here is your ticket' }).count()).toBe(0)
    await pay(page)
    await page.locator('.host-bubble', { hasText: 'Here is your ticket' }).waitFor()
    await context.close()
  })

  test('a chat in a frame of another site continues after the payment', async () => {
    const { context, page } = await open(desktop)
    const html = `<script src="${app.url}/embed.js"></script><bot-standard bot="${made.publicId}"></bot-standard>`
    const site = createServer((_request, response) =>
      response.writeHead(200, { 'content-type': 'text/html' }).end(html),
    )
    await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve))
    await page.goto(`http://localhost:${(site.address() as AddressInfo).port}/`)
    const frame = page.frameLocator('iframe')
    await frame.getByRole('link', { name: 'Pay €10.00' }).waitFor()
    await pay(page, frame as never)
    await frame.locator('.host-bubble', { hasText: 'Here is your ticket' }).waitFor()
    await context.close()
    await new Promise((resolve) => site.close(resolve))
  })

  test('the page of the return leads back to the chat where it cannot be closed', async () => {
    const { context, page } = await open(phone)
    await page.goto(`${app.url}/chat/${made.publicId}`)
    const opened = context.waitForEvent('page')
    await page.getByRole('link', { name: 'Pay €10.00' }).click()
    await (await opened).close()
    const other = await context.newPage()
    await other.goto(`${app.url}/chat/~payment?payment=cs_1`)
    await picture(other, 'payment-return')
    await other.getByRole('link', { name: 'Open the chat' }).click()
    await other.getByRole('link', { name: 'Pay €10.00' }).waitFor()
    await context.close()
  })
})
