import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { type App, startApp } from '../support/app.ts'
import { ask, bot, idOf, type Part, text } from '../support/chat.ts'
import { publish, storable } from '../support/chats.ts'
import { until } from '../support/process.ts'
import { makeWorld, type Site } from '../support/world.ts'
import { desktop, launch, newContext, phone, picture, violationsOn, watch, withBrowser } from './support.ts'

/* Members build bots. */

let app: App
let site: Site
let browser: Browser
const complaints: string[] = []

async function open(path: string, options: BrowserContextOptions = desktop): Promise<Page> {
  const context = await newContext(browser, { baseURL: app.url, locale: 'en-GB', ...options })
  await context.addInitScript({ content: `sessionStorage.setItem('token', '${site.member.token}')` })
  if (process.env.QUICK) context.setDefaultTimeout(12_000)
  const page = await context.newPage()
  watch(page, app.url, complaints)
  await page.goto(path)
  return page
}

const document = storable(bot({ Welcome: [text('Hi')] }))

const flow = bot(
  {
    Welcome: [
      text('Hello! Shall we begin?'),
      {
        type: 'choice input',
        items: [
          { id: 'yes', content: 'Yes', to: 'Contact' },
          { id: 'no', content: 'No', to: 'Bye' },
        ],
      },
    ],
    Contact: [ask('Name'), { type: 'email input', options: { variableId: idOf('E-mail') }, to: 'Thanks' }],
    Thanks: [text('Thank you, {{Name}}!')],
    Bye: [text('See you soon')],
  },
  { variables: ['Name', 'E-mail'] },
)

async function publishFlow(name: string) {
  const groups = (flow.groups as { id: string }[]).map((group) => ({ ...group, title: group.id }))
  const published = await publish(app, site, { ...flow, groups }, name)
  return published.id
}

async function storedTexts(botId: string): Promise<string> {
  const { body } = await app.client.call('getBot', { as: site.member, params: { botId } })
  return JSON.stringify(body.bot.groups)
}

/** Waits for a text in the stored flow: "Saved" alone may be of the edit before. */
async function expectSaved(page: Page, botId: string, text: string) {
  await until(`the flow has ${text}`, async () => (await storedTexts(botId)).includes(text))
  await page.getByText('Saved', { exact: true }).waitFor()
}

/** A file as a member chooses it. */
const fileOf = (name: string, content: string) => ({
  name,
  mimeType: 'application/json',
  buffer: Buffer.from(content),
})

withBrowser('the pages of members', () => {
  beforeAll(async () => {
    app = await startApp()
    site = (await makeWorld(app)).here
    browser = await launch()
  })

  afterEach(async () => {
    for (const context of browser?.contexts() ?? []) await context.close()
    expect(complaints.splice(0)).toEqual([])
  })

  afterAll(async () => {
    await browser?.close()
    await app?.stop()
  })

  test('the members pages load nothing from elsewhere, cannot be framed, and are small', async () => {
    const page = await fetch(`${app.url}/bots`)
    expect(page.headers.get('content-security-policy')).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: https:; connect-src 'self'; frame-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    )
    const names = [...(await page.text()).matchAll(/bots\/files\/[\w.]+/g)].map(([name]) => name)
    expect(names).toHaveLength(2)
    const sizes = await Promise.all(
      names.map(async (name) => {
        const response = await fetch(`${app.url}/${name}`, { headers: { 'Accept-Encoding': 'gzip' } })
        return Number(response.headers.get('content-length'))
      }),
    )
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(250_000)
  })

  test('a pasted token signs in, and an invalid one is reported', async () => {
    const context = await newContext(browser, { baseURL: app.url, ...desktop })
    const page = await context.newPage()
    await page.goto('/bots')
    await page.getByLabel('Or use an access token').fill('nothing')
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByRole('alert').waitFor()
    expect(await violationsOn(page)).toEqual([])
    await picture(page, 'sign-in')
    await page.getByLabel('Or use an access token').fill(site.member.token)
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByRole('heading', { name: 'Bots', exact: true }).waitFor()
  })

  test.each([
    ['desktop-light', desktop, 'light'],
    ['phone-dark', phone, 'dark'],
  ] as const)(
    'the list shows folders and bots, and axe finds nothing (%s)',
    async (name, options, colorScheme) => {
      const page = await open('/bots', { ...options, colorScheme })
      await page.getByRole('list', { name: 'Bots' }).getByRole('listitem').first().waitFor()
      expect(await violationsOn(page)).toEqual([])
      await picture(page, `list-${name}`)
      await page
        .getByRole('button', { name: /^Actions for / })
        .last()
        .click()
      expect(await violationsOn(page)).toEqual([])
      await picture(page, `list-menu-${name}`)
      await page.keyboard.press('Escape')
      const width = await page.evaluate('document.documentElement.scrollWidth - innerWidth')
      expect(width).toBeLessThanOrEqual(0)
    },
  )

  test('folders are created, renamed, moved and deleted, and their contents are kept', async () => {
    const page = await open('/bots')
    await page.getByRole('button', { name: 'More actions' }).click()
    await page.getByRole('menuitem', { name: 'New folder' }).click()
    await page.getByLabel('Name', { exact: true }).fill('Spring')
    await page.keyboard.press('Enter')
    await page.getByRole('link', { name: 'Spring', exact: true }).click()
    await page.getByRole('heading', { name: 'This folder is empty' }).waitFor()
    await page.getByRole('navigation', { name: 'Folders' }).getByRole('link', { name: 'Bots' }).click()
    await page.getByRole('button', { name: 'Actions for folder Spring' }).click()
    await page.getByRole('menuitem', { name: 'Rename' }).click()
    await page.getByLabel('Name', { exact: true }).fill('Summer')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Actions for folder Summer' }).click()
    await page.getByRole('menuitem', { name: 'Move' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('listitem').first().getByRole('button').click()
    await dialog.getByRole('button', { name: 'Move here' }).click()
    await page.getByRole('link', { name: 'Summer', exact: true }).waitFor({ state: 'detached' })
    await page.getByRole('list', { name: 'Folders' }).getByRole('link').first().click()
    await page.getByRole('button', { name: 'Actions for folder Summer' }).click()
    await page.getByRole('menuitem', { name: 'Delete' }).click()
    await page.getByRole('button', { name: 'Delete folder' }).click()
    await page.getByRole('link', { name: 'Summer', exact: true }).waitFor({ state: 'detached' })
  })

  test('a bot is imported, found, duplicated, renamed and deleted', async () => {
    const page = await open('/bots')
    await page.getByRole('button', { name: 'More actions' }).click()
    await page.getByRole('menuitem', { name: 'Import a file' }).click()
    await page
      .getByLabel('Choose files')
      .setInputFiles([
        fileOf('half.json', '{"groups": ['),
        fileOf('none.json', '{"name": "Other"}'),
        fileOf('good.json', JSON.stringify({ ...document, version: '6.1', name: 'Brought along' })),
      ])
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('button', { name: 'Open Brought along' }).waitFor()
    expect(await dialog.getByText('half.json is not JSON').count()).toBe(1)
    expect(await dialog.getByText('A bot document has a list of groups').count()).toBe(1)
    expect(await violationsOn(page)).toEqual([])
    await picture(page, 'import')
    // Browsers report responses that are errors.
    expect(complaints.splice(0).filter((complaint) => !complaint.includes('400'))).toEqual([])
    await page.keyboard.press('Escape')
    await page.getByLabel('Search bots').fill('brought')
    const bots = page.getByRole('list', { name: 'Bots' })
    await page.getByRole('button', { name: 'Actions for Brought along', exact: true }).click()
    await page.getByRole('menuitem', { name: 'Duplicate' }).click()
    await page.getByRole('button', { name: 'Actions for Brought along (copy)' }).click()
    await page.getByRole('menuitem', { name: 'Rename' }).click()
    await page.getByLabel('Name', { exact: true }).fill('Brought twice')
    await page.keyboard.press('Enter')
    await bots.getByRole('link', { name: 'Brought twice' }).waitFor()
    expect(await bots.getByRole('listitem').count()).toBe(2)
    await page.getByRole('button', { name: 'Actions for Brought twice' }).click()
    await page.getByRole('menuitem', { name: 'Delete' }).click()
    await page.getByRole('button', { name: 'Delete bot' }).click()
    await bots.getByRole('link', { name: 'Brought twice' }).waitFor({ state: 'detached' })
    expect(await bots.getByRole('listitem').count()).toBe(1)
  })

  test.each([
    ['desktop-light', desktop, 'light'],
    ['desktop-dark', desktop, 'dark'],
    ['phone-light', phone, 'light'],
  ] as const)(
    'the flow is a picture and a list, and axe finds nothing (%s)',
    async (name, options, colorScheme) => {
      const id = await publishFlow(`Flow ${name}`)
      const page = await open(`/bots/${id}`, { ...options, colorScheme })
      if (options === phone) await page.getByRole('region', { name: 'Group Welcome' }).waitFor()
      await page.getByRole('button', { name: 'Text: Hello! Shall we begin?' }).waitFor()
      expect(await violationsOn(page)).toEqual([])
      await picture(page, `flow-${name}`)
      await page.getByRole('button', { name: /^(List|Picture)$/ }).click()
      expect(await violationsOn(page)).toEqual([])
      await picture(page, `flow-other-${name}`)
      await page.getByRole('button', { name: /Buttons question: Buttons/ }).click()
      await page.getByLabel('Yes', { exact: true }).waitFor()
      expect(await violationsOn(page)).toEqual([])
      await picture(page, `flow-panel-${name}`)
      const width = await page.evaluate('document.documentElement.scrollWidth - innerWidth')
      expect(width).toBeLessThanOrEqual(0)
    },
  )

  test('a text is changed, saved by itself, undone and saved again', async () => {
    const id = await publishFlow('Texts')
    const page = await open(`/bots/${id}`)
    await page.getByRole('button', { name: 'Text: Hello! Shall we begin?' }).click()
    await page.getByLabel('Message').fill('Good morning, **{{na')
    await page.getByRole('option', { name: 'Name' }).waitFor()
    await page.keyboard.press('Enter')
    await page.keyboard.type('**')
    await expectSaved(page, id, '{"text":"Good morning, "},{"text":"{{Name}}","bold":true}')
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByRole('button', { name: 'Text: Hello! Shall we begin?' }).waitFor()
    await expectSaved(page, id, 'Hello! Shall we begin?')
  })

  test('blocks are added, connected and deleted by keyboard alone', async () => {
    const id = await publishFlow('Keyboard')
    const page = await open(`/bots/${id}`)
    const thanks = page.getByRole('region', { name: 'Group Thanks' })
    await thanks.getByRole('button', { name: 'Add block' }).focus()
    await page.keyboard.press('Enter')
    await page.getByRole('searchbox', { name: 'Search blocks' }).fill('rating')
    await page.keyboard.press('Enter')
    await page.getByLabel('Then').selectOption({ label: 'Bye' })
    await page.getByText('Saved', { exact: true }).waitFor()
    const { body } = await app.client.call('getBot', { as: site.member, params: { botId: id } })
    const group = body.bot.groups.find(({ title }: { title: string }) => title === 'Thanks')
    expect(group?.blocks).toHaveLength(2)
    expect(body.bot.edges.at(-1)).toMatchObject({ from: { blockId: group?.blocks[1]?.id } })
    await page.getByRole('button', { name: 'Delete block' }).press('Enter')
    await page.getByRole('button', { name: 'Rating' }).waitFor({ state: 'detached' })
  })

  test('two members change one text, and the later one chooses', async () => {
    const id = await publishFlow('Both')
    const page = await open(`/bots/${id}`)
    const message = page.getByLabel('Message')
    await page.getByRole('button', { name: 'Text: Hello! Shall we begin?' }).click()
    await message.waitFor()
    const { body } = await app.client.call('getBot', { as: site.member, params: { botId: id } })
    const text = JSON.stringify(body.bot.groups).replace('Hello! Shall we begin?', 'Theirs')
    await app.client.call('updateBot', {
      as: site.member,
      params: { botId: id },
      body: { bot: { version: '6.1', groups: JSON.parse(text) } },
    })
    await message.fill('Mine')
    await page.getByRole('heading', { name: /Group “Welcome” › Text “Mine”/ }).waitFor()
    expect(await violationsOn(page)).toEqual([])
    await picture(page, 'conflict')
    await page.getByRole('button', { name: 'Take all of theirs' }).click()
    await page.getByRole('button', { name: 'Save these' }).click()
    await page.getByRole('button', { name: 'Text: Theirs' }).waitFor()
    expect(await storedTexts(id)).toContain('Theirs')
    expect(complaints.splice(0).filter((complaint) => !complaint.includes('412'))).toEqual([])
  })

  test('edits without a connection are saved after a reload', async () => {
    const id = await publishFlow('Away')
    const page = await open(`/bots/${id}`)
    await page.getByRole('button', { name: 'Text: See you soon' }).click()
    await page.route('**/v1/bots/**', (route) => route.abort())
    await page.getByLabel('Message').fill('See you on Monday')
    await page.getByText('No connection. Your changes are kept in this browser.').waitFor()
    await page.unroute('**/v1/bots/**')
    await page.reload()
    await page.getByRole('button', { name: 'Text: See you on Monday' }).waitFor()
    await expectSaved(page, id, 'See you on Monday')
    complaints.splice(0)
  })

  test('the draft runs as a chat beside the flow, also from a group', async () => {
    const id = await publishFlow('Try')
    const page = await open(`/bots/${id}`)
    await page.getByRole('button', { name: 'Test', exact: true }).click()
    const chat = page.frameLocator('iframe[title="Chat with the draft"]')
    await chat.getByText('Hello! Shall we begin?').waitFor()
    await picture(page, 'test')
    // The chat takes a part of the picture.
    await page.getByRole('button', { name: 'Show everything' }).click()
    await page.getByRole('button', { name: 'Thanks', exact: true }).click()
    await page.getByRole('button', { name: 'Test from this group' }).click()
    await chat.getByText('Thank you').waitFor()
  })

  test('history shows changes and restores, settings rename', async () => {
    const id = await publishFlow('Old name')
    const page = await open(`/bots/${id}`)
    await page.getByRole('button', { name: 'Text: See you soon' }).click()
    await page.getByLabel('Message').fill('Never')
    await page.getByRole('link', { name: 'History' }).click()
    await page
      .getByText(/Block .* changed/)
      .first()
      .waitFor()
    expect(await violationsOn(page)).toEqual([])
    await picture(page, 'history')
    await page.getByRole('button', { name: 'Restore' }).click()
    await page.getByRole('button', { name: 'Restore into the draft' }).click()
    await page.getByText('No changes').waitFor()
    await page.getByRole('link', { name: 'Settings' }).click()
    await page.getByLabel('Name', { exact: true }).fill('New name')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByRole('heading', { name: 'New name' }).waitFor()
    await page.getByText('Theme').first().waitFor()
    expect(await violationsOn(page)).toEqual([])
    await picture(page, 'settings')
  })

  test('a block is edited as JSON, in an editor that offers its properties', async () => {
    const id = await publishFlow('JSON')
    const page = await open(`/bots/${id}`)
    await page.getByRole('button', { name: 'Text question: Text → Name' }).click()
    await page.getByRole('button', { name: 'JSON', exact: true }).click()
    const editor = page.getByRole('textbox', { name: 'Text question as JSON' })
    await editor.waitFor()
    expect(await violationsOn(page)).toEqual([])
    await picture(page, 'json')
    await editor.press('Control+a')
    await page.keyboard.insertText(
      '{"id": "Contact.0", "type": "text input", "options": {"isLong": true, "own": 1}}',
    )
    await expectSaved(page, id, '"options":{"isLong":true,"own":1}')
    await page.keyboard.press('Control+Home')
    await page.keyboard.insertText('x')
    await page.getByText('This is not JSON yet. The last valid state is kept.').waitFor()
    expect(await storedTexts(id)).toContain('"own":1')
  })

  test('panning a bot of 100 groups re-renders none of them, and moving one re-renders no others', async () => {
    const groups = Array.from({ length: 100 }, (_, index): [string, Part[]] => [
      `G${index}`,
      [text(`Text ${index}`), ask(), { ...ask(), ...(index < 99 ? { to: `G${index + 1}` } : {}) }],
    ])
    const { id } = await publish(app, site, bot(Object.fromEntries(groups)), 'Large')
    const page = await open(`/bots/${id}`)
    await page.getByRole('button', { name: 'Title G0', exact: true }).waitFor()
    await picture(page, 'large')
    // Counts the elements of groups that a change touches: a picture that is rendered anew would touch all.
    const touched = (act: string) =>
      page.evaluate(`(async () => {
        const cards = new Set()
        const seen = new MutationObserver((changes) => {
          for (const { target } of changes) cards.add((target.nodeType === 1 ? target : target.parentElement).closest('.group-card'))
        })
        for (const card of document.querySelectorAll('.group-card')) {
          seen.observe(card, { attributes: true, childList: true, characterData: true, subtree: true })
        }
        ${act}
        await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))
        seen.disconnect()
        return cards.size
      })()`)
    const wheel = "new WheelEvent('wheel', { deltaX: 12, deltaY: 4, cancelable: true })"
    expect(await touched(`document.querySelector('.canvas').dispatchEvent(${wheel})`)).toBe(0)
    const key = "new KeyboardEvent('keydown', { key: 'ArrowDown', altKey: true, bubbles: true })"
    expect(
      await touched(
        `const card = document.querySelector('.group-head'); card.focus(); card.dispatchEvent(${key})`,
      ),
    ).toBeLessThan(3)
    await page.getByText('Saved', { exact: true }).waitFor()
  })
})
