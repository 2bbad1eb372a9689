import { asArray, asObject, asString, filledText, type JsonObject, storableText } from '../../json/access.ts'
import { type BlockOutcome, type Execution, nextBlock, sendBubble } from './execution.ts'
import type { Block } from './flow-index.ts'
import { markdownBlocks, markdownLeaves } from './markdown.ts'
import type { Bubble, Position, TranscriptEntry } from './types.ts'
import { fill, fillAddress, fillDeep, fillNumber, textOfValue } from './variables.ts'

/*
 * Blocks that show something, and the rich text of text bubbles: elements `{type, children}` and leaves
 * `{text, bold?, italic?, underline?}`.
 */

export async function runTextBubble(run: Execution, block: Block): Promise<BlockOutcome> {
  const source = richTextIn(block.content)
  if (source.length > 0) sendText(run, block.id, await fillRichText(run, source))
  return nextBlock
}

/** A text from the engine itself, for instance a retry message. */
export function sendPlainText(run: Execution, value: string): void {
  sendText(run, run.effects.newId(), richTextOf(value))
}

type MediaType = Exclude<Bubble['type'], 'text'>

/**
 * Returns the runner of media blocks of that type: it shows their content, and an embed may wait for an event in it.
 */
export function mediaBubble(type: MediaType) {
  return async (run: Execution, block: Block, position: Position): Promise<BlockOutcome> => {
    const content = asObject(await fillDeep(run, block.content))
    if (content.height !== undefined) {
      const height = await fillNumber(run, block.content.height)
      if (height === undefined) delete content.height
      else content.height = height
    }
    sendBubble(run, { id: block.id, type, content: type === 'video' ? analyseVideo(content) : content })
    const url = asString(content.url)
    if (url !== undefined)
      run.transcript.push(type === 'embed' ? { role: 'bot', type: 'text', text: url } : mediaEntry(type, url))
    if (type !== 'embed' || asObject(content.waitForEvent).isEnabled !== true) return nextBlock
    run.waiting = position
    run.waitKind = 'embed'
    return { kind: 'wait' }
  }
}

function sendText(run: Execution, id: string, richText: unknown[]): void {
  const content =
    run.format === 'markdown'
      ? { type: 'markdown' as const, markdown: markdownOf(richText) }
      : { type: 'richText' as const, richText }
  sendBubble(run, { id, type: 'text', content })
  const plain = plainTextOf(richText)
  if (plain !== '') run.transcript.push({ role: 'bot', type: 'text', text: storableText(plain) })
}

function mediaEntry(type: 'image' | 'video' | 'audio', url: string): TranscriptEntry {
  return { role: 'bot', type, [type]: storableText(url) }
}

/** Names the player and the video for addresses of known services, whatever page of theirs was pasted. */
function analyseVideo(content: JsonObject): JsonObject {
  const given = asString(content.url)
  if (given === undefined || !URL.canParse(given)) return content
  const url = new URL(given)
  const host = url.hostname.replace(/^(www|m|player|play|video)\./, '')
  const steps = url.pathname.split('/').filter((step) => step !== '')
  const last = steps.at(-1)
  const found =
    host === 'youtu.be'
      ? { type: 'youtube', id: steps[0] }
      : host === 'youtube.com' || host === 'youtube-nocookie.com'
        ? { type: 'youtube', id: url.searchParams.get('v') ?? steps[1] }
        : host === 'vimeo.com'
          ? { type: 'vimeo', id: steps.find((step) => /^\d+$/.test(step)) }
          : host === 'tiktok.com'
            ? { type: 'tiktok', id: last }
            : host === 'gumlet.io' || host === 'gumlet.com' || host === 'gumlet.tv'
              ? { type: 'gumlet', id: last }
              : undefined
  if (found?.id === undefined) return { ...content, type: 'url' }
  const query = url.searchParams
  query.delete('v')
  const queryParamsStr = query.size > 0 ? `?${query}` : undefined
  return { ...content, type: found.type, id: found.id, ...(queryParamsStr ? { queryParamsStr } : {}) }
}

/** Deeper trees are cut off: no editor makes them. */
const MAX_RICH_TEXT_DEPTH = 32

/**
 * Fills the placeholders of all leaves and links. Markdown in values becomes formatting, line breaks in them become
 * paragraphs of their own.
 */
export async function fillRichText(run: Execution, nodes: unknown): Promise<unknown[]> {
  const filled = await fillNodes(run, nodes, 0)
  return filled.flatMap(splitParagraph)
}

/** One paragraph for each line. */
export function richTextOf(value: string): unknown[] {
  return value.split('\n').map((line) => ({ type: 'p', children: [{ text: line }] }))
}

/** The rich text of a text bubble, also where its content is written as `plainText` or `html`. */
export function richTextIn({ richText, html, plainText }: JsonObject): unknown[] {
  if (Array.isArray(richText)) return richText
  const plain = filledText(plainText) ?? filledText(html)?.replace(/<[^<>]*>/g, '')
  return plain === undefined ? [] : richTextOf(plain)
}

/** The words alone, one line for each paragraph or list item. */
export function plainTextOf(nodes: unknown): string {
  return linesOf(
    nodes,
    (leaf) => asString(leaf.text) ?? '',
    (label) => label,
  ).join('\n')
}

export function markdownOf(nodes: unknown): string {
  return linesOf(nodes, markdownOfLeaf, markdownLink).join('\n')
}

/** White space and brackets would end the link, or begin another one. */
function markdownLink(label: string, url: string): string {
  const words = label.replace(/\\?[[\]]/g, (bracket) => (bracket.length === 1 ? `\\${bracket}` : bracket))
  return `[${words}](${url.replace(/[\s()<>\\]/g, percentEncoded)})`
}

function percentEncoded(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`
}

/** Adds many one by one: a call takes only so many arguments. */
function add<Item>(to: Item[], many: readonly Item[]) {
  for (const one of many) to.push(one)
}

/** `isAlone`: the nodes are all there is in a paragraph, so that blocks can take its place. */
async function fillNodes(
  run: Execution,
  nodes: unknown,
  depth: number,
  isAlone = false,
): Promise<JsonObject[]> {
  const filled: JsonObject[] = []
  if (depth > MAX_RICH_TEXT_DEPTH) return filled
  for (const each of asArray(nodes)) {
    const node = asObject(each)
    if (typeof node.text === 'string') {
      add(filled, await fillLeaf(run, node, node.text, isAlone))
      continue
    }
    const copy = { ...node }
    if (typeof node.url === 'string') copy.url = await fillAddress(run, node.url)
    if (Array.isArray(node.children)) {
      const isParagraph = node.type === 'p' && node.children.length === 1
      const children = await fillNodes(run, node.children, depth + 1, isParagraph)
      if (isParagraph && children.some(({ type }) => blockTypes.has(type))) {
        add(filled, children)
        continue
      }
      // A link within a link would be none.
      copy.children = node.type === 'a' ? children.flatMap(wordsOfLink) : children
    }
    filled.push(copy)
  }
  return filled
}

/** The text of a leaf around its values, and values as the leaves and links that they are in Markdown. */
async function fillLeaf(
  run: Execution,
  leaf: JsonObject,
  template: string,
  isAlone: boolean,
): Promise<JsonObject[]> {
  const parts: { before: string; words: string }[] = []
  const filled = await fill(run, template, (value, before) => {
    const words = textOfValue(value)
    parts.push({ before, words })
    return words
  })
  const start = parts.map(({ before, words }) => before + words).join('')
  const [first] = parts
  const plain = [{ ...leaf, text: filled }]
  // A cut text no longer begins with `start`.
  if (first === undefined || !filled.startsWith(start)) return plain
  if (isAlone && parts.length === 1 && filled === first.words && Object.keys(leaf).length === 1)
    return markdownBlocks(run, filled) ?? plain
  const nodes: JsonObject[] = []
  let isFormatted = false
  for (const { before, words } of parts) {
    const leaves = markdownLeaves(run, words)
    isFormatted ||= leaves !== null
    if (before !== '') nodes.push({ ...leaf, text: before })
    for (const each of leaves ?? [{ text: words }]) nodes.push(applyStyle(leaf, each))
  }
  if (filled.length > start.length) nodes.push({ ...leaf, text: filled.slice(start.length) })
  return isFormatted ? nodes : plain
}

/** A node of a value with the style of the leaf that it is filled into. */
function applyStyle({ text: _own, ...style }: JsonObject, node: JsonObject): JsonObject {
  if (!Array.isArray(node.children)) return { ...style, ...node }
  return { ...node, children: node.children.map((child) => applyStyle(style, asObject(child))) }
}

function wordsOfLink(node: JsonObject): JsonObject[] {
  return node.type === 'a' ? asArray(node.children).map(asObject) : [node]
}

function splitParagraph(node: JsonObject): JsonObject[] {
  const children = asArray(node.children).map(asObject)
  const hasBreak = children.some((child) => typeof child.text === 'string' && child.text.includes('\n'))
  if (node.type !== 'p' || !hasBreak) return [node]
  const lines: JsonObject[][] = [[]]
  for (const child of children) {
    const parts = typeof child.text === 'string' ? child.text.split('\n') : [null]
    parts.forEach((part, index) => {
      if (index > 0) lines.push([])
      lines.at(-1)?.push(part === null ? child : { ...child, text: part })
    })
  }
  return lines.map((line) => {
    const filled = line.filter((child) => child.text !== '')
    return { ...node, children: filled.length > 0 ? filled : line.slice(0, 1) }
  })
}

const blockTypes: ReadonlySet<unknown> = new Set(['p', 'ul', 'ol', 'li', 'lic'])

type WriteLeaf = (leaf: JsonObject) => string
type WriteLink = (label: string, url: string) => string

function linesOf(nodes: unknown, writeLeaf: WriteLeaf, writeLink: WriteLink, depth = 0): string[] {
  if (depth > MAX_RICH_TEXT_DEPTH) return []
  const lines: string[] = []
  // Leaves and links that stand side by side without a paragraph around them are one line.
  let isOpen = false
  for (const node of asArray(nodes).map(asObject)) {
    const isInline = node.type === undefined || node.type === 'a'
    if (node.type === 'ul' || node.type === 'ol') {
      add(lines, itemLines(node, writeLeaf, writeLink, depth))
    } else if (asArray(node.children).some((child) => blockTypes.has(asObject(child).type))) {
      add(lines, linesOf(node.children, writeLeaf, writeLink, depth + 1))
    } else {
      const before = isInline && isOpen ? (lines.pop() ?? '') : ''
      lines.push(before + inlineText(node, writeLeaf, writeLink))
    }
    isOpen = isInline
  }
  return lines
}

function itemLines(node: JsonObject, writeLeaf: WriteLeaf, writeLink: WriteLink, depth: number): string[] {
  return asArray(node.children).flatMap((item, index) => {
    const mark = node.type === 'ol' ? `${index + 1}. ` : '- '
    const lines = linesOf(asObject(item).children, writeLeaf, writeLink, depth + 1)
    return lines.map((line, number) => (number === 0 ? mark : ' '.repeat(mark.length)) + line)
  })
}

function inlineText(node: JsonObject, writeLeaf: WriteLeaf, writeLink: WriteLink, depth = 0): string {
  if (typeof node.text === 'string') return writeLeaf(node)
  if (depth > MAX_RICH_TEXT_DEPTH) return ''
  const label = asArray(node.children)
    .map((child) => inlineText(asObject(child), writeLeaf, writeLink, depth + 1))
    .join('')
  return node.type === 'a' ? writeLink(label, asString(node.url) ?? '') : label
}

function markdownOfLeaf(leaf: JsonObject): string {
  const value = asString(leaf.text) ?? ''
  const words = value.trim()
  if (words === '') return value
  const marks = `${leaf.bold === true ? '**' : ''}${leaf.italic === true ? '_' : ''}${leaf.code === true ? '`' : ''}`
  const closing = [...marks.matchAll(/\*\*|_|`/g)].reverse().join('')
  // Marks have to touch the words, so white space around them stays outside.
  return value.replace(words, () => `${marks}${words}${closing}`)
}
