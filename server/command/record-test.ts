import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { isSeq, parseDocument, stringify } from 'yaml'
import { choiceOf, showChoices } from './chat.ts'
import { readText, writeWhole } from './folder.ts'
import { fail, type Io, paint, printLine } from './io.ts'
import type { Client } from './profiles.ts'
import { awaitsAction, type Script, type SimulatedRun, type Step, saysOf, simulate } from './simulation.ts'

/*
 * Records a test from a chat in the terminal. The chat is simulated, so the command also prompts for the responses to
 * requests of the bot; the whole chat runs again for each line, with all earlier lines.
 */

export async function recordTest(
  io: Io,
  client: Client,
  botId: string,
  folder: string,
  file: string,
  { name, of }: { name: string; of: 'draft' | 'published' },
): Promise<{ file: string; name: string; replies: number }> {
  const lines = createInterface({ input: io.stdin })
  try {
    const { script, run } = await record(io, client, botId, of, lines[Symbol.asyncIterator]())
    writeTest(folder, file, testOf(name, script, run))
    return { file, name, replies: script.replies.length }
  } finally {
    lines.close()
  }
}

async function record(
  io: Io,
  client: Client,
  botId: string,
  of: 'draft' | 'published',
  lines: AsyncIterator<string>,
): Promise<{ script: Script; run: SimulatedRun }> {
  const script: Script = { of, replies: [], responses: [], branches: [] }
  const read = async (): Promise<string | undefined> => {
    const { value, done } = await lines.next()
    return done ? undefined : String(value)
  }
  let run = await simulate(client, botId, script)
  for (;;) {
    const unanswered = run.requests.find(({ isAnswered }) => !isAnswered)
    if (unanswered) {
      const { method, url, blockId } = unanswered
      printLine(io, paint(io, 'yellow', `${method} ${url}`))
      printLine(io, paint(io, 'dim', 'Response as JSON, or as a text; an empty line for none:'))
      const words = await read()
      if (words === undefined)
        fail('The recording ended before the response to a request; nothing was written')
      script.responses.push({ blockId, ...(words === '' ? { failure: 'network' } : { body: toBody(words) }) })
      run = await simulate(client, botId, script)
      continue
    }
    const step = run.steps.at(-1) as Step
    for (const words of saysOf(step)) printLine(io, words)
    if (run.isOver) return { script, run }
    showChoices(io, step)
    printLine(io, paint(io, 'dim', awaitsAction(step) ? '(outcome of an action)' : `(${step.input?.type})`))
    const given = await read()
    if (given === undefined) return { script, run }
    script.replies.push({ message: choiceOf(step, given) || null })
    run = await simulate(client, botId, script)
  }
}

function toBody(words: string): unknown {
  try {
    return JSON.parse(words)
  } catch {
    return words
  }
}

/** A test that passes as long as the bot behaves as it did. */
function testOf(name: string, script: Script, run: SimulatedRun): object {
  const chat: object[] = []
  for (const [index, step] of run.steps.entries()) {
    const reply = script.replies[index - 1]
    if (reply) chat.push({ visitor: reply.message })
    const botWords = saysOf(step)
    if (botWords.length > 0) chat.push({ bot: botWords.length === 1 ? botWords[0] : botWords })
  }
  const variables = Object.fromEntries(run.variables.map((variable) => [variable.name, variable.value]))
  return {
    name,
    ...(script.responses.length > 0 && {
      requests: script.responses.map(({ blockId, ...response }) => ({ block: blockId, ...response })),
    }),
    chat,
    expect: { ...(Object.keys(variables).length > 0 && { variables }), isOver: run.isOver },
  }
}

/** Adds a test to a file, whose other lines and comments stay. */
function writeTest(folder: string, file: string, test: object) {
  const text = readText(folder, file)
  if (text === undefined) return writeWhole(join(folder, file), stringify({ tests: [test] }))
  const document = parseDocument(text)
  const list = document.get('tests')
  if (document.errors.length > 0 || !isSeq(list)) fail(`${file} is not a file of tests; mend or remove it`)
  document.addIn(['tests'], document.createNode(test))
  writeWhole(join(folder, file), document.toString())
}
