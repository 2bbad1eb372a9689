import type { JsonObject } from './draft.ts'

/*
 * Rich text of bubbles as text with marks, and back: **bold**, _italic_, __underline__, [words](address), lists.
 * Unedited lines retain their nodes, including content that marks cannot express.
 */

interface Leaf extends JsonObject {
  text: string
}

/** In a longer line marks are plain signs: finding them takes time that grows with the square of its length. */
const MAX_MARKED_CHARACTERS = 10_000

type Mark = 'bold' | 'italic' | 'underline'

const signs: [Mark, string][] = [
  ['bold', '**'],
  ['underline', '__'],
  ['italic', '_'],
]

const isLeaf = (node: JsonObject): node is Leaf => typeof node.text === 'string'

const childrenOf = (node: JsonObject): JsonObject[] =>
  Array.isArray(node.children) ? (node.children as JsonObject[]) : []

/** Each element of the text with its line; a list has one line for each of its entries. */
export function linesOf(richText: unknown): { node: JsonObject; lines: string[] }[] {
  if (!Array.isArray(richText)) return []
  return (richText as JsonObject[]).map((node) => ({ node, lines: nodeLines(node) }))
}

export const toMarked = (richText: unknown): string =>
  linesOf(richText)
    .flatMap(({ lines }) => lines)
    .join('\n')

function nodeLines(node: JsonObject): string[] {
  if (node.type !== 'ul' && node.type !== 'ol')
    return [inlineOf(childrenOf(node), isLeaf(node) ? node : undefined)]
  return childrenOf(node).map((entry, index) => {
    const sign = node.type === 'ol' ? `${index + 1}. ` : '- '
    return (
      sign + inlineOf(childrenOf(entry).flatMap((part) => (part.type === 'lic' ? childrenOf(part) : [part])))
    )
  })
}

function inlineOf(children: JsonObject[], own?: Leaf): string {
  return (own ? [own] : children).map(inlineNode).join('')
}

function inlineNode(node: JsonObject): string {
  if (isLeaf(node)) return markLeaf(node)
  const inner = inlineOf(childrenOf(node))
  return node.type === 'a' && typeof node.url === 'string' ? `[${inner}](${node.url})` : inner
}

/** Spaces at the ends stay outside of the marks, which would not be read as marks otherwise. */
function markLeaf(leaf: Leaf): string {
  const text = leaf.text.replaceAll('\n', ' ')
  const inner = text.trim()
  if (inner === '') return text
  const start = text.length - text.trimStart().length
  const before = text.slice(0, start)
  const after = text.slice(start + inner.length)
  const escaped = escapeMarks(inner)
  const used = signs.filter(([mark]) => leaf[mark] === true).map(([, sign]) => sign)
  return before + used.join('') + escaped + used.toReversed().join('') + after
}

/** Placeholders and addresses have underscores that mean nothing. */
function escapeMarks(text: string): string {
  if (text.length > MAX_MARKED_CHARACTERS) return text
  return text
    .split(/(\{\{.*?\}\})/)
    .map((part, index) =>
      index % 2 === 1
        ? part
        : part
            .replace(/\\(?=\\|\[|_|\*\*|$)|\*\*|\[(?=[^\]]*\]\()/g, (sign) => `\\${sign}`)
            .replace(
              /(^|[^\p{L}\p{N}_])(_+)|(_+)(?=$|[^\p{L}\p{N}_])/gu,
              (_, edge = '', open = '', close = '') =>
                `${edge}${[...(open || close)].map((sign) => `\\${sign}`).join('')}`,
            ),
    )
    .join('')
}

/**
 * The rich text that a person's text stands for. Nodes of `before` whose lines are the same stay as they are, so that
 * only edited lines are written anew.
 */
export function fromMarked(text: string, before: unknown): JsonObject[] {
  const lines = text.split('\n')
  const old = linesOf(before)
  const nodes: JsonObject[] = []
  let at = 0
  const takeOld = (from: number) => {
    const limit = old.length
    for (let index = from; index < limit; index++) {
      const candidate = old[index]
      if (candidate?.lines.every((line, offset) => lines[at + offset] === line)) return index
    }
    return -1
  }
  for (let oldAt = 0; at < lines.length; ) {
    const found = takeOld(oldAt)
    const oldNode = found < 0 ? undefined : old[found]
    if (oldNode && oldNode.lines.length > 0) {
      nodes.push(oldNode.node)
      at += oldNode.lines.length
      oldAt = found + 1
      continue
    }
    const list = listAt(lines, at)
    nodes.push(list?.node ?? { type: 'p', children: parseInline(lines[at] ?? '') })
    at += list?.length ?? 1
  }
  return nodes
}

const listSign = { ul: /^- /, ol: /^\d+\. / }

function listAt(lines: string[], at: number): { node: JsonObject; length: number } | undefined {
  const type = (['ul', 'ol'] as const).find((each) => listSign[each].test(lines[at] ?? ''))
  if (!type) return undefined
  let length = 1
  while (listSign[type].test(lines[at + length] ?? '')) length++
  const entries = lines.slice(at, at + length).map((line) => ({
    type: 'li',
    children: [{ type: 'lic', children: parseInline(line.replace(listSign[type], '')) }],
  }))
  return { node: { type, children: entries }, length }
}

const token =
  /\\(\*\*|[[_\\])|\{\{.*?\}\}|(\*\*)|(_+)|\[((?:[^[\]\\]|\\.)*)\]\(([^()\s]*(?:\([^()\s]*\)[^()\s]*)*)\)/gu

/** Reads the marks of one line. A sign that nothing closes is a plain sign. */
function parseInline(line: string): JsonObject[] {
  if (line.length > MAX_MARKED_CHARACTERS) return [{ text: line }]
  const nodes: JsonObject[] = []
  const on = new Set<Mark>()
  let plain = ''
  const flush = () => {
    if (plain === '') return
    const marks = Object.fromEntries([...on].map((mark) => [mark, true]))
    nodes.push({ text: plain, ...marks })
    plain = ''
  }
  let end = 0
  for (const match of line.matchAll(token)) {
    const [whole, escaped, stars, underscores, words, url] = match
    plain += line.slice(end, match.index)
    end = match.index + whole.length
    if (escaped !== undefined) plain += escaped
    else if (words !== undefined) {
      flush()
      nodes.push({ type: 'a', url, children: parseInline(words) })
    } else if (stars ?? underscores) {
      const rest = line.slice(end)
      const marks = marksOf(whole)
      const before = line[match.index - 1]
      const canToggle = marks?.every((mark) =>
        on.has(mark) ? !/\s/.test(before ?? ' ') : rest.includes(signOf(mark)) && /\S/.test(rest[0] ?? ' '),
      )
      // Within a word an underscore is a letter.
      const isInWord = underscores && isWord(before) && isWord(rest[0])
      if (!marks || !canToggle || isInWord) plain += whole
      else {
        flush()
        for (const mark of marks) on.has(mark) ? on.delete(mark) : on.add(mark)
      }
    } else plain += whole
  }
  plain += line.slice(end)
  flush()
  return nodes.length > 0 ? nodes : [{ text: '' }]
}

const isWord = (letter: string | undefined) => letter !== undefined && /[\p{L}\p{N}]/u.test(letter)

const signOf = (mark: Mark) => signs.find(([each]) => each === mark)?.[1] ?? ''

/** `___` is both marks at once. */
function marksOf(sign: string): Mark[] | undefined {
  if (sign === '___') return ['underline', 'italic']
  const found = signs.find(([, each]) => each === sign)
  return found && [found[0]]
}

/** The text without marks, for summaries. */
export function plainTextOf(richText: unknown): string {
  const walk = (node: JsonObject): string =>
    isLeaf(node)
      ? node.text
      : childrenOf(node)
          .map(walk)
          .join(node.type === 'ul' || node.type === 'ol' ? '\n' : '')
  return Array.isArray(richText) ? (richText as JsonObject[]).map(walk).join('\n') : ''
}
