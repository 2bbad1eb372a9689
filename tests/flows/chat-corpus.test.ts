import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { type App, startApp } from '../support/app.ts'
import { type Published, reply, reportOf, type Step, start } from '../support/chats.ts'
import { anyBody } from '../support/client.ts'
import { corpusFiles as files, readCorpus, repliesTo } from '../support/corpus.ts'
import { makeWorld, type Site } from '../support/world.ts'

/*
 * Real bots, imported, published and talked to over HTTP until every input was seen and every reply was given that
 * can be. What the operations then say about the results is held against what was acknowledged.
 */

/** Contents of each document: inputs, replies that they accept, and bubbles. */
const contents: Record<string, [inputs: number, replies: number, bubbles: number]> = {
  'v3-ab-test.json': [0, 0, 3],
  'v3-jump.json': [1, 2, 2],
  'v4-linked-bot.json': [1, 2, 1],
  'v4-predefined-variables.json': [1, 1, 3],
  'v4-send-email.json': [1, 1, 1],
  'v6-customer-support.json': [6, 10, 11],
  'v6-dog-insurance-offer.json': [7, 18, 15],
  'v6-faq.json': [6, 11, 14],
  'v6-http-request.json': [4, 10, 2],
  'v6-inputs-and-logic.json': [5, 11, 12],
  'v6-lead-gen.json': [5, 10, 9],
  'v6-lead-scoring.json': [5, 15, 14],
  'v6-nps.json': [4, 8, 16],
  'v6-onboarding.json': [5, 16, 12],
  'v6-quiz.json': [6, 19, 24],
  'v6-savings-estimator.json': [8, 27, 16],
  'v6-skin-typology.json': [22, 90, 25],
}

/** Every way through this one comes to a choice that only restarts it. */
const endless = 'v6-customer-support.json'
const longestChat = 60
const mostChats = 150

let app: App
let here: Site

const describeCorpus = files.length > 0 ? describe : describe.skip
describeCorpus('the corpus over HTTP', () => {
  beforeAll(async () => {
    app = await startApp()
    here = (await makeWorld(app)).here
  })

  afterAll(() => app.stop())

  test('is the known one', () => {
    expect(files).toEqual(Object.keys(contents))
  })

  test.each(Object.keys(contents))('%s', async (file) => {
    const made = await publishFile(file)
    const found = new Exploration(made)
    const wanted = contents[file] as [number, number, number]
    while (found.chats.length < mostChats && String(found.size()) !== String(wanted)) await found.chat()
    expect(found.size()).toEqual(wanted)
    expect(found.chats.every(({ isOver }) => isOver === (file !== endless))).toBe(true)

    const { results, stats } = await reportOf(app, made, here.member)
    const started = found.chats.filter(({ answers }) => answers.length > 0)
    expect(stats).toEqual({
      totalViews: found.chats.length,
      totalStarts: started.length,
      totalCompleted: started.filter(({ isOver }) => isOver).length,
    })
    expect(results.map(({ id, answers }) => [id, answers.map(({ blockId }) => blockId)])).toEqual(
      started.map(({ resultId, answers }) => [resultId, answers]).reverse(),
    )
  })
})

async function publishFile(file: string): Promise<Published> {
  const document = readCorpus(file)
  const { bot } = await app.client.ok('importBot', {
    as: here.member,
    body: anyBody({ workspaceId: here.workspaceId, bot: document }),
  })
  await app.client.ok('publishBot', { as: here.member, params: { botId: bot.id } })
  const read = await app.client.ok('getBot', { as: here.member, params: { botId: bot.id } })
  return { id: bot.id, publicId: read.bot.publicId as string }
}

/** In turns the reply that was given least often, and any reply. */
class Exploration {
  readonly chats: { resultId: string; answers: string[]; isOver: boolean }[] = []
  private readonly made: Published
  private readonly inputs = new Set<string>()
  private readonly bubbles = new Set<string>()
  /** Number of times that each reply was given, by input and reply. */
  private readonly given = new Map<string, number>()
  private seed = 1

  constructor(made: Published) {
    this.made = made
  }

  size(): [number, number, number] {
    const given = [...this.given.values()].filter((count) => count > 0)
    return [this.inputs.size, given.length, this.bubbles.size]
  }

  async chat() {
    const started = await start(app, this.made)
    const answers: string[] = []
    let step: Step = started
    this.note(step)
    while (!isOver(step) && answers.length < longestChat) {
      const { revision } = step
      if (step.input) {
        answers.push(step.input.id)
        step = await reply(app, started.sessionId, this.choose(step.input), revision)
      } else step = await reply(app, started.sessionId, '42', revision)
      this.note(step)
    }
    this.chats.push({ resultId: started.resultId ?? '', answers, isOver: isOver(step) })
  }

  private note({ input, messages }: Step) {
    if (input) this.inputs.add(input.id)
    for (const { id } of messages) this.bubbles.add(id)
    expect(JSON.stringify(messages)).not.toMatch(/\{\{|\[object|undefined/)
  }

  private choose(input: NonNullable<Step['input']>): string {
    const options = repliesTo(input)
    const count = (option: string) => this.given.get(`${input.id} ${option}`) ?? 0
    const rarest = options.reduce((least, option) => (count(option) < count(least) ? option : least))
    this.seed = (this.seed * 16_807) % 2_147_483_647
    const any = options[this.seed % options.length] ?? rarest
    const chosen = this.chats.length % 2 === 0 ? rarest : any
    this.given.set(`${input.id} ${chosen}`, count(chosen) + 1)
    return chosen
  }
}

function isOver({ input, clientSideActions = [] }: Step): boolean {
  return !input && !clientSideActions.some(({ expectsDedicatedReply }) => expectsDedicatedReply)
}
