import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { Browser, Page } from 'playwright-core'
import { type App, startApp } from '../support/app.ts'
import { bot, text } from '../support/chat.ts'
import { publish } from '../support/chats.ts'
import { until } from '../support/process.ts'
import { runs } from '../support/runs.ts'
import { makeWorld, type Site } from '../support/world.ts'
import { randomOf } from '../torture/random.ts'
import { desktop, launch, newContext, withBrowser } from './support.ts'

/*
 * Two people edit one bot at the same time, one of whom loses the connection and the page. The text of each block
 * begins with its name, so that a model can follow it.
 */

let app: App
let site: Site
let browser: Browser

interface Editor {
  name: string
  page: Page
  isAway: boolean
}

/** A block that one person alone edits has the last text of theirs; in one of both, either may win. */
interface Block {
  owner?: string
  texts: Map<string, string>
  isDeleted?: boolean
}

/** An edit waits this long for a place that a conflict may cover. */
const LOOK_MS = 10_000

const model = new Map<string, Block>()
const random = randomOf(Number(process.env.SEED ?? 7))

async function open(name: string, path: string): Promise<Editor> {
  const context = await newContext(browser, { baseURL: app.url, locale: 'en-GB', ...desktop })
  await context.addInitScript({ content: `sessionStorage.setItem('token', '${site.member.token}')` })
  context.setDefaultTimeout(LOOK_MS)
  const page = await context.newPage()
  await page.goto(path)
  await blocksOn(page).first().waitFor()
  return { name, page, isAway: false }
}

const blocksOn = (page: Page) => page.locator('button.block-main').filter({ hasText: /block\d+ / })

async function namesOn(page: Page): Promise<string[]> {
  const labels = await blocksOn(page).allTextContents()
  return labels.flatMap((label) => /block\d+/.exec(label)?.[0] ?? [])
}

/** Decides a conflict, if there is one; which side does not matter to the model. */
async function decide({ page }: Editor) {
  const save = page.getByRole('button', { name: 'Save these' })
  if (!(await save.isVisible())) return
  await page
    .getByRole('button', { name: random.float() < 0.5 ? 'Take all of mine' : 'Take all of theirs' })
    .click()
  await save.click()
}

async function edit({ name, page }: Editor, count: number) {
  const names = (await namesOn(page)).filter((each) => [name, undefined].includes(model.get(each)?.owner))
  const kind = random.float()
  const chosen = names[Math.floor(random.float() * names.length)]
  if (kind < 0.15 || chosen === undefined) {
    const added = `block${count}`
    await page.getByRole('button', { name: 'Add block' }).first().press('Enter')
    await page.getByRole('searchbox', { name: 'Search blocks' }).fill('text')
    await page.keyboard.press('Enter')
    await page.getByLabel('Message').fill(`${added} ${name}${count}`)
    model.set(added, { owner: name, texts: new Map([[name, `${added} ${name}${count}`]]) })
    return
  }
  const block = model.get(chosen) as Block
  await blocksOn(page)
    .filter({ hasText: new RegExp(`${chosen}\\b`) })
    .press('Enter')
  if (kind < 0.25 && block.owner !== undefined) {
    await page.getByRole('button', { name: 'Delete block' }).press('Enter')
    block.isDeleted = true
    return
  }
  // A question may have taken the key; then the panel is still that of another block.
  await page.waitForTimeout(100)
  const message = page.getByLabel('Message')
  if (!(await message.inputValue()).startsWith(`${chosen} `)) throw new Error('Another block is open')
  await message.fill(`${chosen} ${name}${count}`)
  block.texts.set(name, `${chosen} ${name}${count}`)
}

/** Loses or gets back the connection, the page with it now and then. */
async function travel(editor: Editor) {
  const { page } = editor
  if (!editor.isAway) await page.route('**/v1/bots/**', (route) => route.abort())
  else {
    await page.unroute('**/v1/bots/**')
    await page.reload()
    await blocksOn(page).first().waitFor()
  }
  editor.isAway = !editor.isAway
}

withBrowser('two people who edit one bot', () => {
  beforeAll(async () => {
    app = await startApp()
    site = (await makeWorld(app)).here
    browser = await launch()
  })

  afterAll(async () => {
    await browser?.close()
    await app?.stop()
  })

  test('two editors of one bot lose nothing but what the other replaced or deleted', async () => {
    const names = Array.from({ length: 6 }, (_, index) => `block${1_000 + index}`)
    const flow = bot({
      First: names.slice(0, 3).map((name) => text(`${name} x`)),
      Then: names.slice(3).map((name) => text(`${name} x`)),
    })
    for (const [index, name] of names.entries()) {
      const owner = ['one', 'other', undefined][index % 3]
      model.set(name, { ...(owner && { owner }), texts: new Map([[owner ?? '', `${name} x`]]) })
    }
    const { id } = await publish(app, site, flow, 'Together')
    const one = await open('one', `/bots/${id}`)
    const other = await open('other', `/bots/${id}`)
    const all = runs(12, 100)
    let count = 0
    let covered = 0
    const work = async (editor: Editor) => {
      while (count < all) {
        await decide(editor)
        if (editor === other && random.float() < 0.1) await travel(editor)
        // A question about a conflict may come while the hand is on its way; it is decided next.
        await edit(editor, ++count).catch(() => {
          covered++
        })
        await editor.page.waitForTimeout(random.float() * 1_500)
      }
      if (editor.isAway) await travel(editor)
    }
    await Promise.all([work(one), work(other)])

    for (let round = 0; round < 4; round++) {
      for (const editor of [one, other]) {
        await until('what was edited is saved', async () => {
          await decide(editor)
          return editor.page.getByText('Saved', { exact: true }).isVisible()
        })
      }
    }
    const { body } = await app.client.call('getBot', { as: site.member, params: { botId: id } })
    const stored: string[] = body.bot.groups.flatMap(({ blocks }: { blocks: object[] }) =>
      blocks.map((block) => /block\d+ \w+/.exec(JSON.stringify(block))?.[0] ?? JSON.stringify(block)),
    )
    const wrong: string[] = []
    for (const [name, { texts, isDeleted }] of model) {
      const found = stored.filter((each) => each.startsWith(`${name} `))
      const expected = isDeleted ? [] : [...texts.values()]
      if (found.length !== (isDeleted ? 0 : 1) || !found.every((text) => expected.includes(text)))
        wrong.push(`${name} is ${JSON.stringify(found)}, not one of ${JSON.stringify(expected)}`)
    }
    expect(wrong).toEqual([])
    expect(covered).toBeLessThan(all / 4)
    for (const { page } of [one, other]) {
      await page.reload()
      await blocksOn(page).first().waitFor()
      expect((await namesOn(page)).sort()).toEqual(stored.map((each) => each.split(' ')[0]).sort())
    }
  })
})
