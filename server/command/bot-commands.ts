import { resolve } from 'node:path'
import { type Command, Option } from 'commander'
import { chat } from './chat.ts'
import type { Context } from './context.ts'
import { readBots, readState, requireState, writeState } from './folder.ts'
import { exitCodes, fail, paint, print } from './io.ts'
import { openService } from './profiles.ts'
import { promote } from './promote.ts'
import { addProveCommand } from './prove-command.ts'
import { type ExportFilters, exportToFile, exportToOutput } from './results.ts'
import { requireTests } from './test-commands.ts'

/* Commands about one bot, which is given by its file or its id. */

const BOT = 'file of the bot, or its id'

export function addBotCommands(program: Command, context: Context) {
  const { io, isJson, folder } = context
  /** The id of a bot that was given by its file or by its id. */
  const idOf = (given: string): string => {
    if (!given.endsWith('.bot.json')) return given
    const [local] = readBots(folder(), [given.split(/[/\\]/).at(-1) as string])
    return local?.bot.id ?? fail(`${given} is not in the service yet; push it first`)
  }

  program
    .command('list')
    .option('-w, --workspace <id>', 'only this workspace')
    .description('List workspaces and their bots')
    .action(async ({ workspace }: { workspace?: string }) => {
      const { client } = context.service()
      const all = (await client.workspaces.list()).workspaces
      const chosen = all.filter(({ id }) => id === (workspace ?? readState(folder())?.workspaceId ?? id))
      const workspaces = []
      for (const { id, name } of chosen) {
        const bots = []
        for await (const bot of client.bots.list({ workspaceId: id, limit: 100 })) bots.push(bot)
        workspaces.push({ id, name, bots })
      }
      const lines = workspaces.flatMap(({ id, name, bots }) => [
        `${id}  ${name}`,
        ...bots.map(
          (bot) => `  ${bot.id}  ${bot.name}${bot.publishedBotId ? paint(io, 'green', '  live') : ''}`,
        ),
      ])
      print(io, isJson(), { workspaces }, lines)
    })

  program
    .command('check')
    .argument('<bot>', BOT)
    .description('Find what would go wrong in the draft')
    .action(async (given: string) => {
      const { findings } = await context.service().client.bots.check(idOf(given))
      const lines = findings.map(
        ({ severity, path, message }) =>
          `${paint(io, severity === 'error' ? 'red' : 'yellow', severity ?? 'warning')} ${path.join('.')}: ${message}`,
      )
      print(io, isJson(), { findings }, lines)
      const hasErrors = findings.some(({ severity }) => severity === 'error')
      if (hasErrors) program.setOptionValue('exitCode', exitCodes.differs)
    })

  program
    .command('publish')
    .argument('<bot>', BOT)
    .option('--require-tests', 'publish only what passes the tests beside the file')
    .description('Give the draft to visitors')
    .action(async (given: string, { requireTests: isTested }: { requireTests?: boolean }) => {
      const service = context.service()
      const botId = idOf(given)
      // The state that was tested is the one that is published.
      const tag =
        isTested && (await service.client.bots.get(botId).withResponse()).response.headers.get('etag')
      if (isTested) await requireTests(io, service, folder(), given)
      const published = await service.client.bots.publish(botId, tag ? { ifMatch: tag } : {})
      const { errorsFound, warningsFound } = published
      print(io, isJson(), published, [`Published with ${errorsFound} errors and ${warningsFound} warnings.`])
    })

  addProveCommand(program, context, idOf)

  program
    .command('rollback')
    .argument('<bot>', BOT)
    .option('--to <publication>', 'id of the publication; by default the one before the live one')
    .option('-n, --dry-run', 'say what would change, and change nothing')
    .description('Replace draft and live flow by an earlier publication; what only the draft has is lost')
    .action(async (given: string, { to, dryRun }: { to?: string; dryRun?: boolean }) => {
      const { client } = context.service()
      const botId = idOf(given)
      const { response } = await client.bots.get(botId).withResponse()
      const ifMatch = response.headers.get('etag') ?? fail('A proxy took the ETag away')
      const publicationId = to ?? (await publicationBefore(client, botId))
      const { changes } = await client.bots.compare(botId, { from: 'draft', to: publicationId })
      const words = changes.map(({ message }) => message)
      if (!dryRun) {
        await client.publications.restore(botId, publicationId, { ifMatch })
        await client.bots.publish(botId)
      }
      print(io, isJson(), { dryRun: dryRun === true, publicationId, changes: words }, [
        ...words.map((word) => `  ${word}`),
        dryRun ? `Would go back to ${publicationId}.` : `Visitors get ${publicationId} again.`,
      ])
    })

  program
    .command('promote')
    .argument('<bot>', BOT)
    .requiredOption('--to <profile>', 'profile of the target')
    .requiredOption('-w, --workspace <id>', 'workspace of the target')
    .option('--bot <id>', 'bot of the target, for the first time; by default a new one')
    .addOption(
      new Option('--from <state>', 'state to promote').choices(['draft', 'published']).default('draft'),
    )
    .option('--publish', 'publish it there')
    .option('--overwrite', 'replace edits that were made there')
    .option('--no-create', 'promote nothing where the target has no bot yet, for pipelines')
    .option('-n, --dry-run', 'say what would change, and change nothing')
    .description(
      'Bring a bot into the bot of another workspace or installation, whose results and public id stay',
    )
    .action(async (given: string, options: PromoteOptions) => {
      const state = requireState(folder())
      const target = {
        service: openService(io, options.to),
        workspaceId: options.workspace,
        ...(options.bot !== undefined && { botId: options.bot }),
      }
      const promotion = await promote(context.service(), idOf(given), target, state, options)
      if (!options.dryRun) writeState(folder(), state)
      const isPublished = options.publish === true
      if (isPublished && !options.dryRun) await target.service.client.bots.publish(String(promotion.botId))
      const lines = [
        ...promotion.changes.map((change) => `  ${change}`),
        ...promotion.warnings.map((warning) => paint(io, 'yellow', warning)),
        `${options.dryRun ? 'Would ' : ''}${promotion.action} ${isPublished ? 'and publish ' : ''}${promotion.botId ?? promotion.name}`,
      ]
      print(io, isJson(), { dryRun: options.dryRun === true, isPublished, ...promotion }, lines)
    })

  program
    .command('chat')
    .argument('<bot>', BOT)
    .option('--published', 'chat as a visitor; this makes a result')
    .description('Chat with the draft in the terminal')
    .action(async (given: string, { published }: { published?: boolean }) => {
      const service = context.service()
      const botId = idOf(given)
      if (!published) return chat(io, service, { botId })
      const { publicId } = (await service.client.bots.get(botId)).bot
      return chat(io, service, { publicId: publicId ?? fail('The bot is not published') })
    })

  program
    .command('results')
    .argument('<bot>', BOT)
    .option('-o, --out <file>', 'file to write; an interrupted export goes on with the same command')
    .addOption(new Option('--format <format>', 'form of the lines').choices(['csv', 'jsonl']).default('csv'))
    .option('--time-filter <range>', 'such as last7Days')
    .option('--created-after <time>', 'first moment, such as 2026-03-01T00:00:00Z')
    .option('--created-before <time>', 'moment that ends the range')
    .addOption(new Option('--status <status>', 'how far chats came').choices(['started', 'completed']))
    .description('Export results')
    .action(async (given: string, { out, ...filters }: ExportFilters & { out?: string }) => {
      const service = context.service()
      if (out === undefined) return exportToOutput(io, service, idOf(given), filters)
      const exported = await exportToFile(io, service, idOf(given), resolve(io.cwd, out), filters)
      print(io, isJson(), exported, [`${exported.bytes} bytes in ${exported.file}`])
    })

  program
    .command('open')
    .argument('<bot>', BOT)
    .description('Open a bot in the browser')
    .action((given: string) => {
      const address = `${context.service().url}/bots/${encodeURIComponent(idOf(given))}`
      io.openAddress(address)
      print(io, isJson(), { address }, [address])
    })
}

interface PromoteOptions {
  to: string
  workspace: string
  bot?: string
  from: 'draft' | 'published'
  publish?: boolean
  overwrite?: boolean
  create: boolean
  dryRun?: boolean
}

async function publicationBefore(
  client: ReturnType<typeof openService>['client'],
  botId: string,
): Promise<string> {
  const { publications } = await client.publications.list(botId, { limit: 100 })
  const live = publications.findIndex(({ isLive }) => isLive)
  const before = publications[live + 1]
  return before?.id ?? fail('There is no publication before the live one; name one by --to')
}
