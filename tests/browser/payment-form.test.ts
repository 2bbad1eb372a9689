import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import type { Flow } from '../../server/chat/engine/types.ts'
import { type App, startApp } from '../support/app.ts'
import { ask, bot, text } from '../support/chat.ts'
import { type Published, publish } from '../support/chats.ts'
import { startStripe } from '../support/stripe.ts'
import { serveStripe } from '../support/stripe-form.ts'
import { makeWorld } from '../support/world.ts'
import { desktop, launch, newContext, phone, picture, violationsOn, withBrowser } from './support.ts'

/* The form of the vendor of payments on a host that serves chats alone, against a double of its script and its form. */

const MAIN = 'http://bots.localhost'
const CHATS = 'http://chats.localhost'

let stripe: Awaited<ReturnType<typeof startStripe>>
let app: App
let browser: Browser
const shops: Record<string, Published> = {}

const dark = {
  general: { background: { type: 'Color', content: '#14151a' } },
  chat: {
    hostBubbles: { backgroundColor: '#26282f', color: '#f2f2f5' },
    inputs: { backgroundColor: '#1d1f26', color: '#f2f2f5', placeholderColor: '#a5a8b3' },
    buttons: { backgroundColor: '#8ab4ff', color: '#10131a' },
    guestBubbles: { backgroundColor: '#8ab4ff', color: '#10131a' },
  },
}

const German = { settings: { general: { language: 'de' } } }

withBrowser('the form of a payment', () => {
  beforeAll(async () => {
    stripe = await startStripe()
    app = await startApp({
      config: { OUTBOUND_ALLOWED_HOSTS: [stripe.host], PUBLIC_URL: MAIN, CHAT_URL: CHATS },
    })
    const { here } = await makeWorld(app)
    const { credentials } = await app.client.ok('createCredentials', {
      as: here.member,
      params: { workspaceId: here.workspaceId },
      body: {
        type: 'stripe',
        name: 'Shop',
        data: { live: { secretKey: 'sk_live_1', publicKey: 'pk_live_1' }, baseUrl: stripe.url },
      },
    })
    const flow = (more: Partial<Flow> = {}) =>
      bot(
        {
          g: [
            text('That is a ticket.'),
            {
              type: 'payment input',
              options: {
                credentialsId: credentials.id,
                amount: '10',
                currency: 'EUR',
                labels: { success: 'All paid' },
                additionalInformation: {
                  name: 'Ada',
                  email: 'ada@example.com',
                  address: { city: 'London', country: 'United Kingdom', postalCode: 'N1' },
                },
              },
            },
            text('Here is your ticket'),
            ask(),
          ],
        },
        more as never,
      )
    for (const [name, more] of Object.entries({ light: {}, dark: { theme: dark }, german: German })) {
      shops[name] = await publish(app, here, flow(more))
    }
    browser = await launch()
  })

  afterEach(async () => {
    for (const context of browser.contexts()) await context.close()
  })

  afterAll(async () => {
    await browser?.close()
    await app?.stop()
    await stripe?.stop()
  })

  /** A visitor at a bot; on the host of chats by default. */
  async function open(name = 'light', options: BrowserContextOptions = desktop, base = CHATS) {
    const context = await newContext(browser, options)
    const asked = await serveStripe(context, stripe)
    const { port } = new URL(app.url)
    // Addresses that the service makes have no port, as behind a proxy.
    await context.route(new RegExp(`^${CHATS}/`), async (route) => {
      const { pathname, search } = new URL(route.request().url())
      // Streams never end.
      if (pathname.endsWith('/events')) return route.abort()
      const headers = { ...(await route.request().allHeaders()), host: new URL(CHATS).host }
      return route.fulfill({
        response: await route.fetch({ url: `${app.url}${pathname}${search}`, headers }),
      })
    })
    const page = await context.newPage()
    const refused: string[] = []
    page.on('console', (message) => {
      if (/Content Security Policy/.test(message.text())) refused.push(message.text())
    })
    const address = `${base}:${port}/chat/${shops[name]?.publicId}`
    await page.goto(address)
    return { context, page, asked, refused, address }
  }

  const payButton = (page: Pick<Page, 'getByRole'>) => page.getByRole('button', { name: 'Pay €10.00' })

  async function payWith(page: Page, card: string) {
    await page.frameLocator('iframe[title="Secure payment input frame"]').getByLabel('Card number').fill(card)
    await payButton(page).click()
  }

  const ticket = (page: Page) => page.locator('.host-bubble', { hasText: 'Here is your ticket' })

  test.each<[string, string, BrowserContextOptions]>([
    ['desktop', 'light', desktop],
    ['desktop', 'dark', desktop],
    ['phone', 'light', phone],
    ['phone', 'dark', phone],
  ])(
    'the payment form is on the page of the chat, which continues once the service has the proof (%s, %s)',
    async (device, name, options) => {
      const { page, asked, refused } = await open(name, options)
      await payButton(page).waitFor()
      await page.locator('.payment-form button[type=submit]:enabled').waitFor()
      await picture(page, `payment-form-${device}-${name}`)
      expect(await violationsOn(page)).toEqual([])
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(options.viewport?.width)
      const given = (await page.evaluate('asked')) as Record<string, never>
      expect(given).toMatchObject({
        key: 'pk_live_1',
        locale: 'en',
        options: {
          layout: 'tabs',
          // The vendor takes codes of countries alone.
          defaultValues: {
            billingDetails: {
              name: 'Ada',
              email: 'ada@example.com',
              address: { city: 'London', postal_code: 'N1' },
            },
          },
        },
        appearance: {
          theme: name === 'dark' ? 'night' : 'stripe',
          variables: { colorBackground: name === 'dark' ? 'rgb(29, 31, 38)' : 'rgb(255, 255, 255)' },
        },
      })
      await payWith(page, '4242')
      await ticket(page).waitFor()
      expect(await page.locator('.guest-text').allTextContents()).toEqual(['All paid'])
      expect(asked[0]).toBe('https://js.stripe.com/endive/stripe.js')
      expect(refused).toEqual([])
    },
  )

  test('the payment form has the language of the bot', async () => {
    const { page } = await open('german')
    await page.getByRole('button', { name: /Bezahlen 10,00/ }).waitFor()
    await page.locator('.payment-form button[type=submit]:enabled').waitFor()
    expect(await page.evaluate('asked.locale')).toBe('de')
  })

  test('the payment form says why a card was declined or is not complete, and accepts another one', async () => {
    const { page } = await open()
    await payButton(page).click()
    expect(await page.locator('.payment-problem').textContent()).toBe('')
    await payWith(page, 'declined')
    await page.getByRole('alert').filter({ hasText: 'Your card was declined.' }).waitFor()
    await picture(page, 'payment-form-declined')
    expect(await violationsOn(page)).toEqual([])
    await payWith(page, '4242')
    await ticket(page).waitFor()
  })

  test('the payment form waits for a bank that confirms later, polls once by itself, and again when the visitor asks', async () => {
    const { page } = await open()
    await payWith(page, 'bank')
    await page.locator('.host-bubble', { hasText: 'still being confirmed' }).waitFor()
    const done = page.getByRole('button', { name: 'I have paid' })
    await done.waitFor()
    await picture(page, 'payment-form-pending')
    expect(await page.locator('.host-bubble', { hasText: 'still being confirmed' }).count()).toBe(1)
    const [id] = [...stripe.intents.values()].filter(({ status }) => status === 'processing')
    stripe.settle(id?.id as string, true)
    await done.click()
    await ticket(page).waitFor()
  })

  test('a bank leads back to the same chat, whose address keeps nothing of the payment', async () => {
    const { page, address } = await open()
    await payWith(page, 'redirect')
    await ticket(page).waitFor()
    expect(page.url()).toBe(address)
    expect(await page.locator('.guest-text').allTextContents()).toEqual(['All paid'])
  })

  test('a chat that is not remembered starts anew after a payment', async () => {
    const { page } = await open()
    await payWith(page, '4242')
    await ticket(page).waitFor()
    await page.reload()
    await payButton(page).waitFor()
    expect(await ticket(page).count()).toBe(0)
  })

  test('a page that claims a payment stays at the payment input', async () => {
    const { page } = await open()
    await payButton(page).waitFor()
    await page.addInitScript(`Object.defineProperty(window, 'Stripe', { value: () => ({
      retrievePaymentIntent: async () => ({ paymentIntent: { status: 'succeeded' } }),
    }) })`)
    await page.reload()
    await page.locator('.host-bubble', { hasText: 'not arrived' }).waitFor()
    expect(await ticket(page).count()).toBe(0)
    expect(await page.locator('.host-bubble', { hasText: 'not arrived' }).count()).toBe(1)
  })

  test('the payment form says that it could not be loaded, and tries again', async () => {
    const { page, context } = await open()
    let isAway = true
    await context.route('https://js.stripe.com/endive/stripe.js', (route) =>
      isAway ? route.abort() : route.fallback(),
    )
    await page.reload()
    await page.getByRole('alert').filter({ hasText: 'could not be loaded' }).waitFor()
    await picture(page, 'payment-form-away')
    expect(await violationsOn(page)).toEqual([])
    isAway = false
    await page.getByRole('button', { name: 'Try again' }).click()
    await payWith(page, '4242')
    await ticket(page).waitFor()
  })

  test('the payment form is not on the host of the members: the page of the vendor takes the payment', async () => {
    const { page, asked } = await open('light', desktop, MAIN)
    const link = page.getByRole('link', { name: 'Pay €10.00' })
    await link.waitFor()
    expect(await link.getAttribute('href')).toContain(stripe.url)
    expect(asked).toEqual([])
  })

  test('a chat in the frame of another site has the payment form on a page of its own', async () => {
    const { context, asked } = await open('light', desktop, MAIN)
    const html = `<script src="${CHATS}/embed.js"></script><bot-standard bot="${shops.light?.publicId}"></bot-standard>`
    const site = createServer((_request, response) =>
      response.writeHead(200, { 'content-type': 'text/html' }).end(html),
    )
    await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve))
    try {
      const page = await context.newPage()
      await page.goto(`http://shop.localhost:${(site.address() as AddressInfo).port}/`)
      const frame = page.frameLocator('iframe')
      const opened = context.waitForEvent('page')
      await frame.getByRole('link', { name: 'Pay €10.00' }).click()
      const tab = await opened
      await payButton(tab).waitFor()
      await tab.locator('.payment-form button[type=submit]:enabled').waitFor()
      await picture(tab, 'payment-form-page')
      expect(await violationsOn(tab)).toEqual([])
      const closed = tab.waitForEvent('close')
      await payWith(tab, '4242')
      await closed
      await frame.locator('.host-bubble', { hasText: 'Here is your ticket' }).waitFor()
      expect(asked.length).toBeGreaterThan(0)
    } finally {
      site.close()
    }
  })

  test('the page of the payment form says that there is nothing to pay, where there is not', async () => {
    const { page } = await open()
    await page.goto(`${CHATS}:${new URL(app.url).port}/chat/~pay#nobody`)
    await page.getByText('nothing to pay here').waitFor()
    await picture(page, 'payment-form-nothing')
    expect(await violationsOn(page)).toEqual([])
  })
})
