import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { type App, startApp } from '../support/app.ts'
import { bot, idOf, type Part, text } from '../support/chat.ts'
import { logsOf, publish } from '../support/chats.ts'
import { makeWorld, type World } from '../support/world.ts'
import { drawing } from './bots.ts'
import { desktop, launch, newContext, phone, picture, watch, withBrowser } from './support.ts'

/* Inputs of the chat page in a real browser, one by one. */

let app: App
let world: World
let browser: Browser
const complaints: string[] = []

/** A chat that asks with these blocks, and then says what came of it. */
async function ask(
  blocks: Part[],
  { variables = ['Answer'], settings = {}, options = desktop as BrowserContextOptions } = {},
) {
  const flow = bot(
    { Start: [text('Please?'), ...blocks, text('Got {{Answer}}.')] },
    { variables, settings: { typingEmulation: { enabled: false }, ...settings } },
  )
  const made = await publish(app, world.here, flow)
  const context = await newContext(browser, { baseURL: app.url, reducedMotion: 'reduce', ...options })
  const page = await context.newPage()
  watch(page, app.url, complaints)
  await page.goto(`/chat/${made.publicId}`)
  await page.locator('.input-form').waitFor()
  return { page, made }
}

const variableId = idOf('Answer')
const got = (page: Page, answer: string) => page.getByText(`Got ${answer}.`).waitFor()
const said = (page: Page) => page.locator('.guest-text').allTextContents()
const send = (page: Page) => page.getByRole('button', { name: 'Send' }).click()

withBrowser('inputs of the chat page', () => {
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

  test('an e-mail address with other letters in its domain is sent as it was typed', async () => {
    const { page } = await ask([{ type: 'email input', options: { variableId } }])
    await page.locator('.field').pressSequentially('user@müller.de')
    expect(await page.locator('.field').inputValue()).toBe('user@müller.de')
    await page.keyboard.press('Enter')
    await got(page, 'user@müller.de')
  })

  test('a phone number belongs to the shown country, unless it names one', async () => {
    const input = { type: 'phone number input', options: { variableId, defaultCountryCode: 'fr' } }
    const { page } = await ask([input, input])
    const country = page.getByRole('combobox', { name: 'Country' })
    expect(await country.inputValue()).toBe('FR')
    await country.selectOption('DE')
    await page.locator('.field').fill('030 123456')
    await page.keyboard.press('Enter')
    await page.locator('.guest-text', { hasText: '+4930123456' }).waitFor()
    await page.locator('.field').fill('+44 20 7946 0000')
    await page.keyboard.press('Enter')
    await got(page, '+442079460000')
  })

  test('the country and the hint of a phone number are shown whole, on a phone too', async () => {
    const input = { type: 'phone number input', options: { variableId, defaultCountryCode: 'gb' } }
    for (const options of [phone, desktop]) {
      const { page } = await ask([input], { options })
      await page.locator('.country:not([hidden])').waitFor()
      const room = (await page.evaluate(`(() => {
        const context = document.createElement('canvas').getContext('2d')
        const spare = (element, text) => {
          const { font, paddingLeft, paddingRight } = getComputedStyle(element)
          context.font = font
          const inner = element.clientWidth - Number.parseFloat(paddingLeft) - Number.parseFloat(paddingRight)
          return inner - context.measureText(text).width
        }
        const [country, field] = [document.querySelector('.country'), document.querySelector('.field')]
        return [spare(country, country.selectedOptions[0].textContent), spare(field, field.placeholder)]
      })()`)) as number[]
      // The arrow of a select takes some 20 pixels.
      expect([options.viewport.width, Math.min((room[0] ?? 0) - 20, room[1] ?? 0) >= 0, room]).toEqual([
        options.viewport.width,
        true,
        room,
      ])
    }
  })

  test('the text keyboard comes up only for numbers that may be below zero', async () => {
    for (const [min, inputmode] of [
      [-5, 'text'],
      [0, 'decimal'],
      [undefined, 'decimal'],
    ] as const) {
      const { page } = await ask([{ type: 'number input', options: { min, max: 7 } }])
      expect(await page.locator('.field').getAttribute('inputmode')).toBe(inputmode)
      await page.getByText(min === undefined ? 'At most 7' : `From ${min} to 7`).waitFor()
    }
  })

  test('every kind of input is filled in with the value of its variable', async () => {
    const prefilled = (value: string, input: Part): Part[] => [
      { type: 'Set variable', options: { variableId, expressionToEvaluate: value } },
      { ...input, options: { ...(input.options as object), variableId } },
    ]
    const items = ['Red', 'Blue'].map((content) => ({ id: content, content }))
    const settings = { general: { isInputPrefillEnabled: true } }
    const { page } = await ask(
      [
        ...prefilled('"05/03/2026"', { type: 'date input' }),
        ...prefilled('"3/5/2026 2:07 pm"', {
          type: 'date input',
          options: { hasTime: true, format: 'M/d/yyyy h:mm a' },
        }),
        ...prefilled('"01/05/2026 to 04/05/2026"', { type: 'date input', options: { isRange: true } }),
        ...prefilled('"10:30"', { type: 'time input' }),
        ...prefilled('"3"', { type: 'rating input', options: { length: 5 } }),
        ...prefilled('"Blue"', { type: 'choice input', options: { isMultipleChoice: true }, items }),
      ],
      { settings },
    )
    const values = () =>
      page.locator('.answer input.field').evaluateAll((all) => all.map(({ value }) => value))
    expect(await values()).toEqual(['2026-03-05'])
    await page.getByText('dd/MM/yyyy').waitFor()
    await send(page)
    await page.locator('input[type=datetime-local]').waitFor()
    expect(await values()).toEqual(['2026-03-05T14:07'])
    await send(page)
    await page.getByLabel('From').waitFor()
    expect(await values()).toEqual(['2026-05-01', '2026-05-04'])
    await send(page)
    await page.locator('input[type=time]').waitFor()
    expect(await values()).toEqual(['10:30'])
    await send(page)
    await page.getByRole('radio', { name: '3', checked: true }).waitFor()
    expect(await page.locator('.rating-item.chosen').count()).toBe(1)
    await send(page)
    await page.getByRole('checkbox', { name: 'Blue', checked: true }).waitFor()
    await send(page)
    await got(page, 'Blue')
  })

  test('a rating has its labels at the ends of the row, and an own icon without a namespace is a picture', async () => {
    const customIcon = { isEnabled: true, svg: '<svg viewBox="0 0 2 2"><circle cx="1" cy="1" r="1"/></svg>' }
    const labels = { left: 'Not at all', right: 'Very much' }
    const { page } = await ask([
      { type: 'rating input', options: { labels } },
      { type: 'rating input', options: { buttonType: 'Icons', length: 5, customIcon, variableId } },
    ])
    await picture(page, 'input-rating-desktop')
    const [row, ends] = [
      await page.locator('.rating').boundingBox(),
      await page.locator('.rating-labels').boundingBox(),
    ]
    expect(Math.abs((row?.x ?? 0) - (ends?.x ?? 9e9))).toBeLessThan(2)
    expect(Math.abs((row?.width ?? 0) - (ends?.width ?? 9e9))).toBeLessThan(2)
    // Only what is chosen has the full colour.
    const background = (name: string) =>
      page.evaluate(
        `getComputedStyle([...document.querySelectorAll('.face')].find((face) => face.textContent === '${name}')).backgroundColor`,
      )
    expect(await background('0')).not.toContain('0.254902 0.0470588)')
    await page.getByRole('radio', { name: '7' }).check()
    expect(await background('7')).toContain('0.254902 0.0470588)')
    await send(page)
    await page.getByRole('radio', { name: '4 of 5' }).waitFor()
    const widths =
      'Promise.all([...document.querySelectorAll(".rating img")].map((image) => image.decode().then(() => image.naturalWidth)))'
    expect(await page.evaluate(widths)).not.toContain(0)
    await page.getByRole('radio', { name: '4 of 5' }).check()
    expect(await page.locator('.rating-item.chosen').count()).toBe(4)
    await send(page)
    await got(page, '4')
  })

  test('Send with nothing chosen leads to the first item that is not filtered away', async () => {
    const items = ['Apple', 'Banana'].map((content) => ({ id: content, content }))
    const options = { isMultipleChoice: true, isSearchable: true, variableId }
    const { page } = await ask([{ type: 'choice input', options, items }])
    await page.getByRole('searchbox').fill('ban')
    await send(page)
    expect(await page.evaluate('document.activeElement.closest("label").textContent')).toBe('Banana')
  })

  test('the label of a button is shown with its lines', async () => {
    const items = ['Red', 'Red,\nas a rose'].map((content, index) => ({ id: `item${index}`, content }))
    const { page } = await ask([{ type: 'choice input', options: { variableId }, items }])
    await page.locator('.choice').nth(1).waitFor()
    const lines = await page.evaluate(`[...document.querySelectorAll('.choice')].map((choice) => {
      const range = document.createRange()
      range.selectNodeContents(choice)
      return new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size
    })`)
    expect(lines).toEqual([1, 2])
  })

  test('a picture is announced with its title and description apart, and as a picture where it has neither', async () => {
    const pictureSrc = drawing('#20545c', 'Boat')
    const items = [
      { id: 'p', pictureSrc },
      { id: 'b', title: 'Blue', description: 'A calm colour', pictureSrc },
    ]
    const { page } = await ask([{ type: 'picture choice input', options: { variableId }, items }])
    await page.getByRole('button', { name: 'Blue. A calm colour', exact: true }).waitFor()
    await picture(page, 'input-pictures-desktop')
    await page.getByRole('button', { name: 'Picture' }).click()
    await page.locator('.guest-text').waitFor()
    expect((await said(page))[0]).toBe('Picture')
  })

  test('the end of the turn stays in view when its pictures arrive and its buttons for more cards appear', async () => {
    const long = Array.from({ length: 8 }, (_, index) => text(`Line ${index}`))
    const pictureSrc = drawing('#333a66', 'One')
    const last = {
      pictures: [
        { type: 'picture choice input', items: ['a', 'b'].map((id) => ({ id, title: id, pictureSrc })) },
        '.answer img',
      ],
      cards: [
        {
          type: 'cards',
          items: ['a', 'b', 'c'].map((id) => ({ id, title: id, imageUrl: pictureSrc })),
        },
        '.arrows',
      ],
    } as const
    for (const [name, [input, end]] of Object.entries(last)) {
      const { page } = await ask([...long, input], { options: phone })
      await page.locator('.answer img').first().waitFor()
      await page.waitForTimeout(1_000)
      const distance = await page.evaluate(
        `(({ scrollHeight, clientHeight, scrollTop }) => scrollHeight - clientHeight - scrollTop)(document.getElementById('scroller'))`,
      )
      expect([name, distance]).toEqual([name, 0])
      expect(await page.locator(end).last().isVisible()).toBe(true)
    }
  })

  test('more cards than fit are reached by buttons', async () => {
    const items = ['a', 'b', 'c', 'd', 'e'].map((id) => ({ id, title: id, imageUrl: drawing('#333a66', id) }))
    const { page } = await ask([{ type: 'cards', items }], { options: phone })
    await picture(page, 'input-cards-phone')
    await page.getByRole('button', { name: 'Next' }).click()
    await page
      .locator('.cards')
      .evaluate('async (list) => { while (list.scrollLeft < 50) await new Promise(requestAnimationFrame) }')
    expect(await page.getByRole('button', { name: 'Previous' }).isEnabled()).toBe(true)
  })

  test('an embedded page may send its event at once, objects arrive as JSON, and too large a value is logged', async () => {
    const embed = (name: string, data: string): Part => ({
      type: 'embed',
      content: {
        url: `${app.url}/embedded-${name}`,
        waitForEvent: { isEnabled: true, name, saveDataInVariableId: variableId },
      },
      data,
    })
    const frames = [embed('object', '{ a: 1 }'), embed('long', '"x".repeat(300_000)')]
    const flow = bot(
      {
        Start: frames.flatMap(({ data: _, ...block }) => [block, text('Got {{Answer}}.')]),
      },
      { variables: ['Answer'], settings: { typingEmulation: { enabled: false } } },
    )
    const made = await publish(app, world.here, flow)
    const context = await newContext(browser, { baseURL: app.url, reducedMotion: 'reduce', ...desktop })
    for (const { content, data } of frames as {
      content: { waitForEvent: { name: string } }
      data: string
    }[]) {
      const { name } = content.waitForEvent
      await context.route(`**/embedded-${name}`, (route) =>
        route.fulfill({
          contentType: 'text/html',
          body: `<script>parent.postMessage({ name: '${name}', data: ${data} }, '*')</script>`,
        }),
      )
    }
    const page = await context.newPage()
    await page.goto(`/chat/${made.publicId}`)
    await page.getByText('Got {"a":1}.').waitFor()
    await page.getByText('The chat has ended.').waitFor()
    const { rows } = await app.pool.query('SELECT id FROM results WHERE bot_id = $1', [made.id])
    const logs = await logsOf(app, made.id, rows[0].id, world.here.member)
    expect(logs.map(({ description }) => description)).toContain('Too long for the service')
  })

  test('in a loop each wait comes behind its own text', async () => {
    const made = await publish(app, world.here, bot({ Start: [text('Round'), { type: 'text input' }] }))
    const context = await newContext(browser, { baseURL: app.url, ...desktop, reducedMotion: 'reduce' })
    await context.route('**/startChat', async (route) => {
      const headers = { ...route.request().headers(), accept: 'application/json' }
      const response = await route.fetch({ headers })
      const started = await response.json()
      const [message] = started.messages
      const wait = { type: 'wait', wait: { secondsToWaitFor: 1 }, lastBubbleBlockId: message.id }
      const json = { ...started, messages: Array(3).fill(message), clientSideActions: Array(3).fill(wait) }
      await route.fulfill({ status: 200, json })
    })
    const page = await context.newPage()
    await page.goto(`/chat/${made.publicId}`)
    const bubbles = page.locator('.host-bubble', { hasText: 'Round' })
    await bubbles.nth(1).waitFor()
    // The third is a second away.
    expect(await bubbles.count()).toBe(2)
    await page.locator('.field').waitFor()
    expect(await bubbles.count()).toBe(3)
  })

  test('a long number in the response to a request of the page keeps its digits, and a long error is cut', async () => {
    const onPage = { isExecutedOnClient: true, variableId }
    const responseVariableMapping = [{ id: 'm', variableId, bodyPath: 'data.id' }]
    const made = await publish(
      app,
      world.here,
      bot(
        {
          Start: [
            {
              type: 'Webhook',
              options: {
                ...onPage,
                webhook: { url: 'https://numbers.example/', method: 'GET' },
                responseVariableMapping,
              },
            },
            text('[{{Answer}}]'),
            {
              type: 'Set variable',
              options: {
                ...onPage,
                isCode: true,
                expressionToEvaluate: '(() => { throw new Error("x".repeat(20_000)) })()',
              },
            },
            text('Done.'),
          ],
        },
        { variables: ['Answer'], settings: { typingEmulation: { enabled: false } } },
      ),
    )
    const context = await newContext(browser, { baseURL: app.url, reducedMotion: 'reduce', ...desktop })
    await context.route('https://numbers.example/', (route) =>
      route.fulfill({
        contentType: 'application/json',
        headers: { 'Access-Control-Allow-Origin': '*' },
        body: '{"id":12345678901234567890}',
      }),
    )
    const page = await context.newPage()
    await page.goto(`/chat/${made.publicId}`)
    await page.getByText('[12345678901234567890]').waitFor()
    const stored = page.waitForResponse('**/clientLogs')
    await page.getByText('Done.').waitFor()
    expect((await stored).status()).toBe(200)
    const { rows } = await app.pool.query('SELECT id FROM results WHERE bot_id = $1', [made.id])
    expect(await logsOf(app, made.id, rows[0].id, world.here.member)).toMatchObject([
      { description: 'Code of the bot failed', details: expect.stringMatching(/^Error: x{900}/) },
    ])
  })

  test('code of the page has the same result as the same code on the service', async () => {
    const set = (expressionToEvaluate: string): Part[] => [
      {
        type: 'Set variable',
        options: { variableId, isExecutedOnClient: true, isCode: true, expressionToEvaluate },
      },
      text('[{{Answer}}]'),
    ]
    const { page } = await ask([
      ...['\n42', '"the return of"', '10n', '{ a: 1 }.a', '1 / 0'].flatMap(set),
      { type: 'text input' },
    ])
    expect(await page.locator('.rich-text', { hasText: '[' }).allTextContents()).toEqual([
      '[42]',
      '[the return of]',
      '[10]',
      '[1]',
      '[Infinity]',
    ])
  })
})
