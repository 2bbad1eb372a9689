import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { Browser, Page } from 'playwright-core'
import { type App, startApp } from '../support/app.ts'
import { ask, bot, idOf, text } from '../support/chat.ts'
import { publish, reportOf, start } from '../support/chats.ts'
import { makeWorld, type World } from '../support/world.ts'
import { drawing } from './bots.ts'
import { desktop, launch, newContext, withBrowser } from './support.ts'

/*
 * Pages in the oldest browsers that README.md promises: Safari and iOS 16.4, Chrome 111 and Firefox 115. The browser at
 * hand is newer, so what these lack is deleted from it first.
 */

/** Functions that one of the promised browsers lacks, as paths from the global object. */
const newer = [
  'AbortSignal.any',
  'URL.canParse',
  'URL.parse',
  'URLSearchParams.prototype.size',
  'Object.groupBy',
  'Map.groupBy',
  'Promise.withResolvers',
  'Promise.try',
  'Array.fromAsync',
  'ArrayBuffer.prototype.transfer',
  'String.prototype.isWellFormed',
  'String.prototype.toWellFormed',
  'Uint8Array.fromBase64',
  'Uint8Array.prototype.toBase64',
  'RegExp.escape',
  'Error.isError',
  'Math.sumPrecise',
  'Atomics.waitAsync',
  'Intl.DurationFormat',
  'Intl.Segmenter',
  'Iterator',
  'Float16Array',
  'Temporal',
  'CloseWatcher',
  'scheduler',
  'navigation',
  'CookieStore',
  'cookieStore',
  'Document.parseHTMLUnsafe',
  'Document.prototype.startViewTransition',
  'Element.prototype.setHTMLUnsafe',
  'Element.prototype.checkVisibility',
  'Element.prototype.moveBefore',
  'Element.prototype.ariaNotify',
  'HTMLElement.prototype.togglePopover',
  'HTMLElement.prototype.showPopover',
  'HTMLInputElement.prototype.showPicker',
  'HTMLSelectElement.prototype.showPicker',
  'ReadableStream.from',
  'Response.json',
  'crypto.randomUUID',
  ...[
    'union',
    'intersection',
    'difference',
    'symmetricDifference',
    'isSubsetOf',
    'isSupersetOf',
    'isDisjointFrom',
  ].map((name) => `Set.prototype.${name}`),
  ...[
    'map',
    'filter',
    'take',
    'drop',
    'flatMap',
    'reduce',
    'toArray',
    'forEach',
    'some',
    'every',
    'find',
  ].map((name) => `IteratorPrototype.${name}`),
]

/** Runs before the scripts of every page and frame. */
const makeOld = `{
  const iterators = Object.getPrototypeOf(Object.getPrototypeOf([][Symbol.iterator]()))
  for (const path of ${JSON.stringify(newer)}) {
    const names = path.split('.')
    const last = names.pop()
    let object = globalThis
    if (names[0] === 'IteratorPrototype') object = iterators
    else for (const name of names) object = object?.[name]
    if (object) delete object[last]
  }
}`

let app: App
let world: World
let browser: Browser
/** Errors that no script caught. */
const errors: string[] = []

async function open(path: string): Promise<Page> {
  const context = await newContext(browser, { baseURL: app.url, ...desktop })
  await context.addInitScript(makeOld)
  const page = await context.newPage()
  page.on('pageerror', (error) => errors.push(error.message))
  await page.goto(path)
  expect(await page.evaluate('[typeof AbortSignal.any, typeof URL.canParse, typeof Iterator]')).toEqual(
    Array(3).fill('undefined'),
  )
  return page
}

const pages = join(import.meta.dirname, '../../server/pages')

test.each(['chat', 'docs', 'embed', 'home', 'results'])(
  'styles of the folder %s have a prefixed twin where the supported browsers need one',
  (folder) => {
    const styles = readdirSync(join(pages, folder)).filter((name) => name.endsWith('.css'))
    const lines = styles.flatMap((name) => readFileSync(join(pages, folder, name), 'utf8').split('\n'))
    const bare = lines.filter((line, index) => {
      const [, name] = /^\s*(mask|backdrop-filter|user-select):/.exec(line) ?? []
      return name && !lines[index - 1]?.includes(`-webkit-${name}:`)
    })
    expect(bare).toEqual([])
    expect(lines.filter((line) => /:has\(|:popover-open|@starting-style|light-dark\(/.test(line))).toEqual([])
  },
)

withBrowser('pages in the oldest promised browsers', () => {
  beforeAll(async () => {
    app = await startApp()
    world = await makeWorld(app)
    browser = await launch()
  })

  afterAll(async () => {
    await browser?.close()
    await app?.stop()
  })

  test('a chat with a picture, a link, a choice, a rating, a file, a request and code of the page runs to its end', async () => {
    const link = {
      type: 'p',
      children: [{ type: 'a', url: 'https://example.com/', children: [{ text: 'A link' }] }],
    }
    const made = await publish(
      app,
      world.here,
      bot(
        {
          Start: [
            { type: 'image', content: { url: drawing('#20545c', 'Boat') } },
            { type: 'text', content: { richText: [link] } },
            text('Name?'),
            ask('Name'),
            {
              type: 'Set variable',
              options: {
                variableId: idOf('Sum'),
                expressionToEvaluate: '6 * 7',
                isExecutedOnClient: true,
              },
            },
            {
              type: 'Webhook',
              options: {
                isExecutedOnClient: true,
                webhook: { url: `${app.url}/livez`, method: 'GET' },
                responseVariableMapping: [{ id: 'm', variableId: idOf('State'), bodyPath: 'data.status' }],
              },
            },
            text('{{Sum}} {{State}}'),
            { type: 'choice input', items: [{ id: 'a', content: 'A' }] },
            { type: 'rating input', options: { length: 5, buttonType: 'Icons' } },
            { type: 'phone number input', options: { defaultCountryCode: 'FR' } },
            { type: 'date input' },
            { type: 'file input' },
            text('Bye {{Name}}.'),
          ],
        },
        { variables: ['Name', 'Sum', 'State'], settings: { typingEmulation: { enabled: false } } },
      ),
    )
    const page = await open(`/chat/${made.publicId}`)
    await page.getByRole('link', { name: 'A link' }).waitFor()
    expect(await page.locator('.image-bubble img').count()).toBe(1)
    await page.locator('.field').fill('Ada')
    await page.keyboard.press('Enter')
    await page.getByText('42 ok').waitFor()
    await page.getByRole('button', { name: 'A', exact: true }).click()
    await page.getByRole('radio', { name: '4 of 5' }).check()
    expect(await page.locator('.rating-item.chosen').count()).toBe(4)
    await page.getByRole('button', { name: 'Send' }).click()
    await page.locator('input[type=tel]').fill('06 12 34 56 78')
    await page.keyboard.press('Enter')
    await page.locator('input[type=date]').fill('2026-05-01')
    await page.getByRole('button', { name: 'Send' }).click()
    await page.locator('input[type=file]').setInputFiles({
      name: 'plan.pdf',
      mimeType: 'application/pdf',
      buffer: Buffer.from('%PDF-1.4'),
    })
    await page.getByText('Bye Ada.').waitFor()
    expect(errors.splice(0)).toEqual([])
    const { results } = await reportOf(app, made, world.here.member)
    expect(results).toMatchObject([{ isCompleted: true }])
  })

  test('the page of results shows answers', async () => {
    const flow = bot({ Start: [ask('Name')] }, { variables: ['Name'] })
    const made = await publish(app, world.here, flow, 'Old')
    await start(app, made, { message: 'Ada' })
    const page = await open(`/results#${world.here.workspaceId}/${made.id}`)
    await page.getByLabel('Access token').fill(world.here.member.token)
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.locator('#overview dd').first().waitFor()
    await page.locator('#shown', { hasText: /result/ }).waitFor()
    expect(errors.splice(0)).toEqual([])
  })

  test('the reference sends the query that the form names: of three results one is deleted', async () => {
    const made = await publish(app, world.here, bot({ Start: [ask()] }))
    for (const answer of ['one', 'two', 'three']) {
      const { sessionId } = await start(app, made)
      await app.client.ok('continueChat', { params: { sessionId }, body: { message: answer } })
    }
    const { results } = await reportOf(app, made, world.here.member)
    const page = await open('/docs/results#deleteResults')
    await page.getByLabel('Access token').fill(world.here.member.token)
    const operation = page.locator('#deleteResults')
    await operation.getByLabel('botId').fill(made.id)
    await operation.getByLabel('resultIds').fill(results[0]?.id ?? '')
    await operation.getByRole('button', { name: 'Send' }).click()
    await operation.locator('.answer .status', { hasText: '200' }).waitFor()
    expect((await reportOf(app, made, world.here.member)).results).toHaveLength(2)
    expect(errors.splice(0)).toEqual([])
  })
})
