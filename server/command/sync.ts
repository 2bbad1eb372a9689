import type { Bot } from '../../generated/client/index.js'
import { ConflictError, NotFoundError } from '../../generated/client/index.js'
import {
  type BotFile,
  digestOf,
  type FolderState,
  fileNameFor,
  fileProperties,
  formatBot,
  type LocalBot,
  normalText,
  readText,
  writeBot,
  writeState,
} from './folder.ts'
import { createProgress, fail, type Io } from './io.ts'
import type { Service } from './profiles.ts'

/* Brings bots of a workspace into files, and files back into their bots. */

interface Pulled {
  file: string
  botId: string
  action: 'created' | 'updated' | 'unchanged' | 'kept'
  message?: string
}

/** The part of a bot that its file has. */
export function toFile(bot: object): BotFile {
  const given = bot as Record<string, unknown>
  return {
    id: String(given.id),
    ...Object.fromEntries(fileProperties.filter((name) => name in given).map((name) => [name, given[name]])),
  }
}

/** Writes every bot to its file. A file with changes that were not pushed stays, unless `overwrite` is set. */
export async function pull(
  io: Io,
  service: Service,
  folder: string,
  state: FolderState,
  options: { overwrite?: boolean },
): Promise<Pulled[]> {
  const listed = []
  for await (const bot of service.client.bots.list({ workspaceId: state.workspaceId, limit: 100 }))
    listed.push(bot)
  // The oldest first, so that names of files do not depend on later bots.
  listed.sort((one, other) => (one.id < other.id ? -1 : 1))
  const progress = createProgress(io, listed.length, 'bots')
  const taken = new Set(Object.values(state.bots).map(({ file }) => file))
  const pulled: Pulled[] = []
  for (const { id, name } of listed) {
    const bot = await readBot(service, id)
    progress.advance()
    // Deleted since it was listed.
    if (!bot) continue
    const known = state.bots[id]
    const file = known?.file ?? freeFile(folder, name, taken)
    taken.add(file)
    const text = formatBot(toFile(bot))
    const given = readText(folder, file)
    const before = given === undefined ? undefined : normalText(given)
    const isEdited = before !== undefined && before !== text && digestOf(before) !== known?.digest
    if (isEdited && !options.overwrite) {
      const message = 'has changes that were not pushed; push them, or pull with --overwrite'
      pulled.push({ file, botId: id, action: 'kept', message })
      continue
    }
    if (before !== text) writeBot(folder, file, text)
    state.bots[id] = { file, digest: digestOf(text) }
    // After every bot, so that an interrupted pull goes on where it was.
    writeState(folder, state)
    const action = before === undefined ? 'created' : before === text ? 'unchanged' : 'updated'
    pulled.push({ file, botId: id, action })
  }
  progress.end()
  for (const [id, { file }] of Object.entries(state.bots)) {
    if (listed.some((bot) => bot.id === id)) continue
    delete state.bots[id]
    const message = 'was deleted in the service; remove the file, or its id to create the bot anew'
    pulled.push({ file, botId: id, action: 'kept', message })
  }
  writeState(folder, state)
  return pulled
}

/** A name that no bot and no unrelated file has. */
function freeFile(folder: string, name: string, taken: Set<string>): string {
  const used = new Set(taken)
  for (;;) {
    const file = fileNameFor(name, used)
    if (readText(folder, file) === undefined) return file
    used.add(file)
  }
}

async function readBot({ client }: Service, id: string): Promise<Bot | undefined> {
  try {
    return (await client.bots.get(id)).bot
  } catch (error) {
    if (error instanceof NotFoundError) return undefined
    throw error
  }
}

/** One change that a push makes. */
export interface PlannedPush {
  file: string
  botId: string | null
  action: 'create' | 'update'
  properties: string[]
  /** The differences in words. */
  changes: string[]
}

interface Step extends PlannedPush {
  local: LocalBot
  values: Record<string, unknown>
  updatedAt?: string
}

/** Plans a push. Changes nothing; rejects the whole push if one bot cannot be pushed. */
export async function planPush(
  service: Service,
  state: FolderState,
  locals: readonly LocalBot[],
  options: { overwrite?: boolean; create?: boolean },
): Promise<Step[]> {
  const steps: Step[] = []
  const problems: string[] = []
  let isConflict = false
  for (const local of locals) {
    const { file, bot } = local
    if (bot.id === undefined && options.create === false) {
      problems.push(`${file}: its bot is not in the service yet; push it once by hand, and commit the file`)
      continue
    }
    if (bot.id === undefined) {
      const values = valuesOf(bot, fileProperties)
      const properties = Object.keys(values)
      const changes = [`Bot "${bot.name ?? 'My bot'}" is created`]
      steps.push({ file, botId: null, action: 'create', properties, changes, local, values })
      continue
    }
    const stored = await readBot(service, bot.id)
    if (!stored) {
      problems.push(`${file}: its bot was deleted; remove the id from the file to create it anew`)
      continue
    }
    if (stored.workspaceId !== state.workspaceId) {
      problems.push(`${file}: its bot is in another workspace; use promote to bring it here`)
      continue
    }
    const before = toFile(stored)
    const properties = fileProperties.filter(
      (name) => bot[name] !== undefined && JSON.stringify(bot[name]) !== JSON.stringify(before[name]),
    )
    if (properties.length === 0) continue
    const { updatedAt } = stored
    if (!options.overwrite && state.bots[bot.id]?.digest !== digestOf(formatBot(before))) {
      isConflict = true
      problems.push(
        `${file}: the bot was changed since it was pulled; see bots diff, then pull or --overwrite`,
      )
      continue
    }
    const changes = await wordsOf(before, { ...before, ...bot })
    const values = valuesOf(bot, properties)
    steps.push({ file, botId: bot.id, action: 'update', properties, changes, local, values, updatedAt })
  }
  if (problems.length > 0) fail(problems.join('\n'), isConflict ? 3 : 1)
  return steps
}

function valuesOf(bot: BotFile, names: readonly (keyof BotFile)[]): Record<string, unknown> {
  return Object.fromEntries(names.filter((name) => bot[name] !== undefined).map((name) => [name, bot[name]]))
}

/** Makes the planned changes, each only to the state that it was planned for. */
export async function push(
  io: Io,
  service: Service,
  folder: string,
  state: FolderState,
  steps: readonly Step[],
): Promise<(PlannedPush & { botId: string })[]> {
  const progress = createProgress(io, steps.length, 'bots')
  const pushed = []
  for (const step of steps) {
    const { file, action, properties, changes, values, local } = step
    const written =
      action === 'create'
        ? await createBot(service, state.workspaceId, values)
        : await updateBot(service, step, String(local.bot.version))
    const { bot } = written
    const text = formatBot(toFile(bot))
    // A new bot gets its id, and properties that the file left out.
    if (normalText(local.text) !== text) writeBot(folder, file, text)
    state.bots[bot.id] = { file, digest: digestOf(text) }
    writeState(folder, state)
    pushed.push({ file, botId: bot.id, action, properties, changes })
    progress.advance()
  }
  progress.end()
  return pushed
}

/** Creates a bot, by an import where its flow has to be converted. */
export async function createBot({ client }: Service, workspaceId: string, values: Record<string, unknown>) {
  const isCurrent = values.version === '6' || values.version === '6.1'
  // A flow in a legacy version comes in by an import, which converts it.
  if (!isCurrent) return client.bots.import({ workspaceId, bot: values } as never)
  const { isClosed: _, ...bot } = values
  const created = await client.bots.create({ workspaceId, bot } as never)
  if (values.isClosed !== true) return created as { bot: Bot }
  return client.bots.update(created.bot.id, { bot: { version: values.version, isClosed: true } } as never)
}

async function updateBot({ client }: Service, { botId, file, values, updatedAt }: Step, version: string) {
  try {
    return (await client.bots.update(
      botId as string,
      { bot: { ...values, version, updatedAt } } as never,
    )) as {
      bot: Bot
    }
  } catch (error) {
    if (!(error instanceof ConflictError)) throw error
    return fail(
      `${file}: somebody changed the bot at the same time; nothing of it was pushed, pull and try again`,
      3,
    )
  }
}

/** Differences of two bots in words. */
export async function wordsOf(
  before: Record<string, unknown>,
  after: Record<string, unknown>,
): Promise<string[]> {
  // Loaded when it is needed: it brings the schemas of documents along.
  const { compareFlows } = await import('../bots/compare.ts')
  const flowParts = ['version', 'events', 'groups', 'edges', 'variables', 'theme', 'settings']
  const others = fileProperties
    .filter((name) => !flowParts.includes(name))
    .filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]))
    .map((name) => `${name} changed from ${shortText(before[name])} to ${shortText(after[name])}`)
  const version = before.version === after.version ? [] : [`version changed to ${shortText(after.version)}`]
  const { changes, isComplete } = compareFlows(before, after)
  const words = [...others, ...version, ...changes.map(({ message }) => message)]
  if (!isComplete) words.push('and more')
  // Only the order of lists or of properties, which shows nowhere else.
  const isSame = words.length === 0 && JSON.stringify(before) !== JSON.stringify(after)
  return isSame ? ['The order of entries changed'] : words
}

function shortText(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing'
  return text.length > 80 ? `${text.slice(0, 80)}…` : text
}
