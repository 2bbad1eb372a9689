import { readFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals'
import type { Browser, BrowserContextOptions, Frame, Page } from 'playwright-core'
import type { Flow } from '../../server/chat/engine/types.ts'
import { type App, startApp } from '../support/app.ts'
import { ask, bot, idOf, text } from '../support/chat.ts'
import { type Published, publish, reportOf } from '../support/chats.ts'
import { makeWorld, type World } from '../support/world.ts'
import { desktop, launch, newContext, phone, picture, withBrowser } from './support.ts'

/*
 * Chats in pages of another site, which has as strict a Content-Security-Policy as it could have.
 */

let app: App
let world: World
let site: Server
let siteUrl: string
/** The page that the site shows next. */
let page = { html: '', script: '' }

const flow = bot(
  {
    Start: [text('Hello {{Name}} of {{Campaign}}!'), ask('Answer'), text('You said {{Answer}}.')],
  },
  { variables: ['Name', 'Campaign', 'Answer'] },
)

beforeAll(async () => {
  app = await startApp()
  world = await makeWorld(app)
  site = createServer(({ url = '' }, response) => {
    const policy = [
      "default-src 'none'",
      `script-src 'self' ${app.url}`,
      `frame-src ${app.url}`,
      "style-src 'self'",
      "require-trusted-types-for 'script'",
      "base-uri 'none'",
      "form-action 'none'",
    ]
    response.setHeader('Content-Security-Policy', policy.join('; '))
    if (url === '/site.js') response.setHeader('Content-Type', 'text/javascript').end(page.script)
    else if (url === '/site.css') response.setHeader('Content-Type', 'text/css').end(css)
    else response.setHeader('Content-Type', 'text/html; charset=utf-8').end(page.html)
  })
  await new Promise<void>((resolve) => site.listen(0, resolve))
  // Another site for a browser, not only another port.
  siteUrl = `http://localhost:${(site.address() as AddressInfo).port}`
})

afterAll(async () => {
  site.closeAllConnections()
  await new Promise((resolve) => site.close(resolve))
  await app.stop()
})

const css = `
  body { margin: 0; padding: 1rem; font: 1rem/1.5 sans-serif; color: #222; background: #fff; min-height: 1500px }
  .dark { color: #eee; background: #1a1a1a }
  bot-standard { height: 420px; border: 1px solid #999 }
  button, iframe { filter: none; background: hotpink; width: 3px }
`

test('the script is small, and any site may load it', async () => {
  const response = await fetch(`${app.url}/embed.js`)
  const script = await response.text()
  expect(response.headers.get('content-type')).toBe('text/javascript; charset=utf-8')
  expect(response.headers.get('cross-origin-resource-policy')).toBe('cross-origin')
  expect(response.headers.get('access-control-allow-origin')).toBe('*')
  expect(gzipSync(script).length).toBeLessThan(15_000)
  expect(script).not.toMatch(/innerHTML|\beval\b|import\(/)
  expect(script).toContain('Chat öffnen')
})

test('the bot says which pages may frame its chat', async () => {
  const framing = async (settings: object) => {
    const { publicId } = await publish(app, world.here, { ...flow, settings })
    const { headers } = await fetch(`${app.url}/chat/${publicId}`)
    const ancestors = /frame-ancestors[^;]*/.exec(headers.get('content-security-policy') ?? '')?.[0]
    return [ancestors, headers.get('x-frame-options')]
  }
  expect(await framing({})).toEqual([undefined, null])
  expect(await framing({ security: { allowedOrigins: [] } })).toEqual([undefined, null])
  const allowedOrigins = [
    'https://a.example',
    ' https://b.example:8443/ ',
    "https://c.example; script-src 'unsafe-inline'",
    'javascript:alert(1)',
    'https://d.example/page',
  ]
  expect(await framing({ security: { allowedOrigins } })).toEqual([
    "frame-ancestors 'self' https://a.example https://b.example:8443",
    null,
  ])
  expect(await framing({ security: { allowedOrigins: ['*'] } })).toEqual([undefined, null])
})

interface Told {
  id: string
  type: string
  detail?: Record<string, unknown>
}

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** Returns the problems of accessibility that axe finds on the page and in its chats. */
async function barriers(opened: Page): Promise<string[]> {
  const found: string[] = []
  for (const frame of opened.frames()) {
    if (!frame.url().startsWith('http') || frame.url().includes('sandbox.html')) continue
    await frame.evaluate(axe)
    const { violations } = (await frame.evaluate('axe.run(document, { iframes: false })')) as {
      violations: { id: string; impact: string; nodes: { html: string; failureSummary: string }[] }[]
    }
    for (const { id, impact, nodes } of violations) {
      if (impact !== 'serious' && impact !== 'critical') continue
      found.push(...nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`))
    }
  }
  return found
}

withBrowser('a chat in the page of another site', () => {
  let browser: Browser
  const complaints: string[] = []

  beforeAll(async () => {
    browser = await launch()
  })

  afterEach(async () => {
    for (const context of browser.contexts()) await context.close()
    expect(complaints.splice(0)).toEqual([])
  })

  afterAll(() => browser.close())

  async function open(
    { html = '', script = '', lang = 'en', dir = 'ltr', style = '', query = '' },
    options: BrowserContextOptions = desktop,
  ): Promise<Page> {
    page = {
      html: `<!doctype html><html lang="${lang}" dir="${dir}"><head><title>A shop</title>
        <meta name="viewport" content="width=device-width"><link rel="stylesheet" href="/site.css">
        </head><body class="${style}"><main><h1>Our shop</h1><p>Buy boats.</p><button id="other">Buy</button>${html}</main>
        <script src="${app.url}/embed.js"></script><script src="/site.js"></script></body></html>`,
      script: `const told = []
        function listen(element) {
          for (const type of ['open', 'close', 'message', 'answer', 'end']) {
            element.addEventListener(type, ({ detail }) => told.push({ id: element.id, type, detail }))
          }
          return element
        }
        ${script}`,
    }
    const context = await newContext(browser, { baseURL: siteUrl, reducedMotion: 'reduce', ...options })
    const opened = await context.newPage()
    opened.on('pageerror', (error) => complaints.push(`error: ${error.message}`))
    opened.on('console', (message) => {
      if (['error', 'warning'].includes(message.type())) complaints.push(`console: ${message.text()}`)
    })
    await opened.goto(`/${query}`)
    return opened
  }

  const told = (opened: Page) => opened.evaluate('told') as Promise<Told[]>
  const typesOf = async (opened: Page) => (await told(opened)).map(({ id, type }) => `${id} ${type}`)

  /** Asked from here: the page evaluates no text itself. */
  async function until(opened: Page, condition: string) {
    while (!(await opened.evaluate(condition))) await opened.waitForTimeout(20)
  }

  async function chatIn(opened: Page, selector: string): Promise<Frame> {
    const frame = await (await opened.locator(`${selector} iframe`).elementHandle())?.contentFrame()
    if (!frame) throw new Error(`There is no chat in ${selector}`)
    return frame
  }

  const said = (chat: Frame, words: string) =>
    chat.locator('.host-bubble', { hasText: words }).last().waitFor()

  const publishFlow = (changed: Partial<Flow> = {}): Promise<Published> =>
    publish(app, world.here, { ...flow, ...changed })

  test('a chat embedded in the flow of a page gets its variables, and sends its events to the page', async () => {
    const made = await publishFlow()
    const opened = await open({
      html: `<bot-standard id="shop"></bot-standard>`,
      script: `listen(Bot.initStandard({ bot: '${made.publicId}', prefilledVariables: { Name: 'Ada' }, onAnswer: ({ message }) => told.push({ id: 'called', type: message }) }))`,
      query: '?Campaign=spring&Name=nobody',
    })
    const chat = await chatIn(opened, 'bot-standard')
    await said(chat, 'Hello Ada of spring!')
    // The focus stays with the page until the person comes to the chat.
    expect(await opened.evaluate('document.activeElement === document.body')).toBe(true)
    expect(await barriers(opened)).toEqual([])
    await picture(opened, 'embed-standard-desktop')
    await chat.locator('.field').fill('Yes')
    await chat.locator('.field').press('Enter')
    await until(opened, `told.some(({ type }) => type === 'end')`)
    const message = (words: string) => ({
      id: 'shop',
      type: 'message',
      detail: expect.objectContaining({
        type: 'text',
        content: { type: 'richText', richText: [{ type: 'p', children: [{ text: words }] }] },
      }),
    })
    expect(await told(opened)).toEqual([
      message('Hello Ada of spring!'),
      { id: 'shop', type: 'answer', detail: { message: 'Yes', blockId: 'Start.1' } },
      { id: 'called', type: 'Yes' },
      message('You said Yes.'),
      { id: 'shop', type: 'end', detail: null },
    ])
    const { results } = await reportOf(app, made, world.here.member)
    expect(results).toHaveLength(1)
  })

  test('an element named after the bot needs no code, and starts when it comes into view', async () => {
    const made = await publishFlow()
    const opened = await open({
      html: `<p>${'<br>'.repeat(120)}</p><bot-standard bot="${made.publicId}"></bot-standard>`,
    })
    expect(await opened.locator('bot-standard iframe').count()).toBe(0)
    await opened.locator('bot-standard').scrollIntoViewIfNeeded()
    await said(await chatIn(opened, 'bot-standard'), 'Hello')
  })

  test.each([
    ['desktop, light, left to right', desktop, { lang: 'en', dir: 'ltr', style: '' }, 'Open the chat'],
    ['desktop, dark, right to left', desktop, { lang: 'ar', dir: 'rtl', style: 'dark' }, 'فتح المحادثة'],
    ['phone, light, left to right', phone, { lang: 'de-AT', dir: 'ltr', style: '' }, 'Chat öffnen'],
    ['phone, dark, right to left', phone, { lang: 'he', dir: 'rtl', style: 'dark' }, 'פתיחת הצ׳אט'],
  ] as const)('a chat bubble works by keyboard (%s)', async (name, options, how, label) => {
    const isDark = how.style === 'dark'
    const general = isDark ? { background: { type: 'Color', content: '#16181d' } } : {}
    const language = how.lang.slice(0, 2)
    const made = await publishFlow({ theme: { general }, settings: { general: { language } } })
    const button = isDark ? { size: 'large', backgroundColor: '#ffd54a' } : { backgroundColor: '#0b5cad' }
    const theme = { button, placement: how.dir === 'rtl' ? 'left' : 'right' }
    const previewMessage = { message: how.dir === 'rtl' ? 'مرحبًا!' : 'May I help?', autoShowDelay: 0 }
    const bubble = { bot: made.publicId, id: 'help', theme, previewMessage }
    const opened = await open(
      { ...how, script: `listen(Bot.initBubble(${JSON.stringify(bubble)}))` },
      options,
    )
    const opener = opened.getByRole('button', { name: label })
    await opened.getByText(previewMessage.message).waitFor()
    expect(await barriers(opened)).toEqual([])
    await picture(opened, `embed-bubble-closed ${name}`)
    await opener.focus()
    await opened.keyboard.press('Enter')
    const chat = await chatIn(opened, 'bot-bubble')
    await said(chat, 'Hello')
    // On a phone the keyboard would come up before the question is read.
    if (options === desktop) await chat.locator('.field:focus').waitFor()
    expect(await opened.getByText(previewMessage.message).count()).toBe(0)
    expect(await barriers(opened)).toEqual([])
    await picture(opened, `embed-bubble-open ${name}`)
    // The window is on the screen, and the button beside it.
    const { width, height } = options.viewport
    for (const part of ['iframe', 'button.button']) {
      const box = await opened.locator(`bot-bubble ${part}`).boundingBox()
      if (!box) throw new Error(`${part} is not there`)
      expect(Math.min(box.x, box.y)).toBeGreaterThanOrEqual(0)
      expect(box.x + box.width).toBeLessThanOrEqual(width)
      expect(box.y + box.height).toBeLessThanOrEqual(height)
    }
    await opened.keyboard.press('Escape')
    await until(opened, `told.some(({ type }) => type === 'close')`)
    await until(opened, `document.activeElement.id === 'help'`)
    expect(await opener.getAttribute('aria-expanded')).toBe('false')
    // Closing only hides: the chat continues where it was.
    await opened.keyboard.press('Enter')
    expect(await chatIn(opened, 'bot-bubble')).toBe(chat)
    expect(await typesOf(opened)).toEqual(['help open', 'help message', 'help close', 'help open'])
    const { stats } = await reportOf(app, made, world.here.member)
    expect(stats.totalViews).toBe(1)
  })

  test.each([
    ['desktop', desktop],
    ['phone', phone],
  ])(
    'a popup opens by code, and closes by Escape, beside it and by its button (%s)',
    async (name, options) => {
      const made = await publishFlow()
      const opened = await open(
        {
          script: `listen(Bot.initPopup({ bot: '${made.publicId}', id: 'ask', theme: { width: '600px' } }))`,
        },
        options,
      )
      await opened.evaluate(`document.documentElement.style.overflow = 'scroll'`)
      const overflow = () => opened.evaluate('document.documentElement.style.overflow')
      const closed = () => opened.locator('bot-popup dialog').waitFor({ state: 'hidden' })
      const openAgain = async () => {
        await opened.locator('#other').focus()
        await opened.evaluate('Bot.open()')
        const chat = await chatIn(opened, 'bot-popup')
        await said(chat, 'Hello')
        if (options === desktop) await chat.locator('.field:focus').waitFor()
        expect(await overflow()).toBe('hidden')
      }
      await openAgain()
      expect(await barriers(opened)).toEqual([])
      await picture(opened, `embed-popup-${name}`)
      // The key is pressed in the frame that goes with it: the browser may never say that it was.
      opened.keyboard.press('Escape').catch(() => {})
      await closed()
      expect(await overflow()).toBe('scroll')
      expect(await opened.evaluate('document.activeElement.id')).toBe('other')
      await openAgain()
      await opened.mouse.click(5, 5)
      await closed()
      await openAgain()
      await opened.getByRole('button', { name: 'Close the chat' }).click()
      await closed()
      await openAgain()
      await opened.evaluate(`Bot.close({ id: 'ask' }); Bot.open({ id: 'ask' })`)
      await said(await chatIn(opened, 'bot-popup'), 'Hello')
      await opened.evaluate(`document.getElementById('ask').unmount()`)
      expect(await overflow()).toBe('scroll')
      expect((await typesOf(opened)).filter((type) => !type.endsWith('message'))).toEqual([
        ...Array.from({ length: 4 }, () => ['ask open', 'ask close']).flat(),
        'ask open',
      ])
    },
  )

  test('several chats on one page do not affect each other', async () => {
    const [one, two] = [await publishFlow(), await publishFlow()]
    const opened = await open({
      html: `<bot-standard id="first"></bot-standard>`,
      script: `
        listen(Bot.initStandard({ id: 'first', bot: '${one.publicId}', prefilledVariables: { Name: 'One' } }))
        listen(Bot.initBubble({ id: 'second', bot: '${two.publicId}', prefilledVariables: { Name: 'Two' } }))
        listen(Bot.initBubble({ id: 'third', bot: '${two.publicId}', theme: { placement: 'left' } }))
        Bot.setPrefilledVariables({ Campaign: 'all' })
        Bot.setPrefilledVariables({ Name: 'Three' }, { id: 'third' })`,
    })
    await said(await chatIn(opened, '#first'), 'Hello One of all!')
    await opened.evaluate(`Bot.open({ id: 'second' })`)
    const second = await chatIn(opened, '#second')
    await said(second, 'Hello Two of all!')
    expect(await opened.locator('#third iframe').count()).toBe(0)
    await opened.evaluate(`Bot.toggle({ id: 'third' })`)
    await said(await chatIn(opened, '#third'), 'Hello Three of all!')
    await second.locator('.field').fill('Mine')
    await second.locator('.field').press('Enter')
    await said(second, 'You said Mine.')
    await until(opened, `told.some(({ type }) => type === 'end')`)
    const told = await typesOf(opened)
    expect(told.filter((line) => /answer|end/.test(line))).toEqual(['second answer', 'second end'])
    await opened.evaluate(
      `Bot.setPrefilledVariables({ Name: 'Four' }, { id: 'second' }); Bot.reload({ id: 'second' })`,
    )
    await said(await chatIn(opened, '#second'), 'Hello Four of all!')
  })

  const remembering = { general: { rememberUser: { isEnabled: true, storage: 'local' } } }

  async function answer(chat: Frame, words: string) {
    await chat.locator('.field').fill(words)
    await chat.locator('.field').press('Enter')
  }

  test('the embedding page stores a chat where the frame may store nothing, each chat of a page apart', async () => {
    const groups = { Start: [text('Hello!'), ask('Answer'), text('You said {{Answer}}.'), ask()] }
    const made = await publish(app, world.here, bot(groups, { variables: ['Answer'], settings: remembering }))
    const html = `<bot-standard bot="${made.publicId}"></bot-standard><bot-standard bot="${made.publicId}"></bot-standard>`
    const opened = await open({ html }, { viewport: { width: 1280, height: 1500 } })
    await opened
      .context()
      .addInitScript(`if (window !== top) for (const name of ['localStorage', 'sessionStorage'])
      Object.defineProperty(window, name, { get() { throw new DOMException('denied', 'SecurityError') } })`)
    const chatsOf = async () => [
      await chatIn(opened, 'bot-standard:nth-of-type(1)'),
      await chatIn(opened, 'bot-standard:nth-of-type(2)'),
    ]
    await opened.reload()
    for (const [index, chat] of (await chatsOf()).entries()) {
      await said(chat, 'Hello!')
      await answer(chat, `Person ${index}`)
      await said(chat, `You said Person ${index}.`)
    }
    await opened.reload()
    for (const [index, chat] of (await chatsOf()).entries()) await said(chat, `You said Person ${index}.`)
    expect((await reportOf(app, made, world.here.member)).results).toHaveLength(2)
  })

  test('a chat that had ended sends no second `end`, and reload starts a new one with the set values', async () => {
    const made = await publishFlow({ settings: remembering })
    const opened = await open({
      script: `const help = listen(Bot.initPopup({ bot: '${made.publicId}', id: 'help' }))
        help.addEventListener('end', () => help.close())`,
    })
    await opened.evaluate('Bot.open()')
    await answer(await chatIn(opened, 'bot-popup'), 'Yes')
    await until(opened, `told.some(({ type }) => type === 'close')`)
    await opened.evaluate('Bot.open()')
    const chat = await chatIn(opened, 'bot-popup')
    await chat.getByText('The chat has ended.').waitFor()
    expect((await typesOf(opened)).filter((type) => /open|close|end/.test(type))).toEqual([
      'help open',
      'help end',
      'help close',
      'help open',
    ])
    await opened.evaluate(`Bot.setPrefilledVariables({ Name: 'Eve' }); Bot.reload()`)
    await said(await chatIn(opened, 'bot-popup'), 'Hello Eve')
  })

  test('an element follows its bot, and commands reach it in any tree', async () => {
    const [one, two] = [
      await publish(app, world.here, bot({ Start: [text('First bot'), ask()] })),
      await publish(app, world.here, bot({ Start: [text('Second bot'), ask()] })),
    ]
    const opened = await open({
      html: `<div id="Bot"></div><bot-standard id="later"></bot-standard><div id="tree"></div>`,
      script: `const root = document.getElementById('tree').attachShadow({ mode: 'open' })
        const inner = document.createElement('bot-popup')
        inner.setAttribute('bot', '${two.publicId}')
        root.append(inner)`,
    })
    await opened.evaluate(`document.getElementById('later').setAttribute('bot', '${one.publicId}')`)
    await said(await chatIn(opened, '#later'), 'First bot')
    await opened.evaluate(`Bot.initStandard({ id: 'later', bot: '${two.publicId}' })`)
    await said(await chatIn(opened, '#later'), 'Second bot')
    await opened.evaluate('Bot.open()')
    expect(await opened.evaluate(`root.querySelector('bot-popup').isOpen`)).toBe(true)
  })

  test('an element that was changed while it was off the page, or that names another service, shows the current bot', async () => {
    const [one, two] = [
      await publish(app, world.here, bot({ Start: [text('First bot'), ask()] })),
      await publish(app, world.here, bot({ Start: [text('Second bot'), ask()] })),
    ]
    const opened = await open({ html: `<bot-standard bot="${one.publicId}"></bot-standard>` })
    await said(await chatIn(opened, 'bot-standard'), 'First bot')
    await opened.evaluate(`globalThis.chat = document.querySelector('bot-standard')
      chat.remove()
      chat.setAttribute('bot', '${two.publicId}')
      document.querySelector('main').append(chat)`)
    await said(await chatIn(opened, 'bot-standard'), 'Second bot')
    await opened.route(`${app.url}/elsewhere/**`, (route) =>
      route.fulfill({ contentType: 'text/html', body: '' }),
    )
    await opened.evaluate(`chat.setAttribute('api-host', '${app.url}/elsewhere')`)
    await opened.locator(`iframe[src^="${app.url}/elsewhere/chat/"]`).waitFor()
    expect(await opened.locator('bot-standard iframe').count()).toBe(1)
  })

  test('code that is inlined in the page works with an address of the service', async () => {
    const made = await publishFlow()
    const script = await (await fetch(`${app.url}/embed.js`)).text()
    page = {
      html: `<!doctype html><html lang="en"><head><title>A shop</title></head><body><p>Buy boats.</p>
        <script>${script}</script><script src="/site.js"></script></body></html>`,
      script: `Bot.initPopup({ bot: '${made.publicId}', apiHost: '${app.url}' })`,
    }
    const context = await newContext(browser, {
      baseURL: siteUrl,
      bypassCSP: true,
      reducedMotion: 'reduce',
      ...desktop,
    })
    const opened = await context.newPage()
    opened.on('pageerror', (error) => complaints.push(`error: ${error.message}`))
    await opened.goto('/')
    await opened.evaluate('Bot.open()')
    await said(await chatIn(opened, 'bot-popup'), 'Hello')
  })

  test('a popup that leaves the page while it is open lets the page scroll', async () => {
    const made = await publishFlow()
    const opened = await open({
      script: `for (const id of ['one', 'two']) Bot.initPopup({ bot: '${made.publicId}', id })`,
    })
    await opened.evaluate(`Bot.open({ id: 'one' }); Bot.open({ id: 'two' }); Bot.unmount({ id: 'one' })`)
    expect(await opened.evaluate('document.documentElement.style.overflow')).toBe('hidden')
    await opened.evaluate(`document.getElementById('two').remove()`)
    expect(await opened.evaluate('document.documentElement.style.overflow')).toBe('')
    expect(await opened.locator('bot-popup').count()).toBe(0)
  })

  test('two popups restore the scrolling of the page, and a closed one is not opened again by its delay', async () => {
    const made = await publishFlow()
    const opened = await open({
      script: `for (const id of ['one', 'two'])
        Bot.initPopup({ bot: '${made.publicId}', id, autoShowDelay: id === 'one' ? 1500 : null,
          prefilledVariables: { Name: id, Code: () => {}, Big: 10n } })`,
    })
    await opened.evaluate(
      `Bot.open({ id: 'one' }); Bot.open({ id: 'two' }); Bot.close({ id: 'one' }); Bot.close({ id: 'two' })`,
    )
    expect(await opened.evaluate('document.documentElement.style.overflow')).toBe('')
    await opened.waitForTimeout(2_000)
    expect(await opened.evaluate(`document.getElementById('one').isOpen`)).toBe(false)
    await opened.evaluate(`Bot.open({ id: 'two' })`)
    await said(await chatIn(opened, '#two'), 'Hello two')
  })

  test('a chat bubble opens and shows its message only until a visitor opens or hides it', async () => {
    const made = await publishFlow()
    const previewMessage = { message: 'May I help?', autoShowDelay: 1_000 }
    const opened = await open({
      script: `Bot.initBubble({ bot: '${made.publicId}', id: 'opened', previewMessage: ${JSON.stringify(previewMessage)} })
        Bot.initBubble({ bot: '${made.publicId}', id: 'hidden', previewMessage: ${JSON.stringify(previewMessage)} })
        Bot.initBubble({ bot: '${made.publicId}', id: 'absent', autoShowDelay: null, previewMessage: { message: 'No', autoShowDelay: null } })
        Bot.initBubble({ bot: '${made.publicId}', id: 'shown', previewMessage: ${JSON.stringify(previewMessage)} })
        Bot.open({ id: 'opened' })
        Bot.close({ id: 'opened' })
        Bot.hidePreviewMessage({ id: 'hidden' })`,
    })
    await opened.locator('#shown').getByText('May I help?').waitFor()
    for (const id of ['opened', 'hidden', 'absent']) {
      expect([id, await opened.locator(`#${id} .preview`).count()]).toEqual([id, 0])
      expect(await opened.evaluate(`document.getElementById('${id}').isOpen`)).toBe(false)
    }
  })

  test('an own icon of the button that names no namespace is a picture', async () => {
    const made = await publishFlow()
    const customIconSrc = '<svg viewBox="0 0 2 2"><circle cx="1" cy="1" r="1"/></svg>'
    const theme = { button: { customIconSrc } }
    const opened = await open({
      script: `Bot.initBubble({ bot: '${made.publicId}', theme: ${JSON.stringify(theme)} })`,
    })
    const src = await opened.locator('bot-bubble img.icon').getAttribute('src')
    // The policy of the site rejects pictures.
    const elsewhere = await (await newContext(browser, desktop)).newPage()
    const width = await elsewhere.evaluate(
      `(async () => { const image = new Image(); image.src = ${JSON.stringify(src)}; await image.decode(); return image.naturalWidth })()`,
    )
    expect(width).toBeGreaterThan(0)
    complaints.length = 0
  })

  test('a chat bubble that is created before the body of the page appears once there is one', async () => {
    const made = await publishFlow()
    page = {
      html: `<!doctype html><html lang="en"><head><title>A shop</title><script src="${app.url}/embed.js"></script>
        <script src="/site.js"></script></head><body><p>Buy boats.</p></body></html>`,
      script: `Bot.initBubble({ bot: '${made.publicId}' })`,
    }
    const context = await newContext(browser, { baseURL: siteUrl, reducedMotion: 'reduce', ...desktop })
    const opened = await context.newPage()
    opened.on('pageerror', (error) => complaints.push(`error: ${error.message}`))
    await opened.goto('/')
    await opened.getByRole('button', { name: 'Open the chat' }).click()
    await said(await chatIn(opened, 'bot-bubble'), 'Hello')
  })

  test('Escape in a filled search field leaves the popup open, and so does a key of an input method', async () => {
    const items = ['Apple', 'Banana'].map((content) => ({ id: content, content }))
    const choice = { type: 'choice input', options: { isSearchable: true }, items }
    const made = await publish(app, world.here, bot({ Start: [text('Which?'), choice] }))
    const opened = await open({ script: `listen(Bot.initPopup({ bot: '${made.publicId}', id: 'ask' }))` })
    await opened.evaluate('Bot.open()')
    const field = (await chatIn(opened, 'bot-popup')).getByRole('searchbox')
    await field.fill('App')
    await field.press('Escape')
    await field.dispatchEvent('keydown', { key: 'Escape', isComposing: true, bubbles: true })
    await opened.waitForTimeout(300)
    expect(await opened.evaluate(`document.getElementById('ask').isOpen`)).toBe(true)
    expect(await field.inputValue()).toBe('')
  })

  test('code of the bot sees the address of the page that the chat is in, and the bot goes elsewhere with it', async () => {
    const code = { isExecutedOnClient: true, isCode: true, expressionToEvaluate: 'return location.href' }
    const made = await publish(
      app,
      world.here,
      bot(
        {
          Start: [
            { type: 'Set variable', options: { variableId: idOf('Where'), ...code } },
            text('We are at {{Where}}.'),
            ask(),
            { type: 'Redirect', options: { url: '/bought' } },
          ],
        },
        { variables: ['Where'] },
      ),
    )
    const opened = await open({ html: `<bot-standard bot="${made.publicId}"></bot-standard>`, query: '?a=b' })
    const chat = await chatIn(opened, 'bot-standard')
    await said(chat, `We are at ${siteUrl}/?a=b.`)
    await chat.locator('.field').fill('Go')
    // Its frame goes with the page, as with the popup.
    chat
      .locator('.field')
      .press('Enter')
      .catch(() => {})
    await opened.waitForURL(`${siteUrl}/bought`)
  })

  test('a bot that allows other sites only is not shown, and the page says so in its place', async () => {
    const settings = (origin: string) => ({ security: { allowedOrigins: [origin] } })
    const here = await publishFlow({ settings: settings(siteUrl) })
    const elsewhere = await publishFlow({ settings: settings('https://elsewhere.example') })
    const opened = await open({ html: `<bot-standard id="here" bot="${here.publicId}"></bot-standard>` })
    await said(await chatIn(opened, '#here'), 'Hello')
    const rejected = opened.waitForEvent('console', (message) => message.text().includes('frame-ancestors'))
    await opened.evaluate(`Bot.initBubble({ bot: '${elsewhere.publicId}' }).open()`)
    await rejected
    const hint = opened.locator('bot-bubble').getByText('This chat cannot be shown on this page.')
    await hint.waitFor()
    expect(await opened.locator('bot-bubble iframe').isVisible()).toBe(false)
    expect(await opened.locator('#here iframe').isVisible()).toBe(true)
    expect(await barriers(opened)).toEqual([])
    await picture(opened, 'embed-refused')
    expect(complaints.splice(0).join()).toContain('frame-ancestors')
    const { stats } = await reportOf(app, elsewhere, world.here.member)
    expect(stats.totalViews).toBe(0)
  })
})
