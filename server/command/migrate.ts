import { randomUUID } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ApiError, type Bot, NotFoundError } from '../../generated/client/index.js'
import { digestOf, writeWhole } from './folder.ts'
import { fail } from './io.ts'
import type { Source, SourceBot } from './migrate-source.ts'
import type { Client, Service } from './profiles.ts'
import { mapReferences } from './references.ts'

/*
 * Migrates a workspace of the reference product. Its progress is in a file after every record, with the request that
 * is under way: the same command sends that again with its idempotency key, so that no record is created twice.
 */

interface MigratedBot {
  name: string
  botId: string
  /** Version of the state that was imported. */
  version: string
  publicId: string | null
  isClosed: boolean
  /** Digest of the groups that were imported. */
  groups: string
  /** True if it is published at the source. */
  isPublished: boolean
  /** True once this command has published it in the target. */
  isLive?: boolean
  warnings: string[]
  isFinished: boolean
}

interface Pending {
  kind: 'folder' | 'bot'
  sourceId: string
  key: string
  body: unknown
}

interface MigrationState {
  source: string
  sourceWorkspaceId: string
  target: string
  workspaceId: string
  folders: Record<string, string>
  bots: Record<string, MigratedBot>
  failed: Record<string, { name: string; reason: string }>
  pending?: Pending | undefined
}

interface MigrationReport {
  found: number
  migrated: number
  alreadyThere: number
  failed: { sourceId: string; name: string; reason: string }[]
  folders: number
  bots: { sourceId: string; botId: string; name: string; warnings: string[] }[]
}

const STATE_FILE = 'bots-migration.json'

export async function migrate(
  source: Source,
  sourceWorkspaceId: string,
  service: Service,
  workspaceId: string,
  folder: string,
  { publish, begin }: { publish?: boolean; begin: (count: number) => { advance(): void; end(): void } },
): Promise<MigrationReport> {
  mkdirSync(folder, { recursive: true })
  const path = join(folder, STATE_FILE)
  const state = readState(path, { source: source.url, sourceWorkspaceId, target: service.url, workspaceId })
  const save = () => writeWhole(path, `${JSON.stringify(state, null, 2)}\n`)
  const before = new Set(Object.keys(state.bots))
  if (state.pending) await unlessRejected(state, save, () => send(service, state, save))

  state.failed = {}
  for (const { id, name, parentFolderId } of await source.listFolders()) {
    if (state.folders[id]) continue
    const parent = parentFolderId === null ? undefined : state.folders[parentFolderId]
    const body = { workspaceId, folder: { name, ...(parent && { parentFolderId: parent }) } }
    const request = { kind: 'folder', sourceId: id, body } as const
    const reason = await unlessRejected(state, save, () => start(service, state, save, request))
    if (reason !== undefined) state.failed[id] = { name, reason: `The folder was not made: ${reason}` }
  }

  const listed = await source.listBots()
  const progress = begin(listed.length)
  for (const { id, name, isPublished } of listed) {
    progress.advance()
    const known = state.bots[id]
    if (known) {
      // The source may have published it since the earlier run.
      if (!known.isLive) known.isPublished = isPublished
      continue
    }
    const bot = await source.getBot(id)
    if (!bot) {
      state.failed[id] = { name, reason: 'It was deleted at the source meanwhile' }
      continue
    }
    const folderId = bot.folderId === null ? undefined : state.folders[bot.folderId]
    const { publishedBotId: _, ...document } = bot
    const body = { workspaceId, bot: document, ...(folderId && { folderId }) }
    const request = { kind: 'bot', sourceId: id, body } as const
    const reason = await unlessRejected(state, save, () => start(service, state, save, request))
    if (reason !== undefined) {
      state.failed[id] = { name, reason }
      continue
    }
    const migrated = state.bots[id] as MigratedBot
    migrated.isPublished = isPublished
    save()
  }
  progress.end()
  // Links lead to bots that may have come later.
  for (const [id, migrated] of Object.entries(state.bots)) {
    if (!migrated.isFinished) {
      await finish(service, state, migrated)
      save()
    }
    // An earlier run may have had no --publish.
    if (publish && migrated.isPublished && !migrated.isLive) {
      await publishHere(service, source, id, migrated)
      save()
    }
  }
  return reportOf(service, state, listed.length, before)
}

function readState(
  path: string,
  wanted: Pick<MigrationState, 'source' | 'sourceWorkspaceId' | 'target' | 'workspaceId'>,
): MigrationState {
  if (!existsSync(path)) return { ...wanted, folders: {}, bots: {}, failed: {} }
  let state: MigrationState
  try {
    state = JSON.parse(readFileSync(path, 'utf8')) as MigrationState
  } catch {
    return fail(
      `${path} is not valid JSON; it says what was migrated so far: restore it, or take an empty folder`,
    )
  }
  for (const name of ['source', 'sourceWorkspaceId', 'target', 'workspaceId'] as const)
    if (state[name] !== wanted[name])
      fail(`${path} belongs to a migration with ${name} ${state[name]}; use another folder`)
  return state
}

async function start(
  service: Service,
  state: MigrationState,
  save: () => void,
  request: Omit<Pending, 'key'>,
) {
  state.pending = { ...request, key: randomUUID() }
  save()
  await send(service, state, save)
}

/** Returns the words of a rejection, after which no request is under way; throws every other error. */
async function unlessRejected(
  state: MigrationState,
  save: () => void,
  request: () => Promise<void>,
): Promise<string | undefined> {
  try {
    await request()
    return undefined
  } catch (error) {
    if (!(error instanceof ApiError) || !isRejection(error.status)) throw error
    delete state.pending
    save()
    const issues = error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; ')
    return issues === '' ? error.message : issues
  }
}

/** False where another token or a later time may help: with 409, an earlier attempt of the request still runs. */
const isRejection = (status: number) =>
  status >= 400 && status < 500 && ![401, 403, 408, 409, 429].includes(status)

/** Sends the request under way, perhaps again: its key makes that one effect. */
async function send({ client }: Service, state: MigrationState, save: () => void) {
  const { kind, sourceId, key, body } = state.pending as Pending
  if (kind === 'folder') {
    const { folder } = await client.folders.create(body as never, { idempotencyKey: key })
    state.folders[sourceId] = folder.id
  } else {
    const { bot, warnings } = await client.bots.import(body as never, { idempotencyKey: key })
    const { name, version, publicId, isClosed, groups } = (body as { bot: SourceBot }).bot
    state.bots[sourceId] = {
      name: String(name),
      botId: bot.id,
      version: String(version),
      publicId: publicId || null,
      isClosed: isClosed === true,
      groups: digestOf(JSON.stringify(groups)),
      isPublished: false,
      isFinished: false,
      warnings: warnings.map(({ path, message }) => `${path.join('.')}: ${message}`),
    }
  }
  delete state.pending
  save()
}

/**
 * Sets the properties that an import leaves out: links to bots by their new ids, the public id, and the closed state.
 */
async function finish({ client }: Service, state: MigrationState, migrated: MigratedBot) {
  const { botId, warnings } = migrated
  const bot = await findBot(client, botId)
  if (!bot) {
    migrated.isFinished = true
    warnings.push('It was deleted here meanwhile')
    return
  }
  const { groups } = bot as unknown as { groups: unknown }
  const linked = mapReferences(groups, (name, value) =>
    name === 'botId' ? (state.bots[value]?.botId ?? value) : value,
  )
  const changes = {
    ...(JSON.stringify(linked) !== JSON.stringify(groups) && { groups: linked }),
    ...(migrated.isClosed && { isClosed: true }),
  }
  const { updatedAt, version } = bot
  if (Object.keys(changes).length > 0)
    await client.bots.update(botId, { bot: { version, ...changes, updatedAt } } as never)
  const { publicId } = migrated
  if (publicId !== null && bot.publicId !== publicId) {
    try {
      await client.bots.update(botId, { bot: { version, publicId } } as never)
    } catch (error) {
      if (!(error instanceof ApiError) || (error.status !== 400 && error.status !== 409)) throw error
      const [issue] = error.issues
      warnings.push(`The public id ${publicId} was not taken over: ${issue?.message ?? error.message}`)
    }
  }
  migrated.isFinished = true
}

/** Publishes a bot that is published at the source; one that was deleted here is in the report. */
async function publishHere({ client }: Service, source: Source, sourceId: string, migrated: MigratedBot) {
  if (!(await findBot(client, migrated.botId))) return
  try {
    await client.bots.publish(migrated.botId)
  } catch (error) {
    // The others can be published all the same.
    const isOfBot = error instanceof ApiError && error.status < 500 && ![401, 408, 429].includes(error.status)
    if (!isOfBot) throw error
    const warning = `It could not be published: ${error.issues[0]?.message ?? error.message}`
    if (!migrated.warnings.includes(warning)) migrated.warnings.push(warning)
    return
  }
  migrated.isLive = true
  const published = await source.getPublishedBot(sourceId)
  if (published && digestOf(JSON.stringify(published.groups)) !== migrated.groups)
    migrated.warnings.push('Its draft was published here; at the source visitors get an earlier state')
}

async function findBot(client: Client, botId: string): Promise<Bot | undefined> {
  try {
    return (await client.bots.get(botId)).bot
  } catch (error) {
    if (error instanceof NotFoundError) return undefined
    throw error
  }
}

async function reportOf(
  { client }: Service,
  state: MigrationState,
  found: number,
  before: ReadonlySet<string>,
): Promise<MigrationReport> {
  const there = new Set<string>()
  for await (const { id } of client.bots.list({ workspaceId: state.workspaceId, limit: 100 })) there.add(id)
  const failed = Object.entries(state.failed).map(([sourceId, failure]) => ({ sourceId, ...failure }))
  const bots = []
  for (const [sourceId, { name, botId, warnings }] of Object.entries(state.bots)) {
    if (there.has(botId)) bots.push({ sourceId, botId, name, warnings })
    else failed.push({ sourceId, name, reason: 'It is not in the target workspace any more' })
  }
  const alreadyThere = bots.filter(({ sourceId }) => before.has(sourceId)).length
  const folders = Object.keys(state.folders).length
  return { found, migrated: bots.length - alreadyThere, alreadyThere, failed, folders, bots }
}
