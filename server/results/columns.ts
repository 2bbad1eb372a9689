import { and, eq, isNull } from 'drizzle-orm'
import { LRUCache } from 'lru-cache'
import type { BotGrant } from '../access/index.ts'
import { isInput } from '../chat/engine/flow-index.ts'
import type { Database } from '../db/client.ts'
import { firstPosition } from '../db/page.ts'
import { botPublications, bots, publishedBots } from '../db/schema.ts'
import { convert, type FlowDocument } from '../documents/conversion/index.ts'
import { parseDraft, readGrantedDraft } from '../documents/drafts.ts'
import { publicationPage } from '../documents/publications.ts'

export interface Column {
  title: string
}

export interface ResultColumns {
  /** One per question of the flows, or per variable that questions fill, in their order. */
  questions: Column[]
  /** One per variable that no question fills. */
  others: Column[]
  /** By `blockKey`. */
  ofBlocks: Map<string, Column>
  /** The same of blocks that were in a publication before and are in no flow any more. */
  ofEarlierBlocks: Map<string, Column>
  /** The column of a variable as a result holds it; `isOwn` says that its id and name are those of today. */
  ofVariable: (id: string, name: string) => { column: Column; isOwn: boolean } | undefined
}

/** Copies of a bot have the same ids of blocks, so an id alone names no question. */
export const blockKey = (botId: string, blockId: string) => JSON.stringify([botId, blockId])

const variableKey = (id: string, name: string) => JSON.stringify([id, name])

interface Question {
  blockId: string
  title: string
  variableId: string | undefined
}

interface ReadFlow {
  botId: string
  questions: Question[]
  variables: { id: string; name: string }[]
}

interface LinkingFlow extends ReadFlow {
  /** Bots that merge their results into it. */
  links: string[]
}

/** Documents of linked bots that are read for the columns of one export. */
const MAX_LINKED_BOTS = 20

/** Publications before the live one that are read for the same; `server/pages/results/page.js` has this number too. */
const MAX_EARLIER_PUBLICATIONS = 10

const MAX_CACHED_LINKING_CHARACTERS = 4_000_000

/** Flows of publications, which never change, with their length in characters. */
export const publishedFlows = new LRUCache<string, LinkingFlow>({
  maxSize: MAX_CACHED_LINKING_CHARACTERS,
  sizeCalculation: (flow) => JSON.stringify(flow).length,
})

interface Flows {
  /** The flow that chats run, or the draft where there is none, and the flows that merge their results into it. */
  current: ReadFlow[]
  /** Earlier publications, newest first. */
  earlier: ReadFlow[]
}

export async function readFlows(db: Database, grant: BotGrant): Promise<Flows> {
  const current: ReadFlow[] = []
  const botIds = new Set([grant.bot.id])
  // The set grows while it is walked, nearest bots first.
  for (const botId of botIds) {
    const flow =
      (await liveFlow(db, grant, botId)) ?? (botId === grant.bot.id && (await draftFlow(db, grant)))
    if (!flow) continue
    current.push(flow)
    for (const link of flow.links) if (botIds.size <= MAX_LINKED_BOTS) botIds.add(link)
  }
  return { current, earlier: await earlierFlows(db, grant) }
}

/** Chats enter published bots of the same workspace alone. */
async function liveFlow(db: Database, { bot }: BotGrant, botId: string) {
  const [row] = await db
    .select({ publicationId: publishedBots.publicationId })
    .from(publishedBots)
    .innerJoin(bots, eq(bots.id, publishedBots.botId))
    .where(and(eq(bots.id, botId), eq(bots.workspaceId, bot.workspaceId), isNull(bots.deletedAt)))
  return row?.publicationId ? publishedFlow(db, botId, row.publicationId) : undefined
}

async function draftFlow(db: Database, grant: BotGrant) {
  const found = await readGrantedDraft(db, grant)
  return found && readFlow(grant.bot.id, convert(parseDraft(found.bot.version, found.draft)))
}

async function earlierFlows(db: Database, grant: BotGrant): Promise<ReadFlow[]> {
  const page = await publicationPage(db, grant, firstPosition, MAX_EARLIER_PUBLICATIONS + 1)
  const flows: ReadFlow[] = []
  for (const { id, isLive } of page) {
    const flow =
      !isLive && flows.length < MAX_EARLIER_PUBLICATIONS && (await publishedFlow(db, grant.bot.id, id))
    if (flow) flows.push(flow)
  }
  return flows
}

async function publishedFlow(db: Database, botId: string, id: string): Promise<LinkingFlow | undefined> {
  const key = JSON.stringify([botId, id])
  const known = publishedFlows.get(key)
  if (known) return known
  const [copy] = await db
    .select()
    .from(botPublications)
    .where(and(eq(botPublications.botId, botId), eq(botPublications.id, id)))
  if (!copy) return undefined
  const flow = readFlow(botId, convert(parseDraft(copy.version, copy)))
  publishedFlows.set(key, flow)
  return flow
}

function readFlow(botId: string, document: FlowDocument): LinkingFlow {
  const questions: Question[] = []
  const links: string[] = []
  for (const group of recordsOf(document.groups)) {
    for (const { id, type, options } of recordsOf(group.blocks)) {
      const { variableId, botId: link, mergeResults } = (options ?? {}) as Record<string, unknown>
      if (type === 'Bot link' && mergeResults === true && typeof link === 'string' && link !== 'current')
        links.push(link)
      if (!isInput({ type: String(type) })) continue
      questions.push({
        blockId: String(id),
        title: String(group.title ?? id),
        variableId: typeof variableId === 'string' ? variableId : undefined,
      })
    }
  }
  const variables = recordsOf(document.variables).map(({ id, name }) => ({
    id: String(id),
    name: String(name),
  }))
  return { botId, questions, variables, links }
}

function recordsOf(value: unknown): Record<string, unknown>[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'object' && item !== null) : []
}

/**
 * `server/pages/results/columns.js` has the same rule for the page. A variable of a linked bot shares the column of
 * its name, since a chat gives its value to the variable of that name.
 */
export function columnsOf({ current: [own, ...linked], earlier }: Flows): ResultColumns {
  const ofKeys = new Map<string, Column>()
  const ofNames = new Map<string, Column>()
  const ofIds = new Map<string, Column>()
  for (const { id, name } of own?.variables ?? []) {
    const column = { title: name }
    ofIds.set(id, column)
    ofKeys.set(variableKey(id, name), column)
    if (!ofNames.has(name)) ofNames.set(name, column)
  }
  for (const { id, name } of linked.flatMap(({ variables }) => variables)) {
    const column = ofNames.get(name) ?? { title: name }
    ofNames.set(name, column)
    if (!ofKeys.has(variableKey(id, name))) ofKeys.set(variableKey(id, name), column)
  }
  const exactly = new Set(ofKeys.keys())
  const ofVariable = (id: string, name: string) =>
    ofKeys.get(variableKey(id, name)) ?? ofNames.get(name) ?? ofIds.get(id)
  // A variable that there is no more has a column of its own; one that has another name now has that of its id.
  for (const { id, name } of earlier.flatMap(({ variables }) => variables)) {
    if (ofVariable(id, name)) continue
    const column = { title: name }
    for (const [map, key] of [
      [ofKeys, variableKey(id, name)],
      [ofNames, name],
      [ofIds, id],
    ] as const)
      map.set(key, column)
  }
  const questions = new Set<Column>()
  const ofBlocks = new Map<string, Column>()
  for (const flow of own ? [own, ...linked] : []) {
    const names = new Map(flow.variables.map(({ id, name }) => [id, name]))
    for (const { blockId, title, variableId } of flow.questions) {
      const name = variableId === undefined ? undefined : names.get(variableId)
      const filled =
        variableId !== undefined && name !== undefined ? ofKeys.get(variableKey(variableId, name)) : undefined
      const column = filled ?? { title }
      questions.add(column)
      ofBlocks.set(blockKey(flow.botId, blockId), column)
    }
  }
  const ofEarlierBlocks = new Map<string, Column>()
  for (const flow of earlier) {
    const names = new Map(flow.variables.map(({ id, name }) => [id, name]))
    for (const { blockId, title, variableId = '' } of flow.questions) {
      const key = blockKey(flow.botId, blockId)
      const name = names.get(variableId)
      const column = name === undefined ? undefined : ofVariable(variableId, name)
      if (!ofBlocks.has(key) && !ofEarlierBlocks.has(key)) ofEarlierBlocks.set(key, column ?? { title })
    }
  }
  return {
    questions: [...questions],
    others: [...new Set([...ofKeys.values()])].filter((column) => !questions.has(column)),
    ofBlocks,
    ofEarlierBlocks,
    ofVariable(id, name) {
      const column = ofVariable(id, name)
      return column && { column, isOwn: exactly.has(variableKey(id, name)) }
    },
  }
}
