import { basename } from 'node:path'
import type { Command } from 'commander'
import type { Context } from './context.ts'
import type { Flow } from './flow-clues.ts'
import { formatBot, type LocalBot, normalText, readBots } from './folder.ts'
import { createProgress, exitCodes, fail, type Io, paint, print } from './io.ts'
import type { Client, Service } from './profiles.ts'
import { type BotOutcome, type Coverage, runTests } from './run-tests.ts'
import { toFile } from './sync.ts'

/* The command `test`, and the tests that `publish` may require. */

export function addTestCommand(program: Command, context: Context) {
  const { io, isJson, folder } = context
  program
    .command('test')
    .argument('[files...]', 'files of bots; by default all that have tests beside them')
    .option('--published', 'test or record what visitors get, in place of the draft')
    .option('--record', 'chat in the terminal, and add the chat to the tests')
    .option('--name <name>', 'name of the test to record')
    .description('Run the tests of name.test.yaml against the drafts, without sending anything')
    .action(async (files: string[], options: { published?: boolean; record?: boolean; name?: string }) => {
      // Loaded when it is needed: it brings the schemas of documents along.
      const { readTests, testFileOf } = await import('./test-file.ts')
      const service = context.service()
      const of = options.published ? 'published' : 'draft'
      const names = files.map((file) => basename(file).replace(/\.test\.yaml$/, '.bot.json'))
      const locals = readBots(folder(), names.length > 0 ? names : undefined)
      if (options.record) {
        const [local, ...others] = locals
        if (names.length !== 1 || !local || others.length > 0)
          fail('Name one file of a bot to record a test of', exitCodes.usage)
        const name = options.name ?? `Chat of ${new Date().toISOString().slice(0, 16)}`
        const file = testFileOf(local.file)
        const { recordTest } = await import('./record-test.ts')
        const recorded = await recordTest(io, service.client, idOf(local), folder(), file, { name, of })
        print(io, isJson(), recorded, [`Test ${JSON.stringify(name)} is in ${file}`])
        return
      }
      const tested = locals.flatMap((local) => {
        const tests = readTests(folder(), testFileOf(local.file))
        if (!tests && names.length > 0)
          fail(`${local.file} has no ${testFileOf(local.file)}; make one by bots test --record`)
        return tests ? [{ local, tests }] : []
      })
      if (tested.length === 0) fail('No bot has tests; make some by bots test --record')
      const progress = createProgress(
        io,
        tested.reduce((sum, { tests }) => sum + tests.tests.length, 0),
        'tests',
      )
      const outcomes: BotOutcome[] = []
      for (const { local, tests } of tested) {
        const flow = await flowOf(service.client, idOf(local), options.published)
        if (!options.published) warnOfEdits(io, local, flow)
        outcomes.push(await runTests(service.client, idOf(local), tests, flow as Flow, of, progress.advance))
      }
      progress.end()
      const failed = outcomes.flatMap(({ tests }) => tests).filter(({ isPassed }) => !isPassed).length
      const passed = outcomes.reduce((sum, { tests }) => sum + tests.length, 0) - failed
      print(io, isJson(), { passed, failed, bots: outcomes }, [
        ...outcomes.flatMap((outcome) => linesOf(io, outcome)),
        `${passed} passed, ${failed} failed`,
      ])
      if (failed > 0) program.setOptionValue('exitCode', exitCodes.differs)
    })
}

/** Runs the tests of a bot before it is published. Fails where there are none, or one fails. */
export async function requireTests(io: Io, { client }: Service, folder: string, given: string) {
  if (!given.endsWith('.bot.json')) fail('--require-tests needs the file of the bot', exitCodes.usage)
  const { readTests, testFileOf } = await import('./test-file.ts')
  const [local] = readBots(folder, [basename(given)]) as [LocalBot]
  const name = testFileOf(local.file)
  const tests = readTests(folder, name) ?? fail(`${local.file} has no ${name}; nothing was published`)
  const flow = await flowOf(client, idOf(local))
  const outcome = await runTests(client, idOf(local), tests, flow as Flow, 'draft', () => {})
  const failures = outcome.tests.filter(({ isPassed }) => !isPassed)
  if (failures.length === 0) return
  for (const line of linesOf(io, outcome)) io.stderr.write(`${line}\n`)
  fail(`${failures.length} tests failed; nothing was published`, exitCodes.differs)
}

const idOf = ({ file, bot }: LocalBot): string =>
  bot.id ?? fail(`${file} is not in the service yet; push it first`)

async function flowOf(client: Client, botId: string, isPublished?: boolean): Promise<object> {
  if (!isPublished) return (await client.bots.get(botId)).bot
  return (await client.publishedBots.get(botId)).publishedBot
}

function warnOfEdits(io: Io, { file, text }: LocalBot, stored: object) {
  if (normalText(text) === formatBot(toFile(stored))) return
  io.stderr.write(
    `${paint(io, 'yellow', `${file} differs from the draft, which is tested; push it first`)}\n`,
  )
}

function linesOf(io: Io, { file, tests, coverage }: BotOutcome): string[] {
  const lines = tests.flatMap(({ name, line, isPassed, failure }) =>
    isPassed
      ? [`${paint(io, 'green', 'pass')} ${name}`]
      : [`${paint(io, 'red', 'fail')} ${name}`, `  ${file}:${line}: ${failure}`],
  )
  const missing = coverage.blocks.missing.map(({ group, type, id }) => `  not run: ${type} ${id} in ${group}`)
  return [
    ...lines,
    `${file}: ${shareOf(coverage.blocks)} blocks, ${shareOf(coverage.edges)} edges`,
    ...missing,
  ]
}

function shareOf({ covered, total }: Coverage['blocks'] | Coverage['edges']): string {
  return `${covered} of ${total}`
}
