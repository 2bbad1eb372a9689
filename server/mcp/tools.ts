import { operations } from '../../contract/index.ts'
import type { ToolInput, ToolName } from '../../contract/tools/index.ts'
import { compareFlows } from '../bots/compare.ts'
import type { JsonRecord } from '../documents/conversion/document.ts'
import { isSameState } from '../entity-tags.ts'
import { newId } from '../ids.ts'
import { staleMessage } from '../kit/response.ts'
import { describeBlock, listBlockTypes } from './blocks.ts'
import { type Call, type CallOptions, type Outcome, reject } from './call.ts'
import { previewChat } from './chat.ts'
import { type EditedFlow, editFlow, recordsOf } from './edit-flow.ts'
import { groupIn, outlineOf, partOf } from './view-flow.ts'

/* Tools that call several operations. The error of an operation is also the error of the tool. */

interface ToolContext {
  call: Call
  now: Date
}

export const runTool: {
  [Name in ToolName]: (input: ToolInput<Name>, context: ToolContext) => Promise<Outcome>
} = {
  async find_bots({ workspaceId, name }, { call }) {
    let workspaces: JsonRecord[] = [{ id: workspaceId }]
    if (workspaceId === undefined) {
      const listed = await call('listWorkspaces')
      if ('error' in listed) return listed
      workspaces = recordsOf(listed.body.workspaces)
    }
    const found: JsonRecord[] = []
    for (const { id, name: title } of workspaces.slice(0, MAX_SEARCHED_WORKSPACES)) {
      const bots = await findIn(call, String(id), name)
      if ('error' in bots) return bots
      found.push({ workspaceId: id, ...(title !== undefined && { name: title }), ...bots })
    }
    const left = workspaces.length - found.length
    return { value: { workspaces: found, ...(left > 0 && { workspacesLeft: left }) } }
  },

  async create_bot({ workspaceId, name, copyOf }, { call }) {
    const creation = await (copyOf === undefined
      ? call('createBot', { body: { workspaceId, bot: { name } } })
      : call('duplicateBot', { params: { botId: copyOf }, body: { name } }))
    if ('error' in creation) return creation
    return readFlow(call, { botId: idIn(creation.body.bot) })
  },

  read_flow: (input, { call }) => readFlow(call, input),

  async describe_block({ type }) {
    return type === undefined ? listBlockTypes() : describeBlock(type)
  },

  async change_flow({ botId, etag, changes, dryRun }, { call, now }) {
    const read = await readDraft(call, botId)
    if ('error' in read) return read
    if (!isSameState(read.etag, etag)) return changedSince(read.etag)
    const before = structuredClone(read.flow)
    const change = editFlow(read.flow, changes, () => newId(now))
    if ('issue' in change) {
      const { index, message } = change.issue
      return reject(['changes', String(index)], message)
    }
    const { bot, ...parts } = read.flow
    const changed = Object.fromEntries(
      Object.entries(parts).filter(
        ([part, value]) => JSON.stringify(value) !== JSON.stringify(before[part as keyof EditedFlow]),
      ),
    )
    const body = { bot: { version: '6.1', ...bot, ...changed } }
    const ids = Object.fromEntries(
      change.given.flatMap((given, index) => (given.length > 0 ? [[`changes.${index}`, given]] : [])),
    )
    if (!dryRun) {
      const updated = await call('updateBot', {
        params: { botId },
        headers: { 'If-Match': etag, Prefer: 'return=minimal' },
        body,
      })
      return 'error' in updated ? updated : { value: { etag: updated.etag, givenIds: ids } }
    }
    const checked = operations.updateBot.body.safeParse(body)
    if (!checked.success) {
      const [issue] = checked.error.issues
      return reject(issue?.path.map(String) ?? [], issue?.message ?? 'The flow is not valid')
    }
    const comparison = compareFlows({ version: '6.1', ...before }, { version: '6.1', ...read.flow })
    return { value: { dryRun, wouldChange: wordsOf(comparison), etag } }
  },

  preview_chat: (input, { call }) => previewChat(call, input),

  async publish_bot({ botId, etag, dryRun }, { call }) {
    if (!dryRun) return conditional(call, 'publishBot', { params: { botId }, headers: { 'If-Match': etag } })
    const read = await readDraft(call, botId)
    if ('error' in read) return read
    if (!isSameState(read.etag, etag)) return changedSince(read.etag)
    const checked = await call('checkBot', { params: { botId } })
    if ('error' in checked) return checked
    const errors = recordsOf(checked.body.findings).filter(({ severity }) => severity === 'error')
    const compared = await call('compareBot', { params: { botId } })
    const isFirst = 'error' in compared && compared.error.code === 'NOT_FOUND'
    if ('error' in compared && !isFirst) return compared
    const wouldChange =
      'error' in compared ? 'the bot is published for the first time' : wordsOf(compared.body)
    return { value: { dryRun, wouldChange, errors } }
  },

  async restore_publication({ botId, publicationId, etag, dryRun }, { call }) {
    const params = { botId, publicationId }
    if (!dryRun) {
      const restored = await call('restorePublication', { params, headers: { 'If-Match': etag } })
      return 'error' in restored ? restored : { value: { restored: publicationId, etag: restored.etag } }
    }
    const read = await readDraft(call, botId)
    if ('error' in read) return read
    if (!isSameState(read.etag, etag)) return changedSince(read.etag)
    const compared = await call('compareBot', {
      params: { botId },
      query: { from: 'draft', to: publicationId },
    })
    return 'error' in compared ? compared : { value: { dryRun, wouldChange: wordsOf(compared.body) } }
  },

  async delete_bot({ botId, etag, dryRun }, { call }) {
    if (!dryRun) return conditional(call, 'deleteBot', { params: { botId }, headers: { 'If-Match': etag } })
    const read = await readDraft(call, botId)
    if ('error' in read) return read
    if (!isSameState(read.etag, etag)) return changedSince(read.etag)
    const counted = await call('getStats', { params: { botId } })
    if ('error' in counted) return counted
    const { groups } = read.flow
    return {
      value: { dryRun, wouldDelete: { name: read.name, groups: groups.length, chats: counted.body.stats } },
    }
  },
}

/** Workspaces that one search looks through, and pages of bots in each. */
const MAX_SEARCHED_WORKSPACES = 10
const MAX_SEARCHED_PAGES = 5

/** Bots of a workspace in one response. */
const MAX_FOUND = 50

async function findIn(call: Call, workspaceId: string, name: string | undefined) {
  const bots: JsonRecord[] = []
  let cursor: unknown
  for (let page = 0; page < MAX_SEARCHED_PAGES && bots.length < MAX_FOUND; page++) {
    const listed = await call('listBots', { query: { workspaceId, limit: 100, cursor } })
    if ('error' in listed) return listed
    for (const bot of recordsOf(listed.body.bots)) {
      if (name !== undefined && !String(bot.name).toLowerCase().includes(name.toLowerCase())) continue
      const { id, folderId, publicId, updatedAt, publishedBotId, accessRight } = bot
      const isPublished = publishedBotId !== null
      bots.push({ id, name: bot.name, folderId, publicId, updatedAt, isPublished, accessRight })
    }
    cursor = listed.body.nextCursor
    if (cursor === null) break
  }
  const hasMore = cursor !== null || bots.length > MAX_FOUND
  return { bots: bots.slice(0, MAX_FOUND), ...(hasMore && { hasMore: 'Narrow the search by name' }) }
}

async function readFlow(
  call: Call,
  { botId, groupId, part, offset = 0 }: ToolInput<'read_flow'>,
): Promise<Outcome> {
  const read = await readDraft(call, botId)
  if ('error' in read) return read
  const { etag, flow, name, publicId, publishedAs } = read
  if (groupId !== undefined) {
    const group = groupIn(flow, groupId)
    return group ? { value: { etag, ...group } } : reject(['groupId'], `The flow has no group ${groupId}`)
  }
  if (part) return { value: { etag, ...partOf(flow, part, offset) } }
  return { value: { botId, name, publicId, ...publishedAs, etag, ...outlineOf(flow, offset) } }
}

/** The draft in the latest version, and the tag by which changes name its state. */
async function readDraft(call: Call, botId: string) {
  const read = await call('getBot', { params: { botId }, query: { migrateToLatestVersion: true } })
  if ('error' in read) return read
  const bot = read.body.bot as JsonRecord
  const { name, publicId, customDomain, isClosed } = bot
  const flow: EditedFlow = {
    groups: recordsOf(bot.groups),
    events: recordsOf(bot.events),
    edges: recordsOf(bot.edges),
    variables: recordsOf(bot.variables),
    theme: bot.theme as JsonRecord,
    settings: bot.settings as JsonRecord,
    bot: {},
  }
  return { etag: read.etag, flow, name, publicId, publishedAs: { customDomain, isClosed } }
}

async function conditional(
  call: Call,
  id: 'publishBot' | 'deleteBot',
  options: CallOptions,
): Promise<Outcome> {
  const done = await call(id, options)
  return 'error' in done ? done : { value: done.body }
}

/** The error for an `If-Match` with another state, for tools without an operation that checks it. */
function changedSince(etag: string): Outcome {
  const message = staleMessage(etag)
  return {
    error: {
      code: 'PRECONDITION_FAILED',
      message: 'Precondition failed',
      issues: [{ path: ['etag'], code: 'conflict', message, current: { etag } }],
    },
  }
}

const idIn = (record: unknown) => String((record as JsonRecord).id)

/** Differences in words, as many as an agent reads. */
function wordsOf(comparison: JsonRecord | ReturnType<typeof compareFlows>) {
  const changes = recordsOf(comparison.changes).map(({ message }) => message)
  const left = changes.length - MAX_WORDED_CHANGES
  return left > 0 ? [...changes.slice(0, MAX_WORDED_CHANGES), `and ${left} more`] : changes
}

const MAX_WORDED_CHANGES = 100
