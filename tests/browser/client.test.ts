import { readdirSync, readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { Browser } from 'playwright-core'
import ts from 'typescript'
import { root } from '../../server/root.ts'
import { story } from '../sdks/sdks.ts'
import { type App, startApp } from '../support/app.ts'
import { makeWorld, type World } from '../support/world.ts'
import { desktop, launch, newContext, watch, withBrowser } from './support.ts'

/* The client of generated/client in a page of the service's own origin, as it is: no bundler in between. */

const read = (path: string) => readFileSync(new URL(path, root), 'utf8')

withBrowser('the client', () => {
  let app: App
  let world: World
  let browser: Browser
  beforeAll(async () => {
    app = await startApp()
    world = await makeWorld(app)
    browser = await launch()
  })
  afterAll(async () => {
    await browser?.close()
    await app.stop()
  })

  test('the client package runs the conformance story in a browser', async () => {
    const context = await newContext(browser, desktop)
    const page = await context.newPage()
    const complaints: string[] = []
    watch(page, app.url, complaints)
    const compilerOptions = { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ES2022 }
    const files: Record<string, [type: string, body: string]> = {
      'page.html': ['text/html', '<!doctype html><title>Story</title><link rel="icon" href="data:,">'],
      ...Object.fromEntries(
        readdirSync(new URL('generated/client/', root))
          .filter((name) => name.endsWith('.js'))
          .map((name) => [name, ['text/javascript', read(`generated/client/${name}`)]]),
      ),
      'story.js': [
        'text/javascript',
        ts.transpileModule(read('tests/sdks/client/story.ts'), { compilerOptions }).outputText,
      ],
    }
    for (const [name, [contentType, body]] of Object.entries(files)) {
      await page.route(`${app.url}/own/${name}`, (route) => route.fulfill({ contentType, body }))
    }
    await page.goto(`${app.url}/own/page.html`)
    const told = await page.evaluate(
      async (given) => {
        const steps: string[] = []
        const [sdk, { story }] = await Promise.all([
          import(`${given.baseUrl}/own/index.js`),
          import(`${given.baseUrl}/own/story.js`),
        ])
        await story(sdk, given, (step: string) => steps.push(step))
        return steps
      },
      {
        baseUrl: app.url,
        token: world.here.admin.token,
        guestToken: world.here.guest.token,
        answeredBotId: world.here.published.id,
        resultIds: world.here.results,
        currentDocument: JSON.parse(read('tests/sdks/documents/current.json')),
        legacyDocument: JSON.parse(read('tests/sdks/documents/legacy.json')),
      },
    )
    expect(told).toEqual(story)
    // Browsers log every rejection; the story causes these.
    const statuses = complaints.map((complaint) => /status of (\d+)/.exec(complaint)?.[1] ?? complaint)
    expect([...new Set(statuses)].sort()).toEqual(['400', '403', '404', '409'])
    await context.close()
  })
})
