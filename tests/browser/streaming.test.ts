import type { ServerResponse } from 'node:http'
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals'
import type { Browser, Page } from 'playwright-core'
import type { Flow } from '../../server/chat/engine/types.ts'
import { type App, startApp } from '../support/app.ts'
import { ask, bot, idOf, type Part, text } from '../support/chat.ts'
import { publish, reportOf } from '../support/chats.ts'
import { eventStream, type ModelServer, startModelServer } from '../support/model-server.ts'
import { makeWorld, type Site } from '../support/world.ts'
import { desktop, launch, newContext, picture, watch, withBrowser } from './support.ts'

/* The page shows text of the bot as soon as it is sent, and text of a model while the model writes. */

let app: App
let here: Site
let models: ModelServer
let model: Part
let browser: Browser
const complaints: string[] = []

/** A model whose output and timing the test decides. */
function speaker() {
  let response: ServerResponse | undefined
  let begin: () => void = () => {}
  const isAsked = new Promise<void>((resolve) => {
    begin = resolve
  })
  models.says((given) => {
    response = given
    given.writeHead(200, eventStream)
    begin()
  })
  return {
    isAsked,
    say: (content: string) =>
      response?.write(`data: ${JSON.stringify({ choices: [{ index: 0, delta: { content } }] })}\n\n`),
    end: () => response?.end('data: [DONE]\n\n'),
  }
}

const flowOf = (parts: Part[]): Flow =>
  bot(
    { g: parts },
    {
      variables: ['Question', 'Answer'],
      settings: { typingEmulation: { enabled: false } },
      theme: { general: { background: { type: 'Color', content: '#102030' } } },
    },
  )

async function open(flow: Flow): Promise<Page> {
  const { publicId } = await publish(app, here, flow)
  const context = await newContext(browser, { baseURL: app.url, reducedMotion: 'reduce', ...desktop })
  const page = await context.newPage()
  watch(page, app.url, complaints)
  await page.goto(`/chat/${publicId}`)
  return page
}

const said = (page: Page) => page.locator('.host-bubble:not(.typing)').allTextContents()

async function say(page: Page, words: string) {
  await page.locator('.field').fill(words)
  await page.keyboard.press('Enter')
}

withBrowser('a chat that is streamed to the page', () => {
  beforeAll(async () => {
    models = await startModelServer()
    app = await startApp({ config: { OUTBOUND_ALLOWED_HOSTS: [models.host] } })
    here = (await makeWorld(app)).here
    const { credentials } = await app.client.ok('createCredentials', {
      as: here.member,
      params: { workspaceId: here.workspaceId },
      body: { type: 'openai', name: 'Model', data: { apiKey: 'sk-test', baseUrl: models.url } },
    })
    const options = {
      credentialsId: credentials.id,
      action: 'Create chat completion',
      model: 'model-1',
      messages: [{ role: 'user', content: 'Hello' }],
      responseMapping: [{ item: 'Message content', variableId: idOf('Answer') }],
    }
    model = { type: 'openai', options }
    browser = await launch()
  })

  afterEach(async () => {
    for (const context of browser?.contexts() ?? []) await context.close()
    expect(complaints.splice(0)).toEqual([])
  })

  afterAll(async () => {
    await browser?.close()
    await app?.stop()
    await models?.stop()
  })

  test('bubbles are shown before the model is done, its text while it is written, and all of it once', async () => {
    const page = await open(
      flowOf([text('Hi'), ask('Question'), text('Wait'), model, text('{{Answer}}'), ask()]),
    )
    const speaking = speaker()
    await say(page, 'When?')
    await speaking.isAsked
    await page.locator('.host-bubble', { hasText: 'Wait' }).waitFor()
    await page.locator('.typing').waitFor()
    speaking.say('Half of it')
    const growing = page.locator('.host-bubble[aria-hidden]')
    await growing.waitFor()
    expect(await growing.locator('p').textContent()).toBe('Half of it')
    expect(await page.locator('.typing').count()).toBe(0)
    expect(await page.locator('.field').count()).toBe(0)
    await picture(page, 'streaming-half')
    speaking.say(', and the rest')
    await growing.getByText('and the rest').waitFor()
    speaking.end()
    await page.locator('.field').waitFor()
    expect(await said(page)).toEqual(['Bot: Hi', 'Bot: Wait', 'Bot: Half of it, and the rest'])
    expect(await growing.count()).toBe(0)
  })

  test('a chat that starts with a model has its appearance before its words', async () => {
    const speaking = speaker()
    const page = await open(flowOf([text('Welcome'), model, text('{{Answer}}'), ask()]))
    await page.locator('.host-bubble', { hasText: 'Welcome' }).waitFor()
    const ground = 'getComputedStyle(document.documentElement).getPropertyValue("--background-color")'
    expect(await page.evaluate(ground)).toBe('#102030')
    speaking.say('Good day')
    await page.locator('.host-bubble[aria-hidden]', { hasText: 'Good day' }).waitFor()
    speaking.end()
    await page.locator('.field').waitFor()
    expect(await said(page)).toEqual(['Bot: Welcome', 'Bot: Good day'])
  })

  test('a stream that breaks off is requested again, and nothing is shown or done twice', async () => {
    const flow = flowOf([text('Hi'), ask('Question'), text('Wait'), model, text('{{Answer}}'), ask()])
    const page = await open(flow)
    let attempts = 0
    await page.route('**/continueChat', async (route) => {
      attempts += 1
      const response = await route.fetch()
      const body = await response.text()
      // All but the answer arrives at first.
      const cut = attempts === 1 ? body.slice(0, body.indexOf('event: answer')) : body
      await route.fulfill({ response, body: cut })
    })
    models.says('It is noon')
    await say(page, 'When?')
    await page.locator('.field').waitFor()
    expect([attempts, await said(page)]).toEqual([2, ['Bot: Hi', 'Bot: Wait', 'Bot: It is noon']])
  })

  test('the page shows the text of the response if the stream had another one', async () => {
    const flow = flowOf([text('Hi'), ask('Question'), text('One'), text('Two'), ask()])
    const page = await open(flow)
    await page.route('**/continueChat', async (route) => {
      const response = await route.fetch()
      const [first, second, ...rest] = (await response.text()).split('\n\n')
      const wrong = second?.replace('Two', 'Three')
      await route.fulfill({ response, body: [first, wrong, ...rest].join('\n\n') })
    })
    await say(page, 'Go')
    await page.locator('.field').waitFor()
    expect(await said(page)).toEqual(['Bot: Hi', 'Bot: One', 'Bot: Two'])
  })

  test('client actions run in their order once the chat has continued', async () => {
    const flow = flowOf([
      text('Hi'),
      ask('Question'),
      text('Before'),
      {
        type: 'Set variable',
        options: { variableId: idOf('Answer'), expressionToEvaluate: '6 * 7', isExecutedOnClient: true },
      },
      text('It is {{Answer}}'),
      ask(),
    ])
    const page = await open(flow)
    await say(page, 'Go')
    await page.locator('.field').waitFor()
    expect(await said(page)).toEqual(['Bot: Hi', 'Bot: Before', 'Bot: It is 42'])
    const { rows } = await app.pool.query('SELECT bot_id FROM results ORDER BY id DESC LIMIT 1')
    const report = await reportOf(app, { id: rows[0].bot_id, publicId: '' }, here.member)
    expect(report.results[0]?.answers.map(({ content }) => content)).toEqual(['Go'])
  })
})
