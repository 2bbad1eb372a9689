import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { candidatesFor } from '../../server/command/candidates.ts'
import { differenceOf } from '../../server/command/differences.ts'
import { explore, type Path } from '../../server/command/explore.ts'
import { type Flow, findClues, reachableBlocks } from '../../server/command/flow-clues.ts'
import { type Client, connect } from '../../server/command/profiles.ts'
import { prove } from '../../server/command/prove.ts'
import { replay } from '../../server/command/replay.ts'
import { MAX_REPLIES, simulateWhole } from '../../server/command/simulation.ts'
import { type App, startApp } from '../support/app.ts'
import { ask, bot, idOf, set, text } from '../support/chat.ts'
import { publish } from '../support/chats.ts'
import { anyBody } from '../support/client.ts'
import { runBots } from '../support/command.ts'
import { corpusFiles, readCorpus } from '../support/corpus.ts'
import { runs } from '../support/runs.ts'
import { makeWorld, type Site } from '../support/world.ts'
import { randomOf } from '../torture/random.ts'

/* The proof of a change: replayed people, explored paths, and changes that are planted to be found. */

// biome-ignore lint/suspicious/noExplicitAny: documents of every version
type Document = any

let app: App
let here: Site
let top: string
let client: Client

beforeAll(async () => {
  app = await startApp()
  here = (await makeWorld(app)).here
  top = mkdtempSync(join(tmpdir(), 'bots-prove-'))
  client = connect(app.url, here.admin.token).client
})

afterAll(async () => {
  rmSync(top, { recursive: true })
  await app.stop()
})

const options = { last: 100, maxPaths: 100, advance: () => {} }

const condition = (comparisonOperator: string, value: string, to: string, name = 'Age') => ({
  id: `${to}-item`,
  content: {
    logicalOperator: 'AND',
    comparisons: [{ id: 'c', variableId: idOf(name), comparisonOperator, value }],
  },
  to,
})

const request = {
  id: 'request',
  type: 'Webhook',
  options: {
    webhook: { url: 'https://prices.example/', method: 'POST', body: '{"age": "{{Age}}"}' },
    isCustomBody: true,
    responseVariableMapping: [{ id: 'm', variableId: idOf('Price'), bodyPath: 'data.prices[0].value' }],
  },
}

const shop = () =>
  bot(
    {
      Start: [
        text('How old are you?'),
        { type: 'number input', options: { variableId: idOf('Age'), min: 1, max: 120 } },
        set('Half', '{{Age}} / 2'),
        {
          type: 'Condition',
          items: [condition('Greater than', '64', 'Old'), condition('Less than', '18', 'Young')],
        },
        text('Hello'),
        {
          id: 'test',
          type: 'AB test',
          options: { aPercent: 50 },
          items: [
            { id: 'a', path: 'a', to: 'Offer' },
            { id: 'b', path: 'b', to: 'Other' },
          ],
        },
      ],
      Old: [text('Good day'), { ...request, to: 'End' }],
      Young: [text('Hi')],
      Offer: [
        text('An offer'),
        {
          type: 'choice input',
          items: [
            { id: 'yes', content: 'Yes', to: 'End' },
            { id: 'no', content: 'No' },
          ],
        },
      ],
      Other: [text('Another'), ask('Name')],
      End: [text('It costs {{Price}}')],
      Nowhere: [text('Never')],
    },
    { variables: ['Age', 'Half', 'Price', 'Name'] },
  )

async function change(botId: string, edit: (draft: Document) => void) {
  const { bot: draft }: Document = await app.client.ok('getBot', { as: here.member, params: { botId } })
  edit(draft)
  const { version, groups, edges } = draft
  await app.client.ok('updateBot', {
    as: here.member,
    params: { botId },
    body: anyBody({ bot: { version, groups, edges } }),
  })
}

/** Chats of people, who reply with the first of the candidates, or by chance. */
async function chat(publicId: string, flow: Flow, random: () => number) {
  const clues = findClues(flow)
  const blocks = new Map(flow.groups.flatMap(({ blocks }) => blocks).map((block) => [block.id, block]))
  let step: Document = await app.client.ok('startChat', { params: { publicId } })
  const { sessionId } = step
  for (let turns = 0; turns < 30; turns++) {
    const isWaiting =
      step.input ?? step.clientSideActions?.some((action: Document) => action.expectsDedicatedReply)
    if (!isWaiting) return
    const candidates = candidatesFor(step, blocks.get(step.input?.id), clues)
    const message = candidates[Math.floor(random() * candidates.length)] ?? null
    const next = await app.client.call('continueChat', {
      params: { sessionId },
      body: anyBody({ message, revision: step.revision }),
    })
    if (next.status !== 200) return
    step = next.body
  }
}

test('prove counts visitors and paths that a draft changes, and says where and how', async () => {
  const made = await publish(app, here, shop(), 'Shop')
  const flow = (await app.client.ok('getBot', { as: here.member, params: { botId: made.id } })).bot as never
  const random = randomOf(1).float
  for (let person = 0; person < 8; person++) await chat(made.publicId, flow, random)

  const same = await prove(client, made.id, options)
  const { replayed, changed, notReplayable, reasons } = same.people
  expect([changed, same.paths.changed, same.paths.isComplete]).toEqual([0, 0, true])
  expect(replayed).toBeGreaterThanOrEqual(5)
  expect(Object.values(reasons).reduce((sum, count) => sum + count, 0)).toBe(notReplayable)
  expect(same.unreachable).toEqual([{ blockId: 'Nowhere.0', group: 'Title Nowhere', type: 'text' }])
  expect(same.unreached).toEqual([])
  expect(same.deadEnds).toMatchObject([
    { how: 'silent', where: 'Title Offer' },
    { how: 'silent', where: 'Title Other' },
  ])

  await change(made.id, (draft) => {
    draft.groups[1].blocks[0].content.richText[0].children[0].text = 'Good evening'
  })
  const other = await prove(client, made.id, options)
  expect(other.people.changes).toMatchObject([
    {
      where: 'Title Old',
      how: 'the bot says "Good evening" in place of "Good day"',
      count: other.people.changed,
    },
  ])
  expect(other.people.changed).toBeGreaterThan(0)
  expect(other.paths.changes).toMatchObject([{ where: 'Title Old', how: other.people.changes[0]?.how }])
  expect(other.people.changed).toBeLessThan(replayed)
  const ran = await runBots(app, top, ['prove', made.id], { as: here.admin })
  expect([ran.code, ran.out]).toEqual([
    4,
    expect.stringContaining(`${other.people.changed} of ${replayed} people would see something else`),
  ])
  expect((await runBots(app, top, ['prove', made.id, '--last', 'all'], { as: here.admin })).code).toBe(2)
})

test('prove counts visitors that it cannot replay apart, and finds an endless loop', async () => {
  const loop = bot(
    {
      Start: [
        ask('Name'),
        {
          id: 'code',
          type: 'Set variable',
          options: {
            variableId: idOf('Price'),
            expressionToEvaluate: 'return fetch("https://x.invalid").then(() => 1, () => 2)',
          },
          to: 'Round',
        },
      ],
      Round: [{ ...set('Half', '1'), to: 'Round' }],
    },
    { variables: ['Name', 'Price', 'Half'] },
  )
  const made = await publish(app, here, loop, 'Loop')
  const { sessionId } = await app.client.ok('startChat', { params: { publicId: made.publicId } })
  await app.client.ok('continueChat', { params: { sessionId }, body: { message: 'Ada' } })
  const { people, deadEnds } = await prove(client, made.id, { ...options, maxPaths: 3 })
  expect(people).toMatchObject({
    replayed: 0,
    changed: 0,
    notReplayable: 1,
    reasons: { 'the transcript does not tell what a service answered': 1 },
  })
  expect(deadEnds).toMatchObject([{ how: 'stopped', where: 'Title Round' }])
})

test('prove counts a chat whose replay the service rejects, and continues', async () => {
  const made = await publish(
    app,
    here,
    bot({ Start: [ask('Name', { to: 'Start' })] }, { variables: ['Name'] }),
  )
  const flow = (await app.client.ok('getBot', { as: here.member, params: { botId: made.id } })).bot as never
  const result: Document = { createdAt: new Date().toISOString(), answers: [], variables: [] }
  const said = (text: string, count = 1): Document => Array(count).fill({ role: 'user', type: 'text', text })
  const replayed = (transcript: Document) =>
    replay(client, made.id, { id: 'draft', flow }, result, transcript)
  expect(await replayed(said('Ada', MAX_REPLIES + 1))).toBe('the chat is too long to be simulated')
  expect(await replayed(said('Ada', MAX_REPLIES))).toMatchObject({ run: { isOver: false } })
  expect(await replayed(said('x'.repeat(200_001)))).toBe('the service refuses a reply of it')
})

test('prove explores a bot with an event that has no command yet', async () => {
  const flow = bot({ Start: [ask('Name'), text('Hello {{Name}}')] }, { variables: ['Name'] }) as Document
  const made = await publish(app, here, {
    ...flow,
    events: [...flow.events, { id: 'unnamed', type: 'command', options: { command: '' } }],
  })
  const { paths } = await prove(client, made.id, options)
  expect(paths).toMatchObject({ explored: 2, changed: 0, isComplete: true })
})

test('prove leaves out a reply that is too long for the service, and says that there are more paths', async () => {
  const items = [condition('Equal to', 'x'.repeat(200_001), 'End', 'Name')]
  const flow = bot(
    { Start: [ask('Name'), { type: 'Condition', items }], End: [text('Done')] },
    { variables: ['Name'] },
  )
  const made = await publish(app, here, flow)
  const { paths } = await prove(client, made.id, options)
  expect(paths).toMatchObject({ explored: 2, changed: 0, isComplete: false })
})

test('prove reaches branches that depend on session variables, chains and several passes', async () => {
  const flow = bot(
    {
      Start: [{ ...set('Points', '0'), to: 'Ask' }],
      Ask: [
        {
          id: 'more',
          type: 'choice input',
          items: [
            { id: 'again', content: 'More', to: 'Add' },
            { id: 'done', content: 'Done', to: 'Age' },
          ],
        },
      ],
      Add: [{ ...set('Points', '{{Points}} + 10'), to: 'Ask' }],
      Age: [
        ask('Years'),
        set('Doubled', '{{Points}} * 2'),
        set('Level', 'return {{Doubled}} > 50 && Number({{Years}}) >= 21 ? "gold" : "plain"'),
        set('Shown', '{{Level}}'),
        { id: 'decide', type: 'Condition', items: [condition('Equal to', 'gold', 'Gold', 'Shown')] },
        text('Plain'),
      ],
      Gold: [text('Gold')],
    },
    { variables: ['Points', 'Doubled', 'Level', 'Shown', 'Years'] },
  ) as Document
  for (const variable of flow.variables) variable.isSessionVariable = true
  const made = await publish(app, here, flow)
  await change(made.id, (draft) => {
    const gold = draft.groups.find(({ id }: Document) => id === 'Gold')
    gold.blocks[0].content.richText[0].children[0].text = 'Golden'
  })
  const { unreached, paths } = await prove(client, made.id, options)
  expect(unreached).toEqual([])
  expect(paths.changes).toMatchObject([{ where: 'Title Gold', how: expect.stringContaining('"Golden"') }])
})

// Changes that are planted

const documents: Document[] = corpusFiles.map(readCorpus)

interface Planted {
  kind: string
  blockId: string
  edit(draft: Document): void
}

const blockIn = (draft: Document, id: string): Document =>
  draft.groups.flatMap(({ blocks }: Document) => blocks).find((block: Document) => block.id === id)

/** Every change of behaviour that can be planted in blocks that people reach. */
function plants(flow: Document): Planted[] {
  const reachable = reachableBlocks(flow)
  const all: Planted[] = []
  const groupIds: string[] = flow.groups.map(({ id }: Document) => id)
  for (const { blocks } of flow.groups as Document[]) {
    for (const [index, block] of blocks.entries() as Iterable<[number, Document]>) {
      if (!reachable.has(block.id) || block.type === 'start') continue
      const plant = (kind: string, edit: (block: Document, draft: Document) => void) =>
        all.push({ kind, blockId: block.id, edit: (draft) => edit(blockIn(draft, block.id), draft) })
      const content = block.content ?? {}
      if (block.type === 'text')
        plant('text', (one) => {
          one.content = { richText: [{ type: 'p', children: [{ text: 'Something else' }] }] }
        })
      if (['image', 'video', 'embed'].includes(block.type) && content.url)
        plant('address', (one) => {
          one.content.url = 'https://example.com/other.png'
        })
      if (/choice/.test(block.type) && block.items?.length > 0) {
        plant('label', (one) => {
          one.items[0].content = 'Another label'
          one.items[0].title = 'Another label'
        })
        if (block.items.length > 1) plant('removed item', (one) => one.items.pop())
      }
      if (block.type === 'text input')
        plant('placeholder', (one) => {
          one.options = {
            ...one.options,
            labels: { ...one.options?.labels, placeholder: 'Another placeholder' },
          }
        })
      if (block.type === 'number input')
        plant('bound', (one) => {
          one.options = { ...one.options, min: -3 }
        })
      if (block.type === 'Set variable' && block.options?.expressionToEvaluate)
        plant('expression', (one) => {
          one.options.expressionToEvaluate = '"another value"'
        })
      if (block.type === 'Webhook' && block.options?.webhook?.url)
        plant('request', (one) => {
          one.options.webhook.url = 'https://other.example/path'
        })
      if (block.type === 'Email')
        plant('subject', (one) => {
          one.options = { ...one.options, subject: 'Another subject' }
        })
      if (block.type === 'Redirect')
        plant('redirect', (one) => {
          one.options.url = 'https://other.example/'
        })
      if (block.type === 'Condition' && block.items?.[0]?.content?.comparisons?.[0]) {
        plant('comparison', (one) => {
          const [comparison] = one.items[0].content.comparisons
          comparison.comparisonOperator = comparison.comparisonOperator === 'Is set' ? 'Is empty' : 'Is set'
        })
      }
      if (['text', 'image', 'Set variable', 'text input', 'email input', 'choice input'].includes(block.type))
        plant('removed block', (one, draft) => {
          for (const group of draft.groups)
            group.blocks = group.blocks.filter((other: Document) => other !== one)
        })
      const next = blocks[index + 1]
      if (
        block.type === 'text' &&
        next?.type === 'text' &&
        JSON.stringify(content) !== JSON.stringify(next.content)
      )
        plant('order', (one, draft) => {
          const list = draft.groups.find(({ blocks }: Document) => blocks.includes(one)).blocks
          const at = list.indexOf(one)
          const [first, second] = [list[at].content, list[at + 1].content]
          list[at].content = second
          list[at + 1].content = first
        })
      for (const item of block.items ?? []) {
        const edge = flow.edges.find(({ id }: Document) => id === item.outgoingEdgeId)
        const other = groupIds.find(
          (id) =>
            id !== edge?.to.groupId &&
            flow.groups.find((group: Document) => group.id === id).blocks[0]?.type === 'text',
        )
        if (edge && other)
          plant('target', (_one, draft) => {
            draft.edges.find(({ id }: Document) => id === edge.id).to = { groupId: other }
          })
      }
    }
  }
  return all
}

/** Planted changes without an effect, with the reason. */
const withoutEffect = new Map([
  // Its credentials are not in the workspace, so the e-mail is not sent, before and after.
  ['My bot copy: subject at cl1w8rjai000h2e695uvoimq7', 'the e-mail is not sent'],
  ['My bot copy: target at cl1w8repg000c2e699jqwrepg', 'only the e-mail that is not sent is left out'],
  ['Sking Typology: expression at g3lu22vq7pxex5j44nc5vnwg', 'the bot does not have the variable'],
  ['Sking Typology: removed block at g3lu22vq7pxex5j44nc5vnwg', 'the bot does not have the variable'],
  ['Lead Scoring: expression at cl1sf36ib002v2e6ejyyrrjnh', 'a comparison without operator leads there'],
  ['Lead Scoring: removed block at cl1sf36ib002v2e6ejyyrrjnh', 'a comparison without operator leads there'],
  ['Lead Scoring: target at cl1sf2iix002n2e6egibs95yb', 'a comparison without operator never holds'],
])

/** The first change of each kind in bots whose names these are. */
function oneOfEachKind<Item extends { name: string; plant: Planted }>(all: Item[], names: string[]): Item[] {
  const kinds = new Map(
    all.filter(({ name }) => names.includes(name)).map((each) => [`${each.name} ${each.plant.kind}`, each]),
  )
  return [...kinds.values()]
}

test('prove finds every planted change of behaviour in bots of the corpus', async () => {
  const quick = ['NPS Survey', 'Lead Scoring']
  const missed: string[] = []
  const planted: { botId: string; plant: Planted; name: string }[] = []
  const bots = []
  for (const document of runs(
    documents.filter(({ name }) => quick.includes(name)),
    documents,
  )) {
    const { bot: made } = await app.client.ok('importBot', {
      as: here.admin,
      body: anyBody({ workspaceId: here.workspaceId, bot: document }),
    })
    await app.client.ok('publishBot', { as: here.admin, params: { botId: made.id } })
    const flow = (await app.client.ok('getPublishedBot', { as: here.admin, params: { botId: made.id } }))
      .publishedBot as Document
    const explored = await explore(client, made.id, 'published', flow, 300, () => {})
    bots.push({ id: made.id, flow, explored })
    for (const plant of plants(flow)) planted.push({ botId: made.id, plant, name: document.name })
  }
  if (bots.length === 0) return
  const random = randomOf(11).float
  const chosen = runs(
    oneOfEachKind(planted, quick),
    planted
      .map((each) => ({ each, at: random() }))
      .sort((one, other) => one.at - other.at)
      .map(({ each }) => each)
      .slice(0, 300),
  )
  for (const { botId, plant, name } of chosen) {
    const { flow, explored } = bots.find(({ id }) => id === botId) as (typeof bots)[number]
    const draft = structuredClone(flow)
    plant.edit(draft)
    const { groups, edges } = draft
    await app.client.ok('updateBot', {
      as: here.admin,
      params: { botId },
      body: anyBody({ bot: { version: '6.1', groups, edges } }),
    })
    const isFound =
      (await differs(botId, flow, explored.paths, 'draft')) ||
      (await differs(
        botId,
        draft,
        (
          await explore(client, botId, 'draft', draft, 300, () => {})
        ).paths,
        'published',
      ))
    if (!isFound) missed.push(`${name}: ${plant.kind} at ${plant.blockId}`)
  }
  console.info(
    `${chosen.length - missed.length} of ${chosen.length} planted changes found. Missed: ${missed.join('; ')}`,
  )
  expect(missed.filter((each) => !withoutEffect.has(each))).toEqual([])
}, 3_600_000)

/** As prove compares: the paths of one state, with the same replies to another. */
async function differs(botId: string, flow: Flow, paths: readonly Path[], of: string): Promise<boolean> {
  for (const { script, run } of paths) {
    const other = await simulateWhole(client, botId, { ...script, of })
    if (other === undefined || differenceOf(run, other, flow) !== undefined) return true
  }
  return false
}

/** Transcripts of unchanged bots that prove has to replay without a difference. */
const REPLAYED_TRANSCRIPTS = runs(3, 10_000)
const PEOPLE_AT_ONCE = 4

test('prove finds no difference for visitors who chatted with an unchanged bot', async () => {
  const counts = { replayed: 0, notReplayable: 0, reasons: {} as Record<string, number> }
  const bots = []
  for (const document of runs(documents.slice(-1), documents)) {
    const { bot: made } = await app.client.ok('importBot', {
      as: here.admin,
      body: anyBody({ workspaceId: here.workspaceId, bot: document }),
    })
    await app.client.ok('publishBot', { as: here.admin, params: { botId: made.id } })
    const { bot: read } = await app.client.ok('getBot', { as: here.admin, params: { botId: made.id } })
    bots.push({ id: made.id, name: document.name, flow: read as never, publicId: String(read.publicId) })
  }
  // Each round has new people, and proves the newest ones alone.
  let people = 0
  const last = runs(3, 100)
  while (bots.length > 0 && counts.replayed < REPLAYED_TRANSCRIPTS) {
    const before = counts.replayed
    for (const { id, name, flow, publicId } of bots) {
      const end = people + last
      const chatOn = async () => {
        while (people < end) await chat(publicId, flow, randomOf(1_000 + people++).float)
      }
      await Promise.all(Array.from({ length: PEOPLE_AT_ONCE }, chatOn))
      const proof = (await prove(client, id, { ...options, last, maxPaths: 1 })).people
      expect(proof.changes).toEqual([])
      counts.replayed += proof.replayed
      counts.notReplayable += proof.notReplayable
      for (const [reason, count] of Object.entries(proof.reasons)) {
        const key = `${name}: ${reason}`
        counts.reasons[key] = (counts.reasons[key] ?? 0) + count
      }
    }
    expect(counts.replayed).toBeGreaterThan(before)
  }
  console.info(JSON.stringify(counts))
}, 7_200_000)
