import { readFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { resolve } from 'node:path'
import { Command, CommanderError, Option } from 'commander'
import { addBotCommands } from './bot-commands.ts'
import { completionScript } from './completion.ts'
import type { Context, GlobalOptions } from './context.ts'
import { readState } from './folder.ts'
import { addFolderCommands } from './folder-commands.ts'
import { exitCodes, explain, fail, type Io, paint, print } from './io.ts'
import { connect, normalUrl, openService, saveProfile } from './profiles.ts'
import { addTestCommand } from './test-commands.ts'
import { readToken } from './token-prompt.ts'

/** The package has its build beside this file, and the sources have theirs. */
const { version } = JSON.parse(readFileSync(new URL('package.json', import.meta.url), 'utf8'))

/** Runs a command and returns its exit code. */
export async function runCommand(argv: readonly string[], io: Io): Promise<number> {
  const program = createProgram(io)
  try {
    await program.parseAsync(argv, { from: 'user' })
    return Number(program.getOptionValue('exitCode') ?? exitCodes.done)
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.done : exitCodes.usage
    const { message, exitCode } = explain(error)
    if (program.opts<GlobalOptions>().json)
      io.stderr.write(`${JSON.stringify({ error: message, exitCode })}\n`)
    else io.stderr.write(`${paint(io, 'red', message)}\n`)
    return exitCode
  }
}

function createProgram(io: Io): Command {
  const program = new Command('bots')
    .description('Keeps bots as files: pull, push, compare, publish and promote them.')
    .version(version)
    .addOption(new Option('-p, --profile <name>', 'login to use, as bots login names it'))
    .addOption(new Option('-C, --folder <path>', 'folder of the bots').default('.'))
    .option('--json', 'print JSON for programs')
    .configureOutput({
      writeOut: (text) => void io.stdout.write(text),
      writeErr: (text) => void io.stderr.write(text),
    })
    .addHelpText(
      'after',
      '\nExit codes: 0 done, 1 failed, 2 wrong arguments, 3 somebody else changed the bot, 4 differences or errors found.',
    )
  const options = () => program.opts<GlobalOptions>()
  const folder = () => resolve(io.cwd, options().folder)
  const context: Context = {
    io,
    isJson: () => options().json === true,
    folder,
    service: () => openService(io, options().profile, readState(folder())?.service),
  }
  // Commands take over these settings when they are added.
  program.exitOverride()
  addLogin(program, context)
  addFolderCommands(program, context)
  addBotCommands(program, context)
  addTestCommand(program, context)
  program
    .command('completion')
    .argument('<shell>', 'bash, zsh or fish')
    .description('Print a script that completes commands in a shell')
    .action((shell: string) => {
      io.stdout.write(completionScript(program, shell))
    })
  return program
}

function addLogin(program: Command, { io, isJson }: Context) {
  program
    .command('login')
    .argument('<url>', 'address of the service')
    .option('--name <name>', 'name of the profile; by default the host of the address')
    .description(
      'Store an access token for a service; a terminal opens the page that creates one, a pipe or BOTS_TOKEN gives it',
    )
    .action(async (given: string, { name }: { name?: string }) => {
      const url = normalUrl(given)
      const page = `${url}/account?${new URLSearchParams({ token: `bots on ${hostname()}` })}`
      if (io.env.BOTS_TOKEN === undefined && io.stdin.isTTY) {
        io.stderr.write(`Create a token on ${page} and paste it here.\n`)
        io.openAddress(page)
      }
      const token = io.env.BOTS_TOKEN ?? (await readToken(io))
      if (token === '') fail(`No token was given; create one on ${page}`)
      const { user, workspaces } = await connect(url, token).client.currentUser.get()
      const profile = name ?? new URL(url).host
      if (!/^[\w.:-]{1,100}$/.test(profile))
        fail('A profile has a name of letters, digits, dots and hyphens', 2)
      saveProfile(io, { name: profile, url, token })
      const names = workspaces.map((workspace) => `${workspace.id}  ${workspace.name}`)
      print(io, isJson(), { profile, url, user: user.email, workspaces }, [
        `${user.email} is logged in to ${url} as profile ${profile}. Workspaces:`,
        ...names,
      ])
    })
}
