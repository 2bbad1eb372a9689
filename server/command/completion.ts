import type { Command } from 'commander'
import { fail } from './io.ts'

/* Scripts that complete commands and options in a shell. They hold all words, so that nothing runs on a key press. */

export function completionScript(program: Command, shell: string): string {
  const commands = program.commands.map((command) => command.name()).filter((name) => name !== 'completion')
  const optionsOf = (command: Command) => command.options.flatMap(({ long }) => long ?? [])
  const cases = program.commands.map((command) => ({
    name: command.name(),
    words: [...optionsOf(command), ...optionsOf(program)].join(' '),
  }))
  if (shell === 'bash') {
    const lines = cases.map(({ name, words }) => `    ${name}) words="${words}" ;;`)
    return `_bots() {
  local words="${commands.join(' ')}"
  case "\${COMP_WORDS[1]}" in
${lines.join('\n')}
  esac
  [ "$COMP_CWORD" = 1 ] && words="${commands.join(' ')}"
  COMPREPLY=($(compgen -W "$words" -f -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -F _bots bots
`
  }
  if (shell === 'zsh') {
    const lines = cases.map(({ name, words }) => `    ${name}) compadd -- ${words}; _files ;;`)
    return `#compdef bots
_bots() {
  if (( CURRENT == 2 )); then compadd ${commands.join(' ')}; return; fi
  case "$words[2]" in
${lines.join('\n')}
  esac
}
compdef _bots bots
`
  }
  if (shell === 'fish') {
    const lines = program.commands.flatMap((command) => [
      `complete -c bots -n __fish_use_subcommand -a ${command.name()} -d '${command.description().replaceAll("'", '')}'`,
      ...command.options.map(
        ({ long = '' }) =>
          `complete -c bots -n '__fish_seen_subcommand_from ${command.name()}' -l ${long.slice(2)}`,
      ),
    ])
    return `${lines.join('\n')}\n`
  }
  return fail('Expected bash, zsh or fish', 2)
}
