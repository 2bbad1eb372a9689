import { execFile } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { promisify } from 'node:util'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { information } from '../../contract/index.ts'
import { buildCommand } from '../../server/command/build.ts'
import { connect } from '../../server/command/profiles.ts'
import { exportToFile } from '../../server/command/results.ts'
import { root } from '../../server/root.ts'
import fc from '../kit/fast-check.ts'
import { type App, startApp } from '../support/app.ts'
import { anyBody, type Caller } from '../support/client.ts'
import { type Run, runBots, runBotsWell } from '../support/command.ts'
import { runs } from '../support/runs.ts'
import { makeWorld, type Site } from '../support/world.ts'

/* The command `bots`, run in this process against the service, with folders of its own. */

let app: App
let here: Site
let there: Site
/** Holds every folder and profile of the tests. */
let top: string

beforeAll(async () => {
  app = await startApp()
  top = mkdtempSync(join(tmpdir(), 'bots-command-'))
})

beforeEach(async () => {
  const world = await makeWorld(app)
  here = world.here
  there = world.there
})

afterAll(async () => {
  rmSync(top, { recursive: true })
  await app.stop()
})

const bots = (argv: string[], { as = here.admin, ...options }: Run = {}) =>
  runBots(app, top, argv, { as, ...options })

const ok = (argv: string[], { as = here.admin, ...options }: Run = {}) =>
  runBotsWell(app, top, argv, { as, ...options })

const newFolder = () => mkdtempSync(join(top, 'folder-'))

async function pulled(as?: Caller): Promise<string> {
  const folder = newFolder()
  await ok(['pull', '--workspace', here.workspaceId], { folder, as })
  return folder
}

const filesIn = (folder: string) =>
  readdirSync(folder)
    .filter((name) => name.endsWith('.bot.json'))
    .sort()
const textsIn = (folder: string) =>
  Object.fromEntries(filesIn(folder).map((file) => [file, readFileSync(join(folder, file), 'utf8')]))

// biome-ignore lint/suspicious/noExplicitAny: documents of every version
type Document = any

const readBot = (folder: string, file: string): Document =>
  JSON.parse(readFileSync(join(folder, file), 'utf8'))

function edit(folder: string, file: string, change: (bot: Document) => void) {
  const bot = readBot(folder, file)
  change(bot)
  writeFileSync(join(folder, file), `${JSON.stringify(bot, null, 2)}\n`)
}

/** The file of a bot. */
function fileOf(folder: string, id: string): string {
  const file = filesIn(folder).find((name) => readBot(folder, name).id === id)
  if (!file) throw new Error(`There is no file of ${id}`)
  return file
}

const storedBot = async (botId: string) =>
  (await app.client.ok('getBot', { as: here.admin, params: { botId } })).bot

const corpus = new URL('../shared/corpus/', root)
const documents = existsSync(corpus)
  ? readdirSync(corpus)
      .filter((name) => name.endsWith('.json'))
      .map((name) => JSON.parse(readFileSync(new URL(name, corpus), 'utf8')))
  : []

describe('pull and push', () => {
  test('leave every file unchanged to the byte', async () => {
    for (const bot of documents) {
      await app.client.ok('importBot', {
        as: here.admin,
        body: anyBody({ workspaceId: here.workspaceId, bot }),
      })
    }
    const folder = await pulled()
    const first = textsIn(folder)
    expect(Object.keys(first).length).toBeGreaterThanOrEqual(4 + documents.length)
    expect(Object.values(first).join('')).not.toContain(here.admin.token)
    expect((await ok(['push', '--json'], { folder })).value.pushed).toEqual([])

    // Written anew in another bot, and in the bot itself.
    for (const file of filesIn(folder))
      edit(folder, file, (bot) => Object.assign(bot, { name: `${bot.name}!` }))
    expect((await ok(['push', '--json'], { folder })).value.pushed).toHaveLength(filesIn(folder).length)
    for (const [file, text] of Object.entries(first)) writeFileSync(join(folder, file), text)
    await ok(['push'], { folder })
    const { bots: again } = (await ok(['pull', '--json'], { folder })).value
    expect(again.filter(({ action }: { action: string }) => action !== 'unchanged')).toEqual([])
    expect(textsIn(folder)).toEqual(first)
    expect(textsIn(await pulled())).toEqual(first)
  })

  test('push the changes of the dry run, whatever was edited', async () => {
    const folder = await pulled()
    const files = filesIn(folder)
    const editOf = fc.record({
      file: fc.nat(files.length - 1),
      kind: fc.constantFrom(
        'name',
        'icon',
        'variable',
        'theme',
        'settings',
        'text',
        'block',
        'isClosed',
        'create',
      ),
      text: fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 }).filter((text) => /^\S+$/.test(text)),
    })
    let count = 0
    const property = fc.asyncProperty(fc.array(editOf, { maxLength: 5 }), async (edits) => {
      for (const { file, kind, text } of edits) {
        count++
        if (kind === 'create') {
          // Each command reads all bots.
          if (filesIn(folder).length >= 20) continue
          await ok(['new', `${text} ${count}`, '--template', count % 2 ? 'lead-form' : 'feedback'], {
            folder,
          })
          continue
        }
        edit(folder, files[file] as string, (bot) => {
          const block = bot.groups.at(-1)?.blocks[0]
          if (kind === 'name') bot.name = text
          else if (kind === 'icon') bot.icon = '🎯'
          else if (kind === 'isClosed') bot.isClosed = !bot.isClosed
          else if (kind === 'variable') bot.variables.push({ id: `v${count}`, name: text })
          else if (kind === 'theme') bot.theme = { general: { font: { type: 'Google', family: text } } }
          else if (kind === 'settings') bot.settings = { metadata: { title: text } }
          else if (kind === 'text' && block?.content) block.content = { plainText: text }
          else if (kind === 'block')
            bot.groups.at(-1)?.blocks.push({ id: `b${count}`, type: 'text', content: { plainText: text } })
        })
      }
      const dry = await ok(['push', '--dry-run', '--json'], { folder })
      const again = await ok(['push', '--dry-run', '--json'], { folder })
      expect(again.value).toEqual(dry.value)
      const real = await ok(['push', '--json'], { folder })
      const withoutIds = ({ pushed }: { pushed: Document[] }) =>
        pushed.map(({ botId, action, ...rest }) => ({
          ...rest,
          action,
          botId: action === 'create' ? null : botId,
        }))
      expect(withoutIds(real.value)).toEqual(dry.value.pushed)
      expect((await bots(['diff'], { folder })).code).toBe(0)
      expect((await ok(['push', '--json'], { folder })).value.pushed).toEqual([])
    })
    await fc.assert(property, { numRuns: runs(8, 450) })
    expect(count).toBeGreaterThanOrEqual(runs(1, 1_000))
    console.info(`${count} edits: each push did what its dry run said`)
  }, 3_600_000)

  test('report a conflict to one of two concurrent pushes, and lose no edit of the other', async () => {
    const folders = await Promise.all([pulled(here.admin), pulled(here.member)])
    const id = here.draft.id
    folders.forEach((folder, nth) => {
      edit(folder, fileOf(folder, id), (bot) => Object.assign(bot, { name: `Edit ${nth}` }))
    })
    const ran = await Promise.all(folders.map((folder) => bots(['push'], { folder })))
    expect(ran.map(({ code }) => code).sort()).toEqual([0, 3])
    const winner = ran.findIndex(({ code }) => code === 0)
    const loser = folders[1 - winner] as string
    expect((await storedBot(id)).name).toBe(`Edit ${winner}`)
    expect(ran[1 - winner]?.err).toMatch(/changed the bot|was changed/)
    const later = await bots(['push'], { folder: loser })
    expect([later.code, later.err]).toEqual([3, expect.stringContaining('was changed since it was pulled')])
    const kept = await ok(['pull', '--json'], { folder: loser })
    expect(kept.value.bots).toContainEqual(expect.objectContaining({ botId: id, action: 'kept' }))
    expect(readBot(loser, fileOf(loser, id)).name).toBe(`Edit ${1 - winner}`)
    await ok(['push', '--overwrite'], { folder: loser })
    expect((await storedBot(id)).name).toBe(`Edit ${1 - winner}`)
  })

  test('push creates and publishes a bot of a template, and rolls back', async () => {
    const folder = await pulled()
    const { file } = (await ok(['new', 'Ask me', '--template', 'lead-form', '--json'], { folder })).value
    const created = (await ok(['push', '--publish', '--json'], { folder })).value
    expect(created).toMatchObject({ pushed: [{ file, action: 'create' }], published: [file] })
    const { id } = readBot(folder, file)
    expect((await ok(['check', file, '--json'], { folder })).value.findings).toEqual([])
    await app.client.ok('unpublishBot', { as: here.admin, params: { botId: id } })
    const draft = await bots(['diff', '--published', file], { folder })
    expect([draft.code, draft.out]).toEqual([4, `${file}\n  The bot is not published\n`])
    await ok(['publish', file], { folder })
    edit(folder, file, (bot) =>
      Object.assign(bot.groups[0].blocks[0].content.richText[0].children[0], { text: 'Good day!' }),
    )
    const diff = await bots(['diff'], { folder })
    expect([diff.code, diff.out]).toEqual([4, expect.stringContaining('content.richText')])
    await ok(['push', file], { folder })
    expect((await bots(['diff', '--published', file], { folder })).code).toBe(4)
    await ok(['publish', file], { folder })
    const dry = await ok(['rollback', file, '--dry-run', '--json'], { folder })
    expect(dry.value.changes).toHaveLength(1)
    expect((await ok(['rollback', file, '--json'], { folder })).value.changes).toEqual(dry.value.changes)
    const { publishedBot } = await app.client.ok('getPublishedBot', { as: here.admin, params: { botId: id } })
    expect(JSON.stringify(publishedBot.groups)).toContain('Thanks for your interest.')
  })
})

describe('bad input', () => {
  test('names every file that cannot be read, and pushes nothing', async () => {
    const folder = await pulled()
    const [one, two, three] = filesIn(folder) as [string, string, string]
    writeFileSync(join(folder, one), '{\n  "version": "6.1",\n  oops\n}')
    edit(folder, two, (bot) => Object.assign(bot, { id: readBot(folder, three).id, name: 'Pushed?' }))
    edit(folder, three, (bot) => Object.assign(bot, { name: 'Pushed?' }))
    const broken = await bots(['push'], { folder })
    expect([broken.code, broken.err]).toEqual([1, expect.stringContaining(`${one}:3: not valid JSON`)])
    rmSync(join(folder, one))
    const twice = await bots(['push'], { folder })
    expect([twice.code, twice.err]).toEqual([1, expect.stringContaining('have the same id')])
    rmSync(join(folder, two))
    edit(folder, three, (bot) => Object.assign(bot, { publicID: 'x' }))
    expect((await bots(['push'], { folder })).err).toContain('no property publicID')
    edit(folder, three, (bot) => Object.assign(bot, { publicID: undefined, resultsTablePreferences: null }))
    expect((await bots(['push', '--dry-run'], { folder })).err).not.toContain('no property')
    writeFileSync(join(folder, three), '[]')
    expect((await bots(['push'], { folder })).err).toContain('expected an object')
    const { bots: all } = await app.client.ok('listBots', {
      as: here.admin,
      query: { workspaceId: here.workspaceId },
    })
    expect(all.filter(({ name }) => name === 'Pushed?')).toEqual([])
  })

  test('keeps the file of a bot that was renamed or deleted meanwhile', async () => {
    const folder = await pulled()
    const [id, gone] = [here.draft.id, here.legacy.id]
    const [file, goneFile] = [fileOf(folder, id), fileOf(folder, gone)]
    await app.client.ok('updateBot', {
      as: here.admin,
      params: { botId: id },
      body: { bot: { version: '6.1', name: 'Renamed' } } as never,
    })
    await app.client.ok('deleteBot', { as: here.admin, params: { botId: gone } })
    edit(folder, goneFile, (bot) => Object.assign(bot, { name: 'Too late' }))
    expect((await bots(['push', goneFile], { folder })).err).toContain('was deleted; remove the id')
    const { value } = await ok(['pull', '--json'], { folder })
    expect(value.bots).toContainEqual({ file, botId: id, action: 'updated' })
    expect(value.bots).toContainEqual(expect.objectContaining({ file: goneFile, action: 'kept' }))
    expect(readBot(folder, file).name).toBe('Renamed')
    edit(folder, goneFile, (bot) => delete bot.id)
    expect((await ok(['push', '--json'], { folder })).value.pushed).toMatchObject([
      { file: goneFile, action: 'create' },
    ])
  })

  test('continues a pull that was interrupted', async () => {
    const folder = await pulled()
    const whole = textsIn(folder)
    const state = JSON.parse(readFileSync(join(folder, '.bots.json'), 'utf8'))
    const [first, ...rest] = Object.entries<{ file: string }>(state.bots)
    for (const [, { file }] of rest) rmSync(join(folder, file))
    writeFileSync(
      join(folder, '.bots.json'),
      JSON.stringify({ ...state, bots: Object.fromEntries([first] as never) }),
    )
    await ok(['pull'], { folder })
    expect(Object.values(textsIn(folder)).sort()).toEqual(Object.values(whole).sort())
  })

  test('rejects a folder that names files outside, another service or another workspace', async () => {
    const folder = await pulled()
    const path = join(folder, '.bots.json')
    const state = JSON.parse(readFileSync(path, 'utf8'))
    writeFileSync(
      path,
      JSON.stringify({ ...state, bots: { x: { file: '../../evil.bot.json', digest: '' } } }),
    )
    expect((await bots(['pull'], { folder })).err).toContain('names a file outside')
    writeFileSync(path, JSON.stringify({ ...state, service: 'https://evil.example' }))
    const other = await bots(['push'], { folder })
    expect([other.code, other.err]).toEqual([
      1,
      expect.stringContaining('This folder belongs to https://evil.example'),
    ])
    writeFileSync(path, JSON.stringify(state))
    expect((await bots(['pull', '--workspace', there.workspaceId], { folder })).err).toContain(
      'use another folder',
    )
    expect((await bots(['push'], { folder: newFolder() })).err).toContain('no folder of bots')
  })

  test('names the missing scope or role, and exits with 2 for wrong arguments', async () => {
    const folder = await pulled(here.guest)
    edit(folder, fileOf(folder, here.draft.id), (bot) => Object.assign(bot, { name: 'Mine' }))
    const guest = await bots(['push'], { folder, as: here.guest })
    expect([guest.code, guest.err]).toEqual([1, expect.stringContaining('This needs the role MEMBER')])
    for (const argv of [
      ['pull', '--no-such'],
      ['nothing'],
      ['publish'],
      ['completion', 'csh'],
      ['new', 'x', '-t', 'constructor'],
    ]) {
      expect([argv, (await bots(argv, { folder })).code]).toEqual([argv, 2])
    }
    const json = await bots(['check', 'nothing', '--json'], { folder })
    expect(JSON.parse(json.err)).toMatchObject({ exitCode: 1, error: expect.any(String) })
    expect(json.out).toBe('')
  })
})

describe('login', () => {
  test('stores a token for its owner alone, and sends it to its address alone', async () => {
    const env = { XDG_CONFIG_HOME: newFolder() }
    const wrong = await bots(['login', app.url], { as: null, env, input: 'botb_pat_wrong\n' })
    expect([wrong.code, wrong.err]).toEqual([1, expect.stringContaining('not one of this service')])
    const { out } = await ok(['login', `${app.url}/`, '--name', 'test'], {
      as: null,
      env,
      input: `${here.admin.token}\n`,
    })
    expect(out).not.toContain(here.admin.token)
    const path = join(env.XDG_CONFIG_HOME, 'bots', 'profiles.json')
    expect(statSync(path).mode & 0o777).toBe(0o600)
    const folder = newFolder()
    await ok(['pull'], { as: null, env, folder })
    expect(readFileSync(join(folder, '.bots.json'), 'utf8')).not.toContain('botb_pat')
    expect((await ok(['list', '--profile', 'test'], { as: null, env })).out).toContain(here.draft.id)
    writeFileSync(
      join(folder, '.bots.json'),
      JSON.stringify({ service: 'http://evil.example', workspaceId: 'x' }),
    )
    const evil = await bots(['pull'], { as: null, env, folder })
    expect(evil.err).toContain('There is no login for http://evil.example')
    expect((await bots(['list', '--profile', 'constructor'], { as: null, env })).err).toContain(
      'no login for a profile',
    )
  })
})

describe('promote', () => {
  const type = 'openai'
  const credentials = (workspaceId: string, as: Caller) =>
    app.client.ok('createCredentials', {
      as,
      params: { workspaceId },
      body: anyBody({ name: 'Models', type, data: { apiKey: 'sk-test' } }),
    })

  test('updates the bot of the target again and again, whose public id, results and chats stay', async () => {
    const env = { XDG_CONFIG_HOME: newFolder() }
    await ok(['login', app.url, '--name', 'target'], { as: null, env, input: there.admin.token })
    const folder = await pulled()
    const run = { folder, env }
    const file = fileOf(folder, here.draft.id)
    const to = ['--to', 'target', '--workspace', there.workspaceId]
    const { credentials: source } = await credentials(here.workspaceId, here.admin)
    edit(folder, file, (bot) => {
      bot.groups[0].blocks.push({ id: 'model', type: 'openai', options: { credentialsId: source.id } })
    })
    await ok(['push'], run)
    const without = await bots(['promote', file, ...to], run)
    expect([without.code, without.err]).toEqual([1, expect.stringContaining('Models (openai)')])
    const { credentials: target } = await credentials(there.workspaceId, there.admin)
    const dry = (await ok(['promote', file, ...to, '--dry-run', '--json'], run)).value
    expect(dry).toMatchObject({ dryRun: true, action: 'create', botId: null })
    const { botId } = (await ok(['promote', file, ...to, '--publish', '--json'], run)).value
    const promoted = async () => (await app.client.ok('getBot', { as: there.admin, params: { botId } })).bot
    const first = await promoted()
    expect(JSON.stringify(first.groups)).toContain(target.id)
    expect(JSON.stringify(first.groups)).not.toContain(source.id)

    const params = { publicId: String(first.publicId) }
    const chat = await app.client.ok('startChat', { params })
    edit(folder, file, (bot) => Object.assign(bot, { name: 'Second' }))
    await ok(['push'], run)
    const words = (await ok(['promote', file, ...to, '--dry-run', '--json'], run)).value.changes
    const again = (await ok(['promote', file, ...to, '--publish', '--json'], run)).value
    expect(again).toMatchObject({ botId, action: 'update', changes: words })
    expect(await promoted()).toMatchObject({ name: 'Second', publicId: first.publicId })
    await app.client.ok('continueChat', {
      params: { sessionId: chat.sessionId },
      body: { message: 'ada@example.com' },
    })
    const { results } = await app.client.ok('listResults', { as: there.admin, params: { botId } })
    expect(results).toHaveLength(1)
    const { publications } = await app.client.ok('listPublications', { as: there.admin, params: { botId } })
    expect(publications).toHaveLength(2)

    await app.client.ok('updateBot', {
      as: there.admin,
      params: { botId },
      body: { bot: { version: '6.1', name: 'Edited there' } } as never,
    })
    edit(folder, file, (bot) => Object.assign(bot, { name: 'Third' }))
    await ok(['push'], run)
    expect((await bots(['promote', file, ...to], run)).code).toBe(3)
    expect((await promoted()).name).toBe('Edited there')
    await ok(['promote', file, ...to, '--overwrite'], run)
    expect((await promoted()).name).toBe('Third')
  })
})

describe('other commands', () => {
  test('export results in parts, and continue after an interruption', async () => {
    const service = connect(app.url, here.admin.token)
    const folder = newFolder()
    const botId = here.published.id
    const io = { stderr: new PassThrough(), stdout: new PassThrough() } as never
    for (const format of ['csv', 'jsonl'] as const) {
      const whole = (await ok(['results', botId, '--format', format])).out
      const file = join(folder, `results.${format}`)
      let left = 2
      const interrupted = {
        ...service,
        client: {
          results: {
            export: (...given: [string, object]) => {
              if (left-- === 0) throw new Error('interrupted')
              return service.client.results.export(...(given as [string, never]))
            },
          },
        },
      } as never
      await expect(exportToFile(io, interrupted, botId, file, { format }, 1)).rejects.toThrow('interrupted')
      expect(existsSync(file)).toBe(false)
      writeFileSync(`${file}.part`, 'half a line', { flag: 'a' })
      const { isResumed } = await exportToFile(io, service, botId, file, { format }, 1)
      expect([isResumed, readFileSync(file, 'utf8')]).toEqual([true, whole])
      expect(readdirSync(folder).filter((name) => name.includes('.part'))).toEqual([])
    }
    await ok(['results', botId, '--out', 'all.csv'], { folder })
    expect(readFileSync(join(folder, 'all.csv'), 'utf8')).toBe((await ok(['results', botId])).out)
  })

  test('chat with the draft, and accept numbers for choices', async () => {
    const folder = await pulled()
    const { file } = (await ok(['new', 'Drinks', '--json'], { folder })).value
    edit(folder, file, (bot) => {
      bot.events[0].outgoingEdgeId = 'e'
      bot.edges = [{ id: 'e', from: { eventId: 'start' }, to: { groupId: 'g' } }]
      const items = ['Tea', 'Coffee'].map((content) => ({ id: content, content }))
      bot.variables = [{ id: 'v', name: 'Drink' }]
      bot.groups = [
        {
          id: 'g',
          title: 'G',
          graphCoordinates: { x: 0, y: 0 },
          blocks: [
            { id: 'ask', type: 'choice input', items, options: { variableId: 'v' } },
            { id: 'say', type: 'text', content: { plainText: '{{Drink}} it is' } },
          ],
        },
      ]
    })
    await ok(['push'], { folder })
    const { out } = await ok(['chat', file], { folder, input: '2\n' })
    expect(out).toContain('  1. Tea\n  2. Coffee\n')
    expect(out).toContain('Coffee it is\nThe chat is over.\n')
    expect((await bots(['chat', file, '--published'], { folder })).err).toContain('not published')
  })

  test('run from the package alone, in the version of the contract', async () => {
    const folder = newFolder()
    await buildCommand(folder)
    expect(JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')).version).toBe(information.version)
    const { stdout } = await promisify(execFile)(process.execPath, [join(folder, 'bots.js'), '--version'])
    expect(stdout.trim()).toBe(information.version)
  })

  test('open and complete, without colour in a pipe', async () => {
    const folder = await pulled()
    const opened: string[] = []
    await ok(['open', here.draft.id], { folder, opened })
    expect(opened).toEqual([`${app.url}/bots/${here.draft.id}`])
    for (const shell of ['bash', 'zsh', 'fish'])
      expect((await ok(['completion', shell])).out).toContain('rollback')
    const colour = String.fromCharCode(27)
    expect((await ok(['list'], { folder })).out).not.toContain(colour)
    expect((await ok(['list'], { folder, isTTY: true })).out).toContain(colour)
    expect((await ok(['list'], { folder, isTTY: true, env: { NO_COLOR: '1' } })).out).not.toContain(colour)
    expect((await ok(['--version'])).out.trim()).toBe(information.version)
  })
})
