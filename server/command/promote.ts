import { digestOf, type FolderState, formatBot } from './folder.ts'
import { fail } from './io.ts'
import type { Service } from './profiles.ts'
import { mapReferences } from './references.ts'
import { createBot, type PlannedPush, toFile, wordsOf } from './sync.ts'

/*
 * Brings a bot into another workspace or installation, first as a new bot, later into that one: its public id, results,
 * publications and running chats stay. Credentials are those with the same name and type there.
 */

export interface Target {
  service: Service
  workspaceId: string
  /** Id of the bot there, where no earlier promotion says it. */
  botId?: string
}

interface Promotion extends Omit<PlannedPush, 'file'> {
  name: string
  /** Links to bots that were not promoted to the target. */
  warnings: string[]
}

interface Options {
  from: 'draft' | 'published'
  overwrite?: boolean
  create?: boolean
  dryRun?: boolean
}

type JsonObject = Record<string, unknown>

export async function promote(
  source: Service,
  sourceId: string,
  target: Target,
  state: FolderState,
  { from, overwrite, create, dryRun }: Options,
): Promise<Promotion> {
  const { bot } = await source.client.bots.get(sourceId)
  const published =
    from === 'published' ? (await source.client.publishedBots.get(sourceId)).publishedBot : undefined
  const document = { ...toFile(bot), ...(published && toFile({ ...published, id: bot.id })) } as JsonObject
  const promoted = promotionsTo(state, target)
  const credentials = await mapCredentials(source, bot.workspaceId, target, document)
  const warnings: string[] = []
  const mapped = mapReferences(document, (name, value) => {
    if (/credentialsId$/i.test(name)) return credentials.get(value) ?? value
    if (name !== 'botId' || value === 'current' || value === '') return value
    const link = promoted[value]
    if (!link) warnings.push(`A link leads to the bot ${value}, which was not promoted there`)
    return link?.botId ?? value
  }) as JsonObject
  delete mapped.id
  const known = promoted[sourceId]
  const targetId = target.botId ?? known?.botId
  const name = String(bot.name)
  if (targetId === undefined) {
    if (create === false)
      fail(`"${name}" was not promoted there yet; promote it once by hand, and commit .bots.json`)
    const changes = [`Bot "${name}" is created`]
    const properties = Object.keys(mapped)
    if (dryRun) return { name, botId: null, action: 'create', properties, changes, warnings }
    const { isClosed: _, ...values } = mapped
    const created = await createBot(target.service, target.workspaceId, values)
    promoted[sourceId] = { botId: created.bot.id, digest: digestIn(created.bot) }
    return { name, botId: created.bot.id, action: 'create', properties, changes, warnings }
  }
  const { bot: stored } = await target.service.client.bots.get(targetId)
  if (stored.workspaceId !== target.workspaceId) fail('The bot of the target is in another workspace')
  // Closing a bot is a decision of the installation that it runs in.
  const { isClosed: _, ...values } = mapped
  const before = toFile(stored) as JsonObject
  const properties = Object.keys(values).filter(
    (property) => JSON.stringify(values[property]) !== JSON.stringify(before[property]),
  )
  const changes = await wordsOf(before, { ...before, ...values })
  const isFirst = known?.botId !== targetId
  if (!overwrite && !isFirst && known?.digest !== digestIn(stored) && properties.length > 0)
    fail(`The bot of the target was edited since the last promotion; --overwrite replaces these edits`, 3)
  if (dryRun || properties.length === 0)
    return { name, botId: targetId, action: 'update', properties, changes, warnings }
  const changed = Object.fromEntries(properties.map((property) => [property, values[property]]))
  const updated = await target.service.client.bots.update(targetId, {
    bot: { ...changed, version: values.version, updatedAt: stored.updatedAt },
  } as never)
  promoted[sourceId] = { botId: targetId, digest: digestIn(updated.bot) }
  return { name, botId: targetId, action: 'update', properties, changes, warnings }
}

/** Digest of the properties that promotions write, so that publishing the bot of the target is no edit of it. */
const digestIn = (bot: object) => digestOf(formatBot(toFile(bot)))

/** The bots that were promoted to a target, by those that they come from. */
function promotionsTo(state: FolderState, { service, workspaceId }: Target) {
  state.promotions ??= {}
  const key = `${service.url} ${workspaceId}`
  state.promotions[key] ??= {}
  return state.promotions[key] as Record<string, { botId: string; digest: string }>
}

/** Ids of credentials of the target by those that the document names. */
async function mapCredentials(source: Service, workspaceId: string, target: Target, document: JsonObject) {
  const named = new Set<string>()
  mapReferences(document, (name, value) => {
    if (/credentialsId$/i.test(name) && value !== '') named.add(value)
    return value
  })
  const mapped = new Map<string, string>()
  if (named.size === 0) return mapped
  const [{ credentials: ours }, { credentials: theirs }] = await Promise.all([
    source.client.credentials.list(workspaceId),
    target.service.client.credentials.list(target.workspaceId),
  ])
  const missing: string[] = []
  for (const { id, name, type } of ours.filter(({ id }) => named.has(id))) {
    const same = theirs.find((one) => one.name === name && one.type === type)
    if (same) mapped.set(id, same.id)
    else missing.push(`${name} (${type})`)
  }
  if (missing.length > 0)
    fail(`The target has no credentials with these names and types; create them there: ${missing.join(', ')}`)
  return mapped
}
