import { vendorRow, vendors } from '../../../contract/bot-document/blocks/vendors/all.ts'
import { byType } from '../../chat/engine/flow-index.ts'
import { isCurrency, readAmount } from '../../chat/engine/payments/amounts.ts'
import { isRecord, type JsonRecord, listOf } from '../../documents/conversion/document.ts'
import { extensionsOf, isAnyType } from '../../uploads/kinds.ts'
import { skippedAction } from './credentials.ts'
import {
  type Findings,
  hasPlaceholder,
  isFilled,
  isReference,
  issue,
  itemsOf,
  type OwnBlockType,
  type Path,
  pathsOf,
  quote,
} from './flow.ts'
import type { CheckedService } from './service.ts'

/** Content that a block needs to have any effect. */
export function* missingContent(block: unknown, path: Path, service: CheckedService): Findings {
  if (!isRecord(block) || typeof block.type !== 'string') return
  const content = isRecord(block.content) ? block.content : {}
  const options = isRecord(block.options) ? block.options : {}
  switch (block.type) {
    case 'text':
      if (!showsText(content)) yield issue([...path, 'content'], 'empty_bubble', 'The bubble shows nothing.')
      return
    case 'image':
    case 'video':
    case 'audio':
    case 'embed':
      if (!isFilled(content.url) && !isFilled(content.id)) {
        yield issue(
          pathTo(block, path, ['content', 'url']),
          'empty_bubble',
          'The bubble shows nothing: it has no URL.',
        )
      }
      return
    case 'choice input':
    case 'picture choice input':
    case 'cards':
      yield* missingItems(block, options, path)
      return
    case 'Condition':
      yield* missingComparisons(block, path)
      return
    case 'text input':
      yield* unsavedAttachments(block, options, path)
      return
    case 'date input':
      yield* doubtfulFormat(options, path)
      return
    case 'payment input':
      yield* unpayable(block, options, path)
      return
    case 'Webhook':
    case 'Zapier':
    case 'Make.com':
    case 'Pabbly':
      yield* missingUrl(block, options, path, service)
      return
    default:
      yield* missingSettings(block, options, path)
  }
}

/** Bubbles whose text is elsewhere than in leaves (`inline-variable` and the like) show something too. */
function showsText({ richText, html, plainText }: JsonRecord): boolean {
  if (!Array.isArray(richText)) return isFilled(html) || isFilled(plainText)
  const pending: unknown[] = [...richText]
  for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
    if (!isRecord(node)) continue
    if (isFilled(node.text) || isFilled(node.url) || isFilled(node.value)) return true
    // One by one: a call takes only so many arguments.
    for (const child of listOf(node.children)) pending.push(child)
  }
  return false
}

const shownOfItem: Record<string, string[]> = {
  'choice input': ['content'],
  'picture choice input': ['title', 'pictureSrc', 'description'],
  cards: ['title', 'imageUrl', 'description'],
}

function* missingItems(block: JsonRecord, options: JsonRecord, path: Path): Findings {
  const { dynamicItems, dynamicVariableId } = options
  if (isReference(dynamicVariableId) || (isRecord(dynamicItems) && dynamicItems.isEnabled === true)) return
  const items = itemsOf(block)
  if (items.length === 0) {
    yield issue(
      [...path, 'items'],
      'empty_item',
      'There is nothing to choose, so chats pass over this input.',
    )
  }
  const shown = shownOfItem[String(block.type)] ?? []
  for (const [index, item] of items.entries()) {
    const place = block.type === 'cards' ? ['options', 'displayCondition'] : ['displayCondition']
    yield* hiddenItem(block, path, ['items', index, ...place])
    if (!isRecord(item) || shown.some((key) => isFilled(item[key]))) continue
    const hasButton = pathsOf(item).some((each) => isRecord(each) && isFilled(each.text))
    if (hasButton) continue
    yield issue(
      [...path, 'items', index],
      'empty_item',
      `The item shows nothing: it has no ${shown.join(', ')}.`,
    )
  }
}

function* hiddenItem(block: JsonRecord, path: Path, keys: (string | number)[]): Findings {
  const display = valueAt(block, keys)
  if (!isRecord(display) || display.isEnabled !== true) return
  yield* missingComparison(block, path, [...keys, 'condition'], 'The item is never shown')
}

function valueAt(root: unknown, keys: (string | number)[]): unknown {
  return keys.reduce<unknown>((at, key) => (at as JsonRecord | null | undefined)?.[key], root)
}

function* missingComparisons(block: JsonRecord, path: Path): Findings {
  for (const index of itemsOf(block).keys()) {
    yield* missingComparison(block, path, ['items', index, 'content'], 'The item never holds')
  }
}

/** A condition without comparisons, or with one that compares nothing, never holds. */
function* missingComparison(
  block: JsonRecord,
  path: Path,
  keys: (string | number)[],
  outcome: string,
): Findings {
  const condition = valueAt(block, keys)
  const comparisons = listOf(isRecord(condition) ? condition.comparisons : undefined)
  const inside = pathTo(block, path, [...keys, 'comparisons'])
  if (comparisons.length === 0) yield issue(inside, 'empty_item', `${outcome}: it compares nothing.`)
  for (const [each, comparison] of comparisons.entries()) {
    if (!isRecord(comparison)) continue
    const missing = ['variableId', 'comparisonOperator'].find((key) => !isFilled(comparison[key]))
    if (missing === undefined) continue
    const message = `The comparison never holds: it has no ${missing}.`
    yield issue([...inside, each, missing], 'empty_item', message)
  }
}

/** Entries of `allowedFileTypes` that take no file. */
export function* unknownFileTypes(block: unknown, path: Path): Findings {
  if (!isRecord(block) || block.type !== 'file input' || !isRecord(block.options)) return
  const allowed = block.options.allowedFileTypes
  if (!isRecord(allowed) || allowed.isEnabled !== true) return
  for (const [index, type] of listOf(allowed.types).entries()) {
    if (typeof type !== 'string' || isAnyType(type) || extensionsOf(type).length > 0) continue
    const message = `No file has the type ${quote(type)}. Write an extension such as pdf, a type such as image/png, or */*.`
    yield issue([...path, 'options', 'allowedFileTypes', 'types', index], 'unknown_file_type', message)
  }
}

function* doubtfulFormat({ format }: JsonRecord, path: Path): Findings {
  if (typeof format !== 'string' || !/[DY]/.test(format.replace(/'[^']*'/g, ''))) return
  const message =
    'In this format D is the day of the year and Y the year of the week; dd and yyyy are the usual ones.'
  yield issue([...path, 'options', 'format'], 'doubtful_format', message)
}

/** An amount or a currency that ends every chat. */
function* unpayable(block: JsonRecord, { amount, currency }: JsonRecord, path: Path): Findings {
  const code = isFilled(currency) ? currency.trim().toUpperCase() : 'USD'
  if (!hasPlaceholder(code) && !isCurrency(code)) {
    const message = `Chats end at this block: ${quote(code)} is no currency.`
    yield issue([...path, 'options', 'currency'], 'missing_setting', message)
  }
  const text = typeof amount === 'string' ? amount : ''
  if (hasPlaceholder(text)) return
  const read = readAmount(text, code)
  if (!('problem' in read)) return
  const message = `Chats end at this block: ${read.problem}.`
  yield issue(pathTo(block, path, ['options', 'amount']), 'missing_setting', message)
}

function* missingUrl(
  block: JsonRecord,
  options: JsonRecord,
  path: Path,
  { findPermanentRejection }: CheckedService,
): Findings {
  const url = isRecord(options.webhook) ? options.webhook.url : undefined
  const inside = pathTo(block, path, ['options', 'webhook', 'url'])
  if (!isFilled(url)) yield issue(inside, 'missing_setting', 'No request is sent: the block has no URL.')
  else if (!url.includes('{{') && !URL.canParse(url.trim())) {
    yield issue(inside, 'missing_setting', 'No request is sent: this is no complete URL.')
  } else {
    const known = fixedPart(url.trim())
    const rejection = known && findPermanentRejection?.(known)
    if (rejection) yield issue(inside, 'closed_address', `No request is sent. ${rejection}.`)
  }
}

/** An address, as far as the flow decides it: undefined where a placeholder may stand for scheme, host or port. */
function fixedPart(url: string): string | undefined {
  const [known = ''] = url.split('{{', 1)
  const hasHost = known === url || /^[a-z]+:\/\/[^/?#\\]+[/?#\\]/i.test(known)
  return hasHost && URL.canParse(known) ? known : undefined
}

/** The setting that a block of each type does nothing without; null where there is none, or a case above reports it. */
const neededSettings: ReadonlyMap<string, string | null> = new Map([
  ...vendors.map(({ type }): [string, string] => [type, 'action']),
  ...byType<OwnBlockType, string | null>({
    'Set variable': 'variableId',
    Condition: null,
    'AB test': null,
    Jump: 'groupId',
    Return: null,
    'Bot link': 'botId',
    Redirect: 'url',
    Wait: 'secondsToWaitFor',
    Code: 'content',
    handoff: null,
    'wait until': null,
    webhook: null,
    Webhook: null,
    Zapier: null,
    'Make.com': null,
    Pabbly: null,
    Email: 'recipients',
    'Google Sheets': 'action',
    Chatwoot: null,
    'Google Analytics': 'trackingId',
    Pixel: 'pixelId',
    OpenAI: 'task',
  }),
])

function* missingSettings(block: JsonRecord, options: JsonRecord, path: Path): Findings {
  const key = neededSettings.get(String(block.type)) ?? null
  if (key === null) return
  const value = options[key]
  const isThere = Array.isArray(value) ? value.some(isFilled) : isFilled(value)
  if (isThere && key === 'action' && skippedAction(block) === undefined)
    yield* missingOptions(block, options, path)
  if (isThere || typeof value === 'number') return
  yield issue(
    pathTo(block, path, ['options', key]),
    'missing_setting',
    `The block does nothing: it has no ${key}.`,
  )
}

/** Options that an action of an outside service does nothing without. */
function* missingOptions(block: JsonRecord, options: JsonRecord, path: Path): Findings {
  const required = vendorRow(block.type)?.actions[String(options.action)]?.required ?? {}
  for (const key of Object.keys(required)) {
    const value = options[key]
    const isThere = typeof value === 'string' ? isFilled(value) : value !== undefined && value !== null
    if (isThere && !(Array.isArray(value) && value.length === 0)) continue
    const message = `The block does nothing: it has no ${key}.`
    yield issue(pathTo(block, path, ['options', key]), 'missing_setting', message)
  }
}

function* unsavedAttachments(block: JsonRecord, { attachments }: JsonRecord, path: Path): Findings {
  if (!isRecord(attachments) || attachments.isEnabled !== true || isFilled(attachments.saveVariableId)) return
  yield issue(
    pathTo(block, path, ['options', 'attachments', 'saveVariableId']),
    'missing_setting',
    'No file can be attached: `saveVariableId` names no variable for the addresses.',
  )
}

/** Path of missing content: the part that exists in the block, and the first key that is missing. */
function pathTo(block: JsonRecord, path: Path, keys: (string | number)[]): Path {
  const found = [...path]
  let value: unknown = block
  for (const key of keys) {
    if (typeof value !== 'object' || value === null) break
    found.push(key)
    value = (value as Record<string | number, unknown>)[key]
  }
  return found
}
