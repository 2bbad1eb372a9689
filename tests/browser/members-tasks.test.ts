import { readFile } from 'node:fs/promises'
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { templates } from '../../server/templates/index.ts'
import { type App, startApp } from '../support/app.ts'
import { ask, bot, idOf, text } from '../support/chat.ts'
import { type Published, publish, reply, start } from '../support/chats.ts'
import type { Caller } from '../support/client.ts'
import { until } from '../support/process.ts'
import { makeWorld, type Site } from '../support/world.ts'
import { desktop, launch, newContext, phone, picture, violationsOn, watch, withBrowser } from './support.ts'

/* Tasks of members from the list of bots on: templates, results, tests of the draft, themes. */

let app: App
let site: Site
let browser: Browser
const complaints: string[] = []

async function open(
  path: string,
  options: BrowserContextOptions = desktop,
  { token }: Caller = site.member,
): Promise<Page> {
  const context = await newContext(browser, { baseURL: app.url, locale: 'en-GB', ...options })
  await context.addInitScript({ content: `sessionStorage.setItem('token', '${token}')` })
  if (process.env.QUICK) context.setDefaultTimeout(20_000)
  const page = await context.newPage()
  watch(page, app.url, complaints)
  await page.goto(path)
  return page
}

const feedbackBot = bot(
  {
    Welcome: [
      text('What is your name?'),
      ask('Name'),
      text('Nice, {{Name}}! How do you like it?'),
      { type: 'rating input', options: { variableId: idOf('Score') } },
      text('Thank you'),
    ],
  },
  { variables: ['Name', 'Score'] },
)

const schemes = [
  ['desktop', desktop],
  ['phone', phone],
  ['dark', { ...desktop, colorScheme: 'dark' as const }],
] as const

withBrowser('tasks of members', () => {
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

  test.each(schemes)('the dialog of templates shows a template as a chat, on %s', async (name, options) => {
    const page = await open('/bots', options)
    await page.getByRole('button', { name: 'New bot' }).first().click()
    const dialog = page.getByRole('dialog', { name: 'New bot' })
    await dialog.getByRole('button', { name: templates.at(-1)?.name }).waitFor()
    expect(await violationsOn(page)).toEqual([])
    await picture(page, `templates-empty-${name}`)
    for (const { name: title } of name === 'desktop' ? templates : templates.slice(0, 2)) {
      await dialog.getByRole('button', { name: title, exact: true }).click()
      await dialog.getByRole('heading', { name: title }).waitFor()
      expect(await dialog.getByRole('region', { name: 'The beginning of a chat' }).textContent()).not.toMatch(
        /\{\{|undefined/,
      )
      expect(await violationsOn(page)).toEqual([])
      await picture(page, `templates-${title}-${name}`)
    }
  })

  test('a bot is made from a template by keyboard alone', async () => {
    const page = await open('/bots')
    await page.getByRole('button', { name: 'New bot' }).first().focus()
    await page.keyboard.press('Enter')
    await page.getByRole('dialog').getByRole('button', { name: 'Quiz' }).waitFor()
    const focused = () => page.evaluate('document.activeElement.textContent')
    for (let presses = 0; (await focused()) !== '🧠Quiz' && presses < 30; presses += 1)
      await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Quiz' }).waitFor()
    for (let presses = 0; (await focused()) !== 'Use this template' && presses < 30; presses += 1)
      await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Quiz', level: 1 }).waitFor()
    await page.locator('[data-group=welcome]').waitFor()
    await picture(page, 'template-opened')
    expect(await violationsOn(page)).toEqual([])
    const { bots } = await app.client.ok('listBots', {
      as: site.member,
      query: { workspaceId: site.workspaceId },
    })
    expect(bots.map((bot: { name: string }) => bot.name)).toContain('Quiz')
  })

  test('the draft is tried beside its log and variables, and an event is added and deleted', async () => {
    const { id } = await publish(app, site, feedbackBot, 'Tried')
    const page = await open(`/bots/${id}`)
    await page.getByRole('button', { name: 'Test' }).click()
    const chat = page.frameLocator('iframe')
    await chat.getByRole('textbox').fill('Ada')
    await chat.getByRole('button', { name: 'Send' }).click()
    await chat.getByText('Nice, Ada!').waitFor()
    const test = page.getByRole('complementary', { name: 'Test' })
    await test.getByText('Variables', { exact: true }).click()
    expect(await test.locator('dl div').allInnerTexts()).toEqual([expect.stringMatching(/^Name\s+Ada$/)])
    await test.getByText('Log', { exact: true }).click()
    const log = await test.getByRole('list', { name: 'Log of the test' }).innerText()
    expect(log).toContain('Answer Ada')
    expect(log).toMatch(/Showed Text Nice, \{\{Name\}\}!/)
    expect(log).toMatch(/Asked Rating/)
    expect(await violationsOn(page)).toEqual([])
    await picture(page, 'tested')
    await test.getByRole('button', { name: 'Rating' }).click()
    await page.getByRole('heading', { name: 'Rating' }).waitFor()
    await page.getByRole('button', { name: 'Close the test' }).click()

    await page.getByRole('button', { name: 'Add an event' }).click()
    await page.getByRole('menuitem', { name: 'Invalid answer' }).click()
    await page.getByRole('button', { name: 'Delete event' }).waitFor()
    await page.getByText('Saved', { exact: true }).waitFor()
    const events = async () =>
      (await app.client.call('getBot', { as: site.member, params: { botId: id } })).body.bot.events
    expect(await events()).toMatchObject([{ type: 'start' }, { type: 'invalidReply' }])
    expect(await violationsOn(page)).toEqual([])
    await page.getByRole('button', { name: 'Delete event' }).click()
    await page.getByText('Saved', { exact: true }).waitFor()
    expect(await events()).toHaveLength(1)
  })

  test('the picture shows on wish where people leave', async () => {
    const made = await publish(app, site, feedbackBot, 'Left')
    await start(app, made)
    const page = await open(`/bots/${made.id}`)
    await page.getByRole('button', { name: 'Statistics' }).click()
    await page.getByText('1 asked, 0 % left').waitFor()
    expect(await violationsOn(page)).toEqual([])
    await picture(page, 'statistics')
    await page.getByRole('button', { name: 'Statistics' }).click()
    expect(await page.locator('.block-stats').count()).toBe(0)
  })

  describe('results', () => {
    let made: Published

    beforeAll(async () => {
      made = await publish(app, site, feedbackBot, 'Opinions')
      for (const [index, name] of ['Ada', 'Ben', 'Cleo', 'Dan'].entries()) {
        const { sessionId } = await start(app, made)
        await reply(app, sessionId, name, 1)
        if (name !== 'Dan') await reply(app, sessionId, String(10 - index), 2)
        app.clock.advance(26 * 60 * 60 * 1000)
      }
    })

    test('a row opens transcript and log, columns sort, and filters are part of the address', async () => {
      const page = await open(`/bots/${made.id}/results`)
      await page.getByText('4 results in all').waitFor()
      await page.locator('.results tbody tr').nth(3).waitFor()
      const column = (index: number) =>
        page.locator(`.results tbody tr td:nth-of-type(${index})`).allInnerTexts()
      // Choice and state come before the answers.
      expect(await column(3)).toEqual(['Dan', 'Cleo', 'Ben', 'Ada'])
      await page.getByRole('button', { name: 'Score' }).click()
      expect(await column(4)).toEqual(['8', '9', '10', ''])
      await page.getByRole('button', { name: 'Score' }).click()
      expect(await column(4)).toEqual(['10', '9', '8', ''])
      await page.getByRole('button', { name: 'What is your name?' }).waitFor()
      expect(await violationsOn(page)).toEqual([])
      await picture(page, 'results')

      await page.locator('.results tbody tr', { hasText: 'Ben' }).click()
      const dialog = page.getByRole('dialog')
      await dialog.getByText('Nothing was noticed while the chat ran.').waitFor()
      expect(await dialog.getByRole('list', { name: 'Transcript' }).allInnerTexts()).toEqual([
        expect.stringContaining('Nice, Ben!'),
      ])
      expect(await violationsOn(page)).toEqual([])
      await picture(page, 'result')
      await page.keyboard.press('Escape')

      await page.getByLabel('An answer contains').fill('cle')
      await page.getByRole('button', { name: 'Filter' }).click()
      await page.getByText('1 result in all').waitFor()
      expect(page.url()).toContain('/results?words=cle')
      await page.reload()
      await page.getByText('1 result in all').waitFor()
      expect(await page.getByLabel('An answer contains').inputValue()).toBe('cle')
      await page.goBack()
      await page.getByText('4 results in all').waitFor()
    })

    const stored = async () => {
      const { bot } = await app.client.ok('getBot', { as: site.member, params: { botId: made.id } })
      return bot.resultsTablePreferences
    }
    const write = (change: object) =>
      app.client.ok('updateBot', {
        as: site.member,
        params: { botId: made.id },
        body: { bot: { version: '6.1', ...change } } as never,
      })
    const eventsOf = async (botId: string) => {
      const { bot } = await app.client.ok('getBot', { as: site.member, params: { botId } })
      return (bot.events as object[]).length
    }
    const headings = (page: Page) => page.locator('.results thead .sort > span:first-child').allInnerTexts()

    test('columns that a member hides or moves by keyboard are those of everybody, and the file has all', async () => {
      await write({ resultsTablePreferences: null })
      const page = await open(`/bots/${made.id}/results`)
      await page.getByText('4 results in all').waitFor()
      await page.getByRole('button', { name: 'Columns' }).click()
      const dialog = page.getByRole('dialog')
      await dialog.getByText('Everybody who works on this bot').waitFor()
      await dialog.getByRole('button', { name: 'Move Name down' }).focus()
      await page.keyboard.press('Enter')
      await dialog.getByText('Name is column 2 of 2.').waitFor({ state: 'attached' })
      expect(await page.evaluate('document.activeElement.ariaLabel')).toBe('Move Name up')
      await until('the order is stored', async () => (await stored())?.columnsOrder.length === 2)
      await page.keyboard.press('Escape')
      expect(await headings(page)).toEqual(['Began', 'State', 'Score', 'Name'])
      await page.getByRole('button', { name: 'Columns' }).click()
      await dialog.getByRole('checkbox', { name: /^Score / }).uncheck()
      await page.getByRole('button', { name: 'Done' }).click()
      await until('it is hidden for all', async () =>
        Object.values((await stored())?.columnsVisibility ?? {}).includes(false),
      )
      const other = await open(`/bots/${made.id}/results`)
      await other.getByText('4 results in all').waitFor()
      await other.locator('.results').waitFor()
      expect(await headings(other)).toEqual(['Began', 'State', 'Name'])
      await other.getByRole('button', { name: 'Download' }).click()
      const [file] = await Promise.all([
        other.waitForEvent('download'),
        other.getByRole('menuitem', { name: 'As CSV, for spreadsheets' }).click(),
      ])
      const saved = await readFile(await file.path(), 'utf8')
      expect([saved.charAt(0), saved.includes('Score'), saved.split('\r\n').length]).toEqual([
        '\ufeff',
        true,
        6,
      ])
    })

    test('columns that another editor stored are shown, with its widths, and what is not ours stays', async () => {
      const { bot } = await app.client.ok('getBot', { as: site.member, params: { botId: made.id } })
      const blocks = (bot.groups as { blocks: { id: string; type: string }[] }[]).flatMap(
        (group) => group.blocks,
      )
      const [name = '', score = ''] = ['text input', 'rating input'].map(
        (type) => blocks.find((block) => block.type === type)?.id,
      )
      const theirs = {
        columnsOrder: ['select', 'date', score, name, 'logs'],
        columnsVisibility: { date: true },
        columnsWidth: { [score]: 333, logs: 50 },
        density: 'compact',
      }
      await write({ resultsTablePreferences: theirs })
      const page = await open(`/bots/${made.id}/results`)
      await page.locator('.results').waitFor()
      expect(await headings(page)).toEqual(['Began', 'State', 'Score', 'Name'])
      const cell = page.locator('.results td[data-title=Score] .cell').first()
      expect((await cell.boundingBox())?.width).toBe(333)
      await page.getByRole('button', { name: 'Columns' }).click()
      await page
        .getByRole('dialog')
        .getByRole('checkbox', { name: /^Name / })
        .uncheck()
      await until(
        'it is stored',
        async () => Object.keys((await stored())?.columnsVisibility ?? {}).length === 2,
      )
      expect(await stored()).toEqual({ ...theirs, columnsVisibility: { date: true, [name]: false } })
    })

    test('choosing columns disturbs no edit of the flow, and loses none', async () => {
      await write({ resultsTablePreferences: null })
      const flow = await open(`/bots/${made.id}`)
      await flow.getByText('Saved', { exact: true }).waitFor()
      const results = await open(`/bots/${made.id}/results`)
      await results.locator('.results').waitFor()
      const before = await eventsOf(made.id)
      await results.getByRole('button', { name: 'Columns' }).click()
      await results
        .getByRole('dialog')
        .getByRole('checkbox', { name: /^Score / })
        .uncheck()
      await until('it is stored', async () => (await stored()) !== null)
      await flow.getByRole('button', { name: 'Add an event' }).click()
      await flow.getByRole('menuitem').first().click()
      await until('the event is stored', async () => (await eventsOf(made.id)) === before + 1)
      await flow.getByText('Saved', { exact: true }).waitFor()
      expect(await flow.getByText('Somebody else').count()).toBe(0)
      expect(await flow.getByRole('button', { name: 'Undo' }).isEnabled()).toBe(true)
      expect(Object.values((await stored())?.columnsVisibility ?? {})).toEqual([false])
      // The results page has a state of before the event.
      await results
        .getByRole('dialog')
        .getByRole('checkbox', { name: /^Name / })
        .uncheck()
      await until(
        'both are stored',
        async () => Object.keys((await stored())?.columnsVisibility ?? {}).length === 2,
      )
      expect(await eventsOf(made.id)).toBe(before + 1)
      // Browsers log each 412 after a faster edit.
      complaints.splice(0, Number.POSITIVE_INFINITY, ...complaints.filter((line) => !line.includes('412')))
    })

    test("a reader's choice of columns stays in the browser", async () => {
      await write({ resultsTablePreferences: null })
      const scopes = ['read', 'results'] as const
      const { apiToken } = await app.client.ok('createToken', {
        as: site.member,
        body: { name: 'Reader', scopes: [...scopes] },
      })
      const page = await open(`/bots/${made.id}/results`, desktop, apiToken)
      await page.locator('.results').waitFor()
      await page.getByRole('button', { name: 'Columns' }).click()
      await page.getByRole('checkbox', { name: /^Score / }).uncheck()
      await page.getByText('This browser keeps your choice').waitFor()
      await page.getByRole('button', { name: 'Move Name down' }).click()
      await page.getByRole('button', { name: 'Done' }).click()
      await page.reload()
      await page.locator('.results').waitFor()
      expect(await headings(page)).toEqual(['Began', 'State', 'Name'])
      expect(await stored()).toBeNull()
      // Browsers note what the token may not do.
      complaints.splice(0, Number.POSITIVE_INFINITY, ...complaints.filter((line) => !line.includes('403')))
    })

    test.each([...schemes, ['phone-dark', { ...phone, colorScheme: 'dark' as const }] as const])(
      'the choice of columns fits and is accessible, on %s',
      async (name, options) => {
        await write({ resultsTablePreferences: null })
        const page = await open(`/bots/${made.id}/results`, options)
        await page.locator('.results').waitFor()
        await page.getByRole('button', { name: 'Columns' }).click()
        await page.getByRole('button', { name: 'Move Score up' }).click()
        await page
          .getByRole('dialog')
          .getByRole('checkbox', { name: /^Name / })
          .uncheck()
        expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(options.viewport.width)
        expect(await violationsOn(page)).toEqual([])
        await picture(page, `columns-${name}`)
        await page.getByRole('button', { name: 'Done' }).click()
        await until('it is stored', async () => (await stored()) !== null)
        await picture(page, `columns-chosen-${name}`)
        await write({ resultsTablePreferences: null })
      },
    )

    test.each(schemes)('the page fits and is accessible, on %s', async (name, options) => {
      const page = await open(`/bots/${made.id}/results`, options)
      await page.getByText('4 results in all').waitFor()
      await page.getByText('Where people continue, and where they leave').click()
      await page.locator('.funnel').waitFor()
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(options.viewport.width)
      expect(await violationsOn(page)).toEqual([])
      await picture(page, `results-${name}`)
      await page.locator('.results').scrollIntoViewIfNeeded()
      await picture(page, `results-table-${name}`)
    })

    test('chosen results are deleted after a question', async () => {
      const page = await open(`/bots/${made.id}/results`)
      await page.getByText('4 results in all').waitFor()
      await page.locator('.results tbody tr', { hasText: 'Ada' }).getByRole('checkbox').check()
      await page.locator('.results tbody tr', { hasText: 'Dan' }).getByRole('checkbox').check()
      await page.getByRole('button', { name: 'Delete 2 results' }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).click()
      await page.getByText('2 results in all').waitFor()
      const { results } = await app.client.ok('listResults', { as: site.member, params: { botId: made.id } })
      expect(results).toHaveLength(2)
    })
  })
})
