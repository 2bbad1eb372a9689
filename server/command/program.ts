import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { Command, CommanderError, Option } from 'commander'
import { addBotCommands } from './bot-commands.ts'
import { completionScript } from './completion.ts'
import type { Context, GlobalOptions } from './context.ts'
import { readState } from './folder.ts'
import { addFolderCommands } from './folder-commands.ts'
import { exitCodes, explain, type Io, paint } from './io.ts'
import { addLoginCommand } from './login.ts'
import { openService } from './profiles.ts'
import { addTestCommand } from './test-commands.ts'
import { rejectUnusedOptions } from './unused-options.ts'

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

/** The command with all commands below it. */
export function createProgram(io: Io): Command {
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
  program.hook('preAction', (_, command) => rejectUnusedOptions(command, io))
  addLoginCommand(program, context)
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
