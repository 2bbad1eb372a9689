/** Choice, picture choice and cards: the items to show, and the items that a reply selects. */

import { asObject, asObjects, asString, filledText, type JsonObject, valueAt } from '../../../json/access.ts'
import { isDisplayed } from '../conditions.ts'
import type { Execution } from '../execution.ts'
import type { Block } from '../flow-index.ts'
import { fillDeep, onlyPlaceholder, readVariable, valueByName } from '../variables.ts'
import { invalidReading, type Reading, type ReadReply, type Reply } from './reading.ts'

/** As many as a document may have. Lists of variables can be longer. */
const MAX_ITEMS = 1_000

/**
 * Looking for many labels in a very long text takes too long. An honest reply is longer only where labels are, such as
 * those of pictures that are in the document itself: then the id that comes with it counts.
 */
const MAX_REPLY_CHARACTERS = 10_000

/**
 * Characters of labels that may be found within longer words before a reply is given up. An honest one of the greatest
 * length has some ten thousand; in others a label is at every place, and each item looks at all of them.
 */
const MAX_MISSED_CHARACTERS = 250_000

/** The items as they are shown: filled in, hidden ones left out. */
export async function itemsToShow(run: Execution, block: Block): Promise<JsonObject[]> {
  const dynamic = dynamicItems(run, block) ?? (await dynamicCards(run, block))
  if (dynamic !== null) return dynamic
  const shown: JsonObject[] = []
  for (const item of block.items) {
    const isCard = block.type === 'cards'
    if (!(await isDisplayed(run, isCard ? valueAt(item.options, 'displayCondition') : item.displayCondition)))
      continue
    const { displayCondition: _hidden, ...rest } = item
    const { displayCondition: _alsoHidden, ...options } = asObject(item.options)
    shown.push(
      asObject(await fillDeep(run, isCard && item.options !== undefined ? { ...rest, options } : rest)),
    )
  }
  return shown
}

export const readChoice: ReadReply = async (run, block, reply) => {
  const choices = (await itemsToShow(run, block)).map((item) => choiceOf(block, item))
  if (block.options.isMultipleChoice !== true) return readOne(choices, reply)
  return readSeveral(choices, reply.text.length > MAX_REPLY_CHARACTERS ? { ...reply, text: '' } : reply)
}

/** A reply names a button by its id or its text, or a card by its own. */
export const readCard: ReadReply = async (run, block, reply) => {
  const cards = await itemsToShow(run, block)
  const replyId = replyIdOf(reply)
  const typed = reply.text.trim()
  const wanted = comparable(typed)
  const buttons = cards.flatMap((card) => {
    const paths = asObjects(card.paths)
    return paths.length > 0 ? paths.map((path) => ({ card, path })) : [{ card, path: {} as JsonObject }]
  })
  const chosen =
    buttons.find(({ path }) => path.id !== undefined && (path.id === replyId || path.id === typed)) ??
    buttons.find(({ card }) => card.id !== undefined && (card.id === replyId || card.id === typed)) ??
    buttons.find(
      ({ card }) => typed !== '' && asString(valueAt(card, 'options', 'internalValue'))?.trim() === typed,
    ) ??
    buttons.find(({ path }) => typed !== '' && asString(path.text)?.trim() === typed) ??
    buttons.find(({ card }) => typed !== '' && asString(card.title)?.trim() === typed) ??
    onlyOne(buttons, ({ path }) => isSame(asString(path.text) ?? '', wanted)) ??
    onlyOne(
      buttons.filter(({ card }, index) => card !== buttons[index - 1]?.card),
      ({ card }) =>
        [valueAt(card, 'options', 'internalValue'), card.title].some((name) =>
          isSame(asString(name) ?? '', wanted),
        ),
    )
  if (chosen === undefined) return invalidReading
  const { card, path } = chosen
  const fields: Record<string, unknown> = {
    'Image URL': card.imageUrl,
    Title: card.title,
    Description: card.description,
    Button: path.text,
    'Internal Value': valueAt(card, 'options', 'internalValue'),
  }
  const assignments = asObjects(block.options.saveResponseMapping).flatMap(({ field, variableId }) => {
    const value =
      typeof field === 'string' && Object.hasOwn(fields, field) ? asString(fields[field]) : undefined
    return value === undefined ? [] : [{ variableId, value }]
  })
  const content =
    filledText(fields['Internal Value']) ?? filledText(path.text) ?? filledText(card.title) ?? typed
  return {
    kind: 'valid',
    content,
    shown: filledText(path.text) ?? filledText(card.title) ?? content,
    edgeId: asString(path.outgoingEdgeId) ?? asString(card.outgoingEdgeId),
    assignments,
  }
}

interface Choice {
  id: string
  /** The text that the visitor sees, or the address of a picture without a title. */
  label: string
  title: string
  value: string
  edgeId: string | undefined
}

function choiceOf(block: Block, item: JsonObject): Choice {
  const isPicture = block.type === 'picture choice input'
  return {
    id: asString(item.id) ?? '',
    title: (isPicture ? filledText(item.title) : asString(item.content)) ?? '',
    label:
      (isPicture ? (filledText(item.title) ?? filledText(item.pictureSrc)) : asString(item.content)) ?? '',
    value: asString(item.value) ?? '',
    edgeId: asString(item.outgoingEdgeId),
  }
}

function contentOf(choice: Choice): string {
  return choice.value === '' ? choice.label : choice.value
}

function shownOf({ title, value }: Choice): string {
  return title === '' ? value : title
}

/** The longest label first, so that a label is not taken for a shorter one that it contains. */
function longestFirst(choices: Choice[]): Choice[] {
  return [...choices].sort((a, b) => b.label.length - a.label.length)
}

function readOne(choices: Choice[], reply: Reply): Reading {
  const replyId = replyIdOf(reply)
  const typed = reply.text.trim()
  const ordered = longestFirst(choices)
  const wanted = comparable(typed)
  const chosen =
    ordered.find(({ id }) => id !== '' && id === replyId) ??
    ordered.find(({ id }) => id !== '' && id === reply.text) ??
    ordered.find(
      ({ label, value }) => typed !== '' && [value, label].some((name) => name.trim() === typed),
    ) ??
    onlyOne(ordered, ({ label, value }) => [value, label].some((name) => isSame(name, wanted)))
  if (chosen === undefined) return invalidReading
  return {
    kind: 'valid',
    content: contentOf(chosen),
    shown: shownOf(chosen),
    edgeId: chosen.edgeId,
  }
}

/**
 * Whole labels, values or ids anywhere in the text, without regard to case and white space; then positions, counted
 * from 1, in the rest of the text.
 */
function readSeveral(choices: Choice[], reply: Reply): Reading {
  const replyId = replyIdOf(reply)
  const chosen = new Set(choices.filter(({ id }) => id !== '' && id === replyId))
  const effort = { missed: MAX_MISSED_CHARACTERS }
  let rest = comparable(reply.text)
  // A choice that the reply names by its id takes its label before others of the same label can.
  const ordered = longestFirst(choices)
  for (const choice of new Set([...ordered.filter((each) => chosen.has(each)), ...ordered])) {
    for (const phrase of [choice.label, choice.value, choice.id].map(comparable)) {
      const start = findPhrase(rest, phrase, effort)
      if (effort.missed <= 0) return invalidReading
      if (start === -1) continue
      chosen.add(choice)
      rest = `${rest.slice(0, start)},${rest.slice(start + phrase.length)}`
      break
    }
  }
  for (const number of rest.match(/(?<![\p{L}\p{N}\p{M}])\d{1,4}(?![\p{L}\p{N}\p{M}])/gu) ?? []) {
    const choice = choices[Number(number) - 1]
    if (choice !== undefined) chosen.add(choice)
  }
  if (chosen.size === 0) return invalidReading
  const inOrder = choices.filter((choice) => chosen.has(choice))
  return {
    kind: 'valid',
    content: inOrder.map((choice) => contentOf(choice).trim()).join(', '),
    shown: inOrder.map((choice) => shownOf(choice).trim()).join(', '),
  }
}

/** Returns the only item that fits; undefined where several do, since either may be meant. */
function onlyOne<Item>(items: Item[], fits: (item: Item) => boolean): Item | undefined {
  const fitting = items.filter(fits)
  return fitting.length === 1 ? fitting[0] : undefined
}

/** Without regard to case and white space. `wanted` is comparable already. */
function isSame(name: string, wanted: string): boolean {
  // A much longer reply is not looked through for each item.
  return wanted !== '' && wanted.length <= MAX_REPLY_CHARACTERS && comparable(name) === wanted
}

function comparable(value: string): string {
  return value.trim().replace(/\s+/g, ' ').toLowerCase()
}

/**
 * Returns the position of the phrase where no letter or digit touches it, or -1. Every match inside a word spends
 * some of the `effort`; once that is spent, the search ends with -1.
 */
function findPhrase(value: string, phrase: string, effort: { missed: number }): number {
  if (phrase === '') return -1
  const isWord = (character: string | undefined) =>
    character !== undefined && /[\p{L}\p{N}\p{M}]/u.test(character)
  for (let start = value.indexOf(phrase); start !== -1; start = value.indexOf(phrase, start + 1)) {
    const isPartOfWord =
      (isWord(value[start - 1]) && isWord(phrase[0])) ||
      (isWord(value[start + phrase.length]) && isWord(phrase.at(-1)))
    if (!isPartOfWord) return start
    effort.missed -= phrase.length
    if (effort.missed <= 0) return -1
  }
  return -1
}

function replyIdOf({ message }: Reply): string | undefined {
  return typeof message === 'object' && message?.type === 'text' ? message.metadata?.replyId : undefined
}

/** Items from list variables, if the block uses them. */
function dynamicItems(run: Execution, block: Block): JsonObject[] | null {
  const { dynamicVariableId, dynamicItems: pictures } = block.options
  if (block.type === 'choice input' && filledText(dynamicVariableId) !== undefined) {
    const labels = new Set(listOf(run, dynamicVariableId).filter((label) => label.trim() !== ''))
    return [...labels].map((content, index) => ({ id: `item${index + 1}`, content }))
  }
  if (block.type !== 'picture choice input' || valueAt(pictures, 'isEnabled') !== true) return null
  const titles = listOf(run, valueAt(pictures, 'titlesVariableId'))
  const descriptions = listOf(run, valueAt(pictures, 'descriptionsVariableId'))
  const sources = listOf(run, valueAt(pictures, 'pictureSrcsVariableId'))
  const count = Math.max(titles.length, sources.length)
  return Array.from({ length: count }, (_, index) => ({
    id: `item${index + 1}`,
    title: titles[index],
    description: descriptions[index],
    pictureSrc: sources[index],
  }))
}

/** A single card of which the title, the picture or the description is a list: one card for each value. */
async function dynamicCards(run: Execution, block: Block): Promise<JsonObject[] | null> {
  const [card] = block.items
  if (block.type !== 'cards' || card === undefined || block.items.length > 1) return null
  const lists = {
    title: listIn(run, card.title),
    imageUrl: listIn(run, card.imageUrl),
    description: listIn(run, card.description),
  }
  const leading = lists.title ?? lists.imageUrl ?? lists.description
  if (leading === null) return null
  const { displayCondition, ...options } = asObject(card.options)
  if (!(await isDisplayed(run, displayCondition))) return []
  const template = asObject(await fillDeep(run, card.options === undefined ? card : { ...card, options }))
  const internalValues = listIn(run, options.internalValue)
  const cards: JsonObject[] = []
  // Each repeats all buttons of the template. With more than can be sent the input is not shown.
  for (let index = 0, size = 0; index < Math.min(leading.length, MAX_ITEMS); index += 1) {
    if (size > run.limits.outputCharacters) break
    const shown: JsonObject = { ...template, id: `dynamic-card-${index}` }
    for (const [key, values] of Object.entries(lists)) {
      if (values !== null) shown[key] = values[index] ?? undefined
    }
    if (internalValues !== null) {
      shown.options = { ...asObject(template.options), internalValue: internalValues[index] ?? undefined }
    }
    if (Array.isArray(template.paths)) {
      shown.paths = asObjects(template.paths).map((path, place) => ({
        ...path,
        id: `dynamic-card-${index}-path-${place}`,
      }))
    }
    size += JSON.stringify(shown).length
    cards.push(shown)
  }
  return cards
}

/** The list of the variable that the text is, and nothing else. */
function listIn(run: Execution, given: unknown): (string | null)[] | null {
  const name = onlyPlaceholder(asString(given) ?? '')
  const value = name === null ? null : valueByName(run, name)
  return Array.isArray(value) ? value : null
}

function listOf(run: Execution, variableId: unknown): string[] {
  const value = readVariable(run, variableId)
  if (value === null) return []
  return (Array.isArray(value) ? value : [value]).slice(0, MAX_ITEMS).map((item) => item ?? '')
}
