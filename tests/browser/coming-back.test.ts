import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import type { Flow } from '../../server/chat/engine/types.ts'
import { type App, startApp } from '../support/app.ts'
import { ask, bot, idOf, text } from '../support/chat.ts'
import { publish, reportOf, transcriptOf } from '../support/chats.ts'
import { makeWorld, type World } from '../support/world.ts'
import { drawing } from './bots.ts'
import { desktop, launch, newContext, watch, withBrowser } from './support.ts'

/* A chat that was left continues where it was: nothing is lost, shown or done twice. */

let app: App
let world: World
let browser: Browser
const complaints: string[] = []

const remembering = (storage: 'session' | 'local') => ({
  general: { rememberUser: { isEnabled: true, storage } },
  typingEmulation: { enabled: false },
})

const steps = (settings: object): Flow =>
  bot(
    {
      Start: [
        {
          type: 'text',
          content: {
            richText: [
              {
                type: 'p',
                children: [
                  { text: 'Bold', bold: true },
                  { text: ' and ' },
                  { type: 'a', url: 'https://example.com/', children: [{ text: 'a link' }] },
                ],
              },
            ],
          },
        },
        {
          type: 'image',
          content: { url: drawing('#20545c', 'Paper Boat'), clickLink: { alt: 'Paper Boat' } },
        },
        text('One?'),
        ask('One'),
        text('Two, after {{One}}?'),
        ask('Two'),
        text('Three, after {{Two}}?'),
        ask('Three'),
        text('Bye, {{One}} {{Two}} {{Three}}.'),
      ],
    },
    { variables: ['One', 'Two', 'Three'], settings },
  )

const newPerson = () => newContext(browser, { baseURL: app.url, reducedMotion: 'reduce', ...desktop })

async function openIn(context: BrowserContext, path: string): Promise<Page> {
  const page = await context.newPage()
  watch(page, app.url, complaints)
  await page.goto(path)
  return page
}

const asked = (page: Page, question: string) =>
  page.locator('.host-bubble', { hasText: question }).last().waitFor()

async function say(page: Page, words: string) {
  await page.locator('.field').fill(words)
  await page.keyboard.press('Enter')
}

/** All that stands in the conversation, without the ids, which count from one for each page. */
async function conversation(page: Page): Promise<string> {
  await page.locator('.field').waitFor()
  const html = (await page.evaluate(`document.getElementById('conversation').innerHTML`)) as string
  return html.replaceAll(/ id="[^"]*"/g, '')
}

withBrowser('coming back to a chat', () => {
  beforeAll(async () => {
    app = await startApp()
    world = await makeWorld(app)
    browser = await launch()
  })

  afterEach(async () => {
    for (const context of browser.contexts()) await context.close()
    expect(complaints.splice(0)).toEqual([])
  })

  afterAll(async () => {
    await browser?.close()
    await app?.stop()
  })

  test('a chat continues after a reload, a restarted service, another page and a closed tab', async () => {
    const made = await publish(app, world.here, steps(remembering('local')))
    const path = `/chat/${made.publicId}`
    const context = await newPerson()
    const page = await openIn(context, path)
    await asked(page, 'One?')
    const first = await conversation(page)
    await page.reload()
    expect(await conversation(page)).toBe(first)
    await say(page, 'uno')
    await asked(page, 'Two, after uno?')
    const second = await conversation(page)

    app.forgetFlows()
    await page.goto('/livez')
    await page.goBack()
    expect(await conversation(page)).toBe(second)
    await say(page, 'dos')
    await asked(page, 'Three, after dos?')
    const third = await conversation(page)
    await page.close()

    const again = await openIn(context, path)
    expect(await conversation(again)).toBe(third)
    // The field has the question of the bot as its name.
    await again.getByRole('textbox', { name: 'Three, after dos?' }).fill('tres')
    await again.keyboard.press('Enter')
    await asked(again, 'Bye, uno dos tres.')
    await again.getByText('The chat has ended.').waitFor()
    await again.reload()
    await again.getByText('The chat has ended.').waitFor()
    expect(await again.locator('.guest-text').allTextContents()).toEqual(['uno', 'dos', 'tres'])

    const { results, stats } = await reportOf(app, made, world.here.member)
    expect(stats).toMatchObject({ totalViews: 1, totalStarts: 1, totalCompleted: 1 })
    expect(results[0]?.answers.map(({ content }) => content)).toEqual(['uno', 'dos', 'tres'])
    const transcript = await transcriptOf(app, made.id, results[0]?.id ?? '', world.here.member)
    expect(transcript.filter(({ role }) => role === 'user')).toHaveLength(3)
  })

  test('a chat continues after an answer that only looks like the address of a file', async () => {
    const made = await publish(app, world.here, steps(remembering('session')))
    const page = await openIn(await newPerson(), `/chat/${made.publicId}`)
    await asked(page, 'One?')
    const words = `https://example.com/files/a/${'a'.repeat(58)}/%zz`
    await say(page, words)
    await asked(page, 'Two')
    await page.reload()
    await page.locator('.guest-text, .failure').waitFor()
    expect(await page.locator('.guest-text').allTextContents()).toEqual([words])
    await asked(page, 'Two')
  })

  test('a continued chat has the labels of choices, a picture without words and files beside words', async () => {
    const flow = bot(
      {
        Start: [
          text('Who?'),
          { type: 'choice input', items: [{ id: 'a', content: 'Ada', value: 'A1' }] },
          { type: 'picture choice input', items: [{ id: 'p', pictureSrc: drawing('#20545c', 'Boat') }] },
          { type: 'text input', options: { attachments: { isEnabled: true, saveVariableId: idOf('File') } } },
          text('{{Last}}?'),
          ask('Last'),
        ],
      },
      { variables: ['Last', 'File'], settings: remembering('local') },
    )
    const made = await publish(app, world.here, flow)
    const page = await openIn(await newPerson(), `/chat/${made.publicId}`)
    await page.getByRole('button', { name: 'Ada' }).click()
    await page.getByRole('button', { name: 'Picture' }).click()
    await page.locator('input[type=file]').setInputFiles({
      name: 'plan.pdf',
      mimeType: 'application/pdf',
      buffer: Buffer.from('%PDF-1.4'),
    })
    await page.locator('.file', { hasText: 'plan.pdf' }).waitFor()
    await page.locator('.file progress').waitFor({ state: 'detached' })
    await say(page, 'See this')
    await page.locator('.guest-bubble').nth(2).waitFor()
    const before = await page.locator('.guest-text').allTextContents()
    expect(before).toEqual(['Ada', 'Picture', 'See this\nplan.pdf'])
    await page.reload()
    await page.locator('.guest-bubble').nth(2).waitFor()
    expect(await page.locator('.guest-text').allTextContents()).toEqual(before)
  })

  test('a chat continues in its tab only, where the bot remembers for the session', async () => {
    const made = await publish(app, world.here, steps(remembering('session')))
    const context = await newPerson()
    const page = await openIn(context, `/chat/${made.publicId}`)
    await asked(page, 'One?')
    await say(page, 'uno')
    await asked(page, 'Two')
    await page.reload()
    await asked(page, 'Two, after uno?')
    const other = await openIn(context, `/chat/${made.publicId}`)
    await asked(other, 'One?')
    expect(await other.locator('.guest-text').count()).toBe(0)
  })

  test('a chat starts anew where the bot does not remember visitors', async () => {
    const made = await publish(app, world.here, steps({ typingEmulation: { enabled: false } }))
    const page = await openIn(await newPerson(), `/chat/${made.publicId}`)
    await asked(page, 'One?')
    await say(page, 'uno')
    await asked(page, 'Two')
    await page.reload()
    await asked(page, 'One?')
    await page.locator('.field').waitFor()
    expect(await page.locator('.guest-text').count()).toBe(0)
    expect((await reportOf(app, made, world.here.member)).stats).toMatchObject({ totalViews: 2 })
  })

  test('a chat continues after a reload while a reply was under way', async () => {
    const made = await publish(app, world.here, steps(remembering('session')))
    const page = await openIn(await newPerson(), `/chat/${made.publicId}`)
    await asked(page, 'One?')
    const arrived = new Promise<void>((resolve) => {
      void page.route('**/continueChat', async (route) => {
        await route.fetch()
        resolve()
      })
    })
    await say(page, 'uno')
    await arrived
    await page.unrouteAll({ behavior: 'ignoreErrors' })
    await page.reload()
    await asked(page, 'Two, after uno?')
    expect(await page.locator('.guest-text').allTextContents()).toEqual(['uno'])
  })

  test('the slower of two tabs continues from the current position of the chat', async () => {
    const made = await publish(app, world.here, steps(remembering('local')))
    const context = await newPerson()
    const slow = await openIn(context, `/chat/${made.publicId}`)
    await asked(slow, 'One?')
    await slow.locator('.field').waitFor()
    const fast = await openIn(context, `/chat/${made.publicId}`)
    await asked(fast, 'One?')
    await say(fast, 'uno')
    await asked(fast, 'Two')
    await say(slow, 'eins')
    await asked(slow, 'Two, after uno?')
    await slow.getByText('The chat continued elsewhere').waitFor()
    expect(await slow.locator('.guest-text').allTextContents()).toEqual(['uno'])
    await say(slow, 'zwei')
    await asked(slow, 'Three, after zwei?')
    expect(await slow.getByText('The chat continued elsewhere').count()).toBe(0)
    expect(complaints.splice(0).filter((complaint) => !complaint.includes('status of 409'))).toEqual([])
  })

  test('a page that the bot redirected to is not opened again', async () => {
    const flow = bot(
      { Start: [text('See you.'), { type: 'Redirect', options: { url: `${app.url}/readyz` } }, ask()] },
      { settings: remembering('session') },
    )
    const made = await publish(app, world.here, flow)
    const page = await openIn(await newPerson(), `/chat/${made.publicId}`)
    await page.waitForURL('**/readyz')
    await page.goBack()
    await page.locator('.field').waitFor()
    expect(await page.locator('.host-bubble').allTextContents()).toEqual(['Bot: See you.'])
  })

  test('repeated waits leave no listener behind', async () => {
    const made = await publish(app, world.here, steps({}))
    const page = await openIn(await newPerson(), `/chat/${made.publicId}`)
    const left = await page.evaluate(`import('/chat/files/dom.js').then(async ({ sleep }) => {
      const { signal } = new AbortController()
      const listeners = new Set()
      signal.addEventListener = (_, listener) => listeners.add(listener)
      signal.removeEventListener = (_, listener) => listeners.delete(listener)
      await sleep(1, signal)
      await sleep(1, signal)
      return listeners.size
    })`)
    expect(left).toBe(0)
  })

  test('the lost response of a start is requested again, and the chat is counted once', async () => {
    const made = await publish(app, world.here, steps({ typingEmulation: { enabled: false } }))
    const context = await newPerson()
    const keys: (string | undefined)[] = []
    await context.route('**/startChat', async (route) => {
      keys.push(route.request().headers()['idempotency-key'])
      if (keys.length > 2) return route.continue()
      if (keys.length === 2) await route.fetch()
      return route.abort()
    })
    const page = await openIn(context, `/chat/${made.publicId}`)
    await asked(page, 'One?')
    expect(await page.locator('.host-bubble', { hasText: 'One?' }).count()).toBe(1)
    expect(keys).toHaveLength(3)
    expect(new Set(keys).size).toBe(1)
    expect(keys[0]).toMatch(/^[0-9a-f]{32}$/)
    expect((await reportOf(app, made, world.here.member)).stats).toMatchObject({ totalViews: 1 })
    complaints.splice(0)
  })

  test('the visitor can try again when the service fails to read a remembered chat, and nothing is lost', async () => {
    const made = await publish(app, world.here, steps(remembering('session')))
    const page = await openIn(await newPerson(), `/chat/${made.publicId}`)
    await asked(page, 'One?')
    await say(page, 'uno')
    await asked(page, 'Two')
    await page.route('**/sessions/*', (route) =>
      route.fulfill({ status: 500, json: { code: 'INTERNAL_SERVER_ERROR', message: 'Broken', issues: [] } }),
    )
    await page.reload()
    const again = page.getByRole('button', { name: 'Try again' })
    await again.waitFor()
    await page.unroute('**/sessions/*')
    await again.click()
    await asked(page, 'Two, after uno?')
    expect((await reportOf(app, made, world.here.member)).stats).toMatchObject({ totalViews: 1 })
    complaints.splice(0)
  })

  test('after a conflict, a session that cannot be read once leaves a button that continues', async () => {
    const made = await publish(app, world.here, steps(remembering('local')))
    const context = await newPerson()
    const slow = await openIn(context, `/chat/${made.publicId}`)
    await slow.locator('.field').waitFor()
    const fast = await openIn(context, `/chat/${made.publicId}`)
    await asked(fast, 'One?')
    await say(fast, 'uno')
    await asked(fast, 'Two')
    await slow.route('**/sessions/*', (route) =>
      route.fulfill({ status: 500, json: { code: 'INTERNAL_SERVER_ERROR', message: 'Broken', issues: [] } }),
    )
    await say(slow, 'eins')
    const again = slow.getByRole('button', { name: 'Try again' })
    await again.waitFor()
    await slow.unroute('**/sessions/*')
    await again.click()
    await asked(slow, 'Two, after uno?')
    await slow.locator('.field').waitFor()
    expect(await slow.locator('.guest-text').allTextContents()).toEqual(['uno'])
    complaints.splice(0)
  })

  test('the page forgets a failed turn, and shows no typing indicator', async () => {
    const typing = { ...remembering('local'), typingEmulation: { enabled: true, speed: 30, maxDelay: 2 } }
    const made = await publish(app, world.here, steps(typing))
    const context = await newContext(browser, { baseURL: app.url, ...desktop })
    const slow = await openIn(context, `/chat/${made.publicId}`)
    await slow.locator('.field').waitFor()
    const fast = await openIn(context, `/chat/${made.publicId}`)
    await fast.locator('.field').waitFor()
    await say(fast, 'uno')
    await asked(fast, 'Two')
    const lost = (id: string) => ({
      type: 'message',
      message: {
        id,
        type: 'text',
        content: { type: 'richText', richText: [{ type: 'p', children: [{ text: `Lost words ${id}` }] }] },
      },
    })
    const error = { code: 'CONFLICT', message: 'Conflict', issues: [] }
    const events = [lost('a'), lost('b'), { type: 'error', status: 409, error }]
    await slow.route('**/continueChat', (route) =>
      route.fulfill({
        contentType: 'text/event-stream',
        body: events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join(''),
      }),
    )
    await say(slow, 'eins')
    await asked(slow, 'Two, after uno?')
    await slow.locator('.field').waitFor()
    // Longer than what was lost would have been typed.
    await slow.waitForTimeout(5_000)
    expect(await slow.locator('.host-bubble', { hasText: 'Lost words' }).count()).toBe(0)
    expect(await slow.locator('.typing').count()).toBe(0)
    complaints.splice(0)
  })

  test('sounds that were played before stay silent after a reload', async () => {
    const sound = { type: 'audio', content: { url: `${app.url}/nothing.mp3` } }
    const flow = bot({ Start: [sound, sound, ask()] }, { settings: remembering('session') })
    const made = await publish(app, world.here, flow)
    const context = await newContext(browser, { baseURL: app.url, ...desktop })
    const page = await openIn(context, `/chat/${made.publicId}`)
    await page.locator('.field').waitFor()
    const autoplay = () => page.locator('audio').evaluateAll((all) => all.map(({ autoplay }) => autoplay))
    expect(await autoplay()).toEqual([true, true])
    await page.reload()
    await page.locator('.field').waitFor()
    expect(await autoplay()).toEqual([false, false])
    complaints.splice(0)
  })

  test('the chat waits for a webhook as before', async () => {
    const flow = bot(
      { Start: [text('Pay, please.'), { id: 'paid', type: 'webhook' }, text('Thank you.')] },
      { settings: remembering('session') },
    )
    const made = await publish(app, world.here, flow)
    const page = await openIn(await newPerson(), `/chat/${made.publicId}`)
    await page.waitForResponse('**/continueChat')
    await page.reload()
    await asked(page, 'Pay, please.')
    await page.waitForResponse('**/continueChat')
    const { rows } = await app.pool.query('SELECT id FROM results WHERE bot_id = $1', [made.id])
    await app.client.ok('executeWebhook', {
      as: world.here.member,
      params: { botId: made.id, blockId: 'paid', resultId: rows[0].id },
      body: {},
    })
    await asked(page, 'Thank you.')
    expect(await page.locator('.host-bubble').count()).toBe(2)
  })

  test('an expired chat starts anew, with the stored values of the visitor', async () => {
    const made = await publish(app, world.here, steps(remembering('local')))
    const page = await openIn(await newPerson(), `/chat/${made.publicId}`)
    await asked(page, 'One?')
    await app.pool.query(
      `UPDATE chat_sessions SET expires_at = now() - interval '30 years' WHERE bot_id = $1`,
      [made.id],
    )
    await page.reload()
    await asked(page, 'One?')
    await say(page, 'uno')
    await asked(page, 'Two, after uno?')
    expect((await reportOf(app, made, world.here.member)).stats).toMatchObject({ totalViews: 1 })
    expect(complaints.splice(0).filter((complaint) => !complaint.includes('status of 404'))).toEqual([])
  })
})
