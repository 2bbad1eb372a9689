import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals'
import type { Browser, Page } from 'playwright-core'
import type { Flow } from '../../server/chat/engine/types.ts'
import { type App, startApp } from '../support/app.ts'
import { ask, bot, text } from '../support/chat.ts'
import { type Published, publish } from '../support/chats.ts'
import { signIn } from '../support/sign-in.ts'
import { makeWorld, type World } from '../support/world.ts'
import { desktop, launch, newContext, phone, picture, violationsOn, withBrowser } from './support.ts'

/*
 * Trackers, widgets, head code and fonts on a host that serves chats alone, against doubles of the vendors: their calls
 * are kept in the page. On the host of the service none of it runs, and hostile head code reaches nothing of members.
 */

let app: App
let world: World
let browser: Browser
let main: string
let chats: string

/** Scripts of vendors that note what they are called with. */
const doubles: Record<string, string> = {
  'https://www.googletagmanager.com/gtag/js': 'window.ran = [...(window.ran ?? []), "gtag"]',
  'https://www.googletagmanager.com/gtm.js':
    'window.ran = [...(window.ran ?? []), "gtm"]; const made = document.createElement("script"); made.src = "https://tags.example/inner.js"; document.head.append(made)',
  'https://tags.example/inner.js': 'window.ran = [...(window.ran ?? []), "inner"]',
  'https://connect.facebook.net/en_US/fbevents.js': `
    window.pixelCalls = [...fbq.queue]
    fbq.callMethod = (...call) => window.pixelCalls.push(call)`,
  'https://desk.example/packs/js/sdk.js': `
    window.chatwootSDK = { run(settings) {
      window.widget = [settings]
      window.$chatwoot = new Proxy({}, { get: (_, name) => (...call) => window.widget.push([name, ...call]) })
      window.dispatchEvent(new Event('chatwoot:ready'))
    } }`,
  'https://fonts.bunny.net/css2': '@font-face { font-family: "Lobster"; src: url(data:font/woff2;base64,) }',
}

const settings = (more: object = {}) => ({
  metadata: {
    tagManagerId: 'GTM-1',
    customHeadCode:
      '<meta name="author" content="Ada"><style>h1 { color: red }</style><script>window.headRan = document.title</script>',
  },
  ...more,
})

const trackers: Flow = bot(
  {
    Start: [
      text('Hi'),
      { type: 'Google Analytics', options: { trackingId: 'G-1', action: 'seen', value: 3 } },
      { type: 'Google Analytics', options: { trackingId: 'G-2', action: 'more' } },
      {
        type: 'Pixel',
        options: { pixelId: 'P1', eventType: 'Lead', params: [{ id: 'p', key: 'currency', value: 'EUR' }] },
      },
      { type: 'Pixel', options: { pixelId: 'P1', eventType: 'Custom', name: 'Booked' } },
      ask('Name'),
      {
        type: 'Chatwoot',
        options: { baseUrl: 'https://desk.example', websiteToken: 'T', user: { id: '7', name: '{{Name}}' } },
      },
      ask(),
    ],
  },
  { variables: ['Name'], settings: settings(), theme: { general: { font: 'Lobster' } } },
)

interface Opened {
  page: Page
  /** Addresses of other hosts that the page requested. */
  asked: string[]
  /** Violations of the policy. */
  refused: string[]
}

async function newVisitor(options = desktop) {
  const context = await newContext(browser, options)
  const asked: string[] = []
  await context.route(
    (url) => !url.hostname.endsWith('localhost'),
    (route) => {
      const [address = ''] = route.request().url().split('?')
      asked.push(address)
      const body = doubles[address]
      if (body === undefined) return route.abort()
      const contentType = address.includes('css') ? 'text/css' : 'text/javascript'
      return route.fulfill({ contentType, body, headers: { 'Access-Control-Allow-Origin': '*' } })
    },
  )
  return { context, asked }
}

async function open(base: string, { publicId }: Published, options = desktop): Promise<Opened> {
  const { context, asked } = await newVisitor(options)
  const page = await context.newPage()
  const refused: string[] = []
  page.on('console', (message) => {
    if (/Content Security Policy/.test(message.text())) refused.push(message.text())
  })
  await page.goto(`${base}/chat/${publicId}`)
  await page.locator('.host-bubble', { hasText: 'Hi' }).waitFor()
  await page.locator('.field').first().waitFor()
  return { page, asked, refused }
}

/** Calls and values that the doubles have noted in the page. */
const noted = (page: Page): Promise<Noted> =>
  page.evaluate(`({
    ran: (window.ran ?? []).toSorted(),
    events: [...(window.dataLayer ?? [])].map((entry) => JSON.stringify(Array.from(entry))),
    pixelCalls: window.pixelCalls,
    headRan: window.headRan,
  })`)

interface Noted {
  ran: string[]
  events: string[]
  pixelCalls: unknown
  headRan: unknown
}

async function reply(page: Page, words: string) {
  await page.locator('.field').first().fill(words)
  await page.keyboard.press('Enter')
}

withBrowser('code of others', () => {
  beforeAll(async () => {
    app = await startApp({
      config: {
        PUBLIC_URL: 'http://bots.localhost',
        CHAT_URL: 'http://chats.localhost',
        SITE_NAME: 'Paper Boat',
      },
    })
    world = await makeWorld(app)
    browser = await launch()
    const { port } = new URL(app.url)
    main = `http://bots.localhost:${port}`
    chats = `http://chats.localhost:${port}`
  })

  afterEach(async () => {
    for (const context of browser.contexts()) await context.close()
  })

  afterAll(async () => {
    await browser?.close()
    await app?.stop()
  })

  test('trackers with their events, head code, the widget and the font run on the host of chats', async () => {
    const made = await publish(app, world.here, trackers)
    const { page, asked, refused } = await open(chats, made)
    await page.waitForFunction(`window.ran?.includes('inner')`)
    await page.waitForFunction(`'pixelCalls' in window`)
    const { ran, events, pixelCalls, headRan } = await noted(page)
    expect(ran).toEqual(['gtag', 'gtm', 'inner'])
    expect(headRan).toBe('Bot')
    expect(events.filter((event) => event.startsWith('["'))).toEqual([
      expect.stringMatching(/^\["js",/),
      '["config","G-1"]',
      '["event","seen",{"value":3,"send_to":"G-1"}]',
      '["config","G-2"]',
      '["event","more",{"send_to":"G-2"}]',
    ])
    expect(pixelCalls).toEqual([
      ['init', 'P1'],
      ['track', 'PageView'],
      ['trackSingle', 'P1', 'Lead', { currency: 'EUR' }],
      ['trackSingleCustom', 'P1', 'Booked', {}],
    ])
    await reply(page, 'Ada')
    await page.waitForFunction(`'widget' in window`)
    expect(await page.evaluate('window.widget')).toEqual([
      { websiteToken: 'T', baseUrl: 'https://desk.example' },
      ['setUser', '7', { email: null, name: 'Ada', avatar_url: null, phone_number: null }],
      ['toggleBubbleVisibility', 'show'],
      ['toggle', 'open'],
    ])
    expect(asked).toContain('https://fonts.bunny.net/css2')
    expect(refused).toEqual([])
  })

  test('foreign code does not run on the host of the service, which loads nothing of others', async () => {
    const made = await publish(app, world.here, trackers)
    const { page, asked } = await open(main, made)
    await reply(page, 'Ada')
    await page.locator('.guest-text', { hasText: 'Ada' }).waitFor()
    await page.locator('.field').first().waitFor()
    expect(await noted(page)).toEqual({ ran: [], events: [], pixelCalls: undefined, headRan: undefined })
    expect(asked).toEqual([])
  })

  test('a bot without trackers may load no script of others on the host of chats', async () => {
    const flow = bot({ Start: [text('Hi'), ask()] })
    const { page, refused } = await open(chats, await publish(app, world.here, flow))
    const isLoaded = await page.evaluate(`new Promise((resolve) => {
      const script = document.createElement('script')
      script.src = 'https://www.googletagmanager.com/gtag/js'
      script.onload = () => resolve(true)
      script.onerror = () => resolve(false)
      document.head.append(script)
    })`)
    expect([isLoaded, refused.length]).toEqual([false, 1])
  })

  test('foreign code waits for the consent that the bot requires, and is dropped when the visitor declines', async () => {
    const flow = {
      ...trackers,
      settings: settings({ consent: { isRequired: true, text: 'May we count you?' } }),
    }
    const made = await publish(app, world.here, flow)
    const declining = await open(chats, made)
    await declining.page.getByText('May we count you?').waitFor()
    expect(declining.asked).toEqual([])
    await declining.page.getByRole('button', { name: 'Decline' }).click()
    await declining.page.getByRole('button', { name: 'Privacy' }).waitFor()
    expect([declining.asked, (await noted(declining.page)).headRan]).toEqual([[], undefined])
    // The decision holds for the next visit, and can be changed.
    await declining.page.reload()
    await declining.page.getByRole('button', { name: 'Privacy' }).click()
    await declining.page.getByRole('button', { name: 'Accept' }).click()
    await declining.page.waitForFunction(`'headRan' in window`)

    const accepting = await open(chats, made)
    await accepting.page.getByRole('button', { name: 'Accept' }).click()
    await accepting.page.waitForFunction(`'headRan' in window && 'pixelCalls' in window`)
    expect((await noted(accepting.page)).pixelCalls).toHaveLength(4)
    expect(accepting.asked).toContain('https://fonts.bunny.net/css2')
  })

  test.each([
    ['a desktop', desktop, 'light'],
    ['a phone', phone, 'dark'],
  ] as const)(
    'the consent question works by keyboard and passes axe on %s',
    async (_, device, colorScheme) => {
      const flow = bot(
        { Start: [text('Hi'), ask()] },
        {
          settings: settings({
            general: { isBrandingEnabled: true },
            consent: { isRequired: true, policyUrl: 'https://shop.example/privacy' },
          }),
        },
      )
      const made = await publish(app, world.here, flow)
      const { page } = await open(chats, made, { ...device, colorScheme } as never)
      const question = page.getByRole('region', { name: 'Privacy' })
      await question.waitFor()
      await picture(page, `consent-${colorScheme}`)
      expect(await violationsOn(page)).toEqual([])
      const [box, input] = await Promise.all([question.boundingBox(), page.locator('.field').boundingBox()])
      expect(Number(box?.y) + Number(box?.height)).toBeLessThanOrEqual(Number(input?.y))
      await question.getByRole('button', { name: 'Accept' }).focus()
      await page.keyboard.press('Enter')
      await page.waitForFunction(`'headRan' in window`)
      await page.getByRole('button', { name: 'Privacy' }).waitFor()
      await picture(page, `consent-given-${colorScheme}`)
      expect(await violationsOn(page)).toEqual([])
    },
  )

  test('foreign code of an embedded chat goes to the embedding page as events, and does not run in the frame', async () => {
    const made = await publish(app, world.here, trackers)
    const site = await serveSite(
      `<script src="${chats}/embed.js"></script><bot-standard bot="${made.publicId}" style="height: 30rem"></bot-standard>
       <script>window.tracks = []; document.querySelector('bot-standard').addEventListener('track', (event) => tracks.push(event.detail))</script>`,
    )
    try {
      const { context, asked } = await newVisitor()
      const page = await context.newPage()
      await page.goto(`http://shop.localhost:${site.port}/`)
      const frame = page.frameLocator('iframe')
      await frame.locator('.field').first().fill('Ada')
      await page.keyboard.press('Enter')
      await page.waitForFunction('tracks.length > 5')
      const tracks = (await page.evaluate('tracks')) as { type: string }[]
      expect(tracks.map(({ type }) => type)).toEqual([
        'startPropsToInject',
        'googleAnalytics',
        'googleAnalytics',
        'pixel',
        'pixel',
        'chatwoot',
      ])
      expect(tracks[1]).toEqual({
        type: 'googleAnalytics',
        googleAnalytics: { trackingId: 'G-1', action: 'seen', value: 3 },
      })
      expect(asked.filter((address) => !address.includes('fonts'))).toEqual([])
      const inside = page.frames().find((each) => each.url().startsWith(chats))
      expect(await inside?.evaluate(`['headRan' in window, 'fbq' in window]`)).toEqual([false, false])
    } finally {
      site.server.close()
    }
  })

  test('hostile head code reaches nothing of the members who are signed in', async () => {
    const member = world.here.member
    const attack = `
      const tries = {
        token: () => fetch('${main}/session/token', { method: 'POST', credentials: 'include' }).then((r) => r.text()),
        quietToken: () => fetch('${main}/session/token', { method: 'POST', credentials: 'include', mode: 'no-cors' }).then((r) => r.type === 'opaque' ? Promise.reject('opaque') : r.text()),
        ownToken: () => fetch('/session/token', { method: 'POST', credentials: 'include' }).then((r) => r.ok ? r.text() : Promise.reject(r.status)),
        pages: () => fetch('${main}/bots', { credentials: 'include' }).then((r) => r.text()),
        ownPages: () => fetch('/bots', { credentials: 'include' }).then((r) => r.ok ? r.text() : Promise.reject(r.status)),
        list: () => fetch('/v1/workspaces', { credentials: 'include' }).then((r) => r.ok ? r.text() : Promise.reject(r.status)),
        frame: () => new Promise((resolve, reject) => {
          const frame = document.createElement('iframe')
          frame.onload = () => { try { resolve(frame.contentWindow.document.body.innerHTML || reject('empty')) } catch (error) { reject(error) } }
          frame.src = '${main}/bots'
          document.body.append(frame)
        }),
        draft: () => new Promise((resolve, reject) => {
          const frame = document.createElement('iframe')
          frame.onload = () => { try { resolve(frame.contentDocument.getElementById('texts') && frame.contentWindow.fetch ? reject('no draft') : reject('empty')) } catch (error) { reject(error) } }
          frame.src = '${main}/chat/~draft'
          document.body.append(frame)
        }),
        window: async () => {
          const other = open('${main}/bots')
          // Blank at first, when it is still a page of this host.
          while (other.document.title === '') await new Promise((go) => setTimeout(go, 50))
          return other.document.title
        },
        cookie: async () => document.cookie || Promise.reject('none'),
        memory: async () => Object.keys(localStorage).filter((key) => /token|session/.test(key)).join() || Promise.reject('none'),
        worker: () => navigator.serviceWorker.register('/bots/files/app.js', { scope: '/' }),
      }
      document.cookie = 'session=stolen; domain=localhost; path=/'
      window.gained = Promise.all(Object.entries(tries).map(([name, tried]) => tried().then((got) => [name, String(got).slice(0, 80)], () => undefined))).then((all) => all.filter(Boolean))`
    const flow = bot(
      { Start: [text('Hi'), ask()] },
      { settings: { metadata: { customHeadCode: `<script>${attack}</script>` } } },
    )
    const made = await publish(app, world.here, flow)
    const { context } = await newVisitor()
    const { cookie } = await signIn(app, member)
    await context.addCookies([{ name: 'session', value: cookie, url: main, httpOnly: true, sameSite: 'Lax' }])
    const members = await context.newPage()
    await members.goto(`${main}/bots`)
    await members.getByRole('heading').first().waitFor()
    const page = await context.newPage()
    await page.goto(`${chats}/chat/${made.publicId}`)
    await page.locator('.field').first().waitFor()
    await page.waitForFunction(`'gained' in window`)
    const gained = (await page.evaluate('gained')) as string[][]
    expect(gained.filter(([name]) => name !== 'cookie' && name !== 'memory')).toEqual([])
    // It reads what it wrote itself on its own host, and no name that members' pages use.
    expect(gained.map((got) => got.join(': '))).toEqual(gained.length > 0 ? ['cookie: session=stolen'] : [])
    await members.reload()
    await members.getByRole('heading').first().waitFor()
    expect(new URL(members.url()).pathname).toBe('/bots')
  })
})

async function serveSite(html: string): Promise<{ server: Server; port: number }> {
  const server = createServer((_request, response) => {
    response.setHeader('Content-Type', 'text/html')
    response.end(`<!doctype html><title>Shop</title>${html}`)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return { server, port: (server.address() as AddressInfo).port }
}
