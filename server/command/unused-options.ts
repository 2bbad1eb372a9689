import type { Command, OptionValues } from 'commander'
import { exitCodes, fail, type Io } from './io.ts'

/* Options that a command would ignore are rejected, so that no caller expects an effect. */

interface Rule {
  option: string
  /** By default the command never uses the option. */
  when?: (options: OptionValues, io: Io) => boolean
  message: string
}

const hasToken = (_: OptionValues, { env, stdin }: Io) => env.BOTS_TOKEN !== undefined || !stdin.isTTY

const givenToken =
  'has no effect on a token that you give by BOTS_TOKEN or a pipe: leave it out, or create the token with this limit'

const recordsTest = ({ record }: OptionValues) => record === true

const rules: Record<string, Rule[]> = {
  login: [
    { option: 'profile', message: 'does not name the profile of a login: use --name' },
    { option: 'folder', message: 'is for bots, and a login is for all folders: leave it out' },
    ...['scopes', 'workspace', 'days'].map((option) => ({ option, when: hasToken, message: givenToken })),
  ],
  new: [{ option: 'profile', message: 'is for a service, and new only writes a file: leave it out' }],
  chat: [{ option: 'json', message: 'is for programs, and chat is for people: call the service itself' }],
  results: [
    {
      option: 'json',
      when: ({ out }) => out === undefined,
      message: 'needs --out, since results themselves are the output without it: use --format jsonl',
    },
  ],
  test: [
    {
      option: 'name',
      when: (options) => !recordsTest(options),
      message: 'names the test that --record adds: add --record, or leave it out',
    },
    {
      option: 'json',
      when: recordsTest,
      message: 'is for programs, and --record is for people: leave it out',
    },
  ],
  completion: ['profile', 'folder', 'json'].map((option) => ({
    option,
    message: 'changes nothing in a script for completion: leave it out',
  })),
}

/** Fails where a command was given an option that it does not use in this combination. */
export function rejectUnusedOptions(command: Command, io: Io) {
  const options = command.optsWithGlobals()
  for (const { option, when, message } of rules[command.name()] ?? []) {
    const isGiven = command.getOptionValueSourceWithGlobals(option) === 'cli'
    if (isGiven && (when?.(options, io) ?? true)) fail(`--${option} ${message}`, exitCodes.usage)
  }
}
