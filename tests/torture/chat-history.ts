import { setTimeout as sleep } from 'node:timers/promises'
import { type Caller, count, promise, type Run } from './run.ts'

/* One chat with a bot that asks three questions: whatever was acknowledged is stored once and in order. */

const QUESTIONS = 3

export async function aChat(run: Run, caller: Caller, botId: string, publicId: string) {
  const started = await caller.once('POST', `/api/v1/bots/${publicId}/startChat`, { body: {} })
  promise(started.status === 200, `A chat was not started: ${started.status} ${started.text}`)
  const { sessionId, resultId, revision } = started.body
  const path = `/api/v1/sessions/${sessionId}/continueChat`
  const said: string[] = []
  for (let step = 0; step < QUESTIONS && !run.isOver; step++) {
    const message = `${resultId} says ${step}`
    const body = { message, revision: revision + step }
    // Two at once, now and then, and again after an answer.
    const answers = await Promise.all([
      reply(caller, path, body),
      ...(caller.random.chance(0.3) ? [reply(caller, path, body)] : []),
    ])
    if (caller.random.chance(0.3)) answers.push(await reply(caller, path, body))
    for (const answer of answers) {
      promise(answer === answers[0], `One reply got two answers: ${answers[0]} and ${answer}`)
    }
    said.push(message)
    if (caller.random.chance(0.3)) await sleep(caller.random.below(30))
  }
  if (said.length === 0) return
  const result = await caller.settle('GET', `/v1/bots/${botId}/results/${resultId}`)
  promise(result.status === 200, `A result was answered ${result.status}: ${result.text}`)
  const stored = result.body.result.answers.map(({ content }: { content: string }) => content)
  promise(
    JSON.stringify(stored) === JSON.stringify(said),
    `A chat acknowledged ${JSON.stringify(said)} and stored ${JSON.stringify(stored)}`,
  )
  count(run, 'chats')
  count(run, 'replies in chats', said.length)
}

/** Says something until it is answered. Who runs the same reply may still be at it. */
async function reply(caller: Caller, path: string, body: object): Promise<string> {
  for (let attempt = 0; ; attempt++) {
    const { status, text } = await caller.settle('POST', path, { body })
    if (status === 200) return text
    promise(status === 409, `A reply was answered ${status}: ${text}`)
    promise(attempt < 100, `A reply is refused for ever, though it is the next one: ${text}`)
    await sleep(50)
  }
}
