import { and, eq, isNull } from 'drizzle-orm'
import type { BotGrant } from '../access/index.ts'
import { parseDraft, withDraft } from '../bots/drafts.ts'
import { publishedCopy } from '../bots/publish.ts'
import { isInput } from '../chat/flow.ts'
import { convert, type FlowDocument } from '../conversion/index.ts'
import type { Database } from '../db/client.ts'
import { botPublications, bots, publishedBots } from '../db/schema.ts'

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

/** Documents of linked bots that are read for the columns of one export. */
const MAX_LINKED_BOTS = 20

/** The flow that chats run, or the draft where there is none, and the flows that merge their results into it. */
export async function readFlows(db: Database, grant: BotGrant): Promise<ReadFlow[]> {
  const flows: ReadFlow[] = []
  const botIds = new Set([grant.bot.id])
  // The set grows while it is walked, nearest bots first.
  for (const botId of botIds) {
    const document = await (botId === grant.bot.id
      ? ownDocument(db, grant)
      : linkedDocument(db, grant, botId))
    if (!document) continue
    const { links, ...flow } = readFlow(botId, convert(document))
    flows.push(flow)
    for (const link of links) if (botIds.size <= MAX_LINKED_BOTS) botIds.add(link)
  }
  return flows
}

async function ownDocument(db: Database, grant: BotGrant): Promise<FlowDocument | undefined> {
  const copy = await publishedCopy(db, grant)
  if (copy) return parseDraft(copy.version, copy)
  const found = await withDraft(db, grant)
  return found && parseDraft(found.bot.version, found.draft)
}

/** Chats enter published bots of the same workspace alone. */
async function linkedDocument(db: Database, { bot }: BotGrant, botId: string) {
  const [row] = await db
    .select({ copy: botPublications })
    .from(publishedBots)
    .innerJoin(bots, eq(bots.id, publishedBots.botId))
    .innerJoin(
      botPublications,
      and(
        eq(botPublications.botId, publishedBots.botId),
        eq(botPublications.id, publishedBots.publicationId),
      ),
    )
    .where(and(eq(bots.id, botId), eq(bots.workspaceId, bot.workspaceId), isNull(bots.deletedAt)))
  return row && parseDraft(row.copy.version, row.copy)
}

function readFlow(botId: string, document: FlowDocument): ReadFlow & { links: string[] } {
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
export function columnsOf([own, ...linked]: ReadFlow[]): ResultColumns {
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
  return {
    questions: [...questions],
    others: [...new Set([...ofKeys.values()])].filter((column) => !questions.has(column)),
    ofBlocks,
    ofVariable(id, name) {
      const exact = ofKeys.get(variableKey(id, name))
      const column = exact ?? ofNames.get(name) ?? ofIds.get(id)
      return column && { column, isOwn: exact !== undefined }
    },
  }
}
