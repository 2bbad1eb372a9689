import { basename, join } from 'node:path'
import type { Command } from 'commander'
import { ApiError } from '../../generated/client/index.js'
import { findTemplate, templates } from '../templates/index.ts'
import type { Context } from './context.ts'
import {
  type FolderState,
  fileNameFor,
  formatBot,
  readBots,
  readState,
  readText,
  requireState,
  writeBot,
} from './folder.ts'
import { countBots, createProgress, exitCodes, fail, paint, print } from './io.ts'
import { type Client, normalUrl } from './profiles.ts'
import { planPush, pull, push, toFile, wordsOf } from './sync.ts'
import { readToken } from './token-prompt.ts'

/* Commands about a folder of bots: new, pull, push and diff. */

export function addFolderCommands(program: Command, context: Context) {
  const { io, isJson, folder } = context
  const namesOf = (files: string[]) => (files.length > 0 ? files.map((file) => basename(file)) : undefined)

  program
    .command('pull')
    .option('-w, --workspace <id>', 'workspace, for a folder without bots')
    .option('--overwrite', 'replace files that were edited and not pushed')
    .description('Write every bot of a workspace to a file')
    .action(async ({ workspace, overwrite }: { workspace?: string; overwrite?: boolean }) => {
      const service = context.service()
      const stored = readState(folder())
      if (stored && workspace !== undefined && stored.workspaceId !== workspace)
        fail(`This folder has the bots of workspace ${stored.workspaceId}; use another folder`)
      const workspaceId = stored?.workspaceId ?? workspace ?? (await onlyWorkspace(context))
      const state: FolderState = stored ?? { service: service.url, workspaceId, bots: {} }
      const pulled = await pull(io, service, folder(), state, { overwrite })
      const lines = pulled
        .filter(({ action }) => action !== 'unchanged')
        .map(
          ({ file, action, message }) =>
            `${paint(io, message ? 'yellow' : 'green', action)} ${file}${message ? ` ${message}` : ''}`,
        )
      print(io, isJson(), { bots: pulled }, [...lines, countBots(pulled.length)])
    })

  program
    .command('migrate')
    .argument('<url>', 'address of the other builder, below which /v1 is')
    .requiredOption('--from <id>', 'workspace there')
    .requiredOption('-w, --workspace <id>', 'workspace to migrate into')
    .option('--publish', 'publish what is published there')
    .description(
      'Migrate folders and bots of another builder; an interrupted migration goes on with the same command',
    )
    .action(async (given: string, options: { from: string; workspace: string; publish?: boolean }) => {
      const token = io.env.BOTS_SOURCE_TOKEN ?? (await readToken(io))
      if (token === '') fail('No token of the other builder was given; set BOTS_SOURCE_TOKEN')
      const [{ openSource }, { migrate }] = await Promise.all([
        import('./migrate-source.ts'),
        import('./migrate.ts'),
      ])
      const source = openSource(normalUrl(given), token, options.from)
      const { publish } = options
      const begin = (count: number) => createProgress(io, count, 'bots')
      const settings = { ...(publish !== undefined && { publish }), begin }
      const report = await migrate(
        source,
        options.from,
        context.service(),
        options.workspace,
        folder(),
        settings,
      )
      const { found, migrated, alreadyThere, failed, folders, bots } = report
      print(io, isJson(), report, [
        `${migrated} of ${found} bots migrated, ${alreadyThere} were already here, ${failed.length} failed; ${folders} folders`,
        ...failed.map(({ name, sourceId, reason }) => paint(io, 'red', `${name} (${sourceId}): ${reason}`)),
        ...bots.flatMap(({ name, botId, warnings }) =>
          warnings.map((warning) => paint(io, 'yellow', `${name} (${botId}): ${warning}`)),
        ),
        'Results stay where they are; credentials have to be made anew.',
      ])
      if (failed.length > 0) program.setOptionValue('exitCode', exitCodes.failed)
    })

  program
    .command('push')
    .argument('[files...]', 'files to push; by default all')
    .option('-n, --dry-run', 'say what would be pushed, and push nothing')
    .option('--overwrite', 'push also where somebody else changed the bot')
    .option('--publish', 'publish what was pushed')
    .option('--no-create', 'push nothing where a file has no bot yet, for pipelines')
    .description('Write files to their bots, and create bots of files without an id')
    .action(
      async (
        files: string[],
        options: { dryRun?: boolean; overwrite?: boolean; publish?: boolean; create: boolean },
      ) => {
        const state = requireState(folder())
        const service = context.service()
        const steps = await planPush(service, state, readBots(folder(), namesOf(files)), options)
        const planned = steps.map(({ file, botId, action, properties, changes }) => ({
          file,
          botId,
          action,
          properties,
          changes,
        }))
        const pushed = options.dryRun ? planned : await push(io, service, folder(), state, steps)
        const published: string[] = []
        for (const { botId, file } of options.publish ? pushed : []) {
          if (!options.dryRun) await service.client.bots.publish(String(botId))
          published.push(file)
        }
        const lines = pushed.flatMap(({ file, action, changes }) => [
          `${paint(io, 'green', action)} ${file}`,
          ...changes.map((change) => `  ${change}`),
        ])
        const done = options.dryRun ? 'would be pushed' : 'pushed'
        const value = { dryRun: options.dryRun === true, pushed, published }
        print(io, isJson(), value, [
          ...lines,
          ...published.map((file) => `publish ${file}`),
          `${countBots(pushed.length)} ${done}`,
        ])
      },
    )

  program
    .command('diff')
    .argument('[files...]', 'files to compare; by default all')
    .option('--published', 'compare with what visitors get, in place of the draft')
    .description('Say in words how files differ from their bots')
    .action(async (files: string[], { published }: { published?: boolean }) => {
      requireState(folder())
      const { client } = context.service()
      const differences: { file: string; changes: string[] }[] = []
      for (const { file, bot } of readBots(folder(), namesOf(files))) {
        if (bot.id === undefined) {
          differences.push({ file, changes: ['The bot is not in the service'] })
          continue
        }
        const stored = toFile((await client.bots.get(bot.id)).bot)
        const live = published ? await liveBot(client, bot.id) : stored
        if (live === undefined) {
          differences.push({ file, changes: ['The bot is not published'] })
          continue
        }
        const before = { ...stored, ...live }
        const changes = await wordsOf(before, { ...before, ...bot })
        if (changes.length > 0) differences.push({ file, changes })
      }
      const lines = differences.flatMap(({ file, changes }) => [
        file,
        ...changes.map((change) => `  ${change}`),
      ])
      print(io, isJson(), { differences }, lines)
      if (differences.length > 0) program.setOptionValue('exitCode', exitCodes.differs)
    })

  program
    .command('new')
    .argument('<name>', 'name of the bot')
    .option('-t, --template <name>', `empty or one of ${templates.map(({ id }) => id).join(', ')}`, 'empty')
    .description('Write a file for a new bot; push creates the bot')
    .action((name: string, { template }: { template: string }) => {
      requireState(folder())
      const begun = template === 'empty' ? emptyBot : findTemplate(template)?.bot
      if (!begun) fail(`There is no template ${template}`, 2)
      const taken = new Set<string>()
      let file = fileNameFor(name, taken)
      while (readText(folder(), file) !== undefined) {
        taken.add(file)
        file = fileNameFor(name, taken)
      }
      writeBot(folder(), file, formatBot({ ...begun, name }))
      print(io, isJson(), { file }, [join(folder(), file)])
    })
}

/** A flow that begins and ends immediately. */
const emptyBot = {
  version: '6.1',
  events: [{ id: 'start', type: 'start', graphCoordinates: { x: 0, y: 0 } }],
  groups: [],
  edges: [],
  variables: [],
  theme: {},
  settings: {},
}

/** The bot that visitors get; undefined where it is not published. */
async function liveBot(client: Client, id: string) {
  try {
    return toFile({ ...(await client.publishedBots.get(id)).publishedBot, id })
  } catch (error) {
    const isUnpublished = error instanceof ApiError && error.issues[0]?.code === 'not_published'
    if (isUnpublished) return undefined
    throw error
  }
}

/** The only workspace of a caller. */
async function onlyWorkspace({ service }: Context): Promise<string> {
  const { workspaces } = await service().client.workspaces.list()
  const [workspace] = workspaces
  if (workspaces.length === 1 && workspace) return workspace.id
  const list = workspaces.map(({ id, name }) => `  ${id}  ${name}`).join('\n')
  return fail(`Say which workspace, by --workspace:\n${list}`, exitCodes.usage)
}
