import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals'
import AxeBuilderSource from 'axe-core'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { type App, startApp } from '../support/app.ts'
import { bot, idOf, type Part, text } from '../support/chat.ts'
import { type Published, publish, reportOf } from '../support/chats.ts'
import { until } from '../support/process.ts'
import { makeWorld, type World } from '../support/world.ts'
import { desktop, gate, launch, newContext, phone, picture, watch, withBrowser } from './support.ts'

/* Files and recordings on the chat page in a real browser. */

let app: App
let world: World
let browser: Browser
const complaints: string[] = []

async function open({ publicId }: Published, options: BrowserContextOptions = desktop): Promise<Page> {
  const context = await newContext(browser, { baseURL: app.url, reducedMotion: 'reduce', ...options })
  const page = await context.newPage()
  watch(page, app.url, complaints)
  await page.goto(`/chat/${publicId}`)
  return page
}

const asking = (...blocks: Part[]) =>
  bot({ Start: [text('A file, please.'), ...blocks, text('Thank you.')] }, { variables: ['File'] })

const fileInput = (options: object = {}): Part => ({ type: 'file input', options })

const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)
const pdf = { name: 'plan.pdf', mimeType: 'application/pdf', buffer: Buffer.from('%PDF-1.4') }
const photo = { name: 'photo of me.png', mimeType: 'image/png', buffer: png }

const ended = (page: Page) => page.getByText('The chat has ended.')
const said = (page: Page) => page.locator('.guest-text').allTextContents()

/** Keeps the answer to an upload back, once the service has given it, until it is let go. */
async function holdUpload(page: Page) {
  const given = gate()
  const free = gate()
  await page.route('**/uploads?*', async (route) => {
    const response = await route.fetch()
    given.open()
    await free.passed
    // The page may have aborted the request.
    await route.fulfill({ response }).catch(() => {})
  })
  return { isGiven: given.passed, letGo: free.open }
}

async function answerOf(made: Published): Promise<string> {
  const { results } = await reportOf(app, made, world.here.member)
  return String(
    results[0]?.answers.map(({ content, attachedFileUrls = [] }) => [content, ...attachedFileUrls].join(' ')),
  )
}

withBrowser('files on the chat page', () => {
  beforeAll(async () => {
    app = await startApp({ config: { UPLOAD_MAX_SIZE: 1 } })
    world = await makeWorld(app)
    browser = await launch()
  })

  afterEach(async () => {
    for (const context of browser.contexts()) await context.close()
    expect(complaints.splice(0)).toEqual([])
  })

  afterAll(async () => {
    await browser?.close()
    await app?.stop()
  })

  test('one file is the answer as soon as it is chosen, on a phone too, and is still shown after a reload', async () => {
    const remembering = { general: { rememberUser: { isEnabled: true } } }
    const flow = asking(fileInput({ variableId: idOf('File') }), { type: 'text input' })
    const made = await publish(app, world.here, { ...flow, settings: remembering })
    const page = await open(made, phone)
    await page.getByText('At most 1 MB').waitFor()
    await picture(page, 'file-1-phone')
    await page.locator('input[type=file]').setInputFiles(photo)
    await page.locator('.guest-text', { hasText: 'File uploaded' }).waitFor()
    await page.locator('.field').waitFor()
    await page.reload()
    await page.locator('.guest-text', { hasText: 'photo_of_me.png' }).waitFor()
    const url = (await answerOf(made)).trim()
    const file = await fetch(url)
    expect([file.status, file.headers.get('content-type')]).toEqual([200, 'image/png'])
    expect(Buffer.from(await file.arrayBuffer()).equals(png)).toBe(true)
  })

  test('several files are shown, removed, rejected where too large, and sent together', async () => {
    const made = await publish(app, world.here, asking(fileInput({ isMultipleAllowed: true })))
    const page = await open(made)
    const chosen = page.locator('input[type=file]')
    const large = {
      name: 'large.bin',
      mimeType: 'application/octet-stream',
      buffer: Buffer.alloc(1024 * 1024 + 1),
    }
    await chosen.setInputFiles([photo, pdf, large])
    await page.getByText('large.bin is too large: at most 1 MB.').waitFor()
    await page.locator('.file img').waitFor()
    await page.locator('.file', { hasText: 'plan.pdf' }).waitFor()
    await chosen.setInputFiles({ ...pdf, name: 'wrong.pdf' })
    await page.getByRole('button', { name: 'Remove wrong.pdf' }).click()
    await page.locator('.file progress').first().waitFor({ state: 'detached' })
    await picture(page, 'files-1-desktop')
    await page.evaluate(AxeBuilderSource.source)
    const violations = await page.evaluate(async () => {
      // biome-ignore lint/suspicious/noExplicitAny: the page knows it, the compiler does not
      const { violations } = await (globalThis as any).axe.run()
      return violations.filter(
        ({ impact }: { impact: string }) => impact === 'serious' || impact === 'critical',
      )
    })
    expect(violations).toEqual([])
    await page.getByRole('button', { name: 'Upload' }).click()
    await ended(page).waitFor()
    expect(await said(page)).toEqual(['2 files uploaded'])
    expect(await answerOf(made)).toMatch(/photo_of_me\.png, \S+plan\.pdf/)
  })

  test('the texts of the bot contain the name and the bound, and say that an empty file is invalid', async () => {
    const labels = { fileTooLarge: '[[file]] is larger than [[limit]] MB.' }
    const flow = asking(fileInput({ isRequired: false }))
    const settings = { general: { systemMessages: { fileUploadSizeError: labels.fileTooLarge } } }
    const made = await publish(app, world.here, { ...flow, settings })
    const page = await open(made)
    const chosen = page.locator('input[type=file]')
    const buffer = Buffer.alloc(1024 * 1024 + 1)
    await chosen.setInputFiles({ name: 'a $& b.bin', mimeType: 'application/octet-stream', buffer })
    await page.getByText('a $& b.bin is larger than 1 MB.').waitFor()
    await chosen.setInputFiles({ ...pdf, name: 'empty.pdf', buffer: Buffer.alloc(0) })
    await page.getByText('empty.pdf could not be uploaded. empty.pdf is empty.').waitFor()
    complaints.splice(0)
  })

  test('a file can be dropped onto the page, and an upload under way can be cancelled', async () => {
    const made = await publish(app, world.here, asking(fileInput({ isMultipleAllowed: true })))
    const page = await open(made)
    await page.locator('.drop-area').waitFor()
    // Held until it is taken back.
    await page.route('**/uploads?fileName=slow.pdf', () => {})
    await page.locator('input[type=file]').setInputFiles({ ...pdf, name: 'slow.pdf' })
    expect(await page.getByRole('progressbar', { name: 'Uploading slow.pdf' }).count()).toBe(1)
    expect(await page.getByRole('button', { name: 'Upload' }).isDisabled()).toBe(true)
    await page.getByRole('button', { name: 'Remove slow.pdf' }).click()
    // As text, since the compiler does not know what a browser has.
    const transfer = await page.evaluateHandle(`(() => {
      const data = new DataTransfer()
      data.items.add(new File(['dropped'], 'dropped.txt', { type: 'text/plain' }))
      return data
    })()`)
    await page.dispatchEvent('.drop-area', 'drop', { dataTransfer: transfer })
    await page.locator('.file', { hasText: 'dropped.txt' }).waitFor()
    await page.getByRole('button', { name: 'Upload' }).click()
    await ended(page).waitFor()
    expect(await said(page)).toEqual(['File uploaded'])
  })

  test('a rejected or broken upload is sent again, four at a time, and can be tried again later', async () => {
    const made = await publish(app, world.here, asking(fileInput({ isMultipleAllowed: true })))
    const page = await open(made)
    let isAway = false
    let requests = 0
    let most = 0
    let current = 0
    await page.route('**/uploads?*', async (route) => {
      requests += 1
      current += 1
      most = Math.max(most, current)
      const number = requests
      if (isAway) await route.abort()
      else if (number === 1) await route.fulfill({ status: 429, headers: { 'Retry-After': '1' }, json: {} })
      else if (number === 2) await route.fulfill({ status: 200, contentType: 'text/html', body: '<p>Log in' })
      else await route.fulfill({ response: await route.fetch() })
      current -= 1
    })
    const files = Array.from({ length: 7 }, (_, index) => ({ ...pdf, name: `plan-${index}.pdf` }))
    await page.locator('input[type=file]').setInputFiles(files)
    await page.locator('.file progress').first().waitFor({ state: 'detached' })
    await until('all are there', async () => (await page.locator('.file progress').count()) === 0)
    expect(requests).toBe(9)
    expect(most).toBeLessThanOrEqual(4)
    isAway = true
    await page.locator('input[type=file]').setInputFiles({ ...pdf, name: 'late.pdf' })
    const again = page.getByRole('button', { name: 'Try again' })
    await again.waitFor()
    expect(await page.getByRole('button', { name: 'Upload' }).isDisabled()).toBe(true)
    isAway = false
    await again.click()
    await page.getByRole('button', { name: 'Upload', disabled: false }).click()
    await ended(page).waitFor()
    expect(await said(page)).toEqual(['8 files uploaded'])
    complaints.splice(0)
  })

  test('a recording shows its time, ends with Send, and stays until its upload succeeds', async () => {
    const audioClip = { isEnabled: true, saveVariableId: idOf('File') }
    const made = await publish(app, world.here, asking({ type: 'text input', options: { audioClip } }))
    const page = await open(made)
    await page.route('**/uploads?*', (route) => route.abort())
    await page.getByRole('button', { name: 'Record' }).click()
    await page.getByText('Recording 0:01').waitFor()
    await page.getByRole('button', { name: 'Send' }).click()
    const again = page.getByRole('button', { name: 'Try again' })
    await page.getByText('Recording could not be uploaded.').waitFor()
    await page.unroute('**/uploads?*')
    await again.click()
    await ended(page).waitFor()
    expect(await said(page)).toEqual(['Recording'])
    complaints.splice(0)
  })

  test('an upload that the service rejects is explained, and the visitor can choose another file', async () => {
    const allowedFileTypes = { isEnabled: true, types: ['.png'] }
    const options = { allowedFileTypes, capture: 'environment', isRequired: false }
    const made = await publish(app, world.here, asking(fileInput(options)))
    const page = await open(made)
    const chosen = page.locator('input[type=file]')
    expect(await chosen.getAttribute('accept')).toBe('.png')
    expect(await chosen.getAttribute('capture')).toBe('environment')
    await chosen.setInputFiles(pdf)
    await page
      .getByText('plan.pdf could not be uploaded. Only these types of files are accepted here: .png')
      .waitFor()
    expect(complaints.splice(0)).toEqual([expect.stringContaining('400')])
    await page.getByRole('button', { name: 'Skip' }).click()
    await ended(page).waitFor()
  })

  test('a text is sent with files, and a recording in place of one', async () => {
    const feature = { isEnabled: true, saveVariableId: idOf('File') }
    const input = { type: 'text input', options: { attachments: feature, audioClip: feature } }
    const made = await publish(app, world.here, asking(input, input))
    const page = await open(made)
    await page.locator('.field').fill('Look at this')
    await page.locator('input[type=file]').setInputFiles(pdf)
    await page.locator('.file progress').waitFor({ state: 'detached' })
    await picture(page, 'attachment-desktop')
    await page.getByRole('button', { name: 'Send' }).click()
    await page.getByRole('button', { name: 'Record' }).click()
    await page.getByRole('button', { name: 'Cancel' }).click()
    await page.getByRole('button', { name: 'Record' }).click()
    await page.getByRole('button', { name: 'Stop recording' }).waitFor()
    await page.waitForTimeout(300)
    await page.getByRole('button', { name: 'Stop recording' }).click()
    await ended(page).waitFor()
    expect(await said(page)).toEqual(['Look at this\nplan.pdf', 'Recording'])
    const answers = (await answerOf(made)).split(',')
    expect(answers[0]).toMatch(/^Look at this \S+\/plan\.pdf$/)
    const recording = await fetch(String(answers[1]))
    const bytes = Buffer.from(await recording.arrayBuffer())
    // The first bytes of a WebM file.
    expect(bytes.subarray(0, 4).toString('hex')).toBe('1a45dfa3')
  })

  test('an upload under way is cancelled when it is skipped, and answers nothing', async () => {
    const made = await publish(
      app,
      world.here,
      asking(fileInput({ isRequired: false }), { type: 'text input' }),
    )
    const page = await open(made)
    const { isGiven, letGo } = await holdUpload(page)
    const [upload] = await Promise.all([
      page.waitForRequest('**/uploads?*'),
      page.locator('input[type=file]').setInputFiles(pdf),
    ])
    await isGiven
    await page.getByRole('button', { name: 'Skip' }).click()
    await page.locator('.field').waitFor()
    letGo()
    expect([await upload.response(), await page.locator('.field').count()]).toEqual([null, 1])
    await page.locator('.field').fill('Later')
    await page.keyboard.press('Enter')
    await ended(page).waitFor()
    expect(await said(page)).toEqual(['Later'])
  })

  test('a recording that is being uploaded is cancelled when a text is sent, and answers nothing', async () => {
    const audioClip = { isEnabled: true, saveVariableId: idOf('File') }
    const made = await publish(
      app,
      world.here,
      asking({ type: 'text input', options: { audioClip } }, text('And now?'), { type: 'text input' }),
    )
    const page = await open(made)
    const { isGiven, letGo } = await holdUpload(page)
    await page.getByRole('button', { name: 'Record' }).click()
    const [upload] = await Promise.all([
      page.waitForRequest('**/uploads?*'),
      page.getByRole('button', { name: 'Stop recording' }).click(),
    ])
    await isGiven
    await page.locator('.field').fill('In words')
    await page.keyboard.press('Enter')
    const field = page.getByRole('textbox', { name: 'And now?' })
    await field.waitFor()
    letGo()
    expect([await upload.response(), await field.count()]).toEqual([null, 1])
    await field.fill('Later')
    await page.keyboard.press('Enter')
    await ended(page).waitFor()
    expect(await said(page)).toEqual(['In words', 'Later'])
  })

  /** A text that can be recorded too, and another one, on a page that notes its microphones. */
  async function openRecording(): Promise<Page> {
    const audioClip = { isEnabled: true, saveVariableId: idOf('File') }
    const recorded = { type: 'text input', options: { audioClip } }
    const page = await open(await publish(app, world.here, asking(recorded, text('And now?'), recorded)))
    await page.getByRole('button', { name: 'Record' }).waitFor()
    await page.evaluate(`{
      globalThis.tracks = []
      globalThis.asked = 0
      const ask = navigator.mediaDevices.getUserMedia.bind(navigator.mediaDevices)
      navigator.mediaDevices.getUserMedia = async (wanted) => {
        asked += 1
        const stream = await ask(wanted)
        tracks.push(...stream.getTracks())
        await globalThis.whenAllowed
        return stream
      }
    }`)
    return page
  }

  /** The person thinks about whether the page may listen, until \`allow()\`. */
  const ponder = (page: Page) =>
    page.evaluate(`void (whenAllowed = new Promise((resolve) => (globalThis.allow = resolve)))`)

  const microphones = (page: Page) => page.evaluate('tracks.map(({ readyState }) => readyState)')

  test('the microphone is off once a text is sent, also where it is allowed after that', async () => {
    const page = await openRecording()
    await page.getByRole('button', { name: 'Record' }).click()
    await page.getByRole('button', { name: 'Stop recording' }).waitFor()
    await page.locator('.field').fill('In words')
    await page.keyboard.press('Enter')
    const field = page.getByRole('textbox', { name: 'And now?' })
    await field.waitFor()
    expect(await microphones(page)).toEqual(['ended'])

    await ponder(page)
    await page.getByRole('button', { name: 'Record' }).click()
    await field.fill('In words again')
    await page.keyboard.press('Enter')
    await ended(page).waitFor()
    await until('it was given', () => page.evaluate('tracks.length === 2'))
    await page.evaluate('allow()')
    expect(await microphones(page)).toEqual(['ended', 'ended'])
    expect(await said(page)).toEqual(['In words', 'In words again'])
  })

  test('the microphone is requested once, and is off after the recording', async () => {
    const page = await openRecording()
    await ponder(page)
    await page.getByRole('button', { name: 'Record' }).dblclick()
    expect(await page.evaluate('asked')).toBe(1)
    await until('it was given', () => page.evaluate('tracks.length === 1'))
    await page.evaluate('allow()')
    await page.getByRole('button', { name: 'Cancel' }).click()
    expect(await microphones(page)).toEqual(['ended'])
  })

  test('the microphone is off where it is granted and nothing can record it', async () => {
    const page = await openRecording()
    await page.evaluate(`void (globalThis.MediaRecorder = class {
      static isTypeSupported() { return true }
      constructor() { throw new Error('Not that') }
    })`)
    await page.getByRole('button', { name: 'Record' }).click()
    await page.getByText('The microphone cannot be used.').waitFor()
    expect(await microphones(page)).toEqual(['ended'])
  })
})
