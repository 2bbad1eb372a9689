import { afterEach, expect, test } from '@jest/globals'
import pg from 'pg'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { ask, bot } from '../support/chat.ts'
import { storable } from '../support/chats.ts'
import { endProcesses, freePort, type Service, startService } from '../support/process.ts'
import { createDatabase, type TestDatabase } from '../support/server.ts'
import { desktop, launch, newContext, phone, withBrowser } from './support.ts'

/* Two people answer twenty questions each, while the service is killed and their pages are closed, three times. */

const STEPS = 20
/** After so many answers. */
const breaks = [5, 10, 15]

let database: TestDatabase | undefined
let browser: Browser | undefined

afterEach(async () => {
  await browser?.close()
  await endProcesses()
  await database?.drop()
})

const question = (step: number) => `Question ${step}?`

async function publishBot({ url, token }: Service): Promise<string> {
  const call = async (path: string, body?: object) => {
    const response = await fetch(url + path, {
      method: body ? 'POST' : 'GET',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    })
    return response.json()
  }
  const names = Array.from({ length: STEPS }, (_, step) => `V${step}`)
  const parts = names.flatMap((name, step) => [
    { type: 'text', content: { richText: [{ type: 'p', children: [{ text: question(step) }] }] } },
    ask(name),
  ])
  const settings = {
    general: { rememberUser: { isEnabled: true, storage: 'local' } },
    typingEmulation: { enabled: false },
  }
  const { id: _, ...flow } = storable(bot({ Start: parts }, { variables: names, settings }))
  const { workspaces } = (await call('/v1/workspaces')) as { workspaces: { id: string }[] }
  const created = { workspaceId: workspaces[0]?.id, bot: { ...flow, name: 'Bot', publicId: 'long' } }
  const made = (await call('/v1/bots', created)) as { bot: { id: string } }
  await call(`/v1/bots/${made.bot.id}/publish`, {})
  return made.bot.id
}

async function say(page: Page, words: string) {
  await page.locator('.field').fill(words)
  await page.keyboard.press('Enter')
}

const answersOn = (page: Page) => page.locator('.guest-text').allTextContents()

/** Answers until so many answers are given; the chat says which question it is at. */
async function answerUntil(page: Page, name: string, end: number) {
  await page.locator('.field').waitFor()
  for (let step = (await answersOn(page)).length; step < end; step += 1) {
    await page.locator('.host-bubble', { hasText: question(step) }).waitFor()
    await page.locator('.field').waitFor()
    await say(page, `${name} ${step}`)
    const next =
      step + 1 === STEPS
        ? page.getByText('The chat has ended.')
        : page.locator('.host-bubble', { hasText: question(step + 1) })
    await next.waitFor()
  }
}

withBrowser('two chats over three restarts', () => {
  test('restarts of the service lose nothing, and duplicate nothing', async () => {
    database = await createDatabase('nothing')
    const variables = { DATABASE_URL: database.url, PORT: String(await freePort()) }
    let service = await startService(variables)
    const botId = await publishBot(service)
    browser = await launch()
    const path = `${service.url}/chat/long`
    const open = async (context: BrowserContext) => {
      const page = await context.newPage()
      await page.goto(path)
      return page
    }
    const people = ['Ada', 'Bo']
    const contexts = [
      await newContext(browser, { reducedMotion: 'reduce', ...desktop }),
      await newContext(browser, { reducedMotion: 'reduce', ...phone }),
    ]
    let pages = await Promise.all(contexts.map(open))
    for (const end of breaks) {
      await Promise.all(pages.map((page, index) => answerUntil(page, people[index] as string, end)))
      // One more is on its way, and perhaps counted, when the service is killed.
      await Promise.all(pages.map((page, index) => say(page, `${people[index]} ${end}`)))
      service.signal('SIGKILL')
      await service.ended
      await Promise.all(pages.map((page) => page.close()))
      service = await startService(variables)
      pages = await Promise.all(contexts.map(open))
    }
    await Promise.all(pages.map((page, index) => answerUntil(page, people[index] as string, STEPS)))

    const expected = people.map((name) => Array.from({ length: STEPS }, (_, step) => `${name} ${step}`))
    expect(await Promise.all(pages.map(answersOn))).toEqual(expected)
    const asked = Array.from({ length: STEPS }, (_, step) => `Bot: ${question(step)}`)
    for (const page of pages) expect(await page.locator('.host-bubble').allTextContents()).toEqual(asked)
    const client = new pg.Client({ connectionString: database.url })
    await client.connect()
    try {
      const { rows } = await client.query(
        `SELECT (SELECT array_agg(content ORDER BY seq) FROM result_answers a WHERE a.bot_id = r.bot_id AND a.result_id = r.id)
           AS answers, is_completed,
           (SELECT count(*)::int FROM (
             SELECT entries FROM result_transcripts t WHERE t.bot_id = r.bot_id AND t.result_id = r.id
             UNION ALL SELECT transcript FROM result_answers a WHERE a.bot_id = r.bot_id AND a.result_id = r.id
             UNION ALL SELECT r.transcript
           ) AS t, json_array_elements(t.entries)) AS said
         FROM results r WHERE bot_id = $1 ORDER BY 1`,
        [botId],
      )
      expect(rows).toEqual(expected.map((answers) => ({ answers, is_completed: true, said: STEPS * 2 })))
    } finally {
      await client.end()
    }
  })
})
