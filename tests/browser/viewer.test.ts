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
 * Typebot's web component, from its package, on a page of another origin: real bots to their ends. It is skipped without the
 * package (`npm ci --prefix tests/viewer`), and without the documents, which are not part of the project.
 */

const script = new URL('tests/viewer/node_modules/@typebot.io/js/dist/web.js', root)
const folder = new URL('../shared/corpus/', root)
const files = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.json')) : []
const canRun = existsSync(script) && files.length > 0
if (!canRun) process.stderr.write('No viewer or no documents: npm ci --prefix tests/viewer\n')

/** This one begins anew whatever is chosen; others wait for what lies outside. */
const endless = ['v6-customer-support.json']

const MAX_TURNS = 40
const STEP_MS = 250
const MAX_WAIT_STEPS = 240

const texts: Record<string, string> = {
  email: 'ada@example.com',
  tel: '+33612345678',
  url: 'https://example.com',
  number: '20',
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
      'runs %s from its start to an end',
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

/** Answers until the viewer says that the chat is over, or nothing is left to answer; returns the number of answers. */
async function talk(page: Page): Promise<number> {
  for (let turns = 0; turns < MAX_TURNS; turns++) {
    let acted = false
    for (let step = 0; step < MAX_WAIT_STEPS && !acted; step++) {
      if ((await page.title()) === 'over') return turns
      acted = await answer(page)
      if (!acted) await page.waitForTimeout(STEP_MS)
    }
    if (!acted) return MAX_TURNS
    await page.waitForTimeout(STEP_MS)
  }
  return MAX_TURNS
}

/** Answers the input that is shown; false if there is none. */
async function answer(page: Page): Promise<boolean> {
  const field = page.locator('typebot-standard input:visible, typebot-standard textarea:visible').last()
  if ((await field.count()) > 0 && (await field.isEnabled())) {
    const type = (await field.getAttribute('type')) ?? 'text'
    if (type === 'checkbox') await field.check({ force: true })
    else if (type === 'date') await field.fill('2026-05-01')
    else if (type === 'time') await field.fill('10:30')
    else await field.fill(texts[type] ?? 'Ada')
    await page.keyboard.press('Enter')
    return true
  }
  const buttons = page.locator('typebot-standard button:visible:enabled')
  const count = await buttons.count()
  if (count === 0) return false
  await buttons.nth(Math.min(count - 1, 0)).click()
  return true
}
