import { NotFoundError, type Result } from '../../generated/client/index.js'
import { type Difference, differenceOf } from './differences.ts'
import { type Exploration, explore } from './explore.ts'
import { type Flow, reachableBlocks } from './flow-clues.ts'
import type { Client } from './profiles.ts'
import { replay } from './replay.ts'
import { type Script, saysOf, simulateWhole } from './simulation.ts'

/*
 * Proves that a draft leaves chats as they are, or counts the visitors for whom something changes: by replaying
 * transcripts, and by exploring every path of the live publication and of the draft.
 */

export interface Change extends Difference {
  /** Chats in which this is the first difference. */
  count: number
  /** Ids of some of the results. */
  resultIds: string[]
  /** The replies of one such chat. */
  replies: unknown[]
}

export interface Proof {
  people: {
    replayed: number
    changed: number
    notReplayable: number
    reasons: Record<string, number>
    changes: Change[]
  }
  paths: { explored: number; changed: number; isComplete: boolean; changes: Change[] }
  /** Blocks of the draft that no edge leads to, and those that no path of the exploration came to. */
  unreachable: BlockName[]
  unreached: BlockName[]
  deadEnds: { where: string | null; blockId: string; how: 'stopped' | 'silent'; replies: unknown[] }[]
}

interface BlockName {
  blockId: string
  group: string
  type: string
}

const MAX_RUNS_AT_ONCE = 4
const MAX_EXAMPLES = 5
const MAX_DEAD_ENDS = 50

export async function prove(
  client: Client,
  botId: string,
  { last, maxPaths, advance }: { last: number; maxPaths: number; advance: () => void },
): Promise<Proof> {
  const draft = (await client.bots.get(botId)).bot as unknown as Flow
  const published = await readPublishedFlow(client, botId)
  const people = await replayPeople(client, botId, last, advance)
  const ofDraft = await explore(client, botId, 'draft', draft, maxPaths, advance)
  const before = published && (await explore(client, botId, 'published', published, maxPaths, advance))
  const changes = createChanges()
  let explored = ofDraft.paths.length
  if (before && published) {
    // Paths of both: one that the draft cut off is a path of the publication alone.
    const known = new Set(before.paths.map(({ script }) => keyOf(script)))
    const added = ofDraft.paths.filter(({ script }) => !known.has(keyOf(script)))
    explored = before.paths.length + added.length
    const drafts = new Map(ofDraft.paths.map(({ script, run }) => [keyOf(script), run]))
    await eachOf(before.paths, async ({ script, run }) => {
      const other =
        drafts.get(keyOf(script)) ?? (await simulateWhole(client, botId, { ...script, of: 'draft' }))
      changes.take(other && differenceOf(run, other, published), script)
      advance()
    })
    await eachOf(added, async ({ script, run }) => {
      const other = await simulateWhole(client, botId, { ...script, of: 'published' })
      changes.take(other && differenceOf(other, run, draft), script)
      advance()
    })
  }
  return {
    people,
    paths: {
      explored,
      changed: changes.total(),
      isComplete: ofDraft.isComplete && before?.isComplete !== false,
      changes: changes.list(),
    },
    ...findUnreached(draft, ofDraft),
    deadEnds: deadEndsIn(draft, ofDraft),
  }
}

async function readPublishedFlow(client: Client, botId: string): Promise<Flow | undefined> {
  try {
    return (await client.publishedBots.get(botId)).publishedBot as unknown as Flow
  } catch (error) {
    if (error instanceof NotFoundError) return undefined
    throw error
  }
}

async function replayPeople(client: Client, botId: string, last: number, advance: () => void) {
  const results: Result[] = []
  for await (const result of client.results.list(botId, { limit: Math.min(100, Math.max(1, last)) })) {
    if (results.length >= last) break
    results.push(result as Result)
  }
  const publications: { id: string; createdAt: string }[] = []
  if (results.length > 0)
    for await (const publication of client.publications.list(botId, { limit: 100 }))
      publications.push(publication)
  const flows = new Map<string, Promise<Flow>>()
  const flowOf = (id: string) => {
    const known = flows.get(id)
    if (known) return known
    const read = Promise.resolve(client.publications.get(botId, id)).then(
      ({ publication }) => publication as unknown as Flow,
    )
    flows.set(id, read)
    return read
  }
  const changes = createChanges()
  const reasons: Record<string, number> = {}
  let replayed = 0
  await eachOf(results, async (result) => {
    // Newest first: the first one that is not younger is the one that was live.
    const publication = publications.find(({ createdAt }) => createdAt <= result.createdAt)
    const outcome = publication
      ? await replay(
          client,
          botId,
          { id: publication.id, flow: await flowOf(publication.id) },
          result,
          (await client.transcripts.get(botId, result.id)).transcript,
        )
      : 'its publication is no longer stored'
    advance()
    if (typeof outcome === 'string') {
      reasons[outcome] = (reasons[outcome] ?? 0) + 1
      return
    }
    replayed++
    const { script, run } = outcome
    const other = await simulateWhole(client, botId, { ...script, of: 'draft' })
    const difference = other
      ? differenceOf(run, other, await flowOf((publication as { id: string }).id))
      : { where: null, blockId: null, how: 'the draft refuses a reply' }
    changes.take(difference, script, result.id)
  })
  const notReplayable = results.length - replayed
  return { replayed, changed: changes.total(), notReplayable, reasons, changes: changes.list() }
}

/** Counts differences that are the same. */
function createChanges() {
  const byKey = new Map<string, Change>()
  let total = 0
  return {
    take(difference: Difference | undefined, { replies }: Script, resultId?: string) {
      if (!difference) return
      total++
      const key = JSON.stringify(difference)
      const known = byKey.get(key) ?? {
        ...difference,
        count: 0,
        resultIds: [],
        replies: replies.map(({ message }) => message ?? null),
      }
      known.count++
      if (resultId !== undefined && known.resultIds.length < MAX_EXAMPLES) known.resultIds.push(resultId)
      byKey.set(key, known)
    },
    total: () => total,
    list: () => [...byKey.values()].sort((one, other) => other.count - one.count),
  }
}

async function eachOf<Item>(items: readonly Item[], work: (item: Item) => Promise<void>) {
  const left = [...items]
  const next = async () => {
    for (let item = left.shift(); item !== undefined; item = left.shift()) await work(item)
  }
  await Promise.all(Array.from({ length: MAX_RUNS_AT_ONCE }, next))
}

const keyOf = ({ replies, responses, branches }: Script) => JSON.stringify([replies, responses, branches])

function findUnreached(flow: Flow, { blockIds }: Exploration): Pick<Proof, 'unreachable' | 'unreached'> {
  const reachable = reachableBlocks(flow)
  const names = flow.groups.flatMap(({ id, title, blocks }) =>
    blocks.map((block) => ({ blockId: block.id, group: title || id, type: block.type })),
  )
  return {
    unreachable: names.filter(({ blockId }) => !reachable.has(blockId)),
    unreached: names.filter(({ blockId }) => reachable.has(blockId) && !blockIds.has(blockId)),
  }
}

/** Paths that the service stops, and those in which the last reply gets no word. */
function deadEndsIn(flow: Flow, { paths }: Exploration): Proof['deadEnds'] {
  const found = new Map<string, Proof['deadEnds'][number]>()
  for (const { script, run } of paths) {
    const step = run.steps.at(-1)
    if (!run.isOver || !step) continue
    const isStopped = (step.logs ?? []).some(({ description }) =>
      description.startsWith('The chat was stopped'),
    )
    const isSilent = saysOf(step).length === 0 && !step.clientSideActions?.length
    if (!isStopped && !isSilent) continue
    const how = isStopped ? 'stopped' : 'silent'
    const blockId = run.lastBlockId ?? ''
    const group = flow.groups.find(({ blocks }) => blocks.some(({ id }) => id === blockId))
    const replies = script.replies.map(({ message }) => message ?? null)
    const key = `${how} ${blockId}`
    if (!found.has(key))
      found.set(key, { where: group ? group.title || group.id : null, blockId, how, replies })
  }
  return [...found.values()].slice(0, MAX_DEAD_ENDS)
}
