import type { InputType } from '../../contract/bot-document/catalogue.ts'
import { limits } from '../../contract/bot-document/limits.ts'
import type { Issue } from '../../contract/errors.ts'
import { MAX_WEBHOOK_BLOCKS, webhookBlockTypes } from '../../contract/webhook-blocks.ts'
import type { BotGrant } from '../access/index.ts'
import { byType, indexFlow, isInput, searchBlock } from '../chat/engine/flow-index.ts'
import { inputName, joinItems } from '../chat/engine/result-parts.ts'
import type { Flow } from '../chat/engine/types.ts'
import type { Pace } from '../context.ts'
import { type Database, transact } from '../db/client.ts'
import {
  blocksOf,
  type FlowDocument,
  isRecord,
  type JsonRecord,
  mapShared,
} from '../documents/conversion/document.ts'
import { type Draft, isLegacy, readDraft } from '../documents/drafts.ts'
import { unknownRecord } from '../issues/records.ts'
import { asArray, asObject, asObjects, asString, filledText } from '../json/access.ts'
import { changedDocument } from '../json/changed-text.ts'
import { Rollback } from '../kit/idempotency.ts'
import { readFlow } from './checks/flow.ts'
import { groupsBefore } from './checks/reach.ts'
import { takeSlice } from './checks/turns.ts'
import { type BotRow, lockBot } from './rows.ts'
import { applyChange } from './update.ts'

type WebhookBlockType = (typeof webhookBlockTypes)[number]

const types: ReadonlySet<unknown> = new Set(webhookBlockTypes)

function isWebhookBlock(block: unknown): block is JsonRecord & { id: string; type: WebhookBlockType } {
  return isRecord(block) && types.has(block.type) && filledText(block.id) !== undefined
}

/** The blocks that send requests, as menus show them. */
export function webhookBlocksOf(document: FlowDocument) {
  const found = asObjects(document.groups).flatMap((group) =>
    blocksOf(group)
      .filter(isWebhookBlock)
      .map(({ id, type, options }) => {
        const url = addressOf(options)
        const label = `${asString(group.title) ?? ''} > ${id}`
        return { id, type, label, ...(url !== undefined && { url }) }
      }),
  )
  return found.slice(0, MAX_WEBHOOK_BLOCKS)
}

const addressOf = (options: unknown) => filledText(asObject(asObject(options).webhook).url)

type Example = Record<string, string> | null

/** Made-up answers of all inputs that a chat can have passed before a block; null if no such block sends requests. */
export async function exampleOf(
  document: FlowDocument,
  blockId: string,
  now: Date,
  pace: Pace,
): Promise<Example> {
  let example: Example = null
  // The work grows with the document alone, so it needs no other end.
  const steps = (function* () {
    example = yield* buildExample(document, blockId, now)
  })()
  while (!(await pace(() => takeSlice(steps))));
  return example
}

function* buildExample(document: FlowDocument, blockId: string, now: Date): Generator<undefined, Example> {
  const index = indexFlow(document as unknown as Flow)
  const found = searchBlock(index, blockId)
  if (found === null || !types.has(found.block.type)) return null
  const flow = yield* readFlow(document)
  const group = flow.groupsById.get(found.group.id)
  const before = group === undefined ? new Set<JsonRecord>() : yield* groupsBefore(flow, group)
  const example = new Map([
    ['message', 'This is an example with made-up answers'],
    ['submittedAt', now.toISOString()],
  ])
  for (const group of index.groups.values()) {
    yield
    const { id, blocks } = group
    const isOwn = id === found.group.id
    const isBefore = before.has(flow.groupsById.get(id) ?? {})
    if (!isBefore && !isOwn) continue
    const passed = isBefore ? blocks : blocks.slice(0, blocks.indexOf(found.block))
    for (const [number, block] of passed.filter(isInput).entries()) {
      const answer = answers.get(block.type)?.(block)
      if (answer !== undefined) example.set(inputName(index, group, block, number), answer)
    }
  }
  for (const { name, initialValue } of index.variables.values()) {
    if (initialValue !== null && !example.has(name)) example.set(name, joinItems(initialValue))
  }
  const entries = [...example].filter(([name]) => name.length <= limits.name)
  return Object.fromEntries(entries.map(([name, value]) => [name, value.slice(0, limits.prose)]))
}

interface InputBlock {
  options: JsonRecord
  items: JsonRecord[]
}

/** An answer to each type of input. */
const answers = byType<InputType, (block: InputBlock) => string>({
  'text input': () => 'A text',
  'number input': ({ options }) => String(options.min ?? 20),
  'email input': () => 'ada@example.com',
  'url input': () => 'https://example.com',
  'phone number input': () => '+14155550123',
  'date input': () => '2026-03-04',
  'time input': () => '14:30',
  'payment input': () => 'Success',
  'rating input': ({ options }) => String(options.length ?? 5),
  'file input': () => 'https://example.com/file.pdf',
  'choice input': firstItem,
  'picture choice input': firstItem,
  cards: firstItem,
})

function firstItem({ items: [item] }: InputBlock): string {
  const { value, content, title, label } = asObject(item)
  return [value, content, title, label].map(filledText).find((text) => text !== undefined) ?? 'An item'
}

type Outcome =
  | { bot: BotRow; draft: Draft }
  | { same: true }
  | { unknown: Issue }
  | { invalid: Issue }
  | { isDeleted: true }

/** Sets or clears the address of a block of the draft. An address that it has already is not written again. */
export async function setWebhookAddress(
  db: Database,
  grant: BotGrant,
  blockId: string,
  url: string | null,
  now: Date,
): Promise<Outcome> {
  return transact(db, async (tx) => {
    const bot = await lockBot(tx, grant)
    const found = bot && (await readDraft(tx, bot.id))
    if (!bot || !found) return { isDeleted: true }
    const stored = asArray(JSON.parse(found.draft.groups.text))
    const block = stored.flatMap(blocksOf).find(isBlock(blockId))
    if (block === undefined) {
      const issue = unknownRecord('path', 'blockId', blockId)
      return {
        unknown: { ...issue, message: 'The draft has no block with this id that sends requests' },
      }
    }
    if (bot.version === '3') return { invalid: outside }
    if (addressOf(block.options) === (url ?? undefined)) return { same: true }
    const changed = withAddress(block, url, isLegacy(bot.version))
    const groups = mapShared(stored, (group) => {
      const blocks = blocksOf(group)
      const place = blocks.indexOf(block)
      return isRecord(group) && place >= 0 ? { ...group, blocks: blocks.with(place, changed) } : group
    })
    // All else retains its text, such as numbers as they were written.
    const parts = { groups: changedDocument(groups, stored, found.draft.groups) }
    const change = { version: bot.version, header: {}, parts, precondition: undefined, conditions: {} }
    const applied = await applyChange(tx, bot, change, now, found.draft)
    if (!applied || !('bot' in applied)) throw new Rollback({ isDeleted: true })
    return applied
  })
}

const isBlock =
  (blockId: string) =>
  (block: unknown): block is JsonRecord =>
    isWebhookBlock(block) && block.id === blockId

function withAddress(block: JsonRecord, url: string | null, needsId: boolean): JsonRecord {
  const options = asObject(block.options)
  const { url: _, ...webhook } = asObject(options.webhook)
  const id = needsId && webhook.id === undefined ? { id: block.webhookId ?? block.id } : {}
  return { ...block, options: { ...options, webhook: { ...webhook, ...id, ...(url !== null && { url }) } } }
}

const outside: Issue = {
  path: ['path', 'botId'],
  code: 'unsupported_version',
  message: 'Version 3 keeps requests outside of the document; update the bot to version 6.1 first',
}
