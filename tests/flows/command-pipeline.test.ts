import { execFile } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { parse } from 'yaml'
import { buildCommand } from '../../server/command/build.ts'
import { root } from '../../server/root.ts'
import { type App, startApp } from '../support/app.ts'
import { runBotsWell } from '../support/command.ts'
import { makeWorld, type World } from '../support/world.ts'

/* The workflow of the guide: every command of it, run by a shell with the package as npm installs it. */

const run = promisify(execFile)

interface Step {
  run?: string
  env?: Record<string, string>
}

// biome-ignore lint/suspicious/noExplicitAny: documents of bots
type Json = any

let app: App
let world: World
let top: string
let repository: string
let workflow: { env: Record<string, string>; jobs: Record<'review' | 'release', { steps: Step[] }> }

beforeAll(async () => {
  app = await startApp()
  world = await makeWorld(app)
  top = mkdtempSync(join(tmpdir(), 'bots-pipeline-'))
  repository = join(top, 'repository')
  mkdirSync(join(repository, 'tools'), { recursive: true })
  await buildCommand(join(top, 'package'))
  const packing = ['pack', join(top, 'package'), '--pack-destination', join(repository, 'tools')]
  await run('npm', packing, { cwd: top })
  const guide = readFileSync(new URL('contract/guides/command.md', root), 'utf8')
  const [, yaml = ''] = /```yaml\n(name: bots\n[\s\S]*?)```/.exec(guide) ?? []
  workflow = parse(yaml)
})

afterAll(async () => {
  rmSync(top, { recursive: true })
  await app.stop()
})

/** Values that the settings of the repository have. */
const settings = (): Record<string, string> => ({
  'vars.BOTS_URL': app.url,
  'secrets.BOTS_TOKEN': world.here.member.token,
  'vars.PRODUCTION_URL': app.url,
  'secrets.PRODUCTION_TOKEN': world.there.member.token,
  'vars.PRODUCTION_WORKSPACE': world.there.workspaceId,
})

function filled(env: Record<string, string> = {}): Record<string, string> {
  const values = settings()
  const entries = Object.entries(env).map(([name, value]) => [
    name,
    value.replace(/^\$\{\{ (.+) \}\}$/, (_, key: string) => values[key] ?? ''),
  ])
  return Object.fromEntries(entries)
}

/** Runs the steps of a job on a machine of its own; returns what they printed, or that of the one that failed. */
async function runJob(job: 'review' | 'release') {
  const machine = mkdtempSync(join(top, 'machine-'))
  const folder = join(machine, 'checkout')
  cpSync(repository, folder, { recursive: true })
  const summary = join(machine, 'summary')
  writeFileSync(summary, '')
  const output: string[] = []
  for (const step of workflow.jobs[job].steps) {
    const isInstalled = existsSync(join(top, 'npm', 'bin', 'bots'))
    if (step.run === undefined || (isInstalled && step.run.startsWith('npm install'))) continue
    const env = {
      PATH: `${join(top, 'npm', 'bin')}:${process.env.PATH}`,
      HOME: machine,
      npm_config_prefix: join(top, 'npm'),
      npm_config_offline: 'true',
      GITHUB_STEP_SUMMARY: summary,
      ...filled(workflow.env),
      ...filled(step.env),
    }
    try {
      const { stdout, stderr } = await run('bash', ['-e', '-c', step.run], { cwd: folder, env })
      output.push(stdout + stderr)
    } catch (error) {
      const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string }
      return { code, failed: step.run, output: output.join('') + stdout + stderr, summary }
    }
  }
  return { code: 0, output: output.join(''), summary: readFileSync(summary, 'utf8') }
}

const bots = (argv: string[], env: Record<string, string> = {}) =>
  runBotsWell(app, top, argv, { as: world.here.member, folder: repository, env })

const publishedIn = async (workspaceId: string, as = world.here.member) => {
  const { bots } = await app.client.ok('listBots', { as, query: { workspaceId } })
  const found = bots.find(({ name }) => name === 'Lead form')
  return found && { ...found, text: await textOf(found.id, as) }
}

async function textOf(botId: string, as = world.here.member): Promise<string> {
  const { status, text } = await app.client.call('getPublishedBot', { as, params: { botId } })
  return status === 200 ? text : ''
}

function edit(work: (bot: Json) => void) {
  const path = join(repository, 'lead-form.bot.json')
  const bot = JSON.parse(readFileSync(path, 'utf8'))
  work(bot)
  writeFileSync(path, `${JSON.stringify(bot, null, 2)}\n`)
}

const say = (words: string) =>
  edit((bot) => {
    bot.groups[0].blocks[0].content = { richText: [{ type: 'p', children: [{ text: words }] }] }
  })

test('the workflow of the guide reviews a pull request, and publishes and promotes its merge', async () => {
  // By hand, once: the bots of the workspace, and a new one with a test and its first promotion.
  await bots(['pull', '--workspace', world.here.workspaceId])
  for (const file of readdirSync(repository)) if (file.endsWith('.bot.json')) rmSync(join(repository, file))
  writeFileSync(
    join(repository, '.bots.json'),
    JSON.stringify({ service: app.url, workspaceId: world.here.workspaceId, bots: {} }),
  )
  await bots(['new', 'Lead form', '--template', 'lead-form'])
  say('Good day')
  writeFileSync(
    join(repository, 'lead-form.test.yaml'),
    'tests:\n  - name: greets\n    chat:\n      - bot: [{ contains: Good }, What is your name?]\n',
  )
  const unknown = await runJob('review')
  expect([unknown.code, unknown.failed]).toEqual([1, 'bots push --overwrite --no-create'])
  expect(unknown.output).toContain('push it once by hand')
  await bots(['push', '--publish'])
  const early = await runJob('release')
  expect([early.code, early.output]).toEqual([1, expect.stringContaining('promote it once by hand')])
  expect(await publishedIn(world.there.workspaceId, world.there.member)).toBeUndefined()
  const profile = { BOTS_TOKEN: world.there.member.token }
  await bots(['login', app.url, '--name', 'production'], profile)
  await bots(['promote', 'lead-form.bot.json', '--to', 'production', '--workspace', world.there.workspaceId])

  say('Good evening')
  const review = await runJob('review')
  expect([review.code, review.failed]).toEqual([0, undefined])
  expect(review.output).toContain('1 passed, 0 failed')
  expect(review.summary).toContain('the bot says "Good evening" in place of "Good day"')
  expect((await publishedIn(world.here.workspaceId))?.text).toContain('Good day')

  const release = await runJob('release')
  expect([release.code, release.failed]).toEqual([0, undefined])
  for (const site of [world.here, world.there]) {
    const { text } = (await publishedIn(site.workspaceId, site.member)) ?? {}
    expect(text).toContain('Good evening')
  }
  const [again, before] = [await runJob('release'), await publishedIn(world.here.workspaceId)]
  expect([again.code, again.output.includes('Published')]).toEqual([0, false])
  expect((await publishedIn(world.here.workspaceId))?.text).toBe(before?.text)
  const { bots: there } = await app.client.ok('listBots', {
    as: world.there.member,
    query: { workspaceId: world.there.workspaceId },
  })
  expect(there.filter(({ name }) => name === 'Lead form')).toHaveLength(1)

  say('Hello')
  for (const job of ['review', 'release'] as const) {
    const rejected = await runJob(job)
    expect([job, rejected.code, rejected.failed]).toEqual([job, 4, 'bots test'])
  }
  expect((await publishedIn(world.there.workspaceId, world.there.member))?.text).toContain('Good evening')
})
