import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { Browser, Page } from 'playwright-core'
import { root } from '../../server/root.ts'
import { type App, startApp } from '../support/app.ts'
import { anyBody } from '../support/client.ts'
import { makeWorld, type Site } from '../support/world.ts'
import { desktop, launch, newContext, picture, withBrowser } from './support.ts'

/*
 * Typebot's web component, from its package, on a page of another origin: real bots to their ends. It is skipped
 * without the package (`npm ci --prefix tests/viewer`), and without the documents, which are not part of the project.
 */

const script = new URL('tests/viewer/node_modules/@typebot.io/js/dist/web.js', root)
const folder = new URL('../shared/corpus/', root)
const files = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.json')) : []
const canRun = existsSync(script) && files.length > 0
if (!canRun) process.stderr.write('No viewer or no documents: npm ci --prefix tests/viewer\n')

/** This one begins anew whatever is chosen. */
const endless = ['v6-customer-support.json']

const MAX_TURNS = 60
const STEP_MS = 250
const MAX_LOOKS = 240

const texts: Record<string, string> = {
  email: 'ada@example.com',
  tel: '+33612345678',
  url: 'https://example.com',
  number: '20',
  date: '2026-05-01',
  time: '10:30',
}

let app: App
let site: Site
let host: Server
let browser: Browser

const describeViewer = canRun ? describe : describe.skip
describeViewer('the web component of the viewer', () => {
  withBrowser('in a browser', () => {
    beforeAll(async () => {
      app = await startApp({ config: { TYPEBOT_VIEWER: true } })
      site = (await makeWorld(app)).here
      const content = readFileSync(script)
      host = createServer((request, response) => {
        const isScript = request.url === '/web.js'
        response.setHeader('Content-Type', isScript ? 'text/javascript' : 'text/html')
        const id = new URL(request.url ?? '', 'http://host').searchParams.get('bot')
        response.end(
          isScript
            ? content
            : `<!doctype html><typebot-standard style="width:100%;height:700px"></typebot-standard><script type="module">
                import Viewer from '/web.js'
                Viewer.initStandard({ typebot: '${id}', apiHost: '${app.url}', onEnd: () => { document.title = 'over' } })
              </script>`,
        )
      })
      await new Promise<void>((resolve) => host.listen(0, '127.0.0.1', resolve))
      browser = await launch()
    })

    afterAll(async () => {
      await browser.close()
      host.close()
      await app.stop()
    })

    test.each(files.filter((file) => !endless.includes(file)))(
      'the viewer runs %s from its start to an end',
      async (file) => {
        const publicId = await publish(file)
        const context = await newContext(browser, desktop)
        const page = await context.newPage()
        const errors: string[] = []
        page.on('pageerror', ({ message }) => errors.push(message))
        const bodies: number[] = []
        page.on('response', (response) => {
          if (response.url().startsWith(`${app.url}/api/`)) bodies.push(response.status())
        })
        // Pages and pictures from elsewhere are empty.
        await page.route(
          (url) => url.hostname !== '127.0.0.1',
          (route) => route.fulfill({ status: 200, contentType: 'text/html', body: '' }),
        )
        await page.goto(`http://127.0.0.1:${(host.address() as AddressInfo).port}/?bot=${publicId}`)
        const turns = await talk(page)
        await picture(page, `viewer-${file}`)
        expect([turns < MAX_TURNS, errors]).toEqual([true, []])
        expect(bodies.filter((status) => status >= 400)).toEqual([])
        expect(bodies.length).toBeGreaterThan(0)
        const { rows } = await app.pool.query(
          'SELECT r.is_completed FROM results r JOIN public_ids p ON p.bot_id = r.bot_id WHERE p.public_id = $1',
          [publicId],
        )
        expect(rows).toHaveLength(1)
        await context.close()
      },
    )
  })
})

async function publish(file: string): Promise<string> {
  const document = JSON.parse(readFileSync(new URL(file, folder), 'utf8'))
  // Nobody has to wait for what is typed.
  document.settings = { ...document.settings, typingEmulation: { enabled: false, delayBetweenBubbles: 0 } }
  const { body } = await app.client.call('importBot', {
    as: site.admin,
    body: anyBody({ workspaceId: site.workspaceId, bot: document }),
  })
  const botId = body.bot.id
  const publicId = `viewer-${file.replace('.json', '').replaceAll('.', '-')}`
  await app.client.ok('updateBot', {
    as: site.admin,
    params: { botId },
    body: anyBody({ bot: { version: body.bot.version, publicId } }),
  })
  await app.client.ok('publishBot', { as: site.admin, params: { botId } })
  return publicId
}

/** Answers until the viewer says that the chat is over, or it leads elsewhere; returns the number of answers. */
async function talk(page: Page): Promise<number> {
  const uses = new Map<string, number>()
  const own = new URL(page.url()).origin
  for (let turns = 0; turns < MAX_TURNS; turns++) {
    let hasAnswered = false
    for (let step = 0; step < MAX_LOOKS && !hasAnswered; step++) {
      // A redirect ends what there is to see.
      if (new URL(page.url()).origin !== own || (await page.title()) === 'over') return turns
      hasAnswered = await answer(page, uses)
      await page.waitForTimeout(STEP_MS)
    }
    if (!hasAnswered) return MAX_TURNS
  }
  return MAX_TURNS
}

/** Answers the input that is shown, by the choice that was taken least; false if there is none. */
async function answer(page: Page, uses: Map<string, number>): Promise<boolean> {
  const steps = page.locator('typebot-standard label:has(input[type=radio]):visible')
  if ((await steps.count()) > 0) {
    await steps.last().click()
    const send = page.locator('typebot-standard button:visible:enabled')
    if ((await send.count()) > 0) await send.last().click()
    return true
  }
  // Several choices: the last one, and the button below.
  const boxes = page.locator('typebot-standard input[type=checkbox]:visible')
  if ((await boxes.count()) > 0) {
    await boxes.last().check({ force: true })
    await page.locator('typebot-standard button:visible:enabled').last().click()
    return true
  }
  const field = page.locator('typebot-standard input:visible, typebot-standard textarea:visible').last()
  if ((await field.count()) > 0) {
    const isNumber = (await field.getAttribute('role')) === 'spinbutton'
    const type = isNumber ? 'number' : ((await field.getAttribute('type')) ?? 'text')
    await field.fill(texts[type] ?? 'Ada')
    // Long answers keep the Enter key for new lines.
    await page.locator('typebot-standard button:visible:enabled').last().click()
    return true
  }
  const buttons = page.locator('typebot-standard button:visible:enabled')
  const labels = await buttons.allTextContents()
  if (labels.length === 0) return false
  const counts = labels.map((label) => uses.get(label) ?? 0)
  const chosen = counts.indexOf(Math.min(...counts))
  const label = labels[chosen] as string
  uses.set(label, (uses.get(label) ?? 0) + 1)
  await buttons.nth(chosen).click()
  return true
}
