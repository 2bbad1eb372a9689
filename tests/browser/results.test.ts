import { readFile } from 'node:fs/promises'
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals'
import { parse } from 'csv-parse/sync'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { type App, startApp } from '../support/app.ts'
import { ask, bot, idOf, text } from '../support/chat.ts'
import { type Published, publish } from '../support/chats.ts'
import { runs } from '../support/runs.ts'
import { makeWorld, type Site } from '../support/world.ts'
import {
  desktop,
  gate,
  launch,
  newContext,
  phone,
  picture,
  violationsOn,
  watch,
  withBrowser,
} from './support.ts'

/* Somebody looks at the results of their bot, of which there are many. */

/** More than are looked through for one answer, and than one part of a download has. */
const RESULTS = runs(25_000, 100_000)
const PART = 10_000

let app: App
let site: Site
let published: Published
let browser: Browser
const complaints: string[] = []

const flow = bot(
  {
    Welcome: [
      text('Hi'),
      { type: 'choice input', items: [{ id: 'go', content: 'Go' }] },
      ask('Name', { to: 'Contact' }),
    ],
    Contact: [
      { type: 'email input', options: { variableId: idOf('E-mail') } },
      { type: 'file input', options: { isRequired: false } },
      {
        type: 'text input',
        options: { isLong: true, variableId: idOf('What they would like to be told about') },
      },
    ],
  },
  { variables: ['Name', 'E-mail', 'What they would like to be told about', 'Score'] },
)

/**
 * Chats of 33 days, as many in each. One in five says hello and goes, one in ten gives no e-mail, one in four
 * leaves after that, the rest come to the end.
 */
async function addResults(botId: string) {
  await app.pool.query(
    `INSERT INTO results (bot_id, id, variables, has_started, is_completed, waiting_block_id, waits_until, created_at,
      updated_at)
    SELECT $1, 'result-' || n, CASE WHEN n % 5 = 0 THEN '[]' ELSE '[{"id":"${idOf('Name')}","name":"Name","value":"Ada ' || n
        || '"},{"id":"${idOf('Score')}","name":"Score","value":"' || n % 7 || '"}]' END::json,
      true, n % 5 > 0 AND n % 10 <> 1 AND n % 4 > 0,
      CASE WHEN n % 5 = 0 THEN 'Welcome.2' WHEN n % 10 = 1 THEN 'Contact.0' WHEN n % 4 = 0 THEN 'Contact.1' END,
      at + interval '48 hours', at, at
    FROM (SELECT n, '2026-03-10T11:59:00Z'::timestamptz - n * interval '33 days' / $2::int AS at
      FROM generate_series(1, $2::int) n) AS made`,
    [botId, RESULTS],
  )
  await app.pool.query(
    `INSERT INTO result_answers (bot_id, result_id, seq, block_id, content, attached_file_urls, created_at)
    SELECT $1, 'result-' || n, a.seq, a.block_id, a.content,
      CASE WHEN a.seq = 3 THEN ARRAY['https://example.com/plan%20b.pdf'] END, now()
    FROM generate_series(1, $2::int) n CROSS JOIN LATERAL (VALUES (0, 'Welcome.1', 'Go'), (1, 'Welcome.2', 'Ada ' || n),
      (2, 'Contact.0', 'ada' || n || '@example.com'), (3, 'Contact.1', 'https://example.com/plan%20b.pdf'),
      (4, 'Contact.2', E'News, "above all"\\nof boats')) AS a(seq, block_id, content)
    WHERE a.seq < CASE WHEN n % 5 = 0 THEN 1 WHEN n % 10 = 1 THEN 2 WHEN n % 4 = 0 THEN 3 ELSE 5 END`,
    [botId, RESULTS],
  )
}

async function open(options: BrowserContextOptions, path = '/results'): Promise<Page> {
  const context = await newContext(browser, { baseURL: app.url, locale: 'en-GB', ...options })
  const page = await context.newPage()
  watch(page, app.url, complaints)
  await page.goto(path)
  return page
}

/** As far as the answers of a bot: the first one of the workspace, unless it is named. */
async function enter(page: Page, { token } = site.member, name?: string) {
  await page.getByLabel('Access token').fill(token)
  await page.getByRole('button', { name: 'Continue' }).click()
  if (name) await botOf(page).selectOption({ label: name })
  await page.getByText(/Showing|No results/).waitFor()
}

/** All results of the bot that has many. */
async function openAll(): Promise<Page> {
  const page = await open(desktop)
  await enter(page, site.member, 'Boats and hats')
  await page.getByLabel('Period').selectOption('allTime')
  await page.getByRole('button', { name: 'Show' }).click()
  await page.getByText('Showing the newest 50 ').waitFor()
  return page
}

const botOf = (page: Page) => page.getByRole('combobox', { name: 'Bot', exact: true })

/** A share of all results, as the page writes it. */
const inWords = (share: number) => (share * RESULTS).toLocaleString('en')

const rows = (page: Page) => page.locator('#answers tbody tr')

const overview = (page: Page) => page.locator('#overview dd').allTextContents()

withBrowser('the page of results', () => {
  beforeAll(async () => {
    app = await startApp()
    site = (await makeWorld(app)).here
    published = await publish(app, site, flow, 'Boats and hats')
    await addResults(published.id)
    await app.pool.query('ANALYZE results, result_answers')
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

  test('the page of results loads nothing from elsewhere and cannot be framed', async () => {
    const page = await fetch(`${app.url}/results`)
    expect(page.headers.get('content-security-policy')).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    )
  })

  const looks = [
    ['desktop-light', desktop, 'light'],
    ['phone-dark', phone, 'dark'],
    ['desktop-dark', desktop, 'dark'],
    ['phone-light', phone, 'light'],
  ] as const
  test.each(looks.slice(0, runs(2, looks.length)))(
    'the page of results shows results and statistics, and axe finds nothing (%s)',
    async (name, options, colorScheme) => {
      const page = await open({ ...options, colorScheme })
      expect(await violationsOn(page)).toEqual([])
      await picture(page, `results-entry-${name}`)
      await enter(page)
      expect(await rows(page).count()).toBe(50)
      expect(await page.locator('#answers thead th').allTextContents()).toEqual([
        'Began',
        'State',
        'Title Welcome',
        'Name',
        'E-mail',
        'Title Contact',
        'What they would like to be told about',
        'Score',
      ])
      expect(await rows(page).first().locator('td').allTextContents()).toEqual([
        'Not completed',
        'Go',
        'Ada 1',
        '',
        '',
        '',
        '1',
      ])
      await page.locator('.chart svg text.numbers').first().waitFor()
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(options.viewport.width)
      const answer = await rows(page).first().locator('td').nth(1).boundingBox()
      expect((answer?.x ?? Infinity) + (answer?.width ?? 0)).toBeLessThanOrEqual(options.viewport.width - 20)
      await page.getByText('As a table').click()
      await picture(page, `results-${name}`)
      await page.getByRole('heading', { name: 'Answers' }).scrollIntoViewIfNeeded()
      await page.locator('#answers').evaluate((element) => element.scrollIntoView())
      await picture(page, `results-answers-${name}`)
      expect(await violationsOn(page)).toEqual([])
    },
  )

  test('the numbers of the page are those of the API, and follow the filters', async () => {
    const page = await open(desktop)
    await enter(page)
    await page.getByLabel('Period').selectOption('allTime')
    await page.getByRole('button', { name: 'Show' }).click()
    await page.locator('.chart text.numbers', { hasText: new RegExp(`^${inWords(0.8)}`) }).waitFor()
    const { blocks } = await app.client.ok('getBlockStats', {
      as: site.member,
      params: { botId: published.id },
      query: {},
    })
    const shown = blocks.map(({ shown, answered, left }) =>
      [shown, answered, shown - answered - left, left].map((number) => number.toLocaleString('en')),
    )
    const cells = await page
      .locator('#funnel tbody tr')
      .evaluateAll((all) =>
        all.map((row) => [...row.querySelectorAll('td')].map(({ textContent }) => textContent)),
      )
    expect(cells).toEqual(shown)
    expect(blocks.map(({ answered }) => answered)).toEqual(
      [1, 0.8, 0.7, 0.5, 0.5].map((share) => share * RESULTS),
    )
    expect(await overview(page)).toEqual([
      inWords(1),
      `${inWords(1)} 100 % of all chats`,
      `${inWords(0.5)} 50 % of those with an answer`,
    ])

    await page.getByLabel('Chats').selectOption('completed')
    await page.getByLabel('Period').selectOption('between')
    await page.getByLabel('First day').fill('2026-03-01')
    await page.getByLabel('Last day').fill('2026-03-02')
    const asked = page.waitForRequest(/analytics\/stats/)
    await page.getByRole('button', { name: 'Show' }).click()
    const { searchParams } = new URL((await asked).url())
    const span =
      Date.parse(String(searchParams.get('createdBefore'))) -
      Date.parse(String(searchParams.get('createdAfter')))
    expect([span, searchParams.get('status')]).toEqual([2 * 24 * 60 * 60 * 1000, 'completed'])
    await page.locator('#shown', { hasText: /Showing/ }).waitFor()
    expect(new Set(await page.locator('#answers .state').allTextContents())).toEqual(new Set(['Completed']))
  })

  test('answers are searched, one part at a time, and More shows the next', async () => {
    const page = await open(desktop)
    await enter(page)
    await page.getByRole('button', { name: 'More', exact: true }).click()
    await page.getByText('Showing the newest 100 ').waitFor()
    expect(await rows(page).count()).toBe(100)

    await page.getByLabel('Period').selectOption('allTime')
    await page.getByLabel('An answer contains').fill('ADA12346@')
    await page.getByRole('button', { name: 'Show' }).click()
    await page.getByText('No results so far; there may be more.').waitFor()
    await page.getByRole('button', { name: 'More', exact: true }).click()
    await page.getByText('Showing the newest 1 ').waitFor()
    const cells = rows(page).first()
    expect(await cells.textContent()).toContain('ada12346@example.com')
    expect(await cells.getByRole('link').textContent()).toBe('plan b.pdf')

    await page.getByLabel('An answer contains').fill('')
    await page.getByLabel('Variable').selectOption('Score')
    await page.getByLabel('is', { exact: true }).fill('3')
    await page.getByRole('button', { name: 'Show' }).click()
    await page.getByText('Showing the newest 50 ').waitFor()
    expect(new Set(await page.locator('#answers td:last-child').allTextContents())).toEqual(new Set(['3']))
  })

  test('an answer of words and a file shows both, and one that is the file shows it once', async () => {
    const other = await publish(app, site, flow, 'Words and files')
    await app.pool.query(
      `INSERT INTO results (bot_id, id, variables, has_started, is_completed, created_at, updated_at)
      VALUES ($1, 'one', '[]', true, true, '2026-03-10T11:00:00Z', '2026-03-10T11:00:00Z')`,
      [other.id],
    )
    const [wheel, plan] = ['https://example.com/wheel.png', 'https://example.com/plan.pdf']
    const words = 'The left wheel is loose, please call me back at 5'
    await app.pool.query(
      `INSERT INTO result_answers (bot_id, result_id, seq, block_id, content, attached_file_urls, created_at)
      VALUES ($1, 'one', 0, 'Contact.1', $2, ARRAY[$2], now()), ($1, 'one', 1, 'Contact.2', $3, ARRAY[$4], now())`,
      [other.id, plan, words, wheel],
    )
    const page = await open(desktop)
    await enter(page, site.member, 'Words and files')
    const cells = await rows(page).first().locator('td').allTextContents()
    expect(cells.filter((cell) => cell.includes('plan.pdf'))).toEqual(['plan.pdf'])
    const [both = ''] = cells.filter((cell) => cell.includes(words))
    expect(both).toContain('wheel.png')
    expect(await rows(page).first().getByRole('link').allTextContents()).toEqual(['plan.pdf', 'wheel.png'])
  })

  test('More leaves the table and the focus in place, also at the last page', async () => {
    const other = await publish(app, site, flow, 'A little more')
    await app.pool.query(
      `INSERT INTO results (bot_id, id, variables, has_started, is_completed, created_at, updated_at)
      SELECT $1, 'r' || n, '[]', true, false, '2026-03-10T11:00:00Z', '2026-03-10T11:00:00Z'
      FROM generate_series(1, 60) n`,
      [other.id],
    )
    const page = await open(phone)
    await enter(page, site.member, 'A little more')
    await page.evaluate(`document.querySelector('#answers .scrolls').scrollLeft = 100`)
    await page.getByRole('button', { name: 'More', exact: true }).focus()
    await page.keyboard.press('Enter')
    await rows(page).nth(59).waitFor()
    expect(await page.evaluate(`document.querySelector('#answers .scrolls').scrollLeft`)).toBe(100)
    expect(await page.evaluate('document.activeElement === document.body')).toBe(false)
  })

  test('answers of another bot disappear when the bot changes, and more answers do not delay its numbers', async () => {
    const page = await open(desktop)
    await enter(page)
    await botOf(page).selectOption(site.draft.id)
    await page.getByText('The bot is not published.').waitFor()
    const numbers = gate()
    await page.route(/analytics/, (route) => numbers.passed.then(() => route.continue()))
    await botOf(page).selectOption(published.id)
    await page.getByText('Showing the newest 50 ').waitFor()
    expect(await page.locator('#overview, #funnel-about, #funnel').allTextContents()).toEqual(['', '', ''])
    await page.getByRole('button', { name: 'More', exact: true }).click()
    await page.getByText('Showing the newest 100 ').waitFor()
    numbers.open()
    await page.locator('#overview dd').first().waitFor()
    await page.locator('.chart text.numbers').first().waitFor()
    // The browser tells that there is no published bot, and no numbers of it.
    expect(complaints.splice(0)).toEqual(Array(2).fill(expect.stringContaining('404')))
  })

  test('a token that cannot be sent, or is rejected, leaves the form, and is not stored', async () => {
    const page = await open(desktop)
    const field = page.getByLabel('Access token')
    await field.fill(`${site.member.token}\u200b`)
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByText('The token has a character that cannot be in it (U+200B).').waitFor()
    await field.fill('botb_pat_unknown')
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.locator('#problem').waitFor()
    expect(await page.evaluate('sessionStorage.length')).toBe(0)
    await page.reload()
    expect(await field.isVisible()).toBe(true)
    complaints.splice(0)
  })

  test('the page follows its address, and reports unknown parts of it', async () => {
    const other = await publish(app, site, bot({ Start: [ask()] }), 'Another bot')
    const page = await open(desktop, `/results#${site.workspaceId}/${published.id}`)
    await enter(page)
    await page.evaluate(`location.hash = '${site.workspaceId}/${other.id}'`)
    await page.getByText('No results', { exact: true }).waitFor()
    expect(await botOf(page).inputValue()).toBe(other.id)
    await page.evaluate(`location.hash = '${site.workspaceId}/nobody'`)
    await page.getByText('Bot not found').waitFor()
    expect(await page.evaluate('location.hash')).toBe(`#${site.workspaceId}/nobody`)
    await page.evaluate(`location.hash = 'nowhere/nobody'`)
    await page.getByText('Workspace not found').waitFor()
    expect(await page.locator('#report').isVisible()).toBe(false)
  })

  test('a last day before the first is reported, and the last day of all is accepted', async () => {
    const page = await open(desktop)
    await enter(page)
    await page.getByLabel('Period').selectOption('between')
    await page.getByLabel('First day').fill('2026-03-05')
    await page.getByLabel('Last day').fill('2026-03-01')
    await page.getByRole('button', { name: 'Show' }).click()
    await page.getByText('The last day is before the first day.').waitFor()
    expect(await page.locator('#shown').textContent()).toBe('')
    await page.getByLabel('Last day').fill('9999-12-31')
    const asked = page.waitForRequest(/analytics\/stats/)
    await page.getByRole('button', { name: 'Show' }).click()
    expect(new URL((await asked).url()).searchParams.get('createdBefore')).toBe('9999-12-31T23:59:59.999Z')
  })

  test('loading more bots does not delay the requested results', async () => {
    const page = await open(desktop)
    const asked: string[] = []
    await page.route('**/v1/bots?*', async (route) => {
      const { searchParams } = new URL(route.request().url())
      const cursor = searchParams.get('cursor') ?? ''
      asked.push(cursor)
      searchParams.delete('cursor')
      const response = await route.fetch({ url: `${app.url}/v1/bots?${searchParams}` })
      const { bots } = (await response.json()) as { bots: { id: string }[] }
      // As if one bot were all that is listed at a time.
      const isFirst = ({ id }: { id: string }) => id === published.id
      const json = cursor
        ? { bots: bots.filter((each) => !isFirst(each)), nextCursor: null }
        : { bots: bots.filter(isFirst), nextCursor: 'rest' }
      await route.fulfill({ response, json })
    })
    const results = gate()
    await page.route('**/results?*', (route) => results.passed.then(() => route.continue()).catch(() => {}))
    await page.getByLabel('Access token').fill(site.member.token)
    const [search] = await Promise.all([
      page.waitForRequest('**/results?*'),
      page.getByRole('button', { name: 'Continue' }).click(),
    ])
    await page.getByRole('button', { name: 'More bots' }).dblclick()
    await page.locator(`#bot option[value="${site.draft.id}"]`).waitFor({ state: 'attached' })
    expect(await page.getByRole('button', { name: 'More bots' }).isVisible()).toBe(false)
    results.open()
    expect(await search.response()).not.toBeNull()
    await page.getByText('Showing the newest 50 ').waitFor()
    expect(asked).toEqual(['', 'rest'])
  })

  test('a download is fetched in parts, and a part that breaks off is requested again', async () => {
    const page = await openAll()
    let asked = 0
    await page.route(/resultsExport/, (route) => (++asked === 2 ? route.abort() : route.continue()))
    const download = async (name: string) => {
      const [file] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('button', { name }).click(),
      ])
      return { name: file.suggestedFilename(), text: await readFile(await file.path(), 'utf8') }
    }
    const csv = await download('Download CSV')
    expect([csv.name, asked]).toEqual([`results-${published.id}.csv`, Math.ceil(RESULTS / PART) + 1])
    // The console of the browser shows the request that was broken off.
    expect(complaints.splice(0)).toEqual([expect.stringContaining('ERR_FAILED')])
    expect(csv.text.startsWith('\ufeff')).toBe(true)
    const records = parse(csv.text, { bom: true }) as string[][]
    expect(records.length).toBe(RESULTS + 1)
    expect(new Set(records.slice(1).map(([id]) => id)).size).toBe(RESULTS)
    expect(records[0]?.slice(0, 4)).toEqual(['Result', 'Submitted at', 'Completed', 'Title Welcome'])

    const lines = await download('Download JSON lines')
    const ids = lines.text
      .trimEnd()
      .split('\n')
      .map((line) => (JSON.parse(line) as { id: string }).id)
    expect([lines.name, ids.length, new Set(ids).size]).toEqual([
      `results-${published.id}.jsonl`,
      RESULTS,
      RESULTS,
    ])
    expect(await page.locator('#downloading').isVisible()).toBe(false)
  })

  test('a download can be stopped', async () => {
    const page = await open(desktop)
    await enter(page)
    let isAsked: () => void = () => {}
    const whenAsked = new Promise<void>((resolve) => {
      isAsked = resolve
    })
    await page.route(/resultsExport/, () => isAsked())
    await page.getByRole('button', { name: 'Download CSV' }).click()
    await whenAsked
    await page.getByRole('button', { name: 'Stop' }).click()
    await page.locator('#downloading').waitFor({ state: 'hidden' })
    expect(await page.getByRole('button', { name: 'Download CSV' }).isEnabled()).toBe(true)
  })

  test('signing out ends a download: no more is requested, and no file is saved', async () => {
    const page = await openAll()
    let asked = 0
    let files = 0
    page.on('download', () => (files += 1))
    const first = gate()
    await page.route(/resultsExport/, async (route) => {
      asked += 1
      await first.passed
      await route.continue().catch(() => {})
    })
    await page.getByRole('button', { name: 'Download CSV' }).click()
    while (asked === 0) await page.waitForTimeout(20)
    await page.getByRole('button', { name: 'Sign out' }).click()
    first.open()
    await page.locator('#downloading[hidden]').waitFor({ state: 'attached' })
    expect([asked, files, await page.locator('#problem').isVisible()]).toEqual([1, 0, false])
    // The next member who signs in downloads afresh.
    await page.unroute(/resultsExport/)
    await enter(page, site.member, 'Boats and hats')
    await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download CSV' }).click(),
    ])
  })

  test('the token is stored in the tab and nowhere else, and the address names the bot', async () => {
    const page = await open(desktop)
    await enter(page)
    await botOf(page).selectOption(published.id)
    expect(new URL(page.url()).hash).toBe(`#${site.workspaceId}/${published.id}`)
    expect(page.url()).not.toContain(site.member.token)
    await page.reload()
    await page.getByText('Showing the newest 50 ').waitFor()
    const stored =
      'JSON.stringify([Object.values(sessionStorage), Object.values(localStorage), document.cookie])'
    expect(await page.evaluate(stored)).toBe(JSON.stringify([[site.member.token], [], '']))

    const other = await page.context().newPage()
    await other.goto(page.url())
    expect(await other.getByLabel('Access token').inputValue()).toBe('')
    await enter(other)
    expect(await botOf(other).inputValue()).toBe(published.id)

    await page.getByRole('button', { name: 'Sign out' }).click()
    expect(await page.evaluate(stored)).toBe(JSON.stringify([[], [], '']))
    expect(await page.locator('#report').isVisible()).toBe(false)
  })

  test('the page reports an invalid token, and a bot that was never published', async () => {
    const page = await open(desktop)
    await page.getByLabel('Access token').fill('nobody')
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByRole('alert').waitFor()
    expect(await page.getByRole('alert').textContent()).not.toBe('')
    expect(await page.getByLabel('Access token').inputValue()).toBe('')
    await enter(page)
    expect(await page.getByRole('alert').isVisible()).toBe(false)
    await botOf(page).selectOption(site.draft.id)
    await page.getByText('The bot is not published.').waitFor()
    await page.getByText('No results', { exact: true }).waitFor()
    // The browser tells of both answers.
    expect(complaints.splice(0)).toEqual([
      expect.stringContaining('401'),
      expect.stringContaining('404'),
      expect.stringContaining('404'),
    ])
  })
})
