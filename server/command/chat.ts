import { createInterface } from 'node:readline'
import { ApiError, type ContinuedChatBody, type StartedChatBody } from '../../generated/client/index.js'
import { type Io, paint, printLine } from './io.ts'
import type { Service } from './profiles.ts'
import { type Step, saysOf } from './simulation.ts'

type Turn = StartedChatBody | ContinuedChatBody

/** Chats in the terminal, with the draft or with the published bot: an answer per line, until the chat is over. */
export async function chat(io: Io, { client }: Service, from: { botId: string } | { publicId: string }) {
  const format = { textBubbleContentFormat: 'markdown' } as const
  const started = await ('botId' in from
    ? client.previews.start(from.botId, format)
    : client.chat.start(from.publicId, format))
  const { sessionId } = started
  let turn: Turn = started
  show(io, turn)
  if (!isWaiting(turn)) return printLine(io, paint(io, 'dim', 'The chat is over.'))
  const lines = createInterface({ input: io.stdin })
  try {
    for await (const line of lines) {
      const message = choiceOf(turn, line)
      try {
        turn = await client.chat.continue(sessionId, {
          ...format,
          revision: turn.revision,
          ...(message !== '' && { message }),
        })
      } catch (error) {
        if (!(error instanceof ApiError) || error.status !== 400) throw error
        printLine(io, paint(io, 'red', error.issues[0]?.message ?? error.message))
        continue
      }
      show(io, turn)
      if (!isWaiting(turn)) return printLine(io, paint(io, 'dim', 'The chat is over.'))
    }
  } finally {
    lines.close()
  }
}

function isWaiting({ input, clientSideActions = [] }: Turn): boolean {
  return input !== undefined || clientSideActions.some(({ expectsDedicatedReply }) => expectsDedicatedReply)
}

function show(io: Io, turn: Turn) {
  const { input, clientSideActions = [], logs = [] } = turn
  for (const words of saysOf(turn)) printLine(io, words)
  for (const { type } of clientSideActions) printLine(io, paint(io, 'dim', `[${type}]`))
  for (const { description, details } of logs)
    printLine(io, paint(io, 'yellow', `! ${description}${details ? `: ${details}` : ''}`))
  showChoices(io, turn)
  if (input) printLine(io, paint(io, 'dim', `(${input.type})`))
}

function choicesIn({ input }: Pick<Step, 'input'>): string[] {
  return (input?.items ?? []).map(({ content, title }) => String(content ?? title ?? ''))
}

export function showChoices(io: Io, step: Pick<Step, 'input'>) {
  for (const [index, choice] of choicesIn(step).entries()) printLine(io, `  ${index + 1}. ${choice}`)
}

/** The text of a choice where its number was given. */
export function choiceOf(step: Pick<Step, 'input'>, line: string): string {
  return (/^\d+$/.test(line.trim()) ? choicesIn(step)[Number(line) - 1] : undefined) ?? line
}
