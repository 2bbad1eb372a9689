import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from '@jest/globals'
import { root } from '../../server/root.ts'
import { startApp } from '../support/app.ts'
import { bot, idOf, text } from '../support/chat.ts'
import { publish, reply, start } from '../support/chats.ts'
import { makeWorld } from '../support/world.ts'
import { desktop, launch, newContext, phone, withBrowser } from './support.ts'

/* The pictures of README.md. `PICTURES=true make test ONLY=browser/readme` takes them anew. */

const folder = fileURLToPath(new URL('server/pages/pictures/', root))
const schemes = ['light', 'dark'] as const

test('README.md has at most 150 lines and 9 KB, and its pictures exist', () => {
  const readme = readFileSync(new URL('README.md', root), 'utf8')
  expect(readme.split('\n').length).toBeLessThanOrEqual(150)
  expect(Buffer.byteLength(readme)).toBeLessThanOrEqual(9_000)
  const pictures = [...readme.matchAll(/(?:src|srcset)="(server\/[^"]+)"/g)].map(([, path]) => path as string)
  expect(pictures).toHaveLength(3)
  expect(pictures.filter((path) => !existsSync(new URL(path, root)))).toEqual([])
})

const flow = bot(
  {
    Start: [
      text('Hi! Shall we write to you when there is news?'),
      {
        type: 'choice input',
        options: { variableId: idOf('News') },
        items: [
          { id: 'yes', content: 'Yes, please' },
          { id: 'no', content: 'No, thanks' },
        ],
      },
      text('What is your e-mail address?'),
      { type: 'email input', options: { variableId: idOf('Email') } },
      text('Thank you, {{Email}}! How often?'),
      {
        type: 'choice input',
        options: { variableId: idOf('How often') },
        items: [
          { id: 'week', content: 'Every week' },
          { id: 'month', content: 'Every month' },
        ],
      },
      text('See you soon!'),
    ],
  },
  { variables: ['News', 'Email', 'How often'] },
)

withBrowser('pictures for README.md', () => {
  const testPictures = process.env.PICTURES ? test : test.skip

  testPictures('a chat and the page of results, light and dark', async () => {
    const app = await startApp()
    const browser = await launch()
    try {
      const site = (await makeWorld(app)).here
      const made = await publish(app, site, flow)
      const names = [
        'ada',
        'grace',
        'alan',
        'edsger',
        'barbara',
        'donald',
        'margaret',
        'ken',
        'frances',
        'john',
      ]
      for (const [nth, name] of names.entries()) {
        const { sessionId } = await start(app, made)
        await reply(app, sessionId, nth % 4 === 3 ? 'No, thanks' : 'Yes, please')
        await reply(app, sessionId, `${name}@example.com`)
        if (nth % 3 > 0) await reply(app, sessionId, nth % 2 ? 'Every week' : 'Every month')
      }
      const context = await newContext(browser, {
        ...phone,
        viewport: { width: 390, height: 440 },
        baseURL: app.url,
      })
      const chat = await context.newPage()
      await chat.goto(`/chat/${made.publicId}`)
      await chat.getByRole('button', { name: 'Yes, please' }).click()
      await chat.getByRole('textbox').fill('ada@example.com')
      await chat.getByRole('textbox').press('Enter')
      await chat.getByRole('button', { name: 'Every month' }).waitFor()
      await chat.waitForTimeout(1_000)
      await chat.screenshot({ path: `${folder}chat.png` })
      for (const colorScheme of schemes) {
        const wide = await newContext(browser, {
          ...desktop,
          viewport: { width: 1100, height: 760 },
          baseURL: app.url,
          colorScheme,
        })
        const results = await wide.newPage()
        await results.goto('/results')
        await results.getByLabel('Access token').fill(site.member.token)
        await results.getByRole('button', { name: 'Continue' }).click()
        const bots = results.getByRole('combobox', { name: 'Bot', exact: true })
        await bots.selectOption(made.id)
        await results.getByText(/Showing/).waitFor()
        await results.waitForTimeout(1_000)
        await results.screenshot({ path: `${folder}results-${colorScheme}.png` })
        await wide.close()
      }
    } finally {
      await browser.close()
      await app.stop()
    }
  })
})
