import { type Command, InvalidArgumentError } from 'commander'
import type { Context } from './context.ts'
import { createProgress, exitCodes, paint, print } from './io.ts'
import type { Change, Proof } from './prove.ts'

/* The command `prove`. */

export function addProveCommand(program: Command, context: Context, idOf: (given: string) => string) {
  const { io, isJson } = context
  program
    .command('prove')
    .argument('<bot>', 'file of the bot, or its id')
    .option('--last <count>', 'transcripts to replay, the newest ones', wholeNumber(0, 100_000), 100)
    .option(
      '--paths <count>',
      'paths to explore at most, of the draft and of what visitors get',
      wholeNumber(1, 10_000),
      300,
    )
    .description(
      'Say for how many people the draft changes something, by replaying and exploring chats; nothing is sent',
    )
    .action(async (given: string, { last, paths }: { last: number; paths: number }) => {
      const progress = createProgress(io, last + paths, 'chats')
      const { prove } = await import('./prove.ts')
      const { client } = context.service()
      const proof = await prove(client, idOf(given), { last, maxPaths: paths, advance: progress.advance })
      progress.end()
      print(
        io,
        isJson(),
        proof,
        linesOf(proof, (text) => paint(io, 'yellow', text)),
      )
      if (proof.people.changed + proof.paths.changed > 0)
        program.setOptionValue('exitCode', exitCodes.differs)
    })
}

function wholeNumber(min: number, max: number) {
  return (text: string): number => {
    const value = Number(text)
    if (!Number.isInteger(value) || value < min || value > max)
      throw new InvalidArgumentError(`Give a whole number from ${min} to ${max}.`)
    return value
  }
}

function linesOf(
  { people, paths, unreachable, unreached, deadEnds }: Proof,
  warn: (text: string) => string,
): string[] {
  const { replayed, changed, notReplayable, reasons } = people
  return [
    `${changed} of ${replayed} people would see something else; ${notReplayable} chats cannot be replayed`,
    ...Object.entries(reasons).map(([reason, count]) => `  ${count}: ${reason}`),
    ...people.changes.map((change) => `  ${lineOf(change)}`),
    `${paths.changed} of ${paths.explored} explored paths differ${paths.isComplete ? '' : '; there are more paths, see --paths'}`,
    ...paths.changes.map((change) => `  ${lineOf(change)}`),
    ...unreachable.map(({ type, blockId, group }) =>
      warn(`nobody can reach ${type} ${blockId} in ${group}: no edge leads there`),
    ),
    ...unreached.map(({ type, blockId, group }) =>
      warn(`no explored path reaches ${type} ${blockId} in ${group}`),
    ),
    ...deadEnds.map(({ how, where, blockId, replies }) =>
      warn(
        `a path ${how === 'stopped' ? 'goes round without end and is stopped' : 'ends without a word'} at ${blockId} in ${where ?? 'a linked bot'}: ${wordsOf(replies)}`,
      ),
    ),
  ]
}

function lineOf({ count, where, how, replies }: Change): string {
  return `${count}: ${where === null ? '' : `${where}: `}${how} (${wordsOf(replies)})`
}

function wordsOf(replies: readonly unknown[]): string {
  const words = replies.map((reply) => {
    const { text, command } =
      typeof reply === 'object' && reply !== null ? (reply as Record<string, unknown>) : {}
    return JSON.stringify(command ?? text ?? reply)
  })
  return words.length === 0 ? 'from the start' : `after ${words.slice(-6).join(', ')}`
}
